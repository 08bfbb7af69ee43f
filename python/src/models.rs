//! Problems from the arrays of a user. The arrays are read where they lie.

use crate::errors::{of_arrays, refused, told};
use crate::problem::PyProblem;
use crate::watch::{Tally, leaving, watched};
use goalward::plan::Halt;
use goalward::problem::{Csr, Dense, Instance, ProblemBuilder, Rows, Shape, Truth};
use goalward::{Problem, Settings};
use numpy::{Element, PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray3};
use pyo3::prelude::*;

/// Arrays of a user as rows: a dense array of states, actions and next states, or compressed sparse
/// rows.
trait Arrays {
    fn rows<'a>(&'a self, name: &str, rows: usize, states: usize) -> PyResult<Box<dyn Rows + 'a>>;
}

impl<X: Element + Copy + Into<f64> + Sync> Arrays for PyReadonlyArray3<'_, X> {
    fn rows<'a>(&'a self, name: &str, rows: usize, states: usize) -> PyResult<Box<dyn Rows + 'a>> {
        Ok(Box::new(Dense::new(name, rows, states, self.as_slice()?).map_err(told)?))
    }
}

/// `indptr`, `indices` and `data`.
type Sparse<'py, I, X> = (PyReadonlyArray1<'py, I>, PyReadonlyArray1<'py, I>, PyReadonlyArray1<'py, X>);

impl<I, X> Arrays for Sparse<'_, I, X>
where
    I: Element + Copy + TryInto<usize> + Sync,
    X: Element + Copy + Into<f64> + Sync,
{
    fn rows<'a>(&'a self, name: &str, rows: usize, _: usize) -> PyResult<Box<dyn Rows + 'a>> {
        let (indptr, indices, data) = (self.0.as_slice()?, self.1.as_slice()?, self.2.as_slice()?);
        Ok(Box::new(Csr::new(name, rows, indptr, indices, data).map_err(told)?))
    }
}

/// A model as `_models.py` hands it over: a dense array, or the sparse rows of each block.
fn blocks<'py>(any: &Bound<'py, PyAny>) -> PyResult<Vec<Box<dyn Arrays + 'py>>> {
    if let Ok(array) = any.extract::<PyReadonlyArray3<'py, f64>>() {
        return Ok(vec![Box::new(array)]);
    }
    if let Ok(array) = any.extract::<PyReadonlyArray3<'py, f32>>() {
        return Ok(vec![Box::new(array)]);
    }
    any.extract::<Vec<Bound<'py, PyAny>>>()?.iter().map(block).collect()
}

fn block<'py>(any: &Bound<'py, PyAny>) -> PyResult<Box<dyn Arrays + 'py>> {
    if let Ok(arrays) = any.extract::<Sparse<'py, i32, f64>>() {
        return Ok(Box::new(arrays));
    }
    if let Ok(arrays) = any.extract::<Sparse<'py, i64, f64>>() {
        return Ok(Box::new(arrays));
    }
    if let Ok(arrays) = any.extract::<Sparse<'py, i32, f32>>() {
        return Ok(Box::new(arrays));
    }
    Ok(Box::new(any.extract::<Sparse<'py, i64, f32>>()?))
}

/// A model whose rows are by state and action, or in one block for each action.
struct Model<'a> {
    name: String,
    blocks: Vec<Box<dyn Rows + 'a>>,
    actions: usize,
    /// The state and the column of each pair.
    pairs: &'a [(u32, u32)],
    /// Asked when the problem is no longer wanted.
    halt: &'a Halt,
}

