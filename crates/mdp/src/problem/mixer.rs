//! Features from models that come one after another, in the arrays that become the problem's. A
//! model writes its column; new successors move the rows behind them, in place.

use super::builder::Arrays;
use super::{ActionNames, Instance, Names, Note, Pair, Problem, ProblemBuilder, ROW_TOLERANCE, State, Truth};
use crate::error::shown;
use crate::{Error, Result, memory};
use std::collections::HashMap;

/// How far two costs that should be the same may be apart, relative to the larger or to 1.
const COST_TOLERANCE: f64 = 1e-9;

/// What the first model settles for all: the others are matched with it.
#[derive(Debug)]
struct Frame {
    start: State,
    goal: State,
    first_pair: Vec<usize>,
    costs: Vec<f64>,
    state_names: Option<Names>,
    action_names: Option<ActionNames>,
}

impl Frame {
    fn of(problem: &Problem) -> Frame {
        Frame {
            start: problem.start(),
            goal: problem.goal(),
            first_pair: problem.first_pair.clone(),
            costs: problem.costs.clone(),
            state_names: problem.state_names().cloned(),
            action_names: problem.action_names().cloned(),
        }
    }

    fn states(&self) -> usize {
        self.first_pair.len() - 1
    }

    fn state_name(&self, s: State) -> String {
        self.state_names.as_ref().map_or_else(|| s.to_string(), |names| names.get(s).into())
    }

    fn action_name(&self, s: State, a: usize) -> String {
        let name = self.action_names.as_ref().and_then(|names| names.get(s, a));
        name.map_or_else(|| a.to_string(), String::from)
    }
}

/// What [`mix`](super::mix()) does, with models that come one after another and need not be held.
#[derive(Debug, Default)]
pub struct Mixer {
    dim: usize,
    pub(super) names: Vec<String>,
    /// The names of the problems.
    pub(super) own: Vec<String>,
    pub(super) notes: Vec<Note>,
    frame: Option<Frame>,
    /// Names that a later model has, where the first has none.
    lent: (Option<Names>, Option<ActionNames>),
    first_row: Vec<usize>,
    successors: Vec<u32>,
    phi: Vec<f64>,
}

impl Mixer {
    /// For a number of models.
    pub fn new(models: usize) -> Mixer {
        Mixer { dim: models, ..Mixer::default() }
    }

    /// Adds a model, which errors and results call by this name.
    pub fn add(&mut self, name: &str, model: &Instance) -> Result<()> {
        let (problem, truth) = (&*model.problem, model.truth()?);
        let m = self.names.len();
        if m >= self.dim {
            let fault = format!("more than the {} that were announced", self.dim);
            return Err(Error::Field { field: "models".into(), fault });
        }
        if self.frame.is_none() {
            self.first_row = vec![0; problem.pairs() + 1];
        }
        let frame = self.frame.get_or_insert_with(|| Frame::of(problem));
        let first = self.names.first().map_or(name, String::as_str);
        let misfit = |fault| Error::Mismatch { first: first.into(), second: name.into(), fault };
        let column = Column::matched(frame, problem, truth).map_err(misfit)?;
        if self.lent.0.is_none() && frame.state_names.is_none() {
            self.lent.0 = problem.state_names().cloned();
        }
        if self.lent.1.is_none() && frame.action_names.is_none() {
            self.lent.1 = problem.action_names().cloned();
        }
        self.names.push(name.into());
        self.make_room(m, &column)?;
        self.write(m, &column);
        self.own.push(problem.name().into());
        let said = |note: &Note| Note { message: format!("{name}: {}", note.message), ..note.clone() };
        self.notes.extend(model.notes.iter().map(said));
        Ok(())
    }

    /// Adds zero rows for the successors of a column that are new.
    fn make_room(&mut self, m: usize, column: &Column) -> Result<()> {
        let mut row = Vec::new();
        let mut new = 0;
        for p in 0..self.first_row.len() - 1 {
            column.row(p, &mut row);
            let sum: f64 = row.iter().map(|(_, p)| p).sum();
            if (sum - 1.0).abs() > ROW_TOLERANCE {
                let fault = format!("the row sums to {}, not to 1 (tolerance {ROW_TOLERANCE:e})", shown(sum));
                let first_pair = self.frame.as_ref().map_or(&[][..], |frame| &frame.first_pair);
                let state = first_pair.partition_point(|&first| first <= p).saturating_sub(1);
                let action = p - first_pair.get(state).copied().unwrap_or(0);
                return Err(Error::Model { model: m.to_string(), state, action, fault });
            }
            let known = &self.successors[self.first_row[p]..self.first_row[p + 1]];
            new += row.iter().filter(|(next, _)| known.binary_search(next).is_err()).count();
        }
        if new > 0 {
            memory::require("this mixture", (4 + 8 * self.dim as u64).saturating_mul(new as u64))?;
            self.spread(column, new, &mut row);
        }
        Ok(())
    }

