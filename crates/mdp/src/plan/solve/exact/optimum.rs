//! An optimal policy for the least cost.
//!
//! A first proper policy comes from Dijkstra's algorithm, a few sweeps of value iteration improve
//! it cheaply, policy iteration finishes.

use crate::numeric::linear::double::Double;
use crate::plan::solve::evaluated::Evaluated;
use crate::plan::solve::model::{Choice, Model};
use crate::plan::solve::number::Number;
use crate::plan::solve::policy::{improved, nearest_goal};
use crate::plan::solve::sense::Sense;
use crate::plan::solve::sweeps::{below_by_sweeps, greedy, swept};

/// An optimal policy up to the accuracy of its evaluation.
pub(in crate::plan::solve) fn optimise(model: &Model) -> Evaluated {
    let mut current = Evaluated::new(model, swept(model, nearest_goal(model)));
    if current.accuracy.is_nan() || current.accuracy > 1e-6 {
        // so bad a policy that f64 cannot hold its values (a drift away from the goal, say): start
        // from below instead
        let policy = greedy(model, &below_by_sweeps(model));
        if model.is_proper(&policy) {
            let other = Evaluated::new(model, policy);
            if other.accuracy < current.accuracy || current.accuracy.is_nan() {
                current = other;
            }
        }
    }
    improved(model, Sense::Least, current)
}

/// The optimal policy with ties broken by the lowest action: in each node the first choice within
/// 1e-12 of the best, relative to the value. `None` if that is the policy itself.
///
/// Nodes from which that would not reach the goal keep their own choice. The outcome is proper:
/// those nodes, following the proper policy, reach either the goal or a node from which the first
/// choices reach the goal without coming back.
pub(super) fn first_of_ties(model: &Model, optimum: &Evaluated) -> Option<Vec<Choice>> {
    let first = |s: usize| {
        let tied = |&choice: &Choice| {
            let excess = Double::slack(model, s, choice, &optimum.x).value.nearest() / model.total[choice];
            excess <= 1e-12 * optimum.x[s].nearest()
        };
        model.choices(s).find(tied).unwrap_or(optimum.policy[s])
    };
    let mut policy: Vec<Choice> = (0..model.nodes).map(first).collect();
    for (s, reaches) in model.reaches_goal(&policy).into_iter().enumerate() {
        if !reaches {
            policy[s] = optimum.policy[s];
        }
    }
    (policy != optimum.policy).then_some(policy)
}
