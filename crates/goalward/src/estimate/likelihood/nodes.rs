//! Points of B with posterior weights: their mean is what predicts.
//!
//! Kernels are linear in theta, so the prediction of the uniform Bayesian mixture over B is the
//! kernel of its posterior mean. The points are drawn from the posterior's quadratic model, cut off
//! at B, and weighed by how the true likelihood differs from it. From then on every step multiplies
//! their weights by what each gave to the state that came. When few of them carry the weight, they
//! are drawn again.
//!
//! Whatever the points are, their mean lies in B and was known before the step: the prediction is
//! valid. How good they are decides only how many nats it loses.
//!
//! Nothing is random: the numbers that move the points are those of the step's count.

use super::frame::Frame;
use super::walk::{chord, direction};
use crate::numeric::stored::{Flaw, length};
use crate::numeric::{Cholesky, Portable, Stream, dot};
use serde::{Deserialize, Serialize};

/// The number of points: `POINTS`, and `MORE` for each dimension.
const POINTS: usize = 24;
const MORE: usize = 2;
/// Moves of each point when all are renewed, and when they are first spread over B.
const MOVES: usize = 8;
const SPREAD: usize = 32;
/// The least effective sample size, as a part of the number of points.
const LEAST: f64 = 0.5;
/// The most numbers that B's rows may have: beyond that, moves within B would take too long.
const LARGE: usize = 1 << 13;
/// The label of the numbers that move the points.
const LABEL: u64 = 0x6e_6f64_6573; // "nodes"

/// Points of B that stand for the posterior of a uniform prior; none where B is a point, or where
/// it has too many rows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Nodes {
    /// Coordinates, one point after the other.
    z: Vec<f64>,
    /// Weights; their sum is one, to rounding.
    weights: Vec<f64>,
}

/// A quadratic model of the loss around a point: g'(z - at) + (z - at)' H (z - at)/2.
pub(super) struct Model<'a> {
    pub(super) at: &'a [f64],
    pub(super) gradient: &'a [f64],
    pub(super) hessian: &'a [f64],
    /// The Hessian's factor.
    pub(super) factor: &'a Cholesky,
}

impl Model<'_> {
    /// g + H (z - at), into k numbers.
    fn slope(&self, z: &[f64], slope: &mut [f64]) {
        for (i, slope) in slope.iter_mut().enumerate() {
            let row = &self.hessian[i * z.len()..(i + 1) * z.len()];
            let along = row.iter().zip(z.iter().zip(self.at)).map(|(h, (z, at))| h * (z - at));
            *slope = self.gradient[i] + along.sum::<f64>();
        }
    }

    /// The loss above that of the point that it is made around.
    fn loss(&self, z: &[f64], slope: &mut [f64]) -> f64 {
        self.slope(z, slope);
        let halves = slope.iter().zip(self.gradient).map(|(s, g)| 0.5 * (s + g));
        halves.zip(z.iter().zip(self.at)).map(|(half, (z, at))| half * (z - at)).sum()
    }
}

impl Nodes {
    /// Points spread over B.
    pub(super) fn new(frame: &Frame) -> Nodes {
        let (k, m) = (frame.inside.len(), frame.seen.len());
        let polytope = frame.polytope();
        if m == 0 || polytope.has_features() || polytope.rows().len() > LARGE {
            return Nodes::default();
        }
        let count = POINTS + MORE * m;
        let mut nodes = Nodes { z: frame.inside.repeat(count), weights: vec![1.0 / count as f64; count] };
        let (none, flat) = (vec![0.0; k], vec![0.0; k * k]);
        let factor = &Cholesky::scaled_identity(k, 1.0);
        let uniform = Model { at: &frame.inside, gradient: &none, hessian: &flat, factor };
        nodes.walk(frame, &uniform, SPREAD, &mut Stream::new(0, &[LABEL]));
        nodes
    }

    pub(super) fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    pub(super) fn points(&self) -> impl Iterator<Item = &[f64]> {
        let k = self.z.len() / self.weights.len().max(1);
        self.z.chunks_exact(k.max(1))
    }

    /// Weighs every point by the probability, constant + row z, that it gave to what was seen.
    pub(super) fn learn(&mut self, constant: f64, row: &[f64]) {
        let points = self.z.chunks_exact(row.len().max(1));
        let mut sum = 0.0;
        for (z, weight) in points.zip(&mut self.weights) {
            *weight *= (constant + dot(row, z)).max(0.0);
            sum += *weight;
        }
        self.normalise(sum);
    }

    fn normalise(&mut self, sum: f64) {
        match sum > 0.0 && sum.is_finite() {
            true => self.weights.iter_mut().for_each(|w| *w /= sum),
            false => {
                let share = 1.0 / self.weights.len() as f64;
                self.weights.fill(share);
            }
        }
    }

