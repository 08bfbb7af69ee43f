//! UCRL-AVE for shortest paths: layered regressions in the place of high-order moments.
//!
//! # What it does
//!
//! Keeps L ridge regressions of V_j/B (`estimate/layers.rs`). Each step goes into one of them, with a
//! weight that bounds its influence there by 2^-l. No variance is estimated step by step; the radius
//! of a layer has the sum of its squared residuals. Plans use all layers that have data: every backup
//! of DEVI takes the largest of the certified lower bounds over C_l ∩ B. That maximum is monotone
//! and, times 1 - q, a contraction, so DEVI converges. It is optimistic when theta* is in all sets.
//!
//! It plans when the determinant of some layer or the time doubles.
//!
//! # What it needs to know
//!
//! B >= B*, a bound on |theta*| (computed from B where that is bounded), and about how many steps
//! will be made (`horizon`), on which only the number of layers depends.
//!
//! # Parameters
//!
#![doc = include_str!("../../../docs/learners/ucrl-ave-ssp.md")]
//!
//! # Cost per step
//!
//! O(nnz + L d^2), in practice O(nnz + d^2 log t): layers fill one after the other. A backup costs
//! a support problem for each layer whose set does not hold all of B. O(d L log T) planning calls
//! in all. Memory: 5 L matrices of d x d numbers.
//!
//! # Reference
//!
//! Zhao, He, Zhou, Zhang, Gu (COLT 2023), UCRL-AVE, Theorem 2.1 and equation (3.4), for linear
//! mixtures with a finite horizon. The constants of the radius are the paper's, among them the 8
//! before a variance that has another 8 inside.
//!
//! # Departures from the print
//!
//! * **Nothing is proved for shortest paths.** This is a transfer, not a theorem.
//! * Values are divided by B where the paper has values in [0, 1], and t^2 stands for k^2 H^2 in
//!   the logarithms.
//! * alpha = (K H)^(-3/2) has no H here: it is N^(-3/2), with N = `horizon` for the number of
//!   steps. L = ceil(log2(1/alpha)).
//! * lambda = 1/S^2, S being the bound on |theta*|, which the paper calls B.
//! * A step that is new in no layer, |x| < 2^-l in all of them, which the print drops, goes into
//!   layer L with weight 1. Its influence is less than 2^-L there, so the radius stays valid. A step
//!   with phi_V = 0 tells nothing and is left out.
//! * A set is cut with B, where the paper has a bonus and a clamp: that is tighter, and makes DEVI
//!   converge.
//!
//! The sets fail with probability 3 delta at most (the paper's Lemmas D.3 and D.4).

use super::optimist::{Heading, Optimist, Rate, bytes};
use super::settings::{self, OWN_SCALE};
use super::value_targeted::{Regression, ValueTargeted};
use crate::Result;
use crate::confidence::{Ellipse, LayerRule, Norms, RadiusKind};
use crate::estimate::{Layer, Layers, Ridge};
use crate::learners::builder::builder;
use crate::learners::shared::{B, DELTA, LAMBDA, PLANNER, ROWS, SCALED, THETA_NORM};
use crate::learners::{Algorithm, Brief, Call, Emptiness, Family, LearnerEntry, Need, Probe};
use crate::numeric::support::{ConvexSet, Status, Support, SupportMin, Warm};
use crate::numeric::{Polytope, Portable, norm};
use crate::parameters::{Choice, Key};
use crate::plan::Cut;
use crate::problem::{Pair, Problem, State};
use serde_json::json;
use std::sync::Arc;

pub(in crate::learners) const ENTRY: LearnerEntry = LearnerEntry::new(
    "ucrl-ave-ssp",
    "UCRL-AVE for shortest paths: extended value iteration with layered weights",
    build,
)
.reference("Zhao, He, Zhou, Zhang, Gu (COLT 2023), UCRL-AVE, carried over to shortest paths")
.setting("linear mixture SSP")
.needs(&[Need::B])
.guarantee(
    "no regret proved for shortest paths; the sets hold theta*, and plans are optimistic, with probability \
     1 - 3 delta, if B >= B* and theta_norm >= |theta*|; scaled: none",
)
.parameters(PARAMETERS)
.family(Family::LinearMixture)
.optimistic()
.cost("O(nnz + L d^2); O(d L log T) plans in all")
.keeps("O(S A + L d^2)")
.memory(all_bytes);

