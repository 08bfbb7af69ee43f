//! Planning by value iteration as printed and by policy iteration, in one run: `cargo xtask bench
//! devi`.
//!
//! The set is the one that a learner holds after a while: an ellipsoid around theta* that rules out
//! most of B. `plain_us` is one pass over the features with theta* known, the least that a sweep
//! could cost; `sweep_us` a faithful sweep.

mod harness;

use goalward::Settings;
use goalward::numeric::support::{ConvexSet, Ellipsoid};
use goalward::plan::{Devi, Options, Planner, Task, solve};
use goalward::problem::Instance;
use goalward::worlds;
use harness::{Table, median, micros};

struct Case {
    name: &'static str,
    world: &'static str,
    params: Settings,
    /// eps = q = 1/t.
    t: f64,
    /// Value iteration would take too long.
    only_fast: bool,
}

/// c + <theta*, phi_V> for every pair: the memory traffic of a sweep without its support problems.
fn plain_pass(instance: &Instance, v: &[f64], phi: &mut [f64]) -> f64 {
    let problem = &instance.problem;
    let theta = instance.truth().unwrap().theta().unwrap();
    let mut least = f64::INFINITY;
    for p in 0..problem.pairs() {
        problem.phi_v(p, v, phi);
        least = least.min(problem.cost(p) + phi.iter().zip(theta).map(|(x, y)| x * y).sum::<f64>());
    }
    least
}

fn main() {
    let grid = |n: usize| Settings::new().set("n", n);
    let corridor = |t_star: f64| Settings::new().set("length", (t_star / 3.0).round());
    let cases = [
        Case { name: "grid_n5_t1e4", world: "windy-grid", params: grid(5), t: 1e4, only_fast: false },
        Case { name: "grid_n30_t1e4", world: "windy-grid", params: grid(30), t: 1e4, only_fast: false },
        Case {
            name: "corridor_T2000_t1e5",
            world: "corridor",
            params: corridor(2e3),
            t: 1e5,
            only_fast: false,
        },
        Case {
            name: "corridor_T10000_t1e6",
            world: "corridor",
            params: corridor(1e4),
            t: 1e6,
            only_fast: true,
        },
    ];
    let columns = [
        "pairs",
        "faithful_s",
        "faithful_sweeps",
        "faithful_res",
        "fast_s",
        "fast_sweeps",
        "fast_res",
        "ratio",
        "agreement",
        "sweep_us",
        "plain_us",
        "eps",
    ];
    let mut table = Table::new("devi", &columns);
    for case in &cases {
        let instance = worlds::build(case.world, &case.params).unwrap();
        let problem = &instance.problem;
        let truth = instance.truth().unwrap();
        let best = solve(problem, truth, &Options::exact(1e-12)).unwrap();
        let d = problem.dim();
        let mut shape = vec![0.0; d * d];
        (0..d).for_each(|i| shape[i * d + i] = 1e4);
        let center: Vec<f64> =
            truth.theta().unwrap().iter().enumerate().map(|(i, x)| x + 0.004 * (i % 3) as f64).collect();
        let ellipsoid = Ellipsoid { center: &center, shape: &shape, radius: 2.0 };
        let mut set = ConvexSet::new(problem.constraints(), ellipsoid).unwrap();
        let eps = 1.0 / case.t;
        let task = Task { problem, costs: problem.costs(), b: 1.01 * best.b_star, eps, q: eps };
        let mut devi = Devi::new(problem);
        let mut run = |task: &Task, planner: Planner| {
            let mut done = None;
            let seconds =
                micros(1, || done = Some(devi.plan(task, &mut set, planner, &vec![0.0; problem.states()])))
                    * 1e-6;
            let done = done.unwrap();
            assert!(devi.v.iter().zip(&best.upper).all(|(v, best)| *v <= best * (1.0 + 1e-9)), "optimism");
            (seconds, done, devi.v.clone())
        };
        let (_, fast, _) = run(&task, Planner::Fast);
        let fast_s = median((0..7).map(|_| run(&task, Planner::Fast).0).collect());
        let mut phi = vec![0.0; d];
        let plain = median(
            (0..5)
                .map(|_| {
                    micros(1, || {
                        std::hint::black_box(plain_pass(&instance, &best.v, &mut phi));
                    })
                })
                .collect(),
        );
        let (mut faithful_s, mut sweeps, mut residual, mut agreement) =
            (f64::NAN, f64::NAN, f64::NAN, f64::NAN);
        if !case.only_fast {
            let (seconds, done, _) = run(&task, Planner::Faithful);
            (faithful_s, sweeps, residual) = (seconds, done.sweeps as f64, done.residual);
            // both forced to the fixed point
            let forced = Task { eps: 1e-12, ..task };
            let (_, _, a) = run(&forced, Planner::Faithful);
            let (_, _, b) = run(&forced, Planner::Fast);
            agreement = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        }
        table.row(
            case.name,
            &[
                problem.pairs() as f64,
                faithful_s,
                sweeps,
                residual,
                fast_s,
                fast.sweeps as f64,
                fast.residual,
                faithful_s / fast_s,
                agreement,
                faithful_s * 1e6 / sweeps,
                plain,
                eps,
            ],
        );
    }
    table.print();
}
