//! The books of a guarded policy over a run: its ledger, what that may reach, who played, and the episodes
//! that were handed over.

use super::{Titled, axis, curve};
use crate::figure::{Colour, Curve, Dash, Marker, Marks, Plot, Shape, Stroke};
use goalward::episode::AuditReport;

/// The strip that shows who played: its lower and its upper edge above the curves, as a share of their
/// span.
const STRIP: (f64, f64) = (0.05, 0.11);
const INNER: Colour = Colour::SKY;
const OUTER: Colour = Colour::ORANGE;

pub(super) fn plot(report: &AuditReport) -> Option<Titled> {
    let (guard, points) = (report.guard.as_ref()?, &report.curve.guard);
    points.first()?;
    let ledger = curve("ledger L".into(), 0, points.iter().map(|(k, ledger, ..)| (*k, *ledger)));
    let most = curve("b_k + κw".into(), 1, points.iter().map(|(k, _, most, _)| (*k, *most)));
    let taken = guard.handovers.iter().filter_map(|one| points.iter().find(|(k, ..)| *k == one.episode));
    let taken: Vec<(f64, f64)> = taken.map(|(k, ledger, ..)| (*k as f64, *ledger)).collect();
    let key = |label: String, colour| Curve {
        label,
        stroke: Stroke::new(colour, 14.0, Dash::Solid),
        points: Vec::new(),
        dots: false,
    };
    let title = format!(
        "The inner learner began {} of {} episodes; {} were taken from it",
        guard.inner_episodes,
        guard.episodes,
        guard.handovers.len()
    );
    let note = "the ledger adds up cost less the lower bound on V*, over episodes of the inner learner";
    let marks =
        Marks { label: "handed over".into(), colour: Colour::INK, marker: Marker::Circle, points: taken };
    let plot = Plot {
        x: axis("Episodes k", false),
        y: axis("Cost", false),
        shapes: strip(points),
        guides: vec![key(format!("begun by {}", guard.inner), INNER), key("begun by lr".into(), OUTER)],
        curves: vec![most, ledger],
        marks: (!marks.points.is_empty()).then_some(marks).into_iter().collect(),
        ..Plot::default()
    };
    Some((title, note, plot))
}

/// Who began the episodes from one point to the next: the share of the inner learner below, that of
/// `lr` above it.
fn strip(points: &[(u64, f64, f64, u64)]) -> Vec<Shape> {
    let heights = points.iter().flat_map(|(_, ledger, most, _)| [*ledger, *most]);
    let (low, high) = heights.fold((0.0f64, 0.0f64), |(low, high), y| (low.min(y), high.max(y)));
    let height = |share: f64| high + (high - low).max(1e-9) * (STRIP.0 + share * (STRIP.1 - STRIP.0));
    let (mut shapes, mut before) = (Vec::new(), (0, 0));
    for &(k, _, _, inner) in points {
        let share = (inner - before.1) as f64 / (k - before.0).max(1) as f64;
        let (left, right) = (before.0 as f64, k as f64);
        for (from, to, colour) in [(0.0, share, INNER), (share, 1.0, OUTER)] {
            let outline = [(left, from), (right, from), (right, to), (left, to)];
            let outline: Vec<(f64, f64)> = outline.map(|(x, y)| (x, height(y))).to_vec();
            if to > from {
                shapes.push(Shape { outline, colour, opacity: 1.0 });
            }
        }
        before = (k, inner);
    }
    shapes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three points: all of two episodes, one of two, none of four.
    #[test]
    fn the_strip_shows_who_played() {
        let points = [(2, 1.0, 4.0, 2), (4, 3.0, 5.0, 3), (8, 3.0, 10.0, 3)];
        let shapes = strip(&points);
        let colours: Vec<Colour> = shapes.iter().map(|shape| shape.colour).collect();
        assert_eq!(colours, [INNER, INNER, OUTER, OUTER]);
        // the curves reach from 0 to 10: the strip from 10.5 to 11.1, and half of it at 10.8
        let half = &shapes[1].outline;
        assert!((half[0].1 - 10.5).abs() < 1e-12 && (half[2].1 - 10.8).abs() < 1e-12, "{half:?}");
        assert_eq!((half[0].0, half[1].0), (2.0, 4.0));
        assert!(strip(&[]).is_empty());
    }
}
