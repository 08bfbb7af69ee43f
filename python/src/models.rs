//! Problems from the arrays of a user. The arrays are read where they lie.

use crate::errors::{Told, of_arrays, refused};
use crate::problem::PyProblem;
use crate::watch::{Tally, leaving, watched};
use goalward::plan::Halt;
use goalward::problem::{Csr, Dense, Instance, ProblemBuilder, Rows, Shape, Truth};
use goalward::{Problem, Settings};
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray3};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// One model, as `_models.py` hands it over: a dense array of states, actions and next states, or
/// for each block the arrays of compressed sparse rows.
enum Held<'py> {
    Dense64(PyReadonlyArray3<'py, f64>),
    Dense32(PyReadonlyArray3<'py, f32>),
    Sparse(Vec<Block<'py>>),
}

/// Compressed sparse rows.
struct Block<'py> {
    indptr: Whole<'py>,
    indices: Whole<'py>,
    data: Real<'py>,
}

enum Whole<'py> {
    I32(PyReadonlyArray1<'py, i32>),
    I64(PyReadonlyArray1<'py, i64>),
}

enum Real<'py> {
    F32(PyReadonlyArray1<'py, f32>),
    F64(PyReadonlyArray1<'py, f64>),
}

/// The place of each pair among a model's rows.
struct Places {
    /// The state and the column of each pair.
    pairs: Vec<(u32, u32)>,
    actions: usize,
}

/// A model whose rows are by state and action, or in one block for each action.
struct Placed<'a> {
    blocks: Vec<Box<dyn Rows + 'a>>,
    places: &'a Places,
    /// Nobody wants the problem any more.
    halt: &'a Halt,
}

impl Rows for Placed<'_> {
    fn append(&self, pair: usize, row: &mut Vec<(usize, f64)>) {
        // no row sums to 1 any more, and whoever reads stops at the next one
        if self.halt.asked() {
            return;
        }
        let (s, a) = self.places.pairs[pair];
        match &self.blocks[..] {
            [whole] => whole.append(s as usize * self.places.actions + a as usize, row),
            blocks => blocks[a as usize].append(s as usize, row),
        }
    }
}

impl<'py> Held<'py> {
    fn new(any: &Bound<'py, PyAny>) -> PyResult<Held<'py>> {
        if let Ok(array) = any.extract() {
            return Ok(Held::Dense64(array));
        }
        if let Ok(array) = any.extract() {
            return Ok(Held::Dense32(array));
        }
        let blocks: Vec<Bound<'py, PyAny>> = any.extract()?;
        let blocks = blocks.iter().map(|block| {
            let (indptr, indices, data): (Bound<PyAny>, Bound<PyAny>, Bound<PyAny>) = block.extract()?;
            Ok(Block {
                indptr: Whole::new(&indptr)?,
                indices: Whole::new(&indices)?,
                data: Real::new(&data)?,
            })
        });
        Ok(Held::Sparse(blocks.collect::<PyResult<_>>()?))
    }

    /// The rows of this model.
    fn placed<'a>(
        &'a self,
        name: &str,
        states: usize,
        places: &'a Places,
        halt: &'a Halt,
    ) -> PyResult<Placed<'a>> {
        let rows = states * places.actions;
        let blocks: Vec<Box<dyn Rows + 'a>> = match self {
            Held::Dense64(array) => {
                vec![Box::new(Dense::new(name, rows, states, array.as_slice()?).map_err(Told::told)?)]
            }
            Held::Dense32(array) => {
                vec![Box::new(Dense::new(name, rows, states, array.as_slice()?).map_err(Told::told)?)]
            }
            Held::Sparse(blocks) => {
                let each = if blocks.len() == 1 { rows } else { states };
                blocks.iter().map(|block| block.rows(name, each)).collect::<PyResult<_>>()?
            }
        };
        Ok(Placed { blocks, places, halt })
    }
}

