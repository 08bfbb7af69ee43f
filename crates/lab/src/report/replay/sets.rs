//! A learner's confidence set, as a replay shows it: an interval for every coordinate of theta, and
//! the projection onto the plane of the first two.

use super::{DIGITS, rounded};
use crate::sets::{Extent, Which, polygon_within};
use goalward::learners::Learner;
use goalward::numeric::Portable;
use serde_json::{Value, json};

/// The most coordinates that are shown.
pub(super) const MOST: usize = 24;
/// Directions in a half turn, each with both its ends.
const ANGLES: usize = 16;

/// The directions in which sets are measured, and the last measurement.
pub(super) struct SetWatch {
    shown: usize,
    /// The coordinates, then the angles in the plane of the first two.
    directions: Vec<Vec<f64>>,
    angles: Vec<(f64, f64)>,
    /// The number of the last plan that was looked at, with its set.
    last: Option<(u64, Value)>,
}

impl SetWatch {
    pub(super) fn new(dim: usize) -> SetWatch {
        let shown = dim.min(MOST);
        let angle = |i: usize| {
            let angle = std::f64::consts::PI * i as f64 / ANGLES as f64;
            (angle.cosine(), angle.sine())
        };
        let angles: Vec<(f64, f64)> = if dim < 2 { Vec::new() } else { (0..ANGLES).map(angle).collect() };
        let unit = |entries: &[(usize, f64)]| {
            let mut direction = vec![0.0; dim];
            entries.iter().for_each(|(i, x)| direction[*i] = *x);
            direction
        };
        let coordinates = (0..shown).map(|i| unit(&[(i, 1.0)]));
        let plane = angles.iter().map(|(x, y)| unit(&[(0, *x), (1, *y)]));
        SetWatch { shown, directions: coordinates.chain(plane).collect(), angles, last: None }
    }

    /// The learner's current estimate, and the set of its last plan, measured once for each plan.
    pub(super) fn look(&mut self, learner: &Learner) -> Value {
        let plan = learner.clock().j;
        let mut view = match self.last.take() {
            Some((j, set)) if j == plan => set,
            _ => self.set_of(learner),
        };
        self.last = Some((plan, view.clone()));
        let estimate = learner.theta();
        let shown = |theta: Vec<f64>| theta.iter().take(self.shown).map(|x| rounded(*x, DIGITS)).collect();
        view["estimate"] = estimate.map_or(Value::Null, shown);
        view["plan"] = plan.into();
        view
    }

    /// The intersection of the sets of the last plan, or of all data if there was none. `ends`: the
    /// interval of each coordinate; `outline`: the corners of the projection, if it is bounded.
    fn set_of(&self, learner: &Learner) -> Value {
        let of = |which| Extent::of(learner, which, self.directions.iter());
        let planned = of(Which::Planned);
        let extent = if planned.with_support > 0 { planned } else { of(Which::Now) };
        let (ends, outline) = match extent.with_support {
            0 => (learner.intervals().unwrap_or_default(), Vec::new()),
            _ => (extent.ends.clone(), self.outline(&extent.ends)),
        };
        let pair = |(x, y): &(f64, f64)| json!([rounded(*x, DIGITS), rounded(*y, DIGITS)]);
        let (ends, outline) = (ends.iter().take(self.shown).map(pair), outline.iter().map(pair));
        json!({ "ends": ends.collect::<Value>(), "outline": outline.collect::<Value>() })
    }

    fn outline(&self, ends: &[(f64, f64)]) -> Vec<(f64, f64)> {
        if self.angles.is_empty() || ends.iter().any(|(low, high)| !low.is_finite() || !high.is_finite()) {
            return Vec::new();
        }
        let half_planes = self.angles.iter().zip(&ends[self.shown..]);
        let both = |(&(x, y), &(low, high)): (&(f64, f64), &(f64, f64))| [(x, y, high), (-x, -y, -low)];
        polygon(ends[0], ends[1], half_planes.flat_map(both))
    }
}

/// The corners with a slack: lines through a corner, or a set that is a segment, leave corners that
/// nearly coincide, which a drawing does not show.
fn polygon(
    x: (f64, f64),
    y: (f64, f64),
    half_planes: impl Iterator<Item = (f64, f64, f64)>,
) -> Vec<(f64, f64)> {
    let slack = 1e-9 * (1.0 + [x.0, x.1, y.0, y.1].iter().fold(0.0, |most: f64, x| most.max(x.abs())));
    polygon_within(x, y, half_planes, slack)
}

#[cfg(test)]
mod tests {
    use super::*;
    use goalward::numeric::Portable;

    #[test]
    fn a_box_that_is_cut() {
        let square = ((0.0, 1.0), (0.0, 1.0));
        assert_eq!(polygon(square.0, square.1, std::iter::empty()).len(), 4);
        let mut triangle = polygon(square.0, square.1, [(1.0, 1.0, 1.0)].into_iter());
        triangle.sort_by(|a, b| a.partial_cmp(b).unwrap());
        triangle.dedup_by(|a, b| (a.0 - b.0).abs() + (a.1 - b.1).abs() < 1e-6);
        assert_eq!(triangle.len(), 3, "{triangle:?}");
        assert!(triangle.iter().all(|(x, y)| x + y <= 1.0 + 1e-6));
        assert!(polygon(square.0, square.1, [(1.0, 0.0, -1.0)].into_iter()).is_empty());
    }

    #[test]
    fn a_circle_from_its_support_function() {
        let angle = |i: usize| {
            let angle = std::f64::consts::PI * i as f64 / 16.0;
            (angle.sine(), angle.cosine())
        };
        let lines = (0..32).map(|i| (angle(i).1, angle(i).0, 1.0));
        let corners = polygon((-1.0, 1.0), (-1.0, 1.0), lines);
        assert_eq!(corners.len(), 32);
        assert!(corners.iter().all(|(x, y)| (1.0..1.006).contains(&x.hypotenuse(*y))));
    }
}
