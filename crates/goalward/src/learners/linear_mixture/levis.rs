//! LEVIS (Min, He, Wang, Gu 2022): value-targeted regression without weights.
//!
//! # What it does
//!
//! One ridge regression of V_j(s') on phi_{V_j}(s,a), no weights and no normalisation; plans over
//! its ellipsoid with DEVI when the determinant or the time doubles.
//!
//! # What it needs to know
//!
//! B >= B*.
//!
//! # Parameters
//!
#![doc = include_str!("../../../docs/learners/levis.md")]
//!
//! The printed radius is proved for |phi_V| <= sqrt(d) and |theta*| <= sqrt(d), for V in [0, 1];
//! mixtures of models meet both, other features may not. The result says whether they do
//! ([`Claim`](crate::confidence::Claim)); with `norms=computed` the formula has the problem's own
//! norms. The `determinant` radius (`realised_determinant` in `confidence/radius.rs`) needs the
//! norm of theta* alone.
//!
//! # Cost per step
//!
//! O(nnz + d^2), plus O(d log T) planning calls in all.
//!
//! # Reference
//!
//! Min, He, Wang, Gu (ICML 2022), Algorithm 1, reached through the papers that build on it.
//!
//! # Departures from the print
//!
//! Shares with LEVIS++ the readings of the planner (D1 to D4, A14) and of ties (A16). The
//! `determinant` radius is the self-normalised bound that the printed one is derived from, with the
//! determinant that was realised.

use super::optimist::{Heading, Optimist, bytes};
use super::settings::{self, OWN_SCALE};
use super::value_targeted::{Regression, ValueTargeted};
use crate::Result;
use crate::confidence::{Ellipse, Norms, PlainRule, RadiusKind};
use crate::estimate::Ridge;
use crate::learners::builder::builder;
use crate::learners::shared::{B, DELTA, LAMBDA, NORMS, PHI_NORM, PLANNER, ROWS, SCALED, THETA_NORM};
use crate::learners::{Algorithm, Brief, Call, Family, LearnerEntry, Need};
use crate::parameters::{Choice, Key};
use crate::plan::Cut;
use crate::problem::{Pair, Problem, State};
use serde::{Deserialize, Serialize};
use serde_json::json;

pub(in crate::learners) const ENTRY: LearnerEntry =
    LearnerEntry::new("levis", "LEVIS: extended value iteration with an unweighted regression", build)
        .reference("Min, He, Wang, Gu (ICML 2022), Algorithm 1")
        .setting("linear mixture SSP, costs >= c_min > 0 (rho > 0 for zero costs)")
        .needs(&[Need::B])
        .guarantee(
            "regret O~(d B^1.5 sqrt(K/c_min) + d^2 B^2/c_min) with probability 1 - delta, if B >= B* and \
             the norms in force bound the problem's (norms=computed: always); scaled: none",
        )
        .parameters(PARAMETERS)
        .family(Family::LinearMixture)
        .optimistic()
        .variants(&["", "radius=determinant"])
        .cost("O(nnz + d^2); O(d log T) plans in all")
        .keeps("O(S A + d^2)")
        .memory(bytes);

const RIDGE: Key<f64> = LAMBDA.or("1");

const RADIUS: Key<RadiusKind> = Key::choice(
    "radius",
    &[Choice::Word("printed"), Choice::Word("determinant"), SCALED],
    "printed: the paper's formula; determinant: the same proof with the realised determinant, tighter and \
     valid; scaled:X: printed times X, no guarantee",
)
.or("printed");

pub(super) const OWN_NORMS: Key<Norms> = NORMS.computed("printed; computed for radius=determinant").doc(
    "printed: |phi_V| and |theta*| at most sqrt(d), as the paper assumes; computed: the problem's own \
     norms, with which the radius is valid",
);

pub(super) const OWN_PHI_NORM: Key<f64> =
    PHI_NORM.computed("sqrt(d); norms=computed: from the features").doc("bound on |phi_V| for V in [0,1]");

pub(super) const OWN_THETA_NORM: Key<f64> =
    THETA_NORM.computed("sqrt(d); norms=computed: the largest norm in the set B").doc("bound on |theta*|");

