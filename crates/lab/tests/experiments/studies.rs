//! The studies, small.

use super::{Impatient, on_threads, parse_csv};
use goalward_lab::{
    CoverageOptions, DemoOptions, Error, Family, GrowthOptions, ScaleOptions, Silent, SurveyOptions,
    coverage, demo, growth, scale, survey,
};
use std::path::Path;
use std::sync::atomic::AtomicU64;

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| text.to_string()).collect()
}

fn coverage_of(out: &Path, worlds: &[&str], learners: &[&str]) -> CoverageOptions {
    CoverageOptions {
        out: out.into(),
        worlds: texts(worlds),
        learners: texts(learners),
        deltas: vec![0.1],
        seeds: 0..6,
        steps: 300,
        force: false,
    }
}

#[test]
fn coverage_tells_sets_that_are_too_small_from_sets_that_are_too_large() {
    let dir = tempfile::tempdir().unwrap();
    let learners = ["lr", "levis++", "levis++@radius=scaled:0.00001"];
    let options = coverage_of(dir.path(), &["hard-instance@dim=2"], &learners);
    let on = |threads| on_threads(threads, || coverage(&options, &Silent)).unwrap();
    let one = on(1);
    let bytes = |c: &goalward_lab::Coverage| serde_json::to_string(c).unwrap();
    assert_eq!(bytes(&one), bytes(&on(3)), "threads change nothing");
    let [likelihood, printed, tiny] = one.rows.as_slice() else { panic!("{}", one.rows.len()) };
    assert!(likelihood.nats.unwrap().mean > 2.0 && likelihood.width.unwrap().mean < 0.9);
    assert_eq!((printed.lost.unwrap().hits, printed.width.unwrap().mean), (0, 1.0), "all of B");
    assert_eq!(tiny.lost.unwrap().hits, 6);
    assert_eq!((tiny.promised, one.sound), (None, true), "nothing was promised");
    assert!(one.table().contains("levis++ scaled:0.00001"), "{}", one.table());
    let runs = parse_csv(&std::fs::read_to_string(dir.path().join("runs.csv")).unwrap());
    assert_eq!(runs.len(), 1 + 3 * 6);
    assert!(std::fs::read_to_string(dir.path().join("summary.md")).unwrap().contains("Clopper"));
}

/// Every planning call of every learner with a set compares the study's copy with what the learner
/// reports.
#[test]
fn copies_of_the_sets_are_the_learners_own() {
    let dir = tempfile::tempdir().unwrap();
    let worlds = ["windy-grid@n=3@cost=5", "random-mixture@states=6", "hard-instance@dim=4"];
    let learners = [
        "levis++",
        "levis++@radius=data@horizon=100",
        "levis++@radius=determinant",
        "levis",
        "levis@radius=determinant@rho=0.1@B=70",
        "rho-levis++",
        "levis++lr@delta_split=true",
    ];
    let done =
        coverage(&CoverageOptions { seeds: 0..2, ..coverage_of(dir.path(), &worlds, &learners) }, &Silent);
    assert_eq!(done.unwrap().rows.len(), 21);
}

#[test]
fn coverage_refuses_what_it_cannot_watch() {
    let dir = tempfile::tempdir().unwrap();
    let refused = |options: CoverageOptions| coverage(&options, &Silent).unwrap_err();
    let of = |worlds: &[&str], learners: &[&str]| coverage_of(dir.path(), worlds, learners);
    assert!(refused(of(&["windy-grid"], &["random"])).to_string().contains("random"));
    assert!(refused(of(&["windy-grid@n"], &["lr"])).to_string().contains("windy-grid@n"));
    assert!(refused(of(&["windy-grid", "windy-grid"], &["lr"])).to_string().contains("twice"));
    assert!(matches!(refused(of(&[], &["lr"])), Error::Nothing { what: "worlds" }));
    let deltas = |deltas| CoverageOptions { deltas, ..of(&["windy-grid"], &["lr"]) };
    for delta in [0.0, 1.0, -0.5, f64::NAN] {
        assert!(refused(deltas(vec![delta])).to_string().contains("delta"), "{delta}");
    }
    assert!(matches!(refused(deltas(vec![])), Error::Nothing { .. }));
}

#[test]
fn a_coverage_that_is_broken_off_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let impatient = Impatient { after: 4, done: AtomicU64::new(0) };
    let options = coverage_of(dir.path(), &["hard-instance@dim=2"], &["lr", "levis"]);
    let done = on_threads(1, || coverage(&options, &impatient)).unwrap();
    assert!(done.interrupted && done.rows.len() == 1);
    assert_eq!(done.rows[0].lost.unwrap().n, 4);
    assert!(done.words[0].starts_with("Interrupted"));
}

#[test]
fn scale_finds_the_edge() {
    let dir = tempfile::tempdir().unwrap();
    let options = ScaleOptions {
        out: dir.path().into(),
        worlds: texts(&["hard-instance@dim=2"]),
        learners: texts(&["levis++"]),
        per_decade: 1,
        delta: 0.3,
        seeds: 0..10,
        steps: 300,
        ..ScaleOptions::default()
    };
    let done = scale(&options, &Silent).unwrap();
    assert_eq!((done.rows.len(), done.tried.len()), (1, 6));
    let (kept, failed) = (done.rows[0].kept.as_ref().unwrap(), done.rows[0].failed.as_ref().unwrap());
    assert!(kept.lost.unwrap().limit <= 0.3 && failed.lost.unwrap().limit > 0.3);
    assert!((failed.factor * 10.0 / kept.factor - 1.0).abs() < 1e-9, "neighbours");
    assert!(kept.factor < 1.0 && failed.factor > 1e-6, "{kept:?}");
    assert_eq!(parse_csv(&std::fs::read_to_string(dir.path().join("scale.csv")).unwrap()).len(), 7);
    let twice = ScaleOptions { learners: texts(&["levis@radius=printed"]), ..options };
    assert!(scale(&twice, &Silent).unwrap_err().to_string().contains("radius"));
}

