//! Feature rows that stated facts imply, each on its own: O(d) for a row.
//!
//! Facts l_i <= x_i <= u_i and the first equality a'x = b bound a row from below: for every t,
//! phi'x is at least t b plus the sum of the least values of (phi_i - t a_i) x_i. A row whose bound
//! is not negative for some t is left out. The weights of a mixture imply every row without a
//! negative entry, with t = 0.
//!
//! This changes neither the polytope nor its hull: where a row left out is tight everywhere, so are
//! the facts that imply it. By rounding such a row may be exceeded by 4 epsilon of its largest
//! entry.

use super::PolytopeBuilder;
use crate::Tall;
use rayon::prelude::*;

/// Rows of a chunk; chunks never depend on the number of threads.
const CHUNK: usize = 1 << 14;
/// What an entry may be off by, as a share of the largest.
const ROUNDING: f64 = 4.0 * f64::EPSILON;
/// The least size of a fact's coefficient, and the inverse of the largest.
const LEAST: f64 = 1e-150;

/// Bounds of single coordinates, and an equality.
#[derive(Debug)]
pub(super) struct Facts<'a> {
    lower: Vec<f64>,
    upper: Vec<f64>,
    a: &'a [f64],
    b: f64,
}

impl<'a> Facts<'a> {
    /// The facts about single coordinates, if there are any.
    pub(super) fn of(builder: &'a PolytopeBuilder) -> Option<Facts<'a>> {
        let d = builder.dim;
        let (mut lower, mut upper) = (vec![f64::NEG_INFINITY; d], vec![f64::INFINITY; d]);
        let mut any = false;
        for row in builder.halfspaces.chunks_exact(d + 1) {
            let mut entries = (0..d).filter(|&i| row[i] != 0.0);
            let (Some(i), None) = (entries.next(), entries.next()) else { continue };
            let bound = row[d] / row[i];
            if !bound.is_finite() || !(LEAST..=1.0 / LEAST).contains(&row[i].abs()) {
                continue;
            }
            any = true;
            if row[i] < 0.0 {
                lower[i] = lower[i].max(bound);
            } else {
                upper[i] = upper[i].min(bound);
            }
        }
        let (a, b) = builder.equalities.first().map_or((&[][..], 0.0), |(a, b)| (&a[..], *b));
        any.then_some(Facts { lower, upper, a, b })
    }

    /// Which rows are implied, if any is.
    pub(super) fn implied(&self, features: &Tall) -> Option<Vec<bool>> {
        let mut implied = vec![false; features.rows()];
        let look = |(chunk, implied): (usize, &mut [bool])| {
            let mut order = Vec::new();
            for (row, implied) in (CHUNK * chunk..).zip(implied) {
                *implied = self.imply(features.row(row), &mut order);
            }
        };
        implied.par_chunks_mut(CHUNK).enumerate().for_each(look);
        implied.contains(&true).then_some(implied)
    }

    fn imply(&self, phi: &[f64], order: &mut Vec<usize>) -> bool {
        self.bounds(phi, 0.0) || self.best(phi, order).is_some_and(|t| self.bounds(phi, t))
    }

    /// Whether it follows with t times the equality.
    fn bounds(&self, phi: &[f64], t: f64) -> bool {
        let (mut least, mut size) = (t * self.b, (t * self.b).abs());
        let mut largest = 0.0f64;
        for (i, &x) in phi.iter().enumerate() {
            largest = largest.max(x.abs());
            let taken = if t == 0.0 { 0.0 } else { t * self.a[i] };
            let left = x - taken;
            if left == 0.0 {
                continue;
            }
            let bound = if left > 0.0 { self.lower[i] } else { self.upper[i] };
            let whole = x.abs() + taken.abs();
            if bound.is_finite() {
                least += left * bound;
                size += whole * bound.abs();
            } else if left.is_nan() || left.abs() > ROUNDING * whole {
                return false;
            }
        }
        // false for NaN
        let off = (phi.len() + 4) as f64 * f64::EPSILON * size;
        largest.is_finite() && least - off >= -ROUNDING * largest
    }

    /// The t that bounds a row best, if the equality bounds it at all. The bound is concave in t;
    /// a_i x_i turns from its least to its largest value at t = phi_i / a_i, and the best t is
    /// where a'x passes b.
    fn best(&self, phi: &[f64], order: &mut Vec<usize>) -> Option<f64> {
        let turn = |i: usize| phi[i] / self.a[i];
        let ends = |i: usize| {
            let (x, y) = (self.a[i] * self.lower[i], self.a[i] * self.upper[i]);
            (x.min(y), x.max(y))
        };
        order.clear();
        order.extend((0..self.a.len()).filter(|&i| self.a[i] != 0.0));
        let (mut sum, mut endless) = (0.0, 0);
        for (low, _) in order.iter().map(|&i| ends(i)) {
            if low.is_finite() { sum += low } else { endless += 1 }
        }
        order.sort_unstable_by(|&i, &j| turn(i).total_cmp(&turn(j)).then(i.cmp(&j)));
        for &i in &*order {
            let (low, high) = ends(i);
            if low.is_finite() {
                sum -= low
            } else {
                endless -= 1
            }
            sum += high;
            if endless == 0 && sum >= self.b {
                return Some(turn(i));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use microlp::{ComparisonOp, OptimizationDirection, Problem};
    use proptest::prelude::*;

    const FREE: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

    fn builder(bounds: &[(f64, f64)], a: &[f64], b: f64) -> PolytopeBuilder {
        let d = bounds.len();
        let mut builder = PolytopeBuilder::new(d);
        if !a.is_empty() {
            builder.equality(a, b).unwrap();
        }
        for (i, &(low, high)) in bounds.iter().enumerate() {
            // scaled, as facts may be
            let fact = |scale: f64| (0..d).map(|j| if i == j { scale } else { 0.0 }).collect::<Vec<_>>();
            if low.is_finite() {
                builder.halfspace(&fact(-2.0), -2.0 * low);
            }
            if high.is_finite() {
                builder.halfspace(&fact(0.5), 0.5 * high);
            }
        }
        builder
    }

    fn implied(builder: &PolytopeBuilder, phi: &[f64]) -> bool {
        Facts::of(builder).is_some_and(|facts| facts.imply(phi, &mut Vec::new()))
    }

    #[test]
    fn weights_of_a_mixture_imply_rows_without_a_negative_entry() {
        let simplex = builder(&[(0.0, f64::INFINITY); 3], &[1.0; 3], 1.0);
        let cone = builder(&[(0.0, f64::INFINITY); 3], &[], 0.0);
        for phi in [[0.0, 0.2, 0.7], [0.0; 3], [1e-300, 0.0, 0.0], [1e200, 0.0, 1e-200]] {
            assert!(implied(&simplex, &phi) && implied(&cone, &phi), "{phi:?}");
        }
        // rounding, where theta is bounded; not where the entry is all there is
        assert!(implied(&simplex, &[-1e-17, 0.2, 0.7]) && !implied(&cone, &[-1e-17, 0.2, 0.7]));
        for phi in [[-1e-17, 0.0, 0.0], [-1e-3, 0.2, 0.7], [-1e-12, 1.0, 1.0], [-1.0; 3]] {
            assert!(!implied(&simplex, &phi) && !implied(&cone, &phi), "{phi:?}");
        }
        for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(!implied(&simplex, &[odd, 0.2, 0.7]) && !implied(&cone, &[0.2, 0.7, odd]), "{odd}");
        }
    }

    #[test]
    fn partial_facts_imply_what_they_bound() {
        let some = builder(&[(0.0, f64::INFINITY), (0.0, f64::INFINITY), FREE], &[], 0.0);
        assert!(implied(&some, &[0.3, 0.1, 0.0]) && !implied(&some, &[0.3, 0.1, 1e-9]));
        // with the sum, theta_3 = 1 - theta_1 - theta_2: rows whose last entry is the smallest
        let sum = builder(&[(0.0, f64::INFINITY), (0.0, f64::INFINITY), FREE], &[1.0; 3], 1.0);
        assert!(implied(&sum, &[0.3, 0.3, 0.3]) && implied(&sum, &[0.3, 0.1, 0.1]));
        assert!(!implied(&sum, &[0.3, 0.1, 0.2]) && !implied(&sum, &[0.3, 0.1, -0.1]));
        // nothing is known of single coordinates
        assert!(!implied(&builder(&[FREE; 3], &[1.0; 3], 1.0), &[0.3; 3]));
        // a coefficient that the hull's coordinates may lose proves nothing
        let mut faint = PolytopeBuilder::new(1);
        faint.halfspace(&[-1e-305], 0.0);
        assert!(!implied(&faint, &[1.0]));
    }

    /// Weights of at least l, with sum 1: implied if m + sum of (phi_i - m) l_i >= 0, m the least.
    #[test]
    fn shifted_bounds_need_the_sum() {
        let shifted = builder(&[(-0.1, f64::INFINITY); 4], &[1.0; 4], 1.0);
        assert!(implied(&shifted, &[0.25; 4]) && implied(&shifted, &[0.2, 0.5, 0.5, 0.5]));
        assert!(!implied(&shifted, &[0.05, 0.5, 0.5, 0.5]) && !implied(&shifted, &[0.0, 0.1, 0.1, 0.1]));
    }

    proptest! {
        /// The simplex method agrees on the least value over the box and the equality.
        #[test]
        fn a_row_is_implied_if_its_least_value_is_not_negative(
            (inside, sides, a, phi) in (1usize..7).prop_flat_map(|d| (
                prop::collection::vec(-1.0f64..1.0, d),
                prop::collection::vec((0.0f64..1.5, 0.0f64..1.5), d),
                prop::collection::vec(-1.0f64..1.0, d),
                prop::collection::vec(-0.3f64..1.0, d),
            )),
            flat in any::<bool>(),
        ) {
            // a point of the box, sides at some distance or missing, an equality through the point
            let side = |x: f64, out: f64, to: f64| if out > 1.0 { to } else { x + out * to.signum() };
            let bounds: Vec<(f64, f64)> = inside.iter().zip(&sides)
                .map(|(&x, &(l, u))| (side(x, l, FREE.0), side(x, u, FREE.1))).collect();
            let b: f64 = a.iter().zip(&inside).map(|(a, x)| a * x).sum();
            let a = if flat { &a[..] } else { &[] };
            let mut program = Problem::new(OptimizationDirection::Minimize);
            let x: Vec<_> = phi.iter().zip(&bounds).map(|(&phi, &bounds)| program.add_var(phi, bounds)).collect();
            if flat {
                let terms: Vec<_> = x.iter().copied().zip(a.iter().copied()).collect();
                program.add_constraint(terms, ComparisonOp::Eq, b);
            }
            let least = program.solve().ok().and_then(|s| s.into_solution().ok()).map(|s| s.objective());
            let found = implied(&builder(&bounds, a, b), &phi);
            match least {
                Some(least) if least.abs() < 1e-9 => {}
                Some(least) if least > -1e6 => {
                    let any = bounds.iter().any(|&bounds| bounds != FREE);
                    prop_assert_eq!(found, any && least > 0.0, "{}", least);
                }
                _ => prop_assert!(!found),
            }
        }
    }
}
