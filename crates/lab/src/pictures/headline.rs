//! Headlines that say what was found.

use super::chosen::Chosen;
use crate::results::Cell;

/// Who has the least of something, among those that are not told the truth: in the mean of the
/// runs, nothing more is claimed. Neutral where runs are missing, or where there is nothing to
/// compare.
pub(super) fn least(
    chosen: &Chosen,
    worlds: &[usize],
    what: &str,
    verb: &str,
    value: impl Fn(&Cell) -> Option<f64>,
) -> String {
    let place = match worlds {
        [one] => format!("on {}", chosen.world(*one)),
        several => format!("in {} worlds", several.len()),
    };
    let neutral = format!("{what} {place}");
    let rivals: Vec<usize> =
        chosen.learners.iter().copied().filter(|&l| !chosen.knows_the_truth(l)).collect();
    let whole = |cell: &Cell| cell.planned > 0 && cell.runs.len() == cell.planned;
    if rivals.len() < 2 || !worlds.iter().all(|&w| rivals.iter().all(|&l| whole(chosen.cell(w, l)))) {
        return neutral;
    }
    // a learner that has nothing of the kind is left out; equal ones share the first place
    let best = |&world: &usize| -> Vec<usize> {
        let all: Vec<(usize, f64)> =
            rivals.iter().filter_map(|&l| Some((l, value(chosen.cell(world, l))?))).collect();
        let least = all.iter().map(|(_, v)| *v).fold(f64::INFINITY, f64::min);
        all.iter().filter(|(_, v)| *v <= least).map(|(l, _)| *l).collect()
    };
    let winners: Vec<Vec<usize>> = worlds.iter().map(best).collect();
    let count = |l: usize| winners.iter().filter(|w| w.contains(&l)).count();
    let most = rivals.iter().map(|&l| count(l)).max().unwrap_or(0);
    let first: Vec<usize> = rivals.iter().copied().filter(|&l| count(l) == most).collect();
    match (first.as_slice(), worlds.len()) {
        ([one], 1) => format!("{neutral}: {} {verb}", chosen.learner(*one)),
        ([one], _) => format!("{neutral}: {} {verb} in {most}", chosen.learner(*one)),
        _ => neutral,
    }
}
