//! What is proved of `lr` with the settings in force and the run so far: the strongest statement of
//! `docs/theory.md` whose conditions are met.

use crate::confidence::{Assumption, Claim, Condition, Kind};

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
    /// It guards another learner.
    pub(super) guards: bool,
}

const RAISED: &str = "V* + rho_j T*, where plan j raised every cost by rho_j = 1/k_j of the largest one and k_j \
                      episodes had begun by then";

impl Standpoint {
    pub(super) fn claim(&self) -> Claim {
        let claim = Claim::under(vec![Assumption::Mixture]);
        if self.known {
            let costs = if self.perturbed { " for costs raised by a millionth of the largest" } else { "" };
            let text = format!("there is one model, and all actions are optimal{costs}, to rounding");
            return claim.states(Kind::Policy, text, 0.0);
        }
        let raised = self.perturbed.then_some(RAISED);
        let sets = "every confidence set";
        let claim = Claim::of_sets(vec![Assumption::Mixture], sets, raised, self.delta);
        if self.no_theorem() {
            return claim;
        }
        let positive = Assumption::settled("every cost off the goal is positive", true);
        let (text, last) = match self.no_trigger() {
            None => {
                let kept = "no plan was kept that was found to be too far from the data";
                let observed = Condition::at_most(kept, Some(self.missed as f64), Some(0.0));
                let theorem = match self.guards {
                    true => {
                        "a m B* sqrt(K) + m^2 B*, up to logarithms, for all K at once, whatever the inner \
                             learner does (docs/theory.md, Theorem 3)"
                    }
                    false => {
                        "m B* sqrt(K) + m^2 B*, up to logarithms, for all K at once (docs/theory.md, \
                              Theorem 2)"
                    }
                };
                (
                    format!("the regret of K episodes is at most of the order {theorem}"),
                    Assumption::Settled(observed),
                )
            }
            Some(why) => (
                format!(
                    "the regret is bounded in terms of the plans made and of how far they were from the data \
                     (docs/theory.md, Theorem 1), but not in advance, because {why}"
                ),
                Assumption::settled(
                    "every plan was made over models that the known facts allow",
                    self.relaxed == 0,
                ),
            ),
        };
        claim.states_if(Kind::Regret, text, self.delta, vec![positive, last])
    }

    /// Whether neither theorem is about this run: a cost off the goal is zero, or rows of B were left
    /// out of a plan's set.
    fn no_theorem(&self) -> bool {
        self.perturbed || self.relaxed > 0
    }

    /// Why there is only the theorem that looks back.
    fn no_trigger(&self) -> Option<&'static str> {
        let reasons = [
            (self.factor != 1.0, "net is not 1"),
            (!self.writable, "the problem is too large to plan over the likelihood set itself"),
            (
                self.missed > 0,
                "a plan over the likelihood set itself, or a better fit, was needed and could not be had",
            ),
        ];
        reasons.into_iter().find(|(applies, _)| *applies).map(|(_, why)| why)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::confidence::{Facts, Holds};

    /// The last condition is what the net has seen, and a miss leaves the weaker theorem.
    #[test]
    fn the_last_condition_is_observed() {
        let told = |missed, relaxed| {
            let writable = true;
            let now = Standpoint {
                delta: 0.01,
                known: false,
                perturbed: false,
                relaxed,
                writable,
                missed,
                factor: 1.0,
                guards: false,
            };
            now.claim().check(&Facts { mixture: Some(true), ..Facts::default() })
        };
        let (none, one) = (told(0, 0), told(1, 0));
        let last = none.conditions.last().unwrap();
        assert_eq!((last.value, last.bound), (Some(0.0), Some(0.0)), "{}", last.condition);
        let theorem = |told: &crate::confidence::Guarantee| told.of(Kind::Regret).unwrap().statement.clone();
        assert!(theorem(&none).contains("Theorem 2") && theorem(&one).contains("Theorem 1"));
        assert_eq!([none.holds, one.holds], [Holds::Yes; 2]);
        assert!(told(0, 1).of(Kind::Regret).is_none());
    }
}
