//! The certified planner against Storm on the same models: `cargo xtask bench plan`.
//!
//! Third-party models from `../shared/bench` where that is present, and generated families. Rows
//! whose names contain one of the words given are measured, or all. `max` and `reach` say what is
//! asked for; without them it is the least cost. Layered and random models of a `reach` row end
//! in a trap or in the goal now and then, random models of a `max` row in the goal.
//!
//! `--large` adds windy grids of up to a million cells, solved once, and a random model of a
//! million states and 32 million transitions. Times are medians of 300, or of as many as five seconds
//! have room for, of either program in one thread, without reading or building the model;
//! `check_ms` is the independent check of the certificate. Storm is stopped after a minute of
//! solving: a dash.

mod harness;
mod known;
mod storm;

use goalward::Settings;
use goalward::numeric::Portable;
use goalward::plan::{self, Objective, Options, verify};
use goalward::problem::Instance;
use goalward::worlds;
use harness::{Table, median, micros};
use known::{Ending, acyclic, grid, layered, random};
use std::path::Path;
use storm::Storm;

const PRECISION: f64 = 1e-6;
const REPEAT: usize = 300;
const ALL: [Objective; 3] = [Objective::Min, Objective::Max, Objective::Reach];

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

/// Seconds that a case is solved again and again, at most, by either program.
const SECONDS: f64 = 5.0;

struct Bench {
    table: Table,
    storm: Option<Storm>,
}

/// A model, and what is asked of it.
struct Case<'a> {
    name: &'a str,
    objectives: &'a [Objective],
    with_storm: bool,
    /// Solves of either, at most.
    repeat: usize,
}

impl Case<'_> {
    fn new<'a>(name: &'a str, objectives: &'a [Objective]) -> Case<'a> {
        Case { name, objectives, with_storm: true, repeat: REPEAT }
    }

    /// The name of a row: the least cost is what is asked for if nothing else is said.
    fn row(&self, objective: Objective) -> String {
        match objective {
            Objective::Min => self.name.to_string(),
            Objective::Max => format!("{} max", self.name),
            Objective::Reach => format!("{} reach", self.name),
        }
    }
}

impl Bench {
    /// Measures what is wanted of a case; the seconds of its last solve.
    fn case(&mut self, case: &Case, instance: impl FnOnce() -> Instance) -> f64 {
        let parts: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
        let wanted = |objective: &Objective| {
            let name = case.row(*objective);
            parts.is_empty() || parts.iter().any(|part| name.contains(part.as_str()))
        };
        let objectives: Vec<Objective> = case.objectives.iter().copied().filter(wanted).collect();
        if objectives.is_empty() {
            return f64::NAN;
        }
        let instance = instance();
        let (problem, truth) = (&*instance.problem, instance.truth().unwrap());
        let storm = self.storm.as_ref().filter(|_| case.with_storm);
        let told = storm.map_or(Ok(()), |storm| storm.tell(problem, truth));
        told.unwrap_or_else(|reason| panic!("{}: {reason}", case.name));
        objectives.into_iter().map(|objective| self.measure(case, &instance, objective)).last().unwrap()
    }

