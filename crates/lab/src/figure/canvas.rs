//! Drawing in the coordinates of the finished picture, to SVG or to pixels.
//!
//! Both are drawn at [`FINE`] times their size, because plotters knows whole pixels only: the SVG
//! is then shown smaller, and the pixels are averaged, which also smooths the edges of lines and
//! letters.

use super::style::{Colour, FAMILY, Stroke};
use super::typeface;
use crate::{Error, Result};
use goalward::numeric::Portable;
use plotters::backend::{BitMapBackend, DrawingBackend, SVGBackend};
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::element::{Circle, EmptyElement, PathElement, Polygon, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontTransform, IntoFont, ShapeStyle, TextStyle};

/// How much finer than the finished picture everything is drawn.
const FINE: u32 = 3;

/// A point in the finished picture, y downwards.
pub(crate) type Point = (f64, f64);

/// Which end of a text its place is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

impl Anchor {
    /// Which share of the text lies before its place.
    fn share(self) -> f64 {
        match self {
            Anchor::Start => 0.0,
            Anchor::Middle => 0.5,
            Anchor::End => 1.0,
        }
    }
}

/// A surface to draw on.
pub(crate) struct Canvas<'a, DB: DrawingBackend> {
    area: &'a DrawingArea<DB, Shift>,
    medium: Medium,
}

/// What is drawn on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Medium {
    /// Text stays text, and lines are whole.
    Svg,
    /// Letters are filled here. Lines are drawn segment by segment with round joints: plotters' own
    /// joints of thick lines leave holes where a line turns sharply.
    Pixels,
}

/// How far above the baseline an SVG wants a text's place, in units of its size.
const RISE: f64 = 0.76 / 1.24;

/// Draws an SVG of the given size.
pub(crate) fn svg(
    size: (u32, u32),
    title: &str,
    draw: impl FnOnce(&Canvas<SVGBackend>) -> Result<()>,
) -> Result<String> {
    let mut text = String::new();
    let fine = (size.0 * FINE, size.1 * FINE);
    {
        let area = SVGBackend::with_string(&mut text, fine).into_drawing_area();
        draw(&Canvas { area: &area, medium: Medium::Svg })?;
        area.present().map_err(failed)?;
    }
    let head = format!("width=\"{}\" height=\"{}\"", fine.0, fine.1);
    let shown = format!(
        "width=\"{}\" height=\"{}\" stroke-linejoin=\"round\" role=\"img\" aria-label=\"{}\"",
        size.0,
        size.1,
        printable(title).replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;")
    );
    Ok(text.replacen(&head, &shown, 1))
}

/// Draws a PNG of the given size.
pub(crate) fn png(
    size: (u32, u32),
    draw: impl FnOnce(&Canvas<BitMapBackend>) -> Result<()>,
) -> Result<Vec<u8>> {
    let fine = (size.0 * FINE, size.1 * FINE);
    let mut pixels = vec![255u8; fine.0 as usize * fine.1 as usize * 3];
    {
        let area = BitMapBackend::with_buffer(&mut pixels, fine).into_drawing_area();
        draw(&Canvas { area: &area, medium: Medium::Pixels })?;
        area.present().map_err(failed)?;
    }
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, size.0, size.1);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(failed)?;
    writer.write_image_data(&averaged(&pixels, size)).map_err(failed)?;
    writer.finish().map_err(failed)?;
    Ok(out)
}

/// The mean of every block of FINE x FINE pixels.
fn averaged(fine: &[u8], size: (u32, u32)) -> Vec<u8> {
    let (width, height, n) = (size.0 as usize, size.1 as usize, FINE as usize);
    let mut out = Vec::with_capacity(width * height * 3);
    for y in 0..height {
        for x in 0..width {
            for channel in 0..3 {
                let block = (0..n * n).map(|i| (x * n + i % n, y * n + i / n));
                let sum: usize =
                    block.map(|(fx, fy)| usize::from(fine[(fy * width * n + fx) * 3 + channel])).sum();
                out.push(((sum + n * n / 2) / (n * n)) as u8);
            }
        }
    }
    out
}

/// Without the signs that XML forbids and nobody sees.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn failed(error: impl std::fmt::Display) -> Error {
    Error::Figure { reason: error.to_string() }
}

fn fine(length: f64) -> i32 {
    (length * f64::from(FINE)).round() as i32
}

fn fine_point((x, y): Point) -> (i32, i32) {
    (fine(x), fine(y))
}

/// The width of a text in the finished picture.
pub(crate) fn text_width(text: &str, size: f64) -> f64 {
    typeface::width(text, size)
}

