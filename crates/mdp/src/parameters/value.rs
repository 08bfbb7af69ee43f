//! Types that a parameter can have.

use super::declared::{Choice, Fallback, Key, Kind, Parameter};
use super::numbers::{parse_count, parse_number};
use crate::error::shown;
use crate::numeric::Rows;
use crate::plan::Planner;
use serde_json::json;

/// A type of parameters. The kind of the [`Key`](super::Key) checks bounds and words first.
pub trait Value: Sized {
    /// Reads a text that the kind allows; none if it cannot be read all the same.
    fn read(text: &str) -> Option<Self>;
    /// As it would be typed.
    fn typed(&self) -> String;
    /// As results show it.
    fn in_force(&self) -> serde_json::Value {
        json!(self.typed())
    }
}

/// A bound that the user gives, or leaves to the truth of a simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// This number.
    Given(f64),
    /// The true one; results say so.
    Oracle,
    /// None is known: the learner begins with a small one, and doubles it when values exceed it.
    Doubling,
}

impl From<f64> for Bound {
    fn from(bound: f64) -> Bound {
        Bound::Given(bound)
    }
}

impl Key<Bound> {
    /// A number, or `oracle`.
    pub const fn number_or_oracle(name: &'static str, doc: &'static str) -> Self {
        Key::new(name, Kind::NumberOrOracle, doc)
    }

    /// A number, `oracle` or `doubling`, for learners that can do without a bound.
    pub const fn number_oracle_or_doubling(name: &'static str, doc: &'static str) -> Self {
        Key::new(name, Kind::NumberOracleOrDoubling, doc)
    }
}

impl Value for f64 {
    fn read(text: &str) -> Option<f64> {
        parse_number(text)
    }
    fn typed(&self) -> String {
        format!("{self:?}")
    }
    fn in_force(&self) -> serde_json::Value {
        json!(self)
    }
}

impl Value for u64 {
    fn read(text: &str) -> Option<u64> {
        parse_count(text).ok()
    }
    fn typed(&self) -> String {
        self.to_string()
    }
    fn in_force(&self) -> serde_json::Value {
        json!(self)
    }
}

impl Value for bool {
    fn read(text: &str) -> Option<bool> {
        text.parse().ok()
    }
    fn typed(&self) -> String {
        self.to_string()
    }
    fn in_force(&self) -> serde_json::Value {
        json!(self)
    }
}

impl Value for Bound {
    fn read(text: &str) -> Option<Bound> {
        match text {
            "oracle" => Some(Bound::Oracle),
            "doubling" => Some(Bound::Doubling),
            _ => parse_number(text).map(Bound::Given),
        }
    }
    fn typed(&self) -> String {
        match self {
            Bound::Given(bound) => bound.typed(),
            Bound::Oracle => "oracle".into(),
            Bound::Doubling => "doubling".into(),
        }
    }
}

impl Value for Vec<f64> {
    fn read(text: &str) -> Option<Vec<f64>> {
        text.split(',').map(|part| parse_number(part.trim())).collect()
    }
    fn typed(&self) -> String {
        self.iter().map(f64::typed).collect::<Vec<_>>().join(",")
    }
    fn in_force(&self) -> serde_json::Value {
        json!(self)
    }
}

impl Value for String {
    fn read(text: &str) -> Option<String> {
        Some(text.into())
    }
    fn typed(&self) -> String {
        self.clone()
    }
}

impl Value for Planner {
    fn read(text: &str) -> Option<Planner> {
        text.parse().ok()
    }
    fn typed(&self) -> String {
        self.name().into()
    }
}

impl Value for Rows {
    fn read(text: &str) -> Option<Rows> {
        text.parse().ok()
    }
    fn typed(&self) -> String {
        match self {
            Rows::Exact => "exact".into(),
            Rows::Nearest(n) => format!("nearest:{n}"),
        }
    }
}