const RADIUS: Key<RadiusKind> = Key::choice(
    "radius",
    &[Choice::Word("printed"), SCALED],
    "printed: the paper's formula with t^2 for k^2 H^2; scaled:X: that times X",
)
.or("printed");

const STEPS: Key<f64> = Key::number(
    "horizon",
    1.0,
    1e18,
    "the number N of steps that the layers are made for: alpha = N^(-3/2), L = ceil(log2(1/alpha)); a run \
     may be longer",
)
.or("1000000");

const RIDGE: Key<f64> = LAMBDA.computed("1/theta_norm^2").doc("ridge; layer l has 2^(-2l) of it");

const OWN_THETA_NORM: Key<f64> =
    THETA_NORM.computed("the largest norm in the set B").doc("bound on |theta*|, which the paper calls B");

const LEVEL: Key<f64> = DELTA.doc("goes into the radii as given; the sets fail with probability 3 delta");

builder! {
    /// UCRL-AVE (Zhao, He, Zhou, Zhang, Gu, COLT 2023) for shortest paths. See the [module](self).
    UcrlAveSsp, ENTRY;
    B as TakesB;
    LEVEL as TakesDelta;
    RIDGE as TakesLambda;
    RADIUS as TakesRadius;
    OWN_SCALE as TakesScale;
    STEPS, horizon => f64;
    OWN_THETA_NORM as TakesThetaNorm;
    PLANNER as TakesPlanner;
    ROWS as TakesRows;
}

/// The most layers that a horizon asks for.
const MOST_LAYERS: u64 = 90;

fn all_bytes(problem: &Problem) -> u64 {
    let d = problem.dim() as u64;
    bytes(problem) + MOST_LAYERS * 5 * 8 * (d * d + d)
}

fn build(brief: &Brief) -> Result<Box<dyn Algorithm>> {
    let settings = &brief.settings;
    let (dim, unit) = (brief.problem.dim(), brief.problem.cost_unit());
    let b = settings::bound(unit, brief)? / unit;
    settings.note_as(B.name(), json!(b * unit));
    let theta_norm = settings::theta_norm(Norms::Computed, brief, None)?.unwrap_or(1.0);
    // a theta of norm zero has no ridge of its own
    let own = || if theta_norm > 0.0 { theta_norm.powi(-2).clamp(1e-24, 1e24) } else { 1.0 };
    let lambda = settings.get_or(&RIDGE, own)?;
    let layers = ((1.5 * settings.get(&STEPS)?.log_2()).ceil() as u64).clamp(1, MOST_LAYERS) as usize;
    settings.note_as("layers", json!(layers));
    let radius = settings::radius(brief, &RADIUS)?;
    let rule = LayerRule { dim, unit, b, delta: settings.get(&LEVEL)?, lambda, layers, radius, theta_norm };
    let costs = brief.problem.costs().iter().map(|c| c / unit).collect();
    let optimist = Optimist::new(brief, costs, b, unit, &PLANNER)?;
    Ok(Box::new(ValueTargeted::new(rule, optimist)))
}

/// The largest of several lower bounds.
#[derive(Clone)]
struct Largest {
    sets: Vec<ConvexSet>,
    which: usize,
}

impl SupportMin for Largest {
    fn min(&mut self, c: &[f64], warm: &mut Warm) -> Support {
        let mut all = Support { value: f64::NEG_INFINITY, bound: f64::NEG_INFINITY, status: Status::Optimal };
        for (i, set) in self.sets.iter_mut().enumerate() {
            // one warm start per pair is kept, and the first set has it
            let one = if i == 0 { set.min(c, warm) } else { set.min(c, &mut Warm::default()) };
            if one.value > all.value {
                (all.value, self.which) = (one.value, i);
            }
            all.bound = all.bound.max(one.bound);
            if one.status == Status::Inaccurate {
                all.status = one.status;
            }
        }
        all
    }

    fn minimiser(&self, theta: &mut [f64]) {
        self.sets[self.which].minimiser(theta);
    }

