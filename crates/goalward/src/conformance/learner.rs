//! What every learner must do.

use super::trial::{EPISODES, Outcome, Pause, SEED, built, ensure, text};
use super::{Report, extremes};
use crate::confidence::ConfidenceSet;
use crate::episode::{Arena, Checkpoint, Ending, Flow, Observer, Plan, RunSpec, Runner, Step, Trace};
use crate::learners::{Learner, LearnerEntry, Observed, Probe, Snapshot, Told, Transition};
use crate::parameters::Settings;
use crate::plan::Halt;
use crate::{Error, Result};
use std::path::Path;

/// No run of a small world takes more steps unless its learner is hopeless.
const MOST_STEPS: u64 = 2_000;

/// Checks a learner on small worlds: that runs repeat, that they go on bit for bit from any step,
/// that wrong calls are refused and change nothing, and more. [`Report`] prints what was checked.
///
/// Parameters without a default are set to `oracle`, so that they should be bounds that a
/// simulation knows. The learner need not be [registered](crate::learners::register).
pub fn learner(entry: &LearnerEntry) -> Report {
    let mut report = Report::new(format!("learner {}", entry.id));
    let arenas = match arenas() {
        Ok(arenas) => arenas,
        Err(error) => {
            report.check("the suite's worlds open", Err(error.to_string()));
            return report;
        }
    };
    type Rule = fn(&LearnerEntry, &Arena) -> Outcome;
    let rules: &[(&'static str, Rule)] = &[
        ("its entry can be typed, and its defaults can be read", is_sound),
        ("it builds, and refuses a parameter that it does not have", builds),
        ("the same seed gives the same bytes", repeats),
        ("a run goes on bit for bit from any step, through a checkpoint", resumes),
        ("every parameter is in force", reports),
        ("calls that make no sense are refused and change nothing", refuses),
        ("a step that no model allows is survived and counted", survives),
        ("a state that is none of its own is refused and changes nothing", keeps_its_state),
        ("a plan that is cut off is made later, with the same outcome", catches_up),
        ("what it calls optimistic is nowhere above V*, before the first plan either", is_optimistic),
        ("no set that it shows has a theta in it that is not in B", keeps_to_b),
    ];
    for (rule, check) in rules {
        let mut looked_at = Vec::new();
        let mut wrong = None;
        for arena in &arenas {
            match check(entry, arena) {
                Ok(words) => looked_at.push(format!("{}: {words}", arena.world)),
                Err(fault) => wrong = wrong.or(Some(format!("{}: {fault}", arena.world))),
            }
        }
        report.check(rule, wrong.map_or(Ok(looked_at.join("; ")), Err));
    }
    for (rule, check) in extremes::RULES {
        report.check(rule, check(entry));
    }
    report
}

fn arenas() -> Result<Vec<Arena>> {
    let settings = |pairs: &[&str]| Settings::parse(pairs);
    Ok(vec![
        Arena::open("hard-instance", &settings(&["dim=3"])?)?,
        Arena::open("windy-grid", &settings(&["n=3"])?)?,
        // some costs are near 0, and so are some values
        Arena::open("random-mixture", &settings(&["states=6", "cost_min=0.001"])?)?,
    ])
}

fn runner<'a>(entry: &LearnerEntry, arena: &'a Arena) -> Result<Runner<'a>> {
    let spec = RunSpec::new(entry.id, EPISODES).settings(entry.oracle()).seed(SEED).max_steps(MOST_STEPS);
    Runner::with_learner(arena, spec, built(entry, arena)?)
}

/// Everything that a run shows: its trace, its result, the learner's state.
fn shown(runner: &Runner, trace: &[u8]) -> Result<(Vec<u8>, String, Snapshot), String> {
    let result = serde_json::to_string(&runner.result()).map_err(|e| e.to_string())?;
    Ok((trace.to_vec(), result, runner.learner().snapshot()))
}

fn is_sound(entry: &LearnerEntry, _: &Arena) -> Outcome {
    match entry.flaw() {
        Some(fault) => Err(fault),
        None => Ok(format!("{} parameters", entry.parameters.len())),
    }
}

