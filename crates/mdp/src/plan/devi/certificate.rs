//! What makes any V a lower bound on the fixed point, with its residual.
//!
//! One sweep gives eta- = max(V - LV)^+ and eta+ = max(LV - V)^+. With c >= c_min > 0 off the goal,
//! W = lambda V, lambda = c_min/(c_min + eta-), has W <= LW, so it is below the fixed point, and
//! its residual is at most eta+ + (1 - lambda) max c over the chosen actions, with B in the place
//! of c where LV(s) is clamped. With zero costs W = (V - eta-/q)^+ off the goal, with residual at
//! most eta+ + eta-/q. A plain sweep on W gives Q and V = LW, which belong together and have no
//! larger residual.

use super::{Devi, Task};

#[derive(Clone, Copy, Default)]
pub(super) struct Defect {
    /// max(V - LV)^+.
    pub(super) below: f64,
    /// max(LV - V)^+.
    pub(super) above: f64,
    /// max V.
    pub(super) size: f64,
    /// The largest cost of a chosen action, or B where a state is stopped at it.
    paid: f64,
}

/// Where V is large and rounding is all that is lacking, rounds gain nothing more.
const ROUNDED: f64 = 32.0 * f64::EPSILON;

impl Defect {
    pub(super) fn off(self) -> f64 {
        self.below.max(self.above)
    }

    pub(super) fn is_rounding(self) -> bool {
        self.off() <= ROUNDED * self.size
    }

    pub(super) fn residual(self, c_min: f64, q: f64) -> f64 {
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

impl Devi {
    /// `before` is V, `v` is LV.
    pub(super) fn defect(&self, task: &Task) -> Defect {
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

    pub(super) fn lower(&mut self, defect: Defect, c_min: f64, task: &Task) {
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

pub(super) fn smallest_cost(task: &Task) -> f64 {
    let goal = task.problem.pairs_of(task.problem.goal());
    let costs = task.costs.iter().enumerate().filter(|(p, _)| !goal.contains(p));
    costs.map(|(_, c)| *c).fold(f64::INFINITY, f64::min)
}
