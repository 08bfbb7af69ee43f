//! `min-lower-bound`: the family of the lower bound, with a gap that K episodes can barely see.
//!
//! States and features are those of `hard-instance`: actions a in {-1,1}^(d-1), P(g|s_init,a) =
//! delta + <a, vartheta>, every step costs 1. Two things differ. The signs of vartheta are drawn
//! by `seed`, so that the best action is sign(vartheta) and can be any. And the gap follows from
//! the number of episodes K that it is meant for:
//!
//! * Delta = constant (d-1) sqrt(delta/(K b_star)), with delta + Delta = 1/b_star;
//! * vartheta_i = +-Delta/(d-1).
//!
//! The two equations are quadratic in sqrt(delta), and solved in closed form. V*(s_init) = B* = T*
//! = b_star. An action with k wrong signs pays 1/(1/b_star - 2 k Delta/(d-1)) instead. With this
//! gap no learner's regret over K episodes is below the order of d B* sqrt(K) on all members of
//! the family.
//!
//! There is no `simplex` here: entries of theta are negative where the best action's sign is.
//!
//! The family is that of Min et al. That constant is 1/32, with delta between 2/5 and 1/2, is
//! derived from a later paper on several agents (arXiv 2511.04594) with one agent. The constant of
//! Min et al. could not be checked, so it is a parameter.

use super::WorldEntry;
use super::signs::{B_STAR, DIM, Signs};
use crate::Result;
use crate::numeric::Stream;
use crate::parameters::{Key, Parameter, Reader};
use crate::problem::Instance;

pub(super) const ENTRY: WorldEntry = WorldEntry {
    id: "min-lower-bound",
    title: "two states, 2^(d-1) actions with a gap tuned to K episodes: as hard as it gets",
    reference: "Min, He, Wang, Gu (2022), the lower bound; the LEVIS++ paper, Appendix B",
    parameters: &[DIM.about(), BEST, EPISODES.about(), CONSTANT.about(), SEED.about()],
    build,
};

const BEST: Parameter = B_STAR.doc("B* = V*(start), the cost of the best action").or("2.2").about();
const EPISODES: Key<u64> = Key::count(
    "episodes",
    1,
    1_000_000_000_000_000,
    "the number of episodes K that the gap is tuned to, whatever number is run",
)
.or("1000");
const CONSTANT: Key<f64> =
    Key::number("constant", 1e-6, 1e6, "what (d-1) sqrt(delta/(K b_star)) is multiplied by").or("1/32");
const SEED: Key<u64> =
    Key::count("seed", 0, u64::MAX, "determines the signs of the best action, 0 to 2^64 - 1").or("0");

const SIGNS: u64 = 21;

fn build(settings: &Reader) -> Result<Instance> {
    let dim = settings.get(&DIM)? as usize;
    let b_star = settings.get(&B_STAR)?;
    let episodes = settings.get(&EPISODES)? as f64;
    // delta + c sqrt(delta) = 1/b_star, solved without a difference of nearly equal numbers
    let c = settings.get(&CONSTANT)? * (dim - 1) as f64 / (episodes * b_star).sqrt();
    let root = 2.0 / b_star / (c + (c * c + 4.0 / b_star).sqrt());
    let (delta, gap) = (root * root, c * root);
    if gap >= delta {
        let reason = format!(
            "the gap Delta would be {gap:.6}, but it must stay below delta = {delta:.6}, so that every \
             action can reach the goal: take more episodes, a smaller constant or fewer dimensions"
        );
        return Err(settings.refuse(&EPISODES, reason));
    }
    let mut stream = Stream::new(settings.get(&SEED)?, &[SIGNS]);
    let best = stream.below(1 << (dim - 1));
    let law = Signs { dim, delta, gap, length: 1, best };
    law.build(ENTRY.id, false, |_| "s_init".into())
}

#[cfg(test)]
mod tests {
    use crate::parameters::Settings;
    use crate::worlds::build;
    use crate::worlds::tests::optimal;
    use std::collections::HashSet;

    #[test]
    fn the_gap_is_the_tuned_one_and_the_value_b_star() {
        for (dim, b_star, episodes) in [(3, 2.2, 1000.0), (5, 2.4, 20.0), (2, 9.0, 1e6)] {
            let settings = Settings::new().set("dim", dim).set("b_star", b_star).set("episodes", episodes);
            let instance = build("min-lower-bound", &settings.set("seed", 3)).unwrap();
            let (problem, theta) = (&instance.problem, instance.truth().unwrap().theta().unwrap().to_vec());
            // the last feature of the row to the goal is delta
            let phi = problem.phi(0);
            let delta = phi[2 * dim - 1];
            let gap: f64 = theta[..dim - 1].iter().map(|x| x.abs()).sum();
            let tuned = (dim - 1) as f64 / 32.0 * (delta / (episodes * b_star)).sqrt();
            assert!((gap / tuned - 1.0).abs() < 1e-9, "{gap} {tuned}");
            assert!((delta + gap - 1.0 / b_star).abs() < 1e-12);
            let best = optimal(&instance);
            assert!((best.v[0] - b_star).abs() < 1e-9);
            let signs: Vec<bool> = (0..dim - 1).map(|i| best.policy[0] >> i & 1 == 1).collect();
            assert_eq!(signs, theta[..dim - 1].iter().map(|x| *x > 0.0).collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_best_action_depends_on_the_seed() {
        let best = |seed: u64| {
            let settings = Settings::new().set("dim", 4).set("episodes", 50).set("seed", seed);
            optimal(&build("min-lower-bound", &settings).unwrap()).policy[0]
        };
        assert_eq!((0..60).map(best).collect::<HashSet<_>>().len(), 8);
    }

    #[test]
    fn a_gap_that_cannot_be_is_refused() {
        let settings = Settings::new().set("constant", 10).set("episodes", 4);
        let error = build("min-lower-bound", &settings).unwrap_err().to_string();
        assert!(error.contains("episodes") && error.contains("Delta"), "{error}");
        for (key, value) in [("dim", "17"), ("b_star", "0.5"), ("constant", "0"), ("seed", "-1")] {
            let error = build("min-lower-bound", &Settings::new().set(key, value)).unwrap_err().to_string();
            assert!(error.contains(key), "{error}");
        }
    }
}
