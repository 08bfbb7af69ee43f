//! The reference for planning: Storm, in its sound mode, through its Python package in a virtual
//! environment of its own.

#![allow(dead_code)]

use crate::harness::{median, venv};
use goalward::plan::Objective;
use goalward::problem::{Problem, Truth};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// The version that the figures were made with.
const PACKAGE: &str = "stormpy==2.0.0";

/// Reads a model from a file and says so, then solves it as often as asked, for so many seconds at
/// most. Each time it prints what that took and the value at the initial state. One thread, sound,
/// relative precision; the method is the one that Storm chooses.
const SCRIPT: &str = r#"
import json, sys, time
import stormpy

path, formula, precision, repeat, most = *sys.argv[1:4], int(sys.argv[4]), float(sys.argv[5])
model = stormpy.build_model_from_drn(path)
formula = stormpy.parse_properties(formula)[0].get_raw_formula()
environment = stormpy.environments.sound()
solver = environment.solver().min_max()
solver.precision = stormpy.Rational(precision)
solver.relative_termination_criterion = True
print("ready", flush=True)
total = 0.0
for _ in range(repeat):
    began = time.perf_counter()
    result = stormpy.model_checking(model, formula, environment=environment)
    seconds = time.perf_counter() - began
    value = float(result.get_value(model.initial_states[0]))
    print(json.dumps([seconds, value if value < 1e300 else None]), flush=True)
    total += seconds
    if total > most:
        break
"#;

/// So long may it solve before it is killed.
const LIMIT: Duration = Duration::from_secs(60);

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

    /// Writes down the model that is asked about from here on.
    pub(crate) fn tell(&self, problem: &Problem, truth: &Truth) -> Result<(), String> {
        std::fs::write(self.model(), drn(problem, truth)).map_err(|error| error.to_string())
    }

    fn model(&self) -> PathBuf {
        self.folder.join("model.drn")
    }

    /// The median of the solving times in seconds, and the value: of so many solves at most, in so
    /// many seconds at most.
    pub(crate) fn solve(
        &self,
        objective: Objective,
        precision: f64,
        repeat: usize,
        seconds: f64,
    ) -> Result<(f64, f64), String> {
        let formula = match objective {
            Objective::Min => "R{\"cost\"}min=? [F \"goal\"]",
            Objective::Max => "R{\"cost\"}max=? [F \"goal\"]",
            Objective::Reach => "Pmax=? [F \"goal\"]",
        };
        let complaints = self.folder.join("complaints.txt");
        let log = File::create(&complaints).map_err(|error| error.to_string())?;
        let mut child = Command::new(&self.python)
            .args(["-c", SCRIPT, &self.model().to_string_lossy(), formula])
            .args([precision.to_string(), repeat.to_string(), seconds.to_string()])
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .map_err(|error| error.to_string())?;
        let solved = listen(&mut child);
        _ = child.kill();
        _ = child.wait();
        match solved {
            Heard::Solves(solves) if !solves.is_empty() => {
                let value = solves[0].1;
                Ok((median(solves.into_iter().map(|solve| solve.0).collect()), value))
            }
            Heard::TooLong => Err(format!("it takes more than {} s", LIMIT.as_secs())),
            Heard::Solves(_) => {
                let text = std::fs::read_to_string(&complaints).unwrap_or_default();
                Err(text.lines().last().unwrap_or("it said nothing").to_string())
            }
        }
    }
}

/// What came of a run.
enum Heard {
    /// Seconds and value of each solve.
    Solves(Vec<(f64, f64)>),
    /// Not even one solve within the limit.
    TooLong,
}

/// Listens until the solves are done or the limit is over, which is counted from where the model
/// has been read.
fn listen(child: &mut Child) -> Heard {
    let (send, receive) = mpsc::channel();
    let lines = child.stdout.take().map(|out| BufReader::new(out).lines()).into_iter().flatten();
    // it ends when the process does
    std::thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| send.send(line)));
    // Storm itself speaks too
    if receive.iter().all(|line: String| line != "ready") {
        return Heard::Solves(Vec::new());
    }
    let (began, mut solves) = (Instant::now(), Vec::new());
    loop {
        match receive.recv_timeout(LIMIT.saturating_sub(began.elapsed())) {
            Ok(line) => {
                if let Ok((seconds, value)) = serde_json::from_str::<(f64, Option<f64>)>(&line) {
                    solves.push((seconds, value.unwrap_or(f64::INFINITY)));
                }
            }
            Err(RecvTimeoutError::Timeout) if solves.is_empty() => return Heard::TooLong,
            Err(_) => return Heard::Solves(solves),
        }
    }
}

/// A known model in Storm's explicit format.
fn drn(problem: &Problem, truth: &Truth) -> String {
    let goal = problem.goal();
    // whatever one could do at the goal is one loop
    let choices = problem.pairs() - problem.actions(goal) + 1;
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