pub(super) const RHO: Key<f64> =
    Key::number("rho", 0.0, 1e300, "perturbation of every cost (B should then bound V* + rho T*)").or("0");

builder! {
    /// LEVIS (Min, He, Wang, Gu, ICML 2022). See the [module](self).
    Levis, ENTRY;
    B as TakesB;
    DELTA as TakesDelta;
    RIDGE as TakesLambda;
    RADIUS as TakesRadius;
    OWN_SCALE as TakesScale;
    OWN_NORMS as TakesNorms;
    OWN_PHI_NORM as TakesPhiNorm;
    OWN_THETA_NORM as TakesThetaNorm;
    RHO, rho => f64;
    PLANNER as TakesPlanner;
    ROWS as TakesRows;
}

/// What is added to every cost and B, in units of the largest cost.
pub(super) fn perturbed(brief: &Brief, unit: f64) -> Result<(f64, f64)> {
    let settings = &brief.settings;
    let rho = settings.within(&RHO, settings.get(&RHO)?, 0.0, 1e12 * unit)? / unit;
    settings.note(&RHO, &(rho * unit));
    let b = settings::bound(unit, brief)? / unit;
    settings.note_as(B.name(), json!(b * unit));
    Ok((rho, b))
}

fn build(brief: &Brief) -> Result<Box<dyn Algorithm>> {
    let settings = &brief.settings;
    let (dim, unit) = (brief.problem.dim(), brief.problem.cost_unit());
    let (rho, b) = perturbed(brief, unit)?;
    let lambda = settings.get(&RIDGE)?;
    let radius = settings::radius(brief, &RADIUS)?;
    let computed = radius == RadiusKind::Determinant;
    let norms = settings.get_or(&OWN_NORMS, || if computed { Norms::Computed } else { Norms::Printed })?;
    let assumed = (dim as f64).sqrt();
    let rule = PlainRule {
        dim,
        unit,
        b,
        rho,
        delta: settings.get(&DELTA)?,
        lambda,
        radius,
        phi_norm: settings::phi_norm(norms, brief, assumed)?,
        theta_norm: settings::theta_norm(norms, brief, Some(assumed))?.unwrap_or(assumed),
    };
    let costs = brief.problem.costs().iter().map(|c| c / unit + rho).collect();
    Ok(Box::new(ValueTargeted::new(rule, Optimist::new(brief, costs, b, unit, &PLANNER)?)))
}

/// One regression, with room for a step's features.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Plain {
    ridge: Ridge,
    #[serde(skip)]
    room: [Vec<f64>; 2],
}

/// Algorithm 1 of Min et al.
impl Regression for PlainRule {
    type Data = Plain;

    fn begin(&self) -> Plain {
        Plain { ridge: Ridge::new(self.dim, self.lambda), room: Default::default() }
    }

    fn target(&self, v: f64) -> f64 {
        v
    }

    fn learn(&self, data: &mut Plain, problem: &Problem, (p, next): (Pair, State), v: &[f64], _: u64) {
        let [x, scratch] = &mut data.room;
        x.resize(self.dim, 0.0);
        scratch.resize(self.dim, 0.0);
        problem.phi_v(p, v, x);
        data.ridge.update(x, v[next], 1.0, scratch);
    }

    fn doubled(&self, data: &Plain) -> bool {
        data.ridge.doubled()
    }

    fn plan(&self, data: &mut Plain, optimist: &mut Optimist, call: &Call) -> Result<Vec<Ellipse>, Cut> {
        data.ridge.freeze();
        let (ridge, radius) = (&data.ridge, self.beta(call.clock.t, &data.ridge));
        let set = Ellipse { center: ridge.frozen_theta().to_vec(), shape: ridge.sigma().to_vec(), radius };
        optimist.plan(call, Heading::of([ridge], radius), &set)?;
        Ok(vec![set])
    }

    fn sets(&self, data: &Plain, t: u64) -> Vec<Ellipse> {
        let (ridge, radius) = (&data.ridge, self.beta(t, &data.ridge));
        vec![Ellipse { center: ridge.theta(), shape: ridge.sigma().to_vec(), radius }]
    }

    fn estimate(&self, data: &Plain) -> Vec<f64> {
        data.ridge.theta()
    }

    fn raised(&self) -> f64 {
        self.rho * self.unit
    }
}
