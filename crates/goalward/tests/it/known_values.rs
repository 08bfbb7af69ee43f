//! Models in others' formats, and the answers that are known of them.

use crate::known_models::{cliff, consensus, lake};
use crate::model_files::{Folder, settings};
use goalward::Settings;
use goalward::check::check;
use goalward::plan::{Options, solve};
use goalward::worlds;

#[test]
fn a_protocol_of_storm_has_its_known_values() {
    let folder = Folder::new();
    for (k, states, choices, steps) in [(2, 272, 400, 48.0), (4, 528, 784, 192.0)] {
        let path = folder.put("consensus.drn", consensus(k));
        let settings = settings("goal=finished cost=steps");
        let report = check(&path, &settings).unwrap();
        let goals = report.labels["finished"];
        let instance = worlds::open(&path, &settings).unwrap();
        let problem = &*instance.problem;
        assert_eq!((report.errors, problem.states()), (0, states + 1 - goals), "{:?}", report.findings);
        // goal states have one choice each
        assert_eq!(problem.pairs(), choices - goals);
        let exact = solve(problem, instance.truth().unwrap(), &Options::exact(1e-6)).unwrap();
        let (lower, upper) = (exact.lower[problem.start()], exact.upper[problem.start()]);
        assert!(lower <= steps && steps <= upper && upper - lower <= 1e-6 * upper, "{lower} {upper}");
    }
}

#[test]
fn gymnasium_tables_have_their_known_values() {
    let folder = Folder::new();
    let open = |text: String| {
        let path = folder.put("table.json", text);
        (worlds::open(&path, &Settings::new()).unwrap(), check(&path, &Settings::new()).unwrap())
    };
    let (cliff, report) = open(cliff());
    assert!(report.ok && report.goal.as_deref() == Some("47"), "{:?}", report.findings);
    let exact = solve(&cliff.problem, cliff.truth().unwrap(), &Options::exact(1e-9)).unwrap();
    let start = cliff.problem.start();
    assert!(exact.lower[start] <= 13.0 && 13.0 <= exact.upper[start] && exact.width() < 1e-9);

    let (lake, report) = open(lake());
    let exact = solve(&lake.problem, lake.truth().unwrap(), &Options::exact(1e-9)).unwrap();
    let error = exact.require_proper(&lake.problem).unwrap_err().to_string();
    assert!(error.contains("no policy reaches the goal with probability one"), "{error}");
    let kinds: Vec<_> = report.findings.iter().map(|f| (f.note.kind, f.states.join(" "))).collect();
    assert_eq!(kinds[0], ("unreachable", "5 7 11 12".into()));
    assert_eq!(kinds[1], ("lost", "0 1 2 3 4 6 8 9 10 13 14".into()));
    assert!(!report.ok);
}
