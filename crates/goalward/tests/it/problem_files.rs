//! Problem files: what is right comes back to the bit, what is wrong is refused with its place, and
//! nothing panics.

use goalward::files::json::{parse, read, to_json};
use goalward::{Error, problem::Instance};
use proptest::prelude::*;
use std::path::Path;

/// A small sound file; every malformed one below differs from it in one place.
const SOUND: &str = r#"{
  "name": "crossing",
  "states": 3,
  "start": 0,
  "goal": 2,
  "dim": 2,
  "cost": [
    [1.0, 0.5],
    [0.25],
    [0.0]
  ],
  "features": [
    [0, 0, 0, [0.5, 0.1]],
    [0, 0, 2, [0.5, 0.9]],
    [0, 1, 1, [1.0, 1.0]],
    [1, 0, 0, [0.2, 0.6]],
    [1, 0, 2, [0.8, 0.4]],
    [2, 0, 2, [1.0, 1.0]]
  ],
  "theta": [0.25, 0.75],
  "extra": [[-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]],
  "state_names": ["bank", "bridge", "home"],
  "action_names": [["swim", "walk"], ["cross"], ["stay"]],
  "model_names": ["dry", "icy"]
}
"#;

/// (what is put in place of what, what the error must say); `>:14:` is line 14 of `<text>`.
const MALFORMED: &[(&str, &str, &[&str])] = &[
    // the form of the text
    (SOUND, "", &[">:1:1:", "empty"]),
    (SOUND, " \n\n ", &[">:3:2:", "empty"]),
    (SOUND, "null", &[">:1:", "null", "expected a problem {...}"]),
    (SOUND, "[1, 2]", &[">:1:1:", "object", "not a list"]),
    ("{\n  \"name\"", "\u{feff}{\n  \"name\"", &[">:1:1:", "byte order mark"]),
    ("\"icy\"]\n}\n", "\"icy\"]\n", &["EOF"]),
    ("\"icy\"]\n}\n", "\"icy\"]\n}\n}", &[">:26:1:", "trailing"]),
    ("[0, 0, 2, [0.5, 0.9]],", "[0, 0, 2, [0.5, 0.9]]", &[">:15:5:", "expected"]),
    ("[0, 0, 2, [0.5, 0.9]],", "[0, 0, 2, [0.5, NaN]],", &[">:14:", "expected value"]),
    ("[0, 0, 2, [0.5, 0.9]],", "[0, 0, 2, [0.5, 1e400]],", &[">:14:", "out of range"]),
    ("[0, 0, 2, [0.5, 0.9]],", "[0, 0, 2, [0.5, -Infinity]],", &[">:14:", "number"]),
    ("[0, 0, 2, [0.5, 0.9]],", "[0, 0, 2, [0.5, null]],", &[">:14:", "null", "f64"]),
    ("[0, 0, 2, [0.5, 0.9]],", "[0, 0, 2, [0.5, \"0.9\"]],", &[">:14:", "string", "f64"]),
    ("[0, 0, 2, [0.5, 0.9]],", "[0, 0, 2, 0.5, 0.9],", &[">:14:", "0.5", "sequence"]),
    ("[0, 0, 2, [0.5, 0.9]],", "[0, 0, [0.5, 0.9]],", &[">:14:", "u32"]),
    ("[0, 0, 2, [0.5, 0.9]],", "[0, 0, 2, [0.5, 0.9], 7],", &[">:14:", "trailing"]),
    ("[0, 0, 2, [0.5, 0.9]],", "[0, 0, 2],", &[">:14:", "invalid length 3"]),
    ("[0, 0, 2, [0.5, 0.9]],", "[0, 0, -2, [0.5, 0.9]],", &[">:14:", "-2", "u32"]),
    ("[0, 0, 2, [0.5, 0.9]],", "[0, 0, 1.5, [0.5, 0.9]],", &[">:14:", "1.5", "u32"]),
    ("\"goal\": 2", "\"goal\": 1e400", &[">:5:", "out of range"]),
    ("\"goal\": 2", "\"goal\": \"home\"", &[">:5:", "home", "usize"]),
    ("\"goal\": 2", "\"goal\": 2, \"goal\": 1", &[">:5:", "duplicate field `goal`"]),
    ("\"goal\": 2", "\"aim\": 2", &[">:5:", "unknown field `aim`"]),
    ("  \"goal\": 2,\n", "", &[">:24:1:", "missing field `goal`"]),
    ("  \"dim\": 2,\n", "", &["missing field `dim`"]),
    ("\"crossing\"", "[[[[[[[[[[[[[[[[[[[[", &[">:2:", "string"]),
    ("\"crossing\"", "\"cross\ning\"", &[">:3:", "control character"]),
    ("\"crossing\"", "\"\\ud800\"", &[">:2:", "hex escape"]),
    // counts
    ("\"states\": 3", "\"states\": 1000000000000000", &["cost", "3 states", "states is 1000000000000000"]),
    ("\"states\": 3", "\"states\": 1e15", &[">:3:", "usize"]),
    ("\"states\": 3", "\"states\": 99999999999999999999", &[">:3:", "usize"]),
    ("\"states\": 3", "\"states\": 2", &["cost", "states is 2"]),
    ("\"start\": 0", "\"start\": 3", &["start", "state 3 does not exist", "3 states"]),
    ("\"goal\": 2", "\"goal\": 17", &["goal", "state 17 does not exist"]),
    ("\"dim\": 2", "\"dim\": 0", &["dim", "0 features"]),
    ("\"dim\": 2", "\"dim\": 1000000000000000", &["dim", "1000000000000000"]),
    ("\"dim\": 2", "\"dim\": 1025", &["dim", "1025"]),
    ("\"dim\": 2", "\"dim\": 3", &["theta", "2 entries", "dim is 3"]),
    // costs
    ("[0.25],", "[-0.25],", &["cost[1][0]", "bridge", "cross", "-0.25", "negative"]),
    ("[0.25],", "[1e200],", &["cost[1][0]", "1e200", "at most 1e100"]),
    ("[0.25],", "[],", &["action_names[1]", "1 names for 0 actions"]),
    ("[0.0]\n", "[0.125]\n", &["goal home", "stay", "0.125", "free"]),
    // features
    ("[0, 0, 2, [0.5, 0.9]]", "[3, 0, 2, [0.5, 0.9]]", &["features[1]", "state 3 does not exist"]),
    ("[0, 0, 2, [0.5, 0.9]]", "[0, 2, 2, [0.5, 0.9]]", &["features[1]", "bank", "action 2 does not exist"]),
    ("[0, 0, 2, [0.5, 0.9]]", "[0, 0, 9, [0.5, 0.9]]", &["features[1]", "bank", "swim", "next state 9"]),
    ("[0, 0, 2, [0.5, 0.9]]", "[0, 0, 2, [0.5]]", &["features[1]", "bank", "swim", "home", "1 entries"]),
    ("[0, 0, 2, [0.5, 0.9]]", "[0, 0, 2, [0.5, 1e101]]", &["features[1]", "swim", "feature 1", "1e101"]),
    ("[0, 0, 2, [0.5, 0.9]]", "[0, 0, 0, [0.5, 0.9]]", &["features[1]", "twice", "features[0]", "swim"]),
    ("    [0, 1, 1, [1.0, 1.0]],\n", "", &["bank", "walk", "no successor"]),
    ("[0, 1, 1, [1.0, 1.0]]", "[0, 1, 1, [0.0, 0.0]]", &["bank", "walk", "no successor"]),
    ("[2, 0, 2, [1.0, 1.0]]", "[2, 0, 1, [1.0, 1.0]]", &["home is not absorbing", "stay", "bridge"]),
    ("[1, 0, 2, [0.8, 0.4]]", "[1, 0, 2, [0.8, 0.5]]", &["theta is outside B", "bridge", "cross", "1.075"]),
    ("[0, 1, 1, [1.0, 1.0]]", "[0, 1, 1, [2.0, 2.0]]", &["bank", "walk", "sum to one"]),
    // theta, facts, names
    ("[0.25, 0.75]", "[0.25, 0.85]", &["theta is outside B", "bank", "swim", "1.1"]),
    ("[0.25, 0.75]", "[1.5, -0.5]", &["theta violates extra row 1", "0.5"]),
    ("[0.25, 0.75]", "[0.25]", &["theta", "1 entries", "dim is 2"]),
    ("[0.25, 0.75]", "[1e150, 0.75]", &["theta", "1e150"]),
    ("[0.0, -1.0, 0.0]", "[0.0, -1.0]", &["extra[1]", "2 numbers", "dim + 1 = 3"]),
    ("[0.0, -1.0, 0.0]", "[]", &["extra[1]", "0 numbers"]),
    ("[0.0, -1.0, 0.0]", "[0.0, -1e101, 0.0]", &["extra[1]", "-1e101"]),
    ("[0.0, -1.0, 0.0]", "[1.0, 0.0, 0.125]", &["extra row 1", "0.25", "at most 0.125"]),
    ("[0.0, -1.0, 0.0]", "[1.0, 1.0, 0.5]", &["the set B is empty", "off by 0.4999"]),
    ("\"bridge\", ", "", &["state_names", "2 names for 3 states"]),
    ("[\"cross\"], ", "", &["action_names", "2 lists for 3 states"]),
    ("\"swim\", ", "", &["action_names[0]", "1 names for 2 actions"]),
    ("\"swim\"", "7", &[">:23:", "7", "string"]),
    ("\"dry\", ", "", &["model_names", "1 names for 2 models", "dim is 2"]),
    ("\"dry\", ", "\"dry\", \"wet\", ", &["model_names", "3 names for 2 models"]),
    ("\"dry\"", "\"icy\"", &["model_names[1]", "model 0 is called \"icy\" too"]),
    ("\"icy\"", "\"\"", &["model_names[1]", "the name is empty"]),
    ("\"icy\"", "\" \"", &["model_names[1]", "the name is empty"]),
    ("\"icy\"", "2", &[">:24:", "2", "string"]),
    ("[\"dry\", \"icy\"]", "\"dry icy\"", &[">:24:", "sequence of names"]),
    ("[\"dry\", \"icy\"]", "[]", &["model_names", "0 names for 2 models"]),
    ("\"model_names\"", "\"models\"", &[">:24:", "unknown field `models`", "model_names"]),
];

