//! Laws of the learners on the finite-horizon reduction that have features: what they are without
//! bonuses, what they claim, and what few features are good for.

use crate::recompute_linear::{close, layers, standing};
use goalward::episode::{Arena, RunSpec, Runner};
use goalward::problem::Model;
use goalward::{Learner, Problem, Settings, Transition, learners};

/// Three states and the goal: the first action of state 0 is certain, all others are not.
fn chain() -> Problem {
    let model: Model = vec![
        vec![vec![(1, 1.0)], vec![(0, 0.5), (2, 0.3), (3, 0.2)]],
        vec![vec![(0, 0.4), (2, 0.6)], vec![(1, 0.7), (3, 0.3)]],
        vec![vec![(2, 0.9), (3, 0.1)], vec![(0, 0.2), (1, 0.3), (3, 0.5)]],
        vec![],
    ];
    let costs = [vec![0.3, 0.8], vec![0.2, 1.0], vec![0.1, 0.9], vec![]];
    Problem::from_models(&[model], &costs, 0, 3).unwrap()
}

/// Backward induction on a known model whose probabilities are multiplied by a factor, costs too.
fn backward(problem: &Problem, (h, terminal, most): (usize, f64, f64), factor: f64) -> Vec<Vec<f64>> {
    let mut v = vec![terminal, terminal, terminal, 0.0];
    let mut layers = Vec::new();
    for _ in 0..h {
        let mean = |p: usize| -> f64 {
            let rows = problem.successors(p).iter().zip(problem.phi(p).to_vec());
            rows.map(|(&s, x)| x * v[s as usize]).sum()
        };
        let q: Vec<f64> = (0..6).map(|p| factor * (problem.cost(p) + mean(p))).collect();
        v = (0..3).map(|s| q[2 * s].min(q[2 * s + 1]).clamp(0.0, most)).chain([0.0]).collect();
        layers.push(q);
    }
    layers
}

fn told(learner: &str, settings: &[&str]) -> Learner {
    let entry = learners::entry(learner).unwrap();
    let settings = Settings::parse(settings).unwrap();
    entry.build(&std::sync::Arc::new(chain()), &settings, 3, 50, learners::Told::default()).unwrap()
}

fn observe(learner: &mut Learner, state: usize, action: usize, next: usize) {
    let cost = learner.problem().cost(learner.problem().pair(state, action));
    learner.observe(&Transition { state, action, cost, next }).unwrap();
}

fn same_layers(learner: &Learner, direct: &[Vec<f64>]) {
    let kept = learner.snapshot().0["algorithm"]["data"]["layers"].take();
    let ours = layers(&kept["q"]);
    for left in 1..=direct.len() {
        let at = standing(left, ours.len(), kept["period"].as_u64().unwrap() as usize);
        for (p, (ours, direct)) in ours[at - 1].iter().zip(&direct[left - 1]).enumerate() {
            close(*ours, *direct, || format!("Q of pair {p}, {left} left"));
        }
    }
}

/// Where one model is all there is, and its steps have no noise, UCRL-VTR-SSP without bonuses plans
/// by backward induction at its H. Only the certain pair is ever tried, so that nothing is noise.
#[test]
fn ucrl_vtr_ssp_without_bonus_is_backward_induction() {
    let settings = ["B=5", "t_star=4", "interval=20", "scale=0", "lambda=1e-13"];
    let mut learner = told("ucrl-vtr-ssp", &settings);
    learner.catch_up();
    (0..40).for_each(|_| observe(&mut learner, 0, 0, 1));
    assert!((learner.theta().unwrap()[0] - 1.0).abs() < 1e-11, "{:?}", learner.theta());
    same_layers(&learner, &backward(&chain(), (20, 10.0, 15.0), 1.0));
}

/// With one feature for each pair, data in proportion and no bonus, LSVI-UCB-SSP is backward
/// induction on the empirical model, each pair's mean times n/(n + lambda).
#[test]
fn lsvi_ucb_ssp_without_bonus_is_backward_induction() {
    for (lambda, factor) in [("lambda=1e-13", 1.0), ("lambda=1", 10.0 / 11.0)] {
        let settings = ["B=5", "t_star=4", "interval=20", "scale=0", lambda, "features=one-hot"];
        let mut learner = told("lsvi-ucb-ssp", &settings);
        learner.catch_up();
        let problem = chain();
        for (s, a) in [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)] {
            let p = problem.pair(s, a);
            for (&next, x) in problem.successors(p).iter().zip(problem.phi(p).to_vec()) {
                (0..(10.0 * x).round() as usize).for_each(|_| observe(&mut learner, s, a, next as usize));
            }
        }
        // the last step led to the goal: an interval ended, and everything is in the plan
        same_layers(&learner, &backward(&problem, (20, 10.0, 15.0), factor));
    }
}

/// Every number of the claim is checked where it can be, and a setting that is not the paper's
/// voids it.
#[test]
fn claims_say_what_they_assume() {
    let arena = Arena::open("low-rank", &Settings::new().set("simplex", true)).unwrap();
    let holds = |learner: &str, more: &[&str]| {
        let settings = Settings::parse([&["B=oracle", "t_star=oracle"][..], more].concat()).unwrap();
        let runner = Runner::new(&arena, RunSpec::new(learner, 50).settings(settings)).unwrap();
        let guarantee = serde_json::to_value(runner.result().guarantee.unwrap()).unwrap();
        guarantee["holds"].as_str().unwrap().to_string()
    };
    assert_eq!(holds("ucrl-vtr-ssp", &[]), "yes");
    assert_eq!(holds("lsvi-ucb-ssp", &[]), "yes");
    for more in ["scale=0.5", "lambda=0.1", "interval=3", "terminal=1"] {
        assert_eq!([holds("ucrl-vtr-ssp", &[more]), holds("lsvi-ucb-ssp", &[more])], ["no", "no"], "{more}");
    }
}

/// Where pairs mix few latent kernels, features that know it learn from fewer steps than one for
/// each pair, with the same factor on the bonus.
#[test]
fn few_features_learn_faster_where_they_apply() {
    let params = Settings::parse(["states=30", "actions=4", "rank=4"]).unwrap();
    let arena = Arena::open("low-rank", &params).unwrap();
    let regret = |features: &str| {
        let settings = ["B=oracle", "t_star=oracle", "scale=0.0001", features];
        let spec = RunSpec::new("lsvi-ucb-ssp", 200).settings(Settings::parse(settings).unwrap()).seed(1);
        let mut runner = Runner::new(&arena, spec).unwrap();
        runner.run(&mut []).unwrap();
        runner.result().gap_regret
    };
    let (few, each) = (regret("features=low-rank"), regret("features=one-hot"));
    assert!(few < 0.5 * each, "{few} {each}");
}
