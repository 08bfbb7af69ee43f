//! The likelihood set itself, for planning over it.

use super::region::Region;
use crate::numeric::dot;
use crate::numeric::support::{ConvexSet, Status, Support, SupportMin, Warm};
use std::sync::Arc;

/// How far value and bound may be apart, relative to them.
const CLOSE: f64 = 1e-7;

/// {theta in B : F(theta) <= 0} for planning: the ellipsoid where that is enough. Where it is not,
/// an interior-point method finds the set's own minimiser, and the tangent there cuts the ellipsoid.
///
/// The bound is that of the support solver over a set that contains this one, so it is certified. A
/// cut is made for one objective and taken out again: answers do not depend on what was asked
/// before.
#[derive(Clone, Debug)]
pub struct SharpSet {
    region: Arc<Region>,
    within: ConvexSet,
    /// The last minimiser.
    theta: Vec<f64>,
}

impl SharpSet {
    /// The set, and what contains it.
    pub fn new(region: Region, within: ConvexSet) -> Self {
        SharpSet { region: Arc::new(region), theta: within.theta(), within }
    }
}

impl SupportMin for SharpSet {
    fn min(&mut self, c: &[f64], warm: &mut Warm) -> Support {
        let rows = self.within.rows();
        let touched = self.region.touch(&mut self.within, c, warm);
        let kept = warm.clone();
        let mut answer = self.within.min(c, warm);
        *warm = kept;
        match touched {
            None => self.within.minimiser(&mut self.theta),
            Some(z) => {
                self.within.lift(&z, &mut self.theta);
                answer.value = dot(c, &self.theta).max(answer.bound);
                let close = answer.value - answer.bound
                    <= CLOSE * (answer.value.abs() + answer.bound.abs()).max(1e-3);
                answer.status = if close { answer.status } else { Status::Inaccurate };
            }
        }
        self.within.uncut(rows);
        answer
    }

    fn minimiser(&self, theta: &mut [f64]) {
        theta.copy_from_slice(&self.theta);
    }

    fn fallbacks(&self) -> u64 {
        self.within.fallbacks()
    }

    /// The likelihood's own bounds use the rows of B that are written out.
    fn is_relaxed(&self) -> bool {
        self.within.is_relaxed()
    }

    fn count_fallbacks(&mut self, more: u64) {
        self.within.count_fallbacks(more);
    }
}
