//! The width of the confidence sets over time, as a share of B's.

use super::Picture;
use super::band;
use super::chosen::{Chosen, Line};
use super::regret::{Measured, axis, charts, curves};
use crate::Result;
use crate::figure::{CurvePoint, Plot};
use crate::results::{Cell, Results, Run};
use crate::study::{Band, FigureSpec};
use goalward::numeric::Portable;

/// The quantity of the probes that are drawn.
const QUANTITY: &str = "width";
/// Points of a curve.
const POINTS: usize = 120;

pub(super) fn draw(results: &Results, spec: &FigureSpec) -> Result<Vec<Picture>> {
    // learners of the same regret have sets of their own: nothing is grouped
    let (name, end) = ("Width of the confidence sets", |run: &Run| run.row.width);
    let measure = Measured { name, value: None, end, points: means };
    let plot = |chosen: &Chosen, world: usize, lines: &[Line]| Plot {
        title: chosen.world(world).into(),
        x: axis(&spec.x, "Steps t", true),
        y: axis(&spec.y, "Width of the confidence sets (B: 1)", false),
        curves: curves(chosen, world, lines, measure),
        ..Plot::default()
    };
    let note = "mean over the directions φ_V*(s,a), as a share of B's width; between two plans that were \
                looked at it is that of the first";
    charts(results, spec, measure, plot, &[note.into()])
}

/// What a run's sets measured: steps and widths.
fn widths(run: &Run) -> Vec<(u64, f64)> {
    let asked = run.probes.iter().filter(|probe| probe.quantity == QUANTITY);
    let mut known: Vec<(u64, f64)> =
        asked.filter_map(|p| Some((p.t, p.value.filter(|v| v.is_finite())?))).collect();
    known.sort_by_key(|(t, _)| *t);
    known
}

/// The mean over runs at common steps: plans come at different steps in different runs, and a width
/// holds until the next is known.
fn means(cell: &Cell, band: Band) -> Vec<CurvePoint> {
    let runs: Vec<(Vec<(u64, f64)>, u64)> =
        cell.runs.iter().map(|run| (widths(run), run.row.steps)).filter(|(w, _)| !w.is_empty()).collect();
    let mut steps: Vec<u64> = runs.iter().flat_map(|(w, _)| w.iter().map(|(t, _)| *t)).collect();
    steps.extend(runs.iter().map(|(_, end)| *end));
    steps.retain(|t| *t > 0);
    steps.sort_unstable();
    steps.dedup();
    let mut columns: Vec<(f64, Vec<f64>)> = Vec::new();
    let mut next = 0.0;
    for &t in &steps {
        if (t as f64) < next && steps.last() != Some(&t) {
            continue;
        }
        let at = |(widths, end): &(Vec<(u64, f64)>, u64)| {
            let last = widths.iter().rev().find(|(from, _)| *from <= t)?;
            (t <= *end).then_some(last.1)
        };
        let values: Vec<f64> = runs.iter().filter_map(at).collect();
        if 2 * values.len() >= runs.len() {
            columns.push((t as f64, values));
            let last = steps.last().copied().unwrap_or(1).max(2) as f64;
            next = t as f64 * last.to_the(1.0 / POINTS as f64);
        }
    }
    let whole = band == Band::Simultaneous && columns.iter().all(|(_, values)| values.len() == runs.len());
    let curves: Vec<Vec<f64>> = match whole {
        true => (0..runs.len()).map(|r| columns.iter().map(|(_, values)| values[r]).collect()).collect(),
        false => Vec::new(),
    };
    band::points(&columns, &curves, band)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pictures::tests::samples;
    use crate::results::ProbeRow;

    #[test]
    fn a_width_holds_until_the_next() {
        let mut cell = samples::cell(2, &[100], |_, _| 1.0);
        let probe =
            |t, value| ProbeRow { t, quantity: QUANTITY.into(), value: Some(value), ..ProbeRow::default() };
        cell.runs[0].probes = vec![probe(1, 1.0), probe(8, 0.5)];
        cell.runs[1].probes = vec![probe(1, 0.8), probe(100, 0.2)];
        let points = means(&cell, Band::None);
        let at: Vec<(f64, f64)> = points.iter().map(|p| (p.x, p.y)).collect();
        assert_eq!(at, [(1.0, 0.9), (8.0, 0.65), (100.0, 0.35), (300.0, 0.35)]);
    }
}
