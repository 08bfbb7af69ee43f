//! The builder's checks, one by one, and the sparse products.

use super::{Arrays, Instance, Model, Problem, ProblemBuilder, Truth};
use crate::numeric::{Portable, Stream};
use crate::{Error, Result};

/// Two states and the goal; the truth is (0.25, 0.75).
///
/// bank: swim -> bank or home, walk -> bridge; bridge: cross -> bank or home; home: stay.
fn bridge() -> ProblemBuilder {
    let mut builder = Problem::builder("bridge", 3, 2);
    for (s, cost) in [(0, 1.0), (0, 0.5), (1, 0.25), (2, 0.0)] {
        builder.action(s, cost).unwrap();
    }
    let names = |names: &[&str]| names.iter().map(|n| n.to_string()).collect::<Vec<_>>();
    builder.state_names(names(&["bank", "bridge", "home"]));
    builder.action_names(vec![names(&["swim", "walk"]), names(&["cross"]), names(&["stay"])]);
    builder
}

/// The rows that the tests leave as they are.
const ROWS: [(usize, usize, usize, [f64; 2]); 6] = [
    (0, 0, 0, [0.5, 0.1]),
    (0, 0, 2, [0.5, 0.9]),
    (0, 1, 1, [1.0, 1.0]),
    (1, 0, 0, [0.2, 0.6]),
    (1, 0, 2, [0.8, 0.4]),
    (2, 0, 2, [1.0, 1.0]),
];

/// The bridge with the rows that pass, and others in place of those that do not.
fn with_rows(
    keep: impl Fn(usize, usize, usize) -> bool,
    others: &[(usize, usize, usize, [f64; 2])],
) -> Result<Problem> {
    let mut builder = bridge();
    for (s, a, next, phi) in ROWS.iter().filter(|r| keep(r.0, r.1, r.2)).chain(others) {
        builder.feature(*s, *a, *next, phi)?;
    }
    builder.build()
}

fn assert_says(result: Result<impl std::fmt::Debug>, parts: &[&str]) -> Error {
    let error = result.expect_err(&format!("an error with {parts:?}"));
    let text = error.to_string();
    for part in parts {
        assert!(text.contains(part), "{text:?} does not say {part:?}");
    }
    error
}

#[test]
fn the_bridge_itself_is_sound() {
    let problem = with_rows(|_, _, _| true, &[]).unwrap();
    let truth = Truth::new(&problem, &[0.25, 0.75]).unwrap();
    assert_eq!(problem.successors(0), [0, 2]);
    assert!((truth.row(&problem, 0)[1] - 0.8).abs() < 1e-15);
    assert_eq!((truth.sample(&problem, 0, 0.1), truth.sample(&problem, 0, 0.9)), (0, 2));
}

#[test]
fn costs() {
    for cost in [-1.0, f64::NAN, f64::INFINITY] {
        let error = assert_says(bridge().action(1, cost), &["bridge", "cost is", &cost.to_string()]);
        assert!(error.hint().is_some());
    }
    assert_says(bridge().action(7, 1.0), &["state 7 does not exist", "3 states"]);
}

#[test]
fn features() {
    let faulty = |s, a, next, phi: &[f64]| bridge().feature(s, a, next, phi).map(|_| ());
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let parts = ["bank", "walk", "next home", "feature 1 is", "not a finite number"];
        assert_says(faulty(0, 1, 2, &[0.0, bad]), &parts);
    }
    assert_says(faulty(0, 1, 2, &[1.0]), &["bank", "walk", "1 entries", "dim is 2"]);
    assert_says(faulty(0, 2, 2, &[1.0, 1.0]), &["bank", "action 2", "2 actions"]);
    assert_says(faulty(3, 0, 2, &[1.0, 1.0]), &["state 3 does not exist"]);
    assert_says(faulty(0, 0, 3, &[1.0, 1.0]), &["next", "state 3 does not exist"]);
    let mut builder = bridge();
    builder.feature(0, 0, 0, &[0.5, 0.5]).unwrap();
    assert_says(builder.feature(0, 0, 0, &[0.5, 0.5]), &["bank", "swim", "given twice"]);
}

