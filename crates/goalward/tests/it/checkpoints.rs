//! What is restored from a checkpoint: states of the run's shapes, or an error with the flaw's place.

use goalward::Settings;
use goalward::episode::{Arena, Checkpoint, RunSpec, Runner, Trace};
use goalward::learners::{self, LEARNERS};
use serde_json::{Value, json};
use std::path::Path;

fn grid() -> Arena {
    Arena::open("windy-grid", &Settings::new().set("n", 3)).unwrap()
}

/// A run of a learner, stopped in the middle of an episode.
fn stopped<'a>(arena: &'a Arena, learner: &str) -> Runner<'a> {
    let settings = learners::entry(learner).unwrap().oracle();
    let mut runner = Runner::new(arena, RunSpec::new(learner, 50).settings(settings).max_steps(41)).unwrap();
    runner.run(&mut []).unwrap();
    runner
}

/// Says why a learner's state is refused once it is changed.
#[track_caller]
fn refused(arena: &Arena, runner: &Runner, change: impl FnOnce(&mut Value)) -> String {
    let mut checkpoint = Checkpoint::of(runner);
    change(&mut checkpoint.learner.0);
    Runner::resume(arena, &checkpoint).err().expect("it was taken").to_string()
}

#[test]
fn a_flaw_is_named_with_its_place() {
    let arena = grid();
    let levis = stopped(&arena, "levis");
    let why = refused(&arena, &levis, |l| {
        drop(l["algorithm"]["data"]["ridge"]["sigma"].as_array_mut().unwrap().pop())
    });
    assert!(why.contains("learner.algorithm.data.ridge.sigma: 24 values, but 25 are expected"), "{why}");
    let paper = stopped(&arena, "levis++");
    let lr = stopped(&arena, "lr");
    type Change = fn(&mut Value);
    let cases: &[(&Runner, &str, Change)] = &[
        (&levis, "25 values are no factor of dimension 4", |l| {
            l["algorithm"]["data"]["ridge"]["frozen"]["dim"] = json!(4)
        }),
        (&levis, "learner.algorithm.standing.v", |l| l["algorithm"]["standing"]["v"] = json!([0])),
        (&levis, "learner.algorithm.sets: ", |l| l["algorithm"]["sets"] = json!([])),
        (&levis, "learner.algorithm.sets.0.center", |l| l["algorithm"]["sets"][0]["center"] = json!([])),
        (&levis, "learner.algorithm.standing.q", |l| l["algorithm"]["standing"]["q"] = json!([])),
        (&levis, "learner.algorithm.standing.ties.key", |l| {
            l["algorithm"]["standing"]["ties"]["key"][0] = json!(7)
        }),
        (&levis, "learner.algorithm.standing.last_plan.v", |l| {
            l["algorithm"]["standing"]["last_plan"]["v"] = json!([1])
        }),
        (&levis, "relaxed", |l| drop(l["algorithm"]["standing"].as_object_mut().unwrap().remove("relaxed"))),
        (&paper, "learner.algorithm.data.home.levels.1.sigma", |l| {
            l["algorithm"]["data"]["home"]["levels"][1]["sigma"] = json!([])
        }),
        (&paper, "learner.algorithm.data.home.levels: ", |l| {
            drop(l["algorithm"]["data"]["home"]["levels"].as_array_mut().unwrap().pop())
        }),
        (&paper, "learner.algorithm.data.radii", |l| {
            drop(l["algorithm"]["data"]["radii"].as_array_mut().unwrap().pop())
        }),
        (&lr, "learner.algorithm.kept.counts.triples.counts", |l| {
            drop(l["algorithm"]["kept"]["counts"]["triples"]["counts"].as_array_mut().unwrap().pop())
        }),
        (&lr, "learner.algorithm.kept.counts.triples.early", |l| {
            l["algorithm"]["kept"]["counts"]["triples"]["early"][0] = json!(999)
        }),
        (&lr, "learner.algorithm.kept.counts.sums.plug_in", |l| {
            l["algorithm"]["kept"]["counts"]["sums"]["plug_in"] = json!([])
        }),
        (&lr, "learner.algorithm.kept.counts.sums.information", |l| {
            l["algorithm"]["kept"]["counts"]["sums"]["information"] =
                json!({"dim": 1, "lower": [2.0], "log_det": 0.0})
        }),
        (&lr, "learner.algorithm.kept.set.delta", |l| l["algorithm"]["kept"]["set"]["delta"] = json!(0.5)),
        (&lr, "learner.algorithm.kept.set.last.shape", |l| {
            l["algorithm"]["kept"]["set"]["last"]["shape"] = json!([])
        }),
        (&lr, "learner.algorithm.kept.set.last.center", |l| {
            l["algorithm"]["kept"]["set"]["last"]["center"] = json!([])
        }),
        (&lr, "null", |l| l["algorithm"]["kept"]["set"]["last"]["radius"] = Value::Null),
    ];
    for (runner, place, change) in cases {
        let why = refused(&arena, runner, change);
        assert!(why.contains(place), "{place}: {why}");
    }
}

