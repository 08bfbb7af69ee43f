//! The parameters of `lr`, and of what stands on it.

use crate::learners::shared::{DELTA, PLANNER};
use crate::parameters::{Choice, Key, Value};
use crate::plan::Planner;

pub(super) const LEVEL: Key<f64> =
    DELTA.doc("failure probability of sets, certificate and regret together, for all times at once");

/// Which set `lr` plans over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// An ellipsoid around the likelihood set.
    Outer,
    /// The ellipsoid, cut by tangents of the set where plans look.
    Cuts,
    /// The set itself.
    Exact,
}

const SHAPES: [(Shape, &str); 3] = [(Shape::Outer, "outer"), (Shape::Cuts, "cuts"), (Shape::Exact, "exact")];

impl Value for Shape {
    fn read(text: &str) -> Option<Shape> {
        SHAPES.iter().find(|(_, word)| *word == text).map(|(shape, _)| *shape)
    }
    fn typed(&self) -> String {
        SHAPES.iter().find(|(shape, _)| shape == self).map_or(String::new(), |(_, word)| (*word).into())
    }
}

pub(super) const SET: Key<Shape> = Key::choice(
    "set",
    &[Choice::Word("outer"), Choice::Word("cuts"), Choice::Word("exact")],
    "outer: an ellipsoid around the likelihood set; cuts: the ellipsoid, cut by tangents of the set where \
     the plan looks, nearly as good as the set itself; exact: the set itself, a tenth of a millisecond for \
     a backup, for small problems",
)
.or("cuts");

pub(super) const NET: Key<f64> = Key::number(
    "net",
    1e-6,
    1e6,
    "the safety net of the regret theorem: plan anew when what the plan believes may be further from the data \
     than this times 9 Gamma_t, in Hellinger's squared distance; the theorem is for 1",
)
.or("1");

/// Policy iteration: the discount is so small that value iteration would take a million sweeps.
pub(super) const FAST: Key<Planner> = PLANNER.or("fast");