impl Model<'_> {
    fn row(&self, state: usize, column: usize, row: &mut Vec<(usize, f64)>) {
        match &self.blocks[..] {
            [whole] => whole.append(state * self.actions + column, row),
            blocks => blocks[column].append(state, row),
        }
    }

    /// Requires that the rows of the goal are empty, or lead to the goal.
    fn check_goal(&self, goal: usize) -> PyResult<()> {
        let mut row = Vec::new();
        for a in 0..self.actions {
            row.clear();
            self.row(goal, a, &mut row);
            if let Some((next, p)) = row.iter().find(|&&(next, p)| next != goal && p != 0.0) {
                let message = format!(
                    "model {}: the goal {goal} is not absorbing: action {a} leads to state {next} with \
                     probability {p}",
                    self.name
                );
                let hint = "leave the rows of the goal empty, or let them lead to the goal";
                return Err(refused("ProblemError", message, Some(hint)));
            }
        }
        Ok(())
    }
}

impl Rows for Model<'_> {
    fn append(&self, pair: usize, row: &mut Vec<(usize, f64)>) {
        // no row sums to 1 then, and the reader stops at the next one
        if self.halt.asked() {
            return;
        }
        let (s, a) = self.pairs[pair];
        self.row(s as usize, a as usize, row);
    }
}

/// The hint for costs that models disagree on.
const SPLIT: &str = "charge the part of the cost that depends on the next state one step later: give that state \
                     a copy in between, with one action at that cost; or give costs for each state and action";

/// The tolerance between costs that should agree, relative to the larger or to 1.
const AGREE: f64 = 1e-9;

/// The expected costs of all pairs, from costs of each state, action and next state; an error where
/// two models expect different costs.
fn expected(
    models: &[Model],
    pairs: &[(u32, u32)],
    states: usize,
    costs: &[f64],
) -> Result<Vec<f64>, String> {
    let mut row = Vec::new();
    let mut all = Vec::with_capacity(pairs.len());
    for (pair, &(s, a)) in pairs.iter().enumerate() {
        let mut first = None;
        for model in models {
            let of = &costs[(s as usize * model.actions + a as usize) * states..][..states];
            row.clear();
            model.append(pair, &mut row);
            // the builder reports a state that does not exist
            let cost: f64 = row.iter().map(|&(next, p)| p * of.get(next).copied().unwrap_or(0.0)).sum();
            let known = *first.get_or_insert(cost);
            if (cost - known).abs() > AGREE * cost.abs().max(known.abs()).max(1.0) {
                return Err(format!(
                    "state {s}, action {a}: model {} expects a cost of {known}, and model {} one of {cost}; \
                     a learner must know the cost of an action",
                    models[0].name, model.name
                ));
            }
        }
        all.push(first.unwrap_or(0.0));
    }
    Ok(all)
}

/// What is said of a problem beside its models.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct About {
    name: String,
    start: usize,
    goal: usize,
    state_names: Option<Vec<String>>,
    action_names: Option<Vec<Vec<String>>>,
    model_names: Option<Vec<String>>,
    theta: Option<Vec<f64>>,
}

