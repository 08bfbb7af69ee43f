//! Learners with the likelihood set: what they pay, and what they do when the model is wrong.

use goalward::episode::{Arena, RunResult, RunSpec, Runner};
use goalward::registry::Settings;

fn runs(arena: &Arena, learner: &str, settings: &Settings, episodes: u64, seeds: u64) -> Vec<RunResult> {
    (0..seeds)
        .map(|seed| {
            let spec = RunSpec::new(learner, episodes).settings(settings.clone()).seed(seed);
            let mut runner = Runner::new(arena, spec).unwrap();
            runner.run(&mut []).unwrap();
            runner.result()
        })
        .collect()
}

fn mean(results: &[RunResult], quantity: impl Fn(&RunResult) -> f64) -> f64 {
    results.iter().map(quantity).sum::<f64>() / results.len() as f64
}

#[test]
fn probe_regret() {
    let b = Settings::new().set("B", "oracle");
    let hard = Arena::open("hard-instance", &Settings::new().set("dim", 2)).unwrap();
    let grid = Arena::open("windy-grid", &Settings::new().set("n", 3)).unwrap();
    for (arena, k) in [(&hard, 400), (&hard, 3000), (&grid, 150)] {
        for (learner, s) in [("lr", &Settings::new()), ("levis++lr", &b), ("levis", &b), ("levis++", &b)] {
            if k == 3000 && !learner.contains("lr") {
                continue;
            }
            let start = std::time::Instant::now();
            let r = runs(arena, learner, s, k, if learner.contains("lr") { 20 } else { 4 });
            println!(
                "{} {learner:10} K={k} regret/K {:.4} gap/K {:.4} regret {:.1} plans {:.1} steps {:.0} violations {} max {:.1} secs {:?}",
                arena.world,
                mean(&r, |r| r.regret) / k as f64,
                mean(&r, |r| r.gap_regret) / k as f64,
                mean(&r, |r| r.regret),
                mean(&r, |r| r.planner_calls as f64),
                mean(&r, |r| r.steps as f64),
                mean(&r, |r| r.violations as f64),
                r.iter().map(|r| r.regret).fold(0.0, f64::max),
                start.elapsed()
            );
        }
    }
}
