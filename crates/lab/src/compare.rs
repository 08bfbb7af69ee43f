//! Contenders on one world, side by side.

use crate::curves::{Curves, Interrupted};
use crate::figure::{Axis, BandPoint, CurveFigure, Panel, Series, Stroke};
use crate::files::figure_names;
use crate::jobs::run_grid;
use crate::paired::{Difference, Verdict};
use crate::records::{Group, curves_csv, runs_csv};
use crate::stats::Mean;
use crate::table::Table;
use crate::{Contender, Folder, Progress, Result};
use goalward::Settings;
use goalward::confidence::Holds;
use goalward::episode::Arena;
use goalward::learners;
use serde::Serialize;
use serde_json::json;
use std::path::{Path, PathBuf};

/// What a comparison came to.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// The world's id or the problem file.
    pub world: String,
    /// The world's parameters, as given.
    pub params: Settings,
    /// V*(start).
    pub optimal_cost: f64,
    /// The number of episodes K.
    pub episodes: u64,
    /// The cap on steps of each run.
    pub max_steps: Option<u64>,
    /// The seeds.
    pub seeds: Vec<u64>,
    /// The label of the best contender: the least mean gap regret of those that were never
    /// truncated and know no truth.
    pub best: Option<String>,
    /// One row for each contender, in the order given.
    pub rows: Vec<Row>,
    /// Paired differences to one contender, if they were asked for.
    pub against: Option<Against>,
    /// What is missing, if the user broke off.
    pub interrupted: Option<Interrupted>,
    /// The runs themselves.
    #[serde(skip)]
    pub curves: Vec<Curves>,
}

/// All other contenders against one.
#[derive(Clone, Debug, Serialize)]
pub struct Against {
    /// The label of the one.
    pub reference: String,
    /// The gap regret of each other one less its own, seed by seed.
    pub differences: Vec<Difference>,
}

/// One contender of a comparison; every mean is over its runs.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Who it is.
    #[serde(flatten)]
    pub contender: Contender,
    /// Which confidence radius was used, if the learner has one.
    pub radius: Option<String>,
    /// Whether what is proved of the learner holds here.
    pub guarantee: Option<Holds>,
    /// Runs that the numbers are taken over.
    pub runs: usize,
    /// The seeds of these runs.
    pub seeds: Vec<u64>,
    /// Runs that were asked for: more than `runs` if the user broke off.
    pub runs_asked: usize,
    /// Runs that the cap on steps ended.
    pub truncated: usize,
    /// Every run was interrupted: the numbers are those of fewer episodes, and compare with
    /// nobody's.
    pub unfinished: bool,
    /// Finished episodes of a run.
    pub episodes_done: Option<Mean>,
    /// Cumulative regret.
    pub regret: Option<Mean>,
    /// Cumulative gap regret: the same expectation, far less noise.
    pub gap_regret: Option<Mean>,
    /// The exponent e of the growth K^e of the gap regret over the second half: 1 for one who does
    /// not learn, 1/2 for the rate of the bounds.
    pub growth: Option<f64>,
    /// By how much the gap regret exceeds that of the best, seed by seed; nothing if a run was
    /// truncated.
    pub behind_best: Option<Mean>,
    /// Steps.
    pub steps: Option<Mean>,
    /// Planning calls.
    pub planner_calls: Option<Mean>,
    /// Planning calls that met an empty confidence set, over all runs.
    pub violations: u64,
}

/// Runs every contender with every seed on one world, and compares.
///
/// Regret is in the units of the world's costs. When `progress` says so the runs stop and what was
/// done is compared.
pub fn compare(
    arena: &Arena,
    contenders: &[Contender],
    seeds: &[u64],
    episodes: u64,
    max_steps: Option<u64>,
    progress: &dyn Progress,
) -> Result<Comparison> {
    let curves = run_grid(arena, contenders, seeds, episodes, max_steps, progress)?;
    let best = best(&curves);
    Ok(Comparison {
        world: arena.world.clone(),
        params: arena.params.clone(),
        optimal_cost: arena.optimal_cost(),
        episodes,
        max_steps,
        seeds: seeds.to_vec(),
        best: best.map(|c| c.contender.label.clone()),
        rows: curves.iter().map(|c| Row::of(c, best)).collect(),
        against: None,
        interrupted: Interrupted::of(&curves, episodes),
        curves,
    })
}

