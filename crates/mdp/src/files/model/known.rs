//! A known model as an [`Instance`]: one feature, the probability itself, and theta = (1).
//!
//! The goal's states become one without actions, a drawn start becomes a state of its own, equal
//! successors add up, and the arrays of the file become those of the problem.

use super::choose::Chosen;
use super::{ChoiceNames, Explicit};
use crate::Result;
use crate::problem::{
    ActionLister, ActionNames, Arrays, Faults, Instance, LARGEST_COST, Names, ProblemBuilder, ROUNDING,
    ROW_TOLERANCE, Size, State,
};
use std::mem::take;

const DRAW: &str = "start";

impl Explicit {
    /// The model as an instance; the first thing that is wrong with it is the error.
    pub fn into_instance(mut self, chosen: &Chosen) -> Result<Instance> {
        self.require_sound()?;
        self.chosen_faults(chosen, 1).none()?;
        let costs = self.costs(chosen);
        self.finish(chosen, costs)
    }

    /// The faults for a goal and a cost: invalid costs, and states without actions.
    pub fn chosen_faults(&self, chosen: &Chosen, most: usize) -> Faults {
        let mut faults = Faults::new(most);
        self.stuck_faults(|s| chosen.is_goal(s), &mut faults);
        self.cost_faults(chosen, &self.costs(chosen), &mut faults);
        faults
    }

    /// The model as an instance whatever is wrong with it: rows are divided by their sums, a state
    /// without a way stays where it is. For looking at the graph, not for results.
    pub fn into_mended_instance(self, chosen: &Chosen) -> Result<Instance> {
        let (model, costs) = self.with_loops(chosen);
        model.finish(chosen, costs)
    }

    fn finish(mut self, chosen: &Chosen, costs: Vec<f64>) -> Result<Instance> {
        let size = Size { states: self.states(), choices: self.choices() };
        let notes = self.notes(chosen);
        let names = self.names(chosen, chosen.start.is_none());
        let place = self.places(chosen);
        let mut kernel = self.kernel(chosen, &place, costs);
        let start = match chosen.start {
            Some(s) => place[s] as State,
            None => {
                let initial = self.initial.iter().filter(|(_, p)| *p > 0.0);
                draw_first(&mut kernel, initial.map(|&(s, p)| (place[s as usize], p)).collect())
            }
        };
        let mut builder = ProblemBuilder::of_known(&self.name, kernel);
        builder.start(start).goal(place[chosen.goal[0] as State] as State).allow_lost();
        builder.labels(names.0, names.1);
        Ok(Instance { model: Some(size), notes, ..Instance::new(builder.build()?, &[1.0])? })
    }

    /// The new number of each state: all goal states take the place of the first.
    fn places(&self, chosen: &Chosen) -> Vec<u32> {
        let first = chosen.goal[0] as State;
        let mut kept = 0;
        let mut place = vec![0u32; self.states()];
        for (s, place) in place.iter_mut().enumerate() {
            let joins = s != first && chosen.is_goal(s);
            *place = kept;
            kept += u32::from(!joins);
        }
        let goal = place[first];
        chosen.goal.iter().for_each(|&s| place[s as usize] = goal);
        place
    }

    /// The model in its new numbers, written over the arrays that were read.
    fn kernel(&mut self, chosen: &Chosen, place: &[u32], mut costs: Vec<f64>) -> Arrays {
        let states = self.states();
        let (mut pairs, mut rows) = (0, 0);
        let mut first_pair = vec![0];
        let mut row: Vec<(u32, f64)> = Vec::new();
        for s in 0..states {
            if chosen.is_goal(s) {
                if s == chosen.goal[0] as State {
                    first_pair.push(pairs);
                }
                continue;
            }
            for choice in self.first_choice[s]..self.first_choice[s + 1] {
                row.clear();
                for i in self.first_transition[choice]..self.first_transition[choice + 1] {
                    let (next, p) = (self.successors[i] as State, self.probabilities[i]);
                    if next < states && p > 0.0 && p.is_finite() {
                        row.push((place[next], p.min(1.0 + ROW_TOLERANCE)));
                    }
                }
                if row.is_empty() {
                    row.push((place[s], 1.0)); // only where something is wrong: nothing else was possible
                }
                distribution(&mut row);
                self.first_transition[pairs] = rows;
                for &(next, p) in &row {
                    (self.successors[rows], self.probabilities[rows]) = (next, p);
                    rows += 1;
                }
                let cost = costs[choice];
                costs[pairs] = if (0.0..=LARGEST_COST).contains(&cost) { cost } else { 1.0 };
                pairs += 1;
            }
            first_pair.push(pairs);
        }
        costs.truncate(pairs);
        self.first_transition.truncate(pairs);
        self.first_transition.push(rows);
        self.successors.truncate(rows);
        self.probabilities.truncate(rows);
        Arrays {
            first_pair,
            costs,
            first_row: take(&mut self.first_transition),
            successors: take(&mut self.successors),
            phi: take(&mut self.probabilities),
        }
    }

