//! How exact numbers must be that others wrote down.

/// How far a row may be from summing to one: as far as a dozen probabilities of six digits can be.
/// A row that is further off than [`ROUNDING`] is divided by its sum, and that is said.
pub const ROW_TOLERANCE: f64 = 1e-5;
/// How far a row may be from summing to one by rounding alone.
pub const ROUNDING: f64 = 1e-9;
