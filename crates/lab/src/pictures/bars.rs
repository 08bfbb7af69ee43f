//! Final gap regret as bars, one for each learner.

use super::Picture;
use super::chosen::{Chosen, least};
use super::rowed::{self, About};
use crate::Result;
use crate::figure::Entry;
use crate::results::{Cell, Results};
use crate::stats::Mean;
use crate::study::FigureSpec;

pub(super) fn draw(results: &Results, spec: &FigureSpec) -> Result<Vec<Picture>> {
    let chosen = Chosen::new(results, spec)?;
    let cut = |l: &usize| chosen.worlds.iter().any(|&w| chosen.cell(w, *l).truncated(&results.study) > 0);
    let mut notes = vec![format!(
        "at the end of each run · mean of {}, whiskers: 95 % interval of the mean (Student's t)",
        chosen.runs(&chosen.worlds)
    )];
    if chosen.learners.iter().any(cut) {
        notes.push("≥: the cap on steps ended some runs, which count with what they had paid".into());
    }
    let about = About { measure: "Gap regret", notes, dots: false, log: true };
    let title = |worlds: &[usize]| least(&chosen, worlds, "Final gap regret", "pays the least", paid);
    let entry = |w: usize, l: usize| {
        let cell = chosen.cell(w, l);
        let sign = if cell.truncated(&results.study) > 0 { "≥ " } else { "" };
        of_runs(&values(cell), |mean| format!("{sign}{mean}"))
    };
    rowed::draw(&chosen, &chosen.learners, &about, title, entry)
}

fn values(cell: &Cell) -> Vec<f64> {
    cell.runs.iter().map(|run| run.row.gap_regret).collect()
}

fn paid(cell: &Cell) -> Option<f64> {
    Mean::of(&values(cell)).map(|mean| mean.mean).filter(|mean| mean.is_finite())
}

/// The mean of runs with its interval.
pub(super) fn of_runs(values: &[f64], text: impl Fn(&Mean) -> String) -> Entry {
    match Mean::of(values).filter(|mean| mean.mean.is_finite()) {
        None => Entry { text: "no finished run".into(), ..Entry::default() },
        Some(mean) => Entry {
            value: Some(mean.mean),
            interval: mean.low.zip(mean.high).filter(|(low, high)| low.is_finite() && high.is_finite()),
            tick: None,
            text: match mean.half_width() {
                // no digits help where squares overflow
                Some(half) if !half.is_finite() || mean.mean.abs() >= 1e12 => format!("{:.3e}", mean.mean),
                _ => text(&mean),
            },
        },
    }
}
