//! One coordinate system with curves and their bands, guides, shapes and marks.

use super::axis::{Scale, Tick, ends, round_step};
use super::canvas::{Anchor, Canvas, Point};
use super::parts::{Axis, Marks, TEXT, TICK};
use super::plane::{Plane, clipped, mark};
use super::style::{Colour, Dash, Stroke};
use super::typeface::text_width;
use super::words::{at_most, shortened, wrapped};

/// One point of a curve.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct CurvePoint {
    pub(crate) x: f64,
    pub(crate) y: f64,
    /// The band around it, if there is one.
    pub(crate) band: Option<(f64, f64)>,
    /// A wider one around that.
    pub(crate) outer: Option<(f64, f64)>,
}

impl CurvePoint {
    /// A point without a band.
    pub(crate) fn at(x: f64, y: f64) -> CurvePoint {
        CurvePoint { x, y, ..CurvePoint::default() }
    }
}

/// A curve; curves of the same label share one line of the legend.
#[derive(Clone, Debug)]
pub(crate) struct Curve {
    pub(crate) label: String,
    pub(crate) stroke: Stroke,
    /// By growing x, unless it is an outline.
    pub(crate) points: Vec<CurvePoint>,
    /// Whether every point has a mark.
    pub(crate) dots: bool,
}

/// A filled outline.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(crate) outline: Vec<(f64, f64)>,
    pub(crate) colour: Colour,
    pub(crate) opacity: f64,
}

/// One coordinate system.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plot {
    pub(crate) title: String,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    /// Below everything.
    pub(crate) shapes: Vec<Shape>,
    /// Lines that help the eye, and that no axis is chosen for.
    pub(crate) guides: Vec<Curve>,
    /// Later ones lie upon earlier ones.
    pub(crate) curves: Vec<Curve>,
    pub(crate) marks: Vec<Marks>,
    /// Whether axes show the data closely, zero or not.
    pub(crate) close: bool,
    /// What an empty one says.
    pub(crate) empty: String,
}

/// What is this much smaller than the largest value is rounding: it decides no axis.
const ROUNDING: f64 = 1e-9;

impl Plot {
    pub(super) fn scales(&self) -> (Scale, Scale) {
        let (x_low, x_high) = self.x.range.unwrap_or_else(|| self.x_range());
        let (y_low, y_high) = self.y.range.unwrap_or_else(|| self.y_range());
        (Scale::new(x_low, x_high, self.x.log), Scale::new(y_low, y_high, self.y.log))
    }

    /// The range of what is drawn along one axis.
    fn span(values: impl Iterator<Item = f64>, log: bool) -> Option<(f64, f64)> {
        let known: Vec<f64> = values.filter(|v| v.is_finite()).collect();
        let most = known.iter().copied().fold(0.0, f64::max);
        let counted = known.into_iter().filter(|v| !log || *v > ROUNDING * most);
        Some(ends(counted)).filter(|(low, high)| low <= high)
    }

    fn x_range(&self) -> (f64, f64) {
        let curves = self.curves.iter().flat_map(|c| c.points.iter().map(|p| p.x));
        let marks = self.marks.iter().flat_map(|m| m.points.iter().map(|p| p.0));
        let shapes = self.shapes.iter().flat_map(|s| s.outline.iter().map(|p| p.0));
        let Some((low, high)) = Plot::span(curves.chain(marks).chain(shapes), self.x.log) else {
            return if self.x.log { (1.0, 10.0) } else { (0.0, 1.0) };
        };
        match (self.x.log, self.close) {
            (true, _) if high > low => (low, high),
            (true, _) => (low / 2.0, high * 2.0),
            (false, true) => aired(low, high),
            (false, false) => (low.min(0.0), high),
        }
    }