impl<DB: DrawingBackend> Canvas<'_, DB> {
    /// The whole surface in one colour.
    pub(crate) fn fill(&self, colour: Colour) -> Result<()> {
        self.area.fill(&colour.rgb()).map_err(failed)
    }

    /// A line through points, broken as the stroke says; less than two points draw nothing.
    pub(crate) fn line(&self, points: &[Point], stroke: Stroke) -> Result<()> {
        for piece in dashes(points, stroke) {
            self.unbroken(&piece, stroke)?;
        }
        Ok(())
    }

    fn unbroken(&self, points: &[Point], stroke: Stroke) -> Result<()> {
        let mut points: Vec<(i32, i32)> = points.iter().map(|&p| fine_point(p)).collect();
        points.dedup();
        if points.len() < 2 {
            return Ok(());
        }
        let width = fine(stroke.width).max(1) as u32;
        let style = ShapeStyle::from(&stroke.colour.rgb()).stroke_width(width);
        if self.medium == Medium::Svg {
            return self.area.draw(&PathElement::new(points, style)).map_err(failed);
        }
        for pair in points.windows(2) {
            self.area.draw(&PathElement::new(pair.to_vec(), style)).map_err(failed)?;
        }
        let joint = ShapeStyle::from(&stroke.colour.rgb()).filled();
        for &place in &points[1..points.len() - 1] {
            self.area.draw(&Circle::new(place, (width / 2) as i32, joint)).map_err(failed)?;
        }
        Ok(())
    }

    /// A filled shape, more or less opaque.
    pub(crate) fn shape(&self, points: &[Point], colour: Colour, opacity: f64) -> Result<()> {
        let points: Vec<(i32, i32)> = points.iter().map(|&p| fine_point(p)).collect();
        self.area.draw(&Polygon::new(points, colour.rgb().mix(opacity).filled())).map_err(failed)
    }

    /// A full circle.
    pub(crate) fn disc(&self, at: Point, radius: f64, colour: Colour) -> Result<()> {
        let style = ShapeStyle::from(&colour.rgb()).filled();
        self.area.draw(&Circle::new(fine_point(at), fine(radius), style)).map_err(failed)
    }

    /// A text whose baseline begins, is centred or ends at a place.
    pub(crate) fn text(
        &self,
        text: &str,
        (x, y): Point,
        size: f64,
        colour: Colour,
        anchor: Anchor,
    ) -> Result<()> {
        match self.medium {
            Medium::Svg => self.place(text, (x, y - RISE * size), size, colour, anchor, FontTransform::None),
            Medium::Pixels => {
                let (x, y) = (x - anchor.share() * text_width(text, size), y);
                self.letters(text, size, colour, |(along, above)| (x + along, y - above))
            }
        }
    }

    /// A text that reads upwards, its baseline centred at a place.
    pub(crate) fn upward_text(&self, text: &str, (x, y): Point, size: f64, colour: Colour) -> Result<()> {
        match self.medium {
            Medium::Svg => {
                let place = (x - RISE * size, y);
                self.place(text, place, size, colour, Anchor::Middle, FontTransform::Rotate270)
            }
            Medium::Pixels => {
                let y = y + Anchor::Middle.share() * text_width(text, size);
                self.letters(text, size, colour, |(along, above)| (x - above, y - along))
            }
        }
    }

    /// Letters as shapes; `turn` takes a point along and above the baseline to its place.
    fn letters(&self, text: &str, size: f64, colour: Colour, turn: impl Fn(Point) -> Point) -> Result<()> {
        let scale = f64::from(FINE);
        let place = |at: Point| {
            let (x, y) = turn(at);
            (scale * x, scale * y)
        };
        typeface::fill(text, size, place, |at, share| {
            self.area.draw_pixel(at, &colour.rgb().mix(share)).map_err(failed)
        })
    }

    /// A text of an SVG.
    fn place(
        &self,
        text: &str,
        at: Point,
        size: f64,
        colour: Colour,
        anchor: Anchor,
        transform: FontTransform,
    ) -> Result<()> {
        let h = match anchor {
            Anchor::Start => HPos::Left,
            Anchor::Middle => HPos::Center,
            Anchor::End => HPos::Right,
        };
        let font = (FAMILY, size * f64::from(FINE)).into_font().transform(transform);
        let colour = colour.rgb();
        let style = TextStyle::from(font).color(&colour).pos(Pos::new(h, VPos::Top));
        let element = EmptyElement::at(fine_point(at)) + Text::new(printable(text), (0, 0), style);
        self.area.draw(&element).map_err(failed)
    }
}

/// The pieces of a line that a stroke draws.
fn dashes(points: &[Point], stroke: Stroke) -> Vec<Vec<Point>> {
    let pattern = stroke.dash.pattern();
    let (Some(&first), false) = (points.first(), pattern.is_empty()) else {
        return vec![points.to_vec()];
    };
    let length = |i: usize| pattern[i % pattern.len()] * stroke.width;
    let mut pieces = vec![vec![first]];
    let (mut index, mut left) = (0, length(0));
    for pair in points.windows(2) {
        let (mut from, to) = (pair[0], pair[1]);
        loop {
            let distance = (to.0 - from.0).hypotenuse(to.1 - from.1);
            let drawn = index % 2 == 0;
            if distance < left {
                left -= distance;
                if drawn && let Some(piece) = pieces.last_mut() {
                    piece.push(to);
                }
                break;
            }
            let share = left / distance;
            from = (from.0 + share * (to.0 - from.0), from.1 + share * (to.1 - from.1));
            match pieces.last_mut() {
                Some(piece) if drawn => piece.push(from),
                _ => pieces.push(vec![from]),
            }
            index += 1;
            left = length(index);
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::style::Dash;

    #[test]
    fn dashes_have_the_right_length() {
        let stroke = Stroke::new(Colour::INK, 10.0, Dash::Dashed);
        let pieces = dashes(&[(0.0, 0.0), (50.0, 0.0), (100.0, 0.0), (130.0, 0.0)], stroke);
        let ends: Vec<(f64, f64)> = pieces.iter().map(|p| (p[0].0, p[p.len() - 1].0)).collect();
        assert_eq!(ends, [(0.0, 36.0), (60.0, 96.0), (120.0, 130.0)]);
        let solid = Stroke::new(Colour::INK, 10.0, Dash::Solid);
        assert_eq!(dashes(&[(0.0, 0.0), (9.0, 9.0)], solid).len(), 1);
    }
}
