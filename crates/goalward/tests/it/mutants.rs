//! Numbers that a small slip in a formula would change and no run would show: what LEVIS++ makes of
//! its settings, what it claims, and the threshold of the likelihood set. All expected values were
//! computed apart from this program, from the formulas of the documentation.

use goalward::Settings;
use goalward::confidence::{
    Guarantee, Kept, Kind, LikelihoodKeeper, Status, likelihood_covers, likelihood_threshold,
};
use goalward::episode::{Arena, RunSpec, Runner, Trace};
use goalward::estimate::Likelihood;
use goalward::learners::{self, Told, Transition};
use goalward::problem::{Instance, Problem};
use serde_json::Value;
use std::sync::Arc;

fn near(ours: f64, expected: f64, what: &str) {
    assert!((ours - expected).abs() <= 1e-12 * expected.abs(), "{what}: {ours}, not {expected}");
}

/// Three models and costs of 1/4, 1/2 and 2: the theory's unit is 2.
fn dear() -> Arena {
    let mut builder = Problem::builder("dear", 3, 3);
    builder.start(0).goal(2).simplex();
    type Row<'a> = (usize, f64, &'a [(usize, [f64; 3])]);
    let rows: [Row; 3] = [
        (0, 2.0, &[(0, [0.5, 0.3, 0.1]), (1, [0.2, 0.3, 0.4]), (2, [0.3, 0.4, 0.5])]),
        (0, 0.5, &[(0, [0.6, 0.7, 0.8]), (2, [0.4, 0.3, 0.2])]),
        (1, 0.25, &[(1, [0.1, 0.5, 0.9]), (2, [0.9, 0.5, 0.1])]),
    ];
    for (s, cost, row) in rows {
        let a = builder.action(s, cost).unwrap();
        for (next, phi) in row {
            builder.feature(s, a, *next, phi).unwrap();
        }
    }
    let instance = Instance::new(builder.build().unwrap(), &[0.2, 0.3, 0.5]).unwrap();
    Arena::new("dear", &Settings::new(), instance).unwrap()
}

fn runner<'a>(arena: &'a Arena, learner: &str, settings: &[&str]) -> Runner<'a> {
    let settings = Settings::parse(settings).unwrap();
    Runner::new(arena, RunSpec::new(learner, 50).settings(settings).max_steps(4)).unwrap()
}

/// The radius of every plan of four steps, by the step.
fn betas(arena: &Arena, settings: &[&str]) -> Vec<(u64, f64)> {
    let mut text = Vec::new();
    let mut trace = Trace::new(&mut text);
    runner(arena, "levis++", settings).run(&mut [&mut trace]).unwrap();
    trace.flush().unwrap();
    let lines = String::from_utf8(text).unwrap();
    let lines = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let plans = lines.filter(|line| line["kind"] == "plan");
    plans.map(|plan| (plan["t"].as_u64().unwrap(), plan["beta"].as_f64().unwrap())).collect()
}

/// The radius at the steps 1 and 2, at which there always is a plan.
#[track_caller]
fn first_two(settings: &[&str], expected: [f64; 2]) {
    let found = betas(&dear(), settings);
    for (t, expected) in (1..).zip(expected) {
        let (_, beta) = found.iter().find(|(at, _)| *at == t).unwrap();
        near(*beta, expected, &format!("{settings:?} at {t}"));
    }
}

#[test]
fn defaults_in_the_theorys_units() {
    let arena = dear();
    // B = 7/2 and c_min = 1/8 in units of 2: L is log2(140) rounded up, lambda = 4/49
    let run = runner(&arena, "levis++", &["B=7"]);
    let parameters = run.result().parameters;
    for (key, expected) in [
        ("B", 7.0),
        ("c_min", 0.25),
        ("cost_unit", 2.0),
        ("levels", 8.0),
        ("lambda", 0.08163265306122448),
        ("gamma", 0.7598356856515925),
        ("phi_norm", 1.0),
    ] {
        near(parameters[key].as_f64().unwrap(), expected, key);
    }
    first_two(&["B=7"], [612.8655898542919, 798.6913884701289]);
    // 5 B/c_min = 350
    let fewer = runner(&arena, "levis++", &["B=7", "c_min=0.1"]).result().parameters;
    assert_eq!(fewer["levels"], 9);
    // B/c_min far below 1: two levels all the same
    assert_eq!(runner(&arena, "levis++", &["B=0.04"]).result().parameters["levels"], 2);
}

