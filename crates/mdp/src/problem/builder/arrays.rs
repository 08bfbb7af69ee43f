//! Candidate models in borrowed arrays: compressed sparse rows, or dense. The first pass checks and
//! counts the rows, the second writes the features where they stay, so that nothing is held twice.

use super::draft::{Arrays, Draft};
use super::{LARGEST_COST, ProblemBuilder};
use crate::error::shown;
use crate::problem::{Pair, Problem, ROW_TOLERANCE, State};
use crate::{Error, Result, memory};

/// The rows of one candidate model, as its owner keeps them.
pub trait Rows: Sync {
    /// Appends (next state, probability) of a pair, in any order; what is there twice adds up.
    fn append(&self, pair: Pair, row: &mut Vec<(usize, f64)>);
}

/// Compressed sparse rows: row r has the entries `indptr[r]..indptr[r + 1]` of `indices` and `data`.
///
/// ```
/// use goalward_mdp::problem::{Csr, Problem, Shape};
/// // state 0 has one action, state 1 is the goal
/// let fast = Csr::new("fast", 1, &[0i32, 2], &[0i32, 1], &[0.1, 0.9])?;
/// let slow = Csr::new("slow", 1, &[0i32, 2], &[0i32, 1], &[0.8, 0.2])?;
/// let shape = Shape { first_pair: vec![0, 1, 1], costs: vec![1.0] };
/// let mut builder = Problem::from_arrays("coin", shape, &[&fast, &slow], None)?;
/// builder.start(0).goal(1).simplex();
/// assert_eq!(*builder.build()?.phi(0), [0.1, 0.8, 0.9, 0.2]);
/// # Ok::<(), goalward_mdp::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Csr<'a, P, I, X> {
    indptr: &'a [P],
    indices: &'a [I],
    data: &'a [X],
}

/// A whole number that may be the place of something.
fn place<N: Copy + TryInto<usize>>(n: N) -> usize {
    n.try_into().unwrap_or(usize::MAX)
}

impl<'a, P, I, X> Csr<'a, P, I, X>
where
    P: Copy + TryInto<usize>,
{
    /// Checks that the arrays of model `name` fit together and have the expected number of rows.
    pub fn new(name: &str, rows: usize, indptr: &'a [P], indices: &'a [I], data: &'a [X]) -> Result<Self> {
        let fault = |fault: String| Err(Error::Field { field: format!("model {name}"), fault });
        if indptr.len() != rows + 1 {
            let has = indptr.len().saturating_sub(1);
            return fault(format!("{has} rows, and there must be {rows}: one for each state and action"));
        }
        if indices.len() != data.len() {
            return fault(format!("{} indices for {} numbers", indices.len(), data.len()));
        }
        let ascends = indptr.windows(2).all(|two| place(two[0]) <= place(two[1]));
        if place(indptr[0]) != 0 || !ascends || place(indptr[rows]) != data.len() {
            return fault(format!("indptr must ascend from 0 to {}, the number of entries", data.len()));
        }
        Ok(Csr { indptr, indices, data })
    }
}

impl<P, I, X> Rows for Csr<'_, P, I, X>
where
    P: Copy + TryInto<usize> + Sync,
    I: Copy + TryInto<usize> + Sync,
    X: Copy + Into<f64> + Sync,
{
    fn append(&self, pair: Pair, row: &mut Vec<(usize, f64)>) {
        // nothing where `new` saw something else: the owner of the arrays has changed them
        let entries = place(self.indptr[pair])..place(self.indptr[pair + 1]);
        let (indices, data) = (self.indices.get(entries.clone()), self.data.get(entries));
        let (indices, data) = (indices.unwrap_or_default(), data.unwrap_or_default());
        row.extend(indices.iter().zip(data).map(|(&next, &p)| (place(next), p.into())));
    }
}

/// One row of `states` numbers for each pair.
#[derive(Clone, Copy, Debug)]
pub struct Dense<'a, X> {
    states: usize,
    data: &'a [X],
}

impl<'a, X> Dense<'a, X> {
    /// Checks that the array of model `name` has the expected shape.
    pub fn new(name: &str, rows: usize, states: usize, data: &'a [X]) -> Result<Self> {
        if Some(data.len()) != rows.checked_mul(states) {
            let fault = format!("{} numbers, and there must be {rows} rows of {states}", data.len());
            return Err(Error::Field { field: format!("model {name}"), fault });
        }
        Ok(Dense { states, data })
    }
}

impl<X: Copy + Into<f64> + Sync> Rows for Dense<'_, X> {
    fn append(&self, pair: Pair, row: &mut Vec<(usize, f64)>) {
        let numbers = self.data[pair * self.states..(pair + 1) * self.states].iter();
        let numbers = numbers.enumerate().map(|(next, &p)| (next, p.into()));
        row.extend(numbers.filter(|(_, p): &(usize, f64)| *p != 0.0));
    }
}

/// The actions of every state, and what they cost.
#[derive(Clone, Debug)]
pub struct Shape {
    /// `first_pair[s]..first_pair[s + 1]` are the pairs of state s.
    pub first_pair: Vec<usize>,
    /// The cost of each pair.
    pub costs: Vec<f64>,
}

impl Shape {
    fn states(&self) -> usize {
        self.first_pair.len().saturating_sub(1)
    }

    fn place(&self, pair: Pair) -> (State, usize) {
        let s = self.first_pair.partition_point(|&first| first <= pair) - 1;
        (s, pair - self.first_pair[s])
    }

