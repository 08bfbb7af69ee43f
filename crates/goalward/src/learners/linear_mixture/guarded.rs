//! Any policy with a regret guarantee: an inner learner plays, `lr` guards it.
//!
//! # What it does
//!
//! The regret of any sequence of actions is certified from outside: an episode that costs C regrets
//! at most C - w, w a lower bound on V*(start), whoever chose the actions. So an inner learner is
//! followed as long as its certified bill stays within a budget of the order of `lr`'s own regret,
//! and `lr` plays where it does not. Both learners see every step.
//!
//! * The bound w comes from cells of `lr`'s confidence set. It is the best one so far.
//! * Episode k has the allowance b_k = a m w sqrt(k): a is `budget`, m the directions of B that
//!   kernels see, and w the largest bound of any start so far.
//! * The ledger L has C - w of each episode that the inner learner ends. That may be negative: what
//!   was saved can be spent.
//! * The inner learner begins episode k if L + kappa w <= b_k, and the first one in any case.
//! * As soon as L and the entry of the episode under way exceed b_k + kappa w, the episode is handed
//!   over: the entry is booked, and `lr` plays to the goal.
//!
//! `inner=proposals` takes the actions from outside, by [`Learner::act_on`](crate::Learner::act_on): a
//! controller of any kind gets the guarantee. Where it proposes nothing in time `lr` plays on to the goal.
//! If it has taken steps of the episode by then, its allowance counts as spent. A learner of one's own
//! takes the place of proposals with [`Learner::follow`](crate::Learner::follow).
//!
//! # What it needs to know
//!
//! Nothing but the problem, and what the inner learner needs.
//!
//! # Parameters
//!
#![doc = include_str!("../../../docs/learners/guarded.md")]
//!
//! # Cost per step
//!
//! That of `lr` and of the inner learner. Each plan of `lr` is followed by up to 32 more, over the
//! cells, as many as 2^23 products in support problems allow; none where the plan itself took more.
//!
//! # Reference
//!
//! goalward; `docs/theory.md` has theorem and proof. Regret balancing (Abbasi-Yadkori, Pacchiano,
//! Phan 2020) and conservative exploration (Wu et al. 2016) are the nearest relatives.
//!
//! # What is proved
//!
//! With `lr`'s own probability and conditions, for every inner learner: R_K = O~(a m B* sqrt(K) + m^2
//! B*). Sets, optimism and certificate are those of `lr`.

use super::knowledge_gradient;
use super::likely::{Likely, likely};
use super::lr;
use super::lr_settings::{FAST, LEVEL, NET, SET, Shape};
use crate::confidence::Claim;
use crate::estimate::Likelihood;
use crate::learners::builder::builder;
use crate::learners::core::{Guard, Player};
use crate::learners::shared::ROWS;
use crate::learners::{
    Algorithm, Brief, Call, Clock, Family, Learner, LearnerEntry, Probe, Reason, Seen, Snapshot, Transition,
};
use crate::numeric::stored::{Flaw, Within, ensure};
use crate::parameters::{Key, Settings};
use crate::plan::{Cut, Halt};
use crate::problem::{Action, Pair, Problem, State};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

pub(in crate::learners) const ENTRY: LearnerEntry = LearnerEntry::new(
    "guarded",
    "any learner, guarded by lr: its certified regret stays within a budget",
    build,
)
.reference("goalward (docs/theory.md)")
.setting("linear mixture SSP, costs may be zero")
.guarantee(
    "for every inner learner regret O~(m B* sqrt(K) + m^2 B*) if no cost off the goal is zero, and \
             nothing needs to be known (docs/theory.md); sets, optimism and certificate as for lr",
)
.parameters(PARAMETERS)
.family(Family::LinearMixture)
.optimistic()
.cost("that of lr and of the inner learner; up to 32 plans over cells for each plan of lr")
.keeps("what lr and the inner learner keep")
// it joins surveys of all learners with the next comparison
.variants(&[])
.memory(|problem| 2 * lr::ENTRY.bytes(problem));

/// The word for actions that are proposed from outside.
const PROPOSALS: &str = "proposals";

const INNER: Key<String> = Key::text(
    Guard::INNER,
    "who plays while the guard allows it: a learner's id with settings behind colons, such as \
     q-learning:alpha=0.5; or proposals, for actions that a program of yours proposes",
)
.or(knowledge_gradient::ENTRY.id);

const BUDGET: Key<f64> = Key::number(
    "budget",
    1e-6,
    1e6,
    "the factor a of the inner learner's allowance a m w sqrt(k), w the largest lower bound on V* of a start",
)
.or("2");

const KAPPA: Key<f64> =
    Key::number("kappa", 1e-6, 1e6, "what the bill of an episode may exceed the allowance by, in units of w")
        .or("1");