    /// The weighted mean, into k numbers; what is there stays if there are no points.
    pub(super) fn mean(&self, mean: &mut [f64]) {
        if self.is_empty() {
            return;
        }
        mean.fill(0.0);
        for (z, weight) in self.points().zip(&self.weights) {
            mean.iter_mut().zip(z).for_each(|(m, z)| *m += weight * z);
        }
    }

    /// Whether the effective sample size is low.
    pub(super) fn is_depleted(&self) -> bool {
        let squares: f64 = self.weights.iter().map(|w| w * w).sum();
        squares * self.weights.len() as f64 * LEAST > 1.0
    }

    /// Moves the points to where the model has the posterior after t steps.
    pub(super) fn renew(&mut self, frame: &Frame, model: &Model, t: u64) {
        if !self.is_empty() {
            let mut stream = Stream::new(t, &[LABEL]);
            self.resample(&mut stream);
            self.walk(frame, model, MOVES, &mut stream);
        }
    }

    /// Weighs the points by how their true losses differ from those of the model that they were
    /// drawn from.
    pub(super) fn weigh(&mut self, model: &Model, losses: &[f64]) {
        let mut slope = vec![0.0; model.at.len()];
        let logs: Vec<f64> =
            self.points().zip(losses).map(|(z, loss)| model.loss(z, &mut slope) - loss).collect();
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        self.weights.iter_mut().zip(&logs).for_each(|(w, log)| *w = (log - most).exp_e());
        self.normalise(self.weights.iter().sum());
    }

    /// As many points, all of the same weight: each as often as its weight says.
    fn resample(&mut self, stream: &mut Stream) {
        let n = self.weights.len();
        let k = self.z.len() / n;
        let old = std::mem::take(&mut self.z);
        let (mut place, mut sum) = (0, self.weights[0]);
        let shift = stream.uniform();
        for i in 0..n {
            while sum < (i as f64 + shift) / n as f64 && place + 1 < n {
                place += 1;
                sum += self.weights[place];
            }
            self.z.extend_from_slice(&old[place * k..(place + 1) * k]);
        }
        self.weights.fill(1.0 / n as f64);
    }

    /// Hit and run with slices: every point makes `moves` moves along a direction, uniformly over
    /// where the model's posterior on that chord of B is above a random level. Directions are
    /// those of the model's own ellipsoid and differences of two points, by turns: these know B's
    /// proportions.
    fn walk(&mut self, frame: &Frame, model: &Model, moves: usize, stream: &mut Stream) {
        let (k, n, m) = (model.at.len(), self.weights.len(), frame.seen.len());
        let (mut v, mut slope) = (vec![0.0; k], vec![0.0; k]);
        for (turn, i) in (0..moves).flat_map(|turn| (0..n).map(move |i| (turn, i))) {
            if turn % 2 == 0 {
                direction(model.factor, stream, &mut v);
            } else {
                let (a, b) = (stream.below(n) * k, stream.below(n) * k);
                v.iter_mut().enumerate().for_each(|(j, v)| *v = self.z[a + j] - self.z[b + j]);
            }
            // in turned coordinates those that no kernel sees come last
            v[m..].fill(0.0);
            let z = &mut self.z[i * k..(i + 1) * k];
            model.slope(z, &mut slope);
            let bend: f64 = (0..k).map(|i| v[i] * dot(&model.hessian[i * k..(i + 1) * k], &v)).sum();
            let (level, share) = (stream.exponential(), stream.uniform());
            let (low, high) = chord(frame.polytope(), z, &v, slice(bend, dot(&slope, &v), level));
            let step = low + (high - low) * share;
            if step.is_finite() {
                z.iter_mut().zip(&v).for_each(|(z, v)| *z += step * v);
            }
        }
    }

    pub(super) fn check(&self, own: &Nodes) -> Result<(), Flaw> {
        length("z", &self.z, own.z.len())?;
        length("weights", &self.weights, own.weights.len())
    }
}

/// Where bend x^2/2 + slope x <= level.
fn slice(bend: f64, slope: f64, level: f64) -> (f64, f64) {
    let root = (slope * slope + 2.0 * bend * level).sqrt();
    // the product of the ends is -2 level/bend: no difference of like numbers
    let (low, high) = match slope > 0.0 {
        true => (-(slope + root) / bend, 2.0 * level / (slope + root)),
        false => (-2.0 * level / (root - slope), (root - slope) / bend),
    };
    let known = |x: f64, otherwise: f64| if x.is_nan() { otherwise } else { x };
    (known(low, f64::NEG_INFINITY), known(high, f64::INFINITY))
}
