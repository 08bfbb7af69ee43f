//! A true kernel that need not be a mixture of the models: read, written, solved, simulated, and
//! no guarantee where there is none.

use crate::worlds_for_tests::irregular;
use goalward::Settings;
use goalward::check::{Level, check};
use goalward::confidence::{Condition, Guarantee, Holds, Status};
use goalward::episode::{Arena, Checkpoint, RunSpec, Runner};
use goalward::files::json::{parse, read, to_json};
use goalward::numeric::Stream;
use goalward::plan::{Options, solve};
use goalward::problem::{Entry, Instance, Problem, Truth, restart};

/// A crossing whose river may carry you back to the bridge, which no model says.
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
  "kernel": [
    [0, 0, 0, 0.3],
    [0, 0, 2, 0.6],
    [0, 0, 1, 0.1],
    [0, 1, 1, 1.0],
    [1, 0, 0, 0.6],
    [1, 0, 2, 0.4]
  ],
  "extra": [[-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]],
  "state_names": ["bank", "bridge", "home"],
  "action_names": [["swim", "walk"], ["cross"], ["stay"]]
}
"#;

/// (what is put in place of what, what the error must say); `:21:` is a line of the file.
const MALFORMED: &[(&str, &str, &[&str])] = &[
    ("[0, 0, 0, 0.3]", "[0, 0, 0, 0.2]", &[":21:", "kernel[0]", "state bank, action swim", "sums to 0.9"]),
    ("[0, 0, 1, 0.1]", "[0, 0, 1, 0.2]", &[":21:", "kernel[0]", "sums to 1.1", "1e-5"]),
    ("[0, 0, 1, 0.1]", "[0, 0, 1, -0.1]", &[":23:", "kernel[2]", "next bridge", "-0.1", "[0, 1]"]),
    ("[0, 1, 1, 1.0]", "[0, 1, 1, 1.5]", &[":24:", "kernel[3]", "1.5", "[0, 1]"]),
    ("[0, 1, 1, 1.0],\n", "", &["kernel", "state bank, action walk", "no row"]),
    ("[0, 1, 1, 1.0]", "[0, 2, 1, 1.0]", &[":24:", "kernel[3]", "state bank", "action 2", "there are 2"]),
    ("[0, 1, 1, 1.0]", "[7, 1, 1, 1.0]", &[":24:", "kernel[3]", "state 7 does not exist", "3 states"]),
    ("[0, 1, 1, 1.0]", "[0, 1, 9, 1.0]", &[":24:", "kernel[3]", "next state 9 does not exist"]),
    ("[0, 1, 1, 1.0]", "[0, 1, 1, 1.0], [0, 1, 1, 0.0]", &[":24:", "kernel[4]", "twice", "kernel[3]"]),
    ("[0, 1, 1, 1.0]", "[0, 1, 1, 1.0], [2, 0, 0, 1.0]", &[":24:", "kernel[4]", "goal is never left"]),
    ("[0, 1, 1, 1.0]", "[0, 1, 1]", &[":24:", "[state, action, next, p]"]),
    ("[0, 1, 1, 1.0]", "[0, 1, 1, [1.0]]", &[":24:", "f64"]),
    ("[0, 1, 1, 1.0]", "[0, 1, -1, 1.0]", &[":24:", "-1", "usize"]),
    ("[0, 1, 1, 1.0]", "[0, 1, 1, NaN]", &[":24:", "expected value"]),
    ("\"kernel\": [", "\"theta\": [0.5, 0.5], \"kernel\": [", &[":20:", "given twice", "leave one"]),
    ("\"kernel\"", "\"kernels\"", &["unknown field `kernels`", "kernel"]),
];

fn in_file(text: &str) -> goalward::Result<Instance> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("crossing.json");
    std::fs::write(&path, text).unwrap();
    read(&path)
}

#[test]
fn malformed_kernels_are_refused_with_the_place() {
    for (from, to, says) in MALFORMED {
        let text = SOUND.replacen(from, to, 1);
        assert_ne!(text, SOUND, "{from}");
        let error = in_file(&text).unwrap_err();
        let shown = format!("{error} {}", error.hint().unwrap_or_default());
        for part in *says {
            assert!(shown.contains(part), "{to}: {shown} lacks {part}");
        }
    }
}

