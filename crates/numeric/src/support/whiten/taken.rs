//! Which of a polytope's rows can bind within an ellipsoid.

use super::{Empty, ROWS, Row, Whitened};
use crate::norm;
use crate::polytope::{Features, Rows, parallel};
use crate::support::lanes::{inner, width};

pub(super) struct Taken<'a> {
    set: &'a Whitened,
    pub(super) rows: Vec<Row>,
    /// The rows as they are stated, and L^-1 times them, k numbers each.
    pub(super) a: Vec<f64>,
    pub(super) g: Vec<f64>,
    pub(super) relaxed: bool,
}

/// A feature row that can bind: its h, and its number.
type Near = (f64, u32);

impl<'a> Taken<'a> {
    pub(super) fn new(set: &'a Whitened) -> Self {
        Taken { set, rows: Vec::new(), a: Vec::new(), g: Vec::new(), relaxed: false }
    }

    /// Takes the row a'z <= b unless the ball satisfies it; fails if the ball lies beyond it.
    pub(super) fn consider(&mut self, a: &[f64], b: f64) -> Result<(), Empty> {
        let (set, from) = (self.set, self.g.len());
        self.g.resize(from + a.len(), 0.0);
        let mut row = set.row(a, b, &mut self.g[from..]);
        if row.limit >= 1.0 + row.noise {
            self.g.truncate(from);
            return Ok(());
        }
        // rows that are parallel to 1e-12 were merged
        row.doubt += (set.polytope.blur() + 2e-12 * (1.0 + norm(&set.z0))) / (set.rho * row.size);
        if row.limit < -1.0 - 1e-10 - row.doubt {
            return Err(Empty::Apart);
        }
        self.a.extend_from_slice(a);
        self.rows.push(row);
        Ok(())
    }

    /// Of more than `most` rows keeps the `otherwise` nearest to the centre.
    pub(super) fn keep_nearest(&mut self, (most, otherwise): (usize, usize)) {
        if self.rows.len() <= most {
            return;
        }
        self.relaxed = true;
        let mut near: Vec<usize> = (0..self.rows.len()).collect();
        near.sort_unstable_by(|&a, &b| self.rows[a].limit.total_cmp(&self.rows[b].limit).then(a.cmp(&b)));
        near.truncate(otherwise);
        near.sort_unstable();
        let k = self.set.free;
        for (to, &from) in near.iter().enumerate() {
            for numbers in [&mut self.a, &mut self.g] {
                numbers.copy_within(from * k..(from + 1) * k, to * k);
            }
            self.rows[to] = self.rows[from];
        }
        self.rows.truncate(otherwise);
        [&mut self.a, &mut self.g].into_iter().for_each(|numbers| numbers.truncate(otherwise * k));
    }

    /// Takes the feature rows that can bind, all or the nearest, in one pass. Most are ruled out by
    /// phi'theta0 >= rho |L^-1| |phi|, the others by their own |L^-1 N'phi|.
    pub(super) fn consider_features(&mut self, features: &Features) -> Result<(), Empty> {
        let set = self.set;
        let (most, otherwise) = match features.limit() {
            Rows::Exact => (usize::MAX - 1, usize::MAX),
            Rows::Nearest(count) => (count.saturating_mul(4).min(usize::MAX - 1), count),
        };
        let reach = set.rho * set.norm_bound * (1.0 + 1e-9);
        let blur = 1e-12 * (1.0 + norm(&set.center));
        let near = features.scan(
            || (vec![[0.0; 4]; width(set.free)], f64::INFINITY),
            |i, phi, (w, furthest), found: &mut Vec<Near>| {
                let (mut slack, mut whole) = (0.0, 0.0);
                for (x, t) in phi.iter().zip(&set.center) {
                    slack += x * t;
                    whole += x * x;
                }
                // in squares: a root for each of millions of rows takes longer than reading them
                let gap = f64::min(reach + blur, reach * *furthest);
                if slack > 0.0 && slack * slack >= gap * gap * whole {
                    return;
                }
                let whole = whole.sqrt();
                set.whiten_directly(phi, w);
                let size = inner(w, w).sqrt();
                if slack >= set.rho * size * (1.0 + 1e-9) + blur * whole {
                    return;
                }
                let limit = slack / (set.rho * size);
                if limit > *furthest {
                    return;
                }
                found.push((limit, i as u32));
                if found.len() / 2 > most {
                    keep_nearest(features, found, most + 1);
                    // these are nearer than any row beyond the last
                    *furthest = if found.len() > most { found[most].0 } else { f64::INFINITY };
                }
            },
        );
        let mut near: Vec<Near> = near.into_iter().flatten().collect();
        keep_nearest(features, &mut near, most.saturating_add(1));
        if near.len() > most {
            self.relaxed = true;
            near.truncate(otherwise);
        }
        let mut row = vec![0.0; set.free];
        for (_, i) in near {
            if let Some(b) = features.row(&set.polytope, i as usize, &mut row) {
                self.consider(&row, b)?;
            }
        }
        Ok(())
    }

