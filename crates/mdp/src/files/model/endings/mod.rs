//! What ends a run in a Gymnasium table, and what its rewards cost. Which states are terminal
//! depends on the start, so this is settled once the start is known. Until then the model holds
//! every row.

mod rewrite;

use super::choose::Options;
use super::{Endings, Explicit};
use crate::problem::State;

/// What a state is once terminating transitions lead out of the table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Inner,
    Goal,
    Losing,
}

/// What a transition is to the roles of states.
#[derive(Clone, Copy)]
struct Move {
    state: State,
    next: State,
    reward: f64,
    terminated: bool,
}

/// A model that ends, with the roles of its states.
struct Played<'a> {
    model: &'a Explicit,
    endings: &'a Endings,
    role: &'a [Role],
    /// The reward of the transitions that lead to the goal.
    at_goal: f64,
}

impl Explicit {
    /// Makes goals, losing states and costs of transitions that end a run, if the model has such.
    /// Runs start where the options say, else at the model's initial states.
    pub fn settle(&mut self, options: &Options) {
        let Some(endings) = self.endings.take() else { return };
        let asked = options.start.as_deref().filter(|asked| *asked != "all");
        let starts: Vec<u32> = match asked.and_then(|asked| self.find_state(asked)) {
            Some(s) => vec![s as u32],
            None => self.initial.iter().map(|&(s, _)| s).collect(),
        };
        let (role, at_goal) = self.roles(&endings, &starts);
        let new = Played { model: self, endings: &endings, role: &role, at_goal }.rewrite();
        let old = std::mem::replace(self, new);
        (self.name, self.initial) = (old.name, old.initial);
        (self.faults, self.more_faults) = (old.faults, old.more_faults);
        self.actions.adopt(old.actions);
    }

    fn moves<'a>(&'a self, endings: &'a Endings, state: State) -> impl Iterator<Item = Move> + 'a {
        let choices = self.first_choice[state]..self.first_choice[state + 1];
        let rows = self.first_transition[choices.start]..self.first_transition[choices.end];
        rows.filter(|&i| self.probabilities[i] > 0.0).map(move |i| Move {
            state,
            next: self.successors[i] as State,
            reward: endings.rewards[i],
            terminated: endings.terminated[i],
        })
    }

    fn all_moves<'a>(&'a self, endings: &'a Endings) -> impl Iterator<Item = Move> + 'a {
        (0..self.states()).flat_map(move |s| self.moves(endings, s))
    }

    /// The roles of states, and the highest reward of a terminating transition that is played.
    ///
    /// Play goes on in a state that no terminating transition names, in one where runs start, and
    /// where a transition that does not terminate leads from such a state. Rows of other states
    /// decide nothing. Transitions with the highest reward lead to the goal, others to losing
    /// states.
    fn roles(&self, endings: &Endings, starts: &[u32]) -> (Vec<Role>, f64) {
        let states = self.states();
        let mut live = vec![true; states];
        self.all_moves(endings).filter(|m| m.terminated).for_each(|m| live[m.next] = false);
        starts.iter().for_each(|&s| live[s as usize] = true);
        let mut queue: Vec<u32> = (0..states as u32).filter(|&s| live[s as usize]).collect();
        while let Some(s) = queue.pop() {
            for m in self.moves(endings, s as State).filter(|m| !m.terminated) {
                if !std::mem::replace(&mut live[m.next], true) {
                    queue.push(m.next as u32);
                }
            }
        }
        let last = || self.all_moves(endings).filter(|m| m.terminated && live[m.state]);
        let highest = last().map(|m| m.reward).fold(f64::NEG_INFINITY, f64::max);
        let mut role: Vec<Role> =
            live.iter().map(|&live| if live { Role::Inner } else { Role::Losing }).collect();
        for m in last().filter(|m| !live[m.next] && m.reward == highest) {
            role[m.next] = Role::Goal;
        }
        (role, highest)
    }
}
