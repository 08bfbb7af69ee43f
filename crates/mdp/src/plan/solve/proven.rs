//! The fast way with all that is tried where it proves too little, and what the independent check
//! says of it.

use super::digits::refine;
use super::exact;
use super::fast::Solver;
use super::model::Model;
use super::policy::nearest_goal;
use super::sense::Sense;
use super::setup::Setup;
use super::values::{Fine, Values};
use crate::plan::answer::{Answer, Objective};
use crate::plan::verify::verify;
use crate::problem::{Problem, State, Truth};
use crate::{Error, Result};

/// Above so many transitions the 30-digit arithmetic is not tried: it would take too much memory.
const EXACT_TRANSITIONS: usize = 3_000_000;
/// How many times the roundings of a proof are counted: once if the independent check agrees, else
/// more.
const CARE: [f64; 4] = [1.0, 64.0, 4096.0, 1_048_576.0];
/// The precision to which expected steps are found.
const STEPS: f64 = 1e-9;

/// Bounds as they are found; only what takes more digits than f64 has passed the check.
pub(super) fn unchecked(
    problem: &Problem,
    truth: &Truth,
    objective: Objective,
    precision: f64,
) -> Result<Answer> {
    if problem.pairs() >= u32::MAX as usize {
        let fault = format!("{} state-action pairs are more than planning can hold", problem.pairs());
        return Err(Error::Field { field: "cost".into(), fault });
    }
    let setup = Setup::new(problem, truth, objective);
    let values = Solver::new(&setup.model, Sense::of(objective), precision).run(&setup.ends);
    let policy = values.wide.then(|| values.policy.clone());
    let answer = setup.finish(problem, truth, objective, values);
    Ok(match policy {
        Some(policy) if transitions(problem) <= EXACT_TRANSITIONS => {
            narrowed(problem, truth, &setup, &policy, answer, precision)
        }
        _ => answer,
    })
}

/// Bounds that have passed the independent check: should some ever fail it, wider ones take their
/// place.
pub(super) fn checked(
    problem: &Problem,
    truth: &Truth,
    objective: Objective,
    precision: f64,
) -> Result<Answer> {
    let answer = unchecked(problem, truth, objective, precision)?;
    if verify(problem, truth, &answer).is_ok() {
        return Ok(answer);
    }
    let setup = Setup::new(problem, truth, objective);
    let vacuous = setup.finish(problem, truth, objective, vacuous(&setup.model));
    if transitions(problem) > EXACT_TRANSITIONS {
        return Ok(vacuous);
    }
    let policy: Vec<u32> = nearest_goal(&setup.model).into_iter().map(|choice| choice as u32).collect();
    Ok(narrowed(problem, truth, &setup, &policy, vacuous, precision))
}

/// The expected steps of an answer's policy, per state; infinite in lost states.
pub(super) fn steps(problem: &Problem, truth: &Truth, answer: &Answer) -> Vec<f64> {
    let setup = Setup::steps(problem, truth, &answer.policy, &answer.lost);
    // where all steps cost the same, what a policy costs says how many there are
    let paid = |s: State| problem.cost(problem.pair(s, answer.policy[s]));
    let (mut sum, mut count) = (0.0, 0.0);
    for s in (0..problem.states()).filter(|&s| s != problem.goal() && setup.node_of(s).is_some()) {
        (sum, count) = (sum + paid(s), count + 1.0);
    }
    let mut solver = Solver::new(&setup.model, Sense::Least, STEPS);
    if sum > 0.0 {
        let states = (0..problem.states()).filter(|&s| answer.v[s].is_finite());
        solver.guess(states.filter_map(|s| setup.node_of(s).map(|node| (node, answer.v[s] * count / sum))));
    }
    let values = solver.run(&setup.ends);
    let known = |node: u32| values.upper[node as usize].is_finite().then(|| values.x[node as usize]);
    let step = |s: State| setup.node_of(s).and_then(known).unwrap_or(f64::INFINITY);
    (0..problem.states()).map(step).collect()
}

/// What [`checked`] tries on a problem before it has nothing to say of a state.
pub(super) fn tried(problem: &Problem) -> String {
    let mut tried =
        "policy iteration by elimination, by BiCGSTAB and on several levels, and value iteration; \
                     bounds by scaling and by a margin"
            .to_string();
    tried += match transitions(problem) <= EXACT_TRANSITIONS {
        true => "; the same in 30 digits",
        false => "; not in 30 digits, for which the model is too large",
    };
    tried
}

fn transitions(problem: &Problem) -> usize {
    (0..problem.pairs()).last().map_or(0, |p| problem.rows(p).end)
}

/// Bounds that hold whatever the model is, and a policy that reaches the goal wherever one does.
fn vacuous(model: &Model) -> Values {
    let mut upper = vec![f64::INFINITY; model.nodes];
    upper.push(0.0);
    Values {
        x: vec![0.0; model.nodes + 1],
        lower: vec![0.0; model.nodes + 1],
        upper,
        policy: nearest_goal(model).into_iter().map(|choice| choice as u32).collect(),
        wide: true,
    }
}

/// The narrowest of some bounds in f64 and those that more digits prove, as far as the independent
/// check agrees.
fn narrowed(
    problem: &Problem,
    truth: &Truth,
    setup: &Setup,
    policy: &[u32],
    mut best: Answer,
    precision: f64,
) -> Answer {
    let objective = best.objective;
    // whether a certificate holds; it is kept if it is narrower, too
    let holds = |best: &mut Answer, found: Answer| {
        let holds = verify(problem, truth, &found).is_ok();
        if holds && found.width() <= best.width() {
            *best = found;
        }
        holds
    };
    if objective == Objective::Min {
        let (exact, vectors) = exact::Ready::new(problem, truth).prove(precision);
        let (below, above) = vectors.tails(&exact);
        let tails = Some((vec![below], vec![above]));
        // steps and Q are found anew, as those of any answer of the fast way
        let found = Answer { tails, steps: Vec::new(), q: Vec::new(), ..exact };
        if holds(&mut best, found) && best.width() <= precision {
            return best;
        }
    }
    let most = if objective == Objective::Reach { 1.0 } else { f64::INFINITY };
    let sense = Sense::of(objective);
    let finish = |fine: Fine| {
        let spread = |lists: &[Vec<f64>]| lists.iter().map(|list| setup.tails(problem, list)).collect();
        let tails = (spread(&fine.tails.0), spread(&fine.tails.1));
        Answer { tails: Some(tails), ..setup.finish(problem, truth, objective, fine.values) }
    };
    for care in CARE {
        if holds(&mut best, finish(refine(&setup.model, sense, policy, most, care))) {
            break;
        }
    }
    best
}