#[test]
fn a_kernel_comes_back_to_the_bit() {
    let once = in_file(SOUND).unwrap();
    assert_eq!(once.truth().unwrap().theta(), None);
    // what no model has is a successor without features
    assert_eq!(once.problem.successors(0), [0, 1, 2]);
    assert!(!once.problem.allows(0, 1) && once.problem.allows(0, 2));
    assert_eq!(*once.problem.phi(0), [0.5, 0.1, 0.0, 0.0, 0.5, 0.9]);
    let again = parse(&to_json(&once)).unwrap();
    assert_eq!(to_json(&again), to_json(&once));
    for p in 0..once.problem.pairs() {
        assert_eq!(once.problem.successors(p), again.problem.successors(p));
        assert_eq!(
            once.truth().unwrap().row(&once.problem, p),
            again.truth().unwrap().row(&again.problem, p)
        );
    }
    // V(bank) by hand: swim x = 1 + 0.3 x + 0.1 y, walk x = 0.5 + y, with y = 0.25 + 0.6 x
    let best = solve(&once.problem, once.truth().unwrap(), &Options::default()).unwrap();
    let swim = (1.0 + 0.1 * 0.25) / (0.7 - 0.06);
    let walk = 0.75 / 0.4;
    assert!(swim < walk && (best.v[0] - swim).abs() < 1e-9, "{}", best.v[0]);
}

#[test]
fn rows_of_few_digits_are_divided_by_their_sums() {
    let text = SOUND.replacen("[0, 0, 0, 0.3]", "[0, 0, 0, 0.300001]", 1);
    let instance = in_file(&text).unwrap();
    assert!(instance.notes.iter().any(|note| note.message.contains("1.000001")), "{:?}", instance.notes);
    let row = instance.truth().unwrap().row(&instance.problem, 0).to_vec();
    assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-15);
    let again = parse(&to_json(&instance)).unwrap();
    assert_eq!(again.truth().unwrap().row(&again.problem, 0), row);
    assert!(again.notes.is_empty(), "{:?}", again.notes);
}

#[test]
fn check_says_that_it_is_no_mixture() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("crossing.json");
    std::fs::write(&path, SOUND).unwrap();
    let report = check(path.to_str().unwrap(), &Settings::new()).unwrap();
    assert!(report.ok, "{:?}", report.findings);
    assert!(report.findings.iter().any(|f| f.level == Level::Note && f.note.message.contains("no mixture")));
    std::fs::write(
        &path,
        SOUND.replace("[0, 0, 0, 0.3]", "[0, 0, 0, 0.2]").replace("[1, 0, 2, 0.4]", "[1, 0, 2, 0.3]"),
    )
    .unwrap();
    let report = check(path.to_str().unwrap(), &Settings::new()).unwrap();
    assert_eq!(report.errors, 2, "{:?}", report.findings);
}

fn entries(instance: &Instance) -> Vec<Entry> {
    instance.truth().unwrap().entries(&instance.problem).collect()
}

/// A kernel that some theta makes is found to be a mixture; one that is moved by 1e-6 in one row
/// is none.
#[test]
fn mixtures_are_told_from_others() {
    let mut draw = Stream::new(3, &[17]);
    for seed in 0..30 {
        let instance = irregular(seed, 5, 2 + seed as usize % 4);
        let (problem, all) = (&instance.problem, entries(&instance));
        let found = Truth::from_kernel(problem, &all).unwrap();
        let theta = found.theta().unwrap_or_else(|| panic!("seed {seed}: a mixture"));
        let back = Truth::new(problem, theta).unwrap();
        for p in 0..problem.pairs() {
            for (x, y) in back.row(problem, p).iter().zip(found.row(problem, p)) {
                assert!((x - y).abs() < 1e-9, "seed {seed}");
            }
        }
        // more equations than unknowns: a change of one row cannot be made up for
        let mut wrong = all.clone();
        let wide = (0..all.len() - 1).filter(|&i| all[i].0 == all[i + 1].0 && all[i].1 == all[i + 1].1);
        let wide: Vec<usize> = wide.filter(|&i| all[i].3 > 0.01).collect();
        let i = wide[draw.below(wide.len())];
        wrong[i].3 -= 1e-6;
        wrong[i + 1].3 += 1e-6;
        assert_eq!(Truth::from_kernel(problem, &wrong).unwrap().theta(), None, "seed {seed}");
    }
}