/// The contender to measure the others against.
fn best(curves: &[Curves]) -> Option<&Curves> {
    let knows_the_truth =
        |c: &Curves| learners::entry(&c.contender.learner).is_ok_and(|e| e.wants(learners::Need::Policy));
    let rank = |c: &&Curves| {
        let mean = c.mean_of(|r| r.result.gap_regret).map_or(f64::INFINITY, |m| m.mean);
        (c.truncated() > 0, knows_the_truth(c), mean)
    };
    let order = |a: &(bool, bool, f64), b: &(bool, bool, f64)| {
        a.0.cmp(&b.0).then(a.1.cmp(&b.1)).then(a.2.total_cmp(&b.2))
    };
    curves.iter().filter(|c| !c.runs.is_empty() && !c.unfinished()).min_by(|a, b| order(&rank(a), &rank(b)))
}

impl Row {
    /// Runs that came to their end.
    fn complete(&self) -> usize {
        if self.unfinished { 0 } else { self.runs }
    }

    fn of(curves: &Curves, best: Option<&Curves>) -> Row {
        Row {
            contender: curves.contender.clone(),
            radius: curves.radius().map(String::from),
            guarantee: curves.guarantee(),
            runs: curves.counted().len(),
            seeds: curves.counted().iter().map(|r| r.seed).collect(),
            runs_asked: curves.planned,
            truncated: curves.truncated(),
            unfinished: curves.unfinished(),
            episodes_done: curves.mean_of(|r| r.result.episodes as f64),
            regret: curves.mean_of(|r| r.result.regret),
            gap_regret: curves.mean_of(|r| r.result.gap_regret),
            growth: curves.growth(),
            behind_best: best
                .filter(|best| {
                    best.contender != curves.contender
                        && best.truncated() + curves.truncated() == 0
                        && !curves.unfinished()
                })
                .and_then(|best| curves.minus(best, |r| r.result.gap_regret)),
            steps: curves.mean_of(|r| r.result.steps as f64),
            planner_calls: curves.mean_of(|r| r.result.planner_calls as f64),
            violations: curves.runs.iter().map(|r| r.result.violations).sum(),
        }
    }
}

impl Comparison {
    /// The result as aligned text.
    pub fn table(&self) -> String {
        let warnings: String = self.warnings().iter().map(|w| format!("{w}\n")).collect();
        let against = self.against_cells().map_or(String::new(), |cells| format!("\n{}", cells.text()));
        format!("{}{warnings}{against}", self.cells().text())
    }

    /// Adds the paired differences of all other contenders to the one with this label.
    pub fn against(mut self, reference: &str) -> Result<Comparison> {
        let differences = Difference::all(&self.curves, reference)?;
        self.against = Some(Against { reference: reference.into(), differences });
        Ok(self)
    }

    fn against_cells(&self) -> Option<Table> {
        let against = self.against.as_ref()?;
        let reference = &against.reference;
        let mut table =
            Table::new(["learner", &format!("gap regret less that of {reference}"), "95 % interval says"]);
        for d in &against.differences {
            let says = match d.verdict {
                None => "-".into(),
                Some(Verdict::Less) => format!("{reference} pays less"),
                Some(Verdict::More) => format!("{reference} pays more"),
                Some(Verdict::Open) => "cannot be told apart".into(),
            };
            table.row(vec![d.label.clone(), d.text(), says]);
        }
        Some(table)
    }