#[test]
fn goal() {
    let left = with_rows(|s, _, _| s != 2, &[(2, 0, 0, [1.0, 1.0])]);
    assert_says(left, &["goal home is not absorbing", "stay", "bank"]);
    let mut builder = bridge();
    builder.goal(1);
    for (s, a, next, phi) in ROWS {
        builder.feature(s, a, next, &phi).unwrap();
    }
    assert_says(builder.build(), &["goal bridge", "cross", "0.25", "must be free"]);
    // the bridge leads only to itself
    let stuck = with_rows(|s, _, _| s != 1, &[(1, 0, 1, [1.0, 1.0])]);
    let error = assert_says(stuck, &["home is unreachable from state bridge"]);
    assert!(matches!(&error, Error::GoalUnreachable { states, .. } if states == &["bridge"]));
}

#[test]
fn rows_and_shape() {
    assert_says(with_rows(|s, _, _| s != 1, &[]), &["bridge", "cross", "no successor"]);
    // bank says theta_1 + theta_2 = 1, the new row that their sum is 1/2
    let contradictory = with_rows(|s, _, _| s != 1, &[(1, 0, 2, [2.0, 2.0])]);
    assert_says(contradictory, &["bridge", "cross", "sum to one"]);
    let mut builder = Problem::builder("x", 2, 1);
    builder.goal(1);
    assert_says(builder.build(), &["state 0 has no action"]);
    assert_says(Problem::builder("x", 0, 1).build(), &["states", "at least one"]);
    assert_says(Problem::builder("x", 1, 0).build(), &["dim", "at least 1"]);
    let mut builder = Problem::builder("x", 2, 1);
    builder.start(2);
    assert_says(builder.build(), &["start", "state 2"]);
}

#[test]
fn names_of_wrong_length() {
    let mut builder = bridge();
    builder.state_names(vec!["bank".into()]);
    assert_says(builder.build(), &["state_names", "1 names for 3 states"]);
    let mut builder = bridge();
    builder.action_names(vec![]);
    assert_says(builder.build(), &["action_names", "0 lists for 3 states"]);
    let mut builder = bridge();
    builder.action_names(vec![vec!["swim".into()], vec![], vec![]]);
    assert_says(builder.build(), &["action_names[0]", "1 names for 2 actions"]);
    let mut builder = bridge();
    builder.model_names(vec!["dry".into()]);
    let error = assert_says(builder.build(), &["model_names", "1 names for 2 models"]);
    assert!(error.hint().is_some_and(|hint| hint.contains("in the order of theta")));
}

#[test]
fn names_of_models() {
    let named = |names: [&str; 2]| {
        let mut builder = bridge();
        ROWS.iter().for_each(|(s, a, next, phi)| drop(builder.feature(*s, *a, *next, phi)));
        builder.model_names(names.map(String::from).to_vec());
        builder.build()
    };
    let problem = named(["dry", "icy"]).unwrap();
    assert_eq!((problem.model_name(0), problem.model_name(1)), ("dry".into(), "icy".into()));
    let plain = with_rows(|_, _, _| true, &[]).unwrap();
    assert!(plain.model_names().is_none() && plain.model_name(1) == "1");
    assert!(plain.bytes() < problem.bytes());
    assert_says(named(["dry", "dry"]), &["model_names[1]", "model 0 is called \"dry\" too"]);
    assert_says(named(["", "dry"]), &["model_names[0]", "empty"]);
    assert_says(named(["dry", " \t"]), &["model_names[1]", "empty"]);
    let renamed = plain.clone().with_model_names(vec!["a".into(), "b".into()]).unwrap();
    assert_eq!(renamed.model_names(), Some(&["a".to_string(), "b".to_string()][..]));
    assert_says(plain.with_model_names(vec!["a".into(); 3]), &["3 names for 2 models"]);
}

#[test]
fn theta_and_facts() {
    let problem = with_rows(|_, _, _| true, &[]).unwrap();
    assert_says(Truth::new(&problem, &[0.5, 0.6]), &["outside B", "bank", "swim", "sums to 1.1"]);
    // sums to one everywhere, but swimming would stay with probability -0.1
    let error = Truth::new(&problem, &[-0.5, 1.5]);
    assert_says(error, &["bank", "swim", "smallest entry is -0.0999", "next state bank"]);
    assert_says(Truth::new(&problem, &[1.0]), &["theta", "2 finite numbers"]);
    assert_says(Truth::new(&problem, &[1.0, f64::NAN]), &["theta", "2 finite numbers"]);

    assert_says(bridge().extra(&[1.0], 0.0), &["extra[0]", "1 coefficients", "dim is 2"]);
    assert_says(bridge().extra(&[1.0, f64::NAN], 0.0), &["extra[0]", "not finite"]);
    let mut builder = bridge();
    for (s, a, next, phi) in ROWS {
        builder.feature(s, a, next, &phi).unwrap();
    }
    builder.simplex().extra(&[1.0, 0.0], 0.5).unwrap();
    let problem = builder.clone().build().unwrap();
    let violated = Truth::new(&problem, &[0.75, 0.25]);
    assert_says(violated, &["extra row 2", "0.75", "at most 0.5"]);
    builder.extra(&[0.0, 0.0], -1.0).unwrap();
    assert_says(builder.build(), &["the set B is empty"]);
}

