//! The best proper policy of a kernel, in f64 and without bounds, for learners that draw one:
//! policy iteration that changes only to actions better beyond rounding, so that every policy stays
//! proper.

use crate::numeric::Grouped;
use crate::numeric::halt::{Cut, Halt};
use crate::numeric::linear::elimination::Elimination;
use crate::problem::{Pair, Problem, State};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Rounds of policy iteration, of which it needs a dozen. Each ends with a proper policy.
const ROUNDS: u64 = 100;
/// The value of a state from which the goal cannot be reached, and the largest there is.
const LOST: f64 = 1e100;
/// The rounding by which a value may grow from one policy to the next, relative to it.
const GROWS: f64 = 1e-9;

struct Priced<'a> {
    problem: &'a Problem,
    costs: &'a [f64],
    /// Per pair: next states in ascending order, with their probabilities.
    rows: &'a [Vec<(State, f64)>],
}

/// The best of a kernel's proper policies.
pub struct Proper {
    /// The pair of each state; none at the goal, and where the goal cannot be reached.
    pub pairs: Vec<Option<Pair>>,
    /// V per state.
    pub v: Vec<f64>,
    /// Q per pair.
    pub q: Vec<f64>,
    /// Policies that were evaluated.
    pub rounds: u64,
}

impl Proper {
    /// The best policy of a kernel, given by the ascending successors of each pair.
    pub fn best(
        problem: &Problem,
        costs: &[f64],
        rows: &[Vec<(State, f64)>],
        halt: &Halt,
    ) -> Result<Proper, Cut> {
        Priced { problem, costs, rows }.best(halt)
    }
}

