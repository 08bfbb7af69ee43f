//! Folders of others, of other versions, and of nobody.

use crate::{SMALL, forged, small, tables, whole};
use goalward_lab::engine::RunOptions;
use goalward_lab::grid::{Grid, Shard};
use goalward_lab::store::{StudyFolder, load, merge};
use goalward_lab::study::read;
use goalward_lab::{Error, Silent};
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
    for force in [false, true] {
        let error = claim(dir.path(), SMALL, Shard::WHOLE, force).unwrap_err();
        assert!(matches!(&error, Error::Foreign { what, .. } if what.contains("thesis.tex")), "{error}");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "something was put there");
    }
    let file = dir.path().join("thesis.tex");
    assert!(claim(&file, SMALL, Shard::WHOLE, true).unwrap_err().to_string().contains("not a folder"));
}

/// A plan and records make no study's folder: the mark does.
#[test]
fn a_folder_without_the_mark_is_somebody_elses() {
    let dir = tempfile::tempdir().unwrap();
    let (part, theirs) = (dir.path().join("part"), dir.path().join("theirs"));
    whole(&part, &small());
    whole(&theirs, &small());
    std::fs::remove_file(theirs.join(".goalward-study")).unwrap();
    let before = names(&theirs);
    let foreign = |outcome: Result<(), Error>| {
        let error = outcome.unwrap_err();
        assert!(matches!(error, Error::Foreign { .. }), "{error}");
        assert_eq!(names(&theirs), before);
    };
    foreign(claim(&theirs, SMALL, Shard::WHOLE, true).map(drop));
    foreign(merge(&[&part], &theirs).map(drop));
    foreign(StudyFolder::open(&theirs).map(drop));
    // its records can be read, and taken over
    merge(&[&theirs], &dir.path().join("new")).unwrap();
    assert!(tables(&dir.path().join("new")) == tables(&part));
}

/// All names below a folder.
fn names(dir: &Path) -> Vec<String> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap().map(Result::unwrap) {
        all.push(entry.path().display().to_string());
        if entry.file_type().unwrap().is_dir() {
            all.extend(names(&entry.path()));
        }
    }
    all.sort();
    all
}

/// Whatever stands in a manifest's place, the job is run again.
#[test]
fn a_wrong_manifest_heals() {
    let dir = tempfile::tempdir().unwrap();
    whole(dir.path(), &small());
    let before = tables(dir.path());
    let manifests = dir.path().join("manifests");
    let mut paths: Vec<_> = std::fs::read_dir(&manifests).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    std::fs::copy(&paths[0], &paths[1]).unwrap();
    std::fs::write(&paths[2], "{\"schema\": 1, ").unwrap();
    std::fs::write(&paths[3], "").unwrap();
    whole(dir.path(), &small());
    assert!(before == tables(dir.path()));
    for path in &paths {
        let manifest: serde_json::Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        assert_eq!(manifest["job"], *path.file_stem().unwrap().to_str().unwrap());
    }
}

/// A file of the user's may have the very name of a record: of a job that is to be run, or of one
/// that was.
#[test]
fn files_under_the_names_of_records_stay() {
    let dir = tempfile::tempdir().unwrap();
    whole(dir.path(), &small());
    let more = SMALL.replace("seeds = 2", "seeds = 3");
    let file = read(&more, Path::new("small.toml"), false).unwrap();
    let three = Grid::open(&file).unwrap();
    let is_old = |hash: &String| dir.path().join(format!("runs/{hash}.parquet")).exists();
    let hashes = three.jobs.iter().map(|job| job.hash.clone());
    let (old, new): (Vec<_>, Vec<_>) = hashes.partition(is_old);
    let kinds = ["runs/JOB.parquet", "episodes/JOB.parquet", "manifests/JOB.json", "work/JOB.checkpoint"];
    for (kind, job) in kinds.iter().flat_map(|kind| [(kind, &old[0]), (kind, &new[0])]) {
        let name = kind.replace("JOB", job);
        let path = dir.path().join(&name);
        let before = std::fs::read(&path).ok();
        std::fs::write(&path, "mine").unwrap();
        let marked = std::fs::read(dir.path().join(".goalward-study")).unwrap();
        for force in [false, true] {
            let error = claim(dir.path(), &more, Shard::WHOLE, force).unwrap_err();
            assert!(matches!(&error, Error::Foreign { what, .. } if what.contains(&name)), "{error}");
        }
        assert_eq!(std::fs::read(&path).unwrap(), b"mine");
        assert!(marked == std::fs::read(dir.path().join(".goalward-study")).unwrap());
        match before {
            Some(bytes) => std::fs::write(&path, bytes).unwrap(),
            None => std::fs::remove_file(&path).unwrap(),
        }
    }
    // one that is put there meanwhile
    let folder = StudyFolder::claim(dir.path(), &three, Shard::WHOLE, false).unwrap();
    let path = dir.path().join(format!("runs/{}.parquet", new[0]));
    std::fs::write(&path, "mine").unwrap();
    let error = goalward_lab::engine::run(&three, &folder, &RunOptions::default(), &Silent).unwrap_err();
    assert!(matches!(error, Error::Foreign { .. }), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), b"mine");
    std::fs::remove_file(&path).unwrap();
    drop(folder);
    whole(dir.path(), &file);
}

