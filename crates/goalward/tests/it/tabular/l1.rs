//! Learners that plan over L1 balls, directly (algorithms.md, sections 5.2 and 5.3).

use super::{DELTA, Direct, Step, Tally, World, built, change, compare, mean, ties};
use crate::worlds_for_tests::{half_free, irregular, with_costs};
use goalward::Settings;
use goalward::learners::{Observed, Reason, Transition};
use goalward::numeric::Stream;
use goalward::problem::{Instance, Problem};

/// The distribution over these states within an L1 distance of p that has the least mean of v: what
/// it may move goes from the states of most value to the one of least.
fn least(p: &[f64], radius: f64, v: &[f64], states: &[usize]) -> Vec<f64> {
    let mut to = states.to_vec();
    to.sort_by(|&x, &y| v[x].total_cmp(&v[y]));
    let mut least = p.to_vec();
    let best = to[0];
    least[best] = (p[best] + radius / 2.0).min(1.0);
    for &worst in to[1..].iter().rev() {
        let over = least.iter().sum::<f64>() - 1.0;
        if over > 0.0 {
            least[worst] = (least[worst] - over).max(0.0);
        }
    }
    least
}

/// Kernels by counts, and how far they may be off; a pair that was never visited may do anything.
struct Balls<'a> {
    world: &'a World,
    known: bool,
    pbar: Vec<Vec<Vec<f64>>>,
    radius: Vec<Vec<f64>>,
}

impl<'a> Balls<'a> {
    /// The radius is a function of S and n. Known successors count for S, if they are fewer.
    fn new(world: &'a World, known: bool, steps: &[Step], radius: impl Fn(f64, f64) -> f64) -> Self {
        let (mut pbar, mut radii) = (world.counts(steps), world.table());
        for &(s, a) in &world.pairs {
            let n: f64 = pbar[s][a].iter().sum();
            let size = world.sizes().0.min(world.believed(known, s, a).len() as f64);
            radii[s][a] = if n == 0.0 { 2.0 } else { radius(size, n) };
            pbar[s][a].iter_mut().for_each(|p| *p /= n.max(1.0));
            if n == 0.0 {
                // any distribution will do to begin with
                pbar[s][a][world.next[s][a][0]] = 1.0;
            }
        }
        Balls { world, known, pbar, radius: radii }
    }

    fn kernel(&self, s: usize, a: usize, v: &[f64]) -> Vec<f64> {
        let states = self.world.believed(self.known, s, a);
        least(&self.pbar[s][a], self.radius[s][a], v, &states)
    }

    fn plan(&self, cost: impl Fn(usize, usize) -> f64, eps: f64) -> super::Swept {
        let backup = |s: usize, a: usize, v: &[f64]| cost(s, a) + mean(&self.kernel(s, a, v), v);
        self.world.sweep(backup, |before, after, _| change(before, after) <= eps)
    }
}

/// What both keep.
struct Own<'a> {
    world: &'a World,
    known: bool,
    scale: f64,
    policy: Vec<usize>,
    q: Vec<Vec<f64>>,
    v: Vec<f64>,
    sweeps: u64,
    ties: Stream,
}

impl<'a> Own<'a> {
    fn new(world: &'a World, known: bool, scale: f64) -> Self {
        let (q, v, policy) = (world.table(), vec![0.0; world.states()], vec![0; world.states()]);
        Own { world, known, scale, policy, q, v, sweeps: 0, ties: ties() }
    }
}

struct Hoeffding<'a> {
    own: Own<'a>,
    b: f64,
    /// Whether the bound doubles.
    doubling: bool,
    /// Number and cost of the interval.
    m: usize,
    paid: f64,
    doubled: usize,
}

impl<'a> Hoeffding<'a> {
    fn new(world: &'a World, known: bool, scale: f64, b: Option<f64>) -> Self {
        let own = Own::new(world, known, scale);
        let doubling = b.is_none();
        Hoeffding { own, b: b.unwrap_or(world.c_min()), doubling, m: 1, paid: 0.0, doubled: 0 }
    }

    fn plan(&mut self, all: &[Step]) {
        let (world, scale) = (self.own.world, self.own.scale);
        let (_, _, sa) = world.sizes();
        let radius = |s: f64, n: f64| scale * 5.0 * (s * (sa * n / DELTA).ln() / n).sqrt();
        let swept = Balls::new(world, self.own.known, all, radius).plan(|s, a| world.c(s, a), 1e-8);
        (self.own.q, self.own.v, self.own.sweeps) = (swept.q, swept.v, swept.sweeps);
        self.own.policy = world.policy(&self.own.q, &mut self.own.ties);
    }
}