builder! {
    /// Any learner, guarded by `lr`. See the [module](self).
    Guarded, ENTRY;
    INNER, inner => String;
    BUDGET, budget => f64;
    KAPPA, kappa => f64;
    LEVEL as TakesDelta;
    SET, set => Shape;
    NET, net => f64;
    FAST as TakesPlanner;
    ROWS as TakesRows;
}

/// Who plays while the guard allows it.
enum Inner {
    Learner(Box<Learner>),
    /// The action that was proposed for the next step.
    Proposals(Option<Action>),
}

struct Guarding {
    outer: Likely,
    inner: Inner,
    guard: Guard,
    /// The best lower bound on V* so far of each state in which an episode began.
    bounds: BTreeMap<State, f64>,
    problem: Arc<Problem>,
    /// Steps observed, and what the last plan raised costs by.
    t: u64,
    raised: f64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Memory {
    outer: Snapshot,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    inner: Option<Snapshot>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    proposed: Option<Action>,
    guard: Guard,
    bounds: BTreeMap<State, f64>,
}

fn build(brief: &Brief) -> Result<Box<dyn Algorithm>> {
    let settings = &brief.settings;
    let text = settings.get(&INNER)?;
    let inner = inner(brief, &text)?;
    let outer = likely(brief, true)?;
    let directions = outer.directions();
    let guard = Guard::new(text, settings.get(&BUDGET)?, settings.get(&KAPPA)?, directions);
    let problem = brief.problem.clone();
    Ok(Box::new(Guarding { outer, inner, guard, bounds: BTreeMap::new(), problem, t: 0, raised: 0.0 }))
}

/// The inner learner of `id:key=value:key=value`. A colon without a key behind it belongs to the value
/// before it, as in `radius=scaled:0.003`.
fn inner(brief: &Brief, text: &str) -> Result<Inner> {
    let refuse = |reason: String| Err(brief.settings.refuse(&INNER, reason));
    let mut parts = text.split(':').map(str::trim);
    let id = parts.next().unwrap_or_default();
    if id == PROPOSALS && parts.next().is_none() {
        return Ok(Inner::Proposals(None));
    }
    if id == ENTRY.id {
        return refuse("a guard within a guard guards nothing: name another learner".into());
    }
    let mut given: Vec<String> = Vec::new();
    for part in text.split(':').skip(1).map(str::trim) {
        match given.last_mut() {
            Some(last) if !part.contains('=') => *last = format!("{last}:{part}"),
            _ => given.push(part.into()),
        }
    }
    let built = crate::learners::entry(id).and_then(|entry| {
        let settings = Settings::parse(given.iter().map(String::as_str))?;
        entry.build(brief.problem, &settings, brief.seed, brief.episodes, brief.told.clone())
    });
    match built {
        Ok(learner) => Ok(Inner::Learner(Box::new(learner.unwatched()))),
        Err(error) => refuse(format!("the inner learner cannot be built: {error}")),
    }
}

impl Guarding {
    fn begin(&mut self, s: State) {
        if self.guard.player().is_some() {
            return;
        }
        let bound = self.bound(s);
        self.bounds.insert(s, bound);
        self.guard.begin(bound);
    }

    /// The best lower bound on V*(s) so far. The cheapest action is one: w is positive where costs are.
    fn bound(&self, s: State) -> f64 {
        let pairs = self.problem.pairs_of(s);
        let cheapest = pairs.map(|p| self.problem.cost(p)).fold(f64::INFINITY, f64::min);
        let before = self.bounds.get(&s).copied().unwrap_or(0.0);
        let floor = self.outer.floor(s, &Halt::never()).ok().flatten().unwrap_or(0.0);
        let value = self.outer.value(s).unwrap_or(0.0);
        [cheapest, before, floor, value].into_iter().fold(0.0, f64::max)
    }

    fn check(&self, stored: &Memory) -> Result<(), Flaw> {
        stored.guard.check(&self.guard, &self.problem).within("guard")?;
        let exist = stored.bounds.keys().all(|s| *s < self.problem.states());
        ensure(exist, "bounds", || "there is no such state".into())?;
        let learner = matches!(self.inner, Inner::Learner(_));
        ensure(stored.inner.is_some() == learner, "inner", || "the inner learner is another one".into())
    }
}

impl Algorithm for Guarding {
    fn act(&mut self, s: State) -> Action {
        self.begin(s);
        if self.guard.player() == Some(Player::Inner) {
            let chosen = match &mut self.inner {
                Inner::Learner(learner) => Some(learner.decide(s)),
                Inner::Proposals(proposed) => proposed.take(),
            };
            match chosen {
                Some(action) => return action,
                None => self.guard.give_up(self.t, s),
            }
        }
        self.outer.act(s)
    }

