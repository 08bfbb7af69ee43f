//! Figures: what they show is a value, and they are drawn from it to SVG and PNG.

mod axis;
mod canvas;
mod chart;
mod ends;
mod format;
mod map;
mod page;
mod parts;
mod plane;
mod plot;
mod rows;
mod style;
mod typeface;
mod words;

pub(crate) use axis::{ends, label as number_label};
pub(crate) use canvas::Canvas;
pub(crate) use chart::Chart;
pub use format::Format;
pub(crate) use map::{Arrow, Map, MapCell, MapPanel};
pub(crate) use page::Head;
pub use parts::{Axis, Marker, Marks};
pub(crate) use plot::{Curve, CurvePoint, Plot, Shape};
pub(crate) use rows::{Entry, RowPanel, Rows};
pub use style::{Colour, Dash, Stroke};