fn builds(entry: &LearnerEntry, arena: &Arena) -> Outcome {
    built(entry, arena).map_err(text)?;
    let unknown = entry.oracle().set("no_such_parameter", 1);
    let refused = entry.build(arena.problem(), &unknown, 0, 1, Told::default());
    match refused {
        Err(Error::UnknownSetting { .. }) => Ok(format!("{} parameters", entry.parameters.len())),
        Err(error) => Err(format!("no_such_parameter=1 gives another error: {error}")),
        Ok(_) => Err("no_such_parameter=1 was taken".into()),
    }
}

fn whole(entry: &LearnerEntry, arena: &Arena) -> Result<(Vec<u8>, String, Snapshot), String> {
    let mut bytes = Vec::new();
    let mut runner = runner(entry, arena).map_err(text)?;
    let mut trace = Trace::new(&mut bytes);
    trace.start(&runner);
    runner.run(&mut [&mut trace]).map_err(text)?;
    trace.end(&runner);
    drop(trace);
    shown(&runner, &bytes)
}

fn repeats(entry: &LearnerEntry, arena: &Arena) -> Outcome {
    let (once, again) = (whole(entry, arena)?, whole(entry, arena)?);
    ensure(once == again, || "two runs of one seed differ".into())?;
    Ok(format!("{} bytes of trace", once.0.len()))
}

fn resumes(entry: &LearnerEntry, arena: &Arena) -> Outcome {
    let one = whole(entry, arena)?;
    let mut stops = 0;
    for every in [1, 7] {
        let mut bytes = Vec::new();
        let mut current = runner(entry, arena).map_err(text)?;
        Trace::new(&mut bytes).start(&current);
        loop {
            let mut trace = Trace::new(&mut bytes);
            let ending = current.run(&mut [&mut trace, &mut Pause(every)]).map_err(text)?;
            if ending != Ending::Paused {
                trace.end(&current);
                break;
            }
            stops += 1;
            let file = Checkpoint::of(&current).to_bytes().map_err(text)?;
            let checkpoint = Checkpoint::from_bytes(&file, Path::new("checkpoint")).map_err(text)?;
            let learner = built(entry, arena).map_err(text)?;
            current = Runner::resume_with(arena, &checkpoint, learner).map_err(text)?;
        }
        let pieces = shown(&current, &bytes)?;
        ensure(pieces == one, || format!("a run that stops every {every} steps differs"))?;
    }
    Ok(format!("{stops} checkpoints"))
}

fn reports(entry: &LearnerEntry, arena: &Arena) -> Outcome {
    let learner = built(entry, arena).map_err(text)?;
    let missing = entry.parameters.iter().find(|p| !learner.in_force().contains_key(p.name));
    match missing {
        Some(parameter) => Err(format!("{} is not among them", parameter.name)),
        None => Ok(format!("{} of them", learner.in_force().len())),
    }
}

fn refuses(entry: &LearnerEntry, arena: &Arena) -> Outcome {
    let mut learner = built(entry, arena).map_err(text)?;
    let problem = arena.problem().clone();
    let (start, goal) = (problem.start(), problem.goal());
    let cost = problem.cost(problem.pair(start, 0));
    let before = learner.snapshot();
    for s in [goal, problem.states(), usize::MAX] {
        ensure(learner.act(s).is_err(), || format!("act({s}) gives an action"))?;
    }
    let step = |state, action, cost, next| Transition { state, action, cost, next };
    let wrong = [
        step(problem.states(), 0, cost, start),
        step(start, problem.actions(start), cost, start),
        step(start, 0, cost, problem.states()),
        step(goal, 0, 0.0, goal),
        step(start, 0, f64::NAN, start),
        step(start, 0, f64::INFINITY, start),
        step(start, 0, -cost - 1.0, start),
    ];
    for step in &wrong {
        ensure(learner.observe(step).is_err(), || format!("{step:?} was taken in"))?;
    }
    ensure(learner.snapshot() == before, || "a call that was refused changed its state".into())?;
    Ok(format!("{} wrong calls", 3 + wrong.len()))
}

