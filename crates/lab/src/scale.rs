//! Scale: the smallest factor on a printed radius that still kept theta*.
//!
//! The factor enters the run itself: plans, weights and actions change with it. So every factor has
//! runs of its own.

use crate::coverage::{Cell, CoverageRow, rows, told};
use crate::sets::Yardstick;
use crate::stats::Proportion;
use crate::table::{Table, fixed};
use crate::{Contender, Error, Folder, Place, Progress, Result};
use goalward::episode::Arena;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::path::PathBuf;

/// What to try.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ScaleOptions {
    /// Where the results are written.
    pub out: PathBuf,
    /// Whether results of another question may be overwritten.
    #[serde(skip)]
    pub force: bool,
    /// The worlds, `id@key=value`.
    pub worlds: Vec<String>,
    /// The learners with a scaled radius, `id@key=value`; B is the true one unless given.
    pub learners: Vec<String>,
    /// The largest factor.
    pub most: f64,
    /// The smallest factor.
    pub least: f64,
    /// Factors to each power of ten.
    pub per_decade: u32,
    /// The failure probability: at most this share of the runs may lose theta*.
    pub delta: f64,
    /// The seeds.
    pub seeds: Range<u64>,
    /// The steps of every run.
    pub steps: u64,
}

impl Default for ScaleOptions {
    fn default() -> Self {
        let texts = |texts: &[&str]| texts.iter().map(|text| text.to_string()).collect();
        ScaleOptions {
            out: "out/scale".into(),
            force: false,
            worlds: texts(&[
                "hard-instance@dim=2",
                "hard-instance@dim=4",
                "corridor",
                "windy-grid@n=3",
                "random-mixture",
            ]),
            learners: texts(&["levis++", "levis"]),
            most: 1.0,
            least: 1e-5,
            per_decade: 4,
            delta: 0.1,
            seeds: 0..200,
            steps: 2000,
        }
    }
}

/// What was found.
#[derive(Clone, Debug, Serialize)]
pub struct Scale {
    /// The version of goalward.
    pub version: &'static str,
    /// What was asked for.
    #[serde(flatten)]
    pub options: ScaleOptions,
    /// One row for each world and learner.
    pub rows: Vec<ScaleRow>,
    /// Every factor that was tried.
    pub tried: Vec<Tried>,
    /// Whether the user broke off.
    pub interrupted: bool,
    /// The files that were written.
    pub files: Vec<PathBuf>,
}

/// One world and learner.
#[derive(Clone, Debug, Serialize)]
pub struct ScaleRow {
    /// The world, as given.
    pub world: String,
    /// The learner, as given.
    pub learner: String,
    /// The smallest factor that kept theta*, as all larger ones tried did.
    pub kept: Option<Tried>,
    /// The next smaller factor, which did not.
    pub failed: Option<Tried>,
}

/// One factor.
#[derive(Clone, Debug, Serialize)]
pub struct Tried {
    /// The world, as given.
    pub world: String,
    /// The learner, as given.
    pub learner: String,
    /// The factor on the printed radius.
    pub factor: f64,
    /// Runs in which theta* left the ellipsoid after some step.
    pub lost: Option<Proportion>,
    /// Whether the upper limit on the share of such runs is at most delta.
    pub kept: bool,
    /// The set's width as a share of B's.
    pub width: Option<f64>,
    /// The mean gap regret over the steps.
    pub gap_regret: Option<f64>,
}

/// What radii can be multiplied by, and how many factors are more than anybody means: a slip such
/// as 1e-320 must not fill the memory.
const LEAST: f64 = 1e-30;
const MOST: f64 = 1e30;
const MOST_FACTORS: usize = 1000;

