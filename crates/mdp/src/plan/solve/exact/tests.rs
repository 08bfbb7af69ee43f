//! Problems whose answers are known by hand.

use crate::plan::solve::proven::LARGE;
use crate::plan::{Answer, Options, solve};
use crate::problem::{Problem, State, Truth};

/// (state, cost, successors with probabilities).
type Row<'a> = (State, f64, &'a [(State, f64)]);

/// Actions in order of appearance; the goal is the last state.
pub(super) fn problem(states: usize, rows: &[Row]) -> (Problem, Truth) {
    let mut builder = Problem::builder("test", states, 1);
    for &(s, cost, next) in rows {
        let a = builder.action(s, cost).unwrap();
        next.iter().for_each(|&(next, p)| _ = builder.feature(s, a, next, &[p]).unwrap());
    }
    let problem = builder.build().unwrap();
    let truth = Truth::new(&problem, &[1.0]).unwrap();
    (problem, truth)
}

/// Solves to 1e-12 and checks what every solution must satisfy.
pub(super) fn solved(problem: &Problem, truth: &Truth) -> Answer {
    let exact = solve(problem, truth, &Options::exact(1e-12)).unwrap();
    assert!(exact.width() <= 1e-12, "{} {exact:?}", exact.width());
    for s in 0..problem.states() {
        assert!(exact.lower[s] <= exact.v[s] && exact.v[s] <= exact.upper[s], "{s}: {exact:?}");
        if s != problem.goal() && exact.v[s].is_finite() {
            let best = problem.pairs_of(s).map(|p| exact.q[p]).fold(f64::INFINITY, f64::min);
            close(best, exact.v[s], 1e-15);
            close(exact.q[problem.pair(s, exact.policy[s])], exact.v[s], 2e-12);
        }
    }
    exact
}

pub(super) fn close(x: f64, y: f64, relative: f64) {
    assert!(x == y || (x - y).abs() <= relative * x.abs().max(y.abs()), "{x} is not {y}");
}

/// The expected answer lies in the certified interval, or within the rounding of its own formula,
/// and v is close.
fn is(exact: &Answer, s: State, answer: f64) {
    close(exact.v[s], answer, 4e-15);
    let room = 4.0 * f64::EPSILON * answer;
    assert!(exact.lower[s] <= answer + room && answer - room <= exact.upper[s]);
}

#[test]
fn the_goal_alone() {
    let (problem, truth) = problem(1, &[]);
    let exact = solved(&problem, &truth);
    assert_eq!((exact.b_star, exact.t_star, exact.v, exact.steps), (0.0, 0.0, vec![0.0], vec![0.0]));
    assert!(exact.lost.is_empty());
    let (problem, truth) = self::problem(1, &[(0, 0.0, &[(0, 1.0)])]);
    assert_eq!(solved(&problem, &truth).q, [0.0]);
}

#[test]
fn geometric_waiting() {
    let third = 1.0 / 3.0;
    let (problem, truth) = problem(2, &[(0, 1.0, &[(0, 1.0 - third), (1, third)])]);
    let exact = solved(&problem, &truth);
    is(&exact, 0, 3.0);
    close(exact.t_star, 3.0, 1e-15);
    let (problem, truth) = self::problem(2, &[(0, 0.5, &[(0, 1.0 - 1e-10), (1, 1e-10)])]);
    close(solved(&problem, &truth).v[0], 5e9, 1e-15);
}

#[test]
fn a_chain_adds_up() {
    let rows: Vec<_> = (0..5).map(|s| (s, (s + 1) as f64, [(s + 1, 1.0)])).collect();
    let rows: Vec<Row> = rows.iter().map(|(s, c, next)| (*s, *c, &next[..])).collect();
    let (problem, truth) = problem(6, &rows);
    let exact = solved(&problem, &truth);
    assert_eq!(exact.v, [15.0, 14.0, 12.0, 9.0, 5.0, 0.0]);
    assert_eq!(exact.steps, [5.0, 4.0, 3.0, 2.0, 1.0, 0.0]);
    let (lower, upper) = (exact.lower[0], exact.upper[0]);
    assert!(
        lower >= 15f64.next_down() && upper <= 15f64.next_up(),
        "one unit in the last place to each side"
    );
}

#[test]
fn the_better_of_two_actions() {
    // waiting costs 1/(1/4) = 4, walking 3.5; from state 1 walking costs 1.5
    let rows: &[Row] = &[(0, 1.0, &[(0, 0.75), (2, 0.25)]), (0, 2.0, &[(1, 1.0)]), (1, 1.5, &[(2, 1.0)])];
    let (problem, truth) = problem(3, rows);
    let exact = solved(&problem, &truth);
    assert_eq!((exact.policy[0], exact.v[0], exact.steps[0]), (1, 3.5, 2.0));
    assert_eq!(exact.q, [1.0 + 0.75 * 3.5, 3.5, 1.5]);
}

