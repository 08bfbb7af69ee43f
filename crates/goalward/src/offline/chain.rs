//! A Markov chain over the states that a policy meets: its costs and its steps to the goal.

use crate::plan::{self, Extras, Objective, Options};
use crate::problem::{Csr, Problem, Shape, Truth};

/// The probabilities of one state: places of next states, the goal last, ascending.
pub(super) type Ends = Vec<(u32, f64)>;

/// What a chain costs to the goal, and how many steps it takes, state by state.
pub(super) struct Paid {
    pub(super) costs: Vec<f64>,
    pub(super) steps: Vec<f64>,
}

/// Solves a chain from its first state; none if it may miss the goal, whose place is behind all
/// others.
pub(super) fn solve(costs: &[f64], rows: &[Ends]) -> Option<Paid> {
    let n = rows.len();
    let (mut first_row, mut successors, mut probabilities) = (vec![0], Vec::new(), Vec::new());
    for row in rows {
        let sum: f64 = row.iter().map(|(_, p)| p).sum();
        for &(next, p) in row.iter().filter(|(_, p)| *p > 0.0) {
            successors.push(next);
            probabilities.push(p / sum);
        }
        first_row.push(successors.len());
    }
    let rows = Csr::new("chain", n, &first_row, &successors, &probabilities).ok()?;
    let shape = Shape { first_pair: (0..=n).chain([n]).collect(), costs: costs.to_vec() };
    let mut builder = Problem::from_arrays("chain", shape, &[&rows], None).ok()?;
    builder.start(0).goal(n).allow_lost();
    let problem = builder.build().ok()?;
    let truth = Truth::new(&problem, &[1.0]).ok()?;
    let extras = Extras { q: false, reach: false, ..Extras::ALL };
    let options = Options { extras, ..Options::fast(Objective::Min, 1e-10) };
    let answer = plan::solve(&problem, &truth, &options).ok()?;
    let known = (0..n).all(|s| answer.v[s].is_finite() && answer.steps[s].is_finite());
    (answer.lost.is_empty() && known)
        .then(|| Paid { costs: answer.v[..n].to_vec(), steps: answer.steps[..n].to_vec() })
}
