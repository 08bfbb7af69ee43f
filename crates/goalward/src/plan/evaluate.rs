//! Policy evaluation: leaving(s) x(s) - sum of w(s') x(s') = b(s), for a proper policy.
//!
//! *Elimination.* States are eliminated one by one (Grassmann, Taksar and Heyman; Markowitz's order against fill-in),
//! and a diagonal is always the *sum* of the weights that leave, never a difference. For b >= 0 no two numbers are ever
//! subtracted, so every x(s) has a small relative error, however long the policy takes and however widely values
//! differ. Cost: linear on lines and trees, n^1.5 on grids, n^3/3 at worst.
//!
//! *Sweeps.* Where elimination would fill in too much, Gauss-Seidel sweeps, which converge for every proper policy.
//! They may stop short of it; whoever uses the result checks its residual.

use super::dense::Dense;
use super::model::{Choice, Model};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Above so many multiplications elimination gives way to sweeps.
const ELIMINATION_WORK: f64 = 6e9;
/// As soon as the cheapest node costs so many, and too many are left for a dense matrix, it does so too.
const ELIMINATION_PRICE: usize = 250 * 250;
/// Once the rest is this small and mostly filled in, it is eliminated as a dense matrix.
const DENSE_NODES: usize = 2500;
/// Sweeps stop after so many arcs.
const SWEEP_WORK: f64 = 5e8;

/// A policy's equations, ready to be solved for any right-hand side.
pub(super) enum Evaluator {
    Elimination(Elimination),
    Sweeps(Sweeps),
}

impl Evaluator {
    /// Prepares the equations of a policy, which must be proper.
    pub(super) fn new(model: &Model, policy: &[Choice]) -> Evaluator {
        Evaluator::of(Rows::new(model, policy))
    }

    /// Prepares equations from weights to other nodes, in ascending order, and to the goal.
    pub(super) fn of_rows(to: Vec<Vec<(u32, f64)>>, to_goal: Vec<f64>) -> Evaluator {
        Evaluator::of(Rows { to, to_goal })
    }

    fn of(rows: Rows) -> Evaluator {
        match Elimination::new(rows.clone()) {
            Some(elimination) => Evaluator::Elimination(elimination),
            None => Evaluator::Sweeps(Sweeps { rows }),
        }
    }

    /// The solution for a right-hand side.
    pub(super) fn solve(&self, mut b: Vec<f64>) -> Vec<f64> {
        match self {
            Evaluator::Elimination(elimination) => {
                elimination.solve(&mut b);
                b
            }
            Evaluator::Sweeps(sweeps) => sweeps.solve(&b),
        }
    }
}

/// A policy's weights: to other nodes in ascending order, and to the goal.
#[derive(Clone)]
struct Rows {
    to: Vec<Vec<(u32, f64)>>,
    to_goal: Vec<f64>,
}

impl Rows {
    fn new(model: &Model, policy: &[Choice]) -> Rows {
        let mut rows = Rows { to: Vec::with_capacity(model.nodes), to_goal: vec![0.0; model.nodes] };
        for (node, &choice) in policy.iter().enumerate() {
            let mut row = model.arcs(choice).to_vec();
            row.sort_by_key(|&(next, _)| next);
            row.dedup_by(|later, kept| {
                let same = later.0 == kept.0;
                kept.1 += if same { later.1 } else { 0.0 };
                same
            });
            if row.last().is_some_and(|&(next, _)| next as usize == model.nodes) {
                rows.to_goal[node] = row.pop().map_or(0.0, |(_, w)| w);
            }
            rows.to.push(row);
        }
        rows
    }

    fn leaving(&self, node: usize) -> f64 {
        self.to_goal[node] + self.to[node].iter().map(|&(_, w)| w).sum::<f64>()
    }
}

/// One eliminated node.
struct Eliminated {
    node: u32,
    leaving: f64,
    /// The nodes that led here, with the factor by which they took over its row.
    from: Vec<(u32, f64)>,
    /// Its row when it was eliminated: nodes that are eliminated later.
    to: Vec<(u32, f64)>,
}

pub(super) struct Elimination {
    sparse: Vec<Eliminated>,
    /// The nodes of the dense rest.
    rest: Vec<u32>,
    dense: Dense,
}