    fn fallbacks(&self) -> u64 {
        self.sets.iter().map(|set| set.fallbacks()).sum()
    }

    fn is_relaxed(&self) -> bool {
        self.sets.iter().any(|set| set.is_relaxed())
    }

    fn count_fallbacks(&mut self, more: u64) {
        self.sets.iter_mut().take(1).for_each(|set| set.count_fallbacks(more));
    }
}

/// What a plan is made over: the sets of the layers with data that do not hold all of B, or one
/// that does if all do.
fn largest(
    rule: &LayerRule,
    b: &Arc<Polytope>,
    layers: &Layers,
    sets: &[Ellipse],
) -> Result<Largest, Emptiness> {
    let all = sets.iter().zip(&layers.layers);
    let mut live: Vec<&Ellipse> = all.filter(|(_, layer)| layer.count > 0).map(|(set, _)| set).collect();
    if live.is_empty() {
        live.extend(sets.first());
    }
    let binding: Vec<&Ellipse> = live.iter().copied().filter(|set| !holds_b(rule, set)).collect();
    let chosen = if binding.is_empty() { &live[..1] } else { &binding[..] };
    let within = |set: &&Ellipse| if set.radius == 0.0 { set.nearest(b) } else { set.within(b) };
    let sets: Result<Vec<ConvexSet>, _> = chosen.iter().map(within).collect();
    sets.map(|sets| Largest { sets, which: 0 }).map_err(|_| Emptiness::Regression)
}

/// Whether an ellipsoid holds every theta in B for certain: |theta - center| in the norm of Sigma
/// is at most sqrt(tr Sigma) (|theta| + |center|).
fn holds_b(rule: &LayerRule, set: &Ellipse) -> bool {
    let d = set.center.len();
    let trace: f64 = (0..d).map(|i| set.shape[i * d + i]).sum();
    trace.sqrt() * (rule.theta_norm + norm(&set.center)) <= set.radius
}

/// The ellipsoids of all layers after t steps, with these estimates.
fn ellipses(rule: &LayerRule, layers: &Layers, t: u64, theta: impl Fn(&Ridge) -> Vec<f64>) -> Vec<Ellipse> {
    let of = |(i, layer): (usize, &Layer)| Ellipse {
        center: theta(&layer.ridge),
        shape: layer.ridge.sigma().to_vec(),
        radius: rule.beta(i, layer, t),
    };
    layers.layers.iter().enumerate().map(of).collect()
}

impl Regression for LayerRule {
    type Data = Layers;

    fn begin(&self) -> Layers {
        Layers::new(self.dim, self.layers, self.lambda)
    }

    fn target(&self, v: f64) -> f64 {
        (v / self.b).clamp(0.0, 1.0)
    }

    fn learn(&self, data: &mut Layers, problem: &Problem, (p, next): (Pair, State), u: &[f64], _: u64) {
        data.step(problem, p, next, u);
    }

    fn doubled(&self, data: &Layers) -> bool {
        data.doubled()
    }

    fn plan(&self, data: &mut Layers, optimist: &mut Optimist, call: &Call) -> Result<Vec<Ellipse>, Cut> {
        data.freeze();
        let sets = ellipses(self, data, call.clock.t, |ridge| ridge.frozen_theta().to_vec());
        let beta = sets.first().map_or(0.0, |set| set.radius);
        let heading = Heading::of(data.layers.iter().map(|layer| &layer.ridge), beta);
        let rate = match self.radius.factor() == 0.0 {
            true => Rate::least(),
            false => Rate::printed(call.clock.t),
        };
        let mut largest = largest(self, &optimist.constraints, data, &sets);
        optimist.plan_over(call, heading, largest.as_mut(), rate)?;
        Ok(sets)
    }

    fn sets(&self, data: &Layers, t: u64) -> Vec<Ellipse> {
        ellipses(self, data, t, Ridge::theta)
    }

    /// That of the layer with most data.
    fn estimate(&self, data: &Layers) -> Vec<f64> {
        let layer = data.layers.iter().rev().max_by_key(|layer| layer.count);
        layer.map_or(Vec::new(), |layer| layer.ridge.theta())
    }

    fn show(&self, data: &Layers, sink: &mut dyn Probe, _: u64) {
        sink.weights(&data.last);
    }
}
