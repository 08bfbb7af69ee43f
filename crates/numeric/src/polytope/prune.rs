//! Which rows of a polytope are facets: Clarkson's algorithm (More output-sensitive geometric
//! algorithms, FOCS 1994) with a budget.
//!
//! With the origin at an interior point a row is a'y <= s, s > 0. It is dropped only when rows that
//! stay imply it: multipliers mu >= 0 with a = sum mu_j a_j and sum mu_j s_j <= s. If they do not,
//! a ray towards a point that violates it meets a facet first. Rows meet growing samples' facets
//! before their turn.
//!
//! By rounding a dropped row may be exceeded by 1e-12 of its slack; the polytope never becomes
//! smaller.

use super::walk::{Slabs, Walk};
use super::{Features, Polytope, Pruned};
use crate::{dot, norm};
use rayon::prelude::*;
use std::ops::Range;

/// Rows that are looked at in one go; chunks never depend on the number of threads.
const CHUNK: usize = 1 << 15;
/// Rows of the first sample; each further one has [`GROWTH`] times as many.
const SAMPLE: usize = 128;
const GROWTH: usize = 8;
/// Of this number of rows, or of a sample, at most three quarters may be facets.
const ENOUGH: usize = 256;
/// More facets than this are not written out in place of features.
const MOST: usize = 4096;
/// A row is first tested against this number of facets, then against [`MORE`] times as many, and so on.
const FIRST: usize = 48;
const MORE: usize = 3;
/// The budget of products: at least, per row, and at most (a second or two on two cores).
const BUDGET: u64 = 20_000_000;
const BUDGET_PER_ROW: u64 = 30_000;
const BUDGET_IN_ALL: u64 = 4_000_000_000;

impl Polytope {
    /// Drops implied rows while that is cheap; a few facets replace features.
    pub(super) fn prune(&mut self) {
        let seen = self.pruned.seen;
        let many = self.has_features();
        let most = if many { MOST } else { usize::MAX };
        let kept = if self.free > 0 { self.facets(most) } else { None };
        let Some((kept, complete)) = kept.filter(|(_, complete)| *complete || !many) else {
            self.pruned = self.unpruned();
            return;
        };
        let (mut rows, mut offsets, mut row) = (Vec::new(), Vec::new(), vec![0.0; self.free]);
        for i in kept {
            if let Some(b) = self.numbered(i, &mut row) {
                rows.extend_from_slice(&row);
                offsets.push(b);
            }
        }
        (self.rows, self.offsets, self.features) = (rows, offsets, None);
        self.pruned = Pruned { seen, kept: self.offsets.len(), complete };
    }

    /// Writes row i, of norm one, and returns its offset, if it says anything; features come last.
    fn numbered(&self, i: usize, a: &mut [f64]) -> Option<f64> {
        let (k, written) = (self.free, self.offsets.len());
        if i < written {
            a.copy_from_slice(&self.rows[i * k..(i + 1) * k]);
            return Some(self.offsets[i]);
        }
        self.features.as_ref()?.row(self, i - written, a)
    }

    /// The counts where nothing was pruned.
    pub(super) fn unpruned(&self) -> Pruned {
        let written = self.offsets.len();
        let left = |features: &Features| self.pruned.seen - features.implied();
        let kept = self.features.as_ref().map_or(written, left);
        Pruned { seen: self.pruned.seen, kept, complete: self.free == 0 }
    }

    /// The rows that stay, and whether all are facets; none if they are too many or take too long.
    fn facets(&self, most: usize) -> Option<(Vec<usize>, bool)> {
        let z = self.coordinates(&self.interior);
        let n = self.offsets.len() + self.features.as_ref().map_or(0, Features::len);
        let mut search = Search::new(self, &z, n);
        // a permutation that meets every part of the rows: neighbours are often alike
        let stride = (0.618_033_988_749_894_9 * n as f64) as usize;
        let stride = (stride.max(1)..).find(|stride| gcd(*stride, n) == 1)?;
        let mut sample = SAMPLE;
        while sample * GROWTH <= n {
            let before = search.work;
            let open = search.filter(sample, |i| (i as u128 * stride as u128 % n as u128) as usize);
            if !search.join(open, most).0.is_empty() || too_many(search.facets.len(), sample) {
                return None;
            }
            // a row costs less in each round to come, as fewer join: half as much, roughly
            let mut rate = (search.work - before) / sample as u64;
            sample *= GROWTH;
            let mut ahead = sample;
            while ahead * GROWTH <= n {
                ahead *= GROWTH;
                rate /= 2;
            }
            if search.work + rate / 2 * n as u64 > search.budget {
                return None;
            }
        }
        let open = search.filter(n, |i| i);
        let (left, mut rows) = search.join(open, most);
        search.minimise();
        let complete = left.is_empty();
        rows.extend(left);
        rows.extend(search.facets.iter().copied());
        rows.sort_unstable();
        (rows.len() <= most).then_some((rows, complete))
    }
}

