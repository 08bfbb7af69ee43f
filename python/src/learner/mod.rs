//! A learner in the user's own loop.

mod sets;
mod shared;
mod state;

pub(crate) use sets::PyConfidenceSet;

use crate::arguments::{named, real};
use crate::errors::{to_python, told, warned};
use crate::gate::outside;
use crate::opening::recommended;
use crate::own::{Own, Raised};
use crate::problem::PyProblem;
use crate::watch::leaving;
use goalward::episode::{Agent, RunSpec};
use goalward::learners::{Observed, OnMisfit, Vigilance};
use goalward::plan::Halt;
use goalward::{Learner, Transition};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use shared::Shared;
use state::{State, caught_up, running};
use std::path::{Path, PathBuf};
use std::sync::MutexGuard;

/// What a pickled learner is called in errors.
const PICKLED: &str = "the pickled learner";

/// A learner for a loop of your own: it says what to do, and learns from what happens.
///
/// `learner` is an id (`goalward.learners.ids()`), perhaps with settings: `"levis++@B=3"`. Further
/// settings are keyword arguments. `episodes` is the number of episodes that you plan, which some
/// learners must know. `on_misfit` says what to do when the data reject every mixture of the models
/// at the level `misfit_level` (0.01): "warn" goes on, "stop" makes `act` raise a MisuseError,
/// "tabular" goes on with a learner that ignores the models.
///
/// >>> import goalward as gw
/// >>> problem = gw.worlds.make("windy-grid", n=3)
/// >>> learner = gw.Learner("lr", problem, delta=0.05)
/// >>> state, action = problem.start, learner.act(problem.start)
/// >>> learner.observe(state, action, problem.cost(state, action), state)
/// True
/// >>> learner.steps, learner.episodes
/// (1, 0)
#[pyclass(name = "Learner", module = "goalward", frozen)]
pub(crate) struct PyLearner {
    problem: Py<PyProblem>,
    state: Shared<State>,
}

/// How a learner watches its models; what is not said is as usual.
pub(crate) fn vigilance(on_misfit: Option<&str>, level: Option<f64>) -> goalward::Result<Vigilance> {
    let usual = Vigilance::default();
    let on_misfit = on_misfit.map_or(Ok(usual.on_misfit), str::parse)?;
    Ok(Vigilance { level: level.unwrap_or(usual.level), on_misfit })
}

/// Warns that the models are rejected, unless the user said what else to do. A filter may make an
/// error of it: the step counts.
fn warn(py: Python, agent: &Agent) -> PyResult<()> {
    if agent.spec().vigilance.on_misfit != OnMisfit::Warn {
        return Ok(());
    }
    let text = agent.learner.misfit().map(|misfit| misfit.text).unwrap_or_default();
    warned(py, &format!("no mixture of the models explains the data: {text}"))
}

impl PyLearner {
    fn of(problem: Py<PyProblem>, agent: Agent) -> PyLearner {
        PyLearner { problem, state: Shared::new(State::of(agent)) }
    }

    fn state(&self, py: Python) -> PyResult<MutexGuard<'_, State>> {
        self.state.lock(py)
    }

    pub(crate) fn with<T: Send>(&self, py: Python, look: impl FnOnce(&Learner) -> T + Send) -> PyResult<T> {
        let mut state = self.state(py)?;
        let learner = state.learner()?;
        outside(py, || look(learner))
    }

    /// Takes the learner out, for a run, with what an inner one in Python raises.
    pub(crate) fn take(&self, py: Python) -> PyResult<(Agent, Option<Raised>)> {
        let mut state = self.state(py)?;
        Ok((state.agent.take().ok_or_else(running)?, state.raised.clone()))
    }

    pub(crate) fn give_back(&self, py: Python, agent: Agent) -> PyResult<()> {
        self.state(py)?.agent = Some(agent);
        Ok(())
    }

    pub(crate) fn problem(&self) -> &Py<PyProblem> {
        &self.problem
    }

    /// All of it, as a checkpoint holds it.
    fn bytes(&self, py: Python) -> PyResult<Vec<u8>> {
        let state = self.state(py)?;
        let agent = state.saved()?;
        outside(py, || agent.to_bytes())?.map_err(told)
    }
}

