//! Learners on the finite-horizon reduction, directly (algorithms.md, sections 2.1, 2.5 and 4).

use super::{DELTA, Direct, EPISODES, Step, Tally, World, built, compare, greedy, mean, ties, variance};
use crate::worlds_for_tests::irregular;
use goalward::Settings;
use goalward::numeric::Stream;

/// Which learner acts on the reduction.
#[derive(Clone, Copy)]
enum Which {
    MvpPlus { reach: f64 },
    Ulcvi { lower_order: f64, gap: f64 },
}

struct Reduced<'a> {
    world: &'a World,
    which: Which,
    known: bool,
    scale: f64,
    h: usize,
    b: f64,
    terminal: f64,
    /// Steps made in this interval, and its number from 1.
    made: usize,
    m: usize,
    /// For each pair how many steps there were when its visits last reached a power of two, and
    /// whether some pair's have since the last plan.
    taken: Vec<Vec<usize>>,
    news: bool,
    /// Q_1 to Q_H.
    layers: Vec<Vec<Vec<f64>>>,
    v: Vec<f64>,
    ties: Stream,
}

impl<'a> Reduced<'a> {
    fn new(
        world: &'a World,
        which: Which,
        known: bool,
        scale: f64,
        (h, b, terminal): (usize, f64, f64),
    ) -> Self {
        let taken = world.cost.iter().map(|c| vec![0; c.len()]).collect();
        let (layers, v) = (vec![world.table()], vec![0.0; world.states()]);
        let (made, m, news) = (0, 1, true);
        Reduced { world, which, known, scale, h, b, terminal, made, m, taken, news, layers, v, ties: ties() }
    }

    /// What a pair costs at least.
    fn floor(&self, s: usize, a: usize, v: &[f64]) -> f64 {
        let least = self.world.next[s][a].iter().map(|&s| v[s]).fold(f64::INFINITY, f64::min);
        if self.known { self.world.c(s, a) + least } else { 0.0 }
    }

    /// Q_h of MVP+ from V_{h+1}.
    fn mvp(&self, s: usize, a: usize, n: &[f64], v: &[f64]) -> f64 {
        let Which::MvpPlus { reach } = self.which else { unreachable!() };
        let visits: f64 = n.iter().sum();
        let floor = self.floor(s, a, v);
        if visits == 0.0 {
            return floor;
        }
        let p: Vec<f64> = n.iter().map(|n| n / visits).collect();
        let iota = 20.0 * (2.0 * self.world.sizes().2 * visits / DELTA).ln();
        let bonus =
            (7.0 * (variance(&p, v) * iota / visits).sqrt()).max(49.0 * reach * self.b * iota / visits);
        (self.world.c(s, a) + mean(&p, v) - self.scale * bonus).max(floor)
    }

    /// Both bounds of ULCVI on Q_h.
    fn ulcvi(&self, s: usize, a: usize, count: &[f64], v: (&[f64], &[f64])) -> (f64, f64) {
        let Which::Ulcvi { lower_order, gap } = self.which else { unreachable!() };
        let (size, _, sa) = self.world.sizes();
        let h = self.h as f64;
        let log = 3.0 * (3.0 * sa * h * self.m as f64 / DELTA).ln();
        let n = count.iter().sum::<f64>().max(1.0);
        let p: Vec<f64> = count.iter().map(|x| x / n).collect();
        let apart: Vec<f64> = v.0.iter().zip(v.1).map(|(lower, upper)| upper - lower).collect();
        let bonus = (2.0 * variance(&p, v.0) * log / n).sqrt()
            + lower_order * h.powi(3) * size * log / (self.b * n)
            + gap * self.b / (h * h) * mean(&p, &apart);
        let c = self.world.c(s, a);
        let lower = (c + mean(&p, v.0) - self.scale * bonus).max(self.floor(s, a, v.0));
        (lower, (c + mean(&p, v.1) + self.scale * bonus).min(h))
    }

    fn plan(&mut self, all: &[Step]) {
        let world = self.world;
        let mut counts = world.counts(all);
        if let Which::MvpPlus { .. } = self.which {
            for &(s, a) in &world.pairs {
                counts[s][a] = world.counts(&all[..self.taken[s][a]])[s][a].clone();
            }
        }
        let mut lower: Vec<f64> =
            (0..world.states()).map(|s| if s == world.goal { 0.0 } else { self.terminal }).collect();
        let mut upper = lower.clone();
        let mut layers = Vec::new();
        for _ in 0..self.h {
            let (mut q, mut above) = (world.table(), world.table());
            for &(s, a) in &world.pairs {
                match self.which {
                    Which::MvpPlus { .. } => q[s][a] = self.mvp(s, a, &counts[s][a], &lower),
                    Which::Ulcvi { .. } => {
                        (q[s][a], above[s][a]) = self.ulcvi(s, a, &counts[s][a], (&lower, &upper));
                    }
                }
            }
            lower = world.values(&q);
            for &s in &world.off_goal {
                // the first of all that are least
                let chosen = (0..q[s].len()).find(|&a| q[s][a] == lower[s]).unwrap();
                upper[s] = above[s][chosen];
            }
            layers.push(q);
        }
        layers.reverse();
        (self.layers, self.v, self.news) = (layers, lower, false);
    }
}

