//! The registry: all learners by their ids.

use super::core::{Learner, OnMisfit, Told, Vigilance};
use super::entry::LearnerEntry;
use super::shared::B;
use super::{baselines, linear_mdp, linear_mixture, reductions, tabular};
use crate::parameters::Settings;
use crate::{Error, Result};
use std::sync::{PoisonError, RwLock};

/// All built-in learners, family by family.
pub const LEARNERS: &[LearnerEntry] = &joined(FAMILIES);

const FAMILIES: [&[LearnerEntry]; 5] =
    [linear_mixture::ENTRIES, tabular::ENTRIES, linear_mdp::ENTRIES, reductions::ENTRIES, baselines::ENTRIES];

const COUNT: usize = {
    let (mut count, mut family) = (0, 0);
    while family < FAMILIES.len() {
        count += FAMILIES[family].len();
        family += 1;
    }
    count
};

const fn joined(families: [&[LearnerEntry]; 5]) -> [LearnerEntry; COUNT] {
    let mut all = [families[0][0]; COUNT];
    let (mut next, mut family) = (0, 0);
    while family < families.len() {
        let mut i = 0;
        while i < families[family].len() {
            all[next] = families[family][i];
            next += 1;
            i += 1;
        }
        family += 1;
    }
    all
}

/// Learners that the program's user has added.
static REGISTERED: RwLock<Vec<LearnerEntry>> = RwLock::new(Vec::new());

/// Adds a learner of the caller's own: from now on every command and study knows its id.
///
/// An id that is taken is refused, and so is an entry with a [flaw](LearnerEntry::flaw).
pub fn register(entry: LearnerEntry) -> Result<()> {
    if let Some(fault) = entry.flaw() {
        return Err(Error::Field { field: format!("learner {:?}", entry.id), fault });
    }
    let mut registered = REGISTERED.write().unwrap_or_else(PoisonError::into_inner);
    if LEARNERS.iter().chain(registered.iter()).any(|known| known.id == entry.id) {
        let fault = "a learner of this id is registered already".into();
        return Err(Error::Field { field: entry.id.into(), fault });
    }
    registered.push(entry);
    Ok(())
}

/// All learners: those built in, then those [registered](register).
pub fn all() -> Vec<LearnerEntry> {
    let registered = REGISTERED.read().unwrap_or_else(PoisonError::into_inner);
    LEARNERS.iter().chain(registered.iter()).copied().collect()
}

/// The entry of a learner.
pub fn entry(id: &str) -> Result<LearnerEntry> {
    let all = all();
    let known = || all.iter().map(|l| l.id.to_string()).collect();
    let entry = all.iter().find(|l| l.id == id).copied();
    entry.ok_or_else(|| Error::UnknownId { kind: "learner", id: id.into(), known: known() })
}

/// The learner that goalward recommends with these settings. `guarded` needs to know nothing, and pays
/// least of all with a regret theorem; with a bound on B*, `levis++lr` has the paper's guarantee.
pub fn recommended(settings: &Settings) -> LearnerEntry {
    match settings.get(B.name()) {
        Some(_) => linear_mixture::levis_plus_plus_lr::ENTRY,
        None => linear_mixture::guarded::ENTRY,
    }
}

/// The learner that goalward goes on with when the data reject every mixture of the models, and the
/// settings that it has then: it ignores the models, and needs to know nothing.
pub fn fallback() -> Result<(LearnerEntry, Settings)> {
    let found = LEARNERS.iter().find_map(|entry| entry.fallback.map(|settings| (*entry, settings)));
    let (entry, settings) = found.ok_or_else(|| Error::Field {
        field: "on_misfit".into(),
        fault: "there is no learner that ignores the models".into(),
    })?;
    Ok((entry, settings.split('@').filter_map(|one| one.split_once('=')).fold(Settings::new(), set)))
}

fn set(settings: Settings, (key, value): (&str, &str)) -> Settings {
    settings.set(key, value)
}

/// A learner that has seen nothing, as vigilant as asked. One that does not rely on the models has
/// nothing to watch, and stays as it is.
pub fn vigilant(learner: Learner, vigilance: &Vigilance, seed: u64, episodes: u64) -> Result<Learner> {
    vigilance.check()?;
    if !learner.is_watched() {
        return Ok(learner);
    }
    let then = match vigilance.on_misfit {
        OnMisfit::Warn | OnMisfit::Stop => None,
        OnMisfit::Tabular => {
            let (entry, settings) = fallback()?;
            Some(entry.build(learner.problem(), &settings, seed, episodes, Told::default())?)
        }
    };
    Ok(learner.vigilant(vigilance, then))
}
