//! The model over single states: what a policy of states costs, how long it takes, and Q.

use crate::numeric::linear::double::Double;
use crate::plan::graph::{Partition, Region};
use crate::plan::solve::bounds::above;
use crate::plan::solve::evaluated::Evaluated;
use crate::plan::solve::model::{Choice, Model};
use crate::plan::solve::number::Number;
use crate::problem::{Pair, Problem, State, Truth};

/// From nodes to states: infinite in lost states.
pub(super) fn spread<T: Copy + From<f64>>(partition: &Partition, values: &[T]) -> Vec<T> {
    let lost = T::from(f64::INFINITY);
    partition.node_of.iter().map(|&node| values.get(node as usize).copied().unwrap_or(lost)).collect()
}

/// The model over single states, on which policies of states are evaluated.
pub(super) struct Flat {
    partition: Partition,
    model: Model,
    usable: Vec<bool>,
    /// The choice of each pair of the problem, if it is one.
    choice: Vec<Option<Choice>>,
}

impl Flat {
    pub(super) fn new(
        problem: &Problem,
        truth: &Truth,
        region: &Region,
        inside: impl Iterator<Item = State>,
    ) -> Flat {
        let partition = Partition::new(problem, inside, None);
        let model = Model::new(problem, truth, &region.usable, &partition);
        let mut choice = vec![None; problem.pairs()];
        model.pair.iter().enumerate().for_each(|(i, &p)| choice[p] = Some(i));
        Flat { partition, model, usable: region.usable.clone(), choice }
    }

    /// The state of each node.
    fn states(&self) -> impl Iterator<Item = State> + '_ {
        (0..self.partition.nodes()).flat_map(|node| self.partition.members(node))
    }

    /// Certified upper bounds on the costs of a proper policy, and its expected steps.
    pub(super) fn run(&self, pairs: &[Option<Pair>]) -> (Vec<Double>, Vec<f64>) {
        let choice =
            |s: State| pairs[s].and_then(|p| self.choice[p]).expect("a proper policy leaves every state");
        let policy: Vec<Choice> = self.states().map(choice).collect();
        let run = Evaluated::new(&self.model, policy);
        let upper = above(&self.model, &run);
        let mut steps = run.system.solve(run.policy.iter().map(|&choice| self.model.total[choice]).collect());
        // beyond f64, infinity minus infinity may have happened
        steps.iter_mut().filter(|t| t.is_nan()).for_each(|t| *t = f64::INFINITY);
        steps.push(0.0);
        (spread(&self.partition, &upper), spread(&self.partition, &steps))
    }

    /// c + PV per pair: V plus the slack over S. Pairs that only loop cost c + V.
    pub(super) fn q(&self, problem: &Problem, x: &[Double], v: &[f64]) -> Vec<f64> {
        let mut values: Vec<Double> = self.states().map(|s| x[s]).collect();
        values.push(Double::ZERO);
        let mut q = vec![f64::INFINITY; problem.pairs()];
        problem.pairs_of(problem.goal()).for_each(|p| q[p] = 0.0);
        for (node, s) in self.states().enumerate() {
            for p in problem.pairs_of(s).filter(|&p| self.usable[p]) {
                q[p] = match self.choice[p] {
                    Some(choice) => {
                        let slack = Double::slack(&self.model, node, choice, &values).value;
                        (values[node] + slack.times(self.model.total[choice].recip())).nearest()
                    }
                    None => problem.cost(p) + v[s],
                };
            }
        }
        q
    }
}
