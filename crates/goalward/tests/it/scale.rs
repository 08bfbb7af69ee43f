//! B of many rows: features that are not written out give the same sets as rows that are.

use crate::support_stress::stress::families::Draft;
use crate::support_stress::stress::oracle;
use goalward::Settings;
use goalward::confidence::Kind;
use goalward::confidence::LikelihoodKeeper;
use goalward::estimate::Seen;
use goalward::learners::{self, LEARNERS, PlanReport, Probe, Told, Transition};
use goalward::numeric::support::{ConvexSet, Ellipsoid, Status, SupportMin, Warm};
use goalward::numeric::{Polytope, PolytopeBuilder, Rows, Stream, Tall, categorical};
use goalward::plan::{Devi, Options, Planner, Task, solve};
use goalward::problem::{Instance, Problem};
use goalward::worlds;
use std::sync::Arc;

const DIM: usize = 6;

/// Feature rows in general position, as many times ten as there are pairs, and each pair's sum.
fn features(pairs: usize, seed: u64) -> Vec<f64> {
    let mut random = Stream::new(seed, &[]);
    let mut phi = vec![0.0; pairs * 10 * DIM];
    for pair in phi.chunks_exact_mut(10 * DIM) {
        for model in 0..DIM {
            let weights: Vec<f64> = (0..10).map(|_| random.exponential()).collect();
            let sum: f64 = weights.iter().sum();
            weights.iter().enumerate().for_each(|(row, w)| pair[row * DIM + model] = w / sum);
        }
    }
    phi
}

fn polytope(phi: &Arc<Tall>, most: usize, rows: Rows) -> Arc<Polytope> {
    let mut builder = PolytopeBuilder::new(DIM).at_most(most).unpruned();
    builder.equality(&[1.0; DIM], 1.0).unwrap();
    builder.no_less_than_zero(phi);
    Arc::new(builder.finish().unwrap().with_rows(rows))
}

fn ellipsoid<'a>(center: &'a [f64], shape: &'a mut [f64], stretch: f64, radius: f64) -> Ellipsoid<'a> {
    shape.fill(0.0);
    (0..DIM).for_each(|i| shape[i * DIM + i] = 1.0 + stretch * i as f64);
    Ellipsoid { center, shape, radius }
}

/// Ten thousand rows, radii from one that no row cuts to one that contains B, 1e5 objectives in
/// all: the same minima as with all rows written out; a sample of them also by Clarabel over all
/// rows.
#[test]
fn features_give_the_same_minima_as_rows() {
    let phi = Arc::new(Tall::new(DIM, features(1_000, 1)));
    let written = polytope(&phi, usize::MAX / 100, Rows::Exact);
    let kept = polytope(&phi, 100, Rows::Exact);
    assert!(!written.has_features() && kept.has_features());
    assert_eq!((written.free(), written.offsets().len()), (DIM - 1, 10_000));
    assert!(kept.offsets().len() < 2_000, "{} rows in the core", kept.offsets().len());
    let room = |phi: &[f64]| phi.iter().zip(kept.interior()).map(|(x, y)| x * y).sum::<f64>();
    assert!(
        phi.get(0..phi.rows()).chunks_exact(DIM).all(|phi| room(phi) > 1e-4),
        "the interior point has room in all rows"
    );
    let mut random = Stream::new(2, &[]);
    let center = [1.0 / DIM as f64; DIM];
    let (mut shape, mut compared, mut cut) = ([0.0; DIM * DIM], 0, 0);
    for (case, radius) in [0.02, 0.1, 0.3, 1.0, 100.0].into_iter().enumerate() {
        let ellipsoid = ellipsoid(&center, &mut shape, case as f64, radius);
        let mut expected = ConvexSet::new(&written, ellipsoid).unwrap();
        let mut found = ConvexSet::new(&kept, ellipsoid).unwrap();
        let reference = Draft {
            dim: DIM,
            equalities: vec![(vec![1.0; DIM], 1.0)],
            rows: (0..phi.rows()).map(|i| (phi.row(i).iter().map(|x| -x).collect(), 0.0)).collect(),
            known: Vec::new(),
            contradictory: false,
            center: center.to_vec(),
            factor: ellipsoid.shape.iter().map(|x| x.sqrt()).collect(),
            shape: ellipsoid.shape.to_vec(),
            radius,
            empty: false,
        };
        assert!(!found.is_relaxed());
        let (mut warm, mut warm_too) = (Warm::default(), Warm::default());
        for i in 0..20_000 {
            let c: [f64; DIM] = std::array::from_fn(|_| random.uniform() - 0.5);
            let (a, b) = (expected.min(&c, &mut warm), found.min(&c, &mut warm_too));
            assert!(b.status == Status::Optimal && b.bound <= b.value, "{b:?}");
            assert!((a.value - b.value).abs() <= 1e-9 * (1.0 + a.value.abs()), "{a:?} {b:?}");
            cut += usize::from(!warm_too.is_empty());
            if i % 4_000 == 0 {
                // Clarabel does not always converge over ten thousand rows
                let Some(exact) = oracle::solve(&reference, &c, 1e-7) else { continue };
                assert!((exact - b.value).abs() <= 1e-6 * (1.0 + b.value.abs()), "{exact:?} {b:?}");
                assert!(b.bound <= exact + 1e-7);
                compared += 1;
            }
        }
    }
    assert!(compared >= 12 && cut > 30_000, "{compared} compared, {cut} of 100000 minima lie on rows of B");
}

