//! A comparison that was broken off says of every learner which runs it has.

use super::*;

fn broken_off(after: u64) -> Comparison {
    let impatient = Impatient { after, done: AtomicU64::new(0) };
    let all = contenders(&["random", "optimal"]);
    on_threads(1, || compare(&arena(), &all, &[0, 1, 2, 3], 1000, None, &impatient)).unwrap()
}

/// One thread does random 0, optimal 0, random 1, optimal 1, ...: after three runs the learners
/// have unequal runs.
#[test]
fn unequal_runs_are_named_in_table_figure_and_json() {
    let comparison = broken_off(3000);
    let runs: Vec<usize> = comparison.rows.iter().map(|row| row.runs).collect();
    assert_eq!(runs, [2, 1]);
    let json = serde_json::to_value(&comparison).unwrap();
    assert_eq!(json["rows"][0]["seeds"], serde_json::json!([0, 1]));
    assert_eq!(json["rows"][1]["seeds"], serde_json::json!([0]));
    assert_eq!(json["rows"][0]["runs_asked"], 4);
    assert!(json["interrupted"].is_object());
    let table = comparison.table();
    for words in ["2 of 4", "1 of 4", "not equally many", "random 2, optimal 1 of 4 seeds"] {
        assert!(table.contains(words), "{words:?} is not in {table}");
    }
    assert!(comparison.summary().contains("not equally many"));
    for figure in [comparison.figure(), comparison.log_figure()] {
        let svg = figure.svg().unwrap();
        assert!(svg.contains("random (2 of 4 seeds)"), "every learner's runs are named");
        assert!(!svg.contains("Mean of 4 runs") && svg.contains("interrupted after"));
    }
    assert!(comparison.figure().svg().unwrap().contains("optimal (1 of 4 seeds)"));
}

#[test]
fn equal_runs_are_named_too() {
    let comparison = broken_off(4000);
    assert!(comparison.table().contains("2 of 4 seeds of every learner"), "{}", comparison.table());
    assert!(comparison.figure().svg().unwrap().contains("optimal (2 of 4 seeds)"));
}

/// Broken off before anything ran: no figure pretends to have a curve, and none fails.
#[test]
fn nothing_at_all_is_no_error() {
    let comparison = broken_off(0);
    assert!(comparison.rows.iter().all(|row| row.runs == 0));
    assert!(comparison.table().contains("0 of 4"), "{}", comparison.table());
    let dir = tempfile::tempdir().unwrap();
    let all = contenders(&["random", "optimal"]);
    let asked = (1000, None);
    let folder = Comparison::folder(dir.path(), &arena(), &all, &[0, 1, 2, 3], asked, None, false).unwrap();
    comparison.write(&folder).unwrap();
    for name in ["regret.svg", "gap-regret.svg"] {
        let svg = std::fs::read_to_string(dir.path().join(name)).unwrap();
        assert!(svg.contains("random (0 of 4 seeds)"), "{name}");
    }
}

#[test]
fn a_whole_comparison_says_nothing_of_it() {
    let comparison = broken_off(u64::MAX);
    assert!(comparison.interrupted.is_none());
    let svg = comparison.figure().svg().unwrap();
    assert!(svg.contains("Mean of 4 runs") && !svg.contains("seeds)"));
    assert!(!comparison.table().contains(" of 4"), "{}", comparison.table());
}
