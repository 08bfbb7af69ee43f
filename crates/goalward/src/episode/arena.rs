//! A world prepared for runs: the instance, its exact solution, and its random numbers.

use crate::confidence::{self, Facts};
use crate::learners::shared::{B, T_STAR};
use crate::learners::{LearnerEntry, Need, Told};
use crate::numeric::Stream;
use crate::parameters::{Bound, Key, Settings};
use crate::plan::{self, Answer, Extras, Halt, Options};
use crate::problem::{Entry, Fingerprint, Instance, Problem, Truth};
use crate::{Result, worlds};
use std::sync::Arc;

/// The label of the world's random numbers; learners use others.
pub const WORLD_STREAM: u64 = 0x0077_6f72_6c64; // "world"

/// An instance with its solution, to the last digit where that is cheap: regret needs V*(start) and
/// Q*.
#[derive(Clone, Debug)]
pub struct Arena {
    /// The world's id or the problem file's path, as given.
    pub world: String,
    /// The world's parameters, as given.
    pub params: Settings,
    instance: Instance,
    exact: Answer,
}

impl Arena {
    /// A built-in world by its id, or a problem file by its path.
    pub fn open(world: &str, params: &Settings) -> Result<Arena> {
        Arena::new(world, params, worlds::open(world, params)?)
    }

    /// Solves the instance; an error if it has no truth, if the goal can be lost for ever,
    /// or if no finite bound on the optimal costs is found.
    pub fn new(world: &str, params: &Settings, instance: Instance) -> Result<Arena> {
        Arena::heeding(world, params, instance, &Halt::never())
    }

    /// The same, unless it is asked to stop, and told how far it is.
    pub fn heeding(world: &str, params: &Settings, instance: Instance, halt: &Halt) -> Result<Arena> {
        let extras = Extras { reach: false, ..Extras::ALL };
        let options = Options { extras, halt: halt.clone(), ..Options::default() };
        let exact = plan::solve(&instance.problem, instance.truth()?, &options)?;
        exact.require_proper(&instance.problem)?;
        exact.require_bounds(&instance.problem)?;
        Ok(Arena { world: world.into(), params: params.clone(), instance, exact })
    }

    /// What learners see.
    pub fn problem(&self) -> &Arc<Problem> {
        &self.instance.problem
    }

    /// The problem with its truth.
    pub fn instance(&self) -> &Instance {
        &self.instance
    }

    /// The optimal values.
    pub fn exact(&self) -> &Answer {
        &self.exact
    }

    /// V*(start).
    pub fn optimal_cost(&self) -> f64 {
        self.exact.v[self.problem().start()]
    }

    /// Certified bounds on V*(start).
    pub fn optimal_bounds(&self) -> [f64; 2] {
        let start = self.problem().start();
        [self.exact.lower[start], self.exact.upper[start]]
    }

    /// A hash of all that a run's luck and results depend on: the world's id or path and its
    /// parameters, the costs, features, facts and names of the problem, and theta* or the true
    /// kernel. What a file says beyond that, such as its spaces, does not count. Nor do the names
    /// of models, which nothing is stored by: a run goes on after they were given or changed.
    pub fn fingerprint(&self) -> String {
        let mut hash = Fingerprint::default();
        hash.text(&self.world);
        for (key, value) in self.params.iter() {
            hash.text(key).text(value);
        }
        hash.problem(self.problem());
        if let Ok(truth) = self.truth() {
            match truth.theta() {
                Some(theta) if !truth.is_kernel() => theta.iter().for_each(|&x| hash.number(x)),
                _ => {
                    hash.kernel(truth);
                }
            }
        }
        hash.finish()
    }

    pub(super) fn truth(&self) -> Result<&Truth> {
        self.instance.truth()
    }

    /// What a simulation knows and a learner does not: enough to check what a learner claims.
    pub fn facts(&self) -> Result<Facts> {
        let (problem, truth) = (self.problem(), self.truth()?);
        let theta = truth.theta();
        let known = |(s, a, next, _): Entry| problem.allows(problem.pair(s, a), next);
        Ok(Facts {
            b_star: Some(self.exact.b_star),
            t_star: Some(self.exact.t_star),
            theta_norm: theta.map(|theta| confidence::kernel_norm(self.problem(), theta)),
            mixture: Some(theta.is_some()), // that it lies in B is checked when a truth is made
            support: Some(theta.is_some() || truth.entries(problem).all(known)),
        })
    }

    /// The uniform numbers of episode k: the i-th is the i-th draw.
    pub(super) fn luck(seed: u64, episode: u64) -> Stream {
        Stream::new(seed, &[WORLD_STREAM, episode])
    }

    /// What a learner is told beyond the problem: what its entry needs, and what the user asked for
    /// by `oracle`.
    pub(super) fn tell(&self, entry: &LearnerEntry, settings: &Settings) -> Told {
        let asked = |key: &Key<Bound>| settings.get(key.name()) == Some("oracle");
        // the certified upper bound: a learner's B must not be below B* even by rounding
        let above = self.exact.upper.iter().copied().filter(|v| v.is_finite()).fold(0.0, f64::max);
        Told {
            b_star: asked(&B).then_some(above),
            t_star: asked(&T_STAR).then_some(self.exact.t_star),
            policy: entry.wants(Need::Policy).then(|| self.exact.policy.clone()),
        }
    }
}