/// The fair walk on 0..=n with a wall at 0: from s it takes n^2 - s^2 steps to n.
fn walk(n: usize) -> (Problem, Truth) {
    let mut rows = vec![(0, 1.0, vec![(1, 1.0)])];
    rows.extend((1..n).map(|s| (s, 1.0, vec![(s - 1, 0.5), (s + 1, 0.5)])));
    let rows: Vec<Row> = rows.iter().map(|(s, c, next)| (*s, *c, &next[..])).collect();
    problem(n + 1, &rows)
}

#[test]
fn a_drunkards_walk() {
    for n in [3, 100, 1000] {
        let (problem, truth) = walk(n);
        let exact = solved(&problem, &truth);
        for s in 0..n {
            // the answer is an integer: the certified interval must contain it exactly
            let answer = (n * n - s * s) as f64;
            assert!(exact.lower[s] <= answer && answer <= exact.upper[s]);
            close(exact.v[s], answer, 2e-16);
            close(exact.steps[s], answer, 1e-12);
        }
        assert!(exact.width() < 1e-15);
    }
}

#[test]
fn a_free_loop_is_not_an_answer() {
    let rows: &[Row] = &[(0, 0.0, &[(0, 1.0)]), (0, 7.0, &[(1, 1.0)])];
    let (problem, truth) = problem(2, rows);
    let exact = solved(&problem, &truth);
    assert_eq!((exact.v[0], exact.policy[0], &exact.q[..]), (7.0, 1, &[7.0, 7.0][..]));
    // two states that can pass to and fro for free; only state 1 has an exit
    let rows: &[Row] = &[(0, 0.0, &[(1, 1.0)]), (1, 0.0, &[(0, 1.0)]), (1, 2.0, &[(1, 0.5), (2, 0.5)])];
    let (problem, truth) = self::problem(3, rows);
    let exact = solved(&problem, &truth);
    assert_eq!((&exact.v[..], &exact.policy[..]), (&[4.0, 4.0, 0.0][..], &[0, 1, 0][..]));
    assert_eq!(exact.steps, [3.0, 2.0, 0.0]);
}

#[test]
fn a_free_component_takes_its_cheapest_exit() {
    // 0 <-> 1 -> {0, 2} free, 2 -> 0 free; exits: 5 at state 0, 3 at state 2
    let rows: &[Row] = &[
        (0, 5.0, &[(3, 1.0)]),
        (0, 0.0, &[(1, 1.0)]),
        (1, 0.0, &[(0, 0.5), (2, 0.5)]),
        (2, 0.0, &[(0, 1.0)]),
        (2, 3.0, &[(3, 1.0)]),
    ];
    let (problem, truth) = problem(4, rows);
    let exact = solved(&problem, &truth);
    assert_eq!((&exact.v[..], &exact.policy[..]), (&[3.0, 3.0, 3.0, 0.0][..], &[1, 0, 1, 0][..]));
    // steps: t1 = 1 + (t0 + t2)/2, t0 = 1 + t1, t2 = 1
    assert_eq!(exact.steps, [5.0, 4.0, 1.0, 0.0]);
    // everything free: V* = 0, certified as exactly 0
    let rows: &[Row] = &[(0, 0.0, &[(0, 0.9), (1, 0.1)]), (1, 0.0, &[(0, 0.3), (1, 0.3), (2, 0.4)])];
    let (problem, truth) = self::problem(3, rows);
    let exact = solved(&problem, &truth);
    assert_eq!((exact.upper, exact.lower), (vec![0.0; 3], vec![0.0; 3]));
}

/// State 2 is a hole under theta = (1, 0): only the second model leads out of it.
fn hole(start: State) -> (Problem, Truth) {
    let mut builder = Problem::builder("hole", 4, 2);
    builder.start(start).state_names(["a", "b", "hole", "goal"].map(String::from).to_vec());
    let both = |p: f64| [p, p];
    for (s, cost, next) in
        [(0, 1.0, vec![(1, 0.5), (3, 0.5)]), (1, 1.0, vec![(2, 0.1), (3, 0.9)]), (1, 6.0, vec![(3, 1.0)])]
    {
        let a = builder.action(s, cost).unwrap();
        next.iter().for_each(|&(next, p)| _ = builder.feature(s, a, next, &both(p)).unwrap());
    }
    let stay = builder.action(2, 1.0).unwrap();
    builder.feature(2, stay, 2, &[1.0, 0.0]).unwrap().feature(2, stay, 3, &[0.0, 1.0]).unwrap();
    let problem = builder.build().unwrap();
    let truth = Truth::new(&problem, &[1.0, 0.0]).unwrap();
    (problem, truth)
}

