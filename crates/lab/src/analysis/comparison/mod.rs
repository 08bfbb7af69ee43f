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
use crate::study::{ComparisonAsk, Study};
use goalward::Settings;
use paired::{Difference, Verdict};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// The name of the analysis.
const NAME: &str = "comparison";

/// What a comparison came to.
struct Compared<'a> {
    study: &'a Study,
    ask: &'a ComparisonAsk,
    worlds: Vec<Side<'a>>,
    /// Differences to the reference, world by world, if there is one.
    differences: Vec<Difference>,
}

/// One world.
struct Side<'a> {
    views: Vec<View<'a>>,
    rows: Vec<Standing>,
    about: World,
}

/// What there is to say of a world.
#[derive(Serialize)]
struct World {
    /// What tables call it.
    label: String,
    /// The world's id or the problem file.
    world: String,
    /// Its parameters, as given.
    params: Settings,
    /// V*(start).
    optimal_cost: Option<f64>,
    /// The number of episodes K.
    episodes: u64,
    /// The cap on steps of each run.
    max_steps: Option<u64>,
    /// The label of the best contender: the least mean gap regret of those that were never
    /// truncated and know no truth.
    best: Option<String>,
}

/// One contender in one world; every mean is over its runs.
#[derive(Serialize)]
struct Standing {
    /// The world, as tables call it.
    world: String,
    /// Who it is.
    #[serde(flatten)]
    contender: Contender,
    /// What it knows before its first step.
    knows: Option<Knowledge>,
    /// Which confidence radius was used, if the learner has one.
    radius: Option<String>,
    /// Whether what is proved of the learner holds here.
    guarantee: Option<String>,
    /// Why it does not.
    why_not: Option<String>,
    /// Runs that the numbers are taken over.
    runs: usize,
    /// The seeds of these runs.
    seeds: Vec<u64>,
    /// Runs that were asked for: more than `runs` if some are missing or failed.
    runs_asked: usize,
    /// Runs that failed.
    failed: usize,
    /// Runs that the cap on steps ended.
    truncated: usize,
    /// Finished episodes of a run.
    episodes_done: Option<Mean>,
    /// Cumulative regret.
    regret: Option<Mean>,
    /// Cumulative gap regret: the same expectation, far less noise.
    gap_regret: Option<Mean>,
    /// Regret / K, over the finished episodes.
    regret_per_episode: Option<Mean>,
    /// Gap regret / K.
    gap_regret_per_episode: Option<Mean>,
    /// The exponent e of the growth K^e of the gap regret over the last two doublings of K: 1 for
    /// one who does not learn, 1/2 for the rate of the bounds.
    growth: Option<f64>,
    /// By how much the gap regret exceeds that of the best, seed by seed; nothing if a run was
    /// truncated.
    behind_best: Option<Mean>,
    /// Steps.
    steps: Option<Mean>,
    /// Planning calls.
    planner_calls: Option<Mean>,
    /// Planning calls that met an empty confidence set, and steps that no model allows, over all runs.
    violations: u64,
    /// The share of optimal actions in the second half of the episodes.
    late_optimal_share: Option<Mean>,
    /// The optimistic value of the start in the last plan.
    promised: Option<Mean>,
    /// The episode from which its sets say something.
    burn_in: Option<BurnIn>,
    /// Steps a second of processor time; nothing unless times are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    steps_per_second: Option<f64>,
    /// The largest saved state in bytes.
    state_bytes: u64,
    /// Against the reference; nothing for the reference itself, or without one.
    difference: Option<Difference>,
    /// The parameters in force, of the first run.
    parameters: Map<String, Value>,
}

