//! LSVI-UCB-SSP (Chen, Jain, Luo 2022): least-squares value iteration with features of pairs.
//!
//! # What it does
//!
//! Takes the problem for a linear SSP: features phi(s,a) in which costs and kernels are linear.
//! Cuts time into intervals of H = ceil(4 T* ln(4K)) steps with a terminal cost of 2 B off the
//! goal. Every interval begins with a backward induction, in which a layer is a ridge regression of
//! c + V_{h+1}(s') on phi(s,a), over all steps so far, less a bonus. It never estimates a model.
//!
//! The features are computed from the problem alone. `features=low-rank` takes as few as serve
//! for every theta in B, and pairs with similar features learn from each other. `features=one-hot`
//! has one for each pair, which makes it a learner of tabular SSPs.
//!
//! # What it needs to know
//!
//! B >= B*, T* and the number of episodes K. Of theta it uses nothing, and of the features
//! phi(s'|s,a) of the mixture nothing but which pairs are alike.
//!
//! # Parameters
//!
#![doc = include_str!("../../../docs/learners/lsvi-ucb-ssp.md")]
//!
//! The constants 50 and 16 of the bonus are the paper's. So is 3B, the limit of values. The proof
//! needs |phi| <= 1, |w| <= sqrt(r) and |sum of h(s') mu(s')| <= sqrt(r) for |h| <= 1 (the paper's
//! Assumption 1), and fails with probability 4 delta at most (its Lemma 2 and Theorem 3). The
//! features are scaled such that all three norms hold, whatever the truth is: the coordinates are
//! those in which the smallest ellipsoid around all phi and -phi is the unit ball. Where that
//! ellipsoid was not found to rounding the result says so.
//!
//! # Cost per step
//!
//! O(1). Every interval takes O(n r^2 + r^3) once, for r features and n pairs with different ones,
//! and O(transitions seen + S A + n r + r^2) for each layer, of which there are H, or as many as it
//! takes to come to rest. None of that grows with time. The features are found once, in
//! O(r^2 (n + S d)) for a problem of dimension d. More than 2,000 are refused.
//!
//! # Reference
//!
//! Chen, Jain, Luo (ICML 2022), Algorithm 2, with their Algorithm 1. The paper gives it no name.
//!
//! # Departures from the print
//!
//! The sum over all past steps is taken from counts, pair by pair: the same sum in other order.
//! Costs are in units of the largest, and B counts as 1 at least. `lambda` is 1 in the print, and a
//! parameter here; one so small that Lambda could not be inverted counts as the smallest power of
//! ten of it with which it can. A user who gives an episode up before the goal ends the interval,
//! and takes the first step of the next one on the old plan.

use crate::Result;
use crate::confidence::{Assumption, Condition, Status};
use crate::estimate::Visits;
use crate::learners::builder::builder;
use crate::learners::core::table_bytes;
use crate::learners::counted::{BONUS, Support, Theorem, note_radius};
use crate::learners::reductions::{FiniteHorizon, Horizon, Reduced};
use crate::learners::shared::{B, DELTA, INTERVAL, LAMBDA, T_STAR, TERMINAL};
use crate::learners::{Algorithm, Brief, Family, LearnerEntry, Need, Transition};
use crate::numeric::{Cholesky, Portable};
use crate::parameters::{Choice, Key, Value};
use crate::problem::{LinearView, Pair, Problem};

pub(in crate::learners) const ENTRY: LearnerEntry = LearnerEntry::new(
    "lsvi-ucb-ssp",
    "LSVI-UCB-SSP: least-squares value iteration with features of pairs",
    build,
)
.reference("Chen, Jain, Luo (ICML 2022), Algorithms 1 and 2")
.setting("linear SSP (costs and kernels linear in features of pairs); every linear mixture SSP is one")
.needs(&[Need::B, Need::TStar, Need::Episodes])
.guarantee(
    "regret O~(sqrt(r^3 B^2 T* K) + r^3 B T*) with probability 1 - 4 delta, if B >= B* and t_star >= T*, for r \
     features; scaled: none",
)
.parameters(PARAMETERS)
.family(Family::LinearMdp)
.cost("O(1); each interval O(S A r^2 + r^3), and O(transitions seen + S A r + r^2) for each of H layers")
.keeps("O(S A r + r^2 + transitions seen + layers S A), at most H layers")
.memory(bytes);

/// Which features of pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Features {
    /// As few as serve for every theta.
    LowRank,
    /// One for each pair.
    OneHot,
}

