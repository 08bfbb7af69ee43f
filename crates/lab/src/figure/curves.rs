//! The curve figure: mean lines with bands, in one panel or several side by side, with one legend below.

use super::axis::{Scale, round_step};
use super::canvas::{self, Anchor, Canvas, Point, text_width};
use super::style::{Colour, Dash, Stroke};
use crate::{Result, files};
use plotters::backend::DrawingBackend;
use std::f64::consts::{FRAC_PI_4, TAU};
use std::path::{Path, PathBuf};

/// One point of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BandPoint {
    /// Where on the x axis.
    pub x: f64,
    /// The mean.
    pub mean: f64,
    /// The band around it, if there is one.
    pub band: Option<(f64, f64)>,
}

/// A curve; curves of the same label share one line of the legend.
#[derive(Clone, Debug)]
pub struct Series {
    /// What the legend says.
    pub label: String,
    /// How it looks.
    pub stroke: Stroke,
    /// Its points, by growing x.
    pub points: Vec<BandPoint>,
}

/// The shape of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marker {
    /// An open circle.
    Circle,
    /// An open square.
    Square,
}

/// Points without a line, such as somebody else's numbers.
#[derive(Clone, Debug)]
pub struct Marks {
    /// What the legend says.
    pub label: String,
    /// Their colour.
    pub colour: Colour,
    /// Their shape.
    pub marker: Marker,
    /// Where they are.
    pub points: Vec<(f64, f64)>,
}

/// An axis.
#[derive(Clone, Debug, Default)]
pub struct Axis {
    /// What it measures.
    pub title: String,
    /// What it shows; otherwise what the curves need.
    pub range: Option<(f64, f64)>,
    /// Whether it is logarithmic; values without a logarithm are then left out.
    pub log: bool,
}

/// One coordinate system with its curves.
#[derive(Clone, Debug)]
pub struct Panel {
    /// What it says above; empty for nothing.
    pub title: String,
    /// The x axis.
    pub x: Axis,
    /// The y axis.
    pub y: Axis,
    /// Its curves; later ones lie upon earlier ones.
    pub series: Vec<Series>,
    /// Points upon them.
    pub marks: Vec<Marks>,
}

/// Curves with bands, drawn to SVG and PNG.
#[derive(Clone, Debug)]
pub struct CurveFigure {
    /// The headline.
    pub title: String,
    /// What a reader must know to read it, in smaller type below the headline.
    pub note: String,
    /// Width and height in pixels.
    pub size: (u32, u32),
    /// From left to right.
    pub panels: Vec<Panel>,
}

// all lengths in pixels of the finished picture
const MARGIN: f64 = 48.0;
const TITLE: f64 = 40.0;
const NOTE: f64 = 26.0;
const TEXT: f64 = 27.0;
const TICK: f64 = 25.0;
const SWATCH: f64 = 66.0;
const LEGEND_LINE: f64 = 44.0;
/// Early points are few episodes and much noise: this share of the x axis does not decide the range of y.
const UNSETTLED: f64 = 0.04;

struct Frame {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

/// A line of the legend.
#[derive(Clone, Copy)]
enum Key<'a> {
    Line(&'a str, Stroke),
    Mark(&'a str, Colour, Marker),
}

impl Key<'_> {
    fn label(&self) -> &str {
        match self {
            Key::Line(label, _) | Key::Mark(label, ..) => label,
        }
    }
}

impl CurveFigure {
    /// As SVG text.
    pub fn svg(&self) -> Result<String> {
        canvas::svg(self.size, &self.title, |canvas| self.draw(canvas))
    }

    /// As the bytes of a PNG file.
    pub fn png(&self) -> Result<Vec<u8>> {
        canvas::png(self.size, |canvas| self.draw(canvas))
    }

    /// Writes `stem.svg` and `stem.png`.
    pub fn write(&self, dir: &Path, stem: &str) -> Result<Vec<PathBuf>> {
        Ok(vec![
            files::write(dir, &format!("{stem}.svg"), self.svg()?)?,
            files::write(dir, &format!("{stem}.png"), self.png()?)?,
        ])
    }