/// Two equal models: no kernel sees how they share their weight, but the facts do.
#[test]
fn facts_count_also_where_kernels_see_nothing() {
    let coin = |most: f64| {
        let mut builder = Problem::builder("coin", 2, 3);
        builder.action(0, 1.0).unwrap();
        builder.feature(0, 0, 0, &[0.5, 0.5, 0.0]).unwrap().feature(0, 0, 1, &[0.5, 0.5, 1.0]).unwrap();
        builder.simplex();
        builder.extra(&[1.0, 0.0, 0.0], most).unwrap();
        builder.extra(&[0.0, 1.0, 0.0], 0.3).unwrap();
        builder.build().unwrap()
    };
    // 0.6 on the two equal ones: possible if the first may have 0.3
    let kernel = [(0, 0, 0, 0.3), (0, 0, 1, 0.7)];
    let tight = Truth::from_kernel(&coin(0.3), &kernel).unwrap();
    let theta = tight.theta().unwrap();
    assert!((theta[0] - 0.3).abs() < 1e-8 && (theta[1] - 0.3).abs() < 1e-8, "{theta:?}");
    assert_eq!(Truth::from_kernel(&coin(0.29), &kernel).unwrap().theta(), None);
}

fn mixture(guarantee: &Guarantee) -> Option<&Condition> {
    guarantee.conditions.iter().find(|c| c.condition == "the truth is a mixture of the models")
}

#[test]
fn no_learner_of_theta_has_a_guarantee() {
    let settings = Settings::new().set("n", 3).set("reversed", 0.3);
    let arena = Arena::open("windy-grid", &settings).unwrap();
    let plain = Arena::open("windy-grid", &Settings::new().set("n", 3)).unwrap();
    assert!(arena.optimal_cost() > plain.optimal_cost() && arena.fingerprint() != plain.fingerprint());
    for learner in ["lr", "levis++lr", "levis"] {
        let told = Settings::new();
        let told = if learner == "lr" { told } else { told.set("B", "oracle") };
        let spec = RunSpec::new(learner, 20).settings(told).max_steps(2000);
        let mut runner = Runner::new(&arena, spec).unwrap();
        runner.run(&mut []).unwrap();
        let result = runner.result();
        let guarantee = result.guarantee.unwrap();
        assert_eq!(guarantee.holds, Holds::No, "{learner}");
        assert_eq!(mixture(&guarantee).unwrap().status, Status::NotMet, "{learner}");
        assert!(result.impossible.is_empty() && result.regret.is_finite());
    }
    // a learner that counts believes no model
    let settings = Settings::new().set("support", "known").set("B", "oracle").set("delta", 0.01);
    let spec = RunSpec::new("eb-ssp", 20).settings(settings).max_steps(2000);
    let guarantee = Runner::new(&arena, spec).unwrap().guarantee().unwrap();
    let support = guarantee.conditions.iter().find(|c| c.condition.contains("only where some model"));
    assert_eq!(support.unwrap().status, Status::Met);
}

#[test]
fn a_run_goes_on_from_a_checkpoint() {
    let arena = Arena::open("windy-grid", &Settings::new().set("n", 3).set("reversed", 0.3)).unwrap();
    let spec = |k| RunSpec::new("lr", k).seed(5);
    let mut whole = Runner::new(&arena, spec(40)).unwrap();
    whole.run(&mut []).unwrap();
    let mut half = Runner::new(&arena, spec(40).max_steps(60)).unwrap();
    half.run(&mut []).unwrap();
    let saved = Checkpoint::of(&half).to_bytes().unwrap();
    let mut read = Checkpoint::from_bytes(&saved, std::path::Path::new("half")).unwrap();
    read.spec.max_steps = None;
    let mut second = Runner::resume(&arena, &read).unwrap();
    second.run(&mut []).unwrap();
    assert_eq!(whole.progress().gap_regret.to_bits(), second.progress().gap_regret.to_bits());
    assert_eq!(whole.learner().snapshot(), second.learner().snapshot());
}

