//! A planning call that is cut off is made later, and nothing else changes: the same trace, byte
//! for byte.

use goalward::Settings;
use goalward::episode::{Arena, Checkpoint, Ending, Flow, Observer, RunSpec, Runner, Step, Trace};
use goalward::learners::{self, Learner, Observed, Told, Transition};
use goalward::numeric::support::{ConvexSet, Ellipsoid};
use goalward::plan::{Cut, Devi, Halt, Planner, Task};
use std::time::Instant;

/// Asks after a step.
struct AskAt<'a>(u64, &'a Halt);

impl Observer for AskAt<'_> {
    fn step(&mut self, step: &Step) -> Flow {
        if step.t == self.0 {
            self.1.ask();
        }
        Flow::Continue(())
    }
}

fn whole(arena: &Arena, spec: &RunSpec) -> (Vec<u8>, u64) {
    let mut text = Vec::new();
    let mut trace = Trace::new(&mut text);
    let mut runner = Runner::new(arena, spec.clone()).unwrap();
    trace.start(&runner);
    runner.run(&mut [&mut trace]).unwrap();
    trace.end(&runner);
    trace.flush().unwrap();
    let steps = runner.progress().steps;
    (text, steps)
}

/// Asks after so many steps, goes through a file, where it is cut off again at once, and through
/// another. `None` if no plan was due any more.
fn interrupted(arena: &Arena, spec: &RunSpec, after: u64) -> Option<Vec<u8>> {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("run.checkpoint");
    let mut text = Vec::new();
    let mut trace = Trace::new(&mut text);
    let mut runner = Runner::new(arena, spec.clone()).unwrap();
    let halt = Halt::new();
    if after == 0 {
        halt.ask();
    }
    runner.heed(&halt);
    trace.start(&runner);
    if runner.run(&mut [&mut trace, &mut AskAt(after, &halt)]).unwrap() != Ending::Paused {
        return None;
    }
    trace.flush().unwrap();
    let written = trace.written().clone();
    let progress = runner.progress().clone();
    Checkpoint::of(&runner).write(&file).unwrap();

    let checkpoint = Checkpoint::read(&file).unwrap();
    assert_eq!(checkpoint.progress, progress);
    let mut runner = Runner::resume(arena, &checkpoint).unwrap();
    runner.heed(&halt);
    assert_eq!(runner.run(&mut []).unwrap(), Ending::Paused);
    assert_eq!(runner.progress(), &progress);
    assert_eq!(runner.learner().snapshot(), checkpoint.learner);

    let mut runner = Runner::resume(arena, &Checkpoint::of(&runner)).unwrap();
    let mut trace = Trace::resume(&mut text, written);
    runner.run(&mut [&mut trace]).unwrap();
    trace.end(&runner);
    trace.flush().unwrap();
    Some(text)
}

const LEARNERS: &[(&str, &[&str])] = &[
    ("levis++", &["B=3", "radius=scaled:0.001"]),
    ("levis++", &["B=3", "radius=determinant", "planner=fast"]),
    ("rho-levis++", &["B=3", "t_star=3", "radius=scaled:0.001"]),
    ("levis", &["B=oracle", "radius=determinant"]),
    ("levis+", &["B=3", "scale=0.01"]),
    ("levis++lr", &["B=3", "radius=determinant"]),
    ("ucrl-ave-ssp", &["B=3", "scale=0.02"]),
    ("psrl-mixture", &[]),
    ("psrl-ssp", &[]),
    ("psrl-ssp", &["support=known"]),
    ("certainty-equivalence", &["epsilon=0.2"]),
    ("lr", &[]),
    ("lr", &["planner=fast"]),
    ("random", &[]),
];

