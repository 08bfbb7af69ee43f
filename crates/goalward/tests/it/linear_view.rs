//! Features of pairs in which costs and kernels are linear.

use goalward::numeric::Stream;
use goalward::problem::{LinearView, Pair};
use goalward::{Problem, Settings, worlds};

fn problem(id: &str, pairs: &[&str]) -> std::sync::Arc<Problem> {
    worlds::open(id, &Settings::parse(pairs).unwrap()).unwrap().problem
}

fn dense(view: &LinearView, p: Pair) -> Vec<f64> {
    let mut phi = vec![0.0; view.features()];
    view.phi(view.class(p)).iter().for_each(|&(i, x)| phi[i as usize] = x);
    phi
}

/// Least squares by the normal equations, with plain elimination: the vector whose products with
/// the features are nearest to the targets.
fn fit(phi: &[Vec<f64>], targets: &[f64]) -> Vec<f64> {
    let r = phi[0].len();
    let mut m = vec![vec![0.0; r + 1]; r];
    for (x, y) in phi.iter().zip(targets) {
        for i in 0..r {
            (0..r).for_each(|k| m[i][k] += x[i] * x[k]);
            m[i][r] += x[i] * y;
        }
    }
    for i in 0..r {
        let pivot = (i..r).max_by(|&a, &b| m[a][i].abs().total_cmp(&m[b][i].abs())).unwrap();
        m.swap(i, pivot);
        for k in 0..r {
            if k != i {
                let t = m[k][i] / m[i][i];
                let row = m[i].clone();
                m[k].iter_mut().zip(&row).for_each(|(a, b)| *a -= t * b);
            }
        }
    }
    (0..r).map(|i| m[i][r] / m[i][i]).collect()
}

/// Costs and kernels of random theta are linear in the features, and the norms are as said.
fn reconstructs(problem: &Problem, view: &LinearView) {
    let goal = problem.pairs_of(problem.goal());
    let off: Vec<Pair> = (0..problem.pairs()).filter(|p| !goal.contains(p)).collect();
    let phi: Vec<Vec<f64>> = off.iter().map(|&p| dense(view, p)).collect();
    assert!(goal.clone().all(|p| view.phi(view.class(p)).is_empty()));
    let size = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    assert!(phi.iter().all(|x| size(x) <= 1.0 + 1e-12));
    let linear = |targets: &[f64], what: &str| {
        let w = fit(&phi, targets);
        for (x, y) in phi.iter().zip(targets) {
            let ours: f64 = x.iter().zip(&w).map(|(a, b)| a * b).sum();
            assert!((ours - y).abs() <= 1e-9, "{}: {what}: {ours} {y}", problem.name());
        }
        w
    };
    let unit = problem.largest_cost();
    let costs: Vec<f64> = off.iter().map(|&p| problem.cost(p) / unit).collect();
    assert!(size(&linear(&costs, "costs")) <= view.norm() * (1.0 + 1e-9));
    let mut stream = Stream::new(7, &[]);
    for _ in 0..3 {
        // rows are linear in theta wherever it lies
        let theta: Vec<f64> = (0..problem.dim()).map(|_| stream.uniform()).collect();
        let probability = |p: Pair, s: usize| -> f64 {
            let at = problem.successors(p).iter().position(|&n| n as usize == s);
            at.map_or(0.0, |i| {
                let d = problem.dim();
                problem.phi(p)[i * d..(i + 1) * d].iter().zip(&theta).map(|(a, b)| a * b).sum()
            })
        };
        for s in 0..problem.states() {
            linear(&off.iter().map(|&p| probability(p, s)).collect::<Vec<_>>(), "kernel");
        }
    }
    // mu of the model that goes to each state evenly often, against a random h in [-1, 1]
    let h: Vec<f64> = (0..problem.states()).map(|_| 2.0 * stream.uniform() - 1.0).collect();
    if problem.model_names().is_some() || problem.phi(off[0]).iter().all(|x| *x >= 0.0) {
        let mut x = vec![0.0; problem.dim()];
        let mean = |p: Pair| {
            problem.phi_v(p, &h, &mut x);
            x.iter().sum::<f64>() / x.len() as f64
        };
        let means: Vec<f64> = off.iter().copied().map(mean).collect();
        assert!(size(&linear(&means, "means")) <= view.norm() * (1.0 + 1e-9));
    }
}

