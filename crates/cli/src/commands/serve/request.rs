//! A line as a request.

use super::fault::{Code, Fault, shown};
use goalward::{closest, did_you_mean_first};
use serde::Deserializer as _;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    Act,
    Observe,
    EndEpisode,
    Estimate,
    Value,
    Save,
    Quit,
}

/// Every operation: its name, and the fields that it needs and may have.
const OPS: &[(&str, Op, &[&str], &[&str])] = &[
    ("act", Op::Act, &["state"], &[]),
    ("observe", Op::Observe, &["state", "action", "next"], &["cost"]),
    ("end_episode", Op::EndEpisode, &[], &[]),
    ("estimate", Op::Estimate, &[], &[]),
    ("value", Op::Value, &["state"], &[]),
    ("save", Op::Save, &[], &[]),
    ("quit", Op::Quit, &[], &[]),
];

/// Every field that some operation has, beside `op` and `id`.
const FIELDS: [&str; 4] = ["state", "action", "cost", "next"];

/// A JSON object with its first fault; it is read to its end, so that the answer can have its `id`.
#[derive(Debug, Default)]
pub(super) struct Request<'a> {
    id: Option<&'a RawValue>,
    fields: Map<String, Value>,
    fault: Option<Fault>,
}

/// Reads a line: the client's name of it, as far as that could be read, the operation, and its
/// fields.
pub(super) fn read(line: &[u8]) -> (Option<&RawValue>, Result<(Op, Request<'_>), Fault>) {
    let text = match std::str::from_utf8(line) {
        Ok(text) => text,
        Err(error) => {
            let at = error.valid_up_to() + 1;
            return (None, Err(Fault::new(Code::Utf8, format!("byte {at} is not UTF-8")).column(at)));
        }
    };
    if text.trim().is_empty() {
        let fault = Fault::new(Code::Json, "an empty line is no request");
        return (None, Err(fault.hint("a request is one JSON object on one line")));
    }
    let mut json = serde_json::Deserializer::from_str(text);
    let request = json.deserialize_map(Request::default()).and_then(|read| json.end().map(|()| read));
    match request {
        Ok(request) => (request.id, request.checked()),
        Err(error) => (None, Err(malformed(&error))),
    }
}

fn malformed(error: &serde_json::Error) -> Fault {
    // a message of serde_json ends with the place, which the answer has in fields
    let text = error.to_string();
    let message = text.split(" at line ").next().unwrap_or(&text).to_string();
    let fault = Fault::new(Code::Json, message).hint("a request is one JSON object on one line");
    if error.column() > 0 { fault.column(error.column()) } else { fault }
}

impl<'a> Request<'a> {
    pub(super) fn need(&self, field: &str) -> &Value {
        self.get(field).unwrap_or(&Value::Null)
    }

    pub(super) fn get(&self, field: &str) -> Option<&Value> {
        self.fields.get(field)
    }

    fn wrong(&mut self, fault: Fault) {
        self.fault.get_or_insert(fault);
    }

    /// The operation, if it has the fields that it needs and no others.
    fn checked(mut self) -> Result<(Op, Request<'a>), Fault> {
        if let Some(fault) = self.fault.take() {
            return Err(fault);
        }
        let name = match self.get("op") {
            Some(Value::String(name)) => name,
            Some(other) => {
                return Err(Fault::new(Code::Type, format!("op is {}, not a name", what(other))).field("op"));
            }
            None => return Err(Fault::new(Code::MissingField, "there is no op").field("op").hint(ops())),
        };
        let Some(&(_, op, needs, may)) = OPS.iter().find(|(known, ..)| known == name) else {
            let meant = did_you_mean_first(name, OPS.iter().map(|(known, ..)| *known));
            let message = format!("there is no op {:?}", shown(name));
            return Err(Fault::new(Code::UnknownOp, message).field("op").hint(meant + &ops()));
        };
        for field in FIELDS {
            let given = self.fields.contains_key(field);
            if !given && needs.contains(&field) {
                let message = format!("{name} needs a field {field:?}");
                return Err(Fault::new(Code::MissingField, message).field(field));
            }
            if given && !needs.contains(&field) && !may.contains(&field) {
                let message = format!("{name} has no field {field:?}");
                return Err(Fault::new(Code::UnknownField, message).field(field));
            }
        }
        Ok((op, self))
    }
}

fn ops() -> String {
    let names: Vec<&str> = OPS.iter().map(|(name, ..)| *name).collect();
    format!("the ops are {}", names.join(", "))
}

impl<'de> Visitor<'de> for Request<'de> {
    type Value = Request<'de>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Request<'de>, A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            let twice = if key == "id" {
                let twice = self.id.replace(map.next_value()?).is_some();
                self.check_id();
                twice
            } else if key == "op" || FIELDS.contains(&key.as_str()) {
                self.fields.insert(key.clone(), map.next_value()?).is_some()
            } else {
                map.next_value::<IgnoredAny>()?;
                let message = format!("there is no field {:?}", shown(&key));
                let fault = Fault::new(Code::UnknownField, message).field(&key);
                self.wrong(match closest(&key, FIELDS.into_iter().chain(["op", "id"])) {
                    Some(meant) => fault.hint(format!("did you mean {meant}?")),
                    None => fault,
                });
                false
            };
            if twice {
                self.wrong(Fault::new(Code::DuplicateField, format!("{key} is given twice")).field(&key));
            }
        }
        Ok(self)
    }
}

impl Request<'_> {
    /// Requires an id that every reader of JSON can read: no number too large, no half letter.
    fn check_id(&mut self) {
        let read = self.id.map(|id| serde_json::from_str::<Value>(id.get()));
        if !matches!(read, Some(Ok(value)) if !value.is_array() && !value.is_object()) {
            self.id = None;
            self.wrong(Fault::new(Code::Type, "id is no string, number, true, false or null").field("id"));
        }
    }
}

/// A value, for people.
pub(super) fn what(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(_) => "a truth value".into(),
        Value::Number(n) => n.to_string(),
        Value::String(text) => format!("{:?}", shown(text)),
        Value::Array(_) => "a list".into(),
        Value::Object(_) => "an object".into(),
    }
}
