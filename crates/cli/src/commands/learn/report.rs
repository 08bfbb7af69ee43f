//! The result of a run, for people and as JSON.

use super::terms::terms;
use super::theta;
use crate::numbers::{count, real, seconds};
use crate::output::Sheet;
use goalward::confidence::Kind;
use goalward::episode::{Ending, RunResult, Runner};
use goalward::learners::{self, Violation};
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

pub(super) fn summary(finished: &Finished, runner: &Runner, ending: Ending) -> String {
    let (r, spec) = (&finished.result, runner.spec());
    let params: String = runner.arena().params.iter().map(|(key, value)| format!(" {key}={value}")).collect();
    let mut sheet = Sheet::default();
    sheet.row("world", format!("{}{params}", r.world));
    sheet.row("learner", format!("{}, seed {}", r.learner, r.seed));
    sheet.row("radius", r.radius.as_deref().unwrap_or("none: this learner has no confidence set"));
    claimed(r, &mut sheet);
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
    paid(r, &mut sheet);
    learnt(r, &mut sheet);
    ended(r, spec.max_steps, ending, &mut sheet);
    sheet.row("time", seconds(finished.seconds));
    sheet.render()
}

fn claimed(r: &RunResult, sheet: &mut Sheet) {
    let Some(guarantee) = &r.guarantee else {
        let said = learners::entry(&r.learner).map_or("none", |entry| entry.guarantee);
        let words = if said == "none" { "none: nothing is proved of this learner" } else { said };
        sheet.row("claims", words);
        sheet.rows("where", terms(std::iter::once(said)));
        return;
    };
    sheet.rows("claims", guarantee.claims.iter().map(|claim| claim.sentence()));
    if [Kind::Regret, Kind::Policy].iter().all(|kind| guarantee.of(*kind).is_none()) {
        sheet.row("", "regret: nothing is proved of it in advance");
    }
    sheet.rows("conditions", guarantee.conditions.iter().map(|condition| condition.sentence()));
    let proved = guarantee.claims.iter().map(|claim| &*claim.statement);
    let texts = proved.chain(guarantee.conditions.iter().map(|condition| &*condition.condition));
    sheet.rows("where", terms(texts));
}

fn paid(r: &RunResult, sheet: &mut Sheet) {
    sheet.row("steps", count(r.steps));
    sheet.row("total cost", real(r.total_cost));
    let [lower, upper] = r.optimal_bounds;
    let within = match (upper - lower) / upper {
        off if off > 1e-11 => format!(", certified within {off:.0e} of it"),
        _ => String::new(),
    };
    sheet.row("optimal cost", format!("{} per episode{within}", real(r.optimal_cost)));
    let mean = match r.episodes {
        0 => String::new(),
        k => format!(" ({} per episode)", real(r.regret / k as f64)),
    };
    sheet.row("regret", real(r.regret) + &mean);
    let certified = |x| format!("at most {}, over finished episodes, by the plans' values", real(x));
    sheet.rows("regret certified", r.regret_certified.map(certified));
    let words = format!("{} (its mean is that of the regret, with less noise)", real(r.gap_regret));
    sheet.row("gap regret", words);
}

fn learnt(r: &RunResult, sheet: &mut Sheet) {
    sheet.rows("theta_hat", theta::lines(r));
    if !r.theta_hidden.is_empty() {
        let names: Vec<String> = r.theta_hidden.iter().map(|&i| theta::name(r, i)).collect();
        let words = "cannot be learnt from transitions: no probability depends on a part of it";
        let words = if names.len() > 1 { words.replace("of it", "of them") } else { words.into() };
        sheet.row("hidden", format!("{} {words}", names.join(", ")));
    }
    for Violation { text, times, t, .. } in &r.impossible {
        sheet.row("impossible", format!("{text} ({times} times, first at step {t})"));
    }
    sheet.rows("misfit", r.misfit.as_ref().map(|misfit| &misfit.text));
    if let Some(fallback) = r.parameters.get("fallback") {
        let (learner, step) = (fallback["learner"].as_str().unwrap_or_default(), &fallback["step"]);
        sheet.row("fallback", format!("{learner}, which ignores the models, since step {step}"));
    }
    sheet.row("planner calls", count(r.planner_calls));
    if r.violations > 0 {
        let words = "planning calls with an empty confidence set, and steps that no model allows";
        sheet.row("violations", format!("{}: {words}", count(r.violations)));
    }
    if r.relaxed > 0 {
        let words = "of them left out rows of B that could bind (--set rows=exact takes all)";
        sheet.row("relaxed", format!("{} {words}", count(r.relaxed)));
    }
}

/// Why it ended, if not all episodes are done.
fn ended(r: &RunResult, max_steps: Option<u64>, ending: Ending, sheet: &mut Sheet) {
    let episode = count(r.episodes + 1);
    let (name, words) = match ending {
        Ending::Finished => return,
        Ending::Truncated => {
            let cap = count(max_steps.unwrap_or(r.steps));
            let place = format!("in the middle of episode {episode}, whose cost counts in full");
            ("truncated", format!("the limit of {cap} steps ended the run {place}"))
        }
        Ending::Misfit => {
            let words = "the data reject every mixture of the models (--on-misfit stop)";
            ("stopped", format!("{words}, in episode {episode}"))
        }
        Ending::Paused => ("stopped", format!("by Ctrl-C, in episode {episode}: results so far")),
    };
    sheet.row(name, words);
}
