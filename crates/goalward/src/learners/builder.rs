//! Typed builders: the parameters of a learner as methods.

use super::core::Learner;
use super::counted::{FLOOR, PRECISION, STAGE, SUPPORT, Support};
use super::entry::LearnerEntry;
use super::shared::{
    B, C_MIN, DELTA, DELTA_SPLIT, GAMMA, INTERVAL, LAMBDA, LEVELS, NORMS, PHI_NORM, PLANNER, RADIUS, ROWS,
    SCALE, T_STAR, TERMINAL, THETA_NORM,
};
use crate::confidence::{Norms, RadiusKind};
use crate::numeric::Rows;
use crate::parameters::{Bound, Key, Settings, Value};
use crate::plan::Planner;
use crate::problem::Problem;
use crate::{Result, learners};
use std::marker::PhantomData;
use std::sync::Arc;

/// Builds a learner from typed settings, such as `LevisPlusPlus::builder().b(3.0).delta(0.05)`.
///
/// Every parameter of the learner has a method. The table in the documentation of its module says
/// what they mean.
#[derive(Clone, Debug)]
pub struct Builder<L> {
    settings: Settings,
    seed: u64,
    episodes: u64,
    of: PhantomData<L>,
}

/// A learner that can be built so.
#[doc(hidden)]
pub trait Buildable {
    /// Its entry.
    const ENTRY: LearnerEntry;
}

impl<L: Buildable> Builder<L> {
    pub(super) fn new() -> Self {
        Builder { settings: Settings::new(), seed: 0, episodes: 1, of: PhantomData }
    }

    pub(super) fn with<T: Value>(mut self, key: &Key<T>, value: T) -> Self {
        self.settings = self.settings.set(key.name(), value.typed());
        self
    }

    /// Sets the seed of the learner's own random numbers; 0 by default.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets the number of episodes K that the run is planned for, if the learner asks for it; 1
    /// by default.
    pub fn episodes(mut self, episodes: u64) -> Self {
        self.episodes = episodes;
        self
    }

    /// Builds the learner for a problem.
    pub fn build(self, problem: impl Into<Arc<Problem>>) -> Result<Learner> {
        let Builder { settings, seed, episodes, .. } = self;
        L::ENTRY.build(&problem.into(), &settings, seed, episodes, learners::Told::default())
    }
}

/// For each parameter the learners that take it, and the method of their builders.
macro_rules! shared_methods {
    ($($takes:ident: $method:ident, $key:ident => $type:ty, $what:literal;)*) => {$(
        #[doc(hidden)]
        pub trait $takes {}

        impl<L: Buildable + $takes> Builder<L> {
            #[doc = concat!("Sets `", stringify!($method), "`: ", $what, ".")]
            pub fn $method(self, value: impl Into<$type>) -> Self {
                self.with(&$key, value.into())
            }
        }
    )*};
}

shared_methods! {
    TakesB: b, B => Bound, "an upper bound on B* = max V*";
    TakesTStar: t_star, T_STAR => Bound, "an upper bound on T*";
    TakesCMin: c_min, C_MIN => f64, "a lower bound on the costs off the goal";
    TakesDelta: delta, DELTA => f64, "the failure probability";
    TakesLambda: lambda, LAMBDA => f64, "the ridge";
    TakesGamma: gamma, GAMMA => f64, "the weight of the uncertainty in the variance";
    TakesLevels: levels, LEVELS => u64, "the number L of moment levels";
    TakesRadius: radius, RADIUS => RadiusKind, "which radius the regression's set has";
    TakesDeltaSplit: delta_split, DELTA_SPLIT => bool, "whether delta is divided by 2L+1";
    TakesNorms: norms, NORMS => Norms, "which norms the radius is computed with";
    TakesPhiNorm: phi_norm, PHI_NORM => f64, "a bound on |phi_V| for V in [0, 1]";
    TakesThetaNorm: theta_norm, THETA_NORM => f64, "a bound on |theta*|";
    TakesPlanner: planner, PLANNER => Planner, "how plans are made";
    TakesScale: scale, SCALE => f64, "the factor on every bonus or on the radius";
    TakesSupport: support, SUPPORT => Support, "whether successors are known";
    TakesFloor: floor, FLOOR => f64, "the least cost that the learner reckons with";
    TakesPrecision: precision, PRECISION => f64, "when value iteration stops";
    TakesStage: stage, STAGE => u64, "the visits of a pair's first stage";
    TakesInterval: interval, INTERVAL => u64, "the steps H of an interval";
    TakesTerminal: terminal, TERMINAL => f64, "what an interval pays that ends off the goal";
    TakesRows: rows, ROWS => Rows, "which rows of a large B a set takes";
}

/// Declares the parameters of a learner, and which methods its builder has.
///
/// `KEY as TakesIt` is a parameter that learners share, with the method that they share.
/// `KEY, method => Type` is the learner's own.
macro_rules! builder {
    (
        $(#[$doc:meta])*
        $learner:ident, $entry:path;
        $($key:ident $(as $shared:ident)? $(, $method:ident => $type:ty)?;)*
    ) => {
        const PARAMETERS: &[$crate::parameters::Parameter] = &[$($key.about()),*];

        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $learner(());

        impl $crate::learners::builder::Buildable for $learner {
            const ENTRY: $crate::learners::LearnerEntry = $entry;
        }

        $($(impl $crate::learners::builder::$shared for $learner {})?)*

        impl $learner {
            /// Starts with every parameter at its default.
            pub fn builder() -> $crate::learners::Builder<$learner> {
                $crate::learners::Builder::new()
            }
        }

        $($(
            impl $crate::learners::Builder<$learner> {
                #[doc = concat!("Sets `", stringify!($method), "`.")]
                pub fn $method(self, value: impl Into<$type>) -> Self {
                    self.with(&$key, value.into())
                }
            }
        )?)*
    };
}

pub(in crate::learners) use builder;
