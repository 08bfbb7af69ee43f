//! The experiment of the LEVIS++ paper: its two-state instance, its learners with the constants as
//! printed, and beside them one whose radius is scaled down, which has no guarantee.

mod picture;
mod published;
mod report;

use crate::curves::{Curves, Interrupted, Run};
use crate::files::figure_names;
use crate::jobs::run_grid;
use crate::records::{Group, curves_csv, runs_csv};
use crate::stats::Mean;
use crate::{Contender, Error, Folder, Progress, Result};
use goalward::Settings;
use goalward::confidence::Holds;
use goalward::episode::Arena;
use serde::Serialize;
use std::ops::Range;
use std::path::PathBuf;

/// The world of the paper's Appendix B.
const WORLD: &str = "hard-instance";
/// B* = V*(start).
const B_STAR: f64 = 3.0;
/// The probability that a uniformly random action reaches the goal, inferred from the published
/// figure.
const DELTA: (f64, &str) = (5.0 / 27.0, "5/27");

const RANDOM: &str = "random";
const OPTIMAL: &str = "optimal";
const LEVIS: &str = "LEVIS (printed radius)";
const LEVIS_PLUS_PLUS: &str = "LEVIS++ (printed radius)";
const LIKELIHOOD: &str = "LEVIS++ and likelihood set";
const LIKELIHOOD_ALONE: &str = "likelihood set alone";
const LEVIS_PLUS_PLUS_SCALED: &str = "LEVIS++ (radius × 0.003, no guarantee)";

/// How to reproduce the paper's experiment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReproduceOptions {
    /// Where the results are written.
    pub out: PathBuf,
    /// Whether results of another question may be overwritten.
    #[serde(skip)]
    pub force: bool,
    /// The number of episodes K of each run.
    pub episodes: u64,
    /// The seeds.
    pub seeds: Range<u64>,
    /// The dimensions d: the paper does not say which it used.
    pub dims: Vec<usize>,
}

impl Default for ReproduceOptions {
    fn default() -> Self {
        ReproduceOptions {
            out: "out/reproduce".into(),
            force: false,
            episodes: 80_000,
            seeds: 0..10,
            dims: vec![2, 3],
        }
    }
}

/// What the reproduction came to.
#[derive(Clone, Debug, Serialize)]
pub struct Reproduction {
    /// The version of goalward.
    pub version: &'static str,
    /// What was asked for.
    #[serde(flatten)]
    pub options: ReproduceOptions,
    /// One row for each dimension and learner.
    pub rows: Vec<ReproduceRow>,
    /// What the numbers say, in words.
    pub words: Vec<String>,
    /// What is missing, if the user broke off.
    pub interrupted: Option<Interrupted>,
    /// The files that were written.
    pub files: Vec<PathBuf>,
    /// The runs themselves, by dimension.
    #[serde(skip)]
    pub curves: Vec<(usize, Vec<Curves>)>,
}

/// One learner in one dimension; every mean is over its runs.
#[derive(Clone, Debug, Serialize)]
pub struct ReproduceRow {
    /// The dimension d.
    pub dim: usize,
    /// Who it is.
    #[serde(flatten)]
    pub contender: Contender,
    /// Which confidence radius was used, if the learner has one.
    pub radius: Option<String>,
    /// Whether what is proved of the learner holds here.
    pub guarantee: Option<Holds>,
    /// Runs that the numbers are taken over.
    pub runs: usize,
    /// Runs that a cap on steps ended.
    pub truncated: usize,
    /// Every run was interrupted: the numbers are those of fewer episodes.
    pub unfinished: bool,
    /// Regret / K.
    pub regret_per_episode: Option<Mean>,
    /// Gap regret / K: the same expectation, far less noise.
    pub gap_regret_per_episode: Option<Mean>,
    /// The difference in gap regret / K to the random policy, seed by seed.
    pub minus_random: Option<Mean>,
    /// Whether every run has the very regret of the random policy's run with the same seed, at
    /// every point of the curve.
    pub same_as_random: bool,
    /// The exponent of the growth of the gap regret over the second half of the curve: 1 for one
    /// who does not learn.
    pub growth: Option<f64>,
    /// The share of optimal actions in the second half of the episodes.
    pub late_optimal_share: Option<Mean>,
    /// The optimistic value of the start in the last plan.
    pub promised: Option<Mean>,
    /// Planning calls.
    pub planner_calls: Option<Mean>,
    /// Steps.
    pub steps: Option<Mean>,
    /// The parameters in force, of the first run.
    pub parameters: serde_json::Map<String, serde_json::Value>,
}

