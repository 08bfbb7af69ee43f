//! The working set's factor G_W' = Q R, which gains and loses rows one at a time.

use super::lanes::{Lanes, add, add_columns, dot_four, inner, project, width};

/// What lies below this share of a row of norm one outside the span of others is rounding.
const DEPENDENT: f64 = 1e-11;
/// How far Q may be from orthonormal.
const ASKEW: f64 = 5e-14;
/// Coordinates of y_W beyond this leave rounding behind when they go.
const LARGE: f64 = 16.0;

/// Orthonormal Q and triangular R, with t = R'^-1 h_W, e = Q'w, y_W = Q t and u = w - Q e carried
/// along, each at the price of one column per row. M = G_W G_W' is never formed: its condition is
/// the square of R's.
#[derive(Clone, Debug, Default)]
pub(super) struct Working {
    free: usize,
    width: usize,
    pub(super) rows: Vec<usize>,
    /// Column j of Q starts at j width.
    q: Vec<Lanes>,
    /// Column j of R starts at j k; behind the last, a candidate's coordinates in Q.
    r: Vec<f64>,
    inverse: Vec<f64>,
    limits: Vec<f64>,
    t: Vec<f64>,
    e: Vec<f64>,
    /// y_W = G_W' q, the point of the rows' intersection nearest to the centre.
    pub(super) nearest: Vec<Lanes>,
    /// u = w - G_W' p, the part of w outside the rows' span.
    pub(super) outside: Vec<Lanes>,
    pub(super) candidate: Vec<Lanes>,
    part: Vec<f64>,
    /// How far Q may be from orthonormal by now.
    askew: f64,
    /// Rows that ever joined.
    pub(super) joined: u64,
}

impl Working {
    pub(super) fn new(free: usize) -> Self {
        let width = width(free);
        let room = || vec![0.0; free];
        let zeros = || vec![[0.0; 4]; width];
        Working {
            free,
            width,
            rows: Vec::with_capacity(free + 1),
            q: vec![[0.0; 4]; free * width],
            r: vec![0.0; (free + 1) * free],
            inverse: room(),
            limits: room(),
            t: room(),
            e: room(),
            nearest: zeros(),
            outside: zeros(),
            candidate: zeros(),
            part: room(),
            askew: 0.0,
            joined: 0,
        }
    }

    pub(super) fn start(&mut self, w: &[Lanes]) {
        self.rows.clear();
        self.askew = f64::EPSILON;
        self.nearest.fill([0.0; 4]);
        self.outside.copy_from_slice(w);
    }

