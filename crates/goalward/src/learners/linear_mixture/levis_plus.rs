//! LEVIS+ (Min, He, Wang, Gu 2022): value-targeted regression weighed by estimated variances.
//!
//! # What it does
//!
//! Keeps two ridge regressions: of V_j(s') on phi_{V_j}(s,a), weighed by variances, and of V_j(s')^2
//! on phi_{V_j^2}(s,a) without weights. The second estimates the variances, and a Bernstein bound
//! on its error is added to them. It plans over the first one's ellipsoid with DEVI when its
//! determinant or the time doubles. LEVIS++ is the same idea with more moments.
//!
//! # What it needs to know
//!
//! B >= B*. `B=doubling` does without and has no guarantee: B begins with the largest cost that no
//! action avoids, and doubles when a plan's value exceeds it. Both regressions then begin anew.
//!
//! # Parameters
//!
#![doc = include_str!("../../../docs/learners/levis+.md")]
//!
//! The printed radii are proved for |phi_V| <= sqrt(d) and |theta*| <= sqrt(d), for V in [0, 1], as
//! LEVIS's is. With `norms=computed` they have the problem's own norms. The formulas are in
//! `confidence/radius.rs` (`TwoRadii`). The confidence sets fail with probability 3 delta at most
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

use super::levis::{OWN_NORMS, OWN_PHI_NORM, OWN_THETA_NORM, RHO};
use super::norms;
use super::optimist::{Heading, Optimist, Standing, bound_or_doubling, bytes};
use super::scale::{self, OWN_SCALE};
use crate::Result;
use crate::confidence::{BernsteinRule, Claim, Ellipse, Norms, RadiusKind, TwoRadii};
use crate::estimate::TwoMoments;
use crate::learners::builder::builder;
use crate::learners::shared::{B_OR_DOUBLING, DELTA, LAMBDA, PLANNER, ROWS, SCALED};
use crate::learners::{
    Algorithm, Brief, Call, Clock, Family, LearnerEntry, Need, Probe, Reason, Seen, Snapshot, Transition,
};
use crate::numeric::stored::{Flaw, Within};
use crate::parameters::{Choice, Key};
use crate::plan::Cut;
use crate::problem::{Action, Pair, State};
use serde::{Deserialize, Serialize};
use serde_json::json;

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
    B_OR_DOUBLING as TakesB;
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
    let rho = settings.within(&RHO, settings.get(&RHO)?, 0.0, 1e12 * unit)? / unit;
    settings.note(&RHO, &(rho * unit));
    let costs: Vec<f64> = brief.problem.costs().iter().map(|c| c / unit + rho).collect();
    let (b, doubling) = bound_or_doubling(unit, brief, &costs)?;
    let b = doubling.map_or(b / unit, |doubling| doubling.b());
    let lambda = settings.get_or(&LAMBDA, || 1.0 / (b * b))?;
    let lambda_follows = doubling.is_some() && settings.given(&LAMBDA)?.is_none();
    if doubling.is_none() {
        settings.note_as(B_OR_DOUBLING.name(), json!(b * unit));
    }
    if lambda_follows {
        settings.note_as(LAMBDA.name(), json!(LAMBDA.about().default()));
    }
    let norms = norms::read(brief, Norms::Printed)?;
    let assumed = (dim as f64).sqrt();
    let radii = TwoRadii {
        dim,
        lambda,
        delta: settings.get(&LEVEL)?,
        b,
        phi_norm: norms::phi(norms, brief, assumed)?,
        theta_norm: norms::theta(norms, brief, Some(assumed))?.unwrap_or(assumed),
    };
    let radius = scale::radius(brief, &RADIUS)?;
    let rule = BernsteinRule { unit, b, doubling: doubling.is_some(), lambda_follows, rho, radius, radii };
    let optimist = Optimist::new(brief, costs, b, unit, &PLANNER)?.doubling(doubling);
    let moments = TwoMoments::new(dim, lambda, b);
    let mut learner = Weighted { rule, optimist, moments, u: Vec::new(), set: None };
    learner.normalise();
    Ok(Box::new(learner))
}

