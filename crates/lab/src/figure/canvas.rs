//! What is drawn, in the coordinates of the finished picture, and its SVG and PNG. Both are drawn at
//! [`FINE`] times their size, because plotters knows whole pixels only. Then the SVG is shown smaller,
//! and pixels are averaged, which also smooths edges.

use super::style::{Colour, FAMILY, Stroke};
use super::typeface::{fill, text_width};
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
/// How far above the baseline an SVG wants a text's place, in units of its size.
const RISE: f64 = 0.76 / 1.24;

/// A point in the finished picture, y downwards.
pub(crate) type Point = (f64, f64);
type Area<DB> = DrawingArea<DB, Shift>;

/// Which end of a text its place is.
#[derive(Clone, Copy)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

pub(super) enum Item {
    Line(Vec<Point>, Stroke),
    Shape(Vec<Point>, Colour, f64),
    Disc(Point, f64, Colour),
    Text(Label),
}

/// A text with the place of its baseline; an upward one is turned by a quarter.
pub(super) struct Label {
    text: String,
    at: Point,
    size: f64,
    colour: Colour,
    anchor: Anchor,
    upward: bool,
}

/// A white page and what is on it, each item upon those before it.
pub(crate) struct Canvas {
    pub(crate) title: String,
    pub(crate) size: (u32, u32),
    pub(super) items: Vec<Item>,
}

impl Canvas {
    pub(crate) fn new(title: &str, size: (u32, u32)) -> Canvas {
        Canvas { title: title.into(), size, items: Vec::new() }
    }

    /// A line through points, broken as the stroke says; less than two points draw nothing.
    pub(crate) fn line(&mut self, points: &[Point], stroke: Stroke) {
        self.items.push(Item::Line(points.to_vec(), stroke));
    }

    /// A filled shape, more or less opaque.
    pub(crate) fn shape(&mut self, points: &[Point], colour: Colour, opacity: f64) {
        self.items.push(Item::Shape(points.to_vec(), colour, opacity));
    }

    /// A full circle.
    pub(crate) fn disc(&mut self, at: Point, radius: f64, colour: Colour) {
        self.items.push(Item::Disc(at, radius, colour));
    }

    /// A text whose baseline begins, is centred or ends at a place.
    pub(crate) fn text(&mut self, text: &str, at: Point, size: f64, colour: Colour, anchor: Anchor) {
        let text = text.into();
        self.items.push(Item::Text(Label { text, at, size, colour, anchor, upward: false }));
    }

    /// A text that reads upwards, its baseline centred at a place.
    pub(crate) fn upward_text(&mut self, text: &str, at: Point, size: f64, colour: Colour) {
        let (text, anchor) = (text.into(), Anchor::Middle);
        self.items.push(Item::Text(Label { text, at, size, colour, anchor, upward: true }));
    }

    /// Draws an SVG; `alt` is its description for screen readers.
    pub(crate) fn svg(&self, alt: &str) -> Result<String> {
        let (width, height) = self.size;
        let fine = (width * FINE, height * FINE);
        let mut text = String::new();
        self.render(&SVGBackend::with_string(&mut text, fine).into_drawing_area(), true)?;
        let head = format!("width=\"{}\" height=\"{}\"", fine.0, fine.1);
        let shown = format!(
            "width=\"{width}\" height=\"{height}\" stroke-linejoin=\"round\" role=\"img\" aria-label=\"{}\"",
            printable(alt).replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;")
        );
        Ok(text.replacen(&head, &shown, 1))
    }

