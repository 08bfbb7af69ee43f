//! Rows in the coordinates of the equalities' hull.

use super::{EmptyPolytope, FAINT, Polytope};
use crate::{dot, norm};

impl Polytope {
    pub(super) fn around(mut self, z: &[f64]) -> Self {
        self.interior = (0..self.dim)
            .map(|i| self.origin[i] + dot(&self.basis[i * self.free..(i + 1) * self.free], z))
            .collect();
        self
    }

    /// A row sign a'x <= b in hull coordinates, of norm one, and its offset; none if the equalities
    /// leave only rounding. Fails if it cannot hold anywhere. A row that the equalities nearly span
    /// gives way by its rounding, so that the polytope never becomes smaller.
    pub(super) fn reduce_row(
        &self,
        sign: f64,
        a: &[f64],
        b: f64,
        reduced: &mut [f64],
    ) -> Result<Option<f64>, EmptyPolytope> {
        let (k, blur) = (self.free, self.blur);
        reduced.fill(0.0);
        for i in 0..self.dim {
            reduced.iter_mut().zip(&self.basis[i * k..]).for_each(|(r, n)| *r += sign * a[i] * n);
        }
        let rest = b - sign * dot(a, &self.origin);
        let size = norm(reduced);
        let whole = norm(a).max(1e-300);
        if size <= f64::max(FAINT, 10.0 * blur) * whole {
            // the remainder is mostly rounding: it proves nothing unless it is off by far
            // more
            let least = if size <= 1e-13 * whole { 1e-9 } else { 1e3 * f64::max(FAINT, 10.0 * blur) };
            if rest < -least * (norm(a) + b.abs()) {
                return Err(EmptyPolytope { detail: format!("a row is off by {} everywhere", -rest) });
            }
            return Ok(None);
        }
        reduced.iter_mut().for_each(|r| *r /= size);
        let give = if size <= 1e-3 * whole { (blur + 1e-15) * (whole + b.abs()) / size } else { 0.0 };
        Ok(Some(rest / size + give))
    }

    /// Takes the rows in hull coordinates, one per direction; returns those that are equalities.
    pub(super) fn reduce(&mut self, halfspaces: &[f64]) -> Result<Vec<usize>, EmptyPolytope> {
        let (d, k) = (self.dim, self.free);
        let (mut rows, mut offsets): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
        let mut reduced = vec![0.0; k];
        for row in halfspaces.chunks_exact(d + 1) {
            if let Some(b) = self.reduce_row(1.0, &row[..d], row[d], &mut reduced)? {
                rows.extend_from_slice(&reduced);
                offsets.push(b);
            }
        }
        let (kept, tight) = merge(&rows, &mut offsets, k)?;
        // the equalities are named by their place among the rows that stay
        let place = |i: usize| kept[..i].iter().filter(|&&kept| kept).count();
        let tight = tight.into_iter().map(place).collect();
        for i in (0..offsets.len()).filter(|&i| kept[i]) {
            self.rows.extend_from_slice(&rows[i * k..(i + 1) * k]);
            self.offsets.push(offsets[i]);
        }
        Ok(tight)
    }
}

/// One row per direction, with the least offset: which are kept, and which face another closely.
fn merge(rows: &[f64], offsets: &mut [f64], k: usize) -> Result<(Vec<bool>, Vec<usize>), EmptyPolytope> {
    let probe: Vec<f64> = (0..k).map(|i| ((i + 1) as f64 * 0.618_033_988_749_894_9).fract() + 0.5).collect();
    // parallel rows share their key up to sign and rounding, others almost never
    let keys: Vec<f64> = rows.chunks_exact(k.max(1)).map(|row| dot(row, &probe).abs()).collect();
    let apart = |i: usize, j: usize| keys[j] - keys[i] > 1e-11 * (k as f64);
    let parallel = |i: usize, j: usize, sign: f64| {
        let (a, b) = (&rows[i * k..(i + 1) * k], &rows[j * k..(j + 1) * k]);
        a.iter().zip(b).all(|(x, y)| (x - sign * y).abs() <= 1e-12)
    };
    let mut order: Vec<usize> = (0..offsets.len()).collect();
    order.sort_by(|&i, &j| keys[i].total_cmp(&keys[j]).then(i.cmp(&j)));
    let mut kept = vec![true; offsets.len()];
    for (place, &i) in order.iter().enumerate() {
        for &j in &order[place + 1..] {
            if apart(i, j) || !kept[i] {
                break;
            }
            if kept[j] && parallel(i, j, 1.0) {
                let (first, second) = (i.min(j), i.max(j));
                offsets[first] = offsets[first].min(offsets[second]);
                kept[second] = false;
            }
        }
    }
    order.retain(|&i| kept[i]);
    let mut tight = Vec::new();
    for (place, &i) in order.iter().enumerate() {
        for &j in order[place + 1..].iter().take_while(|&&j| !apart(i, j)) {
            if parallel(i, j, -1.0) {
                let gap = offsets[i] + offsets[j];
                let rounding = 1.0 + offsets[i].abs();
                if gap < -1e-9 * rounding {
                    let detail = format!("two rows face each other {} apart", -gap);
                    return Err(EmptyPolytope { detail });
                }
                if gap <= 1e-11 * rounding {
                    tight.push(i);
                }
            }
        }
    }
    Ok((kept, tight))
}
