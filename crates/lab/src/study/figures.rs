//! The figures that a study file asks for.

use super::Study;
use super::forms::Count;
use super::spot::{Spot, quoted};
use crate::figure::{Format, Marks};
use crate::table::word;
use goalward::did_you_mean;
use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize};

/// The largest picture that is drawn, in pixels each way.
const LARGEST: u64 = 8000;

/// A figure that is wanted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FigureSpec {
    /// What it shows.
    pub kind: FigureKind,
    /// The stem of its files.
    #[serde(default)]
    pub name: String,
    /// The headline; empty: one that says what was found.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// The worlds, by label or base label, one panel each; empty: all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub worlds: Vec<String>,
    /// The learners, by label or base label, in the order of drawing; empty: all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub learners: Vec<String>,
    /// The x axis.
    #[serde(default, skip_serializing_if = "AxisSpec::says_nothing")]
    pub x: AxisSpec,
    /// The y axis.
    #[serde(default, skip_serializing_if = "AxisSpec::says_nothing")]
    pub y: AxisSpec,
    /// Which band is drawn around a mean.
    #[serde(default)]
    pub band: Band,
    /// Width and height in pixels; otherwise by the number of panels.
    #[serde(default, deserialize_with = "pixels")]
    pub size: Option<(u32, u32)>,
    /// The files that are written.
    #[serde(default = "Format::all")]
    pub formats: Vec<Format>,
    /// Points that others published, to draw beside the curves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<Marks>,
}

fn pixels<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<(u32, u32)>, D::Error> {
    let (Count(width), Count(height)) = Deserialize::deserialize(deserializer)?;
    match [width, height].iter().all(|side| (200..=LARGEST).contains(side)) {
        true => Ok(Some((width as u32, height as u32))),
        false => Err(D::Error::custom(format!("expected two numbers of pixels, from 200 to {LARGEST}"))),
    }
}

/// What a figure shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FigureKind {
    /// Regret over the episodes.
    Regret,
    /// Gap regret over the episodes.
    GapRegret,
    /// Regret / K over sqrt(K), as in the LEVIS++ paper.
    PerRoot,
    /// Gap regret over the episodes, both logarithmic, with guides of slope 1/2 and 1 and the
    /// lower bound.
    LogLog,
    /// Final gap regret as bars, one for each learner.
    Bars,
    /// The share of runs that lost theta*, with intervals, and what is promised.
    Coverage,
    /// The width of the confidence sets over time.
    Width,
    /// V* and the best policy on a grid world.
    Values,
    /// The confidence set in the plane of two coordinates of theta, over time.
    Set,
    /// Microseconds for each step, as bars.
    Time,
    /// Gap regret over what grows, both logarithmic, with exponents: one figure for each family.
    Growth,
}

/// What a file says of an axis.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AxisSpec {
    /// Its title.
    pub title: Option<String>,
    /// Whether it is logarithmic.
    pub log: Option<bool>,
    /// Its ends.
    pub range: Option<(f64, f64)>,
}

/// What is drawn around a mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Band {
    /// Student's 95 % interval of the mean, at every point for itself.
    #[default]
    Student,
    /// A 95 % band of the mean that holds over the whole curve at once.
    Simultaneous,
    /// The middle half and the middle 90 % of the runs, around their median.
    Quantiles,
    /// Nothing.
    None,
}

impl AxisSpec {
    fn says_nothing(&self) -> bool {
        *self == AxisSpec::default()
    }

    fn fault(&self) -> Option<&'static str> {
        match (self.range, self.log) {
            (Some((low, high)), _) if !(low < high && low.is_finite() && high.is_finite()) => {
                Some("expected [low, high] with low < high")
            }
            (Some((low, _)), Some(true)) if low <= 0.0 => Some("a logarithmic axis begins above 0"),
            _ => None,
        }
    }
}

impl FigureKind {
    /// Whether it shows curves with bands around them.
    pub(crate) fn has_bands(self) -> bool {
        use FigureKind::{GapRegret, LogLog, PerRoot, Regret, Width};
        matches!(self, Regret | GapRegret | PerRoot | LogLog | Width)
    }
}

