//! The likelihood set against the set itself, and its promise against the truth.

use crate::worlds_for_tests::irregular;
use goalward::Settings;
use goalward::confidence::{LikelihoodCone, LikelihoodSet, likelihood_covers, likelihood_threshold};
use goalward::episode::{Arena, Flow, Observer, RunSpec, Runner, Step};
use goalward::estimate::{Likelihood, Seen};
use goalward::numeric::Stream;
use goalward::numeric::support::{ConvexSet, Ellipsoid, SupportMin, Warm};
use goalward::problem::{Instance, Problem};
use goalward::worlds;

/// Problems of many shapes: few and many states, with and without simplex facts, sharp and blunt
/// models.
fn problem(seed: u64) -> Instance {
    let simplex = seed.is_multiple_of(2);
    let world = |id: &str, settings: Settings| worlds::build(id, &settings.set("simplex", simplex)).unwrap();
    match seed % 5 {
        0 => world("hard-instance", Settings::new().set("dim", 2 + seed / 5 % 4)),
        1 => world("windy-grid", Settings::new().set("n", 3)),
        2 => {
            let settings = Settings::new().set("seed", seed).set("states", 8).set("dim", 2 + seed / 5 % 5);
            world("random-mixture", settings)
        }
        3 => irregular(seed, 6, 3),
        _ => irregular(seed, 10, 6),
    }
}

/// What was seen, counted apart from the code under test.
struct Seens {
    likelihood: Likelihood,
    triples: Vec<(Vec<f64>, f64)>,
}

impl Seens {
    /// So many transitions of uniformly random pairs.
    fn watch(instance: &Instance, steps: u64, draw: &mut Stream) -> Seens {
        let (problem, truth) = (&instance.problem, instance.truth().unwrap());
        let mut likelihood = Likelihood::new(problem);
        let mut counts = std::collections::BTreeMap::new();
        let goal = problem.pairs_of(problem.goal());
        for _ in 0..steps {
            let p = draw.below(problem.pairs() - goal.len());
            let p = if p >= goal.start { p + goal.len() } else { p };
            let next = truth.sample(problem, p, draw.uniform());
            assert_eq!(likelihood.observe(p, next), Seen::Counted);
            let place = problem.successors(p).iter().position(|&n| n as usize == next).unwrap();
            *counts.entry((p, place)).or_insert(0.0) += 1.0;
        }
        let d = problem.dim();
        let features = |(p, place): (usize, usize)| problem.phi(p)[place * d..(place + 1) * d].to_vec();
        Seens { likelihood, triples: counts.into_iter().map(|(key, n)| (features(key), n)).collect() }
    }

