//! **goalward** learns, online and with guarantees, the cheapest way to a goal when the dynamics
//! are unknown but known to be a mixture of candidate models: linear mixture stochastic shortest
//! paths.
//!
//! ```text
//!          Problem: states, actions, costs, candidate models
//!                               |
//!                             build
//!                               v
//!      +-------- act(s) ---- Learner ---- theta(), intervals(), value(s), q(s,a)
//!      |                        ^
//!      v                        |
//!  your world  ---- observe(s, a, cost, s') ---- until s' is the goal; then end_episode()
//! ```
//!
//! # In your own loop
//!
//! ```
//! use goalward::{LevisPlusPlusLr, Problem, Transition};
//!
//! // two candidate models of one action: it reaches the goal, state 1, with probability 0.9 or 0.2
//! let fast = vec![vec![vec![(1, 0.9), (0, 0.1)]], vec![]];
//! let slow = vec![vec![vec![(1, 0.2), (0, 0.8)]], vec![]];
//! let models = [("fast", fast), ("slow", slow)];
//! let problem = Problem::from_models(&models, &[vec![1.0], vec![]], 0, 1)?;
//! let mut learner = LevisPlusPlusLr::builder().b(5.0).build(problem)?;
//! let action = learner.act(0)?;
//! learner.observe(&Transition { state: 0, action, cost: 1.0, next: 1 })?;
//! learner.end_episode();
//! println!("{:?} {:?}", learner.theta(), learner.value(0)?);
//! # Ok::<(), goalward::Error>(())
//! ```
//!
//! Which learner? [`Lr`] needs to know nothing. [`LevisPlusPlusLr`] has the guarantee of LEVIS++ if
//! you can bound the cost from any state. [`LevisPlusPlus`], [`RhoLevisPlusPlus`], [`LevisPlus`] and
//! [`Levis`] are the papers' algorithms, with their constants as printed. [`UcrlAveSsp`],
//! [`PsrlMixture`] and [`CertaintyEquivalence`] are rivals without a guarantee. [`KnowledgeGradient`]
//! has none either, and pays least on average; [`Guarded`] gives it one.
//!
//! # In a simulation
//!
//! ```
//! use goalward::{Arena, RunSpec, Runner, Settings};
//! let arena = Arena::open("windy-grid", &Settings::new().set("n", 3))?;
//! let mut runner = Runner::new(&arena, RunSpec::new("lr", 50).seed(1))?;
//! runner.run(&mut [])?;
//! assert_eq!(runner.result().episodes, 50);
//! # Ok::<(), goalward::Error>(())
//! ```
//!
//! # Where to go on
//!
//! * [`problem`]: [`Problem`], all that a learner may know, and [`Truth`](problem::Truth), which
//!   only worlds, planners and audits may hold. [`files`] reads and writes both.
//! * [`learners`]: every algorithm, its parameters and what is proved of it; how to write your own.
//!   [`conformance`] checks it.
//! * [`confidence`]: confidence sets as values that can be asked, and guarantees with their
//!   conditions.
//! * [`plan`]: the optimal cost of a known model, with certified bounds.
//! * [`worlds`]: problems with their truth. [`episode`]: the only interaction loop, its trace and
//!   its checkpoints. [`check`]: everything that is wrong with a world or file.
//! * [`offline`]: the mixture from transitions that were logged elsewhere.

pub mod check;
pub mod confidence;
pub mod conformance;
pub mod episode;
#[doc(hidden)]
pub mod estimate;
pub mod learners;
pub mod offline;
pub mod worlds;

pub use goalward_mdp::{
    Error, Problem, Result, Settings, closest, did_you_mean, did_you_mean_first, files, memory, output,
    parameters, plan, problem,
};
pub use goalward_numeric::{self as numeric, Stream};

pub use episode::{Arena, RunSpec, Runner};
pub use learners::linear_mixture::certainty_equivalence::CertaintyEquivalence;
pub use learners::linear_mixture::guarded::Guarded;
pub use learners::linear_mixture::knowledge_gradient::KnowledgeGradient;
pub use learners::linear_mixture::levis::Levis;
pub use learners::linear_mixture::levis_plus::LevisPlus;
pub use learners::linear_mixture::levis_plus_plus::LevisPlusPlus;
pub use learners::linear_mixture::levis_plus_plus_lr::LevisPlusPlusLr;
pub use learners::linear_mixture::lr::Lr;
pub use learners::linear_mixture::psrl_mixture::PsrlMixture;
pub use learners::linear_mixture::rho_levis_plus_plus::RhoLevisPlusPlus;
pub use learners::linear_mixture::ucrl_ave_ssp::UcrlAveSsp;
pub use learners::{Learner, Transition};

/// The README's examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
