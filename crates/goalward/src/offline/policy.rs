//! A policy as `solve` writes it: an object from states to actions, or a list of both.

use super::places::{Places, quoted};
use crate::problem::{Action, Problem};
use crate::{Error, Result};
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::fmt;
use std::path::Path;

/// No action: of a state that the policy does not name.
const NONE: Action = Action::MAX;

/// Reads the text of a policy: `{"(0,0)": "right", ...}`, or `[{"state": "(0,0)", "action":
/// "right"}, ...]`. States and actions are given by name or by number. A state that is not named
/// has an action that does not exist.
pub fn read_policy(problem: &Problem, text: &str, path: &Path) -> Result<Vec<Action>> {
    let choices = choices(text).map_err(|e| {
        let place = format!(" at line {} column {}", e.line(), e.column());
        let fault = e.to_string();
        let fault = fault.strip_suffix(&place).unwrap_or(&fault).to_string();
        Error::File { path: path.into(), line: e.line().max(1), column: e.column().max(1), fault }
    })?;
    let places = Places::new(problem);
    let mut policy = vec![NONE; problem.states()];
    for (state, action) in &choices {
        let name = state.as_str().map_or_else(|| state.to_string(), quoted);
        let wrong = |fault: String| {
            let source = Error::Field { field: format!("policy of {name}"), fault };
            Error::InFile { path: path.into(), source: Box::new(source) }
        };
        let s = places.state_of(problem, state).map_err(wrong)?;
        if s == problem.goal() {
            continue; // nothing is done there
        }
        let a = places.action_of(problem, s, action).map_err(wrong)?;
        if std::mem::replace(&mut policy[s], a) != NONE {
            return Err(wrong("this state is given twice".into()));
        }
    }
    Ok(policy)
}

/// States with their actions, in the order of the file.
fn choices(text: &str) -> serde_json::Result<Vec<(Value, Value)>> {
    let mut json = serde_json::Deserializer::from_str(text);
    let choices = json.deserialize_any(Whole)?;
    json.end().map(|()| choices)
}

struct Whole;

impl<'de> Visitor<'de> for Whole {
    type Value = Vec<(Value, Value)>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object from states to actions, or a list of {\"state\", \"action\"}")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let mut all = Vec::new();
        while let Some((state, action)) = map.next_entry::<String, Value>()? {
            all.push((Value::String(state), action));
        }
        Ok(all)
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<Self::Value, S::Error> {
        #[derive(serde::Deserialize)]
        #[serde(deny_unknown_fields, expecting = "{\"state\": ..., \"action\": ...}")]
        struct Choice {
            state: Value,
            action: Value,
        }
        let mut all = Vec::new();
        while let Some(Choice { state, action }) = seq.next_element()? {
            all.push((state, action));
        }
        Ok(all)
    }
}
