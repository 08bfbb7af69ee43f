//! The norms that Assumption 3.1 of the paper bounds by one, computed where it fails (reading B1).

use crate::estimate::largest_norm;
use crate::numeric::dot;
use crate::parameters::Value;
use crate::problem::Problem;

/// Which norms a regression's radius is computed with (reading B1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Norms {
    /// Those that its theorem assumes.
    Printed,
    /// The problem's own.
    Computed,
}

impl Value for Norms {
    fn read(text: &str) -> Option<Norms> {
        [Norms::Printed, Norms::Computed].into_iter().find(|norms| norms.typed() == text)
    }

    fn typed(&self) -> String {
        if *self == Norms::Printed { "printed" } else { "computed" }.into()
    }
}

/// L_phi: a bound on |phi_U(s,a)| over all pairs and all U in [0, 1] with U(goal) = 0.
///
/// Coordinate by coordinate, the sum of the positive or of the negative parts, whichever is larger:
/// attained by candidate models (U = 1) and by the paper's instance.
pub fn phi_norm(problem: &Problem) -> f64 {
    let d = problem.dim();
    let mut largest = 0f64;
    let (mut above, mut below) = (vec![0.0; d], vec![0.0; d]);
    for p in 0..problem.pairs() {
        above.fill(0.0);
        below.fill(0.0);
        for (&next, row) in problem.successors(p).iter().zip(problem.phi(p).chunks_exact(d)) {
            if next as usize == problem.goal() {
                continue;
            }
            for i in 0..d {
                if row[i] > 0.0 { above[i] += row[i] } else { below[i] -= row[i] }
            }
        }
        largest = largest.max(above.iter().zip(&below).map(|(a, b)| a.max(*b).powi(2)).sum());
    }
    largest.sqrt()
}

/// The largest |phi_U(s,a)| found among U with values 0 and 1: those that collect the positive or
/// the negative entries of a coordinate, and U = 1. [`phi_norm`] is never below it; where features
/// are candidate models both are the same.
pub(super) fn phi_norm_attained(problem: &Problem) -> f64 {
    let d = problem.dim();
    let mut largest = 0f64;
    // for each coordinate the sum over its positive entries, over its negative ones, and the sum
    // over all
    let mut sums = vec![0.0; (2 * d + 1) * d];
    for p in 0..problem.pairs() {
        sums.fill(0.0);
        for (&next, row) in problem.successors(p).iter().zip(problem.phi(p).chunks_exact(d)) {
            if next as usize == problem.goal() {
                continue;
            }
            let add = |sum: &mut [f64]| sum.iter_mut().zip(row).for_each(|(s, x)| *s += x);
            for i in 0..d {
                if row[i] != 0.0 {
                    let which = 2 * i + usize::from(row[i] < 0.0);
                    add(&mut sums[which * d..(which + 1) * d]);
                }
            }
            add(&mut sums[2 * d * d..]);
        }
        let norms = sums.chunks_exact(d).map(|sum| sum.iter().map(|x| x * x).sum());
        largest = norms.fold(largest, f64::max);
    }
    largest.sqrt()
}

/// A bound on |theta| over B, or over those theta that stand for all others with the same kernels;
/// none if the extra facts leave B unbounded in a direction that no kernel sees.
pub fn theta_norm(problem: &Problem) -> Option<f64> {
    largest_norm(problem)
}

/// The least norm of any vector with the same kernel as theta: its component along the features.
/// Extra facts may rule that vector out, so with them theta itself counts.
pub(crate) fn kernel_norm(problem: &Problem, theta: &[f64]) -> f64 {
    let whole = dot(theta, theta).sqrt();
    if !problem.extra().is_empty() {
        return whole;
    }
    let d = problem.dim();
    let mut basis: Vec<Vec<f64>> = Vec::new();
    'features: for p in 0..problem.pairs() {
        for phi in problem.phi(p).chunks_exact(d) {
            let mut rest = phi.to_vec();
            for _ in 0..2 {
                for e in &basis {
                    let t = dot(e, &rest);
                    rest.iter_mut().zip(e).for_each(|(r, e)| *r -= t * e);
                }
            }
            let (size, left) = (dot(phi, phi).sqrt(), dot(&rest, &rest).sqrt());
            if size > 0.0 && left > 1e-9 * size {
                basis.push(rest.iter().map(|r| r / left).collect());
            }
            if basis.len() == d {
                break 'features;
            }
        }
    }
    if basis.len() == d { whole } else { basis.iter().map(|e| dot(e, theta).powi(2)).sum::<f64>().sqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One state that is left with probability 1/4 + theta/2, theta in [-1/2, 3/2].
    #[test]
    fn a_problem_by_hand() {
        let mut builder = Problem::builder("coin", 2, 2);
        builder.start(0).goal(1);
        let toss = builder.action(0, 1.0).unwrap();
        builder.feature(0, toss, 0, &[-0.5, 0.75]).unwrap();
        builder.feature(0, toss, 1, &[0.5, 0.25]).unwrap();
        let problem = builder.build().unwrap();
        assert!((phi_norm(&problem) - (0.25f64 + 0.5625).sqrt()).abs() < 1e-12);
        assert!((phi_norm_attained(&problem) - (0.25f64 + 0.5625).sqrt()).abs() < 1e-12);
        // theta_2 = 1 and theta_1 at most 3/2
        assert!((theta_norm(&problem).unwrap() - 3.25f64.sqrt()).abs() < 1e-6);
    }
}
