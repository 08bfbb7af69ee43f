//! What the known facts say of single entries of theta.

use super::Problem;

/// How far from one the sum of a model's row may be and still count as one: what B takes it for.
const SAME: f64 = 1e-12;

impl Problem {
    /// A range for every entry of theta that facts state, or imply with the sums of rows: 0 to 1
    /// for weights of a mixture. B lies within these ranges.
    pub(crate) fn known_ranges(&self) -> Vec<(f64, f64)> {
        let mut ranges = vec![(f64::NEG_INFINITY, f64::INFINITY); self.dim];
        for fact in &self.extra {
            let mut entries = fact.a.iter().enumerate().filter(|(_, x)| **x != 0.0);
            let (Some((i, a)), None) = (entries.next(), entries.next()) else { continue };
            let end = fact.b / a + 0.0; // not -0
            match *a > 0.0 {
                true => ranges[i].1 = ranges[i].1.min(end),
                false => ranges[i].0 = ranges[i].0.max(end),
            }
        }
        if self.rows_are_models() && ranges.iter().all(|(low, _)| low.is_finite()) {
            // the entries of theta sum to one: what the others have at least is not left for this
            let all: f64 = ranges.iter().map(|(low, _)| low).sum();
            for (low, high) in &mut ranges {
                let others = all - *low;
                *high = high.min(if others == 0.0 { 1.0 } else { 1.0 - others + SAME });
            }
        }
        ranges
    }

    /// Intervals for the entries of theta within the known ranges: certified bounds may lie
    /// outside, far outside where rows of B were left out.
    pub fn clip(&self, intervals: &[(f64, f64)]) -> Vec<(f64, f64)> {
        let ranges = self.known_ranges();
        let clipped = intervals.iter().zip(ranges).map(|(&(low, high), (least, most))| match least <= most {
            true => (low.clamp(least, most), high.clamp(least, most)),
            false => (low, high), // facts that leave a point, and rounding
        });
        clipped.collect()
    }

    /// Whether theta's entries sum to one. Any pair tells: B has an equality for each.
    fn rows_are_models(&self) -> bool {
        let mut sums = vec![0.0; self.dim];
        let told = |p: usize, sums: &mut Vec<f64>| {
            self.phi.combine(self.rows(p), std::iter::repeat_n(1.0, self.rows(p).len()), sums);
            sums.iter().all(|sum| (sum - 1.0).abs() <= SAME)
        };
        self.pairs() > 0 && told(0, &mut sums)
    }
}

#[cfg(test)]
mod tests {
    use crate::problem::{Problem, ProblemBuilder};
    use proptest::prelude::*;

    const FREE: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

    fn coin(facts: &[([f64; 2], f64)]) -> Problem {
        let mut builder = Problem::builder("coin", 2, 2);
        builder.action(0, 1.0).unwrap();
        builder.feature(0, 0, 0, &[0.1, 0.7]).unwrap().feature(0, 0, 1, &[0.9, 0.3]).unwrap();
        for (a, b) in facts {
            builder.extra(a, *b).unwrap();
        }
        builder.build().unwrap()
    }

    #[test]
    fn facts_about_one_entry_are_ranges() {
        assert_eq!(coin(&[]).known_ranges(), [FREE, FREE]);
        let one = coin(&[([-2.0, 0.0], 0.0), ([4.0, 0.0], 3.0), ([1.0, 2.0], 9.0)]);
        assert_eq!(one.known_ranges(), [(0.0, 0.75), FREE]);
        assert!(one.known_ranges()[0].0.is_sign_positive());
        // theirs sum to one: what one has at least, the other has not
        let both = coin(&[([-1.0, 0.0], -0.25), ([0.0, -1.0], 0.0)]);
        assert_eq!(both.known_ranges(), [(0.25, 1.0), (0.0, 0.75 + 1e-12)]);
    }

    #[test]
    fn weights_of_a_mixture_lie_between_0_and_1() {
        let model = |p: f64| vec![vec![vec![(1, p), (0, 1.0 - p)]], vec![]];
        let models = [model(0.1), model(0.7), model(0.9)];
        let weights = Problem::from_models(&models, &[vec![1.0], vec![]], 0, 1).unwrap();
        assert_eq!(weights.known_ranges(), [(0.0, 1.0); 3]);
        let clipped = weights.clip(&[(-3e-16, 1.0 + 1e-15), (0.2, 0.3), (-5.0, f64::INFINITY)]);
        assert_eq!(clipped, [(0.0, 1.0), (0.2, 0.3), (0.0, 1.0)]);
        // an interval that is a point stays one
        assert_eq!(weights.clip(&[(1.0 + 2e-16, 1.0 + 4e-16); 3])[0], (1.0, 1.0));
        let free = ProblemBuilder::from_models("free", &models, &[vec![1.0], vec![]]).unwrap().build();
        assert_eq!(free.unwrap().clip(&[(-1.0, 2.0), FREE, (0.5, 0.5)]), [(-1.0, 2.0), FREE, (0.5, 0.5)]);
    }

    proptest! {
        /// Whatever the facts are, no theta of B is clipped off.
        #[test]
        fn no_theta_of_b_is_clipped(
            facts in prop::collection::vec((-2i32..3, -2i32..3, -2i32..3), 0..6),
            share in -1.0f64..2.0,
        ) {
            let mut builder = Problem::builder("coin", 2, 2);
            builder.action(0, 1.0).unwrap();
            builder.feature(0, 0, 0, &[0.5, 0.4]).unwrap().feature(0, 0, 1, &[0.5, 0.6]).unwrap();
            for (a, b, c) in facts {
                builder.extra(&[f64::from(a), f64::from(b)], f64::from(c) / 2.0).unwrap();
            }
            let theta = [share, 1.0 - share];
            if let Ok(problem) = builder.build()
                && problem.constraints().contains(&theta, 1e-12)
            {
                for (x, (low, high)) in theta.iter().zip(problem.known_ranges()) {
                    prop_assert!(low - 1e-9 <= *x && *x <= high + 1e-9, "{x} [{low}, {high}]");
                }
            }
        }
    }
}
