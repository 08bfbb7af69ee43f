//! Problems of a thousand to a million state-action pairs: `cargo xtask bench scale [PAIRS [DIM]]`.
//!
//! Worlds are `random-mixture` with 10 successors: rows in general position, a sixth of which are facets of B. `plain` is one
//! pass over the features with theta* known, the least that a sweep could cost; a sweep solves a support problem for
//! each pair besides. Two states of knowledge: *inside*, an ellipsoid that no row of B cuts; *cut*, one so large that at least a
//! tenth of the pairs have an active row. Both on one thread and on two. *whole* is an ellipsoid around all of B, on two threads:
//! every row can bind there, and the nearest 256 do (`rows=nearest:256`).

mod harness;

use goalward::learners::{self, Told, Transition};
use goalward::numeric::Stream;
use goalward::numeric::support::{ConvexSet, Ellipsoid, SupportMin, Warm};
use goalward::plan::{Devi, Planner, Task};
use goalward::problem::Instance;
use goalward::registry::Settings;
use goalward::worlds;
use harness::{Table, median, micros, reset_peak, status};
use rayon::prelude::*;

/// Pairs, dimensions.
const CASES: &[(usize, usize)] = &[
    (1_000, 10),
    (10_000, 10),
    (100_000, 4),
    (100_000, 10),
    (100_000, 32),
    (400_000, 10),
    (1_000_000, 4),
    (1_000_000, 10),
];
const ACTIONS: usize = 4;
const SUCCESSORS: usize = 10;

/// Says how much memory there is in use, and was at most, by now.
fn note(when: &str) {
    eprintln!("{when}: {:.0} MB, at most {:.0} MB", 1e-6 * status("VmRSS:"), 1e-6 * status("VmHWM:"));
}

/// c + <theta*, phi_V> for every pair.
fn plain_pass(instance: &Instance, v: &[f64]) -> f64 {
    let problem = &instance.problem;
    let theta = instance.truth().unwrap().theta();
    let chunk = |first: usize| {
        let mut phi = vec![0.0; problem.dim()];
        let mut least = f64::INFINITY;
        for p in first..(first + 256).min(problem.pairs()) {
            problem.phi_v(p, v, &mut phi);
            least = least.min(problem.cost(p) + phi.iter().zip(theta).map(|(x, y)| x * y).sum::<f64>());
        }
        least
    };
    let firsts: Vec<usize> = (0..problem.pairs()).step_by(256).collect();
    let least: Vec<f64> = firsts.into_par_iter().map(chunk).collect();
    least.into_iter().fold(f64::INFINITY, f64::min)
}

/// The share of pairs with an active row.
fn active_share(instance: &Instance, set: &ConvexSet, v: &[f64]) -> f64 {
    let problem = &instance.problem;
    let (mut set, mut phi, mut warm) = (set.clone(), vec![0.0; problem.dim()], Warm::default());
    let step = (problem.pairs() / 2000).max(1);
    let pairs: Vec<usize> = (0..problem.pairs()).step_by(step).collect();
    let active = pairs.iter().filter(|&&p| {
        problem.phi_v(p, v, &mut phi);
        warm.rows.clear();
        set.min(&phi, &mut warm);
        !warm.rows.is_empty()
    });
    active.count() as f64 / pairs.len() as f64
}

fn set_of(instance: &Instance, radius: f64) -> ConvexSet {
    let d = instance.problem.dim();
    let mut shape = vec![0.0; d * d];
    (0..d).for_each(|i| shape[i * d + i] = 1.0 + i as f64 / d as f64);
    let ellipsoid = Ellipsoid { center: instance.truth().unwrap().theta(), shape: &shape, radius };
    ConvexSet::new(instance.problem.constraints(), ellipsoid).unwrap()
}

/// Microseconds per step of a learner, planning calls left out.
fn step_time(instance: &Instance) -> f64 {
    let (problem, truth) = (&instance.problem, instance.truth().unwrap());
    let settings = Settings::new().set("B", 25).set("levels", 8);
    let entry = learners::entry("levis++").unwrap();
    let mut learner = learners::build(entry, problem, &settings, 0, 1, Told::default()).unwrap();
    let mut draw = Stream::new(1, &[]);
    let mut s = problem.start();
    let mut times = Vec::new();
    // the first plan comes at t = 1 or 2 and is long: before 64 no more than six follow
    for _ in 0..60 {
        let time = micros(1, || {
            let action = learner.act(s);
            let pair = problem.pair(s, action);
            let next = truth.sample(problem, pair, draw.uniform());
            let step = Transition { state: s, action, cost: problem.cost(pair), next };
            learner.observe(&step).unwrap();
            s = if next == problem.goal() { problem.start() } else { next };
        });
        times.push(time);
    }
    median(times)
}

