//! Planning on a known model: [`solve`].
//!
//! **What it does.** Bounds lower <= V <= upper on the optimal value of every state, all roundings
//! included, and a policy that proves its side of them, for one [`Objective`]. There are two ways:
//!
//! * *exact*, for the least cost alone: policy iteration evaluated to 30 digits, with bounds that
//!   are a few units in the last place apart. The default where that is
//!   cheap.
//! * *fast*, made for speed and size. The graph alone decides which values are infinite, 0 or 1.
//!   End components in which one can stay for free (for [`Objective::Reach`]: any) become single
//!   nodes, so that what is left has one solution. The strongly connected components are then
//!   solved in topological order, in f64 with directed error bounds. Where these cannot reach the
//!   precision asked for, 30-digit arithmetic takes over (up to a few million transitions), as far
//!   as the independent check of the certificate agrees.
//!
//! **What it needs to know.** The truth. Its rows are read as divided by their sums.
//!
//! **Cost.** Of the fast way: linear in the transitions for components of bounded size. Memory
//! beyond problem and truth, while it runs: 16 bytes per transition and about 60 per pair; in
//! components too large for elimination 12 more per transition and 30 per pair, in smaller ones (up
//! to three million transitions) several times as much for the component at hand.
//!
//! **Reference.** Section 3 of the paper for V*; Baier, Klein, Leuschner, Parker and Wunderlich,
//! Ensuring the reliability of your model checker: interval iteration for Markov decision processes
//! (2017), and Hartmanns and Kaminski, Optimistic value iteration (2020), for sound bounds without
//! contraction; de Alfaro, Computing minimum and maximum reachability times in probabilistic
//! systems (1999), for free components; Dai, Mausam, Weld and Goldsmith, Topological value
//! iteration algorithms (2011), for the order.

mod bounds;
mod digits;
mod evaluated;
mod exact;
mod fast;
mod model;
mod number;
mod options;
mod policy;
mod proven;
mod sense;
mod setup;
mod sweeps;
mod values;

use super::answer::{Answer, Objective};
use super::graph::{ahead, possible};
use super::units;
use crate::Result;
use crate::problem::{Pair, Problem, State, Truth};
pub use options::{Extras, Options, Trust, Way};

/// Above so many pairs the exact way is not worth a try.
const LARGE: usize = 20_000;
/// The precision of the exact way, if nothing else is said.
const EXACTLY: f64 = 1e-12;
/// That of the fast way.
const QUICKLY: f64 = 1e-8;

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
    let mut answer = match exactly(problem, truth, options) {
        Some(answer) => answer,
        None => quickly(problem, truth, options)?,
    };
    if options.extras.reach {
        answer.reach_probability = reach_probability(problem, truth, options, &answer)?;
    }
    Ok(answer)
}

/// What [`solve`] tries the fast way before it has nothing to say of a state.
pub fn tried(problem: &Problem) -> String {
    proven::tried(problem)
}

/// The exact way, where it is wanted and leads to something.
fn exactly(problem: &Problem, truth: &Truth, options: &Options) -> Option<Answer> {
    let possible = options.objective == Objective::Min && options.way != Way::Fast;
    let small = options.way == Way::Exact || problem.pairs() <= LARGE;
    let ready = (possible && small).then(|| exact::Ready::new(problem, truth))?;
    if options.way == Way::Auto && !ready.is_cheap() {
        return None;
    }
    let (answer, _) = ready.prove(options.precision.unwrap_or(EXACTLY));
    (options.way == Way::Exact || answer.require_bounds(problem).is_ok()).then_some(answer)
}

/// The fast way.
fn quickly(problem: &Problem, truth: &Truth, options: &Options) -> Result<Answer> {
    let (objective, precision) = (options.objective, options.precision.unwrap_or(QUICKLY));
    let mut answer = match options.trust {
        Trust::Checked => proven::checked(problem, truth, objective, precision)?,
        Trust::Unchecked => proven::unchecked(problem, truth, objective, precision)?,
    };
    answer.lost_ahead = Vec::new();
    if !answer.lost.is_empty() {
        let ahead = ahead(problem, truth);
        answer.lost_ahead.extend(answer.lost.iter().copied().filter(|&s| ahead[s]));
    }
    (answer.b_star, answer.t_star) = (f64::NAN, f64::NAN);
    if objective == Objective::Reach {
        return Ok(answer);
    }
    // the greatest cost is infinite where the goal may be missed
    let is_infinite = objective == Objective::Max && !answer.lost.is_empty();
    answer.b_star = if is_infinite { f64::INFINITY } else { largest(&answer) };
    if options.extras.steps {
        answer.steps = proven::steps(problem, truth, &answer);
        let most = answer.steps.iter().copied().filter(|t| t.is_finite()).fold(0.0, f64::max);
        answer.t_star = if is_infinite { f64::INFINITY } else { most };
    }
    if options.extras.q {
        // infinity times zero is none: an impossible successor does not count
        let inflow = |p: Pair| possible(problem, truth, p).map(|(next, w)| w * answer.v[next]).sum::<f64>();
        answer.q = (0..problem.pairs()).map(|p| inflow(p) + problem.cost(p)).collect();
    }
    Ok(answer)
}

/// The largest value of a state that is not lost; infinite if nothing is known of one.
fn largest(answer: &Answer) -> f64 {
    if (0..answer.v.len()).any(|s: State| answer.is_vacuous(s)) {
        return f64::INFINITY;
    }
    answer.v.iter().copied().filter(|v| v.is_finite()).fold(0.0, f64::max)
}

/// The greatest probability of reaching the goal from the start, if anything is known of it.
fn reach_probability(problem: &Problem, truth: &Truth, options: &Options, answer: &Answer) -> Result<f64> {
    match answer.objective {
        Objective::Reach => Ok(answer.value()),
        // the best policy gets there surely; where costs are greatest, every policy does
        Objective::Min | Objective::Max if !answer.is_lost(problem.start()) => Ok(1.0),
        Objective::Min | Objective::Max => {
            let reach = Options { objective: Objective::Reach, extras: Extras::NONE, ..options.clone() };
            quickly(problem, truth, &reach).map(|reach| reach.value())
        }
    }
}

#[cfg(test)]
mod laws;
#[cfg(test)]
pub(super) mod tests;
