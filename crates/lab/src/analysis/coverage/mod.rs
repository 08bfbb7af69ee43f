//! Coverage: how often theta* ever left the confidence sets of a learner, and how wide they are.
//!
//! A set that is all of B covers always, so coverage is told with a width; a learner that plans
//! over a set without theta* may be wrong for ever, so a loss at any time counts.

mod parts;
#[cfg(test)]
mod tests;

use super::phrase::{counted, significant};
use super::view::{View, by_world};
use super::{Findings, Section, value};
use crate::Contender;
use crate::figure::number_label;
use crate::group::grouped;
use crate::results::{Results, Run};
use crate::stats::{Mean, Proportion};
use crate::table::Table;
use serde::Serialize;
use serde_json::json;

/// The name of the analysis.
const NAME: &str = "coverage";

/// One learner's sets in one world.
#[derive(Serialize)]
struct Covered {
    /// The world, as tables call it.
    world: String,
    /// The failure probability in force.
    delta: Option<f64>,
    /// Who it is, whatever delta.
    name: String,
    /// Who it is.
    #[serde(flatten)]
    contender: Contender,
    /// Which confidence radius was used.
    radius: Option<String>,
    /// Whether what is proved of the learner holds here.
    guarantee: Option<String>,
    /// The probability with which the sets may lose theta*; nothing where a condition of the proof
    /// is not met.
    promised: Option<f64>,
    /// Runs that the numbers are taken over.
    runs: usize,
    /// Runs in which theta* was outside after some step: of a likelihood set itself, of a
    /// regression's ellipsoid.
    lost: Option<Proportion>,
    /// Runs in which a plan was made over a set without theta*: for a likelihood set, over the
    /// ellipsoid around it.
    lost_at_plan: Option<Proportion>,
    /// Runs in which a plan was made over a set without theta* though theta* was in the confidence
    /// set: the set that is planned over must contain that one, so that any such run is an error of
    /// goalward.
    missed_at_plan: usize,
    /// The first such run: seed and step.
    first_missed: Option<(u64, u64)>,
    /// The likelihood's threshold above the least loss after the last step, in nats.
    nats: Option<Mean>,
    /// The radius of the regression's ellipsoid after the last step, in its own norm.
    beta: Option<Mean>,
    /// The width of the set within B after the last step, as a share of B's: mean over all
    /// phi_V*(s,a).
    width: Option<Mean>,
    /// Runs whose set had become empty by the last step.
    empty: usize,
    /// Gap regret over the steps.
    gap_regret: Option<Mean>,
}

/// What was seen.
struct Coverage<'a> {
    results: &'a Results,
    rows: Vec<Covered>,
}

/// The share of runs in which theta* was ever outside; `None` for a learner without sets.
pub(super) fn lost(view: &View, first: impl Fn(&Run) -> Option<u64>) -> Option<Proportion> {
    let has_sets = |run: &&Run| {
        let row = &run.row;
        row.nats.is_some() || row.beta.is_some() || row.width.is_some() || row.empty.is_some()
    };
    let watched: Vec<&Run> = view.runs().iter().filter(has_sets).collect();
    let hits = watched.iter().filter(|run| first(run).is_some()).count();
    Proportion::of(hits as u64, watched.len() as u64)
}

impl Covered {
    fn of(view: &View) -> Covered {
        let guarantee = view.guarantee().map(String::from);
        let level = view.runs().first().and_then(|run| run.row.level);
        let missed = || view.runs().iter().filter_map(|run| run.row.missed.map(|t| (run.seed, t)));
        Covered {
            world: view.world.label.clone(),
            delta: delta(view),
            name: view.name_without(&["delta"]),
            contender: view.learner.contender.clone(),
            radius: view.radius().map(String::from),
            promised: level.filter(|_| guarantee.as_deref().is_some_and(|word| word != "no")),
            guarantee,
            runs: view.runs().len(),
            lost: lost(view, |run| run.row.lost),
            lost_at_plan: lost(view, |run| run.row.lost_at_plan),
            missed_at_plan: missed().count(),
            first_missed: missed().next(),
            nats: view.mean_of_known(|run| run.row.nats),
            beta: view.mean_of_known(|run| run.row.beta),
            width: view.mean_of_known(|run| run.row.width),
            empty: view.runs().iter().filter(|run| run.row.empty == Some(true)).count(),
            gap_regret: view.mean_of(|run| run.row.gap_regret),
        }
    }

    /// Whether a condition of what is proved fails here.
    fn has_no_guarantee(&self) -> bool {
        self.guarantee.as_deref() == Some("no")
    }

    /// Whether the runs refute what is promised: even the lower end of the interval is above it.
    fn refuted(&self) -> bool {
        self.promised.zip(self.lost).is_some_and(|(promised, lost)| lost.low > promised)
    }

    /// The world and delta, as a sentence begins with them.
    fn place(&self) -> String {
        let delta = self.delta.map_or(String::new(), |delta| format!(", delta = {delta}"));
        format!("{}{delta}", self.world)
    }
}

/// The failure probability in force; of a learner that has not run yet, the one that it is given.
fn delta(view: &View) -> Option<f64> {
    let in_force = view.runs().iter().find_map(|run| run.row.delta);
    in_force.or_else(|| view.learner.contender.settings.get("delta")?.parse().ok())
}

