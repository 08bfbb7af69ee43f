//! Bounds in 30-digit arithmetic, on all nodes of a model.
//!
//! Both sides start from the values x of a policy and add or subtract a margin that pays for the
//! residual: the solution of the same equations with the residual and the roundings, doubled, as
//! costs.

use super::Proof;
use super::margin::{Margin, Turn, Verdict, by_rounds};
use crate::numeric::linear::double::Double;
use crate::numeric::linear::system::System;
use crate::plan::solve::evaluated::Evaluated;
use crate::plan::solve::model::{Choice, Model};
use crate::plan::solve::number::Number;
use crate::plan::solve::sense::Sense;
use crate::plan::solve::sweeps::below_by_sweeps;

/// A certified upper bound on what an evaluated policy costs, the goal's 0 at the end; infinite
/// where there is none.
pub(in crate::plan::solve) fn above(model: &Model, run: &Evaluated) -> Vec<Double> {
    let proof = Proof { model, sense: Sense::Least, care: 1.0 };
    by_policy(proof, run).unwrap_or_else(|| nothing(model, f64::INFINITY))
}

/// A certified lower bound on V*, the goal's 0 at the end.
pub(in crate::plan::solve) fn below(model: &Model, optimum: &Evaluated) -> Vec<Double> {
    by_all(Proof { model, sense: Sense::Least, care: 1.0 }, optimum)
        .unwrap_or_else(|| below_by_sweeps(model).into_iter().map(Double::from).collect())
}

/// Bounds that say nothing, the goal's 0 at the end.
pub(in crate::plan::solve) fn nothing(model: &Model, bound: f64) -> Vec<Double> {
    let mut bounds = vec![bound.into(); model.nodes];
    bounds.push(Double::ZERO);
    bounds
}

/// The side that an evaluated policy proves: above its costs for least, below them for greatest
/// costs.
pub(in crate::plan::solve) fn by_policy(proof: Proof, run: &Evaluated) -> Option<Vec<Double>> {
    let Proof { model, sense, care } = proof;
    let (x, sigma) = (&run.x, sense.sigma());
    let need: Vec<f64> = (0..model.nodes)
        .map(|s| {
            let (slack, grain) = Double::slack_and_grain(model, s, run.policy[s], x);
            2.0 * (slack.value.nearest().abs() + care * (slack.error + grain))
        })
        .collect();
    // the least margin first, then margins that forgive an evaluation by sweeps that stopped short
    let relative = (0..model.nodes).map(|s| need[s] / model.charge(run.policy[s])).fold(0.0, f64::max);
    let margins = [
        run.system.solve(need),
        x.iter().map(|x| x.nearest() * relative).collect(),
        x.iter().map(|x| x.nearest() * 1e-9).collect(),
    ];
    margins.into_iter().find_map(|margin| {
        let bound = with_goal((0..model.nodes).map(|s| x[s] + (sigma * margin[s]).into()));
        let holds = |s: usize| {
            (sense == Sense::Greatest || bound[s].nearest() >= 0.0)
                && proof.policy_holds(s, run.policy[s], &bound)
        };
        (0..model.nodes).all(holds).then(|| not_negative(bound))
    })
}

/// The bounds of the nodes, and the goal's 0.
fn with_goal(nodes: impl Iterator<Item = Double>) -> Vec<Double> {
    nodes.chain([Double::ZERO]).collect()
}

/// The side that all choices must satisfy: below V for least, above it for greatest costs.
pub(in crate::plan::solve) fn by_all(proof: Proof, optimum: &Evaluated) -> Option<Vec<Double>> {
    by_margin(proof, optimum).or_else(|| by_scaling(proof, &optimum.x))
}

/// From an optimal policy on.
fn by_margin(proof: Proof, optimum: &Evaluated) -> Option<Vec<Double>> {
    by_rounds(&mut OfAll { proof, optimum, own: None }, optimum.policy.clone()).map(not_negative)
}

/// The margin of a whole model.
struct OfAll<'a> {
    proof: Proof<'a>,
    optimum: &'a Evaluated,
    /// The equations of a policy that is not optimal.
    own: Option<System>,
}

impl Margin for OfAll<'_> {
    type Bound = Vec<Double>;

    fn bound(&mut self, policy: &[Choice], turn: Turn) -> Option<Vec<Double>> {
        let (model, x) = (self.proof.model, &self.optimum.x);
        if turn == Turn::New {
            self.own = model.is_proper(policy).then(|| System::new(model.rows(policy)));
            self.own.as_ref()?;
        }
        let need = |s: usize| self.proof.lacking(s, policy[s], x, 2.0 * self.proof.care).max(0.0) * 1.5;
        let needs = (0..model.nodes).map(need).collect();
        let margin = self.own.as_ref().unwrap_or(&self.optimum.system).solve(needs);
        let sigma = self.proof.sense.sigma();
        Some(with_goal((0..model.nodes).map(|s| x[s] - (sigma * margin[s]).into())))
    }

    fn verdict(&self, bound: &Vec<Double>, policy: &mut [Choice]) -> Verdict {
        self.proof.verdict(bound, 0..self.proof.model.nodes, policy)
    }
}

