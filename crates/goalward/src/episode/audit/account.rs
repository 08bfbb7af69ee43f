//! The decomposition of the regret: Lemma "Regret Decomposition" of the LEVIS++ paper, Appendix C.
//!
//! With V the value function in force at a step, and V_0 = 0 before the first plan,
//!
//! * I1 = sum of c + P V(s,a) - V(s), the Bellman errors;
//! * I2 = sum of V(s') - P V(s,a), a martingale;
//! * I3 = sum of V(s) - V(s'), less V(s_init) for every episode, plus 1.
//!
//! All sums are over the steps of finished episodes. Then I1 + I2 + I3 - 1 = R_hat, the cost less
//! what was promised, for every V. The 1 is the paper's, whose V_0 is 1 off the goal. And
//! R = R_hat - sum over the episodes of (V* - V)(s_init). In f64 both hold up to the rounding of what
//! is added up, which values far above the cost may dominate.

use super::super::{Arena, Step};
use super::inequality::Inequality;
use crate::problem::Truth;
use serde::Serialize;

/// I1, I2 and I3 + the promises, of some steps.
#[derive(Clone, Copy, Debug, Default)]
struct StepSums {
    bellman: f64,
    noise: f64,
    drift: f64,
    promised: f64,
    cost: f64,
    /// The sizes of all numbers that were added up.
    sizes: f64,
}

impl StepSums {
    fn add(&mut self, more: &StepSums) {
        self.bellman += more.bellman;
        self.noise += more.noise;
        self.drift += more.drift;
        self.promised += more.promised;
        self.cost += more.cost;
        self.sizes += more.sizes;
    }

    /// The size of a partial sum, and so of its rounding.
    fn size(&self) -> f64 {
        [self.bellman, self.noise, self.drift, self.promised, self.cost].map(f64::abs).iter().sum()
    }
}

/// The decomposition over finished episodes, in the user's units.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Decomposition {
    /// The sum of the Bellman errors.
    pub i1: f64,
    /// The sum of the martingale differences.
    pub i2: f64,
    /// What changes of plan and promises leave, and 1.
    pub i3: f64,
    /// The cost less what was promised, as the learner keeps it.
    pub r_hat: f64,
    /// How far I1 + I2 + I3 - 1 is from R_hat.
    pub off: f64,
    /// The sum over the episodes of (V* - V)(s_init): how optimistic plans were where they began.
    pub optimism: f64,
    /// How far R_hat less that is from the regret.
    pub regret_off: f64,
    /// What rounding may make of both distances.
    pub rounding: f64,
}

pub(super) struct Ledger<'a> {
    arena: &'a Arena,
    truth: &'a Truth,
    /// V in force: V_0 = 0, then V_j.
    pub(super) v: Vec<f64>,
    finished: StepSums,
    open: StepSums,
    /// V(s_init) when each finished episode began, taken from V*(s_init).
    optimism: f64,
    begun: bool,
    /// R_hat as the learner keeps it.
    r_hat: Option<f64>,
    pub(super) certificate: Inequality,
    pub(super) optimistic: Inequality,
}

impl<'a> Ledger<'a> {
    pub(super) fn new(arena: &'a Arena, truth: &'a Truth) -> Ledger<'a> {
        Ledger {
            arena,
            truth,
            v: vec![0.0; arena.problem().states()],
            finished: StepSums::default(),
            open: StepSums::default(),
            optimism: 0.0,
            begun: false,
            r_hat: None,
            certificate: Inequality::default(),
            optimistic: Inequality::default(),
        }
    }

    /// P V(s,a).
    pub(super) fn mean(&self, pair: usize) -> f64 {
        let problem = self.arena.problem();
        let row = self.truth.row(problem, pair);
        problem.successors(pair).iter().zip(row).map(|(&s, p)| p * self.v[s as usize]).sum()
    }

    pub(super) fn step(&mut self, step: &Step, pair: usize) {
        let start = self.arena.problem().start();
        if !self.begun {
            (self.begun, self.open.promised) = (true, self.v[start]);
        }
        let (mean, here, next) = (self.mean(pair), self.v[step.state], self.v[step.next]);
        self.open.bellman += step.cost + mean - here;
        self.open.noise += next - mean;
        self.open.drift += here - next;
        self.open.cost += step.cost;
        self.r_hat = step.learner.paid_less_promised();
        let added = step.cost + mean.abs() + here.abs() + next.abs();
        self.open.sizes += added + self.open.size() + self.r_hat.unwrap_or(0.0).abs();
    }

    /// Whether no value exceeds V* by more than T* times what costs were raised by.
    pub(super) fn plan(&mut self, t: u64, v: &[f64], raised: f64) {
        let exact = self.arena.exact();
        let slack = raised * exact.t_star;
        // the state that is nearest to its bound, or furthest beyond; the goal is free for all
        let goal = self.arena.problem().goal();
        let worst = (0..v.len())
            .filter(|&s| s != goal)
            .map(|s| (v[s], exact.upper[s] + slack))
            .min_by(|a, b| (a.1 - a.0).total_cmp(&(b.1 - b.0)));
        if let Some((value, bound)) = worst {
            let unit = self.arena.problem().largest_cost();
            self.optimistic.see_in(unit, t, value, bound);
        }
        self.v.copy_from_slice(v);
    }

    /// An episode has ended; `regret` is R_k.
    pub(super) fn episode(&mut self, t: u64, regret: f64) {
        let open = std::mem::take(&mut self.open);
        if std::mem::take(&mut self.begun) {
            self.finished.add(&open);
            let optimal = self.arena.optimal_cost();
            self.optimism += optimal - open.promised;
            self.finished.sizes += self.finished.size() + optimal + self.optimism.abs();
        }
        self.certificate.see_in(self.finished.cost, t, regret, self.certified());
    }

    /// R_hat, as the learner keeps it or, where it keeps none, as it is here.
    pub(super) fn certified(&self) -> f64 {
        self.r_hat.unwrap_or(self.finished.cost - self.finished.promised)
    }

    pub(super) fn paid(&self) -> f64 {
        self.finished.cost
    }

    pub(super) fn decomposition(&self, regret: f64) -> Decomposition {
        let StepSums { bellman, noise, drift, promised, cost, sizes } = self.finished;
        let r_hat = self.certified();
        Decomposition {
            i1: bellman,
            i2: noise,
            i3: drift - promised + 1.0,
            r_hat,
            // without the paper's 1, beside which tiny costs are nothing
            off: bellman + noise + (drift - promised) - r_hat,
            optimism: self.optimism,
            regret_off: r_hat - self.optimism - regret,
            rounding: 4.0 * f64::EPSILON * (sizes + cost + regret.abs()),
        }
    }
}
