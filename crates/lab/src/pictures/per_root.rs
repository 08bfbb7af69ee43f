//! Regret / K over sqrt(K), as in the LEVIS++ paper, with points that others published.

use super::Picture;
use super::chosen::{Chosen, Line};
use super::regret::{Measured, axis, charts, curves};
use crate::Result;
use crate::figure::{CurvePoint, Plot};
use crate::results::Results;
use crate::study::FigureSpec;

/// Fewer episodes are all noise: the published curves begin here too.
const FIRST_EPISODE: f64 = 25.0;

pub(super) fn draw(results: &Results, spec: &FigureSpec) -> Result<Vec<Picture>> {
    let plot = |chosen: &Chosen, world: usize, lines: &[Line]| {
        let mut curves = curves(chosen, world, lines, Measured::REGRET);
        for curve in &mut curves {
            curve.points.retain(|p| p.x >= FIRST_EPISODE);
            curve.points.iter_mut().for_each(per_root);
        }
        curves.retain(|curve| !curve.points.is_empty());
        Plot {
            title: chosen.world(world).into(),
            x: axis(&spec.x, "√K  (K episodes)", false),
            y: axis(&spec.y, "Regret / K", false),
            curves,
            marks: spec.marks.clone(),
            ..Plot::default()
        }
    };
    charts(results, spec, Measured { name: "Regret per episode", ..Measured::REGRET }, plot, &[])
}

/// The point at sqrt(K) with everything divided by K.
fn per_root(point: &mut CurvePoint) {
    let k = point.x;
    let less = |band: Option<(f64, f64)>| band.map(|(low, high)| (low / k, high / k));
    *point = CurvePoint { x: k.sqrt(), y: point.y / k, band: less(point.band), outer: less(point.outer) };
}