impl Elimination {
    /// `None` if it would take too long, or if the policy is not proper.
    fn new(mut rows: Rows) -> Option<Elimination> {
        let n = rows.to.len();
        let mut into: Vec<Vec<u32>> = vec![Vec::new(); n];
        for (node, row) in rows.to.iter().enumerate() {
            row.iter().for_each(|&(next, _)| into[next as usize].push(node as u32));
        }
        let price = |rows: &Rows, into: &[Vec<u32>], k: usize| into[k].len() * rows.to[k].len();
        let mut heap: BinaryHeap<_> = (0..n).map(|k| Reverse((price(&rows, &into, k), k))).collect();
        let mut live = vec![true; n];
        let (mut sparse, mut work) = (Vec::with_capacity(n), 0.0);
        let mut merged = Vec::new();
        while let Some(Reverse((at_price, k))) = heap.pop() {
            if !live[k] || price(&rows, &into, k) != at_price {
                continue;
            }
            let left = n - sparse.len();
            if left <= DENSE_NODES && 4 * at_price > left * left {
                break;
            }
            // merging costs the rows of those that lead here too, which fill in like this one
            work += 3.0 * at_price as f64;
            if work > ELIMINATION_WORK || (at_price > ELIMINATION_PRICE && left > DENSE_NODES) {
                return None;
            }
            live[k] = false;
            let leaving = rows.leaving(k);
            if leaving.is_nan() || leaving <= 0.0 {
                return None;
            }
            let to = std::mem::take(&mut rows.to[k]);
            for &(next, _) in &to {
                into[next as usize].retain(|&i| i as usize != k);
            }
            let mut from = Vec::with_capacity(into[k].len());
            for i in std::mem::take(&mut into[k]) {
                let row = &mut rows.to[i as usize];
                let at = row.binary_search_by_key(&(k as u32), |e| e.0).expect("the two lists agree");
                let factor = row.remove(at).1 / leaving;
                rows.to_goal[i as usize] += factor * rows.to_goal[k];
                merge(row, &to, factor, i, &mut into, &mut merged);
                from.push((i, factor));
            }
            for j in to.iter().map(|e| e.0).chain(from.iter().map(|e| e.0)) {
                heap.push(Reverse((price(&rows, &into, j as usize), j as usize)));
            }
            sparse.push(Eliminated { node: k as u32, leaving, from, to });
        }
        let rest: Vec<u32> = (0..n as u32).filter(|&k| live[k as usize]).collect();
        let mut dense = Dense::default();
        let out = rest.iter().map(|&k| rows.to_goal[k as usize]).collect();
        dense.factor(n, &rest, out, |k| &rows.to[k as usize]).then_some(Elimination { sparse, rest, dense })
    }

    fn solve(&self, b: &mut [f64]) {
        for step in &self.sparse {
            let own = b[step.node as usize];
            step.from.iter().for_each(|&(i, factor)| b[i as usize] += factor * own);
        }
        let y = self.dense.solve(&self.rest, b);
        self.rest.iter().zip(&y).for_each(|(&k, &x)| b[k as usize] = x);
        for step in self.sparse.iter().rev() {
            let inflow: f64 = step.to.iter().map(|&(j, w)| w * b[j as usize]).sum();
            b[step.node as usize] = (b[step.node as usize] + inflow) / step.leaving;
        }
    }
}

/// row += factor * other, without an entry for the row's own node; new entries are noted in `into`.
fn merge(
    row: &mut Vec<(u32, f64)>,
    other: &[(u32, f64)],
    factor: f64,
    own: u32,
    into: &mut [Vec<u32>],
    merged: &mut Vec<(u32, f64)>,
) {
    merged.clear();
    let mut kept = row.iter().copied().peekable();
    for &(j, w) in other.iter().filter(|&&(j, _)| j != own) {
        while let Some(entry) = kept.next_if(|e| e.0 < j) {
            merged.push(entry);
        }
        match kept.next_if(|e| e.0 == j) {
            Some((_, old)) => merged.push((j, old + factor * w)),
            None => {
                merged.push((j, factor * w));
                into[j as usize].push(own);
            }
        }
    }
    merged.extend(kept);
    std::mem::swap(row, merged);
}

