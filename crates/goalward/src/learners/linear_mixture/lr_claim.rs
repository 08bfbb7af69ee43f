//! What is proved of `lr` with the settings in force and the run so far: the strongest statement of
//! `docs/theory.md` whose conditions are met.

use crate::confidence::{Assumption, Claim};

/// What the statement depends on.
pub(super) struct Standpoint {
    pub(super) delta: f64,
    /// B is a point.
    pub(super) known: bool,
    /// Some cost off the goal is zero.
    pub(super) perturbed: bool,
    /// Planning calls that left out rows of B.
    pub(super) relaxed: u64,
    /// The likelihood set can be written out, whatever will be seen.
    pub(super) writable: bool,
    /// How often the net demanded it in vain.
    pub(super) missed: u64,
    /// What the net's threshold is multiplied by.
    pub(super) factor: f64,
}

const VALID: &str = "theta* is in every confidence set at all times, and no plan's values exceed";

impl Standpoint {
    pub(super) fn claim(&self) -> Claim {
        let mixture = vec![Assumption::Mixture];
        if self.known {
            let costs = if self.perturbed { " for costs raised by a millionth of the largest" } else { "" };
            let statement = format!("there is one model, and all actions are optimal{costs}, to rounding");
            return Claim { statement, level: 0.0, assumptions: mixture };
        }
        if let Some(why) = self.no_theorem() {
            let values = if self.perturbed {
                "V* + rho_j T*, rho_j = 1/k_j in units of the largest cost"
            } else {
                "V*"
            };
            let statement = format!("{VALID} {values}; no regret theorem, since {why}");
            return Claim { statement, level: self.delta, assumptions: mixture };
        }
        let positive = Assumption::settled("every cost off the goal is positive", true);
        let (statement, last) = match self.no_trigger() {
            None => (
                format!(
                    "R_K = O~(m B* sqrt(K) + m^2 B*) for all K at once (docs/theory.md, Theorem 2); {VALID} V*"
                ),
                "no plan stays that is further than 9 Gamma_t from the fit",
            ),
            Some(why) => (
                format!(
                    "the regret is bounded by the plans made and by how far they were from the data \
                     (docs/theory.md, Theorem 1), not in advance, since {why}; {VALID} V*"
                ),
                "plans are made over subsets of B",
            ),
        };
        let assumptions = vec![Assumption::Mixture, positive, Assumption::settled(last, true)];
        Claim { statement, level: 4.0 * self.delta, assumptions }
    }

    /// Why neither theorem holds.
    fn no_theorem(&self) -> Option<&'static str> {
        let reasons = [
            (self.perturbed, "a cost off the goal is zero"),
            (self.relaxed > 0, "rows of B were left out"),
            (4.0 * self.delta >= 1.0, "it holds with probability 1 - 4 delta and delta is 1/4 or more"),
        ];
        reasons.into_iter().find(|(applies, _)| *applies).map(|(_, why)| why)
    }

    /// Why there is only the theorem that looks back.
    fn no_trigger(&self) -> Option<&'static str> {
        let reasons = [
            (self.factor != 1.0, "net is not 1"),
            (!self.writable, "the problem is too large to plan over the likelihood set itself"),
            (self.missed > 0, "a plan over the likelihood set itself was needed and was too much work"),
        ];
        reasons.into_iter().find(|(applies, _)| *applies).map(|(_, why)| why)
    }
}
