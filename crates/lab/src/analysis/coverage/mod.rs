//! Coverage: how often theta* ever left the confidence sets of a learner, and how wide they are.
//!
//! A set that is all of B always covers, so coverage is shown with a width. A learner that plans over a
//! set without theta* may be wrong for ever, so a loss at any time counts.

#[cfg(test)]
mod tests;

use super::Findings;
use super::phrase::{counted, hits_and_limit, or_dash, percent, range, readable, significant};
use super::view::{View, by_world};
use crate::Contender;
use crate::figure::number_label;
use crate::group::{distinct, grouped};
use crate::results::{Results, Run};
use crate::stats::{Mean, Proportion};
use crate::study::Study;
use crate::table::Table;
use serde::Serialize;
use serde_json::json;

/// One learner's sets in one world.
#[derive(Serialize)]
struct CoverageRow<'a> {
    world: &'a str,
    /// The failure probability in force.
    delta: Option<f64>,
    /// The learner without delta.
    name: String,
    #[serde(flatten)]
    contender: &'a Contender,
    radius: Option<&'a str>,
    guarantee: Option<&'a str>,
    /// The probability of a loss; `None` where a condition of the proof is not met.
    promised: Option<f64>,
    runs: usize,
    /// Runs in which theta* was outside the likelihood set or the ellipsoid after some step.
    lost: Option<Proportion>,
    /// Runs with a plan over a set without theta*, which for a likelihood set is the ellipsoid around it.
    lost_at_plan: Option<Proportion>,
    /// The same though theta* was in the confidence set: an error of goalward.
    missed_at_plan: usize,
    /// The first such run: seed and step.
    first_missed: Option<(u64, u64)>,
    nats: Option<Mean>,
    beta: Option<Mean>,
    width: Option<Mean>,
    /// Runs with an empty set at the end.
    empty: usize,
    gap_regret: Option<Mean>,
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

/// The failure probability in force; without runs, the one in the settings.
fn delta(view: &View) -> Option<f64> {
    let in_force = view.runs().iter().find_map(|run| run.row.delta);
    in_force.or_else(|| view.learner.contender.settings.get("delta")?.parse().ok())
}

