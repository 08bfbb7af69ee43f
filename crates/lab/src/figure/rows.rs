//! Numbers with intervals, a row for each learner and a panel for each world: bars, or dots where
//! a bar's length would mean nothing.

use super::axis::{Scale, ends};
use super::canvas::{Anchor, Canvas, Point};
use super::page::{Head, MARGIN};
use super::parts::{Axis, TEXT, TICK};
use super::plane::{Frame, Plane};
use super::style::{Colour, Dash, Stroke};
use super::typeface::text_width;
use super::words::{at_most, shortened, wrapped};

const GAP: f64 = 36.0;
const LINE: f64 = 31.0;
const AROUND: f64 = 15.0;
const BELOW: f64 = 104.0;
const ABOVE: f64 = 54.0;
/// The share of the width that the labels may take.
const FOR_LABELS: f64 = 0.36;

/// A number in its row.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entry {
    /// None where there is no number: the text says why.
    pub(crate) value: Option<f64>,
    pub(crate) interval: Option<(f64, f64)>,
    /// What it is to be compared with.
    pub(crate) tick: Option<f64>,
    /// What stands behind it.
    pub(crate) text: String,
}

/// The numbers of one world.
#[derive(Clone, Debug, Default)]
pub(crate) struct RowPanel {
    pub(crate) title: String,
    pub(crate) x: Axis,
    /// One for each label.
    pub(crate) entries: Vec<Entry>,
}

/// Panels of rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    pub(crate) head: Head,
    pub(crate) labels: Vec<(String, Colour)>,
    pub(crate) panels: Vec<RowPanel>,
    /// How many panels are side by side.
    pub(crate) columns: usize,
    pub(crate) size: Option<(u32, u32)>,
    /// Dots also where bars would do.
    pub(crate) dots: bool,
}

impl RowPanel {
    /// From zero, or from the least number on a logarithmic axis, to the end of every interval.
    fn scale(&self) -> Scale {
        let log = self.x.log;
        let numbers = self.entries.iter().flat_map(|e| {
            let (low, high) = e.interval.unzip();
            [e.value, e.tick, high, low.filter(|_| !log)]
        });
        let (low, high) = ends(numbers.flatten().filter(|v| v.is_finite() && (!log || *v > 0.0)));
        let (low, high) = match self.x.range {
            Some(range) => range,
            None if log => (low / 2.0, high * 1.1),
            None => (low.min(0.0), high.max(0.0)),
        };
        Scale::new(low, high, log)
    }
}

impl Rows {
    fn columns(&self) -> usize {
        self.columns.clamp(1, self.panels.len().max(1))
    }

    fn width(&self) -> f64 {
        let columns = self.columns() as f64;
        self.size.map_or(1000.0 + 600.0 * columns.min(2.0) + 400.0 * (columns - 2.0).max(0.0), |size| {
            f64::from(size.0)
        })
    }

    fn labels(&self, width: f64) -> Vec<Vec<String>> {
        let most = FOR_LABELS * width;
        self.labels.iter().map(|(label, _)| at_most(wrapped(label, TEXT, most), 3, TEXT, most)).collect()
    }

    fn row_heights(&self, width: f64) -> Vec<f64> {
        self.labels(width).iter().map(|lines| lines.len() as f64 * LINE + AROUND).collect()
    }

    fn size(&self) -> (u32, u32) {
        let width = self.width();
        let rows: f64 = self.row_heights(width).iter().sum();
        let stacked = self.panels.len().div_ceil(self.columns()).max(1) as f64;
        let height = self.head.bottom(width) + 20.0 + stacked * (ABOVE + rows + BELOW) + 12.0;
        self.size.unwrap_or((width as u32, height.ceil() as u32))
    }

    pub(crate) fn draw(&self) -> Canvas {
        let size = self.size();
        let (width, height) = (f64::from(size.0), f64::from(size.1));
        let mut canvas = self.head.page(size);
        let labels = self.labels(width);
        let widest = labels.iter().flatten().map(|line| text_width(line, TEXT)).fold(0.0, f64::max);
        let columns = self.columns();
        let left = MARGIN + widest + 22.0;
        let panel_width = (width - MARGIN - left - GAP * (columns - 1) as f64) / columns as f64;
        let top = self.head.bottom(width) + 20.0;
        let stacked = self.panels.len().div_ceil(columns).max(1) as f64;
        let each = (height - 12.0 - top) / stacked;
        let mut heights = self.row_heights(width);
        let stretch = (each - ABOVE - BELOW).max(10.0) / heights.iter().sum::<f64>().max(1.0);
        heights.iter_mut().for_each(|height| *height *= stretch);
        for (i, panel) in self.panels.iter().enumerate() {
            let (row, column) = ((i / columns) as f64, (i % columns) as f64);
            let left = left + column * (panel_width + GAP);
            let top = top + row * each + ABOVE;
            let bottom = top + heights.iter().sum::<f64>();
            let frame = Frame { left, right: left + panel_width, top, bottom };
            if column == 0.0 {
                draw_labels(&mut canvas, &labels, &heights, &frame);
            }
            self.draw_panel(&mut canvas, panel, &frame, &heights);
        }
        canvas
    }
}

