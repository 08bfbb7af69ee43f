//! Minima over C ∩ B compared with Clarabel over all rows of B as the problem states them: no
//! elimination, no merging, no pruning, no whitening, no code of the solver's.
//!
//! Clarabel takes a few rows and is asked again with those that its point violates, until a plain
//! pass over all rows of the problem finds none violated by more than 1e-9. Its point is then
//! optimal over all of them.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SolverStatus, SupportedConeT};
use goalward::Settings;
use goalward::numeric::support::{ConvexSet, Ellipsoid, Support, SupportMin, Survey, Warm};
use goalward::numeric::{Rows, Stream};
use goalward::problem::Instance;
use goalward::worlds;
use rayon::prelude::*;
use std::sync::Arc;

/// Rows may be violated by so much.
const VIOLATION: f64 = 1e-9;
/// Rows that join Clarabel's at once.
const BATCH: usize = 8;
/// Objectives that a set is made ready with.
const SAMPLE: usize = 64;
/// Objectives that share Clarabel's rows.
const CHUNK: usize = 50;

/// A world and all that its features say of theta.
pub(crate) struct World {
    pub(crate) name: String,
    pub(crate) instance: Instance,
    dim: usize,
    phi: Vec<f64>,
    equalities: Vec<Vec<f64>>,
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

impl World {
    /// A built-in world, with all rows that can bind.
    pub(crate) fn new(id: &str, settings: &Settings) -> World {
        let instance = worlds::build(id, settings).unwrap();
        let problem = &instance.problem;
        let dim = problem.dim();
        let (mut phi, mut equalities) = (Vec::new(), Vec::<Vec<f64>>::new());
        for pair in 0..problem.pairs() {
            let mut sum = vec![0.0; dim];
            for row in problem.phi(pair).chunks_exact(dim) {
                sum.iter_mut().zip(row).for_each(|(s, x)| *s += x);
                phi.extend_from_slice(row);
            }
            let known = |e: &Vec<f64>| e.iter().zip(&sum).all(|(x, y)| (x - y).abs() < 1e-12);
            if !equalities.iter().any(known) {
                equalities.push(sum);
            }
        }
        World { name: format!("{id}, d = {dim}, {} rows", phi.len() / dim), instance, dim, phi, equalities }
    }

    /// The same where no weight is negative, which learners are told.
    pub(crate) fn simplex(id: &str, settings: &Settings) -> World {
        let mut world = World::new(id, &settings.clone().set("simplex", true));
        let dim = world.dim;
        (0..dim).for_each(|i| world.phi.extend((0..dim).map(|j| f64::from(u8::from(i == j)))));
        world.name.push_str(", simplex");
        world
    }

    /// How many rows the problem states.
    pub(crate) fn rows(&self) -> usize {
        self.phi.len() / self.dim
    }
}

/// An ellipsoid |F'(theta - center)| <= radius.
struct Round {
    center: Vec<f64>,
    factor: Vec<f64>,
    shape: Vec<f64>,
    radius: f64,
}

impl Round {
    fn ellipsoid(&self) -> Ellipsoid<'_> {
        Ellipsoid { center: &self.center, shape: &self.shape, radius: self.radius }
    }
}

/// How an ellipsoid lies to B.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// No row can bind.
    Inside,
    /// Its centre is B's, or nearly; some rows cut it.
    Cut,
    /// It contains B.
    Around,
}

impl Place {
    pub(crate) const ALL: [Place; 3] = [Place::Inside, Place::Cut, Place::Around];
}

