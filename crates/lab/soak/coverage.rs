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
use goalward_lab::{CoverageOptions, CoverageRow, Silent, coverage};
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
    "levis++lr@radius=data",
    "levis++lr@radius=determinant",
    "levis++@delta_split=true",
    "levis++@delta_split=true@norms=computed",
    "levis++@radius=data",
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
            let Some(lost) = row.lost else { continue };
            let mut line = said(&row, seeds);
            if row.promised.is_some() && lost.limit >= LIMIT {
                let again = watch(dir.path(), world, &[&row.contender.label], 10 * seeds, steps)?;
                for row in &again {
                    line += &format!("\n    again: {}", said(row, 10 * seeds));
                    kept &= row.lost.is_some_and(|lost| lost.limit < LIMIT);
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

fn said(row: &CoverageRow, seeds: u64) -> String {
    let holds = row.guarantee.as_ref().map_or("-", |g| g.holds.word());
    let (lost, limit) = row.lost.map_or((0, 0.0), |lost| (lost.hits, lost.limit));
    let at_plan = row.lost_at_plan.map_or(0, |lost| lost.hits);
    let world = Path::new(&row.world).file_stem().map_or(row.world.clone(), |w| w.to_string_lossy().into());
    format!(
        "{world:32} {:46} holds: {holds:8} lost {lost:4} of {seeds}, at a plan {at_plan:4}, limit {limit:.4}",
        row.contender.label
    )
}

fn watch(
    dir: &Path,
    world: &str,
    learners: &[&str],
    seeds: u64,
    steps: u64,
) -> Result<Vec<CoverageRow>, Box<dyn Error>> {
    let options = CoverageOptions {
        out: dir.join("out"),
        worlds: vec![world.into()],
        learners: learners.iter().map(|learner| learner.to_string()).collect(),
        deltas: vec![DELTA],
        seeds: 0..seeds,
        steps,
        force: true,
    };
    Ok(coverage(&options, &Silent)?.rows)
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