    /// Points of {theta in B : f(theta) <= r}: so many on each of so many random chords, both ends
    /// among them.
    fn sample(
        &self,
        problem: &Problem,
        r: f64,
        chords: usize,
        each: usize,
        draw: &mut Stream,
    ) -> Vec<Vec<f64>> {
        let polytope = problem.constraints();
        let (d, k) = (polytope.dim(), polytope.free());
        let mut theta = self.likelihood.maximum().theta;
        let mut points = Vec::new();
        for _ in 0..chords {
            let z: Vec<f64> = (0..k).map(|_| draw.exponential() - draw.exponential()).collect();
            let direction: Vec<f64> =
                (0..d).map(|i| dot(&polytope.basis()[i * k..(i + 1) * k], &z)).collect();
            let here: Vec<f64> = (0..k)
                .map(|j| {
                    (0..d).map(|i| polytope.basis()[i * k + j] * (theta[i] - polytope.origin()[i])).sum()
                })
                .collect();
            let lines: Vec<(f64, f64, f64)> =
                self.triples.iter().map(|(phi, n)| (dot(phi, &theta), dot(phi, &direction), *n)).collect();
            let fits = |t: f64| {
                let loss: f64 = lines.iter().map(|(p, slope, n)| -n * (p + t * slope).max(0.0).ln()).sum();
                loss <= r
            };
            let end = |sign: f64| {
                let mut reach = 1e3f64;
                for (row, b) in polytope.rows().chunks_exact(k).zip(polytope.offsets()) {
                    let slope = sign * dot(row, &z);
                    if slope > 0.0 {
                        reach = reach.min((b - dot(row, &here)).max(0.0) / slope);
                    }
                }
                if fits(sign * reach) {
                    return sign * reach;
                }
                let (mut low, mut high) = (0.0, reach);
                for _ in 0..40 {
                    let middle = 0.5 * (low + high);
                    if fits(sign * middle) { low = middle } else { high = middle }
                }
                sign * low
            };
            let (low, high) = (end(-1.0), end(1.0));
            let at = |part: f64| -> Vec<f64> {
                theta.iter().zip(&direction).map(|(x, d)| x + (low + (high - low) * part) * d).collect()
            };
            points.extend((0..each).map(|i| at(i as f64 / (each - 1) as f64)));
            theta = at(draw.uniform());
        }
        points
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// The width of a set along c.
fn width(set: &mut dyn SupportMin, c: &[f64]) -> f64 {
    let minus: Vec<f64> = c.iter().map(|x| -x).collect();
    -set.min(&minus, &mut Warm::default()).bound - set.min(c, &mut Warm::default()).bound
}

#[test]
fn the_ellipsoid_contains_the_set_and_is_hardly_wider() {
    let (mut ratios, mut states) = (Vec::new(), 0);
    for seed in 0..200 {
        let instance = problem(seed);
        let problem = &instance.problem;
        let mut draw = Stream::new(seed, &[1]);
        let steps = [1, 3, 10, 30, 100, 300, 1000, 3000][draw.below(8)];
        let seens = Seens::watch(&instance, steps, &mut draw);
        let mut kept = LikelihoodSet::new(0.1);
        let known = kept.update(&seens.likelihood);
        let points = seens.sample(problem, known.threshold, 500, 20, &mut draw);
        assert_eq!(points.len(), 10_000);
        for theta in &points {
            assert!(kept.margin(&seens.likelihood, theta) >= 0.0, "seed {seed}, {steps} steps: {theta:?}");
        }
        states += 1;
        // as wide as what planning asks for: along phi_V
        let mut set = known.set.expect("the points above are in it");
        let mut cone = LikelihoodCone::new(&seens.likelihood, known.threshold);
        let mut phi = vec![0.0; problem.dim()];
        let mut here = Vec::new();
        for _ in 0..4 {
            let v: Vec<f64> = (0..problem.states()).map(|_| draw.uniform()).collect();
            problem.phi_v(draw.below(problem.pairs()), &v, &mut phi);
            let true_width = width(&mut cone, &phi);
            if true_width > 1e-5 {
                let ratio = width(&mut set, &phi) / true_width;
                assert!((1.0 - 1e-4..3.0).contains(&ratio), "seed {seed}, {steps} steps: {ratio}");
                here.push(ratio);
            }
        }
        if !here.is_empty() {
            ratios.push(here.iter().sum::<f64>() / here.len() as f64);
        }
    }
    let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
    println!("mean width {mean} times that of the set");
    assert!(states == 200 && ratios.len() > 150 && mean < 1.2, "{mean} over {}", ratios.len());
}

#[test]
fn without_data_the_set_is_b() {
    for seed in 0..20 {
        let instance = problem(seed);
        let problem = &instance.problem;
        let likelihood = Likelihood::new(problem);
        let mut kept = LikelihoodSet::new(0.01);
        let known = kept.update(&likelihood);
        assert!((known.threshold - 100f64.ln()).abs() < 1e-12);
        let mut set = known.set.unwrap();
        let d = problem.dim();
        let mut identity = vec![0.0; d * d];
        (0..d).for_each(|i| identity[i * d + i] = 1.0);
        let ball = Ellipsoid { center: problem.constraints().interior(), shape: &identity, radius: 1e4 };
        let mut all = ConvexSet::new(problem.constraints(), ball).unwrap();
        let mut phi = vec![0.0; d];
        for s in 0..problem.states() {
            let v: Vec<f64> = (0..problem.states()).map(|i| if i == s { 1.0 } else { 0.0 }).collect();
            for p in 0..problem.pairs() {
                problem.phi_v(p, &v, &mut phi);
                assert!((width(&mut set, &phi) - width(&mut all, &phi)).abs() < 1e-6);
            }
        }
    }
}

#[test]
fn the_maximum_is_one() {
    for seed in 0..100 {
        let instance = problem(seed);
        let problem = &instance.problem;
        let mut draw = Stream::new(seed, &[2]);
        let steps = [1, 5, 20, 100, 2000][draw.below(5)];
        let seens = Seens::watch(&instance, steps, &mut draw);
        let found = seens.likelihood.maximum();
        assert!(problem.constraints().contains(&found.theta, 1e-12));
        let own: f64 = seens.triples.iter().map(|(phi, n)| -n * dot(phi, &found.theta).ln()).sum();
        assert!((own - found.loss).abs() < 1e-9 * (1.0 + own.abs()));
        assert!((seens.likelihood.loss(&found.theta) - own).abs() < 1e-9 * (1.0 + own.abs()));
        // f is convex: no theta in B is better than f + the least of gradient'(theta - found) over
        // B
        let gradient = seens.likelihood.gradient(&found.theta);
        let d = problem.dim();
        let mut identity = vec![0.0; d * d];
        (0..d).for_each(|i| identity[i * d + i] = 1.0);
        let ball = Ellipsoid { center: problem.constraints().interior(), shape: &identity, radius: 1e3 };
        let least = ConvexSet::new(problem.constraints(), ball).unwrap().min(&gradient, &mut Warm::default());
        let gap = dot(&gradient, &found.theta) - least.bound;
        assert!(gap < 1e-4, "seed {seed}, {steps} steps: {gap}");
    }
}

/// Replaces the future by other data: what was predicted before stays as it was.
#[test]
fn predictions_do_not_see_what_they_predict() {
    for seed in 0..10 {
        let instance = problem(seed);
        let (problem, truth) = (&instance.problem, instance.truth().unwrap());
        let pair = |draw: &mut Stream| {
            let start = problem.pairs_of(problem.start());
            start.start + draw.below(start.len())
        };
        let mut past = Stream::new(seed, &[3]);
        let history: Vec<(usize, usize)> = (0..60)
            .map(|_| {
                let p = pair(&mut past);
                (p, truth.sample(problem, p, past.uniform()))
            })
            .collect();
        for cut in [0, 1, 7, 30] {
            let predictions = |future: u64| {
                let mut draw = Stream::new(future, &[4]);
                let mut likelihood = Likelihood::new(problem);
                let mut made = Vec::new();
                for (i, &(p, next)) in history.iter().enumerate() {
                    let next = if i < cut { next } else { truth.sample(problem, p, draw.uniform()) };
                    let q = likelihood.prediction(p);
                    assert!((q.iter().sum::<f64>() - 1.0).abs() < 1e-9 && q.iter().all(|q| *q >= 0.0));
                    let before = likelihood.prediction_loss();
                    let _ = likelihood.observe(p, next);
                    let place = problem.successors(p).iter().position(|&n| n as usize == next).unwrap();
                    assert!(
                        (likelihood.prediction_loss() - before + q[place].ln()).abs()
                            < 1e-12 * (1.0 + before)
                    );
                    made.push(q);
                }
                made
            };
            let (one, other) = (predictions(1), predictions(2));
            assert_eq!(one[..=cut], other[..=cut], "seed {seed}, cut {cut}");
        }
    }
}

/// The probability that so many or more of n runs fail, each with probability p.
fn binomial_tail(n: u32, at_least: u32, p: f64) -> f64 {
    let mut term = (1.0 - p).powi(n as i32);
    let mut below = 0.0;
    for k in 0..at_least {
        below += term;
        term *= f64::from(n - k) / f64::from(k + 1) * p / (1.0 - p);
    }
    1.0 - below
}

/// theta* ever outside the set over 700 steps, at delta = 0.1: no more often in 100 runs than has
/// a probability of one in a thousand for a set that keeps its level.
#[test]
fn coverage() {
    struct Watcher<'a> {
        likelihood: Likelihood,
        instance: &'a Instance,
        left: bool,
    }
    impl Observer for Watcher<'_> {
        fn step(&mut self, step: &Step) -> Flow {
            let p = self.instance.problem.pair(step.state, step.action);
            let _ = self.likelihood.observe(p, step.next);
            let theta = self.instance.truth().unwrap().theta().unwrap();
            self.left |= !likelihood_covers(&self.likelihood, 0.1, theta);
            Flow::Continue(())
        }
    }
    let grid = Arena::open("windy-grid", &Settings::new().set("n", 3)).unwrap();
    let hard = Arena::open("hard-instance", &Settings::new().set("dim", 3)).unwrap();
    for arena in [&grid, &hard] {
        let mut left = 0;
        for seed in 0..100 {
            // adaptive actions and careless ones
            let learner = if seed % 2 == 0 { "lr" } else { "random" };
            let mut watcher = Watcher {
                likelihood: Likelihood::new(arena.problem()),
                instance: arena.instance(),
                left: false,
            };
            let spec = RunSpec::new(learner, u64::MAX).seed(seed).max_steps(700);
            Runner::new(arena, spec).unwrap().run(&mut [&mut watcher]).unwrap();
            assert_eq!(watcher.likelihood.total(), 700);
            left += u32::from(watcher.left);
        }
        assert!(binomial_tail(100, left, 0.1) > 1e-3, "{}: {left} of 100", arena.world);
    }
}

