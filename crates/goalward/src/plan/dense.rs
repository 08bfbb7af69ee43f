//! Elimination of what is no longer sparse, by the method of Grassmann, Taksar and Heyman: nothing is ever subtracted, so
//! that every entry keeps its relative accuracy.

/// A dense system over some nodes, eliminated from the last to the first; live columns are a prefix.
#[derive(Default)]
pub(super) struct Dense {
    /// Row-major; right of the diagonal are factors, left of it rows.
    matrix: Vec<f64>,
    leaving: Vec<f64>,
}

impl Dense {
    /// Eliminates the nodes in `rest`, numbers below `nodes`, each with its weights to others of them and `out`, its weight to
    /// whatever else there is; false if no weight leaves a node. The buffers of an elimination before are used again.
    pub(super) fn factor<'a>(
        &mut self,
        nodes: usize,
        rest: &[u32],
        mut out: Vec<f64>,
        row: impl Fn(u32) -> &'a [(u32, f64)],
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
            row(k).iter().for_each(|&(j, w)| self.matrix[t * m + place[j as usize]] = w);
        }
        for t in (0..m).rev() {
            let (above, from_t) = self.matrix.split_at_mut(t * m);
            let pivot = &from_t[..t];
            let leaving = out[t] + pivot.iter().sum::<f64>();
            if leaving.is_nan() || leaving <= 0.0 {
                return false;
            }
            self.leaving[t] = leaving;
            for i in 0..t {
                let row = &mut above[i * m..i * m + t + 1];
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

    /// The solution for the right-hand sides `b`, one for each node of `rest`.
    pub(super) fn solve(&self, rest: &[u32], b: &[f64]) -> Vec<f64> {
        let m = rest.len();
        let mut y: Vec<f64> = rest.iter().map(|&k| b[k as usize]).collect();
        for t in (0..m).rev() {
            let own = y[t];
            (0..t).for_each(|i| y[i] += self.matrix[i * m + t] * own);
        }
        for t in 0..m {
            let inflow: f64 = self.matrix[t * m..t * m + t].iter().zip(&y).map(|(w, x)| w * x).sum();
            y[t] = (y[t] + inflow) / self.leaving[t];
        }
        y
    }
}
