//! Whether values from a file fit the problem at hand, so that nothing can panic. A checkpoint is
//! sealed against accidents. A flaw names its place.

use std::fmt;

/// No stored number is larger: the product of two is still finite.
pub const LARGEST: f64 = 1e150;
/// No stored count is larger: beyond this not every one is an `f64`.
pub const MOST: u64 = 1 << 53;

/// What is wrong with a stored value, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    place: String,
    fault: String,
}

impl Flaw {
    /// A flaw at a place.
    pub fn new(place: &str, fault: impl Into<String>) -> Flaw {
        Flaw { place: place.into(), fault: fault.into() }
    }
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.fault)
    }
}

/// Adds to the place of a flaw what the value is a part of.
pub trait Within {
    /// The flaw, if there is one, with `whole` before its place.
    fn within(self, whole: &str) -> Self;
}

impl<T> Within for Result<T, Flaw> {
    fn within(self, whole: &str) -> Self {
        self.map_err(|flaw| match flaw.place.is_empty() {
            true => Flaw { place: whole.into(), ..flaw },
            false => Flaw { place: format!("{whole}.{}", flaw.place), ..flaw },
        })
    }
}

/// Something must hold.
pub fn ensure(holds: bool, place: &str, fault: impl FnOnce() -> String) -> Result<(), Flaw> {
    if holds { Ok(()) } else { Err(Flaw::new(place, fault())) }
}

/// So many numbers, all of them finite and of a size that can be computed with.
pub fn numbers(place: &str, values: &[f64], count: usize) -> Result<(), Flaw> {
    ensure(values.len() == count, place, || format!("{} numbers, but {count} are expected", values.len()))?;
    match values.iter().find(|x| !(-LARGEST..=LARGEST).contains(*x)) {
        Some(x) => Err(Flaw::new(place, format!("{x:e} is out of range"))),
        None => Ok(()),
    }
}

/// Every number between two limits.
pub fn between(place: &str, values: &[f64], low: f64, high: f64) -> Result<(), Flaw> {
    match values.iter().find(|x| !(low..=high).contains(*x)) {
        Some(x) => Err(Flaw::new(place, format!("{x:e} is not between {low:e} and {high:e}"))),
        None => Ok(()),
    }
}

/// A count, at most another.
pub fn at_most(place: &str, count: u64, most: u64, what: &str) -> Result<(), Flaw> {
    ensure(count <= most, place, || format!("{count} is more than {most}, {what}"))
}