/// Runs the experiment and writes its figures, tables and report into `options.out`.
///
/// When `progress` says so the runs stop; what was done is written, and says that it was
/// interrupted.
pub fn reproduce(options: &ReproduceOptions, progress: &dyn Progress) -> Result<Reproduction> {
    if options.dims.is_empty() {
        return Err(Error::Nothing { what: "dimensions" });
    }
    let seeds: Vec<u64> = options.seeds.clone().collect();
    let contenders = contenders();
    let arenas: Vec<(usize, Arena)> = options
        .dims
        .iter()
        .map(|&dim| Ok((dim, Arena::open(WORLD, &params(dim))?)))
        .collect::<Result<_>>()?;
    // a directory that cannot be written should be known before the work, not after it
    let stems = options.dims.iter().map(|dim| format!("regret-dim{dim}")).chain(["regret".into()]);
    let worlds: Vec<&Arena> = arenas.iter().map(|(_, arena)| arena).collect();
    let names = stems
        .flat_map(|stem| figure_names(&stem))
        .chain(["curves.csv", "runs.csv", "summary.md", "README.md"].map(String::from))
        .collect();
    let folder = Folder::claim(&options.out, "reproduce", options, &worlds, names, options.force)?;

    let mut curves = Vec::new();
    for (dim, arena) in &arenas {
        let done = run_grid(arena, &contenders, &seeds, options.episodes, None, progress)?;
        curves.push((*dim, done));
    }
    let every: Vec<Curves> = curves.iter().flat_map(|(_, c)| c.clone()).collect();
    let mut reproduction = Reproduction {
        version: env!("CARGO_PKG_VERSION"),
        options: options.clone(),
        rows: curves
            .iter()
            .flat_map(|(dim, all)| all.iter().map(|c| ReproduceRow::of(*dim, c, all)))
            .collect(),
        words: Vec::new(),
        interrupted: Interrupted::of(&every, options.episodes),
        files: Vec::new(),
        curves,
    };
    reproduction.words = report::words(&reproduction);
    reproduction.write(&folder)?;
    Ok(reproduction)
}

fn params(dim: usize) -> Settings {
    Settings::new().set("dim", dim).set("b_star", B_STAR).set("delta", DELTA.1)
}

/// The paper's learners and its two reference policies; later ones are drawn upon earlier ones.
fn contenders() -> Vec<Contender> {
    let known = || Settings::new().set("B", B_STAR).set("delta", 0.01);
    vec![
        Contender::new(RANDOM, "random", Settings::new()),
        Contender::new(LEVIS, "levis", known().set("lambda", 1).set("radius", "printed")),
        Contender::new(LEVIS_PLUS_PLUS, "levis++", known().set("radius", "printed")),
        Contender::new(LEVIS_PLUS_PLUS_SCALED, "levis++", known().set("radius", "scaled:0.003")),
        Contender::new(LIKELIHOOD, "levis++lr", known()),
        Contender::new(LIKELIHOOD_ALONE, "lr", Settings::new().set("delta", 0.01)),
        Contender::new(OPTIMAL, "optimal", Settings::new()),
    ]
}

impl ReproduceRow {
    fn of(dim: usize, curves: &Curves, all: &[Curves]) -> ReproduceRow {
        let random = all.iter().find(|c| c.contender.label == RANDOM && c.contender != curves.contender);
        ReproduceRow {
            dim,
            contender: curves.contender.clone(),
            radius: curves.radius().map(String::from),
            guarantee: curves.guarantee(),
            runs: curves.counted().len(),
            truncated: curves.truncated(),
            unfinished: curves.unfinished(),
            regret_per_episode: curves.mean_of(|r| r.regret_per_episode()),
            gap_regret_per_episode: curves.mean_of(|r| r.gap_regret_per_episode()),
            minus_random: random.and_then(|random| curves.minus(random, |r| r.gap_regret_per_episode())),
            same_as_random: random.is_some_and(|random| same_curves(curves, random)),
            growth: curves.growth(),
            late_optimal_share: curves.mean_of_known(|r| r.late_optimal_share),
            promised: curves.mean_of_known(|r| r.promised),
            planner_calls: curves.mean_of(|r| r.result.planner_calls as f64),
            steps: curves.mean_of(|r| r.result.steps as f64),
            parameters: curves.runs.first().map(|r| r.result.parameters.clone()).unwrap_or_default(),
        }
    }
}

fn same_curves(a: &Curves, b: &Curves) -> bool {
    let twin = |run: &Run| b.runs.iter().find(|r| r.seed == run.seed);
    let (mine, same) = (a.counted(), |run: &&Run| twin(run).is_some_and(|r| r.regret == run.regret));
    !mine.is_empty() && mine.iter().all(same)
}

impl Reproduction {
    /// The result as aligned text.
    pub fn table(&self) -> String {
        let interrupted = self.interrupted.map_or(String::new(), |i| format!("{i}\n"));
        format!("{}{interrupted}", report::cells(self).text())
    }

    /// What the numbers say: every sentence is made from what was measured.
    pub fn words(&self) -> Vec<String> {
        self.words.clone()
    }

    fn write(&mut self, folder: &Folder) -> Result<()> {
        let groups: Vec<Group> =
            self.curves.iter().map(|(dim, curves)| Group { lead: dim.to_string(), curves }).collect();
        let mut written = Vec::new();
        for dim in &self.options.dims {
            written.extend(picture::of(self, &[*dim]).write(folder, &format!("regret-dim{dim}"))?);
        }
        if self.options.dims.len() > 1 {
            written.extend(picture::of(self, &self.options.dims).write(folder, "regret")?);
        }
        written.push(folder.write("curves.csv", curves_csv("dim", &groups))?);
        written.push(folder.write("runs.csv", runs_csv("dim", &groups))?);
        written.push(folder.write("summary.md", report::summary(self))?);
        written.push(folder.write("README.md", report::readme(self))?);
        self.files = written;
        Ok(())
    }
}
