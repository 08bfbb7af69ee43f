//! The chart: plots side by side and in rows, with labels at the curves' ends or one legend below.

use super::axis::Scale;
use super::canvas::Canvas;
use super::ends::Ends;
use super::page::{Head, Key, Legend, MARGIN};
use super::plane::{Frame, Plane};
use super::plot::Plot;

const GAP: f64 = 36.0;
/// Below a plot: ticks, their labels and the axis' title.
const BELOW: f64 = 112.0;
/// The share of the width that labels at the curves' ends may take.
const FOR_ENDS: f64 = 0.3;

/// Plots with a headline.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chart {
    pub(crate) head: Head,
    /// Row by row.
    pub(crate) plots: Vec<Plot>,
    /// How many plots are side by side.
    pub(crate) columns: usize,
    /// Width and height; otherwise by the number of plots.
    pub(crate) size: Option<(u32, u32)>,
    /// Whether a single plot's curves are named at their ends, and not in the legend.
    pub(crate) ends: bool,
    /// Whether both axes have the same unit in every plot.
    pub(crate) square: bool,
}

/// Plots whose largest values differ by less than this factor have the same y axis.
const ALIKE: f64 = 3.0;

impl Chart {
    fn names_ends(&self) -> bool {
        self.ends && self.plots.len() == 1
    }

    fn legend(&self) -> Legend {
        let curves = self.plots.iter().flat_map(|p| p.curves.iter().filter(|_| !self.names_ends()));
        let guides = self.plots.iter().flat_map(|p| &p.guides);
        let lines = curves.chain(guides).map(|c| Key::Line(c.label.clone(), c.stroke));
        let marks = self.plots.iter().flat_map(|p| &p.marks);
        let marks = marks.map(|m| Key::Mark(m.label.clone(), m.colour, m.marker));
        Legend::of(lines.chain(marks).filter(|key| !key.label().is_empty()))
    }

    fn labels(&self) -> Vec<&str> {
        let curves = self.plots.iter().flat_map(|p| &p.curves).filter(|_| self.names_ends());
        curves.map(|c| c.label.as_str()).collect()
    }

    fn columns(&self) -> usize {
        self.columns.clamp(1, self.plots.len().max(1))
    }

    fn rows(&self) -> usize {
        self.plots.len().div_ceil(self.columns()).max(1)
    }

    fn width(&self) -> f64 {
        match (self.size, self.columns()) {
            (Some(size), _) => f64::from(size.0),
            (None, 1) => 1600.0,
            (None, 2) => 2000.0,
            (None, _) => 2400.0,
        }
    }

    /// The plots as they are drawn: those alike share their y axis, and name it once a row.
    fn settled(&self) -> Vec<Plot> {
        let mut plots = self.plots.clone();
        let ranges: Vec<(f64, f64)> = plots.iter().map(Plot::y_range).collect();
        let highs = || ranges.iter().map(|r| r.1);
        let (least, most) = (highs().fold(f64::INFINITY, f64::min), highs().fold(0.0, f64::max));
        let alike = plots.windows(2).all(|p| p[0].y.title == p[1].y.title && p[0].y.log == p[1].y.log);
        let free = plots.iter().all(|p| p.y.range.is_none() && !p.close);
        if alike && free && plots.len() > 1 && most <= ALIKE * least {
            let low = ranges.iter().map(|r| r.0).fold(f64::INFINITY, f64::min);
            plots.iter_mut().for_each(|p| p.y.range = Some((low, most)));
        }
        let columns = self.columns();
        if alike {
            plots
                .iter_mut()
                .enumerate()
                .filter(|(i, _)| i % columns > 0)
                .for_each(|(_, p)| p.y.title.clear());
        }
        plots
    }