    /// Shows every mean and mark. A band near zero would stretch a logarithmic axis without end: it may
    /// be cut off.
    pub(super) fn y_range(&self) -> (f64, f64) {
        let points = || self.curves.iter().flat_map(|c| &c.points);
        let marks = self.marks.iter().flat_map(|m| m.points.iter().map(|p| p.1));
        let shapes = self.shapes.iter().flat_map(|s| s.outline.iter().map(|p| p.1));
        let means = points().map(|p| p.y).chain(marks).chain(shapes);
        let Some((mut low, mut high)) = Plot::span(means, self.y.log) else {
            return if self.y.log { (1.0, 10.0) } else { (0.0, 1.0) };
        };
        let bands = || points().flat_map(|p| [p.band, p.outer]).flatten();
        let (least, most) = Plot::span(bands().flat_map(|(l, h)| [l, h]), self.y.log).unwrap_or((low, high));
        if self.y.log {
            (low, high) = (low.min(least.max(low / 3.0)), high.max(most.min(high * 3.0)));
            return (low / 1.15, high * 1.15);
        }
        // a band of few early runs may be far wider than all means: it is cut off
        let span = high - low.min(0.0);
        (low, high) = (low.min(least.max(low - span)), high.max(most.min(high + span)));
        if self.close {
            return aired(low, high);
        }
        let (low, high) = (low.min(0.0), high.max(0.0));
        let span = (high - low).max(1e-12);
        // zero keeps a little air below it, so that a curve along it stays visible
        let step = round_step(span / 14.0);
        (low - 0.025 * span, ((high + 0.02 * span) / step).ceil() * step)
    }

    fn y_ticks(&self, y: &Scale, height: f64) -> Vec<Tick> {
        let ticks = y.ticks(((height / 76.0) as usize).clamp(2, 7));
        let every = ticks.len().div_ceil(((height / 34.0) as usize).max(2)).max(1);
        ticks.into_iter().step_by(every).collect()
    }

    /// The room that the y axis needs for its title and its ticks' labels.
    pub(super) fn left_edge(&self, y: &Scale, height: f64) -> f64 {
        let title = if self.y.title.is_empty() { 14.0 } else { 52.0 };
        self.y_ticks(y, height).iter().map(|t| text_width(&t.1, TICK)).fold(0.0, f64::max) + title
    }

    pub(super) fn draw(&self, canvas: &mut Canvas, plane: &Plane) {
        self.draw_axes(canvas, plane);
        self.draw_below(canvas, plane);
        for curve in self.guides.iter().chain(&self.curves) {
            for piece in visible(curve, plane) {
                canvas.line(&piece, curve.stroke);
            }
        }
        for curve in self.curves.iter() {
            // one point is no line: it must be seen all the same
            let dots = curve.dots || visible(curve, plane).is_empty();
            for point in curve.points.iter().filter(|_| dots) {
                dot(canvas, plane, (point.x, point.y), curve.stroke.colour);
            }
        }
        for marks in &self.marks {
            for &(x, y) in &marks.points {
                if let Some(at) = inside(plane, (x, y)) {
                    mark(canvas, at, marks.colour, marks.marker);
                }
            }
        }
    }

    fn draw_axes(&self, canvas: &mut Canvas, plane: &Plane) {
        let frame = plane.frame;
        let (width, height) = (frame.right - frame.left, frame.bottom - frame.top);
        if !self.title.is_empty() {
            let title = shortened(&self.title, TEXT, width);
            canvas.text(&title, (frame.left, frame.top - 18.0), TEXT, Colour::INK, Anchor::Start);
        }
        let hair = Stroke::new(Colour::GRID, 2.0, Dash::Solid);
        for (value, text) in self.y_ticks(&plane.y, height) {
            let Some(at) = plane.to_y(value) else { continue };
            canvas.line(&[(frame.left, at), (frame.right, at)], hair);
            canvas.text(&text, (frame.left - 14.0, at + 8.0), TICK, Colour::SLATE, Anchor::End);
        }
        let axis = Stroke::new(Colour::SLATE, 2.0, Dash::Solid);
        for (at, text) in plane.x_ticks(120.0, 20.0) {
            canvas.line(&[(at, frame.bottom), (at, frame.bottom + 8.0)], axis);
            canvas.text(&text, (at, frame.bottom + 36.0), TICK, Colour::SLATE, Anchor::Middle);
        }
        canvas.line(&[(frame.left, frame.bottom), (frame.right, frame.bottom)], axis);
        let middle = ((frame.left + frame.right) / 2.0, (frame.top + frame.bottom) / 2.0);
        let x_title = shortened(&self.x.title, TEXT, width + 60.0);
        canvas.text(&x_title, (middle.0, frame.bottom + 80.0), TEXT, Colour::INK, Anchor::Middle);
        let side = (frame.left - self.left_edge(&plane.y, height) + 20.0, middle.1);
        canvas.upward_text(&shortened(&self.y.title, TEXT, height + 60.0), side, TEXT, Colour::INK);
        if self.curves.is_empty() && self.marks.is_empty() && self.shapes.is_empty() {
            let lines = at_most(wrapped(&self.empty, TEXT, 0.9 * width), 3, TEXT, 0.9 * width);
            for (i, line) in lines.iter().enumerate() {
                let place = (middle.0, middle.1 + 34.0 * i as f64);
                canvas.text(line, place, TEXT, Colour::SLATE, Anchor::Middle);
            }
        }
    }

