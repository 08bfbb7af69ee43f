//! Posterior sampling for linear mixtures: plan for a theta that is drawn.
//!
//! # What it does
//!
//! The prior is uniform on B. The posterior is proportional to the product of <phi(s'|s,a), theta>
//! over all steps seen. At the beginning of each epoch a theta is drawn from it, by hit and run
//! within B (`estimate/likelihood/walk.rs`), and the policy that is optimal for it is followed until
//! the epoch ends. A draw is approximate: it is where the chain stands after a number of moves.
//! Epochs are those of PSRL-SSP: one ends when it has seen more episodes end than
//! the one before, or when some pair was visited more than twice as often as when it began.
//!
//! A draw lies in B, so that every row is a distribution. If it has the goal out of reach of some
//! state, the values there are bounded by the discount of 1e-9, and planning comes to an end.
//!
//! # What it needs to know
//!
//! Nothing but the problem.
//!
//! # Parameters
//!
#![doc = include_str!("../../../docs/learners/psrl-mixture.md")]
//!
//! # Cost per step
//!
//! That of counting: O(nnz of the row + k^2), k <= d - 1 the dimension of B. A draw takes O(k + 20)
//! operations a move for each distinct triple seen, and for each row of B. Of more than 65,536
//! different rows it takes some for a walk, and looks at all where that ends. Plans: as many as
//! pairs visited times log T, and sqrt(K) more. Memory: 16 bytes for each pair, 28 for each
//! distinct triple seen.
//!
//! # Reference
//!
//! Jafarnia-Jahromi, Chen, Jain, Luo (UAI 2023), Algorithm 1, for the epochs. The mixture's
//! posterior in the place of theirs, which is Dirichlet for each pair, is goalward's. Their bound on
//! the Bayesian regret is for that prior. Nothing is proved here, and no confidence set or optimism
//! is claimed: a posterior says nothing of the worst case.
//!
//! # Departures from the print
//!
//! * The draw is that of a Markov chain after `burn_in` moves from the smoothed maximum of the
//!   likelihood, not an exact one.
//! * With directions of B that no kernel sees, the prior is uniform along those that kernels do see,
//!   at the others' values of the start.
//! * Zero costs: every cost is raised by 1e-6 of the largest, where the paper has max(c, eps).

use super::model;
use super::optimist::{Optimist, Standing, bytes};
use super::prospects::Ahead;
use crate::Result;
use crate::estimate::{Counts, Likelihood};
use crate::learners::builder::builder;
use crate::learners::epochs::Epochs;
use crate::learners::{
    Algorithm, Brief, Call, Clock, Family, LearnerEntry, Probe, Reason, Seen, Snapshot, Transition,
};
use crate::numeric::Stream;
use crate::numeric::stored::{Flaw, Within};
use crate::parameters::Key;
use crate::plan::Cut;
use crate::problem::{Action, Pair, Problem, State};
use serde::{Deserialize, Serialize};

pub(in crate::learners) const ENTRY: LearnerEntry = LearnerEntry::new(
    "psrl-mixture",
    "posterior sampling: plans for a theta drawn by hit-and-run",
    build,
)
.reference("Jafarnia-Jahromi, Chen, Jain, Luo (UAI 2023), Algorithm 1, with the mixture's posterior")
.setting("linear mixture SSP, costs may be zero")
.guarantee(
    "none: draws are approximate, and the Bayesian regret of PSRL-SSP is proved for Dirichlet priors alone",
)
.parameters(PARAMETERS)
.family(Family::LinearMixture)
.cost("O(nnz + d^2); one draw and one plan an epoch")
.keeps("O(S A), and 28 bytes for each distinct transition seen")
.memory(all_bytes);

pub(super) const BURN_IN: Key<u64> = Key::count(
    "burn_in",
    1,
    1_000_000,
    "moves of the hit-and-run chain before a draw; k is the dimension of B",
)
.computed("64 + 16 k");

builder! {
    /// Posterior sampling for linear mixtures. See the [module](self).
    PsrlMixture, ENTRY;
    BURN_IN, burn_in => u64;
}

/// One that looks ahead does so each time that the steps have grown by this factor,
const GROWTH: f64 = 1.1;
/// and where a problem is so large that it has one draw, by this one.
const GROWTH_WHERE_SLOW: f64 = 2.0;

