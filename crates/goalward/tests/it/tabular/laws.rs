//! What must come out without bonuses: from data in exact proportion to the truth, and on a world
//! without luck, greedy policies are optimal.

use super::{Swept, World, built, change, mean};
use goalward::Settings;
use goalward::learners::{Learner, Transition};
use goalward::problem::{Instance, Problem};

/// For each pair its cost and the quarters with which it leads to states.
type Quarters = Vec<Vec<(f64, Vec<(usize, u32)>)>>;

fn world(rows: &Quarters) -> World {
    let row = |to: &Vec<(usize, u32)>| to.iter().map(|&(s, n)| (s, f64::from(n) / 4.0)).collect();
    let model = rows.iter().map(|row_of| row_of.iter().map(|(_, to)| row(to)).collect()).collect();
    let costs: Vec<Vec<f64>> = rows.iter().map(|row_of| row_of.iter().map(|(c, _)| *c).collect()).collect();
    let problem = Problem::from_models(&[("only", model)], &costs, 0, 4).unwrap();
    World::of(Instance::new(problem, &[1.0]).unwrap())
}

/// Four states and a goal; no two actions are nearly as good.
fn lucky() -> World {
    world(&vec![
        vec![(1.0, vec![(0, 1), (1, 2), (2, 1)]), (1.5, vec![(0, 1), (3, 3)])],
        vec![(1.0, vec![(1, 3), (4, 1)]), (3.0, vec![(0, 1), (4, 3)])],
        vec![(0.5, vec![(0, 4)]), (4.0, vec![(4, 4)])],
        vec![(1.0, vec![(2, 2), (4, 2)]), (2.0, vec![(3, 1), (4, 3)])],
        vec![],
    ])
}

/// The same without luck.
fn certain() -> World {
    world(&vec![
        vec![(1.0, vec![(1, 4)]), (2.5, vec![(3, 4)])],
        vec![(1.0, vec![(2, 4)]), (3.0, vec![(4, 4)])],
        vec![(1.0, vec![(4, 4)]), (0.5, vec![(0, 4)])],
        vec![(1.0, vec![(4, 4)]), (0.25, vec![(2, 4)])],
        vec![],
    ])
}

/// The truth's own Q and V, in units of the largest cost.
fn optimal(world: &World) -> Swept {
    let backup = |s: usize, a: usize, v: &[f64]| world.c(s, a) + mean(&world.kernel[s][a], v);
    world.sweep(backup, |before, after, _| change(before, after) <= 1e-15)
}

/// A learner that was shown every pair four times a round, in proportion to the truth; the last
/// step of all leads to the goal.
fn shown(world: &World, id: &str, settings: &Settings, rounds: usize) -> Learner {
    let mut learner = built(world, id, settings);
    let mut pairs = world.pairs.clone();
    pairs.sort_by(|x, y| {
        let goal = |&(s, a): &(usize, usize)| world.kernel[s][a][world.goal];
        goal(x).total_cmp(&goal(y))
    });
    for _ in 0..rounds {
        for &(state, action) in &pairs {
            // the goal comes first, so that no state looks like a trap
            for &next in world.next[state][action].iter().rev() {
                for _ in 0..(4.0 * world.kernel[state][action][next]).round() as usize {
                    let cost = world.cost[state][action];
                    learner.observe(&Transition { state, action, cost, next }).unwrap();
                    if next == world.goal {
                        learner.end_episode();
                    }
                }
            }
        }
    }
    learner
}

/// What every learner's policy loses at most, against the best action of the state.
fn gap(world: &World, learner: &mut Learner) -> f64 {
    let best = optimal(world);
    let lost = |s: &usize| best.q[*s][learner.act(*s).unwrap()] - best.v[*s];
    world.off_goal.iter().map(lost).fold(0.0, f64::max)
}

/// How far V is off, in units of the largest cost.
fn off(world: &World, learner: &Learner, v: &[f64]) -> f64 {
    let values: Vec<f64> =
        (0..world.states()).map(|s| learner.value(s).unwrap().unwrap() / world.unit).collect();
    change(&values, v)
}

