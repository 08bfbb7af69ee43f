//! What a run came to, for people and as JSON.

use crate::numbers::{count, fixed, real, seconds, vector};
use crate::output::Sheet;
use goalward::episode::{Ending, RunResult, RunSpec};
use serde::Serialize;

/// The JSON of `goalward learn --json`.
#[derive(Serialize)]
pub(super) struct Finished {
    #[serde(flatten)]
    pub(super) result: RunResult,
    /// The episodes that were asked for; `episodes` are those that were finished.
    pub(super) episodes_asked: u64,
    /// Whether Ctrl-C ended the run: the results are those so far.
    pub(super) interrupted: bool,
    /// How long this call took; a resumed run counts from its resumption.
    pub(super) seconds: f64,
}

pub(super) fn summary(finished: &Finished, spec: &RunSpec, ending: Ending) -> String {
    let r = &finished.result;
    let params: String = r
        .params
        .as_object()
        .into_iter()
        .flatten()
        .map(|(k, v)| format!(" {k}={}", v.as_str().map_or_else(|| v.to_string(), String::from)))
        .collect();
    let mut sheet = Sheet::default();
    sheet.row("world", format!("{}{params}", r.world));
    sheet.row("learner", format!("{}, seed {}", r.learner, r.seed));
    sheet.row("radius", radius(r.radius.as_deref()));
    if let Some(told) = r.parameters.get("oracle").and_then(|told| told.as_array()) {
        let told: Vec<&str> = told.iter().filter_map(|key| key.as_str()).collect();
        sheet.row("oracle", format!("told the true {}", told.join(" and ")));
    }
    if r.extra > 0 {
        sheet.row("known facts", format!("{} linear facts about theta", r.extra));
    }
    match ending {
        Ending::Finished => sheet.row("episodes", count(r.episodes)),
        _ => sheet.row("episodes", format!("{} of {}", count(r.episodes), count(spec.episodes))),
    };
    sheet.row("steps", count(r.steps));
    sheet.row("total cost", real(r.total_cost));
    sheet.row("optimal cost", format!("{} per episode", real(r.optimal_cost)));
    let mean = match r.episodes {
        0 => String::new(),
        k => format!(" ({} per episode)", real(r.regret / k as f64)),
    };
    sheet.row("regret", real(r.regret) + &mean);
    sheet.row("gap regret", format!("{} (the same on average, with less noise)", real(r.gap_regret)));
    sheet.row("theta_hat", r.theta_hat.as_deref().map_or("none".into(), vector));
    if let Some(intervals) = &r.theta_interval {
        let intervals: Vec<String> = intervals
            .iter()
            .map(|(low, high)| format!("{} to {}", fixed(*low, 3), fixed(*high, 3)))
            .collect();
        sheet.row("theta within", format!("[{}]", intervals.join(", ")));
    }
    for violation in &r.impossible {
        sheet.row(
            "impossible",
            format!("{} ({} times, first at step {})", violation.text, violation.times, violation.t),
        );
    }
    sheet.row("planner calls", planner_calls(r));
    if r.relaxed > 0 {
        let words = format!(
            "{} of them left out rows of B that could bind (--set rows=exact takes all)",
            count(r.relaxed)
        );
        sheet.row("relaxed", words);
    }
    match ending {
        Ending::Finished => {}
        Ending::Truncated => {
            let cap = count(spec.max_steps.unwrap_or(r.steps));
            let words = format!(
                "the limit of {cap} steps ended the run in the middle of episode {}, whose cost counts in full",
                count(r.episodes + 1)
            );
            sheet.row("truncated", words);
        }
        Ending::Paused => {
            sheet.row("stopped", format!("by Ctrl-C, in episode {}: results so far", count(r.episodes + 1)));
        }
    }
    sheet.row("time", seconds(finished.seconds));
    sheet.render()
}

fn planner_calls(r: &RunResult) -> String {
    match r.violations {
        0 => count(r.planner_calls),
        n => format!("{}, {} of them with an empty confidence set", count(r.planner_calls), count(n)),
    }
}

/// A result never leaves open whether the theory covers it.
fn radius(radius: Option<&str>) -> String {
    match radius {
        None => "none: this learner has no confidence set".into(),
        Some(radius) if radius.starts_with("scaled") => format!("{radius}: no guarantee"),
        Some("likelihood") => "likelihood: a valid confidence set, for all times at once".into(),
        Some(radius) => format!("{radius}: with the guarantee of its theorem"),
    }
}
