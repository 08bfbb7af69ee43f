//! Problems whose answers are known by hand.

use super::blocks::{Method, Solver};
use super::setup::Setup;
use super::values::{Sense, Values};
use super::*;
use crate::numeric::Stream;
use crate::numeric::halt::Halt;
use crate::plan::verify;
use crate::problem::Instance;
use crate::problem::tests::{grid, mixture};

/// (state, cost, successors with probabilities).
pub(in crate::plan) type Row<'a> = (State, f64, &'a [(State, f64)]);

/// Actions in order of appearance; the goal is the last state. A second feature leads everything to
/// the goal, so that states without a way out can be built; the truth does not use it.
pub(in crate::plan) fn problem(states: usize, rows: &[Row]) -> (Problem, Truth) {
    let mut builder = Problem::builder("test", states, 2);
    for &(s, cost, next) in rows {
        let a = builder.action(s, cost).unwrap();
        let mut to_goal = 0.0;
        for &(next, p) in next {
            match next + 1 == states {
                true => to_goal += p,
                false => _ = builder.feature(s, a, next, &[p, 0.0]).unwrap(),
            }
        }
        builder.feature(s, a, states - 1, &[to_goal, 1.0]).unwrap();
    }
    let problem = builder.build().unwrap();
    let truth = Truth::new(&problem, &[1.0, 0.0]).unwrap();
    (problem, truth)
}

/// The values of the nodes, methods tried from one on.
pub(super) fn by_method(setup: &Setup, objective: Objective, precision: f64, begin: Method) -> Values {
    by_methods(setup, objective, precision, |method| method >= begin)
}

/// The same by the methods that `may` be tried.
fn by_methods(setup: &Setup, objective: Objective, precision: f64, may: impl Fn(Method) -> bool) -> Values {
    let halt = Halt::never();
    let mut solver = Solver::new(&setup.model, Sense::of(objective), precision, &halt);
    solver.methods.retain(|&method| may(method));
    solver.run(&setup.ends)
}

/// The fast way, unchecked.
pub(super) fn fast(problem: &Problem, truth: &Truth, objective: Objective, precision: f64) -> Answer {
    solve(problem, truth, &Options { unchecked: true, ..Options::fast(objective, precision) }).unwrap()
}

pub(super) fn solved(problem: &Problem, truth: &Truth, objective: Objective, precision: f64) -> Answer {
    let solution = fast(problem, truth, objective, precision);
    assert!(solution.width() <= precision, "{} {solution:?}", solution.width());
    for s in 0..problem.states() {
        assert!(
            solution.lower[s] <= solution.v[s] && solution.v[s] <= solution.upper[s],
            "{s}: {solution:?}"
        );
    }
    solution
}

/// The exact answer lies in the certified interval.
fn holds(solution: &Answer, s: State, answer: f64) {
    let room = 2.0 * f64::EPSILON * answer;
    assert!(
        solution.lower[s] <= answer + room && answer - room <= solution.upper[s],
        "{s}: {answer} is not in [{}, {}]",
        solution.lower[s],
        solution.upper[s]
    );
}

const ALL: [Objective; 3] = [Objective::Min, Objective::Max, Objective::Reach];

#[test]
fn the_goal_alone() {
    let (problem, truth) = problem(1, &[]);
    for (objective, value) in ALL.into_iter().zip([0.0, 0.0, 1.0]) {
        let solution = solved(&problem, &truth, objective, 1e-6);
        assert_eq!((&solution.v[..], &solution.lost[..]), (&[value][..], &[][..]));
    }
}

/// The fair walk on 0..=n with a wall at 0: from s it takes n^2 - s^2 steps to n.
fn walk(n: usize) -> (Problem, Truth) {
    let mut rows = vec![(0, 1.0, vec![(1, 1.0)])];
    rows.extend((1..n).map(|s| (s, 1.0, vec![(s - 1, 0.5), (s + 1, 0.5)])));
    let rows: Vec<Row> = rows.iter().map(|(s, c, next)| (*s, *c, &next[..])).collect();
    problem(n + 1, &rows)
}

