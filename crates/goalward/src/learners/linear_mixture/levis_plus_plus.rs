//! LEVIS++: Algorithms 1 to 3 of Di, He, Zhou and Gu (ICML 2023).
//!
//! # What it does
//!
//! Keeps L weighted ridge regressions of V_j, V_j^2, V_j^4, ... on their features; the level above
//! estimates the variance that weighs the level below (`Home`). When a determinant or the time
//! doubles it plans optimistically over the level-0 ellipsoid ([`Devi`](crate::plan::Devi)) and
//! acts greedily until the next plan.
//!
//! # What it needs to know
//!
//! B >= B*, and c_min (rho-LEVIS++: T* and K instead). Results say whether B was large enough,
//! where B* is known.
//!
//! # Parameters
//!
#![doc = include_str!("../../../docs/learners/levis++.md")]
//!
//! The radius is
//! * `printed`: the formula of Theorem 5.1, for all levels;
//! * `scaled:X`: that times X. No guarantee;
//! * `determinant`: a Hoeffding bound with the realised determinant
//!   (`weighted_determinant` in `confidence/radius.rs`). By far the smallest.
//!   Validity and optimism with probability 1 - delta; no regret theorem. HOME's weights are then
//!   no more than weights: the bound does not rely on what they say of the variance, so the levels
//!   above 0 have no share of delta.
//!
//! The printed radius is proved for |phi_V| <= 1 and |theta*| <= B only. The result says whether
//! that holds ([`Claim`]); with `norms=computed` the same formula has the problem's own norms and
//! holds whatever they are.
//!
//! # Cost per step
//!
//! O(L (nnz + d^2)), plus O(d L log T) planning calls in all.
//!
//! # Reference
//!
//! Algorithms 1 to 3 and Theorem 5.1 (rho-LEVIS++: Theorem 5.2), in normalised form: U = V_j/B
//! (reading A13).
//!
//! # Departures from the print
//!
//! * A1: HOME gets theta_hat and Sigma frozen at t_j, and Sigma_{t-1} in its gamma term.
//! * A2: there is no `j <- j + 1` at the end of an episode.
//! * A3: t_0 = 0, so the first plan is made at t = 1, the second at t = 2.
//! * A5: that the noise at t = 1 is zero is false, and not needed.
//! * A6: q_j = eps_j = 1/t_j as printed, so the first plan sees nothing but the costs.
//! * A7, A12: V_j is the minimum of DEVI's output Q_j. A10: sigma_bar is the root of what Algorithm
//!   3 returns.
//! * H1, H2: V_j everywhere in Algorithm 3, and an assignment for its arrow.
//! * T2, T4, T7: the theorem's constants, alpha_t = 1/sqrt(t), lambda = 1/B^2.
//!
//! The others are named where they apply: A4 at `estimate::Ridge`, A8, A9, A14 to
//! A16, D1 to D4, H3 to H6, T1, T3, T5, T6, B1.

use super::norms;
use super::optimist::{Heading, Optimist, Standing, bound_or_doubling, bytes};
use super::scale::{self, OWN_SCALE};
use crate::Result;
use crate::confidence::{Claim, Ellipse, Growing, MomentRule, Norms, Perturbation, RadiusKind};
use crate::estimate::Home;
use crate::learners::builder::builder;
use crate::learners::shared::{
    B, B_OR_DOUBLING, C_MIN, DELTA, DELTA_SPLIT, GAMMA, LAMBDA, LEVELS, NORMS, PHI_NORM, PLANNER, RADIUS,
    ROWS, THETA_NORM,
};
use crate::learners::{
    Algorithm, Brief, Call, Clock, Family, LearnerEntry, Levels, Need, Probe, Reason, Seen, Snapshot,
    Transition,
};
use crate::numeric::Portable;
use crate::numeric::stored::{Flaw, Within, between, ensure, numbers};
use crate::parameters::{Bound, Key};
use crate::plan::{Cut, Planner};
use crate::problem::{Action, Pair, State};
use serde::{Deserialize, Serialize};
use serde_json::json;

