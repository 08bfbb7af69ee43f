//! Better choices without a support problem: every theta that was chosen anywhere lies in the set.

use super::{Cut, Devi, Task};
use crate::numeric::dot;
use crate::problem::State;

impl Devi {
    /// One Gauss-Seidel pass, the least value first: each state takes the best of its actions under
    /// its own theta and that of the least successor, if that gains more than `noise`. News from
    /// the goal travels all the way in one pass. How many changed.
    pub(super) fn improve(&mut self, task: &Task, noise: f64) -> Result<usize, Cut> {
        let Task { problem, q, .. } = *task;
        let d = problem.dim();
        let Some(mut chosen) = self.chosen.take() else { return Ok(0) };
        let mut v = std::mem::take(&mut self.v);
        let (mut phi, mut changed) = (vec![0.0; d], 0);
        for s in self.equations.states().take_while(|_| !self.halt.asked()) {
            let mut best = v[s] - noise;
            let mut choice = None;
            for p in problem.pairs_of(s) {
                problem.phi_v(p, &v, &mut phi);
                let paid = task.costs[p];
                let least = problem.successors(p).iter().map(|&next| next as State);
                let least = least.min_by(|&a, &b| v[a].total_cmp(&v[b]));
                // as sweeps do, in case theta is in a larger set than B
                let floor = least.map_or(0.0, |next| v[next]);
                let least = least.filter(|&next| next != s);
                for from in [Some(s), least].into_iter().flatten().filter(|&from| chosen.pair[from].is_some())
                {
                    let value =
                        paid + (1.0 - q) * dot(&phi, &chosen.theta[from * d..(from + 1) * d]).max(floor);
                    if value < best {
                        (best, choice) = (value, Some((p, from)));
                    }
                }
            }
            if let Some((p, from)) = choice {
                v[s] = best;
                chosen.pair[s] = Some(p as u32);
                chosen.theta.copy_within(from * d..(from + 1) * d, s * d);
                changed += 1;
            }
        }
        (self.chosen, self.v) = (Some(chosen), v);
        self.halt.check()?;
        Ok(changed)
    }
}
