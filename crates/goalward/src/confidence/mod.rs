//! Confidence sets: how far the truth may be from an estimate.
//!
//! A set is a value that can be asked ([`ConfidenceSet`]): whether a theta is in it and with what
//! margin, what it promises under which assumptions, its support function, its width in a
//! direction. [`Probe::set`](crate::learners::Probe::set) shows the sets of a learner: ellipsoids
//! around a regression, or the likelihood set.

mod guarantee;
mod likelihood;
mod misfit;
mod norms;
mod promise;
mod radius;
mod regression;
mod set;
mod theory;
mod transitions;

pub use guarantee::{Assumption, Claim, Facts, Statement};
pub use misfit::{Misfit, Misplaced, Suspicion};
pub use norms::Norms;
pub use promise::{Condition, Guarantee, Holds, Kind, Promise, Status};
pub use radius::RadiusKind;
pub use set::{ConfidenceSet, Size};
pub use theory::{Observed, SHARE_OF_SETS, Theory};

// for tests, studies and benchmarks
#[doc(hidden)]
pub use likelihood::{
    Contradiction, Enclosed, Kept, Knowledge, LikelihoodCone, LikelihoodKeeper, LikelihoodSet, Look, Net,
    Outer, Region, SharpSet, likelihood_covers, likelihood_threshold,
};
#[doc(hidden)]
pub use misfit::Alarm;
#[doc(hidden)]
pub use norms::{phi_norm, theta_norm};
#[doc(hidden)]
pub use radius::{levis, levis_plus_plus};
#[doc(hidden)]
pub use set::{Memo, interval};

pub(crate) use likelihood::hidden_coordinates;
pub(crate) use norms::kernel_norm;
pub(crate) use regression::{
    BernsteinRule, Ellipse, LayerRule, MomentRule, Perturbation, PlainRule, RadiusRule, RegressionSet,
};
pub(crate) use transitions::{Spread, kept_in_bernstein, least_in_l1, mean};