    /// What a reader of the numbers must not overlook.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if let Some(interrupted) = self.interrupted {
            let complete = self.rows.iter().map(Row::complete).collect::<Vec<_>>();
            let whole = "the numbers are those of the runs that were complete";
            let who = |row: &Row| format!("{} {}", row.contender.label, row.complete());
            warnings.push(match complete.windows(2).all(|pair| pair[0] == pair[1]) {
                true => {
                    let (n, of) = (complete.first().unwrap_or(&0), self.seeds.len());
                    format!("{interrupted}: {whole}, {n} of {of} seeds of every learner")
                }
                false => format!(
                    "{interrupted}: {whole}, not equally many of every learner ({} of {} seeds)",
                    self.rows.iter().map(who).collect::<Vec<_>>().join(", "),
                    self.seeds.len()
                ),
            });
        }
        for row in self.rows.iter().filter(|r| r.unfinished) {
            warnings.push(format!(
                "{}: every run was interrupted; what is shown are {:.0} of {} episodes, and \
                 compares with nothing",
                row.contender.label,
                row.episodes_done.map_or(0.0, |m| m.mean),
                self.episodes
            ));
        }
        for row in self.rows.iter().filter(|r| r.truncated > 0) {
            warnings.push(format!(
                "{}: {} of {} runs met the cap on steps and are truncated; their regret is that \
                 of fewer episodes, the one cut off \
                 counted up to where it stood",
                row.contender.label, row.truncated, row.runs
            ));
        }
        warnings
    }

    pub(crate) fn cells(&self) -> Table {
        let mut table = Table::new([
            "learner",
            "radius",
            "guarantee",
            "runs",
            "truncated",
            "regret",
            "gap regret",
            "behind best",
            "growth",
            "plans",
        ]);
        for row in &self.rows {
            let unfinished = if row.unfinished { " (unfinished)" } else { "" };
            let shown = |mean: &Option<Mean>| mean.map_or("-".into(), |m| format!("{m}{unfinished}"));
            let is_best = self.best.as_ref() == Some(&row.contender.label);
            table.row(vec![
                row.contender.label.clone(),
                row.radius.clone().unwrap_or("-".into()),
                guarantee_word(row.guarantee).into(),
                match self.interrupted {
                    Some(_) => format!("{} of {}", row.complete(), row.runs_asked),
                    None => row.runs.to_string(),
                },
                row.truncated.to_string(),
                shown(&row.regret),
                shown(&row.gap_regret),
                if is_best { "0 (best)".into() } else { shown(&row.behind_best) },
                row.growth.map_or("-".into(), |e| format!("{e:.2}")),
                row.planner_calls.map_or("-".into(), |m| format!("{:.0}", m.mean)),
            ]);
        }
        table
    }

    /// Cumulative regret over the episodes, with 95 % bands.
    pub fn figure(&self) -> CurveFigure {
        let x = Axis { title: "Episodes K".into(), range: Some((0.0, self.episodes as f64)), log: false };
        self.drawn("Regret", "Cumulative regret", x, |regret, _| regret)
    }

    /// Cumulative gap regret over the episodes, both logarithmic: a power law is a straight line,
    /// and small regrets stay visible beside large ones.
    pub fn log_figure(&self) -> CurveFigure {
        let x = Axis { title: "Episodes K".into(), range: Some((1.0, self.episodes as f64)), log: true };
        self.drawn("Gap regret", "Cumulative gap regret", x, |_, gap| gap)
    }

    fn drawn(&self, what: &str, y: &str, x: Axis, choose: fn(Mean, Mean) -> Mean) -> CurveFigure {
        let series = |(n, curves): (usize, &Curves)| {
            let point = |(k, regret, gap): (u64, Mean, Mean)| {
                let mean = choose(regret, gap);
                BandPoint { x: k as f64, mean: mean.mean, band: mean.low.zip(mean.high) }
            };
            let points = curves.means().into_iter().map(point).collect();
            Series { label: self.legend(curves), stroke: Stroke::nth(n), points }
        };
        // a logarithm has no place for those who pay nothing; those who did not run stay in the
        // legend, which says so
        let visible = |s: &Series| !x.log || s.points.is_empty() || s.points.iter().any(|p| p.mean > 0.0);
        let panel = Panel {
            title: String::new(),
            y: Axis { title: y.into(), range: None, log: x.log },
            series: self.curves.iter().enumerate().map(series).filter(visible).collect(),
            marks: Vec::new(),
            x,
        };
        let params: String = self.params.iter().map(|(k, v)| format!(", {k} = {v}")).collect();
        CurveFigure {
            title: format!("{what} on {}{params}", self.world),
            note: self.figure_note("Mean"),
            size: (1600, 1000),
            panels: vec![panel],
        }
    }

    /// What the curves are means of; `mean` begins the sentence.
    pub(crate) fn figure_note(&self, mean: &str) -> String {
        match self.interrupted {
            None => format!("{mean} of {} runs, band: 95 % interval of the mean", self.seeds.len()),
            Some(interrupted) => format!(
                "{mean} of the runs that the legend names, of {} asked for, band: 95 % interval \
                 of the mean · {interrupted}",
                self.seeds.len()
            ),
        }
    }

    /// The runs that a curve is made of, where the user broke off: nobody should take some for all.
    pub(crate) fn runs_note(&self, curves: &Curves) -> Option<String> {
        self.interrupted?;
        let (complete, planned) = (curves.complete(), curves.planned);
        Some(match curves.unfinished() {
            true => {
                let done = curves.runs.iter().map(|r| r.result.episodes).max().unwrap_or(0);
                format!(" (unfinished: {done} of {} episodes at most)", self.episodes)
            }
            false => format!(" ({complete} of {planned} seeds)"),
        })
    }

    /// What the legend says: the label, and all that would make the curve misleading.
    fn legend(&self, curves: &Curves) -> String {
        let mut label = curves.contender.label.clone();
        if curves.guarantee() == Some(Holds::No) {
            label.push_str(" (no guarantee)");
        }
        label.push_str(&self.runs_note(curves).unwrap_or_default());
        if curves.truncated() > 0 {
            label.push_str(&format!(" ({} of {} truncated)", curves.truncated(), curves.runs.len()));
        }
        label
    }

    /// The result as Markdown.
    pub fn summary(&self) -> String {
        let params: String = self.params.iter().map(|(k, v)| format!(" `{k}={v}`")).collect();
        let warnings: String = self.warnings().iter().map(|w| format!("\n**{w}.**\n")).collect();
        let against = self.against_cells().map_or(String::new(), |cells| format!("\n{}", cells.markdown()));
        format!(
            "# Comparison on {}\n\nWorld `{}`{params}, V*(start) = {}, {} episodes, {} seeds, \
             goalward {}.\n{warnings}\n{}\n\
             Means over the runs with 95 % Student-t intervals. *Gap regret* sums Q*(s,a) − V*(s) \
             over the steps: the same \
             expectation as the regret, far less noise. *Behind best* is the paired difference in \
             gap regret to the best \
             contender, seed by seed; differences have BCa bootstrap intervals, from eight seeds \
             on. *Growth* is the exponent e of K^e that the gap regret follows over the second half: \
             1 means that nothing is learnt any more.\n{against}",
            self.world,
            self.world,
            self.optimal_cost,
            self.episodes,
            self.seeds.len(),
            env!("CARGO_PKG_VERSION"),
            self.cells().markdown(),
        )
    }

    /// A folder for what a comparison of these contenders will write: see [`Folder::claim`].
    pub fn folder(
        dir: &Path,
        arena: &Arena,
        contenders: &[Contender],
        seeds: &[u64],
        (episodes, max_steps): (u64, Option<u64>),
        against: Option<&str>,
        force: bool,
    ) -> Result<Folder> {
        let question = json!({
            "world": arena.world,
            "params": arena.params,
            "contenders": contenders,
            "seeds": seeds,
            "episodes": episodes,
            "max_steps": max_steps,
            "against": against,
        });
        Folder::claim(dir, "compare", &question, &[arena], Comparison::files(), force)
    }

    /// The names of what [`write`](Self::write) writes.
    pub(crate) fn files() -> Vec<String> {
        let figures = ["regret", "gap-regret"].into_iter().flat_map(figure_names);
        figures.chain(["curves.csv", "runs.csv", "summary.md"].map(String::from)).collect()
    }

    /// Writes regret and gap-regret (.svg and .png), curves.csv, runs.csv and summary.md; gives
    /// their paths back.
    pub fn write(&self, dir: &Folder) -> Result<Vec<PathBuf>> {
        let groups = [Group { lead: self.world.clone(), curves: &self.curves }];
        let mut written = self.figure().write(dir, "regret")?;
        written.extend(self.log_figure().write(dir, "gap-regret")?);
        written.push(dir.write("curves.csv", curves_csv("world", &groups))?);
        written.push(dir.write("runs.csv", runs_csv("world", &groups))?);
        written.push(dir.write("summary.md", self.summary())?);
        Ok(written)
    }
}

pub(crate) fn guarantee_word(guarantee: Option<Holds>) -> &'static str {
    guarantee.map_or("-", Holds::word)
}
