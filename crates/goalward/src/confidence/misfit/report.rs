//! What the alarm says.

use super::Alarm;
use crate::estimate::Likelihood;
use crate::numeric::Portable;
use crate::problem::{Action, Problem, State};
use serde::Serialize;

const NAMED: usize = 3;

/// Whether the data speak against every mixture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Suspicion {
    /// The e-value is below 1.
    None,
    /// It is at least 1.
    Evidence,
    /// It has reached 1/alpha: every mixture is rejected at the level alpha, whenever one looks.
    Rejected,
}

/// What the data say of the models as a whole: whether any mixture of them explains what happened.
///
/// E_t = prod q_i(s_{i+1}) / max over B of prod p_theta(s_{i+1}), with q_i any prediction made
/// before the fact. If some mixture is true, then P(E_t >= 1/alpha for some t) <= alpha. The value
/// here is a certified lower bound of E_t.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Misfit {
    /// The verdict.
    pub status: Suspicion,
    /// log E at the last look; none if it is infinite, since a step was made that no mixture
    /// allows.
    pub log_e: Option<f64>,
    /// E at the last look; none if it is too large for a number.
    pub e: Option<f64>,
    /// The largest log E of any look so far, which the verdict goes by.
    pub log_e_most: Option<f64>,
    /// The level.
    pub alpha: f64,
    /// The transitions counted at the last look.
    pub looked: u64,
    /// The step at which every mixture was rejected.
    pub step: Option<u64>,
    /// Where the models explain least, if there is evidence.
    #[serde(rename = "where")]
    pub places: Vec<Misplaced>,
    /// The same in a line, with names.
    pub text: String,
}

/// A pair whose outcomes the models do not explain.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Misplaced {
    /// Where it was.
    pub state: State,
    /// What was done.
    pub action: Action,
    /// How often.
    pub visits: u64,
    /// log of what a prediction from the pair's own counts gave to what came, over what the models'
    /// prediction gave.
    pub nats: f64,
    /// What came, and in which share of the visits.
    pub seen: Vec<(State, f64)>,
    /// The probabilities of the same by the mixture of greatest likelihood.
    pub models: Vec<(State, f64)>,
}

impl Alarm {
    /// What there is to say now. Where there is evidence, this takes a fit.
    pub fn report(&self, likelihood: &Likelihood) -> Misfit {
        let status = match (self.rejected, self.log_e >= 0.0 && self.looked > 0) {
            (Some(_), _) => Suspicion::Rejected,
            (None, true) => Suspicion::Evidence,
            (None, false) => Suspicion::None,
        };
        let number = |x: f64| (!self.impossible && x.is_finite()).then_some(x);
        let (log_e, e) = (self.log_e, self.log_e.exp_e());
        let mut misfit = Misfit {
            status,
            log_e: number(log_e),
            e: number(e),
            log_e_most: number(self.most),
            alpha: self.alpha,
            looked: self.looked,
            step: self.rejected,
            places: if status == Suspicion::None { Vec::new() } else { self.places(likelihood) },
            text: String::new(),
        };
        misfit.text = misfit.words(likelihood.problem());
        misfit
    }

    fn places(&self, likelihood: &Likelihood) -> Vec<Misplaced> {
        let best = likelihood.maximum().z;
        let mut order: Vec<usize> = (0..self.pairs.len()).collect();
        order.sort_by(|&a, &b| self.gains[b].total_cmp(&self.gains[a]));
        let worst = order.into_iter().take(NAMED).filter(|&i| self.gains[i] > 0.0);
        let place = |i: usize| {
            let (pair, visits) = (self.pairs[i] as usize, self.visits[i]);
            let problem = likelihood.problem();
            let state = problem.state_of(pair);
            let outcomes = likelihood.outcomes(pair, &best);
            Misplaced {
                state,
                action: pair - problem.pairs_of(state).start,
                visits,
                nats: self.gains[i],
                seen: outcomes.iter().map(|&(s, n, _)| (s, n as f64 / visits.max(1) as f64)).collect(),
                models: outcomes.iter().map(|&(s, _, p)| (s, p)).collect(),
            }
        };
        worst.map(place).collect()
    }
}

impl Misfit {
    fn words(&self, problem: &Problem) -> String {
        let most = self.places.first().map_or(String::new(), |place| place.words(problem));
        let e = self.log_e.map_or(String::new(), |log_e| match self.e {
            Some(e) if e < 1e4 => format!("e = {e:.1}"),
            Some(e) => format!("e = {e:.1e}"),
            None => format!("log e = {log_e:.0}"),
        });
        match (self.status, self.step, self.log_e) {
            (Suspicion::Rejected, Some(step), Some(_)) => format!("rejected at step {step} ({e}){most}"),
            (Suspicion::Rejected, step, _) => {
                format!("rejected at step {}: no mixture allows what was seen", step.unwrap_or_default())
            }
            (Suspicion::Evidence, ..) => {
                format!("evidence {e} ({:.0} would reject every mixture){most}", 1.0 / self.alpha)
            }
            (Suspicion::None, ..) => format!("no evidence (log e = {:.1})", self.log_e.unwrap_or_default()),
        }
    }
}

impl Misplaced {
    fn words(&self, problem: &Problem) -> String {
        // what speaks loudest: the share seen, times the log of how much more that is than expected
        let loud = |i: usize| {
            let (seen, model) = (self.seen[i].1, self.models[i].1.max(1e-12));
            if seen > 0.0 { seen * (seen / model).log_e() } else { 0.0 }
        };
        let Some(i) = (0..self.seen.len()).max_by(|&a, &b| loud(a).total_cmp(&loud(b))) else {
            return String::new();
        };
        format!(
            "; most at {} {}: {} went to {}, the best mixture says {}",
            problem.state_name(self.state),
            problem.action_name(self.state, self.action),
            percent(self.seen[i].1),
            problem.state_name(self.seen[i].0),
            percent(self.models[i].1)
        )
    }
}

fn percent(share: f64) -> String {
    let share = 100.0 * share.clamp(0.0, 1.0);
    if share > 0.0 && share < 1.0 { format!("{share:.1} %") } else { format!("{share:.0} %") }
}
