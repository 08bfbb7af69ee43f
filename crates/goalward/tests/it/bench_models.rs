//! Third-party models with known answers, where they are present beside the repository.

use crate::third_party;
use goalward::Settings;
use goalward::check::check;
use goalward::plan::{Options, solve};
use goalward::worlds;

/// File, goal, cost, states, choices, the exact minimum as a fraction.
type Known = (&'static str, &'static str, &'static str, usize, usize, (f64, f64));

const STORM: &[Known] = &[
    ("consensus.2_K2", "finished", "steps", 272, 400, (48.0, 1.0)),
    ("consensus.2_K4", "finished", "steps", 528, 784, (192.0, 1.0)),
    ("csma.2-2", "all_delivered", "time", 1038, 1054, (53954981353.0, 805306368.0)),
    ("firewire_abst_delay3", "done", "time", 611, 694, (541.0, 4.0)),
    ("firewire_abst_delay3", "done", "rounds", 611, 694, (1.0, 1.0)),
    ("wlan.0_COL0", "((s1 = 12) & (s2 = 12))", "time", 2954, 3972, (1325.0, 1.0)),
    ("wlan.0_COL0", "((s1 = 12) & (s2 = 12))", "cost", 2954, 3972, (7625.0, 1.0)),
];

#[test]
fn storm_models_have_their_known_values() {
    let Some(bench) = third_party::folder("storm_models_have_their_known_values") else { return };
    for &(name, goal, cost, states, choices, (over, under)) in STORM {
        let path = bench.join(format!("qvbs/{name}.drn.gz")).display().to_string();
        let settings = Settings::new().set("goal", goal).set("cost", cost);
        let report = check(&path, &settings).unwrap();
        let goals = report.labels[goal];
        let instance = worlds::open(&path, &settings).unwrap();
        let problem = &*instance.problem;
        assert_eq!(
            (report.errors, problem.states()),
            (0, states + 1 - goals),
            "{name}: {:?}",
            report.findings
        );
        // goal states have one choice each in these models
        assert_eq!(problem.pairs(), choices - goals, "{name}");
        let exact = solve(problem, instance.truth().unwrap(), &Options::exact(1e-6)).unwrap();
        let (lower, upper) = (exact.lower[problem.start()], exact.upper[problem.start()]);
        // times the denominator, which is a power of two: exact
        assert!(lower * under <= over && over <= upper * under, "{name}: {lower} {upper}");
        assert!(upper - lower <= 1e-6 * upper, "{name}: {lower} {upper}");
    }
}

#[test]
fn gymnasium_tables_have_their_known_values() {
    let Some(bench) = third_party::folder("gymnasium_tables_have_their_known_values") else { return };
    let open = |name: &str| {
        let path = bench.join(format!("gymnasium/{name}.json")).display().to_string();
        (worlds::open(&path, &Settings::new()).unwrap(), check(&path, &Settings::new()).unwrap())
    };
    let (cliff, report) = open("CliffWalking-v1");
    assert!(report.ok && report.goal.as_deref() == Some("47"), "{:?}", report.findings);
    let exact = solve(&cliff.problem, cliff.truth().unwrap(), &Options::exact(1e-9)).unwrap();
    let start = cliff.problem.start();
    assert!(exact.lower[start] <= 13.0 && 13.0 <= exact.upper[start] && exact.width() < 1e-9);

    let (lake, report) = open("FrozenLake-v1-4x4-slippery");
    let exact = solve(&lake.problem, lake.truth().unwrap(), &Options::exact(1e-9)).unwrap();
    let error = exact.require_proper(&lake.problem).unwrap_err().to_string();
    assert!(error.contains("no policy reaches the goal with probability one"), "{error}");
    let kinds: Vec<_> = report.findings.iter().map(|f| (f.kind, f.states.join(" "))).collect();
    assert_eq!(kinds[0], ("unreachable", "5 7 11 12".into()));
    assert_eq!(kinds[1], ("lost", "0 1 2 3 4 6 8 9 10 13 14".into()));
    assert!(!report.ok);
}