#[test]
fn the_smallest_cost_is_the_largest_c_min() {
    let arena = dear();
    let taken = runner(&arena, "levis++", &["B=7", "c_min=0.25"]).result().parameters;
    assert_eq!(taken["c_min"], 0.25);
    for (setting, words) in
        [("c_min=0.2500001", "smallest cost off the goal is 0.25"), ("c_min=0", "positive")]
    {
        let settings = Settings::parse(["B=7", setting]).unwrap();
        let refused = Runner::new(&arena, RunSpec::new("levis++", 1).settings(settings)).err().unwrap();
        assert!(refused.to_string().contains(words), "{setting}: {refused}");
    }
}

#[test]
fn norms_shares_and_factors_reach_the_radius() {
    let own = ["B=7", "delta=0.02", "lambda=0.4", "levels=4", "phi_norm=1.7", "theta_norm=2.3"];
    let with = |more: &[&'static str]| [&own, more].concat();
    first_two(&with(&[]), [563.6447766156737, 748.6900782060972]);
    // delta/9
    first_two(&with(&["delta_split=true"]), [685.609112950371, 872.4859833541202]);
    let scaled = with(&["delta_split=true", "radius=scaled:0.05"]);
    first_two(&scaled, [34.28045564751855, 43.62429916770601]);
}

fn guarantee(learner: &str, settings: &[&str]) -> Guarantee {
    let arena = dear();
    let mut run = runner(&arena, learner, settings);
    run.run(&mut []).unwrap();
    run.result().guarantee.unwrap()
}

#[test]
fn levels_of_failure_are_counted_by_regression() {
    // 2L + 1 = 11 sets of probability 0.003 each, unless they share it
    for (setting, level) in [
        ("norms=printed", 0.033),
        ("radius=scaled:2", 0.033),
        ("delta_split=true", 0.003),
        ("radius=determinant", 0.003),
    ] {
        let told = guarantee("levis++", &["B=7", "levels=5", "delta=0.003", setting]);
        near(told.level().unwrap(), level, setting);
    }
}

#[test]
fn conditions_say_what_was_compared() {
    let told = guarantee("levis++", &["B=7", "gamma=0.9"]);
    let compared = |name: &str| {
        let found = told.conditions.iter().find(|c| c.condition.contains(name)).unwrap();
        (found.value.unwrap(), found.bound.unwrap(), found.status)
    };
    let (value, bound, status) = compared("gamma^2");
    near(value, 0.81, "gamma^2");
    near(bound, 0.5773502691896257, "1/sqrt(d)");
    assert_eq!(status, Status::Met);
    let (value, bound, status) = compared("log2(5B/c_min)");
    assert_eq!((value, status), (8.0, Status::Met));
    near(bound, 7.129283016944966, "log2(140)");
    assert_eq!(compared("B >= B*").0, 7.0);
    // Hoeffding's bound assumes nothing of the weights, nor of phi
    let few = guarantee("levis++", &["B=7", "radius=determinant", "gamma=0", "levels=2"]);
    assert!(few.conditions.iter().all(|c| c.status == Status::Met), "{few:?}");
    assert!(!few.conditions.iter().any(|c| c.condition.contains("gamma") || c.condition.contains("phi")));
}

#[test]
fn statements_name_their_theorem() {
    let rho = ["B=7", "t_star=20"];
    for (learner, settings, end) in [
        ("levis++", &["B=7"][..], Some("Theorem 5.1)")),
        ("levis++", &["B=7", "norms=computed"], Some("Theorem 5.1 with the problem's norms)")),
        ("levis++", &["B=7", "radius=determinant"], None),
        ("rho-levis++", &[&rho[..], &["norms=printed"]].concat(), Some("Theorem 5.2)")),
        (
            "rho-levis++",
            &[&rho[..], &["norms=computed"]].concat(),
            Some("Theorem 5.2 with the problem's norms)"),
        ),
    ] {
        let told = guarantee(learner, settings);
        assert!(told.of(Kind::Set).unwrap().statement.contains("in every confidence set"), "{told:?}");
        let regret = told.of(Kind::Regret).map(|regret| regret.statement.as_str());
        assert_eq!(regret.is_some(), end.is_some(), "{learner} {settings:?}");
        assert!(regret.zip(end).is_none_or(|(regret, end)| regret.ends_with(end)), "{regret:?}");
    }
}

#[test]
fn a_learner_counts_what_it_saw_and_owes_nothing() {
    let arena = dear();
    let settings = Settings::parse(["B=7"]).unwrap();
    let entry = learners::entry("levis++").unwrap();
    let mut learner = entry.build(arena.problem(), &settings, 0, 10, Told::default()).unwrap();
    for t in 0..4 {
        assert_eq!(learner.clock().t, t);
        assert!(!learner.owes());
        learner.observe(&Transition { state: 1, action: 0, cost: 0.25, next: 1 }).unwrap();
    }
    assert_eq!(learner.problem().name(), "dear");
}

/// One state; the next one is that, another, or the goal, and three models tell three ways.
fn die() -> Arc<Problem> {
    let mut builder = Problem::builder("die", 3, 3);
    builder.start(0).goal(2).simplex();
    let toss = builder.action(0, 1.0).unwrap();
    let back = builder.action(1, 1.0).unwrap();
    for (next, phi) in [(0, [0.6, 0.2, 0.2]), (1, [0.2, 0.6, 0.2]), (2, [0.2, 0.2, 0.6])] {
        builder.feature(0, toss, next, &phi).unwrap();
    }
    builder.feature(1, back, 0, &[1.0; 3]).unwrap();
    Arc::new(builder.build().unwrap())
}

/// One state that is left with probability theta_1/4 + 3 theta_2/4.
fn coin() -> Arc<Problem> {
    let mut builder = Problem::builder("coin", 2, 2);
    builder.start(0).goal(1).simplex();
    let toss = builder.action(0, 1.0).unwrap();
    builder.feature(0, toss, 0, &[0.75, 0.25]).unwrap();
    builder.feature(0, toss, 1, &[0.25, 0.75]).unwrap();
    Arc::new(builder.build().unwrap())
}

/// Two directions, where a quotient by their number is not a product with it.
#[test]
fn the_threshold_in_two_directions() {
    let mut likelihood = Likelihood::new(&die());
    for i in 0..90 {
        let _ = likelihood.observe(0, i % 3);
        let _ = likelihood.observe(1, 0);
    }
    // 180 steps, of which only 90 tell something: all of them count for t. f at the centre: 90 log 3
    let loss = 90.0 * 3f64.ln();
    near(likelihood.maximum().loss, loss, "the least loss");
    let rb = loss + 2.0 * 91f64.ln() + 180.0 * (1.0 + 1.0 / 90.0f64).ln();
    let ra = likelihood.prediction_loss();
    // log(0.8 e^-ra + 0.2 e^-rb), in numbers that do not underflow
    let both = (0.8 * (loss - ra).exp() + 0.2 * (loss - rb).exp()).ln() - loss;
    for delta in [0.1, 0.003] {
        let r = likelihood_threshold(&likelihood, loss, delta);
        near(r, (1.0 / delta).ln() - both, "threshold");
    }
    // another point than the maximum costs its own loss: with a huge one only ra is left
    near(likelihood_threshold(&likelihood, 1e6, 0.1), (10.0 / 0.8f64).ln() + ra, "without a mixture");
    // on either side of the threshold, along the line from the centre to the first model
    let r = likelihood_threshold(&likelihood, loss, 0.1);
    let theta = |x: f64| [1.0 / 3.0 + 2.0 * x / 3.0, (1.0 - x) / 3.0, (1.0 - x) / 3.0];
    // p = 1/3 + 4x/15 once and 1/3 - 2x/15 twice
    let f = |x: f64| -30.0 * ((1.0 + 0.8 * x).ln() + 2.0 * (1.0 - 0.4 * x).ln()) + loss;
    let (mut low, mut high) = (0.0, 1.0);
    assert!(f(high) > r, "{} {r}", f(high));
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        (low, high) = if f(middle) <= r { (middle, high) } else { (low, middle) };
    }
    assert!(likelihood_covers(&likelihood, 0.1, &theta(low - 1e-6)));
    assert!(!likelihood_covers(&likelihood, 0.1, &theta(low + 1e-6)));
}

