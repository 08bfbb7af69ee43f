//! `hard-instance`: the two-state instance of the paper's experiment (Appendix B), which is also
//! that of its lower bound.
//!
//! States s_init and the goal; actions a in {-1,1}^(d-1); every step costs 1;
//!
//! * phi(s_init|s_init,a) = [-a, 1 - delta], phi(g|s_init,a) = [a, delta], phi(s_init|g,a) = 0,
//!   phi(g|g,a) = [0, 1];
//! * theta* = (Delta/(d-1), ..., Delta/(d-1), 1) with Delta = 1/b_star - delta and 0 < Delta <
//!   delta.
//!
//! So P(g|s_init,a) = delta + <a, vartheta>. The best action is all ones, with V* = B* = T* =
//! b_star; a uniformly random action reaches the goal with probability delta and pays 1/delta. The
//! default delta = 5/27 with b_star = 3 is inferred from the plateau of the published figure's
//! random policy (1/delta - 3 = 2.4); the print names neither delta nor d.
//!
//! Action number a encodes the signs: bit i set means +1 in coordinate i; its name spells them,
//! such as `+-+`. With `simplex` learners know that no entry of vartheta is negative, which gives
//! the best action away.

use super::signs::{B_STAR, DELTA, DIM, Signs};
use super::{SIMPLEX, WorldEntry};
use crate::Result;
use crate::parameters::Reader;
use crate::problem::Instance;

pub(super) const ENTRY: WorldEntry = WorldEntry {
    id: "hard-instance",
    title: "two states, 2^(d-1) actions that differ little: the paper's experiment and its lower bound",
    reference: "the LEVIS++ paper, Appendix B; Min, He, Wang, Gu (2022), lower bound",
    parameters: &[DIM.about(), B_STAR.about(), DELTA.about(), SIMPLEX.about()],
    build,
};

fn build(settings: &Reader) -> Result<Instance> {
    let law = Signs::read(settings, 1)?;
    law.build(ENTRY.id, settings.get(&SIMPLEX)?, |_| "s_init".into())
}

#[cfg(test)]
mod tests {
    use crate::parameters::Settings;
    use crate::worlds::build;
    use crate::worlds::tests::optimal;

    #[test]
    fn the_value_is_b_star_and_all_ones_is_best() {
        for (dim, b_star, delta) in [(2, "3", "5/27"), (3, "3", "5/27"), (6, "5", "0.15"), (4, "1", "0.7")] {
            let settings = Settings::new().set("dim", dim).set("b_star", b_star).set("delta", delta);
            let instance = build("hard-instance", &settings).unwrap();
            let best = optimal(&instance);
            let b_star: f64 = b_star.parse().unwrap();
            assert!((best.v[0] - b_star).abs() < 1e-9, "{dim}: {}", best.v[0]);
            assert!((best.steps[0] - b_star).abs() < 1e-9);
            assert_eq!(best.policy[0], (1 << (dim - 1)) - 1);
        }
    }

    #[test]
    fn features_are_as_printed() {
        let instance = build("hard-instance", &Settings::new().set("dim", 4)).unwrap();
        let problem = &instance.problem;
        let delta = 5.0 / 27.0;
        let p = problem.pair(0, 0b101);
        assert_eq!(problem.action_name(0, 0b101), "+-+");
        assert_eq!(problem.successors(p), [0, 1]);
        assert_eq!(*problem.phi(p), [-1.0, 1.0, -1.0, 1.0 - delta, 1.0, -1.0, 1.0, delta]);
        assert_eq!(*problem.phi(problem.pair(1, 3)), [0.0, 0.0, 0.0, 1.0]);
        let on = instance.truth().unwrap().row(problem, p)[1];
        assert!((on - (delta + (1.0 / 3.0 - delta) / 3.0)).abs() < 1e-15);
    }

    #[test]
    fn delta_that_cannot_be_is_explained() {
        // 1/3 - 1/6 would not do, since Delta must stay below delta; 1/2 would make Delta negative
        for delta in ["1/6", "0.5", "1/3"] {
            let error = build("hard-instance", &Settings::new().set("delta", delta)).unwrap_err().to_string();
            assert!(error.contains("0 < Delta < delta") && error.contains(delta), "{error}");
        }
    }
}