impl Standing {
    fn of(view: &View, best: Option<&View>, ask: &ComparisonAsk) -> Standing {
        let per_episode = |number: f64, episodes: u64| number / episodes.max(1) as f64;
        let comparable =
            |best: &&View| best.label() != view.label() && best.truncated() + view.truncated() == 0;
        let behind = |best: &View| {
            let (mine, theirs) = view.pairs(best, |run| run.row.gap_regret);
            Mean::of_differences(&mine, &theirs)
        };
        // where processor time is not known the clock on the wall is
        let spent = |run: &Run| if run.cpu_seconds > 0.0 { run.cpu_seconds } else { run.seconds };
        let (steps, seconds) = view
            .runs()
            .iter()
            .fold((0.0, 0.0), |(steps, seconds), run| (steps + run.row.steps as f64, seconds + spent(run)));
        Standing {
            world: view.world.label.clone(),
            contender: view.learner.contender.clone(),
            knows: view.knowledge(),
            radius: view.radius().map(String::from),
            guarantee: view.guarantee().map(String::from),
            why_not: view.why_not().map(String::from),
            runs: view.runs().len(),
            seeds: view.runs().iter().map(|run| run.seed).collect(),
            runs_asked: view.cell.planned,
            failed: view.cell.failed.len(),
            truncated: view.truncated(),
            episodes_done: view.mean_of(|run| run.row.episodes as f64),
            regret: view.mean_of(|run| run.row.regret),
            gap_regret: view.mean_of(|run| run.row.gap_regret),
            regret_per_episode: view.mean_of(|run| per_episode(run.row.regret, run.row.episodes)),
            gap_regret_per_episode: view.mean_of(|run| per_episode(run.row.gap_regret, run.row.episodes)),
            growth: view.growth(),
            behind_best: best.filter(comparable).and_then(behind),
            steps: view.mean_of(|run| run.row.steps as f64),
            planner_calls: view.mean_of(|run| run.row.planner_calls as f64),
            violations: view.runs().iter().map(|run| run.row.violations).sum(),
            late_optimal_share: view.mean_of_known(|run| run.row.late_optimal_share),
            promised: view.mean_of_known(|run| run.row.promised),
            burn_in: view.burn_in(),
            steps_per_second: (ask.times && seconds > 0.0).then(|| steps / seconds),
            state_bytes: view.runs().iter().map(|run| run.row.state_bytes).max().unwrap_or(0),
            difference: None,
            parameters: view.runs().first().map(|run| run.parameters.clone()).unwrap_or_default(),
        }
    }

    /// The name of the learner as tables have it.
    fn label(&self) -> &str {
        &self.contender.label
    }
}

/// The contender to measure the others against: one that learns before one that knows, one that was
/// never cut off before one that was.
fn best<'a, 'v>(views: &'v [View<'a>]) -> Option<&'v View<'a>> {
    let rank = |view: &View| {
        let mean = view.mean_of(|run| run.row.gap_regret).map_or(f64::INFINITY, |m| m.mean);
        (view.truncated() > 0, view.knows_the_truth(), mean)
    };
    let order = |a: &(bool, bool, f64), b: &(bool, bool, f64)| {
        a.0.cmp(&b.0).then(a.1.cmp(&b.1)).then(a.2.total_cmp(&b.2))
    };
    let ran = views.iter().filter(|view| !view.runs().is_empty());
    ran.min_by(|a, b| order(&rank(a), &rank(b)))
}

