//! Planning on a known model: [`solve`].
//!
//! **What it does.** Bounds lower <= V <= upper on the optimal value of every state, all roundings
//! included, and a policy that proves its side of them, for one [`Objective`]. The graph alone
//! decides which values are infinite, 0 or 1 ([`setup`]). End components in which one can stay for
//! free (for [`Objective::Reach`]: any) become single nodes, so that what remains has one solution.
//! The strongly connected components are then solved in topological order, in f64 with directed
//! error bounds ([`blocks`]). *Exact* answers, and those where f64 does not reach the precision,
//! start from that policy and are refined in 30 digits ([`refine`]), as far as the independent check
//! of the certificate agrees.
//!
//! **Which evaluator answers for which block.** The first of these methods that suits a block and
//! finds values. All work on one copy of the block's arcs ([`block`]), from one first policy
//! ([`nearest`]). All but the first two are policy iteration by one driver ([`iterate`]) and differ
//! in how a policy is evaluated ([`evaluate`]).
//!
//! | evaluator | blocks | why |
//! |---|---|---|
//! | formula | one node | nothing is to be solved |
//! | value iteration | from 400 nodes with a decision on, if it settles in 200 sweeps | chains that leave soon: no policy is evaluated, bounds come by scaling |
//! | dense matrix | up to 32 nodes | lists would take longer than the elimination |
//! | sparse elimination | up to 3 million arcs, while it takes few multiplications for each arc; up to 4,000 nodes at any price where all else fails | accurate however long a policy takes |
//! | BiCGSTAB | any, up to 3,000 iterations for a policy | no fill-in |
//! | 30 digits | the whole model, up to 3 million transitions unless asked for | long times, where f64 cannot show the precision |
//!
//! docs/performance.md shows what each is worth. Bounds come by scaling or by a margin ([`bounds`]).
//!
//! **What it needs to know.** The truth. Its rows are read as divided by their sums.
//!
//! **Cost.** Linear in the transitions for components of bounded size. Memory beyond problem and
//! truth, while it runs: 16 bytes per transition and about 60 per pair; in a component 24 more per
//! transition and 40 per pair. Elimination and 30 digits take several times as much.
//!
//! Up to expected times of about 1e12 exact bounds are a few units in the last place apart, whatever
//! was asked. Equally good actions: an exact policy takes the lowest number.
//!
//! **Reference.** Section 3 of the paper for V*, B* and T*; Bertsekas and Tsitsiklis, An analysis of
//! stochastic shortest path problems (1991), for policy iteration; Baier, Klein, Leuschner, Parker
//! and Wunderlich, Ensuring the reliability of your model checker: interval iteration for Markov
//! decision processes (2017), and Hartmanns and Kaminski, Optimistic value iteration (2020), for
//! sound bounds without contraction; de Alfaro, Computing minimum and maximum reachability times in
//! probabilistic systems (1999), for free components; Dai, Mausam, Weld and Goldsmith, Topological
//! value iteration algorithms (2011), for the order.

mod block;
mod blocks;
mod bounds;
mod evaluate;
mod iterate;
mod model;
mod nearest;
mod number;
mod options;
mod proven;
mod refine;
mod setup;
mod values;

use super::answer::{Answer, Objective};
use super::graph::{ahead, possible};
use super::units;
use crate::numeric::linear::double::Double;
use crate::problem::{Pair, Problem, State, Truth};
use crate::{Error, Result};
pub use options::{Extras, Options, Way};
use proven::Asked;
pub use proven::tried;

/// Solves a known model to a relative precision: upper - lower <= precision * upper in every state.
///
/// Where arithmetic does not reach the precision, the bounds are the best that could be certified,
/// and still hold: ask [`Answer::width`], and [`Answer::is_vacuous`] for states of which nothing
/// could be proven. Lost states, even a lost start, are not an error: see [`Answer::lost`] and
/// [`Answer::require_proper`].
///
/// ```
/// use goalward_mdp::plan::{Objective, Options, solve};
/// use goalward_mdp::problem::{Problem, Truth};
/// // waiting costs 1 and succeeds one time in four; walking costs 6
/// let mut builder = Problem::builder("patience", 2, 1);
/// let wait = builder.action(0, 1.0)?;
/// let walk = builder.action(0, 6.0)?;
/// builder.feature(0, wait, 0, &[0.75])?.feature(0, wait, 1, &[0.25])?;
/// builder.feature(0, walk, 1, &[1.0])?;
/// let problem = builder.build()?;
/// let truth = Truth::new(&problem, &[1.0])?;
/// let least = solve(&problem, &truth, &Options::default())?;
/// assert!(least.lower[0] <= 4.0 && 4.0 <= least.upper[0] && least.width() < 1e-12);
/// assert_eq!((least.policy[0], least.t_star, least.reach_probability), (wait, 4.0, 1.0));
/// let greatest = solve(&problem, &truth, &Options::fast(Objective::Max, 1e-6))?;
/// assert!(greatest.lower[0] <= 6.0 && 6.0 <= greatest.upper[0]);
/// # Ok::<(), goalward_mdp::Error>(())
/// ```
pub fn solve(problem: &Problem, truth: &Truth, options: &Options) -> Result<Answer> {
    truth.require_fit(problem)?;
    match units::scaled(problem, options.objective) {
        Some((scaled, scale)) => Ok(units::unscaled(in_units(&scaled, truth, options)?, scale)),
        None => in_units(problem, truth, options),
    }
}

