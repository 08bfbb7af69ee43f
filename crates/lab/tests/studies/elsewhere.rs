//! Jobs that are run on another machine, and records that come from there.

use crate::{SMALL, forged, small, tables, whole};
use goalward_lab::engine::{RunOptions, run, run_jobs, sorted};
use goalward_lab::grid::{Grid, Job, Shard};
use goalward_lab::store::{Carried, StudyFolder, Values, load, read_columns, table_paths};
use goalward_lab::study::read;
use goalward_lab::{Error, Parcel, Silent};
use std::path::Path;

fn claim(dir: &Path, grid: &Grid) -> StudyFolder {
    StudyFolder::claim(dir, grid, Shard::WHOLE, false).unwrap()
}

/// A study with a world from a file, whose name looks as if it had parameters.
fn with_file(dir: &Path) -> Grid {
    let world = goalward::worlds::open("hard-instance", &goalward::Settings::new().set("dim", 2)).unwrap();
    let path = dir.join("grid@n=3.json");
    std::fs::write(&path, goalward::files::json::to_json(&world)).unwrap();
    let text = SMALL.replace("hard-instance@dim=2", &path.to_string_lossy());
    Grid::open(&read(&text, &dir.join("small.toml"), false).unwrap()).unwrap()
}

#[test]
fn a_parcel_needs_nothing_but_itself() {
    let dir = tempfile::tempdir().unwrap();
    let grid = with_file(dir.path());
    let here = claim(&dir.path().join("here"), &grid);
    run(&grid, &here, &RunOptions::default(), &Silent).unwrap();
    let parcel = Parcel::pack(&grid).unwrap();
    std::fs::remove_file(dir.path().join("grid@n=3.json")).unwrap();
    let there = parcel.open(&dir.path().join("worlds")).unwrap();
    assert_eq!(there.jobs, grid.jobs);
    // job by job, in another order, each taken out as soon as it is done
    let work = claim(&dir.path().join("work"), &there);
    let home = claim(&dir.path().join("home"), &grid);
    for job in there.jobs.iter().rev() {
        let ran = run_jobs(&there, &[job], &work, &RunOptions::default(), &Silent).unwrap();
        assert_eq!((ran.finished, ran.failed, ran.interrupted), (1, 0, false));
        let carried = work.release(&job.hash).unwrap().unwrap();
        carried.check(&grid).unwrap();
        assert!(home.adopt(&carried).unwrap());
        assert!(!home.adopt(&carried).unwrap(), "it is there already");
    }
    assert!(tables(here.path()) == tables(home.path()));
    assert!(tables(work.path()).is_empty() && work.release(&there.jobs[0].hash).unwrap().is_none());
    assert!(sorted(&grid, &home, &RunOptions::default()).unwrap().open.is_empty());
}

#[test]
fn another_version_opens_no_parcel() {
    let dir = tempfile::tempdir().unwrap();
    let parcel = Parcel::pack(&Grid::open(&small()).unwrap()).unwrap();
    let commit = goalward_lab::grid::build().commit;
    let other = Parcel { head: parcel.head.replace(&commit, "fedcba987654"), ..parcel.clone() };
    let said = other.open(dir.path()).unwrap_err().to_string();
    assert!(said.contains("fedcba987654") && said.contains(&commit), "{said}");
    let none = Parcel { head: "{}".into(), ..parcel };
    assert!(none.open(dir.path()).unwrap_err().to_string().contains("no study"));
}

