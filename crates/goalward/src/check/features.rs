//! What transitions can show of theta: the rank of the features over B.

use super::finding::{Finding, Level};
use crate::problem::Problem;
use nalgebra::{DMatrix, SymmetricEigen};

/// The most work, in multiplications, for the rank.
const MOST_WORK: usize = 20_000_000_000;
/// A direction counts as hidden if the squares of what transitions change along it come to less than this share of those
/// along the direction that they show best (less is rounding of the eigenvalues) ...
const HIDDEN: f64 = 1e-14;
/// ... or of the squares of all features (less is rounding of the features).
const FAINT: f64 = 1e-18;

/// What transitions show of theta.
pub(super) struct Seen {
    /// The number of directions of B along which some transition's probability changes.
    pub(super) rank: usize,
    /// A direction of B, in R^d, along which none does.
    pub(super) hidden: Option<Vec<f64>>,
}

/// The rank of all feature rows, restricted to the directions of B; `None` if that is too much work.
///
/// With the basis N of B's directions it is the rank of sum of (N'phi)(N'phi)' over all rows.
pub(super) fn seen(problem: &Problem) -> Option<Seen> {
    let b = problem.constraints();
    let (d, k) = (problem.dim(), b.free());
    if k == 0 {
        return Some(Seen { rank: 0, hidden: None });
    }
    let rows: usize = (0..problem.pairs()).map(|p| problem.successors(p).len()).sum();
    if rows.checked_mul(k * (d + k)).is_none_or(|work| work > MOST_WORK) {
        return None;
    }
    let mut gram = DMatrix::<f64>::zeros(k, k);
    let mut z = vec![0.0; k];
    let mut size = 0.0;
    for p in 0..problem.pairs() {
        for phi in problem.phi(p).chunks_exact(d) {
            z.fill(0.0);
            size += phi.iter().map(|x| x * x).sum::<f64>();
            for (x, row) in phi.iter().zip(b.basis().chunks_exact(k)) {
                z.iter_mut().zip(row).for_each(|(z, n)| *z += x * n);
            }
            for i in 0..k {
                for j in 0..=i {
                    gram[(i, j)] += z[i] * z[j];
                }
            }
        }
    }
    for i in 0..k {
        for j in 0..i {
            gram[(j, i)] = gram[(i, j)];
        }
    }
    let eigen = SymmetricEigen::new(gram);
    let largest = eigen.eigenvalues.iter().copied().fold(0.0, f64::max);
    let least = f64::max(HIDDEN * largest, FAINT * size);
    let hidden = |i: &usize| eigen.eigenvalues[*i] <= least;
    let rank = k - (0..k).filter(hidden).count();
    let direction = (0..k).find(hidden).map(|i| {
        let lift =
            |row: &[f64]| row.iter().enumerate().map(|(j, n)| n * eigen.eigenvectors[(j, i)]).sum::<f64>();
        b.basis().chunks_exact(k).map(lift).collect()
    });
    Some(Seen { rank, hidden: direction })
}

/// The warning that theta cannot be told.
pub(super) fn finding(problem: &Problem, rank: usize, direction: &[f64]) -> Finding {
    let largest = direction.iter().copied().fold(0.0, |m: f64, x| if x.abs() > m.abs() { x } else { m });
    let moved = direction.iter().enumerate().filter(|(_, x)| x.abs() > 1e-6 * largest.abs());
    let parts: Vec<String> = moved.take(8).map(|(i, x)| format!("{:+.3} theta[{i}]", x / largest)).collect();
    let free = problem.constraints().free();
    let message = format!(
        "theta is not identifiable: B has {free} dimensions, transitions show {rank} of them; along {} no probability \
         changes",
        parts.join(" ")
    );
    let hint = "costs and values do not depend on it; drop a feature (or model) that the others imply, if theta itself matters";
    Finding::new(Level::Warning, "identifiable", message).value(rank as f64).hint(hint)
}
