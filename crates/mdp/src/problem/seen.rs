//! The directions of B along which some probability changes, and how far B can reach along them.
//!
//! Every row is a probability in [0, 1] on B. That bounds B along every direction that a kernel
//! sees, however faintly: B may be 1e8 wide where features differ by 1e-8.

use super::Problem;
use crate::numeric::{Polytope, dot, norm};
use crate::{Error, Result};

/// The share of its features' norm that rounding may leave of a row that B fixes; and the same
/// where B's hull has implied equalities, which are known less well.
const NOISE: f64 = 1e-13;
const IMPLIED: f64 = 1e-11;
/// What the first look takes for a direction, as a share of the row: a later row may see it better.
const CLEAR: f64 = 1e-9;
/// B is of ordinary size if it reaches no further: coordinates of norm one serve then.
const ORDINARY: f64 = 1e3;

/// Beyond this, theta times a feature of ordinary size has no digits left for a probability.
const FURTHEST: f64 = 1e13;

/// Refuses a problem with features so faint that B reaches too far along them.
pub fn require_clear(problem: &Problem) -> Result<()> {
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
pub struct Seen {
    /// Orthonormal: m = rank(Phi N) of them.
    pub directions: Vec<Vec<f64>>,
    /// |e'z - e'z'| for all z, z' in B is at most this, for each of them.
    pub reach: Vec<f64>,
}

/// The direction of a row of features beyond those known, and how far B reaches along it.
type Candidate = (Vec<f64>, f64);

impl Seen {
    /// The directions in the order of rows if these show all of them well; else always the row that
    /// bounds B best along what it adds, so that directions of different scale are told apart.
    pub fn of(problem: &Problem) -> Seen {
        let first = Seen::in_order(problem);
        let complete = first.directions.len() == problem.constraints().free();
        if first.is_ordinary() && (complete || first.is_all(problem)) {
            return first;
        }
        let mut seen = Seen { directions: Vec::new(), reach: Vec::new() };
        let mut rows = Ranking::new(problem);
        while let Some(best) = rows.best(&seen) {
            rows.follow(&best);
            seen.push(best);
        }
        seen
    }

    /// B is not far longer than its coordinates' unit in any direction seen.
    pub fn is_ordinary(&self) -> bool {
        self.reach.iter().all(|&reach| reach <= ORDINARY)
    }

    /// Completes the directions to a basis of R^k, and gives what was added.
    pub fn others(&self, k: usize) -> Vec<Vec<f64>> {
        let mut all = self.directions.clone();
        // how much of each axis is left, squared
        let mut left: Vec<f64> =
            (0..k).map(|axis| 1.0 - all.iter().map(|e| e[axis] * e[axis]).sum::<f64>()).collect();
        while all.len() < k {
            // the axis that sticks out furthest, the first of several that do but for rounding
            let axis = (0..k).fold(0, |a, b| if left[b] > left[a] + 1e-9 { b } else { a });
            let mut e = vec![0.0; k];
            e[axis] = 1.0;
            project_out(&all, &mut e);
            let size = norm(&e);
            e.iter_mut().for_each(|x| *x /= size);
            left.iter_mut().zip(&e).for_each(|(left, x)| *left -= x * x);
            all.push(e);
        }
        all.split_off(self.directions.len())
    }

    fn push(&mut self, (direction, reach): Candidate) {
        self.directions.push(direction);
        self.reach.push(reach);
    }

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

    fn is_all(&self, problem: &Problem) -> bool {
        (0..problem.pairs()).all(|p| {
            let phi = problem.phi(p);
            let mut rows = phi.chunks_exact(problem.dim());
            rows.all(|phi| self.candidate(problem.constraints(), phi, 0.0).is_none())
        })
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
        Some((row, width / left))
    }
}

/// While the squared remainder of a row is at least this share, it is known by differences.
const SURE: f64 = 1e-10;

/// Rows by how well they bound B along what they add to the directions so far. What a row adds only
/// shrinks, so that earlier values are bounds, and few rows are computed anew.
struct Ranking<'a> {
    problem: &'a Problem,
    rows: Vec<Rank>,
}

#[derive(Clone, Copy)]
struct Rank {
    row: usize,
    /// Squared norms: of the row, and of its remainder.
    size: f64,
    left: f64,
    /// The width of B along the row's part among the directions, and one.
    width: f64,
    /// A lower bound on its reach, exact for this number of directions.
    reach: f64,
    exact: Option<usize>,
}

