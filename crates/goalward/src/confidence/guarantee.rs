//! What is proved of a learner, under which conditions, and whether they hold.
//!
//! A learner states a [`Claim`]: what it guarantees, with which probability that may fail, and what
//! the proof assumes. Some assumptions are settled by the settings alone. Others are about the
//! truth, which no learner sees. A simulation, which knows it, hands over [`Facts`], and
//! [`Claim::check`] makes a [`Guarantee`] of both. Without facts a condition stays unknown.

use super::norms;
use super::promise::{Condition, Guarantee, Holds, Kind, Promise, ROUNDING, Short, Status};
use crate::problem::Problem;

/// One thing that is proved of a learner.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// What it is about.
    pub kind: Kind,
    /// What is proved.
    pub text: String,
    /// The probability with which it may fail.
    pub level: f64,
    /// What this one assumes beyond the others.
    pub needs: Vec<Assumption>,
}

/// What a learner guarantees, before the truth is looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// What is proved, one statement for each kind.
    pub statements: Vec<Statement>,
    /// What all the proofs assume.
    pub assumptions: Vec<Assumption>,
}

/// One assumption of a proof.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Assumption {
    /// B >= B* + rho T*, in the user's units; rho is zero where costs are not perturbed.
    BoundsValues {
        /// The bound in force.
        b: f64,
        /// What is added to every cost.
        rho: f64,
    },
    /// The bound in force is at least T*.
    BoundsSteps {
        /// That bound.
        t_star: f64,
    },
    /// factor |theta*| is at most a bound.
    ThetaNorm {
        /// What the norm is multiplied by, and its name: 1, or the root of the ridge.
        factor: (f64, &'static str),
        /// The bound in force.
        bound: f64,
        /// The largest norm of any theta in B that matters, if B has one.
        over_b: Option<f64>,
    },
    /// |phi_V(s,a)| is at most a bound, for all V in [0, 1].
    PhiNorm {
        /// The bound in force.
        bound: f64,
        /// What the norm is at most.
        most: f64,
        /// What the norm is at least, for some V.
        attained: f64,
    },
    /// The truth is a mixture of the models: theta* exists and lies in B.
    Mixture,
    /// The truth leads only where some model does.
    Support,
    /// What the settings alone decide.
    Settled(Condition),
}

/// What is known of the truth; `None` is unknown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// B*, the largest V*, in the user's units.
    pub b_star: Option<f64>,
    /// T*, the expected steps of the optimal policy from the worst state.
    pub t_star: Option<f64>,
    /// |theta*|: of the theta in B of least norm that has the true kernel, or of any other one.
    pub theta_norm: Option<f64>,
    /// Whether the truth is a mixture of the models.
    pub mixture: Option<bool>,
    /// Whether the truth leads only where some model does; every mixture does.
    pub support: Option<bool>,
}

impl Assumption {
    /// |phi_V| <= bound on this problem.
    pub fn phi_norm(problem: &Problem, bound: f64) -> Assumption {
        let most = norms::phi_norm(problem);
        // a second pass over the features only where it decides something
        let attained = if most <= bound { most } else { norms::phi_norm_attained(problem) };
        Assumption::PhiNorm { bound, most, attained }
    }

    /// Something that the settings decide.
    pub fn settled(condition: impl Into<String>, holds: bool) -> Assumption {
        Assumption::Settled(Condition::plain(condition, Some(holds)))
    }

