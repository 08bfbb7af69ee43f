//! Random models against the exact enumeration of their policies: what is wrong, and what is
//! refused.

mod exact;

use exact::{Draw, Model, enumerate};
use goalward_mdp::plan::{Objective, Options, solve, verify};
use goalward_mdp::problem::{Problem, Truth};
use goalward_numeric::Stream;

/// What a sweep counted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) models: u64,
    pub(crate) solutions: u64,
    /// Intervals that were compared.
    pub(crate) intervals: u64,
    /// Intervals that do not contain the exact value, or states wrongly called lost.
    pub(crate) wrong: u64,
    /// Certificates that do not pass the check, and missing bounds that are not said to be missing.
    pub(crate) refused: u64,
    /// Models with finite values of which it is said that no finite bound was found: expected times
    /// may be longer than any arithmetic can hold.
    pub(crate) unbounded: u64,
    /// Solutions that do not reach the precision.
    pub(crate) wide: u64,
    /// The largest relative width.
    pub(crate) widest: f64,
    /// The first few faults.
    pub(crate) faults: Vec<String>,
}

impl Counts {
    /// The counts of two sweeps.
    pub(crate) fn add(mut self, other: Counts) -> Counts {
        self.models += other.models;
        self.solutions += other.solutions;
        self.intervals += other.intervals;
        self.wrong += other.wrong;
        self.refused += other.refused;
        self.unbounded += other.unbounded;
        self.wide += other.wide;
        self.widest = self.widest.max(other.widest);
        self.faults.extend(other.faults);
        self.faults.truncate(10);
        self
    }
}

/// The problem of a model. A second feature leads everything to the goal, so that states without a
/// way out can be built; the truth does not use it.
fn problem(model: &Model) -> (Problem, Truth) {
    let goal = model.len() - 1;
    let mut builder = Problem::builder("random", model.len(), 2);
    for (s, actions) in model.iter().enumerate() {
        for (cost, next) in actions {
            let a = builder.action(s, *cost).unwrap();
            let mut to_goal = 0.0;
            for &(next, p) in next {
                match next == goal {
                    true => to_goal = p,
                    false => _ = builder.feature(s, a, next, &[p, 0.0]).unwrap(),
                }
            }
            builder.feature(s, a, goal, &[to_goal, 1.0]).unwrap();
        }
    }
    let problem = builder.build().unwrap();
    let truth = Truth::new(&problem, &[1.0, 0.0]).unwrap();
    (problem, truth)
}

/// The model as the planner reads it.
fn read(problem: &Problem, truth: &Truth) -> Model {
    let action = |p: usize| {
        let weights = problem.successors(p).iter().zip(truth.row(problem, p));
        (problem.cost(p), weights.filter(|e| *e.1 > 0.0).map(|(&next, &w)| (next as usize, w)).collect())
    };
    (0..problem.states()).map(|s| problem.pairs_of(s).map(action).collect()).collect()
}

/// What the costs of random models are like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Costs {
    /// From 1e-6 to 7.
    Usual,
    /// From the smallest number to 1e100.
    Any,
}

/// A model with costs of any size: all tiny, of all sizes, or one that dwarfs the others.
fn any_costs<F: FnMut() -> u64>(draw: &mut Draw<F>, mut model: Model) -> Model {
    let (kind, mut first) = (draw.below(3), true);
    for (cost, _) in model.iter_mut().flatten().filter(|action| action.0 > 0.0) {
        let decades = match kind {
            0 => -323 + draw.below(60) as i32,
            1 => -323 + draw.below(424) as i32,
            _ if std::mem::take(&mut first) => 100,
            _ => -323 + draw.below(330) as i32,
        };
        // 10^decades in two factors, neither of which is too small
        let size = 10f64.powi(decades.max(-300)) * 10f64.powi(decades.min(-300) + 300);
        *cost = size.clamp(f64::from_bits(1), 1e100);
    }
    model
}

/// A random model.
pub(crate) fn drawn(seed: u64, costs: Costs) -> (Problem, Truth) {
    let mut stream = Stream::new(seed, &[0x006d_6470]);
    let mut draw = Draw(|| stream.bits());
    let model = draw.model();
    problem(&if costs == Costs::Any { any_costs(&mut draw, model) } else { model })
}

/// One random model, three objectives, two precisions.
pub(crate) fn try_one(seed: u64, costs: Costs) -> Counts {
    let (problem, truth) = drawn(seed, costs);
    let model = read(&problem, &truth);
    let mut counts = Counts { models: 1, ..Counts::default() };
    for (objective, answers) in
        [Objective::Min, Objective::Max, Objective::Reach].into_iter().zip(enumerate(&model))
    {
        // the exact way last, which only least costs have
        for precision in [1e-6, 1e-9, 1e-12] {
            let options = match precision < 1e-9 {
                true => Options::exact(precision),
                false => Options::fast(objective, precision).bare(),
            };
            if precision < 1e-9 && objective != Objective::Min {
                continue;
            }
            let solution = solve(&problem, &truth, &options).unwrap();
            counts.solutions += 1;
            let mut fault = |what: String| {
                counts.faults.push(format!("seed {seed}, {objective:?}, {precision:e}: {what}"));
            };
            // the exact way does not tell all the digits of its proof
            if precision >= 1e-9
                && let Err(flaw) = verify(&problem, &truth, &solution)
            {
                counts.refused += 1;
                fault(format!("refused: {flaw}"));
            }
            counts.wide += u64::from(solution.width() > precision);
            counts.widest = counts.widest.max(solution.width());
            for (s, answer) in answers.iter().enumerate() {
                let (lower, upper) = (solution.lower[s], solution.upper[s]);
                counts.intervals += 1;
                let lost =
                    if objective == Objective::Reach { answer.is_zero() } else { answer.is_infinite() };
                if !answer.within(lower, upper) || lost != solution.lost.contains(&s) {
                    counts.wrong += 1;
                    fault(format!("state {s}: {answer:?} is not in [{lower}, {upper}]"));
                }
                // costs 1e400 times smaller than others may leave nothing to say
                if costs == Costs::Usual && !answer.is_infinite() && solution.is_vacuous(s) {
                    counts.unbounded = 1;
                    if solution.require_bounds(&problem).is_ok() {
                        counts.refused += 1;
                        fault(format!("state {s}: no finite bound, and no word of it"));
                    }
                }
            }
        }
    }
    counts
}
