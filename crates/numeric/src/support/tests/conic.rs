//! Clarabel alone, as a reference.

use super::super::conic::solve;
use super::super::whiten::Whitened;
use super::super::{bounds, expand, lanes};
use super::*;
use clarabel::solver::SolverStatus;

/// The set min <c, theta> is taken over, solved by Clarabel alone.
///
/// Good to about 1e-8; it shares the change of coordinates with [`ConvexSet`] and nothing else, which
/// is what makes it a check.
#[derive(Clone, Debug)]
pub(super) struct Conic {
    set: Whitened,
    /// The last minimiser.
    z: Vec<f64>,
}

impl Conic {
    /// Fails if the two do not meet.
    pub(super) fn new(polytope: &Arc<Polytope>, ellipsoid: Ellipsoid) -> Result<Self, Empty> {
        let set = Whitened::new(polytope, ellipsoid)?;
        if !set.point {
            let mut w = vec![0.0; set.free];
            w[0] = 1.0;
            let (.., status) = solve(&set, &w);
            if matches!(status, SolverStatus::PrimalInfeasible | SolverStatus::AlmostPrimalInfeasible) {
                return Err(Empty::Apart);
            }
        }
        Ok(Conic { z: set.z0.clone(), set })
    }
}

impl SupportMin for Conic {
    fn min(&mut self, c: &[f64], _warm: &mut Warm) -> Support {
        let set = &self.set;
        let k = set.free;
        let mut free = vec![0.0; k];
        let constant = set.reduce(c, &mut free);
        let mut whitened = vec![[0.0; 4]; lanes::width(k)];
        set.whiten(&free, &mut whitened);
        let mut w = whitened.as_flattened()[..k].to_vec();
        let size = norm(&w);
        if set.point || size == 0.0 {
            let value = constant + dot(&free, &set.z0);
            self.z = set.z0.clone();
            return Support { value, bound: value - set.rho * size, status: Status::Optimal };
        }
        w.iter_mut().for_each(|w| *w /= size);
        let (y, multipliers, status) = solve(set, &w);
        let (mut z, mut r) = (vec![0.0; k], vec![0.0; k]);
        set.unwhiten(&y, &mut z);
        let multipliers = multipliers.iter().map(|l| l * size).enumerate();
        let account = set.account(&free, multipliers, &mut r, &mut whitened);
        let bound = constant + account.bound(&r, bounds(&set.polytope));
        let status = if status == SolverStatus::Solved { Status::Optimal } else { Status::Inaccurate };
        let answer = Support { value: constant + dot(&free, &z), bound, status };
        self.z = z;
        answer
    }

    fn minimiser(&self, theta: &mut [f64]) {
        expand(&self.set.polytope, &self.z, theta);
    }
}
