//! A known model as its file lists it, before anything is asked of its numbers.
//!
//! All readers make this one form: states with choices, choices with transitions, in flat arrays of 12 bytes a transition;
//! labels, reward models and names beside them. What a file says in the wrong *form* was noted by the reader
//! ([`Explicit::form_faults`]); what its *numbers* say is checked here, all of it ([`Explicit::number_faults`]), so that
//! a report can name every fault and not only the first.

use super::endings::{Endings, Settled};
use crate::problem::{Faults, Note, State};
use crate::{Error, Result};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

/// How far a row of a file may be from summing to one: as far as a dozen probabilities of six digits can be. A row that is
/// further off than [`ROUNDING`] is divided by its sum, and `check` says so.
pub const ROW_TOLERANCE: f64 = 1e-5;
/// How far a row may be from summing to one by rounding alone.
pub const ROUNDING: f64 = 1e-9;
/// The most faults of form that are kept; the others are counted.
const MOST_FAULTS: usize = 200;

/// A choice has no name of its own: it is called by its number.
const NUMBERED: u32 = u32::MAX;

/// A known model as a file lists it; make an [`Instance`](crate::problem::Instance) of it with
/// [`Explicit::into_instance`].
#[derive(Debug)]
pub struct Explicit {
    pub(super) path: PathBuf,
    pub(super) name: String,
    pub(super) format: &'static str,
    /// `first_choice[s]..first_choice[s + 1]` are the choices of state s.
    pub(super) first_choice: Vec<usize>,
    /// `first_transition[c]..first_transition[c + 1]` are the transitions of choice c.
    pub(super) first_transition: Vec<usize>,
    pub(super) successors: Vec<u32>,
    pub(super) probabilities: Vec<f64>,
    /// The line of each choice, 0 where there is none.
    pub(super) choice_lines: Vec<u32>,
    /// The line of each state, 0 where there is none.
    pub(super) state_lines: Vec<u32>,
    pub(super) actions: ActionNames,
    pub(super) rewards: Vec<Rewards>,
    /// What a step costs if nobody says.
    pub(super) usual_cost: UsualCost,
    pub(super) labels: BTreeMap<String, Vec<u32>>,
    /// Where a run may start, and how often.
    pub(super) initial: Vec<(u32, f64)>,
    /// States that are not called by their number.
    pub(super) odd_names: BTreeMap<u32, String>,
    /// Which transitions end a run and what each pays, until [`Explicit::settle`] has made goals and costs of that.
    pub(super) endings: Option<Endings>,
    /// What it has made of rewards.
    pub(super) settled: Option<Settled>,
    pub(super) faults: Vec<Error>,
    pub(super) more_faults: usize,
}

/// What a step costs if the user does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UsualCost {
    /// The only reward model, 1 if there is none; several must be chosen from.
    TheOnlyOne,
    /// 1 a step, whatever reward models there are.
    One,
}

/// A reward model, as what is not zero: a file that names a thousand of them and uses none must cost nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct Rewards {
    pub(super) name: String,
    /// What each choice of a state pays, in ascending order of states.
    pub(super) of_states: Vec<(u32, f64)>,
    /// What a choice pays on top, in ascending order of choices.
    pub(super) of_choices: Vec<(u32, f64)>,
}

/// Names of choices, each kept once.
#[derive(Clone, Debug, Default)]
pub(super) struct ActionNames {
    of: Vec<u32>,
    names: Vec<String>,
    known: HashMap<String, u32>,
}

impl ActionNames {
    /// The name of the next choice; its own number is no name.
    pub(super) fn push(&mut self, name: &str, number: usize) {
        if name.parse() == Ok(number) && !name.starts_with(['+', '0']) || name == "0" && number == 0 {
            self.of.push(NUMBERED);
            return;
        }
        let id = match self.known.get(name) {
            Some(&id) => id,
            None => {
                let id = self.names.len() as u32;
                self.names.push(name.into());
                self.known.insert(name.into(), id);
                id
            }
        };
        self.of.push(id);
    }