pub(super) struct Sweeps {
    rows: Rows,
}

impl Sweeps {
    /// Sweeps up and down until a sweep changes nothing by more than 1e-14 of the largest value, or the work is spent.
    fn solve(&self, b: &[f64]) -> Vec<f64> {
        let n = b.len();
        let leaving: Vec<f64> = (0..n).map(|node| self.rows.leaving(node)).collect();
        let arcs = n + self.rows.to.iter().map(Vec::len).sum::<usize>();
        let mut x: Vec<f64> = b.iter().zip(&leaving).map(|(b, d)| b / d).collect();
        for sweep in 0..(SWEEP_WORK / arcs as f64) as usize {
            let (mut change, mut largest) = (0.0f64, 0.0f64);
            for k in 0..n {
                let node = if sweep % 2 == 0 { k } else { n - 1 - k };
                let inflow: f64 = self.rows.to[node].iter().map(|&(j, w)| w * x[j as usize]).sum();
                let new = (b[node] + inflow) / leaving[node];
                change = change.max((new - x[node]).abs());
                largest = largest.max(new.abs());
                x[node] = new;
            }
            if change <= 1e-14 * largest {
                break;
            }
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DVector};
    use proptest::prelude::*;

    fn rows(to: &[Vec<(u32, f64)>], to_goal: &[f64]) -> Rows {
        let tidy = |(node, row): (usize, &Vec<(u32, f64)>)| {
            let mut row: Vec<_> = row.iter().copied().filter(|e| e.0 as usize != node).collect();
            row.sort_by_key(|e| e.0);
            row.dedup_by_key(|e| e.0);
            row
        };
        Rows { to: to.iter().enumerate().map(tidy).collect(), to_goal: to_goal.to_vec() }
    }

    fn by_lu(rows: &Rows, b: &[f64]) -> Vec<f64> {
        let n = b.len();
        let mut a = DMatrix::from_diagonal(&DVector::from_fn(n, |s, _| rows.leaving(s)));
        for s in 0..n {
            rows.to[s].iter().for_each(|&(j, w)| a[(s, j as usize)] -= w);
        }
        a.lu().solve(&DVector::from_column_slice(b)).unwrap().as_slice().to_vec()
    }

    proptest! {
        /// Sparse and dense rests (rows of up to 3 and up to 30 entries), for right-hand sides of either sign.
        #[test]
        fn elimination_and_sweeps_solve_what_lu_solves(
            to in prop_oneof![
                prop::collection::vec(prop::collection::vec((0u32..30, 0.01f64..1.0), 0..4), 30),
                prop::collection::vec(prop::collection::vec((0u32..30, 0.01f64..1.0), 0..30), 30),
            ],
            to_goal in prop::collection::vec(0.01f64..1.0, 30),
            b in prop::collection::vec(-1f64..1.0, 30),
        ) {
            let rows = rows(&to, &to_goal);
            let expected = by_lu(&rows, &b);
            let scale = expected.iter().fold(0.0f64, |m, x| m.max(x.abs()));
            let mut x = b.clone();
            Elimination::new(rows.clone()).unwrap().solve(&mut x);
            let y = Sweeps { rows }.solve(&b);
            for s in 0..30 {
                prop_assert!((x[s] - expected[s]).abs() <= 1e-12 * scale);
                prop_assert!((y[s] - expected[s]).abs() <= 1e-10 * scale);
            }
        }
    }

    #[test]
    fn an_improper_policy_is_refused() {
        assert!(Elimination::new(rows(&[vec![(1, 1.0)], vec![(0, 1.0)]], &[0.0, 0.0])).is_none());
    }

    /// Escape with probability e from either of two states: x = 1/e to the last digits, where I - P has lost them.
    #[test]
    fn nearly_closed_classes_are_accurate() {
        for e in [1e-4, 1e-12, 1e-100] {
            let mut x = vec![1.0, 1.0];
            Elimination::new(rows(&[vec![(1, 1.0)], vec![(0, 1.0)]], &[e, e])).unwrap().solve(&mut x);
            assert!(x.iter().all(|x| (x * e - 1.0).abs() < 1e-15), "{x:?}");
        }
    }
}
