//! A frame with its scales, and what is drawn in it: lines that end at its edges, and marks.

use super::axis::{Scale, Tick};
use super::canvas::{Canvas, Point};
use super::parts::{Marker, TICK};
use super::style::{Colour, Dash, Stroke};
use super::typeface::text_width;
use goalward::numeric::Portable;
use std::f64::consts::{FRAC_PI_4, TAU};

/// Where the coordinate system is, in pixels of the finished picture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

impl Frame {
    /// Whether a place lies between the sides, up to rounding.
    pub(super) fn spans_x(&self, x: f64) -> bool {
        (self.left - 0.5..=self.right + 0.5).contains(&x)
    }
}

/// A frame with its scales.
pub(super) struct Plane<'a> {
    pub(super) frame: &'a Frame,
    pub(super) x: Scale,
    pub(super) y: Scale,
}

impl Plane<'_> {
    pub(super) fn to_x(&self, v: f64) -> Option<f64> {
        self.x.at(v).map(|p| self.frame.left + p * (self.frame.right - self.frame.left))
    }

    /// Places and texts of round numbers along x, one in about `every` pixels. Labels are `gap` apart.
    pub(super) fn x_ticks(&self, every: f64, gap: f64) -> Vec<(f64, String)> {
        let width = self.frame.right - self.frame.left;
        let mut ticks = self.x.ticks(((width / every) as usize).max(2));
        let wide: f64 = ticks.iter().map(|t| text_width(&t.1, TICK) + gap + 6.0).sum();
        if self.x.is_log() && wide > width {
            let power = |t: &Tick| (t.0.log_10() - t.0.log_10().round()).abs() < 1e-9;
            if ticks.iter().filter(|t| power(t)).count() > 1 {
                ticks.retain(power);
            }
        }
        let mut free = f64::NEG_INFINITY;
        let mut kept = Vec::new();
        for (value, text) in ticks {
            let half = 0.5 * text_width(&text, TICK);
            if let Some(at) = self.to_x(value).filter(|at| at - half >= free) {
                free = at + half + gap;
                kept.push((at, text));
            }
        }
        kept
    }

    pub(super) fn to_y(&self, v: f64) -> Option<f64> {
        self.y.at(v).map(|p| self.frame.bottom - p * (self.frame.bottom - self.frame.top))
    }
}

/// An open mark with a white rim, so that it stands out from the lines below it and hides no other
/// mark.
pub(super) fn mark(canvas: &mut Canvas, (x, y): Point, colour: Colour, marker: Marker) {
    let (corners, radius, turn) = match marker {
        Marker::Circle => (28, 8.0, 0.0),
        Marker::Square => (4, 10.0, FRAC_PI_4),
    };
    let corner = |i: u32| {
        let angle = turn + TAU * f64::from(i) / f64::from(corners);
        (x + radius * angle.cosine(), y + radius * angle.sine())
    };
    // once around and a little further, so that the line's ends make a corner like the others
    let outline: Vec<Point> = (0..=corners + 1).map(corner).collect();
    canvas.line(&outline, Stroke::new(Colour::WHITE, 7.0, Dash::Solid));
    canvas.line(&outline, Stroke::new(colour, 3.2, Dash::Solid));
}

/// The pieces of a line between two heights; a missing point breaks it.
pub(super) fn clipped(points: &[Option<Point>], top: f64, bottom: f64) -> Vec<Vec<Point>> {
    let inside = |p: Point| (top..=bottom).contains(&p.1);
    let mut pieces: Vec<Vec<Point>> = vec![Vec::new()];
    let mut extend = |p: Point, new: bool| match pieces.last_mut() {
        Some(piece) if !new => piece.push(p),
        _ => pieces.push(vec![p]),
    };
    let mut previous: Option<Point> = None;
    for &point in points {
        if let (Some(a), Some(b)) = (previous, point) {
            let mut cuts: Vec<f64> = [top, bottom]
                .iter()
                .map(|edge| (edge - a.1) / (b.1 - a.1))
                .filter(|share| *share > 0.0 && *share < 1.0)
                .collect();
            cuts.sort_by(f64::total_cmp);
            let cut = |share: f64| {
                let y = (a.1 + share * (b.1 - a.1)).clamp(top, bottom);
                (a.0 + share * (b.0 - a.0), y)
            };
            match (inside(a), inside(b), cuts.as_slice()) {
                (true, true, _) => extend(b, false),
                (true, false, [share, ..]) => extend(cut(*share), false),
                (false, true, [.., share]) => {
                    extend(cut(*share), true);
                    extend(b, false);
                }
                (false, false, [first, second]) => {
                    extend(cut(*first), true);
                    extend(cut(*second), false);
                }
                (false, true, []) => extend(b, true),
                _ => {}
            }
        } else if let Some(b) = point
            && inside(b)
        {
            extend(b, true);
        }
        previous = point;
    }
    pieces.retain(|piece| piece.len() > 1);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_at_the_frame() {
        let points: Vec<Option<Point>> =
            [(0.0, -10.0), (10.0, 10.0), (20.0, 30.0), (30.0, -10.0)].into_iter().map(Some).collect();
        let pieces = clipped(&points, 0.0, 20.0);
        assert_eq!(pieces[0], [(5.0, 0.0), (10.0, 10.0), (15.0, 20.0)]);
        assert_eq!(pieces[1], [(22.5, 20.0), (27.5, 0.0)]);
        let broken = [Some((0.0, 1.0)), Some((1.0, 1.0)), None, Some((2.0, 1.0)), Some((3.0, 1.0))];
        assert_eq!(clipped(&broken, 0.0, 20.0).len(), 2);
    }
}