#[test]
fn candidate_models() {
    let model = |p: f64| -> Model { vec![vec![vec![(0, 1.0 - p), (1, p)]], vec![]] };
    let costs = [vec![1.0], vec![]];
    let plain = Problem::from_models(&[model(0.5), model(0.25)], &costs, 0, 1).unwrap();
    assert!(plain.model_names().is_none());
    let named = [("fair", model(0.5)), ("biased", model(0.25))];
    let named = Problem::from_models(&named, &costs, 0, 1).unwrap();
    assert_eq!((named.phi(0), named.model_name(1)), (plain.phi(0), "biased".into()));
    let twins = [("coin".to_string(), model(0.5)), ("coin".to_string(), model(0.25))];
    assert_says(Problem::from_models(&twins, &costs, 0, 1), &["model_names[1]", "model 0 is called"]);
    let too_much: Model = vec![vec![vec![(0, 0.6), (1, 0.5)]], vec![]];
    let error = Problem::from_models(&[model(0.5), too_much], &costs, 0, 1);
    assert_says(error, &["model 1, state 0, action 0", "sums to 1.1"]);
    let too_much: Model = vec![vec![vec![(0, 0.6), (1, 0.5)]], vec![]];
    let error = Problem::from_models(&[("fair", model(0.5)), ("odd", too_much)], &costs, 0, 1);
    assert_says(error, &["model odd, state 0, action 0", "sums to 1.1"]);
    let negative: Model = vec![vec![vec![(0, 1.5), (1, -0.5)]], vec![]];
    assert_says(Problem::from_models(&[negative], &costs, 0, 1), &["model 0", "next state 1 is -0.5"]);
    let short: Model = vec![vec![vec![(0, 1.0)]]];
    assert_says(Problem::from_models(&[model(0.5), short], &costs, 0, 1), &["models[1]", "1 states"]);
    let wide: Model = vec![vec![vec![(1, 1.0)], vec![(1, 1.0)]], vec![]];
    let error = Problem::from_models(&[wide], &costs, 0, 1);
    assert_says(error, &["models[0][0]", "2 actions, but costs are given for 1"]);
    assert_says(Problem::from_models::<Model>(&[], &costs, 0, 1), &["dim"]);
}

#[test]
fn sparse_products_equal_dense_ones() {
    for instance in [mixture(40, 2, 4, 7), grid(5)] {
        let problem = instance.problem;
        let (n, d) = (problem.states(), problem.dim());
        // zero at the goal and elsewhere, so that the shortcut for zeros is met
        let v: Vec<f64> = (0..n).map(|s| if s % 5 == 4 { 0.0 } else { (s as f64 * 0.7).sine() }).collect();
        let mut dense = vec![0.0; problem.pairs() * n * d];
        for p in 0..problem.pairs() {
            for (k, &next) in problem.successors(p).iter().enumerate() {
                let at = (p * n + next as usize) * d;
                dense[at..at + d].copy_from_slice(&problem.phi(p)[k * d..(k + 1) * d]);
            }
        }
        for p in 0..problem.pairs() {
            let mut one = vec![f64::NAN; d];
            problem.phi_v(p, &v, &mut one);
            for i in 0..d {
                let expected: f64 = (0..n).map(|s| dense[(p * n + s) * d + i] * v[s]).sum();
                assert!((one[i] - expected).abs() < 1e-13, "pair {p}: {} {expected}", one[i]);
            }
        }
    }
}

/// One state that leads to itself or to the goal.
fn coin() -> Arrays {
    Arrays {
        first_pair: vec![0, 1, 1],
        costs: vec![2.0],
        first_row: vec![0, 2],
        successors: vec![0, 1],
        phi: vec![0.25, 0.75],
    }
}

