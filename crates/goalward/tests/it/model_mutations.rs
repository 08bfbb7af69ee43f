//! No mutation of a model file makes a reader panic or reserve what the file does not justify.

use super::model_files::{CROSSING, Folder, settings};
use goalward::check::check;
use goalward::worlds;
use proptest::prelude::*;

const TABLE: &str = r#"{"env": "Pond", "n_states": 3, "n_actions": 2, "initial_distribution": [1.0, 0.0, 0.0],
 "columns": ["state", "action", "prob", "next_state", "reward", "terminated"], "transitions": [
 [0, 0, 0.5, 1, -1.0, false], [0, 0, 0.5, 0, -1.0, false], [0, 1, 1.0, 0, -1.0, false],
 [1, 0, 0.5, 2, -1.0, true], [1, 0, 0.5, 1, -2.0, true], [2, 0, 1.0, 2, 0.0, true]]}
"#;

const NESTED: &str = r#"{
 "0": {"0": [[0.5, 1, -1.0, false], [0.5, 0, -1.0, false]], "1": [[1.0, 0, -1.0, false]]},
 "1": {"0": [[0.5, 2, -1.0, true], [0.5, 1, -2.0, true]]}, "2": {"0": [[1.0, 2, 0.0, true]]}}
"#;

const PROBLEM: &str = r#"{"states": 3, "start": 0, "goal": 2, "dim": 2, "cost": [[1, 0.5], [0.25], []],
 "features": [[0, 0, 0, [0.5, 0.1]], [0, 0, 2, [0.5, 0.9]], [0, 1, 1, [1, 1]],
  [1, 0, 0, [0.2, 0.6]], [1, 0, 2, [0.8, 0.4]]],
 "theta": [0.25, 0.75], "extra": [[-1, 0, 0]], "state_names": ["bank", "bridge", "home"]}
"#;

#[derive(Clone, Debug)]
enum Edit {
    Cut(usize, usize),
    Duplicate(usize, usize),
    Swap(usize, usize),
    Overwrite(usize, u8),
    /// A word that means something, or a number that is too much.
    Insert(usize, usize),
    /// A line moved to another place.
    Line(usize, usize),
}

const WORDS: &[&str] = &[
    "@nr_states\n1000000000000000\n",
    "99999999999999999999",
    "4294967295",
    "1e308",
    "-1",
    "nan",
    "inf",
    "1/0",
    "\nstate 2 [1, 1] init\n",
    "\n\taction x\n",
    "\n\t\t1 : 0.5\n",
    "@model\n",
    "@placeholders\n$p : 1/2\n",
    "$p",
    "\"",
    "[",
    "]",
    ":",
    ",",
    "{",
    "}",
    "true",
    "\0",
    "é",
];

fn edit() -> impl Strategy<Value = Edit> {
    let n = 600usize;
    prop_oneof![
        (0..n, 1usize..60).prop_map(|(at, len)| Edit::Cut(at, len)),
        (0..n, 1usize..60).prop_map(|(at, len)| Edit::Duplicate(at, len)),
        (0..n, 0..n).prop_map(|(i, k)| Edit::Swap(i, k)),
        (0..n, any::<u8>()).prop_map(|(at, byte)| Edit::Overwrite(at, byte)),
        (0..n, 0..WORDS.len()).prop_map(|(at, k)| Edit::Insert(at, k)),
        (0..40usize, 0..40usize).prop_map(|(from, to)| Edit::Line(from, to)),
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
        Edit::Insert(at, k) => drop(bytes.splice(at % n..at % n, WORDS[k].bytes())),
        Edit::Line(from, to) => {
            let mut lines: Vec<&[u8]> = bytes.split_inclusive(|&b| b == b'\n').collect();
            let line = lines.remove(from % lines.len());
            lines.insert(to % (lines.len() + 1), line);
            *bytes = lines.concat();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 3000, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn readers_and_checks_survive(
        which in 0usize..4,
        packed in prop::bool::weighted(0.1),
        edits in prop::collection::vec(edit(), 1..6),
    ) {
        let files = [(CROSSING, "goal=done cost=time"), (TABLE, ""), (PROBLEM, ""), (NESTED, "start=0")];
        let (text, options) = files[which];
        let mut bytes = text.as_bytes().to_vec();
        if packed {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            std::io::Write::write_all(&mut encoder, &bytes).unwrap();
            bytes = encoder.finish().unwrap();
        }
        edits.iter().for_each(|edit| apply(&mut bytes, edit));
        let folder = Folder::new();
        let path = folder.put("model", &bytes);
        let options = settings(options);
        let opened = worlds::open(&path, &options);
        let report = check(&path, &options);
        if let Ok(instance) = &opened {
            // what is read is a model in which every row is a distribution
            let truth = instance.truth.as_ref();
            for p in 0..instance.problem.pairs() {
                let sum = truth.map_or(1.0, |truth| truth.row(&instance.problem, p).iter().sum::<f64>());
                prop_assert!((sum - 1.0).abs() < 2e-9);
            }
        }
        match (opened, report) {
            // a check that finds no error means that the file can be opened; a goal that can be
            // lost is an error of the check alone
            (Err(error), Ok(report)) => prop_assert!(!report.ok, "{}", error),
            (Ok(_), Err(error)) => prop_assert!(false, "{}", error),
            (Ok(_), Ok(report)) => prop_assert!(
                report.findings.iter().all(|f| {
                    f.level != goalward::check::Level::Error || ["lost", "unreachable"].contains(&f.note.kind)
                }),
                "{:?}", report.findings
            ),
            (Err(error), Err(_)) => prop_assert!(!error.to_string().is_empty()),
        }
    }
}

/// A header that promises the moon: nothing is reserved for it. Without the bound this would be 8
/// PB.
#[test]
fn counts_reserve_nothing() {
    let folder = Folder::new();
    for count in ["1000000000000000", "18446744073709551615"] {
        let text = CROSSING.replace("@nr_states\n4", &format!("@nr_states\n{count}"));
        let path = folder.put("model.drn", text.replace("@nr_choices\n5", &format!("@nr_choices\n{count}")));
        let error = worlds::open(&path, &settings("goal=done cost=time")).unwrap_err().to_string();
        assert!(error.contains(&format!("@nr_states says {count}")), "{error}");
    }
}

/// A thousand reward models that nothing uses, and many choices: 8 GB if each value were kept.
#[test]
fn rewards_that_nobody_uses_cost_nothing() {
    let names: Vec<String> = (0..1000).map(|i| format!("r{i}")).collect();
    let mut text = format!("@type: MDP\n@reward_models\n{}\n@model\nstate 0 init\n", names.join(" "));
    (0..1_000_000).for_each(|_| text.push_str("action a\n1 : 1\n"));
    text.push_str("state 1 done\n");
    let folder = Folder::new();
    let instance = worlds::open(&folder.put("wide.drn", text), &settings("cost=r7")).unwrap();
    assert_eq!((instance.problem.pairs(), instance.problem.cost(5)), (1_000_000, 0.0));
}