/// The labels left of a frame.
fn draw_labels(canvas: &mut Canvas, labels: &[Vec<String>], heights: &[f64], frame: &Frame) {
    let mut top = frame.top;
    for (lines, height) in labels.iter().zip(heights) {
        let first = top + 0.5 * (height - lines.len() as f64 * LINE) + 0.74 * LINE;
        for (n, line) in lines.iter().enumerate() {
            let place = (frame.left - 22.0, first + n as f64 * LINE);
            canvas.text(line, place, TEXT, Colour::INK, Anchor::End);
        }
        top += height;
    }
}

impl Rows {
    fn draw_panel(&self, canvas: &mut Canvas, panel: &RowPanel, frame: &Frame, heights: &[f64]) {
        let width = frame.right - frame.left;
        let title = shortened(&panel.title, TEXT, width);
        canvas.text(&title, (frame.left, frame.top - 16.0), TEXT, Colour::INK, Anchor::Start);
        // the numbers behind the longest bar need room too
        let texts = panel.entries.iter().filter(|e| e.value.is_some());
        let room = texts.map(|e| text_width(&e.text, TICK)).fold(0.0, f64::max) + 34.0;
        let inner = Frame { right: frame.right - room.min(0.6 * width), ..*frame };
        let plane = Plane { frame: &inner, x: panel.scale(), y: Scale::new(0.0, 1.0, false) };
        draw_axis(canvas, panel, &plane);
        let mut top = frame.top;
        for ((entry, height), (_, colour)) in panel.entries.iter().zip(heights).zip(&self.labels) {
            let dots = self.dots || panel.x.log;
            draw_entry(canvas, entry, &plane, (top, *height), *colour, dots);
            top += height;
        }
    }
}

fn draw_axis(canvas: &mut Canvas, panel: &RowPanel, plane: &Plane) {
    let frame = plane.frame;
    let hair = Stroke::new(Colour::GRID, 2.0, Dash::Solid);
    let axis = Stroke::new(Colour::SLATE, 2.0, Dash::Solid);
    for (at, text) in plane.x_ticks(130.0, 18.0) {
        canvas.line(&[(at, frame.top), (at, frame.bottom)], hair);
        canvas.line(&[(at, frame.bottom), (at, frame.bottom + 8.0)], axis);
        canvas.text(&text, (at, frame.bottom + 36.0), TICK, Colour::SLATE, Anchor::Middle);
    }
    canvas.line(&[(frame.left, frame.bottom), (frame.right, frame.bottom)], axis);
    let title = shortened(&panel.x.title, TEXT, frame.right - frame.left + 120.0);
    canvas.text(&title, (frame.left, frame.bottom + 76.0), TEXT, Colour::INK, Anchor::Start);
}

fn draw_entry(
    canvas: &mut Canvas,
    entry: &Entry,
    plane: &Plane,
    (top, height): (f64, f64),
    colour: Colour,
    dots: bool,
) {
    let frame = plane.frame;
    let middle = top + 0.5 * height;
    let within = |x: f64| x.clamp(frame.left, frame.right);
    let text = |at: f64| (at + 14.0, middle + 8.0);
    let place = |v: f64| plane.to_x(v).map(within);
    let half = (0.3 * height).min(15.0);
    if let Some(at) = entry.tick.and_then(place) {
        let tick = Stroke::new(Colour::INK, 4.0, Dash::Solid);
        canvas.line(&[(at, middle - half - 4.0), (at, middle + half + 4.0)], tick);
    }
    let Some(value) = entry.value else {
        return canvas.text(&entry.text, text(frame.left), TICK, Colour::SLATE, Anchor::Start);
    };
    // without a logarithm it is left of all others
    let at = place(value).unwrap_or(frame.left);
    let from = if dots { frame.left } else { place(0.0).unwrap_or(frame.left) };
    if dots {
        let stem = Stroke::new(colour.pale(0.35), 3.0, Dash::Solid);
        canvas.line(&[(from, middle), (at, middle)], stem);
    } else {
        let corner = |x: f64, y: f64| (x, middle + y);
        let bar: [Point; 4] = [corner(from, -half), corner(at, -half), corner(at, half), corner(from, half)];
        canvas.shape(&bar, colour, 0.8);
    }
    let mut end = at.max(from);
    if let Some((low, high)) = entry.interval {
        let (low, high) = (place(low).unwrap_or(frame.left), place(high).unwrap_or(frame.left));
        let line = Stroke::new(if dots { colour } else { Colour::INK }, 3.0, Dash::Solid);
        canvas.line(&[(low, middle), (high, middle)], line);
        for x in [low, high] {
            canvas.line(&[(x, middle - 7.0), (x, middle + 7.0)], line);
        }
        end = end.max(high);
    }
    if dots {
        canvas.disc((at, middle), 10.0, Colour::WHITE);
        canvas.disc((at, middle), 8.0, colour);
    }
    if let Some(tick) = entry.tick.and_then(place) {
        end = end.max(tick);
    }
    canvas.text(&entry.text, text(end), TICK, Colour::SLATE, Anchor::Start);
}
