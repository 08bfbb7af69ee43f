//! Random small models: holes, free loops, ties, probabilities down to 1e-9, rows that do not quite
//! sum to one.

use super::enumerate::{Action, Model};

/// Numbers to draw from.
pub(crate) struct Draw<F: FnMut() -> u64>(pub(crate) F);

impl<F: FnMut() -> u64> Draw<F> {
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (((self.0)() >> 11) % n as u64) as usize
    }

    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// A model of two to six states with up to three actions each.
    pub(crate) fn model(&mut self) -> Model {
        let states = 2 + self.below(5);
        // what the costs and the rows of this model are like
        let (free, tiny) = (self.of(&[0, 4, 8, 10]), self.of(&[0, 3, 8]));
        let mut model: Model = Vec::new();
        let mut policies = 1;
        for _ in 1..states {
            let actions = if policies > 80 { 1 } else { 1 + self.below(3) };
            policies *= actions;
            model.push((0..actions).map(|_| self.action(states, free, tiny)).collect());
        }
        model.push(Vec::new());
        model
    }

    /// `free` of ten actions cost nothing, `tiny` of ten have a small probability.
    fn action(&mut self, states: usize, free: usize, tiny: usize) -> Action {
        let cost = match self.below(10) < free {
            true => 0.0,
            false => self.of(&[0.25, 0.5, 1.0, 1.0, 2.0, 0.1, 1e-3, 1e-6, 7.25]),
        };
        let next = (self.below(states), self.below(states), self.below(states));
        let parts: Vec<(usize, f64)> = if self.below(10) < tiny {
            let p = self.of(&[1e-9, 1e-9, 2e-9, 1e-8, 1e-7, 1e-6, 1e-4, 1e-3]);
            match self.below(3) {
                0 => vec![(next.0, p), (next.1, 1.0 - p)],
                1 => vec![(next.0, p), (next.1, 0.5), (next.2, 0.5 - p)],
                _ => vec![(next.0, p), (next.1, p), (next.2, 1.0 - 2.0 * p)],
            }
        } else {
            match self.below(5) {
                0 => vec![(next.0, 1.0)],
                1 => vec![(next.0, 0.5), (next.1, 0.5)],
                2 => vec![(next.0, 0.125), (next.1, 0.25), (next.2, 0.625)],
                // these do not sum to one in f64
                3 => vec![(next.0, 0.1), (next.1, 0.2), (next.2, 0.7)],
                _ => vec![(next.0, 1.0 / 3.0), (next.1, 2.0 / 3.0)],
            }
        };
        let mut row: Vec<(usize, f64)> = Vec::new();
        for (next, p) in parts {
            match row.iter_mut().find(|e| e.0 == next) {
                Some(entry) => entry.1 += p,
                None => row.push((next, p)),
            }
        }
        (cost, row)
    }
}
