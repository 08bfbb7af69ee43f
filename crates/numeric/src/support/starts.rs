//! Points to begin at, where as many rows meet as there are dimensions: those of a sample.

use super::corner::{Corner, MOST};
use super::lanes::{Lanes, WIDE, Wide, largest, place_of, wide_products, width};
use super::whiten::Whitened;

/// Of a sample's minimisers at least this part must be such points, or they are not to be expected.
const PART: f64 = 0.75;

/// Such points of one set, with the inverses of their rows.
#[derive(Clone, Debug, Default)]
pub(super) struct Starts {
    k: usize,
    /// k of each.
    rows: Vec<u32>,
    y: Vec<Lanes>,
    inverses: Vec<Lanes>,
    /// The points in blocks, less a sign; a number for each point that is nowhere least.
    blocks: Vec<Wide>,
    padding: Vec<Wide>,
}

impl Starts {
    /// Those among the sets of rows that meet in a point of the set; none if they are too few.
    pub(super) fn of(set: &Whitened, noted: &[Vec<u32>]) -> Option<Starts> {
        match width(set.free) {
            1 => Starts::among::<1>(set, noted),
            2 => Starts::among::<2>(set, noted),
            3 => Starts::among::<3>(set, noted),
            4 => Starts::among::<4>(set, noted),
            _ => None,
        }
    }

    fn among<const B: usize>(set: &Whitened, noted: &[Vec<u32>]) -> Option<Starts> {
        let k = set.free;
        let full = noted.iter().filter(|rows| rows.len() == k).count();
        if full == 0 || (full as f64) < PART * noted.len() as f64 {
            return None;
        }
        let mut all: Vec<&Vec<u32>> = noted.iter().filter(|rows| rows.len() == k).collect();
        all.sort_unstable();
        all.dedup();
        let mut starts = Starts { k, ..Starts::default() };
        let nothing = [[0.0; 4]; B];
        for mut corner in all.into_iter().filter_map(|rows| Corner::<B>::at(set, &nothing, rows)) {
            corner.refine(set, &nothing);
            if corner.is_inside(set) {
                starts.add(&corner);
            }
        }
        (!starts.rows.is_empty()).then_some(starts)
    }

    fn add<const B: usize>(&mut self, corner: &Corner<B>) {
        let at = self.rows.len() / self.k;
        let (block, lane) = (at / WIDE, at % WIDE);
        if lane == 0 {
            self.blocks.resize((block + 1) * self.k, [0.0; WIDE]);
            self.padding.push([f32::NEG_INFINITY; WIDE]);
        }
        self.padding[block][lane] = 0.0;
        let columns = self.blocks[block * self.k..].iter_mut().zip(corner.y.as_flattened());
        columns.for_each(|(column, y)| column[lane] = -*y as f32);
        self.rows.extend_from_slice(corner.rows());
        self.y.extend_from_slice(&corner.y);
        corner.inverse().iter().for_each(|row| self.inverses.extend_from_slice(row));
    }

    /// The point where an objective is least, nearly.
    pub(super) fn best<const B: usize>(&self, w: &[Lanes]) -> Corner<B> {
        let (k, at) = (self.k, self.least(w));
        let mut y = [[0.0; 4]; B];
        y.copy_from_slice(&self.y[at * B..(at + 1) * B]);
        let inverse = &self.inverses[at * k * B..(at + 1) * k * B];
        Corner::from_parts(&self.rows[at * k..(at + 1) * k], y, inverse, w)
    }

    pub(super) fn rows_of_best(&self, w: &[Lanes]) -> &[u32] {
        let at = self.least(w);
        &self.rows[at * self.k..(at + 1) * self.k]
    }

    fn least(&self, w: &[Lanes]) -> usize {
        let k = self.k;
        let mut half = [0.0; MOST];
        half.iter_mut().zip(w.as_flattened()).for_each(|(half, w)| *half = *w as f32);
        let (mut most, mut at) = (f32::NEG_INFINITY, 0);
        for (block, (columns, padding)) in self.blocks.chunks_exact(k).zip(&self.padding).enumerate() {
            let values = wide_products(padding, columns, &half[..k]);
            let top = largest(&values);
            if top > most {
                (most, at) = (top, block * WIDE + place_of(&values, top));
            }
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::super::Warm;
    use super::super::tests::{draw, surrounded};
    use super::*;
    use crate::Stream;
    use crate::support::SupportMin;

    #[test]
    fn the_best_of_all_points_inside_is_where_one_starts() {
        let (mut random, k) = (Stream::new(3, &[2]), 6);
        let mut set = surrounded(&mut random, k, 200, 100.0);
        let (mut noted, mut points) = (Vec::new(), Vec::new());
        for _ in 0..100 {
            let mut warm = Warm::default();
            set.min(&draw(&mut random, k), &mut warm);
            points.push(set.method.y.as_flattened()[..k].to_vec());
            warm.sort_unstable();
            noted.push(warm);
        }
        assert!(noted.iter().all(|rows| rows.len() == k));
        let inside = Starts::of(&set.set, &noted).unwrap();
        // rows that meet outside the set are no place to start
        let beyond: Vec<u32> = (0..k as u32).map(|i| 30 * i).collect();
        noted.push(beyond.clone());
        let starts = Starts::of(&set.set, &noted).unwrap();
        assert_eq!(starts.rows, inside.rows);
        assert!(!starts.rows.chunks_exact(k).any(|rows| rows == beyond));
        for _ in 0..50 {
            let mut w = vec![[0.0; 4]; 2];
            w.as_flattened_mut()[..k].copy_from_slice(&draw(&mut random, k));
            let value = |y: &[f64]| y.iter().zip(w.as_flattened()).map(|(y, w)| y * w).sum::<f64>();
            let least = points.iter().map(|y| value(y)).fold(f64::INFINITY, f64::min);
            let best = starts.best::<2>(&w);
            assert!((best.value(&w) - least).abs() < 1e-5, "{} {least}", best.value(&w));
            assert_eq!(best.rows(), starts.rows_of_best(&w));
        }
        // one minimiser in two is no such point
        let half: Vec<Vec<u32>> = noted.iter().flat_map(|rows| [rows.clone(), vec![1]]).collect();
        assert!(Starts::of(&set.set, &half).is_none());
    }
}
