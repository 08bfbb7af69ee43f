//! Optimistic planning with so many states that policies are evaluated iteratively.

use goalward::Settings;
use goalward::numeric::Stream;
use goalward::numeric::support::{ConvexSet, Ellipsoid};
use goalward::plan::{Convergence, Devi, Planner, Task};
use goalward::problem::Instance;
use goalward::worlds;

/// An ellipsoid beside theta* that contains it, cut by B.
fn set(instance: &Instance, radius: f64) -> ConvexSet {
    let (problem, theta) = (&instance.problem, instance.truth().unwrap().theta().unwrap());
    let d = problem.dim();
    let shape: Vec<f64> = (0..d * d).map(|i| if i % (d + 1) == 0 { 1.0 } else { 0.0 }).collect();
    let sign = |i: usize| if i.is_multiple_of(2) { 1.0 } else { -1.0 };
    let step = 0.5 * radius / (d as f64).sqrt();
    let center: Vec<f64> = theta.iter().enumerate().map(|(i, x)| x + sign(i) * step).collect();
    let ellipsoid = Ellipsoid { center: &center, shape: &shape, radius };
    ConvexSet::new(problem.constraints(), ellipsoid).unwrap()
}

fn grid(n: usize) -> Instance {
    worlds::build("windy-grid", &Settings::new().set("n", n)).unwrap()
}

fn mixture(states: usize) -> Instance {
    let params = Settings::new().set("states", states).set("dim", 4).set("successors", 6).set("actions", 3);
    worlds::build("random-mixture", &params).unwrap()
}

fn plan(
    devi: &mut Devi,
    task: &Task,
    instance: &Instance,
    radius: f64,
    planner: Planner,
    start: f64,
) -> Convergence {
    devi.plan(task, &mut set(instance, radius), planner, &vec![start; instance.problem.states()])
}

/// Grids and random problems with positive and with zero costs, with and without the clamp at B,
/// from starts far below and far above: the residual is what was asked for, V is below the fixed
/// point, and both planners agree.
#[test]
fn many_states_are_planned_as_value_iteration_does() {
    for (instance, q) in [(grid(34), 0.02), (mixture(1_500), 0.01), (mixture(3_000), 0.05)] {
        let problem = &instance.problem;
        assert!(problem.states() > 1_100);
        let mut draw = Stream::new(7, &[]);
        let free: Vec<f64> =
            problem.costs().iter().map(|c| if draw.uniform() < 0.5 { 0.0 } else { *c }).collect();
        for (costs, b) in [(problem.costs(), 1e6), (problem.costs(), 3.0), (&free, 1e6)] {
            let task = Task { problem, costs, b, eps: 1e-10, q };
            let mut devi = Devi::new(problem);
            let faithful = plan(&mut devi, &task, &instance, 0.05, Planner::Faithful, 0.0);
            assert_eq!(faithful.planner, Planner::Faithful);
            let (below, size) = (devi.v.clone(), devi.v.iter().copied().fold(0.0, f64::max));
            // value iteration stops at most eps/q below the fixed point
            let room = 1e-10 / q + 1e-9 * size;
            for (eps, start) in [(1e-10, 0.0), (1e-10, 500.0), (1e-3, 0.0), (1e-3, 500.0)] {
                let task = Task { eps, ..task };
                let done = plan(&mut devi, &task, &instance, 0.05, Planner::Fast, start);
                assert!(done.planner == Planner::Fast && done.residual <= eps, "{done:?}");
                for (v, below) in devi.v.iter().zip(&below) {
                    assert!(*v <= below + room && *v >= below - eps / q - room, "{v} {below} {eps} {b}");
                }
            }
        }
    }
}

/// Large problems in which the goal is far from most states, from values that say nothing of the
/// way: what is known of the goal goes all the way in a few sweeps, not by a step with each.
#[test]
fn the_way_to_a_far_goal_is_found_in_a_few_sweeps() {
    let ladder = worlds::build("ladder", &Settings::new().set("rungs", 6_000).set("actions", 3)).unwrap();
    for instance in [grid(130), ladder] {
        let problem = &instance.problem;
        let task = Task { problem, costs: problem.costs(), b: 1e6, eps: 1e-2, q: 1e-3 };
        for start in [0.0, 500.0] {
            let mut devi = Devi::new(problem);
            let done = plan(&mut devi, &task, &instance, 0.05, Planner::Fast, start);
            assert!(done.residual <= 1e-2 && done.sweeps <= 12, "{} {start} {done:?}", problem.name());
        }
    }
}

/// The same bytes on one thread and on two, and whatever was planned before.
#[test]
fn plans_depend_on_nothing_but_the_call() {
    for (instance, b) in [(grid(40), 1e4), (mixture(2_500), 2.0)] {
        let problem = &instance.problem;
        let task = Task { problem, costs: problem.costs(), b, eps: 1e-4, q: 1e-4 };
        let run = |threads: usize, before: bool| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut devi = Devi::new(problem);
                if before {
                    plan(&mut devi, &Task { q: 0.1, ..task }, &instance, 0.2, Planner::Fast, 3.0);
                }
                let done = plan(&mut devi, &task, &instance, 0.02, Planner::Fast, 0.0);
                (done, devi.v, devi.q)
            })
        };
        let (done, v, q) = run(1, false);
        assert!(done.residual <= task.eps);
        for (threads, before) in [(2, false), (1, true), (2, true)] {
            let (again, v2, q2) = run(threads, before);
            assert_eq!(done, again);
            let same = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits());
            assert!(same(&v, &v2) && same(&q, &q2));
        }
    }
}