impl<'py> Whole<'py> {
    fn new(any: &Bound<'py, PyAny>) -> PyResult<Whole<'py>> {
        match any.extract() {
            Ok(array) => Ok(Whole::I32(array)),
            Err(_) => any.extract().map(Whole::I64).map_err(|_| wrong("indices", any)),
        }
    }
}

impl<'py> Real<'py> {
    fn new(any: &Bound<'py, PyAny>) -> PyResult<Real<'py>> {
        match any.extract() {
            Ok(array) => Ok(Real::F64(array)),
            Err(_) => any.extract().map(Real::F32).map_err(|_| wrong("data", any)),
        }
    }
}

fn wrong(what: &str, any: &Bound<PyAny>) -> PyErr {
    PyTypeError::new_err(format!("{what}: expected an array, not {}", any.get_type()))
}

impl Block<'_> {
    fn rows<'a>(&'a self, name: &str, rows: usize) -> PyResult<Box<dyn Rows + 'a>> {
        use Real::{F32, F64};
        use Whole::{I32, I64};
        macro_rules! csr {
            ($indptr:expr, $indices:expr, $data:expr) => {{
                let arrays = ($indptr.as_slice()?, $indices.as_slice()?, $data.as_slice()?);
                Box::new(Csr::new(name, rows, arrays.0, arrays.1, arrays.2).map_err(Told::told)?)
            }};
        }
        Ok(match (&self.indptr, &self.indices, &self.data) {
            (I32(p), I32(i), F32(x)) => csr!(p, i, x),
            (I32(p), I32(i), F64(x)) => csr!(p, i, x),
            (I64(p), I64(i), F32(x)) => csr!(p, i, x),
            (I64(p), I64(i), F64(x)) => csr!(p, i, x),
            (I32(p), I64(i), F32(x)) => csr!(p, i, x),
            (I32(p), I64(i), F64(x)) => csr!(p, i, x),
            (I64(p), I32(i), F32(x)) => csr!(p, i, x),
            (I64(p), I32(i), F64(x)) => csr!(p, i, x),
        })
    }
}

/// What to do about costs that models disagree on.
const SPLIT: &str = "charge the part of the cost that depends on the next state one step later: give that state \
                     a copy in between, with one action at that cost; or give costs for each state and action";

/// Two costs that should be the same may be so far apart, relative to the larger or to 1.
const AGREE: f64 = 1e-9;