    /// The next choice is called as another model calls one of its own, whose names are [adopted](Self::adopt) later.
    pub(super) fn push_as(&mut self, other: &ActionNames, choice: usize) {
        self.of.push(other.of[choice]);
    }

    /// Takes over the names of another model.
    pub(super) fn adopt(&mut self, other: ActionNames) {
        (self.names, self.known) = (other.names, other.known);
    }

    /// So many choices that are called by their numbers.
    pub(super) fn numbers(choices: usize) -> ActionNames {
        ActionNames { of: vec![NUMBERED; choices], ..ActionNames::default() }
    }

    /// The next choice is called by its number.
    pub(super) fn push_number(&mut self) {
        self.of.push(NUMBERED);
    }

    fn get(&self, choice: usize, number: usize) -> String {
        match self.names.get(self.of[choice] as usize) {
            Some(name) => name.clone(),
            None => number.to_string(),
        }
    }

    /// Whether any choice has a name of its own.
    pub(super) fn any(&self) -> bool {
        !self.names.is_empty()
    }
}

impl Explicit {
    /// No states yet.
    pub(super) fn new(path: &Path, format: &'static str) -> Explicit {
        Explicit {
            path: path.into(),
            name: stem(path),
            format,
            first_choice: vec![0],
            first_transition: vec![0],
            successors: Vec::new(),
            probabilities: Vec::new(),
            choice_lines: Vec::new(),
            state_lines: Vec::new(),
            actions: ActionNames::default(),
            rewards: Vec::new(),
            usual_cost: UsualCost::TheOnlyOne,
            labels: BTreeMap::new(),
            initial: Vec::new(),
            odd_names: BTreeMap::new(),
            endings: None,
            settled: None,
            faults: Vec::new(),
            more_faults: 0,
        }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }
    /// The format it was in.
    pub fn format(&self) -> &'static str {
        self.format
    }
    /// The number of states.
    pub fn states(&self) -> usize {
        self.first_choice.len() - 1
    }
    /// The number of choices.
    pub fn choices(&self) -> usize {
        self.first_transition.len() - 1
    }
    /// The number of transitions.
    pub fn transitions(&self) -> usize {
        self.successors.len()
    }
    /// The labels, with the number of states that carry each.
    pub fn labels(&self) -> impl Iterator<Item = (&str, usize)> {
        self.labels.iter().map(|(label, states)| (label.as_str(), states.len()))
    }
    /// The names of the reward models.
    pub fn reward_models(&self) -> impl Iterator<Item = &str> {
        self.rewards.iter().map(|rewards| rewards.name.as_str())
    }
    /// The name of a state: its number in the file, unless it has another.
    pub fn state_name(&self, s: State) -> String {
        self.odd_names.get(&(s as u32)).cloned().unwrap_or_else(|| s.to_string())
    }

    /// The name of a state's a-th action.
    pub(super) fn action_name(&self, s: State, a: usize) -> String {
        self.actions.get(self.first_choice[s] + a, a)
    }

    /// The faults of form, in the order of the file, and how many more there are.
    pub fn form_faults(&self) -> (&[Error], usize) {
        (&self.faults, self.more_faults)
    }

    /// Notes a fault of form.
    pub(super) fn fault(&mut self, line: usize, column: usize, fault: impl Into<String>) {
        match self.faults.len() < MOST_FAULTS {
            true => {
                let (path, fault) = (self.path.clone(), clipped(fault.into()));
                self.faults.push(Error::File { path, line, column, fault });
            }
            false => self.more_faults += 1,
        }
    }

    /// Ends a choice: its transitions are all those since the last.
    pub(super) fn end_choice(&mut self) {
        self.first_transition.push(self.successors.len());
    }

    /// Ends a state: its choices are all those since the last.
    pub(super) fn end_state(&mut self) {
        self.first_choice.push(self.choices());
    }

    /// An error of content at a choice.
    pub(super) fn at_choice(&self, choice: usize, source: Error) -> Error {
        self.at_line(self.choice_lines[choice], source)
    }

    fn at_line(&self, line: u32, source: Error) -> Error {
        let (path, source) = (self.path.clone(), Box::new(source));
        match line {
            0 => Error::InFile { path, source },
            line => Error::AtLine { path, line: line as usize, source },
        }
    }

    /// What is wrong with the numbers: every successor that does not exist, every probability that is none, every row
    /// that is no distribution. `tell` returns false when it has heard enough.
    pub fn number_faults(&self, mut tell: impl FnMut(Error) -> bool) {
        for s in 0..self.states() {
            for (a, choice) in (self.first_choice[s]..self.first_choice[s + 1]).enumerate() {
                let names = || (self.state_name(s), self.action_name(s, a));
                let row = self.first_transition[choice]..self.first_transition[choice + 1];
                if row.is_empty() {
                    let (state, action) = names();
                    if !tell(self.at_choice(choice, Error::NoSuccessor { state, action })) {
                        return;
                    }
                    continue;
                }
                let mut sum = 0.0;
                let mut sound = true;
                for i in row {
                    let (next, p) = (self.successors[i] as State, self.probabilities[i]);
                    sum += p;
                    let fault = if next >= self.states() {
                        let (state, action) = names();
                        let fault = format!("this state does not exist, there are {} states", self.states());
                        Error::Feature { state, action, next: next.to_string(), fault }
                    } else if !(0.0..=1.0 + ROW_TOLERANCE).contains(&p) {
                        let (state, action) = names();
                        Error::Probability { state, action, next: self.state_name(next), probability: p }
                    } else {
                        continue;
                    };
                    sound = false;
                    if !tell(self.at_choice(choice, fault)) {
                        return;
                    }
                }
                // a row with a wrong entry was named already
                if sound && (sum - 1.0).abs() > ROW_TOLERANCE {
                    let (state, action) = names();
                    let fault = Error::RowSum { state, action, sum, tolerance: ROW_TOLERANCE };
                    if !tell(self.at_choice(choice, fault)) {
                        return;
                    }
                }
            }
        }
    }

    /// Rows that sum to one only within [`ROW_TOLERANCE`] and are divided by their sums: how many, and the one that is
    /// furthest off (its state and action, its line, and its sum).
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

    /// States that are no goal and have no choice.
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

    /// The first fault of form, as an error.
    pub(super) fn require_form(&mut self) -> Result<()> {
        match self.faults.is_empty() {
            true => Ok(()),
            false => Err(self.faults.swap_remove(0)),
        }
    }

    /// The first fault, if states are yet to be told their roles: afterwards the rows of some are gone.
    pub(super) fn require_sound_before_settling(&mut self) -> Result<()> {
        if self.endings.is_some() { self.require_sound() } else { Ok(()) }
    }

    /// The first fault of form or of numbers, as an error.
    pub(super) fn require_sound(&mut self) -> Result<()> {
        self.require_form()?;
        let mut first = None;
        self.number_faults(|fault| {
            first = Some(fault);
            false
        });
        first.map_or(Ok(()), Err)
    }
}

/// A message that quotes what was found, and not all of it where that is long.
pub(in crate::problem) fn clipped(mut text: String) -> String {
    const SHOWN: usize = 400;
    if let Some((end, _)) = text.char_indices().nth(SHOWN) {
        text.truncate(end);
        text.push_str(" ...");
        text.shrink_to_fit();
    }
    text
}

/// The name of a model from that of its file.
pub(in crate::problem) fn stem(path: &Path) -> String {
    let name = path.file_name().map_or("model".into(), |name| name.to_string_lossy());
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    let stem = ["drn", "json"].iter().find_map(|end| name.strip_suffix(end)?.strip_suffix('.'));
    match stem.unwrap_or(name) {
        "" | super::STDIN => "model".into(),
        stem => stem.into(),
    }
}
