//! `ladder`: rungs to climb, with ways of climbing that random models disagree about.
//!
//! States 0 (the ground) to `rungs` - 1, then the goal; `actions` ways to climb on every rung.
//! Under model i a way leads one rung up, leaves the climber where it is, or lets it slip one rung
//! down (on the ground: stay), with probabilities `sure` + (1 - sure) u, (1 - sure) v and (1 -
//! sure) w, where (u, v, w) is uniform on the simplex, for every rung, way and model anew. Costs
//! are uniform on [cost_min, 1], or zero for a share `free` of the ways; theta is uniform on the
//! simplex. All is determined by `seed` and the other parameters.
//!
//! Under every mixture every way leads up with probability at least `sure` > 0, so that every
//! policy reaches the goal.

use super::candidates::{MOST_NAMED, absorb, mixture};
use super::random_mixture::{COST_MIN, Costs, FREE, SEED, simplex_point};
use super::{SIMPLEX, WorldEntry};
use crate::Result;
use crate::numeric::Stream;
use crate::parameters::{Key, Reader};
use crate::problem::{Instance, Problem};

pub(super) const ENTRY: WorldEntry = WorldEntry {
    id: "ladder",
    title: "rungs to climb, with random models of the ways to climb: a long horizon, and values in order",
    reference: "goalward; after RiverSwim, Strehl and Littman (2008)",
    parameters: &[
        RUNGS.about(),
        ACTIONS.about(),
        DIM.about(),
        SURE.about(),
        COST_MIN.about(),
        FREE.about(),
        SEED.about(),
        SIMPLEX.about(),
    ],
    build,
};

const RUNGS: Key<u64> = Key::count("rungs", 1, 1_000_000, "the number of states before the goal").or("8");
const ACTIONS: Key<u64> =
    Key::count("actions", 1, 1_000, "the number of ways to climb on every rung").or("3");
const DIM: Key<u64> = Key::count("dim", 1, 256, "the number of candidate models d, 1 to 256").or("4");
const SURE: Key<f64> = Key::number(
    "sure",
    0.0,
    1.0,
    "the probability, above 0, with which every way leads up under every model",
)
.or("0.2");

/// Labels of the streams: the models and costs, and the true weights.
const KERNEL: u64 = 11;
const WEIGHTS: u64 = 12;

fn build(settings: &Reader) -> Result<Instance> {
    let (rungs, actions) = (settings.get(&RUNGS)? as usize, settings.get(&ACTIONS)? as usize);
    let dim = settings.get(&DIM)? as usize;
    let sure = settings.get(&SURE)?;
    let costs = Costs { least: settings.get(&COST_MIN)?, free: settings.get(&FREE)? };
    let seed = settings.get(&SEED)?;
    if sure == 0.0 {
        let reason = "it must be above 0: it is what makes the goal reachable under every policy".into();
        return Err(settings.refuse(&SURE, reason));
    }
    let numbers = [actions, 3, dim].iter().fold(rungs, |n, k| n.saturating_mul(*k));
    if numbers > super::MOST_NUMBERS {
        let most = super::MOST_NUMBERS;
        let reason = format!("rungs x actions x 3 x dim is {numbers}; at most {most} numbers are built");
        return Err(settings.refuse(&RUNGS, reason));
    }
    let mut stream = Stream::new(seed, &[KERNEL]);
    let mut builder = Problem::builder(ENTRY.id, rungs + 1, dim);
    builder.heed(settings.halt()).start(0).goal(rungs);
    for s in 0..rungs {
        for a in 0..actions {
            builder.action(s, costs.draw(&mut stream))?;
            let models: Vec<Vec<f64>> = (0..dim).map(|_| simplex_point(&mut stream, 3)).collect();
            let part = |k: usize| models.iter().map(move |outcome| (1.0 - sure) * outcome[k]);
            let up: Vec<f64> = part(0).map(|p| sure + p).collect();
            builder.feature(s, a, s + 1, &up)?;
            if s == 0 {
                let stay: Vec<f64> = part(1).zip(part(2)).map(|(stay, slip)| stay + slip).collect();
                builder.feature(s, a, s, &stay)?;
            } else {
                builder.feature(s, a, s, &part(1).collect::<Vec<f64>>())?;
                builder.feature(s, a, s - 1, &part(2).collect::<Vec<f64>>())?;
            }
        }
    }
    absorb(&mut builder, rungs, actions, dim)?;
    if rungs * actions <= MOST_NAMED {
        let rung = |s: usize| if s == 0 { "ground".into() } else { format!("rung {s}") };
        builder.name_states((0..rungs).map(rung).chain(["top".to_string()]));
        let ways: Vec<String> = (0..actions).map(|a| format!("way {a}")).collect();
        builder.name_actions((0..=rungs).map(|_| &ways));
    }
    let theta = simplex_point(&mut Stream::new(seed, &[WEIGHTS]), dim);
    mixture(settings, builder, &theta)
}

#[cfg(test)]
mod tests {
    use crate::parameters::Settings;
    use crate::worlds::build;
    use crate::worlds::tests::optimal;

    #[test]
    fn values_fall_from_rung_to_rung() {
        for seed in 0..5 {
            let instance = build("ladder", &Settings::new().set("seed", seed)).unwrap();
            let best = optimal(&instance);
            assert!((0..8).all(|s| best.v[s] > best.v[s + 1]), "{:?}", best.v);
            assert!(best.steps[0] >= 8.0, "every rung takes a step");
            let free = build("ladder", &Settings::new().set("seed", seed).set("free", 0.5)).unwrap();
            let zero = free.problem.costs()[..24].iter().filter(|c| **c == 0.0).count();
            assert!((4..=20).contains(&zero), "{zero} of 24 ways are free");
        }
    }

    #[test]
    fn too_large_or_unsure_is_refused() {
        let refused = |key: &str, value: f64| {
            build("ladder", &Settings::new().set("dim", 256).set(key, value)).unwrap_err().to_string()
        };
        assert!(refused("rungs", 1e6).contains("at most"), "{}", refused("rungs", 1e6));
        assert!(refused("sure", 0.0).contains("above 0"), "{}", refused("sure", 0.0));
    }
}
