//! What trials of a learner share.

use crate::episode::{Arena, Flow, Observer, Step, Stop};
use crate::learners::{Learner, LearnerEntry, Need, Told};
use crate::{Error, Result};

pub(super) const EPISODES: u64 = 12;
pub(super) const SEED: u64 = 4;

/// What was looked at, or what is wrong.
pub(super) type Outcome = std::result::Result<String, String>;

pub(super) fn text(error: Error) -> String {
    error.to_string()
}

pub(super) fn ensure(holds: bool, fault: impl FnOnce() -> String) -> std::result::Result<(), String> {
    if holds { Ok(()) } else { Err(fault()) }
}

/// Pauses the loop after this number of steps.
pub(super) struct Pause(pub(super) u64);

impl Observer for Pause {
    fn step(&mut self, _: &Step) -> Flow {
        self.0 = self.0.saturating_sub(1);
        if self.0 == 0 { Flow::Break(Stop) } else { Flow::Continue(()) }
    }
}

/// The learner for a world, told what it asks the oracle for.
pub(super) fn built(entry: &LearnerEntry, arena: &Arena) -> Result<Learner> {
    let exact = arena.exact();
    let told = Told {
        b_star: Some(exact.upper.iter().copied().fold(0.0, f64::max)),
        t_star: Some(exact.t_star),
        policy: entry.wants(Need::Policy).then(|| exact.policy.clone()),
    };
    entry.build(arena.problem(), &entry.oracle(), SEED, EPISODES, told)
}
