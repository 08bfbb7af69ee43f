//! Which states are lost, decided anew from the arcs of positive weight.

use crate::problem::{Pair, Problem, State, Truth};

/// The successors of positive weight.
pub(super) fn arcs<'a>(
    problem: &'a Problem,
    truth: &'a Truth,
    p: Pair,
) -> impl Iterator<Item = (State, f64)> + 'a {
    let row = problem.successors(p).iter().zip(truth.row(problem, p));
    row.filter(|(_, w)| **w > 0.0).map(|(&next, &w)| (next as State, w))
}

/// The arcs in reverse, ordered by their ends.
pub(super) struct Graph {
    /// (pair, state).
    reversed: Vec<(u32, u32)>,
    ends: Vec<usize>,
}

/// Which pairs surely stay in a set of states.
struct Stays {
    pair: Vec<bool>,
    /// How many pairs of each state do.
    left: Vec<usize>,
}

impl Stays {
    /// In the set of all states every pair does.
    fn new(problem: &Problem) -> Stays {
        let left = (0..problem.states()).map(|s| problem.pairs_of(s).len()).collect();
        Stays { pair: vec![true; problem.pairs()], left }
    }
}

impl Graph {
    pub(super) fn new(problem: &Problem, truth: &Truth) -> Graph {
        let all = || {
            let off_goal = (0..problem.states()).filter(|&s| s != problem.goal());
            let pairs = off_goal.flat_map(|s| problem.pairs_of(s).map(move |p| (s, p)));
            pairs.flat_map(|(s, p)| arcs(problem, truth, p).map(move |(next, _)| (next, p as u32, s as u32)))
        };
        let mut ends = vec![0; problem.states()];
        all().for_each(|(next, ..)| ends[next] += 1);
        (1..ends.len()).for_each(|s| ends[s] += ends[s - 1]);
        let mut reversed = vec![(0, 0); ends[ends.len() - 1]];
        let mut free = ends.clone();
        for (next, p, s) in all() {
            free[next] -= 1;
            reversed[free[next]] = (p, s);
        }
        Graph { reversed, ends }
    }

    fn leading_to(&self, s: State) -> &[(u32, u32)] {
        &self.reversed[if s == 0 { 0 } else { self.ends[s - 1] }..self.ends[s]]
    }

    pub(super) fn back_from(&self, mut reached: Vec<bool>, allowed: impl Fn(Pair) -> bool) -> Vec<bool> {
        let mut queue: Vec<State> = (0..reached.len()).filter(|&s| reached[s]).collect();
        while let Some(next) = queue.pop() {
            for &(p, s) in self.leading_to(next) {
                if !reached[s as usize] && allowed(p as Pair) {
                    reached[s as usize] = true;
                    queue.push(s as State);
                }
            }
        }
        reached
    }

    /// The states without a policy that surely reaches the goal: shrink the candidates until the
    /// goal can be reached from all of them by pairs that stay among them.
    pub(super) fn not_sure(&self, problem: &Problem) -> Vec<bool> {
        let mut sure = vec![true; problem.states()];
        let mut stays = Stays::new(problem);
        loop {
            let mut goal = vec![false; problem.states()];
            goal[problem.goal()] = true;
            let reached = self.back_from(goal, |p| stays.pair[p]);
            let fallen: Vec<State> = (0..sure.len()).filter(|&s| sure[s] && !reached[s]).collect();
            if fallen.is_empty() {
                return sure.into_iter().map(|sure| !sure).collect();
            }
            self.shrink(&mut sure, &mut stays, fallen);
        }
    }

    /// The states from which some policy may stay away from the goal for ever.
    pub(super) fn avoids(&self, problem: &Problem) -> Vec<bool> {
        let mut away = vec![true; problem.states()];
        let mut stays = Stays::new(problem);
        let leave = |s: &State| *s == problem.goal() || stays.left[*s] == 0;
        let fallen = (0..away.len()).filter(leave).collect();
        self.shrink(&mut away, &mut stays, fallen);
        self.back_from(away, |_| true)
    }

    /// Takes states out of a set, and all that cannot stay in it then: whoever has no pair left
    /// that does. Every arc is looked at once, however many states follow one another.
    fn shrink(&self, set: &mut [bool], stays: &mut Stays, mut fallen: Vec<State>) {
        fallen.iter().for_each(|&s| set[s] = false);
        while let Some(next) = fallen.pop() {
            for &(p, s) in self.leading_to(next) {
                let s = s as State;
                if std::mem::replace(&mut stays.pair[p as Pair], false) {
                    stays.left[s] -= 1;
                    if stays.left[s] == 0 && std::mem::replace(&mut set[s], false) {
                        fallen.push(s);
                    }
                }
            }
        }
    }

    /// The states from which no policy may get to the goal.
    pub(super) fn hopeless(&self, problem: &Problem) -> Vec<bool> {
        let mut goal = vec![false; problem.states()];
        goal[problem.goal()] = true;
        self.back_from(goal, |_| true).into_iter().map(|reached| !reached).collect()
    }
}
