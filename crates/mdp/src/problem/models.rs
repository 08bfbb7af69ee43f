//! Candidate models as features: phi(s'|s,a) = (P_1(s'|s,a), ..., P_d(s'|s,a)).

use super::{Pair, Problem, ProblemBuilder, Rows, Shape, State};
use crate::{Error, Result};

impl Problem {
    /// A learning problem from d candidate models over the same states and actions: the truth is
    /// some mixture of them. `models[i][s][a]` lists (next state, probability); `costs[s][a]` are
    /// the costs. That no weight is negative joins B; [`ProblemBuilder::from_models`] leaves that
    /// to the caller.
    ///
    /// A model may come with a name, which results and errors then use:
    ///
    /// ```
    /// use goalward_mdp::problem::Problem;
    /// let fast = vec![vec![vec![(1, 0.9), (0, 0.1)]], vec![]];
    /// let slow = vec![vec![vec![(1, 0.2), (0, 0.8)]], vec![]];
    /// let models = [("fast", fast), ("slow", slow)];
    /// let problem = Problem::from_models(&models, &[vec![1.0], vec![]], 0, 1)?;
    /// assert_eq!((problem.dim(), problem.extra().len()), (2, 2));
    /// assert_eq!(problem.model_name(1), "slow");
    /// # Ok::<(), goalward_mdp::Error>(())
    /// ```
    pub fn from_models<M: Candidate>(
        models: &[M],
        costs: &[Vec<f64>],
        start: State,
        goal: State,
    ) -> Result<Problem> {
        let mut builder = ProblemBuilder::from_models("mixture", models, costs)?;
        builder.start(start).goal(goal).simplex();
        builder.build()
    }
}

/// Successors with their probabilities.
type Row = Vec<(State, f64)>;

/// A kernel: for every state, for every action, the successors with their probabilities.
pub type Model = Vec<Vec<Row>>;

/// A candidate model: a [`Model`], or a name and a [`Model`].
pub trait Candidate {
    /// The kernel.
    fn kernel(&self) -> &Model;
    /// Its name, if it has one.
    fn name(&self) -> Option<&str>;
}

impl Candidate for Model {
    fn kernel(&self) -> &Model {
        self
    }
    fn name(&self) -> Option<&str> {
        None
    }
}

impl<N: AsRef<str>> Candidate for (N, Model) {
    fn kernel(&self) -> &Model {
        &self.1
    }
    fn name(&self) -> Option<&str> {
        Some(self.0.as_ref())
    }
}

impl ProblemBuilder {
    /// A builder filled with the features of d candidate models; nothing is assumed of the weights.
    pub fn from_models<M: Candidate>(name: &str, models: &[M], costs: &[Vec<f64>]) -> Result<ProblemBuilder> {
        let names = models.iter().map(|model| model.name().map(String::from)).collect();
        for (m, model) in models.iter().map(Candidate::kernel).enumerate() {
            if model.len() != costs.len() {
                let fault = format!("{} states, but costs are given for {}", model.len(), costs.len());
                return Err(Error::Field { field: format!("models[{m}]"), fault });
            }
            if let Some(s) = (0..costs.len()).find(|&s| model[s].len() != costs[s].len()) {
                let fault = format!("{} actions, but costs are given for {}", model[s].len(), costs[s].len());
                return Err(Error::Field { field: format!("models[{m}][{s}]"), fault });
            }
        }
        let mut first_pair = vec![0];
        first_pair.extend(costs.iter().scan(0, |end, costs| {
            *end += costs.len();
            Some(*end)
        }));
        let pairs: Vec<Vec<&Row>> =
            models.iter().map(|model| model.kernel().iter().flatten().collect()).collect();
        let pairs: Vec<&dyn Rows> = pairs.iter().map(|pairs| pairs as &dyn Rows).collect();
        Problem::from_arrays(name, Shape { first_pair, costs: costs.concat() }, &pairs, names)
    }
}

impl Rows for Vec<&Row> {
    fn append(&self, pair: Pair, row: &mut Row) {
        row.extend_from_slice(self[pair]);
    }
}