#[test]
fn costs_and_kernels_are_linear_and_ranks_are_known() {
    let cases: &[(&str, &[&str], Option<usize>)] = &[
        // an action is a sign for each of d - 1 coordinates, beside a constant
        ("hard-instance", &["dim=3"], Some(3)),
        ("hard-instance", &["dim=5"], Some(5)),
        ("low-rank", &[], Some(4)),
        ("low-rank", &["states=30", "actions=5", "rank=7", "seed=3"], Some(7)),
        ("random-mixture", &["states=8"], None),
        ("corridor", &["length=4"], None),
        ("windy-grid", &["n=3"], None),
    ];
    for &(id, params, rank) in cases {
        let problem = problem(id, params);
        let view = LinearView::low_rank(&problem).unwrap();
        let off_goal = problem.pairs() - problem.actions(problem.goal());
        match rank {
            Some(rank) => assert_eq!(view.features(), rank, "{id}"),
            None => assert!(view.features() <= off_goal && view.features() > off_goal / 3, "{id}"),
        }
        let r = view.features() as f64;
        assert!((view.norm() / r.sqrt() - 1.0).abs() < 1e-8, "{id}: {} and {}", view.norm(), r.sqrt());
        reconstructs(&problem, &view);
        let one_hot = LinearView::one_hot(&problem).unwrap();
        assert_eq!(one_hot.features(), off_goal);
        assert!(one_hot.norm() == (off_goal as f64).sqrt());
        reconstructs(&problem, &one_hot);
    }
}

/// A row that differs from a combination of others by little more than rounding is a feature of its
/// own, and one that differs by rounding is not.
#[test]
fn faint_differences_count() {
    let nearly = |off: f64| {
        let row = |p: f64| vec![(0, 1.0 - p), (1, p)];
        let model = vec![vec![row(0.2), row(0.6), row(0.4 + off)], vec![]];
        let problem = Problem::from_models(&[model], &[vec![1.0, 0.5, 0.75], vec![]], 0, 1).unwrap();
        LinearView::low_rank(&problem).unwrap().features()
    };
    assert_eq!([nearly(0.0), nearly(1e-15), nearly(1e-8), nearly(0.1)], [2, 2, 3, 3]);
}

/// Pairs with the same costs and successors are one class, whatever their states.
#[test]
fn pairs_that_are_alike_share_their_features() {
    let row = || vec![(1, 0.5), (2, 0.5)];
    let model = vec![vec![row(), vec![(1, 1.0)]], vec![row(), row()], vec![]];
    let problem = Problem::from_models(&[model], &[vec![1.0, 1.0], vec![1.0, 0.5], vec![]], 0, 2).unwrap();
    let view = LinearView::low_rank(&problem).unwrap();
    assert_eq!((view.classes(), view.features()), (3, 3));
    let class = |p| view.class(p);
    assert!(class(0) == class(2) && class(0) != class(1) && class(0) != class(3));
}

#[test]
fn too_many_features_are_refused() {
    let large = problem("random-mixture", &["states=1001", "actions=3", "dim=1"]);
    let error = LinearView::one_hot(&large).unwrap_err();
    assert!(error.contains("3000 pairs") && error.contains("2000"), "{error}");
    // seen before any work: to find these features one by one takes a minute
    let track = problem("racetrack", &[]);
    let error = LinearView::low_rank(&track).unwrap_err();
    assert!(error.contains("features or more"), "{error}");
}
