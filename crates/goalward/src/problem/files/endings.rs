//! What ends a run in a Gymnasium table, and what its rewards cost.
//!
//! This is settled after the start is known, whatever way it was said: which states are terminal depends on where play
//! begins. Until then the model holds every row as the table lists it, so that none is hidden from the checks by what its state
//! turns out to be.

use super::choose::Options;
use super::explicit::{ActionNames, Explicit, Rewards, UsualCost};
use crate::problem::State;

/// The label of the states that terminating transitions lead to.
const GOAL: &str = "goal";
/// The cost that counts what rewards fall short of the one at the goal.
const SHORTFALL: &str = "shortfall";

/// For every transition of a model what it pays, and whether the run ends with it.
#[derive(Debug, Default)]
pub(super) struct Endings {
    pub(super) rewards: Vec<f64>,
    pub(super) terminated: Vec<bool>,
}

/// What was made of rewards.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settled {
    /// The largest positive reward of a transition that can be played.
    pub(super) positive: Option<f64>,
    /// The reward of reaching the goal.
    pub(super) at_goal: f64,
    /// Whether [`SHORTFALL`] can be asked for: no reward is positive but that one, and some are negative.
    pub(super) shortfall: bool,
}

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

impl Explicit {
    /// Makes goals, losing states and costs of transitions that end a run; nothing for a model that has labels instead.
    ///
    /// Runs start where the options say, else at the model's initial states.
    pub fn settle(&mut self, options: &Options) {
        let Some(endings) = self.endings.take() else { return };
        let asked = options.start.as_deref().filter(|asked| *asked != "all");
        let starts: Vec<u32> = match asked.and_then(|asked| self.find_state(asked)) {
            Some(s) => vec![s as u32],
            None => self.initial.iter().map(|&(s, _)| s).collect(),
        };
        let (role, at_goal) = self.roles(&endings, &starts);
        self.rewrite(&endings, &role, at_goal);
    }

    /// The transitions of a state that can happen.
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

    /// The roles of states: where terminating transitions lead is the goal or a losing state, unless play can also go on
    /// there.
    ///
    /// Play goes on in a state that no terminating transition names, in one where runs start, and where a transition that
    /// does not terminate leads from such a state. The rows of other states are never played, and decide nothing. Also the
    /// highest reward of a terminating transition that is played: those with it lead to the goal.
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

    /// The model with the states, choices and costs that the roles make of it.
    fn rewrite(&mut self, endings: &Endings, role: &[Role], at_goal: f64) {
        let states = self.states();
        // states that are added: one goal, and a losing twin for each state that is also entered in another way
        let mut added = states as u32;
        let mut twin = vec![0u32; states];
        let mut extra_goal = None;
        let mut odd_names = Vec::new();
        let played = || self.all_moves(endings).filter(|m| role[m.state] == Role::Inner);
        for m in played().filter(|m| m.terminated) {
            match m.reward == at_goal {
                true if role[m.next] == Role::Inner && extra_goal.is_none() => {
                    extra_goal = Some(added);
                    odd_names.push((added, GOAL.to_string()));
                    added += 1;
                }
                false if role[m.next] != Role::Losing && twin[m.next] == 0 => {
                    twin[m.next] = added;
                    odd_names.push((added, format!("{} (lost)", m.next)));
                    added += 1;
                }
                _ => {}
            }
        }
        let leads = |i: usize| {
            let next = self.successors[i] as usize;
            match (endings.terminated[i], role[next]) {
                (false, _) => next as u32,
                (true, Role::Goal) if endings.rewards[i] == at_goal => next as u32,
                (true, _) if endings.rewards[i] == at_goal => extra_goal.unwrap_or(next as u32),
                (true, Role::Losing) => next as u32,
                // a transition that cannot happen has no twin made for it
                (true, _) => {
                    if twin[next] == 0 {
                        next as u32
                    } else {
                        twin[next]
                    }
                }
            }
        };
        let most = played().map(|m| m.reward).fold(f64::NEG_INFINITY, f64::max);
        let arrives = |m: &Move| m.terminated && m.reward == at_goal;
        let settled = Settled {
            positive: (most > 0.0).then_some(most),
            at_goal,
            // where nothing but the arrival pays, every step would be free
            shortfall: at_goal > 0.0
                && played().all(|m| arrives(&m) || m.reward <= 0.0)
                && played().any(|m| m.reward < 0.0),
        };

        let mut new = Explicit::new(&self.path, self.format);
        let mut reward = Rewards { name: "reward".into(), ..Rewards::default() };
        let mut shortfall = Rewards { name: SHORTFALL.into(), ..Rewards::default() };
        let stay = |new: &mut Explicit, reward: &mut Rewards, shortfall: &mut Rewards, s: u32| {
            reward.of_choices.push((new.choices() as u32, 1.0));
            shortfall.of_choices.push((new.choices() as u32, 1.0));
            new.successors.push(s);
            new.probabilities.push(1.0);
            new.end_choice();
        };
        for s in 0..states {
            new.state_lines.push(self.state_lines[s]);
            for choice in self.first_choice[s]..self.first_choice[s + 1] {
                new.choice_lines.push(self.choice_lines[choice]);
                new.actions.push_as(&self.actions, choice);
                if role[s] != Role::Inner {
                    stay(&mut new, &mut reward, &mut shortfall, s as u32);
                    continue;
                }
                let (mut cost, mut short) = (0.0, 0.0);
                for i in self.first_transition[choice]..self.first_transition[choice + 1] {
                    let (p, paid) = (self.probabilities[i], endings.rewards[i]);
                    new.successors.push(leads(i));
                    new.probabilities.push(p);
                    cost -= p * paid;
                    let due = if endings.terminated[i] && paid == at_goal { at_goal } else { 0.0 };
                    short += p * (due - paid);
                }
                let number = new.choices() as u32;
                for (rewards, value) in [(&mut reward, cost), (&mut shortfall, short)] {
                    if value != 0.0 {
                        rewards.of_choices.push((number, value));
                    }
                }
                new.end_choice();
            }
            if self.first_choice[s] == self.first_choice[s + 1] && role[s] != Role::Inner {
                new.actions.push_number();
                new.choice_lines.push(0);
                stay(&mut new, &mut reward, &mut shortfall, s as u32);
            }
            new.end_state();
        }
        for s in states as u32..added {
            new.state_lines.push(0);
            new.actions.push_number();
            new.choice_lines.push(0);
            stay(&mut new, &mut reward, &mut shortfall, s);
            new.end_state();
        }
        let own = (0..states as u32).filter(|&s| role[s as usize] == Role::Goal);
        let goals: Vec<u32> = own.chain(extra_goal).collect();
        if !goals.is_empty() {
            new.labels.insert(GOAL.into(), goals);
        }
        new.rewards.push(reward);
        if settled.shortfall {
            new.rewards.push(shortfall);
        }
        if settled.positive.is_some() {
            new.usual_cost = UsualCost::One;
        }
        new.odd_names = odd_names.into_iter().collect();
        new.settled = Some(settled);
        let old = std::mem::replace(self, new);
        (self.name, self.initial) = (old.name, old.initial);
        (self.faults, self.more_faults) = (old.faults, old.more_faults);
        let names: ActionNames = old.actions;
        self.actions.adopt(names);
    }
}
