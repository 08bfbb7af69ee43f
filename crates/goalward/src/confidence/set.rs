//! A confidence set as a value that can be asked.

use super::guarantee::Claim;
use crate::numeric::norm;
use crate::numeric::support::{SupportMin, Warm};
use crate::problem::{Problem, ROW_TOLERANCE};

/// A set of theta that has theta* in it with a stated probability: what a learner plans over.
///
/// [`Probe::set`](crate::learners::Probe::set) shows the sets of a learner.
pub trait ConfidenceSet {
    /// Which set it is, as results name it: `printed`, `scaled:0.003`, `data`, `determinant`,
    /// `likelihood`.
    fn kind(&self) -> String;

    /// How large it is.
    fn size(&self) -> Size;

    /// How far inside theta is: negative outside, 0 on the boundary, in the units of
    /// [`size`](Self::size). Minus infinity for what is no theta of B, up to the rounding that a
    /// truth may have.
    fn margin(&self, theta: &[f64]) -> f64;

    /// Whether theta is in it.
    fn contains(&self, theta: &[f64]) -> bool {
        self.margin(theta) >= 0.0
    }

    /// The same for one theta of B that is asked for after every step, with what was learnt about
    /// it before. It may be far cheaper, and is never less exact.
    fn still_contains(&self, theta: &[f64], _memo: &mut Memo) -> bool {
        self.contains(theta)
    }

    /// What is promised: theta* is in all such sets at all times, with which probability that may
    /// fail, and under which assumptions. [`Claim::check`] checks them against the truth.
    fn claim(&self) -> Claim;

    /// Its support function within B, with certified bounds; none if it has no point of B.
    fn support(&self) -> Option<Box<dyn SupportMin + '_>>;

    /// How wide it is in a direction: the difference of the certified bounds of <c, theta>.
    fn width(&self, direction: &[f64]) -> Option<f64> {
        self.support().map(|mut set| {
            let (low, high) = interval(&mut *set, direction);
            high - low
        })
    }
}

/// How large a set is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Size {
    /// The radius of an ellipsoid, in its own norm.
    Radius(f64),
    /// How far the loss may be above the least one, in nats.
    Nats(f64),
}

/// What is remembered of one theta from step to step ([`ConfidenceSet::still_contains`]).
#[derive(Clone, Copy, Debug, Default)]
pub struct Memo {
    /// The last loss.
    pub(super) loss: f64,
    /// At least what the loss is above the least one.
    pub(super) above_least: f64,
}

impl Memo {
    /// For a checkpoint: all of it.
    pub fn to_bits(&self) -> [u64; 2] {
        [self.loss, self.above_least].map(f64::to_bits)
    }

    /// From a checkpoint.
    pub fn from_bits(bits: [u64; 2]) -> Memo {
        let [loss, above_least] = bits.map(f64::from_bits);
        Memo { loss, above_least }
    }
}

/// Whether theta is in a problem's B, as near as a truth of few digits is.
pub(super) fn is_in_b(problem: &Problem, theta: &[f64]) -> bool {
    let size = norm(theta);
    theta.len() == problem.dim()
        && size.is_finite()
        && problem.constraints().contains(theta, ROW_TOLERANCE * (1.0 + size))
}

/// Certified bounds of <c, theta> over a set.
pub fn interval(set: &mut dyn SupportMin, c: &[f64]) -> (f64, f64) {
    let minus: Vec<f64> = c.iter().map(|x| -x).collect();
    (set.min(c, &mut Warm::default()).bound, -set.min(&minus, &mut Warm::default()).bound)
}
