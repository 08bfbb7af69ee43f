//! A safeguarded Newton method for maximum likelihood inside a polytope.

use super::gram;
use crate::numeric::{Cholesky, Polytope, Portable, dot};

/// Terms -weight log(constant + row z) to be summed; every row has k numbers. Terms without weight
/// do not count.
pub(super) trait Summands {
    fn len(&self) -> usize;
    fn weight(&self, i: usize) -> f64;
    /// Shows rows and constants in parts, in order: the number of the first, and both.
    fn each(&self, show: impl FnMut(usize, &[f64], &[f64]));
}

/// The weights of the polytope's barrier, largest first, for a maximum that may lie on the
/// boundary. The last one is what it may cost: the likelihood is off by at most this times the
/// number of active rows.
pub(super) const PATH: &[f64] = &[1e-1, 3e-3, 1e-4, 3e-6, 1e-7];

/// Newton steps per weight; a dozen is already much.
const STEPS: usize = 80;
/// The part of an interior point's room that a point near the boundary has.
const NEAR: f64 = 0.05;
/// The part of the way to the boundary that a step may go.
const NEARLY: f64 = 0.99;
/// From so many dimensions on, all rows that are in a step's way become part of the problem at once: a
/// factor for each of them would take the fourth power of the dimension.
const MANY: usize = 32;

/// Minimises the terms inside a polytope; see [`minimise_within`]. Rows that are not written out
/// join as cutting planes: all that a minimum violates, a batch at a time, until it violates none.
pub(super) fn minimise(
    polytope: &Polytope,
    room: &[f64],
    terms: &impl Summands,
    path: &[f64],
    enough: f64,
    z: &mut [f64],
) {
    let Some(features) = polytope.features() else {
        return minimise_within(polytope, room, terms, path, enough, z);
    };
    let (start, mut joined) = (z.to_vec(), Vec::new());
    let inside = polytope.coordinates(polytope.interior());
    loop {
        let core = polytope.core_with(&joined);
        let rows = core.rows().chunks_exact(z.len().max(1)).zip(core.offsets());
        let room: Vec<f64> = rows.map(|(row, b)| (b - dot(row, &inside)).max(0.0)).collect();
        z.copy_from_slice(&start);
        minimise_within(&core, &room, terms, path, enough, z);
        let mut violated = features.violated(polytope, z, 0.0);
        // what has joined can be violated by rounding only
        violated.retain(|row| !joined.contains(row));
        if violated.is_empty() {
            return;
        }
        joined.extend(violated);
    }
}

/// Minimises the terms plus a vanishing barrier, from a point strictly inside the polytope; never
/// leaves it.
///
/// The terms are barriers of their own rows. Of the polytope's other rows only those join, with the
/// weights of `path` one after the other, that stop a step: B may have millions of rows, and a
/// maximum leans on fewer than k + 1. A direction that no term sees stays as it is. It ends when a
/// Newton step promises to gain less than half of `enough`, after taking that step. `room` has the
/// slacks of a fixed interior point.
fn minimise_within(
    polytope: &Polytope,
    room: &[f64],
    terms: &impl Summands,
    path: &[f64],
    enough: f64,
    z: &mut [f64],
) {
    if z.is_empty() || terms.len() == 0 {
        return;
    }
    let mut state = Newton::new(polytope, terms.len());
    state.lean(polytope, room, z);
    if state.active.is_empty() {
        // mostly no row is in the way: one look at the rows when all is done, instead of two at
        // every step
        let before = z.to_vec();
        state.center(polytope, terms, Walls::Ignored, enough, z);
        if state.is_inside(polytope, z) {
            return;
        }
        z.copy_from_slice(&before);
    }
    for (i, &mu) in path.iter().enumerate() {
        let last = i + 1 == path.len();
        state.center(polytope, terms, Walls::Weighted(mu), if last { enough } else { enough.max(1e-3) }, z);
    }
}

