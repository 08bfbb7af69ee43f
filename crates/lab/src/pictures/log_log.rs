//! Gap regret over the episodes, both logarithmic: slopes are exponents. Guides show the slopes 1/2
//! and 1, and a curve what no learner can beat.

use super::Picture;
use super::chosen::{Chosen, Line};
use super::regret::{Measured, axis, charts, curves};
use crate::Result;
use crate::figure::{Colour, Curve, CurvePoint, Dash, Plot, Stroke};
use crate::results::Results;
use crate::study::FigureSpec;
use goalward::numeric::Portable;

/// What (d-1) B* sqrt(K) is divided by in the lower bound.
///
/// The LEVIS++ paper says Omega(d B* sqrt(K)) after Min et al. (2022) and prints no constant; this
/// one is proved here. Take the family of `min-lower-bound`: m = d-1 signs, P(goal|a) = delta +
/// eps <a, sigma>, every step costs 1, and delta + m eps = 1/B* with B* >= 2, K >= 32 and
/// eps = 1/(16 B* sqrt(K)). With K >= m^2/16, m eps <= 1/(4 B*), so all probabilities of the goal
/// lie in [1/(2 B*), 1/B*].
///
/// A step with k wrong signs has the gap 2 k eps B*. So the regret is 2 eps B* times the sum over i
/// of E[W_i], the steps whose sign i is wrong. The number N of steps has E[N] <= 2 B* K, and is at
/// least the sum of K geometric numbers of mean B*, so P(N < B* K/2) <= 4/K <= 1/8 (Chebyshev).
///
/// Flip sign i. One step's divergence is at most (2 eps)^2/(q(1-q)) <= 16 eps^2 B*, that of the run
/// at most 32 eps^2 B*^2 K = 1/8, and the total variation at most 1/4 (Pinsker). Where N >= B* K/2,
/// either sigma's W_i or that of its flip is at least B* K/4. So the two E[W_i] add up to at least
/// B* K/4 (1 - 1/4 - 1/8) = 5 B* K/32. The mean over all sigma is half of that for every i, and the
/// mean regret is at least 2 eps B* m 5 B* K/64 = 5 m B* sqrt(K)/512. Some sigma pays no less.
const DIVISOR: f64 = 512.0 / 5.0;

/// The least number of episodes for which the bound holds, for any d.
const FROM: f64 = 32.0;

pub(super) fn draw(results: &Results, spec: &FigureSpec) -> Result<Vec<Picture>> {
    let plot = |chosen: &Chosen, world: usize, lines: &[Line]| {
        let mut curves = curves(chosen, world, lines, Measured::GAP);
        let guides = guides(&curves);
        curves.extend(lower_bound(chosen, world, &curves));
        Plot {
            title: chosen.world(world).into(),
            x: axis(&spec.x, "Episodes K", true),
            y: axis(&spec.y, "Cumulative gap regret", true),
            curves,
            guides,
            ..Plot::default()
        }
    };
    let note = "lower bound: for every K, some world with this d and B* makes any learner pay at least \
                (d−1) B* √K / 102.4 on average (our constant, the paper prints none); this world may be \
                easier";
    charts(results, spec, Measured::GAP, plot, &[note.into()])
}

/// Lines of slope 1/2 and 1 from one point: where the middle one of the curves begins.
fn guides(curves: &[Curve]) -> Vec<Curve> {
    let mut begins: Vec<(f64, f64)> = curves
        .iter()
        .filter_map(|c| c.points.iter().find(|p| p.x > 0.0 && p.y > 0.0).map(|p| (p.x, p.y)))
        .collect();
    begins.sort_by(|a, b| a.1.total_cmp(&b.1));
    let Some(&(x, y)) = begins.get(begins.len() / 2) else { return Vec::new() };
    let last = curves.iter().flat_map(|c| &c.points).map(|p| p.x).fold(x, f64::max);
    let guide = |label: &str, slope: f64, dash| Curve {
        label: label.into(),
        stroke: Stroke::new(Colour::GREY, 2.6, dash),
        points: steps(x, last).map(|at| CurvePoint::at(at, y * (at / x).to_the(slope))).collect(),
        dots: false,
    };
    if last <= x {
        return Vec::new();
    }
    vec![guide("slope 1", 1.0, Dash::Dashed), guide("slope 1/2", 0.5, Dash::Dotted)]
}

fn lower_bound(chosen: &Chosen, world: usize, curves: &[Curve]) -> Option<Curve> {
    let row = chosen.learners.iter().find_map(|&l| chosen.cell(world, l).runs.first()).map(|run| &run.row)?;
    if row.dim < 2 || !(row.b_star >= 2.0 && row.b_star.is_finite()) {
        return None;
    }
    let signs = (row.dim - 1) as f64;
    let first = f64::max(FROM, signs * signs / 16.0);
    let last = curves.iter().flat_map(|c| &c.points).map(|p| p.x).fold(0.0, f64::max);
    let bound = |k: f64| signs * row.b_star * k.sqrt() / DIVISOR;
    (last > first).then(|| Curve {
        label: "lower bound".into(),
        stroke: Stroke::new(Colour::SLATE, 2.8, Dash::DashDot),
        points: steps(first, last).map(|k| CurvePoint::at(k, bound(k))).collect(),
        dots: false,
    })
}

/// Places from one to another, at equal distances on a logarithmic axis.
fn steps(from: f64, to: f64) -> impl Iterator<Item = f64> {
    const STEPS: u32 = 24;
    (0..=STEPS).map(move |i| from * (to / from).to_the(f64::from(i) / f64::from(STEPS)))
}
