//! The replay of a run as one HTML file: episode by episode the path, the learner's values and
//! policy, and its confidence set.
//!
//! A [`Recorder`] watches the run and keeps a bounded part of it. [`replay`] makes the file.

mod outline;
mod recorder;
mod scene;
mod sets;

pub use recorder::Recorder;

use super::embed::{self, rounded};
use super::template;
use crate::Result;
use crate::figure::number_label;
use goalward::episode::Runner;
use recorder::{Glimpse, ReplayFrame};
use serde::Serialize;
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

/// What the template names.
#[derive(Serialize)]
struct ReplayPage {
    title: String,
    world: String,
    notes: Vec<String>,
    facts: Vec<(String, String)>,
    parameters: Vec<(String, String)>,
    last: usize,
    grid: bool,
    sets: bool,
    version: &'static str,
}

/// The file of a run that was recorded from its beginning, or from where it was taken up.
pub fn replay(mut recorder: Recorder, runner: &Runner) -> Result<String> {
    recorder.close(runner);
    let island = embed::json(&data(&recorder, runner));
    template::fill(TEMPLATE, filled(&recorder, runner), &island, &SCRIPTS, &STYLES)
}

fn filled(recorder: &Recorder, runner: &Runner) -> ReplayPage {
    let (spec, progress, arena) = (runner.spec(), runner.progress(), runner.arena());
    let count = |n: u64| number_label(n as f64, 0);
    let settings: Vec<String> = spec.settings.iter().map(|(key, value)| format!("{key} = {value}")).collect();
    let parameters = runner.learner().in_force().iter().map(|(key, value)| (key.clone(), plain(value)));
    ReplayPage {
        title: format!("{} in {}", spec.learner, arena.problem().name()),
        world: arena.problem().name().into(),
        notes: notes(recorder, runner),
        facts: vec![
            ("learner".into(), spec.learner.clone()),
            ("settings".into(), if settings.is_empty() { "defaults".into() } else { settings.join(", ") }),
            ("seed".into(), spec.seed.to_string()),
            ("episodes".into(), count(progress.episodes)),
            ("steps".into(), count(progress.steps)),
            ("gap regret".into(), number_label(progress.gap_regret, 1)),
            ("misfit".into(), runner.learner().misfit().map_or("ignores the models".into(), |m| m.text)),
        ],
        parameters: parameters.collect(),
        last: recorder.frames.len().saturating_sub(1),
        grid: recorder.scene.layout.is_some(),
        sets: recorder
            .frames
            .iter()
            .any(|frame| frame.view.as_ref().is_some_and(|v| !v.theta.ends.is_empty())),
        version: env!("CARGO_PKG_VERSION"),
    }
}

/// What of the run is not in the file.
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
    let kept = recorder.frames.iter().filter(|frame| frame.finished).count() as u64;
    if kept < done {
        notes.push(format!(
            "{} of {} episodes are in this file: all of the first ones, then fewer and fewer.",
            count(kept),
            count(done)
        ));
    }
    if recorder.frames.iter().any(|frame| frame.steps as usize >= frame.path.len()) {
        notes.push(format!("Paths are cut after {} steps.", recorder::MOST_STEPS));
    }
    if recorder.frames.last().is_some_and(|frame| !frame.finished) {
        notes.push("The last episode was not finished.".into());
    }
    if recorder.scene.full() {
        notes.push(format!("Values are shown of the first {} states that were met.", scene::MOST_MET));
    }
    notes
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), String::from)
}

/// What the script draws.
fn data(recorder: &Recorder, runner: &Runner) -> Value {
    let (arena, scene) = (runner.arena(), &recorder.scene);
    let problem = arena.problem();
    let truth = arena.instance().truth().ok().and_then(|truth| truth.theta());
    let shown = problem.dim().min(sets::MOST);
    let model = |i: usize| match problem.model_names() {
        Some(names) => names[i].clone(),
        None => format!("theta[{i}]"),
    };
    let exact = arena.exact();
    let best = scene.table(problem, |s| Some(exact.v[s]), |s, a| Some(exact.q[problem.pair(s, a)]));
    let tables: Vec<Value> = recorder.tables.iter().map(|table| table.json(scene, problem)).collect();
    json!({
        "grid": scene.grid(problem),
        "states": scene.names(problem, recorder.frames.iter().flat_map(|frame| &frame.path)),
        "tracked": scene.tracked(),
        "start": problem.start(),
        "goal": problem.goal(),
        "episodes": runner.spec().episodes,
        "best": best.json(scene, problem),
        "tables": tables,
        "theta": truth.map(|theta| &theta[..shown]),
        "models": (0..shown).map(model).collect::<Vec<_>>(),
        "dim": problem.dim(),
        "frames": recorder.frames.iter().map(frame).collect::<Vec<_>>(),
    })
}

fn frame(frame: &ReplayFrame) -> Value {
    let mut value = json!({
        "k": frame.episode,
        "steps": frame.steps,
        "cost": rounded(frame.cost, DIGITS),
        "regret": rounded(frame.regret, DIGITS),
        "gap": rounded(frame.gap_regret, DIGITS),
        "finished": frame.finished,
        "path": frame.path,
    });
    if let Some(Glimpse { t, plan, table, theta }) = &frame.view {
        value["t"] = json!(t);
        value["plan"] = json!(plan);
        value["table"] = json!(table);
        value["estimate"] =
            theta.estimate.as_ref().map_or(Value::Null, |x| x.iter().map(|x| rounded(*x, DIGITS)).collect());
        value["ends"] = theta
            .ends
            .iter()
            .map(|(low, high)| json!([rounded(*low, DIGITS), rounded(*high, DIGITS)]))
            .collect();
        value["outline"] =
            theta.outline.iter().map(|(x, y)| json!([rounded(*x, DIGITS), rounded(*y, DIGITS)])).collect();
    }
    value
}

#[cfg(test)]
mod tests;
