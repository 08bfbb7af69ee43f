//! A controller of your own, under guard: it is followed while its bill allows it.
//!
//! `cargo run -p goalward-examples --bin guarded_controller`

use goalward::learners::Player;
use goalward::{Guarded, Problem, Result, Transition};

fn main() -> Result<()> {
    // from home, state 0, to work, state 1: over the bridge, or through the town
    let open = vec![vec![vec![(1, 0.9), (0, 0.1)], vec![(1, 0.5), (0, 0.5)]], vec![]];
    let closed = vec![vec![vec![(1, 0.1), (0, 0.9)], vec![(1, 0.5), (0, 0.5)]], vec![]];
    let models = [("open", open), ("closed", closed)];
    let problem = Problem::from_models(&models, &[vec![1.0, 1.0], vec![]], 0, 1)?;
    let mut learner = Guarded::builder().inner("proposals".to_string()).build(problem)?;

    let (mut steps, mut followed) = (0, 0);
    for _ in 0..200 {
        let mut state = 0;
        while state != 1 {
            // your controller always takes the bridge; today it is closed
            let action = learner.act_on(state, 0)?;
            followed += usize::from(learner.player() == Some(Player::Inner));
            let luck = (steps * 7) % 10;
            let next = if luck < [1, 5][action] { 1 } else { 0 };
            learner.observe(&Transition { state, action, cost: 1.0, next })?;
            (state, steps) = (next, steps + 1);
        }
        learner.end_episode();
    }
    println!("{followed} of {steps} steps were the controller's");
    println!("regret at most {:.1}", learner.regret_certified().unwrap_or(f64::NAN));
    Ok(())
}
