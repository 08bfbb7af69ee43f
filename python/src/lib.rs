//! The extension module of the Python package `goalward`: what the library and the lab do, with
//! arrays in and arrays out. How results look to people (tables, plots) is written in Python.

mod arguments;
mod errors;
mod fit;
mod gate;
mod lab;
mod learner;
mod models;
mod opening;
mod own;
mod problem;
mod run;
mod solve;
mod watch;

/// The compiled part of goalward; use the package `goalward`.
#[pyo3::pymodule]
mod _goalward {
    use pyo3::prelude::*;

    #[pymodule_init]
    fn watch(module: &Bound<PyModule>) -> PyResult<()> {
        crate::gate::watch(module)
    }

    #[pymodule_export]
    use crate::fit::fit;
    #[pymodule_export]
    use crate::lab::{
        PyStudy, PyStudyFolder, build, open_study, studies, study_columns, study_merge, study_paths,
        study_read, study_report, study_starter, study_status, unpack_study,
    };
    #[pymodule_export]
    use crate::learner::{PyConfidenceSet, PyLearner};
    #[pymodule_export]
    use crate::models::{problem_from_features, problem_from_models};
    #[pymodule_export]
    use crate::opening::{
        direction, grid_layout, learners_json, open_bytes, open_path, open_world, recommended, worlds_json,
    };
    #[pymodule_export]
    use crate::problem::PyProblem;
    #[pymodule_export]
    use crate::run::{mean_interval, replay_page, run_jobs, version};
    #[pymodule_export]
    use crate::solve::solve;
}
