//! How optimistic plans are made.

use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// How to plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Planner {
    /// Value iteration from zero, as printed: about T* log(1/eps) sweeps.
    Faithful,
    /// Policy iteration with a certificate: a handful of sweeps, whatever the horizon.
    Fast,
    /// Faithful, and fast if that takes more than 2^16 support problems.
    Auto,
}

impl Planner {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Planner::Faithful => "faithful",
            Planner::Fast => "fast",
            Planner::Auto => "auto",
        }
    }
}

impl FromStr for Planner {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let all = [Planner::Faithful, Planner::Fast, Planner::Auto];
        all.into_iter().find(|planner| planner.name() == text).ok_or(())
    }
}
