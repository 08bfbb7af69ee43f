//! The working set's factor G_W' = Q R, which gains and loses rows one at a time.

use super::inner;
use crate::numeric::norm;

/// What lies below this share of a row of norm one outside the span of others is rounding.
const DEPENDENT: f64 = 1e-11;

/// Orthonormal Q and triangular R, with t = R'^-1 h_W and e = Q'w carried along.
///
/// M = G_W G_W' = R'R is never formed: its condition number is the square of R's.
#[derive(Clone, Debug, Default)]
pub(super) struct Working {
    free: usize,
    /// The rows in W.
    pub(super) rows: Vec<usize>,
    /// Column j of Q starts at j k.
    q: Vec<f64>,
    /// Column j of R starts at j k.
    r: Vec<f64>,
    t: Vec<f64>,
    e: Vec<f64>,
    /// A candidate row: what is left of it, and its coordinates in Q.
    rest: Vec<f64>,
    column: Vec<f64>,
}

impl Working {
    pub(super) fn new(free: usize) -> Self {
        Working {
            free,
            rows: Vec::with_capacity(free + 1),
            q: vec![0.0; free * free],
            r: vec![0.0; free * free],
            t: Vec::with_capacity(free),
            e: Vec::with_capacity(free),
            rest: vec![0.0; free],
            column: vec![0.0; free],
        }
    }

    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.t.clear();
        self.e.clear();
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Appends a row of norm one unless it depends on those in W.
    pub(super) fn push(&mut self, row: usize, g: &[f64], h: f64, w: &[f64]) -> bool {
        let (k, n) = (self.free, self.len());
        if !self.split(g) {
            return false;
        }
        let left = norm(&self.rest);
        let q = &mut self.q[n * k..(n + 1) * k];
        q.iter_mut().zip(&self.rest).for_each(|(q, r)| *q = r / left);
        self.e.push(inner(q, w));
        self.r[n * k..n * k + n].copy_from_slice(&self.column[..n]);
        self.r[n * k + n] = left;
        self.t.push((h - inner(&self.column[..n], &self.t)) / left);
        self.rows.push(row);
        true
    }

    /// Splits a row into Q column + rest; false if the rest is rounding.
    fn split(&mut self, g: &[f64]) -> bool {
        let (k, n) = (self.free, self.len());
        self.rest.copy_from_slice(g);
        self.column[..n].fill(0.0);
        for _ in 0..2 {
            for j in 0..n {
                let q = &self.q[j * k..(j + 1) * k];
                let s = inner(q, &self.rest);
                self.rest.iter_mut().zip(q).for_each(|(r, q)| *r -= s * q);
                self.column[j] += s;
            }
            // a second pass is for rows that the first left little of
            if norm(&self.rest) > 0.5 {
                break;
            }
        }
        n < k && norm(&self.rest) > DEPENDENT
    }

    /// The combination of W's rows that gives the row last refused by `push`.
    pub(super) fn combination(&self, out: &mut [f64]) {
        self.backward(&self.column, out);
    }

    /// Removes the row at a place of W and restores the triangle by rotations.
    pub(super) fn drop(&mut self, place: usize) {
        let (k, n) = (self.free, self.len());
        self.rows.remove(place);
        self.r.copy_within((place + 1) * k..n * k, place * k);
        for i in place..n - 1 {
            let (a, b) = (self.r[i * k + i], self.r[i * k + i + 1]);
            let size = a.hypot(b);
            let (c, s) = (a / size, b / size);
            let turn = |x: f64, y: f64| (c * x + s * y, c * y - s * x);
            for j in i..n - 1 {
                let (x, y) = (self.r[j * k + i], self.r[j * k + i + 1]);
                (self.r[j * k + i], self.r[j * k + i + 1]) = turn(x, y);
            }
            let (head, tail) = self.q.split_at_mut((i + 1) * k);
            for (x, y) in head[i * k..].iter_mut().zip(&mut tail[..k]) {
                (*x, *y) = turn(*x, *y);
            }
            (self.t[i], self.t[i + 1]) = turn(self.t[i], self.t[i + 1]);
            (self.e[i], self.e[i + 1]) = turn(self.e[i], self.e[i + 1]);
        }
        self.t.pop();
        self.e.pop();
    }