    /// Merges new successors from the back: nothing is overwritten before it has moved.
    fn spread(&mut self, column: &Column, new: usize, row: &mut Vec<(u32, f64)>) {
        let (d, mut from) = (self.dim, self.successors.len());
        let mut to = from + new;
        self.successors.reserve_exact(new);
        self.successors.resize(to, 0);
        self.phi.reserve_exact(new * d);
        self.phi.resize(to * d, 0.0);
        for p in (0..self.first_row.len() - 1).rev() {
            if to == from {
                break; // the remaining ones are in place
            }
            column.row(p, row);
            let (first, mut left) = (self.first_row[p], row.len());
            self.first_row[p + 1] = to;
            loop {
                let old = (from > first).then(|| self.successors[from - 1]);
                let next = (left > 0).then(|| row[left - 1].0);
                if old.is_none() && next.is_none() {
                    break;
                }
                to -= 1;
                left -= usize::from(next >= old);
                if old >= next {
                    from -= 1;
                    self.successors[to] = self.successors[from];
                    self.phi.copy_within(from * d..(from + 1) * d, to * d);
                } else {
                    self.successors[to] = next.unwrap_or_default();
                    self.phi[to * d..(to + 1) * d].fill(0.0);
                }
            }
        }
    }

    fn write(&mut self, m: usize, column: &Column) {
        let mut row = Vec::new();
        for p in 0..self.first_row.len() - 1 {
            column.row(p, &mut row);
            let (mut at, end) = (self.first_row[p], self.first_row[p + 1]);
            for &(next, probability) in &row {
                at += self.successors[at..end].partition_point(|&other| other < next);
                self.phi[at * self.dim + m] = probability;
            }
        }
    }

    /// A problem of what the models make, by this name; an error if some did not come.
    pub(super) fn builder(self, name: &str) -> Result<ProblemBuilder> {
        let fault = |fault: String| Error::Field { field: "models".into(), fault };
        let Some(frame) = self.frame else { return Err(fault("there is no model to mix".into())) };
        if self.names.len() != self.dim {
            return Err(fault(format!("{} of the {} that were announced", self.names.len(), self.dim)));
        }
        let Frame { start, goal, first_pair, costs, state_names, action_names } = frame;
        let (first_row, successors, phi) = (self.first_row, self.successors, self.phi);
        let arrays = Arrays { first_pair, costs, first_row, successors, phi };
        let mut builder = ProblemBuilder::of_arrays(name, self.dim, arrays);
        builder.start(start).goal(goal);
        builder.labels(state_names.or(self.lent.0), action_names.or(self.lent.1));
        Ok(builder)
    }
}

struct Column<'a> {
    problem: &'a Problem,
    truth: &'a Truth,
    /// Our number of each of their states; none where they are the same.
    ours: Option<Vec<u32>>,
    /// Their pair of each of ours; none where they are the same.
    pairs: Option<Vec<Pair>>,
}

