//! Second chances as a parameter of every world, and names with parameters.

use crate::worlds_for_tests::small;
use goalward::Settings;
use goalward::episode::Arena;
use goalward::problem::{Instance, Problem, mix, mix_restarting};
use goalward::{Error, worlds};

/// From state 0 one leap: into the pit (1), or to the goal (2); or the pit is the only way.
fn leap(fails: f64) -> Instance {
    let mut builder = Problem::builder("leap", 3, 1);
    builder.allow_lost();
    let leap = builder.action(0, 1.0).unwrap();
    let stay = builder.action(1, 1.0).unwrap();
    builder.feature(0, leap, 1, &[fails]).unwrap().feature(0, leap, 2, &[1.0 - fails]).unwrap();
    builder.feature(1, stay, 1, &[1.0]).unwrap();
    Instance::new(builder.build().unwrap(), &[1.0]).unwrap()
}

#[test]
fn mixtures_restart_as_a_whole() {
    let models = [("wet".to_string(), leap(0.5)), ("dry".to_string(), leap(0.0))];
    assert!(matches!(mix(&models, None), Err(Error::GoalUnreachable { .. })));
    for weights in [None, Some([0.5, 0.5]), Some([1.0, 0.0]), Some([0.0, 1.0])] {
        let (mixed, lost) = mix_restarting(&models, weights.as_ref().map(|w| &w[..])).unwrap();
        assert_eq!(lost, [1]);
        assert_eq!(mixed.truth.is_some(), weights.is_some());
        assert!(mixed.problem.require_goal_in_reach().is_ok());
        assert_eq!((mixed.problem.dim(), mixed.problem.model_name(1)), (2, "dry".into()));
        if let Some([wet, _]) = weights {
            // x = 1 + wet/2 x
            let arena = Arena::new("mixed", &Settings::new(), mixed).unwrap();
            assert!((arena.optimal_cost() - 1.0 / (1.0 - wet / 2.0)).abs() < 1e-9);
        }
    }
    // models without a lost state are mixed as ever
    let grid = || worlds::open("windy-grid", &Settings::new().set("n", 3)).unwrap();
    let models = [("one".to_string(), grid()), ("other".to_string(), grid())];
    let (with, lost) = mix_restarting(&models, Some(&[0.5, 0.5])).unwrap();
    assert!(lost.is_empty());
    let without = mix(&models, Some(&[0.5, 0.5])).unwrap();
    assert_eq!(with.problem.costs(), without.problem.costs());
    assert_eq!(*with.problem.phi(0), *without.problem.phi(0));
}

#[test]
fn every_world_takes_it() {
    let settings = |value: &str| Settings::new().set("restart", value);
    for world in worlds::WORLDS {
        let (instance, lost) =
            worlds::open_restarting(world.id, &small(world.id).set("restart", true)).unwrap();
        // the ice has holes; nothing else has dead ends
        assert_eq!(lost.is_empty(), world.id != "frozen-lake", "{}", world.id);
        if lost.is_empty() {
            let plain = worlds::open(world.id, &small(world.id)).unwrap();
            assert_eq!(instance.problem.costs(), plain.problem.costs());
        }
        let wrong = worlds::open(world.id, &settings("yes")).unwrap_err();
        assert!(wrong.to_string().contains("expected true or false"), "{wrong}");
    }
    let report = goalward::check::check("windy-grid", &settings("true")).unwrap();
    assert!(report.ok);
}

#[test]
fn names_and_paths() {
    let named = |text: &str| worlds::named(text).map(|(world, params)| (world, params.iter().count()));
    let is = |world: &str, params| Some((world.to_string(), params));
    assert_eq!(named("windy-grid").ok(), is("windy-grid", 0));
    assert_eq!(named("windy-grid@n=3@wind=0").ok(), is("windy-grid", 2));
    assert_eq!(named(" windy-grid @ n=3 ").ok(), is("windy-grid", 1));
    assert_eq!(named("a@b.json").ok(), is("a@b.json", 0));
    assert_eq!(named("a@b.json@goal=x").ok(), is("a@b.json", 1));
    assert_eq!(named("me@home=1/p.json").ok(), is("me@home=1/p.json", 0));
    for bad in ["", "@", "@n=3", "windy-grid@", "windy-grid@n", "windy-grid@n=3@n=3", "windy-grid@n=3@"] {
        assert!(named(bad).is_err(), "{bad:?}");
    }
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str| dir.path().join(name).display().to_string();
    std::fs::write(file("grid@n=3"), "").unwrap();
    assert_eq!(named(&file("grid@n=3")).ok(), is(&file("grid@n=3"), 0));
    assert_eq!(named(&file("grid@n=3@n=4")).ok(), is(&file("grid@n=3"), 1));
}
