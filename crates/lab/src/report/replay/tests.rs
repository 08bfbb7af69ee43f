//! Replays of real runs.

use super::{Recorder, replay};
use goalward::Settings;
use goalward::episode::{Arena, Checkpoint, Episode, Flow, Observer, RunSpec, Runner, Stop};
use serde_json::Value;

fn island(page: &str) -> Value {
    let begin = "<script type=\"application/json\" id=\"data\">";
    let (_, rest) = page.split_once(begin).unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

fn arena(world: &str, key: &str, value: u32) -> Arena {
    Arena::open(world, &Settings::new().set(key, value)).unwrap()
}

/// The page and the data of a run.
fn played(arena: &Arena, spec: RunSpec) -> (String, Value) {
    let mut runner = Runner::new(arena, spec).unwrap();
    let mut recorder = Recorder::new(&runner);
    runner.run(&mut [&mut recorder]).unwrap();
    let page = replay(recorder, &runner).unwrap();
    let data = island(&page);
    (page, data)
}

#[test]
fn a_grid_is_played_back() {
    let arena = arena("windy-grid", "n", 3);
    let (page, data) = played(&arena, RunSpec::new("lr", 40).seed(3));
    let frames = data["frames"].as_array().unwrap();
    assert_eq!(frames.len(), 40);
    let problem = arena.problem();
    for frame in frames {
        let path = frame["path"].as_array().unwrap();
        assert_eq!(path.len() as u64, frame["steps"].as_u64().unwrap() + 1);
        assert_eq!(path[0], problem.start());
        assert_eq!(path[path.len() - 1], problem.goal());
    }
    // what is shown at the end is what the learner says
    let mut runner = Runner::new(&arena, RunSpec::new("lr", 40).seed(3)).unwrap();
    runner.run(&mut []).unwrap();
    let last = &frames[39];
    let value = runner.learner().value(problem.start()).unwrap().unwrap();
    let table = &data["tables"][last["table"].as_u64().unwrap() as usize];
    assert!((table["v"][problem.start()].as_f64().unwrap() / value - 1.0).abs() < 1e-3);
    assert!((last["gap"].as_f64().unwrap() - runner.progress().gap_regret).abs() < 1e-3);
    // the truth is in the set, and within its outline's box
    for (i, theta) in data["theta"].as_array().unwrap().iter().enumerate() {
        let (low, high) = (last["ends"][i][0].as_f64().unwrap(), last["ends"][i][1].as_f64().unwrap());
        let theta = theta.as_f64().unwrap();
        assert!(low - 1e-4 <= theta && theta <= high + 1e-4, "{low} {theta} {high}");
    }
    assert!(last["outline"].as_array().unwrap().len() >= 3);
    assert!(page.contains("id=\"stage\"") && !page.contains("id=\"missing\""));
}

#[test]
fn long_runs_and_long_paths_are_cut_and_it_is_said() {
    let arena = arena("windy-grid", "n", 4);
    let (page, data) = played(&arena, RunSpec::new("random", 700));
    let frames = data["frames"].as_array().unwrap();
    assert!(frames.len() <= 300, "{}", frames.len());
    assert_eq!(frames.last().unwrap()["k"], 700);
    assert!(frames.iter().all(|frame| frame["path"].as_array().unwrap().len() <= 401));
    assert!(page.contains("of 700 episodes are in this file"));
    assert!(page.contains("Paths are cut after 400 steps"));
    assert_eq!(data["tables"][0]["v"], Value::Null, "a learner without values");
    assert!(page.len() < 5_000_000, "{}", page.len());
}

#[test]
fn other_worlds_have_names() {
    let arena = arena("hard-instance", "dim", 4);
    let (_, data) = played(&arena, RunSpec::new("lr", 30));
    assert_eq!(data["grid"], Value::Null);
    assert_eq!(data["states"].as_object().unwrap().len(), 2);
    let table = data["tables"].as_array().unwrap().last().unwrap();
    assert!(table["policy"][0].is_string(), "{table}");
}

#[test]
fn a_truncated_run_ends_with_an_episode_under_way() {
    let arena = arena("windy-grid", "n", 4);
    let (page, data) = played(&arena, RunSpec::new("random", 700).max_steps(30));
    let last = data["frames"].as_array().unwrap().last().unwrap();
    assert_eq!(last["finished"], false);
    assert!(page.contains("The last episode was not finished"));
}

struct After(u64);

impl Observer for After {
    fn episode(&mut self, ended: &Episode) -> Flow {
        if ended.episode == self.0 { Flow::Break(Stop) } else { Flow::Continue(()) }
    }
}

#[test]
fn a_run_that_is_taken_up_says_so() {
    let arena = arena("windy-grid", "n", 3);
    let mut runner = Runner::new(&arena, RunSpec::new("lr", 20)).unwrap();
    runner.run(&mut [&mut After(8)]).unwrap();
    let checkpoint = Checkpoint::of(&runner);
    let mut runner = Runner::resume(&arena, &checkpoint).unwrap();
    let mut recorder = Recorder::new(&runner);
    runner.run(&mut [&mut recorder]).unwrap();
    let page = replay(recorder, &runner).unwrap();
    assert!(page.contains("The run was taken up after episode 8"));
    assert_eq!(island(&page)["frames"].as_array().unwrap().len(), 12);
    assert_eq!(island(&page)["frames"][0]["k"], 9);
}
