//! The model with the states, choices and costs that the roles of its states make of it.

use super::{Move, Played, Role};
use crate::files::model::{Explicit, Rewards, Settled};
use crate::problem::State;

const GOAL: &str = "goal";
/// The cost that counts what rewards fall short of the one at the goal.
const SHORTFALL: &str = "shortfall";

/// New states: a goal, and a losing twin for each state that is also entered in another way.
struct Added {
    goal: Option<u32>,
    /// The twin of each state, 0 where it has none.
    twin: Vec<u32>,
    names: Vec<(u32, String)>,
}

impl Played<'_> {
    fn moves(&self) -> impl Iterator<Item = Move> {
        self.model.all_moves(self.endings).filter(|m| self.role[m.state] == Role::Inner)
    }

    /// The new model without the old one's name, starts, faults and action names.
    pub(super) fn rewrite(&self) -> Explicit {
        let states = self.model.states();
        let (added, settled) = (self.added(), self.settled());
        let mut new = Explicit::new(&self.model.path, self.model.format);
        new.rewards = ["reward", SHORTFALL].map(Rewards::named).into();
        for s in 0..states {
            self.write_state(s, &added, &mut new);
        }
        for s in (states as u32..).take(added.names.len()) {
            new.state_lines.push(0);
            new.numbered_stay(s);
            new.end_state();
        }
        let own = (0..states as u32).filter(|&s| self.role[s as usize] == Role::Goal);
        let goals: Vec<u32> = own.chain(added.goal).collect();
        if !goals.is_empty() {
            new.labels.insert(GOAL.into(), goals);
        }
        new.rewards.truncate(if settled.shortfall { 2 } else { 1 });
        new.odd_names = added.names.into_iter().collect();
        new.settled = Some(settled);
        new
    }

    fn added(&self) -> Added {
        let states = self.model.states();
        let mut added = Added { goal: None, twin: vec![0; states], names: Vec::new() };
        for m in self.moves().filter(|m| m.terminated) {
            let number = (states + added.names.len()) as u32;
            match m.reward == self.at_goal {
                true if self.role[m.next] == Role::Inner && added.goal.is_none() => {
                    added.goal = Some(number);
                    added.names.push((number, GOAL.to_string()));
                }
                false if self.role[m.next] != Role::Losing && added.twin[m.next] == 0 => {
                    added.twin[m.next] = number;
                    added.names.push((number, format!("{} (lost)", m.next)));
                }
                _ => {}
            }
        }
        added
    }

    fn settled(&self) -> Settled {
        let most = self.moves().map(|m| m.reward).fold(f64::NEG_INFINITY, f64::max);
        let arrives = |m: &Move| m.terminated && m.reward == self.at_goal;
        Settled {
            positive: (most > 0.0).then_some(most),
            at_goal: self.at_goal,
            // where nothing but the arrival pays, every step would be free
            shortfall: self.at_goal > 0.0
                && self.moves().all(|m| arrives(&m) || m.reward <= 0.0)
                && self.moves().any(|m| m.reward < 0.0),
        }
    }

    fn leads(&self, added: &Added, transition: usize) -> u32 {
        let next = self.model.successors[transition];
        let arrives = self.endings.rewards[transition] == self.at_goal;
        match (self.endings.terminated[transition], self.role[next as State]) {
            (false, _) => next,
            (true, Role::Goal) if arrives => next,
            (true, _) if arrives => added.goal.unwrap_or(next),
            (true, Role::Losing) => next,
            // a transition that cannot happen has no twin made for it
            (true, _) => match added.twin[next as State] {
                0 => next,
                twin => twin,
            },
        }
    }

    fn write_state(&self, s: State, added: &Added, new: &mut Explicit) {
        let model = self.model;
        new.state_lines.push(model.state_lines[s]);
        for choice in model.first_choice[s]..model.first_choice[s + 1] {
            new.choice_lines.push(model.choice_lines[choice]);
            new.actions.push_as(&model.actions, choice);
            if self.role[s] != Role::Inner {
                new.stay(s as u32);
                continue;
            }
            let (mut cost, mut short) = (0.0, 0.0);
            for i in model.first_transition[choice]..model.first_transition[choice + 1] {
                let (p, paid) = (model.probabilities[i], self.endings.rewards[i]);
                new.successors.push(self.leads(added, i));
                new.probabilities.push(p);
                cost -= p * paid;
                let arrives = self.endings.terminated[i] && paid == self.at_goal;
                let due = if arrives { self.at_goal } else { 0.0 };
                short += p * (due - paid);
            }
            new.pay(cost, short);
            new.end_choice();
        }
        if model.first_choice[s] == model.first_choice[s + 1] && self.role[s] != Role::Inner {
            new.numbered_stay(s as u32);
        }
        new.end_state();
    }
}

/// What the rewritten model is made of.
impl Explicit {
    /// Notes what the choice costs that ends next: minus its reward, and its shortfall.
    fn pay(&mut self, cost: f64, short: f64) {
        let choice = self.choices() as u32;
        for (rewards, value) in self.rewards.iter_mut().zip([cost, short]) {
            if value != 0.0 {
                rewards.of_choices.push((choice, value));
            }
        }
    }

    fn stay(&mut self, s: u32) {
        self.pay(1.0, 1.0);
        self.successors.push(s);
        self.probabilities.push(1.0);
        self.end_choice();
    }

    /// The same as a choice of its own, called by its number.
    fn numbered_stay(&mut self, s: u32) {
        self.actions.push_number();
        self.choice_lines.push(0);
        self.stay(s);
    }
}
