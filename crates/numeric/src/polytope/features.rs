//! Rows phi'x >= 0 that are too many to be written out: the features are scanned in place.

use super::facts::Facts;
use super::{EmptyPolytope, Polytope, PolytopeBuilder, direction, parallel};
use crate::{Tall, dot};
use rayon::prelude::*;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Rows per chunk of a scan. The chunks never depend on the number of threads.
const CHUNK: usize = 1 << 16;
/// Rows that the core starts with, taken at equal distances.
const SAMPLE: usize = 128;
/// Rows that join the core at once, and the most that a chunk may propose.
const BATCH: usize = 64;
/// Rounds in which rows join for a deeper interior point; later only for any.
const DEEPER: usize = 30;

/// Which of the rows that can bind within its ellipsoid a confidence set takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// All of them, however many: the set is ellipsoid ∩ polytope.
    Exact,
    /// All up to four times that number; of more, this number of those nearest to the centre. The
    /// set is then larger, and [says so](crate::support::SupportMin::is_relaxed).
    Nearest(usize),
}

impl std::str::FromStr for Rows {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text.strip_prefix("nearest:") {
            Some(count) => count.parse().ok().filter(|n| *n > 0).map(Rows::Nearest).ok_or(()),
            None if text == "exact" => Ok(Rows::Exact),
            None => Err(()),
        }
    }
}

impl Default for Rows {
    fn default() -> Self {
        Rows::Nearest(256)
    }
}

/// All rows phi of an array, as phi'x >= 0.
#[derive(Clone, Debug)]
pub struct Features {
    phi: Arc<Tall>,
    /// Which rows facts imply: these are passed over.
    implied: Option<Arc<Vec<bool>>>,
    limit: Rows,
}

impl Features {
    /// Which of the rows that can bind a set takes.
    pub(crate) fn limit(&self) -> Rows {
        self.limit
    }

    pub(super) fn with_limit(self, limit: Rows) -> Self {
        Features { limit, ..self }
    }

    pub(super) fn new(phi: Arc<Tall>, limit: Rows) -> Self {
        Features { phi, implied: None, limit }
    }

    pub(super) fn implied(&self) -> usize {
        self.len() - self.open().count()
    }

    fn is_implied(&self, i: usize) -> bool {
        self.implied.as_ref().is_some_and(|implied| implied[i])
    }

    fn open(&self) -> impl Iterator<Item = usize> {
        (0..self.len()).filter(|&i| !self.is_implied(i))
    }

    pub(super) fn len(&self) -> usize {
        self.phi.rows()
    }

    pub(crate) fn phi(&self, i: usize) -> &[f64] {
        self.phi.row(i)
    }

    /// Scans the open rows in parallel, by chunks whose results come in order, with a workspace
    /// each.
    pub fn scan<S, T: Send>(
        &self,
        room: impl Fn() -> S + Sync,
        look: impl Fn(usize, &[f64], &mut S, &mut Vec<T>) + Sync,
    ) -> Vec<Vec<T>> {
        let rows = self.phi.rows();
        (0..rows.div_ceil(CHUNK))
            .into_par_iter()
            .map(|chunk| {
                let (mut room, mut found) = (room(), Vec::new());
                let all = CHUNK * chunk..rows.min(CHUNK * (chunk + 1));
                for i in all.filter(|&i| !self.is_implied(i)) {
                    look(i, self.phi.row(i), &mut room, &mut found);
                }
                found
            })
            .collect()
    }

    /// Row i in hull coordinates, of norm one, and its offset; none if it says nothing.
    pub(crate) fn row(&self, polytope: &Polytope, i: usize, row: &mut [f64]) -> Option<f64> {
        if self.is_implied(i) {
            return None;
        }
        polytope.reduce_row(-1.0, self.phi(i), 0.0, row).ok().flatten()
    }

    /// Rows that z violates by more than a distance: a batch of the worst at most, the worst first.
    pub fn violated(&self, polytope: &Polytope, z: &[f64], tolerance: f64) -> Vec<usize> {
        let theta: Vec<f64> = (0..self.phi.dim())
            .map(|i| polytope.origin()[i] + dot(&polytope.basis()[i * z.len()..(i + 1) * z.len()], z))
            .collect();
        let found = self.scan(
            || vec![0.0; z.len()],
            |i, phi, row, found| {
                // nearly all of them
                if dot(phi, &theta) > 0.0 {
                    return;
                }
                if let Some(b) = self.row(polytope, i, row)
                    && dot(row, z) > b + tolerance
                {
                    propose(found, (b - dot(row, z), i, None));
                }
            },
        );
        least_of(found).into_iter().map(|(_, row, _)| row).collect()
    }
}

