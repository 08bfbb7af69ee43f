//! What it costs to keep the likelihood set, beside the learning step of LEVIS++: `cargo xtask
//! bench keep`.
//!
//! Both sides meet the same transitions, of uniformly random actions: more distinct triples than a
//! learner that has found its way would see. `keep_us` is all that the set costs up to step t,
//! divided by t: counts, predictions, refits, and the ellipsoids of its own planning times.
//! `step_us` is `observe` of LEVIS++ up to the same step. Planning is left out on both sides: DEVI,
//! and the support solver's set, which every planning call makes of its ellipsoid; `set_us` is what
//! the latter costs the likelihood set, and `ratio_with_set` counts it on its side alone. Both
//! sides run fifteen times on the same data and the least time of each stretch counts: what else
//! the machine does only ever adds.
//!
//! `plan_outer_us`, `plan_cuts_us` and `plan_exact_us` are what a planning call of `lr` takes with each
//! of its sets, on the same transitions, the set included: the mean of the calls up to step t, least
//! of three runs (one for the exact set). `cuts_ratio` compares the first two.
//!
//! `plans_lr` and `plans_levis++lr` are the planning calls of these learners, on their own actions,
//! beside d log2 t.

mod harness;

use goalward::Settings;
use goalward::confidence::LikelihoodKeeper;
use goalward::episode::Arena;
use goalward::learners::{self, Observed, Told, Transition};
use goalward::numeric::{Portable, Stream};
use harness::Table;
use std::hint::black_box;
use std::time::Instant;

/// The times at which rows are made.
const TIMES: [usize; 3] = [1_000, 10_000, 100_000];
const RUNS: usize = 15;

/// Uniformly random actions.
fn transitions(arena: &Arena, seed: u64) -> Vec<Transition> {
    let (problem, truth) = (arena.problem(), arena.instance().truth().unwrap());
    let mut draw = Stream::new(seed, &[]);
    let mut s = problem.start();
    let steps = TIMES[TIMES.len() - 1];
    let mut step = || {
        let action = draw.below(problem.actions(s));
        let pair = problem.pair(s, action);
        let next = truth.sample(problem, pair, draw.uniform());
        let step = Transition { state: s, action, cost: problem.cost(pair), next };
        s = if next == problem.goal() { problem.start() } else { next };
        step
    };
    (0..steps).map(|_| step()).collect()
}

/// Microseconds up to each of the times: without the support solver's sets, and for these alone.
fn keep(arena: &Arena, steps: &[Transition]) -> (Vec<f64>, Vec<f64>) {
    let problem = arena.problem();
    let mut keeper = LikelihoodKeeper::new(problem, 0.01);
    let (mut t_j, mut sets, mut spent, mut of_sets) = (0, 0.0, Vec::new(), Vec::new());
    let start = Instant::now();
    for (t, step) in (1..).zip(steps) {
        let _ = keeper.observe(problem.pair(step.state, step.action), step.next);
        if keeper.informed(4.0) || t >= 2 * t_j {
            t_j = t;
            let enclosed = keeper.enclose();
            let before = Instant::now();
            black_box(keeper.accept(enclosed)).set.unwrap();
            sets += before.elapsed().as_secs_f64() * 1e6;
        }
        if TIMES.contains(&t) {
            spent.push(start.elapsed().as_secs_f64() * 1e6 - sets);
            of_sets.push(sets);
        }
    }
    (spent, of_sets)
}

/// The same for the learning step, planning calls left out.
fn learn(arena: &Arena, steps: &[Transition], b: f64) -> Vec<f64> {
    let entry = learners::entry("levis++").unwrap();
    let settings = Settings::new().set("B", b).set("planner", "fast");
    let mut learner = entry.build(arena.problem(), &settings, 0, 1, Told::default()).unwrap();
    let (mut plans, mut spent) = (0.0, Vec::new());
    let start = Instant::now();
    for (t, step) in (1..).zip(steps) {
        let before = Instant::now();
        if learner.observe(step).unwrap() == Observed::Planned {
            plans += before.elapsed().as_secs_f64() * 1e6;
        }
        if TIMES.contains(&t) {
            spent.push(start.elapsed().as_secs_f64() * 1e6 - plans);
        }
    }
    spent
}

