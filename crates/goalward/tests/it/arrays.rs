//! Problems from models in arrays of others: the same as from lists, and every fault with its place.

use goalward::problem::{Csr, Dense, Model, Problem, ProblemBuilder, Rows, Shape};
use goalward::{Error, Stream};
use std::sync::atomic::{AtomicUsize, Ordering};

const STATES: usize = 7;
const ACTIONS: usize = 2;

/// Random models over the same states; the last is the goal and has no actions.
fn models(seed: u64, count: usize) -> Vec<Model> {
    let mut luck = Stream::new(seed, &[1]);
    let mut row = || {
        let mut row: Vec<(usize, f64)> = (0..STATES).map(|next| (next, luck.uniform())).collect();
        row.retain(|(next, p)| *p < 0.4 || *next == STATES - 1);
        let sum: f64 = row.iter().map(|(_, p)| p).sum();
        row.iter_mut().for_each(|(_, p)| *p /= sum);
        row
    };
    let model = |_| {
        let mut model: Model = (0..STATES - 1).map(|_| (0..ACTIONS).map(|_| row()).collect()).collect();
        model.push(Vec::new());
        model
    };
    (0..count).map(model).collect()
}

/// indptr, indices and data.
type Parts = (Vec<i64>, Vec<u32>, Vec<f64>);
/// What is done to them.
type Change<'a> = &'a dyn Fn(&mut Parts);

fn csr(model: &Model) -> Parts {
    let (mut indptr, mut indices, mut data) = (vec![0], Vec::new(), Vec::new());
    for row in model.iter().flatten() {
        // backwards: the order within a row is nobody's business
        for (next, p) in row.iter().rev() {
            indices.push(*next as u32);
            data.push(*p);
        }
        indptr.push(data.len() as i64);
    }
    (indptr, indices, data)
}

fn shape() -> Shape {
    let mut first_pair: Vec<usize> = (0..STATES).map(|s| s * ACTIONS).collect();
    first_pair.push((STATES - 1) * ACTIONS);
    let costs = (0..(STATES - 1) * ACTIONS).map(|p| p as f64 / 10.0).collect();
    Shape { first_pair, costs }
}

fn built(rows: &[&dyn Rows]) -> goalward::Result<Problem> {
    let mut builder = Problem::from_arrays("mixture", shape(), rows, None)?;
    builder.start(0).goal(STATES - 1).simplex();
    builder.build()
}

#[test]
fn arrays_and_lists_make_the_same_problem() {
    for seed in 0..30 {
        let models = models(seed, 3);
        let shape = shape();
        let costs: Vec<Vec<f64>> =
            (0..STATES).map(|s| shape.costs[shape.first_pair[s]..shape.first_pair[s + 1]].to_vec()).collect();
        let expected = Problem::from_models(&models, &costs, 0, STATES - 1).unwrap();
        let pairs = (STATES - 1) * ACTIONS;
        let sparse: Vec<_> = models.iter().map(csr).collect();
        let sparse: Vec<_> = sparse.iter().map(|(p, i, x)| Csr::new("m", pairs, p, i, x).unwrap()).collect();
        let dense: Vec<Vec<f64>> = models
            .iter()
            .map(|model| {
                let mut dense = vec![0.0; pairs * STATES];
                for (pair, row) in model.iter().flatten().enumerate() {
                    row.iter().for_each(|(next, p)| dense[pair * STATES + next] = *p);
                }
                dense
            })
            .collect();
        let dense: Vec<_> = dense.iter().map(|x| Dense::new("m", pairs, STATES, x).unwrap()).collect();
        let ways: [Vec<&dyn Rows>; 2] = [
            sparse.iter().map(|rows| rows as &dyn Rows).collect(),
            dense.iter().map(|rows| rows as &dyn Rows).collect(),
        ];
        for rows in ways {
            let problem = built(&rows).unwrap();
            for p in 0..pairs {
                assert_eq!(problem.successors(p), expected.successors(p), "seed {seed}, pair {p}");
                assert_eq!(problem.phi(p), expected.phi(p), "seed {seed}, pair {p}");
                assert_eq!(problem.cost(p), expected.cost(p));
            }
            assert_eq!(problem.extra(), expected.extra());
        }
    }
}

