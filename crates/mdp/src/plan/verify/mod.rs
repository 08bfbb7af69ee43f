//! An independent check of a plan's certificate: only exact sums are shared with the solvers. With
//! P = w/S and slack(v) = sum over s' of w (c - v(s) + v(s')):
//!
//! * *Least cost.* L <= V* if slack(L) >= 0 for all pairs that stay off the lost states. V* <= U if
//!   U >= 0 and slack(U) <= 0 under a policy that reaches the goal from all of them.
//! * *Greatest cost.* V <= U if U >= 0 and slack(U) <= 0 for all pairs; L <= V if slack(L) >= 0
//!   under the policy. No policy may miss the goal.
//! * *Reaching.* Costs are 0 and the goal has value 1. p <= U if U >= 0 and slack(U) <= 0 for all
//!   pairs. L <= p if slack(L) >= 0 under the policy, which gets from wherever L > 0 to the goal or
//!   to L <= 0.
//!
//! L and U are the bounds with their tails, digits beyond f64 that may only make a proof stricter.
//! Slacks are summed with twice the digits of f64, and exactly where that does not decide. Whatever
//! a certificate holds, it is refused, or its bounds are true.

mod graph;
mod sum;

use super::answer::{Answer, Objective};
use super::units::scaled;
use crate::numeric::linear::expansion::{Expansion, two_sum};
use crate::problem::{Pair, Problem, State, Truth};
use graph::{Predecessors, arcs};
use std::cmp::Ordering;
use std::fmt;
use sum::Sum;

/// The exponents of the largest number of an inequality in units of its own, and of these units at
/// most.
const LARGE: i32 = 900;
const MOST: i32 = 1000;

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

/// Checks all claims of an answer: form, lost states, policy, and every inequality.
pub fn verify(problem: &Problem, truth: &Truth, answer: &Answer) -> Result<(), Flaw> {
    let Some((problem, scale)) = scaled(problem, answer.objective) else {
        return verify_in_units(problem, truth, answer);
    };
    let mut answer = answer.clone();
    for list in [&mut answer.lower, &mut answer.upper, &mut answer.v] {
        for (state, x) in list.iter_mut().enumerate() {
            let finite = x.is_finite();
            *x *= scale;
            if finite && x.is_infinite() {
                return Err(Flaw { state, claim: "the bounds are not an interval" });
            }
        }
    }
    verify_in_units(&problem, truth, &answer)
}

/// The same for costs that leave room below them.
fn verify_in_units(problem: &Problem, truth: &Truth, answer: &Answer) -> Result<(), Flaw> {
    let (states, goal) = (problem.states(), problem.goal());
    let lost = form(problem, answer)?;
    let check = Check { problem, truth, answer, graph: Predecessors::new(problem, truth) };
    check.values(&lost)?;
    match answer.objective {
        Objective::Min => {
            check.same(&lost, &check.graph.not_sure(problem))?;
            check.policy(&lost, |s| s == goal)?;
            check.inequalities(&lost, Bound::Lower, false)?;
            check.inequalities(&lost, Bound::Upper, true)
        }
        Objective::Max => {
            check.same(&lost, &check.graph.avoids(problem))?;
            check.inequalities(&lost, Bound::Upper, false)?;
            check.inequalities(&lost, Bound::Lower, true)
        }
        Objective::Reach => {
            check.same(&lost, &check.graph.hopeless(problem))?;
            let none = vec![false; states];
            let nothing = |s: State| {
                check.sign(Bound::Lower, s, check.bound(Bound::Lower, s)).is_some_and(Ordering::is_le)
            };
            check.policy(&none, |s| s == goal || nothing(s))?;
            check.inequalities(&none, Bound::Upper, false)?;
            check.inequalities(&none, Bound::Lower, true)
        }
    }
}