    pub(super) fn turn(&mut self, w: &[Lanes]) {
        let n = self.len();
        self.outside.copy_from_slice(w);
        self.e[..n].fill(0.0);
        // twice, for orthogonality to rounding
        for _ in 0..2 {
            project(&self.q, &self.outside, &mut self.part[..n]);
            add_columns(&mut self.outside, &self.q, &self.part[..n], -1.0);
            self.e.iter_mut().zip(&self.part[..n]).for_each(|(e, p)| *e += *p);
        }
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Appends the candidate, a row of norm one, unless it depends on those in W.
    #[inline]
    pub(super) fn push(&mut self, row: usize, h: f64) -> bool {
        // most of a solve's time goes here, and half of that is saved if the compiler knows the
        // lanes' number
        match self.width {
            1 => self.push_lanes(row, h, 1),
            2 => self.push_lanes(row, h, 2),
            3 => self.push_lanes(row, h, 3),
            4 => self.push_lanes(row, h, 4),
            b => self.push_lanes(row, h, b),
        }
    }

    #[inline(always)]
    fn push_lanes(&mut self, row: usize, h: f64, b: usize) -> bool {
        let (k, n) = (self.free, self.len());
        let candidate = &mut self.candidate[..b];
        let (column, part) = (&mut self.r[n * k..n * k + n], &mut self.part[..n]);
        project(&self.q, candidate, column);
        if n == k {
            return false;
        }
        add_columns(candidate, &self.q, column, -1.0);
        let mut left = inner(candidate, candidate);
        // classical Gram-Schmidt passes on what Q lacks in orthogonality, magnified by what is lost
        // of the row
        let askew = (f64::EPSILON + self.askew * (1.0 - left).max(0.0)) / left.max(f64::MIN_POSITIVE);
        if askew > ASKEW {
            project(&self.q, candidate, part);
            add_columns(candidate, &self.q, part, -1.0);
            column.iter_mut().zip(part).for_each(|(c, p)| *c += *p);
            left = inner(candidate, candidate);
            if left <= DEPENDENT * DEPENDENT {
                return false;
            }
        } else {
            self.askew = self.askew.max(askew);
        }
        // by u, not by w: what earlier columns missed of w goes here rather than nowhere
        let e = inner(candidate, &self.outside[..b]);
        let t = h - dot_four(column, &self.t[..n]);
        let left = left.sqrt();
        let inverse = 1.0 / left;
        let (e, t) = (e * inverse, t * inverse);
        let q = &mut self.q[n * b..n * b + b];
        for (q, rest) in q.iter_mut().zip(candidate) {
            *q = rest.map(|r| r * inverse);
        }
        add(&mut self.nearest[..b], t, q);
        add(&mut self.outside[..b], -e, q);
        self.r[n * k + n] = left;
        self.inverse[n] = inverse;
        self.limits[n] = h;
        self.t[n] = t;
        self.e[n] = e;
        self.rows.push(row);
        self.joined += 1;
        true
    }

    /// The combination of W's rows that gives the row last refused by `push`.
    pub(super) fn combination(&self, out: &mut [f64]) {
        let (k, n) = (self.free, self.len());
        out[..n].copy_from_slice(&self.r[n * k..n * k + n]);
        self.backward(out);
    }

    /// Removes the row at a place of W and restores the triangle by rotations.
    pub(super) fn drop(&mut self, place: usize) {
        let (b, n) = (self.width, self.len());
        self.rotate(place, n);
        let q = &self.q[(n - 1) * b..n * b];
        add(&mut self.outside, self.e[n - 1], q);
        self.lose(n - 1);
    }

    /// Replaces a row by the one last refused by `push`, where W spans everything. False if the
    /// rows would be dependent: the other is gone then.
    pub(super) fn exchange(&mut self, place: usize, row: usize, h: f64) -> bool {
        let (k, b, n) = (self.free, self.width, self.len());
        self.rotate(place, n + 1);
        let column = &self.r[(n - 1) * k..n * k];
        let left = column[n - 1];
        self.lose(n - 1);
        if left.abs() <= DEPENDENT {
            add(&mut self.outside, self.e[n - 1], &self.q[(n - 1) * b..n * b]);
            return false;
        }
        let inverse = 1.0 / left;
        let t = (h - dot_four(&self.r[(n - 1) * k..n * k - 1], &self.t[..n - 1])) * inverse;
        add(&mut self.nearest, t, &self.q[(n - 1) * b..n * b]);
        self.inverse[n - 1] = inverse;
        self.limits[n - 1] = h;
        self.t[n - 1] = t;
        self.rows.push(row);
        true
    }

    fn rotate(&mut self, place: usize, columns: usize) {
        let (k, b, n) = (self.free, self.width, self.len());
        self.rows.remove(place);
        self.limits.copy_within(place + 1..n, place);
        self.r.copy_within((place + 1) * k..columns * k, place * k);
        for i in place..n - 1 {
            let (x, y) = (self.r[i * k + i], self.r[i * k + i + 1]);
            let inverse = 1.0 / (x * x + y * y).sqrt();
            let (c, s) = (x * inverse, y * inverse);
            self.inverse[i] = inverse;
            let turn = |x: &mut f64, y: &mut f64| (*x, *y) = (c * *x + s * *y, c * *y - s * *x);
            for column in self.r[i * k..(columns - 1) * k].chunks_exact_mut(k) {
                let [x, y] = &mut column[i..i + 2] else { unreachable!("two entries") };
                turn(x, y);
            }
            let (head, tail) = self.q.split_at_mut((i + 1) * b);
            let pairs = head[i * b..].as_flattened_mut().iter_mut().zip(tail.as_flattened_mut());
            pairs.for_each(|(x, y)| turn(x, y));
            let (t, e) = (&mut self.t[i..i + 2], &mut self.e[i..i + 2]);
            for pair in [t, e] {
                let [x, y] = pair else { unreachable!("two entries") };
                turn(x, y);
            }
        }
    }

    /// Takes the share of Q's last column out of y_W.
    fn lose(&mut self, last: usize) {
        add(&mut self.nearest, -self.t[last], &self.q[last * self.width..(last + 1) * self.width]);
        if self.t[last].abs() > LARGE {
            self.renew();
        }
    }

    fn renew(&mut self) {
        let k = self.free;
        for j in 0..self.len() {
            let known: f64 = self.r[j * k..j * k + j].iter().zip(&self.t).map(|(r, t)| r * t).sum();
            self.t[j] = (self.limits[j] - known) * self.inverse[j];
        }
        self.nearest.fill([0.0; 4]);
        let n = self.len();
        add_columns(&mut self.nearest, &self.q, &self.t[..n], 1.0);
    }

    /// x <- R^-1 x.
    fn backward(&self, x: &mut [f64]) {
        let (k, n) = (self.free, self.len());
        let x = &mut x[..n];
        // each entry waits for the one before: in registers, where their number is known, half as
        // long
        match n {
            2 => return self.backward_of::<2>(x),
            3 => return self.backward_of::<3>(x),
            4 => return self.backward_of::<4>(x),
            5 => return self.backward_of::<5>(x),
            6 => return self.backward_of::<6>(x),
            7 => return self.backward_of::<7>(x),
            8 => return self.backward_of::<8>(x),
            _ => (),
        }
        for ((j, column), inverse) in self.r.chunks_exact(k).enumerate().zip(&self.inverse).take(n).rev() {
            let scale = x[j] * inverse;
            x[j] = scale;
            x[..j].iter_mut().zip(column).for_each(|(x, r)| *x -= scale * r);
        }
    }

    fn backward_of<const N: usize>(&self, x: &mut [f64]) {
        let Some(x) = x.first_chunk_mut::<N>() else { return };
        let Some(inverse) = self.inverse.first_chunk::<N>() else { return };
        let mut y = *x;
        for j in (0..N).rev() {
            let column = &self.r[j * self.free..][..N];
            y[j] *= inverse[j];
            for i in 0..j {
                y[i] -= y[j] * column[i];
            }
        }
        *x = y;
    }

    /// out = -(p + mu q), with p = M^-1 G_W w and q = M^-1 h_W.
    pub(super) fn multipliers(&self, mu: f64, out: &mut [f64]) {
        let n = self.len();
        out[..n].iter_mut().zip(self.e.iter().zip(&self.t)).for_each(|(o, (e, t))| *o = -(e + mu * t));
        self.backward(out);
    }

    /// M^-1 G_W v: the multipliers with which W's rows give v.
    pub(super) fn share(&self, v: &[Lanes], out: &mut [f64]) {
        project(&self.q, v, &mut out[..self.len()]);
        self.backward(out);
    }

    /// Leaves of a vector what lies outside the span of W's rows.
    pub(super) fn leave(&self, v: &mut [Lanes]) {
        let mut part = self.part.clone();
        let part = &mut part[..self.len()];
        // twice, for orthogonality to rounding
        for _ in 0..2 {
            project(&self.q, v, part);
            add_columns(v, &self.q, part, -1.0);
        }
    }

    /// q = M^-1 h_W.
    pub(super) fn q(&self, out: &mut [f64]) {
        let n = self.len();
        out[..n].copy_from_slice(&self.t[..n]);
        self.backward(out);
    }

    #[inline]
    pub(super) fn nearest_sq(&self) -> f64 {
        dot_four(&self.t[..self.len()], &self.t[..self.len()])
    }

    /// |u|^2, after what rounding left of u along Q was removed where it would matter.
    #[inline]
    pub(super) fn outside_sq(&mut self) -> f64 {
        let n = self.len();
        if n == self.free {
            self.outside.fill([0.0; 4]);
            return 0.0;
        }
        let size = inner(&self.outside, &self.outside);
        if size > 1e-3 || n == 0 {
            return size;
        }
        // a point that follows u would leave the rows
        let part = &mut self.part[..n];
        project(&self.q, &self.outside, part);
        add_columns(&mut self.outside, &self.q, part, -1.0);
        self.e.iter_mut().zip(part).for_each(|(e, p)| *e += *p);
        inner(&self.outside, &self.outside)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Stream, dot, norm};

    fn lanes(x: &[f64]) -> Vec<Lanes> {
        let mut out = vec![[0.0; 4]; width(x.len())];
        out.as_flattened_mut()[..x.len()].copy_from_slice(x);
        out
    }

    fn push(working: &mut Working, row: usize, g: &[f64], h: f64) -> bool {
        working.candidate.copy_from_slice(&lanes(g));
        working.push(row, h)
    }

    const K: usize = 7;

    /// An objective, six rows of norm one, and their right-hand sides.
    fn drawn() -> (Vec<Lanes>, Vec<Vec<f64>>, Vec<f64>) {
        let mut random = Stream::new(3, &[]);
        let mut draw = |n: usize| -> Vec<f64> { (0..n).map(|_| random.uniform() - 0.5).collect() };
        let w = lanes(&draw(K));
        let mut g: Vec<Vec<f64>> = (0..6).map(|_| draw(K)).collect();
        g.iter_mut().for_each(|g| {
            let size = norm(g);
            g.iter_mut().for_each(|x| *x /= size);
        });
        (w, g, draw(6))
    }

    fn same(a: &[f64], b: &[f64]) {
        a.iter().zip(b).for_each(|(a, b)| assert!((a - b).abs() < 1e-12));
    }

    #[test]
    fn dropping_equals_rebuilding() {
        let ((w, g, h), k) = (drawn(), K);
        let mut updated = Working::new(k);
        updated.start(&w);
        (0..6).for_each(|i| assert!(push(&mut updated, i, &g[i], h[i])));
        assert!(!push(&mut updated, 9, &g[2], 0.0));
        updated.drop(1);
        updated.drop(3);
        let mut fresh = Working::new(k);
        fresh.start(&w);
        [0, 2, 3, 5].iter().for_each(|&i| assert!(push(&mut fresh, i, &g[i], h[i])));
        assert_eq!(updated.rows, fresh.rows);
        updated.outside_sq();
        fresh.outside_sq();
        same(updated.nearest.as_flattened(), fresh.nearest.as_flattened());
        same(updated.outside.as_flattened(), fresh.outside.as_flattened());
        for mu in [0.0, 0.7] {
            let (mut a, mut b) = (vec![0.0; k], vec![0.0; k]);
            updated.multipliers(mu, &mut a);
            fresh.multipliers(mu, &mut b);
            same(&a, &b);
        }
        // y_W lies on every row, also when it is computed afresh
        for renewed in [false, true] {
            if renewed {
                updated.renew();
            }
            let y = &updated.nearest.as_flattened()[..k];
            updated.rows.iter().for_each(|&i| assert!((dot(&g[i], y) - h[i]).abs() < 1e-12));
        }
    }

    #[test]
    fn a_full_set_trades_a_row_for_the_one_refused() {
        let ((w, g, h), k) = (drawn(), K);
        let mut full = Working::new(k);
        full.start(&w);
        let extra: Vec<Vec<f64>> =
            [[1.0, 2.0, 0.0, -1.0, 1.0, 0.0, 0.5], [0.0, 1.0, 1.0, 0.3, -1.0, 2.0, 0.1]]
                .map(|g| g.iter().map(|x| x / norm(&g)).collect())
                .to_vec();
        (0..6).for_each(|i| assert!(push(&mut full, i, &g[i], h[i])));
        assert!(push(&mut full, 6, &extra[0], 0.2) && !push(&mut full, 7, &extra[1], -0.3));
        assert!(full.exchange(2, 7, -0.3));
        let mut fresh_full = Working::new(k);
        fresh_full.start(&w);
        [0, 1, 3, 4, 5].iter().for_each(|&i| assert!(push(&mut fresh_full, i, &g[i], h[i])));
        assert!(push(&mut fresh_full, 6, &extra[0], 0.2) && push(&mut fresh_full, 7, &extra[1], -0.3));
        assert_eq!(full.rows, fresh_full.rows);
        same(full.nearest.as_flattened(), fresh_full.nearest.as_flattened());
        let (mut a, mut b) = (vec![0.0; k], vec![0.0; k]);
        full.multipliers(0.3, &mut a);
        fresh_full.multipliers(0.3, &mut b);
        a.iter().zip(&b).for_each(|(a, b)| assert!((a - b).abs() < 1e-10 * (1.0 + b.abs())));
    }
}