#[test]
fn a_hole_is_avoided_and_named() {
    let (problem, truth) = hole(0);
    let exact = solved(&problem, &truth);
    // from b the cheap action may fall into the hole: only the dear one is usable
    assert_eq!(exact.v, [4.0, 6.0, f64::INFINITY, 0.0]);
    assert_eq!(exact.q, [4.0, f64::INFINITY, 6.0, f64::INFINITY]);
    assert_eq!((exact.policy[1], exact.b_star, exact.t_star, &exact.lost[..]), (1, 6.0, 1.5, &[2][..]));
    let error = exact.require_proper(&problem).unwrap_err();
    assert_eq!(error.to_string(), "no policy reaches the goal with probability one from state hole");

    let (problem, truth) = hole(2);
    let exact = solved(&problem, &truth);
    assert_eq!(
        (exact.lower[2], exact.upper[2], exact.steps[2]),
        (f64::INFINITY, f64::INFINITY, f64::INFINITY)
    );
    assert!(exact.require_proper(&problem).is_err());
    // from the goal nothing can be reached
    let (problem, truth) = hole(3);
    assert!(solved(&problem, &truth).require_proper(&problem).is_ok());
}

#[test]
fn every_state_on_the_way_to_a_certain_hole_is_lost() {
    // 0 -> 1 -> {hole, goal}: all of 0 and 1 are lost, although both may reach the goal
    let mut builder = Problem::builder("trap", 4, 2);
    for (s, next) in [(0, vec![(1, 1.0)]), (1, vec![(2, 0.5), (3, 0.5)])] {
        let a = builder.action(s, 1.0).unwrap();
        next.iter().for_each(|&(next, p)| _ = builder.feature(s, a, next, &[p, p]).unwrap());
    }
    let a = builder.action(2, 0.0).unwrap();
    builder.feature(2, a, 2, &[1.0, 0.0]).unwrap().feature(2, a, 3, &[0.0, 1.0]).unwrap();
    let problem = builder.build().unwrap();
    let exact = solved(&problem, &Truth::new(&problem, &[1.0, 0.0]).unwrap());
    assert_eq!((&exact.lost[..], exact.b_star), (&[0, 1, 2][..], 0.0));
    assert_eq!(exact.lost_ahead, [0, 1, 2]);
}

#[test]
fn values_of_very_different_size_are_all_accurate() {
    // 0: 1e9 per step for 1e4 steps, then 1: 1e-9 once; 2: 1e-9, but one time in 2^40 back to 0
    let p = 1e-4;
    let q = 2f64.powi(-40);
    let rows: &[Row] =
        &[(0, 1e9, &[(0, 1.0 - p), (1, p)]), (1, 1e-9, &[(3, 1.0)]), (2, 1e-9, &[(0, q), (3, 1.0 - q)])];
    let (problem, truth) = problem(4, rows);
    let exact = solved(&problem, &truth);
    is(&exact, 1, 1e-9);
    close(exact.v[0], 1e13, 1e-15);
    close(exact.v[2], 1e-9 + q * 1e13, 1e-14);
}

#[test]
fn a_long_chase_with_free_steps() {
    // n independent geometric stages, of which only the last costs: T = n/p, V = 1/p
    let (n, p) = (50, 1.0 / 1024.0);
    let rows: Vec<_> =
        (0..n).map(|s| (s, if s + 1 == n { 1.0 } else { 0.0 }, [(s, 1.0 - p), (s + 1, p)])).collect();
    let rows: Vec<Row> = rows.iter().map(|(s, c, next)| (*s, *c, &next[..])).collect();
    let (problem, truth) = problem(n + 1, &rows);
    let exact = solved(&problem, &truth);
    assert!(exact.v[..n].iter().all(|&v| v == 1024.0));
    close(exact.t_star, 51200.0, 1e-14);
}

#[test]
fn ties_take_the_lowest_action_that_is_proper() {
    // three equal ways; a fourth, the first in number, goes round in circles at almost no cost
    let rows: &[Row] = &[
        (0, 1e-15, &[(1, 1.0)]),
        (0, 1.0, &[(2, 1.0)]),
        (0, 0.5, &[(0, 0.5), (2, 0.5)]),
        (1, 1e-15, &[(0, 1.0)]),
        (1, 1.0, &[(2, 1.0)]),
    ];
    let (problem, truth) = problem(3, rows);
    let exact = solved(&problem, &truth);
    assert_eq!(exact.policy, [1, 1, 0]);
    let rows: &[Row] =
        &[(0, 0.1 + 0.2, &[(1, 1.0)]), (0, 0.3, &[(1, 1.0)]), (0, 0.15, &[(0, 0.5), (1, 0.5)])];
    let (problem, truth) = self::problem(2, rows);
    assert_eq!(solved(&problem, &truth).policy[0], 0);
}