#[test]
fn steps_of_no_model_are_violations() {
    let arena = Arena::new("crossing", &Settings::new(), parse(SOUND).unwrap()).unwrap();
    for learner in ["lr", "random", "q-learning"] {
        let mut runner = Runner::new(&arena, RunSpec::new(learner, 300)).unwrap();
        runner.run(&mut []).unwrap();
        let result = runner.result();
        let named: Vec<_> = result.impossible.iter().map(|v| (v.state, v.action, v.next)).collect();
        assert_eq!(named, [(0, 0, 1)], "{learner}");
        assert!(result.violations > 10, "{learner}: {}", result.violations);
    }
}

/// A goal that only the truth reaches is out of reach for whoever believes the models.
#[test]
fn models_must_reach_the_goal_themselves() {
    let mut builder = Problem::builder("wall", 2, 1);
    builder.allow_lost();
    builder.action(0, 1.0).unwrap();
    builder.feature(0, 0, 0, &[1.0]).unwrap().successor(0, 0, 1).unwrap();
    let problem = builder.build().unwrap();
    let instance = Instance::from_kernel(problem, &[(0, 0, 1, 1.0)]).unwrap();
    let arena = Arena::new("wall", &Settings::new(), instance).unwrap();
    assert_eq!(arena.optimal_cost(), 1.0);
    let error = Runner::new(&arena, RunSpec::new("lr", 1)).err().unwrap().to_string();
    assert!(error.contains("unreachable"), "{error}");
}

#[test]
fn second_chances_keep_the_kernel() {
    let mut builder = Problem::builder("leap", 3, 2);
    builder.allow_lost();
    let leap = builder.action(0, 1.0).unwrap();
    let stay = builder.action(1, 1.0).unwrap();
    builder.feature(0, leap, 0, &[0.5, 0.25]).unwrap().feature(0, leap, 2, &[0.5, 0.75]).unwrap();
    builder.feature(1, stay, 1, &[1.0, 1.0]).unwrap();
    builder.successor(0, leap, 1).unwrap();
    let problem = builder.build().unwrap();
    let kernel = [(0, 0, 0, 0.25), (0, 0, 1, 0.25), (0, 0, 2, 0.5), (1, 0, 1, 1.0)];
    let truth = Truth::from_kernel(&problem, &kernel).unwrap();
    let (again, lost) = restart(&problem, &truth).unwrap();
    assert_eq!(lost, [1]);
    // a fall is now a stay, which a mixture can make
    assert_eq!(again.truth().unwrap().row(&again.problem, 0), [0.5, 0.5]);
    assert!(again.truth().unwrap().theta().is_some_and(|theta| (theta[0] - 1.0).abs() < 1e-9));
}

#[test]
fn a_truth_of_another_problem_is_refused() {
    let crossing = parse(SOUND).unwrap();
    let other = Truth::from_kernel(&crossing.problem, &entries(&crossing)).unwrap();
    let grid = goalward::worlds::open("windy-grid", &Settings::new().set("n", 2)).unwrap();
    assert!(other.require_fit(&grid.problem).is_err() && other.require_fit(&crossing.problem).is_ok());
    let nowhere = Truth::from_kernel(&grid.problem, &[]).unwrap_err().to_string();
    assert!(nowhere.contains("(0,0)") && nowhere.contains("no row"), "{nowhere}");
    let mut wrong = entries(&grid);
    wrong[0].2 = 3; // the far corner
    let error = Truth::from_kernel(&grid.problem, &wrong).unwrap_err().to_string();
    assert!(error.contains("kernel[0]") && error.contains("no such successor"), "{error}");
}