impl FigureSpec {
    /// A figure of a kind with its defaults.
    pub fn of(kind: FigureKind) -> FigureSpec {
        FigureSpec {
            kind,
            name: word(kind),
            title: String::new(),
            worlds: Vec::new(),
            learners: Vec::new(),
            x: AxisSpec::default(),
            y: AxisSpec::default(),
            band: Band::default(),
            size: None,
            formats: Format::all(),
            marks: Vec::new(),
        }
    }

    /// The title of the file, and otherwise what was found.
    pub(crate) fn headline(&self, found: impl FnOnce() -> String) -> String {
        if self.title.is_empty() { found() } else { self.title.clone() }
    }

    fn check(&self, spot: &Spot, study: &Study) -> crate::Result<()> {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if self.name.starts_with('.') || !self.name.chars().all(plain) {
            let fault = "expected the stem of a file: letters, digits, - and _";
            return Err(spot.below("name").fault(fault));
        }
        let worlds = study.worlds.iter().flat_map(|w| [w.label.as_str(), w.base.as_str()]);
        known(&self.worlds, worlds.collect(), &spot.below("worlds"))?;
        let learners = study.learners.iter().flat_map(|l| [l.contender.label.as_str(), l.base.as_str()]);
        known(&self.learners, learners.collect(), &spot.below("learners"))?;
        for (key, axis) in [("x", &self.x), ("y", &self.y)] {
            if let Some(fault) = axis.fault() {
                return Err(spot.below(key).below("range").fault(fault));
            }
        }
        if self.formats.is_empty() {
            return Err(spot.below("formats").fault(format!("expected one of {}", Format::names())));
        }
        let finite = |mark: &Marks| mark.points.iter().all(|(x, y)| x.is_finite() && y.is_finite());
        let wrong = self.marks.iter().position(|mark| !finite(mark));
        wrong.map_or(Ok(()), |i| Err(spot.below("marks").item(i).fault("expected finite numbers")))
    }
}

/// Refuses labels that no world or learner has.
fn known(labels: &[String], mut known: Vec<&str>, spot: &Spot) -> crate::Result<()> {
    known.dedup();
    let unknown = labels.iter().enumerate().find(|(_, label)| !known.contains(&label.as_str()));
    let Some((i, label)) = unknown else { return Ok(()) };
    let meant = did_you_mean(label, known.iter().copied());
    let fault = format!("there is no {label:?} here; known are {}{meant}", quoted(&known));
    Err(spot.item(i).fault(fault))
}

/// The figures that are asked for; without any, those that suit the questions.
pub(super) fn figures(
    asked: Option<Vec<FigureSpec>>,
    spot: &Spot,
    study: &Study,
) -> crate::Result<Vec<FigureSpec>> {
    let Some(mut figures) = asked else { return Ok(default_figures(study)) };
    for (i, figure) in figures.iter().enumerate() {
        figure.check(&spot.item(i), study)?;
    }
    for i in 0..figures.len() {
        let named = !figures[i].name.is_empty();
        let stem = if named { figures[i].name.clone() } else { word(figures[i].kind) };
        let taken = figures[..i].iter().any(|other| other.name == stem);
        if named && taken {
            return Err(spot.item(i).fault(format!("two figures are called {stem:?}")));
        }
        figures[i].name = if taken { format!("{stem}-{}", i + 1) } else { stem };
    }
    Ok(figures)
}

pub(super) fn default_figures(study: &Study) -> Vec<FigureSpec> {
    let asked = &study.analysis;
    let kinds = [
        (asked.comparison.is_some(), FigureKind::Regret),
        (asked.comparison.is_some(), FigureKind::LogLog),
        (asked.comparison.is_some(), FigureKind::Bars),
        (asked.coverage.is_some(), FigureKind::Coverage),
        (!asked.growth.is_empty(), FigureKind::Growth),
    ];
    kinds.into_iter().filter(|(asked, _)| *asked).map(|(_, kind)| FigureSpec::of(kind)).collect()
}
