//! What was recorded, in memory: all that analyses, figures and reports are made from.
//!
//! Nothing here is computed but by reading: the numbers are those of the Parquet files
//! (`store`), the times those of the manifests.

use crate::study::{Ran, Study};
use serde::{Deserialize, Serialize};

/// The version of the tables: what columns they have, and what these mean.
pub const SCHEMA: u32 = 1;

/// The records of a study, as far as its jobs are finished.
#[derive(Clone, Debug)]
pub struct Results {
    /// The question.
    pub study: Study,
    /// Who computed them.
    pub build: Build,
    /// Where they were computed, from the manifests; empty if nothing is known of it.
    pub machines: Vec<Machine>,
    /// One for each world and learner: world by world, learners in their order. Cell
    /// `w * learners + l` belongs to world w and learner l.
    pub cells: Vec<Cell>,
    /// What the study asks that these runs do not answer, since its file was changed.
    pub changes: Vec<String>,
}

/// The program that made the records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// The version of goalward.
    pub version: String,
    /// The commit it was built from, with `+` behind it if there were changes; "unknown" outside a
    /// checkout.
    pub commit: String,
}

impl std::fmt::Display for Build {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "goalward {} (commit {})", self.version, self.commit)
    }
}

/// A machine that made some of the records, from the manifests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// Its name.
    pub host: String,
    /// The operating system and the architecture, such as "linux x86_64".
    pub os: String,
    /// How many cores it offered.
    pub cores: usize,
    /// How many of the runs it made.
    pub runs: usize,
    /// The wall-clock time of these runs together, in seconds.
    pub seconds: f64,
}

/// The runs of one learner in one world.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    /// The world's number in the study.
    pub world: usize,
    /// The learner's number in the study.
    pub learner: usize,
    /// Finished runs, in the order of the seeds.
    pub runs: Vec<Run>,
    /// Jobs that failed: seed and reason.
    pub failed: Vec<(u64, String)>,
    /// Runs that were planned.
    pub planned: usize,
}

/// One finished run.
#[derive(Clone, Debug)]
pub struct Run {
    /// The seed.
    pub seed: u64,
    /// What it came to: its row in `runs/`.
    pub row: RunRow,
    /// Its rows in `episodes/`, as thinned; the last is the last finished episode.
    pub episodes: Vec<EpisodeRow>,
    /// Its rows in `plans/`.
    pub plans: Vec<PlanRow>,
    /// Its rows in `probes/`.
    pub probes: Vec<ProbeRow>,
    /// Wall-clock time in seconds, from the manifest.
    pub seconds: f64,
    /// CPU time in seconds, from the manifest.
    pub cpu_seconds: f64,
    /// All parameters in force, from the manifest.
    pub parameters: serde_json::Map<String, serde_json::Value>,
}

/// A run: one row of `runs/`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunRow {
    /// "finished" (all episodes), or "truncated" (the cap on steps ended it).
    pub outcome: String,
    /// Finished episodes.
    pub episodes: u64,
    /// Steps.
    pub steps: u64,
    /// What they cost.
    pub total_cost: f64,
    /// V*(start).
    pub optimal_cost: f64,
    /// B*.
    pub b_star: f64,
    /// T*.
    pub t_star: f64,
    /// The least cost of a step off the goal.
    pub c_min: f64,
    /// The dimension d.
    pub dim: u64,
    /// The number of states.
    pub states: u64,
    /// The number of state-action pairs.
    pub pairs: u64,
    /// The regret.
    pub regret: f64,
    /// The gap regret: the same mean, far less noise.
    pub gap_regret: f64,
    /// Planning calls.
    pub planner_calls: u64,
    /// Planning calls that met an empty set, and steps that no model allows.
    pub violations: u64,
    /// The confidence radius: "printed", "scaled:x", "likelihood" ...
    pub radius: Option<String>,
    /// Whether what is proved of the learner holds here: "yes", "no", "unknown"; none if nothing is
    /// proved.
    pub guarantee: Option<String>,
    /// Why it does not hold: the guarantee's own summary, where the word is "no".
    pub why_not: Option<String>,
    /// The probability with which it may fail.
    pub level: Option<f64>,
    /// The failure probability delta in force.
    pub delta: Option<f64>,
    /// The share of optimal actions among the steps of the second half of the episodes.
    pub late_optimal_share: Option<f64>,
    /// The optimistic value of the start in the last plan.
    pub promised: Option<f64>,
    /// The first plan that was looked at (8 to each doubling, and the end of the run) whose sets are
    /// narrower than B somewhere, as a step: before it the learner knew nothing. None if there was
    /// none, or the learner has no set.
    pub informed_step: Option<u64>,
    /// The episode of that plan.
    pub informed_episode: Option<u64>,
    /// The size of the learner's saved state in bytes.
    pub state_bytes: u64,
    /// The first step after which theta* was outside a confidence set.
    pub lost: Option<u64>,
    /// The first plan over a set without theta*, as a step.
    pub lost_at_plan: Option<u64>,
    /// The first plan over a set without theta* though the confidence set had it: an error.
    pub missed: Option<u64>,
    /// The likelihood's threshold above the least loss at the end, in nats.
    pub nats: Option<f64>,
    /// The radius of the regression's ellipsoid at the end.
    pub beta: Option<f64>,
    /// The width of the set at the end as a share of B's, mean over phi_V*(s,a).
    pub width: Option<f64>,
    /// Whether the set was empty at the end.
    pub empty: Option<bool>,
}

