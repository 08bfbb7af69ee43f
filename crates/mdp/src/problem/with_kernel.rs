//! A problem with another truth: one that is given by its probabilities.

use super::{Entry, Instance, Problem, Truth};
use crate::Result;
use std::sync::Arc;

impl Problem {
    /// This problem with the true kernel that these entries list ([`Truth::from_kernel`]).
    ///
    /// Next states that no model has become successors. The problem is then another one, whose
    /// features are whole again if they were split.
    ///
    /// ```
    /// let coin = goalward_mdp::files::json::parse(
    ///     r#"{"states": 3, "start": 0, "goal": 1, "dim": 1, "cost": [[1.0], [], [1.0]],
    ///         "features": [[0, 0, 1, [1.0]], [2, 0, 1, [1.0]]]}"#,
    /// )?;
    /// // in truth it may roll under the table, which no model says
    /// let kernel = [(0, 0, 1, 0.9), (0, 0, 2, 0.1), (2, 0, 1, 1.0)];
    /// let rolls = coin.problem.with_kernel(&kernel)?;
    /// assert_eq!(rolls.problem.successors(0), [1, 2]);
    /// assert!(rolls.truth()?.theta().is_none());
    /// # Ok::<(), goalward_mdp::Error>(())
    /// ```
    pub fn with_kernel(self: &Arc<Problem>, entries: &[Entry]) -> Result<Instance> {
        // what is wrong with an entry is for the truth to say
        let exists = |&(s, a, next, p): &Entry| {
            p > 0.0 && s < self.states() && s != self.goal() && a < self.actions(s) && next < self.states()
        };
        let is_new =
            |entry: &Entry| exists(entry) && self.place_of(self.pair(entry.0, entry.1), entry.2).is_none();
        if !entries.iter().any(is_new) {
            let truth = Truth::from_kernel(self, entries)?;
            let notes = self.notes().iter().cloned().chain(truth.note()).collect();
            return Ok(Instance { problem: self.clone(), truth: Some(truth), model: None, notes });
        }
        let mut builder = Problem::builder(self.name(), self.states(), self.dim());
        builder.start(self.start()).goal(self.goal()).allow_lost();
        if let Some(names) = self.state_names() {
            builder.state_labels(names.clone());
        }
        if let Some(names) = self.action_names() {
            builder.action_labels(names.clone());
        }
        if let Some(names) = self.model_names() {
            builder.model_names(names.to_vec());
        }
        for s in 0..self.states() {
            for pair in self.pairs_of(s) {
                let a = builder.action(s, self.cost(pair))?;
                let phi = self.phi(pair);
                for (&next, phi) in self.successors(pair).iter().zip(phi.chunks_exact(self.dim())) {
                    builder.feature(s, a, next as usize, phi)?;
                }
            }
        }
        for fact in self.extra() {
            builder.extra(&fact.a, fact.b)?;
        }
        for &(s, a, next, _) in entries.iter().filter(|entry| exists(entry)) {
            builder.successor(s, a, next)?;
        }
        Instance::from_kernel(builder.build()?, entries)
    }
}
