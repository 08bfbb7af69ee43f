//! `check`: all that is wrong, in one go, and what is worth knowing.

use super::model_files::{CROSSING, Folder, settings};
use crate::worlds_for_tests::small;
use goalward::Settings;
use goalward::check::{Level, Report, check};
use goalward::files::json;
use goalward::worlds;

fn report(text: &str, options: &str) -> Report {
    let folder = Folder::new();
    check(&folder.put("model", text), &settings(options)).unwrap()
}

/// The kind, line, state, action and value of a finding.
type Told<'a> = (&'a str, Option<usize>, Option<&'a str>, Option<&'a str>, Option<f64>);

/// Every finding of a level.
fn found(report: &Report, level: Level) -> Vec<Told<'_>> {
    let findings = report.findings.iter().filter(|f| f.level == level);
    findings
        .map(|f| (f.note.kind, f.note.line, f.note.state.as_deref(), f.note.action.as_deref(), f.note.value))
        .collect()
}

#[test]
fn a_sound_model_has_its_sizes() {
    let report = report(CROSSING, "goal=done cost=time");
    assert!(report.ok && report.errors == 0 && report.warnings == 0, "{:?}", report.findings);
    assert_eq!(report.format, "DRN");
    // as the file has them
    assert_eq!((report.states, report.choices, report.transitions), (Some(4), Some(5), Some(8)));
    assert_eq!((report.start.as_deref(), report.goal.as_deref()), (Some("0"), Some("done")));
    assert_eq!(
        report.labels.iter().map(|(l, n)| (l.as_str(), *n)).collect::<Vec<_>>(),
        [("done", 2), ("wet", 1), ("x = 2 & y", 1)]
    );
    assert_eq!(report.reward_models, ["time", "energy"]);
    assert_eq!(
        (report.smallest_cost, report.largest_cost, report.cost_unit),
        (Some(1.0), Some(5.0), Some(5.0))
    );
    assert_eq!((report.dim, report.free, report.identifiable), (Some(1), Some(0), Some(true)));
    assert!(report.bytes.is_some_and(|bytes| (100..1000).contains(&bytes)), "{:?}", report.bytes);
    assert_eq!(found(&report, Level::Note), [("cost-scale", None, None, None, Some(5.0))]);
}

#[test]
fn every_fault_of_a_model_is_named_at_once() {
    let text = CROSSING
        .replace("1 : 1/4", "1 : 0.35")
        .replace("2 : 0.5\nstate 1", "2 : -0.5\nstate 1")
        .replace("\t\t0 : 1\n", "\t\t0 : one\n")
        .replace("[2, 3]", "[-2, 3]")
        .replace("@nr_choices\n5", "@nr_choices\n7");
    let report = report(&text, "goal=done cost=time");
    assert_eq!(
        found(&report, Level::Error),
        [
            ("form", Some(23), None, None, None),
            ("form", Some(29), None, None, None),
            ("row-sum", Some(14), Some("0"), Some("walk"), Some(1.1)),
            ("probability", Some(18), Some("0"), Some("run"), Some(-0.5)),
            ("no-successor", Some(22), Some("1"), Some("back"), None),
            ("cost", Some(18), Some("0"), Some("run"), Some(-2.0)),
            ("unreachable", None, None, None, None),
            ("lost", None, None, None, None),
        ]
    );
    assert!(
        report
            .findings
            .iter()
            .filter(|f| !["form", "rounded"].contains(&f.note.kind))
            .all(|f| f.note.hint.is_some()),
        "{:?}",
        report.findings
    );
    assert_eq!((report.ok, report.errors), (false, 8));
}

#[test]
fn what_the_user_leaves_open_does_not_hide_the_rest() {
    let report = report(&CROSSING.replace("1 : 1/4", "1 : 0.35"), "start=7");
    let kinds: Vec<&str> = report.findings.iter().map(|f| f.note.kind).collect();
    assert_eq!(kinds, ["row-sum", "goal", "cost", "start"]);
    assert!(report.findings[1].note.message.contains("\"done\" (2 states)"));
}

#[test]
fn free_loops_lost_states_and_states_never_reached() {
    // 0 <-> 1 for free, 2 loops for free, 3 is the goal, 4 leads to 0 but nothing leads there, 5 is
    // a trap that 1 may choose
    let text = "@type: MDP\n@reward_models\nc\n@model\nstate 0 init\n action 0\n 1 : 1\nstate 1\n \
                action 0\n 0 : 1\n\
        action on [1]\n 2 : 1\n action trap [1]\n 5 : 1\nstate 2\n action 0\n 2 : 1\n action go \
        [1]\n 3 : 1\nstate 3 done\n\
        state 4\n action 0 [1]\n 0 : 1\nstate 5\n action 0 [1]\n 5 : 1\n";
    let report = report(text, "");
    let states = |kind: &str| -> Vec<String> {
        report.findings.iter().filter(|f| f.note.kind == kind).map(|f| f.states.join(" ")).collect()
    };
    assert_eq!(states("zero-cost-loop"), ["0 1", "2"]);
    assert_eq!(states("never-reached"), ["4"]);
    assert_eq!(states("unreachable"), ["5"]);
    assert_eq!((report.errors, report.warnings, report.smallest_cost), (1, 3, Some(0.0)));
    assert!(
        report.findings.iter().any(|f| f.note.kind == "lost" && f.level == Level::Note),
        "{:?}",
        report.findings
    );
}

