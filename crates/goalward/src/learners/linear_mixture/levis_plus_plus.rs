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
//! that holds ([`Claim`](crate::confidence::Claim)); with `norms=computed` the same formula has the
//! problem's own norms and holds whatever they are.
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

use super::optimist::{Heading, Optimist, bytes};
use super::settings::{self, OWN_SCALE};
use super::value_targeted::{Regression, ValueTargeted};
use crate::Result;
use crate::confidence::{Ellipse, MomentRule, Norms};
use crate::estimate::Home;
use crate::learners::builder::builder;
use crate::learners::shared::{
    B, C_MIN, DELTA, DELTA_SPLIT, GAMMA, LAMBDA, LEVELS, NORMS, PHI_NORM, PLANNER, RADIUS, ROWS, THETA_NORM,
};
use crate::learners::{Algorithm, Brief, Call, Family, LearnerEntry, Levels, Need, Probe};
use crate::parameters::Key;
use crate::plan::{Cut, Planner};
use crate::problem::{Pair, Problem, State};
use serde::{Deserialize, Serialize};

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
    B as TakesB;
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
    let b = settings::bound(unit, brief)?;
    let radius = (settings::radius(brief, &RADIUS)?, Norms::Printed);
    let rule = settings::moment_rule(brief, unit, b, settings::least_cost(brief)?, None, radius)?;
    Ok(Box::new(moments(brief, rule, &PLANNER)?))
}

/// Algorithms 1 to 3: LEVIS++, and rho-LEVIS++, which is LEVIS++ on perturbed costs.
pub(super) type Moments = ValueTargeted<MomentRule>;

pub(super) fn moments(brief: &Brief, rule: MomentRule, planner: &Key<Planner>) -> Result<Moments> {
    let rho = rule.perturbation.map_or(0.0, |p| p.rho);
    let costs = brief.problem.costs().iter().map(|c| (c + rho) / rule.unit).collect();
    let optimist = Optimist::new(brief, costs, rule.b, rule.unit, planner)?;
    Ok(Moments::new(rule, optimist))
}

/// What Algorithm 1 keeps of the data.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Weighted {
    /// Sigma_l, b_l and theta_hat_l for every level l, of now and of t_j.
    home: Home,
    /// beta_hat of every level: of the current step, or of t_j where the data enter.
    radii: Vec<f64>,
}

/// Algorithm 1. Lines 2 to 4 and 20 are the loop over episodes and steps; line 5 is
/// [`Optimist::act`]; line 10 also has [`Optimist::due`], for the time.
impl Regression for MomentRule {
    type Data = Weighted;

    fn begin(&self) -> Weighted {
        // line 1; Q_0 and V_0 are those of a new Optimist
        let home = Home::new(self.dim, self.levels, self.lambda, self.gamma);
        // theta_hat = 0 and Sigma = lambda I: only the bias is off
        Weighted { home, radii: vec![self.bias(); self.levels] }
    }

    fn target(&self, v: f64) -> f64 {
        (v / self.b).clamp(0.0, 1.0) // readings A13, A14
    }

    fn learn(&self, data: &mut Weighted, problem: &Problem, step: (Pair, State), u: &[f64], t: u64) {
        let Weighted { home, radii } = data;
        if !self.is_of_data() {
            self.radii(t, home, radii);
        }
        home.weigh(problem, step, u, radii, t); // line 6: Algorithm 3
        home.update(); // lines 7 to 9
    }

    fn doubled(&self, data: &Weighted) -> bool {
        data.home.doubled() // line 10
    }

    fn plan(&self, data: &mut Weighted, optimist: &mut Optimist, call: &Call) -> Result<Vec<Ellipse>, Cut> {
        let t = call.clock.t; // lines 11, 12: the clock has j + 1 and t_j = t
        let (c_j, heading) = freeze(self, data, t); // lines 13 to 16
        optimist.plan(call, heading, &c_j)?; // lines 17, 18: DEVI(C_j, eps_j, q_j), V_j = min_a Q_j
        Ok(vec![c_j])
    }

    fn sets(&self, data: &Weighted, t: u64) -> Vec<Ellipse> {
        let (level, mut radii) = (&data.home.levels()[0], Vec::new());
        self.radii(t, &data.home, &mut radii);
        vec![Ellipse { center: level.theta(), shape: level.sigma().to_vec(), radius: radii[0] }]
    }

    fn estimate(&self, data: &Weighted) -> Vec<f64> {
        data.home.levels()[0].theta()
    }

    fn show(&self, data: &Weighted, sink: &mut dyn Probe, t: u64) {
        sink.weights(data.home.sigma_sq());
        sink.levels(&Levels::new(&data.home, self, t));
    }

    fn raised(&self) -> f64 {
        self.perturbation.map_or(0.0, |p| p.rho)
    }
}

/// Algorithm 1, lines 13 to 16: C_j, and what a report says of it.
pub(super) fn freeze(rule: &MomentRule, data: &mut Weighted, t: u64) -> (Ellipse, Heading) {
    let Weighted { home, radii } = data;
    home.freeze(); // lines 13 to 15: Sigma_{j,l} = Sigma_{t_j,l}
    rule.radii(t, home, radii);
    let (level, radius) = (&home.levels()[0], radii[0]);
    let center = level.frozen_theta().to_vec();
    let c_j = Ellipse { center, shape: level.sigma().to_vec(), radius }; // line 16
    (c_j, Heading::of(home.levels(), radius))
}
