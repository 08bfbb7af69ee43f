//! The records are the same bytes whatever happens on the way.

use crate::{SMALL, part, small, study_in, tables, whole};
use goalward::plan::Halt;
use goalward_lab::Progress;
use goalward_lab::engine::{RunOptions, run};
use goalward_lab::grid::Grid;
use goalward_lab::results::Cell;
use goalward_lab::store::{StudyFolder, export_csv, load, merge, status};
use goalward_lab::study::read;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Asks to stop after so many questions.
struct Impatient(AtomicU64);

impl Progress for Impatient {
    fn halt(&self) -> Halt {
        Halt::never()
    }
    fn cancelled(&self) -> bool {
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1)).is_err()
    }
}

#[test]
fn threads_change_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let run_on = |threads: usize, name: &str| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| whole(&dir.path().join(name), &small()));
        tables(&dir.path().join(name))
    };
    let one = run_on(1, "one");
    // random plans nothing, and psrl-ssp has nothing to say of theta
    assert_eq!(one.len(), 16 + 16 + 12 + 8, "runs, episodes, plans, probes");
    assert!(one == run_on(3, "three"), "other bytes on three threads");
}

#[test]
fn interrupted_anywhere_and_taken_up_again() {
    let dir = tempfile::tempdir().unwrap();
    whole(&dir.path().join("whole"), &small());
    let broken = dir.path().join("broken");
    // saved so often that every job goes through several checkpoints
    let options = RunOptions { save_every: Duration::from_micros(300), ..RunOptions::default() };
    let mut parts = 0;
    for patience in (3..).step_by(7) {
        parts += 1;
        if !study_in(&broken, &small(), &options, &Impatient(AtomicU64::new(patience))) {
            break;
        }
    }
    assert!(parts > 3, "only {parts} parts: nothing was interrupted");
    assert!(tables(&dir.path().join("whole")) == tables(&broken), "other bytes after interruptions");
    assert_eq!(std::fs::read_dir(broken.join("work")).unwrap().count(), 0, "a checkpoint is left");
}

#[test]
fn shards_merged_are_the_whole() {
    let dir = tempfile::tempdir().unwrap();
    whole(&dir.path().join("whole"), &small());
    let parts = [1, 2, 3].map(|i| dir.path().join(format!("part{i}")));
    for (i, path) in parts.iter().enumerate() {
        study_in(path, &small(), &part(i as u64 + 1, 3), &goalward_lab::Silent);
    }
    let merged = dir.path().join("merged");
    assert_eq!(merge(&parts, &merged).unwrap(), 16);
    assert!(tables(&dir.path().join("whole")) == tables(&merged));
    let status = status(&merged, None).unwrap();
    assert_eq!((status.jobs, status.finished, status.failed), (16, 16, 0));
    // parts in one folder, side by side
    let shared = dir.path().join("shared");
    for i in 1..=3 {
        study_in(&shared, &small(), &part(i, 3), &goalward_lab::Silent);
    }
    assert!(tables(&dir.path().join("whole")) == tables(&shared));
}

#[test]
fn what_was_damaged_is_run_again() {
    let dir = tempfile::tempdir().unwrap();
    whole(dir.path(), &small());
    let before = tables(dir.path());
    let names: Vec<&String> = before.keys().collect();
    std::fs::write(dir.path().join(names[0]), &before[names[0]][..40]).unwrap();
    std::fs::remove_file(dir.path().join(names[7])).unwrap();
    assert!(load(dir.path()).is_err(), "a damaged table is not taken for a result");
    whole(dir.path(), &small());
    assert!(before == tables(dir.path()));
}

#[test]
fn a_job_that_fails_stops_nobody() {
    // levis++ refuses a world with free steps, and no other does
    let text = SMALL.replace("\"hard-instance@dim=2\"", "\"random-mixture@free=0.5\"");
    let text = text.replace("\"random\",", "\"random\", \"levis++@B=oracle\",");
    let file = read(&text, Path::new("small.toml"), false).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let grid = Grid::open(&file).unwrap();
    let folder = StudyFolder::claim(dir.path(), &grid, goalward_lab::grid::Shard::WHOLE, false).unwrap();
    let ran = run(&grid, &folder, &RunOptions::default(), &goalward_lab::Silent).unwrap();
    drop(folder);
    let results = load(dir.path()).unwrap();
    let failed: Vec<&Cell> = results.cells.iter().filter(|cell| !cell.failed.is_empty()).collect();
    assert!(!failed.is_empty() && ran.failed == failed.iter().map(|cell| cell.failed.len()).sum::<usize>());
    assert!(failed.iter().all(|cell| cell.world == 1 && cell.runs.is_empty()));
    assert!(failed[0].failed[0].1.contains("c_min"), "{:?}", failed[0].failed);
    assert_eq!(ran.finished + ran.failed, grid.jobs.len());
    // a failure is kept too, and only tried again when asked
    let folder = StudyFolder::claim(dir.path(), &grid, goalward_lab::grid::Shard::WHOLE, false).unwrap();
    let again = run(&grid, &folder, &RunOptions::default(), &goalward_lab::Silent).unwrap();
    assert_eq!((again.finished, again.before, again.failed), (0, ran.finished, ran.failed));
}

#[test]
fn curves_and_ends_agree_with_a_plain_run() {
    use goalward::episode::{Arena, RunSpec, Runner};
    let dir = tempfile::tempdir().unwrap();
    whole(dir.path(), &small());
    let results = load(dir.path()).unwrap();
    assert!(results.complete());
    let arena = Arena::open("windy-grid", &goalward::Settings::new().set("n", 3)).unwrap();
    for seed in 0..2 {
        let mut runner = Runner::new(&arena, RunSpec::new("lr", 30).seed(seed)).unwrap();
        runner.run(&mut []).unwrap();
        let plain = runner.result();
        let run = &results.cell(0, 0).runs[seed as usize];
        assert_eq!(
            (run.row.regret, run.row.gap_regret, run.row.steps),
            (plain.regret, plain.gap_regret, plain.steps)
        );
        let last = run.episodes.last().unwrap();
        assert_eq!((last.episode, last.regret, last.t), (30, plain.regret, plain.steps));
        assert_eq!(run.episodes.len(), 30, "short runs are recorded whole");
        assert!(run.probes.iter().any(|probe| probe.quantity == "width"));
        assert!(run.probes.iter().any(|probe| probe.quantity == "support[0,1] 3/16"));
    }
    let files = export_csv(&results, &dir.path().join("csv")).unwrap();
    let runs = std::fs::read_to_string(&files[0]).unwrap();
    assert_eq!(runs.lines().count(), 17);
    assert!(runs.starts_with("world,learner,seed,outcome,episodes,"), "{runs}");
}