/// What the polytope's rows do to a Newton step.
#[derive(Clone, Copy, PartialEq)]
enum Walls {
    /// Nothing: the caller must check afterwards that the point satisfies them.
    Ignored,
    /// They stop it, and then have a barrier of this weight.
    Weighted(f64),
}

struct Newton {
    /// Rows of the polytope with a barrier, in the order in which they stopped a step.
    active: Vec<usize>,
    is_active: Vec<bool>,
    p: Vec<f64>,
    /// Per term, the change of p along the step, relative to p.
    along: Vec<f64>,
    slack: Vec<f64>,
    gradient: Vec<f64>,
    hessian: Vec<f64>,
    lifted: Vec<f64>,
    direction: Vec<f64>,
}

impl Newton {
    fn new(polytope: &Polytope, terms: usize) -> Self {
        let (k, m) = (polytope.free(), polytope.offsets().len());
        Newton {
            active: Vec::new(),
            is_active: vec![false; m],
            p: vec![0.0; terms],
            along: vec![0.0; terms],
            slack: vec![0.0; m],
            gradient: vec![0.0; k],
            hessian: vec![0.0; k * k],
            lifted: vec![0.0; k * k],
            direction: vec![0.0; k],
        }
    }

    /// Rows that the point nearly touches, compared with the room that they leave an interior
    /// point, have a barrier at once.
    fn lean(&mut self, polytope: &Polytope, room: &[f64], z: &[f64]) {
        let rows = polytope.rows().chunks_exact(z.len()).zip(polytope.offsets());
        for (j, ((row, b), room)) in rows.zip(room).enumerate() {
            if b - dot(row, z) < NEAR * room {
                self.join(j);
            }
        }
    }

    fn join(&mut self, j: usize) {
        self.active.push(j);
        self.is_active[j] = true;
    }

    /// Takes in the row that stops a step first; in many dimensions all that do.
    fn join_in_the_way(&mut self, polytope: &Polytope, first: usize) {
        self.join(first);
        let k = self.direction.len();
        if k < MANY {
            return;
        }
        for (j, row) in polytope.rows().chunks_exact(k).enumerate() {
            if !self.is_active[j] && NEARLY * self.slack[j] < dot(row, &self.direction) {
                self.join(j);
            }
        }
    }

    fn is_inside(&self, polytope: &Polytope, z: &[f64]) -> bool {
        let rows = polytope.rows().chunks_exact(z.len()).zip(polytope.offsets());
        rows.into_iter().all(|(row, b)| dot(row, z) < *b)
    }

    /// Newton's method for one weight of the barrier, until the squared decrement is below
    /// `enough`.
    fn center(
        &mut self,
        polytope: &Polytope,
        terms: &impl Summands,
        walls: Walls,
        enough: f64,
        z: &mut [f64],
    ) {
        let k = z.len();
        let mut steps = 0;
        while steps < STEPS {
            self.differentiate(polytope, terms, walls, z);
            let Some(factor) = self.factor(k) else { return };
            self.direction.iter_mut().zip(&self.gradient).for_each(|(d, g)| *d = -g);
            factor.solve(&mut self.direction);
            let decrement = -dot(&self.direction, &self.gradient);
            if decrement.is_nan() || decrement <= enough * 1e-3 {
                return;
            }
            let mut steepest = 0f64;
            let mut falling = 0f64;
            terms.each(|start, rows, _| {
                for (i, row) in (start..).zip(rows.chunks_exact(k)) {
                    if terms.weight(i) > 0.0 {
                        let along = dot(row, &self.direction) / self.p[i];
                        self.along[i] = along;
                        steepest = steepest.max(along.abs());
                        falling = falling.min(along);
                    }
                }
            });
            let mut reach = if falling < 0.0 { -1.0 / falling } else { f64::INFINITY };
            if walls != Walls::Ignored {
                let (stopped_by, free_reach, kept_reach) = self.walls(polytope);
                reach = reach.min(kept_reach);
                // a row that stops this step before anything else does becomes part of the problem
                if let Some(j) = stopped_by
                    && NEARLY * free_reach < 1.0
                    && free_reach <= reach
                {
                    self.join_in_the_way(polytope, j);
                    continue;
                }
                reach = reach.min(free_reach);
            }
            // log(1 + x) >= x - 0.62 x^2 for |x| <= 1/4, and a Newton step has sum w x = sum w
            // x^2 = decrement
            let surely = walls == Walls::Ignored && steepest <= 0.25;
            let step = if surely { 1.0 } else { self.search(polytope, terms, walls, decrement, reach) };
            if step == 0.0 {
                return;
            }
            z.iter_mut().zip(&self.direction).for_each(|(z, d)| *z += step * d);
            steps += 1;
            if step == 1.0 && decrement <= enough {
                return;
            }
        }
    }