    fn measure(&mut self, case: &Case, instance: &Instance, objective: Objective) -> f64 {
        let name = case.row(objective);
        let (problem, truth) = (&*instance.problem, instance.truth().unwrap());
        let mut solution = None;
        let mut solve = || {
            let options = Options::fast(objective, PRECISION).bare();
            micros(1, || solution = Some(plan::solve(problem, truth, &options).unwrap())) * 1e-3
        };
        let first = solve();
        let most = ((1e3 * SECONDS / first) as usize).clamp(1, REPEAT).min(case.repeat);
        let milliseconds = if most == 1 { first } else { median((0..most).map(|_| solve()).collect()) };
        let solution = solution.unwrap();
        let mut flaw = Ok(());
        let check_ms = micros(1, || flaw = verify(problem, truth, &solution)) * 1e-3;
        assert_eq!(flaw, Ok(()), "{name}");
        let start = problem.start();
        let apart = |a: f64, b: f64| if a == b { 0.0 } else { (a - b).abs() / b };
        let (mut storm_ms, mut difference) = (f64::NAN, f64::NAN);
        if let Some(storm) = self.storm.as_ref().filter(|_| case.with_storm) {
            match storm.solve(objective, PRECISION, case.repeat, SECONDS) {
                Ok((seconds, value)) => {
                    storm_ms = seconds * 1e3;
                    difference = apart(solution.v[start], value);
                }
                Err(reason) => eprintln!("{name}: no time of Storm: {reason}"),
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
            apart(solution.lower[start], solution.upper[start]),
            difference,
        ];
        self.table.row(&name, &row);
        milliseconds * 1e-3
    }

    /// Third-party models, where they are.
    fn shared(&mut self) {
        let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/bench/qvbs");
        if !shared.is_dir() {
            eprintln!("third-party models are skipped: there is no folder {}", shared.display());
            return;
        }
        for (file, goal, cost) in SHARED {
            let path = shared.join(format!("{file}.drn.gz"));
            let settings = Settings::new().set("goal", goal).set("cost", cost);
            let open = || worlds::open(&path.to_string_lossy(), &settings).unwrap();
            self.case(&Case::new(&format!("{file} {cost}"), &ALL), open);
        }
    }

    /// Strongly connected components of ten states; how the time grows.
    fn layered(&mut self) -> f64 {
        let mut points = Vec::new();
        for exponent in 3..=6 {
            let (states, name) = (10usize.pow(exponent), format!("layered_1e{exponent}"));
            let case = |objectives| Case { with_storm: exponent < 6, ..Case::new(&name, objectives) };
            let seconds = self.case(&case(&[Objective::Min]), || layered(states, Ending::Never));
            points.push(((states as f64).log_e(), seconds.log_e()));
            self.case(&case(&[Objective::Max]), || layered(states, Ending::Never));
            self.case(&case(&[Objective::Reach]), || layered(states, Ending::Either));
        }
        slope(&points)
    }

    /// One block of all states.
    fn random(&mut self) {
        for exponent in 3..=5 {
            let name = format!("random_1e{exponent}");
            let build = |ending| move || random(10usize.pow(exponent), 4, 8, ending);
            self.case(&Case::new(&name, &[Objective::Min]), build(Ending::Never));
            self.case(&Case::new(&name, &[Objective::Max]), build(Ending::Goal));
            self.case(&Case::new(&name, &[Objective::Reach]), build(Ending::Either));
        }
    }

    /// No block of more than one state.
    fn acyclic(&mut self) {
        for exponent in 4..=6 {
            let (states, name) = (10usize.pow(exponent), format!("acyclic_1e{exponent}"));
            self.case(&Case::new(&name, &ALL[..2]), || acyclic(states, Ending::Never));
            self.case(&Case::new(&name, &ALL[2..]), || acyclic(states, Ending::Either));
        }
        for exponent in 3..=5 {
            let settings = Settings::new().set("length", 10u32.pow(exponent));
            let build = || worlds::build("corridor", &settings).unwrap();
            self.case(&Case::new(&format!("corridor_1e{exponent}"), &[Objective::Min]), build);
        }
    }

    /// Grids with slips, and grids against the wind.
    fn grids(&mut self, large: bool) {
        for side in [30, 100, 300] {
            let name = format!("grid_{side}x{side}");
            let case = Case { with_storm: side < 300, ..Case::new(&name, &[Objective::Min]) };
            self.case(&case, || grid(side));
        }
        for n in [30u32, 100, 300, 500, 1000].into_iter().take(if large { 5 } else { 2 }) {
            let name = format!("windy-grid_{n}");
            let repeat = if n > 100 { 1 } else { REPEAT };
            let build = || worlds::build("windy-grid", &Settings::new().set("n", n)).unwrap();
            self.case(&Case { repeat, ..Case::new(&name, &[Objective::Min]) }, build);
        }
    }

    /// A million states, 32 million transitions, and the memory that they take.
    fn huge(&mut self) {
        let build = || {
            let instance = random(1_000_000, 4, 8, Ending::Never);
            eprintln!("random_1e6: built, {}, {}", memory("VmHWM"), memory("VmRSS"));
            // from here on the peak is that of the planner
            _ = std::fs::write("/proc/self/clear_refs", "5");
            instance
        };
        let case = Case { with_storm: false, ..Case::new("random_1e6", &[Objective::Min]) };
        self.case(&case, build);
        eprintln!("random_1e6: solved, {}", memory("VmHWM"));
    }
}

fn main() {
    let large = std::env::args().any(|arg| arg == "--large");
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
    bench.shared();
    let growth = bench.layered();
    bench.grids(large);
    bench.random();
    bench.acyclic();
    if large {
        bench.huge();
    }
    bench.table.print();
    eprintln!("layered: time grows as states^{growth:.2}");
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
