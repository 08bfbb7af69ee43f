//! What can be wrong with a problem's parts, short of the set B.

use super::ProblemBuilder;
use crate::problem::{Action, Faults, State, leads_to, names};
use crate::{Error, Result};

impl ProblemBuilder {
    /// The first `most` faults; the others are counted. [`build`](Self::build) looks at B.
    pub fn faults(&self, most: usize) -> Faults {
        let mut faults = Faults::new(most);
        match self.check_shape() {
            Err(fault) => faults.push("content", || fault),
            Ok(()) => {
                self.action_faults(&mut faults);
                self.goal_faults(&mut faults);
                if !self.may_be_lost
                    && !faults.suffices()
                    && let Err(fault) = self.check_reachable()
                {
                    faults.push("unreachable", || fault);
                }
            }
        }
        faults
    }

    fn check_shape(&self) -> Result<()> {
        let field = |field: &str, fault: String| Err(Error::Field { field: field.into(), fault });
        if self.draft.states() == 0 {
            return field("states", "a problem needs at least one state, the goal".into());
        }
        if self.draft.states() > u32::MAX as usize {
            return field("states", format!("{} are more than 2^32 - 1", self.draft.states()));
        }
        if self.dim == 0 {
            return field("dim", "it must be at least 1".into());
        }
        self.check_state("start", self.start)?;
        self.check_state("goal", self.goal)?;
        if let Some(names) = &self.state_names
            && names.len() != self.draft.states()
        {
            return field("state_names", format!("{} names for {} states", names.len(), self.draft.states()));
        }
        if let Some(names) = &self.action_names {
            if names.len() != self.draft.states() {
                return field(
                    "action_names",
                    format!("{} lists for {} states", names.len(), self.draft.states()),
                );
            }
            if let Some(s) = (0..names.len()).find(|&s| names.length(s) != self.draft.actions(s)) {
                let (has, needs) = (names.length(s), self.draft.actions(s));
                return field(&format!("action_names[{s}]"), format!("{has} names for {needs} actions"));
            }
        }
        self.model_names.as_ref().map_or(Ok(()), |own| names::check(own.iter().map(String::as_str), self.dim))
    }

    fn action_faults(&self, faults: &mut Faults) {
        for s in 0..self.draft.states() {
            if faults.suffices() {
                return;
            }
            let actions = self.draft.actions(s);
            if s != self.goal && actions == 0 {
                faults.push("no-action", || Error::NoAction { state: self.state_name(s) });
            }
            let has_none = |a: &Action| self.draft.successors(self.draft.pair(s, *a)).next().is_none();
            for a in (0..actions).filter(has_none) {
                faults.push("no-successor", || {
                    let (state, action) = (self.state_name(s), self.action_name(s, a));
                    Error::NoSuccessor { state, action }
                });
            }
        }
    }

    fn goal_faults(&self, faults: &mut Faults) {
        for a in 0..self.draft.actions(self.goal) {
            let pair = self.draft.pair(self.goal, a);
            let names = || (self.state_name(self.goal), self.action_name(self.goal, a));
            let cost = self.draft.cost(pair);
            if cost != 0.0 {
                faults.push("goal", || {
                    let (goal, action) = names();
                    Error::GoalCost { goal, action, cost }
                });
            }
            // the least, whatever the order in which they came
            let others = self.draft.successors(pair).filter(|&next| next as State != self.goal);
            if let Some(next) = others.min() {
                faults.push("goal", || {
                    let (goal, action) = names();
                    Error::GoalNotAbsorbing { goal, action, next: self.state_name(next as State) }
                });
            }
        }
    }

    fn check_reachable(&self) -> Result<()> {
        let n = self.draft.states();
        let arcs = || {
            let pairs = |s: State| (0..self.draft.actions(s)).map(move |a| self.draft.pair(s, a));
            (0..n).flat_map(move |s| {
                pairs(s).flat_map(move |p| self.draft.successors(p).map(move |t| (s as u32, t)))
            })
        };
        let reached = leads_to(n, self.goal, arcs);
        if reached.iter().all(|&r| r) {
            return Ok(());
        }
        let states = (0..n).filter(|&s| !reached[s]).map(|s| self.state_name(s)).collect();
        Err(Error::GoalUnreachable { goal: self.state_name(self.goal), states })
    }
}
