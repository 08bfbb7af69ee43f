//! What is asked of a plan.

use crate::numeric::halt::Halt;
use crate::plan::answer::Objective;

/// Which way to plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Way {
    /// Exact up to 20,000 pairs whose policies are eliminated in some four million multiplications.
    /// Fast elsewhere, and where the exact way proves nothing of some state.
    #[default]
    Auto,
    /// To the last digit. Only [`Objective::Min`] has this way; the others go the fast one.
    Exact,
    /// Made for speed and size.
    Fast,
}

/// What is found beyond bounds, values and policy. The exact way always finds steps and Q.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extras {
    /// The policy's expected steps and T*.
    pub steps: bool,
    /// Q of all pairs.
    pub q: bool,
    /// The probability of reaching the goal from the start.
    pub reach: bool,
}

impl Extras {
    /// Everything.
    pub const ALL: Extras = Extras { steps: true, q: true, reach: true };
    /// Nothing.
    pub(crate) const NONE: Extras = Extras { steps: false, q: false, reach: false };
}

impl Default for Extras {
    fn default() -> Extras {
        Extras::ALL
    }
}

/// What is asked of [`solve`](crate::plan::solve()).
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What is optimised.
    pub objective: Objective,
    /// The relative distance of the bounds; none: 1e-12 the exact way, 1e-8 the fast one.
    pub precision: Option<f64>,
    /// Which way to plan.
    pub way: Way,
    /// What the fast way finds need not pass [`verify`](crate::plan::verify()); otherwise wider
    /// bounds replace what does not.
    pub unchecked: bool,
    /// What else is wanted.
    pub extras: Extras,
    /// What may ask it to stop, and hears how far it is.
    pub halt: Halt,
}

impl Options {
    /// The least cost, the exact way.
    pub fn exact(precision: f64) -> Options {
        Options { precision: Some(precision), way: Way::Exact, ..Options::default() }
    }

    /// Any objective, the fast way.
    pub fn fast(objective: Objective, precision: f64) -> Options {
        Options { objective, precision: Some(precision), way: Way::Fast, ..Options::default() }
    }

    /// The same without the check of what the fast way finds, and with nothing beyond the bounds.
    pub fn bare(self) -> Options {
        Options { unchecked: true, extras: Extras::NONE, ..self }
    }
}