fn survives(entry: &LearnerEntry, arena: &Arena) -> Outcome {
    let mut learner = built(entry, arena).map_err(text)?;
    let problem = arena.problem().clone();
    let start = problem.start();
    let pair = problem.pair(start, 0);
    let impossible = |s: &usize| !problem.successors(pair).contains(&(*s as u32));
    let Some(next) = (0..problem.states()).find(impossible) else {
        return Ok("every state is a successor".into());
    };
    let step = Transition { state: start, action: 0, cost: problem.cost(pair), next };
    for _ in 0..5 {
        learner.observe(&step).map_err(text)?;
        learner.act(start).map_err(text)?;
    }
    let counted = learner.clock().impossible;
    ensure(counted == 5, || format!("of five such steps {counted} were counted"))?;
    Ok("five such steps".into())
}

fn keeps_its_state(entry: &LearnerEntry, arena: &Arena) -> Outcome {
    let mut runner = runner(entry, arena).map_err(text)?;
    runner.run(&mut [&mut Pause(20)]).map_err(text)?;
    let own = runner.learner().snapshot();
    let mut learner = built(entry, arena).map_err(text)?;
    let fresh = learner.snapshot();
    let wrong = [serde_json::json!(null), serde_json::json!({}), serde_json::json!([1, "two"])];
    for state in wrong {
        let refused = learner.restore(&Snapshot(state.clone())).is_err();
        ensure(refused, || format!("{state} was taken for a state"))?;
        ensure(learner.snapshot() == fresh, || format!("{state} changed its state"))?;
    }
    learner.restore(&own).map_err(text)?;
    ensure(learner.snapshot() == own, || "a state that is put back is another one".into())?;
    Ok("three wrong states, one right".into())
}

/// A learner in the state of another, with the plan made that it owes.
fn made_later(entry: &LearnerEntry, arena: &Arena, cut: &Learner) -> Result<Learner, String> {
    let mut later = built(entry, arena).map_err(text)?;
    later.restore(&cut.snapshot()).map_err(text)?;
    ensure(later.catch_up() == Observed::Planned, || "it does not make the plan it owes".into())?;
    Ok(later)
}

fn catches_up(entry: &LearnerEntry, arena: &Arena) -> Outcome {
    let halt = Halt::new();
    halt.ask();
    let (mut plain, mut cut) = (built(entry, arena).map_err(text)?, built(entry, arena).map_err(text)?);
    cut.heed(&halt);
    let problem = arena.problem().clone();
    let mut plans = 0;
    if plain.catch_up() == Observed::Planned {
        // it plans before its first step
        ensure(cut.catch_up() == Observed::Owed, || "its first plan cannot be cut off".into())?;
        plans += 1;
        cut = made_later(entry, arena, &cut)?;
        cut.heed(&halt);
    }
    let mut s = problem.start();
    for _ in 0..40 {
        let action = plain.act(s).map_err(text)?;
        ensure(cut.act(s).map_err(text)? == action, || "it acts otherwise after a plan was cut off".into())?;
        let pair = problem.pair(s, action);
        let next = problem.successors(pair)[0] as usize;
        let step = Transition { state: s, action, cost: problem.cost(pair), next };
        let observed = plain.observe(&step).map_err(text)?;
        match (observed, cut.observe(&step).map_err(text)?) {
            (Observed::Planned, Observed::Owed) => {
                plans += 1;
                cut = made_later(entry, arena, &cut)?;
                cut.heed(&halt);
            }
            (a, b) => ensure(a == b, || format!("{a:?} without a halt, {b:?} with one"))?,
        }
        ensure(plain.snapshot() == cut.snapshot(), || "a plan made later is another one".into())?;
        s = if next == problem.goal() { problem.start() } else { next };
    }
    Ok(format!("{plans} plans cut off"))
}

/// Compares the value of every plan with V*.
struct Above<'a> {
    arena: &'a Arena,
    plans: u64,
    worst: f64,
}

