//! The learning step, `act` and `observe`, in one run: `cargo xtask bench step`.
//!
//! Every learner meets the same transitions of a random mixture with 5 successors a pair;
//! `plain_us` is the step of `random`, which learns nothing: drawing an action and checking the
//! transition. Planning calls are counted apart, and are rare enough not to matter (`plans`).

mod harness;

use goalward::Settings;
use goalward::learners::{self, Told, Transition};
use goalward::numeric::Stream;
use goalward::worlds;
use harness::{Table, micros};

const STEPS: usize = 200_000;

fn main() {
    let mut table =
        Table::new("step", &["dim", "levels", "us_per_step", "plain_us", "ratio", "us_per_level"]);
    for (dim, levels) in [(2, 4), (4, 6), (8, 8), (16, 8)] {
        let params = Settings::new().set("dim", dim).set("successors", 5).set("states", 30);
        let instance = worlds::build("random-mixture", &params).unwrap();
        let (problem, truth) = (&instance.problem, instance.truth().unwrap());
        let mut draw = Stream::new(1, &[]);
        let mut s = problem.start();
        let transitions: Vec<Transition> = (0..STEPS)
            .map(|_| {
                let action = draw.below(problem.actions(s));
                let pair = problem.pair(s, action);
                let next = truth.sample(problem, pair, draw.uniform());
                let step = Transition { state: s, action, cost: problem.cost(pair), next };
                s = if next == problem.goal() { problem.start() } else { next };
                step
            })
            .collect();
        let time = |id: &str, settings: Settings| {
            let entry = learners::entry(id).unwrap();
            let mut learner = entry.build(problem, &settings, 0, 1, Told::default()).unwrap();
            // the first half makes the plans that the second half is spared
            let (first, second) = transitions.split_at(STEPS / 2);
            for step in first {
                learner.observe(step).unwrap();
            }
            let (mut plans, total) = (0.0, second.len() as f64);
            let whole = micros(1, || {
                for step in second {
                    std::hint::black_box(learner.act(step.state).unwrap());
                    let before = std::time::Instant::now();
                    if learner.observe(step).unwrap() == learners::Observed::Planned {
                        plans += before.elapsed().as_secs_f64() * 1e6;
                    }
                }
            });
            (whole - plans) / total
        };
        let plain = time("random", Settings::new());
        let step = time("levis++", Settings::new().set("B", 20).set("levels", levels));
        table.row(
            &format!("levis++_d{dim}_L{levels}"),
            &[dim as f64, levels as f64, step, plain, step / plain, step / levels as f64],
        );
    }
    table.print();
}