    fn propose(&mut self, proposal: Action) -> bool {
        match &mut self.inner {
            Inner::Learner(_) => false,
            Inner::Proposals(proposed) => {
                *proposed = Some(proposal);
                true
            }
        }
    }

    fn follow(&mut self, id: &str, inner: Box<dyn Algorithm>) -> bool {
        match (&self.inner, Learner::of(id, &self.problem, inner)) {
            (Inner::Proposals(_), Ok(inner)) => {
                self.guard.inner = id.into();
                self.inner = Inner::Learner(Box::new(inner));
                true
            }
            _ => false,
        }
    }

    fn player(&self) -> Option<Player> {
        self.guard.player()
    }

    /// The inner learner may, and what is paid is booked in any case.
    fn takes_any_step(&self) -> bool {
        true
    }

    fn observe(&mut self, step: &Transition, pair: Pair, now: &Clock) -> Seen {
        self.t = now.t;
        self.begin(step.state);
        let listed = self.problem.allows(pair, step.next);
        let seen = if listed { self.outer.observe(step, pair, now) } else { Seen::Impossible };
        match &mut self.inner {
            // it plans here, and is not cut off: a run is the same whenever it is interrupted. It can only
            // refuse what the guarded learner has refused before
            Inner::Learner(learner) => {
                let _ = learner.observe(step);
            }
            Inner::Proposals(proposed) => *proposed = None,
        }
        // where lr plans with raised costs, an episode that costs nothing must end, too
        let (most, goal) = (self.problem.largest_cost(), self.problem.goal());
        self.guard.pay(step.cost + self.raised, most, (now.t, step.next), goal);
        seen
    }

    fn due(&mut self, now: &Clock) -> Option<Reason> {
        self.outer.due(now)
    }

    fn plans_first(&self) -> bool {
        true
    }

    fn plan(&mut self, call: &Call) -> Result<(), Cut> {
        self.outer.plan(call)?;
        self.raised = self.outer.raised(call.clock);
        self.guard.cells = self.outer.cells_made();
        let raised: Vec<(State, f64)> = self.bounds.keys().map(|&s| (s, self.bound(s))).collect();
        self.bounds.extend(raised);
        Ok(())
    }

    fn end_episode(&mut self) {
        if let Inner::Learner(learner) = &mut self.inner {
            learner.end_episode();
        }
    }

    fn value(&self, s: State) -> Option<f64> {
        self.outer.value(s)
    }

    fn q(&self, p: Pair) -> Option<f64> {
        self.outer.q(p)
    }

    fn floor(&self, s: State, halt: &Halt) -> Result<Option<f64>, Cut> {
        let before = self.bounds.get(&s).copied();
        let floor = self.outer.floor(s, halt)?;
        Ok(before.into_iter().chain(floor).reduce(f64::max))
    }

    fn raised(&self, now: &Clock) -> f64 {
        self.outer.raised(now)
    }

    fn probe(&self, sink: &mut dyn Probe, now: &Clock) {
        self.outer.probe(sink, now);
        sink.guard(&self.guard);
    }

    fn violations(&self) -> u64 {
        self.outer.violations()
    }

    fn claim(&self) -> Option<Claim> {
        Some(self.outer.guarding())
    }

    fn claim_now(&self, _: Claim, _: &Clock) -> Claim {
        self.outer.guarding()
    }

    fn likelihood(&self) -> Option<&Likelihood> {
        self.outer.likelihood()
    }

    fn snapshot(&self) -> Snapshot {
        let (inner, proposed) = match &self.inner {
            Inner::Learner(learner) => (Some(learner.snapshot()), None),
            Inner::Proposals(proposed) => (None, *proposed),
        };
        let (outer, guard) = (self.outer.snapshot(), self.guard.clone());
        Snapshot::of(&Memory { outer, inner, proposed, guard, bounds: self.bounds.clone() })
    }

    fn restore(&mut self, state: &Snapshot, now: &Clock) -> Result<()> {
        let stored: Memory = state.to()?;
        self.check(&stored).within("learner.algorithm")?;
        match (&mut self.inner, &stored.inner) {
            (Inner::Learner(learner), Some(inner)) => {
                let before = learner.snapshot();
                learner.restore(inner).map_err(|error| {
                    let reason = format!("the inner learner {} is not restored: {error}", learner.id());
                    Error::Checkpoint { reason }
                })?;
                if let Err(error) = self.outer.restore(&stored.outer, now) {
                    learner.restore(&before)?;
                    return Err(error);
                }
            }
            (Inner::Proposals(proposed), _) => {
                self.outer.restore(&stored.outer, now)?;
                *proposed = stored.proposed;
            }
            // refused by the check
            (Inner::Learner(_), None) => {}
        }
        (self.guard, self.bounds, self.t) = (stored.guard, stored.bounds, now.t);
        self.raised = self.outer.raised(now);
        Ok(())
    }
}
