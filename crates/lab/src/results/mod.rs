//! The records of a study in memory: the numbers of the Parquet files, and the times of the manifests.

mod rows;

pub use rows::{Column, EpisodeRow, IDENTITY, Kind, PlanRow, ProbeRow, RunRow, SCHEMA, TABLES, TableRow};

use crate::stats::Mean;
use crate::study::{Grows, Study, WorldPoint};
use serde::{Deserialize, Serialize};
use std::env::var;

/// The records of a study's finished and failed jobs.
#[derive(Clone, Debug)]
pub struct Results {
    /// The question.
    pub study: Study,
    /// The build that computed them.
    pub build: Build,
    /// The machines that computed them, from the manifests.
    pub machines: Vec<Share>,
    /// Cell `w * learners + l` belongs to world w and learner l.
    pub cells: Vec<Cell>,
    /// Changes of the study's file since the runs, which the records do not reflect.
    pub changes: Vec<String>,
}

/// The program that made the records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// The version of goalward.
    pub version: String,
    /// The commit it was built from, followed by `+` if there were changes; "unknown" outside a
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
        let named = named.or_else(|| ["HOSTNAME", "COMPUTERNAME"].iter().find_map(|key| var(key).ok()));
        Machine {
            host: named.map_or("unknown".into(), |name| name.trim().to_string()),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
        }
    }
}

/// The part of the runs that one machine made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Share {
    /// The machine.
    pub machine: Machine,
    /// The number of its runs.
    pub runs: usize,
    /// Their total wall-clock time in seconds.
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
    /// The number of planned runs.
    pub planned: usize,
}

/// One finished run.
#[derive(Clone, Debug)]
pub struct Run {
    /// The seed.
    pub seed: u64,
    /// Its row in `runs/`.
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

    /// The same records under the labels, figures and questions of another study file; `None` if it
    /// asks for no recorded cell.
    pub(crate) fn under(self, look: &Study) -> Option<Results> {
        let old = self.study;
        let [worlds, learners] = look.ran(&old);
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

    /// The numbers of finished, planned and failed runs.
    pub(crate) fn counts(&self) -> (usize, usize, usize) {
        let sum = |of: fn(&Cell) -> usize| self.cells.iter().map(of).sum();
        (sum(|cell| cell.runs.len()), sum(|cell| cell.planned), sum(|cell| cell.failed.len()))
    }
}

impl Cell {
    /// The number of runs that the cap on steps ended before their planned end.
    pub fn truncated(&self, study: &Study) -> usize {
        let planned_end = study.worlds[self.world].length.by_steps;
        self.runs.iter().filter(|run| !planned_end && run.row.outcome == "truncated").count()
    }

    /// The mean of a number over the runs.
    pub(crate) fn mean(&self, number: impl Fn(&Run) -> f64) -> Option<Mean> {
        Mean::of(&self.runs.iter().map(number).collect::<Vec<_>>())
    }
}

impl Grows {
    /// The symbol in tables, and the label of an axis.
    pub(crate) fn names(self) -> [&'static str; 2] {
        match self {
            Grows::Episodes => ["K", "Episodes K"],
            Grows::TStar => ["T*", "T*, the expected steps of the best policy"],
            Grows::BStar => ["B*", "B*, the largest cost-to-go"],
            Grows::Dim => ["d", "Dimension d"],
            Grows::States => ["S", "Number of states"],
        }
    }

    /// Its value in a world; most are known from a run alone.
    pub(crate) fn of(self, world: &WorldPoint, run: Option<&RunRow>) -> Option<f64> {
        Some(match self {
            Grows::Episodes => world.length.episodes as f64,
            Grows::TStar => run?.t_star,
            Grows::BStar => run?.b_star,
            Grows::Dim => run?.dim as f64,
            Grows::States => run?.states as f64,
        })
    }
}
