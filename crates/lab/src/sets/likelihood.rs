//! The likelihood set under watch.

use super::{Size, Twin};
use crate::Result;
use goalward::confidence::{LikelihoodSet, likelihood_threshold};
use goalward::episode::Arena;
use goalward::estimate::{Likelihood, Seen};
use goalward::learners::PlanReport;
use goalward::numeric::support::ConvexSet;
use goalward::problem::{Pair, Problem, State};

/// The set {theta in B : f(theta) <= r} itself after every step, and the ellipsoid around it at the learner's planning times.
///
/// The copy differs from the learner's own in one point: the learner refits its prediction at its plans too, the copy only
/// when the data have grown by a tenth. Both are valid sets at the same level; the learner's threshold is a little lower.
pub(super) struct LikelihoodTwin {
    likelihood: Likelihood,
    set: LikelihoodSet,
    theta: Vec<f64>,
    /// f(theta*).
    loss: f64,
    /// At least f(theta*) - min f. A step raises it by at most -log of the step's probability, since min f never falls.
    above_least: f64,
    at_plan: bool,
}

impl LikelihoodTwin {
    pub(super) fn new(arena: &Arena, delta: f64) -> Result<Self> {
        Ok(LikelihoodTwin {
            likelihood: Likelihood::new(arena.problem()),
            set: LikelihoodSet::new(delta),
            theta: arena.instance().truth()?.theta().to_vec(),
            loss: 0.0,
            above_least: 0.0,
            at_plan: true,
        })
    }

    fn threshold(&self, least: f64) -> f64 {
        likelihood_threshold(&self.likelihood, least, self.set.delta())
    }
}

impl Twin for LikelihoodTwin {
    fn step(&mut self, problem: &Problem, pair: Pair, next: State, _t: u64) {
        // the truth lies in B, so that every step it makes is possible
        if self.likelihood.observe(pair, next) == Seen::Counted {
            let place = problem.successors(pair).iter().position(|&n| n as State == next).unwrap_or(0);
            let phi = &problem.phi(pair)[place * problem.dim()..(place + 1) * problem.dim()];
            let p: f64 = phi.iter().zip(&self.theta).map(|(x, y)| x * y).sum();
            self.loss -= p.ln();
            self.above_least -= p.ln();
        }
    }

    fn plan(&mut self, _problem: &Problem, _plan: &PlanReport) -> bool {
        let _ = self.set.update(&self.likelihood); // an empty one leaves the last in force, as for the learner
        self.at_plan = self.set.contains(&self.likelihood, &self.theta);
        true
    }

    /// Exact at every step, with few fits: the threshold grows with the least loss, so that a lower bound on that decides most
    /// steps; where it does not, the fit is made.
    fn has(&mut self) -> bool {
        if self.loss <= self.threshold(self.loss - self.above_least) {
            return true;
        }
        let least = self.likelihood.maximum().loss;
        self.above_least = self.loss - least;
        self.loss <= self.threshold(least)
    }

    fn had_at_plan(&self) -> bool {
        self.at_plan
    }

    fn set(&mut self, _problem: &Problem) -> Option<ConvexSet> {
        self.set.update(&self.likelihood).set.ok()
    }

    fn size(&self) -> Size {
        let least = self.likelihood.maximum().loss;
        Size::Nats(self.threshold(least) - least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use goalward::confidence::likelihood_covers;
    use goalward::episode::{Flow, Observer, RunSpec, Runner, Step};
    use goalward::registry::Settings;

    /// The same answer as a fit at every step, at levels at which theta* is lost and found again.
    #[test]
    fn few_fits_decide_every_step() {
        struct Both<'a> {
            arena: &'a Arena,
            copies: Vec<LikelihoodTwin>,
            outside: u64,
        }
        impl Observer for Both<'_> {
            fn step(&mut self, step: &Step) -> Flow {
                let problem = self.arena.problem();
                for copy in &mut self.copies {
                    copy.step(problem, problem.pair(step.state, step.action), step.next, step.t);
                    let exact = likelihood_covers(&copy.likelihood, copy.set.delta(), &copy.theta);
                    assert_eq!(copy.has(), exact, "delta {}, t = {}", copy.set.delta(), step.t);
                    self.outside += u64::from(!exact);
                }
                Flow::Continue(())
            }
        }
        let arena = Arena::open("hard-instance", &Settings::new().set("dim", 3)).unwrap();
        let mut outside = 0;
        for seed in 0..10 {
            // no level at all: delta beyond 1 shrinks the set until it loses theta*
            let copies = [0.1, 1e4].map(|delta| LikelihoodTwin::new(&arena, delta).unwrap());
            let mut both = Both { arena: &arena, copies: copies.into(), outside: 0 };
            let spec = RunSpec::new("lr", 300).seed(seed).max_steps(300);
            Runner::new(&arena, spec).unwrap().run(&mut [&mut both]).unwrap();
            outside += both.outside;
        }
        assert!(outside > 0, "a set that is too small loses theta*");
    }
}
