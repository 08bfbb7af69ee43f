//! What a figure of curves is made of.

use super::style::Colour;
use serde::{Deserialize, Serialize};

/// The height of labels, in pixels of the finished picture.
pub(super) const TEXT: f64 = 27.0;
/// The height of numbers at the ticks.
pub(super) const TICK: f64 = 25.0;

/// The shape of a mark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Marker {
    /// An open circle.
    #[default]
    Circle,
    /// An open square.
    Square,
}

/// Points without a line, such as published numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Marks {
    /// What the legend calls them.
    pub label: String,
    /// Their colour.
    #[serde(default = "ink")]
    pub colour: Colour,
    /// Their shape.
    #[serde(default)]
    pub marker: Marker,
    /// Where they are.
    pub points: Vec<(f64, f64)>,
}

fn ink() -> Colour {
    Colour::INK
}

/// An axis.
#[derive(Clone, Debug, Default)]
pub struct Axis {
    /// What it measures.
    pub title: String,
    /// What it shows; otherwise what the curves need.
    pub range: Option<(f64, f64)>,
    /// Whether it is logarithmic, without the values that have no logarithm.
    pub log: bool,
}