impl Priced<'_> {
    fn best(&self, halt: &Halt) -> Result<Proper, Cut> {
        let mut pairs = self.nearest();
        let (mut v, mut rounds) = (self.values(&pairs, halt)?, 1);
        while rounds < ROUNDS {
            let better = self.better(&pairs, &v);
            if better == pairs {
                break;
            }
            let values = self.values(&better, halt)?;
            rounds += 1;
            if values.iter().zip(&v).any(|(new, old)| *new > (1.0 + GROWS) * old) {
                // what rounding took for better was not
                break;
            }
            (pairs, v) = (better, values);
        }
        let goal = self.problem.pairs_of(self.problem.goal());
        let mean = |p: Pair| self.rows[p].iter().map(|&(next, w)| w * v[next]).sum::<f64>();
        let q = (0..self.costs.len()).map(|p| if goal.contains(&p) { 0.0 } else { self.costs[p] + mean(p) });
        Ok(Proper { q: q.collect(), pairs, v, rounds })
    }

    fn off_goal(&self) -> impl Iterator<Item = State> + use<> {
        let goal = self.problem.goal();
        (0..self.problem.states()).filter(move |&s| s != goal)
    }

    /// Dijkstra's algorithm from the goal, where a successor costs the pair's cost over its
    /// probability. Every pair may lead to a state settled before, so the policy is proper.
    fn nearest(&self) -> Vec<Option<Pair>> {
        let n = self.problem.states();
        let arcs = |(s, p): (State, Pair)| {
            let row = self.rows[p].iter().filter(|arc| arc.1 > 0.0);
            row.map(move |&(next, w)| (next, (s as u32, p as u32, self.costs[p] / w)))
        };
        let pairs_of = |s: State| self.problem.pairs_of(s).map(move |p| (s, p));
        let into = Grouped::new(n, || self.off_goal().flat_map(pairs_of).flat_map(arcs));
        let (mut pairs, mut settled) = (vec![None; n], vec![false; n]);
        // non-negative numbers have the order of their bits
        let mut heap = BinaryHeap::from([Reverse((0u64, self.problem.goal(), None))]);
        while let Some(Reverse((bits, s, pair))) = heap.pop() {
            if std::mem::replace(&mut settled[s], true) {
                continue;
            }
            pairs[s] = pair;
            for &(from, p, price) in into.of(s) {
                if !settled[from as State] {
                    let price = (f64::from_bits(bits) + price).to_bits();
                    heap.push(Reverse((price, from as State, Some(p as Pair))));
                }
            }
        }
        pairs
    }

    /// The values of a proper policy, those that arithmetic cannot hold as [`LOST`].
    fn values(&self, pairs: &[Option<Pair>], halt: &Halt) -> Result<Vec<f64>, Cut> {
        let goal = self.problem.goal();
        let states: Vec<State> = self.off_goal().collect();
        let row = |at: usize, row: &mut Vec<(u32, f64)>| {
            let s = states[at];
            let Some(p) = pairs[s] else { return 1.0 };
            let mut leaves = 0.0;
            for &(next, w) in self.rows[p].iter().filter(|e| e.1 > 0.0 && e.0 != s) {
                match next == goal {
                    true => leaves += w,
                    false => row.push(((next - usize::from(next > goal)) as u32, w)),
                }
            }
            leaves
        };
        let mut elimination = Elimination::default();
        elimination.heed(halt);
        let mut charge: Vec<f64> = states.iter().map(|&s| pairs[s].map_or(LOST, |p| self.costs[p])).collect();
        let mut x = vec![f64::NAN; charge.len()];
        // without a limit to the work it ends early only where rounding has swallowed the way out, or
        // when asked to
        if elimination.eliminate(states.len(), f64::INFINITY, row) {
            elimination.solve(&mut charge, &mut x);
        }
        halt.check()?;
        let mut v = vec![0.0; self.problem.states()];
        // LOST for NaN
        self.off_goal().zip(x).for_each(|(s, x)| v[s] = x.min(LOST));
        Ok(v)
    }

    /// The policy with the pair that gains most in each state, if one gains more than rounding may.
    fn better(&self, pairs: &[Option<Pair>], v: &[f64]) -> Vec<Option<Pair>> {
        let mut better = pairs.to_vec();
        for s in self.off_goal().filter(|&s| pairs[s].is_some()) {
            let mut most = 0.0;
            for p in self.problem.pairs_of(s).filter(|&p| Some(p) != pairs[s]) {
                let (mut gain, mut leaving, mut rounding) = (-self.costs[p], 0.0, self.costs[p]);
                for &(next, w) in self.rows[p].iter().filter(|e| e.0 != s) {
                    gain += w * (v[s] - v[next]);
                    rounding += w * (v[s] + v[next]);
                    leaving += w;
                }
                if gain > 8.0 * f64::EPSILON * rounding && gain / leaving > most {
                    (most, better[s]) = (gain / leaving, Some(p));
                }
            }
        }
        better
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::Portable;
    use crate::plan::{Options, solve};
    use crate::problem::{Arrays, ProblemBuilder, Truth};
    use proptest::prelude::*;

    type Row = Vec<(State, f64)>;

    /// A problem of these rows, the goal last, so many for each state.
    fn problem(rows: &[Row], each: usize, costs: &[f64]) -> Problem {
        let states = rows.len() / each + 1;
        let ends = |lengths: &mut dyn Iterator<Item = usize>| {
            let mut first = vec![0];
            lengths.for_each(|n| first.push(first[first.len() - 1] + n));
            first
        };
        let arrays = Arrays {
            first_pair: ends(&mut (0..states).map(|s| if s + 1 == states { 0 } else { each })),
            costs: costs.to_vec(),
            first_row: ends(&mut rows.iter().map(Vec::len)),
            successors: rows.iter().flatten().map(|e| e.0 as u32).collect(),
            phi: rows.iter().flatten().map(|e| e.1).collect(),
        };
        let mut builder = ProblemBuilder::of_known("drawn", arrays);
        builder.goal(states - 1).allow_lost();
        builder.build().unwrap()
    }

    fn best(problem: &Problem, rows: &[Row]) -> Proper {
        Proper::best(problem, problem.costs(), rows, &Halt::never()).unwrap()
    }

    /// A loop that costs 0.1 and is left with probability e, or a way that costs 1 and succeeds with
    /// probability f: whichever is nearer to the goal, however far both are.
    #[test]
    fn a_cheap_loop_costs_what_it_costs() {
        for (e, f, dear) in [(1e-12, 1e-9, true), (1e-12, 1e-12, false), (1e-200, 1e-40, true)] {
            let rows = [vec![(0, 1.0 - e), (1, e)], vec![(0, 1.0 - f), (1, f)]];
            let problem = problem(&rows, 2, &[0.1, 1.0]);
            let found = best(&problem, &rows);
            assert_eq!(found.pairs[0], Some(usize::from(dear)), "{e} {f}");
            let v = if dear { 1.0 / f } else { 0.1 / e };
            assert!((found.v[0] / v - 1.0).abs() < 1e-12, "{} {v}", found.v[0]);
        }
        // never left: no policy, whatever it costs
        let rows = [vec![(0, 1.0)], vec![(0, 1.0 - 1e-15), (1, 1e-15)]];
        assert_eq!(best(&problem(&rows, 2, &[1e-9, 1.0]), &rows).pairs[0], Some(1));
    }

    #[test]
    fn a_state_without_a_way_has_a_price() {
        let rows = [vec![(0, 0.5), (1, 0.5)], vec![(0, 0.1), (2, 0.9)], vec![(1, 1.0)], vec![(1, 1.0)]];
        let found = best(&problem(&rows, 2, &[1.0; 4]), &rows);
        assert_eq!((found.pairs[0], found.pairs[1]), (Some(1), None));
        assert!((found.v[0] - 1.0 / 0.9).abs() < 1e-12 && found.v[1] == LOST);
        assert!(found.q.iter().all(|q| q.is_finite()));
    }

    #[test]
    fn it_stops_when_asked() {
        let rows = [vec![(0, 0.5), (1, 0.5)]];
        let problem = problem(&rows, 1, &[1.0]);
        let halt = Halt::new();
        halt.ask();
        assert!(Proper::best(&problem, &[1.0], &rows, &halt).is_err());
    }

    proptest! {
        /// Against the planner with bounds, with probabilities of many sizes.
        #[test]
        fn it_is_what_is_certified(
            exponents in prop::collection::vec(prop::collection::vec(0.0f64..9.0, 6), 15),
            costs in prop::collection::vec(0.01f64..1.0, 15),
        ) {
            let row = |exponents: &Vec<f64>| -> Row {
                let weights: Vec<f64> = exponents.iter().map(|x| (-x * 10f64.log_e()).exp_e()).collect();
                let sum: f64 = weights.iter().sum();
                weights.iter().map(|w| w / sum).enumerate().collect()
            };
            let rows: Vec<Row> = exponents.iter().map(row).collect();
            let problem = problem(&rows, 3, &costs);
            let truth = Truth::new(&problem, &[1.0]).unwrap();
            let certified = solve(&problem, &truth, &Options::exact(1e-12)).unwrap();
            let found = best(&problem, &rows);
            prop_assert!(found.rounds < 20);
            for s in 0..5 {
                let v = certified.v[s];
                prop_assert!((found.v[s] - v).abs() <= 1e-9 * v, "{} {v}", found.v[s]);
                let p = found.pairs[s].unwrap();
                prop_assert!((found.q[p] - v).abs() <= 1e-9 * v);
            }
        }
    }
}
