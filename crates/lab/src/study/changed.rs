//! A study file that was changed after its runs: the runs that still belong to it, and the changes.

use super::{LearnerPoint, Length, Study, WorldPoint};
use std::fmt;
use std::path::Path;

impl WorldPoint {
    /// Whether world, parameters and lengths are the same. A problem file may have been moved.
    fn same_runs(&self, other: &WorldPoint) -> bool {
        self.same_world(other) && self.length == other.length
    }

    fn same_world(&self, other: &WorldPoint) -> bool {
        let (here, there) = (Path::new(&self.place.world), Path::new(&other.place.world));
        (here == there || moved(here, there)) && self.place.params == other.place.params
    }
}

/// Whether one file may be the other under another path.
fn moved(here: &Path, there: &Path) -> bool {
    let named = here.is_absolute() && there.is_absolute() && here.file_name() == there.file_name();
    named && std::fs::read(here).ok().zip(std::fs::read(there).ok()).is_none_or(|(here, there)| here == there)
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.max_steps {
            Some(steps) if self.by_steps => write!(f, "{steps} steps"),
            Some(steps) => write!(f, "{} episodes and at most {steps} steps", self.episodes),
            None => write!(f, "{} episodes", self.episodes),
        }
    }
}

impl LearnerPoint {
    /// Whether learner and settings are the same.
    fn same_runs(&self, other: &LearnerPoint) -> bool {
        let (this, that) = (&self.contender, &other.contender);
        this.learner == that.learner && this.settings == that.settings
    }
}

impl Study {
    /// The positions of the worlds and the learners of this file in the one that was run.
    pub(crate) fn ran(&self, old: &Study) -> [Vec<Option<usize>>; 2] {
        let world = |new: &WorldPoint| old.worlds.iter().position(|was| was.same_runs(new));
        let learner = |new: &LearnerPoint| old.learners.iter().position(|was| was.same_runs(new));
        [self.worlds.iter().map(world).collect(), self.learners.iter().map(learner).collect()]
    }

    /// The differences to the file that was run, in sentences.
    pub(crate) fn changes_since(&self, old: &Study) -> Vec<String> {
        let (now, then) = (self.ran(old), old.ran(self));
        let labels = |study: &Study, other: &Study| -> [Vec<String>; 2] {
            let world = |world: &WorldPoint| match other.worlds.iter().any(|w| w.same_world(world)) {
                true => format!("{} with {}", world.label, world.length),
                false => world.label.clone(),
            };
            let worlds = study.worlds.iter().map(world).collect();
            [worlds, study.learners.iter().map(|learner| learner.contender.label.clone()).collect()]
        };
        let (now_labels, then_labels) = (labels(self, old), labels(old, self));
        let mut changes = Vec::new();
        for (i, kind) in ["world", "learner"].into_iter().enumerate() {
            let new = lacking(&now[i], &now_labels[i], kind);
            let gone = lacking(&then[i], &then_labels[i], kind);
            changes.extend(new.map(|names| format!("no run has its {names}")));
            changes.extend(gone.map(|names| format!("it no longer has the {names}")));
        }
        if self.record != old.record {
            changes.push("runs recorded what it asked for then".into());
        }
        let sentence = |change| format!("the file was changed after the runs: {change}");
        let mut changes: Vec<String> = changes.into_iter().map(sentence).collect();
        if self.seeds != old.seeds {
            changes.push(format!(
                "the file asks for other seeds than the {} that were run: it was changed, or --seeds was given",
                old.seeds.len()
            ));
        }
        changes
    }
}

/// The names of points that have no partner.
fn lacking(partners: &[Option<usize>], labels: &[String], kind: &str) -> Option<String> {
    let alone = partners.iter().zip(labels).filter(|(partner, _)| partner.is_none());
    let names: Vec<&str> = alone.map(|(_, label)| label.as_str()).collect();
    let plural = if names.len() == 1 { "" } else { "s" };
    (!names.is_empty()).then(|| format!("{kind}{plural} {}", names.join(", ")))
}
