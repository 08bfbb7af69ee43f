//! The feature rows of a problem file, in arrays that can become the problem's.

use super::flat::{Gather, Onto, gather};
use crate::problem::{Action, Arrays, State};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, SeqAccess, Visitor};
use std::fmt;

type Key = (State, Action, State);

/// Feature rows `[s, a, next, phi]`.
#[derive(Debug, Default)]
pub(super) struct Features {
    states: Vec<u32>,
    actions: Vec<u32>,
    /// The next states: an array of its own, since it becomes the problem's.
    successors: Vec<u32>,
    numbers: Vec<f64>,
    width: usize,
    /// Where each row ends, once one is of another length than the first.
    ends: Option<Vec<usize>>,
}

impl Features {
    pub(super) fn len(&self) -> usize {
        self.states.len()
    }

    pub(super) fn key(&self, i: usize) -> Key {
        (self.states[i] as State, self.actions[i] as Action, self.successors[i] as State)
    }

    pub(super) fn phi(&self, i: usize) -> &[f64] {
        let range = match &self.ends {
            None => i * self.width..(i + 1) * self.width,
            Some(ends) => (if i == 0 { 0 } else { ends[i - 1] })..ends[i],
        };
        &self.numbers[range]
    }

    /// Whether they stand by state, action and next state, none of them twice.
    pub(super) fn ascend(&self) -> bool {
        (1..self.len()).all(|i| self.key(i - 1) < self.key(i))
    }

    /// Takes the numbers that were read last for a row.
    fn end_row(&mut self, [s, a, next]: [u32; 3]) {
        let i = self.len();
        let from = self.ends.as_ref().map_or(i * self.width, |ends| ends.last().copied().unwrap_or(0));
        let length = self.numbers.len() - from;
        if i == 0 {
            self.width = length;
        }
        if length != self.width && self.ends.is_none() {
            self.ends = Some((1..=i).map(|row| row * self.width).collect());
        }
        if let Some(ends) = &mut self.ends {
            ends.push(self.numbers.len());
        }
        self.states.push(s);
        self.actions.push(a);
        self.successors.push(next);
    }

    pub(super) fn append(&mut self, mut other: Features) {
        if self.len() == 0 {
            *self = other;
            return;
        }
        if other.width == self.width && self.ends.is_none() && other.ends.is_none() {
            self.states.append(&mut other.states);
            self.actions.append(&mut other.actions);
            self.successors.append(&mut other.successors);
            self.numbers.append(&mut other.numbers);
            return;
        }
        (0..other.len()).for_each(|i| self.push(&other, i));
    }

    fn push(&mut self, other: &Features, i: usize) {
        self.numbers.extend_from_slice(other.phi(i));
        self.end_row([other.states[i], other.actions[i], other.successors[i]]);
    }

    /// The rows by state, action and successor.
    pub(super) fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.sort_by_key(|&i| self.key(i));
        order
    }

    /// The same in that order.
    pub(super) fn sorted(self) -> Features {
        if self.ascend() {
            return self;
        }
        let mut sorted = Features::default();
        self.order().into_iter().for_each(|i| sorted.push(&self, i));
        sorted
    }

    /// The arrays of a problem with these costs, if all rows are sound and ascend; no zero rows.
    pub(super) fn into_arrays(self, first_pair: Vec<usize>, costs: Vec<f64>) -> Arrays {
        let Features { states, actions, mut successors, mut numbers, width, .. } = self;
        let mut first_row = Vec::with_capacity(costs.len() + 1);
        let mut kept = 0;
        for (i, (&s, &a)) in states.iter().zip(&actions).enumerate() {
            let row = i * width..(i + 1) * width;
            if numbers[row.clone()].iter().all(|&x| x == 0.0) {
                continue;
            }
            if kept < i {
                numbers.copy_within(row, kept * width);
                successors[kept] = successors[i];
            }
            first_row.resize(first_pair[s as usize] + a as usize + 1, kept);
            kept += 1;
        }
        first_row.resize(costs.len() + 1, kept);
        successors.truncate(kept);
        numbers.truncate(kept * width);
        Arrays { first_pair, costs, first_row, successors, phi: numbers }
    }
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
        let short = |i| Error::invalid_length(i, &"a feature of four parts");
        let mut key = [0; 3];
        for (i, part) in key.iter_mut().enumerate() {
            *part = seq.next_element()?.ok_or_else(|| short(i))?;
        }
        seq.next_element_seed(Onto(&mut self.0.numbers))?.ok_or_else(|| short(3))?;
        self.0.end_row(key);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Features {
        serde_json::from_str(text).unwrap()
    }

    fn listed(features: &Features) -> Vec<(Key, Vec<f64>)> {
        (0..features.len()).map(|i| (features.key(i), features.phi(i).to_vec())).collect()
    }

    #[test]
    fn rows_come_back_whatever_their_lengths_and_numbers() {
        let features = of("[[0, 1, 2, [0.5]], [3, 4, 5, []], [0, 0, 5, [1, 2]]]");
        let expected = [((0, 1, 2), vec![0.5]), ((3, 4, 5), vec![]), ((0, 0, 5), vec![1.0, 2.0])];
        assert_eq!(listed(&features), expected);
        assert!(!features.ascend() && of("[[0,0,1,[1]],[0,1,0,[1]]]").ascend());
        let wide = "[[0, 1, 5000000000, [1]]]";
        for wrong in ["[[0, 1, 2]]", "[[0, 1, 2, [1], 3]]", "[[0, 1, 2, 3]]", "[[0, 1, [1], 2]]", wide] {
            assert!(serde_json::from_str::<Features>(wrong).is_err(), "{wrong}");
        }
        assert!(!of("[[0,0,1,[1]],[0,0,1,[1]]]").ascend());
    }

    #[test]
    fn appending_is_reading_on() {
        let parts = ["[[0,1,2,[1]]]", "[]", "[[3,4,5,[2]],[6,7,8,[3]]]", "[[1,1,1,[]]]", "[[9,9,6,[4]]]"];
        let mut all = Features::default();
        parts.iter().for_each(|part| all.append(of(part)));
        let expected: Vec<_> = parts.iter().flat_map(|part| listed(&of(part))).collect();
        assert_eq!(listed(&all), expected);
    }

    #[test]
    fn arrays_leave_rows_of_zeros_out() {
        let features = of("[[0,0,0,[0,0]],[0,0,1,[1,2]],[2,1,0,[3,4]],[2,1,1,[0,0]],[2,1,2,[5,6]]]");
        let arrays = features.into_arrays(vec![0, 1, 1, 3], vec![1.0, 2.0, 3.0]);
        assert_eq!((&arrays.first_row[..], &arrays.successors[..]), (&[0, 1, 1, 3][..], &[1, 0, 2][..]));
        assert_eq!(arrays.phi, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    }
}