#[test]
fn any_plan_of_any_learner() {
    let grid = Arena::open("windy-grid", &Settings::new().set("n", 3)).unwrap();
    // episodes of one or two steps: plans at the end of an episode too
    let short =
        Arena::open("hard-instance", &Settings::new().set("dim", 2).set("b_star", 1.5).set("delta", 0.5))
            .unwrap();
    for (arena, episodes) in [(&grid, 6), (&short, 24)] {
        for (learner, settings) in LEARNERS {
            let spec = RunSpec::new(learner, episodes)
                .settings(Settings::parse(*settings).unwrap())
                .max_steps(40)
                .seed(3);
            let (bytes, steps) = whole(arena, &spec);
            let mut cut = 0;
            for after in 0..steps {
                let Some(text) = interrupted(arena, &spec, after) else { continue };
                cut += 1;
                let same = text == bytes;
                assert!(same, "{learner} {settings:?} on {}, after {after} of {steps}", arena.world);
            }
            assert!(cut > 10 || *learner == "random", "{learner}: {cut} of {steps}");
        }
    }
}

/// In a loop of one's own: what was observed stays, and the next observation makes the plan.
#[test]
fn the_plan_is_owed() {
    let arena = Arena::open("windy-grid", &Settings::new().set("n", 3)).unwrap();
    let built = |id: &str, settings: &[&str]| -> Learner {
        let settings = Settings::parse(settings).unwrap();
        let told = Told { b_star: Some(3.0), ..Told::default() };
        learners::entry(id).unwrap().build(arena.problem(), &settings, 0, 10, told).unwrap()
    };
    let step = Transition { state: 0, action: 0, cost: 0.2, next: 1 };
    for (id, settings) in LEARNERS.iter().filter(|(id, _)| *id != "random") {
        let mut plain = built(id, settings);
        assert_eq!(plain.observe(&step).unwrap(), Observed::Planned, "{id}");
        assert_eq!(plain.catch_up(), Observed::Updated);

        let halt = Halt::new();
        halt.ask();
        let mut cut = built(id, settings);
        cut.heed(&halt);
        assert_eq!(cut.observe(&step).unwrap(), Observed::Owed);
        assert_eq!(cut.catch_up(), Observed::Owed);
        let mut again = built(id, settings);
        again.restore(&cut.snapshot()).unwrap();
        assert_eq!(again.catch_up(), Observed::Planned);
        assert_eq!(again.snapshot(), plain.snapshot(), "{id}");

        // nobody catches up: the next step does
        cut.heed(&Halt::never());
        assert!(cut.act(0).unwrap() < 4);
        // a pair that has been seen twice is no reason for a draw
        assert_eq!(cut.observe(&step).unwrap(), plain.observe(&step).unwrap(), "{id}");
        assert_eq!(cut.catch_up(), Observed::Updated);
    }
}

/// Cut off at any moment the call ends at once, and the next one is what it would have been.
#[test]
fn a_call_is_cut_off_within_its_sweeps() {
    let params = ["states=1500", "dim=8", "successors=8", "goal_prob=0.001"];
    let instance = goalward::worlds::open("random-mixture", &Settings::parse(params).unwrap()).unwrap();
    let problem = &*instance.problem;
    let polytope = problem.constraints();
    let identity: Vec<f64> = (0..64).map(|i| f64::from(u8::from(i % 9 == 0))).collect();
    let ellipsoid = Ellipsoid { center: polytope.interior(), shape: &identity, radius: 0.2 };
    let mut set = ConvexSet::new(polytope, ellipsoid).unwrap();
    let (costs, start) = (problem.costs(), vec![1.0; problem.states()]);
    let task = Task { problem, costs, b: 1e6, eps: 1e-9, q: 1e-9 };
    let mut fresh = Devi::new(problem);
    let began = Instant::now();
    let expected = fresh.plan(&task, &mut set, Planner::Fast, &start);
    let all = began.elapsed();

    let mut devi = Devi::new(problem);
    let mut cuts = 0;
    for part in [0.0, 0.1, 0.3, 0.5, 0.7] {
        let halt = Halt::new();
        let asker = {
            let (halt, wait) = (halt.clone(), all.mul_f64(part));
            std::thread::spawn(move || {
                std::thread::sleep(wait);
                halt.ask();
            })
        };
        let done = devi.plan_unless(&task, &mut set, Planner::Fast, &start, &halt);
        asker.join().unwrap();
        cuts += u32::from(done == Err(Cut));
    }
    assert!(cuts >= 1);
    assert_eq!(devi.plan(&task, &mut set, Planner::Fast, &start), expected);
    assert!(devi.v == fresh.v && devi.q == fresh.q);
}
