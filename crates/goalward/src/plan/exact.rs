//! Exact planning on a known model, with certified two-sided bounds.
//!
//! **What it does.** V* is the least expected cost to the goal over the *proper* policies, those that reach it with
//! probability one (the paper's definition; with zero costs a policy that loops for free forever would be cheaper, and
//! does not count). Graph search finds the states that have none and collapses the components in which one can move for
//! free; policy iteration finds an optimal policy; two vectors that satisfy U >= c + PU under the policy
//! and L <= c + PL for every pair, checked with all roundings, prove the bounds.
//!
//! **What it needs to know.** The truth. Its rows are read as divided by their sums.
//!
//! **Cost.** A dozen sparse eliminations: linear on lines and trees, S^1.5 on grids, S^3/3 each at worst; Gauss-Seidel
//! sweeps where that is too much.
//!
//! **Reference.** Section 3 of the paper for V*, B* and T*; Bertsekas and Tsitsiklis, An analysis of stochastic
//! shortest path problems (1991), for policy iteration; de Alfaro, Computing minimum and maximum reachability times in
//! probabilistic systems (1999), for free components.

use super::certified::{self, Objective};
use super::certify;
use super::double::Double;
use super::expand::expand;
use super::graph::{Backwards, Partition, Region, ahead, free_components, possible};
use super::improve::{Evaluated, first_of_ties, optimise};
use super::model::{Choice, Model};
use crate::problem::{Action, Pair, Problem, State, Truth};
use crate::{Error, Result};

/// The optimal values of a known model, with a proof: `lower <= V* <= upper` in every state.
///
/// Lost states, from which no policy reaches the goal with probability one, have infinite values.
#[derive(Clone, Debug)]
pub struct Exact {
    /// Certified lower bound on V*, per state.
    pub lower: Vec<f64>,
    /// Certified upper bound on V*, per state: what `policy` pays at most.
    pub upper: Vec<f64>,
    /// V*, per state: between the bounds.
    pub v: Vec<f64>,
    /// Q*, per pair: c + P V*; infinite for a pair that may lead to a lost state.
    pub q: Vec<f64>,
    /// An optimal proper policy (0 in the goal and in lost states).
    pub policy: Vec<Action>,
    /// The expected number of steps of `policy`, per state; infinite in lost states.
    pub steps: Vec<f64>,
    /// B* = max V* over the states that are not lost.
    pub b_star: f64,
    /// T* = max of `steps` over the states that are not lost.
    pub t_star: f64,
    /// The states that cannot reach the goal with probability one.
    pub lost: Vec<State>,
    /// Those of them that can be reached from the start, by whatever actions.
    pub lost_ahead: Vec<State>,
}

impl Exact {
    /// An error that names the lost states ahead of the start, if there are any: a learner that tries every action
    /// would end in one of them, and no regret could be defined.
    pub fn require_proper(&self, problem: &Problem) -> Result<()> {
        if self.lost_ahead.is_empty() {
            return Ok(());
        }
        let states = self.lost_ahead.iter().map(|&s| problem.state_name(s).into_owned()).collect();
        Err(Error::NoProperPolicy { states })
    }

    /// An error that names the states of which nothing could be proven, if there are any: no regret can be measured against
    /// a cost that is not known, and no bound on B* be told.
    pub fn require_bounds(&self, problem: &Problem) -> Result<()> {
        let open = |&s: &State| self.lower[s].is_finite() && self.upper[s].is_infinite();
        let states: Vec<String> =
            (0..problem.states()).filter(open).map(|s| problem.state_name(s).into_owned()).collect();
        if states.is_empty() { Ok(()) } else { Err(Error::NoBound { states }) }
    }

    /// The largest relative width (upper - lower)/upper of the certified intervals.
    pub fn width(&self) -> f64 {
        let widths = self.lower.iter().zip(&self.upper).filter(|(lower, _)| lower.is_finite());
        widths.map(|(lower, upper)| if upper > lower { 1.0 - lower / upper } else { 0.0 }).fold(0.0, f64::max)
    }
}