impl Direct for Hoeffding<'_> {
    fn first(&mut self) -> bool {
        self.plan(&[]);
        true
    }

    fn act(&mut self, s: usize) -> usize {
        self.own.policy[s]
    }

    fn step(&mut self, all: &[Step], _: usize) -> bool {
        let world = self.own.world;
        let (size, _, sa) = world.sizes();
        let last = all[all.len() - 1];
        self.paid += world.c(last.s, last.a);
        let too_much = self.doubling && self.paid >= 24.0 * self.b * (4.0 * self.m as f64 / DELTA).ln();
        if too_much {
            self.b *= 2.0;
            self.doubled += 1;
        }
        let s = last.next;
        let n = all.iter().filter(|x| x.s == s && x.a == self.own.policy[s]).count() as f64;
        let ratio = self.b / world.c_min();
        let enough = 5000.0 * ratio * ratio * size * (self.b * sa / (DELTA * world.c_min())).ln();
        // radii are small when n is large: a factor on one is its square on the other
        let enough = self.own.scale.powi(2) * enough;
        let ends = too_much || s == world.goal || n <= enough;
        if ends {
            self.m += 1;
            self.paid = 0.0;
            self.plan(all);
        }
        ends
    }

    fn q(&self) -> &[Vec<f64>] {
        &self.own.q
    }

    fn v(&self) -> &[f64] {
        &self.own.v
    }

    fn sweeps(&self) -> Option<u64> {
        Some(self.own.sweeps)
    }
}

struct UcSsp<'a> {
    own: Own<'a>,
    /// Steps before the attempt, and how many it may take.
    began: usize,
    h: usize,
    /// Further attempts of this episode, and of all.
    j: usize,
    g: usize,
    /// Attempts that came to their end off the goal.
    failed: usize,
}

impl<'a> UcSsp<'a> {
    fn new(world: &'a World, known: bool, scale: f64) -> Self {
        UcSsp { own: Own::new(world, known, scale), began: 0, h: 0, j: 0, g: 0, failed: 0 }
    }

    fn plan(&mut self, all: &[Step]) {
        let (world, scale) = (self.own.world, self.own.scale);
        let (_, most, _) = world.sizes();
        let k = 1.0 + all.iter().filter(|x| x.next == world.goal).count() as f64;
        let t = all.len() as f64 + 1.0;
        let radius = |s: f64, n: f64| scale * (8.0 * s * (2.0 * most * n / DELTA).ln() / n).sqrt();
        let balls = Balls::new(world, self.own.known, all, radius);
        let eta = if world.c_min() == 0.0 { k.powf(-1.0 / 3.0) } else { 0.0 };
        let first = self.j == 0;
        let cost = |s: usize, a: usize| if first { world.c(s, a) + eta } else { 1.0 };
        let eps = if first { (world.c_min() + eta) / (2.0 * t) } else { 1.0 / (2.0 * t) };
        let gamma = 1.0 / if first { k } else { self.g as f64 }.sqrt();
        let swept = balls.plan(cost, eps);
        self.own.policy = world.policy(&swept.q, &mut self.own.ties);
        let off = &world.off_goal;
        let kernel: Vec<Vec<f64>> =
            off.iter().map(|&s| balls.kernel(s, self.own.policy[s], &swept.before)).collect();
        // the power of the kernel itself, and its largest row
        let mut power: Vec<Vec<f64>> =
            off.iter().map(|&s| off.iter().map(|&n| f64::from(u8::from(n == s))).collect()).collect();
        self.h = 1;
        loop {
            self.h += 1;
            let times = |row: &Vec<f64>| {
                let to = |n: usize| off.iter().enumerate().map(|(i, _)| row[i] * kernel[i][n]).sum();
                off.iter().map(|&n| to(n)).collect::<Vec<f64>>()
            };
            power = power.iter().map(times).collect();
            if power.iter().map(|row| row.iter().sum::<f64>()).fold(0.0, f64::max) <= gamma {
                break;
            }
        }
        (self.own.q, self.own.v, self.own.sweeps) = (swept.q, swept.v, swept.sweeps);
        self.began = all.len();
    }
}

impl Direct for UcSsp<'_> {
    fn first(&mut self) -> bool {
        self.plan(&[]);
        true
    }

    fn act(&mut self, s: usize) -> usize {
        self.own.policy[s]
    }

    fn step(&mut self, all: &[Step], _: usize) -> bool {
        if all[all.len() - 1].next == self.own.world.goal {
            self.j = 0;
        } else if all.len() - self.began > self.h {
            self.j += 1;
            self.g += 1;
            self.failed += 1;
        } else {
            return false;
        }
        self.plan(all);
        true
    }

    fn q(&self) -> &[Vec<f64>] {
        &self.own.q
    }

    fn v(&self) -> &[f64] {
        &self.own.v
    }

    fn sweeps(&self) -> Option<u64> {
        Some(self.own.sweeps)
    }
}

fn settings(scale: f64, known: bool) -> Settings {
    let support = if known { "known" } else { "unknown" };
    Settings::new().set("scale", scale).set("support", support)
}

fn hoeffding(world: &World, scale: f64, known: bool, steps: usize) -> Tally {
    let mut direct = Hoeffding::new(world, known, scale, Some(8.0));
    let settings = settings(scale, known).set("B", 8.0 * world.unit);
    compare(world, "hoeffding-ssp", &settings, steps, &mut direct)
}

