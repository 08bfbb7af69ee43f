//! The reference for planning: Storm, in its sound mode, through its Python package in a virtual
//! environment of its own.

#![allow(dead_code)]

use crate::harness::venv;
use goalward::plan::Objective;
use goalward::problem::{Problem, Truth};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;

/// The version that the figures were made with.
const PACKAGE: &str = "stormpy==2.0.0";

/// Reads a model from a file, solves it as often as asked (for 20 seconds at most), and prints the
/// value at the initial state and the median of the solving times. One thread, sound, relative
/// precision.
const SCRIPT: &str = r#"
import json, statistics, sys, time
import stormpy

path, formula, precision, repeat = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
model = stormpy.build_model_from_drn(path)
formula = stormpy.parse_properties(formula)[0].get_raw_formula()
environment = stormpy.environments.sound()
solver = environment.solver().min_max()
solver.precision = stormpy.Rational(precision)
solver.relative_termination_criterion = True
times = []
for _ in range(repeat):
    began = time.perf_counter()
    result = stormpy.model_checking(model, formula, environment=environment)
    times.append(time.perf_counter() - began)
    if sum(times) > 20:
        break
value = float(result.get_value(model.initial_states[0]))
print(json.dumps({"seconds": statistics.median(times), "value": value if value < 1e300 else None}))
"#;

/// An installed Storm.
pub(crate) struct Storm {
    python: PathBuf,
    folder: PathBuf,
}

impl Storm {
    /// Installs Storm under the target folder, if it is not there yet; or why that is not possible.
    pub(crate) fn install() -> Result<Storm, String> {
        let (python, folder) = venv::python("storm", &[PACKAGE], "stormpy")?;
        Ok(Storm { python, folder })
    }

    /// The median of the solving times in seconds, and the value.
    pub(crate) fn solve(
        &self,
        problem: &Problem,
        truth: &Truth,
        objective: Objective,
        precision: f64,
        repeat: usize,
    ) -> Result<(f64, f64), String> {
        let path = self.folder.join("model.drn");
        std::fs::write(&path, drn(problem, truth)).map_err(|error| error.to_string())?;
        let formula = match objective {
            Objective::Min => "R{\"cost\"}min=? [F \"goal\"]",
            Objective::Max => "R{\"cost\"}max=? [F \"goal\"]",
            Objective::Reach => "Pmax=? [F \"goal\"]",
        };
        let output = Command::new(&self.python)
            .args([
                "-c",
                SCRIPT,
                &path.to_string_lossy(),
                formula,
                &precision.to_string(),
                &repeat.to_string(),
            ])
            .output()
            .map_err(|error| error.to_string())?;
        let text = String::from_utf8_lossy(&output.stdout);
        let json: serde_json::Value =
            text.lines().last().and_then(|line| serde_json::from_str(line).ok()).ok_or_else(|| {
                String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or("").to_string()
            })?;
        Ok((json["seconds"].as_f64().unwrap_or(f64::NAN), json["value"].as_f64().unwrap_or(f64::INFINITY)))
    }
}

/// A known model in Storm's explicit format.
fn drn(problem: &Problem, truth: &Truth) -> String {
    let goal = problem.goal();
    let choices = problem.pairs() + usize::from(problem.actions(goal) == 0);
    let mut text = format!(
        "@type: MDP\n@parameters\n\n@reward_models\ncost\n@nr_states\n{}\n@nr_choices\n{choices}\n@model\n",
        problem.states()
    );
    for s in 0..problem.states() {
        let label = [(s == problem.start(), " init"), (s == goal, " goal")];
        let labels: String = label.iter().filter(|l| l.0).map(|l| l.1).collect();
        _ = writeln!(text, "state {s} [0]{labels}");
        if s == goal {
            _ = writeln!(text, "\taction 0 [0]\n\t\t{s} : 1");
            continue;
        }
        for (a, p) in problem.pairs_of(s).enumerate() {
            _ = writeln!(text, "\taction {a} [{}]", problem.cost(p));
            for (&next, w) in problem.successors(p).iter().zip(truth.row(problem, p)).filter(|e| *e.1 > 0.0) {
                _ = writeln!(text, "\t\t{next} : {w}");
            }
        }
    }
    text
}