impl<'a> Ranking<'a> {
    fn new(problem: &'a Problem) -> Self {
        let none = Seen { directions: Vec::new(), reach: Vec::new() };
        let rank = |row: usize| {
            let (_, reach) = none.candidate(problem.constraints(), problem.row(row), 0.0)?;
            let size = reach.powi(-2);
            Some(Rank { row, size, left: size, width: 1.0, reach, exact: Some(0) })
        };
        let rows = (0..problem.pairs()).flat_map(|p| problem.rows(p));
        Ranking { problem, rows: rows.filter_map(rank).collect() }
    }

    /// The row that bounds B best; none if no row adds more than rounding.
    fn best(&mut self, seen: &Seen) -> Option<Candidate> {
        let known = seen.directions.len();
        while known < self.problem.constraints().free() {
            let least = (0..self.rows.len()).reduce(|a, b| {
                // the first of several that are alike but for rounding
                if self.rows[b].reach < self.rows[a].reach * (1.0 - 1e-9) { b } else { a }
            })?;
            let rank = &mut self.rows[least];
            let adds = |row| seen.candidate(self.problem.constraints(), self.problem.row(row), 0.0);
            match adds(rank.row) {
                // most likely many add nothing by now: one pass for all
                None => self.rows.retain(|rank| adds(rank.row).is_some()),
                Some(candidate) if rank.exact == Some(known) || rank.left > SURE * rank.size => {
                    return Some(candidate);
                }
                Some((_, reach)) => (rank.reach, rank.exact) = (reach, Some(known)),
            }
        }
        None
    }

    fn follow(&mut self, (direction, reach): &Candidate) {
        let basis = self.problem.constraints().basis();
        let lifted: Vec<f64> = basis.chunks_exact(direction.len()).map(|n| dot(n, direction)).collect();
        for rank in &mut self.rows {
            let part = dot(self.problem.row(rank.row), &lifted);
            rank.left -= part * part;
            rank.width += part.abs() * reach;
            // the remainder is less than this, where rounding hides its size
            let most = rank.left.max(SURE * rank.size).sqrt();
            rank.reach = rank.reach.max(rank.width / most * (1.0 - 1e-9));
        }
    }
}

/// The share of a row's features that may be rounding where the row has no free part.
pub fn noise(polytope: &Polytope) -> f64 {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::Stream;

    /// Five models of four states that differ more and less.
    fn problem(seed: u64) -> Problem {
        let mut stream = Stream::new(seed, &[]);
        let mut builder = Problem::builder("alike", 4, 5);
        for s in 0..3 {
            for _ in 0..2 {
                let a = builder.action(s, 1.0).unwrap();
                let mut draw = || {
                    let row = [0; 4].map(|_| stream.uniform() + 1e-3);
                    row.map(|x| x / row.iter().sum::<f64>())
                };
                let base = draw();
                let rows = [1.0, 1.0, 1e-3, 1e-5, 1e-5].map(|share| {
                    let own = draw();
                    [0, 1, 2, 3].map(|next| base[next] + share * (own[next] - base[next]))
                });
                for next in 0..4 {
                    builder.feature(s, a, next, &rows.map(|row| row[next])).unwrap();
                }
            }
        }
        builder.build().unwrap()
    }

    /// Against all rows, each looked at anew for each direction.
    #[test]
    fn the_best_row_comes_next() {
        let mut greedy = 0;
        for seed in 0..40 {
            let problem = problem(seed);
            let (first, seen) = (Seen::in_order(&problem), Seen::of(&problem));
            if first.is_ordinary() {
                continue;
            }
            greedy += 1;
            for known in 0..seen.directions.len() {
                let before = Seen {
                    directions: seen.directions[..known].to_vec(),
                    reach: seen.reach[..known].to_vec(),
                };
                let rows = (0..problem.pairs()).flat_map(|p| problem.rows(p));
                let reach = rows.filter_map(|row| {
                    Some(before.candidate(problem.constraints(), problem.row(row), 0.0)?.1)
                });
                let best = reach.fold(f64::INFINITY, f64::min);
                assert!(seen.reach[known] <= best * (1.0 + 1e-5), "{seed}, {known}: {best} {seen:?}");
            }
            assert!(seen.is_all(&problem));
        }
        assert!(greedy > 10, "{greedy}");
    }

    #[test]
    fn what_completes_a_basis_is_orthonormal() {
        let seen = Seen::of(&problem(1));
        let directions = seen.directions[..2].to_vec();
        let k = directions[0].len();
        let some = Seen { reach: seen.reach[..2].to_vec(), directions };
        let all: Vec<Vec<f64>> = some.directions.iter().cloned().chain(some.others(k)).collect();
        assert_eq!(all.len(), k);
        for (i, j) in (0..k).flat_map(|i| (0..k).map(move |j| (i, j))) {
            assert!((dot(&all[i], &all[j]) - f64::from(u8::from(i == j))).abs() < 1e-14);
        }
    }
}