#[pymethods]
impl PyLearner {
    #[new]
    #[pyo3(signature = (learner, problem, *, episodes=1000, seed=0, on_misfit=None, misfit_level=None, **settings))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python,
        learner: Option<&str>,
        problem: Py<PyProblem>,
        episodes: u64,
        seed: u64,
        on_misfit: Option<&str>,
        misfit_level: Option<f64>,
        settings: Option<&Bound<PyDict>>,
    ) -> PyResult<PyLearner> {
        let learner = learner.map_or_else(|| recommended(settings), Ok)?;
        let (learner, settings) = named(learner, settings)?;
        let vigilance = vigilance(on_misfit, misfit_level).map_err(told)?;
        let spec = RunSpec { learner, settings, seed, episodes, max_steps: None, vigilance };
        let instance = problem.get().instance.clone();
        let agent = leaving(py, move || Agent::new(&instance, spec))?;
        Ok(PyLearner::of(problem, agent))
    }

    /// The action to take in a state, as its number within that state. The state is a number or a
    /// name. A learner "guarded" with inner="proposals" takes a proposed action: it answers with it
    /// while its guard allows that, and with an action of its own otherwise; `player` says which.
    #[pyo3(signature = (state, proposal=None))]
    fn act(&self, py: Python, state: &Bound<PyAny>, proposal: Option<&Bound<PyAny>>) -> PyResult<usize> {
        let s = self.problem.get().state_of(state)?;
        let proposal = proposal.map(|action| self.problem.get().action_of(s, action)).transpose()?;
        let mut state = self.state(py)?;
        let learner = state.learner()?;
        caught_up(py, learner)?;
        let acted = match proposal {
            Some(proposal) => learner.act_on(s, proposal),
            None => learner.act(s),
        };
        state.heard(acted.map_err(told))
    }

    /// Follows a learner in Python under guard, in place of proposals. It is lost on an error.
    fn _follow(&self, py: Python, inner: Py<PyAny>, label: &str) -> PyResult<()> {
        let mut state = self.state(py)?;
        let raised = Raised::default();
        let own = Own { object: inner, raised: raised.clone() };
        let (mut learner, mut spec, kept) = state.agent.take().ok_or_else(running)?.into_parts();
        let inner = Learner::of(label, &learner.problem().clone(), Box::new(own)).map_err(told)?;
        learner.follow(inner).map_err(told)?;
        spec.settings = spec.settings.set("inner", label);
        (state.agent, state.raised) = (Some(Agent::from_parts(learner, spec, kept)), Some(raised));
        Ok(())
    }

    /// Who chooses the actions of the episode under way: "inner" (the inner learner, or proposals) or
    /// "outer" (the learner that guards). None between episodes, and from a learner without a guard.
    #[getter]
    fn player<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let player = self.state(py)?.learner()?.player();
        to_python(py, &player)
    }

    /// The books of a guarded learner, as a dictionary: who played, the ledger, what it may reach, and
    /// every hand-over. None from other learners.
    #[getter]
    fn guard<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let guard = self.state(py)?.learner()?.guard();
        to_python(py, &guard)
    }

    /// What the optimal cost from a state is at least, as long as the confidence sets hold the truth:
    /// by the last plan and by cells of its set. None from a learner that does not claim optimism.
    fn lower_bound(&self, py: Python, state: &Bound<PyAny>) -> PyResult<Option<f64>> {
        let s = self.problem.get().state_of(state)?;
        let mut held = self.state(py)?;
        let learner = held.learner()?;
        outside(py, || learner.lower_bound(s))?.map_err(told)
    }

    /// Learns from a step. Whether the learner made a new plan. The cost may be None, which is the
    /// problem's own cost of the action. What cannot have happened raises a MisuseError, and leaves
    /// the learner as it was. If the step rejects every mixture of the models, and nothing else was
    /// asked for (`on_misfit`), there is a GoalwardWarning. Ctrl-C cuts a plan off: the step
    /// counts, and `act` makes the plan.
    #[pyo3(signature = (state, action, cost, next_state))]
    fn observe(
        &self,
        py: Python,
        state: &Bound<PyAny>,
        action: &Bound<PyAny>,
        cost: Option<&Bound<PyAny>>,
        next_state: &Bound<PyAny>,
    ) -> PyResult<bool> {
        let problem = self.problem.get();
        let state = problem.state_of(state)?;
        let action = problem.action_of(state, action)?;
        let next = problem.state_of(next_state)?;
        let known = problem.problem();
        let exists = state < known.states() && action < known.actions(state);
        let own = if exists { known.cost(known.pair(state, action)) } else { 0.0 };
        let cost = cost.map_or(Ok(own), |cost| real(cost, "cost"))?;
        let step = Transition { state, action, cost, next };
        let mut held = self.state(py)?;
        let learner = held.learner()?;
        // the step here, and a plan that is due where Ctrl-C can cut it off
        let halt = Halt::new();
        halt.ask();
        learner.heed(&halt);
        let before = learner.rejected();
        let observed = outside(py, || learner.observe(&step))?.map_err(told);
        let observed = held.heard(observed)?;
        let learner = held.learner()?;
        if before.is_none() && learner.rejected().is_some() {
            warn(py, held.agent()?)?;
        }
        let learner = held.learner()?;
        Ok(observed == Observed::Planned || caught_up(py, learner)? == Observed::Planned)
    }

    /// The goal was reached, or the episode given up: the next step is the first of another one.
    fn end_episode(&self, py: Python) -> PyResult<()> {
        let mut state = self.state(py)?;
        state.learner()?.end_episode();
        state.heard(Ok(()))
    }

    /// Its id.
    #[getter]
    fn id(&self, py: Python) -> PyResult<String> {
        Ok(self.state(py)?.learner()?.id().into())
    }

    /// The problem that it was made for.
    #[getter(problem)]
    fn get_problem(&self, py: Python) -> Py<PyProblem> {
        self.problem.clone_ref(py)
    }

    /// The seed of its own random numbers.
    #[getter]
    fn seed(&self, py: Python) -> PyResult<u64> {
        Ok(self.state(py)?.agent()?.spec().seed)
    }

    /// The estimate of theta; None from a learner that makes none.
    #[getter]
    fn theta<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray1<f64>>>> {
        Ok(self.state(py)?.learner()?.theta().map(|theta| PyArray1::from_vec(py, theta)))
    }

    /// An interval for every entry of theta, as rows of two numbers; None from a learner without
    /// them. An end may be infinite.
    #[getter]
    fn intervals<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        let mut state = self.state(py)?;
        let learner = state.learner()?;
        caught_up(py, learner)?;
        let Some(intervals) = learner.intervals() else { return Ok(None) };
        let shape = [intervals.len(), 2];
        let ends = intervals.into_iter().flat_map(|(low, high)| [low, high]).collect();
        Ok(Some(PyArray1::from_vec(py, ends).reshape(shape)?))
    }

    /// What the last plan says that every state costs. The array is the same until the next plan.
    #[getter]
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.state(py)?.shown(py, self.problem.get())?.get_item(0)
    }

    /// What the last plan says that every action costs, by state; NaN where there is no such
    /// action.
    #[getter]
    fn q<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.state(py)?.shown(py, self.problem.get())?.get_item(1)
    }

    /// The action with the least cost in every state by the last plan; -1 at the goal.
    #[getter]
    fn policy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.state(py)?.shown(py, self.problem.get())?.get_item(2)
    }

    /// The set of mixtures that it has not ruled out; None from a learner without one. Of several
    /// sets the first.
    #[getter]
    fn confidence_set(slf: &Bound<Self>) -> PyResult<Option<PyConfidenceSet>> {
        Ok(PyConfidenceSet::all(slf)?.into_iter().next())
    }

    /// All sets of mixtures that it plans over.
    #[getter]
    fn confidence_sets(slf: &Bound<Self>) -> PyResult<Vec<PyConfidenceSet>> {
        PyConfidenceSet::all(slf)
    }

    /// How many steps it has observed.
    #[getter]
    fn steps(&self, py: Python) -> PyResult<u64> {
        Ok(self.state(py)?.learner()?.clock().t)
    }

    /// How many of them led to the goal.
    #[getter]
    fn episodes(&self, py: Python) -> PyResult<u64> {
        Ok(self.state(py)?.learner()?.clock().ended)
    }

    /// How many plans it has made.
    #[getter]
    fn plans(&self, py: Python) -> PyResult<u64> {
        Ok(self.state(py)?.learner()?.clock().j)
    }

    /// How often the models were contradicted: steps that no model allows, and plans that met an
    /// empty set.
    #[getter]
    fn violations(&self, py: Python) -> PyResult<u64> {
        Ok(self.state(py)?.report()?.violations)
    }

    /// The steps that no model allows, each once, as dictionaries.
    #[getter]
    fn surprises<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.state(py)?.report()?.impossible)
    }

    /// All parameters in force, by name.
    #[getter]
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, self.state(py)?.learner()?.in_force())
    }

    /// What is proved of it with these parameters, and under which conditions; None if nothing is.
    /// In a loop of your own it is unknown whether the conditions hold.
    #[getter]
    fn guarantee<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let claim = self.state(py)?.learner()?.claim().map(|claim| claim.check(&Default::default()));
        to_python(py, &claim)
    }

    /// What the regret over finished episodes is at most, with the probability of the claim
    /// `certificate`; None where that is not known. It needs no truth.
    #[getter]
    fn regret_certified(&self, py: Python) -> PyResult<Option<f64>> {
        Ok(self.state(py)?.learner()?.regret_certified())
    }

    /// Whether any mixture of the models explains what was observed, as a dictionary; None from a
    /// learner that ignores the models. Its "status" is "none", "evidence" or "rejected", its
    /// "text" says the same in a line.
    #[getter]
    fn misfit<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.state(py)?.learner()?.misfit())
    }

    /// "misfit" if it chooses no further action, because the data reject every mixture of the
    /// models and it was made with on_misfit="stop"; None otherwise.
    #[getter]
    fn stopped(&self, py: Python) -> PyResult<Option<&'static str>> {
        Ok(self.state(py)?.learner()?.stopped().map(|_| "misfit"))
    }

    /// Writes it to a file, to be taken up with `Learner.load`.
    fn save(&self, py: Python, path: PathBuf) -> PyResult<()> {
        let state = self.state(py)?;
        let agent = state.saved()?;
        outside(py, || agent.write(&path))?.map_err(told)
    }

    /// Takes a saved learner up, for the problem that it was made for. It goes on as if nothing had
    /// happened.
    #[staticmethod]
    fn load(py: Python, path: PathBuf, problem: Py<PyProblem>) -> PyResult<PyLearner> {
        let instance = problem.get().instance.clone();
        let agent = leaving(py, move || Agent::read(&path, &instance))?;
        Ok(PyLearner::of(problem, agent))
    }

    #[staticmethod]
    fn _from_bytes(py: Python, problem: Py<PyProblem>, content: Vec<u8>) -> PyResult<PyLearner> {
        let instance = problem.get().instance.clone();
        let agent = leaving(py, move || Agent::from_bytes(&content, Path::new(PICKLED), &instance))?;
        Ok(PyLearner::of(problem, agent))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let (py, this) = (slf.py(), slf.get());
        let bytes = PyBytes::new(py, &this.bytes(py)?);
        let made = slf.get_type().getattr("_from_bytes")?;
        let arguments = (this.problem.clone_ref(py), bytes).into_pyobject(py)?;
        PyTuple::new(py, [made, arguments.into_any()])
    }

    fn __copy__(&self, py: Python) -> PyResult<PyLearner> {
        PyLearner::_from_bytes(py, self.problem.clone_ref(py), self.bytes(py)?)
    }

    fn __deepcopy__(&self, py: Python, _memo: &Bound<PyAny>) -> PyResult<PyLearner> {
        self.__copy__(py)
    }

    fn __repr__(&self, py: Python) -> PyResult<String> {
        let state = self.state(py)?;
        let Some(agent) = &state.agent else { return Ok("Learner(running)".into()) };
        let given: String =
            agent.spec().settings.iter().map(|(key, value)| format!("@{key}={value}")).collect();
        let (id, clock, name) =
            (agent.learner.id(), agent.learner.clock(), self.problem.get().problem().name());
        Ok(format!("Learner(\"{id}{given}\", {name:?}, steps={}, plans={})", clock.t, clock.j))
    }
}
