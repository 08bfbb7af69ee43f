//! PSRL-SSP (Jafarnia-Jahromi, Chen, Jain, Luo 2023): posterior sampling.
//!
//! # What it does
//!
//! Has a Dirichlet prior on the transitions of every pair. An epoch begins with a draw from the
//! posterior, and follows the policy that is optimal for it. It ends when it has completed more
//! episodes than the epoch before, or when some pair was visited more than twice as often as when
//! it began.
//!
//! # What it needs to know
//!
//! Nothing. For zero costs the number of episodes K.
//!
//! # Parameters
//!
#![doc = include_str!("../../../docs/learners/psrl-ssp.md")]
//!
//! The prior 0.1 is that of the paper's experiments, read there.
//!
//! # Cost per step
//!
//! O(1), and one plan an epoch: a draw of S numbers for every pair (of its successors with
//! `support=known`) and policy iteration on that kernel. It takes a dozen rounds, each with an
//! elimination of up to S^3/3 multiplications, and far fewer where pairs have few successors.
//!
//! # Reference
//!
//! Jafarnia-Jahromi, Chen, Jain, Luo (UAI 2023), Algorithm 1.
//!
//! # Departures from the print
//!
//! The paper takes the optimal policy of a draw as given. Here it is the best *proper* one, by
//! policy iteration that begins with a proper policy and stays among them (`plan/proper.rs`). In a
//! draw a way to the goal may be a million times as dear as a cheap loop that is almost never left,
//! so value iteration that is cut off would stay in the loop. Equally good actions: whichever was
//! met first. From a state whose goal is out of reach in the draw, for rounding or because the
//! problem has such states, an action is drawn.
//!
//! The regret bound is on average over the prior; nothing is proved for one problem.
//! `support=known` is ours.

use super::rule::{Due, Rule, Tabular};
use crate::Result;
use crate::confidence::Spread;
use crate::estimate::Visits;
use crate::learners::builder::builder;
use crate::learners::core::{Table, table_bytes};
use crate::learners::counted::{self, Data, FLOOR, SUPPORT, Sizes, Support};
use crate::learners::epochs::Epochs;
use crate::learners::{Algorithm, Brief, Call, Clock, Family, LearnerEntry, Reason, Transition};
use crate::memory;
use crate::numeric::Portable;
use crate::numeric::stored::{Flaw, Within};
use crate::parameters::Key;
use crate::plan::{Cut, Halt, Proper};
use crate::problem::{Action, Pair, Problem, State};
use serde::{Deserialize, Serialize};

pub(in crate::learners) const ENTRY: LearnerEntry =
    LearnerEntry::new("psrl-ssp", "PSRL-SSP: posterior sampling with a Dirichlet prior", build)
        .reference("Jafarnia-Jahromi, Chen, Jain, Luo (UAI 2023), Algorithm 1")
        .setting("tabular SSP, costs >= c_min > 0 (floor > 0 for zero costs)")
        .guarantee("expected regret O~(B* S sqrt(A K)) on average over the prior; none for one problem")
        .parameters(PARAMETERS)
        .family(Family::Tabular)
        .cost("O(1); one plan an epoch, of O(S^2 A + S^3), or less with support=known")
        .keeps("O(S A + transitions seen); while it plans O(S^2 A)")
        .memory(|problem| table_bytes(problem) + 100 * problem.pairs() as u64);

const OWN_FLOOR: Key<f64> = FLOOR.computed("0; for zero costs the largest cost times (S^2 A/K)^(2/3)");

const PRIOR: Key<f64> =
    Key::number("prior", 1e-6, 1e6, "the parameter of the Dirichlet prior for every next state").or("0.1");

builder! {
    /// PSRL-SSP (Jafarnia-Jahromi et al., UAI 2023). See the [module](self).
    PsrlSsp, ENTRY;
    PRIOR, prior => f64;
    SUPPORT as TakesSupport;
    OWN_FLOOR as TakesFloor;
}

