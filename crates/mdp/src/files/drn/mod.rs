//! Storm's explicit text format, DRN ("direct encoding"); `docs/models.md` says what is read.
//!
//! ```text
//! @type: MDP
//! @reward_models
//! time energy
//! @model
//! state 0 [0, 1] init
//!     action walk [5, 0]
//!         1 : 0.25
//!         2 : 3/4
//! state 1 [1, 0] "(x = 2) & (y = 1)"
//! ```
//!
//! Transitions may follow a state without an action line. Counts in the header are compared, and
//! reserve nothing. Reading goes on after a fault of form, so that a report has them all: a wrong
//! line is left out, but a `state` or `action` line always begins a state or a choice.

mod body;

use super::input::Lines;
use super::model::{Explicit, Rewards};
use super::number;
use crate::{Error, Result};
use std::collections::HashMap;
use std::io::BufRead;
use std::path::Path;

const MOST_REWARD_MODELS: usize = 1000;
/// The most labels: a label of one letter takes a hundred bytes.
const MOST_LABELS: usize = 100_000;

/// Reads a model. Faults of form are in the model; an error is one of the stream.
pub(super) fn read(input: impl BufRead, path: &Path) -> Result<Explicit> {
    let mut reader = Reader::new(path);
    let mut lines = Lines::new(input);
    loop {
        let number = lines.number + 1;
        let cut = |e: std::io::Error| Error::File {
            path: path.into(),
            line: number,
            column: 1,
            fault: e.to_string(),
        };
        let Some(bytes) = lines.next().map_err(cut)? else { break };
        match std::str::from_utf8(bytes) {
            Ok(line) => reader.line(number, line),
            Err(e) => {
                let at = e.valid_up_to();
                let fault = format!("byte 0x{:02x} is not UTF-8 text", bytes[at]);
                reader.model.fault(number, at + 1, fault);
            }
        }
    }
    Ok(reader.finish(lines.number))
}

/// What the next line belongs to.
#[derive(Clone, Copy, PartialEq)]
enum Section {
    Header,
    Parameters,
    RewardModels,
    States,
    Choices,
    /// Lines `$name : value`.
    Placeholders,
    Body,
}

struct Reader {
    model: Explicit,
    section: Section,
    has_type: bool,
    nr_states: Option<u64>,
    nr_choices: Option<u64>,
    placeholders: HashMap<String, f64>,
    begun: usize,
    /// Whether a choice of the current state has begun.
    in_choice: bool,
    /// The numbers of the last brackets.
    values: Vec<f64>,
    rational: bool,
}

type Fault = (usize, String);

impl Reader {
    fn new(path: &Path) -> Reader {
        Reader {
            model: Explicit::new(path, "DRN"),
            section: Section::Header,
            has_type: false,
            nr_states: None,
            nr_choices: None,
            placeholders: HashMap::new(),
            begun: 0,
            in_choice: false,
            values: Vec::new(),
            rational: false,
        }
    }

    fn line(&mut self, number: usize, line: &str) {
        let text = line.trim_start();
        let indent = line.len() - text.len();
        let read = match self.section {
            Section::Parameters | Section::RewardModels | Section::States | Section::Choices => {
                self.value_of(self.section, text)
            }
            _ if text.is_empty() || text.starts_with("//") => Ok(()),
            Section::Body => self.body(number, text),
            Section::Placeholders if text.starts_with('$') => self.placeholder(text),
            Section::Header | Section::Placeholders => self.header(text),
        };
        if let Err((column, fault)) = read {
            self.model.fault(number, indent + column, fault);
        }
    }

    fn header(&mut self, text: &str) -> Result<(), Fault> {
        self.section = Section::Header;
        let (key, rest) = match text.split_once(':') {
            Some((key, rest)) => (key.trim_end(), rest.trim()),
            None => (text, ""),
        };
        match key {
            "@type" => {
                self.has_type = true;
                match rest.to_ascii_lowercase().as_str() {
                    "mdp" | "dtmc" => Ok(()),
                    "" => Err((1, "@type: MDP or DTMC is missing its value".into())),
                    "ctmc" | "ma" | "markov automaton" => {
                        Err((1, format!("{rest} has rates and no probabilities: only MDP and DTMC are read")))
                    }
                    "pomdp" => {
                        Err((1, "POMDP states are only observed in part: only MDP and DTMC are read".into()))
                    }
                    _ => Err((1, format!("unknown type {rest:?}: only MDP and DTMC are read"))),
                }
            }
            "@value_type" => match rest {
                "double" | "rational" => {
                    self.rational = rest == "rational";
                    Ok(())
                }
                _ => Err((1, format!("value type {rest:?}: only double and rational are read"))),
            },
            "@parameters" => self.turn_to(Section::Parameters),
            "@reward_models" => self.turn_to(Section::RewardModels),
            "@nr_states" => self.turn_to(Section::States),
            "@nr_choices" => self.turn_to(Section::Choices),
            "@placeholders" => self.turn_to(Section::Placeholders),
            "@model" => {
                self.section = Section::Body;
                match self.has_type {
                    true => Ok(()),
                    false => Err((1, "@type: MDP (or DTMC) must stand before @model".into())),
                }
            }
            _ => Err((1, format!("{} is no part of a DRN header", quoted(text)))),
        }
    }