    fn draw<DB: DrawingBackend>(&self, canvas: &Canvas<DB>) -> Result<()> {
        let (width, height) = (f64::from(self.size.0), f64::from(self.size.1));
        canvas.fill(Colour::WHITE)?;
        canvas.text(&self.title, (MARGIN, MARGIN + 24.0), TITLE, Colour::INK, Anchor::Start)?;
        let mut top = MARGIN + 24.0;
        if !self.note.is_empty() {
            top += 40.0;
            canvas.text(&self.note, (MARGIN, top), NOTE, Colour::SLATE, Anchor::Start)?;
        }
        let legend = self.legend(width - 2.0 * MARGIN)?;
        let legend_top = height - MARGIN - LEGEND_LINE * legend.len() as f64 + 18.0;
        for (row, keys) in legend.iter().enumerate() {
            self.draw_keys(canvas, keys, legend_top + LEGEND_LINE * row as f64 + 20.0)?;
        }
        let panel_width = (width - 2.0 * MARGIN) / self.panels.len().max(1) as f64;
        let mut panels = self.panels.clone();
        share_y(&mut panels);
        for (i, panel) in panels.iter().enumerate() {
            let title = if panel.title.is_empty() { 0.0 } else { 46.0 };
            let left = MARGIN + panel_width * i as f64;
            let scales = panel.scales();
            let ticks = scales.1.ticks(7);
            let widths: Result<Vec<f64>> = ticks.iter().map(|t| text_width(&t.1, TICK)).collect();
            let label_width = widths?.into_iter().fold(0.0, f64::max);
            let last = i + 1 == self.panels.len();
            let frame = Frame {
                left: left + label_width + if panel.y.title.is_empty() { 14.0 } else { 52.0 },
                right: left + panel_width - if last { 12.0 } else { 44.0 },
                top: top + 36.0 + title,
                bottom: legend_top - 112.0,
            };
            panel.draw(canvas, &frame, scales)?;
        }
        Ok(())
    }

    /// The legend's lines with their places, row by row.
    fn legend(&self, width: f64) -> Result<Vec<Vec<(f64, Key<'_>)>>> {
        let mut keys: Vec<Key> = Vec::new();
        let lines = self.panels.iter().flat_map(|p| p.series.iter().map(|s| Key::Line(&s.label, s.stroke)));
        let marks =
            self.panels.iter().flat_map(|p| p.marks.iter().map(|m| Key::Mark(&m.label, m.colour, m.marker)));
        for key in lines.chain(marks) {
            if keys.iter().all(|k| k.label() != key.label()) {
                keys.push(key);
            }
        }
        let width_of = |key: &Key| Ok(SWATCH + 14.0 + text_width(key.label(), TEXT)? + 48.0);
        let widths: Vec<f64> = keys.iter().map(width_of).collect::<Result<_>>()?;
        // as few rows as fit, each column as wide as its widest entry, read column by column
        for rows in 1..=keys.len() {
            let columns: Vec<f64> =
                widths.chunks(rows).map(|column| column.iter().copied().fold(0.0, f64::max)).collect();
            if columns.iter().sum::<f64>() <= width || rows == keys.len() {
                let left = |c: usize| MARGIN + columns[..c].iter().sum::<f64>();
                let row = |r: usize| {
                    let in_row = keys.iter().enumerate().filter(move |(i, _)| i % rows == r);
                    in_row.map(|(i, key)| (left(i / rows), *key)).collect()
                };
                return Ok((0..rows).map(row).collect());
            }
        }
        Ok(Vec::new())
    }

