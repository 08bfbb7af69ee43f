//! Which rows of a polytope are facets: Clarkson's algorithm, with a budget.
//!
//! K. L. Clarkson, "More output-sensitive geometric algorithms", FOCS 1994. With the origin at an
//! interior point a row is a'y <= s, s > 0. It is dropped only when rows that stay imply it:
//! multipliers mu >= 0 with a = sum mu_j a_j and sum mu_j s_j <= s. If they do not, a ray from the
//! origin towards a point that violates it meets a facet first, which joins those that stay. Rows
//! meet growing samples' facets before their own turn, so that few are left of millions; rays look
//! at these alone.
//!
//! What rounding can do: a dropped row may be exceeded by a share 1e-12 of its slack, and
//! multipliers may leave 1e-12 of its direction. The polytope may become larger by as much, never
//! smaller. A row is kept whenever anything is in doubt.

use super::walk::{Slabs, Verdict, Walk};
use super::{Features, Polytope, Pruned};
use crate::{dot, norm};
use rayon::prelude::*;

/// Rows that are looked at in one go; chunks never depend on the number of threads.
const CHUNK: usize = 1 << 15;
/// Rows of the first sample; each further one has [`GROWTH`] times as many.
const SAMPLE: usize = 128;
const GROWTH: usize = 8;
/// Of this number of rows without a sample before them, or of a sample, at most three quarters may be
/// facets.
const ENOUGH: usize = 256;
/// More facets than this are not written out in place of features.
const MOST: usize = 4096;
/// A row is first tested against this number of facets, then against [`MORE`] times as many, and so on.
const FIRST: usize = 48;
const MORE: usize = 3;
/// Products that may be spent in any case, for each row besides, and at most: a second or two on
/// two cores.
const BUDGET: u64 = 20_000_000;
const BUDGET_PER_ROW: u64 = 30_000;
const BUDGET_IN_ALL: u64 = 4_000_000_000;

/// Rows that are numbered, in the coordinates of a polytope's hull.
pub(super) trait Source: Sync {
    /// How many there are.
    fn len(&self) -> usize;
    /// Writes row i, of norm one, and returns its offset; none if it says nothing.
    fn row(&self, i: usize, a: &mut [f64]) -> Option<f64>;
}

/// The rows that stay, in their order.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Kept {
    pub(super) rows: Vec<usize>,
    /// Every row was looked at: those that stay are facets.
    pub(super) complete: bool,
}

/// The rows that are written out, then the features.
struct Rows<'a>(&'a Polytope);

impl Rows<'_> {
    fn features(&self) -> Option<&Features> {
        self.0.features.as_ref()
    }
}

impl Source for Rows<'_> {
    fn len(&self) -> usize {
        self.0.offsets.len() + self.features().map_or(0, Features::len)
    }

    fn row(&self, i: usize, a: &mut [f64]) -> Option<f64> {
        let (k, written) = (self.0.free, self.0.offsets.len());
        if i < written {
            a.copy_from_slice(&self.0.rows[i * k..(i + 1) * k]);
            return Some(self.0.offsets[i]);
        }
        self.features()?.row(self.0, i - written, a)
    }
}

impl Polytope {
    /// Drops the rows that others imply, while that is cheap. Features are replaced by the rows
    /// that stay if these are few enough.
    pub(super) fn prune(&mut self) {
        let seen = self.pruned.seen;
        let many = self.has_features();
        if self.free > 0 {
            let rows = Rows(self);
            let z = self.coordinates(&self.interior);
            let most = if many { MOST } else { usize::MAX };
            let kept = prune(&rows, &z, most).filter(|kept| kept.complete || !many);
            if let Some(kept) = kept {
                let (mut rows, mut offsets) = (Vec::new(), Vec::new());
                let mut row = vec![0.0; self.free];
                for i in kept.rows {
                    if let Some(b) = Rows(self).row(i, &mut row) {
                        rows.extend_from_slice(&row);
                        offsets.push(b);
                    }
                }
                (self.rows, self.offsets, self.features) = (rows, offsets, None);
                self.pruned = Pruned { seen, kept: self.offsets.len(), complete: kept.complete };
                return;
            }
        }
        self.pruned = self.unpruned();
    }

    /// What is to be said where nothing was pruned.
    pub(super) fn unpruned(&self) -> Pruned {
        let written = self.offsets.len();
        let left = |features: &Features| self.pruned.seen - features.implied();
        let kept = self.features.as_ref().map_or(written, left);
        Pruned { seen: self.pruned.seen, kept, complete: self.free == 0 }
    }
}

