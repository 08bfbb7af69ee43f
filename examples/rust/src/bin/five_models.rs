//! Five candidate models of a grid, a truth that mixes them, and what the learner finds out.
//!
//! `cargo run -p goalward-examples --bin five_models`

use goalward::episode::{Arena, RunSpec, Runner};
use goalward::{Result, Settings};

fn main() -> Result<()> {
    // each model has a wind of its own; the truth mixes them with weights that the learner is not
    // told; that no weight is negative it may know (simplex)
    let arena = Arena::open("windy-grid", &Settings::new().set("n", 3).set("simplex", true))?;
    let mut runner = Runner::new(&arena, RunSpec::new("lr", 150).seed(1))?;
    runner.run(&mut [])?;

    let result = runner.result();
    println!("{} episodes, {} steps", result.episodes, result.steps);
    println!("optimal cost {:.2}, regret {:.2}", result.optimal_cost, result.regret);
    let intervals = runner.learner().intervals().unwrap_or_default();
    let truth = arena.instance().truth()?.theta().unwrap_or_default();
    for (i, ((low, high), theta)) in intervals.iter().zip(truth).enumerate() {
        let model = arena.problem().model_name(i);
        println!("{model:>6}: between {low:.3} and {high:.3}; the truth is {theta}");
    }
    if let Some(guarantee) = result.guarantee {
        println!("{}", guarantee.summary());
    }
    Ok(())
}
