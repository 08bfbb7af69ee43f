//! Problems: what a learner may know, with the truth where that is known.

use crate::arguments::{number, numbers, real};
use crate::errors::{refused, told};
use crate::watch::leaving;
use goalward::episode::Arena;
use goalward::files::json::to_json;
use goalward::problem::{Instance, Truth};
use goalward::{Problem, Settings, output};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

type Numbers<'py, T> = Bound<'py, PyArray1<T>>;
type Rows<'py> = Bound<'py, PyArray2<f64>>;

/// A stochastic shortest path problem whose transitions are an unknown mixture of known models.
///
/// It does not change once it is made. Make one with `Problem.from_models`,
/// `Problem.from_features`, `Problem.from_gymnasium`, `load` or `worlds.make`.
///
/// >>> import goalward as gw
/// >>> problem = gw.worlds.make("windy-grid", n=3)
/// >>> problem.n_states, problem.dim
/// (9, 5)
#[pyclass(name = "Problem", module = "goalward", frozen)]
pub(crate) struct PyProblem {
    pub(crate) instance: Instance,
    /// The world's id or the file, and its parameters, for results.
    world: String,
    params: Settings,
    arena: OnceLock<Arc<Arena>>,
    /// The number of each state, by name.
    names: OnceLock<HashMap<String, usize>>,
}

impl PyProblem {
    pub(crate) fn new(world: &str, params: Settings, instance: Instance) -> PyProblem {
        let (arena, names) = (OnceLock::new(), OnceLock::new());
        PyProblem { instance, world: world.into(), params, arena, names }
    }

    pub(crate) fn problem(&self) -> &Arc<Problem> {
        &self.instance.problem
    }

    /// The problem prepared for runs: solved, once.
    pub(crate) fn arena(&self, py: Python) -> PyResult<Arc<Arena>> {
        if let Some(arena) = self.arena.get() {
            return Ok(arena.clone());
        }
        let (world, params, instance) = (self.world.clone(), self.params.clone(), self.instance.clone());
        // two threads may do it twice: neither waits for the other
        let made = leaving(py, move || Arena::new(&world, &params, instance))?;
        Ok(self.arena.get_or_init(|| Arc::new(made)).clone())
    }

    /// A state by its number or its name.
    pub(crate) fn state_of(&self, any: &Bound<PyAny>) -> PyResult<usize> {
        let Ok(name) = any.cast::<PyString>() else { return number(any, "state") };
        let (problem, name) = (self.problem(), name.to_string_lossy());
        let names = self.names.get_or_init(|| {
            (0..problem.states()).rev().map(|s| (problem.state_name(s).into_owned(), s)).collect()
        });
        names.get(&*name).copied().ok_or_else(|| {
            let known: Vec<_> = (0..problem.states().min(8)).map(|s| problem.state_name(s)).collect();
            let hint = format!("states are called {}, ...", known.join(", "));
            refused("MisuseError", format!("there is no state {name:?}"), Some(&hint))
        })
    }

    /// An action of a state by its number or its name.
    pub(crate) fn action_of(&self, s: usize, any: &Bound<PyAny>) -> PyResult<usize> {
        let Ok(name) = any.cast::<PyString>() else { return number(any, "action") };
        let (problem, name) = (self.problem(), name.to_string_lossy());
        let actions = if s < problem.states() { problem.actions(s) } else { 0 };
        (0..actions).find(|&a| problem.action_name(s, a) == name).ok_or_else(|| {
            let known: Vec<_> = (0..actions).map(|a| problem.action_name(s, a)).collect();
            let hint = format!("its actions are {}", known.join(", "));
            refused("MisuseError", format!("state {s} has no action {name:?}"), Some(&hint))
        })
    }

    /// A number for each pair as rows of states, with NaN where a state has no such action.
    pub(crate) fn by_state<'py>(&self, py: Python<'py>, numbers: &[f64]) -> PyResult<Rows<'py>> {
        let problem = self.problem();
        let width = self.most_actions();
        let mut rows = vec![f64::NAN; problem.states() * width];
        for s in 0..problem.states() {
            let pairs = problem.pairs_of(s);
            rows[s * width..][..pairs.len()].copy_from_slice(&numbers[pairs]);
        }
        read_only(PyArray1::from_vec(py, rows).reshape([problem.states(), width])?)
    }

    fn most_actions(&self) -> usize {
        let problem = self.problem();
        (0..problem.states()).map(|s| problem.actions(s)).max().unwrap_or(0)
    }

    fn checked(&self, state: &Bound<PyAny>) -> PyResult<usize> {
        let s = self.state_of(state)?;
        if s < self.problem().states() {
            return Ok(s);
        }
        let message = format!("state {s} does not exist: there are {}", self.problem().states());
        Err(refused("MisuseError", message, None))
    }

    fn pair(&self, state: &Bound<PyAny>, action: &Bound<PyAny>) -> PyResult<usize> {
        let s = self.checked(state)?;
        let a = self.action_of(s, action)?;
        if a < self.problem().actions(s) {
            return Ok(self.problem().pair(s, a));
        }
        let (name, n) = (self.problem().state_name(s), self.problem().actions(s));
        Err(refused("MisuseError", format!("state {name} has {n} actions, there is no action {a}"), None))
    }
}