#[test]
fn running_intersections_keep_the_truth_and_lose_width() {
    let instance = problem(1);
    let truth = instance.truth().unwrap();
    let (mut running, mut likelihood) = (LikelihoodSet::new(0.01), Likelihood::new(&instance.problem));
    let mut draw = Stream::new(5, &[5]);
    let goal = instance.problem.pairs_of(instance.problem.goal()).start;
    for t in 1..=2_000u32 {
        let p = draw.below(goal);
        let next = truth.sample(&instance.problem, p, draw.uniform());
        assert_eq!(likelihood.observe(p, next), Seen::Counted);
        if t.is_power_of_two() {
            assert!(running.update(&likelihood).set.is_ok());
            assert!(running.margin(&likelihood, truth.theta().unwrap()) >= 0.0, "t = {t}");
            let mut fresh = LikelihoodSet::new(0.01);
            assert!(fresh.update(&likelihood).set.is_ok());
            let intervals = running.intervals(&likelihood).unwrap();
            for ((low, high), x) in intervals.iter().zip(truth.theta().unwrap()) {
                assert!(low <= x && x <= high, "t = {t}: {x} in [{low}, {high}]");
            }
            let size = |set: &LikelihoodSet| -> f64 {
                set.intervals(&likelihood).unwrap().iter().map(|(low, high)| high - low).sum()
            };
            assert!(size(&running) <= 1.01 * size(&fresh), "t = {t}");
        }
    }
    assert!(running.intervals(&likelihood).unwrap().iter().all(|(low, high)| high - low < 0.7));
}

