//! Intervals for the coordinates of a polytope.

use super::whiten::Whitened;
use super::{ConvexSet, Ellipsoid, Warm};
use crate::numeric::{Cholesky, Polytope, norm};
use std::sync::Arc;

/// An interval for every free coordinate over the whole polytope, found once per polytope.
pub(super) fn bounds(polytope: &Arc<Polytope>) -> &[(f64, f64)] {
    polytope.bounds(|polytope| {
        let (k, m) = (polytope.free(), polytope.offsets().len());
        let mut intervals = vec![(f64::NEG_INFINITY, f64::INFINITY); k];
        if 4.0 * m as f64 * (k as f64).powi(3) > 2e9 {
            return intervals;
        }
        // a ball that contains whatever is of ordinary size: where it constrains the answer, the
        // polytope does not
        let mut radius = 1e6 * (1.0 + norm(polytope.interior()));
        let (d, core) = (polytope.dim(), Arc::new(polytope.core()));
        let set = if polytope.is_turned() {
            // a ball of its own coordinates
            let inside = polytope.coordinates(polytope.interior());
            radius = 1e6 * (1.0 + norm(&inside));
            Whitened::assemble(&core, Cholesky::scaled_identity(k, 1.0), inside, radius)
        } else {
            let mut identity = vec![0.0; d * d];
            (0..d).for_each(|i| identity[i * d + i] = 1.0);
            Whitened::new(&core, Ellipsoid { center: polytope.interior(), shape: &identity, radius })
        };
        let Ok(set) = set else { return intervals };
        let mut set = ConvexSet::prepare(set);
        for j in 0..k {
            let mut side = |sign: f64| {
                set.c.fill(0.0);
                set.c[j] = sign;
                // a bound whatever its status
                let (_, bound, _) = set.min_reduced(0.0, &mut Warm::default(), false);
                if bound > -0.1 * radius { bound - 1e-9 * (1.0 + bound.abs()) } else { f64::NEG_INFINITY }
            };
            intervals[j] = (side(1.0), -side(-1.0));
        }
        intervals
    })
}
