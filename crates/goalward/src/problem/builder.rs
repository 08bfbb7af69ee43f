//! The checked way to a [`Problem`].

use super::{Action, Halfspace, Problem, State};
use crate::numeric::{Polytope, PolytopeBuilder};
use crate::{Error, Result};
use std::sync::Arc;

/// One action while the problem is built.
#[derive(Clone, Debug)]
struct Draft {
    cost: f64,
    /// Successors with their feature rows, in ascending order of the successor.
    rows: Vec<(State, Vec<f64>)>,
}

/// Collects a problem's parts and checks them; every error names the place.
#[derive(Clone, Debug)]
pub struct ProblemBuilder {
    name: String,
    dim: usize,
    start: State,
    goal: State,
    states: Vec<Vec<Draft>>,
    extra: Vec<Halfspace>,
    state_names: Option<Vec<String>>,
    action_names: Option<Vec<Vec<String>>>,
    may_be_lost: bool,
}

impl ProblemBuilder {
    pub(super) fn new(name: &str, states: usize, dim: usize) -> Self {
        ProblemBuilder {
            name: name.into(),
            dim,
            start: 0,
            goal: states.saturating_sub(1),
            states: vec![Vec::new(); states],
            extra: Vec::new(),
            state_names: None,
            action_names: None,
            may_be_lost: false,
        }
    }

    /// Where every episode starts; state 0 unless set.
    pub fn start(&mut self, s: State) -> &mut Self {
        self.start = s;
        self
    }

    /// Where every episode ends; the last state unless set.
    pub fn goal(&mut self, s: State) -> &mut Self {
        self.goal = s;
        self
    }

    /// Names for all states.
    pub fn state_names(&mut self, names: Vec<String>) -> &mut Self {
        self.state_names = Some(names);
        self
    }

    /// Names for all actions of all states.
    pub fn action_names(&mut self, names: Vec<Vec<String>>) -> &mut Self {
        self.action_names = Some(names);
        self
    }

    /// Lets the problem have states from which no sequence of actions leads to the goal. Planners name them; a learner is
    /// not built for a problem whose start leads there ([`Problem::require_goal_in_reach`]).
    pub fn allow_lost(&mut self) -> &mut Self {
        self.may_be_lost = true;
        self
    }

    /// Adds an action to a state and returns its number.
    pub fn action(&mut self, s: State, cost: f64) -> Result<Action> {
        self.check_state("state", s)?;
        let a = self.states[s].len();
        if !(0.0..=1e100).contains(&cost) {
            return Err(Error::Cost { state: self.state_name(s), action: self.action_name(s, a), cost });
        }
        self.states[s].push(Draft { cost, rows: Vec::new() });
        Ok(a)
    }

    /// Sets phi(next|s,a); absent rows are zero.
    pub fn feature(&mut self, s: State, a: Action, next: State, phi: &[f64]) -> Result<&mut Self> {
        self.check_state("state", s)?;
        self.check_state("next", next)?;
        let fault = if a >= self.states[s].len() {
            Some(format!("there are {} actions in this state", self.states[s].len()))
        } else if phi.len() != self.dim {
            Some(format!("the feature row has {} entries, but dim is {}", phi.len(), self.dim))
        } else if let Some(i) = phi.iter().position(|x| !x.is_finite()) {
            Some(format!("feature {i} is {}, not a finite number", phi[i]))
        } else if self.states[s][a].rows.binary_search_by_key(&next, |r| r.0).is_ok() {
            Some("this feature row is given twice".into())
        } else {
            None
        };
        if let Some(fault) = fault {
            let (state, action) = (self.state_name(s), self.action_name(s, a));
            return Err(Error::Feature { state, action, next: self.state_name(next), fault });
        }
        if phi.iter().any(|&x| x != 0.0) {
            let rows = &mut self.states[s][a].rows;
            let at = rows.partition_point(|r| r.0 < next);
            rows.insert(at, (next, phi.to_vec()));
        }
        Ok(self)
    }

    /// Adds a known linear fact a'theta <= b.
    pub fn extra(&mut self, a: &[f64], b: f64) -> Result<&mut Self> {
        let row = self.extra.len();
        let fault = if a.len() != self.dim {
            format!("it has {} coefficients, but dim is {}", a.len(), self.dim)
        } else if !b.is_finite() || a.iter().any(|x| !x.is_finite()) {
            "it is not finite".into()
        } else {
            self.extra.push(Halfspace { a: a.to_vec(), b });
            return Ok(self);
        };
        Err(Error::Field { field: format!("extra[{row}]"), fault })
    }

    /// Adds what is known of true mixture weights: no weight is negative. (That they sum to one follows from the
    /// rows.)
    pub fn simplex(&mut self) -> &mut Self {
        for i in 0..self.dim {
            let mut a = vec![0.0; self.dim];
            a[i] = -1.0;
            self.extra.push(Halfspace { a, b: 0.0 });
        }
        self
    }

    /// What is wrong, so many faults at most; the rows of B are looked at only if nothing else is wrong.
    pub fn faults(&self, most: usize) -> Vec<Error> {
        let mut faults = Vec::new();
        if let Err(fault) = self.check_shape() {
            return vec![fault];
        }
        self.action_faults(most, &mut faults);
        self.goal_faults(&mut faults);
        if !self.may_be_lost {
            faults.extend(self.check_reachable().err());
        }
        faults.truncate(most);
        faults
    }