#[test]
fn faults_have_their_place() {
    let models = models(1, 2);
    let pairs = (STATES - 1) * ACTIONS;
    let (first, second) = (csr(&models[0]), csr(&models[1]));
    let said = |change: Change| {
        let mut changed = second.clone();
        change(&mut changed);
        let (p, i, x) = &changed;
        let whole = Csr::new("0", pairs, &first.0, &first.1, &first.2)?;
        built(&[&whole, &Csr::new("1", pairs, p, i, x)?]).map(|_| ())
    };
    let at = second.0[5] as usize; // the first entry of state 2, action 1
    let cases: [(Change, &str); 8] = [
        (&|m| m.2[at] += 0.1, "model 1, state 2, action 1: the row sums to 1.1"),
        (&|m| m.2[at] = -0.1, "model 1, state 2, action 1: the probability of next state"),
        (&|m| m.2[at] = f64::NAN, "model 1, state 2, action 1: the probability of next state"),
        (&|m| m.1[at] = 7, "model 1, state 2, action 1: next state 7 does not exist, there are 7"),
        (&|m| m.0[5] = -3, "model 1: indptr must ascend from 0"),
        (&|m| m.0[0] = 1, "model 1: indptr must ascend from 0"),
        (&|m| m.0.truncate(12), "model 1: 11 rows, and there must be 12"),
        (&|m| m.1.truncate(9), "model 1: "),
    ];
    for (number, (change, expected)) in cases.into_iter().enumerate() {
        let error = said(change).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{number}: {error}");
    }
    assert!(said(&|_| {}).is_ok());
    // what is off by little is rescaled, and it is said
    let (p, i, mut x) = second.clone();
    x[at] += 5e-6;
    let problem = built(&[&Csr::new("1", pairs, &p, &i, &x).unwrap()]).unwrap();
    assert!(problem.notes()[0].message.contains("divided by its sum"));
    assert!(matches!(Dense::new("m", 2, 2, &[0.5f32; 3]), Err(Error::Field { .. })));
    let shape = Shape { first_pair: vec![0, 2, 1], costs: vec![1.0] };
    assert!(Problem::from_arrays("x", shape, &[], None).is_err());
    let shape = Shape { first_pair: vec![0, 1, 1], costs: vec![f64::NAN] };
    let error = Problem::from_arrays("x", shape, &[], None).map(|_: ProblemBuilder| ()).unwrap_err();
    assert!(matches!(error, Error::Cost { .. }));
}

/// Whoever owns the arrays may write to them while they are read.
#[test]
fn rows_that_change_between_two_readings_are_an_error() {
    type Entries = &'static [(usize, f64)];
    struct Changing(&'static [Entries], AtomicUsize);
    impl Rows for Changing {
        fn append(&self, _: usize, row: &mut Vec<(usize, f64)>) {
            let reading = self.1.fetch_add(1, Ordering::Relaxed);
            row.extend_from_slice(self.0[reading.min(self.0.len() - 1)]);
        }
    }
    const SURE: Entries = &[(1, 1.0)];
    let changes: [&[Entries]; 3] = [&[SURE, &[(0, 0.5), (1, 0.5)]], &[SURE, &[]], &[SURE, &[(9, 1.0)]]];
    for rows in changes {
        let shape = Shape { first_pair: vec![0, 1, 1], costs: vec![1.0] };
        let model = Changing(rows, AtomicUsize::new(0));
        let error = Problem::from_arrays("coin", shape, &[&model], None).err().unwrap().to_string();
        assert!(error.contains("state 0, action 0") && error.contains("changed"), "{error}");
    }
    let shape = Shape { first_pair: vec![0, 1, 1], costs: vec![1.0] };
    let calm = Changing(&[SURE], AtomicUsize::new(0));
    assert!(Problem::from_arrays("coin", shape, &[&calm], None).is_ok());
}