fn main() {
    let only: Vec<usize> = std::env::args().skip(1).filter_map(|arg| arg.parse().ok()).collect();
    let wanted = |(pairs, dim): (usize, usize)| {
        only.first().is_none_or(|only| *only == pairs) && only.get(1).is_none_or(|only| *only == dim)
    };
    let columns = [
        "pairs",
        "dim",
        "features_MB",
        "build_s",
        "peak_ratio",
        "beside_B",
        "plain_ms",
        "plain2_ms",
        "inside",
        "inside2",
        "set_ms",
        "rows",
        "relaxed",
        "active",
        "cut",
        "cut2",
        "whole_rows",
        "whole_relaxed",
        "whole2",
        "plan_s",
        "plan_sweeps",
        "same",
        "step_us",
    ];
    let mut table = Table::new("scale", &columns);
    let pool = |n: usize| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
    let (one, two) = (pool(1), pool(2));
    for &(pairs, dim) in CASES.iter().filter(|case| wanted(**case)) {
        let params = Settings::new()
            .set("states", pairs / ACTIONS)
            .set("actions", ACTIONS)
            .set("dim", dim)
            .set("successors", SUCCESSORS);
        let before = status("VmRSS:");
        reset_peak();
        let mut built = None;
        let build_s = micros(1, || built = Some(worlds::build("random-mixture", &params).unwrap())) * 1e-6;
        let instance = built.unwrap();
        note("built");
        let problem = &instance.problem;
        let features = 8.0 * dim as f64 * problem.rows(problem.pairs() - 1).end as f64;
        let costs = problem.costs();
        let task = Task { problem, costs, b: 25.0, eps: 1e-4, q: 1e-4 };
        let mut devi = Devi::new(problem);

        // the radius that no row cuts, and one that a tenth of the pairs feel
        let mut radius = 1.0;
        while set_of(&instance, radius).binding_rows() > 0 {
            radius *= 0.8;
        }
        let mut inside = set_of(&instance, radius);
        note("sets");
        let mut planned = None;
        let plan_s = micros(1, || {
            planned = Some(
                one.install(|| devi.plan(&task, &mut inside, Planner::Fast, &vec![0.0; problem.states()])),
            );
        }) * 1e-6;
        note("planned");
        let (planned, v) = (planned.unwrap(), devi.v.clone());
        two.install(|| devi.plan(&task, &mut inside, Planner::Fast, &vec![0.0; problem.states()]));
        let same = f64::from(u8::from(devi.v.iter().zip(&v).all(|(a, b)| a.to_bits() == b.to_bits())));
        let mut cut = inside.clone();
        while active_share(&instance, &cut, &v) < 0.1 {
            radius *= 1.2;
            cut = set_of(&instance, radius);
        }
        let set_ms = 1e-3 * one.install(|| micros(1, || cut = set_of(&instance, radius)));
        let mut sweeps = |set: &mut ConvexSet, pool: &rayon::ThreadPool| {
            let mut once = || {
                pool.install(|| {
                    micros(1, || {
                        devi.apply(&task, set, &v);
                    })
                })
            };
            once();
            median((0..3).map(|_| once()).collect())
        };
        let plain = |pool: &rayon::ThreadPool| {
            median(
                (0..5)
                    .map(|_| {
                        pool.install(|| {
                            micros(1, || {
                                std::hint::black_box(plain_pass(&instance, &v));
                            })
                        })
                    })
                    .collect(),
            )
        };
        let (plain_1, plain_2) = (plain(&one), plain(&two));
        let (inside_1, inside_2) = (sweeps(&mut inside, &one), sweeps(&mut inside, &two));
        let (cut_1, cut_2) = (sweeps(&mut cut, &one), sweeps(&mut cut, &two));
        note("swept");
        let peak = status("VmHWM:") - before;
        let mut whole = set_of(&instance, 100.0);
        let whole_2 = sweeps(&mut whole, &two);
        let beside = (peak - 1.3 * features) / problem.pairs() as f64;
        let active = active_share(&instance, &cut, &v);
        let step_us = if pairs <= 1_000 { step_time(&instance) } else { f64::NAN };
        table.row(
            &format!("{pairs} pairs, d = {dim}"),
            &[
                pairs as f64,
                dim as f64,
                features * 1e-6,
                build_s,
                peak / features,
                beside,
                plain_1 * 1e-3,
                plain_2 * 1e-3,
                inside_1 / plain_1,
                inside_2 / plain_2,
                set_ms,
                cut.binding_rows() as f64,
                f64::from(u8::from(cut.is_relaxed())),
                active,
                cut_1 / plain_1,
                cut_2 / plain_2,
                whole.binding_rows() as f64,
                f64::from(u8::from(whole.is_relaxed())),
                whole_2 / plain_2,
                plan_s,
                planned.sweeps as f64,
                same,
                step_us,
            ],
        );
    }
    table.print();
}
