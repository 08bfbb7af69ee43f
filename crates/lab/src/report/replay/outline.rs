//! The corners of a convex set in a plane, from its support function.

/// The points of a box that satisfy `x a + y b <= c` for all (a, b, c): the corners in order.
///
/// Lines through a corner, or a set that is a segment, leave corners that nearly coincide: that
/// does no harm to a drawing.
pub(super) fn polygon(
    (left, right): (f64, f64),
    (low, high): (f64, f64),
    half_planes: impl Iterator<Item = (f64, f64, f64)>,
) -> Vec<(f64, f64)> {
    let slack = 1e-9 * (1.0 + [left, right, low, high].iter().fold(0.0, |most: f64, x| most.max(x.abs())));
    let mut corners = vec![(left, low), (right, low), (right, high), (left, high)];
    for (a, b, c) in half_planes {
        let over = |&(x, y): &(f64, f64)| x * a + y * b - c - slack;
        let mut kept = Vec::with_capacity(corners.len() + 1);
        for (i, p) in corners.iter().enumerate() {
            let q = &corners[(i + 1) % corners.len()];
            let (from, to) = (over(p), over(q));
            if from <= 0.0 {
                kept.push(*p);
            }
            if (from < 0.0 && to > 0.0) || (from > 0.0 && to < 0.0) {
                let share = from / (from - to);
                kept.push((p.0 + share * (q.0 - p.0), p.1 + share * (q.1 - p.1)));
            }
        }
        corners = kept;
    }
    corners
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