/// An episode: one row of `episodes/`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EpisodeRow {
    /// Its number k, from 1.
    pub episode: u64,
    /// Steps of the run up to its end.
    pub t: u64,
    /// Its own steps.
    pub steps: u64,
    /// Its own cost.
    pub cost: f64,
    /// The regret of the run up to its end.
    pub regret: f64,
    /// The gap regret of the run up to its end.
    pub gap_regret: f64,
}

/// A planning call: one row of `plans/`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlanRow {
    /// Its number j, from 1.
    pub plan: u64,
    /// The step after which it was made.
    pub t: u64,
    /// The episode under way.
    pub episode: u64,
    /// What triggered it.
    pub reason: String,
    /// Sweeps over all pairs.
    pub sweeps: u64,
    /// The optimistic value of the start.
    pub promised: Option<f64>,
    /// The radius of the confidence set.
    pub beta: Option<f64>,
    /// Whether there was no set to plan over.
    pub empty: bool,
}

/// A number that a learner was asked for at a planning call: one row of `probes/`.
///
/// `theta[i]`: the estimate with its interval. `width`: of the sets, as a share of B's. `nats`,
/// `radius`: the size of a set. `support[i,j] k/16`: the most of `cos(a) theta_i + sin(a) theta_j`
/// over the set at the angle a = 2 pi k/16.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProbeRow {
    /// The step.
    pub t: u64,
    /// The episode under way.
    pub episode: u64,
    /// What was asked for.
    pub quantity: String,
    /// The answer.
    pub value: Option<f64>,
    /// The lower end of its interval.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
}

impl Results {
    /// The cell of a world and a learner.
    pub fn cell(&self, world: usize, learner: usize) -> &Cell {
        &self.cells[world * self.study.learners.len() + learner]
    }

    /// The same records under a study file as it is now: its labels, figures and questions. A cell
    /// is found by its world and learner, wherever they stand in the file.
    ///
    /// None if the file asks for no cell that is recorded.
    pub(crate) fn under(self, look: &Study) -> Option<Results> {
        let old = self.study;
        let Ran { worlds, learners } = look.ran(&old);
        if worlds.iter().flatten().next().is_none() || learners.iter().flatten().next().is_none() {
            return None;
        }
        let cell = |n: usize| {
            let (world, learner) = (n / look.learners.len(), n % look.learners.len());
            let was = worlds[world].zip(learners[learner]).map(|(w, l)| w * old.learners.len() + l);
            let was = was.map(|was| self.cells[was].clone());
            Cell { world, learner, ..was.unwrap_or(Cell { planned: old.seeds.len(), ..Cell::default() }) }
        };
        let cells = (0..look.worlds.len() * look.learners.len()).map(cell).collect();
        let changes = [self.changes, look.changes_since(&old)].concat();
        let study = Study { seeds: old.seeds, record: old.record, ..look.clone() };
        Some(Results { study, cells, changes, build: self.build, machines: self.machines })
    }

    /// Whether every planned run is there.
    pub fn complete(&self) -> bool {
        self.cells.iter().all(|cell| cell.runs.len() == cell.planned)
    }
}

impl Cell {
    /// How many runs the cap on steps ended, where that was not their planned end.
    pub fn truncated(&self, study: &Study) -> usize {
        let planned_end = study.worlds[self.world].length.by_steps;
        self.runs.iter().filter(|run| !planned_end && run.row.outcome == "truncated").count()
    }
}
