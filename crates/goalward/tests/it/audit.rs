//! The audit: identities, lemmas where their assumptions hold, and where they do not.

use goalward::Settings;
use goalward::confidence::Holds;
use goalward::episode::{Arena, Audit, AuditReport, RunSpec, Runner, Verdict};

pub(crate) fn audited(arena: &Arena, spec: RunSpec) -> AuditReport {
    let mut runner = Runner::new(arena, spec).unwrap();
    let mut audit = Audit::new(arena).unwrap();
    runner.run(&mut [&mut audit]).unwrap();
    audit.report(&runner)
}

fn worlds() -> [Arena; 4] {
    [
        ("hard-instance", Settings::new().set("dim", 2)),
        ("windy-grid", Settings::new().set("n", 3)),
        ("random-mixture", Settings::new().set("states", 6)),
        ("corridor", Settings::new().set("length", 4)),
    ]
    .map(|(world, params)| Arena::open(world, &params).unwrap())
}

fn told(settings: &str) -> Settings {
    Settings::parse(settings.split_whitespace().map(String::from).collect::<Vec<_>>()).unwrap()
}

/// At this level a lemma that fails is a mistake, and no bad luck.
const RARE: &str = "delta=1e-6";

/// Prints what failed, with everything that one would want to know.
fn assert_sound(report: &AuditReport) {
    let failed: Vec<_> = report.violated().collect();
    assert!(failed.is_empty(), "{} {} seed {}: {failed:#?}", report.world, report.learner, report.seed);
    let parts = report.decomposition.unwrap();
    assert!(parts.off.abs() <= 1e-9 * report.cost, "{parts:?}");
    assert!(parts.regret_off.abs() <= 1e-9 * report.cost, "{parts:?}");
}

#[test]
fn twenty_seeds_of_levis_plus_plus_violate_nothing() {
    for arena in worlds() {
        for seed in 0..20 {
            let spec = RunSpec::new("levis++", 60).settings(told("B=oracle norms=computed")).seed(seed);
            let report = audited(&arena, spec.max_steps(3_000));
            assert!(report.guarantee.as_ref().is_some_and(|g| g.holds == Holds::Yes));
            assert_sound(&report);
            assert_eq!(report.levels.len(), report.formula.unwrap().levels);
        }
    }
}

#[test]
fn twenty_seeds_of_lr_violate_nothing() {
    for arena in worlds() {
        for seed in 0..20 {
            let spec = RunSpec::new("lr", 60).settings(told(RARE)).seed(seed).max_steps(3_000);
            let report = audited(&arena, spec);
            assert_sound(&report);
            let seen = report.likelihood.as_ref().unwrap();
            assert!(seen.ratio_bound.unwrap() <= 17.0 && seen.looks > 0);
            assert!(report.regret_certified.unwrap() >= report.regret);
        }
    }
}

#[test]
fn the_other_learners_with_a_set_can_be_audited() {
    let arena = &worlds()[1];
    for (id, settings) in [
        ("levis", "B=oracle norms=computed"),
        ("levis+", "B=oracle norms=computed"),
        ("levis++", "B=oracle radius=determinant"),
        ("rho-levis++", "B=oracle t_star=oracle norms=computed"),
        ("levis++lr", "B=oracle"),
        ("ucrl-ave-ssp", "B=oracle"),
        ("lr", "set=exact delta=1e-6"),
        ("lr", "set=outer delta=1e-6"),
    ] {
        let spec = RunSpec::new(id, 20).settings(told(settings)).max_steps(2_000);
        let report = audited(arena, spec);
        assert_sound(&report);
        let sets = |check: &&goalward::episode::Check| check.statement.contains("theta* is in the");
        assert!(report.checks.iter().any(|c| sets(&c) && c.looks == report.steps), "{id} {settings}");
    }
    // those without a set have values, or nothing
    for id in ["bernstein-ssp", "random"] {
        let report = audited(arena, RunSpec::new(id, 5).settings(told("")).max_steps(500));
        assert_eq!(report.violated().count(), 0);
        assert!(report.decomposition.is_none());
    }
}

