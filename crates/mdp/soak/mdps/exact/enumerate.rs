//! All stationary policies of a small model one by one, in exact arithmetic: what any planner's
//! interval must contain.
//!
//! A policy's equations, leaving(i) x(i) = b(i) + sum of w(i,j) x(j), are solved by elimination in
//! which nothing is ever subtracted (Grassmann, Taksar and Heyman), with rows multiplied instead of
//! divided: natural numbers are enough. Weights and costs are the f64 that they are; a row is read
//! as divided by its sum.

use super::natural::{Natural, parts};
use std::cmp::Ordering;

/// One action: its cost, and the weights of its successors.
pub(crate) type Action = (f64, Vec<(usize, f64)>);

/// A known model; the goal, its last state, has no actions.
pub(crate) type Model = Vec<Vec<Action>>;

/// An exact value that is not negative.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    Infinite,
    /// above / (below 2^shift).
    Ratio {
        above: Natural,
        below: Natural,
        shift: u32,
    },
}

impl Answer {
    fn whole(x: u64) -> Answer {
        Answer::Ratio { above: Natural::new(x), below: Natural::new(1), shift: 0 }
    }

    pub(crate) fn is_infinite(&self) -> bool {
        matches!(self, Answer::Infinite)
    }

    pub(crate) fn is_zero(&self) -> bool {
        matches!(self, Answer::Ratio { above, .. } if above.is_zero())
    }

    fn compare(&self, other: &Answer) -> Ordering {
        match (self, other) {
            (Answer::Infinite, Answer::Infinite) => Ordering::Equal,
            (Answer::Infinite, _) => Ordering::Greater,
            (_, Answer::Infinite) => Ordering::Less,
            (
                Answer::Ratio { above, below, shift },
                Answer::Ratio { above: other_above, below: other_below, shift: other_shift },
            ) => {
                let (left, right) = (above.mul(other_below), other_above.mul(below));
                left.shifted(*other_shift).compare(&right.shifted(*shift))
            }
        }
    }

    /// Against a number, exactly.
    pub(crate) fn against(&self, x: f64) -> Ordering {
        match x {
            f64::INFINITY if self.is_infinite() => Ordering::Equal,
            f64::INFINITY => Ordering::Less,
            x if x < 0.0 => Ordering::Greater,
            x => {
                let (m, e) = parts(x);
                let (above, shift) = (Natural::new(m).shifted(e.max(0) as u32), (-e).max(0) as u32);
                self.compare(&Answer::Ratio { above, below: Natural::new(1), shift })
            }
        }
    }

    /// Whether lower <= the value <= upper.
    pub(crate) fn within(&self, lower: f64, upper: f64) -> bool {
        !lower.is_nan()
            && !upper.is_nan()
            && self.against(lower) != Ordering::Less
            && self.against(upper) != Ordering::Greater
    }
}

/// Numbers as naturals times a common power of two, 2^-shift.
fn naturals(numbers: &[f64]) -> (Vec<Natural>, u32) {
    let least = numbers.iter().filter(|x| **x > 0.0).map(|&x| parts(x).1).min().unwrap_or(0).min(0);
    let natural = |&x: &f64| {
        let (m, e) = parts(x);
        if m == 0 { Natural::default() } else { Natural::new(m).shifted((e - least) as u32) }
    };
    (numbers.iter().map(natural).collect(), (-least) as u32)
}

/// The value of the last of some nodes: rows of weights to the nodes, weights to elsewhere, and
/// right-hand sides.
fn eliminate(mut rows: Vec<Vec<Natural>>, mut out: Vec<Natural>, mut b: Vec<Natural>) -> (Natural, Natural) {
    let n = rows.len();
    for k in 0..n {
        let leaving = (k + 1..n).fold(out[k].clone(), |sum, j| sum.add(&rows[k][j]));
        if k + 1 == n {
            return (b[k].clone(), leaving);
        }
        for i in k + 1..n {
            let weight = rows[i][k].clone();
            if weight.is_zero() {
                continue;
            }
            let merge = |own: &Natural, other: &Natural| own.mul(&leaving).add(&weight.mul(other));
            for j in (k + 1..n).filter(|&j| j != i) {
                rows[i][j] = merge(&rows[i][j], &rows[k][j]);
            }
            out[i] = merge(&out[i], &out[k]);
            b[i] = merge(&b[i], &b[k]);
        }
    }
    (Natural::default(), Natural::new(1))
}