pub(in crate::learners) const ENTRY: LearnerEntry = LearnerEntry::new(
    "levis++",
    "LEVIS++: extended value iteration with weights from high-order moments",
    build,
)
.reference("Di, He, Zhou, Gu (ICML 2023), Algorithm 1, Theorem 5.1")
.setting("linear mixture SSP, costs >= c_min > 0")
.needs(&[Need::B, Need::CMin])
.guarantee(
    "regret O~(d B sqrt(K) + d^2 B) with probability 1 - (2L+1) delta, if B >= B* and the norms in force \
     bound the problem's (norms=computed: always); determinant: validity alone; scaled: none",
)
.parameters(PARAMETERS)
.family(Family::LinearMixture)
.optimistic()
.variants(&["", "radius=determinant"])
.cost("O(L (nnz + d^2)); O(d L log T) plans in all")
.keeps("O(S A + L d^2)")
.memory(bytes);

builder! {
    /// LEVIS++ (Di, He, Zhou, Gu, ICML 2023). See the [module](self).
    LevisPlusPlus, ENTRY;
    B_OR_DOUBLING as TakesB;
    C_MIN as TakesCMin;
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
    let unit = brief.problem.cost_unit();
    let costs: Vec<f64> = brief.problem.costs().iter().map(|c| c / unit).collect();
    let (b, doubling) = bound_or_doubling(unit, brief, &costs)?;
    let radius = (scale::radius(brief, &RADIUS)?, Norms::Printed);
    let mut rule = read_rule(brief, unit, b, known_c_min(brief)?, None, radius)?;
    if let Some(doubling) = doubling {
        rule.growing = Some(growing(brief)?);
        rule = rule.with_b(doubling.b());
    }
    let mut learner = Moments::new(brief, rule, &PLANNER)?;
    learner.optimist = learner.optimist.doubling(doubling);
    Ok(Box::new(learner))
}

/// What follows a B that doubles; results then have words in the place of numbers.
fn growing(brief: &Brief) -> Result<Growing> {
    let settings = &brief.settings;
    let growing =
        Growing { lambda: settings.given(&LAMBDA)?.is_none(), levels: settings.given(&LEVELS)?.is_none() };
    settings.note(&B_OR_DOUBLING, &Bound::Doubling);
    for (follows, parameter) in [(growing.lambda, LAMBDA.about()), (growing.levels, LEVELS.about())] {
        if follows {
            settings.note_as(parameter.name, json!(parameter.default()));
        }
    }
    Ok(growing)
}

/// The smallest cost, or a smaller one that the user gives; zero has no level count.
pub(super) fn known_c_min(brief: &Brief) -> Result<f64> {
    let smallest = brief.problem.min_cost();
    let c_min = brief.settings.given(&C_MIN)?.unwrap_or(smallest);
    let shown = brief.settings.text(&C_MIN).map_or_else(|| c_min.to_string(), String::from);
    let refuse = |reason: &str| Err(brief.settings.refuse_value(&C_MIN, &shown, reason.into()));
    if c_min > smallest {
        return refuse(&format!("the smallest cost off the goal is {smallest}"));
    }
    if c_min == 0.0 {
        return refuse(
            "LEVIS++ needs positive costs; rho-levis++ takes zero costs and needs t_star instead, lr takes \
             them and needs nothing",
        );
    }
    // a goal that is the only state has no costs; any level count will do
    Ok(if c_min.is_finite() { c_min } else { 1.0 })
}

/// Reads what LEVIS++ and its variants have in common. `b` and `c_min` are in the user's units,
/// `unit` is what costs are divided by; the radius comes with the norms that the variant takes if it
/// is the printed one.
pub(super) fn read_rule(
    brief: &Brief,
    unit: f64,
    b: f64,
    c_min: f64,
    perturbation: Option<Perturbation>,
    (radius, norms): (RadiusKind, Norms),
) -> Result<MomentRule> {
    let (settings, dim) = (&brief.settings, brief.problem.dim());
    let (b, c_min) = (b / unit, c_min / unit);
    let levels = settings.get_or(&LEVELS, || MomentRule::levels_of(b, c_min))? as usize;
    let lambda = settings.get_or(&LAMBDA, || 1.0 / (b * b))?;
    let own = radius == RadiusKind::Determinant;
    let norms = norms::read(brief, if own { Norms::Computed } else { norms })?;
    let theta_norm = norms::theta(norms, brief, None)?;
    let phi_norm = norms::phi(norms, brief, 1.0)?;
    // Hoeffding's bound needs level 0 alone
    let delta_split = !own && settings.get(&DELTA_SPLIT)?;
    settings.note(&DELTA_SPLIT, &delta_split);
    settings.note_as(B.name(), json!(b * unit));
    settings.note_as(C_MIN.name(), json!(c_min * unit));
    settings.note_as("cost_unit", json!(unit));
    Ok(MomentRule {
        dim,
        unit,
        b,
        growing: None,
        c_min,
        perturbation,
        delta: settings.get(&DELTA)?,
        lambda,
        gamma: settings.get_or(&GAMMA, || (dim as f64).to_the(-0.25))?,
        levels,
        radius,
        delta_split,
        norms,
        phi_norm,
        theta_norm,
    })
}

