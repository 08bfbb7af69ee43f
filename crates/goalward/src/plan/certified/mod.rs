//! Certified planning on a known model, made for speed and size.
//!
//! **What it does.** Bounds lower <= V <= upper on the optimal value of every state, all roundings included, and a policy
//! that proves its side of them. The objective is one of
//!
//! * [`Objective::Min`]: V* of the paper, the least expected cost to the goal over the policies that reach it with
//!   probability one; infinite where there is none;
//! * [`Objective::Max`]: the greatest expected cost to the goal. As usual in probabilistic model checking (`Rmax=? [F goal]`),
//!   it is infinite where *some* policy misses the goal with positive probability, even if it would do so for free;
//! * [`Objective::Reach`]: the greatest probability of ever reaching the goal; costs play no part.
//!
//! The graph alone decides which values are infinite, 0 or 1. End components in which one can stay for free (for `Reach`:
//! any) become single nodes, so that what is left has one solution. The strongly connected components are then solved in
//! topological order: a state on its own by its formula; a small component by policy iteration with sparse elimination, after
//! the states without a decision have been eliminated once; a large one by policy iteration with BiCGSTAB. Bounds come from
//! f64 with directed error bounds ([`Solution::width`] says how far they are apart); where they cannot reach the
//! precision asked for, 30-digit arithmetic takes over (up to a few million transitions), and then one of 150 digits (up to 200
//! states), as far as the independent check of the certificate agrees.
//!
//! **What it needs to know.** The truth. Its rows are read as divided by their sums.
//!
//! **Cost.** Linear in the transitions for components of bounded size. Memory beyond problem and truth, while it runs: 16
//! bytes per transition and about 60 per pair; in components too large for elimination 12 more per transition, in smaller
//! ones (up to three million transitions) several times as much for the component at hand.
//!
//! **Reference.** Section 3 of the paper for V*; Baier, Klein, Leuschner, Parker and Wunderlich, Ensuring the reliability of your
//! model checker: interval iteration for Markov decision processes (2017), and Hartmanns and Kaminski, Optimistic value
//! iteration (2020), for sound bounds without contraction; de Alfaro, Computing minimum and maximum reachability times in
//! probabilistic systems (1999), for free components; Dai, Mausam, Weld and Goldsmith, Topological value iteration
//! algorithms (2011), for the order.

mod block;
mod bounds;
mod decide;
mod large;
mod long;
mod nearest;
mod reduce;
mod refine;
mod setup;

use super::improve::nearest_goal;
use super::model::Model;
use super::sense::Sense;
use super::{certificate, exact};
use crate::problem::{Action, Problem, State, Truth};
use crate::{Error, Result};
use block::Solver;
use long::long;
use refine::{Fine, refine};
use setup::Setup;

/// What is optimised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objective {
    /// The least expected cost to the goal, over policies that reach it with probability one.
    Min,
    /// The greatest expected cost to the goal; infinite where some policy may miss it.
    Max,
    /// The greatest probability of reaching the goal.
    Reach,
}

/// Digits beyond f64 of lower and of upper bounds: any number of lists, per state or per node each, that are added to the bounds.
pub(super) type Tails = (Vec<Vec<f64>>, Vec<Vec<f64>>);

/// Certified optimal values: `lower <= V <= upper` in every state.
#[derive(Clone, Debug)]
pub struct Solution {
    /// What was optimised.
    pub objective: Objective,
    /// Certified lower bound, per state.
    pub lower: Vec<f64>,
    /// Certified upper bound, per state.
    pub upper: Vec<f64>,
    /// The value, per state: between the bounds.
    pub v: Vec<f64>,
    /// A policy that attains the values up to the bounds (0 in the goal and in lost states).
    pub policy: Vec<Action>,
    /// `Min`: the states without a policy that reaches the goal with probability one. `Max`: the states in which some
    /// policy may miss it. `Reach`: the states from which it cannot be reached at all.
    pub lost: Vec<State>,
    /// Digits beyond f64 that belong to the lower and upper bounds when they are checked.
    pub(super) tails: Option<Tails>,
}

impl Solution {
    /// The largest value of a state that is not lost: B* for [`Objective::Min`]. Infinite if nothing is known of some state.
    pub fn largest(&self) -> f64 {
        if (0..self.v.len()).any(|s| self.is_vacuous(s)) && self.objective != Objective::Reach {
            return f64::INFINITY;
        }
        self.v.iter().copied().filter(|v| v.is_finite()).fold(0.0, f64::max)
    }