/// A policy's equations on some states: weights to the goal leave, and so do those to states that
/// are not `inside`. With costs, or with the weight to the goal as the right-hand side.
fn solve(model: &Model, policy: &[usize], inside: &[bool], s: usize, costs: bool) -> Answer {
    let goal = model.len() - 1;
    // s comes last
    let mut nodes: Vec<usize> = (0..goal).filter(|&t| inside[t] && t != s).collect();
    nodes.push(s);
    let paid: Vec<f64> = nodes.iter().map(|&t| model[t][policy[t]].0).collect();
    let (paid, shift) = naturals(&paid);
    let (mut rows, mut out, mut b) = (Vec::new(), Vec::new(), Vec::new());
    for (i, &t) in nodes.iter().enumerate() {
        let next = &model[t][policy[t]].1;
        let (weights, _) = naturals(&next.iter().map(|e| e.1).collect::<Vec<_>>());
        let sum = |wanted: &dyn Fn(usize) -> bool| {
            let chosen = next.iter().zip(&weights).filter(|(e, _)| wanted(e.0));
            chosen.fold(Natural::default(), |sum, (_, w)| sum.add(w))
        };
        rows.push(
            nodes.iter().map(|&u| if u == t { Natural::default() } else { sum(&|v| v == u) }).collect(),
        );
        out.push(sum(&|v| v == goal || !inside[v]));
        b.push(if costs { sum(&|_| true).mul(&paid[i]) } else { sum(&|v| v == goal) });
    }
    let (above, below) = eliminate(rows, out, b);
    Answer::Ratio { above, below, shift: if costs { shift } else { 0 } }
}

/// The best over all stationary policies, per state: least cost over the policies that surely reach
/// the goal, greatest cost (infinite where some policy may miss the goal), greatest probability of
/// reaching it.
pub(crate) fn enumerate(model: &Model) -> [Vec<Answer>; 3] {
    let (states, goal) = (model.len(), model.len() - 1);
    let mut best =
        [vec![Answer::Infinite; states], vec![Answer::whole(0); states], vec![Answer::whole(0); states]];
    (best[0][goal], best[2][goal]) = (Answer::whole(0), Answer::whole(1));
    let mut policy = vec![0; goal];
    loop {
        let next = |s: usize| model[s][policy[s]].1.iter().filter(|e| e.1 > 0.0).map(|e| e.0);
        let (mut hopeful, mut sure) = (vec![false; states], vec![true; states]);
        hopeful[goal] = true;
        (0..states)
            .for_each(|_| (0..goal).for_each(|s| hopeful[s] = hopeful[s] || next(s).any(|t| hopeful[t])));
        (0..goal).for_each(|s| sure[s] = hopeful[s]);
        (0..states).for_each(|_| (0..goal).for_each(|s| sure[s] = sure[s] && next(s).all(|t| sure[t])));
        for s in 0..goal {
            let cost = if sure[s] { solve(model, &policy, &sure, s, true) } else { Answer::Infinite };
            let reach = match (sure[s], hopeful[s]) {
                (true, _) => Answer::whole(1),
                (_, true) => solve(model, &policy, &hopeful, s, false),
                _ => Answer::whole(0),
            };
            if cost.compare(&best[0][s]) == Ordering::Less {
                best[0][s] = cost.clone();
            }
            if cost.compare(&best[1][s]) == Ordering::Greater {
                best[1][s] = cost;
            }
            if reach.compare(&best[2][s]) == Ordering::Greater {
                best[2][s] = reach;
            }
        }
        let Some(s) = (0..goal).find(|&s| policy[s] + 1 < model[s].len()) else { return best };
        policy[s] += 1;
        policy[..s].fill(0);
    }
}
