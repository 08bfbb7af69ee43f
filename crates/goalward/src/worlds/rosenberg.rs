//! `rosenberg`: a bandit in every state, the instance of the tabular lower bound.
//!
//! From each of `states` states every action reaches the goal or stays; every step costs 1. One
//! special action of each state reaches the goal with probability 1/b_star, all others with
//! (1 - eps)/b_star. What is learnt in one state says nothing about another. So any learner pays in
//! the order of b_star sqrt(states actions K) over K episodes, if eps is tuned to them: the
//! default is eps = (1/8) sqrt(states actions / K), below 1/8 once K >= states actions.
//!
//! * V*(s) = b_star in every such state; always playing another action costs b_star/(1 - eps).
//! * There the first state of an episode is uniform. A problem here has one start, so there is one
//!   more state `door` with one action, which costs 1 and leads to all others alike. It adds 1 to
//!   the cost of every policy and nothing to any regret: V*(start) = B* = b_star + 1.
//!
//! The numbers of the construction are given from memory of the paper; a print that gives the
//! special action (1 + eps)/b_star and the others 1/b_star differs by this factor in b_star alone.
//!
//! For learners of linear mixtures there are `dim` candidate models, each with special actions of
//! its own, drawn by `seed`. One of them, also drawn, is the truth. In the first state no two
//! models agree, so that theta can be learnt. Tabular learners do not see the candidates.

use super::candidates::{MOST_NAMED, Outcomes, absorb, all_on, mixture, pair};
use super::{MOST_NUMBERS, SIMPLEX, WorldEntry};
use crate::Result;
use crate::memory;
use crate::numeric::Stream;
use crate::parameters::{Key, Reader};
use crate::problem::{Instance, Problem};

pub(super) const ENTRY: WorldEntry = WorldEntry {
    id: "rosenberg",
    title: "a bandit in every state, with a gap tuned to K episodes: the tabular lower bound",
    reference: "Rosenberg, Cohen, Mansour, Kaplan (ICML 2020), the lower bound",
    parameters: &[
        STATES.about(),
        ACTIONS.about(),
        B_STAR.about(),
        EPISODES.about(),
        EPS.about(),
        DIM.about(),
        SEED.about(),
        SIMPLEX.about(),
    ],
    build,
};

const STATES: Key<u64> = Key::count("states", 1, 1_000_000, "the number of bandits").or("4");
const ACTIONS: Key<u64> = Key::count("actions", 2, 10_000, "the number of actions of each bandit").or("4");
const B_STAR: Key<f64> =
    Key::number("b_star", 1.0, 1e6, "V* of every bandit; the start costs 1 more").or("3");
const EPISODES: Key<u64> = Key::count(
    "episodes",
    1,
    1_000_000_000_000_000,
    "the number of episodes K that eps is tuned to, whatever number is run",
)
.or("1000");
const EPS: Key<f64> = Key::number(
    "eps",
    0.0,
    0.999,
    "the share of its chance that an action lacks which is not the special one",
)
.computed("(1/8) sqrt(states x actions / episodes)");
const DIM: Key<u64> =
    Key::count("dim", 1, 16, "the number of candidate models d, 1 to 16, at most actions").or("3");
const SEED: Key<u64> =
    Key::count("seed", 0, u64::MAX, "determines the special actions, 0 to 2^64 - 1").or("0");

/// Labels of the streams: the special actions, and which model is true.
const SPECIAL: u64 = 31;
const TRUE: u64 = 32;

