//! Instruction counts under valgrind: the same number on a busy machine and on an idle one, so that
//! a regression shows.

use goalward::learners::{self, Learner, Told, Transition};
use goalward::numeric::Stream;
use goalward::numeric::support::{ConvexSet, Ellipsoid, SupportMin, Warm};
use goalward::plan::{Devi, Planner, Task};
use goalward::problem::Instance;
use goalward::Settings;
use goalward::worlds;
use gungraun::{library_benchmark, library_benchmark_group, main};
use std::hint::black_box;

/// An ellipsoid around theta* that cuts the set B.
fn set(instance: &Instance, weight: f64, radius: f64) -> ConvexSet {
    let d = instance.problem.dim();
    let mut shape = vec![0.0; d * d];
    (0..d).for_each(|i| shape[i * d + i] = weight * (1.0 + i as f64));
    let center = instance.truth().unwrap().theta();
    ConvexSet::new(instance.problem.constraints(), Ellipsoid { center, shape: &shape, radius }).unwrap()
}

fn support() -> (ConvexSet, Vec<f64>, Warm) {
    let instance = worlds::build("hard-instance", &Settings::new().set("dim", 8)).unwrap();
    let mut draw = Stream::new(1, &[]);
    let mut set = set(&instance, 1.0, 2.0);
    // what is found once per polytope is found with the first solve
    set.min(&[1.0; 8], &mut Warm::default());
    let c = (0..8).map(|_| draw.uniform() - 0.5).collect();
    (set, c, Warm::default())
}

fn support_warm() -> (ConvexSet, Vec<f64>, Warm) {
    let (mut set, mut c, mut warm) = support();
    set.min(&c, &mut warm);
    c[0] *= 1.01;
    (set, c, warm)
}

#[library_benchmark]
#[bench::cold(support())]
#[bench::warm(support_warm())]
fn support_paper_d8((mut set, c, mut warm): (ConvexSet, Vec<f64>, Warm)) -> (ConvexSet, Vec<f64>, Warm) {
    black_box(set.min(&c, &mut warm));
    (set, c, warm) // given back, so that freeing it is not counted
}

fn grid() -> (Instance, ConvexSet) {
    let instance = worlds::build("windy-grid", &Settings::new().set("n", 10)).unwrap();
    let set = set(&instance, 1e4, 2.0);
    (instance, set)
}

#[library_benchmark]
#[bench::faithful(grid(), Planner::Faithful)]
#[bench::fast(grid(), Planner::Fast)]
fn devi_grid_n10((instance, mut set): (Instance, ConvexSet), planner: Planner) -> u64 {
    let problem = &instance.problem;
    let task = Task { problem, costs: problem.costs(), b: 40.0, eps: 1e-3, q: 1e-3 };
    black_box(Devi::new(problem).plan(&task, &mut set, planner, &vec![0.0; problem.states()])).sweeps
}

fn learner() -> (Learner, Transition) {
    let params = Settings::new().set("dim", 8).set("successors", 5);
    let instance = worlds::build("random-mixture", &params).unwrap();
    let settings = Settings::new().set("B", 20).set("levels", 8);
    let entry = learners::entry("levis++").unwrap();
    let mut learner = entry.build(&instance.problem, &settings, 0, 1, Told::default()).unwrap();
    let pair = instance.problem.pair(0, 0);
    let next = instance.problem.successors(pair)[0] as usize;
    let step = Transition { state: 0, action: 0, cost: instance.problem.cost(pair), next };
    // past the time when plans are frequent, and away from a doubling of the time
    (0..1_100).for_each(|_| drop(learner.observe(&step)));
    (learner, step)
}

#[library_benchmark]
#[bench::d8_l8(learner())]
fn learning_step((mut learner, step): (Learner, Transition)) -> Learner {
    let _ = black_box(learner.observe(&step));
    learner // given back, so that freeing its tables is not counted
}

library_benchmark_group!(name = hot; benchmarks = support_paper_d8, devi_grid_n10, learning_step);
main!(library_benchmark_groups = hot);
