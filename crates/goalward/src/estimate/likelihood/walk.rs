//! Hit and run: random moves along chords of B.
//!
//! The points that predict (`nodes.rs`) move so under a quadratic model of the posterior, whose
//! slices are known in closed form. A draw from the posterior itself ([`Likelihood::draw`]) moves
//! under the true likelihood.

use super::{Likelihood, Term};
use crate::numeric::{Cholesky, Polytope, Portable, Stream, dot};

/// The part of a chord of B that stays free at both ends.
const FREE: f64 = 1e-6;
/// A slice is found after a handful of tries; after this many a point stays where it is.
const TRIES: usize = 1000;
/// Walks at most where they stay within some of B's rows.
const WALKS: usize = 32;

/// A random direction, of the proportions of the ellipsoid {z : z' H z <= 1} with this factor of H.
pub(super) fn direction(factor: &Cholesky, stream: &mut Stream, v: &mut [f64]) {
    v.iter_mut().for_each(|v| *v = (0..4).map(|_| stream.uniform() - 0.5).sum());
    factor.solve_upper(v);
}

/// The part of an interval of steps from z along v that lies in a polytope, as far as its rows are
/// written out. It holds zero.
pub(super) fn chord(polytope: &Polytope, z: &[f64], v: &[f64], (low, high): (f64, f64)) -> (f64, f64) {
    let mut chord = Chord { low, high };
    for (row, b) in polytope.rows().chunks_exact(z.len()).zip(polytope.offsets()) {
        chord.cut(b - dot(row, z), dot(row, v));
    }
    (chord.low.min(0.0), chord.high.max(0.0))
}

/// An interval of steps.
#[derive(Clone, Copy, PartialEq)]
struct Chord {
    low: f64,
    high: f64,
}

impl Chord {
    /// A row has so much slack, and loses it at this rate.
    fn cut(&mut self, slack: f64, rate: f64) {
        let slack = slack.max(0.0) * (1.0 - FREE);
        if rate > 0.0 {
            self.high = self.high.min(slack / rate);
        } else if rate < 0.0 {
            self.low = self.low.max(slack / rate);
        }
    }
}

impl Likelihood {
    /// A draw from the posterior of a uniform prior on B, in the coordinates of B's hull: its
    /// density is proportional to the likelihood of all that was counted.
    ///
    /// Starts at the fit, which lies strictly inside B, and makes `moves` moves. A move takes a
    /// direction: by turns one with the proportions of the information, and an axis. Then it takes
    /// a level below the density here, and a point of the chord where the density is above it:
    /// uniform tries, and each that fails cuts the chord off on its side (Neal 2003). Densities are
    /// log-concave, so this leaves the posterior as it is, but for the millionth of a chord that
    /// stays free at B's boundary.
    ///
    /// Directions that no kernel sees stay as they are: nothing depends on them.
    ///
    /// Where B's rows are too many to be looked at in every move, a walk stays within some of them. If
    /// it ends in B, that is a draw: of draws over a larger set, those in B are draws over B. If not,
    /// the rows that it violates join, and another walk begins. After [`WALKS`] of them the last end
    /// is moved towards the fit, into B.
    pub(crate) fn draw(&self, moves: usize, stream: &mut Stream) -> Vec<f64> {
        let polytope = self.frame.polytope();
        let Some(features) = polytope.features() else { return self.walk(polytope, moves, stream) };
        let (mut joined, mut z) = (Vec::new(), Vec::new());
        for _ in 0..WALKS {
            z = self.walk(&polytope.core_with(&joined), moves, stream);
            let violated = features.violated(polytope, &z, 0.0);
            if violated.is_empty() {
                return z;
            }
            joined.extend(violated);
        }
        let fit = &self.memory.plug_in;
        let way: Vec<f64> = z.iter().zip(fit).map(|(z, fit)| z - fit).collect();
        let part = self.chord_of_all(fit, &way).1.min(1.0);
        fit.iter().zip(way).map(|(fit, way)| fit + part * way).collect()
    }

    /// A walk from the fit.
    fn walk(&self, polytope: &Polytope, moves: usize, stream: &mut Stream) -> Vec<f64> {
        let mut z = self.memory.plug_in.clone();
        let seen = &self.frame.seen;
        if seen.is_empty() {
            return z;
        }
        let mut v = vec![0.0; z.len()];
        for turn in 0..moves {
            if turn % 2 == 0 {
                direction(&self.memory.information, stream, &mut v);
            } else {
                v.fill(0.0);
                v[stream.below(z.len())] = 1.0;
            }
            if seen.len() < z.len() {
                v = self.seen_part(&v);
            }
            let step = self.slice(polytope, &z, &v, stream);
            z.iter_mut().zip(&v).for_each(|(z, v)| *z += step * v);
        }
        z
    }

    /// A step along v, from a slice of the posterior.
    fn slice(&self, polytope: &Polytope, z: &[f64], v: &[f64], stream: &mut Stream) -> f64 {
        let level = stream.exponential();
        let (mut low, mut high) = chord(polytope, z, v, (f64::NEG_INFINITY, f64::INFINITY));
        if !(low.is_finite() && high.is_finite()) {
            (low, high) = self.chord_of_all(z, v);
        }
        if !(low.is_finite() && high.is_finite()) {
            return 0.0;
        }
        // the relative change of each probability along v, and how often it counts
        let mut rates = Vec::new();
        self.each_seen(z, |seen| {
            rates.extend(seen.terms().map(|Term { row, p, n, .. }| (dot(row, v) / p, n)));
        });
        rates.retain(|(rate, _)| *rate != 0.0);
        let loss = |x: f64| -> f64 { rates.iter().map(|(rate, n)| -n * (x * rate).log_1p()).sum() };
        for _ in 0..TRIES {
            let x = low + (high - low) * stream.uniform();
            if loss(x) <= level {
                return x;
            }
            if x < 0.0 {
                low = x;
            } else {
                high = x;
            }
        }
        0.0
    }

    /// The chord of B through z along v, rows that are not written out included.
    fn chord_of_all(&self, z: &[f64], v: &[f64]) -> (f64, f64) {
        let polytope = self.polytope();
        let (low, high) = chord(polytope, z, v, (f64::NEG_INFINITY, f64::INFINITY));
        let mut all = Chord { low, high };
        if let Some(features) = polytope.features() {
            let (theta, k) = (self.lift(z), z.len());
            let along: Vec<f64> = polytope.basis().chunks_exact(k.max(1)).map(|row| dot(row, v)).collect();
            // most rows do not cut off more than those before
            let look = |_: usize, phi: &[f64], chord: &mut Chord, cuts: &mut Vec<(f64, f64)>| {
                let (slack, rate) = (dot(phi, &theta), -dot(phi, &along));
                let before = *chord;
                chord.cut(slack, rate);
                if *chord != before {
                    cuts.push((slack, rate));
                }
            };
            let cuts = features.scan(|| all, look);
            cuts.into_iter().flatten().for_each(|(slack, rate)| all.cut(slack, rate));
        }
        (all.low, all.high)
    }
}