impl<'a> Column<'a> {
    /// Matches states and actions; what does not fit, in words.
    fn matched(ours: &Frame, theirs: &'a Problem, truth: &'a Truth) -> Result<Column<'a>, String> {
        if ours.states() != theirs.states() {
            return Err(format!("{} states, not {}", theirs.states(), ours.states()));
        }
        let named = ours.state_names.as_ref().zip(theirs.state_names());
        let states = named.map_or(Ok(None), |(ours, theirs)| places(ours.iter(), theirs.iter()));
        let states = states.map_err(|missing| format!("it has no state {missing}"))?;
        let theirs_of = |s: State| states.as_ref().map_or(s, |places| places[s]);
        for (what, s, other) in [("goal", ours.goal, theirs.goal()), ("start", ours.start, theirs.start())] {
            if theirs_of(s) != other {
                let (s, other) = (ours.state_name(s), theirs.state_name(other));
                return Err(format!("its {what} is state {other}, not state {s}"));
            }
        }
        let mut pairs: Option<Vec<Pair>> = None;
        for s in 0..ours.states() {
            let other = theirs_of(s);
            let actions = actions(ours, s, theirs, other)?;
            for p in ours.first_pair[s]..ours.first_pair[s + 1] {
                let a = p - ours.first_pair[s];
                let q = theirs.pair(other, actions.as_ref().map_or(a, |places| places[a]));
                require_same_cost(ours, (s, a, p), theirs.cost(q))?;
                if q != p && pairs.is_none() {
                    pairs = Some((0..p).collect());
                }
                if let Some(pairs) = &mut pairs {
                    pairs.push(q);
                }
            }
        }
        let turned = states.map(|places| {
            let mut ours_of = vec![0; places.len()];
            places.iter().enumerate().for_each(|(s, &other)| ours_of[other] = s as u32);
            ours_of
        });
        Ok(Column { problem: theirs, truth, ours: turned, pairs })
    }

    /// The successors of one of our pairs, ascending, with probabilities above zero.
    fn row(&self, p: Pair, row: &mut Vec<(u32, f64)>) {
        let q = self.pairs.as_ref().map_or(p, |pairs| pairs[p]);
        let ours = |next: u32| self.ours.as_ref().map_or(next, |ours| ours[next as State]);
        let all = self.problem.successors(q).iter().zip(self.truth.row(self.problem, q));
        row.clear();
        row.extend(all.filter(|(_, p)| **p > 0.0).map(|(&next, &p)| (ours(next), p)));
        if self.ours.is_some() {
            row.sort_unstable_by_key(|(next, _)| *next);
        }
    }
}

fn require_same_cost(ours: &Frame, (s, a, p): (State, usize, Pair), their_cost: f64) -> Result<(), String> {
    let cost = ours.costs[p];
    if (cost - their_cost).abs() <= COST_TOLERANCE * cost.abs().max(their_cost.abs()).max(1.0) {
        return Ok(());
    }
    let (state, action) = (ours.state_name(s), ours.action_name(s, a));
    let (cost, their_cost) = (shown(cost), shown(their_cost));
    Err(format!(
        "state {state}, action {action}: the cost is {their_cost}, not {cost}; a learner must know the cost \
         (cost=1 charges every step alike)"
    ))
}

/// Their number of each of our actions in a state; none where they are the same.
fn actions(ours: &Frame, s: State, theirs: &Problem, other: State) -> Result<Option<Vec<usize>>, String> {
    let (n, m) = (ours.first_pair[s + 1] - ours.first_pair[s], theirs.actions(other));
    if n != m {
        return Err(format!("state {} has {m} actions, not {n}", ours.state_name(s)));
    }
    let Some((names, their_names)) = ours.action_names.as_ref().zip(theirs.action_names()) else {
        return Ok(None);
    };
    places(names.of(s), their_names.of(other))
        .map_err(|missing| format!("state {} has no action {missing}", ours.state_name(s)))
}

/// The place of each of our names among theirs, or our first that is missing. None where they are
/// the same, or where a name occurs twice: then the numbers count.
fn places<'a>(
    ours: impl ExactSizeIterator<Item = &'a str> + Clone,
    theirs: impl ExactSizeIterator<Item = &'a str> + Clone,
) -> Result<Option<Vec<usize>>, String> {
    // a name that stands twice on one side of two that are the same stands twice on the other
    if ours.clone().eq(theirs.clone()) {
        return Ok(None);
    }
    let n = theirs.len();
    let places: HashMap<&str, usize> = theirs.enumerate().map(|(i, name)| (name, i)).collect();
    let once: std::collections::HashSet<&str> = ours.clone().collect();
    if once.len() < ours.len() || places.len() < n {
        return Ok(None);
    }
    let found = ours.map(|name| places.get(name).copied().ok_or_else(|| name.to_string()));
    found.collect::<Result<Vec<_>, _>>().map(Some)
}

#[cfg(test)]
mod tests {
    use crate::numeric::Stream;
    use crate::problem::{Fingerprint, Instance, Mixer, Model, Problem, ProblemBuilder, State, mix};

    const STATES: usize = 7;
    const ACTIONS: usize = 3;

