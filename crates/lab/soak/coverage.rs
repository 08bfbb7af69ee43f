//! Coverage of every confidence set on easy and nasty problems: wherever a guarantee is not known
//! to fail, theta* must be lost rarely enough that the one-sided 95 % limit stays below 1.5 delta.
//!
//! 400 runs with two losses have a limit of 1.57 %, so a set that may lose theta* in 1 % of runs
//! can miss the line by luck. A row that does is run again with ten times the seeds, and judged by
//! those.
//!
//! `cargo xtask soak coverage [--seeds N] [--steps N]`

use goalward::Settings;
use goalward::files::json;
use goalward::problem::{Instance, Problem};
use goalward::worlds;
use goalward_lab::engine::{self, RunOptions};
use goalward_lab::grid::{Grid, Shard};
use goalward_lab::results::{Cell, RunRow};
use goalward_lab::stats::Proportion;
use goalward_lab::store::{StudyFolder, load};
use goalward_lab::{Silent, study};
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

const DELTA: f64 = 0.01;
const LIMIT: f64 = 1.5 * DELTA;

/// Every learner with a set, with each of its radii that claims to be valid, and with the printed
/// norms.
const LEARNERS: &[&str] = &[
    "lr",
    "levis++lr",
    "levis++lr@radius=determinant",
    "levis++@delta_split=true",
    "levis++@delta_split=true@norms=computed",
    "levis++@radius=determinant",
    "rho-levis++@delta_split=true@norms=computed",
    "levis",
    "levis@norms=computed",
    "levis@radius=determinant",
];

const WORLDS: &[&str] = &[
    "hard-instance",
    "corridor",
    "windy-grid@n=3",
    "random-mixture",
    "windy-grid@n=3@wind=1e-8",
    "windy-grid@n=3@simplex=true",
];

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<bool, Box<dyn Error>> {
    let given = |flag: &str, default: u64| -> Result<u64, Box<dyn Error>> {
        let args: Vec<String> = std::env::args().collect();
        let place = args.iter().position(|arg| arg == flag);
        Ok(place.and_then(|i| args.get(i + 1)).map_or(Ok(default), |text| text.parse())?)
    };
    let (seeds, steps) = (given("--seeds", 400)?, given("--steps", 1000)?);
    let dir = tempfile::tempdir()?;
    let mut worlds: Vec<String> = WORLDS.iter().map(|world| world.to_string()).collect();
    worlds.extend(files(dir.path())?);
    let mut kept = true;
    for world in &worlds {
        for row in watch(dir.path(), world, LEARNERS, seeds, steps)? {
            let mut line = row.said();
            if row.guarantee != "no" && row.lost.limit >= LIMIT {
                let again = watch(dir.path(), world, &[&row.learner], 10 * seeds, steps)?;
                for row in &again {
                    line += &format!("\n    again: {}", row.said());
                    kept &= row.lost.limit < LIMIT;
                }
            }
            println!("{line}");
        }
    }
    println!(
        "{}",
        if kept { "every set keeps what it promises" } else { "FAILED: a set loses theta* too often" }
    );
    Ok(kept)
}

/// What the runs of one learner in one world say.
struct Row {
    world: String,
    learner: String,
    guarantee: String,
    lost: Proportion,
    at_plan: usize,
}

impl Row {
    fn said(&self) -> String {
        let stem = Path::new(&self.world).file_stem();
        let world = stem.map_or(self.world.clone(), |w| w.to_string_lossy().into());
        format!(
            "{world:32} {:46} holds: {:8} lost {:4} of {}, at a plan {:4}, limit {:.4}",
            self.learner, self.guarantee, self.lost.hits, self.lost.n, self.at_plan, self.lost.limit
        )
    }
}

fn watch(
    dir: &Path,
    world: &str,
    learners: &[&str],
    seeds: u64,
    steps: u64,
) -> Result<Vec<Row>, Box<dyn Error>> {
    let horizon = |name: &&str| {
        let entry = goalward::learners::entry(name.split('@').next().unwrap_or(name));
        entry.is_ok_and(|entry| entry.parameters.iter().any(|p| p.name == "t_star"))
    };
    let bound = if *learners == ["lr"] { "" } else { "B = \"oracle\"," };
    let t_star = if learners.iter().any(horizon) { "t_star = \"oracle\"," } else { "" };
    let text = format!(
        "worlds = [{world:?}]\nlearners = {learners:?}\nseeds = {seeds}\nsteps = {steps}\n\
         set = {{ {bound} {t_star} delta = {DELTA} }}\n[coverage]\n\
         [record]\nsets = true\nepisodes = \"none\"\nplans = \"none\"\nprobes = \"none\"\n"
    );
    let grid = Grid::open(&study::read(&text, Path::new("soak.toml"), false)?)?;
    let folder = StudyFolder::claim(&dir.join("out"), &grid, Shard::WHOLE, true)?;
    engine::run(&grid, &folder, &RunOptions::default(), &Silent)?;
    let results = load(folder.path())?;
    let row = |cell: &Cell| {
        let lost =
            |of: fn(&RunRow) -> Option<u64>| cell.runs.iter().filter(|run| of(&run.row).is_some()).count();
        Some(Row {
            world: world.into(),
            learner: results.study.learners[cell.learner].contender.label.clone(),
            guarantee: cell.runs.first()?.row.guarantee.clone().unwrap_or("-".into()),
            lost: Proportion::of(lost(|row| row.lost) as u64, cell.runs.len() as u64)?,
            at_plan: lost(|row| row.lost_at_plan),
        })
    };
    Ok(results.cells.iter().filter_map(row).collect())
}

/// Problems that no built-in world is: costs in other units, and features and a theta far from the
/// norms that are assumed.
fn files(dir: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let mut names = Vec::new();
    let mut keep = |name: String, text: String| -> Result<(), Box<dyn Error>> {
        let path = dir.join(name);
        std::fs::write(&path, text)?;
        names.push(path.to_string_lossy().into_owned());
        Ok(())
    };
    let windy = worlds::open("windy-grid", &Settings::new().set("n", 3))?;
    for unit in [1e-6, 1e6] {
        let mut file: serde_json::Value = serde_json::from_str(&json::to_json(&windy))?;
        let rows = file["cost"].as_array_mut().into_iter().flatten();
        for cost in rows.filter_map(|row| row.as_array_mut()).flatten() {
            *cost = (cost.as_f64().unwrap_or(1.0) * unit).into();
        }
        keep(format!("windy-cost-{unit:e}.json"), file.to_string())?;
    }
    for eps in [1e-2, 1e-4] {
        let mut builder = Problem::builder("steep", 2, 2);
        builder.start(0).goal(1);
        let a = builder.action(0, 1.0)?;
        builder.feature(0, a, 1, &[0.5, eps])?;
        builder.feature(0, a, 0, &[0.5, -eps])?;
        let instance = Instance::new(builder.build()?, &[1.0, 0.2 / eps])?;
        keep(format!("steep-{eps:e}.json"), json::to_json(&instance))?;
    }
    Ok(names)
}
