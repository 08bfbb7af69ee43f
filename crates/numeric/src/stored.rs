//! Whether values from a file fit the problem at hand, so that nothing can panic. A
//! checkpoint is sealed against accidents: shapes are judged, ranges are not. A flaw names its place.

use std::fmt;

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

/// A list has this many entries.
pub fn length<T>(place: &str, list: &[T], count: usize) -> Result<(), Flaw> {
    ensure(list.len() == count, place, || format!("{} entries, but {count} are expected", list.len()))
}
