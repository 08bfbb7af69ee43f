//! The arcs of a known model, backwards.

use super::possible;
use crate::problem::{Pair, Problem, State, Truth};

/// The arcs backwards: which pairs may lead to a state. The goal's own pairs are left out.
pub struct Backwards {
    first: Vec<usize>,
    pairs: Vec<u32>,
    /// The state of each pair.
    pub(crate) home: Vec<u32>,
}

impl Backwards {
    /// The pairs that lead to each state, by the truth.
    pub fn new(problem: &Problem, truth: &Truth) -> Backwards {
        let (states, goal) = (problem.states(), problem.goal());
        let mut home = vec![goal as u32; problem.pairs()];
        // counted one place too high, so that filling in moves each entry to its place
        let mut first = vec![0usize; states + 2];
        for s in (0..states).filter(|&s| s != goal) {
            for p in problem.pairs_of(s) {
                home[p] = s as u32;
                possible(problem, truth, p).for_each(|(next, _)| first[next + 2] += 1);
            }
        }
        for s in 2..states + 2 {
            first[s] += first[s - 1];
        }
        let mut pairs = vec![0u32; first[states + 1]];
        for s in (0..states).filter(|&s| s != goal) {
            for p in problem.pairs_of(s) {
                for (next, _) in possible(problem, truth, p) {
                    pairs[first[next + 1]] = p as u32;
                    first[next + 1] += 1;
                }
            }
        }
        first.pop();
        Backwards { first, pairs, home }
    }

    /// The pairs that may lead to a state.
    pub(crate) fn into(&self, s: State) -> impl Iterator<Item = Pair> + '_ {
        self.pairs[self.first[s]..self.first[s + 1]].iter().map(|&p| p as Pair)
    }

    /// The states that have a path of usable pairs to a marked state, the marked ones included.
    pub(crate) fn closure(&self, mut marked: Vec<bool>, usable: impl Fn(Pair) -> bool) -> Vec<bool> {
        let mut queue: Vec<u32> = (0..marked.len() as u32).filter(|&s| marked[s as usize]).collect();
        while let Some(next) = queue.pop() {
            for p in self.into(next as State) {
                let s = self.home[p];
                if !marked[s as usize] && usable(p) {
                    marked[s as usize] = true;
                    queue.push(s);
                }
            }
        }
        marked
    }
}
