//! Contenders side by side on every world, and against one of them.

mod paired;
mod parts;
mod tables;
#[cfg(test)]
mod tests;
mod words;

use super::phrase::counted;
use super::view::{Knowledge, View, by_world};
use super::{Findings, value};
use crate::Contender;
use crate::results::{Results, Run};
use crate::stats::{BurnIn, Mean, PairedTest};
use crate::study::{ComparisonAsk, Study, WorldPoint};
use paired::{Difference, Verdict};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// Contenders on every world.
struct Comparison<'a> {
    study: &'a Study,
    ask: &'a ComparisonAsk,
    worlds: Vec<WorldRows<'a>>,
    /// Differences to the reference, world by world, if there is one.
    differences: Vec<Difference>,
}

/// The contenders of one world.
struct WorldRows<'a> {
    point: &'a WorldPoint,
    rows: Vec<ContenderRow<'a>>,
    /// V*(start).
    optimal_cost: Option<f64>,
    /// The label of the best contender.
    best: Option<&'a str>,
}

/// One contender in one world; every mean is over its runs.
#[derive(Serialize)]
struct ContenderRow<'a> {
    #[serde(skip)]
    view: View<'a>,
    world: &'a str,
    #[serde(flatten)]
    contender: &'a Contender,
    knows: Option<Knowledge>,
    radius: Option<&'a str>,
    guarantee: Option<&'a str>,
    why_not: Option<&'a str>,
    runs: usize,
    seeds: Vec<u64>,
    /// Planned runs: more than `runs` if some are missing or failed.
    runs_asked: usize,
    failed: usize,
    truncated: usize,
    episodes_done: Option<Mean>,
    regret: Option<Mean>,
    gap_regret: Option<Mean>,
    /// Regret / K, over the finished episodes.
    regret_per_episode: Option<Mean>,
    gap_regret_per_episode: Option<Mean>,
    /// The exponent e of the growth K^e of the gap regret over the last two doublings of K: 1 without
    /// learning, 1/2 for the rate of the bounds.
    growth: Option<f64>,
    /// The gap regret in excess of the best contender's, seed by seed; `None` if a run was truncated.
    behind_best: Option<Mean>,
    steps: Option<Mean>,
    planner_calls: Option<Mean>,
    violations: u64,
    late_optimal_share: Option<Mean>,
    promised: Option<Mean>,
    burn_in: Option<BurnIn>,
    /// Steps per second of processor time, if times are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    steps_per_second: Option<f64>,
    /// The largest saved state in bytes.
    state_bytes: u64,
    /// Against the reference, if there is another one.
    difference: Option<Difference>,
    /// The parameters in force, of the first run.
    parameters: Map<String, Value>,
}

