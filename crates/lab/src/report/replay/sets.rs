//! A learner's confidence set, as a replay shows it: an interval for every coordinate of theta, and
//! the shadow in the plane of the first two.

use super::outline::polygon;
use crate::sets::{Extent, Which};
use goalward::learners::Learner;
use goalward::numeric::Portable;

/// So many coordinates are shown.
pub(super) const MOST: usize = 24;
/// Directions in a half turn, each with both its ends.
const ANGLES: usize = 16;

/// What a learner knows of theta.
#[derive(Clone, Default)]
pub(super) struct Knowledge {
    /// Its estimate.
    pub(super) estimate: Option<Vec<f64>>,
    /// The interval of every coordinate that is shown; none if it has none.
    pub(super) ends: Vec<(f64, f64)>,
    /// The corners of the shadow; none if there is no set, or it has no bounds.
    pub(super) outline: Vec<(f64, f64)>,
}

/// The directions in which sets are looked at.
pub(super) struct SetWatch {
    shown: usize,
    /// The coordinates, then the angles in the plane of the first two.
    directions: Vec<Vec<f64>>,
    angles: Vec<(f64, f64)>,
    /// The number of the last plan that was looked at, and its set.
    last: Option<(u64, Knowledge)>,
}

impl SetWatch {
    pub(super) fn new(dim: usize) -> SetWatch {
        let shown = dim.min(MOST);
        let angle = |i: usize| {
            let angle = std::f64::consts::PI * i as f64 / ANGLES as f64;
            (angle.sine(), angle.cosine())
        };
        let angles: Vec<(f64, f64)> = match dim {
            0 | 1 => Vec::new(),
            _ => (0..ANGLES).map(|i| (angle(i).1, angle(i).0)).collect(),
        };
        let unit = |entries: &[(usize, f64)]| {
            let mut direction = vec![0.0; dim];
            entries.iter().for_each(|(i, x)| direction[*i] = *x);
            direction
        };
        let coordinates = (0..shown).map(|i| unit(&[(i, 1.0)]));
        let plane = angles.iter().map(|(x, y)| unit(&[(0, *x), (1, *y)]));
        SetWatch { shown, directions: coordinates.chain(plane).collect(), angles, last: None }
    }

    /// What a learner knows: its estimate of now, and the set that its last plan was made over,
    /// which its values and its policy come from. That set is looked at once for each plan.
    pub(super) fn look(&mut self, learner: &Learner) -> Knowledge {
        let plan = learner.clock().j;
        let seen = match self.last.take() {
            Some((j, seen)) if j == plan => seen,
            _ => self.set_of(learner),
        };
        let mut estimate = learner.theta();
        if let Some(theta) = &mut estimate {
            theta.truncate(self.shown);
        }
        self.last = Some((plan, seen.clone()));
        Knowledge { estimate, ..seen }
    }

    /// The set of the last plan, or that of all data if there was none. Several sets count as their
    /// intersection.
    fn set_of(&self, learner: &Learner) -> Knowledge {
        let of = |which| Extent::of(learner, which, self.directions.iter());
        let planned = of(Which::Planned);
        let seen = if planned.with_support > 0 { planned } else { of(Which::Now) };
        let mut ends = seen.ends;
        if seen.with_support == 0 {
            let mut ends = learner.intervals().unwrap_or_default();
            ends.truncate(self.shown);
            return Knowledge { ends, ..Knowledge::default() };
        }
        let outline = self.outline(&ends);
        ends.truncate(self.shown);
        Knowledge { estimate: None, ends, outline }
    }

    fn outline(&self, ends: &[(f64, f64)]) -> Vec<(f64, f64)> {
        if self.angles.is_empty() || ends.iter().any(|(low, high)| !low.is_finite() || !high.is_finite()) {
            return Vec::new();
        }
        let half_planes = self.angles.iter().zip(&ends[self.shown..]);
        let both = |(&(x, y), &(low, high)): (&(f64, f64), &(f64, f64))| [(x, y, high), (-x, -y, -low)];
        polygon(ends[0], ends[1], half_planes.flat_map(both))
    }
}