/// Makes a problem of d candidate models. `costs` has one number for each state and action, or for
/// each state, action and next state; `available` says which actions there are.
#[pyfunction]
pub(crate) fn problem_from_models(
    py: Python,
    models: Vec<Bound<PyAny>>,
    costs: &Bound<PyAny>,
    available: PyReadonlyArray2<bool>,
    about: About,
) -> PyResult<PyProblem> {
    let held = models.iter().map(blocks).collect::<PyResult<Vec<_>>>()?;
    let view = available.as_array();
    let (states, actions) = (view.nrows(), view.ncols());
    let (mut pairs, mut first_pair) = (Vec::new(), vec![0]);
    for s in 0..states {
        let mine = (0..actions).filter(|&a| s != about.goal && view[(s, a)]);
        pairs.extend(mine.map(|a| (s as u32, a as u32)));
        first_pair.push(pairs.len());
    }
    let (tally, mut models) = (Tally::new(), Vec::new());
    for (m, held) in held.iter().enumerate() {
        let given = about.model_names.as_ref().and_then(|names| names.get(m)).cloned();
        let name = given.unwrap_or_else(|| m.to_string());
        let each = if held.len() == 1 { states * actions } else { states };
        let blocks = held.iter().map(|block| block.rows(&name, each, states)).collect::<PyResult<_>>()?;
        models.push(Model { name, blocks, actions, pairs: &pairs, halt: tally.halt() });
    }
    if about.goal < states {
        models.iter().try_for_each(|model| model.check_goal(about.goal))?;
    }
    let flat: Option<PyReadonlyArray2<f64>> = costs.extract().ok();
    let full = flat.is_none().then(|| costs.extract::<PyReadonlyArray3<f64>>()).transpose()?;
    let flat = flat.as_ref().map(|costs| costs.as_slice()).transpose()?;
    let full = full.as_ref().map(|costs| costs.as_slice()).transpose()?.unwrap_or_default();
    let rows: Vec<&dyn Rows> = models.iter().map(|model| model as &dyn Rows).collect();
    // neither reading the arrays nor judging them keeps Ctrl-C waiting
    let read = watched(py, &tally, None, || {
        let costs = match flat {
            Some(costs) => pairs.iter().map(|&(s, a)| costs[s as usize * actions + a as usize]).collect(),
            None => expected(&models, &pairs, states, full)?,
        };
        let shape = Shape { first_pair, costs };
        Ok(Problem::from_arrays(&about.name, shape, &rows, about.model_names.clone()))
    })?;
    let read = read.map_err(|message: String| refused("ProblemError", message, Some(SPLIT)))?;
    let mut builder = read.map_err(told)?;
    builder.start(about.start).goal(about.goal).simplex();
    made(py, builder, about)
}

/// The problem of a builder that has its models, with its names.
fn made(py: Python, mut builder: ProblemBuilder, about: About) -> PyResult<PyProblem> {
    let About { name, state_names, action_names, model_names, theta, .. } = about;
    if let Some(names) = state_names {
        builder.state_names(names);
    }
    if let Some(names) = action_names {
        builder.action_names(names);
    }
    if let Some(names) = model_names {
        builder.model_names(names);
    }
    let make = move || {
        let problem = builder.build()?;
        let truth = theta.map(|theta| Truth::new(&problem, &theta)).transpose()?;
        Ok(Instance::of(problem, truth))
    };
    // errors of arrays have hints of their own
    let instance = leaving(py, move || -> goalward::Result<_> { Ok(make()) })?.map_err(of_arrays)?;
    Ok(PyProblem::new(&name, Settings::new(), instance))
}

/// Makes a problem of features: `rows` of state, action and next state, and for each one row of d
/// numbers; `first_pair` over states.
#[pyfunction]
pub(crate) fn problem_from_features(
    py: Python,
    first_pair: Vec<usize>,
    costs: Vec<f64>,
    rows: PyReadonlyArray2<i64>,
    phi: PyReadonlyArray2<f64>,
    facts: Vec<(Vec<f64>, f64)>,
    about: About,
) -> PyResult<PyProblem> {
    let states = first_pair.len().saturating_sub(1);
    let (dim, phi, rows) = (phi.as_array().ncols(), phi.as_slice()?, rows.as_slice()?);
    let tally = Tally::new();
    let read = watched(py, &tally, None, || -> goalward::Result<_> {
        let mut builder = Problem::builder(&about.name, states, dim);
        builder.start(about.start).goal(about.goal);
        for s in 0..states {
            for &cost in &costs[first_pair[s]..first_pair[s + 1]] {
                builder.action(s, cost)?;
            }
        }
        let rows = rows.chunks_exact(3).zip(phi.chunks_exact(dim.max(1)));
        for (row, phi) in rows.take_while(|_| !tally.stopped()) {
            builder.feature(row[0] as usize, row[1] as usize, row[2] as usize, phi)?;
        }
        for (a, b) in &facts {
            builder.extra(a, *b)?;
        }
        Ok(builder)
    })?;
    made(py, read.map_err(told)?, about)
}
