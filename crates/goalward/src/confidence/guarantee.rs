//! What is proved of a learner, under which conditions, and whether they hold.
//!
//! A learner states a [`Claim`]: what it guarantees, with which probability that may fail, and what
//! the proof assumes. Some assumptions are settled by the settings alone. Others are about the
//! truth, which no learner sees: whoever knows it (a simulation) hands over [`Facts`], and
//! [`Claim::check`] makes a [`Guarantee`] of both. What nobody knows stays unknown.

use super::norms;
use crate::numeric::dot;
use crate::problem::Problem;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Two numbers that agree to this relative precision count as equal: B* itself is known no better.
const ROUNDING: f64 = 1e-9;

/// What a learner guarantees, before anybody has looked at the truth.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// What is proved.
    pub statement: String,
    /// The probability with which it may fail.
    pub level: f64,
    /// What the proof assumes.
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

/// What is known of the truth; whatever is `None` is unknown.
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

/// Whether a condition is met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Status {
    /// It is.
    #[serde(rename = "met")]
    Met,
    /// It is not.
    #[serde(rename = "not met")]
    NotMet,
    /// Nobody can tell without the truth.
    #[serde(rename = "unknown")]
    Unknown,
}

/// One condition, with what was compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Condition {
    /// What must hold, such as "B >= B*".
    pub condition: String,
    /// The left side, if it is known and a number.
    pub value: Option<f64>,
    /// The right side, if it is known and a number.
    pub bound: Option<f64>,
    /// Whether it holds.
    pub status: Status,
}

/// Whether a guarantee holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Holds {
    /// Every condition is met.
    Yes,
    /// Some condition is not met, or the level is so high that nothing is promised.
    No,
    /// No condition is known to fail, and some cannot be checked.
    Unknown,
}

/// A claim with its conditions checked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Guarantee {
    /// What is proved, if the conditions are met.
    pub statement: String,
    /// The probability with which it may fail.
    pub level: f64,
    /// Whether the level is 1 or more, so that nothing is promised.
    pub vacuous: bool,
    /// The conditions.
    pub conditions: Vec<Condition>,
    /// Whether it holds.
    pub holds: Holds,
}

impl Condition {
    /// `value >= bound`, up to rounding; unknown if either is.
    #[doc(hidden)]
    pub fn at_least(condition: impl Into<String>, value: Option<f64>, bound: Option<f64>) -> Condition {
        let status = match value.zip(bound) {
            None => Status::Unknown,
            Some((value, bound)) => met(value >= bound - ROUNDING * bound.abs()),
        };
        Condition { condition: condition.into(), value, bound, status }
    }

    /// `value <= bound`, up to rounding; unknown if either is.
    #[doc(hidden)]
    pub fn at_most(condition: impl Into<String>, value: Option<f64>, bound: Option<f64>) -> Condition {
        let status = match value.zip(bound) {
            None => Status::Unknown,
            Some((value, bound)) => met(value <= bound + ROUNDING * bound.abs()),
        };
        Condition { condition: condition.into(), value, bound, status }
    }

    /// A condition without numbers.
    #[doc(hidden)]
    pub fn plain(condition: impl Into<String>, holds: Option<bool>) -> Condition {
        let status = holds.map_or(Status::Unknown, met);
        Condition { condition: condition.into(), value: None, bound: None, status }
    }
}

fn met(holds: bool) -> Status {
    if holds { Status::Met } else { Status::NotMet }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.condition)?;
        match (self.value, self.bound) {
            (Some(value), Some(bound)) => write!(f, " ({} and {})", Short(value), Short(bound)),
            (Some(only), None) | (None, Some(only)) => write!(f, " ({} and unknown)", Short(only)),
            (None, None) => Ok(()),
        }
    }
}

