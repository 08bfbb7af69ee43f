//! Confidence sets for the transitions of one pair, from counts: L1 balls and Bernstein's
//! intervals, and the member of each that leads to the least value.

use crate::estimate::Row;
use crate::problem::State;

/// A distribution over next states: each with its probability.
pub(crate) type Spread = Vec<(State, f64)>;

/// The member of {P : |P - Pbar|_1 <= radius} with the least mean of v, where `low` is the state of
/// least value that the pair may lead to (Jaksch, Ortner, Auer 2010, Figure 2): half the radius
/// goes to `low`, taken from the highest values first. Without data all goes to `low`.
pub(crate) fn least_in_l1(row: &Row, radius: f64, low: State, v: &[f64], out: &mut Spread) {
    out.clear();
    if row.n() == 0 {
        out.push((low, 1.0));
        return;
    }
    out.extend(row.probabilities());
    if radius == 0.0 {
        return;
    }
    out.sort_unstable_by(|a, b| v[b.0].total_cmp(&v[a.0]).then(a.0.cmp(&b.0)));
    let at_low = out.iter().find(|(s, _)| *s == low).map_or(0.0, |(_, p)| *p);
    let moved = (0.5 * radius).min(1.0 - at_low);
    let mut left = moved;
    for (_, p) in out.iter_mut().filter(|(s, _)| *s != low) {
        let taken = p.min(left);
        *p -= taken;
        left -= taken;
    }
    match out.iter_mut().find(|(s, _)| *s == low) {
        Some((_, p)) => *p += moved,
        None => out.push((low, moved)),
    }
}

/// {P : P(s') >= Pbar(s') - linear - root sqrt(Pbar(s'))}: what every state keeps at least. The
/// rest, which is returned, may go to the state of least value (Rosenberg et al. 2020, Algorithm 2,
/// where that is the goal).
pub(crate) fn kept_in_bernstein(row: &Row, (linear, root): (f64, f64), out: &mut Spread) -> f64 {
    out.clear();
    let kept = row.probabilities().map(|(s, p)| (s, (p - linear - root * p.sqrt()).max(0.0)));
    out.extend(kept.filter(|(_, p)| *p > 0.0));
    (1.0 - out.iter().map(|(_, p)| p).sum::<f64>()).max(0.0)
}