fn bits(x: &[f64]) -> Vec<u64> {
    x.iter().map(|x| x.to_bits()).collect()
}

fn assert_same(a: &Instance, b: &Instance) {
    let theta = |i: &Instance| i.truth.as_ref().map(|t| bits(t.theta().unwrap_or_default()));
    assert_eq!(theta(a), theta(b));
    let (a, b) = (&*a.problem, &*b.problem);
    assert_eq!((a.name(), a.start(), a.goal(), a.dim()), (b.name(), b.start(), b.goal(), b.dim()));
    assert_eq!(
        (a.state_names(), a.action_names(), a.model_names(), a.extra()),
        (b.state_names(), b.action_names(), b.model_names(), b.extra())
    );
    assert_eq!((a.states(), bits(a.costs())), (b.states(), bits(b.costs())));
    for p in 0..a.pairs() {
        assert_eq!((a.successors(p), bits(a.phi(p))), (b.successors(p), bits(b.phi(p))));
    }
}

#[test]
fn the_sound_file_is_read_and_comes_back() {
    let instance = parse(SOUND).unwrap();
    assert_eq!(instance.problem.action_name(0, 1), "walk");
    assert_eq!(instance.problem.model_name(1), "icy");
    assert_eq!(instance.truth().unwrap().theta().unwrap(), [0.25, 0.75]);
    assert_same(&instance, &parse(&to_json(&instance)).unwrap());
}