/// A row that may join a core: its slack, its number, and the proof if it cannot hold anywhere.
type Proposal = (f64, usize, Option<EmptyPolytope>);

fn propose(found: &mut Vec<Proposal>, proposal: Proposal) {
    found.push(proposal);
    if found.len() >= 4 * BATCH {
        keep_least(found);
    }
}

fn keep_least(found: &mut Vec<Proposal>) {
    found.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
    found.truncate(BATCH);
}

fn least_of(found: Vec<Vec<Proposal>>) -> Vec<Proposal> {
    let mut least = found.into_iter().flatten().collect();
    keep_least(&mut least);
    least
}

impl PolytopeBuilder {
    /// The features without the rows that facts imply.
    fn beyond_facts(&self, phi: Arc<Tall>) -> Features {
        let facts = if self.unpruned { None } else { Facts::of(self) };
        let implied = facts.and_then(|facts| facts.implied(&phi)).map(Arc::new);
        Features { implied, ..Features::new(phi, Rows::default()) }
    }

    /// Whether more rows than may be written out have different directions.
    fn are_too_many(&self, features: &Features) -> bool {
        if features.len() - features.implied() <= self.most {
            return false;
        }
        // rows without a direction are no matter here
        let mut keys = HashSet::new();
        let mut new = |i: &usize| keys.insert(direction(features.phi.row(*i)).unwrap_or(0));
        features.open().filter(|i| new(i)).nth(self.most).is_some()
    }

    pub(super) fn write_out(&mut self, features: &Features) {
        let mut directions: HashMap<u64, usize> = HashMap::new();
        let mut minus = vec![0.0; self.dim];
        for i in features.open() {
            let phi = features.phi.row(i);
            if let Some(key) = direction(phi) {
                let first = *directions.entry(key).or_insert(i);
                if first < i && parallel(phi, features.phi.row(first)) {
                    continue;
                }
            }
            minus.iter_mut().zip(phi).for_each(|(m, x)| *m = -x);
            self.is_new(&minus, 0.0);
        }
    }
}

/// The polytope of the builder's rows and all features, which are kept where they are too many.
pub(super) fn finish(mut builder: PolytopeBuilder, phi: Arc<Tall>) -> Result<Polytope, EmptyPolytope> {
    let features = builder.beyond_facts(phi);
    if builder.are_too_many(&features) {
        return keep(builder, features);
    }
    builder.write_out(&features);
    builder.finish_rows()
}

/// The polytope of rows and kept features, by cutting planes: hull and interior point come from a
/// core of rows, which grows by those that the point violates or leaves too little room. An empty
/// or flat core proves that the whole is; a point with room for all rows is interior.
fn keep(mut builder: PolytopeBuilder, features: Features) -> Result<Polytope, EmptyPolytope> {
    let mut minus = vec![0.0; builder.dim];
    let mut join = |builder: &mut PolytopeBuilder, i: usize| {
        minus.iter_mut().zip(features.phi(i)).for_each(|(m, x)| *m = -x);
        builder.is_new(&minus, 0.0)
    };
    let count = features.len() - features.implied();
    for i in features.open().step_by((count / SAMPLE).max(1)) {
        join(&mut builder, i);
    }
    for round in 0.. {
        let mut polytope = builder.clone().finish_rows()?;
        let z = polytope.coordinates(polytope.interior());
        let k = polytope.free;
        let slack = |row: &[f64], b: f64| b - dot(row, &z);
        let core = polytope.rows.chunks_exact(k.max(1)).zip(&polytope.offsets);
        let room = core.map(|(row, b)| slack(row, *b)).fold(f64::INFINITY, f64::min);
        let asked = if round < DEEPER && room.is_finite() { 0.5 * room } else { 0.0 };
        let proposals = features.scan(
            || vec![0.0; k],
            |i, phi, row, found| match polytope.reduce_row(-1.0, phi, 0.0, row) {
                Ok(Some(b)) if slack(row, b) <= f64::max(asked, 1e-9 * (1.0 + b.abs())) => {
                    propose(found, (slack(row, b), i, None));
                }
                Ok(_) => {}
                Err(empty) => propose(found, (f64::NEG_INFINITY, i, Some(empty))),
            },
        );
        let mut joined = 0;
        for (_, row, empty) in least_of(proposals) {
            match empty {
                Some(empty) => return Err(empty),
                None => joined += usize::from(join(&mut builder, row)),
            }
        }
        if joined == 0 {
            polytope.features = Some(features);
            return Ok(polytope);
        }
    }
    unreachable!("a core cannot grow without end")
}
