//! What every learner must do on problems at the edge: one action, nothing to do, zero costs, a
//! state that nobody can enter, other units, a long run.

use super::trial::{Outcome, Pause, SEED, built, ensure, text};
use crate::episode::{Arena, Ending, Flow, Observer, Plan, RunSpec, Runner, Step};
use crate::learners::{Learner, LearnerEntry, Need, Told, Transition};
use crate::parameters::Settings;
use crate::problem::{Instance, Problem};
use crate::{Error, Result};

/// The steps of the long run; what is kept is compared with what was kept after a tenth.
const LONG: u64 = 100_000;

pub(super) type Rule = fn(&LearnerEntry) -> Outcome;

pub(super) const RULES: &[(&str, Rule)] = &[
    ("it never peeks: the truth changes nothing but what happens", never_peeks),
    ("where there is one action it takes it", one_action),
    ("an episode that begins at the goal is over", start_at_the_goal),
    ("zero costs are taken, or refused with a reason", zero_costs),
    ("a state that nobody can enter does no harm", out_of_the_way),
    ("costs in other units give the same run", other_units),
    ("what it keeps does not grow with the time", keeps_its_size),
];

/// A model: per state and action the next states with their probabilities.
type Model = Vec<Vec<Vec<(usize, f64)>>>;

fn arena(name: &str, models: [Model; 2], costs: &[Vec<f64>], start: usize, share: f64) -> Result<Arena> {
    let goal = costs.len() - 1;
    let [a, b] = models;
    let problem = Problem::from_models(&[("a", a), ("b", b)], costs, start, goal)?;
    Arena::new(name, &Settings::new(), Instance::new(problem, &[share, 1.0 - share])?)
}

/// Two states before the goal, two actions in each: to go on may fail, and so may to wait.
fn two_ways(chance: f64) -> Model {
    let step = |s: usize, p: f64| vec![(s, 1.0 - p), (s + 1, p)];
    vec![vec![step(0, chance), step(0, 0.5)], vec![step(1, 1.0 - chance), step(1, 0.5)], vec![]]
}

fn usual(unit: f64, share: f64) -> Result<Arena> {
    let costs = [vec![unit, 0.5 * unit], vec![unit, 0.75 * unit], vec![]];
    arena("two ways", [two_ways(0.875), two_ways(0.25)], &costs, 0, share)
}

/// What a run of some episodes comes to, and its learner.
fn run(entry: &LearnerEntry, arena: &Arena, episodes: u64, steps: u64) -> Result<(Learner, f64, u64)> {
    let spec = RunSpec::new(entry.id, episodes).settings(entry.oracle()).seed(SEED).max_steps(steps);
    let learner = built(entry, arena)?;
    let mut runner = Runner::with_learner(arena, spec, learner)?;
    let mut finite = Finite { arena, wrong: None };
    runner.run(&mut [&mut finite])?;
    if let Some(fault) = finite.wrong {
        return Err(Error::Field { field: entry.id.into(), fault });
    }
    let result = runner.result();
    let mut again = built(entry, arena)?;
    again.restore(&runner.learner().snapshot())?;
    Ok((again, result.gap_regret, result.steps))
}

/// Looks at every value after every plan and at the end of every episode.
struct Finite<'a> {
    arena: &'a Arena,
    wrong: Option<String>,
}

impl Finite<'_> {
    fn look(&mut self, learner: &Learner) -> Flow {
        let problem = self.arena.problem();
        for s in 0..problem.states() {
            let value = learner.value(s).ok().flatten().filter(|v| !v.is_finite());
            let mut q = (0..problem.actions(s)).filter_map(|a| learner.q(s, a).ok().flatten());
            if let Some(x) = value.or_else(|| q.find(|q| !q.is_finite())) {
                self.wrong = self.wrong.take().or(Some(format!("a value of state {s} is {x}")));
            }
        }
        Flow::Continue(())
    }
}

impl Observer for Finite<'_> {
    fn step(&mut self, step: &Step) -> Flow {
        if step.t % 64 == 1 { self.look(step.learner) } else { Flow::Continue(()) }
    }
    fn plan(&mut self, plan: &Plan) -> Flow {
        self.look(plan.learner)
    }
}

fn never_peeks(entry: &LearnerEntry) -> Outcome {
    // the same problem, the same bounds and the same steps, whatever the truth
    let (one, other) = (usual(1.0, 0.9).map_err(text)?, usual(1.0, 0.1).map_err(text)?);
    ensure(one.exact().policy != other.exact().policy, || "the two truths have one best policy".into())?;
    // a learner that is handed a policy follows it
    let policy = entry.wants(Need::Policy).then(|| one.exact().policy.clone());
    let build = |arena: &Arena| {
        let told = Told { b_star: Some(10.0), t_star: Some(10.0), policy: policy.clone() };
        entry.build(arena.problem(), &entry.oracle(), SEED, 10, told).map_err(text)
    };
    let mut learners = [build(&one)?, build(&other)?];
    let problem = one.problem().clone();
    let mut s = problem.start();
    for t in 0..60usize {
        let actions = [learners[0].act(s).map_err(text)?, learners[1].act(s).map_err(text)?];
        ensure(actions[0] == actions[1], || format!("after {t} equal steps it acts in two ways"))?;
        let pair = problem.pair(s, actions[0]);
        let next = problem.successors(pair)[t % problem.successors(pair).len()] as usize;
        let step = Transition { state: s, action: actions[0], cost: problem.cost(pair), next };
        for learner in &mut learners {
            learner.observe(&step).map_err(text)?;
        }
        s = if next == problem.goal() { problem.start() } else { next };
    }
    ensure(learners[0].snapshot() == learners[1].snapshot(), || "equal steps led to two states".into())?;
    Ok("60 steps of a script".into())
}

