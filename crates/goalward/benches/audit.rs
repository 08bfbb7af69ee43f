//! What an audit costs: `cargo xtask bench audit [--json]`.
//!
//! The windy grid of 5 x 5 cells, the learners with a regret theorem, so many steps. Plain and
//! audited runs take turns, and the least time of each counts: what else the machine does only ever
//! adds. `ratio` is the audited run by the plain one.

mod harness;

use goalward::Settings;
use goalward::episode::{Arena, Audit, Observer, RunSpec, Runner};
use harness::Table;
use std::time::Instant;

const STEPS: u64 = 50_000;
const TURNS: usize = 5;

fn seconds(arena: &Arena, spec: &RunSpec, audited: bool) -> f64 {
    let begin = Instant::now();
    let mut runner = Runner::new(arena, spec.clone()).expect("the learner can be built");
    let mut audit = audited.then(|| Audit::new(arena).expect("the world has a truth"));
    let mut observers: Vec<&mut dyn Observer> = Vec::new();
    observers.extend(audit.as_mut().map(|audit| audit as &mut dyn Observer));
    runner.run(&mut observers).expect("the run goes through");
    if let Some(audit) = &audit {
        std::hint::black_box(audit.report(&runner));
    }
    begin.elapsed().as_secs_f64()
}

fn main() {
    let arena = Arena::open("windy-grid", &Settings::new().set("n", 5)).expect("a built-in world");
    let mut table = Table::new("audit", &["steps", "plain_s", "audited_s", "ratio"]);
    for (case, id, settings) in [
        ("lr", "lr", Settings::new()),
        ("levis++", "levis++", Settings::new().set("B", "oracle").set("norms", "computed")),
        ("levis++lr", "levis++lr", Settings::new().set("B", "oracle")),
        ("levis", "levis", Settings::new().set("B", "oracle").set("norms", "computed")),
    ] {
        let spec = RunSpec::new(id, u64::MAX).settings(settings).max_steps(STEPS);
        let (mut plain, mut audited) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..TURNS {
            plain = plain.min(seconds(&arena, &spec, false));
            audited = audited.min(seconds(&arena, &spec, true));
        }
        table.row(case, &[STEPS as f64, plain, audited, audited / plain]);
    }
    table.print();
}
