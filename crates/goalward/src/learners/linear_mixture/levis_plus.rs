//! LEVIS+ (Min, He, Wang, Gu 2022): value-targeted regression weighed by estimated variances.
//!
//! # What it does
//!
//! Keeps two ridge regressions: of V_j(s') on phi_{V_j}(s,a), weighed by variances, and of
//! V_j(s')^2 on phi_{V_j^2}(s,a) without weights. The second estimates the variances, and a
//! Bernstein bound on its error is added to them. It plans over the first one's ellipsoid with DEVI
//! when its determinant or the time doubles. LEVIS++ is the same idea with more moments.
//!
//! # What it needs to know
//!
//! B >= B*.
//!
//! # Parameters
//!
#![doc = include_str!("../../../docs/learners/levis+.md")]
//!
//! The printed radii are proved for |phi_V| <= sqrt(d) and |theta*| <= sqrt(d), for V in [0, 1], as
//! LEVIS's is. With `norms=computed` they have the problem's own norms. The formulas are in
//! `confidence/regression/bernstein.rs`. The confidence sets fail with probability 3 delta at most
//! (Lemma 5 of UCRL-VTR+'s paper), and with them optimism and the certificate; the bound on the
//! regret with 7 delta.
//!
//! # Cost per step
//!
//! O(nnz + d^2), plus O(d log T) planning calls in all.
//!
//! # Reference
//!
//! Min, He, Wang, Gu (ICML 2022), Algorithm 3, reached through the papers that build on it: the
//! paper itself could not be opened. The structure is certain. The radii are those of UCRL-VTR+
//! (Zhou, Gu, Szepesvari, COLT 2021, equations 14 and 15) with B for H and without the stages, in
//! Min et al.'s scaling of norms. lambda = 1/B^2 is what Di et al. quote of its theorem.
//!
//! # Departures from the print
//!
//! * Weights come from the estimates of the step before, not from those of the last plan: both are
//!   covered by the proof, and these are tighter.
//! * Everything is kept over B, as for LEVIS++ (reading A13): no power of B overflows.
//! * The readings of the planner (D1 to D4, A14) and of ties (A16) are those of LEVIS++.

use super::levis::{OWN_NORMS, OWN_PHI_NORM, OWN_THETA_NORM, RHO, perturbed};
use super::optimist::{Heading, Optimist, bytes};
use super::settings::{self, OWN_SCALE};
use super::value_targeted::{Regression, ValueTargeted};
use crate::Result;
use crate::confidence::{BernsteinRule, Ellipse, Norms, RadiusKind};
use crate::estimate::TwoMoments;
use crate::learners::builder::builder;
use crate::learners::shared::{B, DELTA, LAMBDA, PLANNER, ROWS, SCALED};
use crate::learners::{Algorithm, Brief, Call, Family, LearnerEntry, Need, Probe};
use crate::parameters::{Choice, Key};
use crate::plan::Cut;
use crate::problem::{Pair, Problem, State};

pub(in crate::learners) const ENTRY: LearnerEntry = LearnerEntry::new(
    "levis+",
    "LEVIS+: extended value iteration with weights from two moments",
    build,
)
.reference("Min, He, Wang, Gu (ICML 2022), Algorithm 3")
.setting("linear mixture SSP, costs >= c_min > 0 (rho > 0 for zero costs)")
.needs(&[Need::B])
.guarantee(
    "regret O~(d B sqrt(K/c_min)) with probability 1 - 7 delta for large K, sets with 1 - 3 delta, if \
             B >= B* and the norms in force bound the problem's (norms=computed: always); scaled: none",
)
.parameters(PARAMETERS)
.family(Family::LinearMixture)
.optimistic()
.cost("O(nnz + d^2); O(d log T) plans in all")
.keeps("O(S A + d^2)")
.memory(bytes);

const RADIUS: Key<RadiusKind> = Key::choice(
    "radius",
    &[Choice::Word("printed"), SCALED],
    "printed: the formulas of UCRL-VTR+ with B for the horizon; scaled:X: all of them times X, no guarantee",
)
.or("printed");

const LEVEL: Key<f64> = DELTA.doc(
    "goes into the radii as given; the sets fail with probability 3 delta, the regret's bound with 7 delta",
);

builder! {
    /// LEVIS+ (Min, He, Wang, Gu, ICML 2022). See the [module](self).
    LevisPlus, ENTRY;
    B as TakesB;
    LEVEL as TakesDelta;
    LAMBDA as TakesLambda;
    RADIUS as TakesRadius;
    OWN_SCALE as TakesScale;
    OWN_NORMS as TakesNorms;
    OWN_PHI_NORM as TakesPhiNorm;
    OWN_THETA_NORM as TakesThetaNorm;
    RHO, rho => f64;
    PLANNER as TakesPlanner;
    ROWS as TakesRows;
}

fn build(brief: &Brief) -> Result<Box<dyn Algorithm>> {
    let settings = &brief.settings;
    let (dim, unit) = (brief.problem.dim(), brief.problem.cost_unit());
    let (rho, b) = perturbed(brief, unit)?;
    let lambda = settings.get_or(&LAMBDA, || 1.0 / (b * b))?;
    let norms = settings.get_or(&OWN_NORMS, || Norms::Printed)?;
    let assumed = (dim as f64).sqrt();
    let rule = BernsteinRule {
        dim,
        unit,
        b,
        rho,
        delta: settings.get(&LEVEL)?,
        lambda,
        radius: settings::radius(brief, &RADIUS)?,
        phi_norm: settings::phi_norm(norms, brief, assumed)?,
        theta_norm: settings::theta_norm(norms, brief, Some(assumed))?.unwrap_or(assumed),
    };
    let costs = brief.problem.costs().iter().map(|c| c / unit + rho).collect();
    Ok(Box::new(ValueTargeted::new(rule, Optimist::new(brief, costs, b, unit, &PLANNER)?)))
}

/// Algorithm 3 of Min et al.
impl Regression for BernsteinRule {
    type Data = TwoMoments;

    fn begin(&self) -> TwoMoments {
        TwoMoments::new(self.dim, self.lambda, self.b)
    }

    fn target(&self, v: f64) -> f64 {
        (v / self.b).clamp(0.0, 1.0)
    }

    fn learn(&self, data: &mut TwoMoments, problem: &Problem, step: (Pair, State), u: &[f64], t: u64) {
        data.step(problem, step, u, self.errors(t));
    }

    fn doubled(&self, data: &TwoMoments) -> bool {
        data.hat.doubled()
    }

    fn plan(&self, data: &mut TwoMoments, optimist: &mut Optimist, call: &Call) -> Result<Vec<Ellipse>, Cut> {
        data.freeze();
        let (hat, radius) = (&data.hat, self.beta(call.clock.t));
        let set = Ellipse { center: hat.frozen_theta().to_vec(), shape: hat.sigma().to_vec(), radius };
        optimist.plan(call, Heading::of([hat], radius), &set)?;
        Ok(vec![set])
    }

    fn sets(&self, data: &TwoMoments, t: u64) -> Vec<Ellipse> {
        let (hat, radius) = (&data.hat, self.beta(t.max(1)));
        vec![Ellipse { center: hat.theta(), shape: hat.sigma().to_vec(), radius }]
    }

    fn estimate(&self, data: &TwoMoments) -> Vec<f64> {
        data.hat.theta()
    }

    fn show(&self, data: &TwoMoments, sink: &mut dyn Probe, _: u64) {
        sink.weights(&data.sigma_sq);
    }

    fn raised(&self) -> f64 {
        self.rho * self.unit
    }
}