    /// Shapes and bands.
    fn draw_below(&self, canvas: &mut Canvas, plane: &Plane) {
        let frame = plane.frame;
        for shape in &self.shapes {
            let place = |&(x, y): &(f64, f64)| {
                let (x, y) = (plane.to_x(x)?, plane.to_y(y)?);
                Some((x.clamp(frame.left, frame.right), y.clamp(frame.top, frame.bottom)))
            };
            let outline: Vec<Point> = shape.outline.iter().filter_map(place).collect();
            if outline.len() >= 3 {
                canvas.shape(&outline, shape.colour, shape.opacity);
            }
        }
        for curve in &self.curves {
            let outer = outline(curve, plane, |p| p.outer);
            let band = outline(curve, plane, |p| p.band);
            let opacity = if outer.is_empty() { 0.16 } else { 0.13 };
            for shape in [outer, band].iter().filter(|shape| shape.len() >= 4) {
                canvas.shape(shape, curve.stroke.colour, opacity);
            }
        }
    }

    /// Where a curve ends, within the frame.
    pub(super) fn end_of(curve: &Curve, plane: &Plane) -> Option<Point> {
        let line = visible(curve, plane).last().and_then(|piece| piece.last().copied());
        line.or_else(|| curve.points.iter().rev().find_map(|p| inside(plane, (p.x, p.y))))
    }
}

/// A little more than a range, on both sides.
fn aired(low: f64, high: f64) -> (f64, f64) {
    let span = (high - low).max(1e-3 * high.abs().max(1e-9));
    (low - 0.06 * span, high + 0.06 * span)
}

/// The pieces of a curve that lie in the frame.
fn visible(curve: &Curve, plane: &Plane) -> Vec<Vec<Point>> {
    let frame = plane.frame;
    let place = |p: &CurvePoint| Some((plane.to_x(p.x).filter(|x| frame.spans_x(*x))?, plane.to_y(p.y)?));
    let places: Vec<Option<Point>> = curve.points.iter().map(place).collect();
    clipped(&places, frame.top, frame.bottom)
}

/// The outline of a band, cut off at the frame.
fn outline(curve: &Curve, plane: &Plane, band: fn(&CurvePoint) -> Option<(f64, f64)>) -> Vec<Point> {
    let frame = plane.frame;
    let edge = |high: bool| {
        curve.points.iter().filter_map(move |p| {
            let (low, top) = band(p)?;
            // without a logarithm it is below all others
            let y = plane.to_y(if high { top } else { low }).unwrap_or(frame.bottom);
            let x = plane.to_x(p.x).filter(|x| frame.spans_x(*x))?;
            Some((x, y.clamp(frame.top, frame.bottom)))
        })
    };
    let up: Vec<Point> = edge(true).collect();
    edge(false).chain(up.into_iter().rev()).collect()
}

/// Where a point lies, if it lies in the frame.
fn inside(plane: &Plane, (x, y): (f64, f64)) -> Option<Point> {
    let frame = plane.frame;
    let (x, y) = (plane.to_x(x)?, plane.to_y(y)?);
    (frame.spans_x(x) && (frame.top - 0.5..=frame.bottom + 0.5).contains(&y)).then_some((x, y))
}

/// A full dot with a white rim.
fn dot(canvas: &mut Canvas, plane: &Plane, place: (f64, f64), colour: Colour) {
    if let Some(at) = inside(plane, place) {
        canvas.disc(at, 9.0, Colour::WHITE);
        canvas.disc(at, 7.0, colour);
    }
}