/// Microseconds a planning call of `lr` takes with a set, in the mean up to each of the times.
fn planning(arena: &Arena, steps: &[Transition], set: &str, runs: usize) -> Vec<f64> {
    let entry = learners::entry("lr").unwrap();
    let settings = Settings::new().set("set", set);
    let run = || {
        let mut learner = entry.build(arena.problem(), &settings, 0, 1, Told::default()).unwrap();
        let (mut spent, mut plans, mut means) = (0.0, 0.0, Vec::new());
        for (t, step) in (1..).zip(steps) {
            let before = Instant::now();
            if learner.observe(step).unwrap() == Observed::Planned {
                spent += before.elapsed().as_secs_f64() * 1e6;
                plans += 1.0;
            }
            if TIMES.contains(&t) {
                means.push(spent / plans);
            }
        }
        means
    };
    let all: Vec<Vec<f64>> = (0..runs).map(|_| run()).collect();
    (0..TIMES.len()).map(|i| all.iter().map(|means| means[i]).fold(f64::INFINITY, f64::min)).collect()
}

/// The least time of each stretch, added up.
fn least(mut run: impl FnMut() -> Vec<f64>) -> Vec<f64> {
    let mut best = vec![f64::INFINITY; TIMES.len()];
    for _ in 0..RUNS {
        let spent = run();
        let before = std::iter::once(&0.0).chain(&spent);
        best.iter_mut().zip(spent.iter().zip(before)).for_each(|(b, (t, s))| *b = b.min(t - s));
    }
    let mut sum = 0.0;
    best.iter()
        .map(|part| {
            sum += part;
            sum
        })
        .collect()
}

/// Planning calls of a learner on its own actions, up to each of the times.
fn plans(arena: &Arena, id: &str, settings: &Settings) -> Vec<f64> {
    let (problem, truth) = (arena.problem(), arena.instance().truth().unwrap());
    let entry = learners::entry(id).unwrap();
    let mut learner = entry.build(problem, settings, 0, 1, Told::default()).unwrap();
    let mut draw = Stream::new(1, &[]);
    let (mut s, mut plans, mut counts) = (problem.start(), 0.0, Vec::new());
    for t in 1..=TIMES[TIMES.len() - 1] {
        let action = learner.act(s).unwrap();
        let pair = problem.pair(s, action);
        let next = truth.sample(problem, pair, draw.uniform());
        let observed = learner.observe(&Transition { state: s, action, cost: problem.cost(pair), next });
        plans += f64::from(u8::from(observed.unwrap() == Observed::Planned));
        s = if next == problem.goal() { problem.start() } else { next };
        if TIMES.contains(&t) {
            counts.push(plans);
        }
    }
    counts
}

fn main() {
    let columns = [
        "t",
        "step_us",
        "keep_us",
        "ratio",
        "set_us",
        "ratio_with_set",
        "plan_outer_us",
        "plan_cuts_us",
        "cuts_ratio",
        "plan_exact_us",
        "plans_lr",
        "plans_levis++lr",
        "d_log2_t",
    ];
    let mut table = Table::new("keep", &columns);
    for (name, world, params) in [
        ("mixture", "random-mixture", Settings::new().set("dim", 8).set("successors", 5).set("states", 30)),
        ("hard", "hard-instance", Settings::new().set("dim", 8)),
    ] {
        let arena = Arena::open(world, &params).unwrap();
        let b = arena.exact().b_star;
        let steps = transitions(&arena, 1);
        let kept = least(|| keep(&arena, &steps).0);
        let sets = least(|| keep(&arena, &steps).1);
        let learnt = least(|| learn(&arena, &steps, b));
        let [outer, cuts, exact] =
            [("outer", 3), ("cuts", 3), ("exact", 1)].map(|(set, runs)| planning(&arena, &steps, set, runs));
        let of_lr = plans(&arena, "lr", &Settings::new().set("planner", "fast"));
        let of_both = plans(&arena, "levis++lr", &Settings::new().set("B", b).set("planner", "fast"));
        for (i, t) in TIMES.into_iter().enumerate() {
            let (keep, step) = (kept[i] / t as f64, learnt[i] / t as f64);
            let d = arena.problem().dim() as f64;
            let (set, most) = (sets[i] / t as f64, d * (t as f64).log_2());
            let with_set = (keep + set) / step;
            let kept = [t as f64, step, keep, keep / step, set, with_set];
            let planned = [outer[i], cuts[i], cuts[i] / outer[i], exact[i], of_lr[i], of_both[i], most];
            let values = [&kept[..], &planned[..]].concat();
            table.row(&format!("{name}_t{:e}", t as f64), &values);
        }
    }
    table.print();
}
