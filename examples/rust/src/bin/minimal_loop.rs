//! Your own loop: act, pay, observe.
//!
//! `cargo run -p goalward-examples --bin minimal_loop`

use goalward::{LevisPlusPlusLr, Problem, Result, Transition};

fn main() -> Result<()> {
    // two candidate models of one action: it reaches the goal, state 1, with probability 0.9 or 0.2
    let fast = vec![vec![vec![(1, 0.9), (0, 0.1)]], vec![]];
    let slow = vec![vec![vec![(1, 0.2), (0, 0.8)]], vec![]];
    let models = [("fast", fast), ("slow", slow)];
    let problem = Problem::from_models(&models, &[vec![1.0], vec![]], 0, 1)?;
    let mut learner = LevisPlusPlusLr::builder().b(5.0).build(problem)?;

    for episode in 0..100 {
        let mut state = 0;
        for try_again in 0.. {
            let action = learner.act(state)?;
            // the world: here it follows the fast model, in yours it follows nature
            let next = if (episode + try_again) % 10 == 0 { 0 } else { 1 };
            learner.observe(&Transition { state, action, cost: 1.0, next })?;
            state = next;
            if state == 1 {
                break;
            }
        }
        learner.end_episode();
    }
    for (i, weight) in learner.theta().unwrap_or_default().iter().enumerate() {
        println!("{}: {weight:.2}", learner.problem().model_name(i));
    }
    println!("cost to the goal, at least: {:.2}", learner.value(0)?.unwrap_or(f64::NAN));
    Ok(())
}
