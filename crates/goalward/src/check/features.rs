//! What transitions can show of theta: the rank of the features over B.

use super::finding::{Finding, Level};
use crate::problem::{Problem, seen};

/// The most work, in multiplications, for the rank.
const MOST_WORK: usize = 20_000_000_000;

/// The number of directions of B along which some transition's probability changes, and a
/// direction, in R^d, along which none does. `None` if that is too much work.
pub(super) fn seen(problem: &Problem) -> Option<(usize, Option<Vec<f64>>)> {
    let b = problem.constraints();
    let (d, k) = (problem.dim(), b.free());
    if k == 0 {
        return Some((0, None));
    }
    let rows: usize = (0..problem.pairs()).map(|p| problem.successors(p).len()).sum();
    if rows.checked_mul(k * (d + k)).is_none_or(|work| work > MOST_WORK) {
        return None;
    }
    let seen = seen::Seen::of(problem);
    let lift = |e: &Vec<f64>| -> Vec<f64> {
        b.basis().chunks_exact(k).map(|row| row.iter().zip(e).map(|(n, e)| n * e).sum()).collect()
    };
    let hidden = seen.others(k).first().map(lift);
    Some((seen.directions.len(), hidden))
}

pub(super) fn finding(problem: &Problem, rank: usize, direction: &[f64]) -> Finding {
    let largest = direction.iter().copied().fold(0.0, |m: f64, x| if x.abs() > m.abs() { x } else { m });
    let moved = direction.iter().enumerate().filter(|(_, x)| x.abs() > 1e-6 * largest.abs());
    let parts: Vec<String> = moved.take(8).map(|(i, x)| format!("{:+.3} theta[{i}]", x / largest)).collect();
    let free = problem.constraints().free();
    let message = format!(
        "theta is not identifiable: B has {free} dimensions, transitions show {rank} of them; \
         along {} no probability \
         changes",
        parts.join(" ")
    );
    let hint = "costs and values do not depend on it; drop a feature (or model) that the others \
                imply, if theta itself matters";
    Finding::new(Level::Warning, "identifiable", message).value(rank as f64).hint(hint)
}
