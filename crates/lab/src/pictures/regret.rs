//! Regret or gap regret over the episodes.

use super::chosen::{Chosen, Line, least};
use super::{Picture, band, pictures};
use crate::Result;
use crate::figure::{Axis, Chart, Curve, CurvePoint, Head, Plot, number_label};
use crate::results::{Cell, EpisodeRow, Results, Run};
use crate::stats::Mean;
use crate::study::{AxisSpec, Band, FigureKind, FigureSpec};

/// The most plots of one picture, and the most in a row.
const PLOTS: usize = 9;
const COLUMNS: usize = 3;

/// The measure of a curve.
#[derive(Clone, Copy)]
pub(super) struct Measured {
    /// As a word.
    pub(super) name: &'static str,
    /// At an episode: learners with the same values in every run are one line. None: nothing is grouped.
    pub(super) value: Option<fn(&EpisodeRow) -> f64>,
    /// At the end of a run.
    pub(super) end: fn(&Run) -> Option<f64>,
    /// The curve of a cell's runs.
    pub(super) points: fn(&Cell, Band) -> Vec<CurvePoint>,
}

impl Measured {
    pub(super) const REGRET: Measured = Measured {
        name: "Regret",
        value: Some(|e| e.regret),
        end: |run| run.episodes.last().map(|e| e.regret),
        points: |cell, band| band::of_episodes(cell, band, |e| e.regret),
    };
    pub(super) const GAP: Measured = Measured {
        name: "Gap regret",
        value: Some(|e| e.gap_regret),
        end: |run| run.episodes.last().map(|e| e.gap_regret),
        points: |cell, band| band::of_episodes(cell, band, |e| e.gap_regret),
    };
}

pub(super) fn draw(results: &Results, spec: &FigureSpec) -> Result<Vec<Picture>> {
    let gap = spec.kind == FigureKind::GapRegret;
    let measure = if gap { Measured::GAP } else { Measured::REGRET };
    let y = if gap { "Cumulative gap regret" } else { "Cumulative regret" };
    let plot = |chosen: &Chosen, world: usize, lines: &[Line]| Plot {
        title: chosen.world(world).into(),
        x: axis(&spec.x, "Episodes", false),
        y: axis(&spec.y, y, false),
        curves: curves(chosen, world, lines, measure),
        ..Plot::default()
    };
    charts(results, spec, measure, plot, &[])
}

/// An axis: what a file says of it, and otherwise this.
pub(super) fn axis(told: &AxisSpec, title: &str, log: bool) -> Axis {
    let title = told.title.clone().unwrap_or_else(|| title.into());
    Axis { title, range: told.range, log: told.log.unwrap_or(log) }
}

/// The curves of a world's lines, where there is something of them.
pub(super) fn curves(chosen: &Chosen, world: usize, lines: &[Line], measure: Measured) -> Vec<Curve> {
    let of = |line: &Line| {
        let points = (measure.points)(chosen.cell(world, line.learners[0]), chosen.spec.band);
        Curve { label: line.label.clone(), stroke: line.stroke, points, dots: false }
    };
    lines.iter().map(of).filter(|curve| !curve.points.is_empty()).collect()
}

/// Charts of curves, a plot for each world.
pub(super) fn charts(
    results: &Results,
    spec: &FigureSpec,
    measure: Measured,
    plot: impl Fn(&Chosen, usize, &[Line]) -> Plot,
    notes: &[String],
) -> Result<Vec<Picture>> {
    let chosen = Chosen::new(results, spec)?;
    pictures(spec, chosen.worlds.chunks(PLOTS), |worlds| {
        let lines = chosen.lines(worlds, measure.value);
        let mut plots: Vec<Plot> = worlds.iter().map(|&w| plot(&chosen, w, &lines)).collect();
        for plot in &mut plots {
            plot.empty = "no finished episode".into();
            vanished(plot);
        }
        let found = || least(&chosen, worlds, measure.name, "ends lowest", |cell| end(cell, measure));
        let title = spec.headline(found);
        let alt = alt(&title, &plots);
        (alt, chart(&chosen, worlds, &lines, title, plots, notes).draw())
    })
}

fn chart(
    chosen: &Chosen,
    worlds: &[usize],
    lines: &[Line],
    title: String,
    mut plots: Vec<Plot>,
    notes: &[String],
) -> Chart {
    let mut said = vec![format!("{} · {}", chosen.runs(worlds), band::words(chosen.spec.band))];
    if let [plot] = plots.as_mut_slice() {
        // a single plot's title stands before the notes, unless the headline has it
        let world = std::mem::take(&mut plot.title);
        if !title.contains(&world) {
            said[0] = format!("{world} · {}", said[0]);
        }
    }
    said.extend_from_slice(notes);
    let caveats = chosen.caveats(worlds, lines);
    if !caveats.is_empty() {
        said.push(caveats.join(" · "));
    }
    let columns = if plots.len() == 4 { 2 } else { COLUMNS };
    let head = Head { title, notes: said };
    Chart { head, plots, columns, size: chosen.spec.size, ends: true, square: false }
}

/// The mean of where the runs of a cell end.
fn end(cell: &Cell, measure: Measured) -> Option<f64> {
    let ends: Vec<f64> = cell.runs.iter().filter_map(measure.end).collect();
    Mean::of(&ends).map(|mean| mean.mean)
}

/// What cannot be on a logarithmic axis is said in its label and not drawn.
fn vanished(plot: &mut Plot) {
    if !plot.y.log {
        return;
    }
    let most = plot.curves.iter().flat_map(|c| &c.points).map(|p| p.y).fold(0.0, f64::max);
    for curve in &mut plot.curves {
        if curve.points.iter().all(|p| p.y <= 1e-9 * most) {
            curve.label.push_str(" (0 or less: not on this axis)");
        }
    }
}

/// Where every curve ends, in words.
pub(super) fn alt(title: &str, plots: &[Plot]) -> String {
    let mut text = format!("{title}.");
    for plot in plots {
        let end = |curve: &Curve| {
            let last = curve.points.last()?;
            let number = match last.y.abs() {
                y if y < 10.0 => number_label(last.y, 3),
                y if y < 1e12 => number_label(last.y, 0),
                _ => format!("{:.3e}", last.y),
            };
            Some(format!("{} at {number}", curve.label))
        };
        let ends: Vec<String> = plot.curves.iter().filter_map(end).collect();
        let name = if plot.title.is_empty() { String::new() } else { format!("{}, ", plot.title) };
        let ends = if ends.is_empty() { "nothing to show".into() } else { ends.join("; ") };
        text.push_str(&format!(" {name}{} over {}: {ends}.", plot.y.title, plot.x.title));
    }
    text
}
