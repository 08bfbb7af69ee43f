//! What must not allocate, counted by an instrumented allocator: a binary of its own, since an
//! allocator is global.

use goalward::Settings;
use goalward::estimate::{Likelihood, Seen};
use goalward::learners::{Family, LEARNERS, Observed, Told, Transition};
use goalward::numeric::Stream;
use goalward::numeric::support::{ConvexSet, Ellipsoid, SupportMin, Warm};
use goalward::problem::Mixer;
use goalward::worlds;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;
use std::collections::HashSet;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// One test: others would allocate beside it.
#[test]
fn steps_and_solves_allocate_nothing() {
    let params = Settings::new().set("dim", 8).set("successors", 5);
    let instance = worlds::build("random-mixture", &params).unwrap();
    let (problem, truth) = (&instance.problem, instance.truth().unwrap());
    let mut draw = Stream::new(1, &[]);

    for entry in LEARNERS {
        let id = entry.id;
        let policy = entry.wants(goalward::learners::Need::Policy).then(|| vec![0; problem.states()]);
        let told = Told { b_star: Some(20.0), t_star: Some(20.0), policy };
        let mut learner = entry.build(problem, &entry.oracle(), 0, 1, told).unwrap();
        // whoever keeps transitions makes room for one that it has not seen; the likelihood is refitted
        // when the data have grown by a quarter (1.25^36 > 3000); learners that count take over a
        // pair's counts when these have doubled; whoever watches its models keeps transitions, and
        // looks when the data have grown by a tenth (1.1^84 > 3000), and after each of the first ten
        let watches = learner.misfit().is_some();
        let keeps = watches || entry.keeps.contains("transition");
        let most = match entry.family {
            Family::LinearMixture => 36 + 84 + 10,
            Family::Baseline => 0,
            _ => 12 * problem.pairs(),
        };
        let mut triples = HashSet::new();
        let (mut s, mut plain, mut others) = (problem.start(), 0, 0);
        for t in 0..3_000 {
            let region = Region::new(ALLOCATOR);
            let action = learner.act(s).unwrap();
            let next = truth.sample(problem, problem.pair(s, action), draw.uniform());
            let cost = problem.cost(problem.pair(s, action));
            let observed = learner.observe(&Transition { state: s, action, cost, next }).unwrap();
            let allocations = region.change().allocations;
            let is_new = triples.insert((s, action, next));
            // planning calls may allocate, and so may the first step of all
            if observed == Observed::Updated && t > 0 {
                assert!(allocations == 0 || most > 0, "{id} at step {t}: {allocations}");
                others += usize::from(allocations > 0 && !(is_new && keeps));
                plain += 1;
            }
            s = if next == problem.goal() { problem.start() } else { next };
        }
        // the pairs that Hoeffding-SSP knows too little of make it plan after every step
        assert!(plain > 2_000 || entry.cost.starts_with("one plan"), "{id}: {plain} steps without a plan");
        assert!(others <= most, "{id}: {others} steps allocate");
    }

    // the likelihood: all pairs were met once, and refits, which may allocate, come when the data
    // have grown by a quarter
    let mut likelihood = Likelihood::new(problem);
    let mut fits = 0;
    for t in 1..=5_000 {
        let pair = if t <= problem.pairs() { t - 1 } else { draw.below(problem.pairs()) };
        let next = truth.sample(problem, pair, draw.uniform());
        let region = Region::new(ALLOCATOR);
        let seen = likelihood.observe(pair, next);
        let allocations = region.change().allocations;
        assert_eq!(seen, Seen::Counted);
        // a fit takes room; how far the last one went is part of the state
        let counts = serde_json::to_value(likelihood.counts()).unwrap();
        let fitted = counts["sums"]["fitted"].as_u64() == Some(t as u64);
        fits += u64::from(fitted);
        if !fitted && t > problem.pairs() {
            assert_eq!(allocations, 0, "likelihood at step {t}");
        }
    }
    assert!(fits < 500, "{fits} fits in 5,000 steps");

    let d = problem.dim();
    let mut shape = vec![0.0; d * d];
    (0..d).for_each(|i| shape[i * d + i] = 50.0 * (1.0 + i as f64));
    let ellipsoid = Ellipsoid { center: truth.theta().unwrap(), shape: &shape, radius: 3.0 };
    let mut set = ConvexSet::new(problem.constraints(), ellipsoid).unwrap();
    let mut warm = Warm::default();
    let mut objective = || -> Vec<f64> { (0..d).map(|_| draw.uniform() - 0.5).collect() };
    // the first solves find what is kept per polytope, and make room for the working set
    for _ in 0..50 {
        set.min(&objective(), &mut warm);
    }
    for _ in 0..500 {
        let c = objective();
        let region = Region::new(ALLOCATOR);
        set.min(&c, &mut warm);
        assert_eq!(region.change().allocations, 0);
    }
    models_write_their_columns();
}

/// A model whose successors are there already takes no room beside the mixture's, whatever its size.
fn models_write_their_columns() {
    let params = Settings::new().set("dim", 1).set("states", 3_000);
    let model = worlds::build("random-mixture", &params).unwrap();
    let mut mixer = Mixer::new(3);
    mixer.add("one", &model).unwrap();
    for name in ["two", "three"] {
        let region = Region::new(ALLOCATOR);
        mixer.add(name, &model).unwrap();
        let bytes = region.change().bytes_allocated;
        assert!(bytes < model.problem.pairs(), "{bytes} bytes for {} pairs", model.problem.pairs());
    }
    assert_eq!(mixer.finish(None).unwrap().problem.dim(), 3);
}
