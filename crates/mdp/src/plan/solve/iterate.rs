//! Policy iteration on a block with any evaluator; value iteration; margins.
//!
//! Evaluations are as accurate as the remaining gain calls for.

use super::block::{Block, Pass, Progress};
use super::evaluate::Evaluate;
use super::model::{Choice, Model};
use crate::numeric::Portable;
use crate::numeric::halt::Halt;

const ROUNDS: usize = 80;
/// Most sweeps are over the nodes that lacked at least this part of what one lacks.
const ACTIVE: f64 = 1e-3;
/// The accuracy of an evaluation, relative to the last gain; at least, and at first.
const ACCURACY: f64 = 0.03;
const LEAST_ACCURACY: f64 = 10.0;
const FIRST_ACCURACY: f64 = 1.0;
/// What a sweep must gain at most before its values are any use, in costs of a step.
const USEFUL: f64 = 1e-2;
/// Where a better policy never leaves, noise is taken to be this factor larger, up to a limit.
const COARSER: f64 = 100.0;
const COARSEST: f64 = 1e-6;
/// A value that is negative by more than this part of the largest one belongs to no policy.
const NEGATIVE: f64 = 1e-9;

/// Policy iteration from a policy that leaves, until every residual is at most `wanted`, in costs
/// of a step, or no choice gains; whether it came to that.
pub(super) fn iterate(block: &mut Block, by: &mut dyn Evaluate, wanted: f64, halt: &Halt) -> bool {
    if !first_values(block, by) {
        return false;
    }
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let kept: Vec<Choice> = block.taken().collect();
        let values = block.x.clone();
        let swept = improve(block, wanted, by);
        best = best.min(swept.gap);
        halt.lacks(swept.gap, wanted);
        if halt.asked() {
            return false;
        }
        let reachable = wanted.max(block.roundings());
        let settled = match by.is_exact() {
            true => swept.gap <= wanted || swept.changed == 0,
            false => swept.gap <= reachable,
        };
        if settled {
            break;
        }
        let enough = (swept.gap * ACCURACY).min(LEAST_ACCURACY).max(0.1 * reachable);
        if !evaluate(block, by, enough) {
            if block.noise > COARSEST {
                return false;
            }
            block.take(kept.into_iter());
            block.x = values;
            block.noise *= COARSER;
        }
    }
    match by.is_exact() {
        // what was eliminated leaves
        true => block.is_loaded() || block.leaves(),
        false => best <= USEFUL && block.leaves(),
    }
}

/// The values of the first policy. Where that takes longer than f64 can hold, the one that comes
/// nearer with the greatest probability may not.
fn first_values(block: &mut Block, by: &mut dyn Evaluate) -> bool {
    evaluate(block, by, FIRST_ACCURACY) || {
        let loaded = block.is_loaded();
        block.begin();
        block.hurry();
        loaded && evaluate(block, by, FIRST_ACCURACY)
    }
}

/// Value iteration: all nodes, those that lack much, then all unless exact values come next.
fn improve(block: &mut Block, wanted: f64, by: &dyn Evaluate) -> Progress {
    let exact = by.is_exact();
    let first = block.pass(Pass::ALL);
    if first.gap <= wanted || (exact && first.changed == 0) {
        return first;
    }
    let (cut, mut changed) = (ACTIVE * first.gap, first.changed);
    for sweep in 0..by.sweeps() {
        let swept = block.pass(Pass { back: sweep % 2 == 0, cut, ..Pass::ALL });
        changed += swept.changed;
        if swept.gap <= cut {
            break;
        }
    }
    let last = if exact { Progress::default() } else { block.pass(Pass::ALL) };
    changed += last.changed;
    Progress { gap: if exact { first.gap } else { last.gap }, changed, ..last }
}

pub(super) fn load(block: &mut Block, by: &mut dyn Evaluate) -> bool {
    let loaded = by.load(block);
    block.handed_over(loaded);
    loaded
}

/// The values of the present choices; whether they are usable.
fn evaluate(block: &mut Block, by: &mut dyn Evaluate, enough: f64) -> bool {
    let may = by.is_exact() || block.leaves();
    if !may || !load(block, by) {
        return false;
    }
    let b = block.right();
    let mut x = std::mem::take(&mut block.x);
    let solved = by.solve(b, &mut x, enough);
    let least = -NEGATIVE * x.iter().copied().fold(0.0, f64::max);
    let usable = x.iter().all(|x| x.is_finite() && *x >= least);
    x.iter_mut().for_each(|x| *x = x.max(0.0));
    block.x = x;
    usable && solved
}

/// The solution of a policy's equations with `need` as costs, by node from the first of the block on.
pub(super) fn margin(
    block: &mut Block,
    by: &mut dyn Evaluate,
    model: &Model,
    policy: &[u32],
    need: &[f64],
) -> Option<Vec<f64>> {
    let start = block.start();
    block.take(block.nodes().to_vec().into_iter().map(|s| policy[s as usize - start] as Choice));
    if !block.is_loaded() {
        (by.is_exact() || block.leaves()).then_some(())?;
        load(block, by).then_some(())?;
    }
    let places = block.nodes().iter().map(|&s| s as usize - start);
    let unit = |(i, k): (usize, usize)| need[k] / model.leaving[policy[k] as usize] * block.share(i);
    let mut b: Vec<f64> = places.clone().enumerate().map(unit).collect();
    let most = b.iter().copied().fold(0.0, f64::max);
    if !by.is_exact() {
        // a rough solution is off by a share of the largest need everywhere
        b.iter_mut().for_each(|b| *b += 0.1 * most);
    }
    let (mut x, mut margin) = (vec![0.0; b.len()], vec![0.0; b.len()]);
    by.solve(b, &mut x, 0.05 * most).then_some(())?;
    places.zip(&x).for_each(|(k, &x)| margin[k] = x);
    x.iter().all(|x| x.is_finite()).then_some(margin)
}

/// Sweeps of value iteration at most, as long as they promise to end by then.
const SETTLING: usize = 200;
const LOOK: usize = 20;
/// The first sweeps look at all choices, then one in `BETWEEN`.
const FIRST_SWEEPS: usize = 4;
const BETWEEN: usize = 5;
const APART: usize = 2;

/// Value iteration until every residual is at most `goal`, in costs of a step. Most sweeps look at
/// the last choices alone; changes that fall by one factor are extrapolated (Aitken).
pub(super) fn settle(block: &mut Block, goal: f64, halt: &Halt) -> bool {
    let (mut before, mut settled, mut since) = (f64::INFINITY, false, 0);
    for sweep in 1..=SETTLING {
        let all = sweep <= FIRST_SWEEPS || sweep % BETWEEN == 0 || settled;
        let swept = block.pass(Pass { taken: !all, ..Pass::ALL });
        settled = swept.gap <= goal;
        if settled && all {
            return true;
        }
        since += 1;
        if since > APART
            && let Some(ahead) = swept.ahead()
        {
            block.extrapolate(ahead);
            since = 0;
        }
        if sweep % LOOK == 0 {
            // the first sweeps still spread values: they say nothing
            let left = (goal / swept.gap).log_e() / (swept.gap / before).log_e() * LOOK as f64;
            if sweep > LOOK && (swept.gap >= before || left > (SETTLING - sweep) as f64) {
                return false;
            }
            before = swept.gap;
        }
        if halt.asked() {
            return false;
        }
    }
    false
}