/// The label of the numbers that draw.
const LABEL: u64 = 0x7073_726c; // "psrl"

fn all_bytes(problem: &Problem) -> u64 {
    bytes(problem) + 16 * problem.pairs() as u64
}

fn build(brief: &Brief) -> Result<Box<dyn Algorithm>> {
    sampler(brief, None)
}

/// A learner that draws, and looks `ahead` before it follows a plan, or follows that of its only draw.
pub(super) fn sampler(brief: &Brief, ahead: Option<Ahead>) -> Result<Box<dyn Algorithm>> {
    let optimist = model::planner(brief)?;
    let likelihood = Likelihood::new(brief.problem);
    let k = brief.problem.constraints().free() as u64;
    let moves = brief.settings.get_or(&BURN_IN, || (64 + 16 * k).min(1_000_000))? as usize;
    let epochs = Epochs::new(brief.problem.pairs());
    let stream = Stream::new(brief.seed, &[LABEL]);
    Ok(Box::new(Sampler { optimist, likelihood, ahead, moves, epochs, stream, visited: false }))
}

struct Sampler {
    optimist: Optimist,
    likelihood: Likelihood,
    ahead: Option<Ahead>,
    moves: usize,
    epochs: Epochs,
    /// What draws.
    stream: Stream,
    /// Whether the pair just seen has more than twice its visits.
    visited: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Memory {
    standing: Standing,
    counts: Counts,
    epochs: Epochs,
    stream: Stream,
}

impl Sampler {
    fn draw(&mut self) -> Vec<f64> {
        let z = self.likelihood.draw(self.moves, &mut self.stream);
        self.likelihood.lift(&z)
    }

    /// What the next plan is for.
    fn theta(&mut self, call: &Call) -> Result<Vec<f64>, Cut> {
        let Some(ahead) = self.ahead else { return Ok(self.draw()) };
        let draws: Vec<Vec<f64>> = (0..ahead.draws).map(|_| self.draw()).collect();
        ahead.choose(&self.optimist, draws, call)
    }

    fn check(&self, stored: &Memory) -> Result<Likelihood, Flaw> {
        self.optimist.check(&stored.standing).within("standing")?;
        let likelihood = self.likelihood.restored(stored.counts.clone()).within("counts")?;
        stored.epochs.check(self.optimist.problem.pairs()).within("epochs")?;
        stored.stream.check(&self.stream).within("stream")?;
        Ok(likelihood)
    }
}

impl Algorithm for Sampler {
    fn act(&mut self, s: State) -> Action {
        self.optimist.act(s)
    }

    fn observe(&mut self, step: &Transition, pair: Pair, _: &Clock) -> Seen {
        let seen = self.likelihood.observe(pair, step.next);
        self.visited = seen == Seen::Counted && self.epochs.visit(pair);
        seen
    }

    fn due(&mut self, now: &Clock) -> Option<Reason> {
        if let Some(ahead) = self.ahead {
            let growth = if ahead.draws > 1 { GROWTH } else { GROWTH_WHERE_SLOW };
            return (now.t > now.t_j && now.t as f64 >= growth * now.t_j as f64).then_some(Reason::Time);
        }
        let visited = std::mem::take(&mut self.visited).then_some(Reason::Visits);
        visited.or(self.epochs.is_long(now.episodes_begun()).then_some(Reason::Episodes))
    }

    fn plans_first(&self) -> bool {
        true
    }

    fn plan(&mut self, call: &Call) -> Result<(), Cut> {
        let before = call.keep(|| self.stream.clone());
        let planned =
            self.theta(call).and_then(|theta| model::plan(&mut self.optimist, call, theta, &self.likelihood));
        match (planned, before) {
            (Err(_), Some(before)) => self.stream = before,
            _ => self.epochs.begin(call.clock.episodes_begun()),
        }
        planned
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
        Snapshot::of(&Memory { standing, counts, epochs: self.epochs.clone(), stream: self.stream.clone() })
    }

    fn restore(&mut self, state: &Snapshot, _: &Clock) -> Result<()> {
        let stored: Memory = state.to()?;
        self.likelihood = self.check(&stored).within("learner.algorithm")?;
        self.optimist.standing = stored.standing;
        (self.epochs, self.stream) = (stored.epochs, stored.stream);
        Ok(())
    }
}
