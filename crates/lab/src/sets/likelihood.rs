//! The likelihood set under watch.

use super::{Size, TOLERANCE, Twin};
use crate::Result;
use goalward::confidence::{LikelihoodKeeper, likelihood_threshold};
use goalward::episode::Arena;
use goalward::estimate::Seen;
use goalward::learners::PlanReport;
use goalward::numeric::support::ConvexSet;
use goalward::problem::{Pair, Problem, State};

/// The set {theta in B : f(theta) <= r} itself after every step, and the ellipsoid around it at the learner's planning times.
pub(super) struct LikelihoodTwin {
    keeper: LikelihoodKeeper,
    theta: Vec<f64>,
    /// f(theta*).
    loss: f64,
    /// At least f(theta*) - min f. A step raises it by at most -log of the step's probability, since min f never falls.
    above_least: f64,
    at_plan: bool,
    /// The learner has no other set, so that what it reports of its plans is of this one.
    alone: bool,
}

impl LikelihoodTwin {
    pub(super) fn new(arena: &Arena, delta: f64, alone: bool) -> Result<Self> {
        Ok(LikelihoodTwin {
            keeper: LikelihoodKeeper::new(arena.problem(), delta),
            theta: arena.instance().truth()?.theta().to_vec(),
            loss: 0.0,
            above_least: 0.0,
            at_plan: true,
            alone,
        })
    }

    fn threshold(&self, least: f64) -> f64 {
        likelihood_threshold(self.keeper.likelihood(), least, self.keeper.set().delta())
    }
}

impl Twin for LikelihoodTwin {
    fn step(&mut self, problem: &Problem, pair: Pair, next: State, _t: u64) {
        // the truth lies in B, so that every step it makes is possible
        if self.keeper.observe(pair, next) == Seen::Counted {
            let place = problem.successors(pair).iter().position(|&n| n as State == next).unwrap_or(0);
            let phi = &problem.phi(pair)[place * problem.dim()..(place + 1) * problem.dim()];
            let p: f64 = phi.iter().zip(&self.theta).map(|(x, y)| x * y).sum();
            self.loss -= p.ln();
            self.above_least -= p.ln();
            // the learner asks after every step, and may refit where it does
            self.keeper.informed();
        }
    }

    fn plan(&mut self, _problem: &Problem, plan: &PlanReport) -> bool {
        let known = self.keeper.update(); // a contradiction leaves the last set in force, as for the learner
        // but it says that no theta is in the set, which is wrong of one that is
        let denied = known.set.is_err() && self.loss <= known.threshold;
        self.at_plan = !denied && self.keeper.set().contains(self.keeper.likelihood(), &self.theta);
        let close = |(a, b): (&f64, &f64)| (a - b).abs() <= TOLERANCE * b.abs().max(1.0);
        let same = |theta: &Vec<f64>| theta.iter().zip(&known.maximum.theta).all(close);
        !self.alone || plan.theta.first().is_some_and(same)
    }

    /// Exact at every step, with few fits: the threshold grows with the least loss, so that a lower bound on that decides most
    /// steps; where it does not, the fit is made.
    fn has(&mut self) -> bool {
        if self.loss <= self.threshold(self.loss - self.above_least) {
            return true;
        }
        let least = self.keeper.likelihood().maximum().loss;
        self.above_least = self.loss - least;
        self.loss <= self.threshold(least)
    }

    fn had_at_plan(&self) -> bool {
        self.at_plan
    }

    fn set(&mut self, _problem: &Problem) -> Option<ConvexSet> {
        self.keeper.update().set.ok()
    }

    fn size(&self) -> Size {
        let least = self.keeper.likelihood().maximum().loss;
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
                    let delta = copy.keeper.set().delta();
                    let exact = likelihood_covers(copy.keeper.likelihood(), delta, &copy.theta);
                    assert_eq!(copy.has(), exact, "delta {delta}, t = {}", step.t);
                    self.outside += u64::from(!exact);
                }
                Flow::Continue(())
            }
        }
        let arena = Arena::open("hard-instance", &Settings::new().set("dim", 3)).unwrap();
        let mut outside = 0;
        for seed in 0..10 {
            // no level at all: delta beyond 1 shrinks the set until it loses theta*
            let copies = [0.1, 1e4].map(|delta| LikelihoodTwin::new(&arena, delta, true).unwrap());
            let mut both = Both { arena: &arena, copies: copies.into(), outside: 0 };
            let spec = RunSpec::new("lr", 300).seed(seed).max_steps(300);
            Runner::new(&arena, spec).unwrap().run(&mut [&mut both]).unwrap();
            outside += both.outside;
        }
        assert!(outside > 0, "a set that is too small loses theta*");
    }
}
