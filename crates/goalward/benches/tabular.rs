//! Steps per second of the tabular learners on a grid of 5 x 5, against the UCBVI of rlberry-scool
//! on a grid of the same size in the same run: `cargo xtask bench tabular`.
//!
//! UCBVI is timed twice: as it is shipped, and with its backward induction compiled by numba. Every
//! learner is timed with its printed bonuses, with which most of them never learn, and with bonuses
//! so small that they do. A learner's time includes the simulated world's, and so does UCBVI's.

mod harness;

use goalward::Settings;
use goalward::episode::{Arena, RunSpec, Runner};
use goalward::learners::{Family, LEARNERS, LearnerEntry};
use harness::{Table, median, micros, venv};

/// The versions that the figures were made with.
const PACKAGES: [&str; 2] = ["rlberry-scool==0.7.3", "numba==0.68.1"];

/// UCBVI on a grid of 5 x 5 without walls, horizon 20. Prints steps per second, as shipped and
/// compiled: the median of three runs each.
const SCRIPT: &str = r#"
import json, logging, statistics, time, warnings
warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
import numba
import rlberry_scool.agents.ucbvi.ucbvi as module
from rlberry_scool.agents.ucbvi import UCBVIAgent
from rlberry_scool.envs import GridWorld

def rate(episodes):
    env = GridWorld(nrows=5, ncols=5, walls=(), success_probability=0.85)
    steps, step = [0], env.step
    def counted(action):
        steps[0] += 1
        return step(action)
    env.step = counted
    agent = UCBVIAgent(env, gamma=1.0, horizon=20, bonus_scale_factor=1.0)
    began = time.perf_counter()
    agent.fit(budget=episodes)
    return steps[0] / (time.perf_counter() - began)

shipped = statistics.median(rate(50) for _ in range(3))
for name in ["backward_induction_reward_sd", "backward_induction_in_place", "backward_induction_sd"]:
    setattr(module, name, numba.njit(getattr(module, name)))
rate(2)  # compiles
compiled = statistics.median(rate(5000) for _ in range(3))
print(json.dumps([shipped, compiled]))
"#;

/// The most steps of a run, and its episodes.
const STEPS: u64 = 100_000;
const EPISODES: u64 = 2_000;
/// The factor on bonuses with which learners learn here.
const SMALL: f64 = 1e-3;

/// Steps, seconds and gap regret of one run.
fn run(arena: &Arena, entry: &LearnerEntry, settings: &Settings) -> [f64; 3] {
    let spec = RunSpec::new(entry.id, EPISODES).settings(settings.clone()).seed(1).max_steps(STEPS);
    let mut runner = Runner::new(arena, spec).unwrap();
    let seconds = micros(1, || {
        runner.run(&mut []).unwrap();
    }) * 1e-6;
    let result = runner.result();
    [result.steps as f64, seconds, result.gap_regret]
}

fn main() {
    let ucbvi = venv::python("rlberry", &PACKAGES, "rlberry_scool, numba")
        .and_then(|(python, _)| venv::run(&python, &["-c", SCRIPT]))
        .and_then(|text| {
            let line = text.lines().last().unwrap_or_default();
            serde_json::from_str::<[f64; 2]>(line).map_err(|error| format!("{error} in {line:?}"))
        });
    let [shipped, compiled] = ucbvi.unwrap_or_else(|reason| {
        eprintln!("UCBVI is skipped: {reason}");
        [f64::NAN; 2]
    });
    let columns = ["steps", "steps_per_s", "over_shipped", "over_numba", "gap_regret"];
    let mut table = Table::new("tabular", &columns);
    table.row("UCBVI, as shipped", &[f64::NAN, shipped, 1.0, shipped / compiled, f64::NAN]);
    table.row("UCBVI, with numba", &[f64::NAN, compiled, compiled / shipped, 1.0, f64::NAN]);
    let settings = Settings::new().set("rows", 5).set("columns", 5);
    let arena = Arena::open("psrl-gridworld", &settings).unwrap();
    let counts = |entry: &&LearnerEntry| {
        entry.family == Family::Tabular
            || entry.setting.starts_with("tabular") && entry.family == Family::Reduction
    };
    for entry in LEARNERS.iter().filter(counts) {
        let scaled = entry.parameters.iter().any(|p| p.name == "scale");
        let small =
            scaled.then(|| (format!("{} scale={SMALL}", entry.id), entry.oracle().set("scale", SMALL)));
        for (case, settings) in [(entry.id.to_string(), entry.oracle())].into_iter().chain(small) {
            let runs: Vec<[f64; 3]> = (0..3).map(|_| run(&arena, entry, &settings)).collect();
            let rate = median(runs.iter().map(|[steps, seconds, _]| steps / seconds).collect());
            let [steps, _, regret] = runs[0];
            table.row(&case, &[steps, rate, rate / shipped, rate / compiled, regret]);
        }
    }
    table.print();
}
