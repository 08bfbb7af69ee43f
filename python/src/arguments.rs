//! What users pass: settings as keyword arguments, states and actions by number or name.

use crate::errors::refused;
use goalward::Settings;
use goalward::parameters::name_and_settings;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyString};

/// Keyword arguments as settings. `None` is the default, and an underscore at the end is no part of
/// a name: `lambda` is a word of Python, `lambda_` is not.
pub(crate) fn settings(given: Option<&Bound<PyDict>>) -> PyResult<Settings> {
    let mut settings = Settings::new();
    for (key, value) in given.into_iter().flat_map(|given| given.iter()) {
        let key: String = key.extract()?;
        let key = key.strip_suffix('_').unwrap_or(&key).to_string();
        if value.is_none() {
            continue;
        }
        let text = if let Ok(flag) = value.cast::<PyBool>() {
            flag.is_true().to_string()
        } else if let Ok(text) = value.cast::<PyString>() {
            text.to_string_lossy().into_owned()
        } else if let Ok(number) = value.extract::<i128>() {
            number.to_string()
        } else if let Ok(number) = value.extract::<f64>() {
            number.to_string()
        } else {
            let kind = value.get_type().name()?.to_string();
            return Err(PyTypeError::new_err(format!("{key}: expected a number or text, not {kind}")));
        };
        settings = settings.set(&key, text.trim());
    }
    Ok(settings)
}

/// `id@key=value@key=value`, and more settings.
pub(crate) fn named(text: &str, given: Option<&Bound<PyDict>>) -> PyResult<(String, Settings)> {
    let told = |error: goalward::Error| refused("SettingError", error.to_string(), error.hint().as_deref());
    let (id, own) = name_and_settings(text).map_err(told)?;
    let all = own.and(&settings(given)?).map_err(told)?;
    Ok((id.into(), all))
}

/// A whole number that is not negative; else what it should be.
pub(crate) fn number(any: &Bound<PyAny>, what: &str) -> PyResult<usize> {
    if any.is_instance_of::<PyBool>() {
        return Err(PyTypeError::new_err(format!("{what}: expected a number, not a bool")));
    }
    match any.extract::<usize>() {
        Ok(number) => Ok(number),
        // beyond what a number of states can be
        Err(_) if any.hasattr("__index__")? => {
            Err(refused("MisuseError", format!("{what} {any} does not exist"), None))
        }
        Err(_) => {
            let kind = any.get_type().name()?.to_string();
            Err(PyTypeError::new_err(format!("{what}: expected a number or a name, not {kind}")))
        }
    }
}

/// A real number: numpy would make one of a complex number, and drop a part of it.
pub(crate) fn real(any: &Bound<PyAny>, what: &str) -> PyResult<f64> {
    let kind = any.get_type().name()?.to_string();
    if kind.starts_with("complex") || kind == "MaskedConstant" {
        return Err(PyTypeError::new_err(format!("{what}: expected a real number, not {kind}")));
    }
    any.extract()
}

/// Numbers of any kind that the package reads.
pub(crate) fn numbers(any: &Bound<PyAny>, what: &str) -> PyResult<Vec<f64>> {
    any.py().import("goalward._models")?.getattr("numbers")?.call1((any, what))?.extract()
}
