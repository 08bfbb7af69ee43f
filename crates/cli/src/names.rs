//! Names of worlds and learners on the command line: shells can complete them, and any other text
//! is let through.
//!
//! Whether there is such a world or learner is found out by the registries, whose errors say more
//! than a list.

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command, Error};
use goalward::learners::LEARNERS;
use goalward::worlds::WORLDS;
use std::ffi::OsStr;

/// The ids of all worlds.
pub(crate) fn worlds() -> Vec<&'static str> {
    WORLDS.iter().map(|world| world.id).collect()
}

/// The ids of all learners.
pub(crate) fn learners() -> Vec<&'static str> {
    LEARNERS.iter().map(|learner| learner.id).collect()
}

/// Reads any text, and offers the ids of worlds.
#[derive(Clone, Copy)]
pub(crate) struct WorldName;

/// Reads any text, and offers the ids of learners.
#[derive(Clone, Copy)]
pub(crate) struct LearnerName;

impl TypedValueParser for WorldName {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(worlds().into_iter().map(PossibleValue::new)))
    }
}

impl TypedValueParser for LearnerName {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(learners().into_iter().map(PossibleValue::new)))
    }
}
