//! The books of a guarded policy: what is certified of its regret, and who may play.
//!
//! An episode that costs C regrets at most C - w, where w is a lower bound on V*(start), whoever chose
//! the actions. An inner learner plays as long as the sum of these entries stays within a budget that
//! grows with the square root of the episodes; otherwise the outer learner, which has a regret theorem,
//! plays the episode to its end. `docs/theory.md` has the theorem.

use crate::numeric::stored::{Flaw, ensure};
use crate::problem::{Problem, State};
use serde::{Deserialize, Serialize};

/// Who chooses actions under a guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Player {
    /// The inner learner, or proposals from outside.
    Inner,
    /// The learner with the regret theorem.
    Outer,
}

/// The inner learner had an episode taken from it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct HandOver {
    /// In which episode, from 1.
    pub episode: u64,
    /// After how many steps of the run.
    pub t: u64,
    /// Where the episode stood.
    pub state: State,
    /// What the episode had cost.
    pub spent: f64,
    /// The lower bound on V*(start) then.
    pub bound: f64,
    /// What the ledger was charged with.
    pub booked: f64,
}

/// The episode under way.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Open {
    bound: f64,
    spent: f64,
    player: Player,
}

/// What a guard keeps, in the user's cost units.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Guard {
    /// The inner learner, with its settings.
    pub inner: String,
    /// The factor a of the budget.
    pub budget: f64,
    /// The room kappa beyond it, in units of the largest bound.
    pub kappa: f64,
    /// The directions m of B that kernels see.
    pub directions: usize,
    /// The sum of what the episodes of the inner learner were charged with: cost less the bound.
    pub ledger: f64,
    /// What the ledger may reach: a m w sqrt(k), w the largest bound so far.
    pub allowance: f64,
    /// The largest bound w so far.
    pub largest_bound: f64,
    /// The cells of the confidence set that the last bound was made from.
    pub cells: usize,
    /// Episodes begun.
    pub episodes: u64,
    /// Those that the inner learner began.
    pub inner_episodes: u64,
    /// The episodes that were taken from it.
    pub handovers: Vec<HandOver>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    open: Option<Open>,
}

impl Guard {
    /// The parameter that names the inner learner.
    pub(in crate::learners) const INNER: &str = "inner";

    pub(in crate::learners) fn new(inner: String, budget: f64, kappa: f64, directions: usize) -> Guard {
        Guard {
            inner,
            budget,
            kappa,
            directions,
            ledger: 0.0,
            allowance: 0.0,
            largest_bound: 0.0,
            cells: 0,
            episodes: 0,
            inner_episodes: 0,
            handovers: Vec::new(),
            open: None,
        }
    }

    /// Who plays the episode under way; none between episodes.
    pub fn player(&self) -> Option<Player> {
        self.open.map(|open| open.player)
    }

    /// What the ledger is at most, whatever the inner learner does: L <= b_k + kappa w + c_max (1 + a m).
    pub fn most(&self, largest_cost: f64) -> f64 {
        let slack = largest_cost * (1.0 + self.budget * self.directions as f64);
        self.allowance + self.kappa * self.largest_bound + slack
    }

    /// An episode begins in a state with this lower bound on V*.
    pub(in crate::learners) fn begin(&mut self, bound: f64) {
        self.episodes += 1;
        self.largest_bound = self.largest_bound.max(bound);
        let m = self.directions as f64;
        self.allowance = self.budget * m * self.largest_bound * (self.episodes as f64).sqrt();
        let room = self.ledger + self.kappa * self.largest_bound <= self.allowance;
        let player = match self.directions > 0 && (room || self.episodes == 1) {
            true => Player::Inner,
            false => Player::Outer,
        };
        self.inner_episodes += u64::from(player == Player::Inner);
        self.open = Some(Open { bound, spent: 0.0, player });
    }

    /// A step was paid for, and led to a state, the goal or another. The goal is looked at first: a step
    /// that reaches it is never a hand-over.
    pub(in crate::learners) fn pay(
        &mut self,
        cost: f64,
        largest_cost: f64,
        (t, next): (u64, State),
        goal: State,
    ) {
        let Some(open) = &mut self.open else { return };
        open.spent += cost;
        let (entry, player) = (open.spent - open.bound, open.player);
        if next == goal {
            self.open = None;
            self.ledger += if player == Player::Inner { entry } else { 0.0 };
        } else if player == Player::Inner {
            let first = self.budget * self.directions as f64 * largest_cost;
            let allowance = if self.episodes == 1 { self.allowance.max(first) } else { self.allowance };
            if self.ledger + entry > allowance + self.kappa * self.largest_bound {
                self.hand_over(t, next, entry);
            }
        }
    }

    /// The inner learner has no action for a state. Before the first step of an episode the outer
    /// learner plays it, and nothing is booked. Later the allowance counts as spent: an episode that is
    /// left where it is dear to go on may cost more than its entry, and must not happen often.
    pub(in crate::learners) fn give_up(&mut self, t: u64, state: State) {
        let Some(open) = self.open.as_mut().filter(|open| open.player == Player::Inner) else { return };
        if open.spent == 0.0 {
            open.player = Player::Outer;
            self.inner_episodes -= 1;
            return;
        }
        let booked = (open.spent - open.bound).max(self.allowance - self.ledger);
        self.hand_over(t, state, booked);
    }