/// Checks the lengths and numbers; returns which states are claimed to be lost.
fn form(problem: &Problem, answer: &Answer) -> Result<Vec<bool>, Flaw> {
    let states = problem.states();
    let mut lengths = vec![answer.lower.len(), answer.upper.len(), answer.v.len(), answer.policy.len()];
    if let Some((lower, upper)) = &answer.tails {
        lengths.extend(lower.iter().chain(upper).map(Vec::len));
    }
    if let Some(&length) = lengths.iter().find(|&&length| length != states) {
        return Err(Flaw { state: length.min(states), claim: "there must be one entry for each state" });
    }
    let mut lost = vec![false; states];
    for (k, &s) in answer.lost.iter().enumerate() {
        if s >= states || (k > 0 && s <= answer.lost[k - 1]) {
            return Err(Flaw { state: s, claim: "the lost states are not states in ascending order" });
        }
        lost[s] = true;
    }
    for s in 0..states {
        let actions = problem.pairs_of(s).len();
        let needed = s != problem.goal() && !lost[s];
        // a state that needs no action has number 0, whether it has one or not
        if answer.policy[s] >= if needed { actions } else { actions.max(1) } {
            return Err(Flaw { state: s, claim: "the policy has no such action" });
        }
    }
    Ok(lost)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Bound {
    Lower,
    Upper,
}

struct Check<'a> {
    problem: &'a Problem,
    truth: &'a Truth,
    answer: &'a Answer,
    graph: Predecessors,
}

