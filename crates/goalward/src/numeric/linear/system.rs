//! A chain's equations, leaving(i) x(i) - sum of w(i,j) x(j) = b(i), solved for any right-hand
//! side.
//!
//! *Elimination* gives every x a small relative error where b >= 0. *Sweeps*, where elimination
//! would fill in too much: Gauss-Seidel, which converges for every chain that leaves surely. They
//! may stop short of it; whoever uses the result checks its residual.

use super::elimination::{ByNumber, Elimination, Limits, Outcome};

/// Above so many multiplications elimination gives way to sweeps. As soon as the cheapest node
/// costs 250^2, and too many are left for a dense matrix, it does so too.
const LIMITS: Limits = Limits { price: usize::MAX, dense: 2500, dearest: 250 * 250, work: 6e9 };
/// Up to so many multiplications elimination is cheap: some milliseconds.
const CHEAP: f64 = 4e6;
/// Sweeps stop after so many arcs.
const SWEEP_WORK: f64 = 5e8;

/// Weights to other nodes, in ascending order, and to the outside.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    pub(crate) to: Vec<Vec<(u32, f64)>>,
    pub(crate) out: Vec<f64>,
}

impl Rows {
    fn leaving(&self, node: usize) -> f64 {
        self.out[node] + self.to[node].iter().map(|&(_, w)| w).sum::<f64>()
    }
}

/// Equations that are ready to be solved.
pub(crate) enum System {
    Eliminated(Box<Elimination<ByNumber>>),
    Swept(Rows),
}

impl System {
    /// Prepares equations; what leaves must do so surely.
    pub(crate) fn new(rows: Rows) -> System {
        match eliminated(rows.clone(), LIMITS) {
            (Outcome::Done, elimination) => System::Eliminated(elimination),
            (Outcome::Improper | Outcome::TooMuch | Outcome::Cut, _) => System::Swept(rows),
        }
    }

    /// Whether elimination takes some milliseconds at most. The answer takes no longer.
    pub(crate) fn is_cheap(rows: Rows) -> bool {
        eliminated(rows, Limits { work: CHEAP, ..LIMITS }).0 == Outcome::Done
    }

    /// The solution for a right-hand side.
    pub(crate) fn solve(&self, mut b: Vec<f64>) -> Vec<f64> {
        match self {
            System::Eliminated(elimination) => {
                let mut x = vec![0.0; b.len()];
                elimination.solve(&mut b, &mut x);
                x
            }
            System::Swept(rows) => swept(rows, &b),
        }
    }
}

fn eliminated(rows: Rows, limits: Limits) -> (Outcome, Box<Elimination<ByNumber>>) {
    let mut elimination = Box::new(Elimination::default());
    elimination.load_rows(rows.to, rows.out);
    (elimination.eliminate_all(limits), elimination)
}

/// Sweeps up and down until a sweep changes nothing by more than 1e-14 of the largest value, or the
/// work is spent.
fn swept(rows: &Rows, b: &[f64]) -> Vec<f64> {
    let n = b.len();
    let leaving: Vec<f64> = (0..n).map(|node| rows.leaving(node)).collect();
    let arcs = n + rows.to.iter().map(Vec::len).sum::<usize>();
    let mut x: Vec<f64> = b.iter().zip(&leaving).map(|(b, d)| b / d).collect();
    for sweep in 0..(SWEEP_WORK / arcs as f64) as usize {
        let (mut change, mut largest) = (0.0f64, 0.0f64);
        for k in 0..n {
            let node = if sweep % 2 == 0 { k } else { n - 1 - k };
            let inflow: f64 = rows.to[node].iter().map(|&(j, w)| w * x[j as usize]).sum();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::Stream;
    use nalgebra::{DMatrix, DVector};
    use proptest::prelude::*;

    fn rows(to: &[Vec<(u32, f64)>], to_goal: &[f64]) -> Rows {
        let tidy = |(node, row): (usize, &Vec<(u32, f64)>)| {
            let mut row: Vec<_> = row.iter().copied().filter(|e| e.0 as usize != node).collect();
            row.sort_by_key(|e| e.0);
            row.dedup_by_key(|e| e.0);
            row
        };
        Rows { to: to.iter().enumerate().map(tidy).collect(), out: to_goal.to_vec() }
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
        /// Sparse and dense rests (rows of up to 3 and up to 30 entries), for right-hand sides of
        /// either sign.
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
            let (outcome, elimination) = eliminated(rows.clone(), LIMITS);
            prop_assert_eq!(outcome, Outcome::Done);
            let x = System::Eliminated(elimination).solve(b.clone());
            let y = System::Swept(rows).solve(b.clone());
            for s in 0..30 {
                prop_assert!((x[s] - expected[s]).abs() <= 1e-12 * scale);
                prop_assert!((y[s] - expected[s]).abs() <= 1e-10 * scale);
            }
        }
    }

    /// A line of thousands is cheap. Random rows fill in: as few of them are not, and it is found out
    /// without their elimination.
    #[test]
    fn what_fills_in_is_not_cheap() {
        let line: Vec<Vec<(u32, f64)>> = (1..5000).map(|k| vec![(k, 1.0)]).chain([vec![]]).collect();
        assert!(System::is_cheap(rows(&line, &[0.5; 5000])));
        let mut draw = Stream::new(1, &[]);
        let mut random = |n: usize| -> Vec<Vec<(u32, f64)>> {
            (0..n).map(|_| (0..5).map(|_| (draw.below(n) as u32, 0.1)).collect()).collect()
        };
        assert!(System::is_cheap(rows(&random(100), &[0.5; 100])));
        assert!(!System::is_cheap(rows(&random(2000), &[0.5; 2000])));
    }

    #[test]
    fn an_improper_policy_is_refused() {
        let rows = rows(&[vec![(1, 1.0)], vec![(0, 1.0)]], &[0.0, 0.0]);
        assert_eq!(eliminated(rows, LIMITS).0, Outcome::Improper);
    }

    /// Escape with probability e from either of two states: x = 1/e to the last digits, where I - P
    /// has lost them.
    #[test]
    fn nearly_closed_classes_are_accurate() {
        for e in [1e-4, 1e-12, 1e-100] {
            let rows = rows(&[vec![(1, 1.0)], vec![(0, 1.0)]], &[e, e]);
            let x = System::new(rows).solve(vec![1.0, 1.0]);
            assert!(x.iter().all(|x| (x * e - 1.0).abs() < 1e-15), "{x:?}");
        }
    }
}
