//! The state of a likelihood: serialised, and restored.

use super::triples::Triples;
use super::{Counts, Likelihood};
use crate::Result;
use crate::numeric::stored::{Flaw, Within, length};
use std::sync::Arc;

impl Likelihood {
    /// Its state.
    pub fn counts(&self) -> Counts {
        Counts { triples: self.triples.tally.clone(), sums: self.memory.clone() }
    }

    /// Restores a state of the same problem. A state of another shape is refused, and changes
    /// nothing.
    pub fn restore(&mut self, counts: Counts) -> Result<()> {
        *self = self.restored(counts)?;
        Ok(())
    }

    /// A state put back that belongs to the same problem; the flaw of one that does not.
    pub(crate) fn restored(&self, counts: Counts) -> Result<Likelihood, Flaw> {
        let Counts { triples, sums } = counts;
        let k = self.frame.inside.len();
        length("sums.plug_in", &sums.plug_in, k)?;
        length("sums.mean", &sums.mean, k)?;
        sums.nodes.check(&self.memory.nodes).within("sums.nodes")?;
        sums.information.check(k).within("sums.information")?;
        let triples = Triples::restored(&self.frame, triples, self.triples.room()).within("triples")?;
        let (frame, row, scratch) = (Arc::clone(&self.frame), self.row.clone(), self.scratch.clone());
        Ok(Likelihood { frame, triples, memory: sums, row, scratch, light: self.light, last: None })
    }
}
