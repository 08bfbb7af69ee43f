//! A safeguarded Newton method for maximum likelihood inside a polytope.

use crate::numeric::{Cholesky, Polytope, dot};

/// Terms -weight log(constant + row z) to be summed; every row has k numbers.
pub(super) struct Terms<'a> {
    pub(super) rows: &'a [f64],
    pub(super) constants: &'a [f64],
    pub(super) weights: &'a [f64],
}

/// The weights of the polytope's barrier, largest first, for a maximum that may lie on the boundary. The last one is what
/// it may cost: the likelihood is off by at most this times the number of active rows.
pub(super) const PATH: &[f64] = &[1e-1, 3e-3, 1e-4, 3e-6, 1e-7];

/// Newton steps per weight; a dozen is already much.
const STEPS: usize = 80;
/// The part of the way to the boundary that a step may go.
const NEARLY: f64 = 0.99;

/// Minimises the terms plus a vanishing barrier, from a point strictly inside the polytope; never leaves it.
///
/// The terms are barriers of their own rows. Of the polytope's other rows only those join, with the weights of `path` one
/// after the other, that stop a step: B may have millions of rows, and a maximum leans on fewer than k + 1. A
/// direction that no term sees stays as it is.
pub(super) fn minimise(polytope: &Polytope, terms: &Terms, path: &[f64], z: &mut [f64]) {
    if z.is_empty() || terms.weights.is_empty() {
        return;
    }
    let mut state = Newton::new(polytope, terms.weights.len());
    for (i, &mu) in path.iter().enumerate() {
        let last = i + 1 == path.len();
        state.center(polytope, terms, mu, if last { 1e-12 } else { 1e-3 }, z);
        if state.active.is_empty() {
            // the barrier never mattered: only the accuracy is left to reach
            return state.center(polytope, terms, mu, 1e-12, z);
        }
    }
}

struct Newton {
    /// Rows of the polytope with a barrier, in the order in which they stopped a step.
    active: Vec<usize>,
    is_active: Vec<bool>,
    p: Vec<f64>,
    slack: Vec<f64>,
    gradient: Vec<f64>,
    hessian: Vec<f64>,
}

impl Newton {
    fn new(polytope: &Polytope, terms: usize) -> Self {
        let (k, m) = (polytope.free(), polytope.offsets().len());
        Newton {
            active: Vec::new(),
            is_active: vec![false; m],
            p: vec![0.0; terms],
            slack: vec![0.0; m],
            gradient: vec![0.0; k],
            hessian: vec![0.0; k * k],
        }
    }

    /// Newton's method for one weight of the barrier, until the squared decrement is below `enough`.
    fn center(&mut self, polytope: &Polytope, terms: &Terms, mu: f64, enough: f64, z: &mut [f64]) {
        let k = z.len();
        let row = |i: usize| &terms.rows[i * k..(i + 1) * k];
        let wall = |j: usize| &polytope.rows()[j * k..(j + 1) * k];
        let mut steps = 0;
        while steps < STEPS {
            self.differentiate(polytope, terms, mu, z);
            let mut direction: Vec<f64> = self.gradient.iter().map(|g| -g).collect();
            let Some(factor) = self.factor(k) else { return };
            factor.solve(&mut direction);
            let decrement = -dot(&direction, &self.gradient);
            if decrement.is_nan() || decrement <= enough * 1e-3 {
                return;
            }
            let mut reach = f64::INFINITY;
            for i in 0..terms.weights.len() {
                let slope = dot(row(i), &direction);
                if slope < 0.0 && terms.weights[i] > 0.0 {
                    reach = reach.min(-self.p[i] / slope);
                }
            }
            let mut stopped_by = None;
            let mut free_reach = f64::INFINITY;
            for j in 0..self.slack.len() {
                let slope = dot(wall(j), &direction);
                if slope > 0.0 {
                    let ratio = self.slack[j] / slope;
                    if self.is_active[j] {
                        reach = reach.min(ratio);
                    } else if ratio < free_reach {
                        (free_reach, stopped_by) = (ratio, Some(j));
                    }
                }
            }
            // a row that stops this step before anything else does becomes part of the problem
            if let Some(j) = stopped_by
                && NEARLY * free_reach < 1.0
                && free_reach <= reach
            {
                self.active.push(j);
                self.is_active[j] = true;
                continue;
            }
            let step = self.search(polytope, terms, mu, &direction, decrement, reach.min(free_reach));
            if step == 0.0 {
                return;
            }
            z.iter_mut().zip(&direction).for_each(|(z, d)| *z += step * d);
            steps += 1;
            if step == 1.0 && decrement <= enough {
                return;
            }
        }
    }