/// Finds the rows that stay; none if that would take too long, or if there are more than `most`.
/// `z` is an interior point.
pub(super) fn prune(source: &impl Source, z: &[f64], most: usize) -> Option<Kept> {
    let mut search = Search::new(source, z);
    let n = source.len();
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
    (rows.len() <= most).then_some(Kept { rows, complete })
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

struct Search<'a, S> {
    source: &'a S,
    z: &'a [f64],
    place: f64,
    slabs: Slabs,
    /// The row of each slab.
    facets: Vec<usize>,
    /// Facets that a ray met together with other rows.
    doubtful: Vec<usize>,
    work: u64,
    budget: u64,
}

impl<'a, S: Source> Search<'a, S> {
    fn new(source: &'a S, z: &'a [f64]) -> Self {
        let budget = (BUDGET + BUDGET_PER_ROW * source.len() as u64).min(BUDGET_IN_ALL);
        let (slabs, facets, doubtful) = (Slabs::new(z.len()), Vec::new(), Vec::new());
        Search { source, z, place: norm(z), slabs, facets, doubtful, work: 0, budget }
    }

    /// The rows `pick`(0..count) that the facets known so far do not imply.
    fn filter(&mut self, count: usize, pick: impl Fn(usize) -> usize + Sync) -> Open {
        let k = self.z.len();
        let this = &*self;
        let look = |asker: &mut Asker, range: std::ops::Range<usize>| {
            let (mut open, mut a) = (Open::default(), vec![0.0; k]);
            for row in range.map(&pick) {
                let Some(b) = this.source.row(row, &mut a) else { continue };
                let s = b - dot(&a, this.z);
                let noise = 8.0 * f64::EPSILON * (b.abs() + this.place);
                if asker.ask(&a, s, noise) == Verdict::Open {
                    open.push(row, &a, s, noise);
                }
            }
            open
        };
        // the first rows show the walks around; all others start from there
        let mut asker = Asker::new(this);
        let begun = CHUNK.min(count);
        let mut found = vec![(look(&mut asker, 0..begun), asker.work())];
        let firsts: Vec<usize> = (begun..count).step_by(CHUNK).collect();
        let rest = firsts.into_par_iter().map(|first| {
            let mut asker = asker.clone();
            let before = asker.work();
            let open = look(&mut asker, first..(first + CHUNK).min(count));
            (open, asker.work() - before)
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

    /// Facets among the rows join those that stay, until the others are implied. Returns rows that
    /// are undecided because the budget is spent or more than `most` stay, and those that stay
    /// whatever the others are, as the interior point has no room there.
    ///
    /// The facets known so far stand in line with the rows: some may be none any more.
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
            if walk.ask(&self.slabs, self.slabs.len(), a, s, noise) == Verdict::Open {
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

    /// Those of the rows that are still not implied.
    fn still_open(&mut self, numbers: &[f64], alive: &[usize]) -> Vec<usize> {
        let k = self.z.len();
        let this = &*self;
        let look = |chunk: &[usize]| {
            let mut asker = Asker::new(this);
            let open = |i: &usize| {
                let number = &numbers[i * (k + 2)..][..k + 2];
                asker.ask(&number[..k], number[k], number[k + 1]) == Verdict::Open
            };
            let open: Vec<usize> = chunk.iter().copied().filter(open).collect();
            (open, asker.work())
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
            if Walk::new(self.z.len()).ask(&others, others.len(), &a, s, noise) == Verdict::Implied {
                self.slabs = others;
                self.facets.remove(i);
            }
        }
    }
}

/// Asks of a few facets first.
#[derive(Clone)]
struct Asker<'a> {
    slabs: &'a Slabs,
    walks: Vec<(usize, Walk)>,
}

impl<'a> Asker<'a> {
    fn new<S>(search: &'a Search<S>) -> Self {
        let (k, all) = (search.z.len(), search.slabs.len());
        let counts = std::iter::successors(Some(FIRST), |count| Some(count * MORE));
        let counts = counts.take_while(|count| 2 * count < all).chain([all]);
        let walks = counts.map(|count| (count, Walk::new(k))).collect();
        Asker { slabs: &search.slabs, walks }
    }

    fn ask(&mut self, a: &[f64], s: f64, noise: f64) -> Verdict {
        let ask = |(count, walk): &mut (usize, Walk)| walk.ask(self.slabs, *count, a, s, noise);
        let implied = self.walks.iter_mut().any(|level| ask(level) == Verdict::Implied);
        if implied { Verdict::Implied } else { Verdict::Open }
    }

    fn work(&self) -> u64 {
        self.walks.iter().map(|(_, walk)| walk.work).sum()
    }
}

/// The place of the first row that a ray from the origin meets, and whether it is the only one; of
/// several, the one whose a/s is lexicographically largest.
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
