//! The soak of random models in small: intervals against the exact enumeration of all stationary
//! policies.

#[path = "../../soak/mdps/mod.rs"]
mod sweep;

use sweep::{Counts, try_one};

#[test]
fn two_hundred_models_are_never_wrong_and_never_refused() {
    // others than the soak's
    let counts = (1_000_000..1_000_200).map(try_one).fold(Counts::default(), Counts::add);
    assert_eq!((counts.models, counts.solutions), (200, 1200));
    assert!(counts.intervals > 3_000, "{counts:?}");
    assert!(counts.wrong == 0 && counts.refused == 0, "{counts:#?}");
}