/// The factors, from the largest.
fn factors(options: &ScaleOptions) -> Result<Vec<f64>> {
    let ScaleOptions { most, least, per_decade, .. } = *options;
    let refuse = |option, fault: String| Err(Error::Option { option, fault });
    // written so that a NaN is refused too
    if !(least >= LEAST && least <= most && most <= MOST) {
        let fault = format!("from {least:?} to {most:?}: expected {LEAST:?} <= least <= most <= {MOST:?}");
        return refuse("factors", fault);
    }
    if !(1..=100).contains(&per_decade) {
        return refuse("per-decade", format!("{per_decade} does not lie between 1 and 100"));
    }
    let n = ((most / least).log10() * f64::from(per_decade) + 1e-9).floor() as usize;
    if n >= MOST_FACTORS {
        let fault = format!("{} factors from {least:?} to {most:?} are more than {MOST_FACTORS}", n + 1);
        return refuse("per-decade", fault);
    }
    // three significant digits: what is reported can be typed
    let factor = |i: usize| {
        let exact = most * 10f64.powf(-(i as f64) / f64::from(per_decade));
        format!("{exact:.2e}").parse().unwrap_or(exact)
    };
    Ok((0..=n).map(factor).collect())
}

/// Tries the factors and writes scale.csv and summary.md into `options.out`.
pub fn scale(options: &ScaleOptions, progress: &dyn Progress) -> Result<Scale> {
    let factors = factors(options)?;
    let contenders = Contender::parse_all(&options.learners)?;
    if let Some(c) = contenders.iter().find(|c| c.settings.get("radius").is_some()) {
        let fault = format!("{:?} sets a radius: that is what the study does", c.label);
        return Err(Error::Option { option: "learners", fault });
    }
    let opened = Place::open_all(&options.worlds)?;
    let yardsticks: Vec<Yardstick> = opened.iter().map(|(_, arena)| Yardstick::new(arena)).collect();
    let mut cells = Vec::new();
    for ((place, arena), yardstick) in opened.iter().zip(&yardsticks) {
        for mut contender in told(&contenders, options.delta)? {
            let plain = contender.settings.clone();
            for &factor in &factors {
                contender.settings = plain.clone().set("radius", format!("scaled:{factor}"));
                cells.push(Cell {
                    place,
                    arena,
                    yardstick,
                    delta: options.delta,
                    contender: contender.clone(),
                });
            }
        }
    }
    let arenas: Vec<&Arena> = opened.iter().map(|(_, arena)| arena).collect();
    let names = ["scale.csv", "summary.md"].map(String::from).to_vec();
    let folder = Folder::claim(&options.out, "scale", options, &arenas, names, options.force)?;
    let rows = rows(&cells, &options.seeds, options.steps, "scale", progress)?;
    let interrupted = progress.cancelled() || rows.len() < cells.len();
    let tried: Vec<Tried> =
        rows.iter().zip(factors.iter().cycle()).map(|(row, f)| Tried::of(row, *f)).collect();
    let mut scale = Scale {
        version: env!("CARGO_PKG_VERSION"),
        options: options.clone(),
        rows: tried.chunks(factors.len()).map(ScaleRow::of).collect(),
        tried,
        interrupted,
        files: Vec::new(),
    };
    scale.write(&folder)?;
    Ok(scale)
}

impl Tried {
    fn of(row: &CoverageRow, factor: f64) -> Tried {
        Tried {
            world: row.world.clone(),
            learner: row.contender.label.clone(),
            factor,
            lost: row.lost,
            kept: row.lost.is_some_and(|lost| lost.limit <= row.delta),
            width: row.width.map(|m| m.mean),
            gap_regret: row.gap_regret.map(|m| m.mean),
        }
    }
}

impl ScaleRow {
    /// From the factors of one world and learner, the largest first.
    fn of(tried: &[Tried]) -> ScaleRow {
        let kept = tried.iter().take_while(|t| t.kept).count();
        ScaleRow {
            world: tried[0].world.clone(),
            learner: tried[0].learner.clone(),
            kept: kept.checked_sub(1).map(|last| tried[last].clone()),
            failed: tried.get(kept).cloned(),
        }
    }
}

impl Scale {
    /// The result as aligned text.
    pub fn table(&self) -> String {
        let note = if self.interrupted { "interrupted: not all factors were tried\n" } else { "" };
        format!("{}{note}", self.cells().text())
    }

