//! The soak of random models in small: intervals against the exact enumeration of all stationary
//! policies.

#[path = "../../../mdp/soak/mdps/mod.rs"]
mod sweep;

use super::audit::audited;
use goalward::Settings;
use goalward::episode::{Arena, RunSpec, Runner};
use goalward::learners;
use goalward::problem::Instance;
use sweep::{Costs, Counts, drawn, try_one};

#[test]
fn two_hundred_models_of_each_kind_are_never_wrong_and_never_refused() {
    // others than the soak's
    let all = |costs| (1_000_000..1_000_200).map(move |seed| try_one(seed, costs));
    for costs in [Costs::Usual, Costs::Any] {
        let counts = all(costs).fold(Counts::default(), Counts::add);
        assert_eq!((counts.models, counts.solutions), (200, 1400));
        assert!(counts.intervals > 3_000, "{counts:?}");
        let faults = counts.wrong + counts.refused + counts.unbounded;
        assert!(faults == 0, "{costs:?}: {counts:#?}");
    }
}

/// Learners and the audit over costs that f64 hardly holds: models that cannot be learned are
/// refused, and the identities and lemmas hold of the others.
#[test]
fn costs_of_any_size_are_learned_with_or_refused() {
    let mut learned = 0;
    for seed in 2_000_000..2_000_020 {
        let (problem, truth) = drawn(seed, Costs::Any);
        let instance = Instance::of(problem, Some(truth));
        let Ok(arena) = Arena::new("any", &Settings::new(), instance) else { continue };
        for id in ["lr", "levis++lr", "levis++", "eb-ssp"] {
            let given = learners::entry(id).unwrap().oracle();
            let spec = RunSpec::new(id, 3).settings(given).max_steps(40);
            if Runner::new(&arena, spec.clone()).is_ok() {
                learned += 1;
                let report = audited(&arena, spec);
                let violated: Vec<_> = report.violated().collect();
                assert!(violated.is_empty(), "seed {seed}, {id}: {violated:?}");
            }
        }
    }
    assert!(learned > 0);
}
