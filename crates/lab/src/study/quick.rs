//! The small version of a study, to try it out.

use super::Study;
use super::source::Entries;
use crate::Result;

const QUICK_KEYS: &[&str] = &["seeds", "episodes", "steps", "max_steps", "worlds"];

/// The small version of a study: fewer seeds and shorter runs, the same question.
pub(super) struct Quick {
    seeds: u64,
    episodes: u64,
    steps: u64,
    max_steps: Option<u64>,
    worlds: Option<u64>,
}

impl Quick {
    pub(super) fn of(keys: &Entries) -> Result<Quick> {
        let mut quick = Quick { seeds: 2, episodes: 20, steps: 100, max_steps: None, worlds: None };
        if let Some(node) = keys.get("quick") {
            let keys = node.table(QUICK_KEYS)?;
            quick.seeds = keys.read("seeds", |n| n.count(1))?.unwrap_or(quick.seeds);
            quick.episodes = keys.read("episodes", |n| n.count(1))?.unwrap_or(quick.episodes);
            quick.steps = keys.read("steps", |n| n.count(1))?.unwrap_or(quick.steps);
            quick.max_steps = keys.read("max_steps", |n| n.count(1))?;
            quick.worlds = keys.read("worlds", |n| n.count(1))?;
        }
        Ok(quick)
    }

    pub(super) fn shorten(&self, study: &mut Study) {
        study.seeds.truncate(self.seeds.min(1 << 20) as usize);
        let worlds = self.worlds.map_or(study.worlds.len(), |n| n.min(1 << 20) as usize);
        study.worlds.truncate(worlds);
        for world in &mut study.worlds {
            let length = &mut world.length;
            let most = if length.by_steps { self.steps } else { self.episodes };
            length.episodes = length.episodes.min(most);
            length.max_steps = match (length.by_steps, length.max_steps, self.max_steps) {
                (true, ..) => Some(length.episodes),
                (_, Some(own), Some(quick)) => Some(own.min(quick)),
                (_, own, quick) => own.or(quick),
            };
        }
    }
}