    /// The largest relative width (upper - lower)/upper of the certified intervals.
    pub fn width(&self) -> f64 {
        let widths = self.lower.iter().zip(&self.upper).filter(|(lower, _)| lower.is_finite());
        widths.map(|(lower, upper)| if upper > lower { 1.0 - lower / upper } else { 0.0 }).fold(0.0, f64::max)
    }

    /// Whether nothing useful is known of a state: a cost without an upper bound, though the graph says that it is finite; a
    /// probability that may be anything.
    pub fn is_vacuous(&self, s: State) -> bool {
        match self.objective {
            Objective::Reach => self.lower[s] <= 0.0 && self.upper[s] >= 1.0,
            Objective::Min | Objective::Max => self.lower[s].is_finite() && self.upper[s].is_infinite(),
        }
    }

    /// The expected number of steps of the policy, per state; infinite in lost states. For costs only: a policy for
    /// [`Objective::Reach`] may go on for ever.
    pub fn steps(&self, problem: &Problem, truth: &Truth) -> Vec<f64> {
        if self.objective == Objective::Reach {
            return vec![f64::NAN; problem.states()];
        }
        let setup = Setup::steps(problem, truth, &self.policy, &self.lost);
        let values = Solver::new(&setup.model, Sense::Least, 1e-9).run(&setup.ends);
        let unknown = |node: u32| {
            if values.upper[node as usize].is_finite() { values.x[node as usize] } else { f64::INFINITY }
        };
        let step = |s: State| match setup.node_of(s) {
            Some(node) => unknown(node),
            None => f64::INFINITY,
        };
        (0..problem.states()).map(step).collect()
    }
}

/// Values, bounds and policy of a model's nodes; the goal's 0 at the end.
struct Values {
    x: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    policy: Vec<u32>,
    /// Some interval is wider than asked for.
    wide: bool,
}

/// Above so many transitions the 30-digit arithmetic is not tried: it would take too much memory.
const EXACT_TRANSITIONS: usize = 3_000_000;
/// How many times the roundings of a proof are counted: once if the independent check agrees, else more.
const CARE: [f64; 4] = [1.0, 64.0, 4096.0, 1_048_576.0];

/// Solves a known model to a relative precision: upper - lower <= precision * upper in every state.
///
/// Where arithmetic does not reach the precision, the bounds are the best that could be certified, and still hold: ask
/// [`Solution::width`], and [`Solution::is_vacuous`] for states of which nothing could be proven. Lost states, even a lost start, are not an error: see [`Solution::lost`].
///
/// ```
/// use goalward::{plan::certified::{self, Objective}, problem::{Problem, Truth}};
/// // waiting costs 1 and succeeds one time in four; walking costs 6
/// let mut builder = Problem::builder("patience", 2, 1);
/// let wait = builder.action(0, 1.0)?;
/// let walk = builder.action(0, 6.0)?;
/// builder.feature(0, wait, 0, &[0.75])?.feature(0, wait, 1, &[0.25])?.feature(0, walk, 1, &[1.0])?;
/// let problem = builder.build()?;
/// let truth = Truth::new(&problem, &[1.0])?;
/// let least = certified::solve(&problem, &truth, Objective::Min, 1e-6)?;
/// assert!(least.lower[0] <= 4.0 && 4.0 <= least.upper[0] && least.width() < 1e-6);
/// assert_eq!(least.policy[0], wait);
/// let greatest = certified::solve(&problem, &truth, Objective::Max, 1e-6)?;
/// assert!(greatest.lower[0] <= 6.0 && 6.0 <= greatest.upper[0]);
/// # Ok::<(), goalward::Error>(())
/// ```
pub fn solve(problem: &Problem, truth: &Truth, objective: Objective, precision: f64) -> Result<Solution> {
    if problem.pairs() >= u32::MAX as usize {
        let fault = format!("{} state-action pairs are more than planning can hold", problem.pairs());
        return Err(Error::Field { field: "cost".into(), fault });
    }
    truth.require_fit(problem)?;
    let setup = Setup::new(problem, truth, objective);
    let values = Solver::new(&setup.model, sense(objective), precision).run(&setup.ends);
    let policy = values.wide.then(|| values.policy.clone());
    let solution = setup.finish(problem, truth, objective, values);
    match policy {
        Some(policy) if transitions(problem) <= EXACT_TRANSITIONS => {
            narrowed(problem, truth, &setup, &policy, solution, precision)
        }
        _ => Ok(solution),
    }
}

