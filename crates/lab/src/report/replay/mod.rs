//! The replay of a run as one HTML file: episode by episode the path, the learner's values and
//! policy, and its confidence set.
//!
//! A [`Recorder`] watches the run and keeps a bounded part of it. [`replay`] makes the file.

mod recorder;
mod scene;
mod sets;

pub use recorder::Recorder;

use super::embed::rounded;
use super::tables::settings;
use crate::Result;
use crate::figure::number_label;
use goalward::episode::Runner;
use serde_json::{Value, json};

const TEMPLATE: &str = include_str!("../../../assets/report/replay.html");
const SCRIPTS: [&str; 3] = [
    include_str!("../../../assets/report/page.js"),
    include_str!("../../../assets/report/theta.js"),
    include_str!("../../../assets/report/replay.js"),
];
const STYLES: [&str; 2] =
    [include_str!("../../../assets/report/page.css"), include_str!("../../../assets/report/replay.css")];

/// Digits for the screen.
const DIGITS: usize = 5;

/// The file of a recorded run.
pub fn replay(mut recorder: Recorder, runner: &Runner) -> Result<String> {
    recorder.close(runner);
    super::fill(TEMPLATE, page(&recorder, runner), &data(&recorder, runner), &SCRIPTS, &STYLES)
}

/// The values of the template.
fn page(recorder: &Recorder, runner: &Runner) -> Value {
    let (spec, progress, arena) = (runner.spec(), runner.progress(), runner.arena());
    let count = |n: u64| number_label(n as f64, 0);
    let plain = |value: &Value| value.as_str().map_or_else(|| value.to_string(), String::from);
    let parameters = runner.learner().in_force().iter().map(|(key, value)| (key, plain(value)));
    let misfit = runner.learner().misfit();
    let has_set = |frame: &Value| frame["ends"].as_array().is_some_and(|ends| !ends.is_empty());
    json!({
        "title": format!("{} in {}", spec.learner, arena.problem().name()),
        "world": arena.problem().name(),
        "notes": notes(recorder, runner),
        "facts": [
            ("learner", spec.learner.clone()),
            ("settings", settings(&spec.settings)),
            ("seed", spec.seed.to_string()),
            ("episodes", count(progress.episodes)),
            ("steps", count(progress.steps)),
            ("gap regret", number_label(progress.gap_regret, 1)),
            ("misfit", misfit.map_or("ignores the models".into(), |misfit| misfit.text)),
        ],
        "parameters": parameters.collect::<Vec<_>>(),
        "last": recorder.frames.len().saturating_sub(1),
        "grid": recorder.stage.layout.is_some(),
        "sets": recorder.frames.iter().any(has_set),
        "version": env!("CARGO_PKG_VERSION"),
    })
}

/// The parts of the run that the file leaves out.
fn notes(recorder: &Recorder, runner: &Runner) -> Vec<String> {
    let mut notes = Vec::new();
    let count = |n: u64| number_label(n as f64, 0);
    if recorder.from > 0 || recorder.midway {
        let before = match recorder.midway {
            true => format!("in the middle of episode {}", count(recorder.from + 1)),
            false => format!("after episode {}", count(recorder.from)),
        };
        notes.push(format!("The run was taken up {before}: what came before is not in this file."));
    }
    let done = runner.progress().episodes - recorder.from;
    let kept = recorder.frames.iter().filter(|frame| frame["finished"] == true).count() as u64;
    if kept < done {
        notes.push(format!(
            "{} of {} episodes are in this file: all of the first ones, then fewer and fewer.",
            count(kept),
            count(done)
        ));
    }
    let cut = |frame: &Value| {
        frame["path"].as_array().is_some_and(|path| frame["steps"].as_u64() >= Some(path.len() as u64))
    };
    if recorder.frames.iter().any(cut) {
        notes.push(format!("Paths are cut after {} steps.", recorder::MOST_STEPS));
    }
    if recorder.frames.last().is_some_and(|frame| frame["finished"] == false) {
        notes.push("The last episode was not finished.".into());
    }
    if recorder.stage.is_full() {
        notes.push(format!("Values are shown of the first {} states that were met.", scene::MOST_MET));
    }
    notes
}

/// What the script draws.
fn data(recorder: &Recorder, runner: &Runner) -> Value {
    let (arena, stage) = (runner.arena(), &recorder.stage);
    let problem = arena.problem();
    let truth = arena.instance().truth().ok().and_then(|truth| truth.theta());
    let shown = problem.dim().min(sets::MOST);
    let model = |i: usize| match problem.model_names() {
        Some(names) => names[i].clone(),
        None => format!("theta[{i}]"),
    };
    let exact = arena.exact();
    let best = stage.table(problem, |s| Some(exact.v[s]), |s, a| Some(exact.q[problem.pair(s, a)]));
    let tables: Vec<Value> = recorder.tables.iter().map(|table| stage.json(table, problem)).collect();
    json!({
        "grid": stage.grid(problem),
        "states": stage.names(problem, &recorder.visited),
        "tracked": stage.shown,
        "start": problem.start(),
        "goal": problem.goal(),
        "episodes": runner.spec().episodes,
        "best": stage.json(&best, problem),
        "tables": tables,
        "theta": truth.map(|theta| &theta[..shown]),
        "models": (0..shown).map(model).collect::<Vec<_>>(),
        "dim": problem.dim(),
        "frames": recorder.frames,
    })
}

#[cfg(test)]
mod tests;