fn round(world: &World, place: Place, seed: u64) -> (Round, ConvexSet) {
    let d = world.dim;
    let mut random = Stream::new(seed, &[]);
    let mut factor = vec![0.0; d * d];
    for i in 0..d {
        (0..i).for_each(|j| factor[i * d + j] = random.uniform() - 0.5);
        factor[i * d + i] = 0.5 + random.uniform();
    }
    let mut shape = vec![0.0; d * d];
    for i in 0..d {
        for j in 0..d {
            shape[i * d + j] = dot(&factor[i * d..(i + 1) * d], &factor[j * d..(j + 1) * d]);
        }
    }
    let polytope = Arc::new(world.instance.problem.constraints().with_rows(Rows::Exact));
    let center = world.instance.truth().unwrap().theta().unwrap().to_vec();
    let mut round = Round { center, factor, shape, radius: if place == Place::Around { 1e2 } else { 1.0 } };
    let set = |round: &Round| ConvexSet::new(&polytope, round.ellipsoid()).unwrap();
    let mut made = set(&round);
    if place != Place::Around {
        while made.binding_rows() > 0 {
            round.radius *= 0.7;
            made = set(&round);
        }
    }
    if place == Place::Cut {
        round.radius *= 4.0;
        for x in &mut round.center {
            *x += 0.2 * round.radius * (random.uniform() - 0.5) / d as f64;
        }
        made = set(&round);
    }
    (round, made)
}

/// Clarabel on some of the rows.
struct Reference<'a> {
    world: &'a World,
    round: &'a Round,
    /// Rows of the features.
    working: Vec<usize>,
}

impl Reference<'_> {
    /// The least value over all rows, and its point; none where Clarabel did not converge.
    fn min(&mut self, c: &[f64], solves: &mut u64) -> Option<f64> {
        let d = self.world.dim;
        loop {
            *solves += 1;
            let (value, theta) = self.solve(c)?;
            let violation = |phi: &[f64]| -dot(phi, &theta) / dot(phi, phi).sqrt().max(1e-300);
            let mut violated: Vec<(f64, usize)> = (self.world.phi.chunks_exact(d).enumerate())
                .map(|(i, phi)| (violation(phi), i))
                .filter(|(violation, _)| *violation > VIOLATION)
                .collect();
            if violated.is_empty() {
                return Some(value);
            }
            violated.sort_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
            let before = self.working.len();
            violated.dedup_by(|x, y| {
                let row = |i: usize| &self.world.phi[i * d..(i + 1) * d];
                row(x.1) == row(y.1)
            });
            let new = violated.into_iter().map(|(_, i)| i).filter(|i| !self.working.contains(i)).take(BATCH);
            let new: Vec<usize> = new.collect();
            self.working.extend(new);
            if self.working.len() == before {
                // Clarabel itself is off by more
                return None;
            }
        }
    }

    fn solve(&self, c: &[f64]) -> Option<(f64, Vec<f64>)> {
        let (world, d) = (self.world, self.world.dim);
        let mut rows = world.equalities.clone();
        let mut b = vec![1.0; rows.len()];
        rows.extend(self.working.iter().map(|&i| -> Vec<f64> {
            let phi = &world.phi[i * d..(i + 1) * d];
            let size = dot(phi, phi).sqrt();
            phi.iter().map(|x| -x / size).collect()
        }));
        b.resize(rows.len() + 1, 0.0);
        // in units of the radius
        rows.push(vec![0.0; d]);
        *b.last_mut().unwrap() = 1.0;
        for j in 0..d {
            let row: Vec<f64> = (0..d).map(|i| -self.round.factor[i * d + j] / self.round.radius).collect();
            b.push(dot(&row, &self.round.center));
            rows.push(row);
        }
        let mut cones = vec![SupportedConeT::ZeroConeT(world.equalities.len())];
        if !self.working.is_empty() {
            cones.push(SupportedConeT::NonnegativeConeT(self.working.len()));
        }
        cones.push(SupportedConeT::SecondOrderConeT(d + 1));
        let p = CscMatrix::zeros((d, d));
        let a = CscMatrix::from(&rows);
        [1e-11, 1e-10, 1e-9].into_iter().find_map(|tight| {
            let settings = DefaultSettings {
                verbose: false,
                max_threads: 1,
                tol_gap_abs: tight,
                tol_gap_rel: tight,
                tol_feas: tight,
                ..DefaultSettings::default()
            };
            let mut solver = DefaultSolver::new(&p, c, &a, &b, &cones, settings).ok()?;
            solver.solve();
            let solution = solver.solution;
            (solution.status == SolverStatus::Solved).then_some((solution.obj_val, solution.x))
        })
    }
}

