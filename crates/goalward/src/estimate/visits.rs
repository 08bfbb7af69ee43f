//! How often each pair was visited, and where it led: the empirical kernel of tabular learners.

use crate::numeric::stored::{Flaw, MOST, at_most, ensure};
use crate::problem::{Pair, Problem, State};

/// Visits of every pair, and the transitions seen. It grows only with what is seen.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Visits {
    rows: Vec<Row>,
}

/// What was seen of one pair.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Row {
    n: u64,
    /// Next states with their counts, in the order in which they were first seen.
    seen: Vec<(u32, u64)>,
}

/// Visits as they are stored: a pair that was visited, with its next states and their counts.
pub(crate) type Stored = Vec<(Pair, Vec<(u32, u64)>)>;

impl Visits {
    /// Nothing was seen yet.
    pub(crate) fn new(pairs: usize) -> Visits {
        Visits { rows: vec![Row::default(); pairs] }
    }

    /// Takes a transition in.
    pub(crate) fn take(&mut self, p: Pair, next: State) {
        let row = &mut self.rows[p];
        row.n += 1;
        match row.seen.iter_mut().find(|(s, _)| *s as usize == next) {
            Some((_, count)) => *count += 1,
            None => row.seen.push((next as u32, 1)),
        }
    }

    /// What was seen of a pair.
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

    /// Takes over what others have seen of one pair.
    pub(crate) fn copy(&mut self, p: Pair, of: &Visits) {
        self.rows[p].clone_from(&of.rows[p]);
    }

    /// Whether numbers of visits can be those of an earlier time.
    pub(crate) fn check_before(&self, before: &[u64]) -> Result<(), Flaw> {
        let known = before.len() == self.rows.len();
        ensure(known, "before", || format!("{} pairs, not {}", before.len(), self.rows.len()))?;
        let mut both = before.iter().zip(&self.rows);
        both.try_for_each(|(n, row)| at_most("before", *n, row.n, "the visits of the pair"))
    }

    /// As it is stored.
    pub(crate) fn stored(&self) -> Stored {
        let visited = self.rows.iter().enumerate().filter(|(_, row)| row.n > 0);
        visited.map(|(p, row)| (p, row.seen.clone())).collect()
    }

    /// Back from what was stored, if it can be of this problem and of so many steps. `listed`:
    /// whether every next state must be one that the problem lists.
    pub(crate) fn restored(
        stored: &Stored,
        problem: &Problem,
        steps: u64,
        listed: bool,
    ) -> Result<Visits, Flaw> {
        let mut visits = Visits::new(problem.pairs());
        let mut total = 0u64;
        for (p, seen) in stored {
            ensure(*p < problem.pairs(), "pair", || format!("{p} of {}", problem.pairs()))?;
            let row = &mut visits.rows[*p];
            ensure(row.seen.is_empty() && !seen.is_empty(), "pair", || {
                format!("{p} is there twice, or never went anywhere")
            })?;
            for &(next, count) in seen {
                let known = match listed {
                    true => problem.successors(*p).contains(&next),
                    false => (next as usize) < problem.states(),
                };
                ensure(known, "next", || format!("pair {p} does not lead to state {next}"))?;
                let again = row.seen.iter().any(|(s, _)| *s == next);
                ensure(!again, "next", || format!("state {next} is there twice for pair {p}"))?;
                ensure((1..=MOST).contains(&count), "count", || format!("{count} visits"))?;
                row.n += count;
                total += count;
                at_most("total", total, steps, "the steps observed")?;
                row.seen.push((next, count));
            }
        }
        Ok(visits)
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
    fn what_was_stored_comes_back_and_a_forgery_does_not() {
        let problem = problem();
        let mut visits = Visits::new(problem.pairs());
        [(0, 2), (0, 1), (0, 2), (1, 2)].iter().for_each(|&(p, next)| visits.take(p, next));
        assert_eq!(Visits::restored(&visits.stored(), &problem, 4, true).unwrap(), visits);
        assert!(Visits::restored(&visits.stored(), &problem, 3, true).is_err());
        let forged: [Stored; 6] = [
            vec![(9, vec![(1, 1)])],
            vec![(0, vec![])],
            vec![(0, vec![(1, 1), (1, 1)])],
            vec![(0, vec![(0, 1)])],
            vec![(0, vec![(1, 0)])],
            vec![(0, vec![(1, 1)]), (0, vec![(1, 1)])],
        ];
        for stored in &forged {
            assert!(Visits::restored(stored, &problem, 100, true).is_err(), "{stored:?}");
        }
        // a state that the models do not lead to, for a learner that does not believe them
        assert!(Visits::restored(&forged[3], &problem, 100, false).is_ok());
        assert!(Visits::restored(&vec![(0, vec![(3, 1)])], &problem, 100, false).is_err());
    }

    proptest! {
        /// Against the list of all steps.
        #[test]
        fn counts_are_those_of_a_list(
            steps in prop::collection::vec((0usize..3, 0usize..3), 0..60),
            v in prop::collection::vec(0.0..9.0f64, 3),
        ) {
            let problem = problem();
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
            let all = steps.len() as u64;
            let stored = visits.stored();
            prop_assert_eq!(&Visits::restored(&stored, &problem, all, false).unwrap(), &visits);
            prop_assert!(all == 0 || Visits::restored(&stored, &problem, all - 1, false).is_err());
            // what is listed is what the models lead to
            let listed = steps.iter().all(|&(p, next)| problem.successors(p).contains(&(next as u32)));
            prop_assert_eq!(Visits::restored(&stored, &problem, all, true).is_ok(), listed);
        }
    }
}
