//! DEVI by policy iteration: the minimising action and theta of every state are held fixed, the
//! linear equations they make are solved, and so on; then a [certificate](super::certificate).
//!
//! L is a minimum of affine monotone maps, one for each choice of an action and a theta per state,
//! so policy iteration is Newton's method on V = L V: from above, monotone, and done in a handful
//! of rounds whatever q and T* are.
//!
//! **Many states.** Equations are left off by a hundredth of V's defect (and of the largest cost:
//! more would say nothing), or by a tenth of eps. Charges are lowered by a tenth of eps, so that
//! what is left in the last round, and choices that would gain no more, do not count as eta-, the
//! part that is dear. Policy iteration that is slow is helped by improvements between sweeps. It
//! ends as soon as the residual is eps, the few states' where another round gains less than a
//! factor of ten.

use super::certificate::{Defect, smallest_cost};
use super::evaluate::{Arithmetic, Left, many};
use super::sweep::{Keep, is_large};
use super::{Convergence, Cut, Devi, Planner, SHOWN, Task};
use crate::numeric::support::SupportMin;

/// Rounds of policy iteration from a good start; without one it goes through stages.
const ROUNDS: usize = 40;
/// From this round on, with many states, choices are also improved between sweeps: what is new
/// travels by one state with each sweep, which matters where a chain cannot see its goal within 1/q
/// steps.
const IMPROVING: usize = 8;
/// In large problems sooner, if more than this part of the defect is left after a round.
const SLOW: f64 = 0.5;
/// Evaluations in such a round, as long as one state in so many changes its choice.
const IMPROVEMENTS: usize = 6;
const CHANGED: usize = 32;
/// A residual of this part of V is good enough for anybody.
const AMPLE: f64 = 1e-6;
/// The part of V's defect that may be left in the equations.
const LEFT: f64 = 1e-2;
/// The last sweeps solve so many support problems, or a few more.
const LAST_WORK: usize = 1 << 20;
/// The part of eps that may be left in any case.
const FINE: f64 = 0.1;
/// Over a set that was made larger thetas are no mixtures and policies no chains, so that policy
/// iteration need not settle. Nothing is said of such a plan but that it is optimistic: rounds and
/// last sweeps are few, and there are no stages.
const RELAXED_ROUNDS: usize = 10;
const RELAXED_WORK: usize = 1 << 16;
/// From one stage to the next q falls by this factor: values at a distance of up to 36/q are told
/// apart from those further off, so the policy of one stage is a good start for the next.
const STAGE: f64 = 16.0;

/// What happens to the choices between two sweeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Between {
    Nothing,
    /// They are improved by thetas at hand.
    Improve,
}

/// The best V of a policy iteration.
#[derive(Clone, Copy)]
struct Best {
    residual: f64,
    defect: Defect,
}

impl Devi {
    /// Plans from the values `self.v`, which may be anything, after so many sweeps.
    pub(super) fn iterate_policies<S>(
        &mut self,
        task: &Task,
        set: &mut S,
        sweeps: u64,
    ) -> Result<Convergence, Cut>
    where
        S: SupportMin + Clone + Send + Sync,
    {
        let c_min = smallest_cost(task);
        let mut sweeps = sweeps;
        // while the clamp at B is in force, states at B say nothing of the way: first without, as
        // V* <= B if theta* is in the set
        let free = Task { b: f64::INFINITY, ..*task };
        let mut best = self.newton(&free, set, c_min, &mut sweeps)?;
        let relaxed = set.is_relaxed();
        if best.residual > task.eps && !relaxed {
            let mut q: f64 = 0.25;
            while q > task.q {
                self.newton(&Task { q, ..free }, set, c_min, &mut sweeps)?;
                q /= STAGE;
            }
            best = self.newton(&free, set, c_min, &mut sweeps)?;
        }
        if best.defect.size > task.b {
            self.v.iter_mut().for_each(|v| *v = v.min(task.b));
            best = self.newton(task, set, c_min, &mut sweeps)?;
        }
        // a single model is no bound on anything, and its values are exact to rounding as they are
        let model = set.is_model();
        if !model {
            self.lower(best.defect, c_min, task);
        }
        let mut residual = best.residual;
        let work = if relaxed { RELAXED_WORK } else { LAST_WORK };
        let most = sweeps + (work / task.problem.pairs().max(1)) as u64;
        loop {
            // from W <= LW plain sweeps only rise, towards the fixed point; one makes Q and V
            // belong together, and more are only needed where L is no minimum of affine maps (a
            // maximum over two sets); wherever one stops, V is a lower bound
            let change = self.step(task, set)?;
            sweeps += 1;
            residual = residual.min(change);
            let settled = residual <= task.eps || change <= 16.0 * f64::EPSILON * best.defect.size;
            if settled || model || sweeps > most {
                return Ok(Convergence {
                    sweeps,
                    residual,
                    planner: Planner::Fast,
                    fallbacks: 0,
                    relaxed: false,
                });
            }
        }
    }