const STATIONARY: [(&str, &[(&str, &str)]); 4] =
    [("eb-ssp", &[("B", "40")]), ("bernstein-ssp", &[]), ("hoeffding-ssp", &[("B", "40")]), ("uc-ssp", &[])];

fn bare(settings: &[(&str, &str)]) -> Settings {
    settings.iter().fold(Settings::new().set("scale", 0), |all, (key, value)| all.set(key, value))
}

#[test]
fn data_in_proportion_make_stationary_planners_optimal() {
    let world = lucky();
    let best = optimal(&world);
    for (id, settings) in STATIONARY {
        let mut learner = shown(&world, id, &bare(settings), 256);
        assert!(gap(&world, &mut learner) <= 1e-12, "{id}");
        // one planned with the last step, at the very proportions
        let room = match id {
            "hoeffding-ssp" => 1e-6,
            "uc-ssp" => 1e-4,
            // the skew to the goal, and a plan amid a round
            _ => 2e-2,
        };
        let off = off(&world, &learner, &best.v);
        assert!(off <= room, "{id}: {off}");
    }
}

#[test]
fn reductions_equal_backward_induction() {
    let world = lucky();
    for h in [1, 2, 7, 60] {
        for (id, terminal) in [("mvp+", 2.0), ("ulcvi", 8.0)] {
            let (b, t_star, steps) = ("20", "9", h.to_string());
            let settings = bare(&[("B", b), ("t_star", t_star), ("interval", &steps)]);
            let mut learner = shown(&world, id, &settings, 64);
            let mut v: Vec<f64> = vec![terminal * 20.0 / world.unit; world.states()];
            v[world.goal] = 0.0;
            let mut q = world.table();
            for _ in 0..h {
                for &(s, a) in &world.pairs {
                    q[s][a] = world.c(s, a) + mean(&world.kernel[s][a], &v);
                }
                v = world.values(&q);
            }
            let off = off(&world, &learner, &v);
            assert!(off <= 1e-9, "{id} at {h}: {off}");
            for &s in &world.off_goal {
                let a = learner.act(s).unwrap();
                assert!(q[s][a] - v[s] <= 1e-9, "{id} at {h}: {a} in {s}");
            }
        }
    }
}

#[test]
fn without_luck_every_learner_is_optimal() {
    let world = certain();
    let best = optimal(&world);
    let others: [(&str, &[(&str, &str)]); 4] = [
        ("svi-ssp", &[("B", "40"), ("stage", "2")]),
        ("lcb-advantage-ssp", &[("B", "40"), ("stage", "2")]),
        ("mvp+", &[("B", "40"), ("t_star", "9"), ("interval", "20")]),
        ("ulcvi", &[("B", "40"), ("t_star", "9"), ("interval", "20")]),
    ];
    let bare = STATIONARY.iter().chain(&others).map(|(id, settings)| (*id, bare(settings)));
    let sampling = Settings::new().set("support", "known");
    let greedy = Settings::new().set("alpha", 1).set("epsilon", 0);
    for (id, settings) in bare.chain([("psrl-ssp", sampling), ("q-learning", greedy)]) {
        let mut learner = shown(&world, id, &settings, 64);
        assert!(gap(&world, &mut learner) <= 1e-12, "{id}");
        // a skew of 1/257 to the goal in each of at most 3 steps, and the precision of a plan
        let room = if id == "eb-ssp" { 6.0 / 257.0 } else { 1e-3 };
        let off = off(&world, &learner, &best.v);
        assert!(off <= room, "{id}: {off}");
        let exact =
            ["svi-ssp", "lcb-advantage-ssp", "mvp+", "ulcvi", "psrl-ssp", "q-learning", "bernstein-ssp"];
        assert!(!exact.contains(&id) || off <= 1e-9, "{id}: {off}");
    }
}
