//! Demo: what a confidence set is worth, on a world small enough to watch.

use crate::compare::{Comparison, compare};
use crate::figure::{Axis, BandPoint, Colour, CurveFigure, Dash, Panel, Series, Stroke};
use crate::table::fixed;
use crate::{Contender, Curves, Folder, Place, Progress, Result};
use goalward::Settings;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::path::PathBuf;

const PRINTED: &str = "LEVIS++, printed radius";
const PRINTED_LEVIS: &str = "LEVIS, printed radius";
const LIKELIHOOD: &str = "LEVIS++ with the likelihood set";
const ALONE: &str = "the likelihood set alone, told nothing";

/// What to run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DemoOptions {
    /// Where the results are written.
    pub out: PathBuf,
    /// Whether results of another question may be overwritten.
    #[serde(skip)]
    pub force: bool,
    /// The world, `id@key=value`.
    pub world: String,
    /// The number of episodes.
    pub episodes: u64,
    /// The seeds.
    pub seeds: Range<u64>,
    /// The factor on the printed radius of the contender without a guarantee.
    pub scale: f64,
}

impl Default for DemoOptions {
    fn default() -> Self {
        DemoOptions {
            out: "out/demo".into(),
            force: false,
            world: "windy-grid@n=3".into(),
            episodes: 150,
            seeds: 0..20,
            // the smallest that `scale` found to keep theta* on this world
            scale: 0.000562,
        }
    }
}

/// What it came to.
#[derive(Clone, Debug, Serialize)]
pub struct Demo {
    /// The version of goalward.
    pub version: &'static str,
    /// What was asked for.
    pub options: DemoOptions,
    /// The numbers.
    pub comparison: Comparison,
    /// What they say, in words.
    pub words: Vec<String>,
    /// The files that were written.
    pub files: Vec<PathBuf>,
}

/// Runs the five learners and writes the figure (regret.svg, regret.png), curves, runs and a
/// summary into `options.out`.
pub fn demo(options: &DemoOptions, progress: &dyn Progress) -> Result<Demo> {
    let place = Place::parse(&options.world)?;
    let arena = place.open()?;
    let folder = Folder::claim(&options.out, "demo", options, &[&arena], Comparison::files(), options.force)?;
    let seeds: Vec<u64> = options.seeds.clone().collect();
    let contenders = contenders(options);
    let comparison =
        compare(&arena, &contenders, &seeds, options.episodes, None, progress)?.against(LIKELIHOOD)?;
    let mut demo = Demo {
        version: env!("CARGO_PKG_VERSION"),
        options: options.clone(),
        words: words(&comparison),
        comparison,
        files: Vec::new(),
    };
    demo.files = demo.comparison.write(&folder)?;
    // the demo's own figure takes the place of the comparison's
    demo.figure().write(&folder, "regret")?;
    Ok(demo)
}

fn scaled_label(scale: f64) -> String {
    format!("LEVIS++, radius × {scale} (no guarantee)")
}

fn contenders(options: &DemoOptions) -> Vec<Contender> {
    let told = || Settings::new().set("B", "oracle");
    vec![
        Contender::new(PRINTED, "levis++", told()),
        Contender::new(PRINTED_LEVIS, "levis", told()),
        Contender::new(
            &scaled_label(options.scale),
            "levis++",
            told().set("radius", format!("scaled:{}", options.scale)),
        ),
        Contender::new(LIKELIHOOD, "levis++lr", told()),
        Contender::new(ALONE, "lr", Settings::new()),
    ]
}

/// Ratios of what was measured.
fn words(comparison: &Comparison) -> Vec<String> {
    let mean = |label: &str| {
        let row = comparison.rows.iter().find(|r| r.contender.label == label)?;
        row.regret.filter(|_| !row.unfinished).map(|m| m.mean)
    };
    let mut words = Vec::new();
    for mine in [LIKELIHOOD, ALONE] {
        for theirs in [PRINTED, PRINTED_LEVIS] {
            if let (Some(a), Some(b)) = (mean(mine), mean(theirs)) {
                words.push(format!(
                    "Mean regret of {mine}: {}; of {theirs}: {}, a share of {}.",
                    fixed(a, 1),
                    fixed(b, 1),
                    fixed(a / b, 4)
                ));
            }
        }
    }
    words
}

