//! Q-learning with epsilon-greedy actions (Watkins 1989): what a practitioner would try first.
//!
//! # What it does
//!
//! After a step Q(s,a) moves towards c + min_a' Q(s',a') by a step size. Actions are greedy on Q,
//! and uniformly random with probability epsilon.
//!
//! # What it needs to know
//!
//! Nothing.
//!
//! # Parameters
//!
#![doc = include_str!("../../../docs/learners/q-learning.md")]
//!
//! # Cost per step
//!
//! O(A).
//!
//! # Reference
//!
//! Watkins (1989); Sutton and Barto (2018), section 6.5.
//!
//! # Departures from the print
//!
//! None. Q begins at 0, below every value, so that it explores by optimism at first. The step size
//! of visit n is max(alpha, n^-decay).

use super::rule::{Due, Rule, Tabular};
use crate::Result;
use crate::learners::builder::builder;
use crate::learners::core::{Table, table_bytes};
use crate::learners::counted::Support;
use crate::learners::{Algorithm, Brief, Clock, Family, LearnerEntry, Transition};
use crate::numeric::Portable;
use crate::parameters::Key;
use crate::problem::{Action, State};

pub(in crate::learners) const ENTRY: LearnerEntry =
    LearnerEntry::new("q-learning", "Q-learning with epsilon-greedy actions", build)
        .reference("Watkins (1989); Sutton and Barto (2018), section 6.5")
        .setting("tabular SSP")
        .guarantee("none")
        .parameters(PARAMETERS)
        .family(Family::Tabular)
        .cost("O(A)")
        .keeps("O(S A)")
        .memory(|problem| table_bytes(problem) + 8 * problem.pairs() as u64);

const ALPHA: Key<f64> =
    Key::number("alpha", 0.0, 1.0, "the least step size: the one of visit n is max(alpha, n^-decay)")
        .or("0.05");

const DECAY: Key<f64> =
    Key::number("decay", 0.0, 10.0, "how fast step sizes fall with the visits of a pair").or("0.7");

const EPSILON: Key<f64> =
    Key::number("epsilon", 0.0, 1.0, "the probability of a uniformly random action").or("0.05");

builder! {
    /// Q-learning with epsilon-greedy actions. See the [module](self).
    QLearning, ENTRY;
    ALPHA, alpha => f64;
    DECAY, decay => f64;
    EPSILON, epsilon => f64;
}

fn build(brief: &Brief) -> Result<Box<dyn Algorithm>> {
    let settings = &brief.settings;
    let rule = Watkins {
        alpha: settings.get(&ALPHA)?,
        decay: settings.get(&DECAY)?,
        epsilon: settings.get(&EPSILON)?,
    };
    let visits = vec![0; brief.problem.pairs()];
    Ok(Tabular::boxed(rule, Table::new(brief, 0.0), visits, Support::Unknown))
}

struct Watkins {
    alpha: f64,
    decay: f64,
    epsilon: f64,
}

impl Rule for Watkins {
    /// The visits of each pair.
    type Data = Vec<u64>;

    fn act(&self, _: &Vec<u64>, table: &mut Table, s: State) -> Action {
        if self.epsilon > 0.0 && table.standing.stream.uniform() < self.epsilon {
            return table.standing.stream.below(table.problem.actions(s));
        }
        table.act(s)
    }

    fn learn(&mut self, visits: &mut Vec<u64>, table: &mut Table, step: &Transition, _: &Clock) -> Due {
        let pair = table.problem.pair(step.state, step.action);
        visits[pair] += 1;
        let size = (visits[pair] as f64).to_the(-self.decay).max(self.alpha);
        let target = table.costs[pair] + table.standing.v[step.next];
        table.standing.q[pair] += size * (target - table.standing.q[pair]);
        table.renew(step.state);
        None
    }
}