    /// A shuffle of the first n numbers that leaves the last in its place.
    fn shuffle(n: usize, draw: &mut Stream) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        (1..n - 1).for_each(|i| order.swap(i, draw.below(i + 1)));
        order
    }

    /// A kernel in which every pair leads to some states, and to the last one.
    fn kernel(draw: &mut Stream) -> Model {
        let mut row = || {
            let mut row = vec![(STATES - 1, 0.25)];
            let others = 1 + draw.below(STATES - 1);
            row.extend((0..others).map(|next| (next, 0.75 / others as f64)));
            row
        };
        let mut model: Model = (1..STATES).map(|_| (0..ACTIONS).map(|_| row()).collect()).collect();
        model.push(Vec::new());
        model
    }

    /// The kernel as a model of its own, with states and actions in another order.
    fn instance(kernel: &Model, draw: &mut Stream, named: bool) -> Instance {
        let states = if named { shuffle(STATES, draw) } else { (0..STATES).collect() };
        let place = |s: State| states.iter().position(|&other| other == s).unwrap();
        let mut builder = Problem::builder("model", STATES, 1);
        let mut names = Vec::new();
        for &s in &states {
            let actions = if named { shuffle(ACTIONS, draw) } else { (0..ACTIONS).collect() };
            let actions = if s == STATES - 1 { Vec::new() } else { actions };
            for (a, &own) in actions.iter().enumerate() {
                builder.action(place(s), 1.0 + own as f64).unwrap();
                for &(next, p) in &kernel[s][own] {
                    builder.feature(place(s), a, place(next), &[p]).unwrap();
                }
            }
            names.push(actions.iter().map(|a| format!("a{a}")).collect::<Vec<_>>());
        }
        if named {
            builder.name_states(states.iter().map(|s| format!("s{s}"))).name_actions(names);
        }
        builder.start(place(0));
        Instance::new(builder.build().unwrap(), &[1.0]).unwrap()
    }

    /// Models with successors of their own, whose names come in other orders, make the same problem
    /// to the bit as their kernels side by side.
    #[test]
    fn columns_are_the_models() {
        let mut draw = Stream::new(5, &[]);
        for round in 0..40 {
            let named = round % 4 > 0;
            let kernels: Vec<Model> = (0..1 + round % 6).map(|_| kernel(&mut draw)).collect();
            let costs: Vec<Vec<f64>> =
                kernels[0].iter().map(|rows| (0..rows.len()).map(|a| 1.0 + a as f64).collect()).collect();
            let mut order = Stream::new(round as u64, &[]);
            let first = kernels.first().map(|kernel| {
                let mut builder =
                    ProblemBuilder::from_models("model", std::slice::from_ref(kernel), &costs).unwrap();
                if named {
                    builder.name_states((0..STATES).map(|s| format!("s{s}")));
                    builder.name_actions(costs.iter().map(|c| (0..c.len()).map(|a| format!("a{a}"))));
                }
                Instance::new(builder.build().unwrap(), &[1.0]).unwrap()
            });
            let others = kernels[1..].iter().map(|kernel| instance(kernel, &mut order, named));
            let models: Vec<(String, Instance)> =
                first.into_iter().chain(others).enumerate().map(|(i, m)| (i.to_string(), m)).collect();
            let mixed = mix(&models, None).unwrap();
            let name = vec!["model"; models.len()].join("+");
            let mut builder = ProblemBuilder::from_models(&name, &kernels, &costs).unwrap();
            builder.simplex();
            if named {
                builder.name_states((0..STATES).map(|s| format!("s{s}")));
                builder.name_actions(costs.iter().map(|c| (0..c.len()).map(|a| format!("a{a}"))));
            }
            let expected = builder.build().unwrap();
            let hash = |problem: &Problem| Fingerprint::default().problem(problem).finish();
            assert_eq!(hash(&mixed.problem), hash(&expected), "round {round}");
        }
    }

    #[test]
    fn all_models_must_come_and_no_more() {
        let mut draw = Stream::new(1, &[]);
        let model = instance(&kernel(&mut draw), &mut draw, false);
        let said = |mixer: Mixer| mixer.finish(None).unwrap_err().to_string();
        assert!(said(Mixer::new(0)).contains("no model to mix"));
        let mut mixer = Mixer::new(2);
        mixer.add("one", &model).unwrap();
        assert!(said(mixer).contains("1 of the 2"));
        let mut mixer = Mixer::new(1);
        mixer.add("one", &model).unwrap();
        assert!(mixer.add("two", &model).unwrap_err().to_string().contains("announced"));
    }
}
