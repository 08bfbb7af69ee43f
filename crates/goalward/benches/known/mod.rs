//! Generated families of known models for the planner's benchmark.

use goalward::numeric::Stream;
use goalward::problem::{Instance, Problem, ProblemBuilder};

/// What may end a choice besides its successors, with probability [`ENDING`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Nothing.
    Never,
    /// The goal: whatever one does, it comes.
    Goal,
    /// The goal or a trap, by lot: the probability of reaching the goal is something in between.
    Either,
}

/// With one of 64 steps.
const ENDING: f64 = 1.0 / 64.0;

/// A model as it grows. The goal is its last state, the trap the one before, if there is one.
struct Family {
    builder: ProblemBuilder,
    stream: Stream,
    states: usize,
    goal: usize,
    ending: Ending,
}

impl Family {
    /// So many states that have choices.
    fn new(name: &str, states: usize, seed: u64, ending: Ending) -> Family {
        let goal = states + usize::from(ending == Ending::Either);
        let builder = Problem::builder(name, goal + 1, 1 + usize::from(ending == Ending::Either));
        Family { builder, stream: Stream::new(seed, &[states as u64]), states, goal, ending }
    }

    /// A number below a bound.
    fn below(&mut self, bound: usize) -> usize {
        ((self.stream.uniform() * bound as f64) as usize).min(bound - 1)
    }

    /// A choice with equal shares of the probability for every entry.
    fn add(&mut self, s: usize, cost: f64, mut next: Vec<usize>) {
        // few different costs and probabilities, as in models that people write
        let a = self.builder.action(s, (cost * 16.0).round() / 16.0).unwrap();
        let end = match self.ending {
            Ending::Never => None,
            Ending::Goal => Some(self.goal),
            Ending::Either => Some(if self.stream.uniform() < 0.5 { self.goal } else { self.states }),
        };
        let share = if end.is_some() { 1.0 - ENDING } else { 1.0 };
        next.sort_unstable();
        let all = next.len() as f64;
        for group in next.chunk_by(|a, b| a == b) {
            let more = if end == Some(group[0]) { ENDING } else { 0.0 };
            let w = group.len() as f64 / all * share + more;
            self.lead(s, a, group[0], w);
        }
        if let Some(end) = end.filter(|end| !next.contains(end)) {
            self.lead(s, a, end, ENDING);
        }
    }

    /// A transition. Where there is a trap, a second candidate model does the same but there.
    fn lead(&mut self, s: usize, a: usize, next: usize, w: f64) {
        let both = [w, w];
        let models = 1 + usize::from(self.ending == Ending::Either);
        self.builder.feature(s, a, next, &both[..models]).unwrap();
    }

    fn build(mut self) -> Instance {
        if self.ending != Ending::Either {
            return Instance::new(self.builder.build().unwrap(), &[1.0]).unwrap();
        }
        // a problem has a way to the goal in some model: in the second one, which is not the truth
        let (trap, a) = (self.states, self.builder.action(self.states, 1.0).unwrap());
        self.builder.feature(trap, a, trap, &[1.0, 0.0]).unwrap();
        self.builder.feature(trap, a, self.goal, &[0.0, 1.0]).unwrap();
        Instance::new(self.builder.build().unwrap(), &[1.0, 0.0]).unwrap()
    }
}

/// Layers of strongly connected components of ten states each: every state may move within its
/// component, and on to the next one.
pub(crate) fn layered(states: usize, ending: Ending) -> Instance {
    const SIZE: usize = 10;
    let mut family = Family::new("layered", states, 1, ending);
    let goal = family.goal;
    for s in 0..states {
        let first = s / SIZE * SIZE;
        let inside = |s: usize| if s < states { s } else { goal };
        for _ in 0..3 {
            let mut next: Vec<usize> = (0..3).map(|_| inside(first + family.below(SIZE))).collect();
            next.push((s + 1) % SIZE + first);
            next.push(inside(first + SIZE + family.below(SIZE)));
            let cost = 0.5 + family.stream.uniform();
            family.add(s, cost, next);
        }
    }
    family.build()
}

/// Every choice leads to so many states at random; one choice in a hundred has a way to the goal.
pub(crate) fn random(states: usize, actions: usize, successors: usize, ending: Ending) -> Instance {
    let mut family = Family::new("random", states, 2, ending);
    for s in 0..states {
        for _ in 0..actions {
            let mut next: Vec<usize> = (0..successors).map(|_| family.below(states)).collect();
            if family.stream.uniform() < 0.01 {
                next[0] = family.goal;
            }
            let cost = 0.5 + family.stream.uniform();
            family.add(s, cost, next);
        }
    }
    family.build()
}

/// No way back: three choices with four successors each among the next thousand states.
pub(crate) fn acyclic(states: usize, ending: Ending) -> Instance {
    const AHEAD: usize = 1000;
    let mut family = Family::new("acyclic", states, 3, ending);
    for s in 0..states {
        for _ in 0..3 {
            let later = |next: usize, goal: usize| if next < states { next } else { goal };
            let next = (0..4).map(|_| later(s + 1 + family.below(AHEAD), family.goal)).collect();
            let cost = 0.5 + family.stream.uniform();
            family.add(s, cost, next);
        }
    }
    family.build()
}

/// A square grid with slips; the goal is a corner.
pub(crate) fn grid(side: usize) -> Instance {
    let mut family = Family::new("grid", side * side - 1, 0, Ending::Never);
    for s in 0..side * side - 1 {
        let (row, column) = (s / side, s % side);
        let ways = [
            (row.saturating_sub(1), column),
            ((row + 1).min(side - 1), column),
            (row, column.saturating_sub(1)),
            (row, (column + 1).min(side - 1)),
        ];
        let at = |k: usize| ways[k].0 * side + ways[k].1;
        for k in 0..4 {
            let slips = if k < 2 { [2, 3] } else { [0, 1] };
            let next = [at(k), at(k), at(k), at(k), at(k), at(k), at(slips[0]), at(slips[1])];
            family.add(s, 1.0, next.to_vec());
        }
    }
    family.build()
}
