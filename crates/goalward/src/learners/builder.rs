//! Typed builders: the parameters of a learner as methods.

use super::core::Learner;
use super::entry::LearnerEntry;
use crate::parameters::{Key, Settings, Value};
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

    /// Sets the seed of the learner's own random numbers; 0 if nobody does.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets the number of episodes K that the run is planned for, where the learner asks; 1 if
    /// nobody does.
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

        $($(impl $crate::learners::shared::$shared for $learner {})?)*

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
