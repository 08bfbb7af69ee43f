//! What can be wrong with the numbers of a model, and what was done about it.

use super::Explicit;
use crate::problem::{Faults, Note, ROUNDING, ROW_TOLERANCE, State};
use crate::{Error, Result};

impl Explicit {
    /// All faults of the numbers: wrong successors and probabilities, rows that are no
    /// distributions.
    pub fn number_faults(&self) -> impl Iterator<Item = Error> {
        let choices = |s: State| (self.first_choice[s]..self.first_choice[s + 1]).enumerate();
        (0..self.states()).flat_map(move |s| choices(s).flat_map(move |(a, c)| self.row_faults(s, a, c)))
    }

    fn row_faults(&self, s: State, a: usize, choice: usize) -> Vec<Error> {
        let names = || (self.state_name(s), self.action_name(s, a));
        let row = self.first_transition[choice]..self.first_transition[choice + 1];
        if row.is_empty() {
            let (state, action) = names();
            return vec![self.at_choice(choice, Error::NoSuccessor { state, action })];
        }
        let (mut sum, mut faults) = (0.0, Vec::new());
        for i in row {
            let (next, p) = (self.successors[i] as State, self.probabilities[i]);
            sum += p;
            if next >= self.states() {
                let (state, action) = names();
                let fault = format!("this state does not exist, there are {} states", self.states());
                faults.push(Error::Feature { state, action, next: next.to_string(), fault });
            } else if !(0.0..=1.0 + ROW_TOLERANCE).contains(&p) {
                let (state, action) = names();
                faults.push(Error::Probability {
                    state,
                    action,
                    next: self.state_name(next),
                    probability: p,
                });
            }
        }
        // a row with a wrong entry was named already
        if faults.is_empty() && (sum - 1.0).abs() > ROW_TOLERANCE {
            let (state, action) = names();
            faults.push(Error::RowSum { state, action, sum, tolerance: ROW_TOLERANCE });
        }
        faults.into_iter().map(|fault| self.at_choice(choice, fault)).collect()
    }

    /// The number of rows that are rescaled, and the furthest off: state, action, line and sum.
    fn rescaled_rows(&self) -> (usize, Option<(String, String, usize, f64)>) {
        let (mut count, mut worst, mut furthest) = (0, None, 0.0);
        for s in 0..self.states() {
            for choice in self.first_choice[s]..self.first_choice[s + 1] {
                let row = self.first_transition[choice]..self.first_transition[choice + 1];
                let sum: f64 = self.probabilities[row].iter().sum();
                let off = (sum - 1.0).abs();
                if off > ROUNDING && off <= ROW_TOLERANCE {
                    count += 1;
                    if off > furthest {
                        (furthest, worst) = (off, Some((s, choice, sum)));
                    }
                }
            }
        }
        let named = worst.map(|(s, choice, sum)| {
            let action = self.action_name(s, choice - self.first_choice[s]);
            (self.state_name(s), action, self.choice_lines[choice] as usize, sum)
        });
        (count, named)
    }

    /// What is to be said of rows that were rescaled.
    pub fn rescaled(&self) -> Option<Note> {
        let (count, worst) = self.rescaled_rows();
        let (state, action, line, sum) = worst?;
        let place = format!("state {state}, action {action}");
        let note = Note::rescaled(count, ROW_TOLERANCE, &place, sum).at(state, action);
        Some(Note { line: (line > 0).then_some(line), ..note })
    }

    /// What is to be said of rational numbers that were rounded.
    pub(super) fn rounded(&self) -> Option<Note> {
        let (count, first) = self.rounded.as_ref()?;
        let numbers = match count {
            1 => format!("the rational number {first} is rounded to the nearest f64"),
            _ => format!("{count} rational numbers, the first {first}, are rounded to the nearest f64"),
        };
        let message = format!("{numbers}: bounds are proven for the model as rounded, not as written");
        Some(Note::new("rounded", message))
    }

    pub(super) fn stuck_faults(&self, goal: impl Fn(State) -> bool, faults: &mut Faults) {
        for s in (0..self.states()).filter(|&s| self.first_choice[s] == self.first_choice[s + 1] && !goal(s))
        {
            if faults.suffices() {
                return;
            }
            faults.push("no-action", || {
                self.at_line(self.state_lines[s], Error::NoAction { state: self.state_name(s) })
            });
        }
    }

    pub(in crate::files) fn require_form(&mut self) -> Result<()> {
        match self.faults.is_empty() {
            true => Ok(()),
            false => Err(self.faults.swap_remove(0)),
        }
    }

    /// The first fault, if states are yet to get their roles: that removes rows.
    pub(in crate::files) fn require_sound_before_settling(&mut self) -> Result<()> {
        if self.endings.is_some() { self.require_sound() } else { Ok(()) }
    }

    pub(super) fn require_sound(&mut self) -> Result<()> {
        self.require_form()?;
        self.number_faults().next().map_or(Ok(()), Err)
    }
}