fn build(brief: &Brief) -> Result<Box<dyn Algorithm>> {
    let (settings, problem) = (&brief.settings, brief.problem);
    let (support, sizes) = (settings.get(&SUPPORT)?, Sizes::of(problem));
    let k = brief.episodes.max(1) as f64;
    let floor = counted::floor(brief, &OWN_FLOOR, || (sizes.s * sizes.sa / k).to_the(2.0 / 3.0).min(1.0))?;
    let drawn: f64 = (0..problem.pairs()).map(|p| support.size(problem, p)).sum();
    // the draws, the same backwards, and a policy's equations
    let equations = if support == Support::Unknown { 8.0 * sizes.s * sizes.s } else { 0.0 };
    memory::require("the draws of this learner", (32.0 * drawn + equations) as u64)?;
    let posterior = Posterior {
        visits: Visits::new(problem.pairs()),
        epochs: Epochs::new(problem.pairs()),
        policy: vec![0; problem.states()],
    };
    let rule = Sampling { support, prior: settings.get(&PRIOR)? };
    Ok(Tabular::boxed(rule, Table::new(brief, floor), posterior, support))
}

struct Sampling {
    support: Support,
    prior: f64,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Posterior {
    visits: Visits,
    epochs: Epochs,
    policy: Vec<Action>,
}

impl Data for Posterior {
    fn check(&self, problem: &Problem) -> Result<(), Flaw> {
        self.visits.check(problem)?;
        self.epochs.check(problem.pairs()).within("epochs")?;
        counted::each_state(&self.policy, problem)
    }
}

impl Sampling {
    fn draw(&self, visits: &Visits, table: &mut Table, halt: &Halt) -> Result<Vec<Spread>, Cut> {
        let problem = table.problem.clone();
        let (mut shapes, mut drawn) = (Vec::new(), Vec::new());
        let goal = problem.pairs_of(problem.goal());
        let of = |p: Pair| {
            halt.check()?;
            let states: Vec<State> = match self.support {
                _ if goal.contains(&p) => Vec::new(),
                Support::Unknown => (0..problem.states()).collect(),
                Support::Known => problem.successors(p).iter().map(|&s| s as State).collect(),
            };
            shapes.clear();
            shapes.resize(states.len(), self.prior);
            for (next, count) in visits.row(p).counts() {
                if let Ok(at) = states.binary_search(&next) {
                    shapes[at] += count as f64;
                }
            }
            drawn.resize(states.len(), 0.0);
            table.standing.stream.dirichlet(&shapes, &mut drawn);
            Ok(states.into_iter().zip(drawn.iter().copied()).collect())
        };
        (0..problem.pairs()).map(of).collect()
    }
}

impl Rule for Sampling {
    type Data = Posterior;

    fn act(&self, posterior: &Posterior, _: &mut Table, s: State) -> Action {
        posterior.policy[s]
    }

    /// The rule of line 4, which the paper asks before every step in an episode: after a step that
    /// reached the goal for the first step of the next.
    fn learn(&mut self, posterior: &mut Posterior, table: &mut Table, step: &Transition, now: &Clock) -> Due {
        let pair = table.problem.pair(step.state, step.action);
        posterior.visits.take(pair, step.next);
        let often = posterior.epochs.visit(pair);
        let long = posterior.epochs.is_long(now.episodes_begun());
        often.then_some(Reason::Visits).or(long.then_some(Reason::Episodes))
    }

    /// Draws, and takes the policy that is optimal for the draw.
    fn plan(&self, posterior: &mut Posterior, table: &mut Table, call: &Call) -> Result<u64, Cut> {
        let rows = self.draw(&posterior.visits, table, call.halt)?;
        let problem = table.problem.clone();
        let best = Proper::best(&problem, &table.costs, &rows, call.halt)?;
        (table.standing.q, table.standing.v) = (best.q, best.v);
        let chosen = |(s, pair): (State, Option<Pair>)| match pair {
            Some(p) => p - problem.pairs_of(s).start,
            None if s == problem.goal() => 0,
            None => table.act(s),
        };
        posterior.policy = best.pairs.into_iter().enumerate().map(chosen).collect();
        posterior.epochs.begin(call.clock.episodes_begun());
        Ok(best.rounds)
    }

    fn plans_first(&self) -> bool {
        true
    }
}
