//! `goalward learn --show`: the learner's last plan beside V*.

use crate::exit::note;
use crate::show::Show;
use goalward::episode::Runner;
use goalward::problem::{Action, Problem, State};
use goalward_lab::pictures::grid::Scene;
use goalward_lab::pictures::sight::{Sight, least};

/// Shows what the learner would do now, and what would be best.
pub(super) fn put(show: &Show, runner: &Runner) -> anyhow::Result<()> {
    let arena = runner.arena();
    let problem = arena.problem();
    let id = &runner.spec().learner;
    let mut sights = vec![Sight::best("V*", arena)?];
    match plan(runner, problem)? {
        Some(plan) => sights.insert(0, plan),
        None => note(format!("{id} has made no plan with values: V* alone is shown")),
    }
    let scene = Scene {
        problem,
        truth: arena.instance().truth().ok(),
        measure: "expected cost to the goal".into(),
        sights,
    };
    let now = runner.progress();
    let title = format!("What {id} has learnt of {}", arena.world);
    let notes =
        [format!("seed {}, after {} episodes and {} steps", runner.spec().seed, now.episodes, now.steps)];
    show.put(&scene, &title, &notes)
}

/// The values of the learner's last plan and its greedy actions; none if it has no values.
fn plan(runner: &Runner, problem: &Problem) -> anyhow::Result<Option<Sight>> {
    let learner = runner.learner();
    let mut values = Vec::with_capacity(problem.states());
    let mut actions = Vec::with_capacity(problem.states());
    for s in 0..problem.states() {
        values.push(learner.value(s)?);
        actions.push(if s == problem.goal() { Vec::new() } else { greedy(runner, problem, s)? });
    }
    let known = values.iter().enumerate().any(|(s, value)| value.is_some() && s != problem.goal());
    let title = format!("{}'s last plan", runner.spec().learner);
    Ok(known.then_some(Sight { title, values, actions }))
}

fn greedy(runner: &Runner, problem: &Problem, s: State) -> anyhow::Result<Vec<Action>> {
    let mut known = Vec::new();
    for a in 0..problem.actions(s) {
        known.extend(runner.learner().q(s, a)?.map(|q| (a, q)));
    }
    Ok(least(&known))
}