impl<'a> CoverageRow<'a> {
    fn of(view: &View<'a>) -> CoverageRow<'a> {
        let guarantee = view.guarantee();
        let level = view.runs().first().and_then(|run| run.row.level);
        let missed = || view.runs().iter().filter_map(|run| run.row.missed.map(|t| (run.seed, t)));
        CoverageRow {
            world: &view.world.label,
            delta: delta(view),
            name: view.name_without(&["delta"]),
            contender: &view.learner.contender,
            radius: view.radius(),
            promised: level.filter(|_| guarantee.is_some_and(|word| word != "no")),
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

    /// Whether the runs refute the promise: even the lower end of the interval is above it.
    fn is_refuted(&self) -> bool {
        self.promised.zip(self.lost).is_some_and(|(promised, lost)| lost.low > promised)
    }

    /// The beginning of a sentence: the world, delta and the learner.
    fn subject(&self) -> String {
        let delta = self.delta.map_or(String::new(), |delta| format!(", delta = {delta}"));
        format!("{}{delta}: {}", self.world, self.name)
    }
}

/// World by world and delta by delta, learners in their order.
fn rows(results: &Results) -> Vec<CoverageRow<'_>> {
    let mut rows = Vec::new();
    for (_, views) in by_world(results) {
        let here = views.iter().map(CoverageRow::of);
        rows.extend(grouped(here, |a, b| a.delta == b.delta).into_iter().flatten());
    }
    rows
}

fn cells(rows: &[CoverageRow]) -> Table {
    let lost = ["world", "delta", "learner", "promised", "theta* lost", "at most", "lost at a plan"];
    let size = ["threshold", "radius", "width", "gap regret"];
    let mut table = Table::new(lost.into_iter().chain(size));
    for row in rows {
        let empty = if row.empty > 0 { format!(" ({} empty)", row.empty) } else { String::new() };
        let [lost, limit] = hits_and_limit(row.lost);
        let [lost_at_plan, _] = hits_and_limit(row.lost_at_plan);
        table.row(vec![
            row.world.into(),
            or_dash(row.delta),
            row.name.clone(),
            or_dash(row.promised.map(|promised| format!("{:.1} %", 100.0 * promised))),
            lost,
            limit,
            lost_at_plan,
            or_dash(row.nats.map(|m| format!("{:.2} nats", m.mean))),
            or_dash(row.beta.map(|m| significant(m.mean, 4))),
            or_dash(row.width.map(|m| format!("{:.4}", m.mean))) + &empty,
            or_dash(row.gap_regret),
        ]);
    }
    table
}

fn sentences(rows: &[CoverageRow]) -> Vec<String> {
    let mut words = Vec::new();
    for row in rows.iter().filter(|row| row.radius == Some("likelihood")) {
        let Some(lost) = row.lost else { continue };
        let kept = match row.delta {
            Some(delta) if lost.limit <= delta => ", which is at most delta",
            Some(_) => ", which is above delta",
            None => "",
        };
        let (subject, hits, runs) = (row.subject(), lost.hits, counted(lost.n as usize, "run"));
        let limit = 100.0 * lost.limit;
        words.push(format!(
            "{subject} loses theta* in {hits} of {runs}; with 95 % confidence in at most {limit:.1} % of all{kept}."
        ));
    }
    for row in rows {
        let Some((seed, t)) = row.first_missed else { continue };
        let (subject, missed, runs) = (row.subject(), row.missed_at_plan, counted(row.runs, "run"));
        words.push(format!(
            "{subject} planned over a set without theta* in {missed} of {runs} though theta* was in its \
             confidence set (first with seed {seed}, at step {t}). The one must contain the other: this is \
             an error of goalward, please report it."
        ));
    }
    let refuted = rows.iter().filter(|row| row.is_refuted());
    words.extend(refuted.map(|row| format!("{} loses theta* more often than it promises.", row.subject())));
    words
}

/// The number and the length of the runs.
fn headline(study: &Study) -> String {
    let seeds = counted(study.seeds.len(), "seed");
    let mut steps: Vec<Option<u64>> =
        study.worlds.iter().map(|w| w.length.max_steps.filter(|_| w.length.by_steps)).collect();
    steps.dedup();
    match steps[..] {
        [Some(steps)] => format!("Coverage: {} steps, {seeds}", number_label(steps as f64, 0)),
        _ => format!("Coverage: {seeds}"),
    }
}

/// The pieces that documents quote: the table; `matrix D` at the failure probability D; with learner and
/// D, `lost` and `limit` in per cent over all worlds; and with a world, `lost` and `width` there.
fn parts(all: &[CoverageRow]) -> Vec<(String, String)> {
    let table = cells(all).markdown().replace("theta*", "θ\\*").replacen("| delta |", "| δ |", 1);
    let mut parts = vec![("table".to_string(), table)];
    let mut put = |name: String, text: Option<String>| parts.extend(text.map(|text| (name, text)));
    for delta in distinct(all.iter().filter_map(|row| row.delta)) {
        let here = || all.iter().filter(move |row| row.delta == Some(delta));
        put(format!("matrix {delta}"), Some(matrix(all, delta).markdown()));
        for name in distinct(here().map(|row| row.name.as_str())) {
            let rows = || here().filter(|row| row.name == name);
            let lost = || rows().filter_map(|row| row.lost);
            put(format!("lost {name} {delta}"), range(lost().map(|p| p.share), percent));
            let most = lost().map(|p| p.limit).fold(f64::NEG_INFINITY, f64::max);
            put(format!("limit {name} {delta}"), (most >= 0.0).then(|| percent(most)));
            for row in rows() {
                let of = |what: &str| format!("{what} {name} {delta} {}", row.world);
                put(of("lost"), row.lost.map(|p| percent(p.share)));
                put(of("width"), row.width.map(|m| format!("{:.3}", m.mean)));
            }
        }
    }
    put("determinant/likelihood".into(), determinant(all));
    parts
}

/// The widths of the sets with `determinant` radii as multiples of those of the first likelihood set.
fn determinant(all: &[CoverageRow]) -> Option<String> {
    let likelihood = |row: &CoverageRow| {
        let twin = |other: &&CoverageRow| {
            other.radius == Some("likelihood") && other.world == row.world && other.delta == row.delta
        };
        Some(all.iter().find(twin)?.width?.mean)
    };
    let determinant = all.iter().filter(|row| row.radius == Some("determinant"));
    let ratios = determinant.filter_map(|row| Some(row.width?.mean / likelihood(row)?));
    range(ratios, |x| number_label(x, if x < 10.0 { 1 } else { 0 }))
}

/// Losses and widths with one column for each world.
fn matrix(all: &[CoverageRow], delta: f64) -> Table {
    let here = || all.iter().filter(move |row| row.delta == Some(delta));
    let worlds = distinct(all.iter().map(|row| row.world));
    let headings = std::iter::once("set".into()).chain(worlds.iter().map(|world| readable(world)));
    let mut table = Table::new(headings);
    for name in distinct(here().map(|row| row.name.as_str())) {
        let of = |world: &str| here().find(|row| row.name == name && row.world == world);
        let cell = |world: &str| {
            let row = of(world)?;
            Some(format!("{} lost, width {:.2}", row.lost?.hits, row.width?.mean))
        };
        let fails = |world: &&str| of(world).is_some_and(|row| row.guarantee == Some("no"));
        let none = if worlds.iter().all(fails) { " (no guarantee)" } else { "" };
        let cells = worlds.iter().map(|world| cell(world).unwrap_or("-".into()));
        table.row(std::iter::once(format!("`{name}`{none}")).chain(cells).collect());
    }
    table
}

const METHODS: [&str; 6] = [
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
];

/// Adds the coverage to the findings.
pub(super) fn add(results: &Results, findings: &mut Findings) {
    let rows = rows(results);
    let words = sentences(&rows);
    let sound = !rows.iter().any(|row| row.is_refuted() || row.missed_at_plan > 0);
    findings.sound &= sound;
    let table = cells(&rows).titled(headline(&results.study));
    let data = json!({ "rows": rows, "words": words, "sound": sound });
    findings.put("coverage", vec![table], parts(&rows), data, words, METHODS.map(String::from).to_vec());
}