#[test]
fn malformed_files_are_refused_with_the_place() {
    let mut faults = Vec::new();
    for (from, to, parts) in MALFORMED {
        assert_eq!(SOUND.matches(from).count(), 1, "{from:?} must occur once");
        match parse(&SOUND.replace(from, to)) {
            Ok(_) => faults.push(format!("{from:?} -> {to:?} was accepted")),
            Err(error) => {
                let error = error.to_string();
                let unsaid = parts.iter().filter(|part| !error.contains(**part));
                faults.extend(
                    unsaid.map(|part| format!("{from:?} -> {to:?}: {error:?} does not say {part:?}")),
                );
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(MALFORMED.len() >= 25);
}

#[test]
fn a_state_without_a_way_is_named() {
    let stuck = SOUND.replace("[1, 0, 0, [0.2, 0.6]],\n    [1, 0, 2, [0.8, 0.4]]", "[1, 0, 1, [1, 1]]");
    // it can be read and planned on, which says that the bridge is lost; but no learner is built
    // for it
    let problem = parse(&stuck).unwrap().problem;
    let lr = goalward::learners::entry("lr").unwrap();
    let built = lr.build(&problem, &Default::default(), 0, 10, Default::default());
    let error = built.map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("home is unreachable from state bridge"), "{error}");
}

#[test]
fn optional_fields_may_be_absent() {
    let mut text = SOUND.to_string();
    let rest = text.find("  \"theta\"").unwrap();
    text.truncate(rest);
    let text =
        text.replace("  \"name\": \"crossing\",\n", "").trim_end().trim_end_matches(',').to_string() + "}";
    let instance = parse(&text).unwrap();
    let problem = &instance.problem;
    assert!(instance.truth.is_none() && matches!(instance.truth(), Err(Error::NoTruth { .. })));
    assert!(problem.state_names().is_none() && problem.action_names().is_none());
    assert!(problem.model_names().is_none() && !to_json(&instance).contains("model_names"));
    assert!(problem.extra().is_empty() && problem.name() == "problem");
    assert_same(&instance, &parse(&to_json(&instance)).unwrap());
    // without names the numbers are said
    let error = parse(&text.replace("[0.25]", "[-1]")).unwrap_err().to_string();
    assert!(error.contains("state 1, action 0"), "{error}");
}

#[test]
fn the_order_of_features_does_not_matter() {
    let (first, last) = ("[0, 0, 0, [0.5, 0.1]]", "[2, 0, 2, [1.0, 1.0]]");
    let turned = SOUND.replace(first, "?").replace(last, first).replace('?', last);
    assert_same(&parse(SOUND).unwrap(), &parse(&turned).unwrap());
}

#[test]
fn numbers_come_back_to_the_bit() {
    let awkward = [0.1 + 0.2, 1.0 / 3.0, 5e-324, 1e-300, f64::EPSILON, 123456789.12345679];
    for x in awkward {
        let text = SOUND.replace("[0.25],", &format!("[{x:?}],"));
        let instance = parse(&text).unwrap();
        assert_eq!(instance.problem.cost(2).to_bits(), x.to_bits());
        assert_same(&instance, &parse(&to_json(&instance)).unwrap());
    }
    let odd_name = SOUND.replace("\"bank\"", "\"\\\"b\\u0000\\n\\u00e4\\ud83d\\ude00\"");
    let instance = parse(&odd_name).unwrap();
    assert_eq!(instance.problem.state_name(0), "\"b\0\nä😀");
    assert_same(&instance, &parse(&to_json(&instance)).unwrap());
}

#[test]
fn files_name_themselves() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("crossing.json");
    let put = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        read(&path)
    };
    assert_same(&put(SOUND.as_bytes()).unwrap(), &parse(SOUND).unwrap());
    let nameless = SOUND.replace("\"crossing\"", "null");
    assert_eq!(put(nameless.as_bytes()).unwrap().problem.name(), "crossing");

    let error = put(SOUND.replace("\"dim\": 2", "\"dim\": x").as_bytes()).unwrap_err();
    assert!(matches!(error, Error::File { line: 6, .. }) && error.to_string().contains("crossing.json:6:"));
    let error = put(SOUND.replace("[0.25, 0.75]", "[0.5, 0.75]").as_bytes()).unwrap_err();
    assert!(matches!(error, Error::InFile { .. }) && error.hint().is_some());
    assert!(error.to_string().contains("crossing.json: theta is outside B"), "{error}");

    // what is wrong in content has its line too
    for (from, to, line) in [
        ("[0.25],", "[-0.25],", 9),
        ("[0, 0, 2, [0.5, 0.9]]", "[0, 0, 9, [0.5, 0.9]]", 14),
        ("[1, 0, 2, [0.8, 0.4]]", "[1, 0, 2, [0.8]]", 17),
        ("\"start\": 0", "\"start\": 3", 4),
        ("[0.25, 0.75]", "[0.25]", 20),
        ("[0.0, -1.0, 0.0]", "[0.0, -1.0]", 21),
        ("\"bridge\", ", "", 22),
        ("\"dry\", ", "", 24),
        ("\"dry\"", "\"icy\"", 24),
    ] {
        let error = put(SOUND.replace(from, to).as_bytes()).unwrap_err();
        assert!(matches!(error, Error::AtLine { line: at, .. } if at == line), "{error}");
    }

    let mut latin = SOUND.as_bytes().to_vec();
    let at = SOUND.find("bank").unwrap();
    latin[at] = 0xe4;
    let error = put(&latin).unwrap_err().to_string();
    assert!(error.contains("crossing.json:22:20: byte 0xe4 is not UTF-8"), "{error}");
    latin[0] = b'@';
    let error = put(&latin).unwrap_err().to_string();
    assert!(error.contains("crossing.json:1:1: this is a DRN model"), "{error}");

    assert!(matches!(read(&folder.path().join("absent.json")), Err(Error::Io { .. })));
    assert!(matches!(read(folder.path()), Err(Error::Io { .. })));
    assert!(read(Path::new("")).is_err());
}