#[test]
fn a_survey_measures_all_against_one() {
    let dir = tempfile::tempdir().unwrap();
    let options = SurveyOptions {
        out: dir.path().into(),
        worlds: texts(&["hard-instance@dim=2", "windy-grid@n=2"]),
        learners: texts(&["lr", "levis", "random"]),
        against: "lr".into(),
        beside: Vec::new(),
        episodes: 100,
        seeds: 0..4,
        max_steps: 2000,
        force: false,
    };
    let done = survey(&options, &Silent).unwrap();
    assert_eq!(done.rows.len(), 6);
    assert!(done.rows[0].difference.is_none() && done.rows[1].difference.is_some());
    assert!(done.nowhere_worse && !done.interrupted);
    let summary = std::fs::read_to_string(dir.path().join("summary.md")).unwrap();
    assert!(summary.contains("| `levis` |") && summary.contains("less that of lr"), "{summary}");
    // the same numbers seen from the other side
    let other =
        survey(&SurveyOptions { force: true, against: "levis".into(), ..options.clone() }, &Silent).unwrap();
    assert!(!other.nowhere_worse, "{:?}", other.words);
    let beside =
        SurveyOptions { force: true, against: "levis".into(), beside: texts(&["lr"]), ..options.clone() };
    assert!(survey(&beside, &Silent).unwrap().nowhere_worse, "lr is not judged");
    for (against, learners) in [("nobody", ["lr", "levis"]), ("lr", ["lr", "optimal"])] {
        let wrong = SurveyOptions { against: against.into(), learners: texts(&learners), ..options.clone() };
        assert!(matches!(survey(&wrong, &Silent), Err(Error::Option { .. })));
    }
}

#[test]
fn growth_has_the_exponents_of_the_random_policy() {
    let dir = tempfile::tempdir().unwrap();
    let options = GrowthOptions {
        out: dir.path().into(),
        learners: texts(&["lr", "random"]),
        dim: 2,
        episodes: vec![100, 400, 1600],
        lengths: vec![2, 8],
        horizon_episodes: 50,
        seeds: 0..5,
        ..GrowthOptions::default()
    };
    let done = growth(&options, &Silent).unwrap();
    // tuned: K (1/delta - B*) ~ sqrt(K); fixed: K; horizon: a random policy pays the same per
    // episode
    for (family, law) in done.families.iter().zip([0.5, 1.0, 0.0]) {
        let exponent = family.exponents[1].exponent.unwrap();
        assert!((exponent.exponent - law).abs() < 0.1, "{:?}: {exponent}", family.family);
        assert_eq!(family.exponents[1].share_of_random, vec![Some(1.0); family.points.len()]);
    }
    let fixed = &done.families[1].exponents[0];
    assert!(fixed.exponent.unwrap().exponent < 0.6 && fixed.share_of_random[2].unwrap() < 0.3, "{fixed:?}");
    for name in ["tuned", "fixed", "horizon"] {
        let svg = std::fs::read_to_string(dir.path().join(format!("growth-{name}.svg"))).unwrap();
        assert!(svg.contains("random: exponent") && !svg.contains("NaN"), "{name}");
    }
    assert!(done.figure(Family::Tuned).is_some());
    assert_eq!(done.words.len(), 3);
    let lines = parse_csv(&std::fs::read_to_string(dir.path().join("runs.csv")).unwrap()).len();
    assert_eq!(lines, 1 + 8 * 2 * 5);
}

#[test]
fn the_demo_draws_what_it_measured() {
    let dir = tempfile::tempdir().unwrap();
    let options = DemoOptions { out: dir.path().into(), episodes: 10, seeds: 0..3, ..DemoOptions::default() };
    let done = demo(&options, &Silent).unwrap();
    let svg = std::fs::read_to_string(dir.path().join("regret.svg")).unwrap();
    let number = done.comparison.rows[0].gap_regret.unwrap().mean;
    let headline = format!("{} with the printed constants", number.round());
    assert!(svg.contains(&headline), "{headline}");
    assert!(svg.contains("(no guarantee)") && svg.matches("<polygon").count() == 5);
    assert!(std::fs::read(dir.path().join("regret.png")).unwrap().starts_with(b"\x89PNG"));
    assert_eq!(done.words.len(), 4);
    assert!(!done.interrupted());
}

#[test]
fn options_are_plain_values() {
    fn check<T: serde::Serialize + for<'a> serde::Deserialize<'a> + Default + PartialEq + std::fmt::Debug>() {
        let given = serde_json::to_string(&T::default()).unwrap();
        assert_eq!(serde_json::from_str::<T>(&given).unwrap(), T::default());
        assert_eq!(
            serde_json::from_str::<T>("{}").unwrap(),
            T::default(),
            "what is not given has its default"
        );
        assert!(serde_json::from_str::<T>(r#"{"no-such-option": 1}"#).is_err());
    }
    check::<CoverageOptions>();
    check::<ScaleOptions>();
    check::<SurveyOptions>();
    check::<GrowthOptions>();
    check::<DemoOptions>();
}
