//! Errors of the library as exceptions of the package, with their places as attributes.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use serde::Serialize;
use serde_json::{Value, json};
use std::any::Any;
use std::ffi::CString;

const MODULE: &str = "goalward.errors";

/// An error of the library or the lab as an exception.
pub(crate) fn told(error: impl Into<goalward_lab::Error>) -> PyErr {
    use goalward_lab::Error;
    let error = error.into();
    let message = error.to_string();
    let text = |hint: &str| Some(hint.to_string());
    let (class, hint, place) = match error {
        Error::Goalward(error) => return library(&error, error.hint().map(here)),
        Error::Study { path, line, column, key, .. } => {
            let place = json!({ "path": path, "line": line, "column": column, "key": key });
            ("StudyError", None, place)
        }
        Error::Output { path, .. } => ("StudyError", None, json!({ "path": path })),
        Error::Busy { .. } => ("StudyError", text("wait for it, or name another folder: out="), Value::Null),
        Error::Taken { .. } => {
            let hint = "out= names another folder; force=True removes what is there";
            ("StudyError", text(hint), Value::Null)
        }
        Error::Foreign { .. } => {
            let hint = "name a new or an empty folder: out=; force=True removes goalward's own results alone";
            ("StudyError", text(hint), Value::Null)
        }
        error => ("StudyError", error.hint(), Value::Null),
    };
    raised(class, &message, hint, place)
}

/// An error about a user's arrays, whose states cannot be told to restart.
pub(crate) fn of_arrays(error: goalward::Error) -> PyErr {
    let hint = error.hint().map(|hint| match hint.split_once("; or ") {
        Some((restart, rest)) if restart.starts_with("set restart=true") => rest.into(),
        _ => hint,
    });
    library(&error, hint)
}

fn library(error: &goalward::Error, hint: Option<String>) -> PyErr {
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

/// An exception of the package: its class, message, hint and place.
fn raised(class: &str, message: &str, hint: Option<String>, place: Value) -> PyErr {
    Python::attach(|py| {
        let made = || -> PyResult<PyErr> {
            let class = py.import(MODULE)?.getattr(class)?;
            let place = to_python(py, &place)?;
            Ok(PyErr::from_value(class.call1((message, hint, place))?))
        };
        // only an incomplete package lacks the class
        made().unwrap_or_else(|error| error)
    })
}

pub(crate) fn warned(py: Python, message: &str) -> PyResult<()> {
    let class = py.import(MODULE)?.getattr("GoalwardWarning")?;
    // names in the text are a user's, and a zero byte would end it
    let message = CString::new(message.replace('\0', "\\0"))?;
    PyErr::warn(py, &class, &message, 1)
}

/// A hint of the library in terms of Python's arguments.
fn here(hint: String) -> String {
    const WHERE: &str =
        "make it with restart=True (worlds.make, load) or failure=\"restart\" (from_gymnasium)";
    let hint = hint.replace("set restart=true", WHERE);
    match hint.starts_with("add \"theta\"") {
        true => "Problem.with_theta gives it, if you know it; learners are never told".into(),
        false => hint,
    }
}

/// An exception for a wrong argument.
pub(crate) fn refused(class: &str, message: impl Into<String>, hint: Option<&str>) -> PyErr {
    raised(class, &message.into(), hint.map(String::from), Value::Null)
}

/// A panic that was caught: an error of goalward.
pub(crate) fn panicked(panic: Box<dyn Any + Send>) -> PyErr {
    let said = panic.downcast_ref::<String>().cloned();
    let said = said.or_else(|| panic.downcast_ref::<&str>().map(|said| said.to_string()));
    PyRuntimeError::new_err(format!("an error of goalward, please report it: {}", said.unwrap_or_default()))
}

/// A value as Python reads its JSON.
pub(crate) fn to_python<'py>(py: Python<'py>, value: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    let text = serde_json::to_string(value).map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    py.import("json")?.call_method1("loads", (text,))
}