/// The information of n tosses whose mean stays grows like n: it has doubled when n and what B says
/// have.
#[test]
fn a_plan_is_due_when_the_information_has_doubled() {
    let mut keeper = LikelihoodKeeper::new(&coin(), 0.1);
    assert!(!keeper.informed(2.0), "there is nothing to know yet");
    for i in 0..100 {
        let _ = keeper.observe(0, i % 2);
    }
    assert!(keeper.informed(2.0));
    let fitted = |keeper: &LikelihoodKeeper| {
        serde_json::to_value(keeper.kept()).unwrap()["counts"]["sums"]["fitted"].as_u64().unwrap()
    };
    assert_eq!(fitted(&keeper), 100, "it said so without having looked");
    for i in 0..30 {
        let _ = keeper.observe(0, i % 2);
    }
    assert!(keeper.update().set.is_ok());
    assert_eq!(fitted(&keeper), 130);
    let mut more = 0;
    while !keeper.informed(2.0) {
        let _ = keeper.observe(0, more % 2);
        more += 1;
    }
    // 130 tosses, and 16 that B itself is worth: 16/D^2 = 8, and a toss has 1/2
    assert!((141..=151).contains(&more), "{more}");
    // two triples of eight bytes each, at least
    let kept = keeper.set().bytes();
    assert!((16..=64).contains(&kept) && kept.is_multiple_of(8), "{kept}");
    assert_eq!(keeper.bytes(), keeper.likelihood().bytes() + kept);
    // the radius of a set at one time is that of its ellipsoid, which holds the mean and not the ends
    assert!(keeper.set().margin(keeper.likelihood(), &[0.5, 0.5]) >= 0.0);
    assert!(keeper.set().margin(keeper.likelihood(), &[1.0, 0.0]) < 0.0);
    assert!(keeper.set().radius().unwrap() > 0.0 && keeper.set().delta() == 0.1);
}

