//! Blocks in f64, more digits where these prove too little, and the independent check.

use super::blocks::Solver;
use super::refine::Refined;
use super::setup::Setup;
use super::values::{Sense, Values};
use super::{Options, Way};
use crate::plan::answer::{Answer, Objective};
use crate::plan::verify::verify;
use crate::problem::{Problem, State, Truth};
use crate::{Error, Result};

/// With more transitions 30 digits are only tried if asked for: they take much memory.
const EXACT_TRANSITIONS: usize = 3_000_000;
/// Factors on the roundings of a proof, the least with which the independent check agrees.
const CARE: [f64; 4] = [1.0, 64.0, 4096.0, 1_048_576.0];
/// With more pairs the default is no exact answer.
pub(super) const LARGE: usize = 20_000;
/// Nor is it if the elimination of a policy takes more multiplications: some milliseconds.
const CHEAP: f64 = 4e6;
/// The precision of an exact answer if nothing else is said, and that of f64 alone.
const EXACTLY: f64 = 1e-12;
const QUICKLY: f64 = 1e-8;
const STEPS: f64 = 1e-9;

/// A problem in units that leave room below costs, and what is asked of it.
pub(super) struct Asked<'a> {
    pub(super) problem: &'a Problem,
    pub(super) truth: &'a Truth,
    pub(super) options: &'a Options,
}

impl Asked<'_> {
    pub(super) fn answer(&self) -> Result<Answer> {
        let Asked { problem, truth, options } = *self;
        if problem.pairs() >= u32::MAX as usize {
            let fault = format!("{} state-action pairs are more than planning can hold", problem.pairs());
            return Err(Error::Field { field: "cost".into(), fault });
        }
        let objective = options.objective;
        let setup = Setup::new(problem, truth, objective);
        let may = objective == Objective::Min
            && match options.way {
                Way::Auto => problem.pairs() <= LARGE,
                Way::Exact => true,
                Way::Fast => false,
            };
        let precision = match options.precision {
            Some(precision) if may => precision.max(QUICKLY),
            precision => precision.unwrap_or(QUICKLY),
        };
        let solver = Solver::new(&setup.model, Sense::of(objective), precision, &options.halt);
        let values = solver.run(&setup.ends);
        if options.halt.asked() {
            return Err(Error::Stopped);
        }
        let policy = values.policy.clone();
        let mut answer = setup.finish(problem, truth, objective, values);
        let exact = may && (options.way == Way::Exact || setup.model.is_cheap(&policy, CHEAP));
        let wide = answer.width() > options.precision.unwrap_or(QUICKLY);
        if exact || (wide && transitions(problem) <= EXACT_TRANSITIONS) {
            return Ok(self.refined(&setup, &policy, answer, exact));
        }
        if !options.unchecked && verify(problem, truth, &answer).is_err() {
            answer = setup.finish(problem, truth, objective, vacuous(&setup));
            if transitions(problem) <= EXACT_TRANSITIONS {
                return Ok(self.refined(&setup, &policy, answer, false));
            }
        }
        Ok(answer)
    }

    /// The narrower of bounds in f64 and of those in more digits that the check accepts.
    fn refined(&self, setup: &Setup, policy: &[u32], mut best: Answer, exact: bool) -> Answer {
        let Asked { problem, truth, options } = *self;
        let objective = options.objective;
        let most = if objective == Objective::Reach { 1.0 } else { f64::INFINITY };
        let mut refined = Refined::new(&setup.model, Sense::of(objective), policy, &options.halt);
        if exact {
            refined.break_ties(options.precision.unwrap_or(EXACTLY));
        }
        for care in CARE {
            let (values, tails) = refined.prove(care, most);
            let spread = |lists: &[Vec<f64>]| lists.iter().map(|list| setup.tails(problem, list)).collect();
            let tails = Some((spread(&tails.0), spread(&tails.1)));
            let found = Answer { tails, ..setup.finish(problem, truth, objective, values) };
            if verify(problem, truth, &found).is_ok() {
                if found.width() <= best.width() {
                    best = found;
                }
                break;
            }
        }
        best
    }

    /// The expected steps of an answer's policy, per state; infinite in lost states.
    pub(super) fn steps(&self, answer: &Answer) -> Vec<f64> {
        let Asked { problem, truth, options } = *self;
        let setup = Setup::steps(problem, truth, &answer.policy, &answer.lost);
        // where all steps cost the same, what a policy costs says how many there are
        let paid = |s: State| problem.cost(problem.pair(s, answer.policy[s]));
        let (mut sum, mut count) = (0.0, 0.0);
        for s in (0..problem.states()).filter(|&s| s != problem.goal() && setup.node_of(s).is_some()) {
            (sum, count) = (sum + paid(s), count + 1.0);
        }
        let mut solver = Solver::new(&setup.model, Sense::Least, STEPS, &options.halt);
        if sum > 0.0 {
            let states = (0..problem.states()).filter(|&s| answer.v[s].is_finite());
            let guess = |s: State| setup.node_of(s).map(|node| (node, answer.v[s] * count / sum));
            solver.guess(states.filter_map(guess));
        }
        let values = solver.run(&setup.ends);
        let known = |node: u32| values.upper[node as usize].is_finite().then(|| values.x[node as usize]);
        let step = |s: State| setup.node_of(s).and_then(known).unwrap_or(f64::INFINITY);
        (0..problem.states()).map(step).collect()
    }
}

/// What [`solve`](super::solve) tries before it reports a state without bounds.
#[doc(hidden)]
pub fn tried(problem: &Problem) -> String {
    let digits = match transitions(problem) <= EXACT_TRANSITIONS {
        true => "the same in 30 digits",
        false => "not in 30 digits, for which the model is too large",
    };
    format!(
        "policy iteration by elimination and by BiCGSTAB, and value iteration; bounds by scaling and by a \
         margin; {digits}"
    )
}

fn transitions(problem: &Problem) -> usize {
    (0..problem.pairs()).last().map_or(0, |p| problem.rows(p).end)
}

/// Bounds that hold whatever the model is, and a policy that reaches the goal wherever one does.
fn vacuous(setup: &Setup) -> Values {
    let nodes = setup.model.nodes;
    let mut block = super::block::Block::default();
    block.load(&setup.model, Sense::Least, 0..nodes, &vec![0.0; nodes + 1]);
    let mut policy = vec![0; nodes];
    block.nodes().iter().zip(block.taken()).for_each(|(&s, choice)| policy[s as usize] = choice as u32);
    let upper = (0..=nodes).map(|s| if s < nodes { f64::INFINITY } else { 0.0 }).collect();
    Values { x: vec![0.0; nodes + 1], lower: vec![0.0; nodes + 1], upper, policy }
}
