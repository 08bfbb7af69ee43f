//! DEVI by policy iteration: the minimising action and theta of every state are held fixed, the linear equations they
//! make are solved, and so on; then a certificate.
//!
//! L is a minimum of affine monotone maps, one for each choice of an action and a theta per state, so policy iteration
//! is Newton's method on V = L V: from above, monotone, and done in a handful of rounds whatever q and T* are.
//!
//! **The certificate.** Whatever V is, one sweep gives eta- = max(V - LV)^+ and eta+ = max(LV - V)^+. With c >= c_min > 0
//! off the goal, W = lambda V with lambda = c_min/(c_min + eta-) has W <= LW (L is homogeneous but for the costs), so W is below the
//! fixed point. With the action that attains LV(s) and its cost c, LW(s) <= lambda LV(s) + (1 - lambda) c, so the residual is at
//! most eta+ + (1 - lambda) max c over these actions, with B in the place of c where LV(s) is clamped. With zero costs
//! W = (V - eta-/q)^+ off the goal, with residual at most eta+ + eta-/q. One plain sweep on W then gives Q and V = LW, which belong
//! together, lie between W and the fixed point, and have no larger residual.
//!
//! **Many states.** Equations are left off by a hundredth of V's defect (and of the largest cost: more would say nothing),
//! or by a tenth of eps. Charges are lowered by a tenth of eps, so that what is left in the last round, and choices that would
//! gain no more, do not count as eta-, the part that is dear. Policy iteration that is slow is helped by improvements between
//! sweeps. It ends as soon as the residual is eps, the few states' where another round gains less than a factor of ten.

use super::evaluate::{Left, many};
use super::{Convergence, Cut, Devi, Planner, Task};
use crate::numeric::support::SupportMin;

/// Rounds of policy iteration from a good start; without one it goes through stages.
const ROUNDS: usize = 40;
/// From this round on, with many states, choices are also improved between sweeps: what is new travels by one state with each
/// sweep, which matters where a chain cannot see its goal within 1/q steps.
const IMPROVING: usize = 8;
/// Evaluations in such a round, as long as one state in so many changes its choice.
const IMPROVEMENTS: usize = 6;
const CHANGED: usize = 32;
/// The part of V's defect that may be left in the equations.
const LEFT: f64 = 1e-2;
/// The part of eps that may be left in any case.
const FINE: f64 = 0.1;
/// From one stage to the next q falls by this factor: values at a distance of up to 36/q are told apart from those
/// further off, so the policy of one stage is a good start for the next.
const STAGE: f64 = 16.0;

/// The best V of a policy iteration.
#[derive(Clone, Copy)]
struct Best {
    residual: f64,
    defect: Defect,
}

