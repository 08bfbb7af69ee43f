//! The curve figure: mean lines with bands, in one panel or several side by side, with one legend
//! below.

use super::axis::Scale;
use super::canvas::{self, Anchor, Canvas, text_width};
use super::panel::share_y;
use super::parts::{Marker, Panel, TEXT};
use super::plane::{Frame, mark};
use super::style::{Colour, Stroke};
use crate::Result;
use plotters::backend::DrawingBackend;

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
const SWATCH: f64 = 66.0;
const LEGEND_LINE: f64 = 44.0;
const GAP: f64 = 36.0;

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

    fn draw<DB: DrawingBackend>(&self, canvas: &Canvas<DB>) -> Result<()> {
        let (width, height) = (f64::from(self.size.0), f64::from(self.size.1));
        canvas.fill(Colour::WHITE)?;
        canvas.text(&self.title, (MARGIN, MARGIN + 24.0), TITLE, Colour::INK, Anchor::Start)?;
        let mut top = MARGIN + 24.0;
        if !self.note.is_empty() {
            top += 40.0;
            canvas.text(&self.note, (MARGIN, top), NOTE, Colour::SLATE, Anchor::Start)?;
        }
        let legend = self.legend(width - 2.0 * MARGIN);
        let legend_top = height - MARGIN - LEGEND_LINE * legend.len() as f64 + 18.0;
        for (row, keys) in legend.iter().enumerate() {
            self.draw_keys(canvas, keys, legend_top + LEGEND_LINE * row as f64 + 20.0)?;
        }
        let mut panels = self.panels.clone();
        share_y(&mut panels);
        let scales: Vec<(Scale, Scale)> = panels.iter().map(Panel::scales).collect();
        let edges: Vec<f64> = panels.iter().zip(&scales).map(|(p, s)| p.left_edge(&s.1)).collect();
        // what tick labels and gaps leave is shared out evenly
        let taken = edges.iter().sum::<f64>() + GAP * panels.len().saturating_sub(1) as f64;
        let panel_width = (width - 2.0 * MARGIN - 12.0 - taken) / panels.len().max(1) as f64;
        let mut left = MARGIN;
        for ((panel, scales), edge) in panels.iter().zip(scales).zip(edges) {
            let title = if panel.title.is_empty() { 14.0 } else { 46.0 };
            let frame = Frame {
                left: left + edge,
                right: left + edge + panel_width,
                top: top + 36.0 + title,
                bottom: legend_top - 112.0,
            };
            panel.draw(canvas, &frame, scales)?;
            left = frame.right + GAP;
        }
        Ok(())
    }

    /// The legend's lines with their places, row by row.
    fn legend(&self, width: f64) -> Vec<Vec<(f64, Key<'_>)>> {
        let mut keys: Vec<Key> = Vec::new();
        let lines = self.panels.iter().flat_map(|p| p.series.iter().map(|s| Key::Line(&s.label, s.stroke)));
        let marks =
            self.panels.iter().flat_map(|p| p.marks.iter().map(|m| Key::Mark(&m.label, m.colour, m.marker)));
        for key in lines.chain(marks) {
            if keys.iter().all(|k| k.label() != key.label()) {
                keys.push(key);
            }
        }
        let width_of = |key: &Key| SWATCH + 14.0 + text_width(key.label(), TEXT) + 48.0;
        let widths: Vec<f64> = keys.iter().map(width_of).collect();
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
                return (0..rows).map(row).collect();
            }
        }
        Vec::new()
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

#[cfg(test)]
mod tests {
    use super::super::parts::{Axis, BandPoint, Marks, Series};
    use super::*;
    use crate::figure::Dash;

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
}