/// Where nearly all rows are facets, nearly all of many more will be.
fn too_many(facets: usize, rows: usize) -> bool {
    4 * facets > 3 * rows
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Rows that no multipliers were found for: d + 2 numbers each (a, s, noise).
#[derive(Default)]
struct Open {
    rows: Vec<usize>,
    numbers: Vec<f64>,
}

impl Open {
    fn push(&mut self, row: usize, a: &[f64], s: f64, noise: f64) {
        self.rows.push(row);
        self.numbers.extend_from_slice(a);
        self.numbers.extend([s, noise]);
    }
}

struct Search<'a> {
    polytope: &'a Polytope,
    z: &'a [f64],
    place: f64,
    slabs: Slabs,
    facets: Vec<usize>,
    doubtful: Vec<usize>,
    work: u64,
    budget: u64,
}

impl<'a> Search<'a> {
    fn new(polytope: &'a Polytope, z: &'a [f64], rows: usize) -> Self {
        let budget = (BUDGET + BUDGET_PER_ROW * rows as u64).min(BUDGET_IN_ALL);
        let (slabs, facets, doubtful) = (Slabs::new(z.len()), Vec::new(), Vec::new());
        Search { polytope, z, place: norm(z), slabs, facets, doubtful, work: 0, budget }
    }

    /// The rows `pick`(0..count) that the facets known so far do not imply.
    fn filter(&mut self, count: usize, pick: impl Fn(usize) -> usize + Sync) -> Open {
        let k = self.z.len();
        let this = &*self;
        let look = |walks: &mut Walks, range: Range<usize>| {
            let (mut open, mut a) = (Open::default(), vec![0.0; k]);
            for row in range.map(&pick) {
                let Some(b) = this.polytope.numbered(row, &mut a) else { continue };
                let s = b - dot(&a, this.z);
                let noise = 8.0 * f64::EPSILON * (b.abs() + this.place);
                if !imply(walks, &this.slabs, &a, s, noise) {
                    open.push(row, &a, s, noise);
                }
            }
            open
        };
        // the first rows show the walks around; all others start from there
        let mut walks = self.walks();
        let begun = CHUNK.min(count);
        let mut found = vec![(look(&mut walks, 0..begun), work(&walks))];
        let firsts: Vec<usize> = (begun..count).step_by(CHUNK).collect();
        let rest = firsts.into_par_iter().map(|first| {
            let mut walks = walks.clone();
            let before = work(&walks);
            let open = look(&mut walks, first..(first + CHUNK).min(count));
            (open, work(&walks) - before)
        });
        found.par_extend(rest);
        let mut all = Open::default();
        for (open, work) in found {
            all.rows.extend(open.rows);
            all.numbers.extend(open.numbers);
            self.work += work;
        }
        all
    }

    /// Facets join those that stay, until they imply the others; earlier facets are tested anew.
    /// Returns the rows that the budget leaves undecided, and those without room at the interior
    /// point.
    fn join(&mut self, open: Open, most: usize) -> (Vec<usize>, Vec<usize>) {
        let k = self.z.len();
        let width = k + 2;
        let mut line = Open::default();
        for (i, row) in std::mem::take(&mut self.facets).into_iter().enumerate() {
            let (a, s) = self.slabs.row(i);
            line.push(row, &a, s, 8.0 * f64::EPSILON * (s + 2.0 * self.place));
        }
        let old = line.rows.len();
        line.rows.extend(open.rows);
        line.numbers.extend(open.numbers);
        let Open { rows, numbers } = line;
        self.slabs = Slabs::new(k);
        self.doubtful.clear();
        let mut walk = Walk::new(k);
        let (mut alive, mut bare) = (Vec::new(), Vec::new());
        for (i, row) in rows.iter().enumerate() {
            // without room the row's place is rounding
            let room = numbers[i * width + k] > 1e5 * numbers[i * width + k + 1];
            if room { alive.push(i) } else { bare.push(*row) }
        }
        let (mut place, mut asked) = (0, 0);
        while place < alive.len() {
            let spent = self.work + walk.work > self.budget || self.slabs.len() > most;
            if spent || old == 0 && place >= ENOUGH && too_many(self.slabs.len(), place) {
                self.work += walk.work;
                return (alive[place..].iter().map(|&i| rows[i]).collect(), bare);
            }
            if self.slabs.len() >= 2 * asked + FIRST && alive.len() - place > CHUNK / 8 {
                alive = self.still_open(&numbers, &alive[place..]);
                (place, asked) = (0, self.slabs.len());
                continue;
            }
            let number = &numbers[alive[place] * width..][..width];
            let (a, s, noise) = (&number[..k], number[k], number[k + 1]);
            if !walk.implies(&self.slabs, self.slabs.len(), a, s, noise) {
                self.work += (k * (alive.len() - place)) as u64;
                let (hit, alone) = first_hit(&numbers, &alive[place..], walk.toward());
                let i = alive[place + hit];
                if !alone {
                    self.doubtful.push(rows[i]);
                }
                self.slabs.push(&numbers[i * width..][..k], numbers[i * width + k]);
                self.facets.push(rows[i]);
                // the row that was hit is settled, and the one that asked, if it is another, asks
                // again
                alive.swap(place + hit, place);
                if hit > 0 {
                    alive.swap(place + hit, place + 1);
                }
            }
            place += 1;
        }
        self.work += walk.work;
        self.work += self.slabs.look_back();
        (Vec::new(), bare)
    }