fn build(settings: &Reader) -> Result<Instance> {
    let (states, actions) = (settings.get(&STATES)? as usize, settings.get(&ACTIONS)? as usize);
    let (b_star, dim) = (settings.get(&B_STAR)?, settings.get(&DIM)? as usize);
    let episodes = settings.get(&EPISODES)? as f64;
    let eps = settings.get_or(&EPS, || ((states * actions) as f64 / episodes).sqrt() / 8.0)?;
    if eps > 0.999 {
        let reason = format!("eps would be {eps:.3}, but it must be below 1: take more episodes or set eps");
        return Err(settings.refuse(&EPISODES, reason));
    }
    if dim > actions {
        let reason = format!("no two models agree in the first state: at most {actions} fit (actions)");
        return Err(settings.refuse(&DIM, reason));
    }
    let numbers = states.saturating_mul(actions).saturating_mul(2 * dim);
    if numbers > MOST_NUMBERS {
        let reason = format!("states x actions x 2 x dim is {numbers}; at most {MOST_NUMBERS} are built");
        return Err(settings.refuse(&STATES, reason));
    }
    memory::require("this world", Problem::bytes_of(states * actions, 2 * states * actions, dim))?;

    let seed = settings.get(&SEED)?;
    let (door, goal) = (0, states + 1);
    let mut stream = Stream::new(seed, &[SPECIAL]);
    let mut builder = Problem::builder(ENTRY.id, states + 2, dim);
    builder.start(door).goal(goal);
    let anywhere: Outcomes = (1..=states).map(|s| (s, 1.0 / states as f64)).collect();
    pair(&mut builder, door, 1.0, &vec![anywhere; dim])?;
    for s in 1..=states {
        let first = stream.below(actions);
        let special = |model: usize, stream: &mut Stream| match s {
            1 => (first + model) % actions,
            _ if model == 0 => first,
            _ => stream.below(actions),
        };
        let special: Vec<usize> = (0..dim).map(|model| special(model, &mut stream)).collect();
        for a in 0..actions {
            let chance = |best: &usize| if *best == a { 1.0 / b_star } else { (1.0 - eps) / b_star };
            let of = |best: &usize| vec![(s, 1.0 - chance(best)), (goal, chance(best))];
            pair(&mut builder, s, 1.0, &special.iter().map(of).collect::<Vec<_>>())?;
        }
    }
    absorb(&mut builder, goal, 1, dim)?;
    if states * actions <= MOST_NAMED {
        let bandits = (1..=states).map(|s| format!("bandit {s}"));
        builder.state_names(["door".into()].into_iter().chain(bandits).chain(["goal".into()]).collect());
        let mut arms = vec![(0..actions).map(|a| format!("arm {a}")).collect(); states + 2];
        arms[door] = vec!["enter".into()];
        arms[goal] = vec!["stay".into()];
        builder.action_names(arms);
    }
    builder.model_names((0..dim).map(|i| format!("guess {i}")).collect());
    let truth = Stream::new(seed, &[TRUE]).below(dim);
    mixture(settings, builder, &all_on(truth, dim))
}

#[cfg(test)]
mod tests {
    use crate::parameters::Settings;
    use crate::worlds::build;
    use crate::worlds::tests::optimal;
    use std::collections::HashSet;

    #[test]
    fn every_bandit_is_worth_b_star_and_has_one_special_action() {
        for (states, actions, b_star) in [(4, 4, 3.0), (1, 2, 1.0), (7, 16, 20.0)] {
            let settings = Settings::new().set("states", states).set("actions", actions).set("dim", 2);
            let settings = settings.set("b_star", b_star).set("episodes", 400).set("seed", 5);
            let instance = build("rosenberg", &settings).unwrap();
            let (problem, truth) = (&instance.problem, instance.truth().unwrap());
            let best = optimal(&instance);
            assert!((best.v[0] - b_star - 1.0).abs() < 1e-9, "{}", best.v[0]);
            let eps = (states as f64 * actions as f64 / 400.0).sqrt() / 8.0;
            for s in 1..=states {
                assert!((best.v[s] - b_star).abs() < 1e-9);
                for a in 0..actions {
                    let p = problem.pair(s, a);
                    let (&chance, next) =
                        (truth.row(problem, p).last().unwrap(), problem.successors(p).last().unwrap());
                    assert_eq!(*next as usize, states + 1);
                    let expected = if a == best.policy[s] { 1.0 } else { 1.0 - eps } / b_star;
                    assert!((chance - expected).abs() < 1e-12, "{s} {a}: {chance} {expected}");
                }
            }
        }
    }

    #[test]
    fn special_actions_come_from_the_seed() {
        let best =
            |seed: u64| optimal(&build("rosenberg", &Settings::new().set("seed", seed)).unwrap()).policy;
        assert!((0..20).map(best).collect::<HashSet<_>>().len() > 15);
        assert_eq!(best(3), best(3));
    }

    #[test]
    fn what_cannot_be_is_refused_by_name() {
        for (key, value) in [
            ("eps", "1"),
            ("episodes", "0"),
            ("dim", "5"),
            ("actions", "1"),
            ("states", "0"),
            ("b_star", "0.9"),
            ("seed", "x"),
        ] {
            let error = build("rosenberg", &Settings::new().set(key, value)).unwrap_err().to_string();
            assert!(error.contains(key), "{error}");
        }
        let few = Settings::new().set("episodes", 1).set("actions", 100);
        assert!(build("rosenberg", &few).unwrap_err().to_string().contains("take more episodes"));
        let large = Settings::new().set("states", 1_000_000).set("actions", 1000).set("eps", 0.1);
        assert!(build("rosenberg", &large).unwrap_err().to_string().contains("at most"));
    }
}
