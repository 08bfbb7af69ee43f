//! What a result claims is checked: every condition of a proof against the truth, and no claim
//! where one fails.

use crate::worlds_for_tests::small;
use goalward::Settings;
use goalward::confidence::{Condition, Facts, Guarantee, Holds, Kind, Status, phi_norm};
use goalward::episode::{Arena, RunSpec, Runner};
use goalward::files::json;
use goalward::learners::{self, Told};
use goalward::problem::{Instance, Problem};

fn guarantee(arena: &Arena, learner: &str, settings: &[(&str, &str)]) -> Guarantee {
    let settings = settings.iter().fold(Settings::new(), |all, (key, value)| all.set(key, value));
    let spec = RunSpec::new(learner, 5).settings(settings).max_steps(20);
    let mut runner = Runner::new(arena, spec).unwrap();
    runner.run(&mut []).unwrap();
    runner.result().guarantee.unwrap()
}

fn failing(guarantee: &Guarantee) -> Vec<&str> {
    let not_met = |c: &&Condition| c.status == Status::NotMet;
    guarantee.conditions.iter().filter(not_met).map(|c| c.condition.as_str()).collect()
}

fn windy() -> Arena {
    Arena::open("windy-grid", &Settings::new().set("n", 3)).unwrap()
}

/// One state that is left with probability 1/2 + eps theta_2 = 0.7.
fn steep(eps: f64) -> Arena {
    let mut builder = Problem::builder("steep", 2, 2);
    builder.start(0).goal(1);
    let a = builder.action(0, 1.0).unwrap();
    builder.feature(0, a, 1, &[0.5, eps]).unwrap();
    builder.feature(0, a, 0, &[0.5, -eps]).unwrap();
    let instance = Instance::new(builder.build().unwrap(), &[1.0, 0.2 / eps]).unwrap();
    Arena::new("steep", &Settings::new(), instance).unwrap()
}

/// windy-grid n=3 with every cost multiplied.
fn windy_in_units(unit: f64) -> Arena {
    let mut file: serde_json::Value = serde_json::from_str(&json::to_json(windy().instance())).unwrap();
    for cost in file["cost"].as_array_mut().unwrap().iter_mut().flat_map(|row| row.as_array_mut().unwrap()) {
        *cost = (cost.as_f64().unwrap() * unit).into();
    }
    Arena::new("windy", &Settings::new(), json::parse(&file.to_string()).unwrap()).unwrap()
}

#[test]
fn a_bound_below_b_star_is_seen() {
    let arena = windy();
    for learner in ["levis++", "levis++lr", "levis"] {
        let told = guarantee(&arena, learner, &[("B", "1")]);
        assert_eq!(told.holds, Holds::No, "{learner}");
        assert!(failing(&told).contains(&"B >= B*"), "{learner}: {:?}", failing(&told));
        let b = told.conditions.iter().find(|c| c.condition == "B >= B*").unwrap();
        assert_eq!((b.value, b.bound), (Some(1.0), Some(arena.exact().b_star)));
    }
    let rho = guarantee(&arena, "rho-levis++", &[("B", "oracle"), ("t_star", "1"), ("norms", "computed")]);
    assert_eq!(failing(&rho), ["t_star >= T*"]);
}

