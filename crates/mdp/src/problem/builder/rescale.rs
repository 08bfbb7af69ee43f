//! Candidate models whose rows sum to one but for the rounding of their numbers (float32, few
//! digits).
//!
//! Sums enter B as equalities: rounding would contradict itself from row to row, or fix a direction
//! of theta. So where every sum is 1 within [`ROW_TOLERANCE`] each model's row is divided by its
//! sum.

use super::draft::Arrays;
use crate::Error;
use crate::numeric::Tall;
use crate::problem::{Note, ROUNDING, ROW_TOLERANCE};

/// Smaller differences do not matter to the polytope. A known model is left alone up to a tenth of
/// what is reported: what was exported must come back to the bit.
fn silent(dim: usize) -> f64 {
    if dim == 1 { ROUNDING / 10.0 } else { 1e-12 }
}

/// Features whose sums are all ones within this are meant to be models of too few digits.
const ALIKE: f64 = 1e-2;

/// Divides each model's row by its sum where all features are models within [`ROW_TOLERANCE`]; the
/// note on it. `name` names the state and action of a pair, `model` a model.
pub(super) fn rescale(
    arrays: &mut Arrays,
    dim: usize,
    name: impl Fn(usize) -> (String, String),
    model: impl Fn(usize) -> String,
) -> Option<Note> {
    let mut sums = vec![0.0; dim];
    let off = |sums: &[f64]| sums.iter().map(|sum| (sum - 1.0).abs()).fold(0.0, worse);
    let mut furthest = 0.0;
    for rows in arrays.first_row.windows(2) {
        add_up(&arrays.phi[rows[0] * dim..rows[1] * dim], &mut sums);
        furthest = worse(furthest, off(&sums));
        if furthest.is_nan() || furthest > ROW_TOLERANCE {
            return None;
        }
    }
    if furthest <= silent(dim) {
        return None;
    }
    let (mut count, mut worst) = (0, (0, 0, 1.0f64));
    for (p, rows) in arrays.first_row.windows(2).enumerate() {
        let phi = &mut arrays.phi[rows[0] * dim..rows[1] * dim];
        add_up(phi, &mut sums);
        if off(&sums) <= silent(dim) {
            continue;
        }
        phi.chunks_exact_mut(dim).for_each(|row| row.iter_mut().zip(&sums).for_each(|(x, sum)| *x /= sum));
        for (m, &sum) in sums.iter().enumerate() {
            count += usize::from((sum - 1.0).abs() > ROUNDING);
            if (sum - 1.0).abs() > (worst.2 - 1.0).abs() {
                worst = (p, m, sum);
            }
        }
    }
    let (p, m, sum) = worst;
    let (state, action) = name(p);
    let place = match dim {
        1 => format!("state {state}, action {action}"),
        _ => format!("model {}, state {state}, action {action}", model(m)),
    };
    (count > 0).then(|| Note::rescaled(count, ROW_TOLERANCE, &place, sum).at(state, action))
}

/// The first model's row that does not sum to one, if half of all pairs, or `all`, seem models.
pub(super) fn misfit(
    phi: &Tall,
    first_row: &[usize],
    all: bool,
    name: impl Fn(usize) -> (String, String),
    model: impl Fn(usize) -> String,
) -> Option<Error> {
    let (mut sums, mut alike, mut first) = (vec![0.0; phi.dim()], 0, None);
    for (p, rows) in first_row.windows(2).enumerate() {
        phi.combine(rows[0]..rows[1], std::iter::repeat_n(1.0, rows[1] - rows[0]), &mut sums);
        alike += usize::from(sums.iter().all(|sum| (sum - 1.0).abs() <= ALIKE));
        if first.is_none() {
            let off = sums.iter().position(|sum| sum.is_nan() || (sum - 1.0).abs() > ROW_TOLERANCE);
            first = off.map(|m| (p, m, sums[m]));
        }
    }
    let pairs = first_row.len() - 1;
    if alike < if all { pairs } else { pairs.div_ceil(2) } {
        return None;
    }
    let (p, m, sum) = first?;
    let (state, action) = name(p);
    Some(match phi.dim() {
        1 => Error::RowSum { state, action, sum, tolerance: ROW_TOLERANCE },
        _ => Error::ModelRow { model: model(m), state, action, sum, tolerance: ROW_TOLERANCE },
    })
}

/// Two pairs whose features sum to nearly the same: the difference fixes a direction of theta, and
/// is perhaps rounding. Looks at the first few different sums.
pub(super) fn nearly_equal(phi: &Tall, first_row: &[usize]) -> Option<(usize, usize, f64)> {
    const DIFFERENT: usize = 64;
    // large problems with many different sums are looked at in part
    let mut work = 200_000_000usize;
    let mut known: Vec<(usize, Vec<f64>)> = Vec::new();
    let mut sums = vec![0.0; phi.dim()];
    let largest = |x: &[f64]| x.iter().map(|x| x.abs()).fold(0.0, f64::max);
    for (p, rows) in first_row.windows(2).enumerate() {
        phi.combine(rows[0]..rows[1], std::iter::repeat_n(1.0, rows[1] - rows[0]), &mut sums);
        let mut is_new = true;
        work = work.saturating_sub(known.len() * phi.dim());
        if work == 0 {
            return None;
        }
        for (first, other) in &known {
            let apart = other.iter().zip(&sums).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
            let share = apart / largest(other).max(f64::MIN_POSITIVE);
            if share <= 1e-12 {
                is_new = false;
                break;
            }
            if share <= ROW_TOLERANCE {
                return Some((*first, p, apart));
            }
        }
        if is_new && known.len() < DIFFERENT {
            known.push((p, sums.clone()));
        }
    }
    None
}

fn add_up(rows: &[f64], sums: &mut [f64]) {
    sums.fill(0.0);
    rows.chunks_exact(sums.len()).for_each(|row| sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += x));
}

fn worse(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}