impl Kind {
    /// What is wrong with a text.
    pub fn fault(&self, text: &str) -> Option<String> {
        let outside = |low: &dyn std::fmt::Display, high: &dyn std::fmt::Display| {
            Some(format!("it must lie between {low} and {high}"))
        };
        match *self {
            Kind::Number { least, most } => match parse_number(text) {
                None => Some("expected a number".into()),
                Some(x) if x < least || x > most => outside(&shown(least), &shown(most)),
                Some(_) => None,
            },
            Kind::Probability => match parse_number(text) {
                None => Some("expected a number".into()),
                Some(x) if !(0.0..=1.0).contains(&x) => outside(&0, &1),
                Some(x) if !(1e-300..1.0).contains(&x) => {
                    Some("it must lie between 0 and 1, neither of them, and be at least 1e-300".into())
                }
                Some(_) => None,
            },
            Kind::Count { least, most } => match parse_count(text) {
                Err(fault) => Some(fault.into()),
                Ok(n) if n < least || n > most => outside(&least, &most),
                Ok(_) => None,
            },
            Kind::Flag => bool::read(text).is_none().then(|| "expected true or false".into()),
            Kind::Choice(choices) => {
                let met = choices.iter().any(|choice| choice.takes(text));
                (!met).then(|| format!("expected {}", listed(choices)))
            }
            Kind::NumberOrOracle => match Bound::read(text) {
                None => Some("expected a number or oracle".into()),
                Some(Bound::Doubling) => Some("expected a number or oracle: it needs a bound".into()),
                Some(Bound::Given(_) | Bound::Oracle) => None,
            },
            Kind::NumberOracleOrDoubling => {
                Bound::read(text).is_none().then(|| "expected a number, oracle or doubling".into())
            }
            Kind::Numbers => {
                Vec::<f64>::read(text).is_none().then(|| "expected numbers separated by commas".into())
            }
            Kind::Text => None,
        }
    }
}

impl Parameter {
    /// What is wrong with its default, if it has one that its kind refuses.
    pub fn flaw(&self) -> Option<String> {
        match self.fallback {
            Fallback::Value(text) => self.kind.fault(text).map(|fault| format!("default {text}: {fault}")),
            Fallback::Computed(_) | Fallback::Required => None,
        }
    }
}

impl Choice {
    fn takes(&self, text: &str) -> bool {
        let behind = |word: &str| text.strip_prefix(word).and_then(|rest| rest.strip_prefix(':'));
        match *self {
            Choice::Word(word) => text == word,
            Choice::WithNumber(word, least, most) => {
                let x = behind(word).and_then(|x| x.parse::<f64>().ok());
                x.is_some_and(|x| (least..=most).contains(&x))
            }
            Choice::WithCount(word, least) => {
                behind(word).and_then(|n| n.parse::<u64>().ok()).is_some_and(|n| n >= least)
            }
        }
    }

    pub(super) fn form(&self) -> String {
        match *self {
            Choice::Word(word) => word.into(),
            Choice::WithNumber(word, ..) => format!("{word}:X"),
            Choice::WithCount(word, _) => format!("{word}:N"),
        }
    }
}

/// "auto, faithful or fast"; "printed, or scaled:X with X from 1e-30 to 1e30".
pub(super) fn listed(choices: &[Choice]) -> String {
    let Some((last, others)) = choices.split_last() else { return String::new() };
    let before = others.iter().map(Choice::form).collect::<Vec<_>>().join(", ");
    let comma = if others.is_empty() { "" } else { ", " };
    match *last {
        Choice::Word(word) if others.is_empty() => word.into(),
        Choice::Word(word) => format!("{before} or {word}"),
        Choice::WithNumber(word, least, most) => {
            format!("{before}{comma}or {word}:X with X from {least:e} to {most:e}")
        }
        Choice::WithCount(word, least) => format!("{before}{comma}or {word}:N with N from {least}"),
    }
}
