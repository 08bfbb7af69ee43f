//! A learner's confidence set, as a replay shows it: an interval for every coordinate of theta, and
//! the shadow in the plane of the first two.

use super::outline::polygon;
use goalward::confidence::{ConfidenceSet, interval};
use goalward::learners::{Learner, Probe};

/// So many coordinates are shown.
pub(super) const MOST: usize = 24;
/// Directions in a half turn, each with both its ends.
const ANGLES: usize = 16;

/// What a learner knows of theta.
#[derive(Default)]
pub(super) struct Theta {
    /// Its estimate.
    pub(super) estimate: Option<Vec<f64>>,
    /// The interval of every coordinate that is shown; none if it has none.
    pub(super) ends: Vec<(f64, f64)>,
    /// The corners of the shadow; none if there is no set, or it has no bounds.
    pub(super) outline: Vec<(f64, f64)>,
}

/// The directions in which sets are looked at.
pub(super) struct Watch {
    shown: usize,
    /// The coordinates, then the angles in the plane of the first two.
    directions: Vec<Vec<f64>>,
    angles: Vec<(f64, f64)>,
}

impl Watch {
    pub(super) fn new(dim: usize) -> Watch {
        let shown = dim.min(MOST);
        let angle = |i: usize| (std::f64::consts::PI * i as f64 / ANGLES as f64).sin_cos();
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
        Watch { shown, directions: coordinates.chain(plane).collect(), angles }
    }

    /// What a learner knows now. Several sets count as their intersection.
    pub(super) fn look(&self, learner: &Learner) -> Theta {
        let all = (f64::NEG_INFINITY, f64::INFINITY);
        let mut sink = Sink { watch: self, estimate: None, ends: vec![all; self.directions.len()], sets: 0 };
        learner.probe(&mut sink);
        let Sink { mut estimate, mut ends, sets, .. } = sink;
        if let Some(theta) = &mut estimate {
            theta.truncate(self.shown);
        }
        if sets == 0 {
            let mut ends = learner.intervals().unwrap_or_default();
            ends.truncate(self.shown);
            return Theta { estimate, ends, outline: Vec::new() };
        }
        let outline = self.outline(&ends);
        ends.truncate(self.shown);
        Theta { estimate, ends, outline }
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

struct Sink<'a> {
    watch: &'a Watch,
    estimate: Option<Vec<f64>>,
    ends: Vec<(f64, f64)>,
    sets: usize,
}

impl Probe for Sink<'_> {
    fn estimate(&mut self, theta_hat: &[f64]) {
        self.estimate = Some(theta_hat.to_vec());
    }

    fn wants_sets(&self) -> bool {
        true
    }

    fn set(&mut self, now: &dyn ConfidenceSet) {
        let Some(mut support) = now.support() else { return };
        self.sets += 1;
        for (direction, (low, high)) in self.watch.directions.iter().zip(&mut self.ends) {
            let (least, most) = interval(&mut *support, direction);
            (*low, *high) = (low.max(least), high.min(most));
        }
    }
}