impl Observer for Above<'_> {
    fn plan(&mut self, plan: &Plan) -> Flow {
        let Some(report) = plan.learner.last_plan() else { return Flow::Continue(()) };
        self.plans += 1;
        self.compare(&report.v);
        Flow::Continue(())
    }

    fn step(&mut self, step: &Step) -> Flow {
        self.compare_shown(step.learner);
        Flow::Continue(())
    }
}

impl Above<'_> {
    fn compare(&mut self, values: &[f64]) {
        let exact = self.arena.exact();
        for (v, upper) in values.iter().zip(&exact.upper) {
            self.worst = self.worst.max(v - upper - 1e-9 * upper.abs().max(1.0));
        }
    }

    /// What the learner shows now, if it shows values.
    fn compare_shown(&mut self, learner: &Learner) -> Option<()> {
        let states = 0..self.arena.problem().states();
        let values: Vec<f64> = states.map(|s| learner.value(s).ok().flatten()).collect::<Option<_>>()?;
        self.compare(&values);
        Some(())
    }
}

fn is_optimistic(entry: &LearnerEntry, arena: &Arena) -> Outcome {
    if !entry.optimistic {
        return Ok("it claims no optimism".into());
    }
    let mut runner = runner(entry, arena).map_err(text)?;
    let mut above = Above { arena, plans: 0, worst: f64::NEG_INFINITY };
    // before the first plan, too
    above.compare_shown(runner.learner());
    runner.run(&mut [&mut above]).map_err(text)?;
    // a learner that never plans has values all the same
    let last = above.compare_shown(runner.learner());
    ensure(above.plans > 0 || last.is_some(), || "it made no plan, and has no values".into())?;
    // perturbed costs raise the values they bound
    let perturbed = runner.learner().in_force().contains_key("rho");
    ensure(perturbed || above.worst <= 0.0, || format!("a plan's value is {} above V*", above.worst))?;
    Ok(format!("{} plans", above.plans))
}

/// The least and the largest margin that the shown sets give a theta, of now and of the last plan.
struct Margins<'a> {
    theta: &'a [f64],
    least: f64,
    most: f64,
}

impl Probe for Margins<'_> {
    fn wants_estimate(&self) -> bool {
        false
    }
    fn wants_sets(&self) -> bool {
        true
    }
    fn set(&mut self, set: &dyn ConfidenceSet) {
        let margin = set.margin(self.theta);
        (self.least, self.most) = (self.least.min(margin), self.most.max(margin));
    }
    fn planned_set(&mut self, set: &dyn ConfidenceSet) {
        self.set(set);
    }
}

fn keeps_to_b(entry: &LearnerEntry, arena: &Arena) -> Outcome {
    let mut runner = runner(entry, arena).map_err(text)?;
    let Some(theta) = arena.instance().truth().ok().and_then(|truth| truth.theta().map(<[f64]>::to_vec))
    else {
        return Ok("no theta is known".into());
    };
    let times = |factor: f64| theta.iter().map(|x| factor * x).collect::<Vec<f64>>();
    let mut short = theta.clone();
    short.pop();
    let outside = [times(1.01), times(-1.0), vec![1e308; theta.len()], times(f64::NAN), short];
    let mut sets = 0;
    for _ in 0..2 {
        let margins = |theta: &[f64]| {
            let mut margins = Margins { theta, least: f64::INFINITY, most: f64::NEG_INFINITY };
            runner.learner().probe(&mut margins);
            (margins.least, margins.most)
        };
        let (least, most) = margins(&theta);
        sets += usize::from(least <= most);
        ensure(least > f64::NEG_INFINITY, || "the truth is not taken for a theta of B".into())?;
        for theta in &outside {
            let (_, most) = margins(theta);
            ensure(most == f64::NEG_INFINITY, || format!("{theta:?} has a margin of {most}"))?;
        }
        runner.run(&mut []).map_err(text)?;
    }
    Ok(format!("{sets} looks at sets"))
}