    fn check(&self) -> Result<()> {
        let first = &self.first_pair;
        if first.first() != Some(&0) || first.last() != Some(&self.costs.len()) || !first.is_sorted() {
            let fault = format!("it must ascend from 0 to {}, the number of pairs", self.costs.len());
            return Err(Error::Field { field: "first_pair".into(), fault });
        }
        match self.costs.iter().position(|cost| !(0.0..=LARGEST_COST).contains(cost)) {
            None => Ok(()),
            Some(pair) => {
                let (state, action) = self.place(pair);
                let (state, action) = (state.to_string(), action.to_string());
                Err(Error::Cost { state, action, cost: self.costs[pair] })
            }
        }
    }
}

impl Problem {
    /// A builder with the features of d candidate models in arrays; nothing is assumed of the
    /// weights. Rows may be off by [`ROW_TOLERANCE`].
    pub fn from_arrays(
        name: &str,
        shape: Shape,
        models: &[&dyn Rows],
        model_names: Option<Vec<String>>,
    ) -> Result<ProblemBuilder> {
        shape.check()?;
        let mut builder = ProblemBuilder::new(name, shape.states(), models.len());
        if let Some(names) = model_names {
            builder.model_names(names);
        }
        let (pairs, dim) = (shape.costs.len(), models.len());
        let mut reader = Reader { models, states: shape.states(), row: Vec::new(), slots: Vec::new() };
        reader.slots.resize(shape.states(), 0);
        let mut first_row = Vec::with_capacity(pairs + 1);
        first_row.push(0);
        let mut rows = 0;
        for pair in 0..pairs {
            rows += reader.count(pair).map_err(|(m, fault)| {
                let (state, action) = shape.place(pair);
                Error::Model { model: builder.model_name(m), state, action, fault }
            })?;
            first_row.push(rows);
        }
        memory::require("this problem", 4 * rows as u64 + 8 * (rows * dim) as u64)?;
        let (mut successors, mut phi) = (Vec::with_capacity(rows), vec![0.0; rows * dim]);
        for pair in 0..pairs {
            let phi = &mut phi[first_row[pair] * dim..first_row[pair + 1] * dim];
            if !reader.fill(pair, &mut successors, phi) {
                let (state, action) = shape.place(pair);
                let fault =
                    format!("state {state}, action {action}: the numbers changed while they were read");
                return Err(Error::Field { field: "models".into(), fault });
            }
        }
        let Shape { first_pair, costs } = shape;
        builder.draft = Draft::of(dim, Arrays { first_pair, costs, first_row, successors, phi });
        Ok(builder)
    }
}

struct Reader<'a> {
    models: &'a [&'a dyn Rows],
    states: usize,
    row: Vec<(usize, f64)>,
    /// For every state the last pair that it succeeds; while a pair is filled, its place.
    slots: Vec<usize>,
}

impl Reader<'_> {
    /// The number of successors in all models together; else a model and the fault of its row.
    fn count(&mut self, pair: Pair) -> Result<usize, (usize, String)> {
        let mut successors = 0;
        for (m, model) in self.models.iter().enumerate() {
            self.row.clear();
            model.append(pair, &mut self.row);
            let mut sum = 0.0;
            for &(next, p) in &self.row {
                if next >= self.states {
                    let there = format!("there are {} states", self.states);
                    let next = if next == usize::MAX { "below 0".into() } else { next.to_string() };
                    return Err((m, format!("next state {next} does not exist, {there}")));
                }
                if !p.is_finite() || p < 0.0 {
                    return Err((m, format!("the probability of next state {next} is {}", shown(p))));
                }
                sum += p;
                if p > 0.0 && self.slots[next] != pair + 1 {
                    self.slots[next] = pair + 1;
                    successors += 1;
                }
            }
            if (sum - 1.0f64).abs() > ROW_TOLERANCE {
                let sum = shown(sum);
                return Err((m, format!("the row sums to {sum}, not to 1 (tolerance {ROW_TOLERANCE:e})")));
            }
        }
        Ok(successors)
    }

    /// Writes the features of a counted pair; false if its borrowed rows have changed.
    fn fill(&mut self, pair: Pair, successors: &mut Vec<u32>, phi: &mut [f64]) -> bool {
        let (first, dim) = (successors.len(), self.models.len());
        // a mark that no pair's count leaves behind
        let mark = usize::MAX - pair;
        for model in self.models {
            self.row.clear();
            model.append(pair, &mut self.row);
            for &(next, _) in self.row.iter().filter(|(_, p)| *p > 0.0) {
                let Some(slot) = self.slots.get_mut(next) else { return false };
                if *slot != mark {
                    *slot = mark;
                    successors.push(next as u32);
                }
            }
        }
        if (successors.len() - first) * dim != phi.len() {
            return false;
        }
        successors[first..].sort_unstable();
        for (i, &next) in successors[first..].iter().enumerate() {
            self.slots[next as usize] = i;
        }
        for (m, model) in self.models.iter().enumerate() {
            self.row.clear();
            model.append(pair, &mut self.row);
            for &(next, p) in self.row.iter().filter(|(_, p)| *p > 0.0) {
                let place = self.slots.get(next).and_then(|slot| slot.checked_mul(dim)?.checked_add(m));
                let Some(cell) = place.and_then(|place| phi.get_mut(place)) else { return false };
                *cell += p;
            }
        }
        true
    }
}
