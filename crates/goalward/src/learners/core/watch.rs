//! Watches whether the models explain what a learner meets, and what to do if they do not.

use crate::confidence::{Alarm, Assumption, Condition, Misfit, Status};
use crate::estimate::{Counts, Likelihood, Seen};
use crate::numeric::stored::{Flaw, Within, ensure};
use crate::problem::seen::require_clear;
use crate::problem::{Pair, Problem, State};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The default level at which mixtures are rejected.
const LEVEL: f64 = 0.01;

/// What a learner does when the data reject every mixture of its models.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnMisfit {
    /// It goes on, and says so.
    #[default]
    Warn,
    /// It chooses no further action, and a run ends.
    Stop,
    /// It goes on with a learner that ignores the models, and begins anew.
    Tabular,
}

impl OnMisfit {
    /// All of them.
    pub const ALL: [OnMisfit; 3] = [OnMisfit::Warn, OnMisfit::Stop, OnMisfit::Tabular];

    /// As users write it.
    pub fn word(self) -> &'static str {
        match self {
            OnMisfit::Warn => "warn",
            OnMisfit::Stop => "stop",
            OnMisfit::Tabular => "tabular",
        }
    }
}

impl std::str::FromStr for OnMisfit {
    type Err = Error;

    fn from_str(text: &str) -> Result<OnMisfit> {
        OnMisfit::ALL.into_iter().find(|on| on.word() == text).ok_or_else(|| Error::Field {
            field: "on_misfit".into(),
            fault: format!("there is no {text:?}: it is warn, stop or tabular"),
        })
    }
}

/// How sure a learner wants to be that its models are wrong, and what it does then.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vigilance {
    /// The probability alpha with which a mixture that is true may be rejected.
    pub level: f64,
    /// What to do if every mixture is rejected.
    pub on_misfit: OnMisfit,
}

impl Default for Vigilance {
    fn default() -> Vigilance {
        Vigilance { level: LEVEL, on_misfit: OnMisfit::Warn }
    }
}

impl Vigilance {
    /// An error if the level is no probability.
    pub(in crate::learners) fn check(&self) -> Result<()> {
        match self.level > 0.0 && self.level < 1.0 {
            true => Ok(()),
            false => Err(Error::Field {
                field: "misfit_level".into(),
                fault: format!("{} is not between 0 and 1", self.level),
            }),
        }
    }
}

/// The alarm, with a likelihood of its own where the algorithm keeps none.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    alarm: Alarm,
    own: Option<Likelihood>,
}

/// The state of a [`Watch`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Watched {
    evidence: Alarm,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    own: Option<Counts>,
}

impl Watch {
    /// None where features are so faint that no likelihood can be computed with.
    pub(super) fn new(problem: &Arc<Problem>, kept: Option<&Likelihood>, alpha: f64) -> Option<Watch> {
        let own = match kept {
            Some(_) => None,
            None => Some(require_clear(problem).ok().map(|()| Likelihood::light(problem))?),
        };
        Some(Watch { alarm: Alarm::new(problem, alpha), own })
    }

    /// The same at another level, before the first step.
    pub(super) fn at_level(self, alpha: f64) -> Watch {
        Watch { alarm: self.alarm.at_level(alpha), ..self }
    }

    /// Adds the t-th step, which the algorithm has observed; whether that rejects every mixture for
    /// the first time. `seen` is none where the problem lists no such step.
    pub(super) fn follow(
        &mut self,
        kept: Option<&Likelihood>,
        (pair, next): (Pair, State),
        seen: Option<Seen>,
        t: u64,
    ) -> bool {
        let before = self.alarm.rejected();
        let seen = match (&mut self.own, seen) {
            (Some(own), Some(_)) => Some(own.observe(pair, next)),
            (_, seen) => seen,
        };
        match (seen, self.own.as_ref().or(kept)) {
            (Some(Seen::Counted), Some(likelihood)) => self.alarm.follow(likelihood, t),
            (Some(Seen::Counted), None) => {}
            _ => self.alarm.impossible(t),
        }
        before.is_none() && self.alarm.rejected().is_some()
    }

    pub(super) fn rejected(&self) -> Option<u64> {
        self.alarm.rejected()
    }

    pub(super) fn report(&self, kept: Option<&Likelihood>) -> Option<Misfit> {
        self.own.as_ref().or(kept).map(|likelihood| self.alarm.report(likelihood))
    }

    /// What every proof about mixtures assumes, and data can refute.
    pub(super) fn assumption(&self) -> Assumption {
        let (value, bound) = (self.alarm.most(), self.alarm.threshold());
        let status = if self.alarm.rejected().is_some() { Status::NotMet } else { Status::Met };
        let condition = "the data do not reject every mixture of the models".into();
        Assumption::Settled(Condition { condition, value, bound: Some(bound), status })
    }

    pub(super) fn kept(&self) -> Watched {
        Watched { evidence: self.alarm.clone(), own: self.own.as_ref().map(Likelihood::counts) }
    }

    /// The watch with a stored state; the flaw of one that does not belong there.
    pub(super) fn restored(&self, stored: Watched) -> Result<Watch, Flaw> {
        let Watched { evidence, own } = stored;
        ensure(own.is_some() == self.own.is_some(), "own", || "the learner is another one".into())?;
        let own = match (&self.own, own) {
            (Some(fresh), Some(counts)) => Some(fresh.restored(counts).within("own")?),
            _ => None,
        };
        Ok(Watch { alarm: self.alarm.restored(evidence).within("evidence")?, own })
    }
}
