//! Figures: what they show is a value, and they are drawn from it to SVG and PNG.

mod axis;
mod canvas;
mod curves;
mod panel;
mod parts;
mod style;
mod typeface;

pub(crate) use axis::label as number_label;
pub use curves::CurveFigure;
pub use parts::{Axis, BandPoint, Marker, Marks, Panel, Series};
pub use style::{Colour, Dash, Stroke};
