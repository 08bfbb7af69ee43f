//! A certificate is hostile input: whatever is changed in one, it is refused, or what it claims is
//! still true.

use super::verify;
use crate::numeric::Stream;
use crate::plan::exact_models::{Draw, Model, enumerate};
use crate::plan::solve::tests::{Row, problem};
use crate::plan::{Answer, Objective, Options};
use crate::problem::{Problem, Truth};

const OBJECTIVES: [Objective; 3] = [Objective::Min, Objective::Max, Objective::Reach];

fn solve(problem: &Problem, truth: &Truth, objective: Objective, precision: f64) -> Answer {
    crate::plan::solve(problem, truth, &Options::fast(objective, precision).bare()).unwrap()
}

fn build(model: &Model) -> (Problem, Truth) {
    let rows: Vec<Row> = (model.iter().enumerate())
        .flat_map(|(s, actions)| actions.iter().map(move |(cost, next)| (s, *cost, &next[..])))
        .collect();
    problem(model.len(), &rows)
}

/// One change, of any field.
fn change<F: FnMut() -> u64>(draw: &mut Draw<F>, solution: &mut Answer, others: &[Answer]) {
    let states = solution.lower.len().min(solution.upper.len()).min(solution.policy.len());
    if states == 0 {
        // nothing is left of it
        return;
    }
    let s = draw.below(states);
    let factor = [0.0, 0.5, 1.0 - 1e-9, 1.0 - 1e-15, 1.0 + 1e-15, 1.0 + 1e-9, 2.0, 1e6, -1.0][draw.below(9)];
    let odd =
        [0.0, -0.0, 1.0, 1e-300, 1e300, -1.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN][draw.below(9)];
    let other = &others[draw.below(others.len())];
    let all = |list: &mut [f64], factor: f64| list.iter_mut().for_each(|x| *x *= factor);
    match draw.below(18) {
        0 => solution.lower[s] *= factor,
        1 => solution.upper[s] *= factor,
        2 => solution.lower[s] = odd,
        3 => solution.upper[s] = odd,
        4 => solution.lower[s] = solution.upper[s],
        5 => solution.upper[s] = solution.lower[s],
        6 => all(&mut solution.lower, factor),
        7 => all(&mut solution.upper, factor),
        8 => solution.policy[s] = [0, 1, 2, 3, usize::MAX][draw.below(5)],
        9 => solution.lost = vec![s, draw.below(8)],
        10 => _ = solution.lost.pop(),
        11 => solution.objective = OBJECTIVES[draw.below(3)],
        12 => (solution.lower, solution.policy) = (other.lower.clone(), other.policy.clone()),
        13 => solution.upper.clone_from(&other.upper),
        14 => {
            let list = [&mut solution.lower, &mut solution.upper, &mut solution.v];
            list.into_iter().nth(draw.below(3)).into_iter().for_each(|list| list.truncate(s));
        }
        15 => solution.policy.push(0),
        _ => {
            let mut tails = solution.tails.take().unwrap_or_default();
            let side = if draw.below(2) == 0 { &mut tails.0 } else { &mut tails.1 };
            if side.is_empty() || draw.below(4) == 0 {
                side.push(vec![0.0; states]);
            }
            let level = draw.below(side.len());
            let side = &mut side[level];
            match draw.below(4) {
                0 => side.truncate(s),
                1 => side.iter_mut().for_each(|x| *x += factor - 0.5),
                2 => side.iter_mut().for_each(|x| *x = odd),
                _ => side.get_mut(s).into_iter().for_each(|x| *x = odd),
            }
            solution.tails = Some(tails);
        }
    }
    if draw.below(4) > 0 {
        // a value that fits the bounds, so that they alone decide
        for (v, (lower, upper)) in solution.v.iter_mut().zip(solution.lower.iter().zip(&solution.upper)) {
            *v = v.max(*lower).min(*upper);
        }
    }
}

#[test]
fn whatever_is_changed_is_refused_or_true() {
    let mut stream = Stream::new(11, &[]);
    let mut draw = Draw(|| stream.bits());
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..250 {
        let model = draw.model();
        let (problem, truth) = build(&model);
        let answers = enumerate(&model);
        // with tails, where f64 does not reach the precision, and without
        let solve = |objective| [1e-6, 1e-15].map(|precision| solve(&problem, &truth, objective, precision));
        let solutions: Vec<Answer> = OBJECTIVES.into_iter().flat_map(solve).collect();
        for solution in &solutions {
            for _ in 0..60 {
                let mut changed = solution.clone();
                for _ in 0..1 + draw.below(3) {
                    change(&mut draw, &mut changed, &solutions);
                }
                if verify(&problem, &truth, &changed).is_err() {
                    refused += 1;
                    continue;
                }
                accepted += 1;
                let answers = &answers[changed.objective as usize];
                for (s, answer) in answers.iter().enumerate() {
                    let (lower, upper) = (changed.lower[s], changed.upper[s]);
                    assert!(answer.within(lower, upper), "{model:?} {changed:?}: {s}, {answer:?}");
                    let reach = changed.objective == Objective::Reach;
                    let lost = if reach { answer.is_zero() } else { answer.is_infinite() };
                    assert_eq!(lost, changed.lost.contains(&s), "{model:?} {changed:?}: {s}");
                    assert!(lower <= changed.v[s] && changed.v[s] <= upper);
                }
            }
        }
    }
    assert!(accepted > 5_000 && refused > 30_000, "{accepted} accepted, {refused} refused");
}