/// |phi_V| exceeds the printed norm on every built-in world; with the problem's own norms the
/// theorem holds, at its level.
#[test]
fn printed_norms_do_not_hold_and_computed_ones_do() {
    for world in goalward::worlds::WORLDS {
        let arena = Arena::open(world.id, &small(world.id)).unwrap();
        let norm = phi_norm(arena.problem());
        if world.id == "shortcut" {
            // its goal is free, so that one state alone has a value
            assert!(norm < 1.0 && guarantee(&arena, "levis++", &[("B", "oracle")]).holds == Holds::Yes);
            continue;
        }
        assert!(norm > 1.4, "{}: {norm}", world.id);
        for (learner, more) in [("levis++", None), ("rho-levis++", Some(("t_star", "oracle")))] {
            let with = |settings: &[(&'static str, &'static str)]| {
                let all: Vec<_> =
                    [("B", "oracle")].into_iter().chain(more).chain(settings.iter().copied()).collect();
                guarantee(&arena, learner, &all)
            };
            let printed = with(&[("delta", "1e-4")]);
            assert_eq!(failing(&printed), ["|phi_V| <= 1 for V in [0, 1]"], "{} {learner}", world.id);
            let computed = with(&[("norms", "computed"), ("delta_split", "true")]);
            assert_eq!(
                (computed.holds, computed.level()),
                (Holds::Yes, Some(0.01)),
                "{} {learner}",
                world.id
            );
            let whole = with(&[("norms", "computed"), ("delta", "1e-4")]);
            let levels = whole.level().unwrap() / 1e-4;
            assert!(levels > 4.5 && (levels - levels.round()).abs() < 1e-6, "{levels}");
            let told = with(&[("radius", "determinant")]);
            assert_eq!((told.holds, told.level()), (Holds::Yes, Some(0.01)), "{} {learner}", world.id);
            assert!(told.of(Kind::Regret).is_none(), "{learner}");
            assert_eq!(with(&[("radius", "scaled:0.5"), ("norms", "computed")]).holds, Holds::No);
        }
        // candidate models and the paper's instance meet the norms of LEVIS
        assert_eq!(guarantee(&arena, "levis", &[("B", "oracle")]).holds, Holds::Yes, "{}", world.id);
        let both = guarantee(&arena, "levis++lr", &[("B", "oracle"), ("delta", "0.02")]);
        assert_eq!((both.holds, both.level()), (Holds::Yes, Some(0.02)), "{}", world.id);
        let alone = guarantee(&arena, "lr", &[("delta", "0.02")]);
        assert_eq!(alone.holds, Holds::Yes, "{}", world.id);
        assert_eq!(alone.level(), Some(0.02), "{}", world.id);
        if let Some(regret) = alone.of(Kind::Regret) {
            assert!(regret.statement.contains("Theorem 2"), "{}", world.id);
            assert_eq!(regret.level, 0.02, "{}", world.id);
        }
        // an argument on the paper's lemmas is no theorem
        assert_eq!(both.of(Kind::Regret), None);
    }
}

#[test]
fn a_theta_beyond_the_assumed_norm_is_seen() {
    for eps in [1e-2, 1e-4] {
        let arena = steep(eps);
        for learner in ["levis", "levis++"] {
            let printed = guarantee(&arena, learner, &[("B", "oracle")]);
            assert!(failing(&printed).iter().any(|c| c.contains("|theta*|")), "{learner} {eps}: {printed:?}");
            let own =
                guarantee(&arena, learner, &[("B", "oracle"), ("norms", "computed"), ("delta", "1e-4")]);
            assert_eq!(own.holds, Holds::Yes, "{learner} {eps}: {own:?}");
        }
        let both = guarantee(&arena, "levis++lr", &[("B", "oracle")]);
        assert_eq!(both.holds, Holds::Yes, "{eps}: {both:?}");
        assert_eq!(both.level(), Some(0.01));
    }
}

#[test]
fn small_units_and_a_huge_ridge_are_seen() {
    let small = windy_in_units(1e-5);
    let printed = guarantee(&small, "levis++", &[("B", "oracle")]);
    assert!(failing(&printed).iter().any(|c| c.contains("sqrt(lambda) |theta*|")), "{printed:?}");
    let levis = guarantee(&small, "levis", &[("B", "oracle")]);
    assert_eq!(failing(&levis), ["B >= 1 in units of the largest cost"]);
    for learner in ["levis++", "levis++lr"] {
        let told = guarantee(&windy(), learner, &[("B", "3"), ("lambda", "1e9"), ("norms", "printed")]);
        assert!(failing(&told).iter().any(|c| c.contains("|theta*|")), "{learner}: {told:?}");
        let own = [("B", "3"), ("lambda", "1e9"), ("norms", "computed"), ("delta", "1e-4")];
        assert_eq!(guarantee(&windy(), learner, &own).holds, Holds::Yes, "{learner}");
    }
}