fn one_action(entry: &LearnerEntry) -> Outcome {
    let one = |p: f64| vec![vec![vec![(0, 1.0 - p), (1, p)]], vec![vec![(1, 1.0 - p), (2, p)]], vec![]];
    let arena = arena("one action", [one(0.5), one(0.75)], &[vec![1.0], vec![0.5], vec![]], 0, 0.5);
    let (_, regret, steps) = run(entry, &arena.map_err(text)?, 20, 5_000).map_err(text)?;
    ensure(regret.abs() < 1e-9, || format!("gap regret {regret} where there is nothing to lose"))?;
    Ok(format!("{steps} steps"))
}

fn start_at_the_goal(entry: &LearnerEntry) -> Outcome {
    let costs = [vec![1.0, 0.5], vec![1.0, 0.75], vec![]];
    let arena = match arena("at the goal", [two_ways(0.875), two_ways(0.25)], &costs, 2, 0.5) {
        Err(error) => return Ok(format!("no such problem: {error}")),
        Ok(arena) => arena,
    };
    let (_, regret, steps) = run(entry, &arena, 5, 100).map_err(text)?;
    ensure(regret == 0.0 && steps == 0, || format!("{steps} steps, gap regret {regret}"))?;
    Ok("5 episodes".into())
}

fn zero_costs(entry: &LearnerEntry) -> Outcome {
    let costs = [vec![1.0, 0.0], vec![0.0, 0.75], vec![]];
    let arena = arena("zero costs", [two_ways(0.875), two_ways(0.25)], &costs, 0, 0.5).map_err(text)?;
    if let Err(error) = built(entry, &arena) {
        return Ok(format!("refused: {error}"));
    }
    let (_, _, steps) = run(entry, &arena, 20, 3_000).map_err(text)?;
    Ok(format!("{steps} steps"))
}

fn out_of_the_way(entry: &LearnerEntry) -> Outcome {
    // state 2 leads to the goal, and nothing leads to state 2
    let aside = |p: f64| {
        let mut model = two_ways(p);
        let goal = |row: &mut Vec<(usize, f64)>| {
            row.iter_mut().for_each(|(s, _)| {
                if *s == 2 {
                    *s = 3
                }
            });
        };
        model.iter_mut().flatten().for_each(goal);
        model.insert(2, vec![vec![(2, 0.5), (3, 0.5)], vec![(3, 1.0)]]);
        model
    };
    let costs = [vec![1.0, 0.5], vec![1.0, 0.75], vec![1.0, 1.0], vec![]];
    let arena = arena("out of the way", [aside(0.875), aside(0.25)], &costs, 0, 0.5).map_err(text)?;
    let (learner, _, steps) = run(entry, &arena, 20, 5_000).map_err(text)?;
    let value = learner.value(2).map_err(text)?;
    ensure(value.is_none_or(f64::is_finite), || format!("its value is {value:?}"))?;
    Ok(format!("{steps} steps"))
}

fn other_units(entry: &LearnerEntry) -> Outcome {
    // a power of two, so that nothing is rounded otherwise
    let (one, other) = (usual(1.0, 0.75).map_err(text)?, usual(1024.0, 0.75).map_err(text)?);
    let (small, regret, steps) = run(entry, &one, 30, 5_000).map_err(text)?;
    let (large, other_regret, other_steps) = run(entry, &other, 30, 5_000).map_err(text)?;
    let same = steps == other_steps && (other_regret - 1024.0 * regret).abs() <= 1e-6 * other_regret.max(1.0);
    ensure(same, || {
        format!("{steps} steps and regret {regret}, but {other_steps} and {other_regret} in units of 1/1024")
    })?;
    for s in 0..one.problem().states() {
        let (v, w) = (small.value(s).map_err(text)?, large.value(s).map_err(text)?);
        let near = v.zip(w).is_none_or(|(v, w)| (1024.0 * v - w).abs() <= 1e-6 * w.abs().max(1.0));
        ensure(near, || format!("the value of state {s} is {v:?}, and {w:?} in units of 1/1024"))?;
    }
    Ok(format!("{steps} steps, 1 and 1024"))
}

fn keeps_its_size(entry: &LearnerEntry) -> Outcome {
    let arena = usual(1.0, 0.75).map_err(text)?;
    let spec = RunSpec::new(entry.id, LONG).settings(entry.oracle()).seed(SEED);
    let size = |runner: &Runner| runner.learner().snapshot().0.to_string().len();
    let mut runner = Runner::with_learner(&arena, spec, built(entry, &arena).map_err(text)?).map_err(text)?;
    let mut pause = Pause(LONG / 10);
    let ending = runner.run(&mut [&mut pause]).map_err(text)?;
    ensure(ending == Ending::Paused, || format!("the run ended: {ending:?}"))?;
    let early = size(&runner);
    pause.0 = LONG - LONG / 10;
    runner.run(&mut [&mut pause]).map_err(text)?;
    let late = size(&runner);
    // numbers may take more digits, and layers that come to rest a little later
    ensure(late <= early + early / 2 + 500, || {
        format!("{early} bytes after {} steps, {late} after {LONG}", LONG / 10)
    })?;
    Ok(format!("{early} bytes after {} steps, {late} after {LONG}", LONG / 10))
}
