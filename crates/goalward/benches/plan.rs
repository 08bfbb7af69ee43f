//! The certified planner against Storm on the same models: `cargo xtask bench plan`.
//!
//! Third-party models from `../shared/bench` where that is present, and generated families.
//! `--large` adds a random model of a million states and 32 million transitions. Times are medians
//! of 30 in one thread, without reading or building the model; `check_ms` is the independent check
//! of the certificate.

mod harness;
mod storm;

use goalward::Settings;
use goalward::numeric::Stream;
use goalward::plan::{self, Objective, Options, verify};
use goalward::problem::{Instance, Problem};
use goalward::worlds;
use harness::{Table, median, micros};
use std::path::Path;
use storm::Storm;

const PRECISION: f64 = 1e-6;
const REPEAT: usize = 30;

/// (file, goal, cost).
const SHARED: &[(&str, &str, &str)] = &[
    ("consensus.2_K2", "finished", "steps"),
    ("consensus.2_K4", "finished", "steps"),
    ("csma.2-2", "all_delivered", "time"),
    ("firewire_abst_delay3", "done", "time"),
    ("firewire_abst_delay3", "done", "rounds"),
    ("wlan.0_COL0", "((s1 = 12) & (s2 = 12))", "time"),
    ("wlan.0_COL0", "((s1 = 12) & (s2 = 12))", "cost"),
];

/// Layers of strongly connected components of ten states each: every state may move within its
/// component, and on to the next one.
fn layered(states: usize) -> Instance {
    const SIZE: usize = 10;
    let mut stream = Stream::new(1, &[states as u64]);
    let mut builder = Problem::builder("layered", states + 1, 1);
    for s in 0..states {
        let (first, in_layer) = (s / SIZE * SIZE, |x: f64| (x * SIZE as f64) as usize);
        for _ in 0..3 {
            let mut next: Vec<usize> =
                (0..3).map(|_| (first + in_layer(stream.uniform())).min(states)).collect();
            next.push((s + 1) % SIZE + first);
            next.push((first + SIZE + in_layer(stream.uniform())).min(states));
            add(&mut builder, s, 0.5 + stream.uniform(), next);
        }
    }
    known(builder)
}

/// Every choice leads to so many states at random; one state in a hundred has a way to the goal.
fn random(states: usize, actions: usize, successors: usize) -> Instance {
    let mut stream = Stream::new(2, &[states as u64]);
    let mut builder = Problem::builder("random", states + 1, 1);
    for s in 0..states {
        for _ in 0..actions {
            let draw = |u: f64| ((u * states as f64) as usize).min(states - 1);
            let mut next: Vec<usize> = (0..successors).map(|_| draw(stream.uniform())).collect();
            if stream.uniform() < 0.01 {
                next[0] = states;
            }
            add(&mut builder, s, 0.5 + stream.uniform(), next);
        }
    }
    known(builder)
}

/// A square grid with slips; the goal is a corner.
fn grid(side: usize) -> Instance {
    let mut builder = Problem::builder("grid", side * side, 1);
    for s in 0..side * side - 1 {
        let (row, column) = (s / side, s % side);
        let ways = [
            (row.saturating_sub(1), column),
            ((row + 1).min(side - 1), column),
            (row, column.saturating_sub(1)),
            (row, (column + 1).min(side - 1)),
        ];
        let at = |k: usize| ways[k].0 * side + ways[k].1;
        for k in 0..4 {
            let slips = if k < 2 { [2, 3] } else { [0, 1] };
            let next = [at(k), at(k), at(k), at(k), at(k), at(k), at(slips[0]), at(slips[1])];
            add(&mut builder, s, 1.0, next.to_vec());
        }
    }
    known(builder)
}

/// Equal shares of the probability for every entry.
fn add(builder: &mut goalward::problem::ProblemBuilder, s: usize, cost: f64, mut next: Vec<usize>) {
    // few different costs and probabilities, as in models that people write
    let a = builder.action(s, (cost * 16.0).round() / 16.0).unwrap();
    next.sort_unstable();
    let all = next.len() as f64;
    for group in next.chunk_by(|a, b| a == b) {
        builder.feature(s, a, group[0], &[group.len() as f64 / all]).unwrap();
    }
}

fn known(builder: goalward::problem::ProblemBuilder) -> Instance {
    Instance::new(builder.build().unwrap(), &[1.0]).unwrap()
}

struct Bench {
    table: Table,
    storm: Option<Storm>,
}

