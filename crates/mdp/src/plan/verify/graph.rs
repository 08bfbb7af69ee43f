//! Which states are lost, decided anew from the arcs of positive weight.

use crate::problem::{Pair, Problem, State, Truth};

pub(super) fn arcs<'a>(
    problem: &'a Problem,
    truth: &'a Truth,
    p: Pair,
) -> impl Iterator<Item = (State, f64)> + 'a {
    let row = problem.successors(p).iter().zip(truth.row(problem, p));
    row.filter(|(_, w)| **w > 0.0).map(|(&next, &w)| (next as State, w))
}

pub(super) struct Predecessors {
    reversed: Vec<(u32, u32)>,
    ends: Vec<usize>,
}

struct Stays {
    pair: Vec<bool>,
    left: Vec<usize>,
}

impl Stays {
    /// In the set of all states every pair does.
    fn new(problem: &Problem) -> Stays {
        let left = (0..problem.states()).map(|s| problem.pairs_of(s).len()).collect();
        Stays { pair: vec![true; problem.pairs()], left }
    }
}

impl Predecessors {
    pub(super) fn new(problem: &Problem, truth: &Truth) -> Predecessors {
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
        Predecessors { reversed, ends }
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

    fn back_from_goal(&self, problem: &Problem, allowed: impl Fn(Pair) -> bool) -> Vec<bool> {
        let mut goal = vec![false; problem.states()];
        goal[problem.goal()] = true;
        self.back_from(goal, allowed)
    }

    /// The states without a proper policy: candidates shrink until the goal can be reached from all
    /// of them by pairs that stay among them.
    pub(super) fn not_sure(&self, problem: &Problem) -> Vec<bool> {
        let mut sure = vec![true; problem.states()];
        let mut stays = Stays::new(problem);
        loop {
            let reached = self.back_from_goal(problem, |p| stays.pair[p]);
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

    /// Removes states and then all without a pair that stays in the set, in one pass over the arcs.
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

    pub(super) fn hopeless(&self, problem: &Problem) -> Vec<bool> {
        self.back_from_goal(problem, |_| true).into_iter().map(|reached| !reached).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::Stream;
    use crate::plan::solve::tests::{Row, problem};

    fn graph(states: usize, rows: &[(State, Vec<(State, f64)>)]) -> (Problem, Truth, Predecessors) {
        let rows: Vec<Row> = rows.iter().map(|(s, next)| (*s, 1.0, &next[..])).collect();
        let (problem, truth) = problem(states, &rows);
        let graph = Predecessors::new(&problem, &truth);
        (problem, truth, graph)
    }

    /// The largest set that a rule leaves as it is, round after round from all states on.
    fn by_rounds(states: usize, rule: impl Fn(&[bool]) -> Vec<bool>) -> Vec<bool> {
        let mut set = vec![true; states];
        loop {
            let next = rule(&set);
            if next == set {
                return set;
            }
            set = next;
        }
    }

    #[test]
    fn lost_states_are_those_of_the_definitions() {
        const STATES: usize = 9;
        let mut stream = Stream::new(5, &[]);
        let mut below = |n: usize| (stream.uniform() * n as f64) as usize;
        let mut lost = [0, 0];
        for _ in 0..2000 {
            let mut rows = Vec::new();
            for s in 0..STATES - 1 {
                for _ in 0..1 + below(3) {
                    let mut next: Vec<State> = (0..1 + below(3)).map(|_| below(STATES)).collect();
                    next.sort_unstable();
                    next.dedup();
                    let w = 1.0 / next.len() as f64;
                    rows.push((s, next.into_iter().map(|s| (s, w)).collect()));
                }
            }
            let (problem, truth, graph) = graph(STATES, &rows);
            let (problem, goal) = (&problem, problem.goal());
            let stays = |set: &[bool], p: Pair| arcs(problem, &truth, p).all(|(next, _)| set[next]);
            let away = by_rounds(STATES, |set| {
                let can = |s: State| problem.pairs_of(s).any(|p| stays(set, p));
                (0..STATES).map(|s| s != goal && set[s] && can(s)).collect()
            });
            let sure = by_rounds(STATES, |set| {
                graph.back_from((0..STATES).map(|s| s == goal).collect(), |p| stays(set, p))
            });
            let (avoids, not_sure) = (graph.avoids(problem), graph.not_sure(problem));
            assert_eq!(avoids, graph.back_from(away, |_| true));
            assert!(not_sure.iter().zip(&sure).all(|(not, sure)| not != sure));
            lost[0] += avoids.iter().filter(|&&lost| lost).count();
            lost[1] += not_sure.iter().filter(|&&lost| lost).count();
        }
        assert!(lost.iter().all(|&lost| (500..17_000).contains(&lost)), "{lost:?}");
    }

    /// Each state follows from the one after it: with a pass over all states for each of them this
    /// would not end.
    #[test]
    fn a_long_line_is_looked_at_once() {
        const STATES: usize = 300_000;
        let (goal, hole) = (STATES - 1, STATES - 2);
        let line = |s: State| (s, vec![(s + 1, 0.5), (if s.is_multiple_of(2) { goal } else { s + 1 }, 0.5)]);
        let rows: Vec<_> = (0..hole).map(line).map(|(s, next)| (s, merged(next))).collect();
        let mut to_goal = rows.clone();
        to_goal.push((hole, vec![(goal, 1.0)]));
        let (problem, _, graph_to_goal) = graph(STATES, &to_goal);
        assert!(!graph_to_goal.avoids(&problem).contains(&true));
        let mut to_hole = rows;
        to_hole.push((hole, vec![(hole, 1.0)]));
        let (problem, _, graph_to_hole) = graph(STATES, &to_hole);
        let lost = graph_to_hole.not_sure(&problem);
        assert!(lost[..goal].iter().all(|&lost| lost) && !lost[goal]);
    }

    /// Each state named once.
    fn merged(mut next: Vec<(State, f64)>) -> Vec<(State, f64)> {
        next.dedup_by(|later, kept| {
            let same = later.0 == kept.0;
            kept.1 += if same { later.1 } else { 0.0 };
            same
        });
        next
    }
}
