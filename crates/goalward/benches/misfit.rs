//! What it costs to watch whether the models explain the data: `cargo xtask bench misfit [RUNS]`.
//!
//! The same run with and without, by turns, in the same process. Times are those that the thread had
//! a processor, where the system tells, and the least of each counts: what else the machine does only
//! ever adds.

mod harness;

use goalward::Settings;
use goalward::episode::{Arena, RunSpec, Runner};
use goalward::learners;
use harness::{Table, micros};

const STEPS: u64 = 100_000;
const RUNS: u64 = 7;

/// How long this thread has had a processor, in seconds, where the system tells.
fn processor() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: u64 = text.split(' ').next()?.parse().ok()?;
    Some(nanoseconds as f64 * 1e-9)
}

/// Seconds of one run, watched or not.
fn seconds(arena: &Arena, id: &str, settings: &Settings, watched: bool) -> f64 {
    let spec = RunSpec::new(id, u64::MAX >> 12).settings(settings.clone()).seed(1).max_steps(STEPS);
    let entry = learners::entry(id).unwrap();
    let learner =
        entry.build(arena.problem(), settings, 1, spec.episodes, learners::Told::default()).unwrap();
    let learner = if watched { learner } else { learner.unwatched() };
    let mut runner = Runner::with_learner(arena, spec, learner).unwrap();
    let before = processor();
    let passed = micros(1, || {
        runner.run(&mut []).unwrap();
    }) * 1e-6;
    before.zip(processor()).map_or(passed, |(before, after)| after - before)
}

fn main() {
    let runs = std::env::args().skip(1).find_map(|arg| arg.parse().ok()).unwrap_or(RUNS);
    let mut table = Table::new("misfit", &["steps", "with_s", "without_s", "ratio"]);
    let b = Settings::new().set("B", 20);
    for (world, key, value, id, settings) in [
        ("windy-grid", "n", 5, "lr", Settings::new()),
        ("windy-grid", "n", 20, "lr", Settings::new()),
        ("windy-grid", "n", 5, "levis++", b.clone()),
        ("random-mixture", "dim", 8, "lr", Settings::new()),
        ("random-mixture", "dim", 8, "levis++", b),
    ] {
        let arena = Arena::open(world, &Settings::new().set(key, value)).unwrap();
        let (mut with, mut without) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..runs {
            with = with.min(seconds(&arena, id, &settings, true));
            without = without.min(seconds(&arena, id, &settings, false));
        }
        table.row(&format!("{id}, {world} {key}={value}"), &[STEPS as f64, with, without, with / without]);
    }
    table.print();
}