impl Bench {
    /// Measures one case; the seconds of a solve.
    fn case(
        &mut self,
        name: &str,
        instance: impl FnOnce() -> Instance,
        objective: Objective,
        with_storm: bool,
    ) -> f64 {
        let parts: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
        if !parts.is_empty() && !parts.iter().any(|part| name.contains(part.as_str())) {
            return f64::NAN;
        }
        let instance = instance();
        let (problem, truth) = (&*instance.problem, instance.truth().unwrap());
        let mut solution = None;
        let mut solve = || {
            let options = Options::fast(objective, PRECISION).bare();
            micros(1, || solution = Some(plan::solve(problem, truth, &options).unwrap())) * 1e-3
        };
        let first = solve();
        let repeat = if first > 2e3 { 1 } else { REPEAT };
        let milliseconds = median((0..repeat).map(|_| solve()).collect());
        let solution = solution.unwrap();
        let mut flaw = Ok(());
        let check_ms = micros(1, || flaw = verify(problem, truth, &solution)) * 1e-3;
        assert_eq!(flaw, Ok(()), "{name}");
        let start = problem.start();
        let width = (solution.upper[start] - solution.lower[start]) / solution.upper[start];
        let (mut storm_ms, mut difference) = (f64::NAN, f64::NAN);
        if let Some(storm) = self.storm.as_ref().filter(|_| with_storm) {
            match storm.solve(problem, truth, objective, PRECISION, repeat) {
                Ok((seconds, value)) => {
                    storm_ms = seconds * 1e3;
                    difference = (value - solution.v[start]).abs() / value;
                }
                Err(reason) => eprintln!("{name}: Storm failed: {reason}"),
            }
        }
        let transitions = (0..problem.pairs()).map(|p| problem.successors(p).len()).sum::<usize>();
        let row = [
            problem.states() as f64,
            problem.pairs() as f64,
            transitions as f64,
            milliseconds,
            check_ms,
            storm_ms,
            milliseconds / storm_ms,
            width,
            difference,
        ];
        self.table.row(name, &row);
        milliseconds * 1e-3
    }
}

fn main() {
    let asked = |flag: &str| std::env::args().any(|arg| arg == flag);
    let columns = [
        "states",
        "choices",
        "transitions",
        "solve_ms",
        "check_ms",
        "storm_ms",
        "ratio",
        "width",
        "difference",
    ];
    let storm = match Storm::install() {
        Ok(storm) => Some(storm),
        Err(reason) => {
            eprintln!("Storm is skipped: stormpy cannot be installed ({reason})");
            None
        }
    };
    let mut bench = Bench { table: Table::new("plan", &columns), storm };

    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/bench/qvbs");
    if shared.is_dir() {
        for (file, goal, cost) in SHARED {
            let path = shared.join(format!("{file}.drn.gz"));
            let settings = Settings::new().set("goal", goal).set("cost", cost);
            let open = || worlds::open(&path.to_string_lossy(), &settings).unwrap();
            bench.case(&format!("{file} {cost}"), open, Objective::Min, true);
        }
    } else {
        eprintln!("third-party models are skipped: there is no folder {}", shared.display());
    }

    let mut points = Vec::new();
    for exponent in 3..=6 {
        let states = 10usize.pow(exponent);
        let seconds =
            bench.case(&format!("layered_1e{exponent}"), || layered(states), Objective::Min, exponent < 6);
        points.push(((states as f64).ln(), seconds.ln()));
    }
    for side in [30, 100, 300] {
        bench.case(&format!("grid_{side}x{side}"), || grid(side), Objective::Min, side < 300);
    }
    for exponent in 3..=5 {
        let build = || random(10usize.pow(exponent), 4, 8);
        bench.case(&format!("random_1e{exponent}"), build, Objective::Min, true);
    }
    if asked("--large") {
        let build = || {
            let instance = random(1_000_000, 4, 8);
            eprintln!("random_1e6: built, {}, {}", memory("VmHWM"), memory("VmRSS"));
            // from here on the peak is that of the planner
            _ = std::fs::write("/proc/self/clear_refs", "5");
            instance
        };
        bench.case("random_1e6", build, Objective::Min, false);
        eprintln!("random_1e6: solved, {}", memory("VmHWM"));
    }
    bench.table.print();
    eprintln!("layered: time grows as states^{:.2}", slope(&points));
}

/// The least-squares slope.
fn slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let mean = |pick: fn(&(f64, f64)) -> f64| points.iter().map(pick).sum::<f64>() / n;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let above: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    above / points.iter().map(|p| (p.0 - x).powi(2)).sum::<f64>()
}

/// What the process holds (`VmRSS`) or has held at most (`VmHWM`), where the system tells.
fn memory(which: &str) -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(which)).unwrap_or("memory unknown");
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}