impl Value for Features {
    fn read(text: &str) -> Option<Features> {
        [Features::LowRank, Features::OneHot].into_iter().find(|features| features.typed() == text)
    }

    fn typed(&self) -> String {
        if *self == Features::LowRank { "low-rank" } else { "one-hot" }.into()
    }
}

const FEATURES: Key<Features> = Key::choice(
    "features",
    &[Choice::Word("low-rank"), Choice::Word("one-hot")],
    "low-rank: as few features of pairs as make costs and kernels linear for every theta; one-hot: one for \
     each pair, which makes it tabular",
)
.or("low-rank");

const RIDGE: Key<f64> = LAMBDA.or("1");

const LEVEL: Key<f64> =
    DELTA.doc("goes into the bonus as given; the guarantee fails with probability 4 delta");

builder! {
    /// LSVI-UCB-SSP (Chen, Jain, Luo, ICML 2022). See the [module](self).
    LsviUcbSsp, ENTRY;
    B as TakesB;
    T_STAR as TakesTStar;
    LEVEL as TakesDelta;
    RIDGE as TakesLambda;
    FEATURES, features => Features;
    BONUS as TakesScale;
    INTERVAL as TakesInterval;
    TERMINAL as TakesTerminal;
}

/// Features and matrices, as if every pair had a feature of its own; beyond 2,000 they are refused.
fn bytes(problem: &Problem) -> u64 {
    let (pairs, r) = (problem.pairs() as u64, problem.pairs().min(2_000) as u64);
    table_bytes(problem) + 120 * pairs + 16 * pairs.min(2_000) * r + 16 * r * r
}

fn build(brief: &Brief) -> Result<Box<dyn Algorithm>> {
    let horizon = Horizon::read(brief, (&B, &T_STAR), (&INTERVAL, 4.0), (&TERMINAL, 2.0))?;
    let settings = &brief.settings;
    let scale = settings.get(&BONUS)?;
    note_radius(brief, scale);
    let view = match settings.get(&FEATURES)? {
        Features::LowRank => LinearView::low_rank(brief.problem),
        Features::OneHot => LinearView::one_hot(brief.problem),
    };
    let view = view.map_err(|fault| settings.refuse(&FEATURES, format!("this problem has {fault}")))?;
    settings.note_as("rank", view.features().into());
    let terms = LsviTerms {
        r: view.features() as f64,
        h: horizon.steps as f64,
        b: 3.0 * horizon.b,
        delta: settings.get(&LEVEL)?,
        scale,
    };
    let learner = LeastSquares {
        horizon,
        terms,
        lambda: settings.get(&RIDGE)?,
        interval: 1,
        factor: Cholesky::scaled_identity(view.features(), 1.0),
        bonus: vec![0.0; view.classes()],
        sums: vec![0.0; view.classes()],
        w: vec![0.0; view.features()],
        view,
    };
    Ok(Box::new(Reduced::new(brief, learner, Visits::new(brief.problem.pairs()), Support::Known)?))
}

/// What the bonus is computed from; B = 3 B* in units of the largest cost.
#[derive(Clone, Copy, Debug)]
struct LsviTerms {
    r: f64,
    h: f64,
    b: f64,
    delta: f64,
    scale: f64,
}

impl LsviTerms {
    /// beta_m, scaled.
    fn beta(&self, m: u64) -> f64 {
        let LsviTerms { r, h, b, delta, scale } = *self;
        let log = (16.0 * b * m as f64 * h * r / delta).log_e();
        scale * 50.0 * r * b * log.sqrt()
    }
}

struct LeastSquares {
    view: LinearView,
    horizon: Horizon,
    terms: LsviTerms,
    lambda: f64,
    /// m.
    interval: u64,
    /// Of Lambda, as of the plan that is being made.
    factor: Cholesky,
    /// beta |phi| in the norm of Lambda^-1 of every class, likewise.
    bonus: Vec<f64>,
    /// Room for a number of every class, and for w_h.
    sums: Vec<f64>,
    w: Vec<f64>,
}

impl LeastSquares {
    /// The factor of Lambda = lambda I + sum over all steps of phi phi'.
    fn lambda(&self, visits: &Visits) -> Cholesky {
        let r = self.view.features();
        let gram = self.gram(visits);
        let mut ridge = self.lambda;
        loop {
            let mut lambda = gram.clone();
            (0..r).for_each(|i| lambda[i * r + i] += ridge);
            match Cholesky::factor(&lambda, r) {
                Some(factor) => return factor,
                // rounding has swallowed the ridge
                None => ridge *= 10.0,
            }
        }
    }

