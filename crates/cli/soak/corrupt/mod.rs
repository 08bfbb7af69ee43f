//! Checkpoints that something happened to: bits that flipped, files that were cut, numbers, arrays,
//! keys and paths that were changed by hand. Everything follows from a seed.

pub(crate) mod sweep;

use goalward::numeric::Stream;
use serde_json::{Value, json};

/// The form of the checksum of a file.
const BEFORE: &str = ",\"checksum\":\"";

/// One corruption of a file: its bytes as they are, and what was done.
pub(crate) struct Corrupted {
    pub(crate) bytes: Vec<u8>,
    pub(crate) what: String,
    /// The same with the checksum made anew; none if the rest is no object.
    pub(crate) forged: Option<Vec<u8>>,
}

/// The n-th corruption of a checkpoint; `victim` is a foreign file, with its content.
pub(crate) fn corrupt(file: &[u8], n: u64, victim: (&str, &[u8])) -> Corrupted {
    let mut luck = Stream::new(n, &[0x636f_7272]);
    loop {
        let corrupted = once(file, &mut luck, victim);
        if corrupted.bytes != file {
            return corrupted;
        }
    }
}

fn once(file: &[u8], luck: &mut Stream, victim: (&str, &[u8])) -> Corrupted {
    // a quarter of them to the bytes, the others to what they say
    if luck.below(4) == 0 {
        let (bytes, what) = to_bytes(file, luck);
        let forged = body(&bytes).map(sealed);
        return Corrupted { bytes, what, forged };
    }
    let text = std::str::from_utf8(file).expect("a checkpoint is text");
    let at = text.rfind(BEFORE).expect("a checkpoint has a checksum");
    let mut value: Value = serde_json::from_str(&format!("{}}}", &text[..at])).expect("a checkpoint is JSON");
    let mut what = Vec::new();
    for _ in 0..1 + luck.below(2) {
        what.push(to_value(&mut value, luck, victim));
    }
    let object = value.to_string();
    let bytes = format!("{}{}", &object[..object.len() - 1], &text[at..]).into_bytes();
    Corrupted { bytes, what: what.join(", "), forged: Some(sealed(object.into_bytes())) }
}

/// The object before the checksum, as far as there is one.
fn body(file: &[u8]) -> Option<Vec<u8>> {
    let text = String::from_utf8_lossy(file);
    let end = text.rfind(BEFORE).unwrap_or(text.trim_end().len());
    (end > 0).then(|| format!("{}}}", &text[..end]).into_bytes())
}

/// The checksum made anew.
fn sealed(mut object: Vec<u8>) -> Vec<u8> {
    object.pop();
    let hash = blake3::hash(&object).to_hex().to_string();
    [&object[..], BEFORE.as_bytes(), hash.as_bytes(), b"\"}\n"].concat()
}

fn to_bytes(file: &[u8], luck: &mut Stream) -> (Vec<u8>, String) {
    let mut bytes = file.to_vec();
    let at = luck.below(bytes.len());
    let what = match luck.below(5) {
        0 | 1 => {
            let bit = luck.below(8);
            bytes[at] ^= 1 << bit;
            format!("bit {bit} of byte {at}")
        }
        2 => {
            bytes.truncate(at);
            format!("cut at {at}")
        }
        3 => {
            let end = (at + 1 + luck.below(40)).min(bytes.len());
            bytes.drain(at..end);
            format!("without bytes {at} to {end}")
        }
        _ => {
            let end = (at + 1 + luck.below(40)).min(bytes.len());
            let twice = bytes[at..end].to_vec();
            bytes.splice(at..at, twice);
            format!("bytes {at} to {end} twice")
        }
    };
    (bytes, what)
}

/// All places in a value.
fn places(value: &Value, prefix: &str, found: &mut Vec<String>) {
    let mut inside = |key: &str, value: &Value| {
        let place = format!("{prefix}/{key}");
        found.push(place.clone());
        places(value, &place, found);
    };
    match value {
        Value::Object(map) => map.iter().for_each(|(key, value)| inside(key, value)),
        Value::Array(all) => all.iter().enumerate().for_each(|(i, value)| inside(&i.to_string(), value)),
        _ => {}
    }
}

