//! An independent check of a plan's certificate: nothing here is shared with the solvers.
//!
//! With the kernel P = w/S and slack(v) = sum over s' of w (c - v(s) + v(s')), which is S (c + Pv - v):
//!
//! * *Least cost.* L <= V* if slack(L) >= 0 for all pairs that stay among the states that are not lost. V* <= U if U >= 0 and
//!   slack(U) <= 0 under a policy that reaches the goal from all of them.
//! * *Greatest cost.* V <= U if U >= 0 and slack(U) <= 0 for all pairs; L <= V if slack(L) >= 0 under the policy. No policy
//!   may miss the goal.
//! * *Reaching.* Costs are 0 and the goal has value 1. p <= U if U >= 0 and slack(U) <= 0 for all pairs. L <= p if slack(L) >= 0
//!   under the policy, and from wherever L > 0 the policy gets to the goal or to a state where L <= 0.
//!
//! Which states are lost is decided anew. Slacks are summed with twice the digits of f64 and a bound on what is left out.

use super::certified::{Objective, Solution};
use crate::problem::{Pair, Problem, State, Truth};
use std::fmt;

/// What is wrong with a certificate, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// The state.
    pub state: State,
    /// What does not hold there.
    pub claim: &'static str,
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "state {}: {}", self.state, self.claim)
    }
}

/// Checks that the bounds of a solution hold: every inequality with all roundings, and the states that are lost.
pub fn check(problem: &Problem, truth: &Truth, solution: &Solution) -> Result<(), Flaw> {
    let (states, goal) = (problem.states(), problem.goal());
    let check = Check { problem, truth, solution, graph: Graph::new(problem, truth) };
    let mut lost = vec![false; states];
    solution.lost.iter().for_each(|&s| lost[s] = true);
    for s in 0..states {
        let (lower, upper) = (solution.lower[s], solution.upper[s]);
        let known = match (solution.objective, lost[s], s == goal) {
            (Objective::Reach, true, _) => Some(0.0),
            (Objective::Reach, _, true) => Some(1.0),
            (_, true, _) => Some(f64::INFINITY),
            (_, _, true) => Some(0.0),
            _ => None,
        };
        if known.is_some_and(|value| lower != value || upper != value) {
            return Err(Flaw { state: s, claim: "this value is not what the graph says" });
        }
        if lower.is_nan() || upper.is_nan() || upper < 0.0 || lower > upper {
            return Err(Flaw { state: s, claim: "the bounds are not an interval" });
        }
    }
    match solution.objective {
        Objective::Min => {
            check.same(&lost, &check.graph.not_sure(problem, truth))?;
            check.policy(&lost, |s| s == goal)?;
            check.inequalities(&lost, Side::Lower, true)?;
            check.inequalities(&lost, Side::Upper, false)
        }
        Objective::Max => {
            check.same(&lost, &check.graph.avoids(problem, truth))?;
            check.inequalities(&lost, Side::Upper, true)?;
            check.inequalities(&lost, Side::Lower, false)
        }
        Objective::Reach => {
            let none = vec![false; states];
            check.policy(&none, |s| s == goal || solution.lower[s] <= 0.0)?;
            check.inequalities(&none, Side::Upper, true)?;
            check.inequalities(&none, Side::Lower, false)
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Lower,
    Upper,
}

struct Check<'a> {
    problem: &'a Problem,
    truth: &'a Truth,
    solution: &'a Solution,
    graph: Graph,
}

impl Check<'_> {
    fn same(&self, claimed: &[bool], found: &[bool]) -> Result<(), Flaw> {
        match claimed.iter().zip(found).position(|(a, b)| a != b) {
            None => Ok(()),
            Some(state) => Err(Flaw { state, claim: "whether it is lost is claimed wrongly" }),
        }
    }

    fn own_pair(&self, s: State) -> Pair {
        self.problem.pairs_of(s).start + self.solution.policy[s]
    }

    /// From everywhere but the lost states the policy surely avoids them and may get to a state that ends it.
    fn policy(&self, lost: &[bool], ends: impl Fn(State) -> bool) -> Result<(), Flaw> {
        let states = self.problem.states();
        let mut allowed = vec![false; self.problem.pairs()];
        for s in (0..states).filter(|&s| !lost[s] && !ends(s)) {
            let p = self.own_pair(s);
            if !self.problem.pairs_of(s).contains(&p) {
                return Err(Flaw { state: s, claim: "the policy has no such action" });
            }
            if arcs(self.problem, self.truth, p).any(|(next, _)| lost[next]) {
                return Err(Flaw { state: s, claim: "the policy may lose the goal" });
            }
            allowed[p] = true;
        }
        let reached = self.graph.back_from((0..states).map(&ends).collect(), |p| allowed[p]);
        match (0..states).find(|&s| !lost[s] && !reached[s]) {
            None => Ok(()),
            Some(state) => Err(Flaw { state, claim: "the policy never gets to the goal" }),
        }
    }

    /// The inequalities of one side: for all pairs that count, or under the policy.
    fn inequalities(&self, lost: &[bool], side: Side, all: bool) -> Result<(), Flaw> {
        let (problem, solution) = (self.problem, self.solution);
        let reach = solution.objective == Objective::Reach;
        let bound = if side == Side::Lower { &solution.lower } else { &solution.upper };
        let tail = solution.tails.as_ref().map(|t| if side == Side::Lower { &t.0 } else { &t.1 });
        let at = |s: State| (bound[s], tail.map_or(0.0, |tail| tail[s]));
        for s in (0..problem.states()).filter(|&s| s != problem.goal() && !lost[s]) {
            if bound[s] == f64::INFINITY && side == Side::Upper {
                // nothing is claimed
                continue;
            }
            for p in problem.pairs_of(s).filter(|&p| all || p == self.own_pair(s)) {
                if arcs(problem, self.truth, p).any(|(next, _)| lost[next]) {
                    continue;
                }
                let cost = if reach { 0.0 } else { problem.cost(p) };
                let mut sum = Sum::default();
                for (next, w) in arcs(problem, self.truth, p) {
                    sum.add(w, cost);
                    if next != s {
                        let ((high, low), (next_high, next_low)) = (at(s), at(next));
                        let (fall, rest) = difference(next_high, high);
                        sum.add(w, fall);
                        sum.add(w, rest);
                        sum.add(w, next_low);
                        sum.add(w, -low);
                    }
                }
                let (slack, error) = sum.bounds();
                let holds = if side == Side::Lower { slack >= error } else { -slack >= error };
                if !holds {
                    let claim = if side == Side::Lower {
                        "the lower bound is too high"
                    } else {
                        "the upper bound is too low"
                    };
                    return Err(Flaw { state: s, claim });
                }
            }
        }
        Ok(())
    }
}

