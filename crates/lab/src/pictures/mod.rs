//! The figures of a study, one file for each kind, from [`Results`]; [`crate::figure`] draws them.
//! `chosen` has what all share.

pub mod audit;
mod band;
mod bars;
mod chosen;
mod coverage;
pub mod grid;
mod growth;
mod log_log;
mod per_root;
mod regret;
mod rowed;
mod set;
pub mod sight;
mod time;
mod values;
mod width;

use crate::Result;
use crate::figure::{Canvas, Dash, Format, Stroke};
use crate::results::Results;
use crate::study::{FigureKind, FigureSpec, LearnerPoint, Study};

/// A figure, drawn.
#[derive(Clone, Debug)]
pub struct Picture {
    /// The stem of its files.
    pub name: String,
    /// Its headline.
    pub title: String,
    /// Its description for screen readers.
    pub alt: String,
    /// Width and height in pixels.
    pub size: (u32, u32),
    /// Its files: an SVG, and what else was asked for.
    pub files: Vec<(Format, Vec<u8>)>,
}

impl Picture {
    /// Draws its files.
    fn of(name: String, alt: String, canvas: Canvas, formats: &[Format]) -> Result<Picture> {
        let wanted = Format::all().into_iter().filter(|f| *f == Format::Svg || formats.contains(f));
        let files = wanted.map(|format| Ok((format, format.draw(&canvas, &alt)?))).collect::<Result<_>>()?;
        Ok(Picture { name, title: canvas.title, alt, size: canvas.size, files })
    }

    /// The bytes of a file; empty where none was drawn.
    pub fn file(&self, format: Format) -> &[u8] {
        self.files.iter().find(|(of, _)| *of == format).map_or(&[], |(_, bytes)| bytes)
    }

    #[cfg(test)]
    fn svg(&self) -> &str {
        std::str::from_utf8(self.file(Format::Svg)).unwrap()
    }
}

/// The look of every learner's curves, in all figures and in the report: that of the file, and
/// otherwise the next that the file has not taken.
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
            Some(colour) => Stroke::new(colour, 4.6, Dash::Solid),
        };
        Stroke::new(
            look.colour.unwrap_or(own.colour),
            look.width.unwrap_or(own.width),
            look.dash.unwrap_or(own.dash),
        )
    };
    study.learners.iter().map(chosen).collect()
}

type Draw = fn(&Results, &FigureSpec) -> Result<Vec<Picture>>;

/// Every kind of figure, and what draws it.
const KINDS: &[(FigureKind, Draw)] = &[
    (FigureKind::Regret, regret::draw),
    (FigureKind::GapRegret, regret::draw),
    (FigureKind::PerRoot, per_root::draw),
    (FigureKind::LogLog, log_log::draw),
    (FigureKind::Bars, bars::draw),
    (FigureKind::Coverage, coverage::draw),
    (FigureKind::Width, width::draw),
    (FigureKind::Values, values::draw),
    (FigureKind::Set, set::draw),
    (FigureKind::Time, time::draw),
    (FigureKind::Growth, growth::draw),
];

/// Every kind of figure.
pub fn kinds() -> impl Iterator<Item = FigureKind> {
    KINDS.iter().map(|(kind, _)| *kind)
}

/// Draws a figure. One with many worlds becomes several pictures.
pub fn draw(results: &Results, spec: &FigureSpec) -> Result<Vec<Picture>> {
    let draw = KINDS.iter().find(|(kind, _)| *kind == spec.kind);
    draw.map_or(Ok(Vec::new()), |(_, draw)| draw(results, spec))
}

/// A picture of a figure for each part. Where there are several, their names end with their numbers.
fn pictures<P>(
    spec: &FigureSpec,
    parts: impl ExactSizeIterator<Item = P>,
    draw: impl Fn(P) -> (String, Canvas),
) -> Result<Vec<Picture>> {
    let several = parts.len() > 1;
    let picture = |(n, part)| {
        let (alt, canvas) = draw(part);
        let name = if several { format!("{}-{}", spec.name, n + 1) } else { spec.name.clone() };
        Picture::of(name, alt, canvas, &spec.formats)
    };
    parts.enumerate().map(picture).collect()
}

#[cfg(test)]
pub(crate) mod tests;