/// State 0 waits (cost 1, leaves half of the time) or walks (cost 3); state 1 leads to it or to the
/// hole, state 2.
fn walk() -> (Problem, Truth) {
    let rows: &[Row] = &[
        (0, 1.0, &[(0, 0.5), (3, 0.5)]),
        (0, 3.0, &[(3, 1.0)]),
        (1, 0.0, &[(0, 0.75), (2, 0.25)]),
        (2, 0.0, &[(2, 1.0)]),
    ];
    problem(4, rows)
}

fn claims(solution: &Answer, claim: &str) {
    let (problem, truth) = walk();
    claims_of(&problem, &truth, solution, claim);
}

fn claims_of(problem: &Problem, truth: &Truth, solution: &Answer, claim: &str) {
    let found = verify(problem, truth, solution).map_err(|flaw| flaw.claim.to_string());
    assert_eq!(found, Err(claim.to_string()));
}

#[test]
fn an_action_that_does_not_exist_proves_nothing() {
    let (problem, truth) = walk();
    for action in [2, 7, usize::MAX] {
        let mut greatest = solve(&problem, &truth, Objective::Max, 1e-9);
        assert_eq!(verify(&problem, &truth, &greatest), Ok(()));
        // the greatest cost is 3
        greatest.policy[0] = action;
        (greatest.lower[0], greatest.upper[0], greatest.v[0]) = (1e9, f64::INFINITY, 1e9);
        claims(&greatest, "the policy has no such action");
    }
}

#[test]
fn tails_must_not_weaken_a_bound() {
    let (problem, truth) = walk();
    let least = solve(&problem, &truth, Objective::Min, 1e-9);
    for (lower, upper) in [(-1.0, 0.0), (0.0, 1.0), (f64::NAN, 0.0), (0.0, f64::NEG_INFINITY)] {
        let mut solution = least.clone();
        solution.tails = Some((vec![vec![lower, 0.0, 0.0, 0.0]], vec![vec![upper, 0.0, 0.0, 0.0]]));
        claims(&solution, "what proves a bound is weaker than the bound");
    }
    // the proof says 0.5 of the hole, and so more than is true of the state before it
    let mut reach = solve(&problem, &truth, Objective::Reach, 1e-9);
    reach.tails = Some((vec![vec![0.0, 0.0, 0.5, 0.0]], vec![]));
    (reach.lower[1], reach.upper[1], reach.v[1]) = (0.8, 1.0, 0.8);
    claims(&reach, "this value is not what the graph says");
}

#[test]
fn what_is_missing_is_named() {
    let (problem, truth) = walk();
    let least = solve(&problem, &truth, Objective::Min, 1e-9);
    let changes: [fn(&mut Answer); 7] = [
        |x| _ = x.lower.pop(),
        |x| x.upper.clear(),
        |x| x.v.push(0.0),
        |x| _ = x.policy.pop(),
        |x| x.tails = Some((vec![vec![]], vec![vec![0.0; 4]])),
        |x| x.lost.push(4),
        |x| x.lost = vec![2, 1],
    ];
    for (k, change) in changes.into_iter().enumerate() {
        let mut solution = least.clone();
        change(&mut solution);
        assert!(verify(&problem, &truth, &solution).is_err(), "{k}");
    }
    let mut free = solve(&problem, &truth, Objective::Reach, 1e-9);
    free.lost.clear();
    claims(&free, "whether it is lost is claimed wrongly");
}

/// Products of the tiny costs with probabilities underflow beside the large one.
#[test]
fn tiny_costs_beside_a_large_one_pass() {
    let tiny = 1e-323;
    let rows: &[Row] = &[(0, 1e100, &[(2, 1.0)]), (0, tiny, &[(1, 0.3), (2, 0.7)]), (1, tiny, &[(2, 1.0)])];
    let (problem, truth) = problem(3, rows);
    let mut least = solve(&problem, &truth, Objective::Min, 1e-6);
    least.lower.fill(0.0);
    assert_eq!(verify(&problem, &truth, &least), Ok(()));
    (least.lower[1], least.upper[1]) = (2.0 * tiny, 2.0 * tiny);
    least.v[1] = 2.0 * tiny;
    claims_of(&problem, &truth, &least, "the lower bound is too high");
}
