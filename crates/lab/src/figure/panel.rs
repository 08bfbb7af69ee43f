//! One coordinate system: axes, bands, lines and marks inside a frame.

use super::axis::{Scale, round_step};
use super::canvas::{Anchor, Canvas, Point, text_width};
use super::parts::{Panel, TEXT, TICK};
use super::plane::{Frame, Plane, clipped, mark};
use super::style::{Colour, Dash, Stroke};
use crate::Result;
use plotters::backend::DrawingBackend;

/// Early points are few episodes and much noise: this share of the x axis does not decide the range
/// of y.
const UNSETTLED: f64 = 0.04;

/// Panels that measure the same thing get the same y axis, named once: side by side they are there
/// to be compared.
pub(super) fn share_y(panels: &mut [Panel]) {
    let Some((first, rest)) = panels.split_first_mut() else { return };
    let alike = |p: &Panel| p.y.title == first.y.title && p.y.log == first.y.log && p.y.range.is_none();
    if rest.is_empty() || first.y.range.is_some() || !rest.iter().all(alike) {
        return;
    }
    let range_of = |p: &Panel| p.y_range(&p.scales().0);
    let (low, high) = rest.iter().fold(range_of(first), |(low, high), p| {
        let (l, h) = range_of(p);
        (low.min(l), high.max(h))
    });
    first.y.range = Some((low, high));
    for panel in rest {
        panel.y.range = Some((low, high));
        panel.y.title.clear();
    }
}

impl Panel {
    pub(super) fn scales(&self) -> (Scale, Scale) {
        let xs = self.series.iter().flat_map(|s| s.points.iter().map(|p| p.x));
        let x_high = xs.clone().fold(f64::NEG_INFINITY, f64::max);
        let x_low = if self.x.log { xs.filter(|x| *x > 0.0).fold(f64::INFINITY, f64::min) } else { 0.0 };
        let (x_low, x_high) = self.x.range.unwrap_or((x_low, x_high));
        let x = Scale::new(x_low, x_high, self.x.log);
        let (y_low, y_high) = self.y.range.unwrap_or_else(|| self.y_range(&x));
        (x, Scale::new(y_low, y_high, self.y.log))
    }

    /// The room that the y axis needs for its title and its ticks' labels.
    pub(super) fn left_edge(&self, y: &Scale) -> f64 {
        let title = if self.y.title.is_empty() { 14.0 } else { 52.0 };
        y.ticks(7).iter().map(|t| text_width(&t.1, TICK)).fold(0.0, f64::max) + title
    }

