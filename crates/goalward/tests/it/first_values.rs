//! What learners show before they have planned, over random problems: no value above V*, and no set
//! with a theta that is not in B.

use goalward::Settings;
use goalward::confidence::ConfidenceSet;
use goalward::episode::{Arena, RunSpec, Runner};
use goalward::learners::{LEARNERS, Learner, Probe};

/// Twenty problems, every other one with weights that are known for a mixture's. Costs and chances
/// of reaching the goal are such that V* is far below and far above 1.
fn problems() -> impl Iterator<Item = Arena> {
    (0..20u64).map(|seed| {
        let settings = Settings::new()
            .set("states", 3 + seed % 6)
            .set("actions", 1 + seed % 3)
            .set("dim", 1 + seed % 4)
            .set("cost_min", [0.001, 0.1][(seed / 2 % 2) as usize])
            .set("goal_prob", [0.9, 0.2, 0.05][(seed % 3) as usize])
            .set("simplex", seed % 2 == 0)
            .set("seed", seed);
        Arena::open("random-mixture", &settings).unwrap()
    })
}

/// The largest excess of a value over V*, or of a Q over Q*; none if no values are shown.
fn above(learner: &Learner, arena: &Arena) -> Option<f64> {
    let (problem, exact, truth) = (arena.problem(), arena.exact(), arena.instance().truth().unwrap());
    let mut most = f64::NEG_INFINITY;
    for s in (0..problem.states()).filter(|&s| s != problem.goal()) {
        most = most.max(learner.value(s).unwrap()? - exact.upper[s]);
        for (a, p) in problem.pairs_of(s).enumerate() {
            let next = problem.successors(p).iter().zip(truth.row(problem, p));
            let q = problem.cost(p) + next.map(|(&s, w)| w * exact.upper[s as usize]).sum::<f64>();
            most = most.max(learner.q(s, a).unwrap()? - q);
        }
    }
    Some(most)
}

/// How many sets are shown, and how many of them take a theta for one of theirs.
struct Takes<'a>(&'a [f64], usize, usize);

impl Probe for Takes<'_> {
    fn wants_sets(&self) -> bool {
        true
    }

    fn set(&mut self, set: &dyn ConfidenceSet) {
        self.1 += 1;
        self.2 += usize::from(set.contains(self.0));
    }

    fn planned_set(&mut self, set: &dyn ConfidenceSet) {
        self.set(set);
    }
}

/// How many sets a learner shows; none of them has a theta outside B.
fn sets(learner: &Learner, theta: &[f64]) -> usize {
    let times = |factor: f64| theta.iter().map(|x| factor * x).collect::<Vec<f64>>();
    let mut shown = 0;
    for outside in [times(2.0), times(1.01), times(-1.0), vec![1e308; theta.len()], times(f64::NAN)] {
        let mut takes = Takes(&outside, 0, 0);
        learner.probe(&mut takes);
        assert_eq!(takes.2, 0, "{outside:?} is not in B");
        shown = takes.1;
    }
    shown
}

#[test]
fn over_twenty_problems_nothing_is_above_the_optimum_and_no_set_beyond_b() {
    let (mut with_values, mut with_sets) = (0, 0);
    for arena in problems() {
        let theta = arena.instance().truth().unwrap().theta().unwrap().to_vec();
        for entry in LEARNERS.iter() {
            let spec = RunSpec::new(entry.id, 4).settings(entry.oracle()).max_steps(30);
            let Ok(mut runner) = Runner::new(&arena, spec) else { continue };
            // before anything, and a few steps later
            for _ in 0..2 {
                with_sets += sets(runner.learner(), &theta);
                // perturbed costs raise the values they bound
                if entry.optimistic && !runner.learner().in_force().contains_key("rho") {
                    let above = above(runner.learner(), &arena);
                    with_values += usize::from(above.is_some());
                    assert!(above.is_none_or(|above| above <= 1e-9), "{}: {above:?}", entry.id);
                }
                runner.run(&mut []).unwrap();
            }
        }
    }
    assert!(with_values > 300 && with_sets > 300, "{with_values} values, {with_sets} sets");
}
