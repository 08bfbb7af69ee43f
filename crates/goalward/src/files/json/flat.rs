//! Lists of lists in flat arrays: an empty list `[],` of a file takes eight bytes, not an
//! allocation of its own.

use crate::problem::{Action, Entry, State};
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
struct Onto<'a, G>(&'a mut G);

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
fn gather<'de, G: Gather, D: Deserializer<'de>>(from: D) -> Result<G, D::Error> {
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

/// Many texts in one.
#[derive(Debug, Default)]
pub(super) struct Names {
    ends: Vec<usize>,
    text: String,
}

impl Names {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn get(&self, i: usize) -> &str {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.text[start..self.ends[i]]
    }

    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|i| self.get(i))
    }

    pub(super) fn to_vec(&self) -> Vec<String> {
        self.iter().map(String::from).collect()
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
        self.0.text.push_str(name);
        self.0.ends.push(self.0.text.len());
        Ok(())
    }
}

impl Gather for Names {
    const WHAT: &str = "a sequence of names";

    fn next<'de, S: SeqAccess<'de>>(&mut self, seq: &mut S) -> Result<bool, S::Error> {
        Ok(seq.next_element_seed(Name(self))?.is_some())
    }
}

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Names, D::Error> {
        gather(from)
    }
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

impl Count for Names {
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
    pub(super) fn get(&self, i: usize) -> &[f64] {
        &self.all[self.range(i)]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &[f64]> {
        (0..self.len()).map(|i| self.get(i))
    }
}

impl Lists<Names> {
    pub(super) fn get(&self, i: usize, k: usize) -> &str {
        self.all.get(self.range(i).start + k)
    }

    pub(super) fn to_vec(&self) -> Vec<Vec<String>> {
        let list = |i: usize| self.range(i).map(|k| self.all.get(k).into()).collect();
        (0..self.len()).map(list).collect()
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

/// Feature rows `[s, a, next, phi]`.
#[derive(Debug, Default)]
pub(super) struct Features {
    pub(super) keys: Vec<(State, Action, State)>,
    pub(super) phi: Lists<Vec<f64>>,
}

/// Reads one feature row to the end of what is there.
struct Feature<'a>(&'a mut Features);

impl<'de> DeserializeSeed<'de> for Feature<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_tuple(4, self)
    }
}

impl<'de> Visitor<'de> for Feature<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a feature [state, action, next, phi]")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<(), S::Error> {
        let mut key = [0; 3];
        for (i, part) in key.iter_mut().enumerate() {
            *part =
                seq.next_element()?.ok_or_else(|| Error::invalid_length(i, &"a feature of four parts"))?;
        }
        if !self.0.phi.next(&mut seq)? {
            return Err(Error::invalid_length(3, &"a feature of four parts"));
        }
        self.0.keys.push((key[0], key[1], key[2]));
        Ok(())
    }
}

impl Gather for Features {
    const WHAT: &str = "a sequence of features";

    fn next<'de, S: SeqAccess<'de>>(&mut self, seq: &mut S) -> Result<bool, S::Error> {
        Ok(seq.next_element_seed(Feature(self))?.is_some())
    }
}

impl<'de> Deserialize<'de> for Features {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Features, D::Error> {
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
        let names: Lists<Names> = serde_json::from_str(r#"[["a", "b\u00e9\n"], [], [""]]"#).unwrap();
        assert_eq!(names.to_vec(), [vec!["a", "bé\n"], vec![], vec![""]]);
        assert_eq!((names.get(0, 1), names.length(1), names.length(2)), ("bé\n", 0, 1));
        let features: Features = serde_json::from_str("[[0, 1, 2, [0.5]], [3, 4, 5, []]]").unwrap();
        assert_eq!((&features.keys[..], features.phi.get(0)), (&[(0, 1, 2), (3, 4, 5)][..], &[0.5][..]));
        for wrong in ["[[0, 1, 2]]", "[[0, 1, 2, [1], 3]]", "[[0, 1, 2, 3]]", "[[0, 1, [1], 2]]", "[1]"] {
            assert!(serde_json::from_str::<Features>(wrong).is_err(), "{wrong}");
        }
        assert!(serde_json::from_str::<Lists<Names>>("[[1]]").is_err());
        let kernel: Entries = serde_json::from_str("[[0, 1, 2, 0.5], [3, 4, 5, 1]]").unwrap();
        assert_eq!(kernel.0, [(0, 1, 2, 0.5), (3, 4, 5, 1.0)]);
        for wrong in ["[[0, 1, 2]]", "[[0, 1, 2, 3, 4]]", "[[0, 1, 2, [3]]]", "[[0, 1, -2, 0.5]]", "[1]"] {
            assert!(serde_json::from_str::<Entries>(wrong).is_err(), "{wrong}");
        }
    }
}
