//! Folders of others, of other versions, and of nobody.

use crate::{SMALL, forged, small, tables, whole};
use goalward_lab::Error;
use goalward_lab::grid::{Grid, Shard};
use goalward_lab::store::StudyFolder;
use goalward_lab::study::read;
use std::path::Path;

fn claim(dir: &Path, text: &str, shard: Shard, force: bool) -> Result<StudyFolder, Error> {
    let grid = Grid::open(&read(text, Path::new("small.toml"), false).unwrap()).unwrap();
    StudyFolder::claim(dir, &grid, shard, force)
}

#[test]
fn another_question_is_refused_and_nothing_is_lost() {
    let dir = tempfile::tempdir().unwrap();
    whole(dir.path(), &small());
    let before = tables(dir.path());
    let other = SMALL.replace("episodes = 30", "episodes = 31");
    let error = claim(dir.path(), &other, Shard::WHOLE, false).unwrap_err();
    assert!(matches!(&error, Error::Taken { what, .. } if what.contains("do not belong")), "{error}");
    assert!(error.hint().unwrap().contains("--force"));
    assert!(before == tables(dir.path()));
    // more seeds are the same question: what is there counts
    claim(dir.path(), &SMALL.replace("seeds = 2", "seeds = 3"), Shard::WHOLE, false).unwrap();
    assert!(before == tables(dir.path()));
    // with force the others go
    claim(dir.path(), &other, Shard::WHOLE, true).unwrap();
    assert!(tables(dir.path()).is_empty());
}

#[test]
fn another_version_is_named() {
    let dir = tempfile::tempdir().unwrap();
    whole(dir.path(), &small());
    // a result that another commit made has another hash
    let manifests = dir.path().join("manifests");
    let first = std::fs::read_dir(&manifests).unwrap().next().unwrap().unwrap().path();
    let commit = goalward_lab::grid::build().commit;
    let foreign = forged(&std::fs::read(&first).unwrap(), |says| {
        says["job"] = "0000".into();
        says["build"]["commit"] = "fedcba987654".into();
    });
    std::fs::write(manifests.join("0000.json"), foreign).unwrap();
    let error = claim(dir.path(), SMALL, Shard::WHOLE, false).unwrap_err().to_string();
    assert!(error.contains("fedcba987654") && error.contains(&commit), "{error}");
}

#[test]
fn two_at_once_are_one_too_many() {
    let dir = tempfile::tempdir().unwrap();
    let held = claim(dir.path(), SMALL, Shard::WHOLE, false).unwrap();
    for shard in [Shard::WHOLE, Shard { part: 1, of: 2 }] {
        assert!(matches!(claim(dir.path(), SMALL, shard, false), Err(Error::Busy { .. })));
    }
    drop(held);
    let _first = claim(dir.path(), SMALL, Shard { part: 1, of: 2 }, false).unwrap();
    let _second = claim(dir.path(), SMALL, Shard { part: 2, of: 2 }, false).unwrap();
    for shard in [Shard { part: 1, of: 2 }, Shard::WHOLE] {
        assert!(matches!(claim(dir.path(), SMALL, shard, false), Err(Error::Busy { .. })));
    }
}

#[test]
fn strangers_and_files_are_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("thesis.tex"), "years").unwrap();
    let error = claim(dir.path(), SMALL, Shard::WHOLE, false).unwrap_err();
    assert!(matches!(&error, Error::Taken { what, .. } if what.contains("thesis.tex")), "{error}");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "something was put there");
    let file = dir.path().join("thesis.tex");
    assert!(claim(&file, SMALL, Shard::WHOLE, true).unwrap_err().to_string().contains("not a folder"));
}
