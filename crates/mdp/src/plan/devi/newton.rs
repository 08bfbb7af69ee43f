//! DEVI by policy iteration: the minimising action and theta of every state are fixed, their linear
//! equations solved, and so on; then a [certificate](super::certificate). L is a minimum of affine
//! monotone maps, so this is Newton's method on V = L V: monotone, and done in a handful of rounds
//! whatever q and T* are.
//!
//! With many states the admissible residual of the equations is a hundredth of V's defect (and of
//! the largest cost), or a tenth of eps. Charges are lowered by a tenth of eps, so that the last
//! residual does not count as eta-, the part that is dear. It ends as soon as the residual is eps,
//! with few states where another round gains less than a factor of ten.

use super::certificate::{Defect, smallest_cost};
use super::evaluate::{Admissible, many};
use super::sweep::is_large;
use super::{Convergence, Cut, Devi, Planner, SHOWN, Task};
use crate::numeric::support::SupportMin;

/// Rounds of policy iteration from a good start; without one it goes through stages.
const ROUNDS: usize = 40;
/// From this round on, with many states, choices are also improved between sweeps: news travels one
/// state a sweep, which matters where a chain cannot see its goal within 1/q steps.
const IMPROVING: usize = 8;
/// In large problems sooner, if a round leaves more than this part of the defect.
const SLOW: f64 = 0.5;
/// Evaluations in such a round, while at least one state in [`CHANGED`] changes its choice.
const IMPROVEMENTS: usize = 6;
const CHANGED: usize = 32;
/// A residual of this part of V is small enough.
const AMPLE: f64 = 1e-6;
/// The residual of the equations that is admissible, as a part of V's defect,
const LEFT: f64 = 1e-2;
/// Support problems of the last sweeps, or a few more.
const LAST_WORK: usize = 1 << 20;
/// and as a part of eps in any case.
const FINE: f64 = 0.1;
/// Over a set that was made larger policy iteration need not settle, and a plan is only optimistic:
/// few rounds and last sweeps, and no stages.
const RELAXED_ROUNDS: usize = 10;
const RELAXED_WORK: usize = 1 << 15;
/// After so many rounds without a better V, later ones hardly find one either.
const PATIENCE: usize = 3;
/// From one stage to the next q falls by this factor: values at a distance of up to 36/q are told
/// apart from those further off, so the policy of one stage is a good start for the next.
const STAGE: f64 = 16.0;

impl Devi {
    /// Plans from any values `self.v`, after this number of sweeps.
    pub(super) fn iterate_policies(
        &mut self,
        task: &Task,
        set: &mut (impl SupportMin + Clone),
        mut sweeps: u64,
    ) -> Result<Convergence, Cut> {
        let c_min = smallest_cost(task);
        // while the clamp at B is in force, states at B say nothing of the way: first without, as
        // V* <= B if theta* is in the set
        let free = Task { b: f64::INFINITY, ..*task };
        let (mut residual, mut defect) = self.newton(&free, set, c_min, &mut sweeps)?;
        let relaxed = set.is_relaxed();
        let rounding = many(task.problem) && defect.is_rounding();
        if residual > task.eps && !relaxed && !rounding {
            let mut q: f64 = 0.25;
            while q > task.q {
                self.newton(&Task { q, ..free }, set, c_min, &mut sweeps)?;
                q /= STAGE;
            }
            (residual, defect) = self.newton(&free, set, c_min, &mut sweeps)?;
        }
        if defect.size > task.b {
            self.v.iter_mut().for_each(|v| *v = v.min(task.b));
            (residual, defect) = self.newton(task, set, c_min, &mut sweeps)?;
        }
        // a single model is no bound on anything, and its values are exact to rounding as they are
        let model = set.is_model();
        if !model {
            self.lower(defect, c_min, task);
        }
        let work = if relaxed { RELAXED_WORK } else { LAST_WORK };
        let most = sweeps + (work / task.problem.pairs().max(1)) as u64;
        loop {
            // from W <= LW plain sweeps only rise, towards the fixed point; one makes Q and V
            // belong together, and more are only needed where L is no minimum of affine maps (a
            // maximum over two sets); wherever one stops, V is a lower bound
            let change = self.step(task, set)?;
            sweeps += 1;
            residual = residual.min(change);
            let settled = residual <= task.eps || change <= 16.0 * f64::EPSILON * defect.size;
            if settled || model || sweeps > most {
                return Ok(Convergence::new(Planner::Fast, sweeps, residual));
            }
        }
    }

    /// Policy iteration from V. Leaves the best V by its residual; returns that and its defect.
    fn newton(
        &mut self,
        task: &Task,
        set: &mut (impl SupportMin + Clone),
        c_min: f64,
        sweeps: &mut u64,
    ) -> Result<(f64, Defect), Cut> {
        let (mut best, mut found) = ((f64::INFINITY, Defect::default()), 0);
        let (mut best_v, mut off_before) = (self.v.clone(), f64::INFINITY);
        // those of another set or discount say nothing
        self.bounds.prior = None;
        let relaxed = set.is_relaxed();
        let rounds = if relaxed { RELAXED_ROUNDS } else { ROUNDS };
        for round in 0..rounds {
            std::mem::swap(&mut self.v, &mut self.before);
            self.sweep(task, set, true)?;
            *sweeps += 1;
            let defect = self.defect(task);
            let residual = defect.residual(c_min, task.q);
            let before = best.0;
            if residual < before {
                (best, found) = ((residual, defect), round);
                best_v.copy_from_slice(&self.before);
            }
            // its error squares from round to round until it meets rounding
            let off = defect.off();
            let rounding = 4.0 * f64::EPSILON * defect.size;
            let many = many(task.problem);
            if task.problem.pairs() >= SHOWN {
                self.halt.lacks(best.0, task.eps);
            }
            let enough = many || best.0 <= AMPLE * defect.size || residual > 0.1 * before;
            if off <= rounding || best.0 <= task.eps && enough {
                break;
            }
            let stuck = many && defect.is_rounding() && off > SLOW * off_before;
            if stuck || relaxed && round >= found + PATIENCE {
                break;
            }
            let dearest = task.costs.iter().copied().fold(0.0, f64::max);
            let slow = round >= IMPROVING || round > 1 && is_large(task.problem) && off > SLOW * off_before;
            off_before = off;
            let admissible = Admissible {
                residual: (LEFT * off.min(dearest)).max(FINE * task.eps).max(rounding),
                lowered: (FINE * task.eps).max(rounding),
                ordered: many && slow,
            };
            if !self.evaluate_and_improve(task, admissible)? {
                break;
            }
        }
        self.v = best_v;
        Ok(best)
    }

    /// The values of the choices, improved under thetas at hand; false if arithmetic failed.
    fn evaluate_and_improve(&mut self, task: &Task, admissible: Admissible) -> Result<bool, Cut> {
        for _ in 1..IMPROVEMENTS {
            if !self.evaluate(task, admissible)? {
                return Ok(false);
            }
            let changed = if admissible.ordered { self.improve(task, admissible.residual)? } else { 0 };
            if changed == 0 {
                return Ok(true);
            }
            if changed < self.v.len() / CHANGED {
                break;
            }
        }
        self.evaluate(task, admissible)
    }
}
