//! UCRL-VTR-SSP (Chen, Jain, Luo 2022): value-targeted regression on the finite-horizon reduction.
//!
//! # What it does
//!
//! Cuts time into intervals of H = ceil(4 T* ln(4K)) steps with a terminal cost of 2 B off the
//! goal. Keeps two ridge regressions of theta: one on V_{h+1}, each step weighted by a bound on the
//! variance of V_{h+1}(s'), and one on V_{h+1}^2, which that bound is made of. Every interval
//! begins with a backward induction on the first, less a bonus, and both stay frozen while it
//! lasts. Unlike LEVIS it never asks whether its estimate is a distribution anywhere.
//!
//! # What it needs to know
//!
//! B >= B*, T* and the number of episodes K. All costs off the goal must be positive.
//!
//! # Parameters
//!
#![doc = include_str!("../../../docs/learners/ucrl-vtr-ssp.md")]
//!
//! All constants are the paper's: 8, 4, 72, 36 and 81 in the radii, 3B as the limit of values, 9B^2
//! and 6B in the variance. The radii are proved for |theta*| <= sqrt(d) and |phi_V| <= sqrt(d), for
//! V in [0, 1]. Mixtures of models meet both, other features may not. The result says whether they
//! do.
//!
//! # Cost per step
//!
//! O(nnz + d^2), nnz being the numbers in a pair's features. Every interval has a backward
//! induction of O(S A (nnz + d^2)) for each of its layers, of which there are H, or as many as it
//! takes to come to rest. The layers are kept, and three d x d matrices for each regression.
//!
//! # Reference
//!
//! Chen, Jain, Luo (ICML 2022), Algorithm 6, with their Algorithm 1.
//!
//! # Departures from the print
//!
//! V_h(g) = 0 is put in place where the print has features at the goal that give 0. `lambda` is 1
//! in the print, and a parameter here. B counts as 1 at least, in units of the largest cost. A user
//! who gives an episode up before the goal ends the interval, and takes the first step of the next
//! one on the old plan.

use super::{FiniteHorizon, Horizon, Reduced};
use crate::Result;
use crate::confidence::{Assumption, theta_norm};
use crate::estimate::Ridge;
use crate::learners::builder::builder;
use crate::learners::core::{same_shape, table_bytes};
use crate::learners::counted::{BONUS, Data, Support, Theorem, note_radius};
use crate::learners::shared::{B, DELTA, INTERVAL, LAMBDA, T_STAR, TERMINAL};
use crate::learners::{Algorithm, Brief, Family, LearnerEntry, Need, Probe, Transition};
use crate::numeric::stored::{Flaw, Within};
use crate::numeric::{Portable, dot};
use crate::parameters::Key;
use crate::problem::{Pair, Problem};
use serde::{Deserialize, Serialize};

pub(in crate::learners) const ENTRY: LearnerEntry = LearnerEntry::new(
    "ucrl-vtr-ssp",
    "UCRL-VTR-SSP: value-targeted regression with variances on the finite-horizon reduction",
    build,
)
.reference("Chen, Jain, Luo (ICML 2022), Algorithms 1 and 6")
.setting("linear mixture SSP, costs >= c_min > 0")
.needs(&[Need::B, Need::TStar, Need::Episodes])
.guarantee(
    "regret O~(B sqrt(d T* K) + B d sqrt(K) + B d^2 T* + B d^2.5) with probability 1 - 5 delta, if B >= B*, \
     t_star >= T*, |theta*| <= sqrt(d) and |phi_V| <= sqrt(d); scaled: none",
)
.parameters(PARAMETERS)
.family(Family::Reduction)
.relies_on_models()
.cost("O(nnz + d^2); each interval one backward induction of O(H S A (nnz + d^2))")
.keeps("O(d^2 + layers S A), at most H layers")
.memory(|problem| table_bytes(problem) + 56 * (problem.dim() as u64).pow(2));

const RIDGE: Key<f64> = LAMBDA.or("1");