    /// Which row without a barrier stops the step first, how far it can go until then, and until
    /// one with a barrier.
    fn walls(&self, polytope: &Polytope) -> (Option<usize>, f64, f64) {
        let k = self.direction.len();
        let (mut stopped_by, mut free_reach, mut kept_reach) = (None, f64::INFINITY, f64::INFINITY);
        for (j, row) in polytope.rows().chunks_exact(k).enumerate() {
            let slope = dot(row, &self.direction);
            if slope > 0.0 {
                let ratio = self.slack[j] / slope;
                if self.is_active[j] {
                    kept_reach = kept_reach.min(ratio);
                } else if ratio < free_reach {
                    (free_reach, stopped_by) = (ratio, Some(j));
                }
            }
        }
        (stopped_by, free_reach, kept_reach)
    }

    /// p, the slacks, the gradient and the Hessian at z.
    fn differentiate(&mut self, polytope: &Polytope, terms: &impl Summands, walls: Walls, z: &[f64]) {
        let k = z.len();
        self.gradient.fill(0.0);
        self.hessian.fill(0.0);
        let Newton { p, gradient, hessian, .. } = self;
        terms.each(|start, rows, constants| {
            let of_terms = (start..)
                .zip(rows.chunks_exact(k).zip(constants))
                .map(|(i, (row, constant))| (i, row, constant, terms.weight(i)))
                .filter(|(.., weight)| *weight > 0.0)
                .map(|(i, row, constant, weight)| {
                    p[i] = constant + dot(row, z);
                    let first = weight / p[i];
                    (row, -first, first / p[i])
                });
            gram(of_terms, gradient, hessian);
        });
        let Walls::Weighted(mu) = walls else { return };
        for (j, (row, b)) in polytope.rows().chunks_exact(k).zip(polytope.offsets()).enumerate() {
            self.slack[j] = b - dot(row, z);
        }
        let of_walls = self.active.iter().map(|&j| {
            let first = mu / self.slack[j];
            (&polytope.rows()[j * k..(j + 1) * k], first, first / self.slack[j])
        });
        gram(of_walls, &mut self.gradient, &mut self.hessian);
    }

    /// The Hessian's factor, lifted where no term sees a direction.
    fn factor(&mut self, k: usize) -> Option<Cholesky> {
        let trace: f64 = (0..k).map(|i| self.hessian[i * k + i]).sum();
        self.lifted.copy_from_slice(&self.hessian);
        let mut lift = 1e-13 * trace;
        // a trace of 0 means that no term sees any direction: nothing to do
        while lift > 0.0 && lift <= trace && trace.is_finite() {
            (0..k).for_each(|i| self.lifted[i * k + i] = self.hessian[i * k + i] + lift);
            if let Some(factor) = Cholesky::factor(&self.lifted, k) {
                return Some(factor);
            }
            lift *= 10.0;
        }
        None
    }