/// B a point, directions that no kernel sees, a theta that explains nothing: outcomes, not crashes.
#[test]
fn corners() {
    let coin = |second: [f64; 2], third: [f64; 2]| {
        let mut builder = Problem::builder("coin", 2, 2);
        builder.start(0).goal(1);
        let toss = builder.action(0, 1.0).unwrap();
        builder.feature(0, toss, 0, &second).unwrap();
        builder.feature(0, toss, 1, &third).unwrap();
        std::sync::Arc::new(builder.build().unwrap())
    };
    // theta = (x, 1 - x) with both rows fixed at 1/2: nothing to learn, m = 0
    let blind = coin([0.5, 0.5], [0.5, 0.5]);
    let mut likelihood = Likelihood::new(&blind);
    for i in 0..50 {
        assert_eq!(likelihood.observe(0, i % 2), Seen::Counted);
    }
    assert_eq!(likelihood.seen_directions(), 0);
    assert!((likelihood.prediction_loss() - 50.0 * 2f64.ln()).abs() < 1e-9);
    let known = LikelihoodSet::new(0.1).update(&likelihood);
    assert!((known.threshold - known.maximum.loss - 10f64.ln()).abs() < 1e-9);
    let free = known.set.unwrap().min(&[0.5, 0.5], &mut Warm::default());
    assert!((free.value - 0.5).abs() < 1e-9 && (free.bound - 0.5).abs() < 1e-9);

    // p in [1/2, 1] by B; the data say 1 in 50: no theta explains that
    let wrong = coin([0.5, 0.0], [0.5, 1.0]);
    let mut likelihood = Likelihood::new(&wrong);
    let mut kept = LikelihoodSet::new(0.1);
    assert!(kept.update(&likelihood).set.is_ok());
    let before = kept.clone();
    for i in 0..200 {
        assert_eq!(likelihood.observe(0, usize::from(i % 50 == 0)), Seen::Counted);
    }
    let known = kept.update(&likelihood);
    // the prediction came from B too: an unlikely world alone does not empty the set
    assert!(known.set.is_ok() && known.threshold > known.maximum.loss);
    assert!(kept != before);
    assert_eq!(likelihood.observe(0, 5), Seen::Impossible);
    assert_eq!(likelihood.total(), 200);
    assert!(likelihood_threshold(&likelihood, known.maximum.loss, 0.1) == known.threshold);
}
