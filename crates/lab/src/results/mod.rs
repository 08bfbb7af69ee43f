//! What was recorded, in memory: all that analyses, figures and reports are made from.
//!
//! Nothing here is computed but by reading: the numbers are those of the Parquet files
//! (`store`), the times those of the manifests.

mod rows;

pub use rows::{Column, EpisodeRow, IDENTITY, Kind, PlanRow, ProbeRow, RunRow, SCHEMA, TABLES, TableRow};

use crate::study::{Grows, Ran, Study, WorldPoint};
use serde::{Deserialize, Serialize};

/// The records of a study, as far as its jobs are finished.
#[derive(Clone, Debug)]
pub struct Results {
    /// The question.
    pub study: Study,
    /// Who computed them.
    pub build: Build,
    /// Where they were computed, from the manifests; empty if nothing is known of it.
    pub machines: Vec<Share>,
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

/// Where a job ran.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The host's name.
    pub host: String,
    /// The operating system and the architecture.
    pub system: String,
    /// The number of threads it can run at once.
    pub cores: usize,
}

impl Machine {
    /// This one.
    pub fn here() -> Machine {
        let named = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
        let host =
            named.or_else(|| std::env::var("HOSTNAME").ok()).or_else(|| std::env::var("COMPUTERNAME").ok());
        Machine {
            host: host.map_or("unknown".into(), |name| name.trim().to_string()),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
        }
    }
}

/// What a machine made, from the manifests.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Share {
    /// The machine.
    pub machine: Machine,
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

impl Grows {
    /// What tables call it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Grows::Episodes => "K",
            Grows::TStar => "T*",
            Grows::BStar => "B*",
            Grows::Dim => "d",
            Grows::States => "S",
        }
    }

    /// In words.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Grows::Episodes => "Episodes K",
            Grows::TStar => "T*, the expected steps of the best policy",
            Grows::BStar => "B*, the largest cost-to-go",
            Grows::Dim => "Dimension d",
            Grows::States => "Number of states",
        }
    }

    /// Its value in a world, as a run there tells it.
    pub(crate) fn of(self, world: &WorldPoint, told: Option<&RunRow>) -> Option<f64> {
        Some(match self {
            Grows::Episodes => world.length.episodes as f64,
            Grows::TStar => told?.t_star,
            Grows::BStar => told?.b_star,
            Grows::Dim => told?.dim as f64,
            Grows::States => told?.states as f64,
        })
    }
}