/// One successor list of 200,000 entries in falling order: quadratic insertion would take minutes.
#[test]
fn a_long_row_in_falling_order_is_no_trouble() {
    let n = 200_000;
    let mut text = format!("{{\"states\": {n}, \"start\": 0, \"goal\": {}, \"dim\": 1, \"cost\": [", n - 1);
    text.push_str(&"[1],".repeat(n - 1));
    text.push_str("[]], \"features\": [");
    for next in (0..n).rev() {
        text.push_str(&format!("[0,0,{next},[{}]],", 1.0 / n as f64));
    }
    for s in 1..n - 1 {
        text.push_str(&format!("[{s},0,{},[1]],", n - 1));
    }
    text.pop();
    text.push_str("]}");
    assert_eq!(parse(&text).unwrap().problem.successors(0).len(), n);
}

#[derive(Clone, Debug)]
enum Edit {
    Cut(usize, usize),
    Duplicate(usize, usize),
    Swap(usize, usize),
    Overwrite(usize, u8),
    /// Bytes that mean something in JSON hit deeper than random ones.
    Meaning(usize, usize),
}

const MEANING: &[u8] = b"{}[],:\"0123456789-+.eE \n\\nulltrue";

fn edit() -> impl Strategy<Value = Edit> {
    let n = SOUND.len();
    prop_oneof![
        (0..n, 1usize..60).prop_map(|(at, len)| Edit::Cut(at, len)),
        (0..n, 1usize..60).prop_map(|(at, len)| Edit::Duplicate(at, len)),
        (0..n, 0..n).prop_map(|(i, k)| Edit::Swap(i, k)),
        (0..n, any::<u8>()).prop_map(|(at, byte)| Edit::Overwrite(at, byte)),
        (0..n, 0..MEANING.len()).prop_map(|(at, k)| Edit::Meaning(at, k)),
    ]
}

