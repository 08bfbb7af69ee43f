//! Half-spaces that join a set after it was made, and leave it again.

use super::{ConvexSet, Warm};
use crate::{Polytope, norm};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A number that no other set has.
pub(super) fn fresh() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl ConvexSet {
    /// Cuts the set by a'z <= b in hull coordinates, unless the ellipsoid lies on one side of it.
    pub fn cut(&mut self, a: &[f64], b: f64) {
        let size = norm(a);
        if self.set.point || !(size > 0.0 && size.is_finite() && b.is_finite()) {
            return;
        }
        let row: Vec<f64> = a.iter().map(|a| a / size).collect();
        self.forget();
        Arc::make_mut(&mut self.set).append(&row, b / size);
    }

    /// It is another set now: what was kept of the old one is gone.
    fn forget(&mut self) {
        (self.faces, self.starts, self.identity) = (None, None, fresh());
        self.method.held.forget();
    }

    /// Names a point of the set, where its own may have been cut off.
    pub fn witness(&mut self, z: &[f64]) {
        self.witness.copy_from_slice(z);
        self.z.copy_from_slice(z);
        self.in_y = false;
    }

    /// A point of the set, in the coordinates of the hull.
    pub fn point(&self) -> Vec<f64> {
        self.witness.clone()
    }

    /// Hands out the cuts, a'z <= b with |a| = 1, in their order.
    pub fn each_cut(&self, mut show: impl FnMut(&[f64], f64)) {
        let (set, k) = (&self.set, self.set.free);
        for row in set.uncut..set.limits.len() {
            show(&set.rows[row * k..(row + 1) * k], set.offsets[row]);
        }
    }

    /// The polytope that it lies in.
    pub fn polytope(&self) -> &Polytope {
        &self.set.polytope
    }

    /// N'c, into k numbers.
    pub fn reduced(&self, c: &[f64], out: &mut [f64]) {
        self.set.reduce(c, out);
    }

    /// How many rows there are: those of the polytope that can bind, then cuts in their order.
    pub fn rows(&self) -> usize {
        self.set.limits.len()
    }

    /// Takes all rows from this number on out again.
    pub fn uncut(&mut self, rows: usize) {
        if rows < self.rows() {
            self.forget();
            Arc::make_mut(&mut self.set).truncate(rows);
        }
    }

    /// The polytope's rows a'z <= b that bound the last answer.
    pub fn binding(&self, warm: &Warm) -> Vec<(&[f64], f64)> {
        let (set, k) = (&self.set, self.set.free);
        let rows = warm.iter().map(|&row| row as usize).filter(|&row| row < set.uncut);
        rows.map(|row| (&set.rows[row * k..(row + 1) * k], set.offsets[row])).collect()
    }

    /// The point with these coordinates, in R^d.
    pub fn lift(&self, z: &[f64], theta: &mut [f64]) {
        super::expand(&self.set.polytope, z, theta);
    }

    /// The coordinates of the last minimiser in the hull.
    pub fn coordinates(&self, z: &mut [f64]) {
        match self.in_y {
            true => self.set.unwhiten(self.method.y.as_flattened(), z),
            false => z.copy_from_slice(&self.z),
        }
    }
}
