//! A learner of your own: declared, checked by the conformance suite, registered, run and compared.
//!
//! It counts how often an action was tried in a state and takes the one that was tried least, or,
//! with probability `greed`, the cheapest one.
//!
//! `cargo run -p goalward-examples --bin own_learner`

use goalward::episode::{Arena, RunSpec, Runner};
use goalward::learners::{Algorithm, Brief, Clock, LearnerEntry, Seen, Snapshot, register};
use goalward::parameters::Key;
use goalward::problem::{Action, Pair, State};
use goalward::{Error, Problem, Result, Settings, Stream, Transition, conformance};
use std::sync::Arc;

const GREED: Key<f64> = Key::number("greed", 0.0, 1.0, "how often the cheapest action is taken").or("0.5");

const ENTRY: LearnerEntry = LearnerEntry::new("balanced", "tries every action equally often", build)
    .reference("an example")
    .setting("any SSP")
    .parameters(&[GREED.about()]);

struct Balanced {
    problem: Arc<Problem>,
    greed: f64,
    tried: Vec<u64>,
    stream: Stream,
}

fn build(brief: &Brief) -> Result<Box<dyn Algorithm>> {
    Ok(Box::new(Balanced {
        problem: brief.problem.clone(),
        greed: brief.settings.get(&GREED)?,
        tried: vec![0; brief.problem.pairs()],
        stream: brief.stream(),
    }))
}

impl Algorithm for Balanced {
    fn act(&mut self, s: State) -> Action {
        let pairs = self.problem.pairs_of(s);
        let first = pairs.start;
        let chosen = match self.stream.uniform() < self.greed {
            true => pairs.min_by(|a, b| self.problem.cost(*a).total_cmp(&self.problem.cost(*b))),
            false => pairs.min_by_key(|p| self.tried[*p]),
        };
        chosen.map_or(0, |p| p - first)
    }

    fn observe(&mut self, _: &Transition, pair: Pair, _: &Clock) -> Seen {
        self.tried[pair] += 1;
        Seen::Counted
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot::of(&(&self.tried, &self.stream))
    }

    fn restore(&mut self, state: &Snapshot, _: &Clock) -> Result<()> {
        let (tried, stream): (Vec<u64>, Stream) = state.to()?;
        if tried.len() != self.tried.len() {
            let reason = format!("{} counts for {} pairs", tried.len(), self.tried.len());
            return Err(Error::Checkpoint { reason });
        }
        (self.tried, self.stream) = (tried, stream);
        Ok(())
    }
}

fn main() -> Result<()> {
    let report = conformance::learner(&ENTRY);
    println!("{report}");
    assert!(report.passed());

    register(ENTRY)?; // from now on every part of goalward knows it by its id
    let arena = Arena::open("windy-grid", &Settings::new().set("n", 3))?;
    for (id, settings) in [("balanced", Settings::new().set("greed", 0.2)), ("lr", Settings::new())] {
        let mut runner = Runner::new(&arena, RunSpec::new(id, 100).settings(settings))?;
        runner.run(&mut [])?;
        println!("{id}: regret {:.1}", runner.result().regret);
    }
    Ok(())
}
