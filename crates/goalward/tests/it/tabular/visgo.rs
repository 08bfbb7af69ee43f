//! EB-SSP, directly (algorithms.md, section 3).

use super::{DELTA, Direct, EPISODES, Step, Tally, World, change, compare, greedy, mean, ties, variance};
use crate::worlds_for_tests::{half_free, irregular, with_costs};
use goalward::Settings;
use goalward::numeric::Stream;

/// The bound on B*, in units of the largest cost.
enum Bound {
    Given(f64),
    /// A number that doubles from 1, what was paid since it last did, the episodes that had ended
    /// then, and the constant of the test on the cost.
    Doubling {
        b: f64,
        paid: f64,
        ended: usize,
        x: f64,
    },
}

struct Visgo<'a> {
    world: &'a World,
    known: bool,
    scale: f64,
    bound: Bound,
    /// How many steps there were when the visits of the pair last reached a power of two.
    taken: Vec<Vec<usize>>,
    j: i32,
    q: Vec<Vec<f64>>,
    v: Vec<f64>,
    sweeps: u64,
    ties: Stream,
    doubled: usize,
}

impl<'a> Visgo<'a> {
    fn new(world: &'a World, known: bool, scale: f64, bound: Bound) -> Self {
        let taken = world.cost.iter().map(|c| vec![0; c.len()]).collect();
        let (q, v) = (world.table(), vec![0.0; world.states()]);
        Visgo { world, known, scale, bound, taken, j: 0, q, v, sweeps: 0, ties: ties(), doubled: 0 }
    }

    /// The bound of the moment, in an episode k.
    fn b(&self, k: usize) -> f64 {
        let (s, a, _) = self.world.sizes();
        match self.bound {
            Bound::Given(b) => b,
            Bound::Doubling { b, .. } => b.max((k as f64).sqrt() / (s.powf(1.5) * a.sqrt())),
        }
    }

    fn double(&mut self, k: usize) {
        let moment = self.b(k);
        let Bound::Doubling { b, paid, ended, .. } = &mut self.bound else { unreachable!() };
        while *b <= moment {
            *b *= 2.0;
        }
        (*paid, *ended) = (0.0, k - 1);
        self.doubled += 1;
    }

    /// The test on the cost, after the last of these steps.
    fn paid_too_much(&mut self, all: &[Step]) -> bool {
        let k = ended(self.world, all) + 1;
        let (s, _, sa) = self.world.sizes();
        let moment = self.b(k);
        let last = all[all.len() - 1];
        let Bound::Doubling { paid, ended, x, .. } = &mut self.bound else { return false };
        *paid += self.world.c(last.s, last.a);
        let log = (moment * all.len() as f64 * sa / DELTA).ln();
        let k = (k - *ended) as f64;
        *paid > k * moment + *x * (moment * (sa * k).sqrt() * log + moment * s * sa * log * log)
    }

    /// VISGO; none if a value is more than B, which then need not be a bound.
    fn visgo(&mut self, all: &[Step], b: f64) -> bool {
        let (world, known, scale) = (self.world, self.known, self.scale);
        let (_, _, sa) = world.sizes();
        let mut kernel = world.counts(&[]);
        let mut visits = world.table();
        for &(s, a) in &world.pairs {
            let n: Vec<f64> = world.counts(&all[..self.taken[s][a]])[s][a].clone();
            let total: f64 = n.iter().sum();
            kernel[s][a] = n.iter().map(|n| n / (total + 1.0)).collect();
            kernel[s][a][world.goal] += 1.0 / (total + 1.0);
            visits[s][a] = total;
        }
        // values are clamped at a B that is given
        let most = if let Bound::Given(_) = self.bound { b } else { f64::INFINITY };
        let backup = |s: usize, a: usize, v: &[f64]| {
            let (p, n) = (&kernel[s][a], visits[s][a].max(1.0));
            let successors = world.believed(known, s, a).len() as f64;
            let iota = (12.0 * sa * successors * n * n / DELTA).ln();
            let bonus = (6.0 * (variance(p, v) * iota / n).sqrt()).max(36.0 * b * iota / n)
                + 8f64.sqrt() * b * (successors * iota).sqrt() / n;
            let least = world.next[s][a].iter().map(|&s| v[s]).fold(f64::INFINITY, f64::min);
            let floor = if known { world.c(s, a) + least } else { 0.0 };
            (world.c(s, a) + mean(p, v) - scale * bonus).max(floor).min(most)
        };
        let eps = 0.5f64.powi(self.j);
        let limit = if let Bound::Given(_) = self.bound { f64::INFINITY } else { b };
        let mut exceeded = false;
        let swept = world.sweep(backup, |before, after, _| {
            let largest = after.iter().copied().fold(0.0, f64::max);
            exceeded = largest > limit;
            exceeded || change(before, after) <= eps.max(1e-14 * largest)
        });
        (self.q, self.v) = (swept.q, swept.v);
        self.sweeps += swept.sweeps;
        exceeded
    }
}