fn apply(bytes: &mut Vec<u8>, edit: &Edit) {
    let n = bytes.len();
    if n == 0 {
        return;
    }
    match *edit {
        Edit::Cut(at, len) => drop(bytes.drain(at % n..(at % n + len).min(n))),
        Edit::Duplicate(at, len) => {
            let piece = bytes[at % n..(at % n + len).min(n)].to_vec();
            bytes.splice(at % n..at % n, piece);
        }
        Edit::Swap(i, k) => bytes.swap(i % n, k % n),
        Edit::Overwrite(at, byte) => bytes[at % n] = byte,
        Edit::Meaning(at, k) => bytes[at % n] = MEANING[k],
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_mutation_makes_it_panic(edits in prop::collection::vec(edit(), 1..5)) {
        let mut bytes = SOUND.as_bytes().to_vec();
        edits.iter().for_each(|edit| apply(&mut bytes, edit));
        match std::str::from_utf8(&bytes) {
            Ok(text) => match parse(text) {
                // what is accepted must be a problem that can be written and read again
                Ok(instance) => assert_same(&instance, &parse(&to_json(&instance)).unwrap()),
                Err(error) => prop_assert!(!error.to_string().is_empty()),
            },
            Err(_) => {
                let file = tempfile::NamedTempFile::new().unwrap();
                std::fs::write(file.path(), &bytes).unwrap();
                let error = read(file.path()).unwrap_err().to_string();
                prop_assert!(error.contains(&file.path().display().to_string()), "{}", error);
                // what no longer begins as a problem may be told by that first
                let begins = bytes.trim_ascii_start().starts_with(b"{");
                prop_assert!(error.contains("not UTF-8") || !begins, "{}", error);
            }
        }
    }
}
