//! What is known of a problem ([`Problem`]) and what is true of it ([`Truth`]).
//!
//! A linear mixture SSP has P(s'|s,a) = <phi(s'|s,a), theta*> (Assumption 3.1 of the paper). The
//! features, the costs, the start and the goal are known and make a [`Problem`]; theta* makes a
//! [`Truth`]. Learners are built from a [`Problem`] and never see a [`Truth`].

mod builder;
mod faults;
mod fingerprint;
mod fit;
mod labels;
mod linear_view;
mod mix;
mod mixer;
mod models;
mod names;
mod need;
mod note;
mod ranges;
mod restart;
pub mod seen;
#[cfg(test)]
pub(crate) mod tests;
mod true_kernel;
mod truth;

pub(crate) use builder::{Arrays, LARGEST_COST};
pub use builder::{Csr, Dense, ProblemBuilder, Rows, Shape};
pub use faults::Faults;
pub use fingerprint::Fingerprint;
pub use labels::{ActionLister, ActionNames, Names};
pub use linear_view::LinearView;
pub use mix::{mix, mix_restarting};
pub use mixer::Mixer;
pub use models::{Candidate, Model};
pub use names::distinct_names;
pub(crate) use names::model_name_faults;
pub use need::Need;
pub use need::all_rows;
pub use note::Note;
pub use restart::restart;
pub use true_kernel::Entry;
pub(crate) use true_kernel::Outline;
pub use truth::Size;
pub use truth::{Instance, Truth};

use crate::numeric::{Grouped, Polytope, Tall};
use crate::{Error, Result};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// A state's number, from 0.
pub type State = usize;
/// An action's number, from 0, local to its state.
pub type Action = usize;
/// A state-action pair's number: the pairs of all states in order, one after the other.
pub type Pair = usize;

/// The tolerance for the sum of a row: a dozen probabilities of six digits. A row that is further
/// off than [`ROUNDING`] is divided by its sum, and that is noted.
pub const ROW_TOLERANCE: f64 = 1e-5;
/// How far a row may be from summing to one by rounding alone.
pub const ROUNDING: f64 = 1e-9;

/// The states from which arcs, given as (from, to), lead to the goal. `arcs` is called twice.
fn leads_to<I>(states: usize, goal: State, arcs: impl Fn() -> I) -> Vec<bool>
where
    I: Iterator<Item = (u32, u32)>,
{
    let before = Grouped::new(states, || arcs().map(|(s, to)| (to as State, s)));
    let marked = (0..states).map(|s| s == goal).collect();
    before.reaching(marked, |s| Some(s as State))
}

/// A known linear fact about theta: a'theta <= b.
#[derive(Clone, Debug, PartialEq)]
pub struct Halfspace {
    /// The left-hand side.
    pub a: Vec<f64>,
    /// The right-hand side.
    pub b: f64,
}

/// All that a learner may know: states, actions, costs, features, start, goal, names. Features are
/// sparse: each successor of a pair has a row phi(s'|s,a) in R^d, in flat arrays.
#[derive(Clone, Debug)]
pub struct Problem {
    name: String,
    dim: usize,
    start: State,
    goal: State,
    /// `first_pair[s]..first_pair[s + 1]` are the pairs of state s.
    first_pair: Vec<usize>,
    costs: Vec<f64>,
    cost_unit: f64,
    /// `first_row[p]..first_row[p + 1]` are the feature rows of pair p.
    first_row: Vec<usize>,
    successors: Vec<u32>,
    /// One row of d numbers for each successor.
    phi: Arc<Tall>,
    extra: Vec<Halfspace>,
    state_names: Option<Names>,
    action_names: Option<ActionNames>,
    model_names: Option<Vec<String>>,
    constraints: Arc<Polytope>,
    /// The positions of feature rows that are zero, in order: successors that no model has.
    blank: Vec<usize>,
    notes: Vec<Note>,
}

impl Problem {
    /// Starts a problem with a number of states and a dimension of the features; everything is
    /// checked on the way.
    ///
    /// ```
    /// use goalward_mdp::problem::Problem;
    /// // one action that reaches the goal with probability 1/2 or 1: theta mixes the two
    /// let mut builder = Problem::builder("coin", 2, 2);
    /// builder.start(0).goal(1);
    /// let toss = builder.action(0, 1.0)?;
    /// builder.feature(0, toss, 0, &[0.5, 0.0])?;
    /// builder.feature(0, toss, 1, &[0.5, 1.0])?;
    /// let problem = builder.build()?;
    /// assert_eq!(problem.pairs(), 1);
    /// # Ok::<(), goalward_mdp::Error>(())
    /// ```
    pub fn builder(name: &str, states: usize, dim: usize) -> ProblemBuilder {
        ProblemBuilder::new(name, states, dim)
    }

