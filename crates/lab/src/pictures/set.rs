//! The confidence set in the plane of two coordinates of theta, over time.

use super::chosen::Chosen;
use super::regret::{alt, axis};
use super::{Picture, pictures};
use crate::Result;
use crate::figure::{Chart, Colour, Curve, CurvePoint, Dash, Head, Marker, Marks, Plot, Shape, Stroke};
use crate::results::{Results, Run};
use crate::sets::polygon_within;
use crate::study::FigureSpec;
use goalward::numeric::Portable;
use std::cell::LazyCell;
use std::f64::consts::TAU;

/// More outlines than this hide each other.
const OUTLINES: usize = 7;
/// Plots of one picture.
const PLOTS: usize = 6;
/// The first and the last of the outlines' colours.
const EARLY: Colour = Colour(158, 202, 225);
const LATE: Colour = Colour(8, 69, 148);

type Point = (f64, f64);
/// Two coordinates of theta; or which of how many directions.
type Two = (usize, usize);

/// The outlines of a run, each with its step.
type Outlines = Vec<(u64, Vec<Point>)>;

pub(super) fn draw(results: &Results, spec: &FigureSpec) -> Result<Vec<Picture>> {
    let chosen = Chosen::new(results, spec)?;
    let mut plots = Vec::new();
    for &world in &chosen.worlds {
        let theta = LazyCell::new(|| theta(results, world));
        for &learner in &chosen.learners {
            let mut runs = chosen.cell(world, learner).runs.iter();
            let known = runs.find_map(|run| Some((run.seed, outlines(run)?)));
            let Some((seed, (plane, outlines))) = known else { continue };
            let title = format!("{} · {} · seed {seed}", chosen.world(world), chosen.learner(learner));
            plots.push(plot(spec, title, plane, &outlines, theta.as_deref()));
        }
    }
    if plots.is_empty() {
        let empty = "no outline of a confidence set was recorded".to_string();
        plots.push(Plot {
            empty,
            x: axis(&spec.x, "θ", false),
            y: axis(&spec.y, "θ", false),
            ..Plot::default()
        });
    }
    let title = spec.headline(|| headline(&plots).to_string());
    let note = "outlines from its support in 16 directions, at planning calls; the later the darker";
    pictures(spec, plots.chunks(PLOTS), |part| {
        let chart = Chart {
            head: Head { title: title.clone(), notes: vec![note.into()] },
            plots: part.to_vec(),
            columns: if part.len() == 4 { 2 } else { 3 },
            size: spec.size,
            square: true,
            ..Chart::default()
        };
        (alt(&title, &[]) + " " + note + ".", chart.draw())
    })
}

/// The true theta of a world; none where it cannot be opened now.
fn theta(results: &Results, world: usize) -> Option<Vec<f64>> {
    let arena = results.study.worlds[world].place.open().ok()?;
    Some(arena.instance().truth().ok()?.theta()?.to_vec())
}

/// `support[0,1] 3/16`: the plane, and which of how many directions.
fn direction(quantity: &str) -> Option<(Two, Two)> {
    let (plane, share) = quantity.strip_prefix("support[")?.split_once("] ")?;
    let (i, j) = plane.split_once(',')?;
    let (k, n) = share.split_once('/')?;
    let number = |text: &str| text.trim().parse::<usize>().ok();
    let (k, n) = (number(k)?, number(n)?);
    (k < n).then_some(((number(i)?, number(j)?), (k, n)))
}

fn outlines(run: &Run) -> Option<(Two, Outlines)> {
    let rows = run.probes.iter().filter_map(|probe| {
        let (plane, which) = direction(&probe.quantity)?;
        Some((probe.t, plane, which, probe.value.filter(|v| v.is_finite())?))
    });
    let rows: Vec<(u64, Two, Two, f64)> = rows.collect();
    let plane = rows.first()?.1;
    let mut steps: Vec<u64> = rows.iter().filter(|row| row.1 == plane).map(|row| row.0).collect();
    steps.sort_unstable();
    steps.dedup();
    let all = steps.into_iter().filter_map(|t| {
        let now = rows.iter().filter(|row| row.0 == t && row.1 == plane);
        let supports: Vec<(f64, f64)> =
            now.map(|(_, _, (k, n), most)| (TAU * *k as f64 / *n as f64, *most)).collect();
        let outline = polygon(&supports);
        (outline.len() >= 3).then_some((t, outline))
    });
    let all = chosen_of(all.collect());
    (!all.is_empty()).then_some((plane, all))
}

fn chosen_of(all: Outlines) -> Outlines {
    let n = all.len();
    if n <= OUTLINES {
        return all;
    }
    let kept = |i: usize| (0..OUTLINES).any(|k| k * (n - 1) / (OUTLINES - 1) == i);
    all.into_iter().enumerate().filter(|(i, _)| kept(*i)).map(|(_, outline)| outline).collect()
}

