//! Measures: what is recorded of a run, one file for each. A measure watches the run, adds rows, and
//! fills its columns of the run's own row at the end. Its state is part of every checkpoint.

mod behaviour;
mod curve;
mod planning;
mod probing;
mod sets;

use crate::results::{EpisodeRow, PlanRow, ProbeRow, RunRow};
use crate::study::{Record, Thinning};
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

/// Something that is recorded of a run.
pub(crate) trait Measure: Send {
    /// Whether [`step`](Measure::step) is called: a step can take less time than the call.
    fn wants_steps(&self) -> bool {
        false
    }
    /// After every step.
    fn step(&mut self, _: &Step) {}
    /// After a planning call in an episode, counted from 1.
    fn plan(&mut self, _: &Plan, _episode: u64, _: &mut RunRows) {}
    /// After an episode, which ended at step t of the run.
    fn episode(&mut self, _: &Episode, _t: u64, _: &mut RunRows) {}
    /// At the end.
    fn finish(&mut self, _: &Runner, _: &mut RunRow, _: &mut RunRows) {}
    /// Serialises its state.
    fn save(&self) -> Value;
    /// Restores a saved state; `None` if it is of another measure.
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
    if record.probes != Thinning::None {
        all.push(Box::new(probing::Probing::new(record, arena, yardstick())));
    }
    if record.sets {
        all.push(Box::new(sets::Sets::new(arena, runner, yardstick())));
    }
    all
}

/// Saves and restores these fields of a measure: all that changes during a run.
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
