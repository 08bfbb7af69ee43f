//! Microseconds for each step, as bars.

use super::chosen::{Chosen, least};
use super::rowed::{self, About};
use super::{Picture, bars};
use crate::Result;
use crate::results::{Cell, Results};
use crate::stats::Mean;
use crate::study::FigureSpec;

pub(super) fn draw(results: &Results, spec: &FigureSpec) -> Result<Vec<Picture>> {
    let chosen = Chosen::new(results, spec)?;
    let notes = vec![format!(
        "wall-clock time of a run by its steps, planning included · mean of {}, whiskers: 95 % interval \
         (Student's t) · times differ from machine to machine",
        chosen.runs(&chosen.worlds)
    )];
    let about = About { measure: "Microseconds per step", notes, dots: false, log: true };
    let title = |worlds: &[usize]| {
        least(&chosen, worlds, "Time per step", "is fastest", |cell| {
            Mean::of(&micros(cell)).map(|mean| mean.mean)
        })
    };
    let entry = |w: usize, l: usize| bars::of_runs(&micros(chosen.cell(w, l)), |mean| format!("{mean} µs"));
    rowed::draw(&chosen, &chosen.learners, &about, title, entry)
}

/// Of every run that made a step.
fn micros(cell: &Cell) -> Vec<f64> {
    let walked = cell.runs.iter().filter(|run| run.row.steps > 0 && run.seconds.is_finite());
    walked.map(|run| 1e6 * run.seconds / run.row.steps as f64).collect()
}
