//! The states, actions and transitions of a DRN file.

use super::{Fault, MOST_LABELS, Reader, quoted};

impl Reader {
    pub(super) fn body(&mut self, number: usize, text: &str) -> Result<(), Fault> {
        if text.as_bytes()[0].is_ascii_digit() {
            return self.transition(number, text);
        }
        if let Some(rest) = text.strip_prefix("state").filter(|rest| rest.starts_with([' ', '\t'])) {
            return self.state(number, rest).map_err(|(at, fault)| (at + 5, fault));
        }
        if let Some(rest) = text.strip_prefix("action").filter(|rest| rest.starts_with([' ', '\t'])) {
            return self.action(number, rest).map_err(|(at, fault)| (at + 6, fault));
        }
        Err((
            1,
            format!("{} is neither a state, an action nor a transition \"next : probability\"", quoted(text)),
        ))
    }

    /// `state N [rewards] labels`
    fn state(&mut self, number: usize, rest: &str) -> Result<(), Fault> {
        self.end_choice();
        if self.begun > 0 {
            self.model.end_state();
        }
        let s = self.begun;
        self.begun += 1;
        self.model.state_lines.push(u32::try_from(number).unwrap_or(u32::MAX));
        let (id, after) = word(rest);
        match id.parse::<u64>() {
            Ok(id) if id == s as u64 => {}
            Ok(id) => {
                return Err((
                    2,
                    format!("state {id}, where state {s} is expected: states are numbered in order"),
                ));
            }
            Err(_) => return Err((2, format!("{} is not a state's number", quoted(id)))),
        }
        let offset = rest.len() - after.len();
        if after.starts_with(['!', '{']) {
            let fault = "a rate or an observation, which an MDP has not".into();
            return Err((offset + 1, fault));
        }
        let after = match after.strip_prefix('[') {
            None => after,
            Some(inside) => {
                let (list, after) = inside.split_once(']').ok_or((offset + 1, "] is missing".to_string()))?;
                self.rewards(list).map_err(|fault| (offset + 2, fault))?;
                for (rewards, &value) in self.model.rewards.iter_mut().zip(&self.values) {
                    if value != 0.0 {
                        rewards.of_states.push((s as u32, value));
                    }
                }
                after
            }
        };
        let mut labels = after.trim_start();
        while !labels.is_empty() {
            let label;
            (label, labels) = match labels.strip_prefix('"') {
                Some(inside) => inside.split_once('"').ok_or_else(|| {
                    (rest.len() - labels.len() + 1, "the quote of this label is not closed".to_string())
                })?,
                None => labels.split_at(labels.find(char::is_whitespace).unwrap_or(labels.len())),
            };
            labels = labels.trim_start();
            let labels_so_far = self.model.labels.len();
            match self.model.labels.get_mut(label) {
                Some(states) if states.last() == Some(&(s as u32)) => {}
                Some(states) => states.push(s as u32),
                None if labels_so_far >= MOST_LABELS => {
                    return Err((1, format!("more than {MOST_LABELS} different labels")));
                }
                None => drop(self.model.labels.insert(label.into(), vec![s as u32])),
            }
        }
        Ok(())
    }

    /// `action NAME [rewards]`
    fn action(&mut self, number: usize, rest: &str) -> Result<(), Fault> {
        if self.begun == 0 {
            return Err((1, "an action before the first state".into()));
        }
        self.end_choice();
        let (name, after) = word(rest);
        self.begin_choice(number, (name != "__NOLABEL__").then_some(name));
        let offset = rest.len() - after.len();
        if after.is_empty() {
            return Ok(());
        }
        let inside = after.strip_prefix('[').ok_or_else(|| {
            (offset + 1, format!("{} where [rewards] or nothing is expected", quoted(after)))
        })?;
        let (list, tail) = inside.split_once(']').ok_or((offset + 1, "] is missing".to_string()))?;
        self.rewards(list).map_err(|fault| (offset + 2, fault))?;
        let choice = self.model.choices() as u32;
        for (rewards, &value) in self.model.rewards.iter_mut().zip(&self.values) {
            if value != 0.0 {
                rewards.of_choices.push((choice, value));
            }
        }
        match tail.trim() {
            "" => Ok(()),
            tail => Err((offset + 2 + list.len(), format!("{} after the rewards", quoted(tail)))),
        }
    }

    fn begin_choice(&mut self, number: usize, name: Option<&str>) {
        let a = self.model.choices() - self.model.first_choice.last().copied().unwrap_or(0);
        match name {
            Some(name) => self.model.actions.push(name, a),
            None => self.model.actions.push_number(),
        }
        self.model.choice_lines.push(u32::try_from(number).unwrap_or(u32::MAX));
        self.in_choice = true;
    }

    pub(super) fn end_choice(&mut self) {
        if std::mem::take(&mut self.in_choice) {
            self.model.end_choice();
        }
    }

    /// `next : probability`
    fn transition(&mut self, number: usize, text: &str) -> Result<(), Fault> {
        let (next, value) = text
            .split_once(':')
            .ok_or_else(|| (1, format!("{} is not a transition \"next : probability\"", quoted(text))))?;
        let (next, value) = (next.trim_end(), value.trim_start());
        let parsed: u32 =
            next.parse().map_err(|_| (1, format!("{} is not a state's number", quoted(next))))?;
        if let Some(states) = self.nr_states.filter(|&states| u64::from(parsed) >= states) {
            return Err((1, format!("next state {parsed} does not exist, @nr_states says {states}")));
        }
        if self.begun == 0 {
            return Err((1, "a transition before the first state".into()));
        }
        let p = self.number(value).map_err(|fault| (text.len() - value.len() + 1, fault))?;
        if !self.in_choice {
            self.begin_choice(number, None);
        }
        self.model.successors.push(parsed);
        self.model.probabilities.push(p);
        Ok(())
    }
}

/// The first word and what follows it, both without spaces around them.
fn word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    (&text[..end], text[end..].trim_start())
}
