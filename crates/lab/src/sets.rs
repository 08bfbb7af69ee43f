//! The confidence sets that a learner shows, and their outlines.

use goalward::confidence::{ConfidenceSet, interval};
use goalward::learners::{Learner, Probe};

/// Which of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Which {
    /// Those of all data so far.
    Now,
    /// Those that the last plan was made over.
    Planned,
}

struct EachSet<F> {
    which: Which,
    show: F,
}

impl<F: FnMut(&dyn ConfidenceSet)> Probe for EachSet<F> {
    fn wants_estimate(&self) -> bool {
        false
    }
    fn wants_sets(&self) -> bool {
        true
    }
    fn set(&mut self, now: &dyn ConfidenceSet) {
        if self.which == Which::Now {
            (self.show)(now);
        }
    }
    fn planned_set(&mut self, planned: &dyn ConfidenceSet) {
        if self.which == Which::Planned {
            (self.show)(planned);
        }
    }
}

/// Shows every set.
pub(crate) fn each_set(learner: &Learner, which: Which, show: impl FnMut(&dyn ConfidenceSet)) {
    learner.probe(&mut EachSet { which, show });
}

/// The ends of the intersection of all sets in some directions.
pub(crate) struct Extent {
    pub(crate) ends: Vec<(f64, f64)>,
    /// How many sets there are.
    pub(crate) sets: usize,
    /// How many of them are not empty.
    pub(crate) with_support: usize,
}

impl Extent {
    pub(crate) fn of<'a>(
        learner: &Learner,
        which: Which,
        directions: impl ExactSizeIterator<Item = &'a Vec<f64>> + Clone,
    ) -> Extent {
        let ends = vec![(f64::NEG_INFINITY, f64::INFINITY); directions.len()];
        let mut extent = Extent { ends, sets: 0, with_support: 0 };
        each_set(learner, which, |set| {
            extent.sets += 1;
            let Some(mut support) = set.support() else { return };
            extent.with_support += 1;
            for (direction, (low, high)) in directions.clone().zip(&mut extent.ends) {
                let (least, most) = interval(&mut *support, direction);
                (*low, *high) = (low.max(least), high.min(most));
            }
        });
        extent
    }
}

/// The points of a box that satisfy `x a + y b <= c + slack` for all (a, b, c): the corners in order.
pub(crate) fn polygon_within(
    (left, right): (f64, f64),
    (low, high): (f64, f64),
    half_planes: impl Iterator<Item = (f64, f64, f64)>,
    slack: f64,
) -> Vec<(f64, f64)> {
    let mut corners = vec![(left, low), (right, low), (right, high), (left, high)];
    for (a, b, c) in half_planes {
        let over = |(x, y): (f64, f64)| x * a + y * b - c - slack;
        let mut kept = Vec::with_capacity(corners.len() + 1);
        for (i, &p) in corners.iter().enumerate() {
            let q = corners[(i + 1) % corners.len()];
            let (from, to) = (over(p), over(q));
            if from <= 0.0 {
                kept.push(p);
            }
            if (from < 0.0 && to > 0.0) || (from > 0.0 && to < 0.0) {
                let share = from / (from - to);
                kept.push((p.0 + share * (q.0 - p.0), p.1 + share * (q.1 - p.1)));
            }
        }
        corners = kept;
    }
    corners
}
