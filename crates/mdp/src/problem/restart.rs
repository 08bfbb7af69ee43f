//! A second chance: a step to a state from which the goal cannot be reached leads to the start.

use super::{Entry, Instance, Problem, ProblemBuilder, State, Truth, leads_to};
use crate::Result;

const NAME: &str = "restart";

/// The instance in which a step that would end in a state from which the goal cannot be reached
/// ends in the start instead, at the step's own cost: what is paid for a fall is the step.
///
/// The states themselves are then never entered. They keep one action, back to the start, which
/// costs 1. Also gives those states. If there are none, or if the start itself is one of them,
/// nothing changes.
///
/// ```
/// use goalward_mdp::{plan::{Options, solve}, problem::{Problem, Truth, restart}};
/// // one leap: the goal or a hole, each half of the time;
/// // only the second feature would lead out of the hole
/// let mut builder = Problem::builder("leap", 3, 2);
/// let leap = builder.action(0, 1.0)?;
/// let stay = builder.action(1, 1.0)?;
/// builder.feature(0, leap, 1, &[0.5, 0.5])?.feature(0, leap, 2, &[0.5, 0.5])?;
/// builder.feature(1, stay, 1, &[1.0, 0.0])?.feature(1, stay, 2, &[0.0, 1.0])?;
/// let problem = builder.build()?;
/// let truth = Truth::new(&problem, &[1.0, 0.0])?;
/// let (again, holes) = restart(&problem, &truth)?;
/// let best = solve(&again.problem, again.truth()?, &Options::default())?;
/// assert_eq!(holes, [1]);
/// assert!((best.v[0] - 2.0).abs() < 1e-8); // x = 1 + x/2
/// # Ok::<(), goalward_mdp::Error>(())
/// ```
pub fn restart(problem: &Problem, truth: &Truth) -> Result<(Instance, Vec<State>)> {
    truth.require_fit(problem)?;
    let arcs = || {
        let possible = |p| {
            let ends = problem.successors(p).iter().zip(truth.row(problem, p));
            ends.filter(|(_, probability)| **probability > 0.0).map(|(&next, _)| next)
        };
        let of = move |s: State| problem.pairs_of(s).flat_map(possible).map(move |next| (s as u32, next));
        (0..problem.states()).flat_map(of)
    };
    let hopeful = leads_to(problem.states(), problem.goal(), arcs);
    let lost = |s: State| !hopeful[s];
    let all: Vec<State> = (0..problem.states()).filter(|&s| lost(s)).collect();
    if all.is_empty() || lost(problem.start()) {
        return Ok((Instance::of(problem.clone(), Some(truth.clone())), all));
    }
    let mut builder = with_a_way_back(problem, &lost)?;
    let instance = match truth.theta() {
        Some(theta) if !truth.is_kernel() => Instance::new(builder.build()?, theta)?,
        _ => {
            let moved = moved(problem, truth, &lost);
            for &(s, a, next, _) in &moved {
                builder.successor(s, a, next)?;
            }
            Instance::from_kernel(builder.build()?, &moved)?
        }
    };
    Ok((instance, all))
}

/// The problem's parts, with lost states that lead back to the start.
fn with_a_way_back(problem: &Problem, lost: &dyn Fn(State) -> bool) -> Result<ProblemBuilder> {
    let mut builder = ProblemBuilder::like(problem);
    if let Some(names) = problem.action_names() {
        let kept = |s: State| if lost(s) { vec![NAME] } else { names.of(s).collect() };
        builder.name_actions((0..problem.states()).map(kept));
    }
    for s in 0..problem.states() {
        if lost(s) {
            let a = builder.action(s, 1.0)?;
            // what a pair's rows sum to is one for every theta in B
            let mut sum = vec![0.0; problem.dim()];
            for row in problem.phi(problem.pairs_of(s).start).chunks_exact(problem.dim()) {
                sum.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
            }
            builder.feature(s, a, problem.start(), &sum)?;
            continue;
        }
        for p in problem.pairs_of(s) {
            let a = builder.action(s, problem.cost(p))?;
            let mut back = vec![0.0; problem.dim()];
            for (&next, row) in problem.successors(p).iter().zip(problem.phi(p).chunks_exact(problem.dim())) {
                if lost(next as State) || next as State == problem.start() {
                    back.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
                } else {
                    builder.feature(s, a, next as State, row)?;
                }
            }
            builder.feature(s, a, problem.start(), &back)?;
        }
    }
    Ok(builder)
}

/// The entries of the kernel in which what would be lost begins again.
fn moved(problem: &Problem, truth: &Truth, lost: &dyn Fn(State) -> bool) -> Vec<Entry> {
    let start = problem.start();
    let mut moved: Vec<Entry> = Vec::new();
    for (s, a, next, p) in truth.entries(problem).filter(|(s, ..)| !lost(*s)) {
        let next = if lost(next) { start } else { next };
        let row = moved.iter().rposition(|entry| (entry.0, entry.1) != (s, a)).map_or(0, |last| last + 1);
        match moved[row..].iter_mut().find(|entry| entry.2 == next) {
            Some(entry) => entry.3 += p,
            None => moved.push((s, a, next, p)),
        }
    }
    let back = (0..problem.states()).filter(|&s| lost(s)).map(|s| (s, 0, start, 1.0));
    moved.extend(back);
    moved
}
