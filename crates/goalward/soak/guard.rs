//! `cargo xtask soak guard [EPISODES]`: 200 audited runs of `guarded` on five worlds with ten truths and
//! four inner learners; and how seldom an inner learner plays that wanders or never ends an episode,
//! after a quarter of 10,000 episodes and after all. Exit code 1 if a check of the books fails while
//! theta* is in the sets, or if the share does not fall as one over the root of the episodes.

use goalward::episode::{Agent, Arena, Audit, RunSpec, Runner};
use goalward::problem::State;
use goalward::{Settings, Transition, worlds};
use rayon::prelude::*;
use std::process::ExitCode;

const WORLDS: [&str; 5] = [
    "windy-grid@n=3@simplex=true",
    "delivery@simplex=true",
    "ladder@rungs=6@dim=3",
    "hard-instance",
    "random-mixture@simplex=true",
];
const INNER: [&str; 4] = ["knowledge-gradient", "certainty-equivalence", "q-learning", "random"];

fn main() -> ExitCode {
    // cargo itself passes --bench
    let mut numbers = std::env::args().skip(1).filter_map(|arg| arg.parse::<u64>().ok());
    let episodes = numbers.next().unwrap_or(10_000);
    let runs: Vec<(&str, &str, u64)> = WORLDS
        .iter()
        .flat_map(|w| INNER.iter().flat_map(move |i| (0..10).map(move |s| (*w, *i, s))))
        .collect();
    let audited: Result<Vec<Vec<String>>, _> = runs.into_par_iter().map(|(w, i, s)| books(w, i, s)).collect();
    let shares = [wandering(episodes / 4), wandering(episodes), stuck(episodes / 4), stuck(episodes)];
    match (audited, shares) {
        (Ok(faults), [Ok(wander_4), Ok(wander), Ok(stuck_4), Ok(stuck)]) => {
            let held = faults.iter().filter(|faults| faults.is_empty()).count();
            faults.iter().flatten().for_each(|fault| println!("{fault}"));
            println!("books: all checks hold on {held} of {} runs", faults.len());
            println!(
                "plays at random: {:.2} % after {}, {:.2} % after {episodes}",
                100.0 * wander_4,
                episodes / 4,
                100.0 * wander
            );
            println!(
                "never ends: {:.2} % after {}, {:.2} % after {episodes}",
                100.0 * stuck_4,
                episodes / 4,
                100.0 * stuck
            );
            // the root of 4, and a quarter for luck
            let falls = |before: f64, after: f64| after <= 1.25 * before / 2.0;
            let fine = held == faults.len() && falls(wander_4, wander) && falls(stuck_4, stuck);
            ExitCode::from(u8::from(!fine))
        }
        (Err(error), _) => refuse(&error),
        (_, shares) => shares.iter().find_map(|share| share.as_ref().err()).map_or(ExitCode::FAILURE, refuse),
    }
}

fn refuse(error: &goalward::Error) -> ExitCode {
    eprintln!("error: {error}");
    ExitCode::from(2)
}

/// What an audit has against the books of a run.
fn books(world: &str, inner: &str, seed: u64) -> goalward::Result<Vec<String>> {
    let (name, params) = worlds::named(&format!("{world}@truth=drawn:{}", 500 + seed))?;
    let arena = Arena::open(&name, &params)?;
    let spec = RunSpec::new("guarded", 300).settings(Settings::new().set("inner", inner)).seed(seed);
    let mut runner = Runner::new(&arena, spec.max_steps(100_000))?;
    let mut audit = Audit::new(&arena)?;
    runner.run(&mut [&mut audit])?;
    let report = audit.report(&runner);
    let failed =
        report.checks.iter().filter(|check| check.statement.starts_with("guard:") && check.fails > 0);
    Ok(failed.map(|check| format!("{world} {inner} {seed}: {}", check.statement)).collect())
}

/// The share of episodes in which random actions were followed at all.
fn wandering(episodes: u64) -> goalward::Result<f64> {
    let (name, params) = worlds::named("windy-grid@n=3")?;
    let arena = Arena::open(&name, &params)?;
    let spec = RunSpec::new("guarded", episodes).settings(Settings::new().set("inner", "random")).seed(1);
    let mut runner = Runner::new(&arena, spec)?;
    runner.run(&mut [])?;
    Ok(runner.learner().guard().map_or(1.0, |guard| guard.inner_episodes as f64 / episodes as f64))
}

/// The same for a controller that walks into a wall for ever.
fn stuck(episodes: u64) -> goalward::Result<f64> {
    let world = worlds::build("windy-grid", &Settings::new().set("n", 3))?;
    let spec = RunSpec::new("guarded", episodes).settings(Settings::new().set("inner", "proposals"));
    let mut agent = Agent::new(&world, spec)?;
    let mut state: State = world.problem.start();
    let mut luck = goalward::Stream::new(7, &[]);
    let mut ended = 0;
    while ended < episodes {
        let action = agent.learner.act_on(state, 3)?;
        let pair = world.problem.pair(state, action);
        let next = world.truth()?.sample(&world.problem, pair, luck.uniform());
        agent.learner.observe(&Transition { state, action, cost: world.problem.cost(pair), next })?;
        state = next;
        if next == world.problem.goal() {
            agent.learner.end_episode();
            (state, ended) = (world.problem.start(), ended + 1);
        }
    }
    Ok(agent.learner.guard().map_or(1.0, |guard| guard.inner_episodes as f64 / episodes as f64))
}