#[test]
fn records_are_checked_where_they_arrive() {
    let dir = tempfile::tempdir().unwrap();
    let grid = Grid::open(&small()).unwrap();
    whole(&dir.path().join("there"), &small());
    let hash = |job: &Job| job.hash.clone();
    let good = Carried::of(&dir.path().join("there"), &hash(&grid.jobs[0])).unwrap().unwrap();
    let says = |key: &str, value: serde_json::Value| Carried {
        manifest: forged(&good.manifest, |says| says[key] = value),
        ..good.clone()
    };
    let mut cut = good.clone();
    cut.tables.get_mut("episodes").unwrap().pop();
    let mut lacking = good.clone();
    lacking.tables.remove("episodes");
    let mut files: serde_json::Value = serde_json::json!({});
    for (table, bytes) in &good.tables {
        let name = if table == "runs" { "../runs" } else { table };
        files[name] = blake3::hash(bytes).to_hex().to_string().into();
    }
    let mut outside = says("files", files);
    outside.tables.remove("runs");
    outside.tables.insert("../runs".into(), good.tables["runs"].clone());
    let wrong = [
        (cut, "not what its manifest says"),
        (lacking, "not what its manifest says"),
        (outside, "not what its manifest says"),
        (Carried { manifest: b"{}".to_vec(), ..good.clone() }, "checksum"),
        (says("seed", "many".into()), "no manifest"),
        (Carried { job: hash(&grid.jobs[1]), ..good.clone() }, "another job"),
        (says("build", serde_json::json!({ "version": "0.1.0", "commit": "fedcba987654" })), "fedcba987654"),
    ];
    for (carried, fault) in wrong {
        let error = carried.check(&grid).unwrap_err();
        assert!(matches!(error, Error::Records { .. }) && error.to_string().contains(fault), "{error}");
    }
    let others = read(&SMALL.replace("episodes = 30", "episodes = 31"), Path::new("s.toml"), false).unwrap();
    let said = good.check(&Grid::open(&others).unwrap()).unwrap_err().to_string();
    assert!(said.contains("no job of the study"), "{said}");
}

#[test]
fn two_results_of_one_job_are_an_error_and_a_failure_gives_way() {
    let dir = tempfile::tempdir().unwrap();
    let grid = Grid::open(&small()).unwrap();
    whole(&dir.path().join("there"), &small());
    let [first, second] =
        [0, 1].map(|n| Carried::of(&dir.path().join("there"), &grid.jobs[n].hash).unwrap().unwrap());
    let home = claim(&dir.path().join("home"), &grid);
    assert!(home.adopt(&first).unwrap());
    // the same job with fewer tables: nothing says that these are not its own
    let mut other = first.clone();
    other.tables.remove("episodes");
    other.manifest =
        forged(&first.manifest, |says| drop(says["files"].as_object_mut().unwrap().remove("episodes")));
    let error = home.adopt(&other).unwrap_err().to_string();
    assert!(error.contains("another result") && error.contains(&first.job), "{error}");
    // a manifest whose tables are gone is no result
    std::fs::remove_file(home.path().join(format!("runs/{}.parquet", first.job))).unwrap();
    assert!(home.adopt(&first).unwrap());
    let failure = |job: &Carried| {
        let manifest = forged(&job.manifest, |says| {
            says["error"] = "too bad".into();
            says["files"] = serde_json::json!({});
        });
        Carried { manifest, tables: Default::default(), ..job.clone() }
    };
    assert!(!home.adopt(&failure(&first)).unwrap(), "a result stays");
    assert!(home.adopt(&failure(&second)).unwrap());
    assert!(home.adopt(&second).unwrap(), "and a failure gives way to it");
}

#[test]
fn columns_are_the_rows_side_by_side() {
    let dir = tempfile::tempdir().unwrap();
    whole(dir.path(), &small());
    let results = load(dir.path()).unwrap();
    let all = |name: &str| read_columns(dir.path(), name).unwrap();
    let column = |table: &str, name: &str| {
        all(table).into_iter().find(|(column, _)| column.name == name).map(|(_, values)| values).unwrap()
    };
    let grid = Grid::open(&small()).unwrap();
    let learners = results.study.learners.len();
    let runs: Vec<_> = grid
        .jobs
        .iter()
        .map(|job| {
            let cell = &results.cells[job.world * learners + job.learner];
            cell.runs.iter().find(|run| run.seed == job.seed).unwrap()
        })
        .collect();
    assert_eq!(column("runs", "seed"), Values::Count(grid.jobs.iter().map(|job| job.seed).collect()));
    assert_eq!(column("runs", "regret"), Values::Real(runs.iter().map(|run| run.row.regret).collect()));
    let radius = runs.iter().map(|run| run.row.radius.clone()).collect();
    assert_eq!(column("runs", "radius"), Values::Text(radius));
    let Values::Real(informed) = column("runs", "informed_step") else { panic!("a missing step is NaN") };
    for (run, step) in runs.iter().zip(informed) {
        assert!(run.row.informed_step.map_or(step.is_nan(), |n| n as f64 == step));
    }
    let empty = runs.iter().flat_map(|run| run.plans.iter().map(|plan| Some(plan.empty))).collect();
    assert_eq!(column("plans", "empty"), Values::Flag(empty));
    assert_eq!(table_paths(dir.path(), "runs").unwrap().len(), grid.jobs.len());
    assert!(read_columns(dir.path(), "../runs").is_err() && table_paths(dir.path(), "figures").is_err());
}
