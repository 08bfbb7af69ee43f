//! Lists of lists in flat arrays: an empty list `[],` takes eight bytes and no allocation.

use crate::problem::{ActionLister, ActionNames, Names};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, SeqAccess, Visitor};
use std::fmt;

/// A collection that is read element by element.
pub(super) trait Gather: Default {
    const WHAT: &str;
    fn next<'de, S: SeqAccess<'de>>(&mut self, seq: &mut S) -> Result<bool, S::Error>;
}

/// Appends a list to what is there.
pub(super) struct Onto<'a, G>(pub(super) &'a mut G);

impl<'de, G: Gather> DeserializeSeed<'de> for Onto<'_, G> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de, G: Gather> Visitor<'de> for Onto<'_, G> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(G::WHAT)
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<(), S::Error> {
        while self.0.next(&mut seq)? {}
        Ok(())
    }
}

pub(super) fn gather<'de, G: Gather, D: Deserializer<'de>>(from: D) -> Result<G, D::Error> {
    let mut all = G::default();
    Onto(&mut all).deserialize(from)?;
    Ok(all)
}

impl Gather for Vec<f64> {
    const WHAT: &str = "a sequence of numbers";

    fn next<'de, S: SeqAccess<'de>>(&mut self, seq: &mut S) -> Result<bool, S::Error> {
        let next: Option<f64> = seq.next_element()?;
        self.extend(next);
        Ok(next.is_some())
    }
}

impl Gather for Names {
    const WHAT: &str = "a sequence of names";

    fn next<'de, S: SeqAccess<'de>>(&mut self, seq: &mut S) -> Result<bool, S::Error> {
        let name: Option<String> = seq.next_element()?;
        name.iter().for_each(|name| self.push(name));
        Ok(name.is_some())
    }
}

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Names, D::Error> {
        gather(from)
    }
}

impl Gather for ActionLister {
    const WHAT: &str = "a sequence of lists";

    fn next<'de, S: SeqAccess<'de>>(&mut self, seq: &mut S) -> Result<bool, S::Error> {
        let Some(names) = seq.next_element::<Names>()? else { return Ok(false) };
        names.iter().for_each(|name| self.action(name));
        self.end_state();
        Ok(true)
    }
}

impl<'de> Deserialize<'de> for ActionNames {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<ActionNames, D::Error> {
        gather(from).map(ActionLister::finish)
    }
}

#[derive(Debug, Default)]
pub(super) struct Lists {
    ends: Vec<usize>,
    all: Vec<f64>,
}

impl Lists {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    fn range(&self, i: usize) -> std::ops::Range<usize> {
        (if i == 0 { 0 } else { self.ends[i - 1] })..self.ends[i]
    }

    pub(super) fn length(&self, i: usize) -> usize {
        self.range(i).len()
    }

    /// The numbers, and where the list of each begins and the last one ends.
    pub(super) fn into_parts(self) -> (Vec<usize>, Vec<f64>) {
        let mut first = self.ends;
        first.insert(0, 0);
        (first, self.all)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &[f64]> {
        (0..self.len()).map(|i| &self.all[self.range(i)])
    }
}

impl Gather for Lists {
    const WHAT: &str = "a sequence of lists";

    fn next<'de, S: SeqAccess<'de>>(&mut self, seq: &mut S) -> Result<bool, S::Error> {
        let next = seq.next_element_seed(Onto(&mut self.all))?.is_some();
        if next {
            self.ends.push(self.all.len());
        }
        Ok(next)
    }
}

impl<'de> Deserialize<'de> for Lists {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Lists, D::Error> {
        gather(from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_come_back_as_they_stand() {
        let lists: Lists = serde_json::from_str("[[], [1, 2.5], [], [3]]").unwrap();
        assert_eq!(lists.iter().collect::<Vec<_>>(), [&[][..], &[1.0, 2.5], &[], &[3.0]]);
        let text = r#"[["a", "b\u00e9\n"], [], [""]]"#;
        let actions: ActionNames = serde_json::from_str(text).unwrap();
        assert_eq!(actions.iter().collect::<Vec<_>>(), [vec!["a", "bé\n"], vec![], vec![""]]);
        assert_eq!((actions.get(0, 1), actions.length(1), actions.length(2)), (Some("bé\n"), 0, 1));
        assert!(serde_json::from_str::<ActionNames>("[[1]]").is_err());
        assert!(serde_json::from_str::<Names>("[[]]").is_err());
    }
}
