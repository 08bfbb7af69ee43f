//! What is done about an answer whose value and bound are apart.

use super::active_set::End;
use super::{ConvexSet, Status, conic};
use crate::{Portable, dot, norm};
use clarabel::solver::SolverStatus;

impl ConvexSet {
    /// The better of both bounds, and Clarabel's point if it says more about the minimum.
    fn fall_back(&mut self, size: f64, value: f64, bound: f64) -> (f64, f64) {
        self.fallbacks += 1;
        let (y, multipliers, status) = conic::solve(&self.set, &self.w.as_flattened()[..self.set.free]);
        let multipliers = multipliers.iter().map(|l| l * size).enumerate();
        let account = self.set.account(&self.c, multipliers, &mut self.r, &mut self.whitened);
        let bound = bound.max(account.bound(&self.r, &self.bounds));
        self.set.unwhiten(&y, &mut self.r);
        let other = dot(&self.c, &self.r);
        let solved = matches!(status, SolverStatus::Solved | SolverStatus::AlmostSolved);
        if solved && (other - bound).abs() < 0.1 * (value - bound).abs() {
            self.z.copy_from_slice(&self.r);
            self.in_y = false;
            return (other, bound);
        }
        (value, bound)
    }

    /// Whether the defect r can be undone within W by non-negative multipliers: then the vertex of
    /// W is optimal, and only rounding separates bound and value.
    pub(super) fn is_vertex_optimal(&mut self, size: f64) -> bool {
        let method = &mut self.method;
        if method.working.len() < self.set.free || method.round {
            return false;
        }
        // the account left L^-1 r here
        self.whitened.as_flattened_mut().iter_mut().for_each(|w| *w /= size);
        method.outweighs(&self.whitened)
    }

    /// Finds the best mu = |u| / s by its bound, which is concave: where the set is hardly more
    /// than a point, s has lost its digits. The better of both bounds, and the value nearer to it.
    fn press(&mut self, size: f64, value: f64, bound: f64) -> (f64, f64) {
        let y = self.method.y.clone();
        let outside = self.method.outside_norm().max(1e-6);
        let mut best = (f64::NEG_INFINITY, outside);
        let mut at = |exponent: f64| {
            let mu = outside * 10f64.to_the(exponent);
            self.method.press(mu);
            let multipliers = self.method.working.rows.iter().zip(&self.method.lambda);
            let bound = self.set.ball_in_full(&self.c, multipliers.map(|(&i, l)| (i, l * size)));
            if bound > best.0 {
                best = (bound, mu);
            }
            bound
        };
        const GOLDEN: f64 = 0.618_033_988_749_894_9;
        let (mut low, mut high) = (2.0, 9.0);
        let (mut left, mut right) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
        let (mut at_left, mut at_right) = (at(left), at(right));
        while high - low > 1e-6 {
            if at_left < at_right {
                (low, left, at_left) = (left, right, at_right);
                right = low + GOLDEN * (high - low);
                at_right = at(right);
            } else {
                (high, right, at_right) = (right, left, at_left);
                left = high - GOLDEN * (high - low);
                at_left = at(left);
            }
        }
        self.method.press(best.1);
        let better = bound.max(best.0);
        self.set.unwhiten(self.method.y.as_flattened(), &mut self.r);
        let pressed = dot(&self.c, &self.r);
        if (pressed - better).abs() < (value - better).abs() {
            self.z.copy_from_slice(&self.r);
            return (pressed, better);
        }
        self.method.y.copy_from_slice(&y);
        (value, better)
    }

    /// The size of the numbers that enter c'theta: what accuracy is measured by.
    fn scale(&mut self, constant: f64, value: f64, size: f64) -> f64 {
        if self.in_y {
            self.set.unwhiten(self.method.y.as_flattened(), &mut self.z);
        }
        constant.abs() + norm(&self.c) * norm(&self.z) + (self.set.rho * size).min(value.abs())
    }

    #[cold]
    pub(super) fn settle(
        &mut self,
        end: End,
        constant: f64,
        size: f64,
        mut value: f64,
        mut bound: f64,
    ) -> (f64, f64, Status) {
        let scale = self.scale(constant, value, size);
        self.stalls += u64::from(end == End::Stalled);
        let close = |value: f64, bound: f64| value - bound <= 1e-9 * scale;
        if end == End::Optimal && !close(value, bound) {
            self.method.refine(&self.set, &self.w);
            (value, bound) = self.account(constant, size);
        }
        if end == End::Optimal && bound < value && self.is_vertex_optimal(size) {
            bound = value;
        }
        if self.rounding > 1e-13 * scale {
            // the multipliers are huge here and would drown the value
            value = dot(&self.c, &self.z);
        }
        let apart = value - bound > 1e-10 * scale;
        if end == End::Touching || end == End::Optimal && self.method.round && apart {
            (value, bound) = self.press(size, value, bound);
        }
        if matches!(end, End::Stalled | End::Empty) {
            self.z.copy_from_slice(&self.witness);
            self.in_y = false;
            value = dot(&self.c, &self.z);
        }
        // Clarabel knows no better where the set is thinner than rounding
        if end == End::Stalled || end == End::Optimal && !close(value, bound) {
            (value, bound) = self.fall_back(size, value, bound);
        }
        // a set that is empty by less than rounding has bounds beyond its point
        bound = bound.min(value);
        let status = if close(value, bound) { Status::Optimal } else { Status::Inaccurate };
        (value, bound, status)
    }
}
