//! Values and actions of the states of a problem.

use crate::Result;
use goalward::Problem;
use goalward::episode::Arena;
use goalward::plan::{Answer, Objective};
use goalward::problem::{Action, State, Truth};

/// A value and actions for each state, where there are any.
#[derive(Clone, Debug, Default)]
pub struct Sight {
    /// The name of the values.
    pub title: String,
    /// Infinite where the goal is out of reach.
    pub values: Vec<Option<f64>>,
    /// The action that is taken, and behind it those that are as good.
    pub actions: Vec<Vec<Action>>,
}

/// Two values are the same if they differ by no more than this, relative to them or to 1.
const SAME: f64 = 1e-9;

impl Sight {
    pub(super) fn value(&self, s: State) -> Option<f64> {
        self.values.get(s).copied().flatten()
    }

    /// The values and actions of the best policy of a world.
    pub fn best(title: &str, arena: &Arena) -> Result<Sight> {
        Ok(Sight::of(title, arena.problem(), arena.instance().truth()?, arena.exact()))
    }

    /// Values and policy of a solved problem. Actions are as good as the policy's where the bounds on
    /// the values allow it.
    pub fn of(title: &str, problem: &Problem, truth: &Truth, answer: &Answer) -> Sight {
        let value = |s: State| (!answer.is_vacuous(s)).then(|| answer.v[s]);
        let actions = |s: State| {
            let lost = answer.objective != Objective::Max && answer.is_lost(s);
            if lost || s == problem.goal() || problem.actions(s) == 0 {
                return Vec::new();
            }
            let taken = answer.policy[s];
            let others =
                (0..problem.actions(s)).filter(|&a| a != taken && ties(problem, truth, answer, s, a));
            std::iter::once(taken).chain(others).collect()
        };
        let states = 0..problem.states();
        Sight {
            title: title.into(),
            values: states.clone().map(value).collect(),
            actions: states.map(actions).collect(),
        }
    }
}

/// The actions whose numbers are the least, the first of them in front.
pub fn least(numbers: &[(Action, f64)]) -> Vec<Action> {
    let least = numbers.iter().map(|&(_, q)| q).fold(f64::INFINITY, f64::min);
    numbers.iter().filter(|&&(_, q)| q <= least + SAME * least.abs().max(1.0)).map(|&(a, _)| a).collect()
}

/// Whether an action may be as good as the best one.
fn ties(problem: &Problem, truth: &Truth, answer: &Answer, s: State, a: Action) -> bool {
    let pair = problem.pair(s, a);
    let inflow = |values: &[f64]| -> f64 {
        let row = problem.successors(pair).iter().zip(truth.row(problem, pair));
        // 0 times an infinite value is nothing
        row.filter(|(_, p)| **p > 0.0).map(|(&next, p)| p * values[next as usize]).sum()
    };
    let (low, high) = (answer.lower[s], answer.upper[s]);
    if !low.is_finite() || !high.is_finite() {
        return false;
    }
    let slack = SAME * high.abs().max(1.0);
    match answer.objective {
        Objective::Min => problem.cost(pair) + inflow(&answer.lower) <= high + slack,
        Objective::Max => problem.cost(pair) + inflow(&answer.upper) >= low - slack,
        Objective::Reach => inflow(&answer.upper) >= low - slack,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use goalward::Settings;
    use goalward::episode::Arena;

    #[test]
    fn what_is_as_good_as_the_best_is_listed_behind_it() {
        let arena = Arena::open("windy-grid", &Settings::new().set("n", 3)).unwrap();
        let (problem, answer) = (arena.problem(), arena.exact());
        let sight = Sight::of("V*", problem, arena.instance().truth().unwrap(), answer);
        for s in (0..problem.states()).filter(|&s| s != problem.goal()) {
            let q: Vec<(Action, f64)> =
                (0..problem.actions(s)).map(|a| (a, answer.q[problem.pair(s, a)])).collect();
            let (mut found, mut expected) = (sight.actions[s].clone(), least(&q));
            assert_eq!(found[0], answer.policy[s]);
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected, "{}", problem.state_name(s));
        }
        assert!(
            sight.actions.iter().any(|actions| actions.len() > 1),
            "right and down are as good at the start"
        );
        assert!(sight.actions[problem.goal()].is_empty());
    }
}
