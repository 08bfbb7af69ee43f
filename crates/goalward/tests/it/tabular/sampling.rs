//! PSRL-SSP, directly (algorithms.md, section 7), with a gamma sampler of its own.

use super::{Direct, EPISODES, Step, Tally, World, compare, mean, ties};
use crate::worlds_for_tests::irregular;
use goalward::Settings;
use goalward::episode::{Arena, RunSpec, Runner};
use goalward::numeric::Stream;

/// Marsaglia's polar method, the second number thrown away.
fn normal(stream: &mut Stream) -> f64 {
    loop {
        let x = -1.0 + 2.0 * stream.uniform();
        let y = -1.0 + 2.0 * stream.uniform();
        let square = x.powi(2) + y.powi(2);
        if square > 0.0 && square < 1.0 {
            return x * (-2.0 * square.ln()).sqrt() / square.sqrt();
        }
    }
}

/// The logarithm of a gamma variable (Marsaglia and Tsang 2000): d v with v = (1 + c x)^3, accepted
/// if ln U < x^2/2 + d (1 - v + ln v). Shapes below 1 are raised by 1 and multiplied by U^(1/a).
fn log_gamma(stream: &mut Stream, shape: f64) -> f64 {
    let boost = if shape < 1.0 { (1.0 - stream.uniform()).ln() / shape } else { 0.0 };
    let d = if shape < 1.0 { shape + 1.0 } else { shape } - 1.0 / 3.0;
    loop {
        let x = normal(stream);
        let root = 1.0 + x / (3.0 * d.sqrt());
        if root <= 0.0 {
            continue;
        }
        let v = root * root * root;
        if (1.0 - stream.uniform()).ln() < x * x / 2.0 + d * (1.0 - v + v.ln()) {
            return d.ln() + v.ln() + boost;
        }
    }
}

type Dense = Vec<Vec<Vec<f64>>>;

/// What a policy costs from each state: states are taken out one by one, their inflow led on to
/// where they lead to (Grassmann, Taksar, Heyman 1985). Nothing is subtracted.
fn costs_of(world: &World, kernel: &Dense, policy: &[usize]) -> Vec<f64> {
    let states = &world.off_goal;
    let mut p: Vec<Vec<f64>> = states.iter().map(|&s| kernel[s][policy[s]].clone()).collect();
    let mut c: Vec<f64> = states.iter().map(|&s| world.c(s, policy[s])).collect();
    let mut leaves = vec![0.0; states.len()];
    for i in (0..states.len()).rev() {
        leaves[i] = p[i][world.goal] + states[..i].iter().map(|&s| p[i][s]).sum::<f64>();
        for k in 0..i {
            let share = p[k][states[i]] / leaves[i];
            for s in states[..i].iter().copied().chain([world.goal]) {
                p[k][s] += share * p[i][s];
            }
            c[k] += share * c[i];
        }
    }
    let mut v = vec![0.0; world.states()];
    for i in 0..states.len() {
        v[states[i]] = (c[i] + states[..i].iter().map(|&s| p[i][s] * v[s]).sum::<f64>()) / leaves[i];
    }
    v
}

/// Howard's policy iteration from the policy of the fewest steps.
fn best_proper(world: &World, kernel: &Dense) -> Vec<usize> {
    let mut policy = vec![usize::MAX; world.states()];
    policy[world.goal] = 0;
    while policy.contains(&usize::MAX) {
        let before = policy.clone();
        let nearer = |s: usize, a: usize| (0..before.len()).any(|n| before[n] < 99 && kernel[s][a][n] > 0.0);
        for &s in world.off_goal.iter().filter(|&&s| before[s] == usize::MAX) {
            policy[s] = (0..world.cost[s].len()).find(|&a| nearer(s, a)).unwrap_or(usize::MAX);
        }
        assert_ne!(policy, before, "the goal is out of reach");
    }
    loop {
        let v = costs_of(world, kernel, &policy);
        let before = policy.clone();
        for &s in &world.off_goal {
            let mut most = 1e-13;
            for a in 0..world.cost[s].len() {
                let row = || kernel[s][a].iter().zip(&v).enumerate().filter(|x| x.0 != s).map(|x| x.1);
                let gain = row().map(|(p, v_next)| p * (v[s] - v_next)).sum::<f64>() - world.c(s, a);
                let gain = gain / row().map(|x| x.0).sum::<f64>() / v[s];
                if gain > most {
                    (most, policy[s]) = (gain, a);
                }
            }
        }
        if policy == before {
            return policy;
        }
    }
}

struct Sampling<'a> {
    world: &'a World,
    known: bool,
    prior: f64,
    /// t_l - 1, k_{t_l} and K_{l-1}.
    began: usize,
    episode: usize,
    lasted: usize,
    policy: Vec<usize>,
    q: Vec<Vec<f64>>,
    v: Vec<f64>,
    stream: Stream,
    /// Epochs that ended with their episodes, and with the visits of a pair.
    reasons: [usize; 2],
}