    /// out = R^-1 x.
    fn backward(&self, x: &[f64], out: &mut [f64]) {
        let (k, n) = (self.free, self.len());
        out[..n].copy_from_slice(&x[..n]);
        for j in (0..n).rev() {
            out[j] /= self.r[j * k + j];
            let scale = out[j];
            for i in 0..j {
                out[i] -= scale * self.r[j * k + i];
            }
        }
    }

    /// p = M^-1 G_W w.
    pub(super) fn p(&self, out: &mut [f64]) {
        self.backward(&self.e, out);
    }

    /// M^-1 G_W v: the multipliers with which W's rows give v.
    pub(super) fn share(&mut self, v: &[f64], out: &mut [f64]) {
        let (k, n) = (self.free, self.len());
        for j in 0..n {
            self.column[j] = inner(&self.q[j * k..(j + 1) * k], v);
        }
        self.backward(&self.column, out);
    }

    /// q = M^-1 h_W.
    pub(super) fn q(&self, out: &mut [f64]) {
        self.backward(&self.t, out);
    }

    /// y_W = G_W' q, the point of the rows' intersection nearest to the centre.
    pub(super) fn nearest(&self, out: &mut [f64]) {
        out.fill(0.0);
        for (q, t) in self.q.chunks_exact(self.free).zip(&self.t) {
            out.iter_mut().zip(q).for_each(|(o, q)| *o += t * q);
        }
    }

    /// |y_W|^2.
    pub(super) fn nearest_sq(&self) -> f64 {
        inner(&self.t, &self.t)
    }

    /// u = w - G_W' p, the part of w outside the rows' span; returns its norm.
    pub(super) fn outside(&self, w: &[f64], out: &mut [f64]) -> f64 {
        let (k, n) = (self.free, self.len());
        if n == k {
            out.fill(0.0);
            return 0.0;
        }
        out.copy_from_slice(w);
        for (q, e) in self.q.chunks_exact(k).zip(&self.e) {
            out.iter_mut().zip(q).for_each(|(o, q)| *o -= e * q);
        }
        let mut size = norm(out);
        if size < 0.5 {
            // what is left of w may be mostly rounding along Q: a point that follows it would leave the rows
            for q in self.q[..n * k].chunks_exact(k) {
                let s = inner(q, out);
                out.iter_mut().zip(q).for_each(|(o, q)| *o -= s * q);
            }
            size = norm(out);
        }
        size
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::Stream;

    #[test]
    fn dropping_equals_rebuilding() {
        let mut random = Stream::new(3, &[]);
        let k = 7;
        let mut draw = |n: usize| -> Vec<f64> { (0..n).map(|_| random.uniform() - 0.5).collect() };
        let w = draw(k);
        let mut g: Vec<Vec<f64>> = (0..6).map(|_| draw(k)).collect();
        g.iter_mut().for_each(|g| {
            let size = norm(g);
            g.iter_mut().for_each(|x| *x /= size);
        });
        let h = draw(6);
        let mut updated = Working::new(k);
        (0..6).for_each(|i| assert!(updated.push(i, &g[i], h[i], &w)));
        assert!(!updated.push(9, &g[2], 0.0, &w));
        updated.drop(1);
        updated.drop(3);
        let mut fresh = Working::new(k);
        [0, 2, 3, 5].iter().for_each(|&i| assert!(fresh.push(i, &g[i], h[i], &w)));
        assert_eq!(updated.rows, fresh.rows);
        let (mut a, mut b) = (vec![0.0; k], vec![0.0; k]);
        let mut agree = |f: &dyn Fn(&Working, &mut [f64])| {
            f(&updated, &mut a);
            f(&fresh, &mut b);
            a.iter().zip(&b).for_each(|(a, b)| assert!((a - b).abs() < 1e-12));
        };
        agree(&|x, out| x.p(out));
        agree(&|x, out| x.q(out));
        agree(&|x, out| x.nearest(out));
        agree(&|x, out| {
            x.outside(&w, out);
        });
        // y_W lies on every row
        updated.nearest(&mut a);
        updated.rows.iter().for_each(|&i| assert!((inner(&g[i], &a) - h[i]).abs() < 1e-12));
    }
}