    fn y_range(&self, x: &Scale) -> (f64, f64) {
        let settled = |at: f64| x.at(at).is_some_and(|place| place >= UNSETTLED);
        let curves = self.series.iter().flat_map(|s| &s.points).filter(|p| settled(p.x));
        // a band that comes near zero would stretch a logarithmic axis without end
        let bands = curves.flat_map(|p| match p.band {
            Some((low, high)) if !self.y.log => [low, high],
            _ => [p.mean, p.mean],
        });
        let marks = self.marks.iter().flat_map(|m| m.points.iter().map(|p| p.1));
        let values = bands.chain(marks).filter(|y| y.is_finite() && (!self.y.log || *y > 0.0));
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), y| (l.min(y), h.max(y)));
        if low > high {
            return (if self.y.log { 1.0 } else { 0.0 }, if self.y.log { 10.0 } else { 1.0 });
        }
        if self.y.log {
            return ((low / 1.15).max(high / 1e6), high * 1.15);
        }
        let low = low.min(0.0);
        let span = (high.max(0.0) - low).max(1e-12);
        // zero keeps a little air below it, so that a curve along it stays visible
        let step = round_step(span / 14.0);
        (low - 0.025 * span, ((high + 0.02 * span) / step).ceil() * step)
    }

    pub(super) fn draw<DB: DrawingBackend>(
        &self,
        canvas: &Canvas<DB>,
        frame: &Frame,
        scales: (Scale, Scale),
    ) -> Result<()> {
        let plane = Plane { frame, x: scales.0, y: scales.1 };
        self.draw_axes(canvas, &plane)?;
        self.draw_bands(canvas, &plane)?;
        self.draw_lines(canvas, &plane)
    }

    fn draw_axes<DB: DrawingBackend>(&self, canvas: &Canvas<DB>, plane: &Plane) -> Result<()> {
        let frame = plane.frame;
        if !self.title.is_empty() {
            canvas.text(&self.title, (frame.left, frame.top - 18.0), TEXT, Colour::INK, Anchor::Start)?;
        }
        let hair = Stroke::new(Colour::GRID, 2.0, Dash::Solid);
        for (value, text) in plane.y.ticks(7) {
            let Some(at) = plane.to_y(value) else { continue };
            canvas.line(&[(frame.left, at), (frame.right, at)], hair)?;
            canvas.text(&text, (frame.left - 14.0, at + 8.0), TICK, Colour::SLATE, Anchor::End)?;
        }
        let columns = ((frame.right - frame.left) / 120.0) as usize;
        for (value, text) in plane.x.ticks(columns.max(2)) {
            let Some(at) = plane.to_x(value) else { continue };
            let notch = Stroke::new(Colour::SLATE, 2.0, Dash::Solid);
            canvas.line(&[(at, frame.bottom), (at, frame.bottom + 8.0)], notch)?;
            canvas.text(&text, (at, frame.bottom + 36.0), TICK, Colour::SLATE, Anchor::Middle)?;
        }
        let axis = Stroke::new(Colour::SLATE, 2.0, Dash::Solid);
        canvas.line(&[(frame.left, frame.bottom), (frame.right, frame.bottom)], axis)?;
        let middle = (frame.left + frame.right) / 2.0;
        canvas.text(&self.x.title, (middle, frame.bottom + 80.0), TEXT, Colour::INK, Anchor::Middle)?;
        let side = (frame.left - self.left_edge(&plane.y) + 20.0, (frame.top + frame.bottom) / 2.0);
        canvas.upward_text(&self.y.title, side, TEXT, Colour::INK)
    }

    fn draw_bands<DB: DrawingBackend>(&self, canvas: &Canvas<DB>, plane: &Plane) -> Result<()> {
        let frame = plane.frame;
        for series in &self.series {
            let edge = |high: bool| {
                series.points.iter().filter_map(move |p| {
                    let (low, top) = p.band?;
                    let place = plane.to_y(if high { top } else { low }).unwrap_or(frame.bottom);
                    Some((plane.to_x(p.x)?, place.clamp(frame.top, frame.bottom)))
                })
            };
            let outline: Vec<Point> =
                edge(false).chain(edge(true).collect::<Vec<_>>().into_iter().rev()).collect();
            if outline.len() >= 6 {
                canvas.shape(&outline, series.stroke.colour, 0.16)?;
            }
        }
        Ok(())
    }

    /// Lines, and marks upon them.
    fn draw_lines<DB: DrawingBackend>(&self, canvas: &Canvas<DB>, plane: &Plane) -> Result<()> {
        let frame = plane.frame;
        for series in &self.series {
            let place = |x: f64, y: f64| Some((plane.to_x(x)?, plane.to_y(y)?));
            let places: Vec<Option<Point>> = series.points.iter().map(|p| place(p.x, p.mean)).collect();
            for piece in clipped(&places, frame.top, frame.bottom) {
                canvas.line(&piece, series.stroke)?;
            }
        }
        for marks in &self.marks {
            for &(at_x, at_y) in &marks.points {
                if let (Some(px), Some(py)) = (plane.to_x(at_x), plane.to_y(at_y))
                    && (frame.top..=frame.bottom).contains(&py)
                    && (frame.left..=frame.right).contains(&px)
                {
                    mark(canvas, (px, py), marks.colour, marks.marker)?;
                }
            }
        }
        Ok(())
    }
}
