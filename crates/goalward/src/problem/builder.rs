//! The checked way to a [`Problem`].

use super::draft::{Arrays, Draft};
use super::reach::leads_to;
use super::rescale::{misfit, nearly_equal, rescale};
use super::{Action, Faults, Halfspace, Note, Problem, State};
use crate::numeric::{Polytope, PolytopeBuilder, Tall};
use crate::{Error, Result};
use std::sync::Arc;

/// Collects a problem's parts and checks them; every error names the place.
///
/// Actions by state, and feature rows by state and action, are the order in which nothing is held twice: the rows are then
/// written where they stay. Any other order is fine too, and slower.
#[derive(Clone, Debug)]
pub struct ProblemBuilder {
    name: String,
    dim: usize,
    start: State,
    goal: State,
    draft: Draft,
    extra: Vec<Halfspace>,
    state_names: Option<Vec<String>>,
    action_names: Option<Vec<Vec<String>>>,
    may_be_lost: bool,
    may_be_coarse: bool,
}

impl ProblemBuilder {
    pub(super) fn new(name: &str, states: usize, dim: usize) -> Self {
        ProblemBuilder {
            name: name.into(),
            dim,
            start: 0,
            goal: states.saturating_sub(1),
            draft: Draft::new(states, dim),
            extra: Vec::new(),
            state_names: None,
            action_names: None,
            may_be_lost: false,
            may_be_coarse: true,
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

    /// Refuses features that are candidate models but for numbers of too few digits, also where some theta would fit
    /// them: for a file that does not say its theta.
    pub(super) fn refuse_coarse(&mut self) -> &mut Self {
        self.may_be_coarse = false;
        self
    }

    /// Adds an action to a state and returns its number.
    pub fn action(&mut self, s: State, cost: f64) -> Result<Action> {
        self.check_state("state", s)?;
        let a = self.draft.actions(s);
        if !(0.0..=1e100).contains(&cost) {
            return Err(Error::Cost { state: self.state_name(s), action: self.action_name(s, a), cost });
        }
        Ok(self.draft.action(s, cost))
    }

    /// Sets phi(next|s,a); absent rows are zero.
    pub fn feature(&mut self, s: State, a: Action, next: State, phi: &[f64]) -> Result<&mut Self> {
        self.check_state("state", s)?;
        self.check_state("next", next)?;
        let actions = self.draft.actions(s);
        let pair = if a < actions { self.draft.pair(s, a) } else { usize::MAX };
        let fault = if a >= actions {
            Some(format!("there are {actions} actions in this state"))
        } else if phi.len() != self.dim {
            Some(format!("the feature row has {} entries, but dim is {}", phi.len(), self.dim))
        } else if let Some(i) = phi.iter().position(|x| !x.is_finite()) {
            Some(format!("feature {i} is {}, not a finite number", phi[i]))
        } else if self.draft.has(pair, next as u32) {
            Some("this feature row is given twice".into())
        } else {
            None
        };
        if let Some(fault) = fault {
            let (state, action) = (self.state_name(s), self.action_name(s, a));
            return Err(Error::Feature { state, action, next: self.state_name(next), fault });
        }
        if phi.iter().any(|&x| x != 0.0) {
            self.draft.row(pair, next as u32, phi);
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

    /// What is wrong: so many faults are kept, the others are counted. The rows of B are looked at only if nothing else is
    /// wrong, by [`build`](Self::build).
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

    /// Checks the whole and makes the problem.
    ///
    /// Features that are candidate models (every model's row of every pair sums to one) may be off by
    /// [`ROW_TOLERANCE`](super::files::ROW_TOLERANCE), as numbers of type `float32` are: such rows are divided by their sums,
    /// and [`Problem::notes`] says so.
    pub fn build(mut self) -> Result<Problem> {
        self.faults(1).none()?;
        let mut arrays = std::mem::take(&mut self.draft).finish();
        let first_pair = std::mem::take(&mut arrays.first_pair);
        let name = |p: usize| {
            let s = first_pair.partition_point(|&first| first <= p) - 1;
            (self.state_name(s), self.action_name(s, p - first_pair[s]))
        };
        let rescaled = rescale(&mut arrays, self.dim, name);
        let Arrays { costs, first_row, successors, phi, .. } = arrays;
        let phi = Arc::new(Tall::new(self.dim, phi));
        if !self.may_be_coarse
            && let Some(fault) = misfit(&phi, &first_row, true, name)
        {
            return Err(fault);
        }
        let constraints = self.constraints(&first_row, &phi, name);
        let constraints = Arc::new(constraints.map_err(|fault| {
            // what is meant to be models is told by its sums; what is not, by the rows that contradict each other
            misfit(&phi, &first_row, false, name).unwrap_or(fault)
        })?);
        let nearly = if rescaled.is_some() { None } else { nearly_equal(&phi, &first_row) };
        let nearly = nearly.map(|(first, p, apart)| {
            let ((state, action), (other, by)) = (name(p), name(first));
            let message = format!(
                "state {state}, action {action}: the features of this row and those of state {other}, action {by} sum to \
                 nearly the same, {apart:.1e} apart; both sums are taken as they are, and the difference fixes a direction \
                 of theta"
            );
            let hint = "if they should be equal, write the features with more digits (float64)";
            Note::new("sums", message).value(apart).at(state, action).hint(hint)
        });
        let notes = rescaled.into_iter().chain(nearly).collect();
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
            off: Vec::new(),
            extra: self.extra,
            state_names: self.state_names,
            action_names: self.action_names,
            constraints,
            notes,
        })
    }

    fn check_state(&self, field: &str, s: State) -> Result<()> {
        if s < self.draft.states() {
            return Ok(());
        }
        let fault = format!("state {s} does not exist, there are {} states", self.draft.states());
        Err(Error::Field { field: field.into(), fault })
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
            if let Some(s) = (0..names.len()).find(|&s| names[s].len() != self.draft.actions(s)) {
                let (has, needs) = (names[s].len(), self.draft.actions(s));
                return field(&format!("action_names[{s}]"), format!("{has} names for {needs} actions"));
            }
        }
        Ok(())
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

    /// Every state must have a path of feature rows to the goal.
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

    /// The set B of the paper (its display defining the constraint set), joined by the extra facts: every row sums to
    /// one, no entry is negative.
    fn constraints(
        &self,
        first_row: &[usize],
        phi: &Arc<Tall>,
        name: impl Fn(usize) -> (String, String),
    ) -> Result<Polytope> {
        let d = self.dim;
        let mut builder = PolytopeBuilder::new(d);
        let (mut sum, mut last) = (vec![0.0; d], Vec::new());
        for (p, rows) in first_row.windows(2).enumerate() {
            phi.combine(rows[0]..rows[1], std::iter::repeat_n(1.0, rows[1] - rows[0]), &mut sum);
            if sum == last {
                continue;
            }
            builder.equality(&sum, 1.0).map_err(|_| {
                let (state, action) = name(p);
                Error::RowsContradict { state, action, sum: listed(&sum) }
            })?;
            last.clone_from(&sum);
        }
        builder.no_less_than_zero(phi);
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

/// A vector as text, its first few entries.
fn listed(numbers: &[f64]) -> String {
    const SHOWN: usize = 8;
    let shown: Vec<String> = numbers.iter().take(SHOWN).map(f64::to_string).collect();
    let more = if numbers.len() > SHOWN { ", ..." } else { "" };
    format!("({}{more})", shown.join(", "))
}
