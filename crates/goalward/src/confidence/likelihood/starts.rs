//! From when evidence is counted: from the first step, and anew from later ones.
//!
//! With q_i fixed before s_{i+1} is seen, every product of q_i/p_theta*(s_{i+1}|s_i,a_i) from some
//! step on is a supermartingale that starts at 1, and so is
//!
//! M_t(theta) = sum_n w_n prod over i > t_n of q_i/p_theta,i, with t_0 = 0, sum w_n = 1,
//!
//! where products that have not begun count w_n or, smaller and so valid too, nothing. By Ville's
//! inequality {M_t <= 1/delta} has theta* at all times with probability 1 - delta. A later start
//! forgets what early predictions lost, and the data of that time with it. In terms of losses,
//!
//! F(theta) = log sum_n exp(f_n(theta) - r_n) <= 0,
//!
//! f_n the loss of what came after step t_n and r_n = R_n + log(1/(delta w_n)), R_n the prediction's
//! loss since then. F is convex.

use super::likelihood_threshold;
use crate::estimate::Likelihood;
use crate::numeric::Portable;
use crate::numeric::stored::{Flaw, ensure};
use serde::{Deserialize, Serialize};

/// The weight of all data, w_0. The n-th later start has (1 - w_0)/(n(n + 1)).
const ALL: f64 = 0.5;
/// The n-th later start is at step 8^n.
const APART: u64 = 8;

/// A later start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Mark {
    /// The transitions counted until then.
    total: u64,
    /// What the prediction had lost.
    prediction_loss: f64,
    /// The triples' counts.
    counts: Vec<u64>,
}

/// The first step, and later ones.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Starts {
    /// None where evidence is counted from the first step alone.
    marks: Option<Vec<Mark>>,
}

impl Starts {
    pub(super) fn again() -> Starts {
        Starts { marks: Some(Vec::new()) }
    }

    /// Counts evidence anew from here on, if it is time.
    pub(super) fn follow(&mut self, likelihood: &Likelihood) {
        let Some(marks) = &mut self.marks else { return };
        let (total, n) = (likelihood.total(), marks.len() as u32 + 1);
        if APART.checked_pow(n) == Some(total) {
            let counts = likelihood.seen_counts().to_vec();
            marks.push(Mark { total, prediction_loss: likelihood.prediction_loss(), counts });
        }
    }

    fn marks(&self) -> &[Mark] {
        self.marks.as_deref().unwrap_or_default()
    }

    /// How many there are, the first step among them.
    pub(super) fn len(&self) -> usize {
        1 + self.marks().len()
    }

    /// w_0: 1 where evidence is counted from the first step alone.
    pub(super) fn weight_of_all(&self) -> f64 {
        if self.marks.is_some() { ALL } else { 1.0 }
    }

    /// r_n, of the first step first. `loss` is f of some theta in B, the less the better.
    pub(super) fn thresholds(&self, likelihood: &Likelihood, loss: f64, delta: f64) -> Vec<f64> {
        let all = likelihood_threshold(likelihood, loss, delta);
        let Some(marks) = &self.marks else { return vec![all] };
        let later = marks.iter().zip(1u32..).map(|(mark, n)| {
            let weight = (1.0 - ALL) / f64::from(n * (n + 1));
            likelihood.prediction_loss() - mark.prediction_loss - (delta * weight).log_e()
        });
        std::iter::once(all - ALL.log_e()).chain(later).collect()
    }

    /// How many of all `total` transitions each of them counts.
    pub(super) fn lengths(&self, total: u64) -> Vec<f64> {
        let later = self.marks().iter().map(|mark| (total - mark.total) as f64);
        std::iter::once(total as f64).chain(later).collect()
    }

    /// How often a triple, counted n times in all, was seen since each of the starts.
    pub(super) fn since(&self, triple: usize, n: f64) -> impl Iterator<Item = f64> + '_ {
        let later =
            self.marks().iter().map(move |mark| n - mark.counts.get(triple).map_or(0.0, |&n| n as f64));
        std::iter::once(n).chain(later)
    }

    /// f_n(theta) of every start.
    pub(super) fn losses(&self, likelihood: &Likelihood, theta: &[f64]) -> Vec<f64> {
        let mut losses = vec![0.0; self.len()];
        likelihood.each_probability(theta, |triple, n, p| {
            let log = if p > 0.0 { p.log_e() } else { f64::NEG_INFINITY };
            losses
                .iter_mut()
                .zip(self.since(triple, n))
                .filter(|(_, n)| *n > 0.0)
                .for_each(|(f, n)| *f -= n * log);
        });
        losses
    }

    /// F(theta), for thresholds that [`thresholds`](Self::thresholds) gave.
    pub(super) fn excess(&self, likelihood: &Likelihood, theta: &[f64], thresholds: &[f64]) -> f64 {
        let losses = self.losses(likelihood, theta);
        log_sum(losses.iter().zip(thresholds).map(|(f, r)| f - r)).0
    }

    pub(super) fn check(&self, own: &Starts, likelihood: &Likelihood) -> Result<(), Flaw> {
        ensure(self.marks.is_some() == own.marks.is_some(), "marks", || {
            "the run has another setting".into()
        })?;
        let triples = likelihood.triples();
        let fit = self.marks().iter().all(|mark| mark.counts.len() <= triples);
        ensure(fit, "marks", || format!("one has counts of more than {triples} triples"))
    }

    /// What is kept per triple, in bytes, with what is reserved.
    pub(super) fn bytes(&self) -> usize {
        8 * self.marks().iter().map(|mark| mark.counts.capacity()).sum::<usize>()
    }
}

/// log sum exp of some numbers, and the share of each.
pub(super) fn log_sum(parts: impl Iterator<Item = f64>) -> (f64, Vec<f64>) {
    let parts: Vec<f64> = parts.collect();
    let most = parts.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if !most.is_finite() {
        return (most, vec![1.0 / parts.len() as f64; parts.len()]);
    }
    let sum: f64 = parts.iter().map(|x| (x - most).exp_e()).sum();
    (most + sum.log_e(), parts.iter().map(|x| (x - most).exp_e() / sum).collect())
}