impl Demo {
    /// The result as aligned text.
    pub fn table(&self) -> String {
        self.comparison.table()
    }

    /// As parts of a document: those of the comparison, and `share`s of what the printed radius of
    /// LEVIS++ pays.
    pub fn markdown(&self) -> String {
        let mut parts = self.comparison.markdown();
        let mean = |label: &str| {
            let row = self.comparison.rows.iter().find(|r| r.contender.label == label)?;
            row.regret.filter(|_| !row.unfinished).map(|m| m.mean)
        };
        for label in [LIKELIHOOD, ALONE] {
            if let Some((mine, printed)) = mean(label).zip(mean(PRINTED)) {
                parts.push_str(&format!("<!-- share {label} -->\n{:.4}\n\n", mine / printed));
            }
        }
        parts
    }

    /// Whether the user broke off.
    pub fn interrupted(&self) -> bool {
        self.comparison.interrupted.is_some()
    }

    /// The headline, from what was measured.
    fn headline(&self) -> String {
        let mean = |label: &str| {
            let row = self.comparison.rows.iter().find(|r| r.contender.label == label)?;
            row.gap_regret.filter(|m| m.mean > 0.0 && !row.unfinished).map(|m| m.mean)
        };
        let number = |x: f64| crate::figure::number_label(x, if x < 10.0 { 1 } else { 0 });
        match mean(PRINTED).zip(mean(LIKELIHOOD)) {
            Some((printed, likelihood)) => format!(
                "After {} episodes: regret {} with the printed constants, {} with the likelihood set",
                self.options.episodes,
                number(printed),
                number(likelihood)
            ),
            None => "What a confidence set is worth".into(),
        }
    }

    /// Gap regret over the episodes, logarithmic: a hundredth of the regret is as visible as the
    /// whole.
    pub fn figure(&self) -> CurveFigure {
        let options = &self.options;
        let series = |curves: &Curves| {
            let points = curves.means().into_iter().map(|(k, _, gap)| BandPoint {
                x: k as f64,
                mean: gap.mean,
                band: gap.low.zip(gap.high),
            });
            let name = &curves.contender.label;
            let runs = self.comparison.runs_note(curves).unwrap_or_default();
            Series { stroke: stroke(name), label: format!("{name}{runs}"), points: points.collect() }
        };
        let series: Vec<Series> =
            self.comparison.curves.iter().filter(|c| !c.runs.is_empty()).map(series).collect();
        // whole decades, so that the axis begins and ends at a number
        let ends = series.iter().filter_map(|s| s.points.last()).map(|p| p.mean).filter(|y| *y > 0.0);
        let (low, high) = ends.fold((f64::INFINITY, 0.0), |(l, h), y| (f64::min(l, y), f64::max(h, y)));
        let range = (low <= high).then(|| (10f64.powf((low / 1.5).log10().floor()), high * 1.6));
        let seeds = options.seeds.end - options.seeds.start;
        let runs = match self.comparison.interrupted {
            None => format!("mean of {seeds} runs on the same luck, band: 95 % interval"),
            Some(broken) => format!("{broken}: mean of the legend's runs, 95 % bands"),
        };
        CurveFigure {
            title: self.headline(),
            note: format!(
                "{} · {runs} · regret: Σ (Q* − V*)",
                options.world.replace('@', ", ").replace('=', " = "),
            ),
            size: (1600, 1000),
            panels: vec![Panel {
                title: String::new(),
                x: Axis { title: "Episode".into(), range: Some((0.0, options.episodes as f64)), log: false },
                y: Axis { title: "Regret so far".into(), range, log: true },
                series,
                marks: Vec::new(),
            }],
        }
    }
}

/// Lines that coincide stay visible: the lower is broad, the upper broken.
fn stroke(label: &str) -> Stroke {
    match label {
        PRINTED => Stroke::new(Colour::VERMILLION, 8.0, Dash::Solid),
        PRINTED_LEVIS => Stroke::new(Colour::BLUE, 4.0, Dash::Dashed),
        LIKELIHOOD => Stroke::new(Colour::PURPLE, 6.5, Dash::Solid),
        ALONE => Stroke::new(Colour::INK, 3.5, Dash::Dashed),
        _ => Stroke::new(Colour::GREEN, 4.5, Dash::DashDot),
    }
}
