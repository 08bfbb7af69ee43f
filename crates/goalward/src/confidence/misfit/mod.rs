//! The alarm: whether any mixture of the models explains what happens.
//!
//! E_t = prod q_i(s_{i+1}) / max over theta in B of prod p_theta(s_{i+1}|s_i,a_i), with q_i a
//! prediction made before s_{i+1} was seen. For every theta in B, prod q_i/p_theta is a
//! supermartingale from 1 if theta is true, and E_t is at most that. So by Ville's inequality E_t
//! reaches 1/alpha at some time with probability at most alpha, if some mixture is true: an e-value
//! that may be looked at after every step.
//!
//! **The numerator** bets on departures from the models, pair by pair. Let plug_p be what the
//! models' own prediction q gave to all that came after the pair p. Let own_p be what the pair's own
//! counts n gave to it, together with the models: (n(s') + c q(s'))/(n + c), a Dirichlet predictor
//! that begins with the models and leaves them after c visits or so. For every share pi, prod over p
//! of (1 - pi) plug_p + pi own_p is a mixture of predictions, and so is the mean over some shares. A
//! pair that the models describe well costs -log(1 - pi), little for a small pi. A pair that they do
//! not describe gains all but log(1/pi) of what there is to gain.
//!
//! A hundredth of the weight is left to a prediction by which every state may come next. It is
//! never worked out, since a part that is left out only makes E smaller. But it gives a positive
//! probability to a step that no mixture allows, and so E is infinite there.
//!
//! **The denominator** is bounded from above, by a [certificate](floor) and never by a fit that may
//! not have converged.
//!
//! A step takes one logarithm. A look takes a pass over the triples seen and over the pairs
//! visited, and comes each time that the data have grown by a tenth.

mod floor;
mod report;
#[cfg(test)]
mod tests;

pub use report::{Misfit, Misplaced, Suspicion};

use crate::estimate::{Likelihood, Scored};
use crate::numeric::Portable;
use crate::numeric::stored::{Flaw, ensure};
use crate::problem::Problem;
use floor::least_loss;
use serde::{Deserialize, Serialize};

/// The shares pi that the numerator bets, beside none; all have the same weight.
const SHARES: [f64; 4] = [0.5, 0.125, 1.0 / 64.0, 1.0 / 1024.0];
/// c: the models' prediction counts as much as c visits of a pair. Too few make every bet
/// dear, too many make it late; anything from 4 to 32 finds what is wrong about as soon.
const VISITS: f64 = 8.0;
/// The weight of all that is worked out; see the module.
const WEIGHT: f64 = 0.99;
/// A look comes when the data have grown by this part.
const PART: u64 = 10;
/// An interval for log E that is narrower than this is good enough.
const NARROW: f64 = 0.01;
/// What rounding may add to the logarithm of a prediction's sum.
const ROUNDING: f64 = 1e-11;
/// Less evidence than this is all the same.
const LARGE: f64 = 1e12;
const NONE: u32 = u32::MAX;

/// Watches a [`Likelihood`] for what no mixture explains.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Alarm {
    /// The place of each pair of the problem among those visited.
    #[serde(skip)]
    places: Vec<u32>,
    alpha: f64,
    /// The pairs visited, in the order of their first visits.
    pairs: Vec<u32>,
    visits: Vec<u64>,
    /// log(own_p / plug_p).
    gains: Vec<f64>,
    /// The transitions counted at the last look, and log E then.
    looked: u64,
    log_e: f64,
    /// The largest log E so far.
    most: f64,
    /// The step at which every mixture was rejected.
    rejected: Option<u64>,
    /// A step was made that no mixture allows: E is infinite.
    impossible: bool,
}

impl Alarm {
    /// Nothing seen; a mixture that is true is rejected with probability alpha at most.
    pub fn new(problem: &Problem, alpha: f64) -> Alarm {
        Alarm {
            places: vec![NONE; problem.pairs()],
            alpha,
            pairs: Vec::new(),
            visits: Vec::new(),
            gains: Vec::new(),
            looked: 0,
            log_e: 0.0,
            most: 0.0,
            rejected: None,
            impossible: false,
        }
    }

    /// The same at another level, before the first step.
    pub(crate) fn at_level(self, alpha: f64) -> Alarm {
        Alarm { alpha, ..self }
    }

