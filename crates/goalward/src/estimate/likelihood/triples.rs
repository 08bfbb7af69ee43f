//! Which triples were seen and how often, with their rows where those are few.

use super::frame::Frame;
use crate::numeric::stored::{Flaw, ensure, length};
use crate::problem::Pair;
use serde::{Deserialize, Serialize};

/// The numbers that rows and constants of the first pairs' triples may take: 2 MB.
pub(super) const ROOM: usize = 1 << 18;
/// Rows that are worked out at a time.
const STRETCH: usize = 256;
/// No triple.
const NONE: u32 = u32::MAX;

/// Counts of triples (s,a,s'). A triple's place in all arrays is its *index*: first all successors
/// of the `early` pairs, then the `later` triples in the order in which they were first seen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Tally {
    /// The pairs whose triples are all laid out, seen or not, in the order of their first visits.
    early: Vec<u32>,
    /// Of every later triple the pair, and the successor's place among the pair's.
    later_pairs: Vec<u32>,
    later_places: Vec<u32>,
    /// How often each was seen.
    counts: Vec<u64>,
}

/// A [`Tally`] that finds its triples.
///
/// Rows of early triples are kept; those of later ones are worked out from the features in every
/// pass, which takes twice the time and a third of the memory. Per later triple that is 20 bytes:
/// pair, place, count and a link to the pair's next one.
#[derive(Clone, Debug)]
pub(super) struct Triples {
    pub(super) tally: Tally,
    /// A triple of each pair: the first successor's of an early pair, the last new one of another.
    first: Vec<u32>,
    /// Per later triple the one of the same pair that was new before it.
    link: Vec<u32>,
    /// One row of k numbers and a constant per early triple.
    rows: Vec<f64>,
    constants: Vec<f64>,
    /// Whether some theta in B gives it a positive probability.
    possible: Vec<bool>,
    /// The numbers that rows and constants may take.
    room: usize,
}

/// Triples whose indices follow each other.
pub(super) struct Stretch<'a> {
    pub(super) start: usize,
    pub(super) rows: &'a [f64],
    pub(super) constants: &'a [f64],
    pub(super) counts: &'a [u64],
}

impl Triples {
    pub(super) fn new(pairs: usize, room: usize) -> Self {
        Triples {
            tally: Tally::default(),
            first: vec![NONE; pairs],
            link: Vec::new(),
            rows: Vec::new(),
            constants: Vec::new(),
            possible: Vec::new(),
            room,
        }
    }

    /// Restores a tally; a flaw if it does not belong to the frame's problem.
    pub(super) fn restored(frame: &Frame, tally: Tally, room: usize) -> Result<Self, Flaw> {
        let problem = &frame.problem;
        let mut triples = Triples::new(problem.pairs(), room);
        for &p in &tally.early {
            let new = triples.first.get(p as usize) == Some(&NONE) && triples.fits(frame, p as usize);
            ensure(new, "early", || format!("pair {p} cannot stand there"))?;
            triples.lay_out(frame, p as usize);
        }
        let lengths = (tally.later_pairs.len(), tally.later_places.len());
        ensure(lengths.0 == lengths.1, "later_places", || format!("{} of {}", lengths.1, lengths.0))?;
        for (&p, &place) in tally.later_pairs.iter().zip(&tally.later_places) {
            let known =
                (p as usize) < problem.pairs() && (place as usize) < problem.successors(p as usize).len();
            let new = known && triples.find(p as usize, place as usize).is_none();
            ensure(new, "later_pairs", || format!("pair {p}, place {place} cannot stand there"))?;
            triples.add(p as usize, place as usize);
        }
        length("counts", &tally.counts, triples.tally.counts.len())?;
        triples.tally.counts = tally.counts;
        Ok(triples)
    }

    /// How many there are: with those of early pairs that were never seen.
    pub(super) fn len(&self) -> usize {
        self.tally.counts.len()
    }

    /// How often each was seen.
    pub(super) fn counts(&self) -> &[u64] {
        &self.tally.counts
    }

    pub(super) fn room(&self) -> usize {
        self.room
    }

    /// How many are laid out.
    pub(super) fn early(&self) -> usize {
        self.constants.len()
    }

    /// Whether some theta in B gives each early triple a positive probability.
    pub(super) fn possible(&self) -> &[bool] {
        &self.possible
    }

    /// How often each pair was visited.
    pub(super) fn visits_of_pairs(&self, frame: &Frame) -> Vec<u64> {
        let mut visits = vec![0u64; self.first.len()];
        for (pair, &n) in self.each_pair(frame).zip(&self.tally.counts) {
            visits[pair] += n;
        }
        visits
    }

    /// The triples' pairs, in the order of their indices.
    fn each_pair<'a>(&'a self, frame: &'a Frame) -> impl Iterator<Item = Pair> + 'a {
        let copies = |p: u32| std::iter::repeat_n(p, frame.problem.successors(p as usize).len());
        let early = self.tally.early.iter().flat_map(move |&p| copies(p));
        early.chain(self.tally.later_pairs.iter().copied()).map(|p| p as Pair)
    }

    /// Lays a pair out that comes while there is room.
    pub(super) fn visit(&mut self, frame: &Frame, p: Pair) {
        if self.first[p] == NONE && self.tally.later_pairs.is_empty() && self.fits(frame, p) {
            self.lay_out(frame, p);
        }
    }