#[test]
fn a_kernel_is_the_problem_that_its_rows_make() {
    let kernel = ProblemBuilder::of_known("coin", coin()).build().unwrap();
    let mut builder = Problem::builder("coin", 2, 1);
    builder.action(0, 2.0).unwrap();
    builder.feature(0, 0, 0, &[0.25]).unwrap().feature(0, 0, 1, &[0.75]).unwrap();
    let rows = builder.build().unwrap();
    assert_eq!((kernel.states(), kernel.pairs(), kernel.goal()), (2, 1, 1));
    assert_eq!((kernel.successors(0), kernel.phi(0)), (rows.successors(0), rows.phi(0)));
    assert_eq!((kernel.costs(), kernel.cost_unit()), (rows.costs(), rows.cost_unit()));
    assert_eq!((kernel.constraints().free(), rows.constraints().free()), (0, 0));
    // what is added is checked as in any other problem
    let mut more = ProblemBuilder::of_known("coin", coin());
    let again = more.action(0, 1.0).unwrap();
    more.feature(0, again, 1, &[0.5]).unwrap();
    assert_says(more.build(), &["action 1", "0.5"]);
    let mut more = ProblemBuilder::of_known("coin", coin());
    more.extra(&[1.0], 0.5).unwrap();
    assert_says(more.build(), &[]);
}

/// A mixture of models with random successors, the goal among them, and equal weights.
pub(crate) fn mixture(states: usize, actions: usize, successors: usize, dim: usize) -> Instance {
    let mut stream = Stream::new(states as u64, &[dim as u64]);
    let goal = states - 1;
    let mut models = vec![Vec::new(); dim];
    let mut costs = Vec::new();
    for s in 0..goal {
        costs.push((0..actions).map(|_| 0.1 + 0.9 * stream.uniform()).collect::<Vec<f64>>());
        models.iter_mut().for_each(|model| model.push(Vec::new()));
        for _ in 0..actions {
            let mut next: Vec<usize> = (0..successors).map(|_| stream.below(states)).collect();
            next.extend([goal, (s + 1).min(goal)]);
            next.sort_unstable();
            next.dedup();
            for model in &mut models {
                let weights: Vec<f64> = next.iter().map(|_| 0.1 + stream.uniform()).collect();
                let sum: f64 = weights.iter().sum();
                model[s].push(next.iter().zip(&weights).map(|(&n, w)| (n, w / sum)).collect::<Vec<_>>());
            }
        }
    }
    costs.push(Vec::new());
    models.iter_mut().for_each(|model| model.push(Vec::new()));
    let problem = Problem::from_models(&models, &costs, 0, goal).unwrap();
    Instance::new(problem, &vec![1.0 / dim as f64; dim]).unwrap()
}

/// A square grid from corner to corner: a move succeeds, or the wind blows another way.
pub(crate) fn grid(n: usize) -> Instance {
    let goal = n * n - 1;
    let step = |s: usize, way: usize| {
        let (row, column) = (s / n, s % n);
        match way {
            0 => row * n + (column + 1).min(n - 1),
            1 => (row + 1).min(n - 1) * n + column,
            2 => row * n + column.saturating_sub(1),
            _ => row.saturating_sub(1) * n + column,
        }
    };
    let model = |wind: f64| -> Vec<Vec<Vec<(usize, f64)>>> {
        let row = |s: usize, a: usize| {
            let mut row: Vec<(usize, f64)> = Vec::new();
            for (next, p) in (0..4).map(|way| (step(s, way), wind / 4.0)).chain([(step(s, a), 1.0 - wind)]) {
                match row.iter_mut().find(|(other, _)| *other == next) {
                    Some((_, sum)) => *sum += p,
                    None => row.push((next, p)),
                }
            }
            row
        };
        let of = |s: usize| if s == goal { Vec::new() } else { (0..4).map(|a| row(s, a)).collect() };
        (0..=goal).map(of).collect()
    };
    let costs: Vec<Vec<f64>> = (0..=goal).map(|s| if s == goal { vec![] } else { vec![0.2; 4] }).collect();
    let problem = Problem::from_models(&[model(0.1), model(0.8)], &costs, 0, goal).unwrap();
    Instance::new(problem, &[0.5, 0.5]).unwrap()
}