/// (1 - sigma epsilon) x: enough where every pair that falls short costs something.
fn by_scaling(proof: Proof, x: &[Double]) -> Option<Vec<Double>> {
    let Proof { model, sense, care } = proof;
    let mut epsilon = 0.0f64;
    for s in 0..model.nodes {
        for choice in model.choices(s) {
            let missing = proof.lacking(s, choice, x, 2.0 * care);
            if missing > 0.0 {
                epsilon = epsilon.max(2.0 * missing / model.charge(choice));
            }
        }
    }
    if epsilon.is_nan() || epsilon >= 0.5 {
        return None;
    }
    let bound: Vec<Double> = x.iter().map(|&x| x - x.times(sense.sigma() * epsilon)).collect();
    (0..model.nodes).all(|s| proof.all_hold(s, &bound)).then(|| not_negative(bound))
}

/// Zero is below V as well, and so is the larger of two lower bounds; upper bounds are not
/// negative.
fn not_negative(l: Vec<Double>) -> Vec<Double> {
    l.into_iter().map(|l| if l.nearest() < 0.0 { Double::ZERO } else { l }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::graph::{Backwards, Partition, Region};
    use crate::plan::solve::exact::optimise;
    use crate::problem::{Problem, Truth};

    /// A fair walk with a wall at 0 and, in every state, a dear way out that is never worth it:
    /// n^2 - s^2 steps.
    fn walk(n: usize) -> Model {
        let mut builder = Problem::builder("walk", n + 1, 1);
        for s in 0..n {
            let step = builder.action(s, 1.0).unwrap();
            let next = if s == 0 { vec![(1, 1.0)] } else { vec![(s - 1, 0.5), (s + 1, 0.5)] };
            next.iter().for_each(|&(next, p)| _ = builder.feature(s, step, next, &[p]).unwrap());
            let out = builder.action(s, 1e4).unwrap();
            builder.feature(s, out, n, &[1.0]).unwrap();
        }
        let problem = builder.build().unwrap();
        let truth = Truth::new(&problem, &[1.0]).unwrap();
        let region = Region::new(&problem, &Backwards::new(&problem, &truth));
        Model::new(&problem, &truth, &region.usable, &Partition::new(&problem, 0..n, None))
    }

    fn least(model: &Model) -> Proof<'_> {
        Proof { model, sense: Sense::Least, care: 1.0 }
    }

    fn floor(bounds: Vec<Double>) -> Vec<f64> {
        bounds.into_iter().map(Double::floor).collect()
    }

    /// Each way to a lower bound on its own, from values that are as wrong as `noise`, to both
    /// sides.
    #[test]
    fn every_certificate_holds_from_values_that_are_off() {
        let n = 20;
        let model = walk(n);
        for noise in [0.0, 1e-13, 1e-9, 1e-5] {
            let mut run = optimise(&model);
            for s in 0..n {
                let sign = if s * 7 % 3 == 0 { 1.0 } else { -1.0 };
                run.x[s] = run.x[s] + run.x[s].times(sign * noise);
            }
            let bounds = [
                floor(by_margin(least(&model), &run).unwrap()),
                by_scaling(least(&model), &run.x).map_or_else(|| vec![0.0; n + 1], floor),
                below_by_sweeps(&model),
            ];
            let upper: Vec<f64> = above(&model, &run).into_iter().map(Double::ceil).collect();
            for s in 0..n {
                let answer = (n * n - s * s) as f64;
                assert!(bounds.iter().all(|lower| lower[s] <= answer), "{s} {noise}");
                assert!(bounds[0][s] >= answer * (1.0 - 1e4 * noise - 1e-15));
                assert!(bounds[2][s] >= answer * (1.0 - 1e-11));
                assert!(answer <= upper[s] && upper[s] <= answer * (1.0 + 1e4 * noise + 1e-15));
            }
        }
    }

    #[test]
    fn scaling_is_tight_for_accurate_values() {
        let model = walk(20);
        let lower = floor(by_scaling(least(&model), &optimise(&model).x).unwrap());
        assert!(lower[0] <= 400.0 && lower[0] >= 400.0 * (1.0 - 1e-15));
    }

    /// Not-a-number and infinity in the values must not pass for a proof.
    #[test]
    fn broken_values_certify_nothing() {
        let model = walk(5);
        for broken in [f64::NAN, f64::INFINITY] {
            let mut run = optimise(&model);
            run.x[2] = broken.into();
            assert!(above(&model, &run)[2].nearest().is_infinite());
            let lower = floor(below(&model, &run));
            assert!((0..5).all(|s| lower[s] <= (25 - s * s) as f64));
        }
    }
}