/// A number as people read it.
struct Short(f64);

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let size = self.0.abs();
        if size != 0.0 && !(1e-4..1e7).contains(&size) {
            return write!(f, "{:.3e}", self.0);
        }
        let digits = if size >= 1000.0 { 1 } else { 4 };
        let text = format!("{:.digits$}", self.0);
        let text = text.trim_end_matches('0').trim_end_matches('.');
        f.write_str(if text == "-0" { "0" } else { text })
    }
}

impl Assumption {
    /// |phi_V| <= bound on this problem.
    #[doc(hidden)]
    pub fn phi_norm(problem: &Problem, bound: f64) -> Assumption {
        let most = norms::phi_norm(problem);
        // a second pass over the features only where it decides something
        let attained = if most <= bound { most } else { norms::phi_norm_attained(problem) };
        Assumption::PhiNorm { bound, most, attained }
    }

    /// Something that the settings decide.
    #[doc(hidden)]
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
    /// Checks every assumption against what is known.
    pub fn check(&self, facts: &Facts) -> Guarantee {
        let conditions: Vec<Condition> = self.assumptions.iter().map(|a| a.check(facts)).collect();
        // a NaN promises nothing either
        let vacuous = self.level.is_nan() || self.level >= 1.0;
        let any = |status: Status| conditions.iter().any(|c| c.status == status);
        let holds = match (vacuous || any(Status::NotMet), any(Status::Unknown)) {
            (true, _) => Holds::No,
            (false, true) => Holds::Unknown,
            (false, false) => Holds::Yes,
        };
        Guarantee { statement: self.statement.clone(), level: self.level, vacuous, conditions, holds }
    }
}

impl Guarantee {
    /// What there is to say about it in one line.
    pub fn summary(&self) -> String {
        let listed = |status: Status| {
            let found = self.conditions.iter().filter(|c| c.status == status);
            found.map(ToString::to_string).collect::<Vec<_>>().join("; ")
        };
        if self.vacuous {
            return format!("vacuous: it may fail with probability {} or more", Short(self.level.min(1.0)));
        }
        match self.holds {
            Holds::Yes => format!("holds with probability {}", Short(1.0 - self.level)),
            Holds::No => format!("does not hold; not met: {}", listed(Status::NotMet)),
            Holds::Unknown => format!(
                "unknown; with probability {} if this is true: {}",
                Short(1.0 - self.level),
                listed(Status::Unknown)
            ),
        }
    }
}

impl Holds {
    /// As results spell it.
    #[doc(hidden)]
    pub fn word(self) -> &'static str {
        match self {
            Holds::Yes => "yes",
            Holds::No => "no",
            Holds::Unknown => "unknown",
        }
    }
}

/// The least norm of any vector with the same kernel as theta: its component along the features.
/// Extra facts may rule that vector out, so with them theta itself counts.
pub(crate) fn kernel_norm(problem: &Problem, theta: &[f64]) -> f64 {
    let whole = dot(theta, theta).sqrt();
    if !problem.extra().is_empty() {
        return whole;
    }
    let d = problem.dim();
    let mut basis: Vec<Vec<f64>> = Vec::new();
    'features: for p in 0..problem.pairs() {
        for phi in problem.phi(p).chunks_exact(d) {
            let mut rest = phi.to_vec();
            for _ in 0..2 {
                for e in &basis {
                    let t = dot(e, &rest);
                    rest.iter_mut().zip(e).for_each(|(r, e)| *r -= t * e);
                }
            }
            let (size, left) = (dot(phi, phi).sqrt(), dot(&rest, &rest).sqrt());
            if size > 0.0 && left > 1e-9 * size {
                basis.push(rest.iter().map(|r| r / left).collect());
            }
            if basis.len() == d {
                break 'features;
            }
        }
    }
    if basis.len() == d { whole } else { basis.iter().map(|e| dot(e, theta).powi(2)).sum::<f64>().sqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(level: f64, assumptions: Vec<Assumption>) -> Claim {
        Claim { statement: "all is well".into(), level, assumptions }
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
            assert_eq!(guarantee.vacuous, vacuous, "{level}");
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
