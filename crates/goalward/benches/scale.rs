//! Problems of a thousand to a million state-action pairs: `cargo xtask bench scale [PAIRS [DIM]]`;
//! `sweeps` or `runs` takes one of the two parts, `simplex` or `general` one kind of runs.
//!
//! Worlds are `random-mixture` with 10 successors: rows in general position; at d = 10 a tenth or
//! more are facets of B. `plain` is one pass over the features with theta* known, the least that a
//! sweep could cost; a sweep solves a support problem for each pair besides. Two states of
//! knowledge: *inside*, an ellipsoid that no row of B cuts; *cut*, one so large that at least a
//! tenth of the pairs have an active row. Both on one thread and on two. *whole* is an ellipsoid
//! around all of B, on two threads: every row that pruning left can bind there, and where features
//! stayed the nearest 256 do (`rows=nearest:256`).

mod harness;
mod runs;

use goalward::Settings;
use goalward::learners::{self, Told, Transition};
use goalward::numeric::Stream;
use goalward::numeric::support::{ConvexSet, Ellipsoid, SupportMin, Warm};
use goalward::plan::{Devi, Planner, Task};
use goalward::problem::Instance;
use goalward::worlds;
use harness::{Table, median, micros, reset_peak, status};
use rayon::prelude::*;

/// Pairs, dimensions.
const CASES: &[(usize, usize)] = &[
    (1_000, 4),
    (1_000, 10),
    (1_000, 32),
    (10_000, 4),
    (10_000, 10),
    (10_000, 32),
    (100_000, 4),
    (100_000, 10),
    (100_000, 32),
    (400_000, 10),
    (1_000_000, 4),
    (1_000_000, 10),
    (1_000_000, 32),
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
    let theta = instance.truth().unwrap().theta().unwrap();
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
        warm.clear();
        set.min(&phi, &mut warm);
        !warm.is_empty()
    });
    active.count() as f64 / pairs.len() as f64
}

fn set_of(instance: &Instance, radius: f64) -> ConvexSet {
    let d = instance.problem.dim();
    let mut shape = vec![0.0; d * d];
    (0..d).for_each(|i| shape[i * d + i] = 1.0 + i as f64 / d as f64);
    let ellipsoid = Ellipsoid { center: instance.truth().unwrap().theta().unwrap(), shape: &shape, radius };
    ConvexSet::new(instance.problem.constraints(), ellipsoid).unwrap()
}

/// Microseconds per step of LEVIS++ with eight levels. So small a radius leaves every confidence
/// set empty, whereupon the old plan stays: the steps are those of any other radius, and planning
/// costs nothing.
fn step_time(instance: &Instance) -> f64 {
    let (problem, truth) = (&instance.problem, instance.truth().unwrap());
    let settings = Settings::new().set("B", 25).set("levels", 8).set("radius", "scaled:1e-12");
    let entry = learners::entry("levis++").unwrap();
    let mut learner = entry.build(problem, &settings, 0, 1, Told::default()).unwrap();
    let mut draw = Stream::new(1, &[]);
    let mut s = problem.start();
    let mut step = || {
        let action = learner.act(s).unwrap();
        let pair = problem.pair(s, action);
        let next = truth.sample(problem, pair, draw.uniform());
        let step = Transition { state: s, action, cost: problem.cost(pair), next };
        learner.observe(&step).unwrap();
        s = if next == problem.goal() { problem.start() } else { next };
    };
    median((0..2_000).map(|_| micros(1, &mut step)).collect())
}

/// The planner at work on one world.
struct Bench<'a> {
    instance: &'a Instance,
    task: Task<'a>,
    devi: Devi,
    /// What is swept.
    v: Vec<f64>,
    pools: [rayon::ThreadPool; 2],
}

impl<'a> Bench<'a> {
    fn new(instance: &'a Instance) -> Self {
        let problem = &*instance.problem;
        let task = Task { problem, costs: problem.costs(), b: 25.0, eps: 1e-4, q: 1e-4 };
        let pool = |n: usize| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
        let v = vec![0.0; problem.states()];
        Bench { instance, task, devi: Devi::new(problem), v, pools: [pool(1), pool(2)] }
    }

    /// A planning call on so many threads: seconds, sweeps, and whether it gave the same bits as
    /// `v`, which it overwrites.
    fn plan(&mut self, set: &mut ConvexSet, threads: usize) -> (f64, f64, bool) {
        let Bench { task, devi, pools, .. } = self;
        let start = vec![0.0; task.problem.states()];
        let mut done = None;
        let seconds = 1e-6
            * pools[threads - 1]
                .install(|| micros(1, || done = Some(devi.plan(task, set, Planner::Fast, &start))));
        let same = devi.v.iter().zip(&self.v).all(|(a, b)| a.to_bits() == b.to_bits());
        self.v.copy_from_slice(&devi.v);
        (seconds, done.unwrap().sweeps as f64, same)
    }