fn uc(world: &World, scale: f64, known: bool, steps: usize) -> (Tally, usize) {
    let mut direct = UcSsp::new(world, known, scale);
    let tally = compare(world, "uc-ssp", &settings(scale, known), steps, &mut direct);
    (tally, direct.failed)
}

#[test]
fn hoeffding_plans_over_balls() {
    let other = World::of(irregular(3, 9, 3));
    let tally = hoeffding(&World::windy(3), 1e-2, false, 400).and(hoeffding(&other, 1e-2, true, 300));
    let tally = tally.and(hoeffding(&World::dear(), 1e-3, false, 300));
    assert!(tally.plans >= 500 && tally.largest > 2.0, "{} {}", tally.plans, tally.largest);
    let tally = hoeffding(&World::windy(3), 1.0, true, 200).and(hoeffding(&World::hard(), 1.0, false, 500));
    assert!(tally.plans >= 500 && tally.largest > 1.0, "{} {}", tally.plans, tally.largest);
}

#[test]
fn hoeffding_doubles_its_bound() {
    let plain = irregular(4, 7, 2);
    let world = World::of(with_costs(&plain, |p| if p == 0 { 0.001 } else { 1.0 }));
    let mut direct = Hoeffding::new(&world, false, 1e-2, None);
    let settings = settings(1e-2, false).set("B", "doubling");
    let tally = compare(&world, "hoeffding-ssp", &settings, 500, &mut direct);
    assert!(tally.plans >= 100 && direct.doubled >= 2, "{} {}", tally.plans, direct.doubled);
}

/// Costs just below what makes the bound double, and just above.
#[test]
fn hoeffding_doubles_at_the_printed_cost() {
    let c_min = 5e-4;
    // the cost that is too much for interval m after so many doublings
    let limit = |doubled: i32, m: f64| 24.0 * c_min * 2f64.powi(doubled) * (4.0 * m / DELTA).ln();
    // in one interval after another: a cost, and whether the bound doubles
    let mut steps = Vec::new();
    for doubled in 0..4 {
        for below in [true, true, false] {
            let m = (steps.len() + 1) as f64;
            steps.push((limit(doubled, m) * if below { 0.999 } else { 1.001 }, !below));
        }
    }
    let costs: Vec<f64> = [c_min, 1.0].into_iter().chain(steps.iter().map(|x| x.0)).collect();
    let model = vec![vec![vec![(0, 0.5), (1, 0.5)]; costs.len()], vec![]];
    let problem = Problem::from_models(&[("only", model)], &[costs.clone(), vec![]], 0, 1).unwrap();
    let world = World::of(Instance::new(problem, &[1.0]).unwrap());
    let mut learner = built(&world, "hoeffding-ssp", &Settings::new().set("B", "doubling"));
    for (i, (cost, doubles)) in steps.into_iter().enumerate() {
        let step = Transition { state: 0, action: 2 + i, cost, next: 0 };
        // a plan before the first step is made with it, and its reason is another
        learner.catch_up();
        assert_eq!(learner.observe(&step).unwrap(), Observed::Planned);
        let reason = if doubles { Reason::Bound } else { Reason::Interval };
        assert_eq!(learner.last_plan().unwrap().reason, reason, "step {i}");
    }
}

/// On one state pairs become known, and then an interval is an episode.
#[test]
fn hoeffding_comes_to_know_pairs() {
    let world = World::lone();
    let steps = 3_000;
    let mut direct = Hoeffding::new(&world, false, 1e-2, Some(1.0));
    let settings = settings(1e-2, false).set("B", 1.0);
    let tally = compare(&world, "hoeffding-ssp", &settings, steps, &mut direct);
    assert!(tally.plans < steps - 1_000, "{}", tally.plans);
}

#[test]
fn uc_ssp_plans_its_attempts() {
    let other = World::of(irregular(3, 9, 3));
    let (one, failed) = uc(&World::windy(3), 1e-1, false, 1_500);
    assert!(failed >= 5 && one.largest > 1.0, "{failed} {}", one.largest);
    let (two, _) = uc(&other, 1e-2, true, 600);
    let (three, _) = uc(&World::dear(), 1e-3, false, 600);
    let tally = one.and(two).and(three);
    assert!(tally.plans >= 500, "{}", tally.plans);
    // many small worlds, since first plans are coarse
    for seed in 10..40 {
        uc(&World::of(irregular(seed, 9, 2)), 1e-2, seed % 2 == 0, 60);
    }
    let (printed, failed) = uc(&World::windy(3), 1.0, false, 300);
    assert!(printed.plans >= 50 && failed >= 50, "{} {failed}", printed.plans);
    let (printed, _) = uc(&World::hard(), 1.0, true, 2_000);
    assert!(printed.plans >= 100 && printed.largest > 1.0, "{} {}", printed.plans, printed.largest);
}

/// Free actions: the first attempt of an episode k adds k^(-1/3).
#[test]
fn uc_ssp_raises_zero_costs() {
    let (tally, _) = uc(&World::of(half_free()), 1e-2, false, 400);
    assert!(tally.plans >= 50 && tally.largest > 2.0, "{} {}", tally.plans, tally.largest);
}