    /// The level.
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    /// The step at which every mixture was rejected.
    pub fn rejected(&self) -> Option<u64> {
        self.rejected
    }

    /// log E from which on every mixture is rejected.
    pub fn threshold(&self) -> f64 {
        -self.alpha.log_e()
    }

    /// The largest log E so far; none if it is infinite.
    pub fn most(&self) -> Option<f64> {
        (!self.impossible).then_some(self.most)
    }

    /// Follows the likelihood, which has just counted a transition, the t-th step of all.
    pub fn follow(&mut self, likelihood: &Likelihood, t: u64) {
        let Some(scored) = likelihood.last() else { return };
        self.bet(scored);
        let (total, looked) = (likelihood.total(), self.looked);
        if (total - looked.min(total)) * PART >= looked.max(1) {
            self.look(likelihood, t);
        }
    }

    /// No mixture allows the t-th step: that alone rejects all of them.
    pub fn impossible(&mut self, t: u64) {
        self.impossible = true;
        self.rejected.get_or_insert(t);
    }

    fn bet(&mut self, scored: Scored) {
        let place = &mut self.places[scored.pair];
        if *place == NONE {
            *place = self.pairs.len() as u32;
            self.pairs.push(scored.pair as u32);
            self.visits.push(0);
            self.gains.push(0.0);
        }
        let i = *place as usize;
        let (before, visits) = (scored.before as f64, self.visits[i] as f64);
        self.gains[i] += ((before + VISITS * scored.q) / (visits + VISITS)).log_e() - scored.log_q;
        self.visits[i] += 1;
    }

    /// log prod q_i(s_{i+1}).
    fn numerator(&self, likelihood: &Likelihood) -> f64 {
        let of = |share: f64| self.gains.iter().map(|&gain| mixed(share, gain)).sum::<f64>();
        let logs = [0.0].into_iter().chain(SHARES.map(of));
        let most = logs.clone().fold(f64::NEG_INFINITY, f64::max);
        let mean = logs.map(|log| (log - most).exp_e()).sum::<f64>() * WEIGHT / (1 + SHARES.len()) as f64;
        let rounding = ROUNDING * (1.0 + likelihood.total() as f64);
        most + mean.log_e() - likelihood.prediction_loss() - rounding
    }

    /// Computes log E, and draws the conclusion.
    ///
    /// The loss at the fit is above the least loss of all, its certificate below. Where there could
    /// be evidence, the fit is made anew and to the end, so that no verdict hangs on the difference.
    pub fn look(&mut self, likelihood: &Likelihood, t: u64) {
        let bet = self.numerator(likelihood);
        let fitted = likelihood.fitted();
        let high = bet + likelihood.loss_at(fitted);
        let mut low = bet + least_loss(likelihood, fitted);
        if high >= 0.0 && high - low > NARROW && self.rejected.is_none() {
            low = low.max(bet + least_loss(likelihood, &likelihood.maximum().z));
        }
        // a certificate that says nothing leaves what was known: E is at least 0
        self.log_e = low.max(-LARGE);
        self.looked = likelihood.total();
        self.most = self.most.max(self.log_e);
        if low >= self.threshold() {
            self.rejected.get_or_insert(t);
        }
    }

    /// The alarm with a stored state: its lists are of one length, and its pairs exist.
    pub(crate) fn restored(&self, stored: Alarm) -> Result<Alarm, Flaw> {
        let lengths = [stored.visits.len(), stored.gains.len()];
        let count = stored.pairs.len();
        ensure(lengths == [count; 2], "visits", || format!("{lengths:?} numbers for {count} pairs"))?;
        let mut places = vec![NONE; self.places.len()];
        for (i, &pair) in stored.pairs.iter().enumerate() {
            let place = places.get_mut(pair as usize);
            *place.ok_or_else(|| Flaw::new("pairs", format!("there is no pair {pair}")))? = i as u32;
        }
        Ok(Alarm { places, alpha: self.alpha, ..stored })
    }
}

/// log((1 - share) + share e^gain).
fn mixed(share: f64, gain: f64) -> f64 {
    match gain > 0.0 {
        true => gain + (share + (1.0 - share) * (-gain).exp_e()).log_e(),
        false => (share * gain.exp_m1_e()).log_1p(),
    }
}