impl<'a> ContenderRow<'a> {
    fn of(view: View<'a>, best: Option<View>, ask: &ComparisonAsk, differences: &[Difference]) -> Self {
        let (runs, world, label) = (view.runs(), view.world.label.as_str(), view.label());
        let per_episode = |number: f64, run: &Run| number / run.row.episodes.max(1) as f64;
        let comparable = |best: &View| best.label() != label && best.truncated() + view.truncated() == 0;
        let behind = |best: View| {
            let (mine, theirs) = view.pairs(&best, |run| run.row.gap_regret);
            Mean::of_differences(&mine, &theirs)
        };
        // wall-clock time where processor time is not known
        let spent = |run: &Run| if run.cpu_seconds > 0.0 { run.cpu_seconds } else { run.seconds };
        let steps = runs.iter().fold(0.0, |sum, run| sum + run.row.steps as f64);
        let seconds = runs.iter().fold(0.0, |sum, run| sum + spent(run));
        let mine = |d: &&Difference| d.world == world && d.label == label;
        ContenderRow {
            view,
            world,
            contender: &view.learner.contender,
            knows: view.knowledge(),
            radius: view.radius(),
            guarantee: view.guarantee(),
            why_not: view.why_not(),
            runs: runs.len(),
            seeds: runs.iter().map(|run| run.seed).collect(),
            runs_asked: view.cell.planned,
            failed: view.cell.failed.len(),
            truncated: view.truncated(),
            episodes_done: view.mean_of(|run| run.row.episodes as f64),
            regret: view.mean_of(|run| run.row.regret),
            gap_regret: view.mean_of(|run| run.row.gap_regret),
            regret_per_episode: view.mean_of(|run| per_episode(run.row.regret, run)),
            gap_regret_per_episode: view.mean_of(|run| per_episode(run.row.gap_regret, run)),
            growth: view.growth(),
            behind_best: best.filter(comparable).and_then(behind),
            steps: view.mean_of(|run| run.row.steps as f64),
            planner_calls: view.mean_of(|run| run.row.planner_calls as f64),
            violations: runs.iter().map(|run| run.row.violations).sum(),
            late_optimal_share: view.mean_of_known(|run| run.row.late_optimal_share),
            promised: view.mean_of_known(|run| run.row.promised),
            burn_in: view.burn_in(),
            steps_per_second: (ask.times && seconds > 0.0).then(|| steps / seconds),
            state_bytes: runs.iter().map(|run| run.row.state_bytes).max().unwrap_or(0),
            difference: differences.iter().find(mine).cloned(),
            parameters: runs.first().map(|run| run.parameters.clone()).unwrap_or_default(),
        }
    }

    fn label(&self) -> &'a str {
        &self.contender.label
    }
}

/// The contender with the least gap regret, those that know the truth or were truncated behind others.
fn best<'a>(views: &[View<'a>]) -> Option<View<'a>> {
    let rank = |view: &View| (view.truncated() > 0, view.knows_the_truth());
    let paid = |view: &View| view.mean_of(|run| run.row.gap_regret).map_or(f64::INFINITY, |m| m.mean);
    let ran = views.iter().filter(|view| !view.runs().is_empty()).copied();
    ran.min_by(|a, b| rank(a).cmp(&rank(b)).then(paid(a).total_cmp(&paid(b))))
}