#[test]
fn rows_with_few_digits_are_a_warning() {
    let report = report(&CROSSING.replace("1 : 1/4", "1 : 0.2500004"), "goal=done cost=1");
    assert!(report.ok);
    assert_eq!(
        found(&report, Level::Warning),
        [
            ("rescaled", Some(14), Some("0"), Some("walk"), Some(1.0000004)),
            // 0.2500004, in a file of rational numbers
            ("rounded", None, None, None, None)
        ]
    );
}

#[test]
fn many_faults_are_counted_and_some_are_kept() {
    let mut text = String::from("@type: MDP\n@model\nstate 0 init\n");
    (0..500).for_each(|_| text.push_str("action a\n1 : 0.5\n"));
    (0..300).for_each(|_| text.push_str("nonsense\n"));
    text.push_str("state 1 done\n");
    let report = report(&text, "");
    assert_eq!((report.errors, report.omitted["row-sum"], report.omitted["form"]), (800, 450, 250));
    assert_eq!(report.findings.len(), 100);
}

const PROBLEM: &str = r#"{"states": 3, "start": 0, "goal": 2, "dim": 2, "cost": [[1.0, 0.5], [0.25], []],
 "features": [[0, 0, 0, [0.5, 0.1]], [0, 0, 2, [0.5, 0.9]], [0, 1, 1, [1.0, 1.0]], [1, 0, 0, [0.2, 0.6]], [1, 0, 2, [0.8, 0.4]]],
 "theta": [0.25, 0.75], "state_names": ["bank", "bridge", "home"]}"#;

#[test]
fn problem_files_are_checked_as_a_whole() {
    let fine = report(PROBLEM, "");
    assert!(fine.ok && fine.findings.is_empty(), "{:?}", fine.findings);
    assert_eq!((fine.dim, fine.free, fine.rank, fine.identifiable), (Some(2), Some(1), Some(1), Some(true)));
    // content: all at once, and the graph besides
    let text = PROBLEM
        .replace("[0.25], []", "[-0.25], []")
        .replace("[0, 0, 0, [0.5, 0.1]]", "[0, 0, 7, [0.5, 0.1]]");
    let bad = report(&text.replace("[1, 0, 2, [0.8, 0.4]]", "[1, 0, 2, [0.8]]"), "");
    let say: Vec<_> =
        bad.findings.iter().map(|f| (f.note.line, f.note.message.split(": ").nth(1).unwrap())).collect();
    let expected = [(Some(1), "cost[1][0]"), (Some(2), "features[0]"), (Some(2), "features[4]")];
    assert_eq!(say[..3], expected, "{:?}", bad.findings);
    // theta: every row that it makes no distribution of
    let off = report(&PROBLEM.replace("[0.25, 0.75]", "[0.25, 0.85]"), "");
    let rows: Vec<_> =
        found(&off, Level::Error).into_iter().map(|f| (f.0, f.2.unwrap(), f.3.unwrap())).collect();
    assert_eq!(rows, [("theta", "bank", "0"), ("theta", "bank", "1"), ("theta", "bridge", "0")]);
    // a row that sums to 1.1 whatever theta
    let contradiction = report(&PROBLEM.replace("[0, 1, 1, [1.0, 1.0]]", "[0, 1, 1, [1.1, 1.1]]"), "");
    assert_eq!(found(&contradiction, Level::Error)[0].0, "B");
    // form
    let broken = report(&PROBLEM.replace("\"goal\": 2", "\"goal\": two"), "");
    assert_eq!(found(&broken, Level::Error), [("form", Some(1), None, None, None)]);
    // two models that are the same cannot be told apart
    let same = PROBLEM
        .replace("0.1]", "0.5]")
        .replace("0.9]", "0.5]")
        .replace("0.6]", "0.2]")
        .replace("0.4]", "0.8]");
    let same = report(&same, "");
    assert!(same.ok && same.identifiable == Some(false) && same.rank == Some(0), "{same:?}");
    assert!(
        same.findings[0].note.message.contains("+1.000 theta[0] -1.000 theta[1]")
            || same.findings[0].note.message.contains("-1.000 theta[0] +1.000 theta[1]"),
        "{same:?}"
    );
}

/// Every built-in world is sound, and a file that says the same is too.
#[test]
fn worlds_are_sound() {
    for world in worlds::WORLDS {
        let report = check(world.id, &small(world.id)).unwrap();
        assert!(report.ok && report.identifiable == Some(true), "{}: {:?}", world.id, report.findings);
        let folder = Folder::new();
        let text = json::to_json(&worlds::open(world.id, &small(world.id)).unwrap());
        let file = check(&folder.put("world.json", text), &Settings::new()).unwrap();
        assert_eq!(
            (file.states, file.bytes, file.free, file.rank),
            (report.states, report.bytes, report.free, report.rank)
        );
    }
}

#[test]
fn what_cannot_be_read_is_an_error_and_no_report() {
    assert!(check("absent.drn", &Settings::new()).is_err());
    assert!(check("atlantis", &Settings::new()).is_err());
    let folder = Folder::new();
    assert!(check(&folder.put("a.json", PROBLEM), &settings("goal=home")).is_err());
}
