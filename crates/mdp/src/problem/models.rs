//! Candidate models to features: with d kernels P_1..P_d, phi(s'|s,a) = (P_1(s'|s,a), ...,
//! P_d(s'|s,a)).

use super::{Problem, ProblemBuilder, ROW_TOLERANCE, State};
use crate::error::shown;
use crate::{Error, Result};
use std::collections::BTreeMap;

impl Problem {
    /// A learning problem from d candidate models over the same states and actions: the truth is
    /// some mixture of them.
    ///
    /// `models[i][s][a]` lists (next state, probability); `costs[s][a]` are the costs. That the
    /// weights are a mixture (none negative) is known here and joins B;
    /// [`ProblemBuilder::from_models`] leaves that to the caller. Rows may be off by
    /// [`ROW_TOLERANCE`], as numbers of type `f32` are: [`ProblemBuilder::build`] divides them by
    /// their sums.
    ///
    /// A model may come with a name, which results and errors then call it by:
    ///
    /// ```
    /// use goalward_mdp::problem::Problem;
    /// let fast = vec![vec![vec![(1, 0.9), (0, 0.1)]], vec![]];
    /// let slow = vec![vec![vec![(1, 0.2), (0, 0.8)]], vec![]];
    /// let models = [("fast", fast), ("slow", slow)];
    /// let problem = Problem::from_models(&models, &[vec![1.0], vec![]], 0, 1)?;
    /// assert_eq!((problem.dim(), problem.extra().len()), (2, 2));
    /// assert_eq!(problem.model_name(1), "slow");
    /// // without names they have numbers
    /// let [(_, fast), (_, slow)] = models;
    /// let problem = Problem::from_models(&[fast, slow], &[vec![1.0], vec![]], 0, 1)?;
    /// assert_eq!(problem.model_name(1), "1");
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

/// A kernel: for every state, for every action, the successors with their probabilities.
pub type Model = Vec<Vec<Vec<(State, f64)>>>;

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
        let mut builder = ProblemBuilder::new(name, costs.len(), models.len());
        let names = models.iter().map(|model| model.name().map(String::from)).collect::<Option<_>>();
        if let Some(names) = names {
            builder.model_names(names);
        }
        let models: Vec<&Model> = models.iter().map(Candidate::kernel).collect();
        for (s, costs) in costs.iter().enumerate() {
            for &cost in costs {
                builder.action(s, cost)?;
            }
        }
        for (m, model) in models.iter().enumerate() {
            if model.len() != costs.len() {
                let fault = format!("{} states, but costs are given for {}", model.len(), costs.len());
                return Err(Error::Field { field: format!("models[{m}]"), fault });
            }
            if let Some(s) = (0..costs.len()).find(|&s| model[s].len() != costs[s].len()) {
                let fault = format!("{} actions, but costs are given for {}", model[s].len(), costs[s].len());
                return Err(Error::Field { field: format!("models[{m}][{s}]"), fault });
            }
        }
        for (s, costs) in costs.iter().enumerate() {
            for a in 0..costs.len() {
                let mut rows: BTreeMap<State, Vec<f64>> = BTreeMap::new();
                for (m, model) in models.iter().enumerate() {
                    check_row(&model[s][a], model.len()).map_err(|fault| Error::Model {
                        model: builder.model_name(m),
                        state: s,
                        action: a,
                        fault,
                    })?;
                    for &(next, p) in &model[s][a] {
                        rows.entry(next).or_insert_with(|| vec![0.0; models.len()])[m] += p;
                    }
                }
                for (next, phi) in rows {
                    builder.feature(s, a, next, &phi)?;
                }
            }
        }
        Ok(builder)
    }
}

fn check_row(row: &[(State, f64)], states: usize) -> Result<(), String> {
    if let Some((next, _)) = row.iter().find(|(next, _)| *next >= states) {
        return Err(format!("next state {next} does not exist, there are {states} states"));
    }
    if let Some((next, p)) = row.iter().find(|(_, p)| !p.is_finite() || *p < 0.0) {
        return Err(format!("the probability of next state {next} is {}", shown(*p)));
    }
    let sum: f64 = row.iter().map(|(_, p)| p).sum();
    if (sum - 1.0).abs() > ROW_TOLERANCE {
        return Err(format!("the row sums to {}, not to 1 (tolerance {ROW_TOLERANCE:e})", shown(sum)));
    }
    Ok(())
}