fn to_value(root: &mut Value, luck: &mut Stream, victim: (&str, &[u8])) -> String {
    let mut all = Vec::new();
    places(root, "", &mut all);
    // long tables have most places: every other time a place is taken from the shorter list of
    // others
    if luck.below(2) == 0 {
        let is_cell = |place: &String| place.rsplit('/').next().is_some_and(|key| key.parse::<u32>().is_ok());
        all.retain(|place| !is_cell(place));
    }
    let place = all[luck.below(all.len())].clone();
    let other = all[luck.below(all.len())].clone();
    match luck.below(12) {
        0 => {
            // a foreign file as the trace, with or without its true length and hash
            let length = if luck.below(2) == 0 { victim.1.len() } else { luck.below(2000) };
            let hash = blake3::hash(&victim.1[..length.min(victim.1.len())]).to_hex().to_string();
            root["trace"] = json!({ "path": victim.0, "bytes": length, "hash": hash });
            return format!("trace at {}", victim.0);
        }
        1 => {
            let (Some(a), Some(b)) = (root.pointer(&place).cloned(), root.pointer(&other).cloned()) else {
                return "nothing".into();
            };
            if !place.starts_with(&other) && !other.starts_with(&place) {
                *root.pointer_mut(&place).expect("it is there") = b;
                *root.pointer_mut(&other).expect("it is there") = a;
            }
            return format!("{place} and {other} swapped");
        }
        2 => {
            let (parent, key) = place.rsplit_once('/').expect("a place has a key");
            match root.pointer_mut(parent) {
                Some(Value::Object(map)) => drop(map.remove(key)),
                Some(Value::Array(all)) => drop(all.remove(key.parse().expect("an index"))),
                _ => {}
            }
            return format!("{place} removed");
        }
        3 => {
            if let Some(Value::Object(map)) = root.pointer_mut(&place) {
                map.insert("more".into(), json!(1));
            }
            return format!("{place} with a key more");
        }
        _ => {}
    }
    let Some(value) = root.pointer_mut(&place) else { return "nothing".into() };
    let before = value.to_string().chars().take(40).collect::<String>();
    match value {
        Value::Number(number) => *value = number_like(number.as_f64().unwrap_or(0.0), luck),
        Value::Array(all) => to_array(all, luck),
        Value::Bool(bit) => *bit = !*bit,
        Value::String(text) => {
            let others = ["", "lr", "levis", "random", "corridor", "../x", "fast", "time", "1e400", "0"];
            *text = others[luck.below(others.len())].into();
        }
        Value::Null => *value = json!(1),
        Value::Object(_) => *value = any(luck),
    }
    if luck.below(8) == 0 {
        *value = any(luck);
    }
    format!("{place}: {before} to {}", value.to_string().chars().take(40).collect::<String>())
}

fn any(luck: &mut Stream) -> Value {
    match luck.below(6) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!("text"),
        3 => json!([]),
        4 => json!({}),
        _ => json!([[1, 2], {}]),
    }
}

fn number_like(x: f64, luck: &mut Stream) -> Value {
    let whole = [0, 1, 2, 7, u32::MAX as u64, 1 << 53, u64::MAX, u64::MAX / 2];
    match luck.below(14) {
        0 => json!(-x),
        1 => json!(x * 2.0),
        2 => json!(x * 0.5),
        3 => json!(1e308),
        4 => json!(-1e308),
        5 => json!(5e-324),
        6 => json!(x + 1e-3),
        7 => json!((x as i64).saturating_add(1)),
        8 => json!((x as i64).saturating_sub(1)),
        9 => json!(1e140),
        10 => json!(x * (1.0 + 1e-7)),
        11 => json!(-1),
        _ => json!(whole[luck.below(whole.len())]),
    }
}

fn to_array(all: &mut Vec<Value>, luck: &mut Stream) {
    let first = all.first().cloned().unwrap_or(json!(0));
    match luck.below(6) {
        0 => drop(all.pop()),
        1 => all.push(first),
        2 => all.reverse(),
        3 => all.clear(),
        4 => all.iter_mut().for_each(|value| *value = first.clone()),
        _ if !all.is_empty() => {
            let at = luck.below(all.len());
            all.rotate_left(at);
        }
        _ => all.push(json!(0)),
    }
}