/// The nearest rows alone make a larger set, and say so.
#[test]
fn fewer_rows_are_optimistic_and_said_to_be_fewer() {
    let phi = Arc::new(Tall::new(DIM, features(1_000, 3)));
    let (exact, nearest) = (polytope(&phi, 100, Rows::Exact), polytope(&phi, 100, Rows::Nearest(20)));
    let center = [1.0 / DIM as f64; DIM];
    let mut shape = [0.0; DIM * DIM];
    let ellipsoid = ellipsoid(&center, &mut shape, 1.0, 1.0);
    let mut exact = ConvexSet::new(&exact, ellipsoid).unwrap();
    let mut fewer = ConvexSet::new(&nearest, ellipsoid).unwrap();
    assert!(fewer.is_relaxed() && !exact.is_relaxed() && fewer.binding_rows() < exact.binding_rows());
    let (mut random, mut below) = (Stream::new(4, &[]), 0);
    for _ in 0..2_000 {
        let c: [f64; DIM] = std::array::from_fn(|_| random.uniform() - 0.5);
        let least = exact.min(&c, &mut Warm::default());
        let lower = fewer.min(&c, &mut Warm::default());
        assert!(lower.bound <= least.value + 1e-12);
        below += usize::from(lower.value < least.value - 1e-9);
    }
    assert!(below > 0, "the larger set must show somewhere");
}

/// What no theta satisfies is found although no core of a few rows shows it.
#[test]
fn contradictions_and_flat_sets_are_found_among_many_rows() {
    let mut phi = features(1_000, 5);
    // theta_1 <= 0.05 and, in another row, theta_1 >= 0.2
    let row =
        |a: f64, all: f64| -> [f64; DIM] { std::array::from_fn(|i| all + if i == 0 { a } else { 0.0 }) };
    let place = 777 * DIM;
    phi[place..place + DIM].copy_from_slice(&row(-1.0, 0.05));
    let with = |phi: Vec<f64>| {
        let mut builder = PolytopeBuilder::new(DIM).at_most(100);
        builder.equality(&[1.0; DIM], 1.0).unwrap();
        builder.no_less_than_zero(&Arc::new(Tall::new(DIM, phi)));
        builder.finish()
    };
    let sound = with(phi.clone()).unwrap();
    assert!(sound.interior()[0] < 0.05 && sound.free() == DIM - 1);
    let mut flat = phi.clone();
    flat[place + 999 * DIM..place + 1000 * DIM].copy_from_slice(&row(1.0, -0.05));
    let flat = with(flat).unwrap();
    assert_eq!(flat.free(), DIM - 2);
    assert!((flat.interior()[0] - 0.05).abs() < 1e-8);
    let mut empty = phi;
    empty[place + 999 * DIM..place + 1000 * DIM].copy_from_slice(&row(1.0, -0.2));
    assert!(with(empty).is_err());
}