pub(crate) fn mean(spread: &Spread, v: &[f64]) -> f64 {
    spread.iter().map(|&(s, p)| p * v[s]).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::Visits;
    use microlp::{ComparisonOp, OptimizationDirection, Problem};
    use proptest::prelude::*;

    fn row(counts: &[u64]) -> Visits {
        let mut visits = Visits::new(1);
        counts.iter().enumerate().for_each(|(s, &n)| (0..n).for_each(|_| visits.take(0, s)));
        visits
    }

    /// The least mean over the L1 ball by trying all ways to move mass between two states, in
    /// steps; the exact one is an extreme point.
    fn direct(p: &[f64], radius: f64, v: &[f64]) -> f64 {
        let low = (0..v.len()).min_by(|&a, &b| v[a].total_cmp(&v[b])).unwrap();
        let mut order: Vec<usize> = (0..v.len()).filter(|&s| s != low).collect();
        order.sort_by(|&a, &b| v[b].total_cmp(&v[a]));
        let mut q = p.to_vec();
        let mut budget = radius / 2.0;
        for s in order {
            let moved = q[s].min(budget);
            q[s] -= moved;
            q[low] += moved;
            budget -= moved;
        }
        q.iter().zip(v).map(|(q, v)| q * v).sum()
    }

    #[test]
    fn mass_moves_from_the_highest_to_the_lowest() {
        let visits = row(&[2, 5, 0, 3]);
        let v = [4.0, 1.0, 0.0, 2.0];
        let p = [0.2, 0.5, 0.0, 0.3];
        let mut out = Spread::new();
        for radius in [0.0, 0.1, 0.5, 1.0, 1.9, 2.0, 9.0] {
            least_in_l1(visits.row(0), radius, 2, &v, &mut out);
            let total: f64 = out.iter().map(|(_, p)| p).sum();
            assert!((total - 1.0).abs() < 1e-12 && out.iter().all(|(_, p)| *p >= 0.0));
            assert!((mean(&out, &v) - direct(&p, radius, &v)).abs() < 1e-12, "{radius}");
        }
        // the lowest is among what was seen
        least_in_l1(visits.row(0), 0.4, 1, &v, &mut out);
        assert!((mean(&out, &v) - (0.7 + 0.6)).abs() < 1e-12);
        least_in_l1(Visits::new(1).row(0), 0.0, 3, &v, &mut out);
        assert_eq!(out, [(3, 1.0)]);
    }

    #[test]
    fn bernstein_leaves_the_rest_to_whom_it_may_concern() {
        let visits = row(&[1, 0, 3]);
        let mut out = Spread::new();
        let rest = kept_in_bernstein(visits.row(0), (0.05, 0.1), &mut out);
        let kept = [0.25 - 0.05 - 0.1 * 0.5, 0.75 - 0.05 - 0.1 * 0.75f64.sqrt()];
        assert!((out[0].1 - kept[0]).abs() < 1e-12 && (out[1].1 - kept[1]).abs() < 1e-12);
        assert!((rest - (1.0 - kept[0] - kept[1])).abs() < 1e-12);
        assert_eq!(kept_in_bernstein(visits.row(0), (1.0, 0.0), &mut out), 1.0);
        assert!(out.is_empty());
        assert_eq!(kept_in_bernstein(Visits::new(1).row(0), (0.0, 0.0), &mut out), 1.0);
    }

    /// The least mean of v over {P : |P - p|_1 <= radius}, P on these states, as a linear
    /// programme: P <= p + d, p - P <= d, the sum of d at most the radius.
    fn programme(p: &[f64], radius: f64, v: &[f64], states: &[usize]) -> f64 {
        let mut programme = Problem::new(OptimizationDirection::Minimize);
        let mut on: Vec<_> = states.iter().map(|&s| programme.add_var(v[s], (0.0, 1.0))).collect();
        let off: Vec<_> = states.iter().map(|_| programme.add_var(0.0, (0.0, 2.0))).collect();
        for (i, &s) in states.iter().enumerate() {
            programme.add_constraint([(on[i], 1.0), (off[i], -1.0)], ComparisonOp::Le, p[s]);
            programme.add_constraint([(on[i], 1.0), (off[i], 1.0)], ComparisonOp::Ge, p[s]);
        }
        programme.add_constraint(off.into_iter().map(|d| (d, 1.0)), ComparisonOp::Le, radius);
        programme.add_constraint(on.drain(..).map(|p| (p, 1.0)), ComparisonOp::Eq, 1.0);
        programme.solve().unwrap().into_solution().unwrap().objective()
    }

    proptest! {
        #[test]
        fn least_means_are_those_of_linear_programmes(
            counts in prop::collection::vec(0u64..6, 2..6),
            v in prop::collection::vec(0.0..5.0f64, 6),
            radius in 0.0..2.5f64,
            more in 0usize..6,
        ) {
            let visits = row(&counts);
            let more = more % counts.len();
            let states: Vec<usize> = (0..counts.len()).filter(|&s| counts[s] > 0 || s == more).collect();
            let low = *states.iter().min_by(|&&a, &&b| v[a].total_cmp(&v[b])).unwrap();
            let n: u64 = counts.iter().sum();
            let p: Vec<f64> = counts.iter().map(|&c| c as f64 / n.max(1) as f64).collect();
            let mut out = Spread::new();
            least_in_l1(visits.row(0), radius, low, &v, &mut out);
            prop_assert!(out.iter().all(|(s, p)| states.contains(s) && *p >= 0.0));
            prop_assert!((out.iter().map(|x| x.1).sum::<f64>() - 1.0).abs() < 1e-12);
            let least = if n == 0 { v[low] } else { programme(&p, radius, &v, &states) };
            prop_assert!((mean(&out, &v) - least).abs() < 1e-9, "{} {least}", mean(&out, &v));
        }

        #[test]
        fn what_is_kept_and_the_rest_are_all(
            counts in prop::collection::vec(0u64..50, 1..6),
            linear in 0.0..0.5f64,
            root in 0.0..0.5f64,
        ) {
            let visits = row(&counts);
            let mut out = Spread::new();
            let rest = kept_in_bernstein(visits.row(0), (linear, root), &mut out);
            let n = counts.iter().sum::<u64>().max(1) as f64;
            for s in 0..counts.len() {
                let p = counts[s] as f64 / n;
                let kept = out.iter().find(|x| x.0 == s).map_or(0.0, |x| x.1);
                prop_assert!((kept - (p - linear - root * p.sqrt()).max(0.0)).abs() < 1e-15);
            }
            prop_assert!((rest + out.iter().map(|x| x.1).sum::<f64>() - 1.0).abs() < 1e-12 && rest >= 0.0);
        }
    }
}