    fn fits(&self, frame: &Frame, p: Pair) -> bool {
        let more = frame.problem.successors(p).len();
        (self.constants.len() + more).saturating_mul(frame.inside.len() + 1) <= self.room
    }

    fn lay_out(&mut self, frame: &Frame, p: Pair) {
        self.first[p] = self.early() as u32;
        self.tally.early.push(p as u32);
        let k = frame.inside.len();
        for place in 0..frame.problem.successors(p).len() {
            let start = self.rows.len();
            self.rows.resize(start + k, 0.0);
            let (constant, possible) = frame.row(p, place, &mut self.rows[start..]);
            self.constants.push(constant);
            self.possible.push(possible);
            self.tally.counts.push(0);
        }
    }

    /// A triple's row, into k numbers, its constant, and whether it is possible.
    pub(super) fn row(&self, frame: &Frame, p: Pair, place: usize, row: &mut [f64]) -> (f64, bool) {
        let first = self.first[p] as usize;
        if first >= self.early() {
            return frame.row(p, place, row);
        }
        let index = first + place;
        row.copy_from_slice(&self.rows[index * row.len()..(index + 1) * row.len()]);
        (self.constants[index], self.possible[index])
    }

    /// The index of a triple that is laid out, or was seen: O(successors of the pair).
    fn find(&self, p: Pair, place: usize) -> Option<usize> {
        let (mut index, early) = (self.first[p], self.early());
        if (index as usize) < early {
            return Some(index as usize + place);
        }
        while index != NONE {
            let later = index as usize - early;
            if self.tally.later_places[later] as usize == place {
                return Some(index as usize);
            }
            index = self.link[later];
        }
        None
    }

    fn add(&mut self, p: Pair, place: usize) -> usize {
        let index = self.len();
        self.tally.later_pairs.push(p as u32);
        self.tally.later_places.push(place as u32);
        self.tally.counts.push(0);
        self.link.push(std::mem::replace(&mut self.first[p], index as u32));
        index
    }

    /// Counts a triple; how often it had been seen before.
    pub(super) fn count(&mut self, p: Pair, place: usize) -> u64 {
        let index = self.find(p, place).unwrap_or_else(|| self.add(p, place));
        let before = self.tally.counts[index];
        self.tally.counts[index] += 1;
        before
    }

    /// How often a triple was seen.
    pub(super) fn seen(&self, p: Pair, place: usize) -> u64 {
        self.find(p, place).map_or(0, |index| self.tally.counts[index])
    }

    /// Shows all triples, in the order of their indices, a stretch at a time.
    pub(super) fn each(&self, frame: &Frame, mut show: impl FnMut(Stretch)) {
        let (k, early) = (frame.inside.len(), self.early());
        let counts = &self.tally.counts;
        show(Stretch { start: 0, rows: &self.rows, constants: &self.constants, counts: &counts[..early] });
        if counts.len() == early {
            return;
        }
        let d = frame.problem.dim();
        let (mut rows, mut constants, mut phi) =
            (vec![0.0; STRETCH * k], vec![0.0; STRETCH], vec![0.0; STRETCH * d]);
        for start in (early..counts.len()).step_by(STRETCH) {
            let counts = &counts[start..counts.len().min(start + STRETCH)];
            // a loop of its own: features lie all over memory, and a short loop waits for many of
            // them at a time
            for (i, phi) in phi.chunks_exact_mut(d).take(counts.len()).enumerate() {
                let (p, place) = self.later(start + i - early);
                phi.copy_from_slice(frame.phi(p, place));
            }
            for (i, phi) in phi.chunks_exact(d).take(counts.len()).enumerate() {
                constants[i] = frame.reduce(phi, &mut rows[i * k..(i + 1) * k]);
            }
            let rows = &rows[..counts.len() * k];
            show(Stretch { start, rows, constants: &constants[..counts.len()], counts });
        }
    }

    fn later(&self, i: usize) -> (Pair, usize) {
        (self.tally.later_pairs[i] as usize, self.tally.later_places[i] as usize)
    }

    /// Shows the indices and features of the triples seen, with their counts.
    pub(super) fn each_phi(&self, frame: &Frame, mut show: impl FnMut(usize, &[f64], f64)) {
        let successors = |p: u32| 0..frame.problem.successors(p as usize).len();
        let early =
            self.tally.early.iter().flat_map(|&p| successors(p).map(move |place| (p as usize, place)));
        let later = (0..self.tally.later_pairs.len()).map(|i| self.later(i));
        for (i, ((p, place), &n)) in early.chain(later).zip(&self.tally.counts).enumerate() {
            if n > 0 {
                show(i, frame.phi(p, place), n as f64);
            }
        }
    }

    /// The size in memory, in bytes, with what is reserved.
    pub(super) fn bytes(&self) -> usize {
        let tally = &self.tally;
        let words = self.first.capacity() + self.link.capacity() + tally.early.capacity();
        4 * (words + tally.later_pairs.capacity() + tally.later_places.capacity())
            + 8 * (tally.counts.capacity() + self.rows.capacity() + self.constants.capacity())
            + self.possible.capacity()
    }
}