    /// The problem's name.
    pub fn name(&self) -> &str {
        &self.name
    }
    /// The dimension d of the features.
    pub fn dim(&self) -> usize {
        self.dim
    }
    /// The number of states, the goal included.
    pub fn states(&self) -> usize {
        self.first_pair.len() - 1
    }
    /// The number of state-action pairs.
    pub fn pairs(&self) -> usize {
        self.costs.len()
    }
    /// Where every episode starts.
    pub fn start(&self) -> State {
        self.start
    }
    /// Where every episode ends.
    pub fn goal(&self) -> State {
        self.goal
    }
    /// The number of actions of a state.
    pub fn actions(&self, s: State) -> usize {
        self.first_pair[s + 1] - self.first_pair[s]
    }
    /// The number of a state-action pair.
    pub fn pair(&self, s: State, a: Action) -> Pair {
        debug_assert!(a < self.actions(s));
        self.first_pair[s] + a
    }
    /// The pairs of a state, in the order of its actions.
    pub fn pairs_of(&self, s: State) -> Range<Pair> {
        self.first_pair[s]..self.first_pair[s + 1]
    }
    /// The state that a pair belongs to.
    pub fn state_of(&self, p: Pair) -> State {
        self.first_pair.partition_point(|&first| first <= p) - 1
    }
    /// The cost of a pair, in the user's units.
    pub fn cost(&self, p: Pair) -> f64 {
        self.costs[p]
    }
    /// The costs of all pairs, in the user's units.
    pub fn costs(&self) -> &[f64] {
        &self.costs
    }
    /// The same with all costs times a factor, for planning on a known model alone.
    pub(crate) fn with_costs_times(&self, factor: f64) -> Problem {
        let mut scaled = self.clone();
        scaled.costs.iter_mut().for_each(|cost| *cost *= factor);
        scaled
    }
    /// The largest cost if above 1, else 1: the user's units per unit of the theory.
    pub fn cost_unit(&self) -> f64 {
        self.cost_unit
    }
    /// The largest cost; 1 if it is 0 or too small to divide by. Learners whose results must not
    /// depend on units divide by it.
    pub fn largest_cost(&self) -> f64 {
        let largest = self.costs.iter().copied().fold(0.0, f64::max);
        if largest >= f64::MIN_POSITIVE { largest } else { 1.0 }
    }
    /// The smallest cost of a pair off the goal, in the user's units.
    pub fn min_cost(&self) -> f64 {
        let goal = self.pairs_of(self.goal);
        let off_goal = (0..self.pairs()).filter(|p| !goal.contains(p));
        off_goal.map(|p| self.costs[p]).fold(f64::INFINITY, f64::min)
    }
    /// The successors of a pair.
    pub fn successors(&self, p: Pair) -> &[u32] {
        &self.successors[self.rows(p)]
    }
    /// The feature rows of a pair, one after the other: for each successor d numbers.
    pub fn phi(&self, p: Pair) -> &[f64] {
        self.phi.get(self.rows(p))
    }
    /// One feature row, by its position among those of all pairs.
    pub fn row(&self, row: usize) -> &[f64] {
        self.phi.row(row)
    }
    /// The positions of a pair's successors in arrays that run over all successors of all pairs.
    pub fn rows(&self, p: Pair) -> Range<usize> {
        self.first_row[p]..self.first_row[p + 1]
    }
    /// The place of a state among a pair's successors.
    pub fn place_of(&self, p: Pair, next: State) -> Option<usize> {
        u32::try_from(next).ok().and_then(|next| self.successors(p).binary_search(&next).ok())
    }
    /// Whether any model has a step: a [successor](ProblemBuilder::successor) need not be one.
    pub fn allows(&self, p: Pair, next: State) -> bool {
        let row = self.place_of(p, next).map(|place| self.rows(p).start + place);
        row.is_some_and(|row| !self.is_blank(row))
    }
    fn is_blank(&self, row: usize) -> bool {
        !self.blank.is_empty() && self.blank.binary_search(&row).is_ok()
    }
    /// Known linear facts about theta beyond "every row is a distribution".
    pub fn extra(&self) -> &[Halfspace] {
        &self.extra
    }
    /// The set B: every theta that makes all rows distributions and satisfies the extra facts.
    pub fn constraints(&self) -> &Arc<Polytope> {
        &self.constraints
    }