#[test]
fn any_precision_ends_with_bounds_that_hold() {
    let (problem, truth) = walk(50);
    for precision in [1.0, 1e-3, 1e-16, 0.0, -1.0, f64::NAN] {
        let exact = solve(&problem, &truth, &Options::exact(precision)).unwrap();
        assert!(exact.lower[0] <= 2500.0 && 2500.0 <= exact.upper[0] && exact.width() < 1e-15);
    }
}

/// The cheap action drifts away from the goal: alone it would take 1.5^n steps, more than f64 can
/// hold.
#[test]
fn a_policy_of_astronomic_cost_is_no_obstacle() {
    let n = 2000;
    let mut rows = vec![(0, 1.0, vec![(1, 1.0)])];
    for s in 1..n {
        rows.push((s, 1.0, vec![(s - 1, 0.6), (s + 1, 0.4)]));
        rows.push((s, 10.0, vec![(s + 1, 1.0)]));
    }
    let rows: Vec<Row> = rows.iter().map(|(s, c, next)| (*s, *c, &next[..])).collect();
    let (problem, truth) = problem(n + 1, &rows);
    let exact = solved(&problem, &truth);
    // at most 10 a step, at least 1/0.4 (the goal is n away, and a step of cost 1 gains at most 0.4
    // of it)
    assert!(exact.v[0] <= 10.0 * n as f64 && exact.v[0] >= 2.5 * (n - 1) as f64);
}

/// 1.5^4000 steps: neither bound can be close, but both must hold and it must end.
#[test]
fn a_value_beyond_f64_has_no_upper_bound() {
    let n = 4000;
    let mut rows = vec![(0, 1.0, vec![(1, 1.0)])];
    rows.extend((1..n).map(|s| (s, 1.0, vec![(s - 1, 0.6), (s + 1, 0.4)])));
    let rows: Vec<Row> = rows.iter().map(|(s, c, next)| (*s, *c, &next[..])).collect();
    let (problem, truth) = problem(n + 1, &rows);
    let exact = solve(&problem, &truth, &Options::exact(1e-12)).unwrap();
    assert!(exact.lower[0].is_finite() && exact.upper[0].is_infinite() && exact.t_star.is_infinite());
    assert!(exact.lost.is_empty() && exact.width() == 1.0);
}

#[test]
fn large_problems_have_the_same_answers() {
    // a trap door beside a long row of states with two actions each, one of which may slip back
    let n = LARGE / 2 + 10;
    let mut builder = Problem::builder("row", n + 2, 1);
    builder.allow_lost();
    let mut add = |s: State, cost: f64, next: [(State, f64); 2]| {
        let a = builder.action(s, cost).unwrap();
        next.iter().for_each(|&(next, p)| _ = builder.feature(s, a, next, &[p]).unwrap());
    };
    for s in 0..n {
        let on = s + 1 + usize::from(s == n - 1);
        add(s, 1.0, [(s, 0.25), (on, 0.75)]);
        add(s, 0.5, [(if s == 0 { n } else { s - 1 }, 0.5), (on, 0.5)]);
    }
    let trap = builder.action(n, 1.0).unwrap();
    builder.feature(n, trap, n, &[1.0]).unwrap();
    let problem = builder.build().unwrap();
    assert!(problem.pairs() > LARGE);
    let truth = Truth::new(&problem, &[1.0]).unwrap();
    let (large, exact) = (
        solve(&problem, &truth, &Options::default()).unwrap(),
        solve(&problem, &truth, &Options::exact(1e-12)).unwrap(),
    );
    for s in 0..problem.states() {
        close(large.v[s], exact.v[s], 1e-8);
        close(large.steps[s], exact.steps[s], 1e-8);
        assert!(large.lower[s] <= exact.upper[s] && exact.lower[s] <= large.upper[s]);
    }
    (0..problem.pairs()).for_each(|p| close(large.q[p], exact.q[p], 1e-8));
    close(large.b_star, exact.b_star, 1e-8);
    close(large.t_star, exact.t_star, 1e-8);
    assert_eq!((&large.lost, &large.lost_ahead), (&exact.lost, &exact.lost_ahead));
    assert_eq!(large.lost, [n]);
}
