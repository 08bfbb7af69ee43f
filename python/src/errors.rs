//! Errors of the library as exceptions of the package, with their places as attributes.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde_json::{Value, json};
use std::any::Any;
use std::ffi::CString;

/// The module that declares the exceptions.
const MODULE: &str = "goalward.errors";

/// What can be told to Python.
pub(crate) trait Told {
    fn told(self) -> PyErr;
}

impl Told for goalward::Error {
    fn told(self) -> PyErr {
        let hint = self.hint().map(here);
        tell(self, hint)
    }
}

/// What is wrong with a user's arrays: there no state can be told to restart.
pub(crate) fn of_arrays(error: goalward::Error) -> PyErr {
    let hint = error.hint().map(|hint| match hint.split_once("; or ") {
        Some((restart, rest)) if restart.starts_with("set restart=true") => rest.into(),
        _ => hint,
    });
    tell(error, hint)
}

fn tell(error: goalward::Error, hint: Option<String>) -> PyErr {
    let class = match error.code() {
        "setting" | "unknown-id" => "SettingError",
        "misuse" => "MisuseError",
        "memory" => "TooLargeError",
        "file" | "io" | "output" | "checkpoint" => "FileError",
        _ if error.place().contains_key("path") => "FileError",
        _ => "ProblemError",
    };
    raised(class, &error.to_string(), hint, Value::Object(error.place()))
}

impl Told for goalward_lab::Error {
    fn told(self) -> PyErr {
        use goalward_lab::Error;
        let said = self.to_string();
        let hint = |text: &str| Some(text.to_string());
        match self {
            Error::Goalward(error) => error.told(),
            Error::Study { path, line, column, key, .. } => {
                let place = json!({ "path": path, "line": line, "column": column, "key": key });
                raised("StudyError", &said, None, place)
            }
            Error::Busy { .. } => {
                raised("StudyError", &said, hint("wait for it, or name another folder: out="), Value::Null)
            }
            Error::Taken { .. } => {
                let hint = hint("out= names another folder; force=True removes what is there");
                raised("StudyError", &said, hint, Value::Null)
            }
            Error::Foreign { .. } => {
                let hint = hint(
                    "name a new or an empty folder: out=; force=True removes goalward's own results alone",
                );
                raised("StudyError", &said, hint, Value::Null)
            }
            Error::Output { path, .. } => raised("StudyError", &said, None, json!({ "path": path })),
            error => raised("StudyError", &said, error.hint(), Value::Null),
        }
    }
}

/// An exception of the package: its class, what it says, what to do about it, and the place.
pub(crate) fn raised(class: &str, message: &str, hint: Option<String>, place: Value) -> PyErr {
    Python::attach(|py| {
        let made = || -> PyResult<PyErr> {
            let class = py.import(MODULE)?.getattr(class)?;
            let place = to_python(py, &place)?;
            Ok(PyErr::from_value(class.call1((message, hint, place))?))
        };
        // only a package that is not whole has no such class
        made().unwrap_or_else(|error| error)
    })
}

/// A warning of the package.
pub(crate) fn warned(py: Python, message: &str) -> PyResult<()> {
    let class = py.import(MODULE)?.getattr("GoalwardWarning")?;
    // the text is the library's own, and names in it are a user's: a zero would end it
    let message = CString::new(message.replace('\0', "\\0"))?;
    PyErr::warn(py, &class, &message, 1)
}

/// What the library says of a world's or file's parameters, as they are given here.
fn here(hint: String) -> String {
    const WHERE: &str =
        "make it with restart=True (worlds.make, load) or failure=\"restart\" (from_gymnasium)";
    let hint = hint.replace("set restart=true", WHERE);
    match hint.starts_with("add \"theta\"") {
        true => "Problem.with_theta gives it, if you know it; learners are never told".into(),
        false => hint,
    }
}

/// Something that the user got wrong in a call.
pub(crate) fn refused(class: &str, message: impl Into<String>, hint: Option<&str>) -> PyErr {
    raised(class, &message.into(), hint.map(String::from), Value::Null)
}

/// A panic that was caught: an error of goalward.
pub(crate) fn panicked(panic: Box<dyn Any + Send>) -> PyErr {
    let said = panic.downcast_ref::<String>().cloned();
    let said = said.or_else(|| panic.downcast_ref::<&str>().map(|said| said.to_string()));
    PyRuntimeError::new_err(format!("an error of goalward, please report it: {}", said.unwrap_or_default()))
}

/// A JSON value as Python knows it.
pub(crate) fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(yes) => yes.into_pyobject(py)?.to_owned().into_any(),
        Value::Number(n) => match (n.as_u64(), n.as_i64()) {
            (Some(n), _) => n.into_pyobject(py)?.into_any(),
            (_, Some(n)) => n.into_pyobject(py)?.into_any(),
            _ => n.as_f64().unwrap_or(f64::NAN).into_pyobject(py)?.into_any(),
        },
        Value::String(text) => text.into_pyobject(py)?.into_any(),
        Value::Array(all) => {
            let list = PyList::empty(py);
            all.iter().try_for_each(|value| list.append(to_python(py, value)?))?;
            list.into_any()
        }
        Value::Object(fields) => {
            let dict = PyDict::new(py);
            fields.iter().try_for_each(|(key, value)| dict.set_item(key, to_python(py, value)?))?;
            dict.into_any()
        }
    })
}
