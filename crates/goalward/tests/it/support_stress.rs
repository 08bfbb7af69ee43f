//! The stress program of the support solver, in small.

#[path = "../../benches/stress/mod.rs"]
pub(crate) mod stress;

use stress::{BATCH, Counts, Family};

#[test]
fn two_thousand_hard_instances_meet_every_requirement() {
    let mut all = Counts::default();
    for family in Family::ALL {
        for seed in 0..12 {
            all.add(&stress::run(family, seed, 10));
        }
    }
    assert_eq!(all.instances, 12 * BATCH * Family::ALL.len() as u64);
    assert!(all.compared > 100 && all.empty > 100, "{all:?}");
    assert!(all.failures().is_empty(), "{:?} {all:?}", all.failures());
}
