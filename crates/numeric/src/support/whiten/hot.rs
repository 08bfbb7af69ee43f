//! Rows in half the digits, the most active first: where rows are many, looking for the most
//! violated one takes most of a solve. Where half the digits leave a doubt, rows are looked at in
//! full, so that answers are as sharp.

use super::{Lanes, ROWS, Whitened};
use crate::support::lanes::{WIDE, Wide, largest, place_of, wide_products};
use std::ops::Range;

/// The number of rows from which it pays.
const ENOUGH: usize = 8 * ROWS;
/// The number of blocks looked at first, and alone if one of them is violated.
const HOT: usize = 8;
/// As many as there can be: 65,536 rows.
const MOST_BLOCKS: usize = 65_536 / WIDE;
/// In more dimensions rounding would leave too many rows in doubt.
const MOST_FREE: usize = 64;
/// What half the digits of a number of size one may be off by, for each product.
const ROUNDING: f64 = 4e-7;
/// A row that falls by less than this along a direction of length one is not met.
const SLANT: f32 = 1e-4;

#[derive(Clone, Debug)]
pub(super) struct Hot {
    blocks: Vec<Wide>,
    /// Less the ceilings: the padding is never violated.
    floors: Vec<Wide>,
    rows: Vec<u32>,
    places: Vec<u32>,
    /// Blocks that are looked at first.
    first: usize,
}

/// A point in half the digits, and what these leave in doubt of an excess.
struct Half {
    y: [f32; MOST_FREE],
    margin: f64,
}

impl Half {
    fn of(y: &[f64]) -> Half {
        let mut half = [0.0; MOST_FREE];
        half.iter_mut().zip(y).for_each(|(half, y)| *half = *y as f32);
        let longest = y.iter().map(|y| y * y).sum::<f64>().sqrt().max(1.0);
        Half { y: half, margin: ROUNDING * (y.len() + 2) as f64 * longest }
    }
}

impl Whitened {
    /// Looks from now on at those rows first that were active most often.
    pub(in crate::support) fn prefer(&mut self, counts: &[u32]) {
        let k = self.free;
        self.hot = None;
        if !(ENOUGH..=MOST_BLOCKS * WIDE).contains(&counts.len()) || !(1..=MOST_FREE).contains(&k) {
            return;
        }
        let mut rows: Vec<u32> = (0..counts.len() as u32).collect();
        rows.sort_unstable_by_key(|&i| (std::cmp::Reverse(counts[i as usize]), i));
        let blocks = rows.len().div_ceil(WIDE);
        let first = HOT.min(counts.iter().filter(|&&count| count > 0).count().div_ceil(WIDE));
        let mut hot = Hot {
            blocks: vec![[0.0; WIDE]; blocks * k],
            floors: vec![[f32::NEG_INFINITY; WIDE]; blocks],
            places: vec![0; rows.len()],
            rows,
            first,
        };
        for (at, &i) in hot.rows.iter().enumerate() {
            let (block, lane) = (at / WIDE, at % WIDE);
            hot.places[i as usize] = at as u32;
            for j in 0..k {
                hot.blocks[block * k + j][lane] = self.entry(i as usize, j) as f32;
            }
            hot.floors[block][lane] = -self.ceilings[i as usize / ROWS][i as usize % ROWS] as f32;
        }
        self.hot = Some(hot);
    }

    /// No longer looks at some rows first, where bounds on blocks do better.
    pub(in crate::support) fn prefer_none(&mut self) {
        if self.coarse.is_some() {
            self.hot = None;
        }
    }

    pub(in crate::support) fn has_hot(&self) -> bool {
        self.hot.is_some()
    }

    /// A way along edges that begins at y, if some rows are looked at first.
    pub(in crate::support) fn course(&self, y: &[Lanes]) -> Option<Course<'_>> {
        let (hot, k) = (self.hot.as_ref()?, self.free);
        let half = Half::of(&y.as_flattened()[..k]);
        let mut course = Course { hot, k, excess: [[0.0; WIDE]; HOT], rate: [[0.0; WIDE]; HOT] };
        for (block, excess) in course.excess[..hot.first].iter_mut().enumerate() {
            *excess = hot.products(block, &hot.floors[block], &half.y[..k]);
        }
        Some(course)
    }

    fn excess(&self, row: usize, y: &[f64]) -> f64 {
        let columns = &self.blocks[row / ROWS * self.free..];
        let sum: f64 = columns.iter().zip(y).map(|(column, y)| column[row % ROWS] * y).sum();
        sum - self.ceilings[row / ROWS][row % ROWS]
    }
}

