//! LEVIS++: Algorithms 1 to 3 of Di, He, Zhou and Gu (ICML 2023).
//!
//! # What it does
//!
//! Keeps L weighted ridge regressions of V_j, V_j^2, V_j^4, ... on their features; the level above estimates the variance
//! that weighs the level below ([`Home`]). When a determinant or the time doubles it plans optimistically over the level-0
//! ellipsoid ([`Devi`](crate::plan::Devi)) and acts greedily until the next plan.
//!
//! # What it needs to know
//!
//! B >= B*, and c_min (rho-LEVIS++: T* and K instead). Results say whether B was large enough, where B* is known.
//!
//! # Parameters
//!
//! | name | default | meaning |
//! |---|---|---|
//! | `B` | must be given | bound on B* = max V*; `oracle` takes the true one, and the result says so |
//! | `c_min` | smallest cost | bound on the costs off the goal, from below |
//! | `delta` | 0.01 | failure probability, goes into the radius as given (reading T5: the guarantee is then 1 - (2L+1) delta) |
//! | `lambda` | 1/B^2 | ridge |
//! | `gamma` | d^(-1/4) | weight of the uncertainty in the variance |
//! | `levels` | max(2, ceil(log2(5B/c_min))) | L |
//! | `radius` | `printed` | which radius; see below |
//! | `horizon` | 1000000 | for `radius=data`: the number of steps that its logarithms are made for; beyond it doubles |
//! | `delta_split` | false | put delta/(2L+1) into the radius; `data` always does |
//! | `norms` | `printed` | `printed`: the norms of Assumption 3.1, which most problems exceed; `computed`: the problem's own (reading B1), as `data` and `determinant` always take |
//! | `phi_norm`, `theta_norm` | by `norms` | the same two norms, given |
//! | `planner` | `auto` | `faithful`: DEVI as printed; `fast`: by policy iteration; `auto`: faithful while that is cheap |
//! | `rows` | `nearest:256` | where B has more than 65,536 different rows: which of those that can bind a confidence set takes, `exact` (all) or `nearest:N` |
//!
//! The radius is
//! * `printed`: the formula of Theorem 5.1, for all levels;
//! * `scaled:X`: that times X. No guarantee;
//! * `data`: the theorem behind it, evaluated with what the data realised ([`Bernstein`]), for each level its own. With
//!   probability 1 - delta theta* is in the sets of all levels at all times: the theorem's E eta^2 <= 1 holds at level l while
//!   theta* is in the frozen sets of the levels l and l + 1, which is known by induction over the steps, at the top level always.
//!   HOME uses the radii of t_j, with the frozen pairs that they belong to. Regret as printed, up to constants;
//! * `determinant`: a Hoeffding bound with the realised determinant ([`weighted_determinant`]). By far the smallest. Validity and
//!   optimism with probability 1 - delta; no regret theorem. HOME's weights are then no more than weights: the bound
//!   does not rely on what they say of the variance, so the levels above 0 have no share of delta.
//!
//! The printed radius is proved for |phi_V| <= 1 and |theta*| <= B only. The result says whether that holds ([`Claim`]); with
//! `norms=computed` the same formula has the problem's own norms and holds whatever they are.
//!
//! A vector Bernstein inequality with the realised determinant (Ziemann 2024) would be smaller than `data` and keep its regret; it is
//! not offered: the form that could be verified holds at one stopping time, not at all times.
//!
//! # Cost per step
//!
//! O(L (nnz + d^2)), plus O(d L log T) planning calls in all.
//!
//! # Reference
//!
//! Algorithms 1 to 3 and Theorem 5.1 (rho-LEVIS++: Theorem 5.2), in normalised form: U = V_j/B (reading A13).
//!
//! # Departures from the print
//!
//! * A1: HOME gets theta_hat and Sigma frozen at t_j, and Sigma_{t-1} in its gamma term.
//! * A2: there is no `j <- j + 1` at the end of an episode.
//! * A3: t_0 = 0, so the first plan is made at t = 1, the second at t = 2.
//! * A5: that the noise at t = 1 is zero is false, and not needed.
//! * A6: q_j = eps_j = 1/t_j as printed, so the first plan sees nothing but the costs.
//! * A7, A12: V_j is the minimum of DEVI's output Q_j. A10: sigma_bar is the root of what Algorithm 3 returns.
//! * H1, H2: V_j everywhere in Algorithm 3, and an assignment for its arrow.
//! * T2, T4, T7: the theorem's constants, alpha_t = 1/sqrt(t), lambda = 1/B^2.
//!
//! The others are named where they apply: A4 at [`Ridge`](crate::estimate::Ridge), A8, A9, A14 to A16, D1 to D4, H3 to H6, T1, T3,
//! T5, T6, B1.

