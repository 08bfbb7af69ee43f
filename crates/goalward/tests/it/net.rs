//! The safety net of the regret theorem: how far plans are from the data.

use goalward::Settings;
use goalward::confidence::Net;
use goalward::episode::{Arena, Observer, Plan, RunSpec, Runner};
use goalward::learners::{PlanReport, Probe, Reason};
use std::ops::ControlFlow;

#[derive(Default)]
struct Seen {
    net: Net,
    reasons: Vec<Reason>,
}

impl Probe for Seen {
    fn wants_estimate(&self) -> bool {
        false
    }
    fn net(&mut self, net: &Net) {
        self.net = net.clone();
    }
    fn plan(&mut self, plan: &PlanReport) {
        self.reasons.push(plan.reason);
    }
}

impl Observer for Seen {
    fn plan(&mut self, plan: &Plan) -> goalward::episode::Flow {
        plan.learner.probe(self);
        ControlFlow::Continue(())
    }
}

fn run(world: &str, params: Settings, settings: Settings, episodes: u64, seed: u64) -> Seen {
    let arena = Arena::open(world, &params).unwrap();
    let spec = RunSpec::new("lr", episodes).seed(seed).settings(settings);
    let mut runner = Runner::new(&arena, spec).unwrap();
    let mut seen = Seen::default();
    runner.run(&mut [&mut seen]).unwrap();
    runner.learner().probe(&mut seen);
    seen
}

#[test]
fn tried_out() {
    for (world, params, episodes) in [
        ("windy-grid", Settings::new().set("n", 3), 3000),
        ("windy-grid", Settings::new().set("n", 5), 3000),
        ("hard-instance", Settings::new().set("dim", 8), 3000),
        ("hard-instance", Settings::new().set("dim", 2), 10000),
        ("random-mixture", Settings::new(), 10000),
        ("corridor", Settings::new(), 3000),
        ("taxi", Settings::new(), 3000),
    ] {
        for set in ["outer", "cuts", "exact"] {
            for net in ["1e6", "1", "0.02"] {
                if set == "exact" && net == "1e6" {
                    continue;
                }
                let clock = std::time::Instant::now();
                let seen =
                    run(world, params.clone(), Settings::new().set("net", net).set("set", set), episodes, 1);
                let distance = seen.reasons.iter().filter(|r| **r == Reason::Distance).count();
                println!(
                    "{world} {params:?} {set} net {net}: J {} distance {distance} {:?} {:?} {:.2}s",
                    seen.reasons.len() - 1,
                    seen.net.largest_ratio(),
                    seen.net,
                    clock.elapsed().as_secs_f64()
                );
            }
        }
    }
}