    /// The frame of a plot in its part of the page.
    fn frame(&self, plot: &Plot, part: &Frame, edge: f64) -> Frame {
        let title = if plot.title.is_empty() { 14.0 } else { 46.0 };
        let mut frame = Frame {
            left: part.left + edge,
            right: part.right,
            top: part.top + title,
            bottom: part.bottom - BELOW,
        };
        frame.right = frame.right.max(frame.left + 20.0);
        frame.bottom = frame.bottom.max(frame.top + 20.0);
        frame
    }
}

/// The same unit on both axes: the range that is shown too closely is widened around its middle.
fn same_unit(frame: &Frame, x: Scale, y: Scale) -> (Scale, Scale) {
    let (width, height) = (frame.right - frame.left, frame.bottom - frame.top);
    let ((x0, x1), (y0, y1)) = (x.ends(), y.ends());
    let unit = f64::max((x1 - x0) / width, (y1 - y0) / height);
    let wide = |low: f64, high: f64, length: f64| {
        let (middle, half) = (0.5 * (low + high), 0.5 * unit * length);
        Scale::new(middle - half, middle + half, false)
    };
    (wide(x0, x1, width), wide(y0, y1, height))
}

impl Chart {
    fn size(&self) -> (u32, u32) {
        if let Some(size) = self.size {
            return size;
        }
        let width = self.width();
        let rows = self.rows() as f64;
        let plot = match (self.rows(), self.square) {
            (1, true) => width / self.columns() as f64 + 40.0,
            (1, false) => 0.0,
            (_, true) => width / self.columns() as f64,
            (_, false) => 520.0 + 20.0 * self.columns() as f64,
        };
        let around = self.head.bottom(width) + 36.0 + self.legend().height(width);
        let ends = Ends::new(&self.labels(), FOR_ENDS * width, None).height();
        let least = if self.rows() == 1 { 1000.0 } else { 0.0 };
        let height = f64::max(around + rows * plot, around + ends + BELOW + 60.0).max(least);
        (width as u32, height.ceil() as u32)
    }

    pub(crate) fn draw(&self) -> Canvas {
        let size = self.size();
        let (width, height) = (f64::from(size.0), f64::from(size.1));
        let mut canvas = self.head.page(size);
        let legend = self.legend();
        legend.draw(&mut canvas, width, height);
        let top = self.head.bottom(width) + 36.0;
        let row_height = (height - legend.height(width) - top) / self.rows() as f64;
        let columns = self.columns();
        let plots = self.settled();
        let label_height = row_height - BELOW - 20.0;
        let ends = Ends::new(&self.labels(), FOR_ENDS * width, Some(label_height));
        let room = row_height - BELOW - 46.0;
        for (row, in_row) in plots.chunks(columns).enumerate() {
            let edges: Vec<f64> = in_row.iter().map(|p| p.left_edge(&p.scales().1, room)).collect();
            // what tick labels and gaps leave is shared out evenly, also in a row that is not full
            let widest = edges.iter().copied().fold(0.0, f64::max);
            let missing = (columns - in_row.len()) as f64 * widest;
            let taken = edges.iter().sum::<f64>() + missing + GAP * (columns - 1) as f64 + ends.width();
            let plot_width = (width - 2.0 * MARGIN - 12.0 - taken) / columns as f64;
            let mut left = MARGIN;
            for (plot, edge) in in_row.iter().zip(edges) {
                let y = top + row_height * row as f64;
                let right = left + edge + plot_width;
                let part = Frame { left, right, top: y, bottom: y + row_height };
                let frame = self.frame(plot, &part, edge);
                let (mut x, mut y) = plot.scales();
                if self.square {
                    (x, y) = same_unit(&frame, x, y);
                }
                let plane = Plane { frame: &frame, x, y };
                plot.draw(&mut canvas, &plane);
                if self.names_ends() {
                    let named = plot.curves.iter().map(|c| (c.stroke, Plot::end_of(c, &plane)));
                    let (named, span) = (named.collect::<Vec<_>>(), (frame.top - 12.0, frame.bottom + 12.0));
                    ends.draw(&mut canvas, &named, frame.right, span);
                }
                left = frame.right + GAP;
            }
        }
        canvas
    }
}