#[test]
fn a_long_walk() {
    // T* = 1e6
    let (problem, truth) = walk(1000);
    for (objective, precision) in [(Objective::Min, 1e-6), (Objective::Max, 1e-6), (Objective::Min, 1e-13)] {
        let solution = solved(&problem, &truth, objective, precision);
        (0..1000).for_each(|s| holds(&solution, s, (1_000_000 - s * s) as f64));
        assert!((solution.steps[0] - 1e6).abs() < 1e-3);
    }
    let certain = solved(&problem, &truth, Objective::Reach, 1e-9);
    assert_eq!(certain.lower, vec![1.0; 1001]);
}

#[test]
fn a_choice_between_waiting_and_walking() {
    let rows: &[Row] = &[(0, 1.0, &[(0, 0.75), (2, 0.25)]), (0, 2.0, &[(1, 1.0)]), (1, 1.5, &[(2, 1.0)])];
    let (problem, truth) = problem(3, rows);
    let least = solved(&problem, &truth, Objective::Min, 1e-12);
    holds(&least, 0, 3.5);
    assert_eq!(least.policy[0], 1);
    let greatest = solved(&problem, &truth, Objective::Max, 1e-12);
    holds(&greatest, 0, 4.0);
    assert_eq!(greatest.policy[0], 0);
}

#[test]
fn zero_cost_cycles_are_not_looped_in() {
    // two states that can pass to and fro for free; only state 1 has an exit, of expected cost 4
    let rows: &[Row] = &[(0, 0.0, &[(1, 1.0)]), (1, 0.0, &[(0, 1.0)]), (1, 2.0, &[(1, 0.5), (2, 0.5)])];
    let (problem, truth) = problem(3, rows);
    let least = solved(&problem, &truth, Objective::Min, 1e-12);
    holds(&least, 0, 4.0);
    holds(&least, 1, 4.0);
    assert_eq!(least.policy, [0, 1, 0]);
    assert_eq!(least.steps, [3.0, 2.0, 0.0]);
    // the greatest cost is infinite: a policy may go to and fro for ever
    let greatest = solved(&problem, &truth, Objective::Max, 1e-12);
    assert_eq!((&greatest.lost[..], greatest.upper[0]), (&[0, 1][..], f64::INFINITY));
    assert_eq!(solved(&problem, &truth, Objective::Reach, 1e-12).lower, [1.0; 3]);
}

#[test]
fn a_zero_cost_block_that_is_no_component() {
    // 0 and 1 pass to and fro for free, but each pass may fall out: V(0) = V(1) = 1/2 * 3 + 1/2 *
    // 5 = 4 by symmetry of the way out; x0 = (x1 + 3)/2, x1 = (x0 + 5)/2: x0 = 11/3, x1 = 13/3
    let rows: &[Row] = &[
        (0, 0.0, &[(1, 0.5), (2, 0.5)]),
        (1, 0.0, &[(0, 0.5), (3, 0.5)]),
        (2, 3.0, &[(4, 1.0)]),
        (3, 5.0, &[(4, 1.0)]),
    ];
    let (problem, truth) = problem(5, rows);
    for objective in [Objective::Min, Objective::Max] {
        let solution = solved(&problem, &truth, objective, 1e-12);
        holds(&solution, 0, 11.0 / 3.0);
        holds(&solution, 1, 13.0 / 3.0);
    }
}

#[test]
fn the_greatest_cost_is_infinite_where_the_goal_may_be_missed() {
    // from 0 one may go to 1, which loops at will; 2 always gets there; from 3 one has to pass 0
    // with probability 1/2
    let rows: &[Row] = &[
        (0, 1.0, &[(2, 1.0)]),
        (0, 1.0, &[(1, 1.0)]),
        (1, 1.0, &[(1, 1.0)]),
        (1, 1.0, &[(4, 1.0)]),
        (2, 1.0, &[(2, 0.5), (4, 0.5)]),
        (2, 3.0, &[(4, 1.0)]),
        (3, 1.0, &[(0, 0.5), (2, 0.5)]),
    ];
    let (problem, truth) = problem(5, rows);
    let greatest = solved(&problem, &truth, Objective::Max, 1e-12);
    assert_eq!(greatest.lost, [0, 1, 3]);
    assert!(greatest.lower[0].is_infinite() && greatest.lower[3].is_infinite());
    holds(&greatest, 2, 3.0);
    let least = solved(&problem, &truth, Objective::Min, 1e-12);
    [2.0, 1.0, 2.0, 3.0].iter().enumerate().for_each(|(s, &v)| holds(&least, s, v));
    assert!(least.lost.is_empty());
}

