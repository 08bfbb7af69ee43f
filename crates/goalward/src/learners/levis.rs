//! LEVIS (Min, He, Wang, Gu 2022): value-targeted regression without weights.
//!
//! # What it does
//!
//! One ridge regression of V_j(s') on phi_{V_j}(s,a), no weights and no normalisation; plans over its ellipsoid with DEVI when
//! the determinant or the time doubles.
//!
//! # What it needs to know
//!
//! B >= B*.
//!
//! # Parameters
//!
//! | name | default | meaning |
//! |---|---|---|
//! | `B` | must be given | bound on B* = max V*; `oracle` takes the true one, and the result says so |
//! | `delta` | 0.01 | failure probability |
//! | `lambda` | 1 | ridge |
//! | `radius` | `printed` | `printed`; `determinant`, tighter and valid; `scaled:X`, which has no guarantee |
//! | `norms` | `printed` | `printed`: \|phi_V\| and \|theta*\| at most sqrt(d), as the paper assumes; `computed`: the problem's own, as `determinant` always takes |
//! | `phi_norm`, `theta_norm` | by `norms` | the same two norms, given |
//! | `rho` | 0 | perturbation of every cost |
//! | `planner` | `auto` | `faithful`: DEVI as printed; `fast`: by policy iteration; `auto`: faithful while that is cheap |
//! | `rows` | `nearest:256` | where B has more than 65,536 different rows: which of those that can bind a confidence set takes, `exact` (all) or `nearest:N` |
//!
//! The printed radius is proved for |phi_V| <= sqrt(d) and |theta*| <= sqrt(d), for V in [0, 1]; mixtures of models meet both,
//! other features may not. The result says whether they do ([`Claim`]); with `norms=computed` the formula has the problem's own
//! norms. The `determinant` radius ([`realised_determinant`](crate::confidence::realised_determinant)) needs the norm of theta*
//! alone.
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
//! Shares with LEVIS++ the readings of the planner (D1 to D4, A14) and of ties (A16). The `determinant` radius is the
//! self-normalised bound that the printed one is derived from, with the determinant that was realised.

use super::norms::{NORMS, Norms, PHI_NORM, THETA_NORM};
use super::optimist::{Optimist, ROWS, Standing, given_or_true_b, listed};
use super::{Brief, Learner, LearnerEntry, Observed, Probe, Reason, Snapshot, Transition, levis_plus_plus};
use crate::Result;
use crate::confidence::{self, Assumption, Claim, Condition, RadiusKind};
use crate::estimate::Ridge;
use crate::numeric::stored::Within;
use crate::plan::Halt;
use crate::problem::{Action, Problem, State};
use crate::registry::Parameter;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

pub(super) const ENTRY: LearnerEntry = LearnerEntry {
    id: "levis",
    title: "LEVIS: extended value iteration with an unweighted regression",
    reference: "Min, He, Wang, Gu (ICML 2022), Algorithm 1",
    setting: "linear mixture SSP, costs >= c_min > 0 (rho > 0 for zero costs)",
    needs: &["B >= B*"],
    guarantee: "regret O~(d B^1.5 sqrt(K/c_min) + d^2 B^2/c_min) with probability 1 - delta, if B >= B* and the norms in force \
                bound the problem's (norms=computed: always); scaled: none",
    parameters: &[
        levis_plus_plus::B,
        levis_plus_plus::DELTA,
        Parameter { name: "lambda", default: "1", doc: "ridge" },
        Parameter {
            name: "radius",
            default: "printed",
            doc: "printed: the paper's formula; determinant: the same proof with the realised determinant, tighter \
                  and valid; scaled:X: printed times X, no guarantee",
        },
        Parameter {
            default: "(printed; computed for radius=determinant)",
            doc: "printed: |phi_V| and |theta*| at most sqrt(d), as the paper assumes; computed: the problem's own norms, with \
                  which the radius is valid",
            ..NORMS
        },
        Parameter {
            default: "(sqrt(d); norms=computed: from the features)",
            doc: "bound on |phi_V| for V in [0,1]",
            ..PHI_NORM
        },
        Parameter {
            default: "(sqrt(d); norms=computed: the largest norm in the set B)",
            doc: "bound on |theta*|",
            ..THETA_NORM
        },
        Parameter {
            name: "rho",
            default: "0",
            doc: "perturbation of every cost (B should then bound V* + rho T*)",
        },
        levis_plus_plus::PLANNER,
        ROWS,
    ],
    wants_policy: false,
    build: |brief| Ok(Box::new(Levis::new(brief)?)),
};

struct Levis {
    delta: f64,
    lambda: f64,
    rho: f64,
    norms: Norms,
    phi_norm: f64,
    theta_norm: f64,
    radius: RadiusKind,
    oracle: &'static [&'static str],
    optimist: Optimist,
    ridge: Ridge,
    x: Vec<f64>,
    scratch: Vec<f64>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Memory {
    standing: Standing,
    ridge: Ridge,
}

