//! LEVIS (Min, He, Wang, Gu 2022): value-targeted regression without weights.
//!
//! # What it does
//!
//! One ridge regression of V_j(s') on phi_{V_j}(s,a), no weights and no normalisation; plans over
//! its ellipsoid with DEVI when the determinant or the time doubles.
//!
//! # What it needs to know
//!
//! B >= B*. `B=doubling` does without and has no guarantee: B begins with the largest cost that
//! no action avoids, and doubles when a plan's value exceeds it. The data are kept then, as the
//! regression of values up to a smaller B is one of theta* too.
//!
//! # Parameters
//!
#![doc = include_str!("../../../docs/learners/levis.md")]
//!
//! The printed radius is proved for |phi_V| <= sqrt(d) and |theta*| <= sqrt(d), for V in [0, 1];
//! mixtures of models meet both, other features may not. The result says whether they do
//! ([`Claim`]); with `norms=computed` the formula has the problem's own norms. The `determinant`
//! radius (`realised_determinant` in `confidence/radius.rs`) needs the norm of
//! theta* alone.
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

use super::norms;
use super::optimist::{Heading, Optimist, Standing, bound_or_doubling, bytes};
use super::scale::{self, OWN_SCALE};
use crate::Result;
use crate::confidence::{Claim, Ellipse, Norms, PlainRule, RadiusKind};
use crate::estimate::Ridge;
use crate::learners::builder::builder;
use crate::learners::shared::{
    B_OR_DOUBLING, DELTA, LAMBDA, NORMS, PHI_NORM, PLANNER, ROWS, SCALED, THETA_NORM,
};
use crate::learners::{
    Algorithm, Brief, Call, Clock, Family, LearnerEntry, Need, Probe, Reason, Seen, Snapshot, Transition,
};
use crate::numeric::stored::{Flaw, Within};
use crate::parameters::{Choice, Key};
use crate::plan::Cut;
use crate::problem::{Action, Pair, State};
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
    B_OR_DOUBLING as TakesB;
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

fn build(brief: &Brief) -> Result<Box<dyn Algorithm>> {
    let settings = &brief.settings;
    let (dim, unit) = (brief.problem.dim(), brief.problem.cost_unit());
    let rho = settings.within(&RHO, settings.get(&RHO)?, 0.0, 1e12 * unit)? / unit;
    settings.note(&RHO, &(rho * unit));
    let costs: Vec<f64> = brief.problem.costs().iter().map(|c| c / unit + rho).collect();
    let (b, doubling) = bound_or_doubling(unit, brief, &costs)?;
    let b = doubling.map_or(b / unit, |doubling| doubling.b());
    if doubling.is_none() {
        settings.note_as(B_OR_DOUBLING.name(), json!(b * unit));
    }
    let lambda = settings.get(&RIDGE)?;
    let radius = scale::radius(brief, &RADIUS)?;
    let computed = radius == RadiusKind::Determinant;
    let norms = norms::read(brief, if computed { Norms::Computed } else { Norms::Printed })?;
    let assumed = (dim as f64).sqrt();
    let rule = PlainRule {
        dim,
        unit,
        b,
        doubling: doubling.is_some(),
        rho,
        delta: settings.get(&DELTA)?,
        lambda,
        radius,
        phi_norm: norms::phi(norms, brief, assumed)?,
        theta_norm: norms::theta(norms, brief, Some(assumed))?.unwrap_or(assumed),
    };
    Ok(Box::new(Plain {
        rule,
        optimist: Optimist::new(brief, costs, b, unit, &PLANNER)?.doubling(doubling),
        ridge: Ridge::new(dim, lambda),
        set: None,
        x: vec![0.0; dim],
        scratch: vec![0.0; dim],
    }))
}

/// Algorithm 1 of Min et al.
struct Plain {
    rule: PlainRule,
    optimist: Optimist,
    ridge: Ridge,
    /// The ellipsoid C_j of the last plan.
    set: Option<Ellipse>,
    x: Vec<f64>,
    scratch: Vec<f64>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Memory {
    standing: Standing,
    ridge: Ridge,
    set: Option<Ellipse>,
}

impl Plain {
    fn memory(&self) -> Memory {
        let standing = self.optimist.standing.clone();
        Memory { standing, ridge: self.ridge.clone(), set: self.set.clone() }
    }

    /// Whether a stored state can be one of this learner.
    fn check(&self, stored: &Memory, now: &Clock) -> Result<(), Flaw> {
        let PlainRule { dim, lambda, b, .. } = self.rule;
        self.optimist.check(&stored.standing, now, b).within("standing")?;
        stored.ridge.check(&Ridge::new(dim, lambda)).within("ridge")?;
        stored.set.as_ref().map_or(Ok(()), |set| set.check(dim)).within("set")
    }

    /// Goes on from a state that was checked.
    fn accept(&mut self, stored: Memory) {
        self.optimist.accept(stored.standing);
        (self.ridge, self.set, self.rule.b) = (stored.ridge, stored.set, self.optimist.b);
    }
}

impl Algorithm for Plain {
    fn act(&mut self, s: State) -> Action {
        self.optimist.act(s)
    }

    fn observe(&mut self, step: &Transition, pair: Pair, _: &Clock) -> Seen {
        let v = &self.optimist.standing.v;
        self.optimist.problem.phi_v(pair, v, &mut self.x);
        self.ridge.update(&self.x, v[step.next], 1.0, &mut self.scratch);
        Seen::Counted
    }

    fn due(&mut self, now: &Clock) -> Option<Reason> {
        Optimist::due(self.ridge.doubled(), now)
    }

    fn plan(&mut self, call: &Call) -> Result<(), Cut> {
        let before = call.keep(|| self.memory());
        self.ridge.freeze();
        loop {
            let radius = self.rule.beta(call.clock.t, &self.ridge);
            let (center, shape) = (self.ridge.frozen_theta().to_vec(), self.ridge.sigma().to_vec());
            let set = Ellipse { center, shape, radius };
            let heading = Heading::of(std::slice::from_ref(&self.ridge), radius);
            if let Err(cut) = self.optimist.plan(call, heading, &set) {
                before.into_iter().for_each(|before| self.accept(before));
                return Err(cut);
            }
            self.set = Some(set);
            // what was learnt of values up to the old B holds all the same
            match self.optimist.outgrown() {
                Some(b) => self.rule.b = b,
                None => return Ok(()),
            }
        }
    }

    fn value(&self, s: State) -> Option<f64> {
        Some(self.optimist.value(s))
    }

    fn q(&self, p: Pair) -> Option<f64> {
        Some(self.optimist.q(p))
    }

    fn raised(&self, _: &Clock) -> f64 {
        self.rule.rho * self.rule.unit
    }

    fn probe(&self, sink: &mut dyn Probe, now: &Clock) {
        if sink.wants_estimate() {
            sink.estimate(&self.ridge.theta());
        }
        self.optimist.probe(sink);
        let now = || Ellipse {
            center: self.ridge.theta(),
            shape: self.ridge.sigma().to_vec(),
            radius: self.rule.beta(now.t, &self.ridge),
        };
        self.optimist.show_sets(sink, &self.rule, now, self.set.as_ref());
    }

    fn violations(&self) -> u64 {
        self.optimist.violations()
    }

    fn claim(&self) -> Option<Claim> {
        Some(self.rule.claim(&self.optimist.problem))
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot::of(&self.memory())
    }

    fn restore(&mut self, state: &Snapshot, now: &Clock) -> Result<()> {
        let stored: Memory = state.to()?;
        self.check(&stored, now).within("learner.algorithm")?;
        self.accept(stored);
        Ok(())
    }
}