#[test]
fn reaching_with_ties_and_loops() {
    // 0 and 1 form an end component: both may pass to the other for certain. From 0 a gamble wins
    // 1/3, from 1 one wins 1/2 and a second action ties with it; staying forever wins nothing.
    // State 2 is a hole.
    let rows: &[Row] = &[
        (0, 1.0, &[(1, 1.0)]),
        (0, 1.0, &[(3, 1.0 / 3.0), (2, 2.0 / 3.0)]),
        (1, 1.0, &[(0, 1.0)]),
        (1, 1.0, &[(3, 0.5), (2, 0.5)]),
        (1, 1.0, &[(3, 0.25), (2, 0.25), (1, 0.5)]),
        (2, 1.0, &[(2, 1.0)]),
    ];
    let (problem, truth) = problem(4, rows);
    let reach = solved(&problem, &truth, Objective::Reach, 1e-12);
    holds(&reach, 0, 0.5);
    holds(&reach, 1, 0.5);
    assert_eq!((reach.lost.clone(), reach.v[2], reach.v[3], reach.policy[0]), (vec![2], 0.0, 1.0, 0));
    assert!(reach.policy[1] > 0, "going back and forth never wins");
    let least = solved(&problem, &truth, Objective::Min, 1e-12);
    assert_eq!(least.lost, [0, 1, 2]);
}

/// Pairs of states one after the other, each with two ways on that may end in the hole: what is not
/// known of one pair is not to grow on the way to the first, where f64 is to prove as much.
#[test]
fn bounds_do_not_widen_from_block_to_block() {
    let pairs = 400;
    let (hole, goal) = (2 * pairs, 2 * pairs + 1);
    let mut rows = vec![(hole, 1.0, vec![(hole, 1.0)])];
    for s in 0..hole {
        let last = s + 2 >= hole;
        let (other, on) = (s ^ 1, if last { goal } else { s + 2 });
        let aside = if last { hole } else { (s ^ 1) + 2 };
        // one way costs some probability where the other has none to lose
        rows.push((s, 1.0, vec![(other, 0.5), (on, 0.4990234375), (hole, 0.0009765625)]));
        if !last {
            rows.push((s, 1.0, vec![(other, 0.25), (aside, 0.7490234375), (hole, 0.0009765625)]));
        }
    }
    rows.sort_by_key(|row| row.0);
    let rows: Vec<Row> = rows.iter().map(|(s, c, next)| (*s, *c, &next[..])).collect();
    let (problem, truth) = problem(goal + 1, &rows);
    let reach = solved(&problem, &truth, Objective::Reach, 1e-6);
    assert_eq!(verify(&problem, &truth, &reach), Ok(()));
    assert!(reach.tails.is_none(), "more digits than those of f64 were called for");
    assert!(reach.width() < 1e-9, "{}", reach.width());
}

#[test]
fn where_the_greatest_cost_is_finite_the_goal_is_sure() {
    let rows: &[Row] = &[(0, 1.0, &[(0, 0.5), (2, 0.5)]), (1, 1.0, &[(1, 1.0)])];
    let (whole, truth) = problem(3, rows);
    assert_eq!(fast(&whole, &truth, Objective::Max, 1e-9).reach_probability, 1.0);
    // now the start may fall into state 1
    let rows: &[Row] = &[(0, 1.0, &[(1, 0.25), (2, 0.75)]), (1, 1.0, &[(1, 1.0)])];
    let (holed, truth) = problem(3, rows);
    let greatest = fast(&holed, &truth, Objective::Max, 1e-9);
    assert!((greatest.reach_probability - 0.75).abs() < 1e-9 && greatest.is_lost(0));
}

