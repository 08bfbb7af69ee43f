//! Through a pipe a learner does what it does in the library.

use super::client::{Client, Event, Walk};
use super::*;
use goalward::Settings;
use goalward::episode::{Arena, Flow, Observer, RunSpec, Runner, Step};
use goalward::learners::LEARNERS;
use goalward::worlds;

const EPISODES: u64 = 6;
const STEPS: u64 = 250;
const SEED: u64 = 3;

/// What happens in the library's own loop.
#[derive(Default)]
struct Seen(Vec<Event>);

impl Observer for Seen {
    fn step(&mut self, step: &Step) -> Flow {
        let Step { state, action, next, .. } = *step;
        self.0.push(Event::Step { state, action, next });
        Flow::Continue(())
    }

    fn episode(&mut self, _: &goalward::episode::Episode) -> Flow {
        self.0.push(Event::End);
        Flow::Continue(())
    }
}

/// The same actions as [`Runner`], of every learner; and again if the session is killed on its way
/// and taken up from a checkpoint that is some steps old.
#[test]
fn every_learner_acts_as_in_the_library() {
    let params = Settings::new().set("n", 3);
    let arena = Arena::new("windy-grid", &params, worlds::open("windy-grid", &params).unwrap()).unwrap();
    for entry in LEARNERS {
        let spec = RunSpec::new(entry.id, EPISODES).settings(entry.oracle()).seed(SEED).max_steps(STEPS);
        let mut runner = Runner::new(&arena, spec).unwrap();
        let mut seen = Seen::default();
        runner.run(&mut [&mut seen]).unwrap();

        let place = Place::new();
        let line = started(entry.id, &entry.oracle());
        let words: Vec<&str> = line.iter().map(String::as_str).collect();
        let start = || Client::start(goalward(), place.0.path(), &words);
        let mut client = start();
        let mut walk = Walk::new(arena.instance(), SEED);
        let kill_at = 30 + seen.0.len() as u64 % 13;
        while walk.steps() < STEPS && walk.episodes() < EPISODES {
            walk.step(&mut client);
            if walk.steps() == kill_at && walk.episodes() < EPISODES {
                // between a question and what comes of it
                walk.ask(&mut client);
                client.kill();
                client = start();
                assert_eq!(client.hello["resumed"], true);
                assert_eq!(client.hello["steps"], kill_at / 7 * 7, "{}", entry.id);
                assert_eq!(walk.catch_up(&mut client), None, "{}", entry.id);
            }
        }
        assert_eq!(walk.events, seen.0, "{}", entry.id);
        let estimate = client.ask(r#"{"op":"estimate"}"#);
        let result = serde_json::to_value(runner.result()).unwrap();
        for key in ["theta_hat", "planner_calls", "violations", "steps", "radius"] {
            assert_eq!(estimate[key], result[key], "{}: {key}", entry.id);
        }
        assert!(client.end().0.success());
    }
}

fn started(id: &str, settings: &Settings) -> Vec<String> {
    let mut line = format!(
        "windy-grid@n=3 --learner {id} --seed {SEED} --episodes {EPISODES} --checkpoint c --checkpoint-every 7"
    );
    settings.iter().for_each(|(key, value)| line += &format!(" --set {key}={value}"));
    line.split(' ').map(String::from).collect()
}