/// 10,000 pairs of general features, more than 2^16 rows, most of them facets or few, and 20,000,
/// for which sweeps are prepared: planning is optimistic, and gives the same bytes on any number of
/// threads.
#[test]
fn large_problems_are_planned_alike_on_any_number_of_threads() {
    let mixture = |states: usize, dim: usize, simplex: bool| {
        let params = Settings::new().set("states", states).set("dim", dim).set("simplex", simplex);
        worlds::build("random-mixture", &params.set("successors", 8).set("actions", 4)).unwrap()
    };
    planned_alike(&mixture(2_500, 4, false), false, &[1e-3, 0.3, 100.0]);
    planned_alike(&mixture(2_500, 10, false), true, &[1e-3, 0.3, 100.0]);
    planned_alike(&mixture(5_000, 10, false), true, &[0.3, 100.0]);
    planned_alike(&mixture(5_000, 10, true), false, &[0.05, 0.3, 100.0]);
    // policies that leave late are evaluated otherwise
    planned_alike(&worlds::build("windy-grid", &Settings::new().set("n", 70)).unwrap(), false, &[1e-3, 0.1]);
}

fn planned_alike(instance: &Instance, many: bool, radii: &[f64]) {
    let (problem, theta) = (&instance.problem, instance.truth().unwrap().theta().unwrap());
    let dim = problem.dim();
    assert_eq!(problem.constraints().has_features(), many);
    let shape: Vec<f64> = (0..dim * dim).map(|i| f64::from(u8::from(i % (dim + 1) == 0))).collect();
    let best = solve(problem, instance.truth().unwrap(), &Options::exact(1e-9)).unwrap();
    let task = Task { problem, costs: problem.costs(), b: 1.01 * best.b_star, eps: 1e-6, q: 1e-6 };
    for &radius in radii {
        let plan = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let ellipsoid = Ellipsoid { center: theta, shape: &shape, radius };
                let mut set = ConvexSet::new(problem.constraints(), ellipsoid).unwrap();
                let mut devi = Devi::new(problem);
                let start = vec![0.0; problem.states()];
                let done = devi.plan(&task, &mut set, Planner::Fast, &start);
                // over a relaxed set a plan is optimistic, and need not settle
                let settled = done.residual <= if done.relaxed { 1e-2 } else { task.eps };
                assert!(settled && done.sweeps < 60, "{done:?}");
                assert!(radius < 1.0 || done.relaxed == many);
                (devi.v, devi.q)
            })
        };
        let (v, q) = plan(1);
        for threads in [2, 3] {
            let (v2, q2) = plan(threads);
            assert!(v.iter().zip(&v2).chain(q.iter().zip(&q2)).all(|(a, b)| a.to_bits() == b.to_bits()));
        }
        assert!(v.iter().zip(&best.upper).all(|(v, best)| *v <= best * (1.0 + 1e-9)));
    }
}

/// More than 2^16 rows, which are not written out: the predicting theta and the maximum stay in B
/// all the same, and the set itself is refused.
#[test]
fn the_likelihood_keeps_to_rows_that_are_not_written_out() {
    let params = Settings::new().set("states", 2_500).set("dim", 10).set("successors", 8).set("actions", 4);
    let instance = worlds::build("random-mixture", &params).unwrap();
    let (problem, truth) = (&instance.problem, instance.truth().unwrap());
    assert!(problem.constraints().has_features());
    let mut keeper = LikelihoodKeeper::new(problem, 0.01);
    let mut random = Stream::new(7, &[]);
    for t in 1..=400 {
        let pair = random.below(problem.pairs() - 4);
        // a corner of the simplex that is hardly in B pulls the maximum to the boundary
        let models: Vec<f64> = problem.phi(pair).chunks_exact(10).map(|phi| phi[0]).collect();
        let next = problem.successors(pair)[categorical(&models, random.uniform())] as usize;
        assert_eq!(keeper.observe(pair, next), Seen::Counted);
        if [1, 20, 400].contains(&t) {
            let known = keeper.update();
            assert!(problem.constraints().contains(&known.maximum.theta, 1e-12));
            let maximum = keeper.likelihood().maximum();
            assert!(problem.constraints().contains(&maximum.theta, 1e-12));
            assert!(
                maximum.loss <= known.maximum.loss
                    && maximum.loss <= keeper.likelihood().loss(truth.theta().unwrap())
            );
        }
    }
    let entry = learners::entry("lr").unwrap();
    let build = |settings: &Settings| entry.build(problem, settings, 0, 1, Told::default());
    let refused = build(&Settings::new().set("set", "exact")).map(|_| ()).unwrap_err();
    assert!(refused.to_string().contains("65,536") && refused.to_string().contains("set=outer"), "{refused}");
}