/// The cheap action drifts away from the goal: alone it would take 1.5^n steps, more than f64 can
/// hold.
#[test]
fn a_policy_of_astronomic_cost_is_no_obstacle() {
    let n = 1500;
    let mut rows = vec![(0, 1.0, vec![(1, 1.0)])];
    for s in 1..n {
        rows.push((s, 1.0, vec![(s - 1, 0.6), (s + 1, 0.4)]));
        rows.push((s, 10.0, vec![(s + 1, 1.0)]));
    }
    let rows: Vec<Row> = rows.iter().map(|(s, c, next)| (*s, *c, &next[..])).collect();
    let (problem, truth) = problem(n + 1, &rows);
    let solution = solved(&problem, &truth, Objective::Min, 1e-6);
    assert!(solution.v[0] <= 10.0 * n as f64 && solution.v[0] >= 2.5 * (n - 1) as f64);
}

#[test]
fn a_value_beyond_f64_has_no_upper_bound() {
    let n = 4000;
    let mut rows = vec![(0, 1.0, vec![(1, 1.0)])];
    rows.extend((1..n).map(|s| (s, 1.0, vec![(s - 1, 0.6), (s + 1, 0.4)])));
    let rows: Vec<Row> = rows.iter().map(|(s, c, next)| (*s, *c, &next[..])).collect();
    let (problem, truth) = problem(n + 1, &rows);
    for objective in [Objective::Min, Objective::Max] {
        let solution = fast(&problem, &truth, objective, 1e-6);
        assert!(solution.lower[0].is_finite() && solution.upper[0].is_infinite(), "{objective:?}");
        assert!(solution.lost.is_empty());
    }
}

#[test]
fn a_line_of_many_states_is_solved_by_formulas() {
    let n = 20_000;
    let rows: Vec<_> = (0..n).map(|s| (s, 1.0, [(s, 0.5), (s + 1, 0.5)])).collect();
    let rows: Vec<Row> = rows.iter().map(|(s, c, next)| (*s, *c, &next[..])).collect();
    let (problem, truth) = problem(n + 1, &rows);
    for precision in [1e-6, 1e-12] {
        let solution = solved(&problem, &truth, Objective::Min, precision);
        (0..n).for_each(|s| holds(&solution, s, 2.0 * (n - s) as f64));
    }
}

/// An n x n grid in a wind that blows up and left, away from the goal, as often as not: every step
/// costs 1.
pub(super) fn against_the_wind(n: usize) -> (Problem, Truth) {
    gale(n, n, 0.5)
}

/// The same on m x n cells, where a step goes its own way with this probability.
fn gale(m: usize, n: usize, own: f64) -> (Problem, Truth) {
    let (on, back) = ((1.0 - own) / 16.0, 7.0 * (1.0 - own) / 16.0);
    let target = |cell: usize, toward: usize| match (toward, cell / n, cell % n) {
        (0, _, column) if column + 1 < n => cell + 1,
        (1, row, _) if row + 1 < m => cell + n,
        (2, _, column) if column > 0 => cell - 1,
        (3, row, _) if row > 0 => cell - n,
        _ => cell,
    };
    let mut rows = Vec::new();
    for s in 0..m * n - 1 {
        for a in 0..4 {
            let mut next: Vec<(State, f64)> = Vec::new();
            let moves = [(a, own), (0, on), (1, on), (2, back), (3, back)];
            for (next_state, p) in moves.map(|(toward, p)| (target(s, toward), p)) {
                match next.iter_mut().find(|e| e.0 == next_state) {
                    Some(entry) => entry.1 += p,
                    None => next.push((next_state, p)),
                }
            }
            rows.push((s, 1.0, next));
        }
    }
    let rows: Vec<Row> = rows.iter().map(|(s, c, next)| (*s, *c, &next[..])).collect();
    problem(m * n, &rows)
}

