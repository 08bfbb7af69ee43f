//! When posterior sampling draws again: the epochs of PSRL-SSP.
//!
//! An epoch ends when it has seen more episodes end than the one before it, or when some pair was
//! visited more than twice as often as when it began.

use crate::numeric::stored::{Flaw, ensure};
use crate::problem::Pair;
use serde::{Deserialize, Serialize};

/// The epoch of the moment.
///
/// With k the number of the current episode, epoch l ends when k - k_{t_l} > K_{l-1} or n_t > 2
/// n_{t_l} for some pair. K_l = k - k_{t_l} is then the number of episodes that ended in it, which
/// the *next* epoch is measured by. At the beginning K_{-1} and k_{t_0} are 0, so that the first
/// epoch begins before the first step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::learners) struct Epochs {
    /// k_{t_l}: the episode in which it began; 0 before the first.
    begun: u64,
    /// K_{l-1}.
    before: u64,
    /// n_t, per pair.
    visits: Vec<u64>,
    /// n_{t_l}, per pair.
    then: Vec<u64>,
}

impl Epochs {
    pub(in crate::learners) fn new(pairs: usize) -> Self {
        Epochs { begun: 0, before: 0, visits: vec![0; pairs], then: vec![0; pairs] }
    }

    /// Counts a visit. Whether the pair has more than twice those of the epoch's beginning.
    pub(in crate::learners) fn visit(&mut self, p: Pair) -> bool {
        self.visits[p] += 1;
        self.visits[p] > 2 * self.then[p]
    }

    /// Whether more episodes have ended than in the epoch before, in episode k.
    pub(in crate::learners) fn is_long(&self, k: u64) -> bool {
        k - self.begun.min(k) > self.before
    }

    pub(in crate::learners) fn begin(&mut self, k: u64) {
        self.before = k - self.begun.min(k);
        self.begun = k;
        self.then.clone_from(&self.visits);
    }

    pub(in crate::learners) fn check(&self, pairs: usize) -> Result<(), Flaw> {
        let counts = [self.visits.len(), self.then.len()];
        ensure(counts == [pairs; 2], "visits", || format!("{counts:?} counts for {pairs} pairs"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_epoch_is_measured_by_the_one_before() {
        let mut epochs = Epochs::new(1);
        // visits alone never end an epoch here
        (epochs.visits[0], epochs.then[0]) = (1 << 40, 1 << 40);
        let mut begun = Vec::new();
        for k in 1..=30 {
            if epochs.is_long(k) {
                epochs.begin(k);
                begun.push(k);
            }
        }
        // K_0 = 1, and each epoch sees one more episode end than the one before
        assert_eq!(begun, [1, 3, 6, 10, 15, 21, 28]);
        assert!(epochs.check(1).is_ok() && epochs.check(2).is_err());
    }

    #[test]
    fn a_pair_must_more_than_double() {
        let mut epochs = Epochs::new(2);
        assert!(epochs.visit(1), "the first visit is more than twice none");
        epochs.begin(1);
        assert!(!epochs.visit(1), "two are not more than twice one");
        assert!(epochs.visit(1));
        epochs.begin(1);
        assert_eq!([0, 1, 2, 3].map(|_| epochs.visit(1)), [false, false, false, true]);
    }
}
