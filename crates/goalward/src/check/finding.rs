//! One thing that a check found, and the list of them.

use crate::Error;
use crate::problem::{Faults, Note};
use serde::Serialize;
use std::collections::BTreeMap;

/// The most findings of a kind that are kept with their places; the others are counted.
const KEPT: usize = 50;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Wrong: the world cannot be used, or not for learning.
    Error,
    /// It works, but is perhaps not what was meant.
    Warning,
    /// Good to know.
    Note,
}

/// One thing that was found.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// How bad it is.
    pub level: Level,
    /// What it is, with its place, the offending value and what to do about it.
    #[serde(flatten)]
    pub note: Note,
    /// All states that it concerns, where there may be several (the first few).
    pub states: Vec<String>,
}

impl Finding {
    pub(super) fn new(level: Level, kind: &'static str, message: impl Into<String>) -> Finding {
        Finding { level, note: Note::new(kind, message), states: Vec::new() }
    }

    pub(super) fn hint(self, hint: impl Into<String>) -> Finding {
        Finding { note: self.note.hint(hint), ..self }
    }

    pub(super) fn value(self, value: f64) -> Finding {
        Finding { note: self.note.value(value), ..self }
    }

    pub(super) fn states(self, names: impl Iterator<Item = String>) -> Finding {
        Finding { states: names.take(KEPT).collect(), ..self }
    }

    /// The kind of thing that an error of the library is.
    fn kind_of(error: &Error) -> &'static str {
        match error {
            Error::AtLine { source, .. } | Error::InFile { source, .. } => Finding::kind_of(source),
            Error::File { .. } => "form",
            Error::Probability { .. } => "probability",
            Error::RowSum { .. } => "row-sum",
            Error::Cost { .. } => "cost",
            Error::Choose { what, .. } => what,
            Error::NoAction { .. } => "no-action",
            Error::NoSuccessor { .. } => "no-successor",
            Error::Feature { .. } => "successor",
            Error::GoalNotAbsorbing { .. } | Error::GoalCost { .. } => "goal",
            Error::GoalUnreachable { .. } => "unreachable",
            Error::NoProperPolicy { .. } => "lost",
            Error::RowsContradict { .. } | Error::EmptyB { .. } | Error::ModelRow { .. } => "B",
            Error::ThetaOutside { .. } | Error::ThetaExtra { .. } => "theta",
            _ => "content",
        }
    }

    pub(super) fn of(error: &Error) -> Finding {
        let mut finding = match error {
            Error::AtLine { source, .. } | Error::InFile { source, .. } => Finding::of(source),
            _ => Finding::new(Level::Error, Finding::kind_of(error), ""),
        };
        let note = &mut finding.note;
        (note.message, note.hint) = (error.to_string(), error.hint());
        match error {
            Error::AtLine { line, .. } | Error::File { line, .. } => note.line = Some(*line),
            Error::Probability { state, action, probability: value, .. }
            | Error::RowSum { state, action, sum: value, .. }
            | Error::ModelRow { state, action, sum: value, .. }
            | Error::ThetaOutside { state, action, sum: value, .. }
            | Error::Cost { state, action, cost: value }
            | Error::GoalCost { goal: state, action, cost: value } => {
                note.state = Some(state.clone());
                note.action = Some(action.clone());
                note.value = Some(*value);
            }
            Error::NoSuccessor { state, action }
            | Error::RowsContradict { state, action, .. }
            | Error::Feature { state, action, .. }
            | Error::GoalNotAbsorbing { goal: state, action, .. } => {
                note.state = Some(state.clone());
                note.action = Some(action.clone());
            }
            Error::NoAction { state } => note.state = Some(state.clone()),
            Error::ThetaExtra { value, .. } => note.value = Some(*value),
            Error::GoalUnreachable { states, .. } | Error::NoProperPolicy { states } => {
                finding.states = states.iter().take(KEPT).cloned().collect();
            }
            _ => {}
        }
        finding
    }
}

/// Findings, a limited number of each kind.
#[derive(Clone, Debug, Default)]
pub(super) struct Findings {
    pub(super) kept: Vec<Finding>,
    counts: BTreeMap<(Level, &'static str), usize>,
}

impl Findings {
    pub(super) fn add(&mut self, finding: Finding) {
        let count = self.counts.entry((finding.level, finding.note.kind)).or_default();
        *count += 1;
        if *count <= KEPT {
            self.kept.push(finding);
        }
    }

    pub(super) fn error(&mut self, error: &Error) {
        let kind = Finding::kind_of(error);
        match self.counts.get_mut(&(Level::Error, kind)) {
            // a million faults are not put into words to be forgotten
            Some(count) if *count >= KEPT => *count += 1,
            _ => self.add(Finding::of(error)),
        }
    }

    /// Faults, of which some were only counted.
    pub(super) fn faults(&mut self, faults: &Faults) {
        faults.first().iter().for_each(|fault| self.error(fault));
        faults.more().for_each(|(kind, more)| self.uncounted(Level::Error, kind, more));
    }

    /// What was done to what the user gave. That every step costs 1 is a choice; all else is
    /// perhaps not meant.
    pub(super) fn note(&mut self, note: &Note) {
        let level = if note.kind == "rewards" { Level::Note } else { Level::Warning };
        self.add(Finding { level, note: note.clone(), states: Vec::new() });
    }

    /// Findings that were counted elsewhere.
    pub(super) fn uncounted(&mut self, level: Level, kind: &'static str, more: usize) {
        if more > 0 {
            *self.counts.entry((level, kind)).or_default() += more;
        }
    }

    pub(super) fn count(&self, level: Level) -> usize {
        self.counts.iter().filter(|((l, _), _)| *l == level).map(|(_, n)| n).sum()
    }

    /// How many of each kind are not among those that are kept.
    pub(super) fn omitted(&self) -> BTreeMap<&'static str, usize> {
        let mut omitted = BTreeMap::new();
        for (&(level, kind), &count) in &self.counts {
            let kept = self.kept.iter().filter(|f| f.level == level && f.note.kind == kind).count();
            if count > kept {
                *omitted.entry(kind).or_default() += count - kept;
            }
        }
        omitted
    }
}