impl Levis {
    fn new(brief: &Brief) -> Result<Self> {
        let settings = &brief.settings;
        let (d, unit) = (brief.problem.dim(), brief.problem.cost_unit());
        let (b, oracle) = given_or_true_b(brief.problem.cost_unit(), brief)?;
        let rho = settings.number("rho", 0.0, 1e12 * unit)? / unit;
        let lambda = settings.number("lambda", 1e-24, 1e24)?;
        let expected = "printed, determinant, or scaled:X with X from 1e-30 to 1e30";
        let kind = settings.optional("radius", expected)?;
        if kind == Some(RadiusKind::Data) {
            return Err(settings.refuse(
                "radius",
                "data",
                format!("expected {expected}; data is for levis++"),
            ));
        }
        let computed = kind == Some(RadiusKind::Determinant);
        let norms = Norms::read(settings, if computed { Norms::Computed } else { Norms::Printed })?;
        let assumed = (d as f64).sqrt();
        let costs = brief.problem.costs().iter().map(|c| c / unit + rho).collect();
        Ok(Levis {
            delta: settings.probability("delta")?,
            lambda,
            rho,
            norms,
            phi_norm: norms.phi(brief, assumed)?,
            theta_norm: norms.theta(brief, Some(assumed))?.unwrap_or(assumed),
            radius: kind.ok_or_else(|| settings.missing("radius"))?,
            oracle: if oracle { &["B"] } else { &[] },
            optimist: Optimist::new(brief, costs, b / unit)?,
            ridge: Ridge::new(d, lambda),
            x: vec![0.0; d],
            scratch: vec![0.0; d],
        })
    }

    /// Plans; a plan that is cut off leaves the regression as it was.
    fn plan_or_owe(&mut self, reason: Reason) -> Observed {
        let kept = self.optimist.keep(|| self.ridge.clone());
        self.ridge.freeze();
        let beta = self.beta(self.optimist.standing.t);
        let planned = self.optimist.plan(reason, std::slice::from_ref(&self.ridge), beta);
        self.optimist.settle(reason, planned, kept, |ridge| self.ridge = ridge)
    }

    fn beta(&self, t: u64) -> f64 {
        let (b, d) = (self.optimist.b, self.x.len());
        match self.radius {
            RadiusKind::Determinant => {
                let ratio = self.ridge.running().log_det() - d as f64 * self.lambda.ln();
                confidence::realised_determinant(ratio, self.lambda, self.delta, b, self.theta_norm)
            }
            kind => {
                let norms = (self.phi_norm, self.theta_norm);
                kind.factor() * confidence::levis(t, d, self.lambda, self.delta, b, norms)
            }
        }
    }
}

impl Learner for Levis {
    fn act(&mut self, s: State) -> Result<Action> {
        self.optimist.act(s)
    }

    fn observe(&mut self, step: &Transition) -> Result<Observed> {
        let (pair, _) = self.optimist.advance(step)?;
        if let Some(pair) = pair {
            let v = &self.optimist.standing.v;
            self.optimist.problem.phi_v(pair, v, &mut self.x);
            self.ridge.update(&self.x, v[step.next], 1.0, &mut self.scratch);
        }
        let reason = self.optimist.owed().or(self.optimist.due(self.ridge.doubled()));
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
        sink.estimate(&self.ridge.theta());
        self.optimist.probe(sink);
    }

    fn in_force(&self) -> Map<String, Value> {
        let unit = self.optimist.problem.cost_unit();
        listed(
            &[
                ("radius", json!(self.radius.to_string())),
                ("B", json!(self.optimist.b * unit)),
                ("delta", json!(self.delta)),
                ("lambda", json!(self.lambda)),
                ("norms", json!(self.norms.name())),
                ("phi_norm", json!(self.phi_norm)),
                ("theta_norm", json!(self.theta_norm)),
                ("rho", json!(self.rho * unit)),
                ("planner", json!(self.optimist.planner.name())),
                ("rows", json!(self.optimist.rows)),
            ],
            self.oracle,
        )
    }

    fn claim(&self) -> Option<Claim> {
        let problem = &self.optimist.problem;
        let unit = problem.cost_unit();
        let (b, bound) = (self.optimist.b, self.theta_norm);
        let mut assumptions = vec![
            Assumption::BoundsValues { b: b * unit, rho: self.rho * unit },
            Assumption::Mixture,
            Assumption::ThetaNorm { factor: (1.0, ""), bound, over_b: confidence::theta_norm(problem) },
        ];
        if let RadiusKind::Scaled(x) = self.radius {
            assumptions.push(Assumption::settled(format!("the radius is not scaled (by {x})"), false));
        }
        if self.radius != RadiusKind::Determinant {
            assumptions.push(Assumption::phi_norm(problem, self.phi_norm));
        }
        // what only the regret theorem asks for
        let costs = problem.min_cost() > 0.0 || self.rho > 0.0;
        assumptions.push(Assumption::settled("every cost off the goal is positive, or rho is", costs));
        let one = |name: &str, value: f64| Condition::at_least(name, Some(value), Some(1.0));
        assumptions.extend(
            [one("B >= 1 in units of the largest cost", b), one("lambda >= 1", self.lambda)]
                .map(Assumption::Settled),
        );
        let values = if self.rho > 0.0 { "V* of the perturbed costs" } else { "V*" };
        let statement = format!(
            "theta* is in every confidence set, no plan's values exceed {values}, and the regret is \
             O~(d B^1.5 sqrt(K/c_min) + d^2 B^2/c_min) (Min et al. 2022)"
        );
        Some(Claim { statement, level: self.delta, assumptions })
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot::of(&Memory { standing: self.optimist.standing.clone(), ridge: self.ridge.clone() })
    }

    fn restore(&mut self, snapshot: &Snapshot) -> Result<()> {
        let Memory { standing, ridge } = snapshot.to()?;
        self.optimist.check(&standing, self.optimist.b).within("standing").within("learner")?;
        ridge.check(&Ridge::new(self.x.len(), self.lambda)).within("ridge").within("learner")?;
        (self.optimist.standing, self.ridge) = (standing, ridge);
        Ok(())
    }

    fn observed(&self) -> Option<u64> {
        Some(self.optimist.standing.t)
    }
}
