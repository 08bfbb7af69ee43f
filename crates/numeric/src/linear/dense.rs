//! Dense elimination by the method of Grassmann, Taksar and Heyman: nothing is ever subtracted.

use crate::halt::Halt;
use std::cmp::Ordering;

/// A dense system, eliminated from the last node to the first; live columns are a prefix.
#[derive(Default)]
pub struct Dense {
    /// Row-major; right of the diagonal are factors, left of it rows.
    matrix: Vec<f64>,
    leaving: Vec<f64>,
}

impl Dense {
    /// Eliminates the nodes in `rest`, numbers below `nodes`, with their weights to each other and
    /// `out` to everything else. False if nothing leaves some node, or if asked to stop.
    pub fn factor<R: Iterator<Item = (u32, f64)>>(
        &mut self,
        nodes: usize,
        rest: &[u32],
        mut out: Vec<f64>,
        row: impl Fn(u32) -> R,
        halt: &Halt,
    ) -> bool {
        let m = rest.len();
        self.matrix.clear();
        self.matrix.resize(m * m, 0.0);
        self.leaving.clear();
        self.leaving.resize(m, 0.0);
        if m == 0 {
            return true;
        }
        let mut place = vec![0; nodes];
        rest.iter().enumerate().for_each(|(t, &k)| place[k as usize] = t);
        for (t, &k) in rest.iter().enumerate() {
            for (j, w) in row(k) {
                self.matrix[t * m + place[j as usize]] += w;
            }
        }
        for t in (0..m).rev() {
            if halt.asked() {
                return false;
            }
            let (above, from_t) = self.matrix.split_at_mut(t * m);
            let pivot = &from_t[..t];
            let leaving = out[t] + pivot.iter().sum::<f64>();
            // false for NaN
            if leaving.partial_cmp(&0.0) != Some(Ordering::Greater) {
                return false;
            }
            self.leaving[t] = leaving;
            for i in 0..t {
                let row = &mut above[i * m..i * m + t + 1];
                if row[t].partial_cmp(&0.0) != Some(Ordering::Greater) {
                    continue;
                }
                let factor = row[t] / leaving;
                row[t] = factor;
                if factor > 0.0 {
                    row[..t].iter_mut().zip(pivot).for_each(|(w, x)| *w += factor * x);
                    out[i] += factor * out[t];
                }
            }
        }
        true
    }

    /// The solution for non-negative right-hand sides, one for each node of `rest`.
    pub fn solve(&self, mut y: Vec<f64>) -> Vec<f64> {
        let m = y.len();
        for t in (0..m).rev() {
            let own = y[t];
            for i in 0..t {
                y[i] += self.matrix[i * m + t] * own;
            }
        }
        for t in 0..m {
            let row = &self.matrix[t * m..t * m + t];
            let inflow: f64 = row.iter().zip(&y).map(|(w, x)| w * x).sum();
            y[t] = (y[t] + inflow) / self.leaving[t];
        }
        y
    }
}