/// Algorithms 1 to 3: LEVIS++, and rho-LEVIS++, which is LEVIS++ on perturbed costs.
pub(super) struct Moments {
    pub(super) rule: MomentRule,
    pub(super) optimist: Optimist,
    home: Home,
    /// V_j / B, clamped to [0, 1] (reading A14).
    u: Vec<f64>,
    /// The radius of every level: of the current step, or of the last plan where the data enter.
    radii: Vec<f64>,
    /// The ellipsoid C_j of the last plan.
    set: Option<Ellipse>,
    /// The weights of the last step, if the regressions have begun anew since.
    weights: Option<Vec<f64>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Memory {
    standing: Standing,
    home: Home,
    radii: Vec<f64>,
    set: Option<Ellipse>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    weights: Option<Vec<f64>>,
}

impl Moments {
    pub(super) fn new(brief: &Brief, rule: MomentRule, planner: &Key<Planner>) -> Result<Self> {
        let MomentRule { unit, b, levels, lambda, gamma, .. } = rule;
        let rho = rule.perturbation.map_or(0.0, |p| p.rho);
        let costs = brief.problem.costs().iter().map(|c| (c + rho) / unit).collect();
        let optimist = Optimist::new(brief, costs, b, unit, planner)?;
        let home = Home::new(rule.dim, levels, lambda, gamma);
        // before any data theta_hat = 0 and Sigma = lambda I: only the bias is off
        let radii = vec![rule.bias(); levels];
        let mut learner = Moments { rule, optimist, home, u: Vec::new(), radii, set: None, weights: None };
        learner.normalise();
        Ok(learner)
    }

    /// Algorithm 1, lines 6 to 9.
    pub(super) fn learn(&mut self, pair: Pair, next: State, t: u64) {
        if !self.rule.is_of_data() {
            self.rule.radii(t, &self.home, &mut self.radii);
        }
        self.home.step(&self.optimist.problem, pair, next, &self.u, &self.radii, t);
        self.weights = None;
    }

    /// The determinant's part of line 10.
    pub(super) fn doubled(&self) -> bool {
        self.home.doubled()
    }

    /// Algorithm 1, lines 13 to 15: C_j, and what a report says of it.
    pub(super) fn freeze(&mut self, t: u64) -> (Ellipse, Heading) {
        self.home.freeze();
        self.rule.radii(t, &self.home, &mut self.radii);
        let (level, radius) = (&self.home.levels()[0], self.radii[0]);
        let set = Ellipse { center: level.frozen_theta().to_vec(), shape: level.sigma().to_vec(), radius };
        (set, Heading::of(self.home.levels(), radius))
    }

    /// What [`freeze`](Self::freeze) changes.
    pub(super) fn before_a_plan(&self) -> (Home, Vec<f64>) {
        (self.home.clone(), self.radii.clone())
    }

    /// A plan was made over C_j, or cut off: then all is as before.
    pub(super) fn settle(&mut self, set: Ellipse, cut: Option<(Home, Vec<f64>)>) {
        match cut {
            Some(before) => (self.home, self.radii) = before,
            None => {
                self.set = Some(set);
                self.normalise();
            }
        }
    }

    /// Makes U of V_j.
    fn normalise(&mut self) {
        let b = self.rule.b;
        self.u.clear();
        self.u.extend(self.optimist.standing.v.iter().map(|v| (v / b).clamp(0.0, 1.0)));
    }

    /// Shows weights, and the sets of now and of the last plan.
    pub(super) fn show(&self, sink: &mut dyn Probe, t: u64) {
        sink.weights(self.weights.as_deref().unwrap_or(self.home.sigma_sq()));
        self.optimist.probe(sink);
        sink.levels(&Levels::new(&self.home, &self.rule, t));
        let now = || {
            let (level, mut radii) = (&self.home.levels()[0], Vec::new());
            self.rule.radii(t, &self.home, &mut radii);
            Ellipse { center: level.theta(), shape: level.sigma().to_vec(), radius: radii[0] }
        };
        self.optimist.show_sets(sink, &self.rule, now, self.set.as_ref());
    }