    fn turn_to(&mut self, section: Section) -> Result<(), Fault> {
        self.section = section;
        Ok(())
    }

    /// The line after `@parameters`, `@reward_models`, `@nr_states` or `@nr_choices`.
    fn value_of(&mut self, part: Section, text: &str) -> Result<(), Fault> {
        self.section = Section::Header;
        if text.starts_with('@') && matches!(part, Section::States | Section::Choices) {
            self.header(text)?;
            return Err((1, "a number is missing before this line".into()));
        }
        let count = |text: &str, what: &str| {
            text.parse().map_err(|_| (1, format!("{} is not the number of {what}", quoted(text))))
        };
        match part {
            Section::Parameters if text.is_empty() => Ok(()),
            Section::Parameters | Section::RewardModels if text.starts_with('@') => self.header(text),
            Section::Parameters => Err((
                1,
                format!("the model has parameters ({}): give them values in Storm first", quoted(text)),
            )),
            Section::RewardModels => {
                // counted before any is looked at: a line may be long
                let count = text.split_ascii_whitespace().count();
                if count > MOST_REWARD_MODELS {
                    return Err((1, format!("{count} reward models, more than {MOST_REWARD_MODELS}")));
                }
                let names: Vec<&str> = text.split_ascii_whitespace().collect();
                if let Some((i, name)) =
                    (names.iter().enumerate()).find(|(i, name)| names[..*i].contains(name))
                {
                    return Err((1, format!("reward model {name} is given twice (number {i})")));
                }
                self.model.rewards = names.into_iter().map(Rewards::named).collect();
                Ok(())
            }
            Section::States => {
                self.nr_states = Some(count(text, "states")?);
                Ok(())
            }
            _ => {
                self.nr_choices = Some(count(text, "choices")?);
                Ok(())
            }
        }
    }

    fn placeholder(&mut self, text: &str) -> Result<(), Fault> {
        let (name, value) = text.split_once(':').ok_or((1, "expected $name : value".to_string()))?;
        let value = self.number(value.trim()).map_err(|fault| (name.len() + 2, fault))?;
        self.placeholders.insert(name.trim().into(), value);
        Ok(())
    }

    fn rewards(&mut self, list: &str) -> Result<(), String> {
        self.values.clear();
        if list.trim().is_empty() {
            return Ok(());
        }
        let given = list.split(',').count();
        if given <= MOST_REWARD_MODELS {
            for text in list.split(',') {
                let value = self.number(text.trim())?;
                self.values.push(value);
            }
        }
        if self.model.rewards.is_empty() && given <= MOST_REWARD_MODELS {
            // Storm's names for reward models that the header does not name
            self.model.rewards = (0..given).map(|i| Rewards::named(&format!("rew{i}"))).collect();
        }
        match self.model.rewards.len() {
            models if models == given => Ok(()),
            models => {
                self.values.clear();
                Err(format!("{given} rewards, but there are {models} reward models"))
            }
        }
    }

    fn number(&mut self, text: &str) -> Result<f64, String> {
        let value = match text.starts_with('$') {
            true => self.placeholders.get(text).copied(),
            false => number::parse(text),
        };
        if value.is_some()
            && (self.rational || text.contains('/'))
            && !text.starts_with('$')
            && !number::is_exact(text)
        {
            self.model.rounded.get_or_insert_with(|| (0, quoted(text))).0 += 1;
        }
        value.ok_or_else(|| format!("{} is not a number", quoted(text)))
    }

    /// Closes what is open and compares with the header.
    fn finish(mut self, lines: usize) -> Explicit {
        self.end_choice();
        if self.begun > 0 {
            self.model.end_state();
        }
        let end = lines.max(1);
        let (states, choices) = (self.model.states(), self.model.choices());
        if self.section != Section::Body {
            let what = if lines == 0 { "the file is empty" } else { "the file ends before @model" };
            self.model.fault(end, 1, what);
        } else if states == 0 {
            self.model.fault(end, 1, "no state follows @model");
        }
        if states > u32::MAX as usize {
            self.model.fault(end, 1, "more than 2^32 - 1 states");
        } else if choices > u32::MAX as usize {
            self.model.fault(end, 1, "more than 2^32 - 1 choices");
        }
        for (what, said, has) in [("states", self.nr_states, states), ("choices", self.nr_choices, choices)] {
            if let Some(said) = said.filter(|&said| said != has as u64 && states > 0) {
                self.model.fault(end, 1, format!("the file has {has} {what}, but @nr_{what} says {said}"));
            }
        }
        let mut model = self.model;
        let initial = model.labels.remove("init").unwrap_or_default();
        let share = 1.0 / initial.len() as f64;
        model.initial = initial.into_iter().map(|s| (s, share)).collect();
        model
    }
}

/// The beginning of what was found, in quotes.
fn quoted(text: &str) -> String {
    const SHOWN: usize = 40;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{:?}...", &text[..end]),
        None => format!("{text:?}"),
    }
}