    /// The sum over all steps of phi phi', from the counts.
    fn gram(&self, visits: &Visits) -> Vec<f64> {
        let r = self.view.features();
        let mut gram = vec![0.0; r * r];
        let mut counts = vec![0; self.view.classes()];
        (0..self.horizon.problem.pairs()).for_each(|p| counts[self.view.class(p)] += visits.n(p));
        for (class, n) in counts.into_iter().enumerate().filter(|(_, n)| *n > 0) {
            let phi = self.view.phi(class);
            for &(i, x) in phi {
                let row = &mut gram[i as usize * r..][..r];
                phi.iter().for_each(|&(k, y)| row[k as usize] += n as f64 * x * y);
            }
        }
        gram
    }
}

impl FiniteHorizon for LeastSquares {
    type Data = Visits;

    fn horizon(&self) -> &Horizon {
        &self.horizon
    }

    fn back(&mut self, visits: &Visits, next: &[f64], q: &mut [f64], now: &mut [f64]) {
        let Horizon { problem, costs, .. } = &self.horizon;
        let most = self.terms.b;
        self.w.fill(0.0);
        self.sums.fill(0.0);
        for p in 0..problem.pairs() {
            let row = visits.row(p);
            if row.n() > 0 {
                self.sums[self.view.class(p)] += row.n() as f64 * (costs[p] + row.mean(next));
            }
        }
        for (class, &sum) in self.sums.iter().enumerate().filter(|(_, sum)| **sum != 0.0) {
            self.view.phi(class).iter().for_each(|&(i, x)| self.w[i as usize] += sum * x);
        }
        self.factor.solve(&mut self.w);
        for (class, q) in self.sums.iter_mut().enumerate() {
            let mean: f64 = self.view.phi(class).iter().map(|&(i, x)| x * self.w[i as usize]).sum();
            *q = (mean - self.bonus[class]).clamp(0.0, most);
        }
        for s in self.horizon.off_goal() {
            now[s] = most;
            for p in problem.pairs_of(s) {
                q[p] = self.sums[self.view.class(p)];
                now[s] = now[s].min(q[p]);
            }
        }
    }

    fn learn(&mut self, visits: &mut Visits, step: &Transition, pair: Pair, _: &[f64]) -> bool {
        visits.take(pair, step.next);
        false
    }

    fn enter(&mut self, interval: u64) {
        self.interval = interval;
    }

    /// A plan is made when an interval begins: what was seen by then is what the interval has.
    fn prepare(&mut self, visits: &Visits) {
        let r = self.view.features();
        self.factor = self.lambda(visits);
        let beta = self.terms.beta(self.interval);
        let mut phi = vec![0.0; r];
        let mut scratch = vec![0.0; r];
        for (class, bonus) in self.bonus.iter_mut().enumerate() {
            phi.fill(0.0);
            self.view.phi(class).iter().for_each(|&(i, x)| phi[i as usize] = x);
            *bonus = beta * self.factor.inverse_norm(&phi, &mut scratch);
        }
    }

    fn theorem(&self) -> Theorem {
        Theorem {
            statement: "regret O~(sqrt(r^3 B^2 T* K) + r^3 B T*) for r features (Chen et al. 2022)",
            level: 4.0 * self.terms.delta,
            scale: self.terms.scale,
            support: Support::Known,
            read: true,
        }
    }

    fn assumes(&self) -> Vec<Assumption> {
        let (norm, bound) = (self.view.norm(), self.terms.r.sqrt());
        let mut norms = Condition::at_most("|w| and |mu| <= sqrt(r)", Some(norm), Some(bound));
        if norms.status == Status::NotMet {
            // a bound that is too large says nothing of the norms themselves
            norms.status = Status::Unknown;
        }
        vec![
            Assumption::Settled(norms),
            Assumption::settled("|phi| <= 1", true),
            Assumption::settled("lambda = 1", self.lambda == 1.0),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bonus_is_the_printed_one() {
        let rule = LsviTerms { r: 4.0, h: 20.0, b: 6.0, delta: 0.01, scale: 1.0 };
        // 16 * 6 * 3 * 20 * 4 / 0.01 = 2,304,000
        let by_hand = 50.0 * 4.0 * 6.0 * 2_304_000f64.log_e().sqrt();
        assert!((rule.beta(3) / by_hand - 1.0).abs() < 1e-14);
        assert_eq!(LsviTerms { scale: 0.0, ..rule }.beta(3), 0.0);
    }
}