#[test]
fn progress_is_in_a_state_that_exists() {
    let arena = grid();
    let mut checkpoint = Checkpoint::of(&stopped(&arena, "random"));
    checkpoint.progress.state = 99;
    let why = Runner::resume(&arena, &checkpoint).err().unwrap().to_string();
    assert!(why.contains("progress.state: state 99 does not exist"), "{why}");
}

/// Every state that is serialised is restored, after any number of steps.
#[test]
fn every_learners_own_state_is_taken_back() {
    for (world, params) in [
        ("windy-grid", Settings::new().set("n", 3)),
        ("hard-instance", Settings::new().set("dim", 2)),
        ("corridor", Settings::new()),
        ("random-mixture", Settings::new()),
    ] {
        let arena = Arena::open(world, &params).unwrap();
        for entry in LEARNERS {
            let runner = stopped(&arena, entry.id);
            let again = Runner::resume(&arena, &Checkpoint::of(&runner)).unwrap();
            assert_eq!(again.learner().snapshot(), runner.learner().snapshot(), "{} on {world}", entry.id);
        }
    }
}

/// Truth, names, parameters and the world's own name are part of what a checkpoint belongs to.
#[test]
fn a_problem_that_changed_in_anything_is_another() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("p.json");
    let name = file.to_str().unwrap();
    let instance = goalward::worlds::open("windy-grid", &Settings::new().set("n", 2)).unwrap();
    let text = goalward::files::json::to_json(&instance);
    let mut value: Value = serde_json::from_str(&text).unwrap();
    let opened = |value: &Value| {
        std::fs::write(&file, value.to_string()).unwrap();
        Arena::open(name, &Settings::new()).unwrap()
    };
    let arena = opened(&value);
    let checkpoint = Checkpoint::of(&Runner::new(&arena, RunSpec::new("lr", 5)).unwrap());
    // other spaces, same problem
    assert!(Runner::resume(&opened(&value), &checkpoint).is_ok());
    let theta: Vec<f64> = serde_json::from_value(value["theta"].clone()).unwrap();
    let mut other = theta.clone();
    other.swap(0, 1);
    assert_ne!(theta, other);
    for (key, changed) in [("theta", json!(other)), ("state_names", json!(["a", "b", "c", "d"]))] {
        let old = std::mem::replace(&mut value[key], changed);
        let why = Runner::resume(&opened(&value), &checkpoint).err().expect(key).to_string();
        assert!(why.contains("another problem"), "{key}: {why}");
        value[key] = old;
    }
    let copy = dir.path().join("copy.json");
    std::fs::write(&copy, value.to_string()).unwrap();
    let copy = Arena::open(copy.to_str().unwrap(), &Settings::new()).unwrap();
    assert!(Runner::resume(&copy, &checkpoint).is_err());
}

#[test]
fn files_that_are_no_checkpoint_say_what_they_are() {
    let arena = grid();
    let bytes = Checkpoint::of(&stopped(&arena, "lr")).to_bytes().unwrap();
    let why = |bytes: &[u8]| Checkpoint::from_bytes(bytes, Path::new("c")).unwrap_err().to_string();
    assert!(Checkpoint::from_bytes(&bytes, Path::new("c")).is_ok());
    let text = String::from_utf8(bytes.clone()).unwrap();
    let old = text.replacen("\"version\":4", "\"version\":1", 1);
    let old = format!("{}}}\n", &old[..old.find(",\"checksum\"").unwrap()]);
    assert!(why(old.as_bytes()).contains("version 1, which has no checksum"), "{}", why(old.as_bytes()));
    assert!(why(&bytes[..bytes.len() / 2]).contains("checksum"));
    let edited = text.replacen("\"seed\":0", "\"seed\":1", 1);
    assert!(why(edited.as_bytes()).contains("its checksum is not that of its content"));
    assert!(why(b"{}").starts_with("c:1:") && why(b"").starts_with("c:1:"));
    assert!(why(b"{\"a\":1}\n").contains("not a checkpoint"));
}

/// A trace belongs to a run by its first line, its length and its hash.
#[test]
fn only_the_runs_own_trace_is_taken_up() {
    let arena = grid();
    let traced = |learner: &str| {
        let mut text = Vec::new();
        let mut trace = Trace::new(&mut text);
        let mut runner = Runner::new(&arena, RunSpec::new(learner, 3)).unwrap();
        trace.start(&runner);
        runner.run(&mut [&mut trace]).unwrap();
        let mark = trace.written().mark(Path::new("t"));
        (runner, mark, text)
    };
    let (runner, mark, text) = traced("random");
    assert!(mark.verify(&runner, &text[..]).is_ok());
    // what was written after the checkpoint does not count
    assert!(mark.verify(&runner, &[&text[..], b"more"].concat()[..]).is_ok());
    let why = |text: &[u8]| mark.verify(&runner, text).unwrap_err().to_string();
    assert!(why(&text[..text.len() - 1]).contains("belong to the checkpoint"));
    assert!(why(b"").contains("does not begin as this run's trace"));
    let mut other = text.clone();
    *other.last_mut().unwrap() = b' ';
    assert!(why(&other).contains("was changed"));
    // another run's trace, with its own length and hash, is still another's
    let (_, forged, text) = traced("optimal");
    let why = forged.verify(&runner, &text[..]).unwrap_err().to_string();
    assert!(why.contains("does not begin as this run's trace"), "{why}");
}
