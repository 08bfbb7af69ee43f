//! The smallest ellipsoid around points and their opposites, by D-optimal design: the weights for
//! which the largest x' M^-1 x, M = sum of pi x x', is least make it the dimension r (Kiefer,
//! Wolfowitz 1960). They are found by moving weight to the furthest point or away from the nearest,
//! by the best step (Wynn, Fedorov, Atwood).

use crate::numeric::{Cholesky, dot};

/// x' M^-1 x may exceed r by this share: what rounding would leave.
const PRECISION: f64 = 1e-10;
/// The largest total size of a matrix that is multiplied by a vector.
const MOST_WORK: usize = 1_000_000_000;
const MOST_MOVES: usize = 200_000;

/// The design for points that span their space, the unit vectors among them: the factor of M, and the
/// largest x' M^-1 x, which is r or a little more.
pub(super) fn optimal(points: &[&[f64]], r: usize) -> (Cholesky, f64) {
    let mut search = Search::begin(points, r);
    let moves = (MOST_WORK / (points.len() * r + r * r).max(1)).min(MOST_MOVES);
    for _ in 0..moves {
        if !search.improve() {
            break;
        }
    }
    search.design()
}

struct Search<'a> {
    points: &'a [&'a [f64]],
    r: usize,
    weights: Vec<f64>,
    inverse: Vec<f64>,
    lengths: Vec<f64>,
}

impl<'a> Search<'a> {
    fn begin(points: &'a [&'a [f64]], r: usize) -> Search<'a> {
        let unit = |x: &[f64]| x.iter().filter(|x| **x != 0.0).count() == 1 && x.contains(&1.0);
        let mut taken = vec![false; r];
        let weights = points
            .iter()
            .map(|x| match x.iter().position(|x| *x == 1.0) {
                Some(i) if unit(x) && !std::mem::replace(&mut taken[i], true) => 1.0 / r as f64,
                _ => 0.0,
            })
            .collect();
        let mut inverse = vec![0.0; r * r];
        (0..r).for_each(|i| inverse[i * r + i] = r as f64);
        let lengths = points.iter().map(|x| r as f64 * dot(x, x)).collect();
        Search { points, r, weights, inverse, lengths }
    }

    /// One step; false if there is nothing left to gain.
    fn improve(&mut self) -> bool {
        let d = self.r as f64;
        let (mut far, mut near) = (0, None::<usize>);
        for (i, &length) in self.lengths.iter().enumerate() {
            if length > self.lengths[far] {
                far = i;
            }
            if self.weights[i] > 0.0 && near.is_none_or(|n| length < self.lengths[n]) {
                near = Some(i);
            }
        }
        let above = self.lengths[far] / d - 1.0;
        if above <= PRECISION {
            return false;
        }
        match near {
            Some(near) if 1.0 - self.lengths[near] / d > above => {
                let (length, weight) = (self.lengths[near], self.weights[near]);
                let best = if length > 1.0 { (d - length) / (d * (length - 1.0)) } else { f64::INFINITY };
                self.shift(near, -best.min(weight / (1.0 - weight)));
                if self.weights[near] < 1e-14 {
                    self.weights[near] = 0.0;
                }
            }
            _ => self.shift(far, (self.lengths[far] - d) / (d * (self.lengths[far] - 1.0))),
        }
        true
    }

    /// M <- (1 - step) M + step x x'.
    fn shift(&mut self, i: usize, step: f64) {
        let r = self.r;
        let x = self.points[i];
        let u: Vec<f64> = (0..r).map(|k| dot(&self.inverse[k * r..(k + 1) * r], x)).collect();
        let factor = step / (1.0 - step + step * self.lengths[i]);
        for k in 0..r {
            let scaled = factor * u[k];
            let row = &mut self.inverse[k * r..(k + 1) * r];
            row.iter_mut().zip(&u).for_each(|(m, u)| *m = (*m - scaled * u) / (1.0 - step));
        }
        for (length, point) in self.lengths.iter_mut().zip(self.points) {
            *length = (*length - factor * dot(point, &u).powi(2)) / (1.0 - step);
        }
        self.weights.iter_mut().for_each(|w| *w *= 1.0 - step);
        self.weights[i] += step;
    }

    fn design(&self) -> (Cholesky, f64) {
        let r = self.r;
        let mut matrix = vec![0.0; r * r];
        for (x, weight) in self.points.iter().zip(&self.weights).filter(|(_, w)| **w > 0.0) {
            for i in (0..r).filter(|&i| x[i] != 0.0) {
                let scaled = weight * x[i];
                matrix[i * r..(i + 1) * r].iter_mut().zip(*x).for_each(|(m, x)| *m += scaled * x);
            }
        }
        // M is positive definite: weights move away from a point by less than would empty a
        // direction
        let even = || Cholesky::scaled_identity(r, 1.0 / r.max(1) as f64);
        let factor = Cholesky::factor(&matrix, r).unwrap_or_else(even);
        let mut scratch = vec![0.0; r];
        let lengths = self.points.iter().map(|x| factor.inverse_norm(x, &mut scratch).powi(2));
        let largest = lengths.fold(r as f64, f64::max);
        (factor, largest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of three points of the plane the third inside the ellipse of the others: they decide alone.
    /// A third one far out shares the weight.
    #[test]
    fn ellipses_by_hand() {
        let of = |third: [f64; 2]| {
            let points: [&[f64]; 3] = [&[1.0, 0.0], &[0.0, 1.0], &third];
            optimal(&points, 2)
        };
        let inside = of([0.6, 0.6]);
        assert_eq!(inside.1, 2.0);
        assert!((inside.0.lower()[0] - 0.5f64.sqrt()).abs() < 1e-15);
        // the regular hexagon's design is even: M = I/2 in orthonormal coordinates; here the third
        // corner is the sum of the others, so that M = [[2, 1], [1, 2]]/3
        let hexagon = of([1.0, 1.0]);
        assert!((hexagon.1 - 2.0).abs() < 1e-9, "{}", hexagon.1);
        let l = hexagon.0.lower();
        for (ours, by_hand) in [(l[0] * l[0], 2.0 / 3.0), (l[0] * l[2], 1.0 / 3.0)] {
            assert!((ours - by_hand).abs() < 1e-8, "{ours} {by_hand}");
        }
    }
}
