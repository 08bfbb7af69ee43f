//! Typed builders: the same parameters as methods.

/// Declares the parameters of a learner, and a builder with a method for each of them.
///
/// `method: KEY => Type` names the method, the declaration and the type of its values.
macro_rules! builder {
    (
        $(#[$doc:meta])*
        $learner:ident, $entry:path;
        $($method:ident: $key:expr => $type:ty),* $(,)?
    ) => {
        pub(in crate::learners) const PARAMETERS: &[$crate::parameters::Parameter] =
            &[$($key.about()),*];

        $(#[$doc])*
        pub struct $learner(());

        impl $learner {
            /// Starts with every parameter at its default.
            pub fn builder() -> Builder {
                Builder { settings: $crate::Settings::new(), seed: 0, episodes: 1 }
            }
        }

        #[doc = concat!("Builds ", stringify!($learner), " from typed settings.")]
        ///
        /// Every parameter has a method; the table of the module's documentation says what they mean.
        #[derive(Clone, Debug)]
        pub struct Builder {
            settings: $crate::Settings,
            seed: u64,
            episodes: u64,
        }

        impl Builder {
            $(
                #[doc = concat!("Sets `", stringify!($method), "`.")]
                pub fn $method(mut self, value: impl Into<$type>) -> Self {
                    let value: $type = value.into();
                    let typed = $crate::parameters::Value::typed(&value);
                    self.settings = self.settings.set($key.name(), typed);
                    self
                }
            )*

            /// Sets the seed of the learner's own random numbers; 0 if nobody does.
            pub fn seed(mut self, seed: u64) -> Self {
                self.seed = seed;
                self
            }

            /// Sets the number of episodes K that the run is planned for, where the learner asks; 1
            /// if nobody does.
            pub fn episodes(mut self, episodes: u64) -> Self {
                self.episodes = episodes;
                self
            }

            /// Builds the learner for a problem.
            pub fn build(
                self,
                problem: impl Into<std::sync::Arc<$crate::Problem>>,
            ) -> $crate::Result<$crate::Learner> {
                let Builder { settings, seed, episodes } = self;
                $entry.build(&problem.into(), &settings, seed, episodes, Default::default())
            }
        }
    };
}

pub(in crate::learners) use builder;
