//! What is promised of a run: statements whose conditions were checked, for readers and for JSON.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Two numbers that agree to this relative precision count as equal: B* itself is known no better.
pub(super) const ROUNDING: f64 = 1e-9;

/// What a statement is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Kind {
    /// theta* is in the confidence sets, and so in the intervals of its weights.
    Set,
    /// No plan's values exceed V*.
    Optimism,
    /// The regret is at most what is certified after the fact.
    Certificate,
    /// The regret is bounded in advance.
    Regret,
    /// A policy is what it is said to be.
    Policy,
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
    /// It cannot be decided without the truth.
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

/// A statement with its conditions checked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Promise {
    /// What it is about.
    pub kind: Kind,
    /// What is proved, if the conditions are met.
    pub statement: String,
    /// The probability with which it may fail.
    pub level: f64,
    /// Whether the level is 1 or more, so that nothing is promised.
    pub vacuous: bool,
    /// Whether it holds.
    pub holds: Holds,
}

/// A claim with its conditions checked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Guarantee {
    /// What is proved: for each kind of statement its own probability.
    pub claims: Vec<Promise>,
    /// The conditions of them all.
    pub conditions: Vec<Condition>,
    /// Whether all of it holds.
    pub holds: Holds,
}

impl Condition {
    /// `value >= bound`, up to rounding; unknown if either is.
    pub fn at_least(condition: impl Into<String>, value: Option<f64>, bound: Option<f64>) -> Condition {
        let status = match value.zip(bound) {
            None => Status::Unknown,
            Some((value, bound)) => met(value >= bound - ROUNDING * bound.abs()),
        };
        Condition { condition: condition.into(), value, bound, status }
    }

    /// `value <= bound`, up to rounding; unknown if either is.
    pub fn at_most(condition: impl Into<String>, value: Option<f64>, bound: Option<f64>) -> Condition {
        let status = match value.zip(bound) {
            None => Status::Unknown,
            Some((value, bound)) => met(value <= bound + ROUNDING * bound.abs()),
        };
        Condition { condition: condition.into(), value, bound, status }
    }

    /// A condition without numbers.
    pub fn plain(condition: impl Into<String>, holds: Option<bool>) -> Condition {
        let status = holds.map_or(Status::Unknown, met);
        Condition { condition: condition.into(), value: None, bound: None, status }
    }
}

impl Condition {
    /// The condition and whether it is met, for a reader.
    pub fn sentence(&self) -> String {
        let status = match self.status {
            Status::Met => "met",
            Status::NotMet => "not met",
            Status::Unknown => "unknown without the truth",
        };
        format!("{self}: {status}")
    }
}

fn met(holds: bool) -> Status {
    if holds { Status::Met } else { Status::NotMet }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.condition)?;
        // without a comparison sign it would be unclear which number is which
        if !self.condition.contains(['<', '>']) {
            return Ok(());
        }
        match (self.value, self.bound) {
            (Some(value), Some(bound)) => write!(f, " ({} and {})", Short(value), Short(bound)),
            (Some(only), None) | (None, Some(only)) => write!(f, " ({} and unknown)", Short(only)),
            (None, None) => Ok(()),
        }
    }
}

/// A number as people read it.
pub(super) struct Short(pub(super) f64);

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

impl Guarantee {
    /// What is promised of a kind.
    pub fn of(&self, kind: Kind) -> Option<&Promise> {
        self.claims.iter().find(|claim| claim.kind == kind)
    }

    /// The probability with which the confidence sets may fail; without sets, the other statements.
    pub fn level(&self) -> Option<f64> {
        self.of(Kind::Set).or(self.claims.last()).map(|claim| claim.level)
    }

    /// Whether nothing speaks against what is certified after the fact.
    pub(crate) fn certifies(&self) -> bool {
        self.of(Kind::Certificate).map_or(self.holds, |claim| claim.holds) != Holds::No
    }

    /// What there is to say about it in one line.
    pub fn summary(&self) -> String {
        let listed = |status: Status| {
            let found = self.conditions.iter().filter(|c| c.status == status);
            found.map(ToString::to_string).collect::<Vec<_>>().join("; ")
        };
        let (all, some) = (self.each(|_| true), self.each(|claim| !claim.vacuous));
        if some.is_empty() {
            return format!("vacuous: {all}");
        }
        match self.holds {
            Holds::Yes => all,
            Holds::No => format!("does not hold; not met: {}", listed(Status::NotMet)),
            Holds::Unknown => format!("unknown; {all}, if this is true: {}", listed(Status::Unknown)),
        }
    }

    /// Kinds with their probabilities, those of the same probability together.
    fn each(&self, wanted: impl Fn(&Promise) -> bool) -> String {
        let mut parts: Vec<(f64, Vec<&str>)> = Vec::new();
        for claim in self.claims.iter().filter(|claim| wanted(claim)) {
            match parts.iter_mut().find(|(level, _)| *level == claim.level) {
                Some((_, kinds)) => kinds.push(claim.kind.word()),
                None => parts.push((claim.level, vec![claim.kind.word()])),
            }
        }
        let part = |(level, kinds): &(f64, Vec<&str>)| match *level < 1.0 {
            true => format!("{} with probability {}", listed_words(kinds), Short(1.0 - level)),
            false => format!("{} may fail with probability 1", listed_words(kinds)),
        };
        parts.iter().map(part).collect::<Vec<_>>().join(", ")
    }
}

/// "a", "a and b", "a, b and c".
fn listed_words(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [one] => (*one).into(),
        [many @ .., last] => format!("{} and {last}", many.join(", ")),
    }
}

impl Promise {
    /// Kind, probability and statement, for a reader.
    pub fn sentence(&self) -> String {
        let Promise { kind, statement, level, vacuous, holds } = self;
        let with = format!("with probability {}", Short(1.0 - level));
        let how = match (vacuous, holds) {
            (true, _) => "no claim at this delta, as it might fail with probability 1".to_string(),
            (_, Holds::Yes) => with,
            (_, Holds::No) => "not proved here, as a condition is not met".into(),
            (_, Holds::Unknown) => format!("{with}, if the conditions that are unknown are met"),
        };
        format!("{}, {how}: {statement}", kind.word())
    }
}

impl Kind {
    /// As results spell it.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Set => "set",
            Kind::Optimism => "optimism",
            Kind::Certificate => "certificate",
            Kind::Regret => "regret",
            Kind::Policy => "policy",
        }
    }
}