#[test]
fn parameters_that_no_proof_allows_are_seen() {
    let settings = [("gamma", "0"), ("lambda", "100"), ("theta_norm", "0"), ("phi_norm", "0"), ("B", "3")];
    for learner in ["levis++", "levis++lr"] {
        let told = guarantee(&windy(), learner, &settings);
        let failing = failing(&told).join("\n");
        for part in ["|theta*| <= 0", "|phi_V| <= 0", "gamma^2 >="] {
            assert!(failing.contains(part), "{learner}: {failing}");
        }
    }
    let few = guarantee(&windy(), "levis++", &[("B", "3"), ("levels", "2"), ("norms", "computed")]);
    assert_eq!(failing(&few), ["levels >= log2(5B/c_min)"]);
}

#[test]
fn a_level_of_one_or_more_is_vacuous() {
    let told = guarantee(&windy(), "levis++", &[("B", "3"), ("delta", "0.5"), ("norms", "computed")]);
    assert!(told.claims.iter().all(|claim| claim.vacuous && claim.level > 1.0));
    assert_eq!(told.holds, Holds::No);
    assert!(told.summary().starts_with("vacuous"), "{}", told.summary());
    let split = [("B", "3"), ("delta", "0.5"), ("norms", "computed"), ("delta_split", "true")];
    assert_eq!(guarantee(&windy(), "levis++", &split).holds, Holds::Yes);
}

/// Each paper's theorem fails with its own multiple of delta, and its sets with another.
#[test]
fn claims_have_the_levels_of_their_papers() {
    let arena = windy();
    let near = |promise: Option<&goalward::confidence::Promise>, level: f64| {
        let found = promise.unwrap().level;
        assert!((found - level).abs() < 1e-12, "{found} {level}");
    };
    let told = guarantee(&arena, "levis+", &[("B", "oracle"), ("norms", "computed")]);
    for kind in [Kind::Set, Kind::Optimism, Kind::Certificate] {
        near(told.of(kind), 0.03);
    }
    near(told.of(Kind::Regret), 0.07);
    assert_eq!((told.holds, told.level()), (Holds::Yes, Some(0.03)));
    let told = guarantee(&arena, "ucrl-ave-ssp", &[("B", "oracle")]);
    near(told.of(Kind::Set), 0.03);
    assert!(told.of(Kind::Regret).is_none());
    let both = [("B", "oracle"), ("t_star", "oracle")];
    let told = guarantee(&arena, "lsvi-ucb-ssp", &both);
    near(told.of(Kind::Regret), 0.04);
    assert_eq!(told.holds, Holds::Yes, "{told:?}");
    // a sketch without a probability, whatever the bonus is
    for bonus in ["printed", "values"] {
        let told = guarantee(&arena, "mvp+", &[both[0], both[1], ("bonus", bonus)]);
        assert_eq!(told.holds, Holds::Unknown, "{bonus}");
        let said = |part: &str| told.conditions.iter().any(|c| c.condition.contains(part));
        assert!(said("sketches") && said("up to 3B") == (bonus == "printed"), "{bonus}: {told:?}");
    }
}

/// Outside a simulation nobody knows B* and theta*, and the claim says so.
#[test]
fn without_a_truth_it_is_unknown() {
    let arena = windy();
    let built = |learner: &str, settings: &Settings| {
        let entry = learners::entry(learner).unwrap();
        entry.build(arena.problem(), settings, 0, 10, Told::default()).unwrap()
    };
    for (learner, settings) in [("lr", Settings::new()), ("levis++lr", Settings::new().set("B", 3))] {
        let told = built(learner, &settings).claim().unwrap().check(&Facts::default());
        assert_eq!(told.holds, Holds::Unknown, "{learner}");
        assert!(told.summary().contains("the truth is a mixture of the models"));
    }
    assert!(built("random", &Settings::new()).claim().is_none());
}

/// A problem of two states, with models that reach the goal with these probabilities.
fn coin(models: &[f64], costs: [f64; 2], theta: &[f64]) -> Arena {
    let mut builder = Problem::builder("coin", 2, models.len());
    builder.start(0).goal(1);
    for cost in costs {
        let a = builder.action(0, cost).unwrap();
        builder.feature(0, a, 1, models).unwrap();
        let rest: Vec<f64> = models.iter().map(|p| 1.0 - p).collect();
        builder.feature(0, a, 0, &rest).unwrap();
    }
    let instance = Instance::new(builder.build().unwrap(), theta).unwrap();
    Arena::new("coin", &Settings::new(), instance).unwrap()
}