use super::norms::{NORMS, Norms, PHI_NORM, THETA_NORM};
use super::optimist::{Optimist, ROWS, Standing, given_or_true_b, listed};
use super::{Brief, Learner, LearnerEntry, Observed, Probe, Reason, Snapshot, Transition};
use crate::Result;
use crate::confidence::{self, Assumption, Bernstein, Claim, Condition, RadiusKind, weighted_determinant};
use crate::estimate::Home;
use crate::numeric::stored::{Flaw, Within, between, numbers};
use crate::plan::Halt;
use crate::problem::{Action, Pair, Problem, State};
use crate::registry::Parameter;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

pub(super) const ENTRY: LearnerEntry = LearnerEntry {
    id: "levis++",
    title: "LEVIS++: extended value iteration with weights from high-order moments",
    reference: "Di, He, Zhou, Gu (ICML 2023), Algorithm 1, Theorem 5.1",
    setting: "linear mixture SSP, costs >= c_min > 0",
    needs: &["B >= B*", "c_min"],
    guarantee: "regret O~(d B sqrt(K) + d^2 B) with probability 1 - (2L+1) delta, if B >= B* and the norms in force bound the \
                problem's (norms=computed: always); determinant: validity alone; scaled: none",
    parameters: &[
        B,
        C_MIN,
        DELTA,
        LAMBDA,
        GAMMA,
        LEVELS,
        RADIUS,
        HORIZON,
        DELTA_SPLIT,
        NORMS,
        PHI_NORM,
        THETA_NORM,
        PLANNER,
        ROWS,
    ],
    wants_policy: false,
    build: |brief| {
        let (b, oracle) = given_or_true_b(brief.problem.cost_unit(), brief)?;
        let c_min = known_c_min(brief)?;
        let config =
            Config::read(brief, b, c_min, None, Norms::Printed, if oracle { vec!["B"] } else { vec![] })?;
        Ok(Box::new(LevisPlusPlus::new(brief, config)?))
    },
};

pub(super) const B: Parameter = Parameter {
    name: "B",
    default: "",
    doc: "upper bound on B* = max V*, for instance --set B=3; --set B=oracle takes the true B* and says so",
};
pub(super) const C_MIN: Parameter =
    Parameter { name: "c_min", default: "(smallest cost)", doc: "lower bound on the costs off the goal" };
pub(super) const DELTA: Parameter =
    Parameter { name: "delta", default: "0.01", doc: "failure probability, goes into the radius as given" };
pub(super) const LAMBDA: Parameter = Parameter { name: "lambda", default: "(1/B^2)", doc: "ridge" };
pub(super) const GAMMA: Parameter =
    Parameter { name: "gamma", default: "(d^(-1/4))", doc: "weight of the uncertainty in the variance" };
pub(super) const LEVELS: Parameter =
    Parameter { name: "levels", default: "(max(2, ceil(log2(5B/c_min))))", doc: "number L of moment levels" };
