//! The set that is planned over contains the confidence set, however badly features are scaled.

use goalward::Settings;
use goalward::confidence::LikelihoodKeeper;
use goalward::estimate::Likelihood;
use goalward::numeric::Stream;
use goalward::numeric::support::{SupportMin, Warm};
use goalward::problem::{Instance, Problem};
use goalward::worlds;

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// A state for every successor, a start and a goal; each row is p0 + sum of eps_i x_i delta_i with
/// theta = (1, x). Directions are as long in B as eps_i is small; `turned` mixes all coordinates,
/// so that no axis is a direction.
fn badly_scaled(seed: u64, eps: &[f64], turned: bool) -> Instance {
    let mut draw = Stream::new(seed, &[0x7363_616c]);
    let (n, d) = (4, eps.len() + 1);
    let mut turn: Vec<Vec<f64>> =
        (0..d).map(|i| (0..d).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    if turned {
        // reflections keep lengths
        for _ in 0..d {
            let v: Vec<f64> = (0..d).map(|_| draw.uniform() - 0.5).collect();
            let size = dot(&v, &v);
            for row in &mut turn {
                let t = 2.0 * dot(row, &v) / size;
                row.iter_mut().zip(&v).for_each(|(x, v)| *x -= t * v);
            }
        }
    }
    let apply = |x: &[f64]| -> Vec<f64> { turn.iter().map(|row| dot(row, x)).collect() };
    let mut builder = Problem::builder("badly-scaled", n, d);
    builder.start(0).goal(n - 1);
    for s in 0..n - 1 {
        for _ in 0..2 {
            let a = builder.action(s, 1.0).unwrap();
            let successors: Vec<usize> =
                (0..n).filter(|&next| next + 1 == n || draw.uniform() < 0.6).collect();
            let weights: Vec<f64> = successors.iter().map(|_| 0.2 + draw.exponential()).collect();
            let total: f64 = weights.iter().sum();
            let mut rows: Vec<Vec<f64>> = weights.iter().map(|w| vec![w / total]).collect();
            for &eps in eps {
                let moves: Vec<f64> = successors.iter().map(|_| draw.uniform()).collect();
                let mean = moves.iter().sum::<f64>() / moves.len() as f64;
                rows.iter_mut().zip(&moves).for_each(|(row, x)| row.push(eps * (x - mean)));
            }
            for (next, row) in successors.iter().zip(&rows) {
                builder.feature(s, a, *next, &apply(row)).unwrap();
            }
        }
    }
    let theta: Vec<f64> =
        [1.0].into_iter().chain(eps.iter().map(|eps| 0.1 / eps * (draw.uniform() - 0.5))).collect();
    Instance::new(builder.build().unwrap(), &apply(&theta)).unwrap()
}

/// Points of the set itself, far out: a walk from one point to a random one of the chord through
/// it, along directions of all lengths.
struct Walk<'a> {
    problem: &'a Problem,
    likelihood: &'a Likelihood,
    threshold: f64,
    theta: Vec<f64>,
}

impl Walk<'_> {
    fn inside(&self, theta: &[f64]) -> bool {
        let problem = self.problem;
        let rows = (0..problem.pairs()).map(|p| problem.phi(p));
        let feasible =
            rows.into_iter().all(|phi| phi.chunks_exact(problem.dim()).all(|phi| dot(phi, theta) >= 0.0));
        let known = problem.extra().iter().all(|fact| dot(&fact.a, theta) <= fact.b);
        feasible && known && self.likelihood.loss(theta) <= self.threshold
    }

    fn at(&self, direction: &[f64], s: f64) -> Vec<f64> {
        self.theta.iter().zip(direction).map(|(x, v)| x + s * v).collect()
    }

    /// The last point of the set along a direction.
    fn end(&self, direction: &[f64]) -> f64 {
        let (mut low, mut high) = (0.0, 1e-6);
        while self.inside(&self.at(direction, high)) && high < 1e20 {
            (low, high) = (high, 4.0 * high);
        }
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if self.inside(&self.at(direction, middle)) { low = middle } else { high = middle }
        }
        low
    }

    /// Both ends of the chord; goes to a point between them.
    fn step(&mut self, draw: &mut Stream) -> [Vec<f64>; 2] {
        let polytope = self.problem.constraints();
        let (d, k) = (polytope.dim(), polytope.free());
        let far: Vec<f64> =
            (0..d).map(|_| (draw.uniform() - 0.5) * 10f64.powf(12.0 * draw.uniform() - 2.0)).collect();
        let along = |j: usize| (0..d).map(|i| polytope.basis()[i * k + j] * far[i]).sum::<f64>();
        let z: Vec<f64> = (0..k).map(along).collect();
        let size = dot(&z, &z).sqrt();
        let direction: Vec<f64> =
            (0..d).map(|i| dot(&polytope.basis()[i * k..(i + 1) * k], &z) / size).collect();
        let minus: Vec<f64> = direction.iter().map(|x| -x).collect();
        let (up, down) = (self.end(&direction), self.end(&minus));
        let ends = [self.at(&direction, up), self.at(&minus, down)];
        let s = -down + draw.uniform() * (up + down);
        let next = self.at(&direction, s);
        if self.inside(&next) {
            self.theta = next;
        }
        ends
    }
}

