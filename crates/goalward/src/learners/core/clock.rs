//! What time it is for a learner.

use serde::{Deserialize, Serialize};

/// Why a planning call was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Reason {
    /// No step was made yet.
    Start,
    /// t reached 2 t_j.
    Time,
    /// The determinant of some level's Sigma doubled.
    Determinant,
    /// The information in the data doubled.
    Information,
    /// The episodes begun doubled, where costs are raised by the inverse of their number; or more
    /// have ended than in the epoch before, where a model is drawn for each.
    Episodes,
    /// The visits of a pair reached a count at which what is known of it is renewed.
    Visits,
    /// What the last plan believes may be too far from the data, in Hellinger's distance: the
    /// trigger of the regret theorem.
    Distance,
    /// The bound on B* doubled.
    Bound,
    /// The interval ended that the last plan was made for.
    Interval,
}

/// Counts of what has happened so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Clock {
    /// Steps observed: t.
    pub t: u64,
    /// Planning calls: j.
    pub j: u64,
    /// The step of the last one: t_j, 0 before the first (reading A3).
    pub t_j: u64,
    /// Episodes that reached the goal.
    pub ended: u64,
    /// Those that had when the last plan was made.
    pub ended_j: u64,
    /// Steps that no model allows, from which nothing was learnt.
    pub impossible: u64,
}

impl Clock {
    /// Whether twice as many steps were made as when the last plan was (Algorithm 1, line 10).
    pub fn time_doubled(&self) -> bool {
        self.t >= 2 * self.t_j
    }

    /// How many episodes have begun: one after every arrival at the goal, and the first.
    pub fn episodes_begun(&self) -> u64 {
        self.ended + 1
    }

    /// Whether twice as many have begun as when the last plan was made.
    pub fn episodes_doubled(&self) -> bool {
        self.ended + 1 >= 2 * (self.ended_j + 1)
    }

    /// The clock after a planning call made now.
    pub(super) fn planned(self) -> Clock {
        Clock { j: self.j + 1, t_j: self.t, ended_j: self.ended, ..self }
    }

    /// The clock of both, if another one began to count when this one stopped.
    pub(super) fn and(self, then: &Clock) -> Clock {
        let planned = then.j > 0;
        Clock {
            t: self.t + then.t,
            j: self.j + then.j,
            t_j: if planned { self.t + then.t_j } else { self.t_j },
            ended: self.ended + then.ended,
            ended_j: if planned { self.ended + then.ended_j } else { self.ended_j },
            impossible: self.impossible + then.impossible,
        }
    }
}
