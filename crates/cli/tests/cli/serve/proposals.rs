//! A program proposes actions, and the guard answers with them or takes over.

use super::*;
use serde_json::json;

#[test]
fn a_proposal_is_taken_while_the_guard_allows_it() {
    let place = Place::new();
    let mut client = place.serve("windy-grid@n=3 --learner guarded --set inner=proposals");
    let ask = |client: &mut Client, more: Value| {
        let mut request = json!({ "op": "act" });
        more.as_object().unwrap().iter().for_each(|(key, value)| request[key] = value.clone());
        client.ask(&request.to_string())
    };
    let answer = ask(&mut client, json!({ "state": 0, "proposal": "down" }));
    assert_eq!((&answer["name"], &answer["player"]), (&"down".into(), &"inner".into()));
    client.ask(r#"{"op":"observe","state":0,"action":1,"next":3}"#);
    // a fault changes nothing
    for wrong in [json!("nowhere"), json!(9), json!(null)] {
        let answer = ask(&mut client, json!({ "state": 3, "proposal": wrong }));
        assert_eq!(answer["error"]["field"], "proposal", "{answer}");
    }
    // without a proposal lr plays on to the goal
    let answer = ask(&mut client, json!({ "state": 3 }));
    assert_eq!(answer["player"], "outer");
    let guard = &client.ask(r#"{"op":"estimate"}"#)["guard"];
    assert_eq!((&guard["inner"], &guard["handovers"][0]["state"]), (&"proposals".into(), &3.into()));
    // others take none, and their answers are as they were
    let mut client = place.serve("windy-grid@n=3 --learner lr");
    let answer = ask(&mut client, json!({ "state": 0, "proposal": 1 }));
    assert!(answer["error"]["message"].as_str().unwrap().contains("guarded@inner=proposals"), "{answer}");
    assert!(ask(&mut client, json!({ "state": 0 })).get("player").is_none());
}
