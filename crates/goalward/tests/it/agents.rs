//! Learners in a loop of one's own, saved between any two calls.

use goalward::episode::{Agent, RunSpec};
use goalward::learners::LEARNERS;
use goalward::problem::Instance;
use goalward::{Settings, Stream, Transition, worlds};
use std::path::Path;

/// Drives an agent for some steps from a state; its actions, and where it ended.
fn drive(
    agent: &mut Agent,
    world: &Instance,
    state: usize,
    steps: usize,
    luck: &mut Stream,
) -> (Vec<usize>, usize) {
    let (problem, truth) = (&world.problem, world.truth().unwrap());
    let (mut state, mut actions) = (state, Vec::new());
    for _ in 0..steps {
        let action = agent.learner.act(state).unwrap();
        actions.push(action);
        let pair = problem.pair(state, action);
        let next = truth.sample(problem, pair, luck.uniform());
        agent.learner.observe(&Transition { state, action, cost: problem.cost(pair), next }).unwrap();
        state = next;
        if next == problem.goal() {
            agent.learner.end_episode();
            state = problem.start();
        }
    }
    (actions, state)
}

#[test]
fn every_learner_goes_on_from_its_file() {
    let world = worlds::open("windy-grid", &Settings::new().set("n", 3)).unwrap();
    for entry in LEARNERS {
        let spec = RunSpec::new(entry.id, 50).settings(entry.oracle()).seed(3);
        let mut agent = Agent::new(&world, spec.clone()).unwrap();
        let mut luck = Stream::new(1, &[]);
        let (_, state) = drive(&mut agent, &world, 0, 40, &mut luck);
        let bytes = agent.to_bytes().unwrap();
        let mut again = Agent::from_bytes(&bytes, Path::new("file"), &world).unwrap();
        assert_eq!((again.spec(), again.to_bytes().unwrap()), (&spec, bytes), "{}", entry.id);
        let expected = drive(&mut agent, &world, state, 40, &mut luck.clone());
        assert_eq!(drive(&mut again, &world, state, 40, &mut luck), expected, "{}", entry.id);
    }
}

#[test]
fn what_is_no_file_of_this_problem_is_refused() {
    let open = |n: usize| worlds::open("windy-grid", &Settings::new().set("n", n)).unwrap();
    let (world, other) = (open(3), open(4));
    let agent = Agent::new(&world, RunSpec::new(LEARNERS[0].id, 5).settings(LEARNERS[0].oracle())).unwrap();
    let bytes = agent.to_bytes().unwrap();
    let said = |bytes: &[u8], world: &Instance| {
        Agent::from_bytes(bytes, Path::new("file"), world).unwrap_err().to_string()
    };
    assert!(said(&bytes, &other).contains("another problem"));
    assert!(said(&bytes[1..], &world).contains("checksum"));
    assert!(said(b"", &world).contains("not a saved learner"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.learner");
    agent.write(&path).unwrap();
    assert_eq!(Agent::read(&path, &world).unwrap().to_bytes().unwrap(), bytes);
    assert!(Agent::read(folder.path(), &world).unwrap_err().to_string().contains("regular file"));
}
