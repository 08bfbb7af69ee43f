//! What all figures share: the page with its headline, its notes and its legend.

use super::canvas::{Anchor, Canvas};
use super::parts::{Marker, TEXT};
use super::plane::mark;
use super::style::{Colour, Stroke};
use super::typeface::text_width;
use super::words::{at_most, shortened, wrapped};

// all lengths in pixels of the finished picture
pub(super) const MARGIN: f64 = 48.0;
const TITLE: f64 = 40.0;
const TITLE_LINE: f64 = 50.0;
const NOTE: f64 = 26.0;
const NOTE_LINE: f64 = 36.0;
const SWATCH: f64 = 66.0;
const LEGEND_LINE: f64 = 44.0;

/// A headline with notes in smaller type below it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Head {
    pub(crate) title: String,
    pub(crate) notes: Vec<String>,
}

impl Head {
    fn lines(&self, width: f64) -> (Vec<String>, Vec<String>) {
        let inside = width - 2.0 * MARGIN;
        let title = at_most(wrapped(&self.title, TITLE, inside), 3, TITLE, inside);
        let notes = self.notes.iter().filter(|note| !note.is_empty());
        (title, notes.flat_map(|note| at_most(wrapped(note, NOTE, inside), 4, NOTE, inside)).collect())
    }

    /// Where it ends on a page of this width.
    pub(super) fn bottom(&self, width: f64) -> f64 {
        let (title, notes) = self.lines(width);
        let below = if notes.is_empty() { 0.0 } else { 40.0 + NOTE_LINE * (notes.len() - 1) as f64 };
        MARGIN + 24.0 + TITLE_LINE * (title.len() - 1) as f64 + below
    }

    /// A page of this size with the headline on it.
    pub(super) fn page(&self, size: (u32, u32)) -> Canvas {
        let mut canvas = Canvas::new(&self.title, size);
        let (title, notes) = self.lines(f64::from(size.0));
        let mut y = MARGIN + 24.0;
        for (i, line) in title.iter().enumerate() {
            y += if i == 0 { 0.0 } else { TITLE_LINE };
            canvas.text(line, (MARGIN, y), TITLE, Colour::INK, Anchor::Start);
        }
        for (i, line) in notes.iter().enumerate() {
            y += if i == 0 { 40.0 } else { NOTE_LINE };
            canvas.text(line, (MARGIN, y), NOTE, Colour::SLATE, Anchor::Start);
        }
        canvas
    }
}

/// A line of the legend.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Key {
    Line(String, Stroke),
    Mark(String, Colour, Marker),
}

impl Key {
    pub(super) fn label(&self) -> &str {
        match self {
            Key::Line(label, _) | Key::Mark(label, ..) => label,
        }
    }
}

/// What lines and marks mean, below the picture; each label once.
#[derive(Clone, Debug, Default)]
pub(super) struct Legend(Vec<Key>);

impl Legend {
    pub(super) fn of(keys: impl IntoIterator<Item = Key>) -> Legend {
        let mut legend = Legend::default();
        for key in keys {
            if legend.0.iter().all(|k| k.label() != key.label()) {
                legend.0.push(key);
            }
        }
        legend
    }

    /// As few rows of places and keys as fit, read column by column.
    fn rows(&self, width: f64) -> Vec<Vec<(f64, &Key)>> {
        let inside = width - 2.0 * MARGIN;
        let wide = |key: &Key| (SWATCH + 14.0 + text_width(key.label(), TEXT) + 48.0).min(inside);
        let widths: Vec<f64> = self.0.iter().map(wide).collect();
        for rows in 1..=self.0.len() {
            let columns: Vec<f64> =
                widths.chunks(rows).map(|column| column.iter().copied().fold(0.0, f64::max)).collect();
            if columns.iter().sum::<f64>() <= inside + 48.0 || rows == self.0.len() {
                let left = |c: usize| MARGIN + columns[..c].iter().sum::<f64>();
                let row = |r: usize| {
                    let in_row = self.0.iter().enumerate().filter(move |(i, _)| i % rows == r);
                    in_row.map(|(i, key)| (left(i / rows), key)).collect()
                };
                return (0..rows).map(row).collect();
            }
        }
        Vec::new()
    }

    /// The height that it needs on a page of this width, with the margin below it.
    pub(super) fn height(&self, width: f64) -> f64 {
        MARGIN - 18.0 + LEGEND_LINE * self.rows(width).len() as f64
    }

    pub(super) fn draw(&self, canvas: &mut Canvas, width: f64, height: f64) {
        let top = height - self.height(width);
        for (row, keys) in self.rows(width).iter().enumerate() {
            let y = top + LEGEND_LINE * row as f64 + 20.0;
            for (x, key) in keys {
                match key {
                    Key::Line(_, stroke) => canvas.line(&[(*x, y), (x + SWATCH, y)], *stroke),
                    Key::Mark(_, colour, marker) => mark(canvas, (x + SWATCH / 2.0, y), *colour, *marker),
                }
                let place = (x + SWATCH + 14.0, y + 8.0);
                let label = shortened(key.label(), TEXT, width - MARGIN - place.0);
                canvas.text(&label, place, TEXT, Colour::INK, Anchor::Start);
            }
        }
    }
}
