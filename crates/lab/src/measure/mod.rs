//! Measures: what is taken down of a run while it goes on. One file for each.
//!
//! A measure watches the run, adds rows, and fills its columns of the run's own row at the end. All
//! that it knows is saved with every checkpoint, so that a run that goes on gives the same rows as
//! one that was never interrupted.

mod behaviour;
mod curve;
mod planning;
mod probing;
mod sets;
mod thinning;

use crate::results::{EpisodeRow, PlanRow, ProbeRow, RunRow};
use crate::study::Record;
use goalward::episode::{Arena, Episode, Plan, Runner, Step};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

/// The rows of a run so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunRows {
    pub(crate) episodes: Vec<EpisodeRow>,
    pub(crate) plans: Vec<PlanRow>,
    pub(crate) probes: Vec<ProbeRow>,
}

/// Where a run stands when something happens.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Now {
    /// The episode under way, from 1.
    pub(crate) episode: u64,
}

/// Something that is taken down of a run.
pub(crate) trait Measure: Send {
    /// Whether it wants to see every step: most do not, and a step can take less than a call.
    fn wants_steps(&self) -> bool {
        false
    }
    /// After every step.
    fn step(&mut self, _: &Step) {}
    /// After a planning call.
    fn plan(&mut self, _: &Plan, _: Now, _: &mut RunRows) {}
    /// After an episode, which ended with so many steps of the run.
    fn episode(&mut self, _: &Episode, _t: u64, _: &mut RunRows) {}
    /// At the end.
    fn finish(&mut self, _: &Runner, _: &mut RunRow, _: &mut RunRows) {}
    /// All that it knows.
    fn save(&self) -> Value;
    /// Takes up what was saved; `None` if that is not its own.
    fn restore(&mut self, saved: &Value) -> Option<()>;
}

/// The measures of a study, for one run.
pub(crate) fn measures(
    record: &Record,
    arena: &Arena,
    runner: &Runner,
    yardstick: impl Fn() -> Arc<Yardstick>,
) -> Vec<Box<dyn Measure>> {
    let mut all: Vec<Box<dyn Measure>> = vec![
        Box::new(curve::EpisodeCurve::new(record.episodes)),
        Box::new(planning::Planning::new(record.plans, arena)),
        Box::new(behaviour::Behaviour::new(runner.spec().episodes)),
    ];
    if record.probes != crate::study::Thinning::None {
        all.push(Box::new(probing::Probing::new(record, arena, yardstick())));
    }
    if record.sets {
        all.push(Box::new(sets::Sets::new(arena, runner, yardstick())));
    }
    all
}

/// Saves these fields of a measure and takes them up again: all that changes while a run goes on.
macro_rules! saved {
    ($($field:ident),+) => {
        fn save(&self) -> serde_json::Value {
            serde_json::to_value(($(&self.$field,)+)).unwrap_or_default()
        }

        fn restore(&mut self, saved: &serde_json::Value) -> Option<()> {
            ($(self.$field,)+) = serde::Deserialize::deserialize(saved).ok()?;
            Some(())
        }
    };
}
use saved;

pub(crate) use sets::Yardstick;