/// A way along edges: where on it the rows that are looked at first are met, nearly.
pub(in crate::support) struct Course<'a> {
    hot: &'a Hot,
    k: usize,
    /// By how much these rows are violated where the way has led to.
    excess: [Wide; HOT],
    rate: [Wide; HOT],
}

impl Course<'_> {
    /// Goes from y along d to the first row that is met; to the first of all rows if none of these is.
    pub(in crate::support) fn follow(&mut self, y: &[Lanes], d: &[Lanes]) -> Option<usize> {
        let (hot, k, d) = (self.hot, self.k, &d.as_flattened()[..self.k]);
        let size = d.iter().map(|d| d * d).sum::<f64>().sqrt().recip();
        let mut along = [0.0; MOST_FREE];
        along.iter_mut().zip(d).for_each(|(half, d)| *half = (d * size) as f32);
        let mut met = (f32::MAX, None);
        for (block, (rate, excess)) in self.rate[..hot.first].iter_mut().zip(&self.excess).enumerate() {
            *rate = hot.products(block, &[0.0; WIDE], &along[..k]);
            look(&mut met, block, excess, rate);
        }
        if met.1.is_none() {
            let half = Half::of(&y.as_flattened()[..k]);
            for block in hot.first..hot.floors.len() {
                let excess = hot.products(block, &hot.floors[block], &half.y[..k]);
                look(&mut met, block, &excess, &hot.products(block, &[0.0; WIDE], &along[..k]));
            }
        }
        for (excess, rate) in self.excess.iter_mut().zip(&self.rate) {
            for lane in 0..WIDE {
                excess[lane] += met.0 * rate[lane];
            }
        }
        met.1.map(|at| hot.rows[at] as usize)
    }
}

/// Looks for a row of a block that is met before the first so far: the way to it, and its place.
fn look(first: &mut (f32, Option<usize>), block: usize, excess: &Wide, rate: &Wide) {
    // less how far it is to each row; without end where the row does not fall
    let mut steps = [f32::NEG_INFINITY; WIDE];
    for lane in 0..WIDE {
        let step = excess[lane].min(0.0) / rate[lane];
        steps[lane] = if rate[lane] > SLANT { step } else { f32::NEG_INFINITY };
    }
    let nearest = -largest(&steps);
    if nearest < first.0 {
        *first = (nearest, Some(block * WIDE + place_of(&steps, -nearest)));
    }
}

impl Hot {
    /// The most violated of the hot rows above the floor, without those of W; else of all rows.
    #[inline(never)]
    pub(super) fn scan(
        &self,
        set: &Whitened,
        y: &[Lanes],
        floor: f64,
        working: &[usize],
    ) -> Option<(usize, f64)> {
        let y = &y.as_flattened()[..set.free];
        let half = Half::of(y);
        // their excess is rounding, which would leave a doubt each time
        let mut masks = [0u32; MOST_BLOCKS];
        for at in working.iter().filter_map(|&row| self.places.get(row)).map(|&at| at as usize) {
            masks[at / WIDE] |= 1 << (at % WIDE);
        }
        let all = self.floors.len();
        [0..self.first, self.first..all].into_iter().find_map(|range| {
            let (top, at) = self.most_violated(range.clone(), &half.y[..y.len()], &masks);
            if f64::from(top) > floor + 2.0 * half.margin {
                let row = self.rows[at] as usize;
                return Some((row, set.excess(row, y)));
            }
            if f64::from(top) <= floor - half.margin {
                return None;
            }
            self.look_closely(range, set, y, &half, floor, working)
        })
    }

    #[inline(always)]
    fn products(&self, block: usize, more: &Wide, x: &[f32]) -> Wide {
        wide_products(more, &self.blocks[block * x.len()..(block + 1) * x.len()], x)
    }

    /// The largest excess in half the digits but for the rows that are masked, and its place.
    fn most_violated(&self, range: Range<usize>, y: &[f32], masks: &[u32; MOST_BLOCKS]) -> (f32, usize) {
        let (mut most, mut place, mut worst) = (f32::NEG_INFINITY, 0, [0.0; WIDE]);
        for block in range {
            let mut excess = self.products(block, &self.floors[block], y);
            let mut mask = masks[block];
            while mask != 0 {
                excess[mask.trailing_zeros() as usize] = f32::NEG_INFINITY;
                mask &= mask - 1;
            }
            let top = largest(&excess);
            if top > most {
                (most, place, worst) = (top, block, excess);
            }
        }
        (most, WIDE * place + place_of(&worst, most))
    }