    /// Halves the step until the function falls enough (Armijo); 0 if it does not, which only
    /// rounding can cause.
    fn search(
        &self,
        polytope: &Polytope,
        terms: &impl Summands,
        walls: Walls,
        decrement: f64,
        reach: f64,
    ) -> f64 {
        let k = self.direction.len();
        let mu = if let Walls::Weighted(mu) = walls { mu } else { 0.0 };
        let toward: Vec<f64> = (self.active.iter())
            .map(|&j| -dot(&polytope.rows()[j * k..(j + 1) * k], &self.direction) / self.slack[j])
            .collect();
        let mut step = 1f64.min(NEARLY * reach);
        for _ in 0..60 {
            let of_terms: f64 = (self.along.iter().enumerate().map(|(i, a)| (a, terms.weight(i))))
                .filter(|(_, w)| *w > 0.0)
                .map(|(a, w)| w * (step * a).log_1p())
                .sum();
            let of_walls: f64 = toward.iter().map(|a| (step * a).log_1p()).sum();
            if of_terms + mu * of_walls >= 1e-4 * step * decrement {
                return step;
            }
            step *= 0.5;
        }
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::{PolytopeBuilder, Stream};
    use std::cell::Cell;

    /// Terms of weight one, which count how often they are looked at: twice for each factor at most.
    struct Counted {
        rows: Vec<f64>,
        constants: Vec<f64>,
        looks: Cell<usize>,
    }

    impl Summands for Counted {
        fn len(&self) -> usize {
            self.constants.len()
        }

        fn weight(&self, _: usize) -> f64 {
            1.0
        }

        fn each(&self, mut show: impl FnMut(usize, &[f64], &[f64])) {
            self.looks.set(self.looks.get() + 1);
            show(0, &self.rows, &self.constants);
        }
    }

    /// The looks that the best mixture of d candidates takes for some terms.
    fn looks(d: usize) -> usize {
        let mut builder = PolytopeBuilder::new(d);
        builder.equality(&vec![1.0; d], 1.0).unwrap();
        for i in 0..d {
            let minus: Vec<f64> = (0..d).map(|j| if i == j { -1.0 } else { 0.0 }).collect();
            builder.halfspace(&minus, 0.0);
        }
        let simplex = builder.finish().unwrap();
        let mut random = Stream::new(5, &[d as u64]);
        let phi: Vec<Vec<f64>> = (0..8).map(|_| (0..d).map(|_| random.uniform()).collect()).collect();
        let along = |phi: &Vec<f64>, j: usize| -> f64 {
            (0..d).map(|i| phi[i] * simplex.basis()[i * simplex.free() + j]).sum()
        };
        let terms = Counted {
            rows: phi.iter().flat_map(|phi| (0..d - 1).map(move |j| along(phi, j))).collect(),
            constants: phi.iter().map(|phi| dot(phi, simplex.origin())).collect(),
            looks: Cell::new(0),
        };
        let mut z = simplex.coordinates(simplex.interior());
        let slack = |row: &[f64], b: &f64| b - dot(row, &z);
        let rows = simplex.rows().chunks_exact(d - 1).zip(simplex.offsets());
        let room: Vec<f64> = rows.map(|(row, b)| slack(row, b)).collect();
        minimise(&simplex, &room, &terms, PATH, 1e-7, &mut z);
        // the fixed point of the EM algorithm is the maximum
        let mut theta = vec![1.0 / d as f64; d];
        for _ in 0..20_000 {
            let p: Vec<f64> = phi.iter().map(|phi| dot(phi, &theta)).collect();
            for (i, theta) in theta.iter_mut().enumerate() {
                *theta *= phi.iter().zip(&p).map(|(phi, p)| phi[i] / p).sum::<f64>() / phi.len() as f64;
            }
        }
        let expected: f64 = phi.iter().map(|phi| -dot(phi, &theta).log_e()).sum();
        let rows = terms.rows.chunks_exact(d - 1).zip(&terms.constants);
        let found: f64 = rows.map(|(row, constant)| -(constant + dot(row, &z)).log_e()).sum();
        assert!((found - expected).abs() < 1e-4, "{found} {expected}");
        terms.looks.get()
    }

    #[test]
    fn a_fit_in_many_dimensions_takes_few_factors() {
        let [some, many] = [40, 160].map(looks);
        assert!(some < 300 && many < 300, "{some} {many}");
    }
}
