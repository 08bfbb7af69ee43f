//! The figures of a study: what each shows is taken from [`Results`], and drawn by
//! [`crate::figure`].
//!
//! One file for each kind of figure. `chosen` has what all share: which worlds and learners are
//! shown, what they are called, and what must be said of their runs.

pub mod audit;
mod band;
mod bars;
mod chosen;
mod coverage;
#[cfg(test)]
mod gallery;
pub mod grid;
mod growth;
mod headline;
mod holes;
mod log_log;
mod means;
mod per_root;
mod regret;
mod rowed;
#[cfg(test)]
mod samples;
mod set;
pub mod sight;
mod time;
mod values;
mod width;

use crate::Result;
use crate::figure::{self, Drawing, Stroke};
use crate::results::Results;
use crate::study::{FigureKind, FigureSpec, LearnerPoint, Study};

/// A figure, drawn.
#[derive(Clone, Debug)]
pub struct Picture {
    /// The stem of its files.
    pub name: String,
    /// Its headline.
    pub title: String,
    /// What it shows, in words, for those who cannot see it.
    pub alt: String,
    /// As SVG.
    pub svg: String,
    /// As PNG; empty where none was asked for.
    pub png: Vec<u8>,
}

/// How the curves of every learner look, in the study's order: the same in all figures and in the
/// report.
///
/// Learners whose look the file says nothing of take the next that no file's look has taken.
pub fn strokes(study: &Study) -> Vec<Stroke> {
    let told = |n: usize| {
        let own = Stroke::nth(n);
        study
            .learners
            .iter()
            .any(|l| l.look.colour == Some(own.colour) && l.look.dash.is_none_or(|dash| dash == own.dash))
    };
    let mut free = (0..).filter(|n| !told(*n));
    let chosen = |learner: &LearnerPoint| {
        let look = learner.look;
        let own = match look.colour {
            None => Stroke::nth(free.next().unwrap_or(0)),
            Some(colour) => Stroke::new(colour, 4.6, figure::Dash::Solid),
        };
        Stroke::new(
            look.colour.unwrap_or(own.colour),
            look.width.unwrap_or(own.width),
            look.dash.unwrap_or(own.dash),
        )
    };
    study.learners.iter().map(chosen).collect()
}

/// Draws a figure; one whose worlds do not fit side by side becomes several.
pub fn draw(results: &Results, spec: &FigureSpec) -> Result<Vec<Picture>> {
    match spec.kind {
        FigureKind::Regret | FigureKind::GapRegret => regret::draw(results, spec),
        FigureKind::PerRoot => per_root::draw(results, spec),
        FigureKind::LogLog => log_log::draw(results, spec),
        FigureKind::Bars => bars::draw(results, spec),
        FigureKind::Coverage => coverage::draw(results, spec),
        FigureKind::Width => width::draw(results, spec),
        FigureKind::Time => time::draw(results, spec),
        FigureKind::Growth => growth::draw(results, spec),
        FigureKind::Values => values::draw(results, spec),
        FigureKind::Set => set::draw(results, spec),
    }
}

/// Draws one picture. Where there are several of a figure, their names end with their numbers.
fn picture(
    spec: &FigureSpec,
    (n, of): (usize, usize),
    title: &str,
    alt: String,
    drawing: &impl Drawing,
) -> Result<Picture> {
    let name = if of == 1 { spec.name.clone() } else { format!("{}-{}", spec.name, n + 1) };
    let png = if spec.png { figure::png(drawing)? } else { Vec::new() };
    Ok(Picture { name, title: title.into(), svg: figure::svg(drawing, &alt)?, alt, png })
}

#[cfg(test)]
mod tests;
