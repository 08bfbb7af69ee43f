//! The corners of a simplex.

use super::Polytope;
use crate::dot;
use nalgebra::{DMatrix, DVector};

impl Polytope {
    /// The corners in hull coordinates; the i-th is where all rows but the i-th meet.
    pub(crate) fn corners(&self) -> Option<&[f64]> {
        self.corners.get_or_init(|| self.find_corners()).as_deref()
    }

    fn find_corners(&self) -> Option<Vec<f64>> {
        let k = self.free;
        if k == 0 || self.has_features() || self.offsets.len() != k + 1 {
            return None;
        }
        let (rows, last) = self.rows.split_at(k * k);
        // column i leads away from row i, along all others but the last
        let edges = DMatrix::from_row_slice(k, k, rows).try_inverse()?;
        let corner = &edges * DVector::from_column_slice(&self.offsets[..k]);
        let slack = self.offsets[k] - dot(last, corner.as_slice());
        let mut corners = Vec::with_capacity(k * (k + 1));
        for edge in edges.column_iter() {
            let step = slack / dot(last, edge.as_slice());
            if !(step < 0.0 && step.is_finite()) {
                return None;
            }
            corners.extend(corner.iter().zip(edge.as_slice()).map(|(z, e)| z + step * e));
        }
        corners.extend_from_slice(corner.as_slice());
        Some(corners)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PolytopeBuilder;

    #[test]
    fn corners_lie_on_all_rows_but_one() {
        let mut builder = PolytopeBuilder::new(4);
        builder.equality(&[1.0; 4], 1.0).unwrap();
        let minus = |i: usize| [0, 1, 2, 3].map(|j| if i == j { -1.0 } else { 0.0 });
        (0..4).for_each(|i| builder.halfspace(&minus(i), 0.0));
        let simplex = builder.clone().finish().unwrap();
        let corners = simplex.corners().unwrap();
        assert_eq!(corners.len(), 4 * 3);
        for (i, corner) in corners.chunks_exact(3).enumerate() {
            for (row, b) in simplex
                .rows
                .chunks_exact(3)
                .zip(&simplex.offsets)
                .enumerate()
                .map(|(j, r)| (j == i, r))
                .filter(|(own, _)| !own)
                .map(|(_, r)| r)
            {
                assert!((dot(row, corner) - b).abs() < 1e-12);
            }
            assert!(dot(&simplex.rows[3 * i..3 * i + 3], corner) < simplex.offsets[i] - 0.1);
        }
        builder.halfspace(&[1.0, 0.0, 0.0, 0.0], 0.5);
        assert!(builder.finish().unwrap().corners().is_none());
    }
}