    fn still_open(&mut self, numbers: &[f64], alive: &[usize]) -> Vec<usize> {
        let k = self.z.len();
        let this = &*self;
        let look = |chunk: &[usize]| {
            let mut walks = this.walks();
            let open = |i: &usize| {
                let number = &numbers[i * (k + 2)..][..k + 2];
                !imply(&mut walks, &this.slabs, &number[..k], number[k], number[k + 1])
            };
            let open: Vec<usize> = chunk.iter().copied().filter(open).collect();
            (open, work(&walks))
        };
        let found: Vec<(Vec<usize>, u64)> = alive.par_chunks(CHUNK / 8).map(look).collect();
        self.work += found.iter().map(|(_, work)| work).sum::<u64>();
        found.into_iter().flat_map(|(open, _)| open).collect()
    }

    /// Of rows that a ray met at once, drops those that the others imply.
    fn minimise(&mut self) {
        // the last first, so that of rows that are alike the first stays
        self.doubtful.sort_unstable();
        while let Some(row) = self.doubtful.pop() {
            let Some(i) = self.facets.iter().position(|&facet| facet == row) else { continue };
            let others = self.slabs.without(i);
            let (a, s) = self.slabs.row(i);
            let noise = 8.0 * f64::EPSILON * (s + 2.0 * self.place);
            if Walk::new(self.z.len()).implies(&others, others.len(), &a, s, noise) {
                self.slabs = others;
                self.facets.remove(i);
            }
        }
    }

    /// A walk over the first few facets, one over more, and one over all.
    fn walks(&self) -> Walks {
        let (k, all) = (self.z.len(), self.slabs.len());
        let counts = std::iter::successors(Some(FIRST), |count| Some(count * MORE));
        let counts = counts.take_while(|count| 2 * count < all).chain([all]);
        counts.map(|count| (count, Walk::new(k))).collect()
    }
}

/// Walks over the first slabs, the fewest first.
type Walks = Vec<(usize, Walk)>;

/// Whether one of the walks finds that its slabs imply a row.
fn imply(walks: &mut Walks, slabs: &Slabs, a: &[f64], s: f64, noise: f64) -> bool {
    walks.iter_mut().any(|(count, walk)| walk.implies(slabs, *count, a, s, noise))
}

fn work(walks: &Walks) -> u64 {
    walks.iter().map(|(_, walk)| walk.work).sum()
}

/// The first row that a ray from the origin meets, and whether it is the only one; of several, the
/// one whose a/s is lexicographically largest.
fn first_hit(numbers: &[f64], alive: &[usize], toward: &[f64]) -> (usize, bool) {
    let k = toward.len();
    let rate = |i: usize| dot(&numbers[i * (k + 2)..][..k], toward) / numbers[i * (k + 2) + k];
    let rates: Vec<f64> = alive.iter().map(|&i| rate(i)).collect();
    let largest = rates.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let near = largest - 1e-11 * largest.abs();
    let point = |place: usize| {
        let number = &numbers[alive[place] * (k + 2)..][..k + 1];
        number[..k].iter().map(move |a| a / number[k])
    };
    let larger = |p: usize, q: usize| {
        let order = point(p)
            .zip(point(q))
            .map(|(x, y)| if (x - y).abs() <= 1e-11 * (x.abs() + y.abs()) { 0.0 } else { x - y });
        order.into_iter().find(|&d| d != 0.0).is_some_and(|d| d > 0.0)
    };
    let mut ties = (0..alive.len()).filter(|&place| rates[place] >= near);
    let first = ties.next().unwrap_or(0);
    let mut alone = true;
    let best = ties.fold(first, |best, place| {
        alone = false;
        if larger(place, best) { place } else { best }
    });
    (best, alone)
}