pub(super) const RADIUS: Parameter = Parameter {
    name: "radius",
    default: "printed",
    doc: "printed: the paper's formula; data: the theorem behind it with the realised noise, smaller and valid; \
          determinant: Hoeffding's bound with the realised determinant, smallest and valid, no regret theorem; scaled:X: \
          printed times X, no guarantee",
};
pub(super) const HORIZON: Parameter = Parameter {
    name: "horizon",
    default: "1000000",
    doc: "for radius=data: the number of steps that its logarithms are made for; beyond, it doubles, each time with its own \
          share of delta",
};
pub(super) const DELTA_SPLIT: Parameter = Parameter {
    name: "delta_split",
    default: "false",
    doc: "divide delta by 2L+1, so that the guarantee holds with probability 1 - delta (reading T5); radius=data always does, \
          radius=determinant never needs to",
};
pub(super) const PLANNER: Parameter = Parameter {
    name: "planner",
    default: "auto",
    doc: "faithful: value iteration from zero, as printed; fast: policy iteration with a certificate; auto: faithful, \
          and fast if that takes more than 2^16 support problems",
};

/// The smallest cost, or a smaller one that the user gives; zero has no level count.
pub(super) fn known_c_min(brief: &Brief) -> Result<f64> {
    let smallest = brief.problem.min_cost();
    let c_min = brief.settings.number_or_none("c_min", 0.0, 1e300)?.unwrap_or(smallest);
    let shown = brief.settings.text("c_min").map_or_else(|| c_min.to_string(), String::from);
    let refuse = |reason: &str| Err(brief.settings.refuse("c_min", &shown, reason.into()));
    if c_min > smallest {
        return refuse(&format!("the smallest cost off the goal is {smallest}"));
    }
    if c_min == 0.0 {
        return refuse(
            "LEVIS++ needs positive costs; rho-levis++ takes zero costs and needs t_star instead, lr takes them and needs nothing",
        );
    }
    // a goal that is the only state has no costs; any level count will do
    Ok(if c_min.is_finite() { c_min } else { 1.0 })
}

/// What rho-LEVIS++ adds to every cost, in the user's units, and the T* it is made from.
pub(super) struct Perturbation {
    pub(super) rho: f64,
    pub(super) t_star: f64,
}

/// The parameters in force. Costs, B and c_min in the theory's units.
pub(super) struct Config {
    /// The user's units per unit of the theory.
    pub(super) unit: f64,
    pub(super) b: f64,
    pub(super) c_min: f64,
    /// Of the costs; none for LEVIS++ itself.
    pub(super) perturbation: Option<Perturbation>,
    pub(super) delta: f64,
    pub(super) lambda: f64,
    pub(super) gamma: f64,
    pub(super) levels: usize,
    pub(super) radius: RadiusKind,
    pub(super) delta_split: bool,
    pub(super) horizon: f64,
    pub(super) norms: Norms,
    pub(super) phi_norm: f64,
    /// sqrt(lambda) |theta*|: the radius' last term.
    pub(super) bias: f64,
    pub(super) theta_norm: Option<f64>,
    pub(super) oracle: Vec<&'static str>,
}

impl Config {
    /// Reads what LEVIS++ and its variants have in common; `b` and `c_min` are in the user's units, `norms` are what the
    /// variant takes with a printed radius.
    pub(super) fn read(
        brief: &Brief,
        b: f64,
        c_min: f64,
        perturbation: Option<Perturbation>,
        norms: Norms,
        oracle: Vec<&'static str>,
    ) -> Result<Config> {
        Self::read_in(brief.problem.cost_unit(), brief, b, c_min, perturbation, norms, oracle)
    }

