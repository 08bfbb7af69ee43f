//! The greedy choice.

use crate::numeric::Stream;
use crate::problem::Action;

/// Actions tie within this, relative to max(1, |min Q|).
const TIE: f64 = 1e-9;

/// The largest Q that ties with the least.
pub(in crate::learners) fn limit(q: &[f64]) -> f64 {
    let least = q.iter().copied().fold(f64::INFINITY, f64::min);
    least + TIE * least.abs().max(1.0)
}

/// argmin_a Q(a). Ties are broken uniformly from the learner's own stream (reading A16): while C ∩
/// B is all of B every action of the paper's instance ties, and a fixed order would make a vacuous
/// run look optimal or hopeless.
pub(in crate::learners) fn greedy(q: &[f64], ties: &mut Stream) -> Action {
    let limit = limit(q);
    let tied = |q: &&f64| **q <= limit;
    match q.iter().filter(tied).count() {
        0 | 1 => q.iter().position(|q| tied(&q)).unwrap_or(0),
        n => {
            let chosen = ties.below(n);
            (0..q.len()).filter(|&a| tied(&&q[a])).nth(chosen).unwrap_or(0)
        }
    }
}