/// [`solve`], and the independent [check](certificate::check) of what came out. Should a certificate ever fail it, wider bounds
/// take its place: what this returns has passed.
pub fn solve_checked(
    problem: &Problem,
    truth: &Truth,
    objective: Objective,
    precision: f64,
) -> Result<Solution> {
    let solution = solve(problem, truth, objective, precision)?;
    if certificate::check(problem, truth, &solution).is_ok() {
        return Ok(solution);
    }
    let setup = Setup::new(problem, truth, objective);
    let vacuous = setup.finish(problem, truth, objective, vacuous(&setup.model));
    if transitions(problem) > EXACT_TRANSITIONS {
        return Ok(vacuous);
    }
    let policy: Vec<u32> = nearest_goal(&setup.model).into_iter().map(|choice| choice as u32).collect();
    narrowed(problem, truth, &setup, &policy, vacuous, precision)
}

/// What [`solve_checked`] tries on a problem before it has nothing to say of a state.
pub fn tried(problem: &Problem) -> String {
    let mut tried = "policy iteration by elimination or BiCGSTAB, after value iteration; bounds by scaling and by a margin".to_string();
    tried += match transitions(problem) <= EXACT_TRANSITIONS {
        true if problem.states() <= long::NODES => "; the same in 30 digits, and in 150",
        true => "; the same in 30 digits",
        false => "; not in 30 digits, for which the model is too large",
    };
    tried
}

fn transitions(problem: &Problem) -> usize {
    (0..problem.pairs()).last().map_or(0, |p| problem.rows(p).end)
}

fn sense(objective: Objective) -> Sense {
    if objective == Objective::Min { Sense::Least } else { Sense::Greatest }
}

/// Bounds that hold whatever the model is, and a policy that reaches the goal wherever one does.
fn vacuous(model: &Model) -> Values {
    let mut upper = vec![f64::INFINITY; model.nodes];
    upper.push(0.0);
    Values {
        x: vec![0.0; model.nodes + 1],
        lower: vec![0.0; model.nodes + 1],
        upper,
        policy: nearest_goal(model).into_iter().map(|choice| choice as u32).collect(),
        wide: true,
    }
}

/// The narrowest of some bounds in f64 and those that 30-digit arithmetic proves, as far as the independent check agrees.
fn narrowed(
    problem: &Problem,
    truth: &Truth,
    setup: &Setup,
    policy: &[u32],
    mut best: Solution,
    precision: f64,
) -> Result<Solution> {
    let objective = best.objective;
    // whether a certificate holds; it is kept if it is narrower, too
    let holds = |best: &mut Solution, found: Solution| {
        let holds = certificate::check(problem, truth, &found).is_ok();
        if holds && found.width() <= best.width() {
            *best = found;
        }
        holds
    };
    if objective == Objective::Min {
        let (exact, proof) = exact::prove(problem, truth, precision)?;
        let (below, above) = proof.tails(&exact);
        let tails = Some((vec![below], vec![above]));
        let exact::Exact { lower, upper, v, policy, lost, .. } = exact;
        let found = Solution { objective, lower, upper, v, policy, lost, tails };
        if holds(&mut best, found) && best.width() <= precision {
            return Ok(best);
        }
    }
    let most = if objective == Objective::Reach { 1.0 } else { f64::INFINITY };
    let sense = sense(objective);
    let finish = |fine: Fine| {
        let spread = |lists: &[Vec<f64>]| lists.iter().map(|list| setup.tails(problem, list)).collect();
        let tails = (spread(&fine.tails.0), spread(&fine.tails.1));
        Solution { tails: Some(tails), ..setup.finish(problem, truth, objective, fine.values) }
    };
    for care in CARE {
        if holds(&mut best, finish(refine(&setup.model, sense, policy, most, care))) {
            break;
        }
    }
    if best.width() > precision
        && let Some(fine) = long(&setup.model, sense, policy, most)
    {
        holds(&mut best, finish(fine));
    }
    Ok(best)
}

#[cfg(test)]
mod laws;
#[cfg(test)]
pub(super) mod tests;
