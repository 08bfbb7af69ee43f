//! What is said of coordinates of theta that transitions cannot tell.

use goalward::Settings;
use goalward::check::check;
use goalward::episode::{Arena, RunResult, RunSpec, Runner};
use goalward::problem::{Instance, Problem};

fn run(arena: &Arena, learner: &str) -> RunResult {
    let settings = if learner == "lr" { Settings::new() } else { Settings::new().set("B", "oracle") };
    let mut runner = Runner::new(arena, RunSpec::new(learner, 300).settings(settings)).unwrap();
    runner.run(&mut []).unwrap();
    runner.result()
}

/// A bound is certified with rounding, and facts are not: no end lies beyond them, by any amount.
#[test]
fn weights_of_a_mixture_lie_between_0_and_1() {
    let world = Settings::new().set("n", 3).set("simplex", true);
    let arena = Arena::open("windy-grid", &world).unwrap();
    let truth = arena.instance().truth().unwrap().theta().unwrap();
    for learner in ["lr", "levis++lr"] {
        for episodes in [1, 5, 50] {
            let settings = Settings::new().set("B", "oracle");
            let settings = if learner == "lr" { Settings::new() } else { settings };
            let mut runner = Runner::new(&arena, RunSpec::new(learner, episodes).settings(settings)).unwrap();
            runner.run(&mut []).unwrap();
            let result = runner.result();
            assert_eq!(result.model_names.as_ref().unwrap()[0], "calm");
            let intervals = runner.learner().intervals().unwrap();
            assert_eq!(result.theta_interval.as_ref(), Some(&intervals));
            for ((low, high), x) in intervals.iter().zip(truth) {
                assert!(0.0 <= *low && low <= x && x <= high && *high <= 1.0, "{x}: [{low}, {high}]");
            }
        }
    }
}

fn grid(simplex: bool) -> Arena {
    Arena::open("windy-grid", &Settings::new().set("n", 3).set("wind", 0).set("simplex", simplex)).unwrap()
}

#[test]
fn a_grid_without_wind_says_nothing_of_winds() {
    for learner in ["lr", "levis++lr"] {
        let result = run(&grid(false), learner);
        assert_eq!(result.theta_hidden, [0, 1, 2, 3, 4]);
        assert!(
            result.theta_interval.as_ref().unwrap().iter().all(|x| *x == (f64::NEG_INFINITY, f64::INFINITY))
        );
        let json = serde_json::to_value(&result).unwrap();
        assert_eq!(json["theta_interval"], serde_json::json!([null, null, null, null, null]));
        let result = run(&grid(true), learner);
        assert_eq!(result.theta_hidden, [0, 1, 2, 3, 4]);
        for (low, high) in result.theta_interval.unwrap() {
            assert_eq!((low, high), (0.0, 1.0));
        }
    }
}

/// A coin that is 1 with probability theta_1/4 + 3 (theta_2 + theta_3)/4: only the sum of the last
/// two can be told.
fn split(facts: &[(&[f64], f64)]) -> Arena {
    let mut builder = Problem::builder("split", 2, 3);
    builder.start(0).goal(1);
    let toss = builder.action(0, 1.0).unwrap();
    builder.feature(0, toss, 0, &[0.75, 0.25, 0.25]).unwrap();
    builder.feature(0, toss, 1, &[0.25, 0.75, 0.75]).unwrap();
    for (a, b) in facts {
        builder.extra(a, *b).unwrap();
    }
    let instance = Instance::new(builder.build().unwrap(), &[0.5, 0.3, 0.2]).unwrap();
    Arena::new("split", &Settings::new(), instance).unwrap()
}

#[test]
fn what_only_a_sum_shows() {
    let result = run(&split(&[]), "lr");
    assert_eq!(result.theta_hidden, [1, 2]);
    let of = result.theta_interval.unwrap();
    // 300 tosses leave theta_1 an interval of its own, around the truth
    assert!(of[0].0 < 0.5 && 0.5 < of[0].1 && of[0].1 - of[0].0 < 0.8, "{of:?}");
    assert!(of[1].0 == f64::NEG_INFINITY && of[1].1 == f64::INFINITY && of[2] == of[1]);

    // weights of a mixture: from nothing to all of the sum
    let simplex: [(&[f64], f64); 3] =
        [(&[-1.0, 0.0, 0.0], 0.0), (&[0.0, -1.0, 0.0], 0.0), (&[0.0, 0.0, -1.0], 0.0)];
    let result = run(&split(&simplex), "lr");
    assert_eq!(result.theta_hidden, [1, 2]);
    let of = result.theta_interval.unwrap();
    for (low, high) in &of[1..] {
        assert!(low.abs() < 1e-9 && (high - (1.0 - of[0].0)).abs() < 1e-6, "{of:?}");
    }

    // one end only
    let result = run(&split(&simplex[1..2]), "lr");
    let json = serde_json::to_value(&result).unwrap();
    let of = result.theta_interval.unwrap();
    assert!(of[1].0.abs() < 1e-9 && of[1].1 == f64::INFINITY, "{of:?}");
    assert!(of[2].0 == f64::NEG_INFINITY && (of[2].1 - (1.0 - of[0].0)).abs() < 1e-6, "{of:?}");
    assert!(json["theta_interval"][1][0].is_number() && json["theta_interval"][1][1].is_null());
    assert!(json["theta_interval"][2][0].is_null() && json["theta_interval"][0][1].is_number());
}

/// A known fact that ties what cannot be told to what can, steeply: theta_2 >= s (1 - 2 theta_1).
/// The set that is planned over must have a theta for every kernel.
#[test]
fn steep_facts_cut_no_kernel_off() {
    let free = run(&split(&[]), "lr").theta_interval.unwrap()[0];
    for steep in [1.0, 1e3, 1e6] {
        let result = run(&split(&[(&[-2.0 * steep, -1.0, 0.0], -steep)]), "lr");
        assert_eq!(result.violations, 0);
        let tied = result.theta_interval.unwrap()[0];
        // predictions come from other points of another B, so that the threshold is not quite the same
        assert!(tied.0 < free.0 + 0.02 && tied.1 > free.1 - 0.02, "{steep}: {tied:?} {free:?}");
        assert!(tied.0 > free.0 - 0.05 && tied.1 < free.1 + 0.05, "{steep}: {tied:?} {free:?}");
    }
}

/// Learners and `check` count alike, also where features are faint.
#[test]
fn a_faint_wind_is_not_a_hidden_one() {
    for (wind, rank) in [("0", 0), ("1e-12", 4), ("1e-8", 4), ("0.5", 4)] {
        let settings = Settings::new().set("n", 3).set("wind", wind);
        let report = check("windy-grid", &settings).unwrap();
        assert_eq!((report.rank, report.identifiable), (Some(rank), Some(rank == 4)), "wind {wind}");
        let arena = Arena::open("windy-grid", &settings).unwrap();
        let result = run(&arena, "lr");
        assert_eq!(result.theta_hidden.is_empty(), rank == 4, "wind {wind}");
        assert_eq!(result.violations, 0);
    }
}