/// What was begun for one question is known for goalward's after another was asked.
#[test]
fn what_was_begun_for_another_question_is_goalwards() {
    let dir = tempfile::tempdir().unwrap();
    let other = SMALL.replace("episodes = 30", "episodes = 31");
    whole(dir.path(), &small());
    let table = dir.path().join(tables(dir.path()).into_keys().find(|name| name.contains("runs/")).unwrap());
    let begun = std::fs::read(&table).unwrap();
    claim(dir.path(), &other, Shard::WHOLE, true).unwrap();
    std::fs::write(&table, begun).unwrap();
    claim(dir.path(), SMALL, Shard::WHOLE, true).unwrap();
    whole(dir.path(), &small());
}

/// With force the results of others go, and nothing that is no result.
#[test]
fn force_takes_results_alone() {
    let dir = tempfile::tempdir().unwrap();
    whole(dir.path(), &small());
    let mine =
        ["manifests/notes.json", "manifests/0123456789abcdef01234567.json", "runs/mine.parquet", "mine"];
    mine.iter().for_each(|name| std::fs::write(dir.path().join(name), "{\"job\": \"notes\"}").unwrap());
    let changed =
        dir.path().join(tables(dir.path()).into_keys().find(|name| name.contains("runs/")).unwrap());
    std::fs::write(&changed, "somebody's own").unwrap();
    claim(dir.path(), &SMALL.replace("episodes = 30", "episodes = 31"), Shard::WHOLE, true).unwrap();
    assert!(mine.iter().all(|name| dir.path().join(name).exists()));
    assert_eq!(std::fs::read(&changed).unwrap(), b"somebody's own");
    assert_eq!(tables(dir.path()).len(), 2, "mine and the one that was changed");
    // nor is a file replaced that goalward did not write
    let folder =
        claim(dir.path(), &SMALL.replace("episodes = 30", "episodes = 31"), Shard::WHOLE, false).unwrap();
    assert!(matches!(folder.write("mine", b"ours"), Err(Error::Foreign { .. })));
    folder.write("ours", b"1").unwrap();
    folder.write("ours", b"2").unwrap();
}

/// What a killed process left is cleared up in every folder, and what a living one writes stays.
#[test]
fn parts_of_the_dead_go_and_those_of_the_living_stay() {
    let dir = tempfile::tempdir().unwrap();
    whole(dir.path(), &small());
    let part = |folder: &str| {
        let path = dir.path().join(folder).join(goalward::output::temporary_name());
        (std::fs::File::create(&path).unwrap(), path)
    };
    let folders = ["", "runs", "episodes", "plans", "probes", "manifests", "work", "figures"];
    std::fs::create_dir_all(dir.path().join("figures")).unwrap();
    let dead: Vec<_> = folders.iter().map(|folder| part(folder).1).collect();
    let living: Vec<_> = folders.iter().map(|folder| part(folder)).collect();
    living.iter().for_each(|(file, _)| file.lock().unwrap());
    let named = dir.path().join(".goalward-notes.part");
    std::fs::write(&named, "mine").unwrap();
    claim(dir.path(), SMALL, Shard { part: 1, of: 2 }, false).unwrap();
    assert!(dead.iter().all(|path| !path.exists()));
    assert!(living.iter().all(|(_, path)| path.exists()) && named.exists());
}

/// Links in a study's folder lead to somebody else's files, and are not followed.
#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    use std::os::unix::fs::symlink;
    let other = SMALL.replace("episodes = 30", "episodes = 31");
    for name in ["runs", "manifests", "figures", "plan.json", "study.toml", ".lock", ".goalward-study"] {
        let dir = tempfile::tempdir().unwrap();
        let (out, theirs) = (dir.path().join("out"), dir.path().join("theirs"));
        whole(&out, &small());
        let place = out.join(name);
        match place.is_dir() || name == "figures" {
            true => {
                std::fs::create_dir(&theirs).unwrap();
                std::fs::write(theirs.join("regret.svg"), "mine").unwrap();
                let _ = std::fs::remove_dir_all(&place);
            }
            false => std::fs::rename(&place, &theirs).unwrap(),
        }
        symlink(&theirs, &place).unwrap();
        let before = (names(dir.path()), std::fs::read(&theirs).ok());
        let outcome =
            claim(&out, &other, Shard::WHOLE, true).and_then(|folder| folder.write("figures/x", b""));
        assert!(outcome.is_err() && place.is_symlink(), "{name}");
        assert_eq!(std::fs::read(&theirs).ok(), before.1, "{name}");
        assert!(!theirs.is_dir() || std::fs::read_dir(&theirs).unwrap().count() == 1, "{name}");
    }
}

/// A pipe in a study's folder would be waited for without an end.
#[cfg(unix)]
#[test]
fn pipes_are_not_read() {
    let dir = tempfile::tempdir().unwrap();
    whole(dir.path(), &small());
    let first =
        |folder: &str| std::fs::read_dir(dir.path().join(folder)).unwrap().next().unwrap().unwrap().path();
    let names = ["plan.json", "study.toml", ".goalward-study", ".lock"].map(|name| dir.path().join(name));
    for path in names.into_iter().chain([first("manifests")]) {
        let kept = dir.path().join("kept");
        std::fs::rename(&path, &kept).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        let error = claim(dir.path(), SMALL, Shard::WHOLE, false).map(drop).and_then(|()| {
            let grid = Grid::open(&small()).unwrap();
            let folder = StudyFolder::claim(dir.path(), &grid, Shard::WHOLE, false)?;
            goalward_lab::engine::sorted(&grid, &folder, &RunOptions::default()).map(drop)
        });
        let said = error.unwrap_err().to_string();
        assert!(said.contains(path.file_name().unwrap().to_str().unwrap()), "{said}");
        assert!(said.contains("regular file") || said.contains("pipe"), "{said}");
        std::fs::rename(&kept, &path).unwrap();
    }
    assert!(load(dir.path()).unwrap().complete());
}
