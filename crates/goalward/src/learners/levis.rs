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
//! | `theta_norm` | sqrt(d) | bound on the norm of theta*, for `determinant`; see below |
//! | `rho` | 0 | perturbation of every cost |
//! | `planner` | `auto` | `faithful`: DEVI as printed; `fast`: by policy iteration; `auto`: faithful while that is cheap |
//! | `rows` | `nearest:256` | where B has more than 65,536 different rows: which of those that can bind a confidence set takes, `exact` (all) or `nearest:N` |
//!
//! The `determinant` radius is valid, at all times at once with probability 1 - delta, if |theta*| <= `theta_norm`
//! ([`realised_determinant`](crate::confidence::realised_determinant)). The default sqrt(d) is the paper's own assumption; it holds
//! for mixtures of models, |theta*| <= 1, but not for any features: [`theta_norm`](crate::confidence::theta_norm) computes a bound.
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

use super::optimist::{Optimist, ROWS, Standing, given_or_oracle, listed};
use super::{Brief, Learner, LearnerEntry, Observed, Probe, Snapshot, Transition, levis_plus_plus};
use crate::Result;
use crate::confidence::{self, RadiusKind};
use crate::estimate::Ridge;
use crate::numeric::stored::Within;
use crate::problem::{Action, State};
use crate::registry::Parameter;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

pub(super) const ENTRY: LearnerEntry = LearnerEntry {
    id: "levis",
    title: "LEVIS: extended value iteration with an unweighted regression",
    reference: "Min, He, Wang, Gu (ICML 2022), Algorithm 1",
    setting: "linear mixture SSP, costs >= c_min > 0 (rho > 0 for zero costs)",
    needs: &["B >= B*"],
    guarantee: "regret O~(d B^1.5 sqrt(K/c_min) + d^2 B^2/c_min) with probability 1 - delta (scaled: none)",
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
            name: "theta_norm",
            default: "(sqrt(d))",
            doc: "bound on |theta*| for the determinant radius; printed assumes sqrt(d)",
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
        let (b, oracle) = given_or_oracle(brief, "B", brief.told.b_star)?;
        let rho = settings.number("rho", 0.0, 1e300)? / unit;
        let lambda = settings.number("lambda", 1e-24, 1e24)?;
        let expected = "printed, determinant, or scaled:X with X > 0";
        let kind = settings.optional("radius", expected)?;
        if kind == Some(RadiusKind::Data) {
            return Err(settings.refuse(
                "radius",
                "data",
                format!("expected {expected}; data is for levis++"),
            ));
        }
        let costs = brief.problem.costs().iter().map(|c| c / unit + rho).collect();
        Ok(Levis {
            delta: settings.number("delta", 1e-300, 1.0)?,
            lambda,
            rho,
            theta_norm: settings.number_or_none("theta_norm", 0.0, 1e30)?.unwrap_or((d as f64).sqrt()),
            radius: kind.ok_or_else(|| settings.missing("radius"))?,
            oracle: if oracle { &["B"] } else { &[] },
            optimist: Optimist::new(brief, costs, b / unit)?,
            ridge: Ridge::new(d, lambda),
            x: vec![0.0; d],
            scratch: vec![0.0; d],
        })
    }

    fn beta(&self, t: u64) -> f64 {
        let (b, d) = (self.optimist.b, self.x.len());
        match self.radius {
            RadiusKind::Determinant => {
                let ratio = self.ridge.running().log_det() - d as f64 * self.lambda.ln();
                confidence::realised_determinant(ratio, self.lambda, self.delta, b, self.theta_norm)
            }
            kind => kind.factor() * confidence::levis(t, d, self.lambda, self.delta, b),
        }
    }
}

impl Learner for Levis {
    fn act(&mut self, s: State) -> Action {
        self.optimist.act(s)
    }

    fn observe(&mut self, step: &Transition) -> Result<Observed> {
        let (pair, t) = self.optimist.advance(step)?;
        if let Some(pair) = pair {
            let v = &self.optimist.standing.v;
            self.optimist.problem.phi_v(pair, v, &mut self.x);
            self.ridge.update(&self.x, v[step.next], 1.0, &mut self.scratch);
        }
        let Some(reason) = self.optimist.due(self.ridge.doubled()) else {
            return Ok(Observed::Updated);
        };
        self.ridge.freeze();
        let beta = self.beta(t);
        self.optimist.plan(reason, std::slice::from_ref(&self.ridge), beta);
        Ok(Observed::Planned)
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
                ("guarantee", json!(self.radius.guaranteed())),
                ("B", json!(self.optimist.b * unit)),
                ("delta", json!(self.delta)),
                ("lambda", json!(self.lambda)),
                ("theta_norm", json!(self.theta_norm)),
                ("rho", json!(self.rho * unit)),
                ("planner", json!(self.optimist.planner.name())),
                ("rows", json!(self.optimist.rows)),
            ],
            self.oracle,
        )
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
