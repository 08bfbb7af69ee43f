//! What kernels see of B: directions along which some probability changes, and how far B can reach
//! along them.
//!
//! Every row of features is a probability on B, so that it lies in [0, 1] there. That bounds B
//! along every direction that a kernel sees, however faintly: B may be 1e8 wide where features
//! differ by 1e-8, and no ball of ordinary size would hold it.

use super::Problem;
use crate::numeric::{Polytope, dot, norm};
use crate::{Error, Result};

/// What rounding leaves of a row that B fixes, as a share of its features' norm, is below this; or
/// this, where B's hull has equalities that are implied, and so known less well.
const NOISE: f64 = 1e-13;
const IMPLIED: f64 = 1e-11;
/// What the first look takes for a direction, as a share of the row: a later row may see it better.
const CLEAR: f64 = 1e-9;
/// B is of ordinary size if it reaches no further: coordinates of norm one serve then.
const ORDINARY: f64 = 1e3;

/// Beyond this, theta times a feature of ordinary size has no digits left for a probability.
const FURTHEST: f64 = 1e13;

/// Refuses a problem in which some feature is so faint that likelihoods cannot be computed with: B
/// reaches too far along it.
pub(crate) fn require_clear(problem: &Problem) -> Result<()> {
    let reach = Seen::of(problem).reach.into_iter().fold(0.0, f64::max);
    if reach <= FURTHEST {
        return Ok(());
    }
    let fault = format!(
        "some are so small that theta may be {reach:.0e} along them, which leaves no digits for \
         probabilities: give such a \
         feature in larger units (and its theta in smaller ones), or leave it out"
    );
    Err(Error::Field { field: "features".into(), fault })
}

/// The directions of B that some kernel sees, in the coordinates of B's hull.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// Orthonormal: m = rank(Phi N) of them.
    pub(crate) directions: Vec<Vec<f64>>,
    /// |e'z - e'z'| for all z, z' in B is at most this, for each of them.
    pub(crate) reach: Vec<f64>,
}

/// A row of features as a direction beyond those known.
struct Candidate {
    direction: Vec<f64>,
    reach: f64,
}

impl Seen {
    /// Looks at all rows; at the first few of them where these show all directions well.
    ///
    /// Where they do not, the rows are taken in another order: always the one that bounds B best
    /// along what it adds. Directions of different scale are then told apart, and B is no longer
    /// along a well-known direction for the sake of one that is hardly known.
    pub(crate) fn of(problem: &Problem) -> Seen {
        let first = Seen::in_order(problem);
        let complete = first.directions.len() == problem.constraints().free();
        if first.is_ordinary() && (complete || first.best(problem).is_none()) {
            return first;
        }
        let mut seen = Seen { directions: Vec::new(), reach: Vec::new() };
        while let Some(best) = seen.best(problem) {
            seen.push(best);
        }
        seen
    }

    /// B is not far longer than its coordinates' unit in any direction seen.
    pub(crate) fn is_ordinary(&self) -> bool {
        self.reach.iter().all(|&reach| reach <= ORDINARY)
    }

    /// Completes the directions to a basis of R^k, and gives what was added.
    pub(crate) fn others(&self, k: usize) -> Vec<Vec<f64>> {
        let mut all = self.directions.clone();
        while all.len() < k {
            // the axis that sticks out furthest
            let axes = (0..k).map(|axis| {
                let mut e = vec![0.0; k];
                e[axis] = 1.0;
                project_out(&all, &mut e);
                e
            });
            let Some(e) = axes.reduce(|a, b| if norm(&b) > norm(&a) { b } else { a }) else { break };
            let size = norm(&e);
            all.push(e.iter().map(|x| x / size).collect());
        }
        all.split_off(self.directions.len())
    }

    fn push(&mut self, candidate: Candidate) {
        self.directions.push(candidate.direction);
        self.reach.push(candidate.reach);
    }

    /// The first rows that show a new direction clearly.
    fn in_order(problem: &Problem) -> Seen {
        let mut seen = Seen { directions: Vec::new(), reach: Vec::new() };
        let k = problem.constraints().free();
        for p in 0..problem.pairs() {
            for phi in problem.phi(p).chunks_exact(problem.dim()) {
                if seen.directions.len() == k {
                    return seen;
                }
                if let Some(candidate) = seen.candidate(problem.constraints(), phi, CLEAR) {
                    seen.push(candidate);
                }
            }
        }
        seen
    }

    /// The row that bounds B best along what it adds to the directions; none if no row adds more
    /// than rounding.
    fn best(&self, problem: &Problem) -> Option<Candidate> {
        let mut best: Option<Candidate> = None;
        for p in 0..problem.pairs() {
            for phi in problem.phi(p).chunks_exact(problem.dim()) {
                if let Some(candidate) = self.candidate(problem.constraints(), phi, 0.0)
                    && best.as_ref().is_none_or(|best| candidate.reach < best.reach)
                {
                    best = Some(candidate);
                }
            }
        }
        best
    }

    /// What a row adds beyond rounding and beyond a share of itself.
    ///
    /// With u = r + sum (u'e) e and u'z in an interval of length 1: |r'(z - z')| <= 1 + sum |u'e|
    /// |e'(z - z')|.
    fn candidate(&self, polytope: &Polytope, phi: &[f64], share: f64) -> Option<Candidate> {
        let mut row = vec![0.0; polytope.free()];
        for (x, n) in phi.iter().zip(polytope.basis().chunks_exact(row.len().max(1))) {
            row.iter_mut().zip(n).for_each(|(r, n)| *r += x * n);
        }
        let (size, noise) = (norm(&row), noise(polytope) * norm(phi));
        if size <= noise {
            return None;
        }
        let known = self.directions.iter().zip(&self.reach).map(|(e, reach)| dot(e, &row).abs() * reach);
        let width = 1.0 + known.sum::<f64>();
        project_out(&self.directions, &mut row);
        let left = norm(&row);
        if left <= f64::max(share * size, noise) {
            return None;
        }
        row.iter_mut().for_each(|x| *x /= left);
        if left < 1e-3 * size {
            // once more, as a small rest is not orthogonal to rounding
            project_out(&self.directions, &mut row);
            let one = norm(&row);
            row.iter_mut().for_each(|x| *x /= one);
        }
        Some(Candidate { direction: row, reach: width / left })
    }
}

/// The share of a row's features that may be rounding where the row has no free part.
pub(crate) fn noise(polytope: &Polytope) -> f64 {
    if polytope.blur() > 0.0 { IMPLIED } else { NOISE }
}

/// Gram and Schmidt, twice, for orthogonality to machine precision.
fn project_out(directions: &[Vec<f64>], x: &mut [f64]) {
    for _ in 0..2 {
        for e in directions {
            let t = dot(e, x);
            x.iter_mut().zip(e).for_each(|(x, e)| *x -= t * e);
        }
    }
}