/// Blocks too large for elimination: a policy that just may leave would cost 6^60 here, and nothing
/// would be proven. Whatever method is tried first, it proves the same, and says if that is less
/// than was asked for.
#[test]
fn every_method_for_large_blocks_proves_what_elimination_does() {
    let (problem, truth) = against_the_wind(30);
    for objective in [Objective::Min, Objective::Reach] {
        let by_elimination = solved(&problem, &truth, objective, 1e-9);
        let setup = Setup::new(&problem, &truth, objective);
        for begin in [Method::Settling, Method::Krylov, Method::Patience] {
            let values = by_method(&setup, objective, 1e-9, begin);
            for s in 0..problem.states() - 1 {
                let Some(node) = setup.node_of(s) else { continue };
                let (lower, upper) = (values.lower[node as usize], values.upper[node as usize]);
                let (below, above) = (by_elimination.lower[s], by_elimination.upper[s]);
                assert!(lower <= above && below <= upper, "{begin:?} {s} {lower} {upper}");
                assert!(upper - lower <= 1e-9 * upper, "{begin:?} {s}");
            }
        }
    }
}

/// Large blocks are cut in the same way whatever the number of threads.
#[test]
fn the_bits_of_large_blocks_do_not_depend_on_the_threads() {
    let (problem, truth) = against_the_wind(190);
    let setup = Setup::new(&problem, &truth, Objective::Min);
    let solve = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let values = pool.install(|| by_method(&setup, Objective::Min, 1e-3, Method::Krylov));
        assert!((0..setup.model.nodes).all(|s| values.upper[s] - values.lower[s] <= 1e-3 * values.upper[s]));
        (values.x.into_iter().map(f64::to_bits).collect::<Vec<u64>>(), values.policy)
    };
    assert!(solve(1) == solve(2));
}

/// State 0 leads to 1, 1 and 2 pass to and fro for free, and from 2 one gets to the goal with
/// probability p, else back to 0: 1/p.
#[test]
fn a_free_component_on_a_long_way_is_proven() {
    for p in [1e-2, 1e-3, 1e-6, 1e-9, 1e-12, 1e-15] {
        let free: &[Row] = &[
            (0, 1.0, &[(1, 1.0)]),
            (1, 0.0, &[(2, 1.0)]),
            (2, 0.0, &[(1, 1.0)]),
            (2, 0.0, &[(3, p), (0, 1.0 - p)]),
        ];
        // the same without the way back, where all policies reach the goal; and with another end
        let rows = [free[0], free[1], free[3]];
        let lossy = [
            free[0],
            free[1],
            free[2],
            (2, 0.0, &[(3, p), (0, 1.0 - 2.0 * p), (4, p)]),
            (4, 1.0, &[(4, 1.0)]),
        ];
        for precision in [1e-6, 1e-9, 1e-12, 1e-15] {
            for (states, rows, objective, answer) in [
                (4, free, Objective::Min, 1.0 / p),
                (4, &rows, Objective::Min, 1.0 / p),
                (4, &rows, Objective::Max, 1.0 / p),
                (5, &lossy, Objective::Reach, 0.5),
            ] {
                // the goal is the last state
                let swap = |s: State| if states == 5 && s >= 3 { 7 - s } else { s };
                let rows: Vec<_> = rows
                    .iter()
                    .map(|(s, c, next)| {
                        (swap(*s), *c, next.iter().map(|e| (swap(e.0), e.1)).collect::<Vec<_>>())
                    })
                    .collect();
                let rows: Vec<Row> = rows.iter().map(|(s, c, next)| (*s, *c, &next[..])).collect();
                let (problem, truth) = problem(states, &rows);
                let solution = fast(&problem, &truth, objective, precision);
                let case = format!("{p} {precision} {objective:?} {solution:?}");
                assert_eq!(verify(&problem, &truth, &solution), Ok(()), "{case}");
                assert!((0..states).all(|s| !solution.is_vacuous(s)), "{case}");
                // 1 - p is rounded: the row divided by its sum has another p
                let room = answer * (1e-16 / p + 1e-15);
                assert!(solution.lower[0] <= answer + room && answer - room <= solution.upper[0], "{case}");
                assert!(solution.width() < 1e-6, "{case}");
            }
        }
    }
}

