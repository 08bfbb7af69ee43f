//! Sessions that end, by will or by force, and are taken up again.

use super::client::Walk;
use super::*;
use goalward::{Settings, worlds};
use std::process::Command;
use std::time::{Duration, Instant};

const GRID: &str = "windy-grid@n=3 --learner lr --seed 5 --checkpoint c";
/// A world whose first planning call takes seconds.
const SLOW: &str = "random-mixture --param states=120 --param dim=10 --param successors=10 \
                    --param goal_prob=0.0005 --learner lr --checkpoint c";

fn signal(client: &Client, signal: &str) {
    let sent = Command::new("kill").args([signal, &client.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

fn grid() -> goalward::problem::Instance {
    worlds::open("windy-grid", &Settings::new().set("n", 3)).unwrap()
}

/// However it ends, what was seen is saved: nothing is to be told again, not even between a
/// question and what came of it.
#[test]
fn every_way_to_end_saves() {
    let world = grid();
    for (way, code) in [("quit", 0), ("end of input", 0), ("closed", 0), ("-TERM", 143), ("-INT", 130)] {
        let place = Place::new();
        // every question draws a random number
        let line = GRID.replace("--learner lr", "--learner random");
        let (mut whole, mut client) = (place.serve(&line.replace(" c", " d")), place.serve(&line));
        let (mut first, mut second) = (Walk::new(&world, 1), Walk::new(&world, 1));
        for _ in 0..40 {
            first.step(&mut whole);
            second.step(&mut client);
        }
        let asked = [0, 3, 1].map(|state| (state, whole.act(state)));
        asked.iter().for_each(|(state, action)| assert_eq!(client.act(*state), *action));
        let (status, notes) = match way {
            "quit" => {
                let answer = client.ask(r#"{"op":"quit"}"#);
                assert_eq!((&answer["ok"], &answer["saved"]), (&Value::Bool(true), &Value::Bool(true)));
                client.end()
            }
            "end of input" => client.end(),
            "closed" => client.leave(),
            _ => {
                signal(&client, way);
                client.ended()
            }
        };
        assert_eq!(status.code(), Some(code), "{way}: {notes}");
        assert!(!place.path(".c.goalward-lock").exists(), "{way}");
        let mut client = place.serve("windy-grid@n=3 --checkpoint c");
        assert_eq!((&client.hello["resumed"], &client.hello["steps"]), (&true.into(), &40.into()), "{way}");
        assert_eq!(client.hello["episodes"], second.episodes(), "{way}");
        assert_eq!(client.hello["seed"], 5);
        asked.iter().for_each(|(state, action)| assert_eq!(client.act(*state), *action, "{way}"));
        for _ in 0..40 {
            first.step(&mut whole);
            second.step(&mut client);
        }
        assert_eq!(second.events, first.events, "{way}");
    }
}

/// What is asked again is answered alike, until something is observed.
#[test]
fn a_question_can_be_repeated() {
    let place = Place::new();
    let mut client = place.serve("windy-grid@n=4 --learner random");
    let before: Vec<usize> = (0..15).map(|state| client.act(state)).collect();
    let again: Vec<usize> = (0..15).rev().map(|state| client.act(state)).collect();
    assert_eq!(before, again.into_iter().rev().collect::<Vec<_>>());
    // what cannot be observed changes nothing
    assert_eq!(
        client.ask(r#"{"op":"observe","state":0,"action":0,"cost":9,"next":1}"#)["error"]["code"],
        "cost"
    );
    assert_eq!(before, (0..15).map(|state| client.act(state)).collect::<Vec<_>>());
    client.ask(r#"{"op":"observe","state":0,"action":0,"next":1}"#);
    assert_ne!(before, (0..15).map(|state| client.act(state)).collect::<Vec<_>>());
}

/// A signal does not wait for a plan: it is cut off, and made when the session is taken up.
#[test]
fn a_plan_is_cut_off_by_a_signal_and_made_later() {
    let place = Place::new();
    let mut whole = place.serve(&SLOW.replace(" c", " d"));
    let began = Instant::now();
    let action = whole.act(0);
    let all = began.elapsed();
    let mut client = place.serve(SLOW);
    client.send(b"{\"op\":\"act\",\"state\":0,\"id\":\"slow\"}\n");
    std::thread::sleep(all / 4);
    signal(&client, "-TERM");
    let answer = client.read();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&"slow".into(), &"stopping".into()), "{answer}");
    assert!(client.is_over());
    let (status, notes) = client.ended();
    assert_eq!(status.code(), Some(143), "{notes}");
    assert!(notes.contains("saved in c"), "{notes}");
    let mut client = place.serve(SLOW);
    assert_eq!(client.hello["steps"], 0);
    assert_eq!(client.act(0), action);
}

/// A signal saves although no client reads the answers.
#[test]
fn a_signal_saves_although_the_output_is_stuck() {
    let place = Place::new();
    let mut client = place.serve(GRID);
    let world = grid();
    Walk::new(&world, 1).step(&mut client);
    // more answers than a pipe holds
    let many = "{\"op\":\"value\",\"state\":0}\n".repeat(1500);
    client.send(many.as_bytes());
    std::thread::sleep(Duration::from_millis(300));
    signal(&client, "-TERM");
    let (status, notes) = client.ended();
    assert_eq!(status.code(), Some(143), "{notes}");
    assert_eq!(place.serve(GRID).hello["steps"], 1);
}

#[test]
fn one_session_at_a_time_has_a_checkpoint() {
    let place = Place::new();
    let client = place.serve(GRID);
    place.run(&format!("serve {GRID}")).refused(&["--checkpoint c", "another goalward", "hint: "]);
    place.run("learn windy-grid@n=3 --episodes 2 --checkpoint c").refused(&["another goalward"]);
    client.kill();
    assert_eq!(place.serve(GRID).hello["resumed"], true);
}

#[test]
fn what_does_not_agree_with_the_checkpoint_is_refused() {
    let place = Place::new();
    let settings = format!("{GRID} --set delta=0.05 --episodes 50");
    place.serve(&settings).ask(r#"{"op":"quit"}"#);
    for agreeing in
        ["", "--learner lr", "--set delta=0.05", "--seed 5", "--episodes 5e1", "--checkpoint-every 3"]
    {
        let client = place.serve(&format!("windy-grid@n=3 --checkpoint c {agreeing}"));
        assert_eq!(client.hello["resumed"], true, "{agreeing}");
    }
    let before = place.read("c");
    for (other, words) in [
        ("windy-grid@n=3 --learner random", "--learner lr"),
        ("windy-grid@n=3 --seed 6", "--seed 5"),
        ("windy-grid@n=3 --set delta=0.1", "--set delta=0.05"),
        ("windy-grid@n=3 --episodes 60", "--episodes 50"),
    ] {
        let line = format!("serve {other} --checkpoint c");
        place.run(&line).refused(&["does not agree with the checkpoint", words, "hint: "]);
    }
    place.run("serve windy-grid@n=4 --checkpoint c").refused(&["c: ", "another problem", "hint: "]);
    place.run("learn windy-grid@n=3 --episodes 2 --checkpoint run").done();
    place.run("serve windy-grid@n=3 --checkpoint run").refused(&["run", "not a saved learner"]);
    place.write("notes", "mine\n");
    place.run("serve windy-grid@n=3 --checkpoint notes").refused(&["notes", "no checkpoint"]);
    place.run("serve windy-grid@n=3 --checkpoint no/c").refused(&["no/c"]);
    place.run("serve windy-grid@n=3 --checkpoint -").refused(&["--checkpoint -", "hint: "]);
    place.run("serve -").refused(&["requests come through standard input", "hint: "]);
    place.run("serve /dev/stdin").refused(&["requests come through standard input"]);
    assert_eq!(place.read("c"), before);
}

/// A file that was changed is refused, however it was changed.
#[test]
fn a_forged_checkpoint_is_refused() {
    let place = Place::new();
    let mut client = place.serve(GRID);
    client.act(0);
    client.ask(r#"{"op":"quit"}"#);
    drop(client);
    let text = String::from_utf8(place.read("c")).unwrap();
    for (old, new) in [
        (r#""asked":{"0":"#, r#""asked":{"9":"#),
        (r#""asked":{"0":"#, r#""asked":{"8":"#),
        (r#""asked":{"0":"#, r#""asked":{"x":"#),
        (r#""asked":{"0":"#, r#""asked":{"1":7,"0":"#),
        (r#""episodes":0}"#, r#""episodes":-1}"#),
    ] {
        assert!(text.contains(old), "{text}");
        place.write("c", &resealed(&text.replacen(old, new, 1)));
        place.run(&format!("serve {GRID}")).refused(&["c: ", "checkpoint"]);
    }
    place.write("c", &text.replacen("\"seed\":5", "\"seed\":6", 1));
    place.run(&format!("serve {GRID}")).refused(&["checksum"]);
}

/// A file with its checksum made anew.
fn resealed(text: &str) -> String {
    let (body, _) = text.rsplit_once(",\"checksum\":\"").unwrap();
    format!("{body},\"checksum\":\"{}\"}}\n", blake3::hash(body.as_bytes()).to_hex())
}

/// A disk that is full is said, and nothing is lost: what was there stays, and the session goes on.
#[test]
fn a_checkpoint_that_cannot_be_written_is_said() {
    let place = Place::new();
    std::fs::create_dir(place.path("folder")).unwrap();
    let mut client = place.serve("windy-grid@n=3 --checkpoint folder/c --checkpoint-every 2");
    std::fs::rename(place.path("folder"), place.path("gone")).unwrap();
    let step = r#"{"op":"observe","state":0,"action":0,"next":1}"#;
    assert_eq!(client.ask(step)["unsaved"], Value::Null);
    let answer = client.ask(step);
    assert!(answer["ok"] == true && answer["unsaved"].is_string(), "{answer}");
    for op in ["save", "quit"] {
        let answer = client.ask(&format!(r#"{{"op":"{op}"}}"#));
        assert_eq!(answer["error"]["code"], "output", "{answer}");
    }
    assert_eq!(client.ask(step)["steps"], 3);
    std::fs::rename(place.path("gone"), place.path("folder")).unwrap();
    assert_eq!(client.ask(r#"{"op":"quit"}"#)["steps"], 3);
}
