//! Worlds over many truths: `truth` is an axis of their grid.

use super::grids::spelled;
use super::spot::{Spot, is_learner};
use super::{Study, WorldPoint};
use crate::Result;
use goalward::did_you_mean;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What learners pay on average over the truths of every world, against a reference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TruthsAsk {
    /// The reference: a learner's label, or a name for earlier records.
    pub against: String,
    /// The episodes of every earlier run.
    pub episodes: Option<u64>,
    /// Earlier records: gap regret by the label of the world and by the truth.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub paid: BTreeMap<String, BTreeMap<String, f64>>,
}

impl WorldPoint {
    /// Its label without the truth, and the truth; none if truths are no axis of its grid.
    pub(crate) fn truth(&self) -> Option<(String, &str)> {
        let (_, truth) = self.point.iter().find(|(key, _)| key == "truth")?;
        let others: Vec<_> = self.point.iter().filter(|(key, _)| key != "truth").cloned().collect();
        Some((spelled(&self.base, &others), truth))
    }
}

impl TruthsAsk {
    /// Whether the reference is a record of earlier runs.
    pub(crate) fn is_earlier(&self) -> bool {
        !self.paid.is_empty()
    }

    pub(super) fn check(&self, spot: &Spot, study: &Study) -> Result<()> {
        let mut worlds = study.worlds.iter().filter_map(WorldPoint::truth).peekable();
        if worlds.peek().is_none() {
            let fault =
                "no world has a grid over truths: write grid = { truth = [\"drawn:1\", \"drawn:2\"] }";
            return Err(spot.fault(fault));
        }
        if !self.is_earlier() {
            return is_learner(&self.against, &spot.below("against"), study);
        }
        if self.episodes.is_none() {
            let fault = "how long were the runs of `paid`? write episodes = 300";
            return Err(spot.fault(fault));
        }
        let spot = spot.below("paid");
        for (world, truth) in worlds {
            let Some(paid) = self.paid.get(&world) else {
                let meant = did_you_mean(&world, self.paid.keys().map(String::as_str));
                let fault = format!("no record of the world {world:?}{meant}; write {world:?} = {{ ... }}");
                return Err(spot.fault(fault));
            };
            let spot = spot.below(&world);
            match paid.get(truth) {
                Some(paid) if paid.is_finite() => {}
                Some(_) => return Err(spot.below(truth).fault("expected a finite number")),
                None => return Err(spot.fault(format!("no record of {truth:?}, a truth of this world"))),
            }
        }
        Ok(())
    }
}
