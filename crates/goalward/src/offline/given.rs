//! One line of JSON: a logged step, or a line of a trace.

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use std::fmt;

/// The kinds of lines that a trace has beside steps.
const OTHER_KINDS: [&str; 5] = ["start", "plan", "violation", "episode", "end"];

/// What a line gives, field by field.
#[derive(Debug, Default)]
pub(super) struct Given {
    pub(super) state: Option<Value>,
    pub(super) action: Option<Value>,
    pub(super) next: Option<Value>,
    pub(super) cost: Option<Value>,
    /// The number of the step, in a trace.
    pub(super) t: Option<Value>,
    kind: Option<Value>,
    /// The first field that a logged step does not have.
    other: Option<String>,
}

/// What a line is.
pub(super) enum Line {
    /// A step.
    Step,
    /// A line of a trace that is none.
    Other,
}

impl Given {
    /// What the line is; the field and the fault, if it is nothing that belongs here.
    pub(super) fn line(&self) -> Result<Line, (String, String)> {
        let kind = match &self.kind {
            None => {
                let known = "a step has state, action, next and, if it is known, cost";
                let other = self.other.clone().or(self.t.as_ref().map(|_| "t".into()));
                return match other {
                    Some(other) => Err((other, format!("there is no such field; {known}"))),
                    None => Ok(Line::Step),
                };
            }
            Some(kind) => kind,
        };
        match kind.as_str() {
            Some("step") => Ok(Line::Step),
            Some(other) if OTHER_KINDS.contains(&other) => Ok(Line::Other),
            _ => Err(("kind".into(), format!("{kind} is none; a trace has lines of the kind \"step\""))),
        }
    }
}

impl<'de> Deserialize<'de> for Given {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Given, D::Error> {
        from.deserialize_map(Fields)
    }
}

struct Fields;

impl<'de> Visitor<'de> for Fields {
    type Value = Given;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a step {\"state\": ..., \"action\": ..., \"next\": ...}")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Given, M::Error> {
        let mut given = Given::default();
        while let Some(key) = map.next_key::<String>()? {
            let field = match key.as_str() {
                "state" => &mut given.state,
                "action" => &mut given.action,
                "next" => &mut given.next,
                "cost" => &mut given.cost,
                "kind" => &mut given.kind,
                "t" => &mut given.t,
                _ => {
                    // a plan's values, of every state: nothing that is to be held
                    map.next_value::<IgnoredAny>()?;
                    given.other.get_or_insert(key);
                    continue;
                }
            };
            if field.replace(map.next_value()?).is_some() {
                return Err(M::Error::custom(format!("{key}: this field is given twice")));
            }
        }
        Ok(given)
    }
}