fn ended(world: &World, all: &[Step]) -> usize {
    all.iter().filter(|x| x.next == world.goal).count()
}

impl Direct for Visgo<'_> {
    fn act(&mut self, s: usize) -> usize {
        greedy(&self.q[s], &mut self.ties)
    }

    fn step(&mut self, all: &[Step], n: usize) -> bool {
        let k = ended(self.world, all) + 1;
        let too_much = self.paid_too_much(all);
        if too_much {
            self.double(k);
        }
        let Step { s, a, .. } = all[all.len() - 1];
        if n.is_power_of_two() {
            self.taken[s][a] = all.len();
        } else if !too_much {
            return false;
        }
        self.j += 1;
        self.sweeps = 0;
        while self.visgo(all, self.b(k)) {
            self.double(k);
        }
        true
    }

    fn q(&self) -> &[Vec<f64>] {
        &self.q
    }

    fn v(&self) -> &[f64] {
        &self.v
    }

    fn sweeps(&self) -> Option<u64> {
        // later plans go on to the last digit, where rounding decides when they stop
        (self.j < 30).then_some(self.sweeps)
    }
}

fn settings(b: &str, scale: f64, known: bool) -> Settings {
    let support = if known { "known" } else { "unknown" };
    Settings::new().set("B", b).set("scale", scale).set("support", support)
}

fn run(world: &World, b: f64, scale: f64, known: bool, steps: usize) -> Tally {
    // the theory wants a bound of at least 1
    let mut direct = Visgo::new(world, known, scale, Bound::Given(b.max(1.0)));
    let b = (b * world.unit).to_string();
    compare(world, "eb-ssp", &settings(&b, scale, known), steps, &mut direct)
}

#[test]
fn plans_are_those_of_visgo() {
    let grid = World::windy(3);
    let tally = run(&grid, 8.0, 1e-3, false, 6_000).and(run(&grid, 8.0, 1e-3, true, 1_500));
    assert!(tally.plans >= 300 && tally.largest > 1.0, "{} {}", tally.plans, tally.largest);
    let other = World::of(irregular(3, 9, 3));
    let tally =
        tally.and(run(&World::random(6), 8.0, 1e-2, false, 3_000)).and(run(&other, 8.0, 1e-3, true, 3_000));
    assert!(tally.plans >= 500, "{}", tally.plans);
    // with the paper's constants it takes long to know anything
    let tally = run(&World::hard(), 0.5, 1.0, false, 20_000);
    assert!(tally.plans >= 10 && tally.largest > 0.0, "{} {}", tally.plans, tally.largest);
    run(&other, 8.0, 1.0, true, 500);
    // free actions cost the largest cost over K^2
    let free = World::half_free((EPISODES as f64).powi(-2));
    assert!(run(&free, 8.0, 1e-3, false, 500).largest > 0.5);
}

#[test]
fn plans_do_not_depend_on_units() {
    let tally = run(&World::dear(), 8.0, 1e-3, false, 3_000);
    assert!(tally.plans >= 50 && tally.largest > 0.5, "{} {}", tally.plans, tally.largest);
}

/// Both reasons to double: values above the bound, and too high a cost.
#[test]
fn bounds_double() {
    let two = || World::of(with_costs(&half_free(), |_| 1.0));
    for (world, scale, x, least) in [
        (World::windy(3), 1e-3, 1.0, 2),
        (World::windy(3), 1e-4, 1e-6, 4),
        (World::hard(), 1e-3, 1.0, 1),
        (two(), 1e-3, 1.0, 1),
        // no value exceeds any bound: doublings are all due to the cost
        (World::windy(3), 1.0, 1e-2, 1),
        (two(), 1.0, 0.02, 1),
    ] {
        let bound = Bound::Doubling { b: 1.0, paid: 0.0, ended: 0, x };
        let mut direct = Visgo::new(&world, false, scale, bound);
        let settings = settings("doubling", scale, false).set("cost_test", x);
        let tally = compare(&world, "eb-ssp", &settings, 3_000, &mut direct);
        assert!(
            direct.doubled >= least && (scale == 1.0 || tally.largest > 0.5),
            "{} {}",
            direct.doubled,
            tally.largest
        );
    }
}