/// Algorithm 3 of Min et al.
struct Weighted {
    rule: BernsteinRule,
    optimist: Optimist,
    moments: TwoMoments,
    /// V_j/B, clamped to [0, 1].
    u: Vec<f64>,
    /// The ellipsoid C_j of the last plan.
    set: Option<Ellipse>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Memory {
    standing: Standing,
    moments: TwoMoments,
    set: Option<Ellipse>,
}

impl Weighted {
    /// Both regressions without data.
    fn fresh(rule: &BernsteinRule) -> TwoMoments {
        TwoMoments::new(rule.radii.dim, rule.radii.lambda, rule.b)
    }

    /// Makes U of V_j.
    fn normalise(&mut self) {
        let b = self.rule.b;
        self.u.clear();
        self.u.extend(self.optimist.standing.v.iter().map(|v| (v / b).clamp(0.0, 1.0)));
    }

    fn memory(&self) -> Memory {
        let standing = self.optimist.standing.clone();
        Memory { standing, moments: self.moments.clone(), set: self.set.clone() }
    }

    /// Whether a stored state can be one of this learner.
    fn check(&self, stored: &Memory, now: &Clock) -> Result<(), Flaw> {
        self.optimist.check(&stored.standing, now, self.rule.b).within("standing")?;
        let rule = self.rule.with_b(stored.standing.b(self.rule.b));
        stored.moments.check(&Self::fresh(&rule)).within("moments")?;
        stored.set.as_ref().map_or(Ok(()), |set| set.check(rule.radii.dim)).within("set")
    }

    /// Goes on from a state that was checked.
    fn accept(&mut self, stored: Memory) {
        self.optimist.accept(stored.standing);
        self.rule = self.rule.with_b(self.optimist.b);
        (self.moments, self.set) = (stored.moments, stored.set);
        self.normalise();
    }
}

impl Algorithm for Weighted {
    fn act(&mut self, s: State) -> Action {
        self.optimist.act(s)
    }

    fn observe(&mut self, step: &Transition, pair: Pair, now: &Clock) -> Seen {
        let errors = self.rule.errors(now.t);
        self.moments.step(&self.optimist.problem, pair, step.next, &self.u, errors);
        Seen::Counted
    }

    fn due(&mut self, now: &Clock) -> Option<Reason> {
        Optimist::due(self.moments.hat().doubled(), now)
    }

    fn plan(&mut self, call: &Call) -> Result<(), Cut> {
        let before = call.keep(|| self.memory());
        loop {
            self.moments.freeze();
            let (hat, radius) = (self.moments.hat(), self.rule.beta(call.clock.t));
            let (center, shape) = (hat.frozen_theta().to_vec(), hat.sigma().to_vec());
            let set = Ellipse { center, shape, radius };
            let heading = Heading::of(std::slice::from_ref(hat), radius);
            if let Err(cut) = self.optimist.plan(call, heading, &set) {
                before.into_iter().for_each(|before| self.accept(before));
                return Err(cut);
            }
            self.set = Some(set);
            let grown = self.optimist.outgrown();
            if let Some(b) = grown {
                self.rule = self.rule.with_b(b);
                self.moments = self.moments.anew(self.rule.radii.dim, self.rule.radii.lambda, b);
            }
            self.normalise();
            if grown.is_none() {
                return Ok(());
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
        let hat = self.moments.hat();
        if sink.wants_estimate() {
            sink.estimate(&hat.theta());
        }
        sink.weights(self.moments.sigma_sq());
        self.optimist.probe(sink);
        let now = || {
            let radius = self.rule.beta(now.t.max(1));
            Ellipse { center: hat.theta(), shape: hat.sigma().to_vec(), radius }
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
