//! A list of faults that stays small however much is wrong.

use crate::Error;
use std::collections::BTreeMap;

/// The first faults and the number of further ones of each kind, so that memory stays bounded.
#[derive(Debug, Default)]
pub struct Faults {
    first: Vec<Error>,
    more: BTreeMap<&'static str, usize>,
    most: usize,
}

impl Faults {
    /// Keeps at most `most` faults, and counts the others.
    pub fn new(most: usize) -> Faults {
        Faults { most, ..Faults::default() }
    }

    /// Notes a fault; the error is made only if it is kept.
    pub(crate) fn push(&mut self, kind: &'static str, fault: impl FnOnce() -> Error) {
        if self.first.len() < self.most {
            self.first.push(fault());
        } else {
            *self.more.entry(kind).or_default() += 1;
        }
    }

    pub(crate) fn suffices(&self) -> bool {
        self.most <= 1 && !self.first.is_empty()
    }

    /// Whether nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    /// The faults that were kept, in the order in which they were found.
    pub fn first(&self) -> &[Error] {
        &self.first
    }

    /// The number of further faults of each kind (as `Finding::kind` names it).
    pub fn more(&self) -> impl Iterator<Item = (&'static str, usize)> {
        self.more.iter().map(|(&kind, &count)| (kind, count))
    }

    pub(crate) fn map(mut self, change: impl FnMut(Error) -> Error) -> Faults {
        self.first = self.first.into_iter().map(change).collect();
        self
    }

    pub(crate) fn none(mut self) -> crate::Result<()> {
        match self.first.is_empty() {
            true => Ok(()),
            false => Err(self.first.swap_remove(0)),
        }
    }
}