/// Random actions for so many steps; at every plan that `lr` would make, theta* and points far out
/// are in the set planned over. How often theta* was looked for.
fn watch(instance: &Instance, steps: u64, seed: u64, what: &str) -> usize {
    let (problem, truth) = (&instance.problem, instance.truth().unwrap());
    let mut draw = Stream::new(seed, &[0x7761_6c6b]);
    let mut keeper = LikelihoodKeeper::new(problem, 0.1);
    let goal = problem.goal();
    let (mut s, mut planned, mut plans) = (problem.start(), 0, 0);
    for t in 1..=steps {
        let p = problem.pair(s, draw.below(problem.actions(s)));
        s = truth.sample(problem, p, draw.uniform());
        let _ = keeper.observe(p, s);
        s = if s == goal { problem.start() } else { s };
        if !keeper.informed(2.0) && t < 2 * planned {
            continue;
        }
        planned = t;
        let known = keeper.update();
        let likelihood = keeper.likelihood();
        if likelihood.loss(truth.theta().unwrap()) > known.threshold {
            continue; // luck of probability delta
        }
        plans += 1;
        let place = format!("{what}, seed {seed}, t = {t}");
        let mut set =
            known.set.unwrap_or_else(|_| panic!("{place}: theta* is in the set, and it is called empty"));
        assert!(keeper.set().margin(likelihood, truth.theta().unwrap()) >= 0.0, "{place}: theta* is outside");
        let theta = truth.theta().unwrap().to_vec();
        let mut walk = Walk { problem, likelihood, threshold: known.threshold, theta };
        let mut points = vec![truth.theta().unwrap().to_vec()];
        (0..6).for_each(|_| points.extend(walk.step(&mut draw)));
        let v: Vec<f64> =
            (0..problem.states()).map(|s| if s == goal { 0.0 } else { draw.uniform() }).collect();
        for (i, theta) in points.iter().enumerate() {
            assert!(
                keeper.set().margin(likelihood, theta) >= 0.0,
                "{place}: point {i} is outside: {theta:?}"
            );
            for p in (0..problem.pairs()).filter(|p| !problem.pairs_of(goal).contains(p)) {
                let mut c = vec![0.0; problem.dim()];
                problem.phi_v(p, &v, &mut c);
                let (bound, here) = (set.min(&c, &mut Warm::default()).bound, dot(&c, theta));
                let size: f64 = c.iter().zip(theta).map(|(x, y)| (x * y).abs()).sum();
                assert!(
                    bound <= here + 1e-9 + 1e-14 * size,
                    "{place}: point {i}, pair {p}: {bound} > {here}"
                );
            }
        }
    }
    plans
}

#[test]
fn a_windy_grid_with_winds_of_all_strengths() {
    let mut plans = 0;
    for exponent in [0, -2, -4, -6, -7, -8, -9, -10, -11, -12] {
        for simplex in [false, true] {
            let wind = format!("1e{exponent}");
            let settings = Settings::new().set("n", 3).set("wind", &wind).set("simplex", simplex);
            let grid = worlds::build("windy-grid", &settings).unwrap();
            for seed in 0..3 {
                plans += watch(&grid, 300, seed, &format!("wind {wind}, simplex {simplex}"));
            }
        }
    }
    assert!(plans > 500, "{plans}");
}

#[test]
fn features_of_different_scale() {
    let mut plans = 0;
    for seed in 0..60 {
        let mut draw = Stream::new(seed, &[0x0065_7073]);
        let turned = seed % 3 == 2;
        let least = if turned { 5.0 } else { 10.0 };
        let eps: Vec<f64> = (0..1 + draw.below(3)).map(|_| 10f64.powf(-least * draw.uniform())).collect();
        let instance = badly_scaled(seed, &eps, turned);
        plans += watch(&instance, 200, seed, &format!("eps {eps:?}, turned {turned}"));
    }
    assert!(plans > 500, "{plans}");
}

/// The data narrow a faint direction as they narrow any other: in its own units nothing is faint.
#[test]
fn a_faint_direction_is_learnt_like_any_other() {
    let width_of = |eps: f64, seed: u64| {
        let instance = badly_scaled(7, &[1.0, eps], false);
        let (problem, truth) = (&instance.problem, instance.truth().unwrap());
        let mut draw = Stream::new(seed, &[1]);
        let mut keeper = LikelihoodKeeper::new(problem, 0.1);
        for _ in 0..3000 {
            let p = draw.below(problem.pairs());
            let _ = keeper.observe(p, truth.sample(problem, p, draw.uniform()));
        }
        let mut set = keeper.update().set.unwrap();
        let mut side = |sign: f64| set.min(&[0.0, 0.0, sign * eps], &mut Warm::default()).bound;
        -side(-1.0) - side(1.0)
    };
    // one run's width depends on luck, also on that of rounding: by a tenth
    let width = |eps: f64| (1..=8).map(|seed| width_of(eps, seed)).sum::<f64>() / 8.0;
    let ordinary = width(1.0);
    for eps in [1e-3, 1e-6, 1e-9] {
        let faint = width(eps);
        assert!(faint < 1.2 * ordinary && faint > 0.8 * ordinary, "eps {eps}: {faint}, not {ordinary}");
    }
}
