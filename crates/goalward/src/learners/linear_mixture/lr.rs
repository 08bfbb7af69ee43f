//! The likelihood set and optimistic planning alone: a learner without constants.
//!
//! # What it does
//!
//! Counts what it sees ([`Likelihood`](crate::estimate::Likelihood)), keeps the set of all theta in
//! B that explain it ([`LikelihoodSet`](crate::confidence::LikelihoodSet)), plans over that set
//! with [`Devi`](crate::plan::Devi) now and then, and acts greedily until the next plan. The first
//! plan comes before the first step, over all of B. With one model, or a B of one point, that is
//! the optimal policy, and the last plan too.
//!
//! **When it plans.** When the time has doubled; when the determinant of the Fisher information has
//! grown by a factor of 4 over its maximum at past plans; and as soon as the data since the last
//! plan have a nat against what it believes where it is about to act: against the minimiser of <theta,
//! phi_V(s,a)> over the planned set, by the information. Where the last plan took more than 2^15
//! support problems, it is 4 nats: a third of the plans, and in the geometric mean over 13 worlds 0.99
//! or 1.13 times the regret, with two kinds of luck. Under these triggers there is the safety net of
//! Theorem 2 in `docs/theory.md` ([`Net`](crate::confidence::Net)): when what the plan believes may be further than 9 Gamma_t
//! from the fit, in Hellinger's squared distance over all steps, it plans anew. If that plan
//! believes as much, it plans over the likelihood set itself until the time has doubled, as long as
//! that is quick. That hardly ever happens; it is what the proof needs.
//!
//! **Which set.** An ellipsoid around the likelihood set is quick to plan over, and loose where the
//! plan looks. So the set's own answers are found first, for the pairs that the values of the last
//! plan meet most often on their way from the start, and tangents there cut the ellipsoid
//! (`set=cuts`). A way that is too long to be followed makes no cuts: a plan that knows its first part
//! better than all else turns from it, and the next one back. `set=outer` leaves the ellipsoid as it is, `set=exact` takes the set itself for
//! every pair. (To plan, cut and plan again, up to three times, gains nothing that can be
//! measured.)
//!
//! Costs are divided by the largest one, whether that is above or below 1: neither actions nor
//! results depend on the user's units. The discount is q_j = 1e-3/t_j and the precision eps_j =
//! min(1e-2, 1/t_j), where the paper has 1/t_j for both: smaller ones are optimistic too and lose
//! less, and policy iteration does not pay for long horizons. The discount also bounds the values,
//! by c_max/q_j: no bound on B* is needed.
//!
//! **Zero costs.** If some cost off the goal is zero, every cost is raised by rho_j = 1/k_j in the
//! j-th plan, in units of the largest cost; k_j is the number of episodes begun by then, and a plan
//! is also made when these have doubled. It vanishes by itself, so neither T* nor K is needed. A
//! free loop is worth rho_j/q_j = 1000 t_j/k_j: while no episode ends, that grows with the time
//! until any way to the goal is better. (With 1/t_j in the place of 1/k_j it would not.)
//!
//! # What it needs to know
//!
//! Nothing but the problem: neither B, c_min, T*, lambda, gamma nor the number of levels.
//!
//! # Parameters
//!
#![doc = include_str!("../../../docs/learners/lr.md")]
//!
//! # Cost per step
//!
//! O(nnz of the row + k^2), k <= d - 1 the dimension of B, and about 24 + 2k products of k numbers
//! for the prediction, whatever the number of triples; a support problem while something was learnt
//! since the last plan; and a short Newton fit each time that the data have grown by a quarter, or
//! that the prediction's effective sample size is low. O(d log T) planning calls in all, each of which passes
//! over the triples seen ([`LikelihoodKeeper`](crate::confidence::LikelihoodKeeper)). Memory: 28
//! bytes for each distinct triple seen; 16 more while a fit or a plan is made, and up to 8 MB for
//! the set itself.
//!
//! # Reference
//!
//! The set: Robbins' mixtures and Ville's inequality; Emmenegger, Mutny, Krause (2023) for
//! likelihood-ratio sets in general. The planner: Di, He, Zhou, Gu (ICML 2023), Algorithm 2. A
//! learner without constants is named as future work there.
//!
//! # What is proved
//!
//! All of this with probability 1 - delta. Validity: theta* is in every set at once, whatever the
//! actions. Optimism: on that event V_j <= V* (with zero costs: V_j <= V* + rho_j T* in units of
//! the largest cost, rho_j = 1/k_j). Regret: if no cost off the goal is zero, R_K = O~(m B* sqrt(K)
//! + m^2 B*) for all K at once, m the directions of B that kernels see
//! (Theorem 2 of `docs/theory.md`). Where a condition of that fails,
//! [`Claim`](crate::confidence::Claim) has the weaker statement that is left.
//!
//! A step to which every theta in B gives probability 0 is reported as a violation, with its names,
//! and not counted; the set stays as it was. A threshold below the least loss of any theta in B
//! says that the data contradict every model in B at the level delta: that is counted and named,
//! and the last set and the last plan stay in force.

use super::likely::likely;
pub use super::lr_settings::Shape;
use super::lr_settings::{FAST, LEVEL, NET, SET};
use super::optimist::bytes;
use crate::Result;
use crate::learners::builder::builder;
use crate::learners::shared::ROWS;
use crate::learners::{Algorithm, Brief, Family, LearnerEntry};

pub(in crate::learners) const ENTRY: LearnerEntry = LearnerEntry::new(
    "lr",
    "LR: optimistic planning over the likelihood set, without constants",
    build,
)
.reference("goalward; the planner of Di, He, Zhou, Gu (ICML 2023), Algorithm 2")
.setting("linear mixture SSP, costs may be zero")
.guarantee(
    "with probability 1 - delta theta* in all sets at once, optimism, and regret O~(m B* sqrt(K) + m^2 B*) \
     if no cost off the goal is zero; nothing needs to be known (docs/theory.md, Theorem 2)",
)
.parameters(PARAMETERS)
.family(Family::LinearMixture)
.optimistic()
.cost("O(nnz + d^2), and a fit each time that the data have grown by a quarter; O(d log T) plans in all")
.keeps("O(S A), and 28 bytes for each distinct transition seen")
.memory(bytes);

builder! {
    /// Optimistic planning over the likelihood set. See the [module](self).
    Lr, ENTRY;
    LEVEL as TakesDelta;
    SET, set => Shape;
    NET, net => f64;
    FAST as TakesPlanner;
    ROWS as TakesRows;
}

fn build(brief: &Brief) -> Result<Box<dyn Algorithm>> {
    Ok(Box::new(likely(brief, false)?))
}
