//! The confidence sets that a learner shows.

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
