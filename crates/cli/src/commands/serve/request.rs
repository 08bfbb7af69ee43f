//! A line as a request.

use super::fault::{Code, Fault, shown};
use goalward::{closest, did_you_mean_first};
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// The operations.
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

/// A value of a field, before it is judged.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Given<'a> {
    Whole(u64),
    Real(f64),
    Text(Cow<'a, str>),
    /// Something else: what it is called.
    Other(&'static str),
}

/// A request whose fields are there, and no others.
#[derive(Debug)]
pub(super) struct Request<'a> {
    pub(super) op: Op,
    fields: [Option<Given<'a>>; 4],
}

impl<'a> Request<'a> {
    /// A field that the operation needs, or none that it may leave out.
    fn get(&self, field: usize) -> Option<&Given<'a>> {
        self.fields[field].as_ref()
    }

    pub(super) fn state(&self) -> Option<&Given<'a>> {
        self.get(0)
    }

    pub(super) fn action(&self) -> Option<&Given<'a>> {
        self.get(1)
    }

    pub(super) fn cost(&self) -> Option<&Given<'a>> {
        self.get(2)
    }

    pub(super) fn next(&self) -> Option<&Given<'a>> {
        self.get(3)
    }
}

/// Reads a line: what the client calls it, as far as that could be read, and the request.
pub(super) fn read(line: &[u8]) -> (Option<&RawValue>, Result<Request<'_>, Fault>) {
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
    match serde_json::from_str::<Raw>(text) {
        Ok(raw) => (raw.id, raw.judged()),
        Err(error) => (None, Err(malformed(&error))),
    }
}

fn malformed(error: &serde_json::Error) -> Fault {
    // what serde_json says ends with the place, which the answer has in fields of its own
    let said = error.to_string();
    let message = said.split(" at line ").next().unwrap_or(&said).to_string();
    let fault = Fault::new(Code::Json, message).hint("a request is one JSON object on one line");
    // what is wrong with the whole line has no column
    if error.column() > 0 { fault.column(error.column()) } else { fault }
}

/// A line that is a JSON object: what it holds, and the first thing that is wrong with it. It is
/// read to its end either way, so that the answer can have its `id`.
#[derive(Default)]
struct Raw<'a> {
    id: Option<&'a RawValue>,
    op: Option<Given<'a>>,
    fields: [Option<Given<'a>>; 4],
    fault: Option<Fault>,
}

impl<'a> Raw<'a> {
    fn wrong(&mut self, fault: Fault) {
        self.fault.get_or_insert(fault);
    }

    /// Whether the operation is one, and has its fields.
    fn judged(self) -> Result<Request<'a>, Fault> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let name = match &self.op {
            Some(Given::Text(name)) => name,
            Some(other) => {
                return Err(Fault::new(Code::Type, format!("op is {}, not a name", other.what())).field("op"));
            }
            None => return Err(Fault::new(Code::MissingField, "there is no op").field("op").hint(ops())),
        };
        let Some((_, op, needs, may)) = OPS.iter().find(|(known, ..)| known == name) else {
            let meant = did_you_mean_first(name, OPS.iter().map(|(known, ..)| *known));
            let message = format!("there is no op {:?}", shown(name));
            return Err(Fault::new(Code::UnknownOp, message).field("op").hint(meant + &ops()));
        };
        for (field, given) in FIELDS.iter().zip(&self.fields) {
            if given.is_none() && needs.contains(field) {
                let message = format!("{name} needs a field {field:?}");
                return Err(Fault::new(Code::MissingField, message).field(field));
            }
            if given.is_some() && !needs.contains(field) && !may.contains(field) {
                let message = format!("{name} has no field {field:?}");
                return Err(Fault::new(Code::UnknownField, message).field(field));
            }
        }
        Ok(Request { op: *op, fields: self.fields })
    }
}

fn ops() -> String {
    let names: Vec<&str> = OPS.iter().map(|(name, ..)| *name).collect();
    format!("the ops are {}", names.join(", "))
}

impl<'de> Deserialize<'de> for Raw<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Raw<'de>;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Raw<'de>, A::Error> {
                let mut raw = Raw::default();
                while let Some(Key(key)) = map.next_key()? {
                    one(&mut raw, &key, &mut map)?;
                }
                Ok(raw)
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

/// Takes one field in.
fn one<'de, A: MapAccess<'de>>(raw: &mut Raw<'de>, key: &str, map: &mut A) -> Result<(), A::Error> {
    let known = FIELDS.iter().position(|field| *field == key);
    let twice = match (key, known) {
        ("id", _) => raw.id.replace(map.next_value()?).is_some(),
        ("op", _) => raw.op.replace(map.next_value()?).is_some(),
        (_, Some(field)) => raw.fields[field].replace(map.next_value()?).is_some(),
        (_, None) => {
            map.next_value::<IgnoredAny>()?;
            let meant = closest(key, FIELDS.into_iter().chain(["op", "id"]));
            let fault =
                Fault::new(Code::UnknownField, format!("there is no field {:?}", shown(key))).field(key);
            raw.wrong(match meant {
                Some(meant) => fault.hint(format!("did you mean {meant}?")),
                None => fault,
            });
            false
        }
    };
    if twice {
        raw.wrong(Fault::new(Code::DuplicateField, format!("{key} is given twice")).field(key));
    }
    if let ("id", Some(id)) = (key, raw.id)
        // what comes back must be read by every reader: no number is too large, no half letter is in it
        && !matches!(serde_json::from_str(id.get()), Ok(Given::Whole(_) | Given::Real(_) | Given::Text(_)))
        && !["null", "true", "false"].contains(&id.get())
    {
        raw.id = None;
        raw.wrong(Fault::new(Code::Type, "id is no string, number, true, false or null").field("id"));
    }
    Ok(())
}

/// The name of a field, borrowed where it has no escapes.
struct Key<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl<'de> Visitor<'de> for Text {
            type Value = Key<'de>;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("the name of a field")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Owned(text.into())))
            }
        }
        deserializer.deserialize_str(Text)
    }
}

impl Given<'_> {
    /// What it is, for people.
    pub(super) fn what(&self) -> String {
        match self {
            Given::Whole(n) => n.to_string(),
            Given::Real(x) => x.to_string(),
            Given::Text(text) => format!("{:?}", shown(text)),
            Given::Other(what) => (*what).into(),
        }
    }
}

impl<'de> Deserialize<'de> for Given<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Anything)
    }
}

/// Takes any value; what has parts is read over.
struct Anything;

impl<'de> Visitor<'de> for Anything {
    type Value = Given<'de>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_u64<E>(self, n: u64) -> Result<Given<'de>, E> {
        Ok(Given::Whole(n))
    }

    fn visit_i64<E>(self, n: i64) -> Result<Given<'de>, E> {
        Ok(Given::Real(n as f64))
    }

    fn visit_f64<E: serde::de::Error>(self, x: f64) -> Result<Given<'de>, E> {
        // JSON has no other, but a reader of it might
        if x.is_finite() { Ok(Given::Real(x)) } else { Err(E::custom("number out of range")) }
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Given<'de>, E> {
        Ok(Given::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Given<'de>, E> {
        Ok(Given::Text(Cow::Owned(text.into())))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Given<'de>, E> {
        Ok(Given::Other("a truth value"))
    }

    fn visit_unit<E>(self) -> Result<Given<'de>, E> {
        Ok(Given::Other("null"))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Given<'de>, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Given::Other("a list"))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Given<'de>, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Given::Other("an object"))
    }
}
