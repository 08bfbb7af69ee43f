//! The confidence set of a learner, for questions.

use super::PyLearner;
use crate::arguments::numbers;
use crate::errors::{refused, to_python};
use goalward::Learner;
use goalward::confidence::{ConfidenceSet, Size};
use goalward::learners::Probe;
use pyo3::prelude::*;

/// The set of mixtures that a learner has not ruled out.
///
/// It belongs to its learner, and answers for all that the learner has seen when it is asked.
///
/// >>> import goalward as gw
/// >>> problem = gw.worlds.make("windy-grid", n=3)
/// >>> learner = gw.Learner("lr", problem)
/// >>> learner.confidence_set.kind
/// 'likelihood'
/// >>> learner.confidence_set.contains(problem.theta)
/// True
#[pyclass(name = "ConfidenceSet", module = "goalward", frozen)]
pub(crate) struct PyConfidenceSet {
    learner: Py<PyLearner>,
    /// A learner may have several.
    which: usize,
}

impl PyConfidenceSet {
    pub(crate) fn all(learner: &Bound<PyLearner>) -> PyResult<Vec<PyConfidenceSet>> {
        let count = |learner: &Learner| {
            let mut sets = 0;
            ask(learner, &mut |_, _| sets += 1);
            sets
        };
        let sets = learner.get().with(learner.py(), count)?;
        Ok((0..sets).map(|which| PyConfidenceSet { learner: learner.clone().unbind(), which }).collect())
    }

    fn asked<T: Send>(&self, py: Python, question: impl Fn(&dyn ConfidenceSet) -> T + Send) -> PyResult<T> {
        let wanted = self.which;
        let answered = move |learner: &Learner| {
            let mut answer = None;
            ask(learner, &mut |which, set| {
                if which == wanted {
                    answer = Some(question(set));
                }
            });
            answer
        };
        let answer = self.learner.get().with(py, answered)?;
        answer.ok_or_else(|| refused("MisuseError", "the learner has no such set", None))
    }

    fn checked(&self, given: &Bound<PyAny>, what: &str) -> PyResult<Vec<f64>> {
        let theta = numbers(given, what)?;
        let dim = self.learner.get().problem().get().problem().dim();
        if theta.len() == dim && theta.iter().all(|x| x.is_finite()) {
            return Ok(theta);
        }
        let message = format!("{what}: expected {dim} finite numbers, not {theta:?}");
        Err(refused("MisuseError", message, Some("theta has one number for each model")))
    }
}

#[pymethods]
impl PyConfidenceSet {
    /// Which set it is: `likelihood`, `printed`, `data`, `determinant` or `scaled:x`.
    #[getter]
    fn kind(&self, py: Python) -> PyResult<String> {
        self.asked(py, |set| set.kind())
    }

    /// How large it is: a radius, or for a likelihood set how many nats its loss may lie above the
    /// least one.
    #[getter]
    fn size(&self, py: Python) -> PyResult<f64> {
        self.asked(py, |set| match set.size() {
            Size::Radius(size) | Size::Nats(size) => size,
        })
    }

    /// What is promised of it, with the conditions, as a dictionary.
    #[getter]
    fn claim<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.asked(py, |set| set.claim().check(&Default::default()))?)
    }

    /// Whether a mixture is in it.
    fn contains(&self, py: Python, theta: &Bound<PyAny>) -> PyResult<bool> {
        let theta = self.checked(theta, "theta")?;
        self.asked(py, |set| set.contains(&theta))
    }

    /// How far inside a mixture is: negative outside, 0 on the boundary.
    fn margin(&self, py: Python, theta: &Bound<PyAny>) -> PyResult<f64> {
        let theta = self.checked(theta, "theta")?;
        self.asked(py, |set| set.margin(&theta))
    }

    /// Certified bounds of the sum of direction[i] * theta[i] over the set; None if it is empty.
    fn interval(&self, py: Python, direction: &Bound<PyAny>) -> PyResult<Option<(f64, f64)>> {
        let direction = self.checked(direction, "direction")?;
        self.asked(py, |set| {
            set.support().map(|mut set| goalward::confidence::interval(&mut *set, &direction))
        })
    }

    /// The width of that interval.
    fn width(&self, py: Python, direction: &Bound<PyAny>) -> PyResult<Option<f64>> {
        Ok(self.interval(py, direction)?.map(|(low, high)| high - low))
    }

    fn __repr__(&self, py: Python) -> PyResult<String> {
        Ok(format!("ConfidenceSet(kind={:?}, size={})", self.kind(py)?, self.size(py)?))
    }
}

/// What a set is asked, with its number.
type Question<'a> = dyn FnMut(usize, &dyn ConfidenceSet) + 'a;

/// Shows every set of a learner.
fn ask(learner: &Learner, question: &mut Question) {
    struct Sets<'a, 'b>(&'a mut Question<'b>, usize);
    impl Probe for Sets<'_, '_> {
        fn wants_estimate(&self) -> bool {
            false
        }
        fn wants_sets(&self) -> bool {
            true
        }
        fn set(&mut self, now: &dyn ConfidenceSet) {
            (self.0)(self.1, now);
            self.1 += 1;
        }
    }
    learner.probe(&mut Sets(question, 0));
}