/// All tosses go one way, so that the least loss lies at an end of B. Predictions are forged that put
/// the threshold a little above it, and a little below.
#[test]
fn a_threshold_below_the_least_loss_contradicts() {
    let problem = coin();
    let mut keeper = LikelihoodKeeper::new(&problem, 0.1);
    for _ in 0..200 {
        let _ = keeper.observe(0, 1);
    }
    let least = 200.0 * (4.0f64 / 3.0).ln();
    assert!((keeper.likelihood().maximum().loss - least).abs() < 1e-6);
    for (above, contradicts) in [(3.0, false), (1e-3, false), (-0.5, true), (-3.0, true), (-50.0, true)] {
        let mut kept = serde_json::to_value(keeper.kept()).unwrap();
        // the mixture's share in the threshold is less than 1e-3 here
        kept["counts"]["sums"]["prediction_loss"] = (least + above - (10.0 / 0.8f64).ln() + 1e-3).into();
        let kept: Kept = serde_json::from_value(kept).unwrap();
        let mut forged = LikelihoodKeeper::new(&problem, 0.1);
        forged.restore(kept).unwrap();
        let known = forged.update();
        assert!((known.threshold - least - above).abs() < 2e-3 + 0.4 * above.max(0.0), "{}", known.threshold);
        assert_eq!(known.set.is_err(), contradicts, "{above}");
        assert_eq!(forged.set().radius().is_some(), !contradicts, "{above}");
    }
}
