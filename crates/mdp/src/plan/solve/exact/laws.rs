//! Random problems: against value iteration, against a dense solve, and against all policies.

use super::tests::{close, solved};
use crate::problem::{Action, Problem, State, Truth};
use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;

type Draft = Vec<Vec<(f64, Vec<(State, f64)>)>>;

/// States with actions with (cost, successors); the last state is the goal. The first action of
/// each state has some weight on a later state, so that the goal can be reached from everywhere.
fn drafts(states: usize, actions: usize, free: f64) -> impl Strategy<Value = Draft> {
    let cost = prop_oneof![
        1 => prop::bool::weighted(free).prop_map(|free| if free { 0.0 } else { 1.0 }),
        1 => 0.01f64..2.0,
        1 => (-3i32..3).prop_map(|k| 10f64.powi(k)),
    ];
    let cost = (cost, prop::bool::weighted(free)).prop_map(|(c, free)| if free { 0.0 } else { c });
    let next = prop::collection::vec((0..states, 1u32..=64), 1..=3);
    let action = (cost, next, 1u32..=64);
    let state = prop::collection::vec(action, 1..=actions);
    (prop::collection::vec(state, states - 1), prop::collection::vec(1..=states, states - 1)).prop_map(
        move |(draft, jumps)| {
            let mut out: Draft = Vec::new();
            for (s, list) in draft.into_iter().enumerate() {
                let mut actions = Vec::new();
                for (a, (cost, mut next, weight)) in list.into_iter().enumerate() {
                    if a == 0 {
                        next.push(((s + jumps[s]).min(states - 1), weight));
                    }
                    next.sort_unstable();
                    next.dedup_by_key(|e| e.0);
                    let sum: u32 = next.iter().map(|e| e.1).sum();
                    let row = next.iter().map(|&(next, w)| (next, f64::from(w) / f64::from(sum))).collect();
                    actions.push((cost, row));
                }
                out.push(actions);
            }
            out
        },
    )
}

fn build(draft: &Draft) -> (Problem, Truth) {
    let mut builder = Problem::builder("random", draft.len() + 1, 1);
    for (s, actions) in draft.iter().enumerate() {
        for (cost, next) in actions {
            let a = builder.action(s, *cost).unwrap();
            next.iter().for_each(|&(next, p)| _ = builder.feature(s, a, next, &[p]).unwrap());
        }
    }
    let problem = builder.build().unwrap();
    let truth = Truth::new(&problem, &[1.0]).unwrap();
    (problem, truth)
}

/// What a policy costs and how long it takes, by LU on the textbook equations; `None` if it is not
/// proper.
fn evaluated(draft: &Draft, policy: &[Action]) -> Option<(Vec<f64>, Vec<f64>)> {
    let n = draft.len();
    let mut reaches = vec![false; n + 1];
    reaches[n] = true;
    for _ in 0..n {
        for s in 0..n {
            reaches[s] |= draft[s][policy[s]].1.iter().any(|&(next, _)| reaches[next]);
        }
    }
    if !reaches.iter().all(|&r| r) {
        return None;
    }
    let mut a = DMatrix::<f64>::identity(n, n);
    for s in 0..n {
        draft[s][policy[s]].1.iter().filter(|e| e.0 < n).for_each(|&(next, p)| a[(s, next)] -= p);
    }
    let costs = DVector::from_fn(n, |s, _| draft[s][policy[s]].0);
    let lu = a.lu();
    let steps = lu.solve(&DVector::from_element(n, 1.0))?;
    Some((lu.solve(&costs)?.as_slice().to_vec(), steps.as_slice().to_vec()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// The certified interval against every deterministic policy, one by one: with free loops and
    /// all.
    #[test]
    fn the_best_of_all_proper_policies(draft in drafts(4, 3, 0.4)) {
        let (problem, truth) = build(&draft);
        let exact = solved(&problem, &truth);
        let mut best = [f64::INFINITY; 3];
        for code in 0..27usize {
            let policy = [code % 3, code / 3 % 3, code / 9];
            if (0..3).all(|s| policy[s] < draft[s].len()) && let Some((v, _)) = evaluated(&draft, &policy) {
                (0..3).for_each(|s| best[s] = best[s].min(v[s]));
            }
        }
        // LU is accurate relative to the largest value and cost only
        let costs = draft.iter().flatten().map(|action| action.0);
        let scale = best.iter().copied().chain(costs).fold(1e-3, f64::max);
        for s in 0..3 {
            prop_assert!((exact.v[s] - best[s]).abs() <= 1e-11 * scale, "{s}: {} {}", exact.v[s], best[s]);
        }
        let (v, steps) = evaluated(&draft, &exact.policy[..3]).expect("the policy is proper");
        for s in 0..3 {
            prop_assert!((exact.v[s] - v[s]).abs() <= 1e-11 * scale);
            close(exact.steps[s], steps[s], 1e-9);
        }
    }

    /// Larger problems: the policy's own cost, and the Bellman equation in plain arithmetic.
    #[test]
    fn the_policy_costs_what_is_claimed(draft in drafts(25, 4, 0.2)) {
        let (problem, truth) = build(&draft);
        let exact = solved(&problem, &truth);
        let n = draft.len();
        let (v, steps) = evaluated(&draft, &exact.policy[..n]).expect("the policy is proper");
        let scale = exact.b_star.max(1e-3) * exact.t_star;
        for s in 0..n {
            prop_assert!((exact.v[s] - v[s]).abs() <= 1e-13 * scale);
            close(exact.steps[s], steps[s], 1e-10);
            for (a, (cost, next)) in draft[s].iter().enumerate() {
                let q: f64 = cost + next.iter().map(|&(next, p)| p * exact.v[next]).sum::<f64>();
                close(q, exact.q[problem.pair(s, a)], 1e-14);
                prop_assert!(q >= exact.v[s] * (1.0 - 1e-14));
            }
        }
    }

    /// Costs that are all positive: plain value iteration from below, run for very long. Where a
    /// loop costs 0.001 and the way out thousands, even that is not long enough, and only the bound
    /// can be compared.
    #[test]
    fn value_iteration_from_below_agrees(draft in drafts(6, 3, 0.0)) {
        let (problem, truth) = build(&draft);
        let exact = solved(&problem, &truth);
        let backup = |s: usize, v: &[f64]| {
            let q = draft[s].iter().map(|(c, next)| c + next.iter().map(|&(j, p)| p * v[j]).sum::<f64>());
            q.fold(f64::INFINITY, f64::min)
        };
        let mut v = vec![0.0; 6];
        let mut converged = false;
        for _ in 0..200_000 {
            let mut next: Vec<f64> = (0..draft.len()).map(|s| backup(s, &v)).collect();
            next.push(0.0);
            // rounding is monotone, so the iteration is, and it ends in a fixed point
            converged = next == v;
            v = next;
            if converged { break; }
        }
        for s in 0..draft.len() {
            prop_assert!(v[s] <= exact.upper[s] * (1.0 + 1e-11));
            if converged { close(v[s], exact.v[s], 1e-9); }
        }
    }
}