impl Check<'_> {
    fn bound(&self, side: Bound, s: State) -> f64 {
        if side == Bound::Lower { self.answer.lower[s] } else { self.answer.upper[s] }
    }

    fn tails(&self, side: Bound) -> &[Vec<f64>] {
        let tails = self.answer.tails.as_ref();
        tails.map_or(&[], |tails| if side == Bound::Lower { &tails.0 } else { &tails.1 })
    }

    /// The sign of a number with the tails of a bound; none if they are not finite.
    fn sign(&self, side: Bound, s: State, number: f64) -> Option<Ordering> {
        if self.tails(side).is_empty() {
            return number.partial_cmp(&0.0).filter(|_| number.is_finite());
        }
        let mut sum = Expansion::default();
        sum.add(number);
        self.tails(side).iter().for_each(|tail| sum.add(tail[s]));
        sum.sign()
    }

    /// Intervals contain their value, graph values are right, and tails claim no less.
    fn values(&self, lost: &[bool]) -> Result<(), Flaw> {
        let reach = self.answer.objective == Objective::Reach;
        for s in 0..self.problem.states() {
            let flaw = |claim: &'static str| Err(Flaw { state: s, claim });
            let (lower, upper) = (self.bound(Bound::Lower, s), self.bound(Bound::Upper, s));
            let known = match (lost[s], s == self.problem.goal()) {
                (true, _) => Some(if reach { 0.0 } else { f64::INFINITY }),
                (_, true) => Some(if reach { 1.0 } else { 0.0 }),
                _ => None,
            };
            let (below, above) = (self.sign(Bound::Lower, s, 0.0), self.sign(Bound::Upper, s, 0.0));
            let exact = below == Some(Ordering::Equal) && above == Some(Ordering::Equal);
            if known.is_some_and(|value| lower != value || upper != value || !exact) {
                return flaw("this value is not what the graph says");
            }
            if known.is_none() && !(lower.is_finite() && upper >= 0.0 && lower <= upper) {
                return flaw("the bounds are not an interval");
            }
            if !(lower <= self.answer.v[s] && self.answer.v[s] <= upper) {
                return flaw("the value is not between its bounds");
            }
            let stricter = below.is_some_and(Ordering::is_ge) && above.is_some_and(Ordering::is_le);
            let negative = upper.is_finite() && self.sign(Bound::Upper, s, upper) == Some(Ordering::Less);
            if !stricter || negative {
                return flaw("what proves a bound is weaker than the bound");
            }
        }
        Ok(())
    }

    fn same(&self, claimed: &[bool], found: &[bool]) -> Result<(), Flaw> {
        match claimed.iter().zip(found).position(|(a, b)| a != b) {
            None => Ok(()),
            Some(state) => Err(Flaw { state, claim: "whether it is lost is claimed wrongly" }),
        }
    }

    fn own_pair(&self, s: State) -> Pair {
        self.problem.pairs_of(s).start + self.answer.policy[s]
    }

    /// Off the lost states the policy surely avoids them and may get to a state that ends it.
    fn policy(&self, lost: &[bool], ends: impl Fn(State) -> bool) -> Result<(), Flaw> {
        let states = self.problem.states();
        let mut allowed = vec![false; self.problem.pairs()];
        for s in (0..states).filter(|&s| !lost[s] && !ends(s)) {
            let p = self.own_pair(s);
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

    fn inequalities(&self, lost: &[bool], side: Bound, under_policy: bool) -> Result<(), Flaw> {
        let problem = self.problem;
        for s in (0..problem.states()).filter(|&s| s != problem.goal() && !lost[s]) {
            if side == Bound::Upper && self.answer.upper[s] == f64::INFINITY {
                // nothing is claimed
                continue;
            }
            let own = self.own_pair(s);
            for p in if under_policy { own..own + 1 } else { problem.pairs_of(s) } {
                if arcs(problem, self.truth, p).any(|(next, _)| lost[next]) {
                    continue;
                }
                if !self.holds(side, s, p) {
                    let claim = match side {
                        Bound::Lower => "the lower bound is too high",
                        Bound::Upper => "the upper bound is too low",
                    };
                    return Err(Flaw { state: s, claim });
                }
            }
        }
        Ok(())
    }

    fn holds(&self, side: Bound, s: State, p: Pair) -> bool {
        let cost = match self.answer.objective {
            Objective::Reach => 0.0,
            Objective::Min | Objective::Max => self.problem.cost(p),
        };
        let (own, tails) = (self.bound(side, s), self.tails(side));
        let sigma = if side == Bound::Lower { 1.0 } else { -1.0 };
        let mut sum = Sum::default();
        for (next, w) in arcs(self.problem, self.truth, p) {
            sum.add(w, cost);
            if next != s {
                // differences without a rounding: nothing is left where the values are the same
                let mut rise = |next: f64, own: f64| {
                    let (rise, rest) = two_sum(next, -own);
                    sum.add(w, rise);
                    sum.add(w, rest);
                };
                rise(self.bound(side, next), own);
                tails.iter().for_each(|tail| rise(tail[next], tail[s]));
            }
        }
        let (slack, error) = sum.bounds();
        if sigma * slack >= error {
            return true;
        }
        // too close to be sure: the same sum exactly
        if (sigma * slack).is_nan() || sigma * slack < -error {
            return false;
        }
        let unit = self.unit(side, s, p, cost);
        let mut sum = Expansion::default();
        for (next, w) in arcs(self.problem, self.truth, p) {
            sum.add_product(w, unit * cost);
            if next != s {
                sum.add_product(w, unit * self.bound(side, next));
                sum.add_product(-w, unit * own);
                for tail in tails {
                    sum.add_product(w, unit * tail[next]);
                    sum.add_product(-w, unit * tail[s]);
                }
            }
        }
        sum.sure_on_side(sigma)
    }

    /// A power of two that makes the largest number of an inequality large, so that products of the
    /// others do not underflow.
    fn unit(&self, side: Bound, s: State, p: Pair, cost: f64) -> f64 {
        let of = |s: State| self.bound(side, s).abs();
        let largest = arcs(self.problem, self.truth, p).fold(cost.max(of(s)), |most, (n, _)| most.max(of(n)));
        let exponent = (largest.to_bits() >> 52) as i32 - 1023;
        2f64.powi((LARGE - exponent).clamp(0, MOST))
    }
}

#[cfg(test)]
mod laws;