    /// The same for costs in this unit.
    pub(super) fn read_in(
        unit: f64,
        brief: &Brief,
        b: f64,
        c_min: f64,
        perturbation: Option<Perturbation>,
        norms: Norms,
        oracle: Vec<&'static str>,
    ) -> Result<Config> {
        let settings = &brief.settings;
        let (b, c_min) = (b / unit, c_min / unit);
        // reading A8: L = max(2, ceil(log2(5B/c_min))), levels 0..L-1
        let levels = match settings.text("levels") {
            Some(_) => settings.count("levels", 2, 4096)?,
            None => ((5.0 * b / c_min).log2().ceil().min(4096.0) as usize).max(2),
        };
        let radius: RadiusKind = settings
            .optional("radius", "printed, data, determinant, or scaled:X with X from 1e-30 to 1e30")?
            .ok_or_else(|| settings.missing("radius"))?;
        let lambda = settings.number_or_none("lambda", 1e-24, 1e24)?.unwrap_or(1.0 / (b * b));
        let own = matches!(radius, RadiusKind::Data | RadiusKind::Determinant);
        let norms = Norms::read(settings, if own { Norms::Computed } else { norms })?;
        let theta_norm = norms.theta(brief, None)?;
        let phi_norm = norms.phi(brief, 1.0)?;
        let delta_split = match radius {
            RadiusKind::Data => true,
            RadiusKind::Determinant => false,
            _ => settings.flag("delta_split")?,
        };
        Ok(Config {
            unit,
            b,
            c_min,
            perturbation,
            delta: settings.probability("delta")?,
            lambda,
            gamma: settings
                .number_or_none("gamma", 0.0, 1e30)?
                .unwrap_or((brief.problem.dim() as f64).powf(-0.25)),
            levels,
            radius,
            delta_split,
            horizon: settings.number("horizon", 1.0, 1e18)?,
            norms,
            phi_norm,
            bias: theta_norm.map_or(1.0, |norm| lambda.sqrt() * norm),
            theta_norm,
            oracle,
        })
    }

    fn share(&self) -> f64 {
        let parts = if self.delta_split { 2 * self.levels + 1 } else { 1 };
        self.delta / parts as f64
    }

    /// The probability with which the sets of all levels may ever lose theta*.
    pub(super) fn level(&self) -> f64 {
        match self.radius {
            // Hoeffding's bound needs level 0 alone
            RadiusKind::Determinant => self.delta,
            _ if self.delta_split => self.delta,
            _ => (2 * self.levels + 1) as f64 * self.delta,
        }
    }

    /// What the proofs assume.
    pub(super) fn assumptions(&self, problem: &Problem) -> Vec<Assumption> {
        let (rho, t_star) = self.perturbation.as_ref().map_or((0.0, 0.0), |p| (p.rho, p.t_star));
        let over_b = confidence::theta_norm(problem);
        let mut all = vec![Assumption::BoundsValues { b: self.b * self.unit - rho * t_star, rho: 0.0 }];
        if self.perturbation.is_some() {
            all.push(Assumption::BoundsSteps { t_star });
        }
        all.push(Assumption::Mixture);
        all.push(match self.theta_norm {
            Some(bound) => Assumption::ThetaNorm { factor: (1.0, ""), bound, over_b },
            None => Assumption::ThetaNorm {
                factor: (self.lambda.sqrt(), "sqrt(lambda) "),
                bound: self.bias,
                over_b,
            },
        });
        if let RadiusKind::Scaled(x) = self.radius {
            all.push(Assumption::settled(format!("the radius is not scaled (by {x})"), false));
        }
        if self.radius != RadiusKind::Determinant {
            all.push(Assumption::phi_norm(problem, self.phi_norm));
            let (least, levels) = (1.0 / (problem.dim() as f64).sqrt(), (5.0 * self.b / self.c_min).log2());
            let gamma = Condition::at_least("gamma^2 >= d^(-1/2)", Some(self.gamma.powi(2)), Some(least));
            let levels =
                Condition::at_least("levels >= log2(5B/c_min)", Some(self.levels as f64), Some(levels));
            all.extend([gamma, levels].map(Assumption::Settled));
        }
        all
    }

    /// What is proved, if they hold.
    pub(super) fn statement(&self) -> String {
        let theorem = match (&self.perturbation, self.norms) {
            (Some(_), Norms::Printed) => "Theorem 5.2",
            (None, Norms::Printed) => "Theorem 5.1",
            (Some(_), Norms::Computed) => "Theorem 5.2 with the problem's norms",
            (None, Norms::Computed) => "Theorem 5.1 with the problem's norms",
        };
        let values = if self.perturbation.is_some() { "V* of the perturbed costs" } else { "V*" };
        let regret = match self.radius {
            RadiusKind::Determinant => "; of the regret nothing is proved".into(),
            _ => format!(", and the regret is O~(d B sqrt(K) + d^2 B) ({theorem})"),
        };
        format!("theta* is in every confidence set, no plan's values exceed {values}{regret}")
    }