    /// An order in which neighbours are alike: halves by the component that differs most.
    pub(super) fn order(&self) -> Vec<usize> {
        let k = self.set.free;
        let component = |i: usize, j: usize| match j < k {
            true => self.g[i * k + j] / self.rows[i].size,
            false => self.rows[i].limit,
        };
        let mut order: Vec<usize> = (0..self.rows.len()).collect();
        let mut parts = Vec::from([(0, order.len())]);
        while let Some((start, end)) = parts.pop() {
            if end - start <= ROWS {
                continue;
            }
            let rows = &mut order[start..end];
            let spread = |j: usize| {
                let (low, high) = rows.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &i| {
                    let x = component(i, j);
                    (f64::min(low, x), f64::max(high, x))
                });
                high - low
            };
            let widest =
                (0..=k).map(|j| (spread(j), j)).fold((-1.0, 0), |a, b| if b.0 > a.0 { b } else { a }).1;
            let middle = (rows.len() / 2).next_multiple_of(ROWS).min(rows.len() - 1);
            rows.select_nth_unstable_by(middle, |&a, &b| {
                component(a, widest).total_cmp(&component(b, widest)).then(a.cmp(&b))
            });
            parts.push((start, start + middle));
            parts.push((start + middle, end));
        }
        order
    }
}

/// Keeps the nearest, once each, in their order.
fn keep_nearest(features: &Features, near: &mut Vec<Near>, most: usize) {
    near.sort_unstable_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
    near.dedup_by(|later, kept| {
        (later.0 - kept.0).abs() <= 1e-12 * (1.0 + kept.0.abs())
            && parallel(features.phi(later.1 as usize), features.phi(kept.1 as usize))
    });
    near.truncate(most);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::{ConvexSet, Ellipsoid, SupportMin, Warm};
    use crate::{PolytopeBuilder, Stream, Tall, norm};
    use std::sync::Arc;

    /// Of rows that are written out, the nearest are taken too; the minimum over them is a bound.
    #[test]
    fn of_written_rows_the_nearest_are_taken() {
        let (mut random, d) = (Stream::new(9, &[4]), 6);
        let mut builder = PolytopeBuilder::new(d).unpruned();
        for _ in 0..300 {
            let a: Vec<f64> = (0..d).map(|_| random.uniform() - 0.5).collect();
            builder.halfspace(&a, norm(&a) * (0.5 + random.uniform()));
        }
        let whole = Arc::new(builder.finish().unwrap());
        let shape: Vec<f64> =
            (0..d * d).map(|i| if i % (d + 1) == 0 { 1.0 + i as f64 } else { 0.0 }).collect();
        let ellipsoid = Ellipsoid { center: &vec![0.01; d], shape: &shape, radius: 40.0 };
        let mut all = ConvexSet::new(&whole, ellipsoid).unwrap();
        let kept = 50;
        let mut some = ConvexSet::new(&Arc::new(whole.with_nearest(200, kept)), ellipsoid).unwrap();
        assert!(some.is_relaxed() && !all.is_relaxed() && all.set.limits.len() > 200);
        let mut nearest = all.set.limits.clone();
        nearest.sort_by(f64::total_cmp);
        assert_eq!(some.set.limits.len(), kept);
        assert!(some.set.limits.iter().all(|limit| *limit <= nearest[kept - 1] * (1.0 + 1e-9)));
        let mut lower = 0;
        for _ in 0..30 {
            let c: Vec<f64> = (0..d).map(|_| random.uniform() - 0.5).collect();
            let [some, all] = [&mut some, &mut all].map(|set| set.min(&c, &mut Warm::default()));
            assert!(some.bound <= all.value + 1e-9 && some.value - some.bound <= 1e-9);
            lower += u32::from(some.value < all.value - 1e-6);
        }
        assert!(lower > 0);
    }

    /// Of thousands of rows, each there twice, the nearest are those that sorting all of them gives.
    #[test]
    fn the_nearest_rows_are_taken() {
        let (mut random, d, kept) = (Stream::new(8, &[4]), 5, 20);
        let mut phi: Vec<f64> = (0..4_000 * d).map(|_| random.exponential()).collect();
        let twice: Vec<f64> = phi.iter().map(|x| 2.0 * x).collect();
        phi.extend(twice);
        let mut builder = PolytopeBuilder::new(d).at_most(100).unpruned();
        builder.equality(&vec![1.0; d], 1.0).unwrap();
        builder.no_less_than_zero(&Arc::new(Tall::new(d, phi)));
        let polytope = Arc::new(builder.finish().unwrap().with_rows(Rows::Nearest(kept)));
        let (features, core) = (polytope.features().unwrap(), polytope.offsets().len());
        let shape: Vec<f64> =
            (0..d * d).map(|i| if i % (d + 1) == 0 { 1.0 + i as f64 } else { 0.0 }).collect();
        let center = vec![1.0 / d as f64; d];
        for radius in [5.0, 30.0, 100.0] {
            let ellipsoid = Ellipsoid { center: &center, shape: &shape, radius };
            let set = ConvexSet::new(&polytope, ellipsoid).unwrap().set;
            let (mut all, mut row) = (Taken::new(&set), vec![0.0; set.free]);
            for i in 0..8_000 {
                if let Some(b) = features.row(&polytope, i, &mut row) {
                    all.consider(&row, b).unwrap();
                }
            }
            let mut expected: Vec<f64> = all.rows.iter().map(|row| row.limit).collect();
            assert!(expected.len() > 200, "{}", expected.len());
            expected.sort_by(f64::total_cmp);
            expected.dedup_by(|later, kept| (*later - *kept).abs() <= 1e-12);
            let found = &set.limits[set.limits.len() - kept..];
            assert!(set.relaxed && set.limits.len() <= core + kept);
            found.iter().zip(&expected).for_each(|(x, y)| assert!((x - y).abs() < 1e-9, "{x} {y}"));
        }
    }
}
