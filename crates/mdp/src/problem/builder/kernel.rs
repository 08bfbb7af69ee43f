//! A known model in flat arrays: one feature, the probability itself, and theta = (1).

use super::draft::Arrays;
use crate::problem::{Pair, ROUNDING, State};
use crate::{Error, Result};

/// The largest cost of a pair: sums and squares of such numbers are still finite.
pub(crate) const LARGEST_COST: f64 = 1e100;

/// A known model in the order of states and actions, whose arrays become those of the problem
/// ([`ProblemBuilder::of_kernel`](super::ProblemBuilder::of_kernel)).
#[derive(Clone, Debug, Default)]
pub struct Kernel {
    /// `first_pair[s]..first_pair[s + 1]` are the pairs of state s.
    pub first_pair: Vec<usize>,
    /// The cost of each pair.
    pub costs: Vec<f64>,
    /// `first_row[p]..first_row[p + 1]` are the successors of pair p.
    pub first_row: Vec<usize>,
    /// The successors, ascending within a pair.
    pub successors: Vec<u32>,
    /// Their probabilities; those of a pair sum to one within [`ROUNDING`].
    pub probabilities: Vec<f64>,
}

impl Kernel {
    /// The number of states.
    pub fn states(&self) -> usize {
        self.first_pair.len().saturating_sub(1)
    }

    /// The arrays of a problem, if they fit together and every row is a distribution.
    pub(super) fn into_arrays(self) -> Result<Arrays> {
        self.check_shape()?;
        for s in 0..self.states() {
            for p in self.first_pair[s]..self.first_pair[s + 1] {
                self.check_pair(s, p)?;
            }
        }
        let Kernel { first_pair, costs, first_row, successors, probabilities } = self;
        Ok(Arrays { first_pair, costs, first_row, successors, phi: probabilities })
    }

    fn check_shape(&self) -> Result<()> {
        let (pairs, rows) = (self.costs.len(), self.successors.len());
        let field = |field: &str, fault: String| Err(Error::Field { field: field.into(), fault });
        let runs = |first: &[usize], all: usize| {
            first.first() == Some(&0) && first.last() == Some(&all) && first.is_sorted()
        };
        if !runs(&self.first_pair, pairs) {
            return field("first_pair", format!("it must ascend from 0 to {pairs}, the number of pairs"));
        }
        if self.first_row.len() != pairs + 1 || !runs(&self.first_row, rows) {
            let fault = format!("it must have {} entries that ascend from 0 to {rows}", pairs + 1);
            return field("first_row", fault);
        }
        if self.probabilities.len() != rows {
            let has = self.probabilities.len();
            return field("probabilities", format!("{has} of them for {rows} successors"));
        }
        Ok(())
    }

    fn check_pair(&self, s: State, p: Pair) -> Result<()> {
        let names = || (s.to_string(), (p - self.first_pair[s]).to_string());
        let cost = self.costs[p];
        if !(0.0..=LARGEST_COST).contains(&cost) {
            let (state, action) = names();
            return Err(Error::Cost { state, action, cost });
        }
        let rows = self.first_row[p]..self.first_row[p + 1];
        let (next, row) = (&self.successors[rows.clone()], &self.probabilities[rows]);
        if let Some(&next) = next.iter().find(|&&next| next as State >= self.states()) {
            let (state, action) = names();
            let fault = format!("this state does not exist, there are {} states", self.states());
            return Err(Error::Feature { state, action, next: next.to_string(), fault });
        }
        if let Some(two) = next.windows(2).find(|two| two[0] >= two[1]) {
            let (state, action) = names();
            let fault = "successors must ascend within a pair".into();
            return Err(Error::Feature { state, action, next: two[1].to_string(), fault });
        }
        if let Some(i) = row.iter().position(|p| !p.is_finite() || *p < 0.0) {
            let ((state, action), next) = (names(), next[i].to_string());
            return Err(Error::Probability { state, action, next, probability: row[i] });
        }
        let sum: f64 = row.iter().sum();
        if (sum - 1.0).abs() <= ROUNDING {
            return Ok(());
        }
        let (state, action) = names();
        Err(match row.is_empty() {
            true => Error::NoSuccessor { state, action },
            false => Error::RowSum { state, action, sum, tolerance: ROUNDING },
        })
    }
}