    /// beta_hat_t of a radius that the data do not enter.
    fn beta(&self, t: u64, dim: usize) -> f64 {
        let (delta, factor) = (self.share(), self.radius.factor());
        factor * confidence::levis_plus_plus(t, dim, self.lambda, delta, self.phi_norm, self.bias)
    }

    /// The radius of every level after t steps.
    fn radii(&self, t: u64, home: &Home, dim: usize, radii: &mut Vec<f64>) {
        radii.clear();
        match self.radius {
            RadiusKind::Printed | RadiusKind::Scaled(_) => radii.resize(self.levels, self.beta(t, dim)),
            RadiusKind::Data => {
                let Config { lambda, horizon, phi_norm, bias, .. } = *self;
                let of = Bernstein { dim, lambda, delta: self.share(), horizon, phi_norm, bias };
                radii.extend(home.noise().iter().map(|&noise| of.radius(t, noise)));
            }
            RadiusKind::Determinant => {
                let levels = home.levels().iter().zip(home.steepest());
                radii.extend(levels.map(|(level, &steepest)| {
                    let ratio = level.running().log_det() - dim as f64 * self.lambda.ln();
                    weighted_determinant(ratio, self.share(), steepest, self.bias)
                }));
            }
        }
    }
}

/// LEVIS++, and rho-LEVIS++, which is LEVIS++ on perturbed costs.
pub(super) struct LevisPlusPlus {
    pub(super) config: Config,
    pub(super) optimist: Optimist,
    pub(super) home: Home,
    /// V_j / B, clamped to [0, 1] (reading A14).
    pub(super) u: Vec<f64>,
    /// The radius of every level: of the current step, or of the last plan where the data enter.
    pub(super) radii: Vec<f64>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Memory {
    pub(super) standing: Standing,
    home: Home,
    radii: Vec<f64>,
}

impl LevisPlusPlus {
    pub(super) fn new(brief: &Brief, config: Config) -> Result<Self> {
        let unit = config.unit;
        let rho = config.perturbation.as_ref().map_or(0.0, |p| p.rho);
        let costs = brief.problem.costs().iter().map(|c| (c + rho) / unit).collect();
        let optimist = Optimist::new(brief, costs, config.b)?.in_units_of(unit);
        let home = Home::new(brief.problem.dim(), config.levels, config.lambda, config.gamma);
        // before any data theta_hat = 0 and Sigma = lambda I: only the bias is off
        let radii = vec![config.bias; config.levels];
        let mut learner = LevisPlusPlus { config, optimist, home, u: Vec::new(), radii };
        learner.normalise();
        Ok(learner)
    }

    /// Algorithm 1, lines 6 to 9.
    pub(super) fn learn(&mut self, pair: Pair, next: State, t: u64) {
        let problem = &self.optimist.problem;
        if matches!(self.config.radius, RadiusKind::Printed | RadiusKind::Scaled(_)) {
            self.config.radii(t, &self.home, problem.dim(), &mut self.radii);
        }
        self.home.step(problem, pair, next, &self.u, &self.radii, t);
    }

    /// Algorithm 1, lines 13 to 15; the radius of level 0.
    pub(super) fn freeze(&mut self) -> f64 {
        self.home.freeze();
        let (t, dim) = (self.optimist.standing.t, self.optimist.problem.dim());
        self.config.radii(t, &self.home, dim, &mut self.radii);
        self.radii[0]
    }

    /// Plans; a plan that is cut off leaves the regressions as they were.
    fn plan_or_owe(&mut self, reason: Reason) -> Observed {
        let kept = self.optimist.keep(|| self.before_a_plan());
        let beta = self.freeze();
        let planned = self.optimist.plan(reason, self.home.levels(), beta);
        self.normalise();
        self.optimist.settle(reason, planned, kept, |before| (self.home, self.radii) = before)
    }

    /// What [`freeze`](Self::freeze) changes.
    pub(super) fn before_a_plan(&self) -> (Home, Vec<f64>) {
        (self.home.clone(), self.radii.clone())
    }