/// Solves a known model to a relative precision: upper - lower <= precision * max(upper, 1e-300) in every state.
///
/// Up to expected times of about 1e12 what comes out is within a few units in the last place, whatever was asked; where
/// arithmetic does not reach the precision, the bounds are the best that could be certified (the upper one may be
/// infinite), and still hold: ask [`Exact::width`]. Lost states, even a lost start, are not
/// an error here: see [`Exact::require_proper`]. Equally good actions: the policy takes the lowest number.
///
/// ```
/// use goalward::{plan::exact, problem::{Problem, Truth}};
/// let mut builder = Problem::builder("patience", 2, 1);
/// let wait = builder.action(0, 1.0)?;
/// builder.feature(0, wait, 0, &[0.75])?.feature(0, wait, 1, &[0.25])?;
/// let problem = builder.build()?;
/// let exact = exact::solve(&problem, &Truth::new(&problem, &[1.0])?, 1e-12)?;
/// assert!(exact.lower[0] <= 4.0 && 4.0 <= exact.upper[0] && exact.width() < 1e-12);
/// # Ok::<(), goalward::Error>(())
/// ```
pub fn solve(problem: &Problem, truth: &Truth, precision: f64) -> Result<Exact> {
    truth.require_fit(problem)?;
    Ok(prove(problem, truth, precision)?.0)
}

/// The vectors that prove the bounds, with all their digits, per state.
pub(super) struct Proof {
    lower: Vec<Double>,
    upper: Vec<Double>,
}

impl Proof {
    /// What the bounds lack of the vectors that prove them.
    pub(super) fn tails(&self, exact: &Exact) -> (Vec<f64>, Vec<f64>) {
        let rest = |proof: &[Double], bound: &[f64]| {
            let rest = |(x, bound): (&Double, &f64)| {
                if bound.is_finite() { (*x - Double::from(*bound)).nearest() } else { 0.0 }
            };
            proof.iter().zip(bound).map(rest).collect()
        };
        (rest(&self.lower, &exact.lower), rest(&self.upper, &exact.upper))
    }
}

/// Above so many pairs elimination takes minutes.
const LARGE: usize = 20_000;

/// The optimal values of a problem of any size: to 1e-12 by [`solve`] up to 20,000 pairs; beyond, and where that proves
/// nothing of a state, to 1e-8 by [`certified`], which is made for size and has more digits.
pub fn solve_any_size(problem: &Problem, truth: &Truth) -> Result<Exact> {
    if problem.pairs() <= LARGE {
        let exact = solve(problem, truth, 1e-12)?;
        if exact.require_bounds(problem).is_ok() {
            return Ok(exact);
        }
    }
    let solution = certified::solve_checked(problem, truth, Objective::Min, 1e-8)?;
    let steps = solution.steps(problem, truth);
    let v = &solution.v;
    // infinity times zero is none: an impossible successor does not count
    let q = |p: Pair| possible(problem, truth, p).map(|(next, w)| w * v[next]).sum::<f64>() + problem.cost(p);
    let ahead = ahead(problem, truth);
    Ok(Exact {
        q: (0..problem.pairs()).map(q).collect(),
        b_star: solution.largest(),
        t_star: steps.iter().copied().filter(|t| t.is_finite()).fold(0.0, f64::max),
        lost_ahead: solution.lost.iter().copied().filter(|&s| ahead[s]).collect(),
        lost: solution.lost,
        policy: solution.policy,
        lower: solution.lower,
        upper: solution.upper,
        v: solution.v,
        steps,
    })
}

/// [`solve`], with the proof.
pub(super) fn prove(problem: &Problem, truth: &Truth, precision: f64) -> Result<(Exact, Proof)> {
    let region = Region::new(problem, &Backwards::new(problem, truth));
    let inside = || (0..problem.states()).filter(|&s| region.inside[s] && s != problem.goal());
    let free = free_components(problem, truth, &region.usable);
    let partition = Partition::new(problem, inside(), free.as_ref().map(|free| &free.class[..]));
    let quotient = Model::new(problem, truth, &region.usable, &partition);
    let optimum = optimise(&quotient);
    let lower_proof = spread(&partition, &certify::below(&quotient, &optimum, 1.0));
    let lower: Vec<f64> = lower_proof.iter().map(|&l| Double::floor(l)).collect();

    let flat = Flat::new(problem, truth, &region, inside());
    let inner = free.as_ref().map(|free| &free.inner[..]);
    let run = |policy: &[Choice]| {
        flat.run(&expand(problem, truth, inner, &partition, |node| quotient.pair[policy[node]]))
    };
    let (mut policy, mut upper_proof, mut steps) =
        run(&first_of_ties(&quotient, &optimum).unwrap_or_else(|| optimum.policy.clone()));
    let ceil = |proof: &[Double]| -> Vec<f64> { proof.iter().map(|&u| Double::ceil(u)).collect() };
    let mut upper = ceil(&upper_proof);
    if !within(&lower, &upper, precision) {
        // breaking the ties cost too much
        (policy, upper_proof, steps) = run(&optimum.policy);
        upper = ceil(&upper_proof);
    }

    let x: Vec<Double> =
        partition.node_of.iter().map(|&k| optimum.x.get(k as usize).copied().unwrap_or_default()).collect();
    let between = |s: State| x[s].nearest().max(lower[s]).min(upper[s]);
    let v: Vec<f64> = (0..problem.states()).map(between).collect();
    let max_inside = |values: &[f64]| {
        (0..values.len()).filter(|&s| region.inside[s]).map(|s| values[s]).fold(0.0, f64::max)
    };
    let ahead = ahead(problem, truth);
    let exact = Exact {
        q: flat.q(problem, &x, &v),
        b_star: max_inside(&v),
        t_star: max_inside(&steps),
        lost: (0..problem.states()).filter(|&s| !region.inside[s]).collect(),
        lost_ahead: (0..problem.states()).filter(|&s| ahead[s] && !region.inside[s]).collect(),
        policy: policy
            .into_iter()
            .enumerate()
            .map(|(s, p)| p.map_or(0, |p| p - problem.pairs_of(s).start))
            .collect(),
        lower,
        upper,
        v,
        steps,
    };
    Ok((exact, Proof { lower: lower_proof, upper: upper_proof }))
}

