//! From parts to a problem: the only place where one is made.

use super::ProblemBuilder;
use super::draft::Arrays;
use super::rescale::{misfit, nearly_equal, rescale};
use crate::numeric::{Polytope, PolytopeBuilder, Tall};
use crate::problem::{Note, Problem};
use crate::{Error, Result};
use std::sync::Arc;

impl ProblemBuilder {
    /// Checks the whole and makes the problem. Rows of candidate models that are off by at most
    /// [`ROW_TOLERANCE`](crate::problem::ROW_TOLERANCE) are divided by their sums, and
    /// [`Problem::notes`] says so.
    pub fn build(mut self) -> Result<Problem> {
        self.faults(1).none()?;
        let mut arrays = std::mem::take(&mut self.draft).finish();
        let first_pair = std::mem::take(&mut arrays.first_pair);
        let name = |p: usize| {
            let s = first_pair.partition_point(|&first| first <= p) - 1;
            (self.state_name(s), self.action_name(s, p - first_pair[s]))
        };
        let (phi, constraints, notes) = self.rows(&mut arrays, name)?;
        let Arrays { costs, first_row, successors, .. } = arrays;
        let is_zero = |row: &usize| phi.get(*row..row + 1).iter().all(|&x| x == 0.0);
        let blank = if self.blanks { (0..phi.rows()).filter(is_zero).collect() } else { Vec::new() };
        let largest = costs.iter().copied().fold(0.0, f64::max);
        Ok(Problem {
            name: self.name,
            dim: self.dim,
            start: self.start,
            goal: self.goal,
            first_pair,
            cost_unit: if largest > 1.0 { largest } else { 1.0 },
            costs,
            first_row,
            successors,
            phi,
            extra: self.extra,
            state_names: self.state_names,
            action_names: self.action_names,
            model_names: self.model_names,
            constraints,
            blank,
            notes,
        })
    }

    /// The features as they stay, the set B that they make, and what is to be said of them.
    fn rows(
        &self,
        arrays: &mut Arrays,
        name: impl Fn(usize) -> (String, String) + Copy,
    ) -> Result<(Arc<Tall>, Arc<Polytope>, Vec<Note>)> {
        let model = |m: usize| self.model_name(m);
        let rescaled = if self.is_kernel { None } else { rescale(arrays, self.dim, name, model) };
        let phi = Arc::new(Tall::new(self.dim, std::mem::take(&mut arrays.phi)));
        if self.is_kernel {
            return Ok((phi, Arc::new(point()?), Vec::new()));
        }
        let first_row = &arrays.first_row;
        if !self.may_be_coarse
            && let Some(fault) = misfit(&phi, first_row, true, name, model)
        {
            return Err(fault);
        }
        let constraints = self.constraints(first_row, &phi, name);
        let constraints = Arc::new(constraints.map_err(|fault| {
            // sums show what is meant to be models; of all else the contradicting rows are named
            misfit(&phi, first_row, false, name, model).unwrap_or(fault)
        })?);
        let nearly = if rescaled.is_some() { None } else { nearly_equal(&phi, first_row) };
        let nearly = nearly.map(|(first, p, apart)| {
            let ((state, action), (other, by)) = (name(p), name(first));
            let message = format!(
                "state {state}, action {action}: the features of this row and those of state \
                 {other}, action {by} sum to \
                 nearly the same, {apart:.1e} apart; both sums are taken as they are, and the \
                 difference fixes a direction \
                 of theta"
            );
            let hint = "if they should be equal, write the features with more digits (float64)";
            Note::new("sums", message).value(apart).at(state, action).hint(hint)
        });
        Ok((phi, constraints, rescaled.into_iter().chain(nearly).collect()))
    }

    /// The set B of the paper, joined by the extra facts: rows sum to one, no entry is negative.
    fn constraints(
        &self,
        first_row: &[usize],
        phi: &Arc<Tall>,
        name: impl Fn(usize) -> (String, String),
    ) -> Result<Polytope> {
        let d = self.dim;
        let mut builder = PolytopeBuilder::new(d);
        let (mut sum, mut last) = (vec![0.0; d], Vec::new());
        for (p, rows) in first_row.windows(2).enumerate() {
            phi.combine(rows[0]..rows[1], std::iter::repeat_n(1.0, rows[1] - rows[0]), &mut sum);
            if sum == last {
                continue;
            }
            builder.equality(&sum, 1.0).map_err(|_| {
                let (state, action) = name(p);
                Error::RowsContradict { state, action, sum: listed(&sum) }
            })?;
            last.clone_from(&sum);
        }
        builder.no_less_than_zero(phi);
        for fact in &self.extra {
            builder.halfspace(&fact.a, fact.b);
        }
        builder.finish().map_err(|empty| Error::EmptyB { detail: empty.detail })
    }
}

/// The set B of a known model: theta = 1.
fn point() -> Result<Polytope> {
    let empty = || Error::EmptyB { detail: "a point could not be made".into() };
    let mut builder = PolytopeBuilder::new(1);
    builder.equality(&[1.0], 1.0).map_err(|_| empty())?;
    builder.finish().map_err(|_| empty())
}

/// A vector as text, its first few entries.
fn listed(numbers: &[f64]) -> String {
    const SHOWN: usize = 8;
    let shown: Vec<String> = numbers.iter().take(SHOWN).map(f64::to_string).collect();
    let more = if numbers.len() > SHOWN { ", ..." } else { "" };
    format!("({}{more})", shown.join(", "))
}