/// a - b as a sum of two numbers, exactly (Knuth).
fn difference(a: f64, b: f64) -> (f64, f64) {
    let d = a - b;
    let b_part = a - d;
    let a_part = d + b_part;
    (d, (a - a_part) + (b_part - b))
}

/// A sum of products in about twice the digits of f64 (Ogita, Rump and Oishi, Accurate sum and dot product, 2005).
#[derive(Default)]
struct Sum {
    high: f64,
    low: f64,
    size: f64,
    terms: f64,
}

impl Sum {
    fn add(&mut self, x: f64, y: f64) {
        let product = x * y;
        let rest = x.mul_add(y, -product);
        let sum = self.high + product;
        let part = sum - self.high;
        let lost = (self.high - (sum - part)) + (product - part);
        self.high = sum;
        self.low += rest + lost;
        self.size += product.abs() + if y != 0.0 { f64::MIN_POSITIVE } else { 0.0 };
        self.terms += 1.0;
    }

    /// The sum, and a bound on its error: the last rounding, gamma_n^2 times the sum of all sizes (twice that, for the
    /// roundings of the bound itself), and underflow.
    fn bounds(&self) -> (f64, f64) {
        let value = self.high + self.low;
        let unit = self.terms * f64::EPSILON;
        let underflow = if self.size > 0.0 { 1e-305 * self.terms } else { 0.0 };
        (value, 0.5 * unit * unit * self.size + f64::EPSILON * value.abs() + underflow)
    }
}

fn arcs<'a>(problem: &'a Problem, truth: &'a Truth, p: Pair) -> impl Iterator<Item = (State, f64)> + 'a {
    let row = problem.successors(p).iter().zip(truth.row(problem, p));
    row.filter(|(_, w)| **w > 0.0).map(|(&next, &w)| (next as State, w))
}

/// The arcs in reverse, ordered by their ends.
struct Graph {
    /// (pair, state).
    reversed: Vec<(u32, u32)>,
    ends: Vec<usize>,
}

impl Graph {
    fn new(problem: &Problem, truth: &Truth) -> Graph {
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

    fn back_from(&self, mut reached: Vec<bool>, allowed: impl Fn(Pair) -> bool) -> Vec<bool> {
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

    /// The states without a policy that surely reaches the goal: shrink the candidates until the goal can be reached from
    /// all of them by pairs that stay among them.
    fn not_sure(&self, problem: &Problem, truth: &Truth) -> Vec<bool> {
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
    fn avoids(&self, problem: &Problem, truth: &Truth) -> Vec<bool> {
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
}
