//! `corridor`: the hard instance cut into many cheap steps, so that T* grows while B* stays.
//!
//! States 0, ..., length - 1 in a row, then the goal; actions a in {-1,1}^(d-1). From every state
//! an action leads one state on with probability delta + <a, vartheta> and stays otherwise; every
//! step costs 1/length. Features and theta* are those of `hard-instance` in every state:
//!
//! * phi(s+1|s,a) = [a, delta], phi(s|s,a) = [-a, 1 - delta], theta* = (vartheta, 1), vartheta_i =
//!   Delta/(d-1), Delta = 1/b_star - delta.
//!
//! The best action is all ones everywhere, with probability 1/b_star to get on, so that
//!
//! * V*(s) = b_star (length - s)/length, hence B* = b_star whatever the length;
//! * the expected steps of the best policy from s are b_star (length - s), hence T* = b_star
//!   length;
//! * c_min = 1/length, and a uniformly random policy pays 1/delta.
//!
//! With length = 1 this is `hard-instance`. A bound that depends on T* grows with the length, one
//! that depends on it through a logarithm alone does not: this is the world to see the difference
//! on.

use super::signs::{B_STAR, DELTA, DIM, Signs};
use super::{SIMPLEX, WorldEntry};
use crate::Result;
use crate::parameters::{Key, Reader};
use crate::problem::Instance;

pub(super) const ENTRY: WorldEntry = WorldEntry {
    id: "corridor",
    title: "many cheap steps in a row: T* = b_star length grows with the length, B* = b_star does not",
    reference: "goalward; the actions and features of the LEVIS++ paper, Appendix B, in every state",
    parameters: &[LENGTH.about(), DIM.about(), B_STAR.about(), DELTA.about(), SIMPLEX.about()],
    build,
};

const LENGTH: Key<u64> =
    Key::count("length", 1, 1_000_000, "the number of states before the goal; a step costs 1/length")
        .or("10");

fn build(settings: &Reader) -> Result<Instance> {
    let law = Signs::read(settings, settings.get(&LENGTH)? as usize)?;
    law.build(ENTRY.id, settings.get(&SIMPLEX)?, |s| format!("cell {s}"))
}

#[cfg(test)]
mod tests {
    use crate::parameters::Settings;
    use crate::worlds::build;
    use crate::worlds::tests::optimal;

    #[test]
    fn values_and_steps_have_their_closed_forms() {
        for (length, dim, b_star, delta) in [(10, 3, 3.0, 5.0 / 27.0), (40, 2, 3.0, 0.2), (7, 4, 2.0, 0.3)] {
            let settings = Settings::new().set("length", length).set("dim", dim);
            let instance = build("corridor", &settings.set("b_star", b_star).set("delta", delta)).unwrap();
            let best = optimal(&instance);
            for s in 0..length {
                let left = f64::from(length - s);
                let s = s as usize;
                assert!((best.v[s] - b_star * left / f64::from(length)).abs() < 1e-9, "V*({s})");
                assert!((best.steps[s] - b_star * left).abs() < 1e-6, "steps of {s}");
                assert_eq!(best.policy[s], (1 << (dim - 1)) - 1);
            }
            assert_eq!(instance.problem.min_cost(), 1.0 / f64::from(length));
        }
    }

    #[test]
    fn one_cell_is_the_hard_instance() {
        let corridor = build("corridor", &Settings::new().set("length", 1)).unwrap();
        let hard = build("hard-instance", &Settings::new()).unwrap();
        assert_eq!(corridor.problem.costs(), hard.problem.costs());
        for p in 0..hard.problem.pairs() {
            assert_eq!(corridor.problem.phi(p), hard.problem.phi(p));
        }
        assert_eq!(corridor.truth().unwrap().theta().unwrap(), hard.truth().unwrap().theta().unwrap());
    }

    #[test]
    fn too_large_is_refused() {
        let settings = Settings::new().set("length", 1_000_000).set("dim", 16);
        assert!(build("corridor", &settings).unwrap_err().to_string().contains("too many"));
    }
}