    /// The model with a loop in each state without a choice and each choice without successors.
    fn with_loops(mut self, chosen: &Chosen) -> (Explicit, Vec<f64>) {
        let costs = self.costs(chosen);
        let stuck = |s: State| self.first_choice[s] == self.first_choice[s + 1] && !chosen.is_goal(s);
        if !(0..self.states()).any(stuck) && self.first_transition.windows(2).all(|w| w[0] < w[1]) {
            return (self, costs);
        }
        let (mut first_choice, mut first_transition, mut new_costs) = (vec![0], vec![0], Vec::new());
        let (mut successors, mut probabilities) = (Vec::new(), Vec::new());
        for s in 0..self.states() {
            let choices = self.first_choice[s]..self.first_choice[s + 1];
            for choice in choices.clone() {
                let row = self.first_transition[choice]..self.first_transition[choice + 1];
                successors.extend_from_slice(&self.successors[row.clone()]);
                probabilities.extend_from_slice(&self.probabilities[row.clone()]);
                if row.is_empty() {
                    successors.push(s as u32);
                    probabilities.push(1.0);
                }
                first_transition.push(successors.len());
                new_costs.push(costs[choice]);
            }
            if choices.is_empty() && !chosen.is_goal(s) {
                successors.push(s as u32);
                probabilities.push(1.0);
                first_transition.push(successors.len());
                new_costs.push(1.0);
            }
            first_choice.push(new_costs.len());
        }
        // the remaining names would no longer fit
        self.actions = ChoiceNames::numbers(new_costs.len());
        self.choice_lines = vec![0; new_costs.len()];
        (self.first_choice, self.first_transition) = (first_choice, first_transition);
        (self.successors, self.probabilities) = (successors, probabilities);
        (self, new_costs)
    }

    /// Names of states and actions, where they are not just numbers.
    fn names(&self, chosen: &Chosen, drawn: bool) -> (Option<Names>, Option<ActionNames>) {
        let states = || (0..self.states()).filter(|&s| !chosen.is_goal(s) || s == chosen.goal[0] as State);
        let plain = chosen.goal.len() == 1 && !drawn && self.odd_names.is_empty();
        let state_names = (!plain).then(|| {
            let named = states().map(|s| match chosen.is_goal(s) {
                true => chosen.goal_name.clone(),
                false => self.state_name(s),
            });
            named.chain(drawn.then(|| DRAW.into())).collect()
        });
        let action_names = self.actions.any().then(|| {
            let mut lister = ActionLister::default();
            for s in states() {
                if !chosen.is_goal(s) {
                    let actions = self.first_choice[s + 1] - self.first_choice[s];
                    (0..actions).for_each(|a| lister.action(&self.action_name(s, a)));
                }
                lister.end_state();
            }
            if drawn {
                lister.action("draw");
                lister.end_state();
            }
            lister.finish()
        });
        (state_names, action_names)
    }
}

/// Adds a state that draws another at no cost, and gives its number.
fn draw_first(kernel: &mut Arrays, mut row: Vec<(u32, f64)>) -> State {
    distribution(&mut row);
    kernel.successors.extend(row.iter().map(|(next, _)| next));
    kernel.phi.extend(row.iter().map(|(_, p)| p));
    kernel.first_row.push(kernel.successors.len());
    kernel.costs.push(0.0);
    kernel.first_pair.push(kernel.costs.len());
    kernel.first_pair.len() - 2
}

fn distribution(row: &mut Vec<(u32, f64)>) {
    if !row.is_sorted_by(|a, b| a.0 < b.0) {
        row.sort_by_key(|(next, _)| *next);
        row.dedup_by(|later, first| {
            let same = later.0 == first.0;
            first.1 += if same { later.1 } else { 0.0 };
            same
        });
    }
    let sum: f64 = row.iter().map(|(_, p)| p).sum();
    // well within what a truth may be off
    if (sum - 1.0).abs() > ROUNDING / 10.0 {
        row.iter_mut().for_each(|(_, p)| *p /= sum);
    }
}
