//! The files that a figure can be written to.

use super::canvas::Canvas;
use crate::Result;
use crate::table::word;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A format of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Pixels.
    Png,
    /// Shapes, and text that stays text.
    Svg,
}

impl Format {
    const ALL: [Format; 2] = [Format::Png, Format::Svg];

    /// Every format.
    pub fn all() -> Vec<Format> {
        Format::ALL.to_vec()
    }

    /// That of a file, by the end of its name.
    pub fn of(path: &Path) -> Option<Format> {
        let ending = path.extension()?.to_string_lossy().to_lowercase();
        Format::ALL.into_iter().find(|format| format.ending() == ending)
    }

    /// What the names of its files end with.
    pub fn ending(self) -> String {
        word(self)
    }

    /// All endings, in quotes.
    pub(crate) fn names() -> String {
        Format::ALL.map(|format| format!("{:?}", format.ending())).join(", ")
    }

    /// What a browser calls it.
    pub(crate) fn mime(self) -> &'static str {
        match self {
            Format::Png => "image/png",
            Format::Svg => "image/svg+xml",
        }
    }

    /// Draws a file; `alt` is its description for screen readers.
    pub(crate) fn draw(self, canvas: &Canvas, alt: &str) -> Result<Vec<u8>> {
        match self {
            Format::Png => canvas.png(),
            Format::Svg => canvas.svg(alt).map(String::into_bytes),
        }
    }
}
