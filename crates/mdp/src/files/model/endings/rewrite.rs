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
    /// The transitions that can happen and are played.
    fn moves(&self) -> impl Iterator<Item = Move> {
        self.model.all_moves(self.endings).filter(|m| self.role[m.state] == Role::Inner)
    }

    /// The new model without the old one's name, starts, faults and action names.
    pub(super) fn rewrite(&self) -> Explicit {
        let states = self.model.states();
        let (added, settled) = (self.added(), self.settled());
        let mut writer = Writer::new(Explicit::new(&self.model.path, self.model.format));
        for s in 0..states {
            self.write_state(s, &added, &mut writer);
        }
        for s in (states as u32..).take(added.names.len()) {
            writer.new.state_lines.push(0);
            writer.numbered_stay(s);
            writer.new.end_state();
        }
        let own = (0..states as u32).filter(|&s| self.role[s as usize] == Role::Goal);
        let goals: Vec<u32> = own.chain(added.goal).collect();
        let Writer { mut new, reward, shortfall } = writer;
        if !goals.is_empty() {
            new.labels.insert(GOAL.into(), goals);
        }
        new.rewards.push(reward);
        if settled.shortfall {
            new.rewards.push(shortfall);
        }
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

    fn write_state(&self, s: State, added: &Added, writer: &mut Writer) {
        let model = self.model;
        writer.new.state_lines.push(model.state_lines[s]);
        for choice in model.first_choice[s]..model.first_choice[s + 1] {
            writer.new.choice_lines.push(model.choice_lines[choice]);
            writer.new.actions.push_as(&model.actions, choice);
            if self.role[s] != Role::Inner {
                writer.stay(s as u32);
                continue;
            }
            let (mut cost, mut short) = (0.0, 0.0);
            for i in model.first_transition[choice]..model.first_transition[choice + 1] {
                let (p, paid) = (model.probabilities[i], self.endings.rewards[i]);
                writer.new.successors.push(self.leads(added, i));
                writer.new.probabilities.push(p);
                cost -= p * paid;
                let arrives = self.endings.terminated[i] && paid == self.at_goal;
                let due = if arrives { self.at_goal } else { 0.0 };
                short += p * (due - paid);
            }
            writer.pay(cost, short);
            writer.new.end_choice();
        }
        if model.first_choice[s] == model.first_choice[s + 1] && self.role[s] != Role::Inner {
            writer.numbered_stay(s as u32);
        }
        writer.new.end_state();
    }
}

struct Writer {
    new: Explicit,
    reward: Rewards,
    shortfall: Rewards,
}

impl Writer {
    fn new(new: Explicit) -> Writer {
        let rewards = |name: &str| Rewards { name: name.into(), ..Rewards::default() };
        Writer { new, reward: rewards("reward"), shortfall: rewards(SHORTFALL) }
    }

    fn pay(&mut self, cost: f64, short: f64) {
        let choice = self.new.choices() as u32;
        for (rewards, value) in [(&mut self.reward, cost), (&mut self.shortfall, short)] {
            if value != 0.0 {
                rewards.of_choices.push((choice, value));
            }
        }
    }

    /// A choice that stays where it is, at a cost of 1.
    fn stay(&mut self, s: u32) {
        self.pay(1.0, 1.0);
        self.new.successors.push(s);
        self.new.probabilities.push(1.0);
        self.new.end_choice();
    }

    /// The same as a choice of its own, called by its number.
    fn numbered_stay(&mut self, s: u32) {
        self.new.actions.push_number();
        self.new.choice_lines.push(0);
        self.stay(s);
    }
}
