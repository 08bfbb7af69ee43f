//! Labels at the ends of curves, pushed apart where they would overlap.

use super::canvas::{Anchor, Canvas, Point};
use super::parts::TEXT;
use super::style::{Colour, Dash, Stroke};
use super::typeface::text_width;
use super::words::{at_most, wrapped};

/// The distance of lines, in units of the letters' size.
const LEADING: f64 = 1.22;
/// Labels are at least so far apart, in the same units.
const APART: f64 = 0.3;
/// Smaller letters cannot be read.
const SMALLEST: f64 = 15.0;
/// Between the frame and the labels.
const GAP: f64 = 40.0;
/// A piece of the line before its label: colours alone do not tell many curves apart.
const SWATCH: f64 = 46.0;

/// The labels of a panel in lines, in letters of one size.
pub(super) struct Ends {
    size: f64,
    lines: Vec<Vec<String>>,
}

impl Ends {
    /// Breaks the labels into lines of at most this width, in letters that fit into the height.
    pub(super) fn new(labels: &[&str], width: f64, height: Option<f64>) -> Ends {
        let mut size = TEXT;
        loop {
            let lines: Vec<Vec<String>> =
                labels.iter().map(|label| at_most(wrapped(label, size, width), 4, size, width)).collect();
            let ends = Ends { size, lines };
            if size <= SMALLEST || height.is_none_or(|height| ends.height() <= height) {
                return ends;
            }
            size -= 1.0;
        }
    }

    pub(super) fn height(&self) -> f64 {
        (0..self.lines.len()).map(|i| self.height_of(i)).sum()
    }

    fn height_of(&self, i: usize) -> f64 {
        (self.lines[i].len() as f64 * LEADING + APART) * self.size
    }

    /// The room that they need right of the frame.
    pub(super) fn width(&self) -> f64 {
        let widest = self.lines.iter().flatten().map(|line| text_width(line, self.size)).fold(0.0, f64::max);
        if self.lines.is_empty() { 0.0 } else { GAP + SWATCH + 10.0 + widest }
    }

    /// Draws them right of a frame, each with a thin line to the end of its curve, if that is seen.
    pub(super) fn draw(
        &self,
        canvas: &mut Canvas,
        ends: &[(Stroke, Option<Point>)],
        right: f64,
        span: (f64, f64),
    ) {
        let heights: Vec<f64> = (0..ends.len()).map(|i| self.height_of(i)).collect();
        let wanted: Vec<f64> = ends.iter().map(|(_, at)| at.map_or(span.1, |at| at.1)).collect();
        let placed = spread(&wanted, &heights, span);
        for (i, ((stroke, at), middle)) in ends.iter().zip(placed).enumerate() {
            if let Some(at) = at {
                let thin = Stroke::new(stroke.colour.pale(0.55), 1.8, Dash::Solid);
                let from = (at.0 + 3.0, at.1);
                let bend = (right.max(at.0) + 6.0, at.1);
                canvas.line(&[from, bend, (right + GAP - 6.0, middle)], thin);
            }
            let swatch = [(right + GAP, middle), (right + GAP + SWATCH, middle)];
            canvas.line(&swatch, Stroke { width: stroke.width.min(5.0), ..*stroke });
            let left = right + GAP + SWATCH + 10.0;
            let top = middle - 0.5 * (self.lines[i].len() as f64 - 1.0) * LEADING * self.size;
            for (n, line) in self.lines[i].iter().enumerate() {
                let y = top + n as f64 * LEADING * self.size + 0.29 * self.size;
                canvas.text(line, (left, y), self.size, stroke.colour.dark(), Anchor::Start);
            }
        }
    }
}

impl Colour {
    /// The same colour, dark enough for letters on white.
    fn dark(self) -> Colour {
        let share = (115.0 / self.brightness().max(1.0)).min(1.0);
        let darker = |c: u8| (f64::from(c) * share).round() as u8;
        Colour(darker(self.0), darker(self.1), darker(self.2))
    }
}

/// Middles near to where they are wanted, without overlaps and within a span as far as there is room:
/// least squares with an order, by pooling neighbours.
fn spread(wanted: &[f64], heights: &[f64], (top, bottom): (f64, f64)) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|&a, &b| wanted[a].total_cmp(&wanted[b]));
    // a block is a run of labels that touch: where its top is wanted by each, and how high it is
    struct Block {
        members: usize,
        tops: f64,
        height: f64,
    }
    impl Block {
        fn top(&self, top: f64, bottom: f64) -> f64 {
            (self.tops / self.members as f64).min(bottom - self.height).max(top)
        }
    }
    let mut blocks: Vec<Block> = Vec::new();
    for &i in &order {
        let mut block = Block { members: 1, tops: wanted[i] - 0.5 * heights[i], height: heights[i] };
        while let Some(last) = blocks.last() {
            if last.top(top, bottom) + last.height <= block.top(top, bottom) {
                break;
            }
            let tops = last.tops + block.tops - block.members as f64 * last.height;
            block = Block { members: last.members + block.members, tops, height: last.height + block.height };
            blocks.pop();
        }
        blocks.push(block);
    }
    let mut middles = vec![0.0; wanted.len()];
    let mut next = order.iter();
    for block in &blocks {
        let mut at = block.top(top, bottom);
        for &i in next.by_ref().take(block.members) {
            middles[i] = at + 0.5 * heights[i];
            at += heights[i];
        }
    }
    middles
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_do_not_overlap() {
        let heights = [10.0, 20.0, 10.0, 10.0];
        let placed = spread(&[50.0, 52.0, 49.0, 90.0], &heights, (0.0, 100.0));
        let mut order: Vec<usize> = (0..4).collect();
        order.sort_by(|&a, &b| placed[a].total_cmp(&placed[b]));
        assert_eq!(order, [2, 0, 1, 3], "in the order of the curves");
        for pair in order.windows(2) {
            let gap = placed[pair[1]] - placed[pair[0]];
            assert!(gap >= 0.5 * (heights[pair[0]] + heights[pair[1]]) - 1e-9);
        }
        assert_eq!(placed[3], 90.0, "what has room stays");
        // at an edge all move inside
        let placed = spread(&[99.0, 99.0, 1.0], &[10.0, 10.0, 10.0], (0.0, 100.0));
        assert_eq!(placed, [85.0, 95.0, 5.0]);
        assert!(spread(&[], &[], (0.0, 1.0)).is_empty());
    }
}
