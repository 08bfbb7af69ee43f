//! How often each pair was visited, and where it led: the empirical kernel of tabular learners.

use crate::numeric::stored::{Flaw, ensure};
use crate::problem::{Pair, Problem, State};
use serde::{Deserialize, Serialize};

/// Visits of every pair, and the transitions seen. It grows only with what is seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Visits {
    rows: Vec<Row>,
}

/// What was seen of one pair.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Vec<(u32, u64)>", into = "Vec<(u32, u64)>")]
pub(crate) struct Row {
    n: u64,
    /// Next states with their counts, in the order in which they were first seen.
    seen: Vec<(u32, u64)>,
}

impl From<Vec<(u32, u64)>> for Row {
    fn from(seen: Vec<(u32, u64)>) -> Row {
        Row { n: seen.iter().fold(0, |sum, (_, count)| sum.saturating_add(*count)), seen }
    }
}

impl From<Row> for Vec<(u32, u64)> {
    fn from(row: Row) -> Self {
        row.seen
    }
}

/// Visits, and those of each pair as they were when their number last reached a power of two.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TakenVisits {
    visits: Visits,
    taken: Visits,
}

impl Visits {
    pub(crate) fn new(pairs: usize) -> Visits {
        Visits { rows: vec![Row::default(); pairs] }
    }

    pub(crate) fn take(&mut self, p: Pair, next: State) {
        let row = &mut self.rows[p];
        row.n += 1;
        match row.seen.iter_mut().find(|(s, _)| *s as usize == next) {
            Some((_, count)) => *count += 1,
            None => row.seen.push((next as u32, 1)),
        }
    }

    pub(crate) fn row(&self, p: Pair) -> &Row {
        &self.rows[p]
    }

    /// N(s,a).
    pub(crate) fn n(&self, p: Pair) -> u64 {
        self.rows[p].n
    }

    /// N(s,a) of all pairs.
    pub(crate) fn all(&self) -> Vec<u64> {
        self.rows.iter().map(|row| row.n).collect()
    }

    /// Whether restored ones have a row for every pair, and name no state beyond.
    pub(crate) fn check(&self, problem: &Problem) -> Result<(), Flaw> {
        let (rows, pairs) = (self.rows.len(), problem.pairs());
        ensure(rows == pairs, "visits", || format!("{rows} rows for {pairs} pairs"))?;
        let mut seen = self.rows.iter().flat_map(|row| &row.seen);
        let known = seen.all(|(next, _)| (*next as usize) < problem.states());
        ensure(known, "visits", || "a state that does not exist".into())
    }
}

impl TakenVisits {
    pub(crate) fn new(pairs: usize) -> TakenVisits {
        TakenVisits { visits: Visits::new(pairs), taken: Visits::new(pairs) }
    }

    /// Adds a transition. Whether the pair's visits have reached a power of two.
    pub(crate) fn take(&mut self, p: Pair, next: State) -> bool {
        self.visits.take(p, next);
        let reached = self.visits.n(p).is_power_of_two();
        if reached {
            self.taken.rows[p].clone_from(&self.visits.rows[p]);
        }
        reached
    }

    /// What had been seen of a pair at the last power of two.
    pub(crate) fn row(&self, p: Pair) -> &Row {
        self.taken.row(p)
    }

    pub(crate) fn check(&self, problem: &Problem) -> Result<(), Flaw> {
        self.visits.check(problem)?;
        self.taken.check(problem)
    }
}

impl Row {
    /// N(s,a).
    pub(crate) fn n(&self) -> u64 {
        self.n
    }

