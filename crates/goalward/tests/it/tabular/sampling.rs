//! PSRL-SSP, directly (algorithms.md, section 7), with a gamma sampler of its own.

use super::{Direct, EPISODES, Step, Tally, World, change, compare, mean, ties};
use crate::worlds_for_tests::irregular;
use goalward::Settings;
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

struct Sampling<'a> {
    world: &'a World,
    known: bool,
    prior: f64,
    precision: f64,
    /// t_l - 1, k_{t_l} and K_{l-1}.
    began: usize,
    episode: usize,
    lasted: usize,
    policy: Vec<usize>,
    q: Vec<Vec<f64>>,
    v: Vec<f64>,
    sweeps: u64,
    stream: Stream,
    /// Epochs that ended with their episodes, and with the visits of a pair.
    reasons: [usize; 2],
}

impl<'a> Sampling<'a> {
    fn new(world: &'a World, known: bool, prior: f64, precision: f64) -> Self {
        let (q, v, policy) = (world.table(), vec![0.0; world.states()], vec![0; world.states()]);
        let (began, episode, lasted, sweeps) = (0, 0, 0, 0);
        let (stream, reasons) = (ties(), [0; 2]);
        Sampling {
            world,
            known,
            prior,
            precision,
            began,
            episode,
            lasted,
            policy,
            q,
            v,
            sweeps,
            stream,
            reasons,
        }
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
        let backup = |s: usize, a: usize, v: &[f64]| world.c(s, a) + mean(&kernel[s][a], v);
        let stop = |before: &[f64], after: &[f64], sweeps: u64| {
            change(before, after) <= self.precision || sweeps == 100_000
        };
        let swept = world.sweep(backup, stop);
        (self.q, self.v, self.sweeps) = (swept.q, swept.v, swept.sweeps);
        self.policy = world.policy(&self.q, &mut self.stream);
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

    fn sweeps(&self) -> Option<u64> {
        Some(self.sweeps)
    }
}

fn run(world: &World, known: bool, prior: f64, steps: usize) -> (Tally, [usize; 2]) {
    let mut direct = Sampling::new(world, known, prior, 1e-6);
    let support = if known { "known" } else { "unknown" };
    let settings = Settings::new().set("support", support).set("prior", prior).set("precision", 1e-6);
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