    /// Its state.
    pub(super) fn memory(&self) -> Memory {
        Memory {
            standing: self.optimist.standing.clone(),
            home: self.home.clone(),
            radii: self.radii.clone(),
        }
    }

    /// Whether a stored state can be one of this learner.
    pub(super) fn check(&self, stored: &Memory) -> Result<(), Flaw> {
        let Config { levels, lambda, gamma, b, .. } = self.config;
        self.optimist.check(&stored.standing, b).within("standing")?;
        let fresh = Home::new(self.optimist.problem.dim(), levels, lambda, gamma);
        stored.home.check(&fresh).within("home")?;
        numbers("radii", &stored.radii, levels)?;
        between("radii", &stored.radii, 0.0, f64::INFINITY)
    }

    /// Goes on from a state that was checked.
    pub(super) fn accept(&mut self, stored: Memory) {
        Memory { standing: self.optimist.standing, home: self.home, radii: self.radii } = stored;
        self.normalise();
    }

    /// Makes U of V_j.
    pub(super) fn normalise(&mut self) {
        let b = self.config.b;
        self.u.clear();
        self.u.extend(self.optimist.standing.v.iter().map(|v| (v / b).clamp(0.0, 1.0)));
    }
}

impl Learner for LevisPlusPlus {
    fn act(&mut self, s: State) -> Result<Action> {
        self.optimist.act(s)
    }

    fn observe(&mut self, step: &Transition) -> Result<Observed> {
        let (pair, t) = self.optimist.advance(step)?;
        if let Some(pair) = pair {
            self.learn(pair, step.next, t);
        }
        let reason = self.optimist.owed().or(self.optimist.due(self.home.doubled()));
        Ok(reason.map_or(Observed::Updated, |reason| self.plan_or_owe(reason)))
    }

    fn catch_up(&mut self) -> Result<Observed> {
        Ok(self.optimist.owed().map_or(Observed::Updated, |reason| self.plan_or_owe(reason)))
    }

    fn owes(&self) -> bool {
        self.optimist.owed().is_some()
    }

    fn heed(&mut self, halt: &Halt) {
        self.optimist.heed(halt);
    }

    fn problem(&self) -> Option<&Problem> {
        Some(&self.optimist.problem)
    }

    fn probe(&self, sink: &mut dyn Probe) {
        sink.weights(self.home.sigma_sq());
        sink.estimate(&self.home.levels()[0].theta());
        self.optimist.probe(sink);
    }

    fn in_force(&self) -> Map<String, Value> {
        let c = &self.config;
        let unit = c.unit;
        let mut map = listed(
            &[
                ("radius", json!(c.radius.to_string())),
                ("B", json!(c.b * unit)),
                ("c_min", json!(c.c_min * unit)),
                ("cost_unit", json!(unit)),
                ("delta", json!(c.delta)),
                ("lambda", json!(c.lambda)),
                ("gamma", json!(c.gamma)),
                ("levels", json!(c.levels)),
                ("horizon", json!(c.horizon)),
                ("delta_split", json!(c.delta_split)),
                ("norms", json!(c.norms.name())),
                ("phi_norm", json!(c.phi_norm)),
                ("theta_norm", json!(c.theta_norm)),
                ("planner", json!(self.optimist.planner.name())),
                ("rows", json!(self.optimist.rows)),
            ],
            &c.oracle,
        );
        if let Some(perturbation) = &c.perturbation {
            map.insert("rho".into(), json!(perturbation.rho));
            map.insert("t_star".into(), json!(perturbation.t_star));
        }
        map
    }

    fn claim(&self) -> Option<Claim> {
        Some(Claim {
            statement: self.config.statement(),
            level: self.config.level(),
            assumptions: self.config.assumptions(&self.optimist.problem),
        })
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot::of(&self.memory())
    }

    fn restore(&mut self, snapshot: &Snapshot) -> Result<()> {
        let stored: Memory = snapshot.to()?;
        self.check(&stored).within("learner")?;
        self.accept(stored);
        Ok(())
    }

    fn observed(&self) -> Option<u64> {
        Some(self.optimist.standing.t)
    }
}
