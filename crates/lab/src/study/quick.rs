//! The small version of a study.

use super::Study;
use super::file::Quick;
use super::forms::Count;

impl Quick {
    pub(super) fn shorten(&self, study: &mut Study) {
        let or = |given: Option<Count>, usual: u64| given.map_or(usual, |Count(n)| n);
        study.seeds.truncate(or(self.seeds, 2).min(1 << 20) as usize);
        study.worlds.truncate(or(self.worlds, u64::MAX).min(1 << 20) as usize);
        for world in &mut study.worlds {
            let length = &mut world.length;
            let most = if length.by_steps { or(self.steps, 100) } else { or(self.episodes, 20) };
            length.episodes = length.episodes.min(most);
            length.max_steps = match (length.by_steps, length.max_steps, self.max_steps) {
                (true, ..) => Some(length.episodes),
                (_, Some(own), Some(Count(quick))) => Some(own.min(quick)),
                (_, own, quick) => own.or(quick.map(|Count(n)| n)),
            };
        }
    }
}