/// The best action of a state costs what the state does, to the last bit: following it has no gap.
#[test]
fn the_policys_own_q_is_its_value() {
    for instance in [mixture(40, 3, 4, 2), grid(6)] {
        let problem = &*instance.problem;
        let answer = solve(problem, instance.truth().unwrap(), &Options::default()).unwrap();
        for s in (0..problem.states()).filter(|&s| s != problem.goal()) {
            assert_eq!(answer.q[problem.pair(s, answer.policy[s])], answer.v[s], "state {s}");
        }
    }
}

/// Components of some states, each of which leads on to the next.
fn layered(components: usize, size: usize) -> Instance {
    let mut stream = Stream::new(7, &[]);
    let goal = size * components;
    let mut row = |s: usize| {
        let base = s - s % size;
        let mut next: Vec<usize> = (0..3).map(|_| base + stream.below(size)).collect();
        next.extend([base + (s + 1) % size, (base + size + stream.below(size)).min(goal)]);
        next.sort_unstable();
        next.dedup();
        let p = 1.0 / next.len() as f64;
        next.into_iter().map(|next| (next, p)).collect::<Vec<_>>()
    };
    let of = |s: usize| if s == goal { vec![] } else { vec![row(s), row(s)] };
    let model: Vec<_> = (0..=goal).map(of).collect();
    let costs: Vec<Vec<f64>> = (0..=goal).map(|s| vec![1.0; if s == goal { 0 } else { 2 }]).collect();
    let problem = Problem::from_models(&[model], &costs, 0, goal).unwrap();
    Instance::new(problem, &[1.0]).unwrap()
}

/// Prints what each evaluator is good for: the processor time of some models with all of them, and
/// without each: the table of docs/performance.md.
#[test]
#[ignore = "a measurement: cargo test -p goalward-mdp evaluators -- --ignored --nocapture"]
fn evaluators() {
    let wind = |m: usize, n: usize, own: f64| {
        let (problem, truth) = gale(m, n, own);
        Instance::of(problem, Some(truth))
    };
    let cases = [
        ("10,000 components of 10 states", layered(10_000, 10)),
        ("1,000 components of 100 states", layered(1_000, 100)),
        ("random, 10,000 states", mixture(10_000, 4, 8, 2)),
        ("grid, 150 x 150", grid(150)),
        ("wind, 3 x 5,000, own way 0.3", wind(3, 5_000, 0.3)),
        ("wind, 160 x 160, own way 0.3", wind(160, 160, 0.3)),
        ("wind, 240 x 240, own way 0.35", wind(240, 240, 0.35)),
    ];
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let seconds = || {
        let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
        stat.split(' ').next().unwrap().parse::<f64>().unwrap() * 1e-9
    };
    for (name, instance) in &cases {
        let setup = Setup::new(&instance.problem, instance.truth().unwrap(), Objective::Min);
        let measure = |without: Option<Method>| {
            let run = || by_methods(&setup, Objective::Min, 1e-6, |method| Some(method) != without);
            let timed = || {
                let before = seconds();
                let values = run();
                let narrow = |s: usize| 1.0 - values.lower[s] / values.upper[s] <= 1e-6;
                (seconds() - before, (0..setup.model.nodes).all(narrow))
            };
            pool.install(|| (0..2).map(|_| timed()).fold((f64::MAX, true), |a, b| (a.0.min(b.0), a.1 && b.1)))
        };
        let (all, _) = measure(None);
        print!("{name}: {:.1} ms;", 1e3 * all);
        for method in Method::ALL {
            let (time, proven) = measure(Some(method));
            print!(" {method:?} {:.2}{}", time / all, if proven { "" } else { " unproven" });
        }
        println!();
    }
    let instance = wind(3, 5_000, 0.3);
    let truth = instance.truth().unwrap();
    let setup = Setup::new(&instance.problem, truth, Objective::Min);
    let values = by_methods(&setup, Objective::Min, 1e-15, |_| true);
    let width = |s: usize| 1.0 - values.lower[s] / values.upper[s];
    let widest = (0..setup.model.nodes).map(width).fold(0.0, f64::max);
    let exact = solve(&instance.problem, truth, &Options::exact(1e-12)).unwrap().width();
    println!("wind, 3 x 5,000: bounds {exact:.0e} apart, without 30 digits {widest:.0e}");
}