    /// Checks the whole and makes the problem.
    pub fn build(self) -> Result<Problem> {
        if let Some(fault) = self.faults(1).pop() {
            return Err(fault);
        }
        let constraints = Arc::new(self.constraints()?);
        let (mut first_pair, mut first_row) = (vec![0], vec![0]);
        let (mut costs, mut successors, mut phi) = (Vec::new(), Vec::new(), Vec::new());
        for actions in self.states {
            for draft in actions {
                costs.push(draft.cost);
                for (next, row) in draft.rows {
                    successors.push(next as u32);
                    phi.extend(row);
                }
                first_row.push(successors.len());
            }
            first_pair.push(costs.len());
        }
        let largest = costs.iter().copied().fold(0.0, f64::max);
        Ok(Problem {
            name: self.name,
            dim: self.dim,
            start: self.start,
            goal: self.goal,
            first_pair,
            cost_unit: if largest > 1.0 { largest } else { 1.0 },
            costs,
            first_row,
            successors,
            phi,
            extra: self.extra,
            state_names: self.state_names,
            action_names: self.action_names,
            constraints,
        })
    }

    fn check_state(&self, field: &str, s: State) -> Result<()> {
        if s < self.states.len() {
            return Ok(());
        }
        let fault = format!("state {s} does not exist, there are {} states", self.states.len());
        Err(Error::Field { field: field.into(), fault })
    }

    fn check_shape(&self) -> Result<()> {
        let field = |field: &str, fault: String| Err(Error::Field { field: field.into(), fault });
        if self.states.is_empty() {
            return field("states", "a problem needs at least one state, the goal".into());
        }
        if self.states.len() > u32::MAX as usize {
            return field("states", format!("{} are more than 2^32 - 1", self.states.len()));
        }
        if self.dim == 0 {
            return field("dim", "it must be at least 1".into());
        }
        self.check_state("start", self.start)?;
        self.check_state("goal", self.goal)?;
        if let Some(names) = &self.state_names
            && names.len() != self.states.len()
        {
            return field("state_names", format!("{} names for {} states", names.len(), self.states.len()));
        }
        if let Some(names) = &self.action_names {
            if names.len() != self.states.len() {
                return field(
                    "action_names",
                    format!("{} lists for {} states", names.len(), self.states.len()),
                );
            }
            if let Some(s) = (0..names.len()).find(|&s| names[s].len() != self.states[s].len()) {
                let (has, needs) = (names[s].len(), self.states[s].len());
                return field(&format!("action_names[{s}]"), format!("{has} names for {needs} actions"));
            }
        }
        Ok(())
    }

    fn action_faults(&self, most: usize, faults: &mut Vec<Error>) {
        for (s, actions) in self.states.iter().enumerate() {
            if faults.len() >= most {
                return;
            }
            if s != self.goal && actions.is_empty() {
                faults.push(Error::NoAction { state: self.state_name(s) });
            }
            for (a, _) in actions.iter().enumerate().filter(|(_, draft)| draft.rows.is_empty()) {
                let (state, action) = (self.state_name(s), self.action_name(s, a));
                faults.push(Error::NoSuccessor { state, action });
            }
        }
    }

    fn goal_faults(&self, faults: &mut Vec<Error>) {
        for (a, draft) in self.states[self.goal].iter().enumerate() {
            let names = || (self.state_name(self.goal), self.action_name(self.goal, a));
            if draft.cost != 0.0 {
                let (goal, action) = names();
                faults.push(Error::GoalCost { goal, action, cost: draft.cost });
            }
            if let Some((next, _)) = draft.rows.iter().find(|(next, _)| *next != self.goal) {
                let (goal, action) = names();
                faults.push(Error::GoalNotAbsorbing { goal, action, next: self.state_name(*next) });
            }
        }
    }

    /// Every state must have a path of feature rows to the goal.
    fn check_reachable(&self) -> Result<()> {
        let n = self.states.len();
        let mut predecessors = vec![Vec::new(); n];
        for (s, actions) in self.states.iter().enumerate() {
            for (next, _) in actions.iter().flat_map(|draft| &draft.rows) {
                predecessors[*next].push(s);
            }
        }
        let mut reached = vec![false; n];
        reached[self.goal] = true;
        let mut queue = vec![self.goal];
        while let Some(s) = queue.pop() {
            for &before in &predecessors[s] {
                if !std::mem::replace(&mut reached[before], true) {
                    queue.push(before);
                }
            }
        }
        if reached.iter().all(|&r| r) {
            return Ok(());
        }
        let states = (0..n).filter(|&s| !reached[s]).map(|s| self.state_name(s)).collect();
        Err(Error::GoalUnreachable { goal: self.state_name(self.goal), states })
    }

    /// The set B of the paper (its display defining the constraint set), joined by the extra facts: every row sums to
    /// one, no entry is negative.
    fn constraints(&self) -> Result<Polytope> {
        let mut builder = PolytopeBuilder::new(self.dim);
        for (s, actions) in self.states.iter().enumerate() {
            for (a, draft) in actions.iter().enumerate() {
                let mut sum = vec![0.0; self.dim];
                for (_, row) in &draft.rows {
                    sum.iter_mut().zip(row).for_each(|(s, x)| *s += x);
                    builder.halfspace(&row.iter().map(|x| -x).collect::<Vec<_>>(), 0.0);
                }
                builder.equality(&sum, 1.0).map_err(|_| Error::RowsContradict {
                    state: self.state_name(s),
                    action: self.action_name(s, a),
                })?;
            }
        }
        for fact in &self.extra {
            builder.halfspace(&fact.a, fact.b);
        }
        builder.finish().map_err(|empty| Error::EmptyB { detail: empty.detail })
    }

    fn state_name(&self, s: State) -> String {
        self.state_names.as_ref().and_then(|names| names.get(s)).cloned().unwrap_or_else(|| s.to_string())
    }

    fn action_name(&self, s: State, a: Action) -> String {
        let names = self.action_names.as_ref().and_then(|names| names.get(s));
        names.and_then(|names| names.get(a)).cloned().unwrap_or_else(|| a.to_string())
    }
}