    /// p, the slacks, the gradient and the Hessian at z.
    fn differentiate(&mut self, polytope: &Polytope, terms: &Terms, mu: f64, z: &[f64]) {
        let k = z.len();
        self.gradient.fill(0.0);
        self.hessian.fill(0.0);
        let (gradient, hessian) = (&mut self.gradient, &mut self.hessian);
        let mut add = |row: &[f64], first: f64, second: f64| {
            for i in 0..k {
                gradient[i] += first * row[i];
                let scaled = second * row[i];
                if scaled != 0.0 {
                    hessian[i * k..=i * k + i].iter_mut().zip(row).for_each(|(h, x)| *h += scaled * x);
                }
            }
        };
        for (i, row) in terms.rows.chunks_exact(k).enumerate() {
            let weight = terms.weights[i];
            if weight > 0.0 {
                let p = terms.constants[i] + dot(row, z);
                self.p[i] = p;
                add(row, -weight / p, weight / (p * p));
            }
        }
        for (j, (row, b)) in polytope.rows().chunks_exact(k).zip(polytope.offsets()).enumerate() {
            self.slack[j] = b - dot(row, z);
        }
        for &j in &self.active {
            let (row, s) = (&polytope.rows()[j * k..(j + 1) * k], self.slack[j]);
            add(row, mu / s, mu / (s * s));
        }
    }

    /// The Hessian's factor, lifted where no term sees a direction.
    fn factor(&self, k: usize) -> Option<Cholesky> {
        let trace: f64 = (0..k).map(|i| self.hessian[i * k + i]).sum();
        let mut lifted = self.hessian.clone();
        let mut lift = 1e-13 * trace;
        // a trace of 0 means that no term sees any direction: nothing to do
        while lift > 0.0 && lift <= trace {
            (0..k).for_each(|i| lifted[i * k + i] = self.hessian[i * k + i] + lift);
            if let Some(factor) = Cholesky::factor(&lifted, k) {
                return Some(factor);
            }
            lift *= 10.0;
        }
        None
    }

    /// Halves the step until the function falls enough (Armijo); 0 if it does not, which only rounding can cause.
    fn search(
        &self,
        polytope: &Polytope,
        terms: &Terms,
        mu: f64,
        direction: &[f64],
        decrement: f64,
        reach: f64,
    ) -> f64 {
        let k = direction.len();
        let along: Vec<f64> = (terms.rows.chunks_exact(k).enumerate())
            .map(|(i, row)| if terms.weights[i] > 0.0 { dot(row, direction) / self.p[i] } else { 0.0 })
            .collect();
        let toward: Vec<f64> = (self.active.iter())
            .map(|&j| -dot(&polytope.rows()[j * k..(j + 1) * k], direction) / self.slack[j])
            .collect();
        let mut step = 1f64.min(NEARLY * reach);
        for _ in 0..60 {
            let fall: f64 = along.iter().zip(terms.weights).map(|(a, w)| w * (step * a).ln_1p()).sum::<f64>()
                + mu * toward.iter().map(|a| (step * a).ln_1p()).sum::<f64>();
            if fall >= 1e-4 * step * decrement {
                return step;
            }
            step *= 0.5;
        }
        0.0
    }
}
