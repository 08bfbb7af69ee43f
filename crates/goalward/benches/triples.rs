//! What it costs to keep the likelihood set while most triples are new: `cargo xtask bench triples
//! [STATES]`.
//!
//! `random-mixture` with d = 8, 10 successors and 2 actions, uniformly random actions, a million
//! steps. `observe_us` is the median of a step in the last tenth of the run: count, prediction and
//! information, no refit. `refit_us` is all that refits took, divided by the steps; `enclose_us`
//! the same for the ellipsoids at the planning times of `lr`, and `set_us` for the support solver's
//! sets made of them; DEVI is left out. Both halves of the run are given: what is amortised does
//! not grow. `bytes` is what the set holds per distinct triple seen, with what its arrays have
//! reserved; `of_copy` what a copy holds, which has reserved nothing, and `resident` by how much
//! the process grows for one.

mod harness;

use goalward::Settings;
use goalward::confidence::LikelihoodKeeper;
use goalward::episode::Arena;
use goalward::numeric::Stream;
use harness::{Table, median};
use std::collections::HashSet;
use std::hint::black_box;
use std::time::Instant;

const STEPS: usize = 1_000_000;
/// Copies that are made to see what one takes.
const COPIES: usize = 8;
const CASES: [usize; 4] = [100, 1_000, 10_000, 100_000];

/// Resident memory in bytes; not a number where the system does not say.
fn resident() -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<f64>().ok());
    kilobytes.map_or(f64::NAN, |kb| 1024.0 * kb)
}

/// Seconds spent up to a step, by what they were spent on.
#[derive(Clone, Copy, Default)]
struct Spent {
    observe: f64,
    enclose: f64,
    set: f64,
    plans: f64,
}

fn timed<T>(clock: &mut f64, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    *clock += start.elapsed().as_secs_f64();
    result
}

fn main() {
    let only: Vec<usize> = std::env::args().skip(1).filter_map(|arg| arg.parse().ok()).collect();
    let columns = [
        "triples",
        "observe_us",
        "refit_us_1",
        "refit_us_2",
        "enclose_us_1",
        "enclose_us_2",
        "set_us_1",
        "set_us_2",
        "plans_1",
        "plans_2",
        "bytes",
        "of_copy",
        "resident",
    ];
    let mut table = Table::new("triples", &columns);
    for states in CASES.into_iter().filter(|states| only.is_empty() || only.contains(states)) {
        let params =
            Settings::new().set("dim", 8).set("successors", 10).set("states", states).set("actions", 2);
        let arena = Arena::open("random-mixture", &params).unwrap();
        let (problem, truth) = (arena.problem(), arena.instance().truth().unwrap());
        let mut draw = Stream::new(1, &[]);
        let mut s = problem.start();
        let steps: Vec<(u32, u32)> = (0..STEPS)
            .map(|_| {
                let pair = problem.pair(s, draw.below(problem.actions(s)));
                let next = truth.sample(problem, pair, draw.uniform());
                s = if next == problem.goal() { problem.start() } else { next };
                (pair as u32, next as u32)
            })
            .collect();
        let triples = steps.iter().collect::<HashSet<_>>().len() as f64;
        let mut keeper = LikelihoodKeeper::new(problem, 0.01);
        let mut t_j = 0;
        let (mut now, mut half, mut late) =
            (Spent::default(), Spent::default(), Vec::with_capacity(STEPS / 10));
        for (t, &(pair, next)) in (1..).zip(&steps) {
            let mut step = 0.0;
            let informed = timed(&mut step, || {
                let _ = keeper.observe(pair as usize, next as usize);
                keeper.informed(2.0)
            });
            now.observe += step;
            if t > STEPS - STEPS / 10 {
                late.push(1e6 * step);
            }
            if informed || t >= 2 * t_j {
                t_j = t;
                now.plans += 1.0;
                let enclosed = timed(&mut now.enclose, || keeper.enclose());
                black_box(timed(&mut now.set, || keeper.accept(enclosed))).set.unwrap();
            }
            if t == STEPS / 2 {
                half = now;
            }
        }
        // copies of it: a process that has memory to spare from before need not grow for the first
        let copies: Vec<LikelihoodKeeper> = vec![keeper.clone(); COPIES];
        let before = resident();
        let more: Vec<LikelihoodKeeper> = vec![keeper.clone(); COPIES];
        let grown = (resident() - before) / COPIES as f64;
        let exact = black_box(&copies)[0].bytes().max(black_box(&more)[0].bytes()) as f64;
        let (plain, per) = (median(late), 2e6 / STEPS as f64);
        table.row(
            &format!("states_{states}"),
            &[
                triples,
                plain,
                per * half.observe - plain,
                per * (now.observe - half.observe) - plain,
                per * half.enclose,
                per * (now.enclose - half.enclose),
                per * half.set,
                per * (now.set - half.set),
                half.plans,
                now.plans - half.plans,
                keeper.bytes() as f64 / triples,
                exact / triples,
                grown / triples,
            ],
        );
    }
    table.print();
}