/// Makes an array that is shown again and again immutable.
pub(crate) fn read_only<T>(array: Bound<T>) -> PyResult<Bound<T>> {
    array.as_any().getattr("flags")?.setattr("writeable", false)?;
    Ok(array)
}

#[pymethods]
impl PyProblem {
    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        self.problem().name()
    }

    /// The built-in world or the file that it comes from, with its parameters.
    #[getter]
    fn world(&self) -> String {
        self.params.iter().fold(self.world.clone(), |text, (key, value)| format!("{text}@{key}={value}"))
    }

    /// The number of models, which is the length of theta.
    #[getter]
    fn dim(&self) -> usize {
        self.problem().dim()
    }

    /// The number of states, the goal included.
    #[getter]
    fn n_states(&self) -> usize {
        self.problem().states()
    }

    /// The number of actions of the state that has most.
    #[getter]
    fn n_actions(&self) -> usize {
        self.most_actions()
    }

    /// The number of state-action pairs.
    #[getter]
    fn n_pairs(&self) -> usize {
        self.problem().pairs()
    }

    /// Where every episode starts.
    #[getter]
    fn start(&self) -> usize {
        self.problem().start()
    }

    /// Where every episode ends.
    #[getter]
    fn goal(&self) -> usize {
        self.problem().goal()
    }

    /// The true weights, if they are known and there are any; learners never see them.
    #[getter]
    fn theta<'py>(&self, py: Python<'py>) -> Option<Numbers<'py, f64>> {
        let theta = self.instance.truth.as_ref()?.theta()?;
        Some(PyArray1::from_slice(py, theta))
    }

    /// The same problem with other true weights, or with none.
    fn with_theta(&self, py: Python, theta: Option<&Bound<PyAny>>) -> PyResult<PyProblem> {
        let problem = self.problem();
        let theta = theta.map(|theta| numbers(theta, "theta")).transpose()?;
        let known = problem.clone();
        let truth = leaving(py, move || theta.map(|theta| Truth::new(&known, &theta)).transpose())?;
        let notes = problem.notes().to_vec();
        let instance = Instance { truth, notes, ..self.instance.clone() };
        Ok(PyProblem::new(&self.world, self.params.clone(), instance))
    }

    /// What a learner is handed: the same problem, without the truth and without the parameters of
    /// its world, which may name it.
    fn _for_learners(&self) -> PyProblem {
        let problem = self.problem();
        let notes = problem.notes().to_vec();
        let instance = Instance { truth: None, notes, ..self.instance.clone() };
        PyProblem::new(problem.name(), Settings::new(), instance)
    }

    /// The same problem with a true kernel that need not be a mixture of the models: rows `(state,
    /// action, next, probability)`, states and actions by number or name. What is not listed is 0.
    fn with_kernel(&self, py: Python, rows: Vec<Bound<PyAny>>) -> PyResult<PyProblem> {
        let entry = |row: &Bound<PyAny>| -> PyResult<(usize, usize, usize, f64)> {
            let (state, action, next, p): (Bound<PyAny>, Bound<PyAny>, Bound<PyAny>, Bound<PyAny>) =
                row.extract()?;
            let s = self.checked(&state)?;
            Ok((s, self.action_of(s, &action)?, self.checked(&next)?, real(&p, "probability")?))
        };
        let entries = rows.iter().map(entry).collect::<PyResult<Vec<_>>>()?;
        let problem = self.problem().clone();
        let instance = leaving(py, move || problem.with_kernel(&entries))?;
        let instance = Instance { model: self.instance.model, ..instance };
        Ok(PyProblem::new(&self.world, self.params.clone(), instance))
    }

    /// The names of the states, in their order; numbers if they have none.
    #[getter]
    fn state_names(&self) -> Vec<String> {
        (0..self.problem().states()).map(|s| self.problem().state_name(s).into_owned()).collect()
    }

    /// The names of the models, in the order of theta; numbers if they have none.
    #[getter]
    fn model_names(&self) -> Vec<String> {
        (0..self.problem().dim()).map(|i| self.problem().model_name(i).into_owned()).collect()
    }

    /// The names of a state's actions, in their order; numbers if they have none.
    fn actions(&self, state: &Bound<PyAny>) -> PyResult<Vec<String>> {
        let s = self.checked(state)?;
        Ok((0..self.problem().actions(s)).map(|a| self.problem().action_name(s, a).into_owned()).collect())
    }

    /// The number of a state, by name or number.
    fn state(&self, state: &Bound<PyAny>) -> PyResult<usize> {
        self.checked(state)
    }

    /// The cost of an action.
    fn cost(&self, state: &Bound<PyAny>, action: &Bound<PyAny>) -> PyResult<f64> {
        Ok(self.problem().cost(self.pair(state, action)?))
    }

    /// The costs, as an array of states and actions; NaN where a state has no such action.
    #[getter]
    fn costs<'py>(&self, py: Python<'py>) -> PyResult<Rows<'py>> {
        self.by_state(py, self.problem().costs())
    }

    /// The successors of an action, and for each the probability in every model.
    fn successors<'py>(
        &self,
        py: Python<'py>,
        state: &Bound<PyAny>,
        action: &Bound<PyAny>,
    ) -> PyResult<(Numbers<'py, i64>, Rows<'py>)> {
        let pair = self.pair(state, action)?;
        let (next, phi) = (self.problem().successors(pair), self.problem().phi(pair));
        let phi = PyArray1::from_slice(py, phi).reshape([next.len(), self.problem().dim()])?;
        let next = next.iter().map(|&s| i64::from(s)).collect();
        Ok((PyArray1::from_vec(py, next), phi))
    }

    /// The first pair of every state, and behind them the number of pairs.
    #[getter]
    fn first_pairs<'py>(&self, py: Python<'py>) -> Numbers<'py, i64> {
        let problem = self.problem();
        let first = (0..problem.states()).map(|s| problem.pairs_of(s).start).chain([problem.pairs()]);
        PyArray1::from_vec(py, first.map(|pair| pair as i64).collect())
    }

    /// The features in compressed sparse rows: `indptr` over pairs, successors, and one row of dim
    /// numbers for each successor.
    fn features<'py>(&self, py: Python<'py>) -> PyResult<(Numbers<'py, i64>, Numbers<'py, i64>, Rows<'py>)> {
        let problem = self.problem();
        let (indptr, next) = rows(problem);
        let phi: Vec<f64> = (0..problem.pairs()).flat_map(|p| problem.phi(p)).copied().collect();
        let shape = [next.len(), problem.dim()];
        let phi = PyArray1::from_vec(py, phi).reshape(shape)?;
        Ok((PyArray1::from_vec(py, indptr), PyArray1::from_vec(py, next), phi))
    }

    /// The true transitions in compressed sparse rows: `indptr` over pairs, successors, and their
    /// probabilities. An error if theta is not known.
    fn kernel<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Numbers<'py, i64>, Numbers<'py, i64>, Numbers<'py, f64>)> {
        let problem = self.problem();
        let truth = self.instance.truth().map_err(told)?;
        let (indptr, next) = rows(problem);
        let p: Vec<f64> = (0..problem.pairs()).flat_map(|p| truth.row(problem, p)).copied().collect();
        Ok((PyArray1::from_vec(py, indptr), PyArray1::from_vec(py, next), PyArray1::from_vec(py, p)))
    }

    /// What was done to what the problem was made from, such as rows that were rescaled.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.instance.notes.iter().map(|note| note.message.clone()).collect()
    }

    /// Writes it to a file that `load` and every command of goalward read.
    fn save(&self, py: Python, path: PathBuf) -> PyResult<()> {
        let instance = self.instance.clone();
        leaving(py, move || output::replace(&path, to_json(&instance).as_bytes()))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let (py, this) = (slf.py(), slf.get());
        let instance = this.instance.clone();
        let text = leaving(py, move || -> goalward::Result<_> { Ok(to_json(&instance)) })?;
        let made = py.import("goalward._goalward")?.getattr("open_bytes")?;
        let params: Vec<(String, String)> = this.params.iter().map(|(k, v)| (k.into(), v.into())).collect();
        let bytes = PyBytes::new(py, text.as_bytes());
        let arguments = (bytes, &this.world, PyDict::new(py), Some(params)).into_pyobject(py)?;
        PyTuple::new(py, [made, arguments.into_any()])
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<PyAny>) -> Py<Self> {
        slf
    }

    fn __repr__(&self) -> String {
        let problem = self.problem();
        let theta = if self.instance.truth.is_some() { "known" } else { "unknown" };
        format!(
            "Problem({:?}, states={}, actions={}, models={}, theta {theta})",
            problem.name(),
            problem.states(),
            self.most_actions(),
            problem.dim()
        )
    }
}

/// Where the successors of every pair begin, and all successors.
fn rows(problem: &Problem) -> (Vec<i64>, Vec<i64>) {
    let mut indptr = vec![0];
    indptr.extend((0..problem.pairs()).map(|p| problem.rows(p).end as i64));
    (indptr, (0..problem.pairs()).flat_map(|p| problem.successors(p)).map(|&s| i64::from(s)).collect())
}