    fn check(&self, facts: &Facts) -> Condition {
        match self {
            Assumption::BoundsValues { b, rho } if *rho == 0.0 => {
                Condition::at_least("B >= B*", Some(*b), facts.b_star)
            }
            Assumption::BoundsValues { b, rho } => {
                let needed = facts.b_star.zip(facts.t_star).map(|(b_star, t_star)| b_star + rho * t_star);
                Condition::at_least("B >= B* + rho T*", Some(*b), needed)
            }
            Assumption::BoundsSteps { t_star } => {
                Condition::at_least("t_star >= T*", Some(*t_star), facts.t_star)
            }
            Assumption::ThetaNorm { factor: (factor, name), bound, over_b } => {
                let scaled = |norm: f64| factor * norm;
                // what holds for all of B holds for theta*, whether or not that is known
                let all = over_b.map(scaled).filter(|norm| *norm <= bound * (1.0 + ROUNDING));
                let value = facts.theta_norm.map(scaled).or(all);
                Condition::at_most(format!("{name}|theta*| <= {}", Short(*bound)), value, Some(*bound))
            }
            Assumption::PhiNorm { bound, most, attained } => {
                let text = format!("|phi_V| <= {} for V in [0, 1]", Short(*bound));
                let safe = *most <= bound * (1.0 + ROUNDING);
                let value = if safe { *most } else { *attained };
                let mut condition = Condition::at_most(text, Some(value), Some(*bound));
                if !safe && condition.status == Status::Met {
                    condition.status = Status::Unknown;
                }
                condition
            }
            Assumption::Mixture => Condition::plain("the truth is a mixture of the models", facts.mixture),
            Assumption::Support => {
                let held = facts.support.or(facts.mixture.filter(|mixture| *mixture));
                Condition::plain("the truth leads only where some model does", held)
            }
            Assumption::Settled(condition) => condition.clone(),
        }
    }
}

impl Claim {
    /// Nothing yet, under these assumptions.
    pub fn under(assumptions: Vec<Assumption>) -> Claim {
        Claim { statements: Vec::new(), assumptions }
    }

    /// And this.
    pub fn states(self, kind: Kind, text: impl Into<String>, level: f64) -> Claim {
        self.states_if(kind, text, level, Vec::new())
    }

    /// And this, which assumes more than the rest.
    pub fn states_if(
        mut self,
        kind: Kind,
        text: impl Into<String>,
        level: f64,
        needs: Vec<Assumption>,
    ) -> Claim {
        self.statements.push(Statement { kind, text: text.into(), level, needs });
        self
    }

    /// What a confidence set at all times gives an optimistic planner.
    /// `raised` is what values may come up to where costs are raised: nothing is certified then.
    pub(crate) fn of_sets(
        assumptions: Vec<Assumption>,
        sets: &str,
        raised: Option<&str>,
        level: f64,
    ) -> Claim {
        let values = format!("no plan's values exceed {}", raised.unwrap_or("V*, the least expected cost"));
        let claim = Claim::under(assumptions)
            .states(Kind::Set, format!("the true weights are in {sets} at all times"), level)
            .states(Kind::Optimism, values, level);
        match raised {
            None => claim.states(
                Kind::Certificate,
                "the regret over finished episodes is at most the regret certified: what was paid, less \
                 lower bounds on V*",
                level,
            ),
            Some(_) => claim,
        }
    }