    fn look_closely(
        &self,
        range: Range<usize>,
        set: &Whitened,
        y: &[f64],
        half: &Half,
        floor: f64,
        working: &[usize],
    ) -> Option<(usize, f64)> {
        let k = set.free;
        let (mut most, mut found) = (floor, None);
        let mut limit = (most - half.margin) as f32;
        for block in range {
            let excess = self.products(block, &self.floors[block], &half.y[..k]);
            if largest(&excess) <= limit {
                continue;
            }
            for (&row, &nearly) in self.rows[block * WIDE..].iter().zip(&excess) {
                let row = row as usize;
                if nearly > limit && !working.contains(&row) {
                    let excess = set.excess(row, y);
                    if excess > most {
                        (most, found) = (excess, Some(row));
                        limit = (most - half.margin) as f32;
                    }
                }
            }
        }
        found.map(|row| (row, most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stream;
    use crate::support::tests::{draw, surrounded};
    use std::sync::Arc;

    const K: usize = 7;

    /// A set of 500 rows, of which the 256 of even numbers, and six more, are looked at first.
    fn drawn(random: &mut Stream) -> Arc<Whitened> {
        let mut set = surrounded(random, K, 500, 100.0).set;
        let counts: Vec<u32> = (0..500).map(|i| if i % 2 == 0 { 3 } else { u32::from(i < 12) }).collect();
        Arc::make_mut(&mut set).prefer(&counts);
        assert_eq!(set.hot.as_ref().map(|hot| (hot.first, hot.floors.len())), Some((HOT, 16)));
        set
    }

    fn lanes(x: &[f64], scale: f64) -> Vec<Lanes> {
        let mut out = vec![[0.0; 4]; K.div_ceil(4)];
        out.as_flattened_mut().iter_mut().zip(x).for_each(|(o, x)| *o = scale * x);
        out
    }

    #[test]
    fn a_scan_finds_the_most_violated_row_of_those_it_looks_at() {
        let mut random = Stream::new(4, &[3]);
        let set = drawn(&mut random);
        let hot = set.hot.as_ref().unwrap();
        let mut outcomes = [0; 3];
        for scale in [0.008, 0.009, 0.01, 0.03].into_iter().cycle().take(400) {
            let y = lanes(&draw(&mut random, K), scale);
            let working: Vec<usize> = (0..K).map(|_| random.below(500)).collect();
            let of = |places: Range<usize>| {
                let rows = hot.rows[places].iter().map(|&row| row as usize);
                let rows = rows.filter(|row| !working.contains(row));
                rows.map(|row| set.excess(row, y.as_flattened())).fold(f64::NEG_INFINITY, f64::max)
            };
            let (first, rest) = (of(0..HOT * WIDE), of(HOT * WIDE..500));
            let expected = [first, rest].into_iter().find(|excess| *excess > 1e-12);
            match (hot.scan(&set, &y, 1e-12, &working), expected) {
                (Some((row, excess)), Some(most)) => {
                    assert!(!working.contains(&row) && excess > 1e-12 && most - excess < 1e-5);
                    assert_eq!(excess, set.excess(row, y.as_flattened()));
                    outcomes[usize::from(most != first)] += 1;
                }
                (None, None) => outcomes[2] += 1,
                (found, expected) => panic!("{found:?} {expected:?}"),
            }
        }
        assert!(outcomes.iter().all(|count| *count > 3), "{outcomes:?}");
    }

    #[test]
    fn a_course_meets_the_rows_in_their_order() {
        let mut random = Stream::new(5, &[3]);
        let set = drawn(&mut random);
        let hot = set.hot.as_ref().unwrap();
        for _ in 0..50 {
            let mut y = lanes(&[0.0; K], 1.0);
            let mut course = set.course(&y).unwrap();
            for _ in 0..4 {
                let d = lanes(&draw(&mut random, K), 1.0);
                let step = |row: usize| {
                    let rate: f64 = (0..K).map(|j| set.entry(row, j) * d.as_flattened()[j]).sum();
                    let slack = -set.excess(row, y.as_flattened()).min(0.0);
                    if rate > 1e-3 { slack / rate } else { f64::INFINITY }
                };
                let rows = hot.rows[..HOT * WIDE].iter().map(|&row| row as usize);
                let least = rows.map(step).fold(f64::INFINITY, f64::min);
                let met = course.follow(&y, &d).unwrap();
                assert!((step(met) - least).abs() < 1e-4, "{} {least}", step(met));
                let place = hot.places[met] as usize;
                assert!(place < HOT * WIDE && hot.rows[place] as usize == met);
                let there = step(met);
                y.iter_mut().zip(&d).for_each(|(y, d)| (0..4).for_each(|i| y[i] += there * d[i]));
            }
        }
    }
}