impl<'a> Comparison<'a> {
    fn of(results: &'a Results, ask: &'a ComparisonAsk) -> Comparison<'a> {
        let grouped = by_world(results);
        let reference = ask.against.as_deref();
        let differences = reference.map(|label| Difference::all(&grouped, label)).unwrap_or_default();
        let rows = |(point, views): (&'a WorldPoint, Vec<View<'a>>)| {
            let best = best(&views);
            let row = |view: &View<'a>| ContenderRow::of(*view, best, ask, &differences);
            WorldRows {
                point,
                rows: views.iter().map(row).collect(),
                optimal_cost: views.iter().flat_map(View::runs).map(|run| run.row.optimal_cost).next(),
                best: best.map(|view| view.label()),
            }
        };
        let worlds = grouped.into_iter().map(rows).collect();
        Comparison { study: &results.study, ask, worlds, differences }
    }

    fn rows(&self) -> impl Iterator<Item = &ContenderRow<'a>> {
        self.worlds.iter().flat_map(|world| &world.rows)
    }

    fn several(&self) -> bool {
        self.worlds.len() > 1
    }

    /// Whether the learners differ in what they know.
    fn mixes_knowledge(&self) -> bool {
        let mut known = self.rows().filter(|row| !row.view.is_baseline()).map(|row| row.knows);
        let first = known.next();
        known.any(|other| Some(other) != first)
    }

    /// The rivals that the reference is judged by: their guarantee holds or is unknown.
    fn rivals(&self) -> Vec<(&ContenderRow<'a>, &Difference)> {
        let beside = |row: &ContenderRow| self.ask.beside.contains(&row.contender.label);
        let proved = self.rows().filter(|row| matches!(row.guarantee, Some("yes" | "unknown")));
        let judged = proved.filter(|row| !beside(row));
        judged.filter_map(|row| Some((row, row.difference.as_ref()?))).collect()
    }

    /// The number of rivals with a verdict, or without one.
    fn verdicts(&self, verdict: Option<Verdict>) -> usize {
        self.rivals().iter().filter(|(_, d)| d.verdict == verdict).count()
    }

    /// The rows as data, under their names of the first release.
    fn data(&self, words: &[String]) -> Value {
        let about = |WorldRows { point, optimal_cost, best, .. }: &WorldRows| {
            json!({
                "label": point.label,
                "world": point.place.world,
                "params": point.place.params,
                "optimal_cost": optimal_cost,
                "episodes": point.length.episodes,
                "max_steps": point.length.max_steps,
                "best": best,
            })
        };
        let mut data = Map::new();
        match &self.worlds[..] {
            [only] => {
                data.extend(about(only).as_object().cloned().unwrap_or_default());
                data.remove("label");
            }
            several => {
                let best = several.iter().map(|world| (world.point.label.clone(), value(world.best)));
                data.insert("best".into(), Value::Object(best.collect()));
                data.insert("worlds".into(), several.iter().map(about).collect());
            }
        }
        data.insert("rows".into(), self.rows().map(value).collect());
        if let Some(reference) = &self.ask.against {
            let nowhere_worse = self.verdicts(Some(Verdict::More)) + self.verdicts(None) == 0;
            data.insert("nowhere_worse".into(), nowhere_worse.into());
            let differences = &self.differences;
            data.insert("against".into(), json!({ "reference": reference, "differences": differences }));
        }
        data.insert("words".into(), words.into());
        Value::Object(data)
    }

    fn methods(&self) -> Vec<String> {
        let tests: Vec<PairedTest> = self.differences.iter().filter_map(|d| d.test).collect();
        let burn_in = self.rows().any(|row| row.burn_in.is_some());
        let [exact, drawn, student] =
            [PairedTest::ExactSignFlips, PairedTest::DrawnSignFlips, PairedTest::Student]
                .map(|test| tests.contains(&test));
        let used = [true, true, true, true, burn_in, exact, drawn, student].into_iter().zip(METHODS);
        let used = used.filter(|(used, _)| *used).map(|(_, method)| method.to_string());
        let holm = (!tests.is_empty()).then(|| {
            format!(
                "Holm's correction over {}: together they err with a probability of at most 5 %.",
                counted(tests.len(), "comparison")
            )
        });
        used.chain(holm).collect()
    }
}

const METHODS: [&str; 8] = [
    "Means have 95 % intervals of Student's t over the runs.",
    "Gap regret sums Q*(s,a) − V*(s) over the steps: it has the same mean as the regret, and far less \
     noise.",
    "Behind best: the mean of the differences in gap regret to the best learner, seed by seed, which met \
     the same luck. Its 95 % interval is that of a BCa bootstrap (Efron 1987, 2,000 resamples of the \
     runs), of Student's t with fewer than eight runs.",
    "Growth: the exponent e of K^e, fitted by least squares to the logarithms of the mean gap regret \
     over the last two doublings of K.",
    "Burn-in: the first recorded plan over a confidence set that rules something out, as an episode; the \
     median over the runs, those without such a plan counted as later than all.",
    "Paired tests: all ways of flipping the signs of the differences.",
    "Paired tests: 19,999 random ways of flipping the signs of the differences, always the same.",
    "Paired tests: Student's t, because so few runs have too few signs to flip.",
];

/// Adds the comparison to the findings.
pub(super) fn add(results: &Results, ask: &ComparisonAsk, findings: &mut Findings) {
    let comparison = Comparison::of(results, ask);
    let words = words::of(&comparison);
    findings.sound &= !(ask.judge && comparison.verdicts(Some(Verdict::More)) > 0);
    let (tables, parts) = (tables::of(&comparison), parts::of(&comparison));
    findings.put("comparison", tables, parts, comparison.data(&words), words, comparison.methods());
}
