//! Features in halves: sweeps read an `f32` for each number while that is enough for their
//! certificate.

use super::{Instance, Pair, Problem};
use crate::numeric::Unsplittable;
use crate::{Error, Result};
use std::sync::Arc;

impl Problem {
    /// The same problem with its features split into halves ([`Tall`](crate::numeric::Tall)), in
    /// the same memory: whatever is computed from them stays the same to the last bit, but planners
    /// may read the first halves alone, an `f32` for each number, as long as what they certify has
    /// room for the difference.
    ///
    /// Fails for numbers that an `f32` cannot begin: beyond 1e38, or below 1e-38 and not zero.
    #[doc(hidden)]
    pub fn with_split_features(mut self) -> Result<Problem> {
        // B may hold the features too, and nothing is to be held twice
        let constraints = Arc::make_mut(&mut self.constraints);
        let features = constraints.take_features();
        let phi = Arc::unwrap_or_clone(std::mem::take(&mut self.phi)).split();
        self.phi = Arc::new(phi.map_err(|fault| self.unsplittable(fault))?);
        if let Some(features) = features {
            Arc::make_mut(&mut self.constraints).put_features(features, &self.phi);
        }
        let off = |p| match self.phi.off_by(self.rows(p)) {
            0.0 => 0.0,
            off => (off as f32).next_up(),
        };
        self.off = (0..self.pairs()).map(off).collect();
        Ok(self)
    }

    fn unsplittable(&self, fault: Unsplittable) -> Error {
        let p = self.first_row.partition_point(|&first| first <= fault.row) - 1;
        let s = self.first_pair.partition_point(|&first| first <= p) - 1;
        Error::Feature {
            state: self.state_name(s).into_owned(),
            action: self.action_name(s, p - self.first_pair[s]).into_owned(),
            next: self.state_name(self.successors[fault.row] as usize).into_owned(),
            fault: format!("feature {} is {:e}, which no f32 can begin", fault.column, fault.number),
        }
    }

    /// Whether the features are split.
    #[doc(hidden)]
    pub fn has_split_features(&self) -> bool {
        self.phi.is_split()
    }

    /// phi_V from the first halves: off by no more than max V |theta|_1 [`off_by`](Self::off_by),
    /// for every theta it is multiplied with.
    #[inline]
    #[doc(hidden)]
    pub fn phi_v_nearly(&self, p: Pair, v: &[f64], out: &mut [f64]) {
        self.phi.combine_nearly(self.rows(p), self.successors(p).iter().map(|&next| v[next as usize]), out);
    }

    /// How far [`phi_v_nearly`](Self::phi_v_nearly) may be off, per unit of V and |theta|_1; zero
    /// where features are whole.
    #[doc(hidden)]
    pub fn off_by(&self, p: Pair) -> f64 {
        self.off.get(p).map_or(0.0, |&off| f64::from(off))
    }

    /// The largest that [`off_by`](Self::off_by) is.
    pub(crate) fn largest_off(&self) -> f64 {
        f64::from(self.off.iter().copied().fold(0.0, f32::max))
    }
}

impl Instance {
    /// The same with [split features](Problem::with_split_features).
    #[doc(hidden)]
    pub fn with_split_features(self) -> Result<Instance> {
        let problem = Arc::unwrap_or_clone(self.problem).with_split_features()?;
        Ok(Instance { problem: Arc::new(problem), ..self })
    }
}