/// What a comparison counted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) objectives: u64,
    /// Minima where rows of B were active.
    pub(crate) active: u64,
    /// Where Clarabel did not converge: not compared.
    pub(crate) unsure: u64,
    /// Clarabel's programs.
    pub(crate) solves: u64,
    /// The largest |value - reference|.
    pub(crate) worst: f64,
    /// Those beyond 1e-7.
    pub(crate) beyond: u64,
    /// The largest bound - reference, if that is above zero.
    pub(crate) excess: f64,
    /// Bounds above the reference by more than 1e-8.
    pub(crate) above: u64,
}

impl Counts {
    pub(crate) fn add(&mut self, other: &Counts) {
        self.objectives += other.objectives;
        self.active += other.active;
        self.unsure += other.unsure;
        self.solves += other.solves;
        self.worst = self.worst.max(other.worst);
        self.beyond += other.beyond;
        self.excess = self.excess.max(other.excess);
        self.above += other.above;
    }
}

impl Counts {
    fn compare(&mut self, found: Support, expected: f64) {
        let difference = (found.value - expected).abs();
        self.worst = self.worst.max(difference);
        self.beyond += u64::from(difference > 1e-7);
        self.excess = self.excess.max(found.bound - expected);
        self.above += u64::from(found.bound > expected + 1e-8);
    }
}

/// A copy that is ready for many objectives, as sweeps have it, and where they may start.
fn ready(set: &ConvexSet, d: usize, seed: u64) -> (ConvexSet, Survey) {
    let (mut copy, mut survey) = (set.clone(), Survey::new(d, SAMPLE));
    let (mut random, mut theta) = (Stream::new(seed, &[2]), vec![0.0; d]);
    for _ in 0..SAMPLE {
        let c: Vec<f64> = (0..d).map(|_| random.uniform() - 0.5).collect();
        let mut warm = Warm::default();
        copy.min(&c, &mut warm);
        copy.minimiser(&mut theta);
        survey.note(&theta, &warm);
    }
    copy.ready(&survey);
    (copy, survey)
}

/// So many objectives over one ellipsoid, each three times: as they are, as sweeps ask for them, and
/// again from what that left; rows that can bind, and the counts.
pub(crate) fn compare(world: &World, place: Place, objectives: usize, seed: u64) -> (usize, Counts) {
    let (round, set) = round(world, place, seed);
    assert!(!set.is_relaxed());
    let d = world.dim;
    let chunk = |first: usize| {
        let mut counts = Counts::default();
        let (mut set, mut random) = (set.clone(), Stream::new(seed, &[1, first as u64]));
        let (mut quick, survey) = ready(&set, d, seed);
        let mut start = Warm::default();
        let mut reference = Reference { world, round: &round, working: Vec::new() };
        let mut warm = Warm::default();
        for _ in first..(first + CHUNK).min(objectives) {
            let c: Vec<f64> = (0..d).map(|_| random.uniform() - 0.5).collect();
            counts.objectives += 1;
            let found = set.min(&c, &mut warm);
            counts.active += u64::from(!warm.is_empty());
            let Some(expected) = reference.min(&c, &mut counts.solves) else {
                counts.unsure += 1;
                continue;
            };
            counts.compare(found, expected);
            match quick.is_eager() {
                true => start.clear(),
                false => survey.start(&c, &mut start),
            }
            let (swept, known) = quick.min_again(&c, &mut start, false);
            counts.compare(swept, expected);
            // what is known of the point must not be taken for more than it is
            let near: Vec<f64> = c.iter().map(|c| c + 1e-3 * (random.uniform() - 0.5)).collect();
            quick.min_again(&near, &mut start, known);
            let again = quick.min_again(&c, &mut start, false).0;
            counts.compare(again, expected);
        }
        counts
    };
    let firsts: Vec<usize> = (0..objectives).step_by(CHUNK).collect();
    let found: Vec<Counts> = firsts.into_par_iter().map(chunk).collect();
    let mut all = Counts::default();
    found.iter().for_each(|counts| all.add(counts));
    (set.binding_rows(), all)
}
