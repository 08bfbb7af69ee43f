//! Requests that are none: an error each, which changes nothing.

use super::client::Walk;
use super::*;
use goalward::{Settings, worlds};
use serde_json::json;

const GRID: &str = "windy-grid@n=3 --learner lr";

/// What is wrong, with the code and the field that say so.
pub(super) const WRONG: &[(&str, &str, &str)] = &[
    ("", "json", ""),
    ("  ", "json", ""),
    ("hello", "json", ""),
    ("{", "json", ""),
    ("[]", "json", ""),
    ("3", "json", ""),
    ("null", "json", ""),
    (r#"{"op":"act","state":0} {"op":"act","state":0}"#, "json", ""),
    (r#"{"op":"act","state":0},"#, "json", ""),
    (r#"{'op':'act','state':0}"#, "json", ""),
    (r#"{"op":"act","state":NaN}"#, "json", ""),
    (r#"{"op":"act","state":1e999}"#, "json", ""),
    (r#"{"op":"act","state":01}"#, "json", ""),
    (r#"{}"#, "missing-field", "op"),
    (r#"{"op":7}"#, "type", "op"),
    (r#"{"op":null}"#, "type", "op"),
    (r#"{"op":"Act","state":0}"#, "unknown-op", "op"),
    (r#"{"op":"reset"}"#, "unknown-op", "op"),
    (r#"{"op":"act"}"#, "missing-field", "state"),
    (r#"{"op":"observe","state":0,"action":0}"#, "missing-field", "next"),
    (r#"{"op":"observe","state":0,"next":0}"#, "missing-field", "action"),
    (r#"{"op":"act","state":0,"stat":1}"#, "unknown-field", "stat"),
    (r#"{"op":"act","state":0,"cost":1}"#, "unknown-field", "cost"),
    (r#"{"op":"quit","file":"x"}"#, "unknown-field", "file"),
    (r#"{"op":"act","state":0,"state":0}"#, "duplicate-field", "state"),
    (r#"{"op":"act","op":"act","state":0}"#, "duplicate-field", "op"),
    (r#"{"id":1,"id":1,"op":"act","state":0}"#, "duplicate-field", "id"),
    (r#"{"id":[1],"op":"act","state":0}"#, "type", "id"),
    (r#"{"id":1e400,"op":"act","state":0}"#, "type", "id"),
    (r#"{"id":"\ud800","op":"act","state":0}"#, "type", "id"),
    (r#"{"op":"act","state":null}"#, "type", "state"),
    (r#"{"op":"act","state":[0]}"#, "type", "state"),
    (r#"{"op":"act","state":{"a":1}}"#, "type", "state"),
    (r#"{"op":"act","state":true}"#, "type", "state"),
    (r#"{"op":"act","state":9}"#, "state", "state"),
    (r#"{"op":"act","state":-1}"#, "state", "state"),
    (r#"{"op":"act","state":0.5}"#, "state", "state"),
    (r#"{"op":"act","state":18446744073709551615}"#, "state", "state"),
    (r#"{"op":"act","state":1e300}"#, "state", "state"),
    (r#"{"op":"act","state":"nowhere"}"#, "state", "state"),
    (r#"{"op":"act","state":"0"}"#, "state", "state"),
    (r#"{"op":"act","state":8}"#, "misuse", "state"),
    (r#"{"op":"value","state":9}"#, "state", "state"),
    (r#"{"op":"observe","state":8,"action":0,"next":0}"#, "misuse", "state"),
    (r#"{"op":"observe","state":0,"action":4,"next":0}"#, "action", "action"),
    (r#"{"op":"observe","state":0,"action":"jump","next":0}"#, "action", "action"),
    (r#"{"op":"observe","state":0,"action":false,"next":0}"#, "type", "action"),
    (r#"{"op":"observe","state":0,"action":0,"next":9}"#, "state", "next"),
    (r#"{"op":"observe","state":0,"action":0,"next":"x"}"#, "state", "next"),
    (r#"{"op":"observe","state":0,"action":0,"next":0,"cost":7}"#, "cost", "cost"),
    (r#"{"op":"observe","state":0,"action":0,"next":0,"cost":-0.2}"#, "cost", "cost"),
    (r#"{"op":"observe","state":0,"action":0,"next":0,"cost":"0.2"}"#, "type", "cost"),
    (r#"{"op":"observe","state":0,"action":0,"next":0,"cost":null}"#, "type", "cost"),
    (r#"{"op":"save"}"#, "no-checkpoint", ""),
];

#[test]
fn every_fault_has_its_code_and_its_place() {
    let place = Place::new();
    let mut client = place.serve(GRID);
    let before = client.ask(r#"{"op":"estimate"}"#);
    for (n, (line, code, field)) in WRONG.iter().enumerate() {
        let answer = client.ask(line);
        let error = &answer["error"];
        assert_eq!(error["code"], *code, "{line}: {answer}");
        assert_eq!(error["field"].as_str().unwrap_or(""), *field, "{line}: {answer}");
        assert_eq!(error["line"], n + 2, "{line}");
        assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()), "{line}: {answer}");
    }
    assert_eq!(client.ask(r#"{"op":"estimate"}"#), before);
    for (line, word) in [
        (r#"{"op":"observ"}"#, "observe"),
        (r#"{"op":"act","stat":0}"#, "state"),
        (r#"{"op":"act","state":"(0,O)"}"#, "(0,0)"),
        (r#"{"op":"act","state":"3"}"#, "3"),
        (r#"{"op":"observe","state":0,"action":"jump","next":0}"#, "down"),
        (r#"{"op":"act","state":99}"#, "0 to 8"),
    ] {
        let answer = client.ask(line);
        assert!(answer["error"]["hint"].as_str().is_some_and(|hint| hint.contains(word)), "{line}: {answer}");
    }
    let column = client.ask(r#"{"op":"act",state:0}"#)["error"]["column"].as_u64();
    assert_eq!(column, Some(13));
}

/// The id of a request comes back, with an answer or a fault.
#[test]
fn requests_can_have_names() {
    let place = Place::new();
    let mut client = place.serve(GRID);
    for id in
        ["7", "-0", "1e300", "123456789012345678901234567890", "\"a\\u00e9\\n\"", "null", "true", "\"\""]
    {
        for rest in [
            r#""op":"act","state":0"#,
            r#""op":"end_episode""#,
            r#""op":"act","state":99"#,
            r#""op":"nothing""#,
            r#""op":"act","state":0,"other":[[{"a":0}]]"#,
        ] {
            client.send(format!("{{{rest},\"id\":{id}}}\n").as_bytes());
            let line = client.read_line();
            assert!(line.starts_with(&format!("{{\"id\":{id},")), "{line}");
        }
    }
    assert_eq!(client.ask(r#"{"op":"act","state":0}"#).get("id"), None);
}

#[test]
fn names_and_numbers_mean_the_same() {
    let place = Place::new();
    let mut client = place.serve(GRID);
    let by_number = client.ask(r#"{"op":"act","state":0}"#);
    let world = worlds::open("windy-grid", &Settings::new().set("n", 3)).unwrap();
    let name = world.problem.state_name(0).into_owned();
    assert_eq!(client.ask(&json!({ "op": "act", "state": name }).to_string()), by_number);
    assert_eq!(client.ask(r#"{"op":"act","state":0.0}"#), by_number);
    let action = by_number["action"].as_u64().unwrap() as usize;
    assert_eq!(by_number["name"], world.problem.action_name(0, action).as_ref());
    let next = world.problem.state_name(1);
    let step = json!({ "op": "observe", "state": name, "action": by_number["name"], "next": next });
    assert_eq!(client.ask(&step.to_string())["steps"], 1);
    let value = client.ask(&json!({ "op": "value", "state": name }).to_string());
    assert_eq!(value["q"].as_array().map(Vec::len), Some(4), "{value}");
    assert_eq!(value["names"][action], by_number["name"]);
    // a learner without values has none
    let mut client = place.serve("windy-grid@n=3 --learner random");
    assert_eq!(client.ask(r#"{"op":"value","state":1}"#)["value"], Value::Null);
}

/// A line over the bound is refused, and the next one is taken.
#[test]
fn long_lines_and_bytes_that_are_no_text() {
    let place = Place::new();
    let mut client = place.serve(GRID);
    let before = client.memory();
    for length in [1_000_001, 30_000_000] {
        let line = format!("{{\"op\":\"act\",\"state\":0,\"id\":\"{}\"}}\n", "x".repeat(length));
        client.send(line.as_bytes());
        assert_eq!(client.read()["error"]["code"], "too-long");
    }
    let grown = client.memory().saturating_sub(before);
    assert!(grown < 8_000, "{grown} kB for a line of 30 MB");
    let id = "x".repeat(999_900);
    assert_eq!(client.ask(&format!("{{\"op\":\"act\",\"state\":0,\"id\":\"{id}\"}}"))["id"], id);
    let name = "é".repeat(400_000);
    let answer = client.ask(&json!({ "op": "act", "state": name }).to_string()).to_string();
    assert!(answer.len() < 1000, "{} bytes", answer.len());
    let deep = "[".repeat(400_000);
    assert_eq!(client.ask(&format!("{{\"op\":{deep}"))["error"]["code"], "json");
    let deep = format!("{}{}", "[".repeat(400_000), "]".repeat(400_000));
    // deeper than any request: refused while it is read
    assert_eq!(client.ask(&format!("{{\"op\":\"act\",\"state\":{deep}}}"))["error"]["code"], "json");
    assert_eq!(client.ask(r#"{"op":"act","state":[[1]]}"#)["error"]["code"], "type");
    client.send(b"{\"op\":\"act\",\"state\":\"\xff\"}\n");
    let error = client.read();
    assert_eq!(
        (&error["error"]["code"], &error["error"]["column"]),
        (&"utf-8".into(), &22.into()),
        "{error}"
    );
    client.send(b"{\"op\":\"act\",\"state\":0}\r\n");
    assert!(client.read()["action"].is_u64());
    // the last line needs no end
    client.send(b"{\"op\":\"act\",\"state\":1}");
    client.input = None;
    assert!(client.read()["action"].is_u64());
    assert!(client.is_over());
}

/// Ten thousand lines that are nearly requests: one answer each.
#[test]
fn nearly_requests_are_answered_each() {
    let place = Place::new();
    let mut client = place.serve(GRID);
    let (mut faults, mut answers) = (0, 0);
    for n in 0..10_000 {
        let mut line = mutations::line(n);
        line.push(b'\n');
        client.send(&line);
        let answer = client.read();
        match answer.get("error") {
            Some(error) => {
                let is = error["code"].is_string() && error["message"].is_string() && error["line"] == n + 1;
                assert!(is, "{}: {answer}", String::from_utf8_lossy(&line));
                faults += 1;
            }
            None => answers += 1,
        }
    }
    assert!(faults > 5000 && answers > 100, "{faults} faults, {answers} answers");
    assert!(client.act(0) < 4);
    assert!(client.end().0.success());
}

/// Ten thousand steps: the memory stays what it was after the first thousand.
#[test]
fn the_memory_does_not_grow() {
    let place = Place::new();
    let world = worlds::open("windy-grid", &Settings::new().set("n", 3)).unwrap();
    let mut client = place.serve("windy-grid@n=3 --learner lr --checkpoint c --checkpoint-every 1000");
    let mut walk = Walk::new(&world, 1);
    let mut after = |steps: u64| {
        while walk.steps() < steps {
            walk.step(&mut client);
        }
        client.memory()
    };
    let (early, late) = (after(1_000), after(10_000));
    assert!(late <= early + 1_000, "{early} kB after 1,000 steps, {late} kB after 10,000");
}