/// The same for costs that leave room below them.
fn in_units(problem: &Problem, truth: &Truth, options: &Options) -> Result<Answer> {
    let asked = Asked { problem, truth, options };
    let mut answer = asked.answer()?;
    if !answer.lost.is_empty() {
        let ahead = ahead(problem, truth);
        answer.lost_ahead.extend(answer.lost.iter().copied().filter(|&s| ahead[s]));
    }
    if options.objective != Objective::Reach {
        let known: Vec<State> = (0..problem.states()).filter(|&s| !answer.is_lost(s)).collect();
        let most = |list: &[f64]| known.iter().map(|&s| list[s]).fold(0.0, f64::max);
        // the greatest cost is infinite where the goal may be missed
        let missed = options.objective == Objective::Max && !answer.lost.is_empty();
        let open = missed || known.iter().any(|&s| answer.is_vacuous(s));
        answer.b_star = if open { f64::INFINITY } else { most(&answer.v) };
        if options.extras.steps {
            let steps = asked.steps(&answer);
            answer.t_star = if missed { f64::INFINITY } else { most(&steps) };
            answer.steps = steps;
        }
    }
    if options.extras.q {
        let mut all: Vec<f64> = (0..problem.pairs()).map(|p| q(problem, truth, &answer, p)).collect();
        // the policy's own Q is V: where only rounding tells them apart, it is the same number
        for s in (0..problem.states()).filter(|&s| problem.actions(s) > 0 && !answer.is_lost(s)) {
            let (p, v) = (problem.pair(s, answer.policy[s]), answer.v[s]);
            if (all[p] - v).abs() <= 1e-12 * v.abs() {
                all[p] = v;
            }
        }
        answer.q = all;
    }
    if options.extras.reach {
        answer.reach_probability = reach_probability(problem, truth, options, &answer)?;
    }
    if options.halt.asked() { Err(Error::Stopped) } else { Ok(answer) }
}

fn q(problem: &Problem, truth: &Truth, answer: &Answer, p: Pair) -> f64 {
    let (mut total, mut inflow) = (Double::ZERO, Double::ZERO);
    let mut endless = false;
    for (next, w) in possible(problem, truth, p) {
        let v = answer.v[next];
        if answer.is_vacuous(next) {
            return f64::NAN;
        }
        endless |= v.is_infinite();
        (total, inflow) = (total.plus(w), inflow + Double::from(v).times(w));
    }
    if endless {
        return f64::INFINITY;
    }
    // a row that sums to 1 but for rounding is read as divided by its sum
    let mean = if total.nearest() > 0.0 { inflow.over(total.nearest()) } else { Double::ZERO };
    let cost = if answer.objective == Objective::Reach { 0.0 } else { problem.cost(p) };
    mean.plus(cost).nearest()
}

fn reach_probability(problem: &Problem, truth: &Truth, options: &Options, answer: &Answer) -> Result<f64> {
    match answer.objective {
        Objective::Reach => Ok(answer.value()),
        // the best policy gets there surely; where costs are greatest, every policy does
        Objective::Min | Objective::Max if !answer.is_lost(problem.start()) => Ok(1.0),
        Objective::Min | Objective::Max => {
            let reach = Options { objective: Objective::Reach, extras: Extras::NONE, ..options.clone() };
            Asked { problem, truth, options: &reach }.answer().map(|reach| reach.value())
        }
    }
}

#[cfg(test)]
mod exact;
#[cfg(test)]
mod laws;
#[cfg(test)]
pub(super) mod tests;