impl<'a> Sampling<'a> {
    fn new(world: &'a World, known: bool, prior: f64) -> Self {
        let (q, v, policy) = (world.table(), vec![0.0; world.states()], vec![0; world.states()]);
        let (began, episode, lasted) = (0, 0, 0);
        let (stream, reasons) = (ties(), [0; 2]);
        Sampling { world, known, prior, began, episode, lasted, policy, q, v, stream, reasons }
    }

    fn plan(&mut self, all: &[Step]) {
        let world = self.world;
        let counts = world.counts(all);
        let mut kernel = world.counts(&[]);
        for &(s, a) in &world.pairs {
            let states = world.believed(self.known, s, a);
            let logs: Vec<f64> =
                states.iter().map(|&n| log_gamma(&mut self.stream, self.prior + counts[s][a][n])).collect();
            let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let sum: f64 = logs.iter().map(|x| (x - largest).exp()).sum();
            states.iter().zip(&logs).for_each(|(&n, x)| kernel[s][a][n] = (x - largest).exp() / sum);
        }
        self.policy = best_proper(world, &kernel);
        self.v = costs_of(world, &kernel, &self.policy);
        for &(s, a) in &world.pairs {
            self.q[s][a] = world.c(s, a) + mean(&kernel[s][a], &self.v);
        }
    }

    /// Line 4, before a step of episode k.
    fn begins(&mut self, all: &[Step]) -> bool {
        let k = 1 + all.iter().filter(|x| x.next == self.world.goal).count();
        let (now, then) = (self.world.counts(all), self.world.counts(&all[..self.began]));
        let visits = |counts: &[Vec<Vec<f64>>], s: usize, a: usize| counts[s][a].iter().sum::<f64>();
        let doubled = self.world.pairs.iter().any(|&(s, a)| visits(&now, s, a) > 2.0 * visits(&then, s, a));
        let longer = k - self.episode > self.lasted;
        if !(longer || doubled) {
            return false;
        }
        self.reasons[usize::from(!longer)] += 1;
        (self.lasted, self.episode, self.began) = (k - self.episode, k, all.len());
        self.plan(all);
        true
    }
}

impl Direct for Sampling<'_> {
    fn first(&mut self) -> bool {
        self.begins(&[])
    }

    fn act(&mut self, s: usize) -> usize {
        self.policy[s]
    }

    fn step(&mut self, all: &[Step], _: usize) -> bool {
        self.begins(all)
    }

    fn q(&self) -> &[Vec<f64>] {
        &self.q
    }

    fn v(&self) -> &[f64] {
        &self.v
    }
}

fn run(world: &World, known: bool, prior: f64, steps: usize) -> (Tally, [usize; 2]) {
    let mut direct = Sampling::new(world, known, prior);
    let support = if known { "known" } else { "unknown" };
    let settings = Settings::new().set("support", support).set("prior", prior);
    (compare(world, "psrl-ssp", &settings, steps, &mut direct), direct.reasons)
}

#[test]
fn draws_and_plans_are_those_of_psrl() {
    let dear = World::dear();
    let (tally, [longer, doubled]) = run(&World::windy(3), false, 0.1, 3_000);
    assert!(longer >= 10 && doubled >= 50 && tally.largest > 2.0, "{longer} {doubled} {}", tally.largest);
    let tally = tally
        .and(run(&World::random(6), false, 0.1, 2_000).0)
        .and(run(&World::of(irregular(3, 9, 3)), true, 0.1, 2_000).0)
        .and(run(&dear, false, 2.5, 2_000).0)
        .and(run(&World::random(12), true, 1.0, 3_000).0)
        .and(run(&World::hard(), false, 0.1, 1_000).0);
    assert!(tally.plans >= 500, "{}", tally.plans);
}

/// Free actions cost what the paper says: (S^2 A/K)^(2/3).
#[test]
fn zero_costs_are_raised() {
    let world = World::half_free((4.0 / EPISODES as f64).powf(2.0 / 3.0));
    let (tally, _) = run(&world, true, 0.1, 500);
    assert!(tally.plans >= 20 && tally.largest > 1.0, "{} {}", tally.plans, tally.largest);
}

/// In a draw the way to the goal may be millions of times as dear as giving way, which costs little
/// and leads nowhere: the policy goes there all the same.
#[test]
fn it_does_not_stay_in_cheap_loops() {
    let arena = Arena::open("river-swim", &Settings::new()).unwrap();
    for seed in 0..4 {
        let settings = Settings::new().set("support", "known");
        let spec = RunSpec::new("psrl-ssp", 50).settings(settings).seed(seed).max_steps(20_000);
        let mut runner = Runner::new(&arena, spec).unwrap();
        runner.run(&mut []).unwrap();
        assert_eq!(runner.result().episodes, 50, "seed {seed}: {} steps", runner.result().steps);
    }
}