#[test]
fn a_scaled_radius_that_loses_theta_is_shown_with_its_step() {
    let arena = Arena::open("hard-instance", &Settings::new().set("dim", 2)).unwrap();
    let spec = RunSpec::new("levis++", 300).settings(told("B=3 radius=scaled:0.0001")).seed(1);
    let report = audited(&arena, spec);
    let lost = report.violated().find(|c| c.statement.contains("level 0")).unwrap();
    let first = lost.first.unwrap();
    assert!(first.value > first.bound && first.t >= 1 && first.t <= report.steps);
    assert_eq!(lost.verdict, Verdict::Violated);
    // the identities hold whatever the plans are
    let parts = report.decomposition.unwrap();
    assert!(parts.off.abs().max(parts.regret_off.abs()) <= 1e-9 * report.cost);
    // nothing is certified
    assert_eq!(report.regret_certified, None);
}

#[test]
fn a_violation_is_excused_where_a_condition_fails() {
    // B is too small: values are cut off at B, and nothing is promised
    let arena = Arena::open("windy-grid", &Settings::new().set("n", 3)).unwrap();
    let spec = RunSpec::new("levis++", 30).settings(told("B=0.5 norms=computed theta_norm=0.001"));
    let report = audited(&arena, spec.max_steps(1_000));
    assert_eq!(report.violated().count(), 0);
    let parts = report.decomposition.unwrap();
    assert!(parts.off.abs() <= 1e-9 * report.cost);
}

/// The margin of the likelihood set, as the set itself says it after every step.
#[derive(Default)]
struct Margins {
    theta: Vec<f64>,
    least: Option<(f64, u64)>,
    now: f64,
}

impl goalward::learners::Probe for Margins {
    fn wants_estimate(&self) -> bool {
        false
    }
    fn wants_sets(&self) -> bool {
        true
    }
    fn set(&mut self, now: &dyn goalward::confidence::ConfidenceSet) {
        self.now = now.margin(&self.theta);
    }
}

impl goalward::episode::Observer for Margins {
    fn step(&mut self, step: &goalward::episode::Step) -> goalward::episode::Flow {
        step.learner.probe(self);
        let now = self.now;
        if self.least.is_none_or(|(least, _)| now < least) {
            self.least = Some((now, step.t));
        }
        goalward::episode::Flow::Continue(())
    }
}

/// The audit takes the fit in use where the set takes the maximum: its set is a little larger.
#[test]
fn margins_are_those_of_the_set_itself() {
    for (arena, seed) in worlds().iter().zip([1, 0, 3, 5]) {
        let mut runner = Runner::new(arena, RunSpec::new("lr", 30).seed(seed)).unwrap();
        let mut audit = Audit::new(arena).unwrap();
        let theta = arena.instance().truth().unwrap().theta().unwrap().to_vec();
        let mut margins = Margins { theta, ..Margins::default() };
        runner.run(&mut [&mut audit, &mut margins]).unwrap();
        let seen = audit.report(&runner).likelihood.unwrap();
        let ours = seen.wealth_threshold - seen.log_wealth.unwrap();
        let (least, t) = margins.least.unwrap();
        assert!(ours >= least - 1e-6 && ours <= least + 0.5, "{ours}, but the set says {least} at {t}");
    }
}

/// A check that cannot fail is none: who promises nothing keeps no promise.
#[test]
fn who_promises_nothing_is_not_said_to_keep_it() {
    let [_, windy, ..] = worlds();
    for learner in ["random", "q-learning"] {
        let report = audited(&windy, RunSpec::new(learner, 5));
        assert!(report.checks.is_empty(), "{learner}: {:#?}", report.checks);
    }
    assert!(!audited(&windy, RunSpec::new("lr", 5)).checks.is_empty());
}