    /// What was done to what the problem was built from.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// An error that names the states [`Problem::out_of_reach`].
    pub fn require_goal_in_reach(&self) -> Result<()> {
        let states: Vec<String> =
            self.out_of_reach().into_iter().map(|s| self.state_name(s).into_owned()).collect();
        match states.is_empty() {
            true => Ok(()),
            false => Err(Error::GoalUnreachable { goal: self.state_name(self.goal).into_owned(), states }),
        }
    }

    /// The states ahead of the start from which no actions lead to the goal, whatever theta is.
    pub fn out_of_reach(&self) -> Vec<State> {
        let n = self.states();
        let next_states = |s: State| {
            let rows = self.first_row[self.first_pair[s]]..self.first_row[self.first_pair[s + 1]];
            rows.filter(|&row| !self.is_blank(row)).map(|row| self.successors[row])
        };
        let mut ahead = vec![false; n];
        ahead[self.start] = true;
        let mut queue = vec![self.start];
        while let Some(s) = queue.pop() {
            for next in next_states(s) {
                if !std::mem::replace(&mut ahead[next as State], true) {
                    queue.push(next as State);
                }
            }
        }
        let arcs = || (0..n).flat_map(move |s| next_states(s).map(move |next| (s as u32, next)));
        let reaches = leads_to(n, self.goal, arcs);
        (0..n).filter(|&s| ahead[s] && !reaches[s]).collect()
    }

    /// The size in memory, in bytes.
    pub fn bytes(&self) -> usize {
        let texts =
            |names: &[String]| names.iter().map(|name| size_of::<String>() + name.len()).sum::<usize>();
        let names = self.state_names().map_or(0, Names::bytes)
            + self.model_names().map_or(0, texts)
            + self.action_names().map_or(0, ActionNames::bytes);
        size_of_val(&*self.first_pair)
            + size_of_val(&*self.first_row)
            + size_of_val(&*self.costs)
            + size_of_val(&*self.successors)
            + self.phi.bytes()
            + self.constraints.bytes()
            + names
    }

    /// An upper estimate, in bytes, for a problem with its truth and names.
    pub fn bytes_of(pairs: usize, rows: usize, dim: usize) -> u64 {
        // 8 for a number of a feature row, 12 for its successor and probability; per pair cost,
        // first row, names, pairs' states
        let (pairs, rows) = (pairs as u64, rows as u64);
        (8 * dim as u64 + 12).saturating_mul(rows).saturating_add(pairs.saturating_mul(64))
    }

    /// phi_V(s,a) = sum over s' of phi(s'|s,a) V(s'), for one pair, into `out` (d numbers).
    pub fn phi_v(&self, p: Pair, v: &[f64], out: &mut [f64]) {
        self.phi_of(p, |s| v[s], out);
    }

    /// The same for a V that is a function.
    pub fn phi_of(&self, p: Pair, v: impl Fn(State) -> f64, out: &mut [f64]) {
        self.phi.combine(self.rows(p), self.successors(p).iter().map(|&next| v(next as State)), out);
    }

    /// The name of a state: its own, or its number.
    pub fn state_name(&self, s: State) -> Cow<'_, str> {
        match &self.state_names {
            Some(names) => Cow::Borrowed(names.get(s)),
            None => Cow::Owned(s.to_string()),
        }
    }
    /// The name of an action: its own, or its number.
    pub fn action_name(&self, s: State, a: Action) -> Cow<'_, str> {
        let own = self.action_names.as_ref().and_then(|names| names.get(s, a));
        own.map_or_else(|| Cow::Owned(a.to_string()), Cow::Borrowed)
    }
    /// The states' own names, if they have any.
    pub fn state_names(&self) -> Option<&Names> {
        self.state_names.as_ref()
    }
    /// The actions' own names, if they have any.
    pub fn action_names(&self) -> Option<&ActionNames> {
        self.action_names.as_ref()
    }
}