/// (What rows left out leave of it is in `scale.rs`, where a problem has so many.)
#[test]
fn lr_names_the_strongest_theorem_whose_conditions_are_met() {
    const SECOND: &str = "docs/theory.md, Theorem 2";
    const FIRST: &str = "docs/theory.md, Theorem 1";
    let windy = windy();
    let (free, one) = (coin(&[0.9, 0.2], [0.0, 1.0], &[0.5, 0.5]), coin(&[0.4], [1.0, 0.5], &[1.0]));
    let positive = coin(&[0.9, 0.2], [0.1, 1.0], &[0.5, 0.5]);
    let large = Arena::open("windy-grid", &Settings::new().set("n", 150)).unwrap();
    type Row<'a> = (&'a str, &'a Arena, &'a [(&'a str, &'a str)], Option<&'a str>, [f64; 2], &'a str);
    let rows: [Row; 11] = [
        ("the default", &windy, &[], Some(SECOND), [0.01, 0.01], ""),
        ("exact", &windy, &[("set", "exact")], Some(SECOND), [0.01, 0.01], ""),
        ("outer", &windy, &[("set", "outer")], Some(SECOND), [0.01, 0.01], ""),
        ("cuts", &windy, &[("set", "cuts"), ("delta", "0.05")], Some(SECOND), [0.05, 0.05], ""),
        ("the faithful planner", &positive, &[("planner", "faithful")], Some(SECOND), [0.01, 0.01], ""),
        ("a wider net", &windy, &[("net", "2")], Some(FIRST), [0.01, 0.01], "net is not 1"),
        ("a large problem", &large, &[], Some(FIRST), [0.01, 0.01], "too large to plan over"),
        ("a half for delta", &windy, &[("delta", "0.5")], Some(SECOND), [0.5, 0.5], ""),
        ("zero costs", &free, &[], None, [0.01, 0.0], ""),
        ("other units", &windy_in_units(1e-5), &[], Some(SECOND), [0.01, 0.01], ""),
        ("one model", &one, &[], None, [0.0, 0.0], ""),
    ];
    for (name, arena, settings, theorem, [set, failing], why) in rows {
        let told = guarantee(arena, "lr", settings);
        assert_eq!((told.level(), told.holds), (Some(set), Holds::Yes), "{name}");
        assert_eq!(told.of(Kind::Regret).is_some(), theorem.is_some(), "{name}: {told:?}");
        assert_eq!(told.of(Kind::Policy).is_some(), name == "one model", "{name}");
        assert_eq!(told.of(Kind::Certificate).is_some(), !["zero costs", "one model"].contains(&name));
        for (regret, theorem) in told.of(Kind::Regret).iter().zip(theorem) {
            assert!(regret.statement.contains(theorem), "{name}: {}", regret.statement);
            assert!(regret.statement.contains(why), "{name}: {}", regret.statement);
            assert!((regret.level - failing).abs() < 1e-12, "{name}");
            // each kind has its own probability: a bound that may fail says so, and spares the others
            assert_eq!(regret.holds == Holds::No, failing == 1.0, "{name}");
        }
    }
    // and what the conditions are
    let conditions = guarantee(&windy, "lr", &[]).conditions;
    let said: Vec<&str> = conditions.iter().map(|c| c.condition.as_str()).collect();
    for part in ["mixture of the models", "every cost off the goal is positive", "too far from the data"] {
        assert!(said.iter().any(|c| c.contains(part)), "{part}: {said:?}");
    }
    // a truth that nobody knows leaves the first of them open
    let entry = learners::entry("lr").unwrap();
    let learner = entry.build(windy.problem(), &Settings::new(), 0, 10, Told::default()).unwrap();
    let with = |mixture| learner.claim().unwrap().check(&Facts { mixture, ..Facts::default() }).holds;
    assert_eq!([with(None), with(Some(false)), with(Some(true))], [Holds::Unknown, Holds::No, Holds::Yes]);
}
