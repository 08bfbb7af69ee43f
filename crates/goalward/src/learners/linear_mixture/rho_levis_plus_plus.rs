//! rho-LEVIS++: LEVIS++ on perturbed costs, for costs that may be zero (Theorem 5.2 of the paper).
//!
//! # What it does
//!
//! Every cost is raised by rho = 1/(T* K), values are bounded by B_rho = B + T* rho, and rho takes
//! the place of c_min. All else is [LEVIS++](super::levis_plus_plus). The regret is that of the
//! costs paid.
//!
//! # What it needs to know
//!
//! B >= B*, a bound on T*, and the number K of episodes.
//!
//! # Parameters
//!
#![doc = include_str!("../../../docs/learners/rho-levis++.md")]
//!
//! # Cost per step
//!
//! That of LEVIS++; L grows with log K.
//!
//! # Reference
//!
//! Di, He, Zhou, Gu (ICML 2023), Theorem 5.2.
//!
//! # Departures from the print
//!
//! Reading T6: lambda = 1/B_rho^2 and L = log2(5 B_rho/rho), where the print has B.

use super::levis_plus_plus::moments;
use super::optimist::bytes;
use super::settings::{self, OWN_SCALE};
use crate::Result;
use crate::confidence::{Norms, Perturbation};
use crate::learners::builder::builder;
use crate::learners::shared::{
    B, DELTA, DELTA_SPLIT, GAMMA, LAMBDA, LEVELS, NORMS, PHI_NORM, PLANNER, RADIUS, ROWS, T_STAR, THETA_NORM,
};
use crate::learners::{Algorithm, Brief, Family, LearnerEntry, Need};
use crate::parameters::Key;

pub(in crate::learners) const ENTRY: LearnerEntry =
    LearnerEntry::new("rho-levis++", "rho-LEVIS++: LEVIS++ on perturbed costs, for zero costs", build)
        .reference("Di, He, Zhou, Gu (ICML 2023), Theorem 5.2")
        .setting("linear mixture SSP, costs may be zero")
        .needs(&[Need::B, Need::TStar, Need::Episodes])
        .guarantee(
            "regret O~(d B sqrt(K) + d^2 B) with probability 1 - (2L+1) delta, if B >= B*, t_star >= T* \
             and the norms in force bound the problem's (norms=computed: always); determinant: validity \
             alone; scaled: none",
        )
        .parameters(PARAMETERS)
        .family(Family::LinearMixture)
        .optimistic()
        .cost("O(L (nnz + d^2)), L grows with log K; O(d L log T) plans in all")
        .keeps("O(S A + L d^2)")
        .memory(bytes);

const RHO: Key<f64> = Key::number("rho", 0.0, 1e300, "the perturbation of every cost").computed("1/(T* K)");

builder! {
    /// rho-LEVIS++ (Di, He, Zhou, Gu, ICML 2023). See the [module](self).
    RhoLevisPlusPlus, ENTRY;
    B as TakesB;
    T_STAR as TakesTStar;
    RHO, rho => f64;
    DELTA as TakesDelta;
    LAMBDA as TakesLambda;
    GAMMA as TakesGamma;
    LEVELS as TakesLevels;
    RADIUS as TakesRadius;
    OWN_SCALE as TakesScale;
    DELTA_SPLIT as TakesDeltaSplit;
    NORMS as TakesNorms;
    PHI_NORM as TakesPhiNorm;
    THETA_NORM as TakesThetaNorm;
    PLANNER as TakesPlanner;
    ROWS as TakesRows;
}

fn build(brief: &Brief) -> Result<Box<dyn Algorithm>> {
    let (given, unit) = (&brief.settings, brief.problem.cost_unit());
    let b = settings::bound(unit, brief)?;
    let t_star = brief.bound(&T_STAR, brief.told.t_star, 1e-9, 1e18)?;
    given.note_as(T_STAR.name(), t_star.into());
    // values are bounded by B + T* rho, of which B alone may take all that can be computed with
    let (least, most) = (1e-100 * unit, 1e12 * unit / t_star.max(1.0));
    let rho = match given.given(&RHO)? {
        Some(rho) => given.within(&RHO, rho, least, most)?,
        None => unit / (t_star * brief.episodes.max(1) as f64),
    };
    given.note(&RHO, &rho);
    let perturbation = Some(Perturbation { rho, t_star });
    let radius = (settings::radius(brief, &RADIUS)?, Norms::Printed);
    let rule = settings::moment_rule(brief, unit, b + t_star * rho, rho, perturbation, radius)?;
    Ok(Box::new(moments(brief, rule, &PLANNER)?))
}
