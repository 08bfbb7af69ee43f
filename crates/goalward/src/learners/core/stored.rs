//! The state of a learner: serialised, and restored.

use super::algorithm::Snapshot;
use super::certificate::Certificate;
use super::clock::{Clock, Reason};
use super::learner::{FALLBACK, Learner};
use super::obeyed::Obeyed;
use super::surprises::Surprises;
use super::watch::{Watch, Watched};
use crate::Result;
use crate::numeric::stored::{Flaw, Within};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Memory {
    clock: Clock,
    surprises: Surprises,
    #[serde(default, skip_serializing_if = "Obeyed::is_fresh")]
    obeyed: Obeyed,
    /// None also in a state of a version without certificates: then nothing is certified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    certificate: Option<Certificate>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    owed: Option<Reason>,
    algorithm: Snapshot,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    watch: Option<Watched>,
    /// Of the learner that has taken over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stand_in: Option<Snapshot>,
}

impl Learner {
    /// Its state.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot::of(&Memory {
            clock: self.own,
            surprises: self.surprises.clone(),
            obeyed: self.obeyed,
            certificate: self.certificate.clone(),
            owed: self.owed,
            algorithm: self.algorithm.snapshot(),
            watch: self.watch.as_ref().map(Watch::kept),
            stand_in: self.stand_in.active().map(Learner::snapshot),
        })
    }

    /// Restores a state that a learner of the same problem and settings serialised. A state of
    /// another shape is refused with the place of its flaw, and changes nothing.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<()> {
        let mut stored: Memory = snapshot.to()?;
        let watch = self.watch_of(&mut stored).within("learner")?;
        let rejected = watch.as_ref().and_then(Watch::rejected);
        if stored.stand_in.is_some() && rejected != Some(stored.clock.t) {
            return Err(Flaw::new("learner.stand_in", "no other learner has taken over then").into());
        }
        self.remember_rested();
        let before = self.stand_in.any().map(|learner| learner.snapshot());
        let then = stored.stand_in.clone().or_else(|| self.rested.clone());
        match (self.stand_in.any(), then) {
            (Some(learner), Some(then)) => learner.restore(&then)?,
            (None, None) => {}
            _ => return Err(Flaw::new("learner.stand_in", "there is no learner to take over").into()),
        }
        let restored = self.restore_own(stored, watch);
        if let (Err(_), Some(before), Some(learner)) = (&restored, before, self.stand_in.any()) {
            // its own snapshot, taken above
            let _ = learner.restore(&before);
        }
        restored
    }

    /// All but the learner that stands in, which has been restored.
    fn restore_own(&mut self, stored: Memory, watch: Option<Watch>) -> Result<()> {
        let Memory { clock, surprises, obeyed, certificate, owed, algorithm, stand_in, .. } = stored;
        obeyed.check(&self.problem).within("obeyed").within("learner")?;
        let certificate = certificate.filter(|_| self.certificate.is_some());
        let checked = certificate.as_ref().map_or(Ok(()), |kept| kept.check(&self.problem));
        checked.within("certificate").within("learner")?;
        self.algorithm.restore(&algorithm, &clock)?;
        (self.certificate, self.obeyed) = (certificate, obeyed);
        (self.own, self.surprises, self.owed, self.watch) = (clock, surprises, owed, watch);
        self.in_force.remove(FALLBACK);
        self.stand_in.set_active(false);
        if stand_in.is_some() {
            self.hand_over();
        }
        self.count();
        Ok(())
    }

    fn watch_of(&self, stored: &mut Memory) -> Result<Option<Watch>, Flaw> {
        match (&self.watch, stored.watch.take()) {
            (None, None) => Ok(None),
            (Some(fresh), Some(watched)) => fresh.restored(watched).within("watch").map(Some),
            (None, Some(_)) => Err(Flaw::new("watch", "this learner does not watch its models")),
            (Some(_), None) => Err(Flaw::new("watch", "it is missing")),
        }
    }
}
