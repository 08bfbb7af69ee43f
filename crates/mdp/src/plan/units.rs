//! Tiny costs times a power of two, so that nothing is lost to underflow.

use super::answer::{Answer, Objective};
use crate::numeric::Portable;
use crate::problem::Problem;

/// Costs are scaled where the largest is less than 2 to this.
const TINY: i32 = -200;
const MOST: i32 = 1000;

/// The problem with its largest cost near 1, and the factor; none if costs are not tiny.
pub(super) fn scaled(problem: &Problem, objective: Objective) -> Option<(Problem, f64)> {
    let largest = problem.costs().iter().copied().fold(0.0, f64::max);
    if objective == Objective::Reach || largest <= 0.0 || largest >= 2f64.powi(TINY) {
        return None;
    }
    let scale = 2f64.powi((-largest.log_2().floor() as i32).min(MOST));
    Some((problem.with_costs_times(scale), scale))
}

/// An answer in the problem's own units; its tails take what bounds lose where they are subnormal.
pub(super) fn unscaled(mut answer: Answer, scale: f64) -> Answer {
    let turn = |list: &mut [f64], past: &dyn Fn(f64, f64) -> f64| -> Vec<f64> {
        let turn = |x: &mut f64| {
            let own = std::mem::replace(x, past(*x / scale, *x));
            if own.is_finite() { own - *x * scale } else { 0.0 }
        };
        list.iter_mut().map(turn).collect()
    };
    let down = |x: f64, own: f64| if x * scale > own { x.next_down() } else { x };
    let up = |x: f64, own: f64| if x * scale < own { x.next_up() } else { x };
    let lost = (turn(&mut answer.lower, &down), turn(&mut answer.upper, &up));
    if lost.0.iter().chain(&lost.1).any(|&lost| lost != 0.0) {
        let tails = answer.tails.get_or_insert_default();
        tails.0.push(lost.0);
        tails.1.push(lost.1);
    }
    for (s, v) in answer.v.iter_mut().enumerate() {
        *v = (*v / scale).max(answer.lower[s]).min(answer.upper[s]);
    }
    answer.q.iter_mut().for_each(|q| *q /= scale);
    answer.b_star /= scale;
    answer
}

#[cfg(test)]
mod tests {
    use crate::plan::solve::tests::{Row, problem};
    use crate::plan::{Objective, Options, Way, solve, verify};

    /// State 0 waits (a quarter of the time it is over) or walks at eight times the cost, after
    /// one step of state 1: 4, or 8, and one more.
    #[test]
    fn tiny_costs_are_solved_as_others_are() {
        for cost in [1.0, 1e-60, 1e-250, 1e-300, 1e-320, f64::from_bits(1)] {
            let rows: &[Row] =
                &[(0, cost, &[(0, 0.75), (2, 0.25)]), (0, 8.0 * cost, &[(2, 1.0)]), (1, cost, &[(0, 1.0)])];
            let (problem, truth) = problem(3, rows);
            for (objective, most) in [(Objective::Min, 4.0), (Objective::Max, 8.0)] {
                for options in [Options::fast(objective, 1e-9), Options::exact(1e-12)] {
                    let options = Options { objective, ..options };
                    let found = solve(&problem, &truth, &options).unwrap();
                    // 4 and 8 times the cost are exact, and one more is exact but for its rounding
                    for (s, value) in [(0, most * cost), (1, (most + 1.0) * cost)] {
                        let near = 1e-8 * value + f64::from_bits(2);
                        assert!(found.lower[s] <= value && value <= found.upper[s], "{cost:e} {found:?}");
                        assert!(found.upper[s] - found.lower[s] <= near, "{cost:e} {found:?}");
                    }
                    if options.way == Way::Exact {
                        // it does not tell all the digits of its proof
                        continue;
                    }
                    assert_eq!(verify(&problem, &truth, &found), Ok(()), "{cost:e}");
                    let mut wrong = found.clone();
                    wrong.lower[1] = found.upper[1].next_up();
                    wrong.upper[1] = wrong.lower[1];
                    assert!(verify(&problem, &truth, &wrong).is_err(), "{cost:e}");
                }
            }
        }
    }
}
