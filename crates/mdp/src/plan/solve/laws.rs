//! Random problems: against all stationary policies by exact rational arithmetic, against the
//! 30-digit planner, and through the independent check of the certificate.

use super::blocks::Method;
use super::setup::Setup;
use super::tests::{Row, by_method, problem, solved};
use super::*;
use crate::plan::{exact_models, verify};
use proptest::prelude::*;

/// Probabilities in eighths: (cost in quarters, eighths to each state).
type Draft = Vec<Vec<(u8, Vec<(usize, u8)>)>>;

const STATES: usize = 5;

/// States 0..4 with one to three actions; state 4 is the goal. Anything may happen: holes, free
/// loops, ties.
fn drafts() -> impl Strategy<Value = Draft> {
    let row = prop::collection::vec(0..STATES, 8);
    let cost = prop_oneof![2 => Just(0u8), 3 => 1u8..9];
    let spread = prop_oneof![1 => Just(1usize), 2 => Just(2), 2 => Just(8)];
    let action = (cost, row, spread).prop_map(|(cost, row, spread)| {
        // the first few draws repeated: rows with one, two or up to eight successors
        let mut counts = [0u8; STATES];
        (0..8).for_each(|i| counts[row[i % spread]] += 1);
        (cost, (0..STATES).filter(|&s| counts[s] > 0).map(|s| (s, counts[s])).collect::<Vec<_>>())
    });
    prop::collection::vec(prop::collection::vec(action, 1..=3), STATES - 1)
}

fn build(draft: &Draft) -> (Problem, Truth) {
    let rows: Vec<_> = draft
        .iter()
        .enumerate()
        .flat_map(|(s, actions)| actions.iter().map(move |action| (s, action)))
        .map(|(s, (cost, next))| {
            let next: Vec<_> = next.iter().map(|&(next, k)| (next, f64::from(k) / 8.0)).collect();
            (s, f64::from(*cost) / 4.0, next)
        })
        .collect();
    let rows: Vec<_> = rows.iter().map(|(s, cost, next)| (*s, *cost, &next[..])).collect();
    problem(STATES, &rows)
}

/// The draft as exact enumeration takes it.
fn model(draft: &Draft) -> exact_models::Model {
    let weights = |next: &[(usize, u8)]| next.iter().map(|&(next, k)| (next, f64::from(k) / 8.0)).collect();
    let action = |(cost, next): &(u8, Vec<(usize, u8)>)| (f64::from(*cost) / 4.0, weights(next));
    let mut model: exact_models::Model =
        draft.iter().map(|actions| actions.iter().map(action).collect()).collect();
    model.push(Vec::new());
    model
}

const OBJECTIVES: [Objective; 3] = [Objective::Min, Objective::Max, Objective::Reach];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// Every interval contains the exact rational answer, and every certificate passes the
    /// independent check.
    #[test]
    fn all_stationary_policies_one_by_one(draft in drafts()) {
        let (problem, truth) = build(&draft);
        let answers = exact_models::enumerate(&model(&draft));
        for (objective, answers) in OBJECTIVES.into_iter().zip(&answers) {
            let solution = solved(&problem, &truth, objective, 1e-9);
            for (s, answer) in answers.iter().enumerate() {
                prop_assert!(
                    answer.within(solution.lower[s], solution.upper[s]),
                    "{objective:?} {s}: {answer:?} not in [{}, {}]", solution.lower[s], solution.upper[s]
                );
                let lost = if objective == Objective::Reach { answer.is_zero() } else { answer.is_infinite() };
                prop_assert_eq!(lost, solution.lost.contains(&s));
            }
            prop_assert_eq!(verify(&problem, &truth, &solution), Ok(()));
        }
    }

    /// Small blocks are solved as dense matrices. By every other method their bounds hold as well.
    #[test]
    fn small_blocks_by_every_method(draft in drafts()) {
        let (problem, truth) = build(&draft);
        let answers = exact_models::enumerate(&model(&draft));
        for (objective, answers) in OBJECTIVES.into_iter().zip(&answers) {
            let setup = Setup::new(&problem, &truth, objective);
            for begin in [Method::Dense, Method::Elimination, Method::Krylov, Method::Patience] {
                let values = by_method(&setup, objective, 1e-9, begin);
                let narrow = |s: usize| values.upper[s] - values.lower[s] <= 1e-9 * values.upper[s];
                let all = (0..setup.model.nodes).all(narrow);
                prop_assert!(all || begin > Method::Elimination, "{objective:?} {begin:?}");
                for (s, answer) in answers.iter().enumerate().take(STATES - 1) {
                    let Some(node) = setup.node_of(s) else { continue };
                    let (lower, upper) = (values.lower[node as usize], values.upper[node as usize]);
                    prop_assert!(answer.within(lower, upper), "{objective:?} {begin:?} {s}: {answer:?}");
                }
            }
        }
    }

    /// Larger problems, from chains to one dense block, against the 30-digit planner.
    #[test]
    fn agrees_with_the_exact_planner(
        seed in 0u64..1_000_000,
        states in 30usize..300,
        actions in 1usize..4,
        reach in prop_oneof![Just(3usize), Just(20), Just(300)],
        free in prop_oneof![Just(0.0), Just(0.5)],
    ) {
        let (problem, truth) = random(seed, states, actions, reach, free);
        let exact = solve(&problem, &truth, &Options::exact(1e-12)).unwrap();
        for precision in [1e-6, 1e-10] {
            let solution = solved(&problem, &truth, Objective::Min, precision);
            prop_assert_eq!(verify(&problem, &truth, &solution), Ok(()));
            prop_assert_eq!(&solution.lost, &exact.lost);
            for s in 0..problem.states() {
                prop_assert!(solution.lower[s] <= exact.upper[s] && exact.lower[s] <= solution.upper[s]);
            }
            let steps = &solution.steps;
            let right = |s: usize| steps[s] >= 1.0 && steps[s].is_finite() != exact.v[s].is_infinite();
            prop_assert!((0..states).all(right));
        }
        for objective in [Objective::Max, Objective::Reach] {
            let solution = solved(&problem, &truth, objective, 1e-6);
            prop_assert_eq!(verify(&problem, &truth, &solution), Ok(()));
        }
    }
}

