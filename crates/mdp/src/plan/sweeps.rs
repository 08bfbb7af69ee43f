//! Value iteration from zero, for learners whose backup of a pair is a formula of their own.

use crate::numeric::halt::{Cut, Halt};
use crate::problem::{Pair, Problem};

/// When value iteration stops.
#[derive(Clone, Copy, Debug)]
pub struct Stop {
    /// No value changed by more than this in a sweep.
    pub eps: f64,
    /// Some value exceeds this.
    pub limit: f64,
    /// So many sweeps were made.
    pub sweeps: u64,
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Swept {
    /// Q per pair.
    pub q: Vec<f64>,
    /// V per state: the least Q; 0 at the goal.
    pub v: Vec<f64>,
    /// V of the sweep before, which Q is made of.
    pub before: Vec<f64>,
    /// Sweeps over all pairs.
    pub sweeps: u64,
    /// Whether a value exceeded the limit.
    pub exceeded: bool,
}

/// Changes of this size, relative to the values, are rounding.
const ROUNDING: f64 = 1e-14;

/// Q(p) = backup(p, V), V(s) = min_a Q(s,a), V(goal) = 0, from V = 0, each sweep from the values of
/// the one before. A precision below rounding counts as rounding.
pub fn value_iteration(
    problem: &Problem,
    mut backup: impl FnMut(Pair, &[f64]) -> f64,
    stop: Stop,
    halt: &Halt,
) -> Result<Swept, Cut> {
    let goal = problem.goal();
    let zero = vec![0.0; problem.states()];
    let mut swept =
        Swept { q: vec![0.0; problem.pairs()], v: zero.clone(), before: zero, sweeps: 0, exceeded: false };
    loop {
        let (mut change, mut largest) = (0.0f64, 0.0f64);
        for s in (0..problem.states()).filter(|&s| s != goal) {
            // a sweep over dense rows of many states takes seconds
            halt.check()?;
            let mut least = f64::INFINITY;
            for p in problem.pairs_of(s) {
                let q = backup(p, &swept.v);
                swept.q[p] = q;
                least = least.min(q);
            }
            change = change.max((least - swept.v[s]).abs());
            largest = largest.max(least);
            swept.before[s] = least;
        }
        std::mem::swap(&mut swept.v, &mut swept.before);
        swept.sweeps += 1;
        swept.exceeded = largest > stop.limit;
        let still = change <= stop.eps.max(ROUNDING * largest);
        if still || swept.exceeded || swept.sweeps >= stop.sweeps {
            return Ok(swept);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{Matrix3, Vector3};
    use proptest::prelude::*;

    /// Two states in a row, each left with probability 1/2 at cost 1: V = (4, 2).
    fn row() -> Problem {
        let stay = |s: usize| vec![vec![(s, 0.5), (s + 1, 0.5)]];
        let model = vec![stay(0), stay(1), vec![]];
        Problem::from_models(&[("only", model)], &[vec![1.0], vec![1.0], vec![]], 0, 2).unwrap()
    }

    #[test]
    fn it_stops_when_it_should() {
        let problem = row();
        let half = |p: Pair, v: &[f64]| 1.0 + 0.5 * (v[p] + v[p + 1]);
        let never = Stop { eps: 1e-12, limit: f64::INFINITY, sweeps: u64::MAX };
        let swept = value_iteration(&problem, half, never, &Halt::never()).unwrap();
        assert!((swept.v[0] - 4.0).abs() < 1e-10 && (swept.v[1] - 2.0).abs() < 1e-10 && swept.v[2] == 0.0);
        let three = value_iteration(&problem, half, Stop { sweeps: 3, ..never }, &Halt::never()).unwrap();
        assert_eq!((three.sweeps, three.v[1]), (3, 1.75));
        let above = value_iteration(&problem, half, Stop { limit: 3.0, ..never }, &Halt::never()).unwrap();
        assert!(above.exceeded && above.v[0] > 3.0 && above.v[0] < 4.0);
        // a precision that no number has
        assert!(value_iteration(&problem, half, Stop { eps: 0.0, ..never }, &Halt::never()).is_ok());
        let halt = Halt::new();
        halt.ask();
        assert!(value_iteration(&problem, half, never, &halt).is_err());
        // within a sweep: the second state is not looked at any more
        let (halt, mut looked) = (Halt::new(), 0);
        let ask = |_: Pair, _: &[f64]| {
            halt.ask();
            looked += 1;
            1.0
        };
        assert!(value_iteration(&problem, ask, never, &halt).is_err());
        assert_eq!(looked, 1);
    }

    proptest! {
        /// Against all policies, each solved as a linear system, and against sweeps one by one.
        #[test]
        fn the_limit_is_the_best_policys_value(
            weights in prop::collection::vec(prop::collection::vec(0.05..1.0f64, 4), 6),
            costs in prop::collection::vec(0.0..3.0f64, 6),
            few in 1u64..9,
        ) {
            let kernel: Vec<Vec<f64>> = weights
                .iter()
                .map(|row| row.iter().map(|w| w / row.iter().sum::<f64>()).collect())
                .collect();
            let pair = |p: usize| kernel[p].iter().copied().enumerate().collect::<Vec<_>>();
            let model: Vec<_> = (0..3).map(|s| vec![pair(2 * s), pair(2 * s + 1)]).chain([vec![]]).collect();
            let cost: Vec<_> = (0..3).map(|s| costs[2 * s..2 * s + 2].to_vec()).chain([vec![]]).collect();
            let problem = Problem::from_models(&[("only", model)], &cost, 0, 3).unwrap();
            let backup = |p: Pair, v: &[f64]| {
                costs[p] + kernel[p].iter().zip(v).map(|(p, v)| p * v).sum::<f64>()
            };
            let stop = Stop { eps: 0.0, limit: f64::INFINITY, sweeps: u64::MAX };
            let swept = value_iteration(&problem, backup, stop, &Halt::never()).unwrap();
            let mut best = [f64::INFINITY; 3];
            for policy in 0..8 {
                let pair = |s: usize| 2 * s + (policy >> s & 1);
                let system = Matrix3::from_fn(|s, n| f64::from(u8::from(s == n)) - kernel[pair(s)][n]);
                let value = system.lu().solve(&Vector3::from_fn(|s, _| costs[pair(s)])).unwrap();
                (0..3).for_each(|s| best[s] = best[s].min(value[s]));
            }
            (0..3).for_each(|s| assert!((swept.v[s] - best[s]).abs() < 1e-9 * best[s].max(1.0)));
            let swept = value_iteration(&problem, backup, Stop { sweeps: few, ..stop }, &Halt::never()).unwrap();
            let (mut before, mut v) = (vec![0.0; 4], vec![0.0; 4]);
            for _ in 0..swept.sweeps {
                before.clone_from(&v);
                (0..3).for_each(|s| v[s] = backup(2 * s, &before).min(backup(2 * s + 1, &before)));
            }
            prop_assert!(swept.sweeps <= few && swept.v == v && swept.before == before);
            (0..6).for_each(|p| assert_eq!(swept.q[p], backup(p, &before)));
        }
    }
}
