//! The state of a likelihood: serialised, and restored.

use super::triples::Triples;
use super::{Counts, Likelihood, Sums, Term};
use crate::Result;
use crate::numeric::Cholesky;
use crate::numeric::stored::{Flaw, MOST, Within, at_most, ensure, numbers};
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
        sums.check(self.frame.inside.len()).within("sums")?;
        let triples = Triples::restored(&self.frame, triples, self.triples.room()).within("triples")?;
        let seen = triples.counts().iter().try_fold(0u64, |sum, n| sum.checked_add(*n));
        ensure(seen == Some(sums.total), "triples.counts", || {
            format!("they do not add up to the total of {}", sums.total)
        })?;
        let (frame, row, scratch) = (Arc::clone(&self.frame), self.row.clone(), self.scratch.clone());
        let back = Likelihood { frame, triples, memory: sums, row, scratch, light: self.light, last: None };
        back.check_fit().within("sums")?;
        Ok(back)
    }

    /// The predicting theta must give every triple seen a probability, and the information must be
    /// that of the data.
    fn check_fit(&self) -> Result<(), Flaw> {
        let z = &self.memory.plug_in;
        let mut possible = true;
        self.each_seen(z, |seen| possible &= seen.terms().all(|Term { p, .. }| p > 0.0 && p < 1.0 + 1e-6));
        ensure(possible, "plug_in", || "it is no model of what was seen".into())?;
        let k = z.len();
        ensure(self.frame.has_inside(z), "plug_in", || "it lies outside B".into())?;
        ensure(self.frame.has_inside(&self.memory.mean), "mean", || "it lies outside B".into())?;
        match self.light {
            true => ensure(self.memory.nodes.is_empty(), "nodes", || "there are none here".into())?,
            false => self.memory.nodes.check(&self.frame).within("nodes")?,
        }
        let (_, information) = self.derivatives();
        match Cholesky::factor(&information, k) {
            Some(_) => self.memory.information.check_factor_of(&information).within("information"),
            None => Ok(()), // the last one that could be factored stays
        }
    }
}

impl Sums {
    fn check(&self, k: usize) -> Result<(), Flaw> {
        at_most("total", self.total, MOST, "which no run reaches")?;
        at_most("fitted", self.fitted, self.total, "the transitions counted")?;
        numbers("prediction_loss", &[self.prediction_loss], 1)?;
        numbers("plug_in", &self.plug_in, k)?;
        numbers("mean", &self.mean, k)?;
        self.information.check(k).within("information")
    }
}
