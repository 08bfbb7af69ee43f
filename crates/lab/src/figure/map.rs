//! Grids of cells: a colour for the value, an arrow for the action.

use super::axis::{Scale, ends, label};
use super::canvas::{Anchor, Canvas, Point};
use super::page::{Head, MARGIN};
use super::parts::{TEXT, TICK};
use super::plane::Frame;
use super::style::{Colour, Dash, Stroke};
use super::typeface::text_width;
use super::words::shortened;
use goalward::numeric::Portable;

/// An arrow of length 1, along the columns and down the rows; none for an action that stays.
pub(crate) type Arrow = Option<(f64, f64)>;

/// One cell.
#[derive(Clone, Debug, Default)]
pub(crate) struct MapCell {
    /// None: nothing is known; infinite: the goal is out of reach.
    pub(crate) value: Option<f64>,
    /// What is done there: several where they are as good.
    pub(crate) arrows: Vec<Arrow>,
    /// `start`, `goal`, `hole`, or nothing.
    pub(crate) mark: &'static str,
}

/// One grid.
#[derive(Clone, Debug, Default)]
pub(crate) struct MapPanel {
    pub(crate) title: String,
    pub(crate) columns: usize,
    /// Row by row; none where there is no state.
    pub(crate) cells: Vec<Option<MapCell>>,
}

/// Grids side by side with one scale of colours.
#[derive(Clone, Debug, Default)]
pub(crate) struct Map {
    pub(crate) head: Head,
    pub(crate) panels: Vec<MapPanel>,
    /// What the colours measure.
    pub(crate) measure: String,
    pub(crate) size: Option<(u32, u32)>,
}

const GAP: f64 = 60.0;
const BAR: f64 = 28.0;
const ABOVE: f64 = 56.0;
/// From light to dark: the blues of ColorBrewer.
const SHADES: [Colour; 5] = [
    Colour(247, 251, 255),
    Colour(198, 219, 239),
    Colour(107, 174, 214),
    Colour(33, 113, 181),
    Colour(8, 48, 107),
];
const NOWHERE: Colour = Colour(243, 244, 246);
const LOST: Colour = Colour(94, 102, 112);

impl Map {
    /// From the least to the largest value that is finite.
    fn scale(&self) -> Scale {
        let values = self.panels.iter().flat_map(|p| p.cells.iter().flatten()).filter_map(|c| c.value);
        let (low, high) = ends(values.filter(|v| v.is_finite()));
        Scale::new(low.min(0.0), high.max(0.0), false)
    }

    fn rows(&self) -> usize {
        self.panels.iter().map(|p| p.cells.len().div_ceil(p.columns.max(1))).max().unwrap_or(1).max(1)
    }

    fn columns(&self) -> usize {
        self.panels.iter().map(|p| p.columns).sum::<usize>().max(1)
    }

    /// What is right of the grids: the scale of colours.
    fn right(&self) -> f64 {
        let ticks = self.scale().ticks(6);
        40.0 + BAR + 16.0 + ticks.iter().map(|t| text_width(&t.1, TICK)).fold(0.0, f64::max) + 46.0
    }

    fn gaps(&self) -> f64 {
        GAP * self.panels.len().saturating_sub(1) as f64
    }

    /// The side of a cell on a page of this size.
    fn side(&self, width: f64, height: f64) -> f64 {
        let wide = (width - 2.0 * MARGIN - self.right() - self.gaps()) / self.columns() as f64;
        let high = (height - self.head.bottom(width) - ABOVE - 36.0 - MARGIN) / self.rows() as f64;
        wide.min(high).max(3.0)
    }

    fn size(&self) -> (u32, u32) {
        if let Some(size) = self.size {
            return size;
        }
        let side = (1500.0 / self.columns().max(self.rows()) as f64).clamp(8.0, 130.0);
        let grids = side * self.columns() as f64 + self.gaps();
        let width = (2.0 * MARGIN + grids + self.right()).max(1000.0);
        let height =
            self.head.bottom(width) + ABOVE + 36.0 + MARGIN + f64::max(side * self.rows() as f64, 260.0);
        (width.ceil() as u32, height.ceil() as u32)
    }

    pub(crate) fn draw(&self) -> Canvas {
        let size = self.size();
        let (width, height) = (f64::from(size.0), f64::from(size.1));
        let mut canvas = self.head.page(size);
        let side = self.side(width, height);
        let top = self.head.bottom(width) + ABOVE + 20.0;
        let scale = self.scale();
        let mut left = MARGIN;
        for panel in &self.panels {
            let right = left + side * panel.columns as f64;
            let title = shortened(&panel.title, TEXT, right - left + GAP - 16.0);
            canvas.text(&title, (left, top - 18.0), TEXT, Colour::INK, Anchor::Start);
            for (i, cell) in panel.cells.iter().enumerate() {
                let (row, column) = (i / panel.columns.max(1), i % panel.columns.max(1));
                let corner = (left + side * column as f64, top + side * row as f64);
                draw_cell(&mut canvas, cell.as_ref(), corner, side, &scale);
            }
            left = right + GAP;
        }
        let bar = Frame {
            left: left - GAP + 40.0,
            right: left - GAP + 40.0 + BAR,
            top,
            bottom: top + f64::max(side * self.rows() as f64, 260.0).min(600.0),
        };
        self.draw_bar(&mut canvas, &bar, &scale);
        canvas
    }