builder! {
    /// UCRL-VTR-SSP (Chen, Jain, Luo, ICML 2022). See the [module](self).
    UcrlVtrSsp, ENTRY;
    B as TakesB;
    T_STAR as TakesTStar;
    DELTA as TakesDelta;
    RIDGE as TakesLambda;
    BONUS as TakesScale;
    INTERVAL as TakesInterval;
    TERMINAL as TakesTerminal;
}

fn build(brief: &Brief) -> Result<Box<dyn Algorithm>> {
    let horizon = Horizon::read(brief, (&B, &T_STAR), (&INTERVAL, 4.0), (&TERMINAL, 2.0))?;
    let scale = brief.settings.get(&BONUS)?;
    note_radius(brief, scale);
    let d = brief.problem.dim();
    let (delta, lambda) = (brief.settings.get(&DELTA)?, brief.settings.get(&RIDGE)?);
    let terms = VtrTerms { d: d as f64, h: horizon.steps as f64, b: horizon.b, delta, lambda, scale };
    let learner = ValueTargets {
        horizon,
        terms,
        radii: terms.radii(1),
        x: vec![0.0; d],
        y: vec![0.0; d],
        scratch: vec![0.0; d],
    };
    let regressions = Regressions { first: Ridge::new(d, lambda), second: Ridge::new(d, lambda) };
    Ok(Box::new(Reduced::new(brief, learner, regressions, Support::Known)?))
}

/// What the radii are computed from; B in units of the largest cost.
#[derive(Clone, Copy, Debug)]
struct VtrTerms {
    d: f64,
    h: f64,
    b: f64,
    delta: f64,
    lambda: f64,
    scale: f64,
}

#[derive(Clone, Copy, Debug)]
struct Radii {
    /// Of the regression on V, weighted: what the bonus has.
    hat: f64,
    /// Of the regression on V^2.
    tilde: f64,
    /// Of the regression on V, with less assumed of its weights: what the variance has.
    check: f64,
}

impl VtrTerms {
    fn radii(&self, m: u64) -> Radii {
        let VtrTerms { d, h, b, delta, lambda, scale } = *self;
        let steps = m as f64 * h;
        let log = (4.0 / delta).log_e() + 2.0 * steps.log_e();
        let ridge = (lambda * d).sqrt();
        let grown = (d * steps / lambda).log_1p();
        let squares = (81.0 * d * steps * b.powi(4) / lambda).log_1p();
        let small = 4.0 * d.sqrt() * log + ridge;
        Radii {
            hat: scale * (8.0 * (d * grown * log).sqrt() + small),
            tilde: scale * (72.0 * b * b * (d * squares * log).sqrt() + 36.0 * b * b * log + ridge),
            check: scale * (8.0 * d * (grown * log).sqrt() + small),
        }
    }
}

struct ValueTargets {
    horizon: Horizon,
    terms: VtrTerms,
    /// Of the interval under way.
    radii: Radii,
    x: Vec<f64>,
    y: Vec<f64>,
    scratch: Vec<f64>,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Regressions {
    /// On V, weighted; frozen when the interval began.
    first: Ridge,
    /// On V^2, not weighted; likewise.
    second: Ridge,
}

impl Data for Regressions {
    fn check(&self, problem: &Problem) -> Result<(), Flaw> {
        let fresh = Ridge::new(problem.dim(), 1.0);
        same_shape(&self.first, &fresh).within("first")?;
        same_shape(&self.second, &fresh).within("second")
    }
}

impl ValueTargets {
    /// A bound on the variance of V(s'), from what the interval began with; `x` and `y` are phi_V
    /// and phi_{V^2}.
    fn variance(&mut self, data: &Regressions) -> f64 {
        let b = self.horizon.b;
        let nine = 9.0 * b * b;
        let mean = dot(&self.x, data.first.frozen_theta()).clamp(0.0, 3.0 * b);
        let square = dot(&self.y, data.second.frozen_theta()).clamp(0.0, nine);
        let of_mean =
            6.0 * b * self.radii.check * data.first.frozen().inverse_norm(&self.x, &mut self.scratch);
        let of_square = self.radii.tilde * data.second.frozen().inverse_norm(&self.y, &mut self.scratch);
        let error = of_square.min(nine) + of_mean.min(nine);
        (square - mean * mean + error).max(nine / self.terms.d)
    }
}

impl FiniteHorizon for ValueTargets {
    type Data = Regressions;