    pub(crate) fn png(&self) -> Result<Vec<u8>> {
        let (width, height) = self.size;
        let fine = (width * FINE, height * FINE);
        let mut pixels = vec![255u8; fine.0 as usize * fine.1 as usize * 3];
        self.render(&BitMapBackend::with_buffer(&mut pixels, fine).into_drawing_area(), false)?;
        let mut out = Vec::new();
        let mut encoder = png::Encoder::new(&mut out, width, height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header().map_err(failed)?;
        writer.write_image_data(&averaged(&pixels, self.size)).map_err(failed)?;
        writer.finish().map_err(failed)?;
        Ok(out)
    }

    /// In an SVG text stays text, and lines are whole. Of pixels, letters are filled here.
    fn render<DB: DrawingBackend>(&self, area: &Area<DB>, svg: bool) -> Result<()> {
        area.fill(&Colour::WHITE.rgb()).map_err(failed)?;
        for item in &self.items {
            match item {
                Item::Line(points, stroke) => {
                    let pieces = dashes(points, *stroke);
                    pieces.iter().try_for_each(|piece| unbroken(area, piece, *stroke, svg))?;
                }
                Item::Shape(points, colour, opacity) => {
                    let points: Vec<(i32, i32)> = points.iter().map(|&p| fine_point(p)).collect();
                    let style = colour.rgb().mix(*opacity).filled();
                    area.draw(&Polygon::new(points, style)).map_err(failed)?;
                }
                Item::Disc(at, radius, colour) => {
                    let style = ShapeStyle::from(&colour.rgb()).filled();
                    area.draw(&Circle::new(fine_point(*at), fine(*radius), style)).map_err(failed)?;
                }
                Item::Text(label) if svg => svg_text(area, label)?,
                Item::Text(label) => letters(area, label)?,
            }
        }
        area.present().map_err(failed)
    }
}

/// In pixels each segment is a line of its own with round joints: plotters' own joints of thick
/// lines leave holes where a line turns sharply.
fn unbroken<DB: DrawingBackend>(area: &Area<DB>, points: &[Point], stroke: Stroke, svg: bool) -> Result<()> {
    let mut points: Vec<(i32, i32)> = points.iter().map(|&p| fine_point(p)).collect();
    points.dedup();
    if points.len() < 2 {
        return Ok(());
    }
    let width = fine(stroke.width).max(1) as u32;
    let style = ShapeStyle::from(&stroke.colour.rgb()).stroke_width(width);
    if svg {
        return area.draw(&PathElement::new(points, style)).map_err(failed);
    }
    for pair in points.windows(2) {
        area.draw(&PathElement::new(pair.to_vec(), style)).map_err(failed)?;
    }
    let joint = ShapeStyle::from(&stroke.colour.rgb()).filled();
    for &place in &points[1..points.len() - 1] {
        area.draw(&Circle::new(place, (width / 2) as i32, joint)).map_err(failed)?;
    }
    Ok(())
}

fn svg_text<DB: DrawingBackend>(area: &Area<DB>, label: &Label) -> Result<()> {
    let &Label { at: (x, y), size, .. } = label;
    let (at, transform) = match label.upward {
        true => ((x - RISE * size, y), FontTransform::Rotate270),
        false => ((x, y - RISE * size), FontTransform::None),
    };
    let h = match label.anchor {
        Anchor::Start => HPos::Left,
        Anchor::Middle => HPos::Center,
        Anchor::End => HPos::Right,
    };
    let font = (FAMILY, size * f64::from(FINE)).into_font().transform(transform);
    let colour = label.colour.rgb();
    let style = TextStyle::from(font).color(&colour).pos(Pos::new(h, VPos::Top));
    let element = EmptyElement::at(fine_point(at)) + Text::new(printable(&label.text), (0, 0), style);
    area.draw(&element).map_err(failed)
}

/// Letters as shapes.
fn letters<DB: DrawingBackend>(area: &Area<DB>, label: &Label) -> Result<()> {
    let &Label { ref text, at: (x, y), size, .. } = label;
    let share = match label.anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => 0.5,
        Anchor::End => 1.0,
    };
    let (scale, before) = (f64::from(FINE), share * text_width(text, size));
    let place = |(along, above): Point| match label.upward {
        true => (scale * (x - above), scale * (y + before - along)),
        false => (scale * (x - before + along), scale * (y - above)),
    };
    let colour = label.colour.rgb();
    fill(text, size, place, |at, share| area.draw_pixel(at, &colour.mix(share)).map_err(failed))
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

/// Without control characters, which XML forbids.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn failed(error: impl std::fmt::Display) -> Error {
    Error::Unmade { what: "figure", reason: error.to_string() }
}

fn fine(length: f64) -> i32 {
    (length * f64::from(FINE)).round() as i32
}

fn fine_point((x, y): Point) -> (i32, i32) {
    (fine(x), fine(y))
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