/// The points p with cos(a) p.0 + sin(a) p.1 <= h for all (a, h): a large square, cut by one line
/// after the other.
fn polygon(supports: &[(f64, f64)]) -> Vec<Point> {
    let most = 4.0 * supports.iter().map(|(_, h)| h.abs()).fold(1.0, f64::max);
    let half_planes = supports.iter().map(|(angle, h)| (angle.cosine(), angle.sine(), *h));
    let corners = polygon_within((-most, most), (-most, most), half_planes, 0.0);
    // a set without an end in some direction has no outline
    let ends = |p: &Point| p.0.abs() < 0.99 * most && p.1.abs() < 0.99 * most;
    if corners.iter().all(ends) { corners } else { Vec::new() }
}

fn area(outline: &[Point]) -> f64 {
    let next = outline.iter().skip(1).chain(outline.first());
    0.5 * outline.iter().zip(next).map(|(p, q)| p.0 * q.1 - q.0 * p.1).sum::<f64>().abs()
}

/// Whether a convex outline has a point.
fn has(outline: &[Point], p: Point) -> bool {
    let next = outline.iter().skip(1).chain(outline.first());
    let sides: Vec<f64> = outline
        .iter()
        .zip(next)
        .map(|(a, b)| (b.0 - a.0) * (p.1 - a.1) - (b.1 - a.1) * (p.0 - a.0))
        .collect();
    sides.iter().all(|side| *side >= -1e-12) || sides.iter().all(|side| *side <= 1e-12)
}

/// What the first and the last outlines say.
fn headline(plots: &[Plot]) -> &'static str {
    let shrinks = |plot: &Plot| match (plot.shapes.first(), plot.shapes.last()) {
        (Some(first), Some(last)) => area(&last.outline) < 0.5 * area(&first.outline),
        _ => false,
    };
    let keeps = |plot: &Plot| match (plot.shapes.last(), plot.marks.first().and_then(|m| m.points.first())) {
        (Some(last), Some(theta)) => has(&last.outline, *theta),
        _ => false,
    };
    match (plots.iter().all(shrinks), plots.iter().all(keeps)) {
        (true, true) => "The confidence set closes in on θ*",
        _ => "The confidence set over time",
    }
}

fn plot(spec: &FigureSpec, title: String, (i, j): Two, outlines: &Outlines, theta: Option<&[f64]>) -> Plot {
    let last = outlines.len().saturating_sub(1).max(1) as f64;
    let colour = |n: usize| EARLY.mixed(LATE, n as f64 / last);
    let curve = |(n, (t, outline)): (usize, &(u64, Vec<Point>))| {
        let closed = outline.iter().chain(outline.first());
        Curve {
            // steps differ from run to run: only the first and the last are named
            label: match n {
                0 => "first outline".into(),
                n if n as f64 == last => "last outline".into(),
                _ => String::new(),
            },
            stroke: Stroke::new(colour(n), if *t == 0 { 2.4 } else { 3.0 }, Dash::Solid),
            points: closed.map(|&(x, y)| CurvePoint::at(x, y)).collect(),
            dots: false,
        }
    };
    let shape = |(n, (_, outline)): (usize, &(u64, Vec<Point>))| Shape {
        outline: outline.clone(),
        colour: colour(n),
        opacity: 0.07,
    };
    let truth = theta.and_then(|theta| Some((*theta.get(i)?, *theta.get(j)?)));
    let mark = |at: Point| Marks {
        label: "θ*".into(),
        colour: Colour::VERMILLION,
        marker: Marker::Circle,
        points: vec![at],
    };
    Plot {
        title,
        x: axis(&spec.x, &format!("θ[{i}]"), false),
        y: axis(&spec.y, &format!("θ[{j}]"), false),
        shapes: outlines.iter().enumerate().map(shape).collect(),
        curves: outlines.iter().enumerate().map(curve).collect(),
        marks: truth.map(mark).into_iter().collect(),
        close: true,
        ..Plot::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_polygon_is_what_its_supports_leave() {
        let around = |most: fn(f64) -> f64| -> Vec<(f64, f64)> {
            (0..16).map(|k| TAU * f64::from(k) / 16.0).map(|a| (a, most(a))).collect()
        };
        // the square [0, 1]^2: its support is max(cos, 0) + max(sin, 0), and 16 directions have all
        // of its sides
        let square = polygon(&around(|a| a.cosine().max(0.0) + a.sine().max(0.0)));
        assert!((area(&square) - 1.0).abs() < 1e-9, "{square:?}");
        // a disc of radius 1: the polygon around it has the area 16 tan(pi/16)
        let disc = polygon(&around(|_| 1.0));
        assert!((area(&disc) - 16.0 * (TAU / 32.0).tangent()).abs() < 1e-9);
        assert!(has(&square, (0.5, 0.9)) && !has(&square, (0.5, 1.1)) && has(&disc, (0.0, -1.0)));
        assert!(polygon(&around(|_| -1.0)).is_empty(), "nothing is left");
        assert!(polygon(&[(0.0, 1.0)]).is_empty(), "no end in some direction");
    }

    #[test]
    fn quantities_are_read() {
        assert_eq!(direction("support[0,12] 3/16"), Some(((0, 12), (3, 16))));
        for other in ["width", "support[0,1]", "support[0] 3/16", "support[0,1] 16/16", "support[a,b] 1/16"] {
            assert_eq!(direction(other), None, "{other}");
        }
    }
}
