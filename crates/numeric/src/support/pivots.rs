//! The method where the ball is so large that it does not matter: minimisers are points where as
//! many rows meet as there are dimensions.
//!
//! It begins at the last such point of a pair, or at the best of a sample. Rows with negative
//! multipliers leave (the simplex method), then violated rows join (the dual one). The answer is
//! refined and tested in all digits; the general method takes over where that fails.

use super::active_set::ActiveSet;
use super::corner::Corner;
use super::lanes::{Lanes, width};
use super::starts::Starts;
use super::whiten::Whitened;

/// Leaves the solution in `answer` if a point where k rows meet is the minimiser for w. Begins at
/// `rows`; `known`: these meet in a point of the set.
pub(super) fn solve(
    set: &Whitened,
    starts: Option<&Starts>,
    w: &[Lanes],
    rows: &[u32],
    known: bool,
    answer: &mut ActiveSet,
) -> bool {
    match width(set.free) {
        1 => solve_in(set, begin::<1>(set, starts, w, rows, known), w, answer),
        2 => solve_in(set, begin::<2>(set, starts, w, rows, known), w, answer),
        3 => solve_in(set, begin::<3>(set, starts, w, rows, known), w, answer),
        4 => solve_in(set, begin::<4>(set, starts, w, rows, known), w, answer),
        _ => false,
    }
}

fn solve_in<const B: usize>(
    set: &Whitened,
    begin: Option<(Corner<B>, bool)>,
    w: &[Lanes],
    answer: &mut ActiveSet,
) -> bool {
    let Some((mut corner, known)) = begin else { return false };
    if known && corner.steepest().is_none() && corner.settle(set, w, answer) {
        return true;
    }
    if !corner.descend(set) {
        return false;
    }
    for _ in 0..50 + 5 * set.free {
        match corner.violated(set) {
            None => return corner.settle_inside(set, w, answer),
            Some(row) if corner.admit(set, row) => {}
            Some(_) => return false,
        }
    }
    false
}

/// The point to begin at, and whether it is in the set: the pair's last, if it is the minimiser or
/// better than the sample's best.
fn begin<const B: usize>(
    set: &Whitened,
    starts: Option<&Starts>,
    w: &[Lanes],
    rows: &[u32],
    known: bool,
) -> Option<(Corner<B>, bool)> {
    let whole = rows.len() == set.free && rows.iter().all(|&row| (row as usize) < set.limits.len());
    let own = match known || starts.is_none() {
        true if whole => Corner::<B>::at(set, w, rows),
        _ => None,
    };
    let Some(starts) = starts.filter(|_| whole || rows.is_empty()) else {
        return own.map(|own| (own, known));
    };
    match own {
        Some(own) if own.steepest().is_none() => Some((own, known)),
        Some(own) => {
            let best = starts.best::<B>(w);
            Some(if best.value(w) < own.value(w) { (best, true) } else { (own, known) })
        }
        None => Some((starts.best(w), true)),
    }
}
