//! The data of a report. `learners`: the look of each. `worlds`: curves, rounded for drawing. `runs`: for
//! each world and learner the means of the final regret and gap regret with all digits, and every run
//! unless they are too many.

use super::curves;
use crate::figure::{Colour, Stroke};
use crate::pictures;
use crate::results::{Cell, Results};
use crate::study::{LearnerPoint, Study};
use goalward::numeric::Portable;
use serde_json::{Value, json};

/// Curves must stand out from a dark background by this much (WCAG 2.1, 1.4.11).
const CONTRAST: f64 = 3.0;
/// The dark background, as in `page.css`.
const DARK: Colour = Colour(27, 31, 36);

/// With more runs than this the report has only their means.
const EACH: usize = 4000;

/// Everything.
pub(super) fn of(results: &Results) -> Value {
    let study = &results.study;
    json!({
        "study": study.name,
        "log": is_wide(results),
        "learners": looks(study),
        "worlds": (0..study.worlds.len()).map(|world| curves::of(results, world)).collect::<Vec<_>>(),
        "runs": results.cells.iter().map(|cell| numbers(results, cell)).collect::<Vec<_>>(),
    })
}

/// Whether a linear axis would flatten the low curves of some world to zero.
pub(super) fn is_wide(results: &Results) -> bool {
    const WIDE: f64 = 30.0;
    (0..results.study.worlds.len()).any(|world| {
        let cells = results.cells.iter().filter(|cell| cell.world == world);
        let ends = cells.filter_map(|cell| Some(cell.mean(|run| run.row.gap_regret)?.mean));
        let ends: Vec<f64> = ends.filter(|end| *end > 0.0).collect();
        let least = ends.iter().copied().fold(f64::INFINITY, f64::min);
        ends.iter().any(|end| *end > WIDE * least)
    })
}

/// The look of each learner's curves. Strokes are meant for pictures of twice the size of a screen.
pub(super) fn looks(study: &Study) -> Vec<Value> {
    let look = |(learner, stroke): (&LearnerPoint, &Stroke)| {
        let width = (stroke.width / 2.0).clamp(1.4, 2.8);
        let dash = stroke.dash.pattern().iter().map(|x| (x * width * 10.0).round() / 10.0);
        json!({
            "label": learner.contender.label,
            "light": stroke.colour.hex(),
            "dark": on_dark(stroke.colour).hex(),
            "width": width,
            "dash": dash.collect::<Vec<f64>>(),
        })
    };
    study.learners.iter().zip(&pictures::strokes(study)).map(look).collect()
}

/// The same colour, lightened as far as a dark background requires.
fn on_dark(colour: Colour) -> Colour {
    let mixed = |share: u32| {
        let mix = |x: u8| (u32::from(x) + (255 - u32::from(x)) * share / 20) as u8;
        Colour(mix(colour.0), mix(colour.1), mix(colour.2))
    };
    (0..=20).map(mixed).find(|c| contrast(*c, DARK) >= CONTRAST).unwrap_or(Colour(255, 255, 255))
}

/// The contrast of two colours (WCAG 2.1).
fn contrast(a: Colour, b: Colour) -> f64 {
    let channel = |x: u8| match f64::from(x) / 255.0 {
        x if x <= 0.04045 => x / 12.92,
        x => ((x + 0.055) / 1.055).to_the(2.4),
    };
    let light = |c: Colour| 0.2126 * channel(c.0) + 0.7152 * channel(c.1) + 0.0722 * channel(c.2);
    let (a, b) = (light(a), light(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// The numbers of a cell, with all digits.
fn numbers(results: &Results, cell: &Cell) -> Value {
    let study = &results.study;
    let few = results.counts().0 <= EACH;
    let runs = cell.runs.iter().filter(|_| few).map(|run| {
        json!({
            "seed": run.seed,
            "outcome": run.row.outcome,
            "episodes": run.row.episodes,
            "steps": run.row.steps,
            "gap_regret": run.row.gap_regret,
            "regret": run.row.regret,
            "planner_calls": run.row.planner_calls,
            "seconds": run.seconds,
        })
    });
    json!({
        "world": study.worlds[cell.world].label,
        "learner": study.learners[cell.learner].contender.label,
        "planned": cell.planned,
        "gap_regret": cell.mean(|run| run.row.gap_regret).map(|m| m.mean),
        "regret": cell.mean(|run| run.row.regret).map(|m| m.mean),
        "each": runs.collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_can_be_seen_on_a_dark_page() {
        for colour in [Colour::INK, Colour::BLUE, Colour::ORANGE, Colour(0, 0, 0)] {
            assert!(contrast(on_dark(colour), DARK) >= CONTRAST, "{colour:?}");
        }
        assert_eq!(on_dark(Colour::ORANGE), Colour::ORANGE, "no lighter than needed");
        assert!((contrast(Colour(0, 0, 0), Colour(255, 255, 255)) - 21.0).abs() < 1e-9);
    }
}