impl Direct for Reduced<'_> {
    fn first(&mut self) -> bool {
        self.plan(&[]);
        true
    }

    fn act(&mut self, s: usize) -> usize {
        greedy(&self.layers[self.made][s], &mut self.ties)
    }

    fn step(&mut self, all: &[Step], n: usize) -> bool {
        let Step { s, a, next } = all[all.len() - 1];
        if n.is_power_of_two() {
            self.taken[s][a] = all.len();
            self.news = matches!(self.which, Which::MvpPlus { .. });
        }
        self.made += 1;
        let ends = next == self.world.goal || self.made == self.h;
        if ends {
            (self.made, self.m) = (0, self.m + 1);
        }
        // MVP+ plans as soon as there is news, ULCVI whenever an interval begins
        let plans = self.news || ends && matches!(self.which, Which::Ulcvi { .. });
        if plans {
            self.plan(all);
        }
        plans
    }

    fn q(&self) -> &[Vec<f64>] {
        &self.layers[0]
    }

    fn v(&self) -> &[f64] {
        &self.v
    }
}

fn settings(world: &World, (b, scale): (f64, f64), known: bool, h: usize) -> Settings {
    let support = if known { "known" } else { "unknown" };
    let settings = Settings::new().set("B", b * world.unit).set("t_star", 5.0).set("interval", h);
    settings.set("scale", scale).set("support", support)
}

/// Both bonuses; tells of the one with 3B.
fn mvp(world: &World, (b, scale): (f64, f64), known: bool, h: usize, steps: usize) -> Tally {
    let run = |reach: f64, settings: Settings| {
        let mut direct = Reduced::new(world, Which::MvpPlus { reach }, known, scale, (h, b, 2.0 * b));
        compare(world, "mvp+", &settings, steps, &mut direct)
    };
    let settings = settings(world, (b, scale), known, h);
    run(1.0, settings.clone());
    run(3.0, settings.set("bonus", "values"))
}

fn ulcvi(world: &World, scale: f64, known: bool, h: usize, steps: usize) -> Tally {
    let which = Which::Ulcvi { lower_order: 62.0, gap: 1.0 / 16.0 };
    let mut direct = Reduced::new(world, which, known, scale, (h, 8.0, 64.0));
    compare(world, "ulcvi", &settings(world, (8.0, scale), known, h), steps, &mut direct)
}

#[test]
fn mvp_plus_induces_backwards() {
    let other = World::of(irregular(3, 9, 3));
    let tally =
        mvp(&World::windy(3), (8.0, 1e-4), false, 20, 5_000).and(mvp(&other, (8.0, 1e-3), true, 7, 4_000));
    let tally = tally.and(mvp(&World::dear(), (8.0, 1e-3), false, 5, 4_000)).and(mvp(
        &World::random(20),
        (8.0, 1e-4),
        false,
        9,
        5_000,
    ));
    assert!(tally.plans >= 500 && tally.largest > 1.0, "{} {}", tally.plans, tally.largest);
    // where the variance decides
    assert!(mvp(&World::swinging(), (1.0, 1e-4), false, 60, 25_000).largest > 10.0);
    // with the paper's constants
    let tally = mvp(&World::lone(), (1.0, 1.0), false, 10, 70_000);
    assert!(tally.plans >= 15 && tally.largest > 0.1, "{} {}", tally.plans, tally.largest);
    assert!(mvp(&World::windy(3), (8.0, 1.0), true, 12, 500).largest > 1.0);
}

#[test]
fn ulcvi_induces_both_bounds() {
    let other = World::of(irregular(3, 9, 3));
    let tally = ulcvi(&World::windy(3), 1e-6, false, 12, 3_000).and(ulcvi(&other, 1e-5, true, 7, 1_000));
    let tally = tally.and(ulcvi(&World::dear(), 1e-6, false, 5, 1_000));
    assert!(tally.plans >= 500 && tally.largest > 1.0, "{} {}", tally.plans, tally.largest);
    let tally = ulcvi(&World::random(6), 1.0, false, 6, 300).and(ulcvi(&World::hard(), 1.0, true, 6, 300));
    assert!(tally.plans >= 60, "{}", tally.plans);
}

/// H and the terminal cost that the papers say.
#[test]
fn the_default_intervals_are_the_printed_ones() {
    for world in [World::windy(3), World::dear()] {
        let given = Settings::new().set("B", 8.0 * world.unit).set("t_star", 5.0);
        for (id, factor, times) in [("mvp+", 4.0, 2.0), ("ulcvi", 8.0, 8.0)] {
            let learner = built(&world, id, &given);
            let h = (factor * 5.0 * (factor * EPISODES as f64).ln()).ceil();
            assert_eq!(learner.in_force()["interval"].as_f64().unwrap(), h, "{id}");
            let terminal = learner.in_force()["terminal"].as_f64().unwrap();
            assert!((terminal - times * 8.0 * world.unit).abs() < 1e-9 * terminal, "{id}");
        }
    }
}
