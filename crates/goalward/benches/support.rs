//! Support minimisation against Clarabel on the same sets and objectives, in one run: `cargo xtask
//! bench support`.
//!
//! Clarabel is given the whole set once and then one objective after the other (`update_q`); its
//! time is that of the update and the solve. Times are medians over the objectives. Cold: no
//! working set is known. Warm: that of an objective that differs by 1 %.

mod harness;

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SupportedConeT};
use goalward::numeric::support::{ConvexSet, Ellipsoid, SupportMin, Warm};
use goalward::numeric::{Polytope, PolytopeBuilder, Portable, Stream};
use harness::{Table, median, micros};
use std::sync::Arc;

/// Objectives per case.
const OBJECTIVES: usize = 1_000;
/// Times that each objective is solved.
const ROUNDS: usize = 20;

struct Case {
    name: &'static str,
    polytope: Arc<Polytope>,
    /// All rows a'x <= b, as they were given.
    rows: Vec<(Vec<f64>, f64)>,
    equalities: Vec<(Vec<f64>, f64)>,
    center: Vec<f64>,
    shape: Vec<f64>,
    radius: f64,
}

fn gaussian(draw: &mut Stream, d: usize) -> Vec<f64> {
    // Box-Muller
    let one = |draw: &mut Stream| {
        (2.0 * draw.exponential()).sqrt() * (2.0 * std::f64::consts::PI * draw.uniform()).cosine()
    };
    (0..d).map(|_| one(draw)).collect()
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// A random covariance with condition number about 1e3.
fn shape(draw: &mut Stream, d: usize) -> Vec<f64> {
    let mut sigma = vec![0.0; d * d];
    (0..d).for_each(|i| sigma[i * d + i] = 1.0);
    for _ in 0..3 * d {
        let x = gaussian(draw, d);
        let weight = 10f64.to_the(2.0 * draw.uniform() - 1.0);
        for i in 0..d {
            (0..d).for_each(|k| sigma[i * d + k] += weight * x[i] * x[k]);
        }
    }
    sigma
}

/// Random halfspaces at a distance from the ellipsoid's centre that is a share of the ellipsoid's
/// extent in their direction.
fn random(name: &'static str, d: usize, m: usize, share: (f64, f64), seed: u64) -> Case {
    let mut draw = Stream::new(seed, &[1]);
    let shape = shape(&mut draw, d);
    let center: Vec<f64> = gaussian(&mut draw, d).iter().map(|x| 0.1 * x).collect();
    let mut builder = PolytopeBuilder::new(d);
    let factor = goalward::numeric::Cholesky::factor(&shape, d).unwrap();
    let mut rows = Vec::new();
    for _ in 0..m {
        let a = gaussian(&mut draw, d);
        let size = norm(&a);
        let a: Vec<f64> = a.iter().map(|x| x / size).collect();
        let extent = factor.inverse_norm(&a, &mut vec![0.0; d]);
        let reach = share.0 + (share.1 - share.0) * draw.uniform();
        let b = a.iter().zip(&center).map(|(x, y)| x * y).sum::<f64>() + reach * extent;
        builder.halfspace(&a, b);
        rows.push((a, b));
    }
    let polytope = Arc::new(builder.finish().unwrap());
    Case { name, polytope, rows, equalities: Vec::new(), center, shape, radius: 1.0 }
}

/// B of the paper's instance, |vartheta|_1 <= delta and theta_d = 1, under an ellipsoid that the
/// facets cut.
fn paper(d: usize) -> Case {
    let delta = 5.0 / 27.0;
    let mut builder = PolytopeBuilder::new(d);
    let mut last = vec![0.0; d];
    last[d - 1] = 1.0;
    builder.equality(&last, 1.0).unwrap();
    let mut rows = Vec::new();
    for signs in 0..1usize << (d - 1) {
        let mut a: Vec<f64> = (0..d - 1).map(|i| if signs >> i & 1 == 1 { 1.0 } else { -1.0 }).collect();
        a.push(0.0);
        builder.halfspace(&a, delta);
        rows.push((a, delta));
    }
    let mut draw = Stream::new(5, &[2]);
    let shape = shape(&mut draw, d);
    let mut center: Vec<f64> = (0..d).map(|_| 0.05 * (draw.uniform() - 0.5)).collect();
    center[d - 1] = 1.0;
    let polytope = Arc::new(builder.finish().unwrap());
    Case { name: "paper_d8", polytope, rows, equalities: vec![(last, 1.0)], center, shape, radius: 3.0 }
}

/// Clarabel with the whole set, for objectives by `update_q`.
fn clarabel(case: &Case) -> DefaultSolver<f64> {
    let d = case.center.len();
    let l = goalward::numeric::Cholesky::factor(&case.shape, d).unwrap();
    let lower = |i: usize, k: usize| l.lower()[i * d + k];
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for (row, limit) in case.equalities.iter().chain(&case.rows) {
        a.push(row.clone());
        b.push(*limit);
    }
    a.push(vec![0.0; d]);
    b.push(case.radius);
    for i in 0..d {
        // (L'(x - center))_i
        let row: Vec<f64> = (0..d).map(|k| -lower(k, i)).collect();
        b.push(row.iter().zip(&case.center).map(|(x, y)| x * y).sum());
        a.push(row);
    }
    let mut cones =
        vec![SupportedConeT::NonnegativeConeT(case.rows.len()), SupportedConeT::SecondOrderConeT(d + 1)];
    if !case.equalities.is_empty() {
        cones.insert(0, SupportedConeT::ZeroConeT(case.equalities.len()));
    }
    let settings =
        DefaultSettings { verbose: false, presolve_enable: false, max_threads: 1, ..Default::default() };
    let p = CscMatrix::zeros((d, d));
    DefaultSolver::new(&p, &vec![0.0; d], &CscMatrix::from(&a), &b, &cones, settings).unwrap()
}

/// An objective, and one that differs by 1 %.
struct Objective {
    c: Vec<f64>,
    near: Vec<f64>,
}

impl Objective {
    fn draw(draw: &mut Stream, d: usize) -> Objective {
        let (c, nudge) = (gaussian(draw, d), gaussian(draw, d));
        let step = 0.01 * norm(&c) / norm(&nudge);
        let near = c.iter().zip(&nudge).map(|(c, n)| c + step * n).collect();
        Objective { c, near }
    }
}

/// The mean time of each objective, in microseconds, over rounds in which no objective follows
/// itself: a solve that is repeated at once finds every branch predicted. The clock's own time is
/// included.
fn rounds(objectives: &[Objective], mut solve: impl FnMut(usize, &Objective, &mut Warm)) -> Vec<f64> {
    let mut times = vec![0.0; objectives.len()];
    let mut start = Warm::default();
    for _ in 0..ROUNDS {
        for (i, objective) in objectives.iter().enumerate() {
            times[i] += micros(1, || solve(i, objective, &mut start)) / ROUNDS as f64;
        }
    }
    times
}

fn main() {
    let mut table = Table::new(
        "support",
        &["clarabel_us", "cold_us", "warm_us", "mean_active", "cold_ratio", "warm_ratio", "worst_difference"],
    );
    let few = (0.3, 1.2);
    let many = (0.02, 0.2);
    let cases = [
        random("d8_m30_few", 8, 30, few, 1),
        random("d8_m30_many", 8, 30, many, 2),
        random("d16_m30_few", 16, 30, (0.3, 0.9), 3),
        random("d16_m30_many", 16, 30, many, 4),
        random("d32_m60_few", 32, 60, (0.28, 0.8), 5),
        random("d32_m60_many", 32, 60, many, 6),
        paper(8),
    ];
    for case in &cases {
        let d = case.center.len();
        let ellipsoid = Ellipsoid { center: &case.center, shape: &case.shape, radius: case.radius };
        let mut set = ConvexSet::new(&case.polytope, ellipsoid).unwrap();
        let mut reference = clarabel(case);
        let mut draw = Stream::new(9, &[3]);
        let objectives: Vec<Objective> = (0..OBJECTIVES).map(|_| Objective::draw(&mut draw, d)).collect();
        let (mut slow, mut active, mut worst) = (Vec::new(), 0, 0f64);
        let mut starts = Vec::new();
        for Objective { c, .. } in &objectives {
            slow.push(micros(1, || {
                reference.update_q(c).unwrap();
                reference.solve();
            }));
            let mut start = Warm::default();
            let answer = set.min(c, &mut start);
            worst = worst.max((answer.value - reference.solution.obj_val).abs() / (1.0 + answer.value.abs()));
            active += start.len();
            starts.push(start);
        }
        let cold = rounds(&objectives, |_, Objective { c, .. }, start| {
            start.clear();
            std::hint::black_box(set.min(c, start));
        });
        let warm = rounds(&objectives, |i, Objective { near, .. }, start| {
            start.clone_from(&starts[i]);
            std::hint::black_box(set.min(near, start));
        });
        let (slow, cold, warm) = (median(slow), median(cold), median(warm));
        let active = active as f64 / OBJECTIVES as f64;
        table.row(case.name, &[slow, cold, warm, active, slow / cold, slow / warm, worst]);
    }
    table.print();
}
