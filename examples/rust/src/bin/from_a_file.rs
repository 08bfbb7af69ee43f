//! Two models from DRN files, mixed into a problem that a learner solves.
//!
//! `cargo run -p goalward-examples --bin from_a_file`

use goalward::episode::{Arena, RunSpec, Runner};
use goalward::problem::mix;
use goalward::{Result, Settings, worlds};
use std::path::Path;

fn main() -> Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let open = |name: &str| worlds::open(&folder.join(name).to_string_lossy(), &Settings::new());
    let models = [("sunny".to_string(), open("sunny.drn")?), ("rainy".to_string(), open("rainy.drn")?)];
    let weather = mix(&models, Some(&[0.3, 0.7]))?;

    let arena = Arena::new("weather", &Settings::new(), weather)?;
    let mut runner = Runner::new(&arena, RunSpec::new("lr", 200))?;
    runner.run(&mut [])?;
    let theta = runner.learner().theta().unwrap_or_default();
    for (i, (weight, truth)) in theta.iter().zip([0.3, 0.7]).enumerate() {
        println!("{} {weight:.2} (the truth is {truth})", arena.problem().model_name(i));
    }
    println!("regret {:.2} after {} episodes", runner.result().regret, runner.result().episodes);
    Ok(())
}
