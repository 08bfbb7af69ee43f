//! The optimal cost of a known model, between bounds that are proved.
//!
//! `cargo run -p goalward-examples --bin certified_planning`

use goalward::plan::{Objective, Options, solve, verify};
use goalward::{Result, Settings, worlds};

fn main() -> Result<()> {
    let grid = worlds::open("windy-grid", &Settings::new().set("n", 30))?;
    let (problem, truth) = (&grid.problem, grid.truth()?);

    let answer = solve(problem, truth, &Options::default())?;
    let start = problem.start();
    println!("the optimal cost lies between {} and {}", answer.lower[start], answer.upper[start]);
    println!("B* = {:.3}, T* = {:.1} steps", answer.b_star, answer.t_star);
    println!("the first move is {}", problem.action_name(start, answer.policy[start]));

    // the other way: made for size, and checked by code that shares nothing with the solver
    let fast = solve(problem, truth, &Options::fast(Objective::Min, 1e-6))?;
    match verify(problem, truth, &fast) {
        Ok(()) => println!("the fast way agrees to {:.1e}, and its certificate holds", fast.width()),
        Err(flaw) => println!("its certificate does not hold: {flaw}"),
    }
    Ok(())
}
