//! What a session says when no mixture of the models explains what it is told.

use super::*;
use goalward::numeric::Portable;

/// A step to where no model leads, after one that is ordinary.
const ORDINARY: &str = r#"{"op":"observe","state":0,"action":0,"next":1}"#;
const IMPOSSIBLE: &str = r#"{"op":"observe","state":1,"action":0,"next":8}"#;

#[test]
fn a_session_says_once_that_the_models_are_rejected() {
    let place = Place::new();
    let mut client = place.serve("windy-grid@n=3 --learner lr");
    assert!(client.ask(ORDINARY)["misfit"].is_null());
    assert_eq!(client.ask(r#"{"op":"estimate"}"#)["misfit"]["status"], "none");
    let answer = client.ask(IMPOSSIBLE);
    assert_eq!((&answer["misfit"]["status"], &answer["misfit"]["step"]), (&"rejected".into(), &2.into()));
    assert!(client.ask(IMPOSSIBLE)["misfit"].is_null());
    let estimate = client.ask(r#"{"op":"estimate"}"#);
    assert_eq!(estimate["misfit"]["status"], "rejected");
    assert_eq!(estimate["guarantee"]["holds"], "no");
    assert!(client.ask(r#"{"op":"act","state":0}"#)["action"].is_u64());
    client.ask(r#"{"op":"quit"}"#);
}

/// Nothing impossible: a grid in which every move to the right leads down.
#[test]
fn a_session_rejects_what_is_only_improbable() {
    let place = Place::new();
    let mut client = place.serve("windy-grid@n=3 --learner levis++@B=20 --misfit-level 0.001");
    let mut rejected = None;
    for step in 1..400 {
        // the one by the move to the right, the other by the move down: no wind is both
        let (action, next) = if step % 2 == 0 { (0, 3) } else { (1, 1) };
        let line = format!(r#"{{"op":"observe","state":0,"action":{action},"next":{next}}}"#);
        let answer = client.ask(&line);
        if !answer["misfit"].is_null() {
            rejected = Some(answer["misfit"].clone());
            break;
        }
    }
    let misfit = rejected.unwrap();
    assert!(misfit["log_e"].as_f64().unwrap() >= 3.0 * 10f64.log_e(), "{misfit}");
    let place = &misfit["where"][0];
    assert_eq!((&place["state"], place["visits"].as_u64() > Some(3)), (&0.into(), true), "{misfit}");
    client.ask(r#"{"op":"quit"}"#);
}

#[test]
fn a_session_that_is_to_stop_gives_no_action_and_one_that_falls_back_does() {
    let place = Place::new();
    let mut client = place.serve("windy-grid@n=3 --learner lr --on-misfit stop --checkpoint s.ckpt");
    client.ask(IMPOSSIBLE);
    let error = client.ask(r#"{"op":"act","state":0}"#);
    assert_eq!(error["error"]["code"], "misfit", "{error}");
    assert_eq!(client.ask(ORDINARY)["ok"], true);
    client.ask(r#"{"op":"quit"}"#);
    // taken up, it is the same
    let mut client = place.serve("windy-grid@n=3 --checkpoint s.ckpt");
    assert_eq!(client.ask(r#"{"op":"act","state":0}"#)["error"]["code"], "misfit");
    client.ask(r#"{"op":"quit"}"#);
    let other = "serve windy-grid@n=3 --checkpoint s.ckpt --on-misfit warn";
    place.run(other).refused(&["--on-misfit stop"]);

    let mut client = place.serve("windy-grid@n=3 --learner lr --on-misfit tabular");
    client.ask(IMPOSSIBLE);
    assert!(client.ask(r#"{"op":"act","state":0}"#)["action"].is_u64());
    let estimate = client.ask(r#"{"op":"estimate"}"#);
    assert_eq!(estimate["fallback"]["step"], 1, "{estimate}");
    assert!(estimate["theta_hat"].is_null());
    client.ask(r#"{"op":"quit"}"#);
}
