//! Lists of lists in flat arrays: an empty list `[],` of a file takes eight bytes, not an
//! allocation of its own.

use crate::problem::{ActionLister, ActionNames, Entry, Names};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, SeqAccess, Visitor};
use std::fmt;

/// Something that elements of a list are added to, one after the other.
pub(super) trait Gather: Default {
    /// What a list of it is called in errors.
    const WHAT: &str;
    /// Reads the next element, if there is one.
    fn next<'de, S: SeqAccess<'de>>(&mut self, seq: &mut S) -> Result<bool, S::Error>;
}

/// Reads a list into what is there.
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

/// Reads a whole list.
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

/// Reads a text to the end of what is there.
struct Name<'a>(&'a mut Names);

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_str(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<(), E> {
        self.0.push(name);
        Ok(())
    }
}

impl Gather for Names {
    const WHAT: &str = "a sequence of names";

    fn next<'de, S: SeqAccess<'de>>(&mut self, seq: &mut S) -> Result<bool, S::Error> {
        Ok(seq.next_element_seed(Name(self))?.is_some())
    }
}

/// Reads names as a field of a document.
pub(super) fn names<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Names>, D::Error> {
    struct Listed(Names);
    impl<'de> Deserialize<'de> for Listed {
        fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Listed, D::Error> {
            gather(from).map(Listed)
        }
    }
    Ok(Option::<Listed>::deserialize(from)?.map(|names| names.0))
}

/// Names by state and action.
#[derive(Debug, Default)]
pub(super) struct ActionLists(ActionLister);

/// Reads the names of a state's actions.
struct ActionList<'a>(&'a mut ActionLister);

impl<'de> DeserializeSeed<'de> for ActionList<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for ActionList<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(Names::WHAT)
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<(), S::Error> {
        while seq.next_element_seed(ActionName(self.0))?.is_some() {}
        self.0.end_state();
        Ok(())
    }
}

/// Reads the name of an action.
struct ActionName<'a>(&'a mut ActionLister);

impl<'de> DeserializeSeed<'de> for ActionName<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_str(self)
    }
}

impl Visitor<'_> for ActionName<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<(), E> {
        self.0.action(name);
        Ok(())
    }
}

impl Gather for ActionLists {
    const WHAT: &str = "a sequence of lists";

    fn next<'de, S: SeqAccess<'de>>(&mut self, seq: &mut S) -> Result<bool, S::Error> {
        Ok(seq.next_element_seed(ActionList(&mut self.0))?.is_some())
    }
}

/// Reads the names of actions as a field of a document.
pub(super) fn action_names<'de, D: Deserializer<'de>>(from: D) -> Result<Option<ActionNames>, D::Error> {
    struct Listed(ActionLists);
    impl<'de> Deserialize<'de> for Listed {
        fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Listed, D::Error> {
            gather(from).map(Listed)
        }
    }
    Ok(Option::<Listed>::deserialize(from)?.map(|lists| lists.0.0.finish()))
}

/// Lists whose elements all stand in one array.
#[derive(Debug, Default)]
pub(super) struct Lists<G> {
    ends: Vec<usize>,
    all: G,
}

/// How many elements there are.
pub(super) trait Count {
    fn count(&self) -> usize;
}

impl Count for Vec<f64> {
    fn count(&self) -> usize {
        self.len()
    }
}

impl<G: Count> Lists<G> {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Where the elements of a list stand.
    fn range(&self, i: usize) -> std::ops::Range<usize> {
        (if i == 0 { 0 } else { self.ends[i - 1] })..self.ends[i]
    }

    /// The length of a list.
    pub(super) fn length(&self, i: usize) -> usize {
        self.range(i).len()
    }
}

impl Lists<Vec<f64>> {
    /// The numbers, and where the list of each begins and the last one ends.
    pub(super) fn into_parts(self) -> (Vec<usize>, Vec<f64>) {
        let mut first = self.ends;
        first.insert(0, 0);
        (first, self.all)
    }

    pub(super) fn get(&self, i: usize) -> &[f64] {
        &self.all[self.range(i)]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &[f64]> {
        (0..self.len()).map(|i| self.get(i))
    }
}

impl<G: Gather + Count> Gather for Lists<G> {
    const WHAT: &str = "a sequence of lists";

    fn next<'de, S: SeqAccess<'de>>(&mut self, seq: &mut S) -> Result<bool, S::Error> {
        let next = seq.next_element_seed(Onto(&mut self.all))?.is_some();
        if next {
            self.ends.push(self.all.count());
        }
        Ok(next)
    }
}

impl<'de, G: Gather + Count> Deserialize<'de> for Lists<G> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Lists<G>, D::Error> {
        gather(from)
    }
}

/// Probabilities `[s, a, next, p]` of a kernel.
#[derive(Debug, Default)]
pub(super) struct Entries(pub(super) Vec<Entry>);

/// Reads one of them.
struct Probability;

impl<'de> DeserializeSeed<'de> for Probability {
    type Value = Entry;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Entry, D::Error> {
        from.deserialize_tuple(4, self)
    }
}

impl<'de> Visitor<'de> for Probability {
    type Value = Entry;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a probability [state, action, next, p]")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<Entry, S::Error> {
        let short = |i| Error::invalid_length(i, &"a probability [state, action, next, p]");
        let mut key = [0; 3];
        for (i, part) in key.iter_mut().enumerate() {
            *part = seq.next_element()?.ok_or_else(|| short(i))?;
        }
        let p = seq.next_element()?.ok_or_else(|| short(3))?;
        Ok((key[0], key[1], key[2], p))
    }
}

impl Gather for Entries {
    const WHAT: &str = "a sequence of probabilities [state, action, next, p]";

    fn next<'de, S: SeqAccess<'de>>(&mut self, seq: &mut S) -> Result<bool, S::Error> {
        let next = seq.next_element_seed(Probability)?;
        self.0.extend(next);
        Ok(next.is_some())
    }
}

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Entries, D::Error> {
        gather(from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_come_back_as_they_stand() {
        let lists: Lists<Vec<f64>> = serde_json::from_str("[[], [1, 2.5], [], [3]]").unwrap();
        assert_eq!(lists.iter().collect::<Vec<_>>(), [&[][..], &[1.0, 2.5], &[], &[3.0]]);
        let text = r#"[["a", "b\u00e9\n"], [], [""]]"#;
        let actions = action_names(&mut serde_json::Deserializer::from_str(text)).unwrap().unwrap();
        assert_eq!(actions.iter().collect::<Vec<_>>(), [vec!["a", "bé\n"], vec![], vec![""]]);
        assert_eq!((actions.get(0, 1), actions.length(1), actions.length(2)), (Some("bé\n"), 0, 1));
        assert!(action_names(&mut serde_json::Deserializer::from_str("[[1]]")).is_err());
        assert!(names(&mut serde_json::Deserializer::from_str("[[]]")).is_err());
        assert!(names(&mut serde_json::Deserializer::from_str("null")).unwrap().is_none());
        let kernel: Entries = serde_json::from_str("[[0, 1, 2, 0.5], [3, 4, 5, 1]]").unwrap();
        assert_eq!(kernel.0, [(0, 1, 2, 0.5), (3, 4, 5, 1.0)]);
        for wrong in ["[[0, 1, 2]]", "[[0, 1, 2, 3, 4]]", "[[0, 1, 2, [3]]]", "[[0, 1, -2, 0.5]]", "[1]"] {
            assert!(serde_json::from_str::<Entries>(wrong).is_err(), "{wrong}");
        }
    }
}
