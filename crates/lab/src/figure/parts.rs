//! What a figure of curves is made of.

use super::style::{Colour, Stroke};

/// The height of labels, in pixels of the finished picture.
pub(super) const TEXT: f64 = 27.0;
/// The height of numbers at the ticks.
pub(super) const TICK: f64 = 25.0;

/// One point of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BandPoint {
    /// Where on the x axis.
    pub x: f64,
    /// The mean.
    pub mean: f64,
    /// The band around it, if there is one.
    pub band: Option<(f64, f64)>,
}

/// A curve; curves of the same label share one line of the legend.
#[derive(Clone, Debug)]
pub struct Series {
    /// What the legend says.
    pub label: String,
    /// How it looks.
    pub stroke: Stroke,
    /// Its points, by growing x.
    pub points: Vec<BandPoint>,
}

/// The shape of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Marker {
    /// An open circle.
    Circle,
    /// An open square.
    Square,
}

/// Points without a line, such as somebody else's numbers.
#[derive(Clone, Debug)]
pub struct Marks {
    /// What the legend says.
    pub label: String,
    /// Their colour.
    pub colour: Colour,
    /// Their shape.
    pub marker: Marker,
    /// Where they are.
    pub points: Vec<(f64, f64)>,
}

/// An axis.
#[derive(Clone, Debug, Default)]
pub struct Axis {
    /// What it measures.
    pub title: String,
    /// What it shows; otherwise what the curves need.
    pub range: Option<(f64, f64)>,
    /// Whether it is logarithmic; values without a logarithm are then left out.
    pub log: bool,
}

/// One coordinate system with its curves.
#[derive(Clone, Debug)]
pub struct Panel {
    /// What it says above; empty for nothing.
    pub title: String,
    /// The x axis.
    pub x: Axis,
    /// The y axis.
    pub y: Axis,
    /// Its curves; later ones lie upon earlier ones.
    pub series: Vec<Series>,
    /// Points upon them.
    pub marks: Vec<Marks>,
}