    /// The outer learner plays the episode to its end.
    fn hand_over(&mut self, t: u64, state: State, booked: f64) {
        let Some(open) = &mut self.open else { return };
        open.player = Player::Outer;
        self.ledger += booked;
        let (episode, spent, bound) = (self.episodes, open.spent, open.bound);
        self.handovers.push(HandOver { episode, t, state, spent, bound, booked });
    }

    pub(in crate::learners) fn check(&self, own: &Guard, problem: &Problem) -> Result<(), Flaw> {
        let fault = || format!("it follows {} here, and followed {} then", own.inner, self.inner);
        ensure(self.inner == own.inner, "inner", fault)?;
        let same = |guard: &Guard| (guard.budget, guard.kappa, guard.directions);
        ensure(same(self) == same(own), "budget", || "the guard is another one".into())?;
        let exist = self.handovers.iter().all(|one| one.state < problem.states());
        ensure(exist, "handovers", || "there is no such state".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOAL: State = 9;

    /// Plays an episode of equal costs; the steps after which it was handed over, if it was.
    fn play(guard: &mut Guard, bound: f64, steps: usize) -> Option<usize> {
        guard.begin(bound);
        let mut taken = None;
        for i in 1..=steps {
            guard.pay(1.0, 1.0, (i as u64, if i == steps { GOAL } else { 0 }), GOAL);
            taken = taken.or((guard.player() == Some(Player::Outer)).then_some(i));
        }
        taken
    }

    #[test]
    fn the_inner_learner_plays_within_the_budget() {
        // a = kappa = 1, m = 2: b_1 = 2 w = 6
        let mut guard = Guard::new("mine".into(), 1.0, 1.0, 2);
        assert_eq!(play(&mut guard, 3.0, 5), None);
        assert_eq!((guard.ledger, guard.inner_episodes, guard.player()), (2.0, 1, None));
        // what is saved can be spent again
        assert_eq!(play(&mut guard, 3.0, 1), None);
        assert_eq!(guard.ledger, 0.0);
        // b_3 + w = 6 sqrt(3) + 3 = 13.39: handed over after c = 17, as 17 - 3 > 13.39
        assert_eq!(play(&mut guard, 3.0, 40), Some(17));
        assert_eq!(guard.ledger, 14.0);
        let taken = &guard.handovers[0];
        assert_eq!((taken.episode, taken.t, taken.spent, taken.bound), (3, 17, 17.0, 3.0));
        // L + w = 17 > b_k until k = 9, where b_k = 18
        for k in 4..=8 {
            play(&mut guard, 3.0, 4);
            assert_eq!((guard.episodes, guard.inner_episodes), (k, 3));
        }
        assert_eq!(play(&mut guard, 3.0, 2), None);
        assert_eq!((guard.inner_episodes, guard.ledger), (4, 13.0));
        assert!(guard.ledger <= guard.most(1.0));
    }

    #[test]
    fn the_first_episode_and_an_arrival_are_never_refused() {
        // the first bound is tiny: c_max takes its place
        let mut guard = Guard::new("mine".into(), 1.0, 1.0, 3);
        assert_eq!(play(&mut guard, 0.1, 3), None);
        assert_eq!(play(&mut guard, 0.1, 5), Some(1));
        // with nothing to learn the outer learner plays
        let mut known = Guard::new("mine".into(), 1.0, 1.0, 0);
        assert_eq!(play(&mut known, 2.0, 4), Some(1));
        assert_eq!((known.inner_episodes, known.ledger, known.handovers.len()), (0, 0.0, 0));
    }

    /// One that gives episodes up cannot earn room by it: the bounds of episodes that it did not end are
    /// no savings.
    #[test]
    fn giving_up_spends_the_allowance_once() {
        let mut guard = Guard::new("mine".into(), 1.0, 1.0, 1);
        guard.begin(2.0);
        guard.pay(1.0, 1.0, (1, 4), GOAL);
        guard.give_up(1, 4);
        guard.give_up(1, 4);
        assert_eq!((guard.ledger, guard.handovers.len(), guard.player()), (2.0, 1, Some(Player::Outer)));
        guard.pay(5.0, 1.0, (2, GOAL), GOAL);
        assert_eq!(guard.ledger, 2.0, "what the outer learner pays is no entry");
        // b_k = 2 sqrt(k) must have grown by w = 2: from the fourth episode on
        for k in 2..=4 {
            guard.begin(2.0);
            assert_eq!(guard.player() == Some(Player::Inner), k == 4, "{k}");
            guard.give_up(2, 0);
            guard.pay(1.0, 1.0, (3, GOAL), GOAL);
        }
        // nothing was paid when it gave up the last one
        assert_eq!((guard.ledger, guard.handovers.len(), guard.inner_episodes), (2.0, 1, 1));
    }
}
