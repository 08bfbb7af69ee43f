//! Studies: files, grids, records, and what survives.

mod elsewhere;
mod engine;
mod files;
mod folders;
mod forged;
mod mistakes;
mod schema;
mod truths;

use goalward::episode::seal;
use goalward_lab::engine::{RunOptions, run};
use goalward_lab::grid::{Grid, Shard};
use goalward_lab::store::StudyFolder;
use goalward_lab::study::{StudyFile, read};
use goalward_lab::{Progress, Silent};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// A small study with several worlds, learners and measures.
pub(crate) const SMALL: &str = r#"
title = "Small"
episodes = 30
seeds = 2
worlds = ["windy-grid@n=3", "hard-instance@dim=2"]
learners = ["lr", "levis++lr@B=oracle", "random", "psrl-ssp"]
[record]
probes = 4
sets = true
outline = [0, 1]
"#;

pub(crate) fn small() -> StudyFile {
    read(SMALL, Path::new("small.toml"), false).unwrap()
}

/// Runs a study in a folder.
pub(crate) fn study_in(dir: &Path, file: &StudyFile, options: &RunOptions, progress: &dyn Progress) -> bool {
    let grid = Grid::open(file).unwrap();
    let folder = StudyFolder::claim(dir, &grid, options.shard, false).unwrap();
    run(&grid, &folder, options, progress).unwrap().interrupted
}

/// Runs it to its end.
pub(crate) fn whole(dir: &Path, file: &StudyFile) {
    assert!(!study_in(dir, file, &RunOptions::default(), &Silent));
}

/// All Parquet files of a folder, by name.
pub(crate) fn tables(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    for table in ["runs", "episodes", "plans", "probes"] {
        for entry in std::fs::read_dir(dir.join(table)).unwrap() {
            let path = entry.unwrap().path();
            let name = format!("{table}/{}", path.file_name().unwrap().to_string_lossy());
            all.insert(name, std::fs::read(path).unwrap());
        }
    }
    all
}

/// A manifest that says something else, with a checksum that is right.
pub(crate) fn forged(manifest: &[u8], change: impl FnOnce(&mut Value)) -> Vec<u8> {
    let mut says: Value = serde_json::from_slice(&seal::open(manifest).unwrap()).unwrap();
    change(&mut says);
    seal::seal(serde_json::to_vec_pretty(&says).unwrap())
}

pub(crate) fn part(part: u64, of: u64) -> RunOptions {
    RunOptions { shard: Shard { part, of }, ..RunOptions::default() }
}