impl<'a> Compared<'a> {
    fn of(results: &'a Results, ask: &'a ComparisonAsk) -> Compared<'a> {
        let grouped = by_world(results);
        let named: Vec<(&str, Vec<View>)> =
            grouped.iter().map(|(world, views)| (world.label.as_str(), views.clone())).collect();
        let reference = ask.against.as_deref();
        let differences = reference.map(|label| Difference::all(&named, label)).unwrap_or_default();
        let side = |(world, views): (&crate::study::WorldPoint, Vec<View<'a>>)| {
            let best = best(&views);
            let mut rows: Vec<Standing> = views.iter().map(|view| Standing::of(view, best, ask)).collect();
            for row in &mut rows {
                let mine = |d: &&Difference| d.world == row.world && d.label == row.contender.label;
                row.difference = differences.iter().find(mine).cloned();
            }
            let about = World {
                label: world.label.clone(),
                world: world.place.world.clone(),
                params: world.place.params.clone(),
                optimal_cost: views.iter().flat_map(View::runs).map(|run| run.row.optimal_cost).next(),
                episodes: world.length.episodes,
                max_steps: world.length.max_steps,
                best: best.map(|view| view.label().into()),
            };
            Side { views, rows, about }
        };
        let worlds = grouped.into_iter().map(side).collect();
        Compared { study: &results.study, ask, worlds, differences }
    }

    fn rows(&self) -> impl Iterator<Item = &Standing> {
        self.worlds.iter().flat_map(|side| &side.rows)
    }

    fn several(&self) -> bool {
        self.worlds.len() > 1
    }

    /// Whether learners stand here that know different things.
    fn mixes_knowledge(&self) -> bool {
        let views = self.worlds.iter().flat_map(|side| &side.views);
        let mut known = views.filter(|view| !view.is_baseline()).map(View::knowledge);
        let first = known.next();
        known.any(|other| Some(other) != first)
    }

    /// Rows that the reference is judged by: rivals of which something is proved, perhaps with
    /// constants that nobody could check, and that are not shown beside.
    fn rivals(&self) -> Vec<(&Standing, &Difference)> {
        let judged = |row: &&Standing| {
            matches!(row.guarantee.as_deref(), Some("yes" | "unknown"))
                && !self.ask.beside.contains(&row.contender.label)
        };
        self.rows().filter(judged).filter_map(|row| Some((row, row.difference.as_ref()?))).collect()
    }

    /// Rivals of which the test says this.
    fn verdicts(&self, verdict: Verdict) -> usize {
        self.rivals().iter().filter(|(_, d)| d.verdict == Some(verdict)).count()
    }

    /// The rows as data, with the names that they have had since the first release.
    fn data(&self, words: &[String]) -> Value {
        let mut data = Map::new();
        match &self.worlds[..] {
            [only] => {
                if let Value::Object(about) = value(&only.about) {
                    data.extend(about.into_iter().filter(|(name, _)| name != "label"));
                }
            }
            several => {
                let best = several.iter().map(|side| (side.about.label.clone(), value(&side.about.best)));
                data.insert("best".into(), Value::Object(best.collect()));
                data.insert("worlds".into(), several.iter().map(|side| value(&side.about)).collect());
            }
        }
        data.insert("rows".into(), self.rows().map(value).collect());
        if let Some(reference) = &self.ask.against {
            let unknown = self.rivals().iter().filter(|(_, d)| d.verdict.is_none()).count();
            let nowhere_worse = self.verdicts(Verdict::More) == 0 && unknown == 0;
            data.insert("nowhere_worse".into(), nowhere_worse.into());
            let against = json!({ "reference": reference, "differences": self.differences });
            data.insert("against".into(), against);
        }
        data.insert("words".into(), value(words));
        Value::Object(data)
    }

    /// How the numbers were computed.
    fn methods(&self) -> Vec<String> {
        let mut methods = vec![
            "Means have 95 % intervals of Student's t over the runs.".to_string(),
            "Gap regret sums Q*(s,a) − V*(s) over the steps: it has the same mean as the regret, and \
             far less noise."
                .into(),
            "Behind best: the mean of the differences in gap regret to the best learner, seed by \
             seed, which met the same luck. Its 95 % interval is that of a BCa bootstrap (Efron \
             1987, 2,000 resamples of the runs), of Student's t with fewer than eight runs."
                .into(),
            "Growth: the exponent e of K^e, fitted by least squares to the logarithms of the mean gap \
             regret over the last two doublings of K."
                .into(),
        ];
        if self.rows().any(|row| row.burn_in.is_some()) {
            methods.push(
                "Burn-in: the first recorded plan over a confidence set that rules something out, \
                 as an episode; the median over the runs, those without such a plan counted as \
                 later than all."
                    .into(),
            );
        }
        let tests: Vec<PairedTest> = self.differences.iter().filter_map(|d| d.test).collect();
        let made = |test: PairedTest| tests.contains(&test);
        if made(PairedTest::ExactSignFlips) {
            methods.push("Paired tests: all ways of flipping the signs of the differences.".into());
        }
        if made(PairedTest::DrawnSignFlips) {
            methods.push(
                "Paired tests: 19,999 random ways of flipping the signs of the differences, always \
                 the same."
                    .into(),
            );
        }
        if made(PairedTest::Student) {
            methods.push("Paired tests: Student's t, because so few runs have too few signs to flip.".into());
        }
        if !tests.is_empty() {
            methods.push(format!(
                "Holm's correction over {}: together they err with a probability of at most 5 %.",
                counted(tests.len(), "comparison")
            ));
        }
        methods
    }
}

/// Adds the comparison to the findings.
pub(super) fn add(results: &Results, ask: &ComparisonAsk, findings: &mut Findings) {
    let compared = Compared::of(results, ask);
    let words = words::of(&compared);
    findings.sound &= !(ask.judge && compared.verdicts(Verdict::More) > 0);
    findings.tables.extend(tables::of(&compared));
    findings.data.insert(NAME.into(), compared.data(&words));
    findings.put_parts(NAME, parts::of(&compared));
    findings.words.extend(words);
    findings.put_methods(compared.methods());
}
