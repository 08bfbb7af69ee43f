//! Elimination of what is no longer sparse, by the method of Grassmann, Taksar and Heyman.
//!
//! Nothing is ever subtracted, so that every entry keeps its relative accuracy.

use super::long::Long;

/// A number from 0 on that elimination works with. Each kind adds up in an order of its own.
pub(crate) trait Entry: Copy + Default {
    fn of(weight: f64) -> Self;
    /// Whether it is greater than 0; a number that is none is not.
    fn is_positive(self) -> bool;
    fn plus(self, other: Self) -> Self;
    fn over(self, other: Self) -> Self;
    /// With the product of two others.
    fn plus_product(self, a: Self, b: Self) -> Self;
    /// `first` and all of a row.
    fn total(first: Self, row: &[Self]) -> Self;
    /// `own` and the sum of w x.
    fn with_inflow(own: Self, row: &[Self], x: &[Self]) -> Self;
    /// row += factor * other.
    fn add_scaled(row: &mut [Self], factor: Self, other: &[Self]);
}

impl Entry for f64 {
    fn of(weight: f64) -> f64 {
        weight
    }
    fn is_positive(self) -> bool {
        self > 0.0
    }
    fn plus(self, other: f64) -> f64 {
        self + other
    }
    fn over(self, other: f64) -> f64 {
        self / other
    }
    #[inline]
    fn plus_product(self, a: f64, b: f64) -> f64 {
        self + a * b
    }
    #[inline]
    fn total(first: f64, row: &[f64]) -> f64 {
        first + row.iter().sum::<f64>()
    }
    #[inline]
    fn with_inflow(own: f64, row: &[f64], x: &[f64]) -> f64 {
        let inflow: f64 = row.iter().zip(x).map(|(w, x)| w * x).sum();
        own + inflow
    }
    #[inline]
    fn add_scaled(row: &mut [f64], factor: f64, other: &[f64]) {
        row.iter_mut().zip(other).for_each(|(w, x)| *w += factor * x);
    }
}

impl Entry for Long {
    fn of(weight: f64) -> Long {
        Long::new(weight)
    }
    fn is_positive(self) -> bool {
        !self.is_zero()
    }
    fn plus(self, other: Long) -> Long {
        Long::plus(self, other)
    }
    fn over(self, other: Long) -> Long {
        Long::over(self, other)
    }
    fn plus_product(self, a: Long, b: Long) -> Long {
        if a.is_zero() { self } else { self.plus(a.times(b)) }
    }
    fn total(first: Long, row: &[Long]) -> Long {
        row.iter().fold(first, |sum, &w| sum.plus(w))
    }
    fn with_inflow(own: Long, row: &[Long], x: &[Long]) -> Long {
        let row = row.iter().zip(x).filter(|(w, _)| !w.is_zero());
        row.fold(own, |sum, (&w, &x)| sum.plus(w.times(x)))
    }
    fn add_scaled(row: &mut [Long], factor: Long, other: &[Long]) {
        for (w, &x) in row.iter_mut().zip(other).filter(|(_, x)| !x.is_zero()) {
            *w = w.plus(factor.times(x));
        }
    }
}

/// No weight leaves some node: the system has no solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stuck;

/// A dense system over some nodes, eliminated from the last to the first; live columns are a
/// prefix.
#[derive(Default)]
pub(crate) struct Dense<T = f64> {
    /// Row-major; right of the diagonal are factors, left of it rows.
    matrix: Vec<T>,
    leaving: Vec<T>,
}

impl<T: Entry> Dense<T> {
    /// Eliminates the nodes in `rest`, numbers below `nodes`. Each has its weights to others of
    /// them and `out`, its weight to whatever else there is. The buffers of an elimination before
    /// are used again.
    pub(crate) fn factor<R: Iterator<Item = (u32, f64)>>(
        &mut self,
        nodes: usize,
        rest: &[u32],
        mut out: Vec<T>,
        row: impl Fn(u32) -> R,
    ) -> Result<(), Stuck> {
        let m = rest.len();
        self.matrix.clear();
        self.matrix.resize(m * m, T::default());
        self.leaving.clear();
        self.leaving.resize(m, T::default());
        if m == 0 {
            return Ok(());
        }
        let mut place = vec![0; nodes];
        rest.iter().enumerate().for_each(|(t, &k)| place[k as usize] = t);
        for (t, &k) in rest.iter().enumerate() {
            for (j, w) in row(k) {
                let entry = &mut self.matrix[t * m + place[j as usize]];
                *entry = entry.plus(T::of(w));
            }
        }
        for t in (0..m).rev() {
            let (above, from_t) = self.matrix.split_at_mut(t * m);
            let pivot = &from_t[..t];
            let leaving = T::total(out[t], pivot);
            if !leaving.is_positive() {
                return Err(Stuck);
            }
            self.leaving[t] = leaving;
            for i in 0..t {
                let row = &mut above[i * m..i * m + t + 1];
                if !row[t].is_positive() {
                    continue;
                }
                let factor = row[t].over(leaving);
                row[t] = factor;
                if factor.is_positive() {
                    T::add_scaled(&mut row[..t], factor, pivot);
                    out[i] = out[i].plus_product(factor, out[t]);
                }
            }
        }
        Ok(())
    }

    /// The solution for right-hand sides from 0 on, one for each node of `rest`.
    pub(crate) fn solve(&self, mut y: Vec<T>) -> Vec<T> {
        let m = y.len();
        for t in (0..m).rev() {
            let own = y[t];
            for i in 0..t {
                y[i] = y[i].plus_product(self.matrix[i * m + t], own);
            }
        }
        for t in 0..m {
            y[t] = T::with_inflow(y[t], &self.matrix[t * m..t * m + t], &y).over(self.leaving[t]);
        }
        y
    }
}