    pub(super) fn memory(&self) -> Memory {
        Memory {
            standing: self.optimist.standing.clone(),
            home: self.home.clone(),
            radii: self.radii.clone(),
            set: self.set.clone(),
            weights: self.weights.clone(),
        }
    }

    /// Whether a stored state can be one of this learner.
    pub(super) fn check(&self, stored: &Memory, now: &Clock) -> Result<(), Flaw> {
        self.optimist.check(&stored.standing, now, self.rule.b).within("standing")?;
        let MomentRule { dim, levels, lambda, gamma, .. } = self.rule.with_b(stored.standing.b(self.rule.b));
        stored.home.check(&Home::new(dim, levels, lambda, gamma)).within("home")?;
        numbers("radii", &stored.radii, levels)?;
        between("radii", &stored.radii, 0.0, f64::INFINITY)?;
        stored.set.as_ref().map_or(Ok(()), |set| set.check(dim)).within("set")?;
        // they may be of fewer levels
        let weights = stored.weights.as_deref().unwrap_or_default();
        numbers("weights", weights, weights.len().min(levels))?;
        ensure(weights.is_empty() || self.rule.growing.is_some(), "weights", || "B does not double".into())
    }

    /// Goes on from a state that was checked.
    pub(super) fn accept(&mut self, stored: Memory) {
        let Memory { standing, home, radii, set, weights } = stored;
        self.optimist.accept(standing);
        self.rule = self.rule.with_b(self.optimist.b);
        (self.home, self.radii, self.set, self.weights) = (home, radii, set, weights);
        self.normalise();
    }

    /// Begins anew with a larger B: statistics of V/B for another B are void.
    fn restart(&mut self, b: f64) {
        self.rule = self.rule.with_b(b);
        self.weights.get_or_insert_with(|| self.home.sigma_sq().to_vec());
        let MomentRule { dim, levels, lambda, gamma, .. } = self.rule;
        self.home = Home::new(dim, levels, lambda, gamma);
        self.radii = vec![self.rule.bias(); levels];
        self.normalise();
    }

    /// Plans, and again with a larger B as long as values exceed it.
    fn plan_and_grow(&mut self, call: &Call) -> Result<(), Cut> {
        let before = call.keep(|| self.memory());
        loop {
            let (set, heading) = self.freeze(call.clock.t);
            if let Err(cut) = self.optimist.plan(call, heading, &set) {
                before.into_iter().for_each(|before| self.accept(before));
                return Err(cut);
            }
            self.settle(set, None);
            match self.optimist.outgrown() {
                Some(b) => self.restart(b),
                None => return Ok(()),
            }
        }
    }
}

impl Algorithm for Moments {
    fn act(&mut self, s: State) -> Action {
        self.optimist.act(s)
    }

    fn observe(&mut self, step: &Transition, pair: Pair, now: &Clock) -> Seen {
        self.learn(pair, step.next, now.t);
        Seen::Counted
    }

    fn due(&mut self, now: &Clock) -> Option<Reason> {
        Optimist::due(self.doubled(), now)
    }

    fn plan(&mut self, call: &Call) -> Result<(), Cut> {
        if self.rule.growing.is_some() {
            return self.plan_and_grow(call);
        }
        let before = call.keep(|| self.before_a_plan());
        let (set, heading) = self.freeze(call.clock.t);
        let planned = self.optimist.plan(call, heading, &set);
        self.settle(set, before.filter(|_| planned.is_err()));
        planned
    }

    fn value(&self, s: State) -> Option<f64> {
        Some(self.optimist.value(s))
    }

    fn q(&self, p: Pair) -> Option<f64> {
        Some(self.optimist.q(p))
    }

    fn raised(&self, _: &Clock) -> f64 {
        self.rule.perturbation.map_or(0.0, |p| p.rho)
    }

    fn probe(&self, sink: &mut dyn Probe, now: &Clock) {
        if sink.wants_estimate() {
            sink.estimate(&self.home.levels()[0].theta());
        }
        self.show(sink, now.t);
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
