//! One line of JSON: a logged step, or a line of a trace.

use crate::{Error, Result};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use std::collections::BTreeMap;

/// The kinds of lines that a trace has beside steps.
const OTHER_KINDS: [&str; 6] = ["start", "plan", "violation", "misfit", "episode", "end"];

/// What a line gives, field by field.
#[derive(Debug, Deserialize)]
#[serde(expecting = "a step {\"state\": ..., \"action\": ..., \"next\": ...}")]
pub(super) struct Given {
    pub(super) state: Option<Value>,
    pub(super) action: Option<Value>,
    pub(super) next: Option<Value>,
    pub(super) cost: Option<Value>,
    /// The number of the step, in a trace.
    pub(super) t: Option<Value>,
    kind: Option<Value>,
    /// Fields that a logged step does not have.
    #[serde(flatten)]
    others: BTreeMap<String, IgnoredAny>,
}

impl Given {
    /// Whether the line is a step, and not another line of a trace.
    pub(super) fn is_step(&self) -> Result<bool> {
        let (field, fault) = match self.kind.as_ref().map(|kind| (kind, kind.as_str())) {
            Some((_, Some("step"))) => return Ok(true),
            Some((_, Some(other))) if OTHER_KINDS.contains(&other) => return Ok(false),
            Some((kind, _)) => {
                ("kind".into(), format!("{kind} is none; a trace has lines of the kind \"step\""))
            }
            None => match self.others.keys().next().cloned().or(self.t.as_ref().map(|_| "t".into())) {
                None => return Ok(true),
                Some(other) => {
                    let known = "a step has state, action, next and, if it is known, cost";
                    (other, format!("there is no such field; {known}"))
                }
            },
        };
        Err(Error::Field { field, fault })
    }
}
