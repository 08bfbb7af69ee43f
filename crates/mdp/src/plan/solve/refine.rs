//! Values and bounds to about 30 digits on a whole model, from a policy that f64 found: residuals
//! in 30 digits, corrections in f64. Policy iteration goes on while a choice gains more than noise.

use super::block::Block;
use super::bounds::{Proof, Side, WIDEST};
use super::evaluate::{Eliminated, Evaluate, Iterated};
use super::iterate::{load, margin};
use super::model::{Choice, Model};
use super::number::Number;
use super::values::{Sense, Values};
use crate::numeric::halt::Halt;
use crate::numeric::linear::double::Double;
use crate::plan::answer::Tails;

/// The gain that counts, relative to the value: above the noise of 30 digits over long times.
const NOISE: f64 = 1e-22;
/// Improvements at most; it needs a few, and no certificate depends on it.
const ROUNDS: usize = 300;
/// Corrections at most, and when they are small enough.
const CORRECTIONS: usize = 12;
const SMALL: f64 = 1e-29;
/// How accurate a correction is, relative to the largest residual.
const CORRECT: f64 = 1e-6;
/// Multiplications of an elimination, and the iterations that take over where it needs more.
const WORK: f64 = 6e9;
const ITERATIONS: usize = 3000;
const TIE: f64 = 1e-12;

/// A policy with its values, the goal's 0 at the end.
#[derive(Clone)]
struct Run {
    policy: Vec<u32>,
    x: Vec<Double>,
    /// The relative size of the last correction: the order of the error of `x`.
    accuracy: f64,
}

pub(super) struct Refined<'a> {
    model: &'a Model,
    sense: Sense,
    block: Block,
    by: Box<dyn Evaluate>,
    best: Run,
    told: Option<Run>,
}