impl<'a> Coverage<'a> {
    /// World by world and delta by delta, learners in their order.
    fn of(results: &'a Results) -> Coverage<'a> {
        let mut rows = Vec::new();
        for (_, views) in by_world(results) {
            let here = views.iter().map(Covered::of);
            rows.extend(grouped(here, |a, b| a.delta == b.delta).into_iter().flatten());
        }
        Coverage { results, rows }
    }

    fn cells(&self) -> Table {
        let mut table = Table::new([
            "world",
            "delta",
            "learner",
            "promised",
            "theta* lost",
            "at most",
            "lost at a plan",
            "threshold",
            "radius",
            "width",
            "gap regret",
        ]);
        for row in &self.rows {
            let percent = |x: f64| format!("{:.1} %", 100.0 * x);
            let empty = if row.empty > 0 { format!(" ({} empty)", row.empty) } else { String::new() };
            let lost = |p: Option<Proportion>| p.map_or("-".into(), |p| format!("{}/{}", p.hits, p.n));
            table.row(vec![
                row.world.clone(),
                row.delta.map_or("-".into(), |delta| delta.to_string()),
                row.name.clone(),
                row.promised.map_or("-".into(), percent),
                lost(row.lost),
                row.lost.map_or("-".into(), |p| percent(p.limit)),
                lost(row.lost_at_plan),
                row.nats.map_or("-".into(), |m| format!("{:.2} nats", m.mean)),
                row.beta.map_or("-".into(), |m| significant(m.mean, 4)),
                row.width.map_or("-".into(), |m| format!("{:.4}", m.mean)) + &empty,
                row.gap_regret.map_or("-".into(), |m| m.to_string()),
            ]);
        }
        table
    }

    fn sentences(&self) -> Vec<String> {
        let mut words = Vec::new();
        for row in self.rows.iter().filter(|row| row.radius.as_deref() == Some("likelihood")) {
            let Some(lost) = row.lost else { continue };
            let kept = match row.delta {
                Some(delta) if lost.limit <= delta => ", which is at most delta",
                Some(_) => ", which is above delta",
                None => "",
            };
            words.push(format!(
                "{}: {} loses theta* in {} of {}; with 95 % confidence in at most {:.1} % of all{kept}.",
                row.place(),
                row.name,
                lost.hits,
                counted(lost.n as usize, "run"),
                100.0 * lost.limit
            ));
        }
        for row in &self.rows {
            let Some((seed, t)) = row.first_missed else { continue };
            words.push(format!(
                "{}: {} planned over a set without theta* in {} of {} though theta* was in its \
                 confidence set (first with seed {seed}, at step {t}). The one must contain the \
                 other: this is an error of goalward, please report it.",
                row.place(),
                row.name,
                row.missed_at_plan,
                counted(row.runs, "run")
            ));
        }
        for row in self.rows.iter().filter(|row| row.refuted()) {
            words.push(format!("{}: {} loses theta* more often than it promises.", row.place(), row.name));
        }
        words
    }

    /// How long the runs are, and how many.
    fn headline(&self) -> String {
        let study = &self.results.study;
        let seeds = counted(study.seeds.len(), "seed");
        let mut steps: Vec<Option<u64>> =
            study.worlds.iter().map(|w| w.length.max_steps.filter(|_| w.length.by_steps)).collect();
        steps.dedup();
        match steps[..] {
            [Some(steps)] => format!("Coverage: {} steps, {seeds}", number_label(steps as f64, 0)),
            _ => format!("Coverage: {seeds}"),
        }
    }
}

/// How the numbers were computed.
fn methods() -> Vec<String> {
    [
        "theta* lost: runs in which theta* was outside the set after some step. Lost at a plan: runs \
         in which a plan was made over a set without theta*; for the likelihood set that is the \
         ellipsoid around it.",
        "At most: the one-sided 95 % upper limit of Clopper and Pearson, which is exact.",
        "Promised: the probability of a loss that is proved not to be exceeded; \"-\" where a \
         condition of the proof is not met. Runs refute it if the lower end of the two-sided 95 % \
         interval of Clopper and Pearson is above it.",
        "Threshold: how far the likelihood's threshold is above the least loss after the last step. \
         Radius: beta of the regression, in the norm of its own Sigma.",
        "Width: of ⟨theta, phi_V*(s,a)⟩ over the set within B after the last step, as a share of B's \
         own, mean over all (s,a): 1 says nothing of theta.",
        "Means have 95 % intervals of Student's t over the runs.",
    ]
    .map(String::from)
    .to_vec()
}

/// Adds the coverage to the findings.
pub(super) fn add(results: &Results, findings: &mut Findings) {
    let coverage = Coverage::of(results);
    let words = coverage.sentences();
    let sound = !coverage.rows.iter().any(|row| row.refuted() || row.missed_at_plan > 0);
    findings.sound &= sound;
    findings.tables.push(Section { title: coverage.headline(), table: coverage.cells() });
    let data = json!({ "rows": coverage.rows, "words": words, "sound": sound });
    findings.data.insert(NAME.into(), value(data));
    findings.put_parts(NAME, parts::of(&coverage));
    findings.words.extend(words);
    findings.put_methods(methods());
}