    pub(crate) fn cells(&self) -> Table {
        let mut table = Table::new([
            "world",
            "learner",
            "smallest factor",
            "lost",
            "at most",
            "width",
            "gap regret",
            "next factor",
            "lost",
            "at most",
        ]);
        for row in &self.rows {
            let lost = |t: &Option<Tried>| {
                let lost = t.as_ref().and_then(|t| t.lost);
                let share = lost.map_or("-".into(), |p| format!("{}/{}", p.hits, p.n));
                [share, lost.map_or("-".into(), |p| format!("{:.1} %", 100.0 * p.limit))]
            };
            let factor = |t: &Option<Tried>| t.as_ref().map_or("-".into(), |t| t.factor.to_string());
            let [kept, kept_limit] = lost(&row.kept);
            let [failed, failed_limit] = lost(&row.failed);
            let width = row.kept.as_ref().and_then(|t| t.width);
            let regret = row.kept.as_ref().and_then(|t| t.gap_regret);
            table.row(vec![
                row.world.clone(),
                row.learner.clone(),
                factor(&row.kept),
                kept,
                kept_limit,
                width.map_or("-".into(), |w| fixed(w, 4)),
                regret.map_or("-".into(), |r| fixed(r, 1)),
                factor(&row.failed),
                failed,
                failed_limit,
            ]);
        }
        table
    }

    /// The result as Markdown.
    pub fn summary(&self) -> String {
        let o = &self.options;
        format!(
            "# Scale\n\nThe smallest factor on the printed radius that kept theta\\*: it and \
             every larger factor tried lost \
             theta\\*, at some step, in so few of {} runs of {} steps that the one-sided 95 % \
             upper limit (Clopper and Pearson) on \
             the share is at most delta = {}. B is the true B\\*. goalward {}.{}\n\n{}\nWhat held \
             on these runs is no guarantee: longer \
             runs and other worlds have other factors.\n",
            o.seeds.end - o.seeds.start,
            o.steps,
            o.delta,
            self.version,
            if self.interrupted { " **Interrupted: not all factors were tried.**" } else { "" },
            self.cells().markdown(),
        )
    }

    fn write(&mut self, folder: &Folder) -> Result<()> {
        let mut all = Table::new([
            "world",
            "learner",
            "factor",
            "lost",
            "runs",
            "limit",
            "kept",
            "width",
            "gap_regret",
        ]);
        for t in &self.tried {
            let known = |x: Option<f64>| x.map(|x| x.to_string()).unwrap_or_default();
            all.row(vec![
                t.world.clone(),
                t.learner.clone(),
                t.factor.to_string(),
                t.lost.map(|p| p.hits.to_string()).unwrap_or_default(),
                t.lost.map(|p| p.n.to_string()).unwrap_or_default(),
                known(t.lost.map(|p| p.limit)),
                t.kept.to_string(),
                known(t.width),
                known(t.gap_regret),
            ]);
        }
        self.files = vec![folder.write("scale.csv", all.csv())?, folder.write("summary.md", self.summary())?];
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_powers_that_can_be_typed() {
        let options =
            |most, least, per_decade| ScaleOptions { most, least, per_decade, ..ScaleOptions::default() };
        assert_eq!(factors(&options(1.0, 0.01, 2)).unwrap(), [1.0, 0.316, 0.1, 0.0316, 0.01]);
        assert_eq!(factors(&options(0.5, 0.5, 4)).unwrap(), [0.5]);
        for (most, least, per_decade) in [(1.0, 0.0, 2), (1.0, 2.0, 2), (f64::NAN, 0.1, 2), (1.0, 0.1, 0)] {
            assert!(factors(&options(most, least, per_decade)).is_err());
        }
    }

    #[test]
    fn a_larger_factor_that_failed_is_not_skipped() {
        let tried = |factor, kept| Tried {
            world: "w".into(),
            learner: "l".into(),
            factor,
            lost: None,
            kept,
            width: None,
            gap_regret: None,
        };
        let row = ScaleRow::of(&[tried(1.0, true), tried(0.1, false), tried(0.01, true)]);
        assert_eq!((row.kept.unwrap().factor, row.failed.unwrap().factor), (1.0, 0.1));
        let none = ScaleRow::of(&[tried(1.0, false)]);
        assert!(none.kept.is_none() && none.failed.is_some());
    }
}
