//! `cargo xtask soak models [FOLDER]`: models of the Quantitative Verification Benchmark Set and
//! tables of Gymnasium against their known exact answers, and mdp-lib's small racetrack against
//! ours. They lie in FOLDER, or in `../shared/bench`. Exit code 1 if an answer is wrong.

use goalward::Settings;
use goalward::plan::{Objective, Options, solve};
use goalward::worlds;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A file, its parameters, and its least cost.
type Known = (&'static str, &'static [(&'static str, &'static str)], (f64, f64));

/// File, parameters, and the exact minimum as a fraction whose denominator is a power of two.
const KNOWN: &[Known] = &[
    ("qvbs/consensus.2_K2.drn.gz", &[("goal", "finished"), ("cost", "steps")], (48.0, 1.0)),
    ("qvbs/consensus.2_K4.drn.gz", &[("goal", "finished"), ("cost", "steps")], (192.0, 1.0)),
    ("qvbs/csma.2-2.drn.gz", &[("goal", "all_delivered"), ("cost", "time")], (53954981353.0, 805306368.0)),
    ("qvbs/firewire_abst_delay3.drn.gz", &[("goal", "done"), ("cost", "time")], (541.0, 4.0)),
    ("qvbs/firewire_abst_delay3.drn.gz", &[("goal", "done"), ("cost", "rounds")], (1.0, 1.0)),
    ("qvbs/wlan.0_COL0.drn.gz", &[("goal", WLAN), ("cost", "time")], (1325.0, 1.0)),
    ("qvbs/wlan.0_COL0.drn.gz", &[("goal", WLAN), ("cost", "cost")], (7625.0, 1.0)),
    ("gymnasium/CliffWalking-v1.json", &[], (13.0, 1.0)),
];
const WLAN: &str = "((s1 = 12) & (s2 = 12))";
const LAKE: &str = "gymnasium/FrozenLake-v1-4x4-slippery.json";

/// Whether an answer lies where it should.
fn right(path: &Path, settings: &Settings, objective: Objective, (over, under): (f64, f64)) -> bool {
    let instance = worlds::open(&path.to_string_lossy(), settings).unwrap();
    let (problem, options) = (&*instance.problem, Options { objective, ..Options::exact(1e-6) });
    let exact = solve(problem, instance.truth().unwrap(), &options).unwrap();
    let (lower, upper) = (exact.lower[problem.start()], exact.upper[problem.start()]);
    let right = lower * under <= over && over <= upper * under && upper - lower <= 1e-6 * upper.max(1.0);
    let said: Vec<String> = settings.iter().map(|(key, value)| format!(" {key}={value}")).collect();
    let verdict = if right { "right" } else { "WRONG" };
    println!("{}{}: {lower} to {upper}: {verdict}", path.display(), said.concat());
    right
}

fn main() -> ExitCode {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/bench");
    // cargo itself passes --bench
    let given = std::env::args().skip(1).find(|arg| !arg.starts_with("--")).map(PathBuf::from);
    let folder = given.unwrap_or(beside);
    let mut all = true;
    for (file, parameters, answer) in KNOWN {
        let settings = parameters.iter().fold(Settings::new(), |all, (key, value)| all.set(key, value));
        all &= right(&folder.join(file), &settings, Objective::Min, *answer);
    }
    let lake = folder.join(LAKE);
    all &= right(&lake, &Settings::new(), Objective::Reach, (14.0, 17.0));
    all &= right(&lake, &Settings::new().set("restart", true), Objective::Min, (612.0, 11.0));
    let track = Settings::new().set("map", folder.join("tracks/barto-small.track").display());
    let [theirs, ours] = [track, Settings::new()].map(|map| worlds::open("racetrack", &map).unwrap());
    all &= theirs.problem.difference(&ours.problem).is_none();
    ExitCode::from(u8::from(!all))
}
