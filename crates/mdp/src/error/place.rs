//! Where something is wrong, for programs.

use super::Error;
use serde_json::{Map, Value, json};

impl Error {
    /// What kind of error it is, in one word, for programs that must tell them apart.
    pub fn code(&self) -> &'static str {
        match self {
            Error::InFile { source, .. } | Error::AtLine { source, .. } => source.code(),
            Error::Setting { .. } | Error::UnknownSetting { .. } | Error::MissingSetting { .. } => "setting",
            Error::UnknownId { .. } => "unknown-id",
            Error::Misuse { .. } => "misuse",
            Error::Checkpoint { .. } => "checkpoint",
            Error::Memory { .. } => "memory",
            Error::File { .. } => "file",
            Error::Io { .. } => "io",
            Error::Output { .. } => "output",
            Error::NoTruth { .. } => "no-truth",
            Error::Choose { .. } => "choose",
            Error::Mismatch { .. } => "mismatch",
            _ => "problem",
        }
    }

    /// The fields of its place: `path`, `line`, `state`, `action`, `model`, `sum`, `key` and so on.
    pub fn place(&self) -> Map<String, Value> {
        let place = match self {
            Error::Field { field, .. } => json!({"field": field}),
            Error::Cost { state, action, cost } => json!({"state": state, "action": action, "cost": cost}),
            Error::Feature { state, action, next, .. } => {
                json!({"state": state, "action": action, "next": next})
            }
            Error::NoAction { state } => json!({"state": state}),
            Error::NoSuccessor { state, action } => json!({"state": state, "action": action}),
            Error::GoalNotAbsorbing { goal, action, next } => {
                json!({"state": goal, "action": action, "next": next})
            }
            Error::GoalCost { goal, action, cost } => json!({"state": goal, "action": action, "cost": cost}),
            Error::GoalUnreachable { states, .. } => json!({"states": states}),
            Error::RowsContradict { state, action, .. } => json!({"state": state, "action": action}),
            Error::ModelRow { model, state, action, sum, .. } => {
                json!({"model": model, "state": state, "action": action, "sum": sum})
            }
            Error::ThetaOutside { state, action, sum, next, .. } => {
                json!({"state": state, "action": action, "sum": sum, "next": next})
            }
            Error::ThetaExtra { row, value, .. } => json!({"row": row, "value": value}),
            Error::Model { model, state, action, .. } => {
                json!({"model": model, "state": state.to_string(), "action": action.to_string()})
            }
            Error::Probability { state, action, next, probability } => {
                json!({"state": state, "action": action, "next": next, "value": probability})
            }
            Error::RowSum { state, action, sum, .. } => {
                json!({"state": state, "action": action, "sum": sum})
            }
            Error::Choose { path, what, known, .. } => {
                json!({"path": path.display().to_string(), "field": what, "known": known})
            }
            Error::Mismatch { first, second, .. } => json!({"first": first, "second": second}),
            Error::File { path, line, column, .. } => {
                json!({"path": path.display().to_string(), "line": line, "column": column})
            }
            Error::AtLine { path, line, source } => return within(source, path, Some(*line)),
            Error::InFile { path, source } => return within(source, path, None),
            Error::Io { path, .. } | Error::Output { path, .. } => {
                json!({"path": path.display().to_string()})
            }
            Error::Setting { owner, key, value, .. } => json!({"owner": owner, "key": key, "value": value}),
            Error::UnknownSetting { owner, key, known } => {
                json!({"owner": owner, "key": key, "known": known})
            }
            Error::MissingSetting { owner, key, .. } => json!({"owner": owner, "key": key}),
            Error::UnknownId { id, known, .. } => json!({"id": id, "known": known}),
            Error::NoProperPolicy { states } | Error::NoBound { states } => json!({"states": states}),
            Error::Misuse { t, .. } => json!({"step": t}),
            Error::Memory { bytes, free, .. } => json!({"bytes": bytes, "free": free}),
            Error::Stopped | Error::Checkpoint { .. } => json!({}),
            Error::EmptyB { .. } | Error::NoTruth { .. } => json!({}),
        };
        match place {
            Value::Object(place) => place,
            _ => Map::new(),
        }
    }
}

fn within(source: &Error, path: &std::path::Path, line: Option<usize>) -> Map<String, Value> {
    let mut place = source.place();
    place.insert("path".into(), json!(path.display().to_string()));
    if let Some(line) = line {
        place.insert("line".into(), json!(line));
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_what_is_in_a_file_has_the_file() {
        let row = Error::RowSum { state: "a".into(), action: "b".into(), sum: 0.5, tolerance: 1e-5 };
        let error = Error::AtLine { path: "x.drn".into(), line: 7, source: Box::new(row) };
        let place = Value::Object(error.place());
        assert_eq!(place, json!({"state": "a", "action": "b", "sum": 0.5, "path": "x.drn", "line": 7}));
        assert_eq!(error.code(), "problem");
    }
}