    /// Milliseconds of a warm sweep on one thread and on two, the median of five.
    fn sweeps(&mut self, set: &mut ConvexSet) -> [f64; 2] {
        let Bench { task, devi, v, pools, .. } = self;
        [0, 1].map(|pool| {
            let mut once = || {
                let sweep = || {
                    devi.apply(task, set, v);
                };
                pools[pool].install(|| 1e-3 * micros(1, sweep))
            };
            once();
            median((0..5).map(|_| once()).collect())
        })
    }

    /// The same for a plain pass.
    fn plain(&self) -> [f64; 2] {
        let once = || {
            std::hint::black_box(plain_pass(self.instance, &self.v));
        };
        [0, 1]
            .map(|pool| median((0..5).map(|_| self.pools[pool].install(|| 1e-3 * micros(1, once))).collect()))
    }
}

const COLUMNS: &[&str] = &[
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
    "plan2_s",
    "plan_sweeps",
    "same",
    "step_us",
];

fn measure(pairs: usize, dim: usize) -> Vec<f64> {
    let flag = |is: bool| f64::from(u8::from(is));
    let params = Settings::new()
        .set("states", pairs / ACTIONS)
        .set("actions", ACTIONS)
        .set("dim", dim)
        .set("successors", SUCCESSORS);
    reset_peak();
    let mut built = None;
    let build_s = 1e-6 * micros(1, || built = Some(worlds::build("random-mixture", &params).unwrap()));
    let instance = built.unwrap();
    note("built");
    let problem = &instance.problem;
    let features = 8.0 * dim as f64 * problem.rows(problem.pairs() - 1).end as f64;
    let mut bench = Bench::new(&instance);

    // the radius that no row cuts, and one that a tenth of the pairs feel
    let mut radius = 1.0;
    while set_of(&instance, radius).binding_rows() > 0 {
        radius *= 0.8;
    }
    let mut inside = set_of(&instance, radius);
    note("sets");
    let (plan_s, plan_sweeps, _) = bench.plan(&mut inside, 1);
    let (plan2_s, _, same) = bench.plan(&mut inside, 2);
    note("planned");
    let mut cut = inside.clone();
    while active_share(&instance, &cut, &bench.v) < 0.1 {
        radius *= 1.2;
        cut = set_of(&instance, radius);
    }
    let set_ms = 1e-3 * bench.pools[0].install(|| micros(1, || cut = set_of(&instance, radius)));
    let plain = bench.plain();
    let [inside_1, inside_2] = bench.sweeps(&mut inside);
    let [cut_1, cut_2] = bench.sweeps(&mut cut);
    note("swept");
    let peak = status("VmHWM:");
    let mut whole = set_of(&instance, 100.0);
    let [_, whole_2] = bench.sweeps(&mut whole);
    let active = active_share(&instance, &cut, &bench.v);
    let (cut_rows, cut_relaxed) = (cut.binding_rows() as f64, flag(cut.is_relaxed()));
    let (whole_rows, whole_relaxed) = (whole.binding_rows() as f64, flag(whole.is_relaxed()));
    let step_us = step_time(&instance);
    vec![
        pairs as f64,
        dim as f64,
        features * 1e-6,
        build_s,
        peak / features,
        (peak - 1.3 * features) / pairs as f64,
        plain[0],
        plain[1],
        inside_1 / plain[0],
        inside_2 / plain[1],
        set_ms,
        cut_rows,
        cut_relaxed,
        active,
        cut_1 / plain[0],
        cut_2 / plain[1],
        whole_rows,
        whole_relaxed,
        whole_2 / plain[1],
        plan_s,
        plan2_s,
        plan_sweeps,
        flag(same),
        step_us,
    ]
}

fn main() {
    let only: Vec<usize> = std::env::args().skip(1).filter_map(|arg| arg.parse().ok()).collect();
    let wanted = |(pairs, dim): (usize, usize)| {
        only.first().is_none_or(|only| *only == pairs) && only.get(1).is_none_or(|only| *only == dim)
    };
    let asked = |part: &str| std::env::args().any(|arg| arg == part);
    if !asked("sweeps") {
        runs::table(only.first().copied());
    }
    if asked("runs") {
        return;
    }
    let mut table = Table::new("scale", COLUMNS);
    for &(pairs, dim) in CASES.iter().filter(|case| wanted(**case)) {
        table.row(&format!("{pairs} pairs, d = {dim}"), &measure(pairs, dim));
    }
    table.print();
}
