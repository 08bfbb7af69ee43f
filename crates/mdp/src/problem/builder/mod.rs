//! The checked way to a [`Problem`].

mod arrays;
mod build;
mod check;
mod draft;
mod rescale;

pub use arrays::{Csr, Dense, Rows, Shape};
pub(crate) use draft::Arrays;

use super::{Action, ActionNames, Halfspace, Names, Problem, State};
use crate::numeric::halt::Halt;
use crate::{Error, Result};
use draft::Draft;

/// The largest cost of a pair: sums and squares of such numbers are still finite.
pub(crate) const LARGEST_COST: f64 = 1e100;

/// Collects a problem's parts and checks them; every error names the place. Actions by state and
/// rows by pair are written where they stay; any other order is slower.
#[derive(Clone, Debug)]
pub struct ProblemBuilder {
    name: String,
    dim: usize,
    start: State,
    goal: State,
    draft: Draft,
    extra: Vec<Halfspace>,
    state_names: Option<Names>,
    action_names: Option<ActionNames>,
    model_names: Option<Vec<String>>,
    may_be_lost: bool,
    may_be_coarse: bool,
    /// Whether every row is known to be a distribution: theta = 1 is all that is left of B.
    is_kernel: bool,
    /// Whether there are successors that no model has.
    blanks: bool,
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
            model_names: None,
            may_be_lost: false,
            may_be_coarse: true,
            is_kernel: false,
            blanks: false,
        }
    }

    /// A known model in checked arrays, whose rows are distributions: B is the point theta = (1).
    pub(crate) fn of_known(name: &str, arrays: Arrays) -> Self {
        ProblemBuilder { is_kernel: true, ..ProblemBuilder::of_arrays(name, 1, arrays) }
    }

    /// Features in checked arrays that become the problem's: successors ascend within a pair.
    pub(crate) fn of_arrays(name: &str, dim: usize, arrays: Arrays) -> Self {
        let builder = ProblemBuilder::new(name, arrays.first_pair.len().saturating_sub(1), dim);
        ProblemBuilder { draft: Draft::of(dim, arrays), ..builder }
    }

    /// A problem's parts but for its actions and features.
    pub(crate) fn like(problem: &Problem) -> Self {
        ProblemBuilder {
            start: problem.start(),
            goal: problem.goal(),
            extra: problem.extra().to_vec(),
            state_names: problem.state_names().cloned(),
            action_names: problem.action_names().cloned(),
            model_names: problem.model_names().map(<[String]>::to_vec),
            ..ProblemBuilder::new(problem.name(), problem.states(), problem.dim())
        }
    }

    /// Reports the rows that are built from now on.
    pub fn heed(&mut self, halt: &Halt) -> &mut Self {
        self.draft.halt = halt.clone();
        self
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
        self.name_states(names)
    }

    /// The same, one after the other: they are not held as texts of their own.
    pub fn name_states(&mut self, names: impl IntoIterator<Item: AsRef<str>>) -> &mut Self {
        self.labels(Some(names.into_iter().collect()), None)
    }

    /// Names for all actions of all states.
    pub fn action_names(&mut self, names: Vec<Vec<String>>) -> &mut Self {
        self.name_actions(names)
    }

    /// The same, state by state: they are not held as texts of their own.
    pub fn name_actions<L>(&mut self, names: impl IntoIterator<Item = L>) -> &mut Self
    where
        L: IntoIterator<Item: AsRef<str>>,
    {
        self.labels(None, Some(names.into_iter().collect()))
    }

    /// Names of states and of actions as they are held; none leaves them as they are.
    pub(crate) fn labels(&mut self, states: Option<Names>, actions: Option<ActionNames>) -> &mut Self {
        if let Some(mut names) = states {
            names.shrink_to_fit();
            self.state_names = Some(names);
        }
        self.action_names = actions.or(self.action_names.take());
        self
    }

    /// Names for the models that theta mixes, in its order: none empty, no two alike.
    pub fn model_names(&mut self, names: Vec<String>) -> &mut Self {
        self.model_names = Some(names);
        self
    }

    /// Permits states from which no actions lead to the goal. No learner is built for a problem
    /// whose start leads there (`Problem::require_goal_in_reach`).
    pub fn allow_lost(&mut self) -> &mut Self {
        self.may_be_lost = true;
        self
    }

    /// Refuses candidate models of too few digits, whatever theta: for a file without theta.
    pub(crate) fn refuse_coarse(&mut self) -> &mut Self {
        self.may_be_coarse = false;
        self
    }

    /// Adds an action to a state and returns its number.
    pub fn action(&mut self, s: State, cost: f64) -> Result<Action> {
        self.check_state("state", s)?;
        let a = self.draft.actions(s);
        if !(0.0..=LARGEST_COST).contains(&cost) {
            return Err(Error::Cost { state: self.state_name(s), action: self.action_name(s, a), cost });
        }
        self.is_kernel = false;
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
            self.is_kernel = false;
            self.draft.row(pair, next as u32, phi);
        }
        Ok(self)
    }

    /// Adds a next state that no model has, for a truth that does ([`Truth::from_kernel`]): a step
    /// there shows that the models are wrong. Nothing changes if there is a feature row already.
    ///
    /// [`Truth::from_kernel`]: crate::problem::Truth::from_kernel
    pub fn successor(&mut self, s: State, a: Action, next: State) -> Result<&mut Self> {
        self.check_state("state", s)?;
        self.check_state("next", next)?;
        let actions = self.draft.actions(s);
        if a >= actions {
            let (state, action) = (self.state_name(s), self.action_name(s, a));
            let fault = format!("there are {actions} actions in this state");
            return Err(Error::Feature { state, action, next: self.state_name(next), fault });
        }
        let pair = self.draft.pair(s, a);
        if !self.draft.has(pair, next as u32) {
            self.is_kernel = false;
            self.blanks = true;
            self.draft.row(pair, next as u32, &vec![0.0; self.dim]);
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
            self.is_kernel = false;
            self.extra.push(Halfspace { a: a.to_vec(), b });
            return Ok(self);
        };
        Err(Error::Field { field: format!("extra[{row}]"), fault })
    }

    /// Adds that no mixture weight is negative. (That they sum to one follows from the rows.)
    pub fn simplex(&mut self) -> &mut Self {
        for i in 0..self.dim {
            let mut a = vec![0.0; self.dim];
            a[i] = -1.0;
            self.extra.push(Halfspace { a, b: 0.0 });
        }
        self.is_kernel = false;
        self
    }

    fn check_state(&self, field: &str, s: State) -> Result<()> {
        if s < self.draft.states() {
            return Ok(());
        }
        let fault = format!("state {s} does not exist, there are {} states", self.draft.states());
        Err(Error::Field { field: field.into(), fault })
    }

    fn state_name(&self, s: State) -> String {
        let names = self.state_names.as_ref().filter(|names| s < names.len());
        names.map_or_else(|| s.to_string(), |names| names.get(s).to_string())
    }

    pub(super) fn model_name(&self, i: usize) -> String {
        self.model_names.as_ref().and_then(|names| names.get(i)).cloned().unwrap_or_else(|| i.to_string())
    }

    fn action_name(&self, s: State, a: Action) -> String {
        let name = self.action_names.as_ref().and_then(|names| names.get(s, a));
        name.map_or_else(|| a.to_string(), String::from)
    }
}
