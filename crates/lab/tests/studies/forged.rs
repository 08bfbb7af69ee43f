//! Records that are damaged or another run's: they are noticed, and nothing is made of them.

use crate::{SMALL, forged, part, small, study_in, tables, whole};
use goalward_lab::engine::RunOptions;
use goalward_lab::grid::Grid;
use goalward_lab::store::{Carried, load, merge, read_columns, status};
use goalward_lab::study::read;
use goalward_lab::{Error, Silent};
use std::fs;
use std::path::{Path, PathBuf};

/// The folder of a small study with every job, and two of its parts.
fn parts(dir: &Path) -> [PathBuf; 2] {
    [1, 2].map(|n| {
        let out = dir.join(format!("part{n}"));
        study_in(&out, &small(), &part(n, 2), &Silent);
        out
    })
}

fn finished(dir: &Path) -> Vec<String> {
    let all = fs::read_dir(dir.join("manifests")).unwrap();
    let name = |entry: fs::DirEntry| entry.path().file_stem().unwrap().to_string_lossy().into_owned();
    let mut all: Vec<String> = all.map(|entry| name(entry.unwrap())).collect();
    all.sort();
    all
}

fn manifest(dir: &Path, job: &str) -> PathBuf {
    dir.join(format!("manifests/{job}.json"))
}

/// Puts the tables of one job under the name of another, with the right hashes.
fn swap(dir: &Path, job: &str, others: &str) {
    let path = manifest(dir, job);
    let mut files = serde_json::json!({});
    for table in ["runs", "episodes", "plans", "probes"] {
        let own = dir.join(format!("{table}/{job}.parquet"));
        match fs::read(dir.join(format!("{table}/{others}.parquet"))) {
            Ok(bytes) => {
                files[table] = blake3::hash(&bytes).to_hex().to_string().into();
                fs::write(own, bytes).unwrap();
            }
            Err(_) => drop(fs::remove_file(own)),
        }
    }
    fs::write(&path, forged(&fs::read(&path).unwrap(), |says| says["files"] = files)).unwrap();
}

/// All that lies in a folder.
fn content(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(content(&path));
        } else {
            all.push((path.clone(), fs::read(path).unwrap()));
        }
    }
    all.sort();
    all
}

