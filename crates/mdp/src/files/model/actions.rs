//! The names of choices.

use std::collections::HashMap;

/// A choice has no name of its own: it is called by its number.
const NUMBERED: u32 = u32::MAX;

#[derive(Clone, Debug, Default)]
pub(in crate::files) struct ChoiceNames {
    of: Vec<u32>,
    names: Vec<String>,
    known: HashMap<String, u32>,
}

impl ChoiceNames {
    /// The name of the next choice; its own number is no name.
    pub(in crate::files) fn push(&mut self, name: &str, number: usize) {
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

    /// The next choice has the name of a choice of another model, whose names are adopted later.
    pub(super) fn push_as(&mut self, other: &ChoiceNames, choice: usize) {
        self.of.push(other.of[choice]);
    }

    pub(super) fn adopt(&mut self, other: ChoiceNames) {
        (self.names, self.known) = (other.names, other.known);
    }

    /// Choices that are named by their numbers.
    pub(super) fn numbers(choices: usize) -> ChoiceNames {
        ChoiceNames { of: vec![NUMBERED; choices], ..ChoiceNames::default() }
    }

    pub(in crate::files) fn push_number(&mut self) {
        self.of.push(NUMBERED);
    }

    pub(super) fn get(&self, choice: usize, number: usize) -> String {
        match self.names.get(self.of[choice] as usize) {
            Some(name) => name.clone(),
            None => number.to_string(),
        }
    }

    pub(super) fn any(&self) -> bool {
        !self.names.is_empty()
    }
}