    fn horizon(&self) -> &Horizon {
        &self.horizon
    }

    fn back(&mut self, data: &Regressions, next: &[f64], q: &mut [f64], now: &mut [f64]) {
        let Horizon { problem, costs, b, .. } = &self.horizon;
        for s in self.horizon.off_goal() {
            now[s] = 3.0 * b;
            for p in problem.pairs_of(s) {
                problem.phi_v(p, next, &mut self.x);
                let mean = dot(&self.x, data.first.frozen_theta());
                let width = data.first.frozen().inverse_norm(&self.x, &mut self.scratch);
                q[p] = costs[p] + mean - self.radii.hat * width;
                now[s] = now[s].min(q[p].max(0.0));
            }
        }
    }

    fn learn(&mut self, data: &mut Regressions, step: &Transition, pair: Pair, v: &[f64]) -> bool {
        self.horizon.problem.phi_v(pair, v, &mut self.x);
        self.horizon.problem.phi_of(pair, |s| v[s] * v[s], &mut self.y);
        let weight = 1.0 / self.variance(data);
        let target = v[step.next];
        data.first.update(&self.x, target, weight, &mut self.scratch);
        data.second.update(&self.y, target * target, 1.0, &mut self.scratch);
        false
    }

    fn begin(&self, data: &mut Regressions) -> bool {
        data.first.freeze();
        data.second.freeze();
        true
    }

    fn enter(&mut self, interval: u64) {
        self.radii = self.terms.radii(interval);
    }

    /// V has Q within [0, 3B]; actions are compared by Q as it is.
    fn shown(&self, q: f64) -> f64 {
        q.clamp(0.0, 3.0 * self.horizon.b)
    }

    fn theorem(&self) -> Theorem {
        Theorem {
            statement: "regret O~(B sqrt(d T* K) + B d sqrt(K) + B d^2 T* + B d^2.5) (Chen et al. 2022)",
            level: 5.0 * self.terms.delta,
            scale: self.terms.scale,
            support: Support::Known,
            read: true,
        }
    }

    fn assumes(&self) -> Vec<Assumption> {
        let problem = &self.horizon.problem;
        let bound = self.terms.d.sqrt();
        vec![
            Assumption::ThetaNorm { factor: (1.0, ""), bound, over_b: theta_norm(problem) },
            Assumption::phi_norm(problem, bound),
            Assumption::settled("every cost off the goal is positive", problem.min_cost() > 0.0),
            Assumption::settled("lambda = 1", self.terms.lambda == 1.0),
        ]
    }

    fn probe(&self, data: &Regressions, sink: &mut dyn Probe) {
        if sink.wants_estimate() {
            sink.estimate(&data.first.theta());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// d = 2, H = 10, B = 3, delta = 0.04, lambda = 1 and m = 5: every logarithm by hand.
    #[test]
    fn the_radii_are_the_printed_ones() {
        let rule = VtrTerms { d: 2.0, h: 10.0, b: 3.0, delta: 0.04, lambda: 1.0, scale: 1.0 };
        let log = 250_000f64.log_e();
        let (grown, squares) = (101f64.log_e(), (1.0 + 81.0 * 100.0 * 81.0f64).log_e());
        let radii = rule.radii(5);
        let hat = 8.0 * (2.0 * grown * log).sqrt() + 4.0 * 2f64.sqrt() * log + 2f64.sqrt();
        let tilde = 648.0 * (2.0 * squares * log).sqrt() + 324.0 * log + 2f64.sqrt();
        let check = 16.0 * (grown * log).sqrt() + 4.0 * 2f64.sqrt() * log + 2f64.sqrt();
        for (ours, direct) in [(radii.hat, hat), (radii.tilde, tilde), (radii.check, check)] {
            assert!((ours / direct - 1.0).abs() < 1e-12, "{ours} {direct}");
        }
        assert_eq!(VtrTerms { scale: 0.0, ..rule }.radii(5).hat, 0.0);
    }
}
