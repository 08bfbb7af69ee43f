//! Names of worlds and learners on the command line, and names in texts.

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command, Error};
use goalward::learners::LEARNERS;
use goalward::worlds::WORLDS;
use std::borrow::Cow;
use std::ffi::OsStr;

pub(crate) fn worlds() -> Vec<&'static str> {
    WORLDS.iter().map(|world| world.id).collect()
}

pub(crate) fn learners() -> Vec<&'static str> {
    LEARNERS.iter().map(|learner| learner.id).collect()
}

/// Accepts any text, and offers these ids to shells. The registries check names later.
#[derive(Clone, Copy)]
pub(crate) struct Suggest(pub(crate) fn() -> Vec<&'static str>);

impl TypedValueParser for Suggest {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.0)().into_iter().map(PossibleValue::new)))
    }
}

/// A text whose control characters are escaped, and those that turn the direction of the text.
pub(crate) fn legible(text: &str) -> Cow<'_, str> {
    let odd = |c: char| {
        c.is_control() && !"\n\t".contains(c)
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    match text.contains(odd) {
        false => text.into(),
        true => {
            text.chars().map(|c| if odd(c) { c.escape_default().to_string() } else { c.into() }).collect()
        }
    }
}

/// The same within a line.
pub(crate) fn in_line(name: &str) -> String {
    legible(name).replace('\n', "\\n").replace('\t', "\\t")
}