/// `rows` is a setting of every optimistic learner: few rows make plans relaxed, all of them do
/// not.
#[test]
fn learners_choose_how_many_rows_they_take() {
    let params = Settings::new().set("states", 500).set("dim", 10).set("successors", 15).set("actions", 3);
    let instance = worlds::build("random-mixture", &params).unwrap();
    let (problem, truth) = (&instance.problem, instance.truth().unwrap());
    #[derive(Default)]
    struct Relaxed(bool, f64);
    impl Probe for Relaxed {
        fn plan(&mut self, plan: &PlanReport) {
            *self = Relaxed(plan.mixture().unwrap().relaxed, plan.v[0]);
        }
    }
    for entry in LEARNERS.iter().filter(|entry| entry.parameters.iter().any(|p| p.name == "planner")) {
        assert!(entry.parameters.iter().any(|p| p.name == "rows"), "{}", entry.id);
    }
    let first_plan = |rows: &str| {
        let settings = Settings::new().set("rows", rows);
        let mut learner =
            learners::entry("lr").unwrap().build(problem, &settings, 0, 1, Told::default()).unwrap();
        assert_eq!(learner.in_force()["rows"], rows);
        let (state, action) = (problem.start(), 0);
        let pair = problem.pair(state, action);
        let next = truth.sample(problem, pair, 0.5);
        learner.observe(&Transition { state, action, cost: problem.cost(pair), next }).unwrap();
        let mut probe = Relaxed::default();
        learner.probe(&mut probe);
        // where rows of B were left out, nothing is proved of the regret
        let claimed = learner.claim().unwrap().statements;
        assert_eq!(claimed.iter().any(|one| one.kind == Kind::Regret), !probe.0, "{claimed:?}");
        probe
    };
    let (few, more) = (first_plan("nearest:8"), first_plan("nearest:100000"));
    assert!(few.0 && !more.0);
    assert!(few.1 <= more.1 + 1e-9, "a larger set is more optimistic: {} {}", few.1, more.1);
    let refused = Settings::new().set("rows", "some");
    let error = learners::entry("lr").unwrap().build(problem, &refused, 0, 1, Told::default());
    assert!(error.map(|_| ()).unwrap_err().to_string().contains("nearest:N"));
}

/// The same problem whatever the order in which actions and rows come.
#[test]
fn the_order_of_building_does_not_matter() {
    let rows = [
        (0, 0, 0, [0.5, 0.1]),
        (0, 0, 2, [0.5, 0.9]),
        (0, 1, 1, [1.0, 1.0]),
        (1, 0, 0, [0.2, 0.6]),
        (1, 0, 1, [0.1, 0.1]),
        (1, 0, 2, [0.7, 0.3]),
    ];
    let build = |states: &[usize], order: &[usize]| {
        let mut builder = Problem::builder("order", 3, 2);
        for &s in states {
            builder.action(s, 1.0 + s as f64).unwrap();
        }
        for &i in order {
            let (s, a, next, phi) = rows[i];
            builder.feature(s, a, next, &phi).unwrap();
        }
        let again = builder.feature(1, 0, 1, &[0.1, 0.1]).unwrap_err().to_string();
        assert!(again.contains("given twice"), "{again}");
        builder.build().unwrap()
    };
    let expected = build(&[0, 0, 1], &[0, 1, 2, 3, 4, 5]);
    for states in [[0, 0, 1], [0, 1, 0], [1, 0, 0]] {
        for order in [[0, 1, 2, 3, 4, 5], [5, 4, 3, 2, 1, 0], [2, 5, 0, 4, 3, 1], [3, 4, 5, 0, 1, 2]] {
            let problem = build(&states, &order);
            for p in 0..3 {
                assert_eq!(problem.successors(p), expected.successors(p));
                assert_eq!(problem.phi(p), expected.phi(p));
                assert_eq!(problem.cost(p), expected.cost(p));
            }
        }
    }
}
