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
    pub(super) fn not_sure(&self, problem: &Problem, truth: &Truth) -> Vec<bool> {
        let mut sure = vec![true; problem.states()];
        loop {
            let mut stays = vec![true; problem.pairs()];
            for p in 0..problem.pairs() {
                stays[p] = arcs(problem, truth, p).all(|(next, _)| sure[next]);
            }
            let mut goal = vec![false; problem.states()];
            goal[problem.goal()] = true;
            let reached = self.back_from(goal, |p| stays[p]);
            if reached == sure {
                return sure.into_iter().map(|sure| !sure).collect();
            }
            sure = reached;
        }
    }

    /// The states from which some policy may stay away from the goal for ever.
    pub(super) fn avoids(&self, problem: &Problem, truth: &Truth) -> Vec<bool> {
        let mut away = vec![true; problem.states()];
        away[problem.goal()] = false;
        loop {
            let stays =
                |s: State| problem.pairs_of(s).any(|p| arcs(problem, truth, p).all(|(next, _)| away[next]));
            let still: Vec<bool> = (0..away.len()).map(|s| away[s] && stays(s)).collect();
            if still == away {
                return self.back_from(away, |_| true);
            }
            away = still;
        }
    }

    /// The states from which no policy may get to the goal.
    pub(super) fn hopeless(&self, problem: &Problem) -> Vec<bool> {
        let mut goal = vec![false; problem.states()];
        goal[problem.goal()] = true;
        self.back_from(goal, |_| true).into_iter().map(|reached| !reached).collect()
    }
}