/// How far V is from L V, below and above.
#[derive(Clone, Copy, Default)]
struct Defect {
    /// max(V - LV)^+.
    below: f64,
    /// max(LV - V)^+.
    above: f64,
    /// max V.
    size: f64,
    /// The largest cost of a chosen action, or B where a state is stopped at it.
    paid: f64,
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
        // while the clamp at B is in force, states at B say nothing of the way: first without, as V* <= B if theta* is
        // in the set
        let free = Task { b: f64::INFINITY, ..*task };
        let mut best = self.newton(&free, set, c_min, &mut sweeps)?;
        if best.residual > task.eps {
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
        self.lower(best.defect, c_min, task);
        let mut residual = best.residual;
        loop {
            // from W <= LW plain sweeps only rise, towards the fixed point; one makes Q and V belong together, and more
            // are only needed where L is no minimum of affine maps (a maximum over two sets)
            let change = self.step(task, set)?;
            sweeps += 1;
            residual = residual.min(change);
            if residual <= task.eps || change <= 16.0 * f64::EPSILON * best.defect.size {
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

    /// Policy iteration from V = `self.v`; leaves there the best V met, by the residual that it can be certified with.
    fn newton<S>(&mut self, task: &Task, set: &mut S, c_min: f64, sweeps: &mut u64) -> Result<Best, Cut>
    where
        S: SupportMin + Clone + Send + Sync,
    {
        let mut best = Best { residual: f64::INFINITY, defect: Defect::default() };
        let mut best_v = self.v.clone();
        for round in 0..ROUNDS {
            std::mem::swap(&mut self.v, &mut self.before);
            self.sweep(task, set, true)?;
            *sweeps += 1;
            let defect = self.defect(task);
            let residual = defect.residual(c_min, task.q) + self.doubt(task);
            let before = best.residual;
            if residual < before {
                best = Best { residual, defect };
                best_v.copy_from_slice(&self.before);
            }
            // its error squares from round to round until it meets rounding
            let off = defect.below.max(defect.above);
            let rounding = 4.0 * f64::EPSILON * defect.size;
            let many = many(task.problem);
            if off <= rounding || best.residual <= task.eps && (many || residual > 0.1 * before) {
                break;
            }
            let dearest = task.costs.iter().copied().fold(0.0, f64::max);
            let left = Left {
                enough: (LEFT * off.min(dearest)).max(FINE * task.eps).max(rounding),
                lowered: (FINE * task.eps).max(rounding),
            };
            if !self.evaluate_and_improve(task, left, many && round >= IMPROVING)? {
                break;
            }
        }
        self.v = best_v;
        Ok(best)
    }

    /// The values of what was chosen and, if wanted, of what is better under thetas at hand. `false` if arithmetic fails.
    fn evaluate_and_improve(&mut self, task: &Task, left: Left, improve: bool) -> Result<bool, Cut> {
        for _ in 1..IMPROVEMENTS {
            if !self.evaluate(task, left)? {
                return Ok(false);
            }
            let changed = if improve { self.improve(task, left.enough)? } else { 0 };
            if changed == 0 {
                return Ok(true);
            }
            if changed < self.v.len() / CHANGED {
                break;
            }
        }
        self.evaluate(task, left)
    }

    /// `before` is V, `v` is LV.
    fn defect(&self, task: &Task) -> Defect {
        let all = self.before.iter().zip(&self.v).fold(Defect::default(), |defect, (v, lv)| Defect {
            below: defect.below.max(v - lv),
            above: defect.above.max(lv - v),
            size: defect.size.max(*v),
            paid: 0.0,
        });
        let chosen = self.chosen.iter().flat_map(|chosen| chosen.pair.iter().enumerate());
        let paid = chosen.filter(|(s, _)| *s != task.problem.goal());
        let paid = paid.map(|(_, pair)| pair.map_or(task.b, |p| task.costs[p as usize]));
        Defect { paid: paid.fold(0.0, f64::max), ..all }
    }

    /// Lowers V to W.
    fn lower(&mut self, defect: Defect, c_min: f64, task: &Task) {
        let goal = task.problem.goal();
        for (s, v) in self.v.iter_mut().enumerate() {
            *v = match s == goal {
                true => 0.0,
                false if c_min > 0.0 => *v * (c_min / (c_min + defect.below)),
                false => (*v - defect.below / task.q).max(0.0),
            };
        }
    }
}

impl Defect {
    /// The residual of W.
    fn residual(self, c_min: f64, q: f64) -> f64 {
        let lowered = if c_min > 0.0 {
            self.paid * self.below / (c_min + self.below)
        } else if self.below == 0.0 {
            0.0
        } else {
            self.below / q
        };
        self.above + lowered
    }
}

/// The smallest cost off the goal.
fn smallest_cost(task: &Task) -> f64 {
    let goal = task.problem.pairs_of(task.problem.goal());
    let costs = task.costs.iter().enumerate().filter(|(p, _)| !goal.contains(p));
    costs.map(|(_, c)| *c).fold(f64::INFINITY, f64::min)
}
