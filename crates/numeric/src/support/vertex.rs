//! Whether a point where k rows meet is still the minimiser: one elimination.

use super::active_set::ActiveSet;
use super::lanes::{Lanes, width};
use super::whiten::Whitened;

/// In more dimensions the factor that is updated is as quick.
const MOST: usize = 16;
/// Pivots of rows of norm one below this lose too many digits.
const FAINT: f64 = 1e-6;

struct Factor {
    k: usize,
    /// Row-major, L below the diagonal and U on it and above.
    a: [[f64; MOST]; MOST],
    order: [usize; MOST],
}

/// Leaves the solution in `answer` if the point of the rows named, which lies in the set, is surely
/// the minimiser for w.
pub(super) fn solve(set: &Whitened, w: &[Lanes], rows: &[u32], answer: &mut ActiveSet) -> bool {
    let k = set.free;
    if k > MOST || rows.len() != k || rows.iter().any(|&row| row as usize >= set.limits.len()) {
        return false;
    }
    let Some(factor) = Factor::of(set, rows) else { return false };
    let mut lambda = [0.0; MOST];
    lambda.iter_mut().zip(w.as_flattened()).for_each(|(l, w)| *l = -w);
    factor.solve(&mut lambda);
    let lambda = &mut lambda[..k];
    let largest = lambda.iter().fold(0.0, |most: f64, l| most.max(l.abs()));
    if !lambda.iter().all(|l| *l >= -1e-14 * largest) {
        return false;
    }
    let mut lanes = [[0.0; 4]; MOST / 4];
    let mut y = [0.0; MOST];
    y.iter_mut().zip(rows).for_each(|(y, &row)| *y = set.limits[row as usize]);
    factor.solve_transposed(&mut y);
    let square: f64 = y[..k].iter().map(|y| y * y).sum();
    if square.is_nan() || square >= 1.0 {
        return false;
    }
    lanes.as_flattened_mut()[..k].copy_from_slice(&y[..k]);
    let rows = rows.iter().map(|&row| row as usize);
    answer.adopt(rows, lambda.iter().map(|l| l.max(0.0)), &lanes[..width(k)], false);
    true
}

impl Factor {
    fn of(set: &Whitened, rows: &[u32]) -> Option<Factor> {
        let k = set.free;
        let mut factor = Factor { k, a: [[0.0; MOST]; MOST], order: std::array::from_fn(|i| i) };
        let Factor { a, order, .. } = &mut factor;
        for (column, &row) in rows.iter().enumerate() {
            (0..k).for_each(|j| a[j][column] = set.entry(row as usize, j));
        }
        for step in 0..k {
            let pivot =
                (step..k).fold(step, |best, i| if a[i][step].abs() > a[best][step].abs() { i } else { best });
            a.swap(step, pivot);
            order.swap(step, pivot);
            let size = a[step][step].abs();
            if size.is_nan() || size <= FAINT {
                return None;
            }
            let (done, left) = a.split_at_mut(step + 1);
            let top = &done[step];
            let inverse = 1.0 / top[step];
            for row in &mut left[..k - step - 1] {
                let share = row[step] * inverse;
                row[step] = share;
                for j in step + 1..k {
                    row[j] -= share * top[j];
                }
            }
        }
        Some(factor)
    }

    /// x <- A^-1 x.
    fn solve(&self, x: &mut [f64; MOST]) {
        let (k, a) = (self.k, &self.a);
        let mut y = [0.0; MOST];
        for i in 0..k {
            y[i] = x[self.order[i]] - (0..i).map(|j| a[i][j] * y[j]).sum::<f64>();
        }
        for i in (0..k).rev() {
            y[i] = (y[i] - (i + 1..k).map(|j| a[i][j] * y[j]).sum::<f64>()) / a[i][i];
        }
        *x = y;
    }

    /// x <- A'^-1 x.
    fn solve_transposed(&self, x: &mut [f64; MOST]) {
        let (k, a) = (self.k, &self.a);
        let mut y = *x;
        for i in 0..k {
            y[i] /= a[i][i];
            for j in i + 1..k {
                y[j] -= a[i][j] * y[i];
            }
        }
        for i in (0..k).rev() {
            for j in 0..i {
                y[j] -= a[i][j] * y[i];
            }
        }
        (0..k).for_each(|i| x[self.order[i]] = y[i]);
    }
}
