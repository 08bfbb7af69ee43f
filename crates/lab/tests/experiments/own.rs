//! A learner of one's own, registered: compared with others, and resumed from a checkpoint.

use super::{arena, contenders};
use goalward::episode::{Checkpoint, Ending, Flow, Observer, RunSpec, Runner, Step, Stop};
use goalward::learners::{Algorithm, Brief, Clock, LearnerEntry, Seen, Snapshot, register};
use goalward::parameters::Key;
use goalward::problem::{Action, Pair, State};
use goalward::{Result, Settings, Stream, Transition};
use goalward_lab::{Silent, compare};
use std::path::Path;
use std::sync::Once;

const LAST: Key<f64> = Key::number("last", 0.0, 1.0, "how often the last action is taken").or("0.9");

const ENTRY: LearnerEntry = LearnerEntry::new("stubborn", "mostly the last action", build)
    .parameters(&[LAST.about()])
    .setting("any SSP");

struct Stubborn {
    actions: Vec<usize>,
    last: f64,
    stream: Stream,
}

fn build(brief: &Brief) -> Result<Box<dyn Algorithm>> {
    let problem = brief.problem;
    let actions = (0..problem.states()).map(|s| problem.actions(s)).collect();
    Ok(Box::new(Stubborn { actions, last: brief.settings.get(&LAST)?, stream: brief.stream() }))
}

impl Algorithm for Stubborn {
    fn act(&mut self, s: State) -> Action {
        match self.stream.uniform() < self.last {
            true => self.actions[s] - 1,
            false => 0,
        }
    }

    fn observe(&mut self, _: &Transition, _: Pair, _: &Clock) -> Seen {
        Seen::Counted
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot::of(&self.stream)
    }

    fn restore(&mut self, state: &Snapshot, _: &Clock) -> Result<()> {
        self.stream = state.to()?;
        Ok(())
    }
}

fn registered() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| register(ENTRY).unwrap());
}

#[test]
fn it_is_compared_by_its_id_and_settings() {
    registered();
    let all = contenders(&["stubborn", "stubborn@last=0.2", "random"]);
    let done = compare(&arena(), &all, &[0, 1, 2], 200, None, &Silent).unwrap();
    let labels: Vec<&str> = done.rows.iter().map(|row| row.contender.label.as_str()).collect();
    assert_eq!(labels, ["stubborn", "stubborn@last=0.2", "random"]);
    // all ones is best on this instance, and it is the last action
    assert_eq!(done.best.as_deref(), Some("stubborn"));
    assert!(register(ENTRY).is_err(), "an id is taken once");
    const WRONG: [LearnerEntry; 5] = [
        LearnerEntry::new("", "no id", build),
        LearnerEntry::new("my learner", "a space", build),
        LearnerEntry::new("mine@x", "a sign", build),
        LearnerEntry::new("mine", "twice the same", build).parameters(&[LAST.about(), LAST.about()]),
        LearnerEntry::new("mine", "a wrong default", build).parameters(&[LAST.or("2").about()]),
    ];
    for wrong in WRONG {
        assert!(register(wrong).is_err(), "{:?}", wrong.title);
    }
}

struct AfterTen(u64);

impl Observer for AfterTen {
    fn step(&mut self, _: &Step) -> Flow {
        self.0 += 1;
        if self.0 == 10 { Flow::Break(Stop) } else { Flow::Continue(()) }
    }
}

#[test]
fn it_goes_on_from_a_checkpoint_by_its_id() {
    registered();
    let arena = arena();
    let spec = || RunSpec::new("stubborn", 40).settings(Settings::new().set("last", 0.5)).seed(3);
    let mut whole = Runner::new(&arena, spec()).unwrap();
    whole.run(&mut []).unwrap();
    let mut first = Runner::new(&arena, spec()).unwrap();
    assert_eq!(first.run(&mut [&mut AfterTen(0)]).unwrap(), Ending::Paused);
    let bytes = Checkpoint::of(&first).to_bytes().unwrap();
    let checkpoint = Checkpoint::from_bytes(&bytes, Path::new("c")).unwrap();
    let mut rest = Runner::resume(&arena, &checkpoint).unwrap();
    rest.run(&mut []).unwrap();
    let text = |runner: &Runner| serde_json::to_string(&runner.result()).unwrap();
    assert_eq!(text(&rest), text(&whole));
}