    /// The next states with their empirical probabilities N(s,a,s')/N(s,a).
    pub(crate) fn probabilities(&self) -> impl Iterator<Item = (State, f64)> + '_ {
        let n = self.n as f64;
        self.seen.iter().map(move |&(next, count)| (next as State, count as f64 / n))
    }

    /// The next states with their counts.
    pub(crate) fn counts(&self) -> impl Iterator<Item = (State, u64)> + '_ {
        self.seen.iter().map(|&(next, count)| (next as State, count))
    }

    /// The mean of values under the empirical distribution; 0 if nothing was seen.
    pub(crate) fn mean(&self, v: &[f64]) -> f64 {
        let sum: f64 = self.seen.iter().map(|&(next, count)| count as f64 * v[next as usize]).sum();
        if self.n == 0 { 0.0 } else { sum / self.n as f64 }
    }

    /// Mean and variance of values under the empirical distribution; zeros if nothing was seen.
    pub(crate) fn moments(&self, v: &[f64]) -> (f64, f64) {
        let mean = self.mean(v);
        let off = |&(next, count): &(u32, u64)| count as f64 * (v[next as usize] - mean).powi(2);
        let sum: f64 = self.seen.iter().map(off).sum();
        (mean, if self.n == 0 { 0.0 } else { sum / self.n as f64 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Problem;
    use proptest::prelude::*;

    fn problem() -> Problem {
        let model = vec![vec![vec![(1, 0.5), (2, 0.5)], vec![(2, 1.0)]], vec![vec![(2, 1.0)]], vec![]];
        let costs = [vec![1.0, 1.0], vec![1.0], vec![]];
        Problem::from_models(&[("only", model)], &costs, 0, 2).unwrap()
    }

    #[test]
    fn moments_are_those_of_the_sample() {
        let mut visits = Visits::new(3);
        for next in [1, 2, 1, 1, 2] {
            visits.take(0, next);
        }
        let v = [0.0, 2.0, 7.0];
        let (mean, variance) = visits.row(0).moments(&v);
        assert!((mean - 4.0).abs() < 1e-12 && (variance - 6.0).abs() < 1e-12);
        assert_eq!(visits.row(1).moments(&v), (0.0, 0.0));
        assert_eq!(visits.all(), [5, 0, 0]);
        assert_eq!(visits.row(0).probabilities().collect::<Vec<_>>(), [(1, 0.6), (2, 0.4)]);
    }

    #[test]
    fn what_was_stored_comes_back_and_names_states_that_exist() {
        let problem = problem();
        let mut visits = Visits::new(problem.pairs());
        [(0, 2), (0, 1), (0, 2), (1, 2)].iter().for_each(|&(p, next)| visits.take(p, next));
        let stored = serde_json::to_string(&visits).unwrap();
        assert_eq!(stored, "[[[2,2],[1,1]],[[2,1]],[]]");
        let restored = |text: &str| serde_json::from_str::<Visits>(text).unwrap();
        assert_eq!(restored(&stored), visits);
        assert!(visits.check(&problem).is_ok() && restored("[[[0,1]],[],[]]").check(&problem).is_ok());
        for wrong in ["[]", "[[],[]]", "[[],[],[],[]]", "[[[3,1]],[],[]]"] {
            assert!(restored(wrong).check(&problem).is_err(), "{wrong}");
        }
    }

    #[test]
    fn rows_are_taken_over_at_powers_of_two() {
        let mut visits = TakenVisits::new(1);
        let reached: Vec<bool> = (0..6).map(|next| visits.take(0, next % 2)).collect();
        assert_eq!(reached, [true, true, false, true, false, false]);
        assert_eq!((visits.row(0).n(), visits.visits.n(0)), (4, 6));
    }

    proptest! {
        /// Against the list of all steps.
        #[test]
        fn counts_are_those_of_a_list(
            steps in prop::collection::vec((0usize..3, 0usize..3), 0..60),
            v in prop::collection::vec(0.0..9.0f64, 3),
        ) {
            let mut visits = Visits::new(3);
            steps.iter().for_each(|&(p, next)| visits.take(p, next));
            for p in 0..3 {
                let to: Vec<usize> = steps.iter().filter(|x| x.0 == p).map(|x| x.1).collect();
                let n = to.len() as f64;
                prop_assert_eq!(visits.n(p), to.len() as u64);
                for s in 0..3 {
                    let seen = visits.row(p).counts().find(|x| x.0 == s).map_or(0, |x| x.1);
                    prop_assert_eq!(seen, to.iter().filter(|&&next| next == s).count() as u64);
                }
                let (mean, variance) = visits.row(p).moments(&v);
                let average = |f: &dyn Fn(f64) -> f64| to.iter().map(|&s| f(v[s])).sum::<f64>() / n.max(1.0);
                let first = average(&|x| x);
                prop_assert!((mean - first).abs() < 1e-12 && visits.row(p).mean(&v) == mean);
                prop_assert!((variance - average(&|x| (x - first) * (x - first))).abs() < 1e-12);
            }
        }
    }
}