fn within(lower: &[f64], upper: &[f64], precision: f64) -> bool {
    let close = |(l, u): (&f64, &f64)| l == u || u - l <= precision * u.max(1e-300);
    lower.iter().zip(upper).all(close)
}

/// From nodes to states: infinite in lost states.
fn spread<T: Copy + From<f64>>(partition: &Partition, values: &[T]) -> Vec<T> {
    let lost = T::from(f64::INFINITY);
    partition.node_of.iter().map(|&node| values.get(node as usize).copied().unwrap_or(lost)).collect()
}

/// The model over single states, on which policies of states are evaluated.
struct Flat {
    partition: Partition,
    model: Model,
    usable: Vec<bool>,
    /// The choice of each pair of the problem, if it is one.
    choice: Vec<Option<Choice>>,
}

impl Flat {
    fn new(problem: &Problem, truth: &Truth, region: &Region, inside: impl Iterator<Item = State>) -> Flat {
        let partition = Partition::new(problem, inside, None);
        let model = Model::new(problem, truth, &region.usable, &partition);
        let mut choice = vec![None; problem.pairs()];
        model.pair.iter().enumerate().for_each(|(i, &p)| choice[p] = Some(i));
        Flat { partition, model, usable: region.usable.clone(), choice }
    }

    /// The state of each node.
    fn states(&self) -> impl Iterator<Item = State> + '_ {
        (0..self.partition.nodes()).flat_map(|node| self.partition.members(node))
    }

    /// A proper policy, with certified upper bounds on its costs, and its expected steps.
    fn run(&self, pairs: &[Option<Pair>]) -> (Vec<Option<Pair>>, Vec<Double>, Vec<f64>) {
        let choice =
            |s: State| pairs[s].and_then(|p| self.choice[p]).expect("a proper policy leaves every state");
        let policy: Vec<Choice> = self.states().map(choice).collect();
        let run = Evaluated::new(&self.model, policy);
        let upper = certify::above(&self.model, &run, 1.0);
        let mut steps =
            run.evaluator.solve(run.policy.iter().map(|&choice| self.model.total[choice]).collect());
        // beyond f64, infinity minus infinity may have happened
        steps.iter_mut().filter(|t| t.is_nan()).for_each(|t| *t = f64::INFINITY);
        steps.push(0.0);
        (pairs.to_vec(), spread(&self.partition, &upper), spread(&self.partition, &steps))
    }

    /// c + PV per pair: V plus the slack over S. Pairs that only loop cost c + V.
    fn q(&self, problem: &Problem, x: &[Double], v: &[f64]) -> Vec<f64> {
        let mut values: Vec<Double> = self.states().map(|s| x[s]).collect();
        values.push(Double::ZERO);
        let mut q = vec![f64::INFINITY; problem.pairs()];
        problem.pairs_of(problem.goal()).for_each(|p| q[p] = 0.0);
        for (node, s) in self.states().enumerate() {
            for p in problem.pairs_of(s).filter(|&p| self.usable[p]) {
                q[p] = match self.choice[p] {
                    Some(choice) => {
                        let slack = self.model.slack(node, choice, &values).value;
                        (values[node] + slack.times(self.model.total[choice].recip())).nearest()
                    }
                    None => problem.cost(p) + v[s],
                };
            }
        }
        q
    }
}

#[cfg(test)]
mod laws;
#[cfg(test)]
mod tests;