/// Successors at most `reach` away, drifting forwards; some pairs are free.
fn random(seed: u64, states: usize, actions: usize, reach: usize, free: f64) -> (Problem, Truth) {
    let mut stream = crate::numeric::Stream::new(seed, &[states as u64]);
    let mut rows = Vec::new();
    for s in 0..states {
        for _ in 0..actions {
            let cost = if stream.uniform() < free { 0.0 } else { (stream.uniform() * 16.0).ceil() / 4.0 };
            let mut next: Vec<State> =
                (0..4).map(|_| (s + 2 * reach / 3).saturating_sub(stream.below(reach)).min(states)).collect();
            next.sort_unstable();
            let row: Vec<(State, f64)> =
                next.chunk_by(|a, b| a == b).map(|group| (group[0], group.len() as f64 / 4.0)).collect();
            rows.push((s, cost, row));
        }
    }
    let rows: Vec<_> = rows.iter().map(|(s, cost, next)| (*s, *cost, &next[..])).collect();
    problem(states + 1, &rows)
}

/// A certificate that is moved by twice the precision does not pass, wherever it is moved.
#[test]
fn a_perturbed_certificate_fails() {
    let precision = 1e-9;
    for (reach, free) in [(3, 0.0), (20, 0.5), (100, 0.0)] {
        let (problem, truth) = random(7, 100, 3, reach, free);
        for objective in [Objective::Min, Objective::Max] {
            let solution = solved(&problem, &truth, objective, precision);
            assert_eq!(verify(&problem, &truth, &solution), Ok(()));
            for s in (0..100).filter(|&s| solution.v[s].is_finite() && solution.v[s] > 0.0) {
                let mut raised = solution.clone();
                raised.lower[s] *= 1.0 + 2.0 * precision;
                raised.upper[s] = raised.upper[s].max(raised.lower[s]);
                assert!(verify(&problem, &truth, &raised).is_err(), "{objective:?} {s}");
                let mut lowered = solution.clone();
                lowered.upper[s] *= 1.0 - 2.0 * precision;
                lowered.lower[s] = lowered.lower[s].min(lowered.upper[s]);
                assert!(verify(&problem, &truth, &lowered).is_err(), "{objective:?} {s}");
            }
        }
        let all = |list: &[f64], factor: f64| list.iter().map(|x| x * factor).collect::<Vec<_>>();
        let solution = solved(&problem, &truth, Objective::Min, precision);
        let mut raised = solution.clone();
        raised.lower = all(&solution.lower, 1.0 + 2.0 * precision);
        raised.upper = all(&solution.upper, 1.0 + 2.0 * precision);
        assert!(verify(&problem, &truth, &raised).is_err());
    }
}

/// What else may be claimed wrongly: lost states, and policies that go nowhere.
#[test]
fn other_wrong_claims_fail() {
    let rows: &[Row] = &[(0, 0.0, &[(0, 1.0)]), (0, 1.0, &[(2, 1.0)]), (1, 1.0, &[(1, 1.0)])];
    let (problem, truth) = problem(3, rows);
    let least = solved(&problem, &truth, Objective::Min, 1e-9);
    assert_eq!(verify(&problem, &truth, &least), Ok(()));
    let mut idle = least.clone();
    idle.policy[0] = 0;
    assert!(verify(&problem, &truth, &idle).is_err(), "staying for ever is no way to the goal");
    let mut found = least.clone();
    found.lost.clear();
    (found.lower[1], found.upper[1]) = (0.0, 5.0);
    assert!(verify(&problem, &truth, &found).is_err());
    let reach = solved(&problem, &truth, Objective::Reach, 1e-9);
    assert_eq!(verify(&problem, &truth, &reach), Ok(()));
    let mut idle = reach.clone();
    idle.policy[0] = 0;
    assert!(verify(&problem, &truth, &idle).is_err());
}

/// Beyond f64: T* = 1e6 to 1e-13 is proven with digits that f64 does not have.
#[test]
fn a_proof_with_more_digits_is_checked_too() {
    let n = 1000;
    let rows: Vec<_> = (0..n)
        .map(|s| (s, 1.0, if s == 0 { vec![(1, 1.0)] } else { vec![(s - 1, 0.5), (s + 1, 0.5)] }))
        .collect();
    let rows: Vec<_> = rows.iter().map(|(s, cost, next)| (*s, *cost, &next[..])).collect();
    let (problem, truth) = problem(n + 1, &rows);
    let mut solution = solved(&problem, &truth, Objective::Min, 1e-13);
    assert!(solution.tails.is_some());
    assert_eq!(verify(&problem, &truth, &solution), Ok(()));
    solution.lower[500] *= 1.0 + 2e-13;
    solution.upper[500] = solution.upper[500].max(solution.lower[500]);
    assert!(verify(&problem, &truth, &solution).is_err());
}