    /// Policy iteration from V = `self.v`; leaves there the best V met, by the residual that it can
    /// be certified with.
    fn newton<S>(&mut self, task: &Task, set: &mut S, c_min: f64, sweeps: &mut u64) -> Result<Best, Cut>
    where
        S: SupportMin + Clone + Send + Sync,
    {
        let mut best = Best { residual: f64::INFINITY, defect: Defect::default() };
        let (mut best_v, mut off_before) = (self.v.clone(), f64::INFINITY);
        let rounds = if set.is_relaxed() { RELAXED_ROUNDS } else { ROUNDS };
        for round in 0..rounds {
            std::mem::swap(&mut self.v, &mut self.before);
            self.sweep(task, set, Keep::Choices)?;
            *sweeps += 1;
            let defect = self.defect(task);
            let residual = defect.residual(c_min, task.q);
            let before = best.residual;
            if residual < before {
                best = Best { residual, defect };
                best_v.copy_from_slice(&self.before);
            }
            // its error squares from round to round until it meets rounding
            let off = defect.below.max(defect.above);
            let rounding = 4.0 * f64::EPSILON * defect.size;
            let many = many(task.problem);
            if task.problem.pairs() >= SHOWN {
                self.halt.lacks(best.residual, task.eps);
            }
            let enough = many || best.residual <= AMPLE * defect.size || residual > 0.1 * before;
            if off <= rounding || best.residual <= task.eps && enough {
                break;
            }
            let dearest = task.costs.iter().copied().fold(0.0, f64::max);
            let slow = round >= IMPROVING || round > 1 && is_large(task.problem) && off > SLOW * off_before;
            let between = if many && slow { Between::Improve } else { Between::Nothing };
            off_before = off;
            let left = Left {
                enough: (LEFT * off.min(dearest)).max(FINE * task.eps).max(rounding),
                lowered: (FINE * task.eps).max(rounding),
                ordered: between == Between::Improve,
            };
            if self.evaluate_and_improve(task, left, between)? == Arithmetic::Broken {
                break;
            }
        }
        self.v = best_v;
        Ok(best)
    }

    /// The values of what was chosen and, if wanted, of what is better under thetas at hand.
    fn evaluate_and_improve(&mut self, task: &Task, left: Left, between: Between) -> Result<Arithmetic, Cut> {
        for _ in 1..IMPROVEMENTS {
            if self.evaluate(task, left)? == Arithmetic::Broken {
                return Ok(Arithmetic::Broken);
            }
            let changed = match between {
                Between::Improve => self.improve(task, left.enough)?,
                Between::Nothing => 0,
            };
            if changed == 0 {
                return Ok(Arithmetic::Fine);
            }
            if changed < self.v.len() / CHANGED {
                break;
            }
        }
        self.evaluate(task, left)
    }
}