/// The costs of all pairs, from costs that depend on the next state too: what a model expects, if
/// all models expect the same; else what is wrong.
fn expected(
    models: &[Placed],
    names: &dyn Fn(usize) -> String,
    places: &Places,
    states: usize,
    costs: &[f64],
) -> Result<Vec<f64>, String> {
    let mut row = Vec::new();
    let mut all = Vec::with_capacity(places.pairs.len());
    for (pair, &(s, a)) in places.pairs.iter().enumerate() {
        let of = &costs[(s as usize * places.actions + a as usize) * states..][..states];
        let mut first = None;
        for (m, model) in models.iter().enumerate() {
            row.clear();
            model.append(pair, &mut row);
            // a state that does not exist is told by the builder
            let cost: f64 = row.iter().map(|&(next, p)| p * of.get(next).copied().unwrap_or(0.0)).sum();
            let known = *first.get_or_insert(cost);
            if (cost - known).abs() > AGREE * cost.abs().max(known.abs()).max(1.0) {
                return Err(format!(
                    "state {s}, action {a}: model {} expects a cost of {known}, and model {} one of {cost}; \
                     a learner must know the cost of an action",
                    names(0),
                    names(m)
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
    let held: Vec<Held> = models.iter().map(Held::new).collect::<PyResult<_>>()?;
    let view = available.as_array();
    let (states, actions) = (view.nrows(), view.ncols());
    let (mut pairs, mut first_pair) = (Vec::new(), vec![0]);
    for s in 0..states {
        let mine = (0..actions).filter(|&a| s != about.goal && view[(s, a)]);
        pairs.extend(mine.map(|a| (s as u32, a as u32)));
        first_pair.push(pairs.len());
    }
    let places = Places { pairs, actions };
    let name = |m: usize| {
        let given = about.model_names.as_ref().and_then(|names| names.get(m)).cloned();
        given.unwrap_or_else(|| m.to_string())
    };
    let tally = Tally::new();
    let placed: Vec<Placed> = held
        .iter()
        .enumerate()
        .map(|(m, model)| model.placed(&name(m), states, &places, tally.halt()))
        .collect::<PyResult<_>>()?;
    check_goal(&placed, &name, states, about.goal, actions)?;
    let flat: Option<PyReadonlyArray2<f64>> = costs.extract().ok();
    let full = flat.is_none().then(|| costs.extract::<PyReadonlyArray3<f64>>()).transpose()?;
    let flat = flat.as_ref().map(|costs| costs.as_slice()).transpose()?;
    let full = full.as_ref().map(|costs| costs.as_slice()).transpose()?.unwrap_or_default();
    let rows: Vec<&dyn Rows> = placed.iter().map(|model| model as &dyn Rows).collect();
    let Places { pairs, actions } = &places;
    // the arrays are read here, and what they say is looked at below: neither keeps Ctrl-C waiting
    let read = watched(py, &tally, None, || {
        let costs = match flat {
            Some(costs) => pairs.iter().map(|&(s, a)| costs[s as usize * actions + a as usize]).collect(),
            None => expected(&placed, &name, &places, states, full)?,
        };
        let shape = Shape { first_pair, costs };
        Ok(Problem::from_arrays(&about.name, shape, &rows, about.model_names.clone()))
    })?;
    let read = read.map_err(|message: String| refused("ProblemError", message, Some(SPLIT)))?;
    let mut builder = read.map_err(Told::told)?;
    builder.start(about.start).goal(about.goal).simplex();
    made(py, builder, about)
}

/// The problem of a builder that has its models, with its names.
fn made(py: Python, mut builder: ProblemBuilder, about: About) -> PyResult<PyProblem> {
    let About { name, state_names, action_names, model_names, theta, .. } = about;
    let instance = leaving(py, move || {
        if let Some(names) = state_names {
            builder.state_names(names);
        }
        if let Some(names) = action_names {
            builder.action_names(names);
        }
        if let Some(names) = model_names {
            builder.model_names(names);
        }
        let problem = builder.build()?;
        let truth = theta.map(|theta| Truth::new(&problem, &theta)).transpose()?;
        Ok(Instance::of(problem, truth))
    })?;
    Ok(PyProblem::new(&name, Settings::new(), instance.map_err(of_arrays)?))
}

/// Rows of the goal are nothing, or lead to the goal.
fn check_goal(
    models: &[Placed],
    names: &dyn Fn(usize) -> String,
    states: usize,
    goal: usize,
    actions: usize,
) -> PyResult<()> {
    let mut row = Vec::new();
    for (m, model) in models.iter().enumerate().filter(|_| goal < states) {
        for a in 0..actions {
            row.clear();
            match &model.blocks[..] {
                [whole] => whole.append(goal * actions + a, &mut row),
                blocks => blocks[a].append(goal, &mut row),
            }
            if let Some((next, p)) = row.iter().find(|&&(next, p)| next != goal && p != 0.0) {
                let message = format!(
                    "model {}: the goal {goal} is not absorbing: action {a} leads to state {next} with \
                     probability {p}",
                    names(m)
                );
                let hint = "leave the rows of the goal empty, or let them lead to the goal";
                return Err(refused("ProblemError", message, Some(hint)));
            }
        }
    }
    Ok(())
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
    let read = watched(py, &tally, None, || {
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
    made(py, read.map_err(|error: goalward::Error| error.told())?, about)
}