    fn draw_bar(&self, canvas: &mut Canvas, bar: &Frame, scale: &Scale) {
        const STEPS: u32 = 64;
        let y = |share: f64| bar.bottom - share * (bar.bottom - bar.top);
        for i in 0..STEPS {
            let (low, high) = (f64::from(i) / f64::from(STEPS), f64::from(i + 1) / f64::from(STEPS));
            canvas.shape(&rectangle((bar.left, y(high)), (bar.right, y(low))), shade(low), 1.0);
        }
        for (value, text) in scale.ticks(6) {
            let Some(at) = scale.at(value).map(y) else { continue };
            let place = (bar.right + 12.0, at + 8.0);
            canvas.text(&text, place, TICK, Colour::SLATE, Anchor::Start);
        }
        let ticks = scale.ticks(6).iter().map(|t| text_width(&t.1, TICK)).fold(0.0, f64::max);
        let place = (bar.right + 12.0 + ticks + 34.0, 0.5 * (bar.top + bar.bottom));
        let title = shortened(&self.measure, TICK, bar.bottom - bar.top);
        canvas.upward_text(&title, place, TICK, Colour::INK);
    }
}

fn rectangle(a: Point, b: Point) -> [Point; 4] {
    [a, (b.0, a.1), b, (a.0, b.1)]
}

/// The colour of a share of the scale.
fn shade(share: f64) -> Colour {
    let at = share.clamp(0.0, 1.0) * (SHADES.len() - 1) as f64;
    let (i, rest) = ((at as usize).min(SHADES.len() - 2), at - at.floor().min((SHADES.len() - 2) as f64));
    let (a, b) = (SHADES[i], SHADES[i + 1]);
    a.mixed(b, rest)
}

fn draw_cell(canvas: &mut Canvas, cell: Option<&MapCell>, corner: Point, side: f64, scale: &Scale) {
    let edge = (0.03 * side).clamp(0.5, 3.0);
    let near = (corner.0 + edge, corner.1 + edge);
    let far = (corner.0 + side - edge, corner.1 + side - edge);
    let Some(cell) = cell else { return canvas.shape(&rectangle(near, far), NOWHERE, 1.0) };
    let share = cell.value.filter(|v| v.is_finite()).and_then(|v| scale.at(v));
    let fill = match (cell.value, share) {
        _ if cell.mark == "hole" => LOST,
        (Some(_), Some(share)) => shade(share),
        (Some(_), None) => LOST,
        (None, _) => NOWHERE,
    };
    canvas.shape(&rectangle(near, far), fill, 1.0);
    let ink = if fill.brightness() > 140.0 { Colour::INK } else { Colour::WHITE };
    let middle = corner.0 + 0.5 * side;
    let words = side >= 58.0;
    let arrow = (middle, corner.1 + side * if words { 0.38 } else { 0.5 });
    if cell.mark == "goal" {
        outlined(canvas, near, far, Colour::GREEN);
    } else if side >= 14.0 {
        cell.arrows.iter().for_each(|to| draw_arrow(canvas, *to, arrow, 0.5 * side, ink));
    }
    if cell.mark == "start" {
        outlined(canvas, near, far, Colour::VERMILLION);
    }
    if !words {
        return;
    }
    let size = (0.2 * side).clamp(14.0, 24.0);
    if let Some(value) = cell.value {
        let text = if value.is_finite() { value_label(value, scale) } else { "∞".into() };
        let text = shortened(&text, size, side - 6.0);
        canvas.text(&text, (middle, corner.1 + 0.86 * side), size, ink, Anchor::Middle);
    }
    if cell.mark == "goal" || cell.mark == "hole" {
        canvas.text(cell.mark, (middle, corner.1 + 0.5 * side), size, ink, Anchor::Middle);
    }
    if cell.mark == "start" && side >= 90.0 {
        canvas.text("start", (near.0 + 8.0, near.1 + 19.0), 16.0, ink, Anchor::Start);
    }
}

/// A value with as many decimals as the scale is fine.
fn value_label(value: f64, scale: &Scale) -> String {
    let (low, high) = scale.ends();
    let size = f64::max(low.abs(), high.abs()).max(1e-300);
    match size {
        size if size >= 1e6 => format!("{value:.1e}"),
        size => label(value, (2.0 - size.log_10().floor()).clamp(0.0, 6.0) as usize),
    }
}

fn outlined(canvas: &mut Canvas, near: Point, far: Point, colour: Colour) {
    let width = (0.06 * (far.0 - near.0)).clamp(1.5, 6.0);
    let half = 0.5 * width;
    let (near, far) = ((near.0 + half, near.1 + half), (far.0 - half, far.1 - half));
    let mut outline = rectangle(near, far).to_vec();
    outline.extend([near, (near.0 + 1.0, near.1)]);
    canvas.line(&outline, Stroke::new(colour, width, Dash::Solid));
}

/// An arrow of a length around a middle.
fn draw_arrow(canvas: &mut Canvas, to: Arrow, (x, y): Point, length: f64, colour: Colour) {
    let Some((dx, dy)) = to else { return canvas.disc((x, y), 0.1 * length, colour) };
    let half = 0.5 * length;
    let head = 0.36 * length;
    let tip = (x + half * dx, y + half * dy);
    let neck = (tip.0 - head * dx, tip.1 - head * dy);
    let width = (0.11 * length).clamp(1.2, 5.0);
    canvas.line(&[(x - half * dx, y - half * dy), neck], Stroke::new(colour, width, Dash::Solid));
    let across = 0.5 * head;
    let wings =
        [tip, (neck.0 - across * dy, neck.1 + across * dx), (neck.0 + across * dy, neck.1 - across * dx)];
    canvas.shape(&wings, colour, 1.0);
}