/// A way to damage a part, and what is said of it.
type Damage = (&'static str, Box<dyn Fn(&Path)>, Vec<String>);

fn damages(dir: &Path, stranger: &Path) -> Vec<Damage> {
    let jobs = finished(dir);
    let (a, b) = (jobs[0].clone(), jobs[1].clone());
    let change = |change: fn(&mut serde_json::Value)| {
        let a = a.clone();
        Box::new(move |dir: &Path| {
            let path = manifest(dir, &a);
            fs::write(&path, forged(&fs::read(&path).unwrap(), change)).unwrap();
        })
    };
    let (first, second) = (a.clone(), b.clone());
    let swapped = Box::new(move |dir: &Path| swap(dir, &first, &second));
    let (stranger, theirs) = (stranger.to_path_buf(), finished(stranger)[0].clone());
    let name = theirs.clone();
    let foreign = Box::new(move |dir: &Path| {
        let copied = fs::copy(manifest(&stranger, &name), manifest(dir, &name));
        copied.unwrap();
        for table in ["runs", "episodes", "plans", "probes"] {
            let file = format!("{table}/{name}.parquet");
            let _ = fs::copy(stranger.join(&file), dir.join(&file));
        }
    });
    let unreadable = a.clone();
    let unreadable = Box::new(move |dir: &Path| fs::write(manifest(dir, &unreadable), "{}").unwrap());
    let plan = |from: &'static str, to: &'static str| {
        Box::new(move |dir: &Path| {
            let path = dir.join("plan.json");
            let text = fs::read_to_string(&path).unwrap();
            assert!(text.contains(from));
            fs::write(path, text.replacen(from, to, 1)).unwrap();
        })
    };
    let says = |words: &[&str]| words.iter().map(|word| word.to_string()).collect::<Vec<_>>();
    vec![
        ("swapped tables", swapped, says(&[&a, ".parquet", "another run"])),
        ("a foreign job", foreign, says(&[&theirs, "no job of the study"])),
        ("another seed", change(|says| says["seed"] = 77.into()), says(&[&a])),
        (
            "another build",
            change(|says| says["build"]["commit"] = "fedcba98".into()),
            says(&[&a, "fedcba98"]),
        ),
        ("unreadable", unreadable, says(&[&a, ".json", "checksum"])),
        ("a huge world", plan("\"world\":1,", "\"world\":9223372036854775809,"), says(&["plan.json"])),
        ("no such world", plan("\"world\":1,", "\"world\":2,"), says(&["plan.json"])),
        ("a job twice", plan("\"seed\":1", "\"seed\":0"), says(&["plan.json"])),
    ]
}

#[test]
fn merge_refuses_what_is_damaged_or_anothers_and_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let [one, two] = parts(dir.path());
    let stranger = dir.path().join("stranger");
    let other =
        read(&SMALL.replace("episodes = 30", "episodes = 3"), Path::new("small.toml"), false).unwrap();
    whole(&stranger, &other);
    let honest = content(&two);
    let plan = one.join("plan.json");
    let planned = fs::read(&plan).unwrap();
    let target = dir.path().join("all");
    for (what, damage, words) in damages(&two, &stranger) {
        damage(&two);
        if words[0] == "plan.json" {
            // the same in both: they agree with each other
            fs::copy(two.join("plan.json"), &plan).unwrap();
        }
        let error = merge(&[&one, &two], &target).expect_err(what);
        let said = error.to_string();
        assert!(words.iter().all(|word| said.contains(word.as_str())), "{what}: {said}");
        assert!(said.contains(&*dir.path().to_string_lossy()) && error.hint().is_some(), "{what}: {said}");
        assert!(!target.exists(), "{what}: something was put there");
        fs::remove_dir_all(&two).unwrap();
        for (path, bytes) in &honest {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        fs::create_dir_all(two.join("work")).unwrap();
        fs::write(&plan, &planned).unwrap();
    }
    let jobs = Grid::open(&small()).unwrap().jobs.len();
    assert_eq!(merge(&[&one, &two], &target).unwrap(), jobs);
    assert_eq!(merge(&[&one, &two], &target).unwrap(), 0, "all is there already");
    // two results of one job: what is there stays, whatever else could be merged
    let before = content(&target);
    let job = &finished(&two)[0];
    let path = manifest(&two, job);
    let drop_plans =
        |says: &mut serde_json::Value| drop(says["files"].as_object_mut().unwrap().remove("episodes"));
    fs::write(&path, forged(&fs::read(&path).unwrap(), drop_plans)).unwrap();
    let said = merge(&[&one, &two], &target).unwrap_err().to_string();
    assert!(said.contains("another result") && said.contains(job), "{said}");
    assert!(before == content(&target));
}

#[test]
fn nothing_is_reported_of_what_is_damaged_or_anothers() {
    let dir = tempfile::tempdir().unwrap();
    let stranger = dir.path().join("stranger");
    let other =
        read(&SMALL.replace("episodes = 30", "episodes = 3"), Path::new("small.toml"), false).unwrap();
    whole(&stranger, &other);
    let out = dir.path().join("out");
    whole(&out, &small());
    let honest = content(&out);
    let damages = damages(&out, &stranger);
    // what is nobody's is not read, and who computed it is said
    for (what, damage, words) in
        damages.iter().filter(|(what, ..)| !what.contains("foreign") && !what.contains("build"))
    {
        damage(&out);
        for error in [load(&out).map(drop), read_columns(&out, "runs").map(drop)] {
            let error = error.expect_err(what);
            assert!(matches!(error, Error::Damaged { .. }) && error.hint().is_some(), "{what}: {error}");
            assert!(words.iter().all(|word| error.to_string().contains(word.as_str())), "{what}: {error}");
        }
        honest.iter().for_each(|(path, bytes)| fs::write(path, bytes).unwrap());
    }
    load(&out).unwrap();
}

/// A study goes on where a manifest is damaged, and its records are what they were.
#[test]
fn a_damaged_manifest_is_a_job_that_is_run_again() {
    let dir = tempfile::tempdir().unwrap();
    whole(dir.path(), &small());
    let (before, jobs) = (tables(dir.path()), finished(dir.path()));
    let mut flipped = fs::read(manifest(dir.path(), &jobs[0])).unwrap();
    flipped[200] ^= 1;
    fs::write(manifest(dir.path(), &jobs[0]), flipped).unwrap();
    fs::write(manifest(dir.path(), &jobs[1]), "").unwrap();
    fs::copy(manifest(dir.path(), &jobs[3]), manifest(dir.path(), &jobs[2])).unwrap();
    assert_eq!(status(dir.path(), None).unwrap().finished, jobs.len() - 3);
    let error = load(dir.path()).unwrap_err();
    assert!(error.to_string().contains(".json") && error.hint().is_some(), "{error}");
    assert!(!study_in(dir.path(), &small(), &RunOptions::default(), &Silent));
    assert_eq!(load(dir.path()).unwrap().cells.iter().map(|cell| cell.runs.len()).sum::<usize>(), jobs.len());
    assert!(before == tables(dir.path()));
}

#[test]
fn no_byte_of_a_manifest_can_change() {
    let dir = tempfile::tempdir().unwrap();
    let grid = Grid::open(&small()).unwrap();
    whole(dir.path(), &small());
    let good = Carried::of(dir.path(), &grid.jobs[0].hash).unwrap().unwrap();
    good.check(&grid).unwrap();
    for at in 0..good.manifest.len() {
        for bit in [0, 3, 5, 7] {
            let mut other = good.clone();
            other.manifest[at] ^= 1 << bit;
            assert!(matches!(other.check(&grid), Err(Error::Records { .. })), "byte {at}, bit {bit}");
        }
        let cut = Carried { manifest: good.manifest[..at].to_vec(), ..good.clone() };
        assert!(cut.check(&grid).is_err(), "cut at {at}");
    }
}

/// Tables with a byte or several changed and the hashes made anew: an error or rows, and no panic.
#[test]
fn tables_whose_hash_was_made_anew_end_no_program() {
    let dir = tempfile::tempdir().unwrap();
    let grid = Grid::open(&small()).unwrap();
    whole(dir.path(), &small());
    let job = &grid.jobs[0].hash;
    let (path, mut refused) = (manifest(dir.path(), job), 0);
    let honest = fs::read(&path).unwrap();
    let mut luck = 1u64;
    let mut next = |below: usize| {
        luck = luck.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (luck >> 33) as usize % below
    };
    for table in ["runs", "episodes", "plans"] {
        let file = dir.path().join(format!("{table}/{job}.parquet"));
        let good = fs::read(&file).unwrap();
        for round in 0..100 {
            let mut bytes = good.clone();
            // the header stands at the end
            let near = if round % 2 == 0 { good.len() } else { 600.min(good.len()) };
            for _ in 0..[1, 1, 2, 8][round % 4] {
                let at = good.len() - 1 - next(near);
                bytes[at] = [bytes[at] ^ 1, 0xff, bytes[at].wrapping_add(1), next(256) as u8][next(4)];
            }
            let hash = blake3::hash(&bytes).to_hex().to_string();
            fs::write(&path, forged(&honest, |says| says["files"][table] = hash.into())).unwrap();
            fs::write(&file, &bytes).unwrap();
            let carried = Carried::of(dir.path(), job).unwrap().unwrap();
            refused += usize::from(carried.check(&grid).is_err());
            for read in [load(dir.path()).map(drop), read_columns(dir.path(), table).map(drop)] {
                assert!(read.is_ok() || matches!(read, Err(Error::Damaged { .. })), "{read:?}");
            }
        }
        fs::write(&file, good).unwrap();
        fs::write(&path, &honest).unwrap();
    }
    assert!(refused > 50, "{refused}");
}