    fn draw_keys<DB: DrawingBackend>(&self, canvas: &Canvas<DB>, keys: &[(f64, Key)], y: f64) -> Result<()> {
        for (x, key) in keys {
            match key {
                Key::Line(_, stroke) => canvas.line(&[(*x, y), (x + SWATCH, y)], *stroke)?,
                Key::Mark(_, colour, marker) => mark(canvas, (x + SWATCH / 2.0, y), *colour, *marker)?,
            }
            let place = (x + SWATCH + 14.0, y + 8.0);
            canvas.text(key.label(), place, TEXT, Colour::INK, Anchor::Start)?;
        }
        Ok(())
    }
}

/// Panels that measure the same thing get the same y axis, named once: side by side they are there to be compared.
fn share_y(panels: &mut [Panel]) {
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
    fn scales(&self) -> (Scale, Scale) {
        let xs = self.series.iter().flat_map(|s| s.points.iter().map(|p| p.x));
        let x_high = xs.clone().fold(f64::NEG_INFINITY, f64::max);
        let x_low = if self.x.log { xs.filter(|x| *x > 0.0).fold(f64::INFINITY, f64::min) } else { 0.0 };
        let (x_low, x_high) = self.x.range.unwrap_or((x_low, x_high));
        let x = Scale::new(x_low, x_high, self.x.log);
        let (y_low, y_high) = self.y.range.unwrap_or_else(|| self.y_range(&x));
        (x, Scale::new(y_low, y_high, self.y.log))
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

    fn draw<DB: DrawingBackend>(
        &self,
        canvas: &Canvas<DB>,
        frame: &Frame,
        (x, y): (Scale, Scale),
    ) -> Result<()> {
        let to_x = |v: f64| x.at(v).map(|p| frame.left + p * (frame.right - frame.left));
        let to_y = |v: f64| y.at(v).map(|p| frame.bottom - p * (frame.bottom - frame.top));
        if !self.title.is_empty() {
            canvas.text(&self.title, (frame.left, frame.top - 18.0), TEXT, Colour::INK, Anchor::Start)?;
        }
        let hair = Stroke::new(Colour::GRID, 2.0, Dash::Solid);
        for (value, text) in y.ticks(7) {
            let Some(at) = to_y(value) else { continue };
            canvas.line(&[(frame.left, at), (frame.right, at)], hair)?;
            canvas.text(&text, (frame.left - 14.0, at + 8.0), TICK, Colour::SLATE, Anchor::End)?;
        }
        let columns = ((frame.right - frame.left) / 120.0) as usize;
        for (value, text) in x.ticks(columns.max(2)) {
            let Some(at) = to_x(value) else { continue };
            let notch = Stroke::new(Colour::SLATE, 2.0, Dash::Solid);
            canvas.line(&[(at, frame.bottom), (at, frame.bottom + 8.0)], notch)?;
            canvas.text(&text, (at, frame.bottom + 36.0), TICK, Colour::SLATE, Anchor::Middle)?;
        }
        let axis = Stroke::new(Colour::SLATE, 2.0, Dash::Solid);
        canvas.line(&[(frame.left, frame.bottom), (frame.right, frame.bottom)], axis)?;
        let middle = (frame.left + frame.right) / 2.0;
        canvas.text(&self.x.title, (middle, frame.bottom + 80.0), TEXT, Colour::INK, Anchor::Middle)?;
        let widths: Result<Vec<f64>> = y.ticks(7).iter().map(|t| text_width(&t.1, TICK)).collect();
        let label_width = widths?.into_iter().fold(0.0, f64::max);
        let side = (frame.left - label_width - 32.0, (frame.top + frame.bottom) / 2.0);
        canvas.upward_text(&self.y.title, side, TEXT, Colour::INK)?;

        for series in &self.series {
            let edge = |high: bool| {
                series.points.iter().filter_map(move |p| {
                    let (low, top) = p.band?;
                    let place = to_y(if high { top } else { low }).unwrap_or(frame.bottom);
                    Some((to_x(p.x)?, place.clamp(frame.top, frame.bottom)))
                })
            };
            let outline: Vec<Point> =
                edge(false).chain(edge(true).collect::<Vec<_>>().into_iter().rev()).collect();
            if outline.len() >= 6 {
                canvas.shape(&outline, series.stroke.colour, 0.16)?;
            }
        }
        for series in &self.series {
            let places: Vec<Option<Point>> =
                series.points.iter().map(|p| Some((to_x(p.x)?, to_y(p.mean)?))).collect();
            for piece in clipped(&places, frame.top, frame.bottom) {
                canvas.line(&piece, series.stroke)?;
            }
        }
        for marks in &self.marks {
            for &(at_x, at_y) in &marks.points {
                if let (Some(px), Some(py)) = (to_x(at_x), to_y(at_y))
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

/// An open mark with a white rim, so that it stands out from the lines below it and hides no other mark.
fn mark<DB: DrawingBackend>(
    canvas: &Canvas<DB>,
    (x, y): Point,
    colour: Colour,
    marker: Marker,
) -> Result<()> {
    let (corners, radius, turn) = match marker {
        Marker::Circle => (28, 8.0, 0.0),
        Marker::Square => (4, 10.0, FRAC_PI_4),
    };
    let corner = |i: u32| {
        let angle = turn + TAU * f64::from(i) / f64::from(corners);
        (x + radius * angle.cos(), y + radius * angle.sin())
    };
    // once around and a little further, so that the line's ends make a corner like the others
    let outline: Vec<Point> = (0..=corners + 1).map(corner).collect();
    canvas.line(&outline, Stroke::new(Colour::WHITE, 7.0, Dash::Solid))?;
    canvas.line(&outline, Stroke::new(colour, 3.2, Dash::Solid))
}

/// The pieces of a line between two heights; a missing point breaks it.
fn clipped(points: &[Option<Point>], top: f64, bottom: f64) -> Vec<Vec<Point>> {
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

    fn figure(log: bool) -> CurveFigure {
        let curve = |height: f64| {
            let point = |k: usize| {
                let mean = height / (1.0 + k as f64 / 20.0);
                BandPoint { x: k as f64, mean, band: Some((mean * 0.9, mean * 1.1)) }
            };
            (0..200).map(point).collect()
        };
        let series = |label: &str, n, height| Series {
            label: label.into(),
            stroke: Stroke { dash: Dash::Solid, ..Stroke::nth(n) },
            points: curve(height),
        };
        let panel = |title: &str| Panel {
            title: title.into(),
            x: Axis { title: "√K".into(), ..Axis::default() },
            y: Axis { title: "Regret / K".into(), log, ..Axis::default() },
            series: vec![series("first & best", 0, 2.0), series("second", 1, 1.0)],
            marks: vec![Marks {
                label: "published".into(),
                colour: Colour::INK,
                marker: Marker::Circle,
                points: vec![(50.0, 1.0), (100.0, 0.5)],
            }],
        };
        CurveFigure {
            title: "Regret <of> two".into(),
            note: "a note".into(),
            size: (1200, 700),
            panels: vec![panel("left"), panel("right")],
        }
    }

    #[test]
    fn an_svg_has_every_word_and_every_line() {
        for log in [false, true] {
            let svg = figure(log).svg().unwrap();
            for word in
                ["Regret &lt;of&gt; two", "a note", "first &amp; best", "second", "published", "√K", "left"]
            {
                assert!(svg.contains(word), "{word}");
            }
            assert_eq!(svg.matches("<polygon").count(), 4, "a band for each curve");
            for n in [0, 1] {
                let colour = format!("stroke=\"{}\"", Stroke::nth(n).colour.hex());
                assert_eq!(svg.matches(&colour).count(), 3, "two curves and one line of the legend");
            }
            assert!(svg.contains("width=\"1200\" height=\"700\""));
            assert!(!svg.contains("NaN") && !svg.contains("inf"));
        }
    }

    #[test]
    fn a_png_is_one_and_is_not_blank() {
        let png = figure(false).png().unwrap();
        assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"));
        let decoder = png::Decoder::new(std::io::Cursor::new(&png));
        let mut reader = decoder.read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        let coloured = pixels.chunks(3).filter(|p| p[0].abs_diff(p[2]) > 60).count();
        assert!(coloured > 1000, "{coloured}");
        assert_eq!(png, figure(false).png().unwrap(), "the same figure, the same bytes");
    }

    #[test]
    fn no_data_is_an_empty_frame() {
        let mut empty = figure(false);
        empty.panels.iter_mut().for_each(|p| {
            p.series.clear();
            p.marks.clear();
        });
        assert!(empty.svg().unwrap().contains("left"));
        let mut one = figure(true);
        one.panels[0].series[0].points.truncate(1);
        assert!(one.svg().is_ok());
    }

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