impl<'a> Refined<'a> {
    /// Policy iteration from a policy, or from one that goes to the goal by the cheapest arcs.
    pub(super) fn new(model: &'a Model, sense: Sense, from: &[u32], halt: &Halt) -> Refined<'a> {
        let mut block = Block::default();
        block.load(model, sense, 0..model.nodes, &vec![0.0; model.nodes + 1]);
        let best = Run { policy: Vec::new(), x: vec![Double::ZERO; model.nodes + 1], accuracy: f64::NAN };
        let by = Box::new(Eliminated::new(WORK, halt));
        let mut refined = Refined { model, sense, block, by, best, told: None };
        let mut policy = from.to_vec();
        if !refined.leaves(&policy) {
            refined.block.begin();
            policy = refined.by_node(refined.block.taken().map(|choice| choice as u32));
        }
        if !load(&mut refined.block, &mut *refined.by) {
            refined.by = Box::new(Iterated::new(ITERATIONS, halt));
        }
        refined.best = refined.evaluated(policy);
        for _ in 0..ROUNDS {
            let better: Vec<u32> = (0..model.nodes).map(|s| refined.better(s)).collect();
            if better == refined.best.policy || halt.asked() || !refined.leaves(&better) {
                break;
            }
            refined.best = refined.evaluated(better);
        }
        refined
    }

    fn by_node<T: Copy + Default>(&self, list: impl Iterator<Item = T>) -> Vec<T> {
        let mut nodes = vec![T::default(); self.model.nodes];
        self.block.nodes().iter().zip(list).for_each(|(&s, x)| nodes[s as usize] = x);
        nodes
    }

    /// Turns to a policy; whether it reaches the goal from everywhere.
    fn leaves(&mut self, policy: &[u32]) -> bool {
        let nodes = self.block.nodes().to_vec();
        self.block.take(nodes.into_iter().map(|s| policy[s as usize] as Choice));
        self.block.leaves()
    }

    fn evaluated(&mut self, policy: Vec<u32>) -> Run {
        let n = self.model.nodes;
        let mut run = Run { policy, x: vec![Double::ZERO; n + 1], accuracy: f64::INFINITY };
        for round in 0..CORRECTIONS {
            let lacks = |s: usize| Double::slack(self.model, s, run.policy[s] as Choice, &run.x).value;
            let residual: Vec<f64> = (0..n).map(lacks).collect();
            let Some(correction) = self.correction(&run.policy, residual) else {
                run.accuracy = if round == 0 { f64::NAN } else { run.accuracy };
                break;
            };
            let relative = |(d, x): (&f64, &Double)| match x.nearest() {
                0.0 if *d == 0.0 => 0.0,
                x => (d / x).abs(),
            };
            let size = correction.iter().zip(&run.x).map(relative).fold(0.0, f64::max);
            // the first correction is the f64 solution itself, infinite relative to x = 0
            if round > 1 && (size.is_nan() || size > 0.5 * run.accuracy) {
                break;
            }
            run.x.iter_mut().zip(&correction).for_each(|(x, &d)| *x = Double::plus(*x, d));
            run.accuracy = size;
            if size < SMALL {
                break;
            }
        }
        run
    }

    fn correction(&mut self, policy: &[u32], residual: Vec<f64>) -> Option<Vec<f64>> {
        let nodes = self.block.nodes().to_vec();
        self.block.take(nodes.iter().map(|&s| policy[s as usize] as Choice));
        if !self.block.is_loaded() {
            load(&mut self.block, &mut *self.by).then_some(())?;
        }
        let unit = |(i, &s): (usize, &u32)| {
            let leaving = self.model.leaving[policy[s as usize] as Choice];
            residual[s as usize] / leaving * self.block.share(i)
        };
        let b: Vec<f64> = nodes.iter().enumerate().map(unit).collect();
        let enough = CORRECT * b.iter().fold(0.0, |most: f64, b| most.max(b.abs()));
        let mut x = vec![0.0; b.len()];
        self.by.solve(b, &mut x, enough).then_some(())?;
        Some(self.by_node(x.into_iter()))
    }

    /// What a choice takes more than a node's value, relative to nothing.
    fn excess(&self, s: usize, choice: Choice) -> f64 {
        self.sense.sigma() * Double::slack(self.model, s, choice, &self.best.x).value
            / self.model.leaving[choice]
    }

    /// The choice of a node that gains most, if one gains more than noise; else its own.
    fn better(&self, s: usize) -> u32 {
        let noise = NOISE.max(100.0 * self.best.accuracy);
        let (mut best, mut better) = (-noise * self.best.x[s].nearest(), self.best.policy[s]);
        for choice in self.model.choices(s) {
            let excess = self.excess(s, choice);
            if excess < best {
                (best, better) = (excess, choice as u32);
            }
        }
        better
    }

    /// Breaks ties by the lowest action: each node takes the first choice within 1e-12 of the best,
    /// if all values stay within a precision. Nodes that would then not reach the goal keep their
    /// choice, so that the outcome is proper.
    pub(super) fn break_ties(&mut self, precision: f64) {
        let x = |s: usize| self.best.x[s].nearest();
        let tied = |s: usize, choice: Choice| {
            self.excess(s, choice) * self.model.leaving[choice] / self.model.total[choice] <= TIE * x(s)
        };
        let first = |s: usize| self.model.choices(s).find(|&choice| tied(s, choice));
        let mut policy: Vec<u32> =
            (0..self.model.nodes).map(|s| first(s).map_or(self.best.policy[s], |c| c as u32)).collect();
        if !self.leaves(&policy) {
            let leaving = self.by_node(self.block.leaving().into_iter());
            let own = (0..policy.len()).filter(|&s| !leaving[s]);
            own.for_each(|s| policy[s] = self.best.policy[s]);
        }
        if policy != self.best.policy {
            let run = self.evaluated(policy);
            let close = |s: usize| run.x[s].nearest() <= self.best.x[s].nearest() * (1.0 + precision);
            self.told = (0..self.model.nodes).all(close).then_some(run);
        }
    }

    /// Bounds, with roundings counted `care` times. No value exceeds `most`.
    pub(super) fn prove(&mut self, care: f64, most: f64) -> (Values, Tails) {
        let n = self.model.nodes;
        let proof = Proof { model: self.model, sense: self.sense, care };
        let mut best = self.values(&self.best);
        let mut told = self.values(self.told.as_ref().unwrap_or(&self.best));
        for (side, values) in Side::BOTH.into_iter().zip([&mut told, &mut best]) {
            let Refined { block, by, .. } = self;
            let margin =
                |policy: &[u32], need: Vec<f64>| margin(block, &mut **by, proof.model, policy, &need);
            if !proof.by_margin(side, values, 0..n, margin) && !proof.by_scaling(side, WIDEST, values, 0..n) {
                values.lower[..n].fill(Double::ZERO);
                values.upper[..n].fill(f64::INFINITY.into());
            }
        }
        let (lower, upper) = match self.sense {
            Sense::Least => (best.lower, told.upper),
            Sense::Greatest => (told.lower, best.upper),
        };
        Values { x: best.x, lower, upper, policy: told.policy }.rounded(most)
    }

    fn values(&self, run: &Run) -> Values<Double> {
        let n = self.model.nodes;
        let bounds = |bound: f64| -> Vec<Double> {
            (0..=n).map(|s| if s < n { bound.into() } else { Double::ZERO }).collect()
        };
        Values {
            x: run.x.clone(),
            lower: bounds(0.0),
            upper: bounds(f64::INFINITY),
            policy: run.policy.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Objective;
    use crate::plan::solve::setup::Setup;
    use crate::plan::solve::tests::problem;
    use crate::problem::{Problem, Truth};

    /// A fair walk with a wall at 0 and, in every state, a dear way out that is never worth it:
    /// n^2 - s^2 steps.
    fn walk(n: usize) -> (Problem, Truth) {
        let mut rows = Vec::new();
        for s in 0..n {
            rows.push((s, 1.0, if s == 0 { vec![(1, 1.0)] } else { vec![(s - 1, 0.5), (s + 1, 0.5)] }));
            rows.push((s, 1e4, vec![(n, 1.0)]));
        }
        let rows: Vec<_> = rows.iter().map(|(s, cost, next)| (*s, *cost, &next[..])).collect();
        problem(n + 1, &rows)
    }

    /// Calls `f` with a model of so many states, what is known of it to 30 digits, and each state's
    /// node.
    fn with_walk(n: usize, f: impl Fn(&mut Refined, &dyn Fn(usize) -> usize)) {
        let (problem, truth) = walk(n);
        let setup = Setup::new(&problem, &truth, Objective::Min);
        let first: Vec<u32> = (0..n).map(|s| setup.model.choices(s).start as u32).collect();
        let mut refined = Refined::new(&setup.model, Sense::Least, &first, &Halt::never());
        f(&mut refined, &|s| setup.node_of(s).unwrap() as usize);
    }

    /// Bounds hold from values that are as wrong as `noise`, to both sides.
    #[test]
    fn bounds_hold_from_values_that_are_off() {
        let n = 20;
        for noise in [0.0, 1e-13, 1e-9, 1e-5] {
            with_walk(n, |refined, node| {
                for s in 0..n {
                    let sign = if s * 7 % 3 == 0 { 1.0 } else { -1.0 };
                    let x = refined.best.x[node(s)];
                    refined.best.x[node(s)] = x + x.times(sign * noise);
                }
                let Values { lower, upper, .. } = refined.prove(1.0, f64::INFINITY).0;
                for s in 0..n {
                    let (answer, k) = ((n * n - s * s) as f64, node(s));
                    assert!(lower[k] <= answer && lower[k] >= answer * (1.0 - 1e4 * noise - 1e-15));
                    assert!(answer <= upper[k] && upper[k] <= answer * (1.0 + 1e4 * noise + 1e-15));
                }
            });
        }
    }

    #[test]
    fn scaling_is_tight_for_accurate_values() {
        with_walk(20, |refined, node| {
            let proof = Proof { model: refined.model, sense: Sense::Least, care: 1.0 };
            let mut values = refined.values(&refined.best);
            for side in Side::BOTH {
                assert!(proof.by_scaling(side, WIDEST, &mut values, 0..20));
            }
            let Values { lower, upper, .. } = values.rounded(f64::INFINITY).0;
            let k = node(0);
            assert!(lower[k] <= 400.0 && 400.0 <= upper[k] && upper[k] - lower[k] <= 400.0 * 1e-15);
        });
    }

    /// Not-a-number and infinity in the values must not pass for a proof.
    #[test]
    fn broken_values_certify_nothing() {
        for broken in [f64::NAN, f64::INFINITY] {
            with_walk(5, |refined, node| {
                refined.best.x[node(2)] = broken.into();
                let Values { lower, upper, .. } = refined.prove(1.0, f64::INFINITY).0;
                assert!(upper[node(2)].is_infinite());
                assert!((0..5).all(|s| lower[node(s)] <= (25 - s * s) as f64));
            });
        }
    }
}
