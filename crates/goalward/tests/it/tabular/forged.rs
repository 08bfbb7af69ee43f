//! States with an entry of another shape: each is refused with its place, or the learner goes on
//! with it as with any state of its own.

use super::{World, built};
use crate::worlds_for_tests::irregular;
use goalward::Settings;
use goalward::learners::{Learner, Snapshot, Transition};
use goalward::numeric::Stream;
use serde_json::{Value, json};

/// All learners, so that plans soon say something.
fn tried(world: &World) -> Vec<(&'static str, Settings)> {
    let small = || Settings::new().set("scale", 1e-4);
    let bound = || small().set("B", 5.0 * world.unit);
    let reduced = || bound().set("t_star", 4).set("interval", 6);
    vec![
        ("eb-ssp", bound()),
        ("eb-ssp", small().set("B", "doubling")),
        ("bernstein-ssp", small()),
        ("hoeffding-ssp", bound().set("support", "known")),
        ("hoeffding-ssp", small().set("B", "doubling")),
        ("uc-ssp", small()),
        ("svi-ssp", bound().set("stage", 2)),
        ("lcb-advantage-ssp", bound().set("stage", 2)),
        ("psrl-ssp", Settings::new()),
        ("q-learning", Settings::new()),
        ("mvp+", reduced()),
        ("ulcvi", reduced().set("support", "known")),
        ("levis", bound().set("rho", 0.1)),
        ("levis+", bound()),
        ("levis++", bound().set("levels", 2)),
        ("ucrl-ave-ssp", bound().set("horizon", 4)),
    ]
}

/// So many steps of a simulation.
fn go(world: &World, learner: &mut Learner, steps: usize) {
    let mut luck = Stream::new(23, &[]);
    let mut s = world.start;
    for _ in 0..steps {
        let action = learner.act(s).unwrap();
        let next = world.next[s][action][luck.below(world.next[s][action].len())];
        let cost = world.cost[s][action];
        learner.observe(&Transition { state: s, action, cost, next }).unwrap();
        s = next;
        if s == world.goal {
            learner.end_episode();
            s = world.start;
        }
    }
}

/// The places of all entries, from the root, lists and maps among them.
fn places(value: &Value, at: String, all: &mut Vec<String>) {
    match value {
        Value::Array(list) => {
            // long lists have the same at every place
            for (i, entry) in list.iter().enumerate().filter(|(i, _)| *i < 3 || i + 1 == list.len()) {
                places(entry, format!("{at}/{i}"), all);
            }
        }
        Value::Object(map) => map.iter().for_each(|(key, entry)| places(entry, format!("{at}/{key}"), all)),
        _ => {}
    }
    all.push(at);
}

/// What to put in the place of an entry: other shapes.
fn forgeries(entry: &Value) -> Vec<Value> {
    let mut all = vec![json!(null), json!([]), json!("text")];
    if let Value::Array(list) = entry {
        all.push(list.iter().skip(1).cloned().collect());
        all.push(list.iter().chain(list.last()).cloned().collect());
        all.push(list.iter().rev().cloned().collect());
    }
    all.retain(|forgery| forgery != entry);
    all
}

#[test]
fn a_forged_state_is_refused_or_lived_with() {
    let world = World::of(irregular(3, 5, 2));
    for (id, settings) in tried(&world) {
        let mut learner = built(&world, id, &settings);
        go(&world, &mut learner, 61);
        let honest = learner.snapshot();
        let (mut all, mut refused, mut taken) = (Vec::new(), 0, 0);
        places(&honest.0, String::new(), &mut all);
        for place in all.iter().filter(|place| !place.is_empty()) {
            for forgery in forgeries(honest.0.pointer(place).unwrap()) {
                let mut forged = Snapshot(honest.0.clone());
                *forged.0.pointer_mut(place).unwrap() = forgery.clone();
                let mut other = built(&world, id, &settings);
                if let Err(why) = other.restore(&forged) {
                    refused += 1;
                    assert!(!why.to_string().is_empty());
                    // nothing has changed
                    assert_eq!(other.clock().t, 0, "{id}: {place} = {forgery}");
                    continue;
                }
                taken += 1;
                go(&world, &mut other, 4);
                for &(s, a) in &world.pairs {
                    assert!(other.q(s, a).unwrap().is_some(), "{id}: {place} = {forgery}");
                }
            }
        }
        assert!(refused > 0 && taken > 0, "{id}: {refused} refused, {taken} taken");
    }
}
