//! Whether the books of a guard are right: the theorem's inequalities, with the truth at hand.
//!
//! Who played is found out from the counts that the guard shows after a step; what it booked is added
//! up again from the costs.

use super::super::Arena;
use super::inequality::Inequality;
use super::report::{Judge, Rests};
use crate::learners::{Guard, HandOver};
use crate::problem::State;

/// What is seen of a guard over a run.
#[derive(Default)]
pub(super) struct Guarded {
    /// The guard's own counts after the step before.
    inner_episodes: u64,
    handovers: usize,
    ledger: f64,
    episode: Open,
    /// The entries, added up again.
    booked: f64,
    /// The sum over segments of `lr` of their cost less V* of where they began.
    outer: f64,
    /// The sum of V* of where episodes were handed over.
    handed: f64,
    within: Inequality,
    entries: Inequality,
    bounds: Inequality,
    regret: Inequality,
}

/// The episode under way.
#[derive(Default)]
struct Open {
    start: Option<State>,
    spent: f64,
    /// What `lr` pays, since it took the episode over or from its start.
    by_outer: Option<(State, f64)>,
}

impl Guarded {
    /// A step from a state was paid for; `ends` if it led to the goal.
    pub(super) fn step(&mut self, guard: &Guard, arena: &Arena, (t, s, cost): (u64, State, f64), ends: bool) {
        let v = &arena.exact().v;
        if self.episode.start.is_none() {
            let inner = guard.inner_episodes > self.inner_episodes;
            self.episode.by_outer = (!inner).then_some((s, 0.0));
            self.episode.start = Some(s);
        }
        let unit = guard.largest_bound.max(self.episode.spent);
        self.episode.spent += cost;
        if let Some((_, paid)) = &mut self.episode.by_outer {
            *paid += cost;
        }
        for HandOver { state, spent, bound, booked, .. } in &guard.handovers[self.handovers..] {
            // before the step where no action was proposed, after it where the bill was too high
            let after = self.episode.spent - spent;
            self.episode.by_outer = Some((*state, after));
            self.entries.see_in(unit, t, spent - bound, *booked);
            self.booked += booked;
            self.handed += v[*state];
            self.bound(t, *bound, v);
        }
        let finished = ends && self.episode.by_outer.is_none();
        if finished {
            let entry = guard.ledger - self.ledger;
            self.booked += entry;
            self.bound(t, self.episode.spent - entry, v);
        }
        self.entries.see_in(unit, t, (guard.ledger - self.booked).abs(), 0.0);
        self.within.see(t, guard.ledger, guard.most(arena.problem().largest_cost()));
        (self.inner_episodes, self.handovers) = (guard.inner_episodes, guard.handovers.len());
        self.ledger = guard.ledger;
        if ends {
            if let Some((state, paid)) = self.episode.by_outer {
                self.outer += paid - v[state];
            }
            self.episode = Open::default();
        }
    }

    /// A lower bound on V* of where the episode began.
    fn bound(&mut self, t: u64, w: f64, v: &[f64]) {
        let start = self.episode.start.map_or(0.0, |s| v[s]);
        self.bounds.see(t, w, start);
    }

    /// An episode has ended, and this is the regret over all that have.
    pub(super) fn episode(&mut self, t: u64, regret: f64) {
        let unit = self.booked.abs() + self.outer.abs() + self.handed;
        self.regret.see_in(unit, t, regret, self.ledger + self.outer + self.handed);
    }

    pub(super) fn judge(&self, judge: &mut Judge) {
        judge.add("guard: w <= V*(start), for every episode booked", Rests::Guarantee, &self.bounds);
        judge.add("guard: the entries add up to the ledger", Rests::Arithmetic, &self.entries);
        let text = "guard: L <= b_k + kappa w + c_max (1 + a m)";
        judge.add(text, Rests::Arithmetic, &self.within);
        let text = "guard: R_K <= L + sum over lr's segments of (C - V*) + sum over hand-overs of V*";
        judge.add(text, Rests::Guarantee, &self.regret);
    }
}