    /// Checks every assumption against what is known.
    pub fn check(&self, facts: &Facts) -> Guarantee {
        let check = |all: &[Assumption]| all.iter().map(|a| a.check(facts)).collect::<Vec<_>>();
        let mut conditions = check(&self.assumptions);
        let mut claims = Vec::new();
        for Statement { kind, text, level, needs } in &self.statements {
            let own = check(needs);
            // a NaN promises nothing either
            let vacuous = level.is_nan() || *level >= 1.0;
            let any = |status| {
                conditions.iter().take(self.assumptions.len()).chain(&own).any(|c| c.status == status)
            };
            let holds = match (vacuous || any(Status::NotMet), any(Status::Unknown)) {
                (true, _) => Holds::No,
                (false, true) => Holds::Unknown,
                (false, false) => Holds::Yes,
            };
            claims.push(Promise { kind: *kind, statement: text.clone(), level: *level, vacuous, holds });
            conditions.extend(own);
        }
        // a statement that promises nothing does not take from the others
        let empty = claims.iter().all(|claim| claim.vacuous);
        let worst = |holds| claims.iter().any(|claim| !claim.vacuous && claim.holds == holds);
        let holds = match (empty || worst(Holds::No), worst(Holds::Unknown)) {
            (true, _) => Holds::No,
            (false, true) => Holds::Unknown,
            (false, false) => Holds::Yes,
        };
        Guarantee { claims, conditions, holds }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(level: f64, assumptions: Vec<Assumption>) -> Claim {
        Claim::under(assumptions).states(Kind::Regret, "all is well", level)
    }

    #[test]
    fn every_condition_counts() {
        let b = Assumption::BoundsValues { b: 3.0, rho: 0.0 };
        let known = |b_star| Facts { b_star: Some(b_star), mixture: Some(true), ..Facts::default() };
        let of = |facts: &Facts| claim(0.01, vec![b.clone(), Assumption::Mixture]).check(facts).holds;
        assert_eq!(of(&known(2.9)), Holds::Yes);
        assert_eq!(of(&known(3.0 + 1e-10)), Holds::Yes);
        assert_eq!(of(&known(3.1)), Holds::No);
        assert_eq!(of(&Facts::default()), Holds::Unknown);
        // one that fails decides, whatever is unknown
        assert_eq!(of(&Facts { b_star: Some(4.0), ..Facts::default() }), Holds::No);
        let perturbed = Assumption::BoundsValues { b: 3.0, rho: 0.5 };
        let facts = |t_star| Facts { b_star: Some(2.0), t_star, ..Facts::default() };
        let of = |t_star| claim(0.01, vec![perturbed.clone()]).check(&facts(t_star)).holds;
        assert_eq!([of(Some(2.0)), of(Some(2.1)), of(None)], [Holds::Yes, Holds::No, Holds::Unknown]);
    }

    #[test]
    fn a_mixture_leads_where_models_do() {
        let of = |mixture, support| {
            let facts = Facts { mixture, support, ..Facts::default() };
            claim(0.01, vec![Assumption::Support]).check(&facts).holds
        };
        assert_eq!([of(Some(true), None), of(Some(false), Some(true))], [Holds::Yes; 2]);
        assert_eq!([of(Some(false), None), of(None, None)], [Holds::Unknown; 2]);
        assert_eq!(of(Some(false), Some(false)), Holds::No);
    }

    #[test]
    fn a_level_of_one_promises_nothing() {
        for (level, vacuous) in [(0.99, false), (1.0, true), (3.0, true), (f64::NAN, true)] {
            let guarantee = claim(level, vec![]).check(&Facts::default());
            assert_eq!(guarantee.claims[0].vacuous, vacuous, "{level}");
            assert_eq!(guarantee.holds, if vacuous { Holds::No } else { Holds::Yes });
            assert_eq!(guarantee.summary().contains("vacuous"), vacuous);
        }
    }

    #[test]
    fn norms_over_all_of_b_need_no_truth() {
        let of = |bound, over_b, theta_norm| {
            let norm = Assumption::ThetaNorm { factor: (0.5, "sqrt(lambda) "), bound, over_b };
            claim(0.1, vec![norm]).check(&Facts { theta_norm, ..Facts::default() }).holds
        };
        assert_eq!(of(1.0, Some(2.0), None), Holds::Yes);
        assert_eq!(of(1.0, Some(2.1), None), Holds::Unknown);
        assert_eq!(of(1.0, None, None), Holds::Unknown);
        assert_eq!(of(1.0, Some(2.1), Some(2.0)), Holds::Yes);
        assert_eq!(of(1.0, Some(2.5), Some(2.1)), Holds::No);
        let phi = |bound| {
            let norm = Assumption::PhiNorm { bound, most: 2.0, attained: 1.5 };
            claim(0.1, vec![norm]).check(&Facts::default()).holds
        };
        assert_eq!([phi(2.0), phi(1.7), phi(1.4)], [Holds::Yes, Holds::Unknown, Holds::No]);
    }

    #[test]
    fn json_says_met_or_not() {
        let b = Assumption::BoundsValues { b: 1.0, rho: 0.0 };
        let facts = Facts { b_star: Some(2.5), ..Facts::default() };
        let guarantee = claim(0.01, vec![b]).check(&facts);
        let json = serde_json::to_value(&guarantee).unwrap();
        assert_eq!(json["holds"], "no");
        assert_eq!(json["conditions"][0]["status"], "not met");
        assert_eq!(json["conditions"][0]["bound"], 2.5);
        assert_eq!(guarantee.summary(), "does not hold; not met: B >= B* (1 and 2.5)");
    }
}
