//! A known model as its file lists it: the one form that all readers make, in flat arrays of 12
//! bytes a transition. Faults of form were noted by the reader ([`Explicit::form_faults`]); numbers
//! are checked here, all of them ([`Explicit::number_faults`]).

mod actions;
pub mod choose;
mod endings;
mod known;
mod sound;

pub(super) use actions::ChoiceNames;

use super::text::{clipped, stem};
use crate::Error;
use crate::problem::State;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const MOST_FAULTS: usize = 200;

/// A known model as a file lists it, before [`Explicit::into_instance`].
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
    pub(super) choice_lines: Vec<u32>,
    pub(super) state_lines: Vec<u32>,
    pub(super) actions: ChoiceNames,
    pub(super) rewards: Vec<Rewards>,
    pub(super) labels: BTreeMap<String, Vec<u32>>,
    pub(super) initial: Vec<(u32, f64)>,
    pub(super) odd_names: BTreeMap<u32, String>,
    /// Which transitions end a run and what each pays, until [`Explicit::settle`].
    pub(super) endings: Option<Endings>,
    pub(super) settled: Option<Settled>,
    /// How many rational numbers no f64 is, and the first of them.
    pub(super) rounded: Option<(usize, String)>,
    pub(super) faults: Vec<Error>,
    pub(super) more_faults: usize,
}

/// The non-zero rewards of a reward model.
#[derive(Clone, Debug, Default)]
pub(super) struct Rewards {
    pub(super) name: String,
    /// What each choice of a state pays, in ascending order of states.
    pub(super) of_states: Vec<(u32, f64)>,
    /// What a choice pays on top, in ascending order of choices.
    pub(super) of_choices: Vec<(u32, f64)>,
}

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
    pub(super) at_goal: f64,
    /// Whether [`SHORTFALL`] can be asked for: only the arrival pays, others may cost.
    pub(super) shortfall: bool,
}

impl Rewards {
    pub(super) fn named(name: &str) -> Rewards {
        Rewards { name: name.into(), ..Rewards::default() }
    }
}

impl Explicit {
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
            actions: ChoiceNames::default(),
            rewards: Vec::new(),
            labels: BTreeMap::new(),
            initial: Vec::new(),
            odd_names: BTreeMap::new(),
            endings: None,
            settled: None,
            rounded: None,
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

    pub(super) fn action_name(&self, s: State, a: usize) -> String {
        self.actions.get(self.first_choice[s] + a, a)
    }

    /// The faults of form, in the order of the file, and how many more there are.
    pub fn form_faults(&self) -> (&[Error], usize) {
        (&self.faults, self.more_faults)
    }

    pub(super) fn fault(&mut self, line: usize, column: usize, fault: impl Into<String>) {
        match self.faults.len() < MOST_FAULTS {
            true => {
                let (path, fault) = (self.path.clone(), clipped(fault.into()));
                self.faults.push(Error::File { path, line, column, fault });
            }
            false => self.more_faults += 1,
        }
    }

    pub(super) fn end_choice(&mut self) {
        self.first_transition.push(self.successors.len());
    }

    pub(super) fn end_state(&mut self) {
        self.first_choice.push(self.choices());
    }

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
}
