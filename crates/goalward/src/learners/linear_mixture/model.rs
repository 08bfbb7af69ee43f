//! Planning for one theta, as if it were the truth.

use super::optimist::{Heading, Optimist, Rate};
use crate::Result;
use crate::estimate::Likelihood;
use crate::learners::{Brief, Call};
use crate::numeric::dot;
use crate::numeric::support::{Status, Support, SupportMin, Warm};
use crate::plan::{Cut, Planner};
use crate::problem::seen::require_clear;
use serde_json::json;

/// What every cost is raised by if some are zero, in units of the largest: a free loop has no value
/// of its own.
const RAISED: f64 = 1e-6;

/// One theta as a set to plan over.
#[derive(Clone)]
pub(super) struct Point(pub(super) Vec<f64>);

impl SupportMin for Point {
    fn min(&mut self, c: &[f64], _: &mut Warm) -> Support {
        let value = dot(c, &self.0);
        Support { value, bound: value, status: Status::Optimal }
    }

    fn minimiser(&self, theta: &mut [f64]) {
        theta.copy_from_slice(&self.0);
    }

    fn is_model(&self) -> bool {
        true
    }
}

/// A planner for single models, in units of the largest cost.
pub(super) fn planner(brief: &Brief) -> Result<Optimist> {
    require_clear(brief.problem)?;
    let (problem, unit) = (brief.problem, brief.problem.largest_cost());
    let rho = if problem.min_cost() / unit == 0.0 { RAISED } else { 0.0 };
    brief.settings.note_as("cost_unit", json!(unit));
    brief.settings.note_as("perturbation", json!(rho));
    let costs: Vec<f64> = problem.costs().iter().map(|c| c / unit + rho).collect();
    // no fixed point exceeds c_max/q: a model that never reaches the goal has values all the same
    let b = costs.iter().copied().fold(1.0, f64::max) / Rate::least().q;
    Ok(Optimist::with(brief, costs, b, unit, Planner::Fast, brief.problem.constraints().clone()))
}

/// Plans for a theta in B, by policy iteration. The discount is 1e-9.
pub(super) fn plan(
    optimist: &mut Optimist,
    call: &Call,
    theta: Vec<f64>,
    likelihood: &Likelihood,
) -> Result<(), Cut> {
    let heading =
        Heading { beta: 0.0, theta: vec![theta.clone()], log_det: vec![likelihood.log_information()] };
    optimist.plan_over(call, heading, Ok(&mut Point(theta)), Rate::least())
}
