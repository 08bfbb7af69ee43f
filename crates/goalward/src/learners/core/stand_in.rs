//! A learner that waits, and takes over when the models of another one are rejected.

use super::clock::Clock;
use super::guard::Guard;
use super::report::{PlanReport, Probe};
use crate::confidence::ConfidenceSet;

/// Shows what a learner shows that began to count when another clock stopped.
pub(super) struct Since<'a> {
    pub(super) sink: &'a mut dyn Probe,
    pub(super) then: Clock,
}

impl Probe for Since<'_> {
    fn plan(&mut self, plan: &PlanReport) {
        let (t, j) = (self.then.t + plan.t, self.then.j + plan.j);
        self.sink.plan(&PlanReport { t, j, ..plan.clone() });
    }
    fn weights(&mut self, sigma_sq: &[f64]) {
        self.sink.weights(sigma_sq);
    }
    fn wants_estimate(&self) -> bool {
        self.sink.wants_estimate()
    }
    fn estimate(&mut self, theta_hat: &[f64]) {
        self.sink.estimate(theta_hat);
    }
    fn intervals(&mut self, theta: &[(f64, f64)]) {
        self.sink.intervals(theta);
    }
    fn hidden(&mut self, coordinates: &[usize]) {
        self.sink.hidden(coordinates);
    }
    fn wants_sets(&self) -> bool {
        self.sink.wants_sets()
    }
    fn set(&mut self, now: &dyn ConfidenceSet) {
        self.sink.set(now);
    }
    fn planned_set(&mut self, planned: &dyn ConfidenceSet) {
        self.sink.planned_set(planned);
    }
    fn guard(&mut self, guard: &Guard) {
        self.sink.guard(guard);
    }
    fn contradictions(&mut self, count: u64) {
        self.sink.contradictions(count);
    }
    fn relaxed(&mut self, count: u64) {
        self.sink.relaxed(count);
    }
}

/// The learner that takes over, and whether it has; `L` keeps this module free of what it is.
pub(super) struct StandIn<L> {
    waiting: Option<Box<L>>,
    active: bool,
}

impl<L> StandIn<L> {
    pub(super) fn none() -> StandIn<L> {
        StandIn { waiting: None, active: false }
    }

    pub(super) fn new(learner: L) -> StandIn<L> {
        StandIn { waiting: Some(Box::new(learner)), active: false }
    }

    /// The waiting learner takes over, or goes back to wait.
    pub(super) fn set_active(&mut self, active: bool) {
        self.active = active && self.waiting.is_some();
    }

    pub(super) fn active(&self) -> Option<&L> {
        self.waiting.as_deref().filter(|_| self.active)
    }

    pub(super) fn active_mut(&mut self) -> Option<&mut L> {
        self.waiting.as_deref_mut().filter(|_| self.active)
    }

    /// The learner, whether it waits or not.
    pub(super) fn any(&mut self) -> Option<&mut L> {
        self.waiting.as_deref_mut()
    }
}
