//! Certainty equivalence: plan for the most likely theta as if it were the truth.
//!
//! # What it does
//!
//! Fits theta in B to all steps seen by maximum likelihood, plans for it, and follows that plan. It
//! plans again each time that the number of steps has grown by the factor `growth`. With probability
//! `epsilon` it takes an action at random instead. It is what one would try first, and there are
//! problems on which it never finds out that it is wrong.
//!
//! # What it needs to know
//!
//! Nothing but the problem.
//!
//! # Parameters
//!
#![doc = include_str!("../../../docs/learners/certainty-equivalence.md")]
//!
//! # Cost per step
//!
//! O(nnz of the row + k^2), k <= d - 1 the dimension of B. O(log T) plans, each of which passes some
//! dozen times over the triples seen for the fit. Memory: 28 bytes for each distinct triple seen.
//!
//! # Reference
//!
//! Folklore; no paper. No guarantee: without exploration the regret can be linear, and with a fixed
//! epsilon it is.
//!
//! # Departures from the print
//!
//! None, as there is no print. Choices: before the first step any theta is as likely as any other,
//! and the plan is for a point inside B. The maximum is found to 1e-7 nats for each active row of
//! B. If it has the goal out of reach, values are bounded by the discount of 1e-9. Zero costs are
//! raised by 1e-6 of the largest, as every cost is then.

use super::model;
use super::optimist::{Optimist, Standing, bytes};
use crate::Result;
use crate::estimate::{Counts, Likelihood};
use crate::learners::builder::builder;
use crate::learners::{
    Algorithm, Brief, Call, Clock, Family, LearnerEntry, Probe, Reason, Seen, Snapshot, Transition,
};
use crate::numeric::Stream;
use crate::numeric::stored::{Flaw, Within};
use crate::parameters::Key;
use crate::plan::Cut;
use crate::problem::{Action, Pair, State};
use serde::{Deserialize, Serialize};

pub(in crate::learners) const ENTRY: LearnerEntry =
    LearnerEntry::new("certainty-equivalence", "maximum likelihood, and greedy plans for it", build)
        .reference("folklore")
        .setting("linear mixture SSP, costs may be zero")
        .guarantee("none")
        .parameters(PARAMETERS)
        .family(Family::LinearMixture)
        .cost("O(nnz + d^2); O(log T) fits and plans in all")
        .keeps("O(S A), and 28 bytes for each distinct transition seen")
        .memory(bytes);

const EPSILON: Key<f64> =
    Key::number("epsilon", 0.0, 1.0, "probability of an action at random, in every step").or("0");

const GROWTH: Key<f64> =
    Key::number("growth", 1.0, 1e18, "a plan is made when the steps have grown by this factor").or("1.25");

builder! {
    /// Maximum likelihood, and greedy plans for it. See the [module](self).
    CertaintyEquivalence, ENTRY;
    EPSILON, epsilon => f64;
    GROWTH, growth => f64;
}

/// The label of the numbers that choose actions at random.
const LABEL: u64 = 0x6365_7274; // "cert"

fn build(brief: &Brief) -> Result<Box<dyn Algorithm>> {
    Ok(Box::new(Certain {
        optimist: model::planner(brief)?,
        likelihood: Likelihood::new(brief.problem),
        epsilon: brief.settings.get(&EPSILON)?,
        growth: brief.settings.get(&GROWTH)?,
        stream: Stream::new(brief.seed, &[LABEL]),
    }))
}

struct Certain {
    optimist: Optimist,
    likelihood: Likelihood,
    epsilon: f64,
    growth: f64,
    /// What chooses actions at random.
    stream: Stream,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Memory {
    standing: Standing,
    counts: Counts,
    stream: Stream,
}

impl Certain {
    fn check(&self, stored: &Memory) -> Result<Likelihood, Flaw> {
        self.optimist.check(&stored.standing).within("standing")?;
        let likelihood = self.likelihood.restored(stored.counts.clone()).within("counts")?;
        stored.stream.check(&self.stream).within("stream")?;
        Ok(likelihood)
    }
}

impl Algorithm for Certain {
    fn act(&mut self, s: State) -> Action {
        if self.epsilon > 0.0 && self.stream.uniform() < self.epsilon {
            return self.stream.below(self.optimist.problem.actions(s));
        }
        self.optimist.act(s)
    }

    fn observe(&mut self, step: &Transition, pair: Pair, _: &Clock) -> Seen {
        self.likelihood.observe(pair, step.next)
    }

    fn due(&mut self, now: &Clock) -> Option<Reason> {
        (now.t > now.t_j && now.t as f64 >= self.growth * now.t_j as f64).then_some(Reason::Time)
    }

    fn plans_first(&self) -> bool {
        true
    }

    fn plan(&mut self, call: &Call) -> Result<(), Cut> {
        let theta = self.likelihood.maximum().theta;
        model::plan(&mut self.optimist, call, theta, &self.likelihood)
    }

    fn value(&self, s: State) -> Option<f64> {
        Some(self.optimist.value(s))
    }

    fn q(&self, p: Pair) -> Option<f64> {
        Some(self.optimist.q(p))
    }

    fn probe(&self, sink: &mut dyn Probe, _: &Clock) {
        if sink.wants_estimate() {
            sink.estimate(&self.likelihood.maximum().theta);
        }
        self.optimist.probe(sink);
    }

    fn likelihood(&self) -> Option<&Likelihood> {
        Some(&self.likelihood)
    }

    fn snapshot(&self) -> Snapshot {
        let (standing, counts) = (self.optimist.standing.clone(), self.likelihood.counts());
        Snapshot::of(&Memory { standing, counts, stream: self.stream.clone() })
    }

    fn restore(&mut self, state: &Snapshot, _: &Clock) -> Result<()> {
        let stored: Memory = state.to()?;
        self.likelihood = self.check(&stored).within("learner.algorithm")?;
        self.optimist.standing = stored.standing;
        self.stream = stored.stream;
        Ok(())
    }
}
