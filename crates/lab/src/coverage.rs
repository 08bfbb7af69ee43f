//! Coverage: how often theta* ever leaves the confidence set of a learner, and how wide the set is.
//!
//! A set that is all of B covers always, so coverage is told with a width; a learner that plans
//! over a set without theta* may be wrong for ever, so a loss at any time counts.

use crate::jobs::in_order;
use crate::sets::{Account, Yardstick, watch};
use crate::stats::{Mean, Proportion};
use crate::table::Table;
use crate::{Contender, Error, Folder, Place, Progress, Result};
use goalward::confidence::{Guarantee, Holds};
use goalward::episode::Arena;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::path::PathBuf;

/// What to watch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CoverageOptions {
    /// Where the results are written.
    pub out: PathBuf,
    /// Whether results of another question may be overwritten.
    #[serde(skip)]
    pub force: bool,
    /// The worlds, `id@key=value`.
    pub worlds: Vec<String>,
    /// The learners whose sets are watched, `id@key=value`; B and T* are the true ones unless
    /// given.
    pub learners: Vec<String>,
    /// The failure probabilities.
    pub deltas: Vec<f64>,
    /// The seeds.
    pub seeds: Range<u64>,
    /// The steps of every run.
    pub steps: u64,
}

impl Default for CoverageOptions {
    fn default() -> Self {
        let texts = |texts: &[&str]| texts.iter().map(|text| text.to_string()).collect();
        CoverageOptions {
            out: "out/coverage".into(),
            force: false,
            worlds: texts(&[
                "hard-instance@dim=2",
                "hard-instance@dim=4",
                "windy-grid@n=3",
                "random-mixture",
            ]),
            learners: texts(&[
                "lr",
                "levis++lr",
                "levis++",
                "levis++@radius=data",
                "levis++@radius=determinant",
                "levis",
                "levis@radius=determinant",
                "levis++@radius=scaled:0.003",
                "levis@radius=scaled:0.1",
            ]),
            deltas: vec![0.1, 0.01],
            seeds: 0..200,
            steps: 2000,
        }
    }
}

/// What was seen.
#[derive(Clone, Debug, Serialize)]
pub struct Coverage {
    /// The version of goalward.
    pub version: &'static str,
    /// What was asked for.
    #[serde(flatten)]
    pub options: CoverageOptions,
    /// One row for each world, delta and learner.
    pub rows: Vec<CoverageRow>,
    /// What the numbers say, in words.
    pub words: Vec<String>,
    /// Whether no set is refuted: none that has a guarantee loses theta* significantly more often
    /// than it promises, and none that was planned over lacks a theta* that the confidence set has.
    pub sound: bool,
    /// Whether the user broke off.
    pub interrupted: bool,
    /// The files that were written.
    pub files: Vec<PathBuf>,
}

/// One learner's sets in one world.
#[derive(Clone, Debug, Serialize)]
pub struct CoverageRow {
    /// The world, as given.
    pub world: String,
    /// The failure probability.
    pub delta: f64,
    /// Who it is.
    #[serde(flatten)]
    pub contender: Contender,
    /// Which confidence radius was used.
    pub radius: Option<String>,
    /// What is proved of the learner here, with its conditions checked against the truth.
    pub guarantee: Option<Guarantee>,
    /// The probability with which the sets may lose theta*; nothing where a condition of the proof
    /// is not met.
    pub promised: Option<f64>,
    /// Runs in which theta* was outside after some step: of a likelihood set itself, of a
    /// regression's ellipsoid.
    pub lost: Option<Proportion>,
    /// Runs in which a plan was made over a set without theta*: for a likelihood set, over the
    /// ellipsoid around it.
    pub lost_at_plan: Option<Proportion>,
    /// Runs in which a plan was made over a set without theta* though theta* was in the confidence
    /// set: the set that is planned over must contain that one, so that any such run is an error of
    /// goalward.
    pub missed_at_plan: usize,
    /// The likelihood's threshold above the least loss after the last step, in nats.
    pub nats: Option<Mean>,
    /// The radius of the regression's ellipsoid after the last step, in its own norm.
    pub beta: Option<Mean>,
    /// The width of the set within B after the last step, as a share of B's: mean over all
    /// phi_V*(s,a).
    pub width: Option<Mean>,
    /// Runs whose set had become empty by the last step.
    pub empty: usize,
    /// Gap regret over the steps.
    pub gap_regret: Option<Mean>,
    #[serde(skip)]
    accounts: Vec<Account>,
}

impl CoverageRow {
    pub(crate) fn of(world: &str, delta: f64, contender: &Contender, accounts: Vec<Account>) -> CoverageRow {
        let whole: Vec<&Account> = accounts.iter().filter(|a| !a.interrupted).collect();
        let share = |lost: fn(&Account) -> Option<u64>| {
            let hits = whole.iter().filter(|a| lost(a).is_some()).count();
            Proportion::of(hits as u64, whole.len() as u64)
        };
        let mean = |of: fn(&Account) -> Option<f64>| {
            Mean::of(&whole.iter().filter_map(|a| of(a)).collect::<Vec<_>>())
        };
        let guarantee = accounts.first().and_then(|a| a.guarantee.clone());
        CoverageRow {
            world: world.into(),
            delta,
            contender: contender.clone(),
            radius: accounts.first().and_then(|a| a.kind.clone()),
            promised: guarantee.as_ref().filter(|g| g.holds != Holds::No).map(|g| g.level),
            guarantee,
            lost: share(|a| a.lost),
            lost_at_plan: share(|a| a.lost_at_plan),
            missed_at_plan: accounts.iter().filter(|a| a.missed.is_some()).count(),
            nats: mean(|a| a.nats),
            beta: mean(|a| a.radius),
            width: mean(|a| a.width),
            empty: whole.iter().filter(|a| a.empty).count(),
            gap_regret: mean(|a| Some(a.gap_regret)),
            accounts,
        }
    }

    /// Whether a condition of what is proved fails here.
    pub(crate) fn has_no_guarantee(&self) -> bool {
        self.guarantee.as_ref().is_some_and(|g| g.holds == Holds::No)
    }

    /// Whether the runs refute what is promised: even the lower end of the interval is above it.
    fn refuted(&self) -> bool {
        self.promised.zip(self.lost).is_some_and(|(promised, lost)| lost.low > promised)
    }
}

/// Whether the runs refute no set, and none that was planned over lacks a theta* that the
/// confidence set has.
fn is_sound(rows: &[CoverageRow]) -> bool {
    !rows.iter().any(|row| row.refuted() || row.missed_at_plan > 0)
}

/// One world, delta and contender.
pub(crate) struct Cell<'a> {
    pub(crate) place: &'a Place,
    pub(crate) arena: &'a Arena,
    pub(crate) yardstick: &'a Yardstick,
    pub(crate) delta: f64,
    pub(crate) contender: Contender,
}

/// Every cell with every seed, on all threads; a row for each cell with at least one run.
pub(crate) fn rows(
    cells: &[Cell],
    seeds: &Range<u64>,
    steps: u64,
    what: &str,
    progress: &dyn Progress,
) -> Result<Vec<CoverageRow>> {
    let checks = [(seeds.is_empty(), "seeds"), (steps == 0, "steps"), (cells.is_empty(), "learners")];
    if let Some((_, what)) = checks.into_iter().find(|(missing, _)| *missing) {
        return Err(Error::Nothing { what });
    }
    // a wrong setting should cost no time
    for cell in cells {
        watch(cell.arena, cell.yardstick, &cell.contender, seeds.start, 1, progress)?;
    }
    let jobs: Vec<(usize, u64)> =
        (0..cells.len()).flat_map(|cell| seeds.clone().map(move |seed| (cell, seed))).collect();
    progress.begin(what, jobs.len() as u64);
    let done = in_order(&jobs, progress, |&(cell, seed)| {
        let Cell { arena, yardstick, contender, .. } = &cells[cell];
        let account = watch(arena, yardstick, contender, seed, steps, progress);
        progress.advance(1);
        account
    });
    progress.end();
    let mut accounts: Vec<Vec<Account>> = vec![Vec::new(); cells.len()];
    for (account, (cell, _)) in done?.into_iter().zip(&jobs) {
        accounts[*cell].push(account);
    }
    let row = |(cell, accounts): (&Cell, Vec<Account>)| {
        CoverageRow::of(&cell.place.label, cell.delta, &cell.contender, accounts)
    };
    Ok(cells.iter().zip(accounts).filter(|(_, accounts)| !accounts.is_empty()).map(row).collect())
}

/// The contenders of a study with a failure probability; what must be known is the truth.
pub(crate) fn told(contenders: &[Contender], delta: f64) -> Result<Vec<Contender>> {
    if !(delta > 0.0 && delta < 1.0) {
        let fault = format!("{delta} does not lie between 0 and 1");
        return Err(Error::Option { option: "delta", fault });
    }
    let mut told = contenders.to_vec();
    for contender in &mut told {
        for (key, value) in [("B", "oracle"), ("t_star", "oracle")] {
            contender.fill(key, value)?;
        }
        contender.fill("delta", delta)?;
    }
    Ok(told)
}

/// Watches the sets and writes coverage.csv, runs.csv and summary.md into `options.out`.
///
/// When `progress` says so the runs stop; what was done is written, and says that it was
/// interrupted.
pub fn coverage(options: &CoverageOptions, progress: &dyn Progress) -> Result<Coverage> {
    let contenders = Contender::parse_all(&options.learners)?;
    let opened = Place::open_all(&options.worlds)?;
    let yardsticks: Vec<Yardstick> = opened.iter().map(|(_, arena)| Yardstick::new(arena)).collect();
    if options.deltas.is_empty() {
        return Err(Error::Nothing { what: "deltas" });
    }
    let mut cells = Vec::new();
    for ((place, arena), yardstick) in opened.iter().zip(&yardsticks) {
        for &delta in &options.deltas {
            for contender in told(&contenders, delta)? {
                cells.push(Cell { place, arena, yardstick, delta, contender });
            }
        }
    }
    let arenas: Vec<&Arena> = opened.iter().map(|(_, arena)| arena).collect();
    let names = ["runs.csv", "summary.md"].map(String::from).to_vec();
    let folder = Folder::claim(&options.out, "coverage", options, &arenas, names, options.force)?;
    let rows = rows(&cells, &options.seeds, options.steps, "coverage", progress)?;
    let seeds = (options.seeds.end - options.seeds.start) as usize;
    let complete =
        |row: &CoverageRow| row.accounts.len() == seeds && !row.accounts.iter().any(|a| a.interrupted);
    let mut coverage = Coverage {
        version: env!("CARGO_PKG_VERSION"),
        options: options.clone(),
        words: Vec::new(),
        sound: is_sound(&rows),
        interrupted: rows.len() < cells.len() || !rows.iter().all(complete),
        files: Vec::new(),
        rows,
    };
    coverage.words = coverage.sentences();
    coverage.write(&folder)?;
    Ok(coverage)
}

impl Coverage {
    /// The result as aligned text.
    pub fn table(&self) -> String {
        self.cells().text()
    }

    pub(crate) fn cells(&self) -> Table {
        let mut table = Table::new([
            "world",
            "delta",
            "learner",
            "promised",
            "theta* lost",
            "at most",
            "lost at a plan",
            "threshold",
            "radius",
            "width",
            "gap regret",
        ]);
        for row in &self.rows {
            let percent = |x: f64| format!("{:.1} %", 100.0 * x);
            let empty = if row.empty > 0 { format!(" ({} empty)", row.empty) } else { String::new() };
            let lost = |p: Option<Proportion>| p.map_or("-".into(), |p| format!("{}/{}", p.hits, p.n));
            table.row(vec![
                row.world.clone(),
                row.delta.to_string(),
                row.contender.learner.clone() + &shown_radius(row),
                row.promised.map_or("-".into(), percent),
                lost(row.lost),
                row.lost.map_or("-".into(), |p| percent(p.limit)),
                lost(row.lost_at_plan),
                row.nats.map_or("-".into(), |m| format!("{:.2} nats", m.mean)),
                row.beta.map_or("-".into(), |m| Significant(m.mean).to_string()),
                row.width.map_or("-".into(), |m| format!("{:.4}", m.mean)) + &empty,
                row.gap_regret.map_or("-".into(), |m| m.to_string()),
            ]);
        }
        table
    }

    fn sentences(&self) -> Vec<String> {
        let mut words = Vec::new();
        if self.interrupted {
            words.push("Interrupted: the numbers are those of the runs that were complete.".into());
        }
        for row in self.rows.iter().filter(|r| r.radius.as_deref() == Some("likelihood")) {
            let Some(lost) = row.lost else { continue };
            let kept =
                if lost.limit <= row.delta { "which is at most delta" } else { "which is above delta" };
            words.push(format!(
                "{}, delta = {}: {} loses theta* in {} of {} runs; with 95 % confidence in at \
                 most {:.1} % of all, {kept}.",
                row.world,
                row.delta,
                row.contender.learner,
                lost.hits,
                lost.n,
                100.0 * lost.limit
            ));
        }
        for row in self.rows.iter().filter(|r| r.missed_at_plan > 0) {
            let first = row.accounts.iter().find_map(|a| a.missed.map(|t| (a.seed, t)));
            let (seed, t) = first.unwrap_or_default();
            words.push(format!(
                "{}, delta = {}: {} planned over a set without theta* in {} of {} runs though \
                 theta* was in its confidence set (first \
                 with seed {seed}, at step {t}). The one must contain the other: this is an error \
                 of goalward, please report it.",
                row.world,
                row.delta,
                row.contender.label,
                row.missed_at_plan,
                row.accounts.len()
            ));
        }
        for row in self.rows.iter().filter(|r| r.refuted()) {
            words.push(format!(
                "{}, delta = {}: {} loses theta* more often than it promises.",
                row.world, row.delta, row.contender.label
            ));
        }
        words
    }

    /// The result as Markdown.
    pub fn summary(&self) -> String {
        let words: String = self.words.iter().map(|w| format!("* {w}\n")).collect();
        format!(
            "# Coverage\n\n{} steps, {} seeds for each row, goalward {}.\n\n{}\n{words}\n\
             *theta\\* lost*: runs in which theta\\* was outside the set after some step; *at \
             most*: the one-sided 95 % upper limit \
             of Clopper and Pearson. *Lost at a plan*: runs in which a plan was made over a set \
             without theta\\*; for the likelihood \
             set that is the ellipsoid around it. *Threshold*: how far the likelihood's threshold \
             is above the least loss \
             after the last step. *Radius*: beta of the regression, in the norm of its own Sigma. \
             *Width*: of ⟨theta, phi_V\\*(s,a)⟩ \
             over the set within B after the last step, as a share of B's own, mean over all \
             (s,a): 1 says nothing of theta. \
             *Promised*: the probability of a loss that is proved not to be exceeded; \"-\" where \
             a condition of the proof \
             is not met, as the printed norms are not on most worlds.\n",
            self.options.steps,
            self.options.seeds.end - self.options.seeds.start,
            self.version,
            self.cells().markdown(),
        )
    }

    fn write(&mut self, folder: &Folder) -> Result<()> {
        let mut runs = Table::new([
            "world",
            "delta",
            "learner",
            "radius",
            "seed",
            "steps",
            "first_lost",
            "first_lost_at_plan",
            "nats",
            "beta",
            "width",
            "gap_regret",
            "interrupted",
        ]);
        for row in &self.rows {
            for a in &row.accounts {
                let known = |x: Option<f64>| x.map(|x| x.to_string()).unwrap_or_default();
                let at = |t: Option<u64>| t.map(|t| t.to_string()).unwrap_or_default();
                runs.row(vec![
                    row.world.clone(),
                    row.delta.to_string(),
                    row.contender.label.clone(),
                    row.radius.clone().unwrap_or_default(),
                    a.seed.to_string(),
                    a.steps.to_string(),
                    at(a.lost),
                    at(a.lost_at_plan),
                    known(a.nats),
                    known(a.radius),
                    known(a.width),
                    a.gap_regret.to_string(),
                    a.interrupted.to_string(),
                ]);
            }
        }
        self.files = vec![folder.write("runs.csv", runs.csv())?, folder.write("summary.md", self.summary())?];
        Ok(())
    }
}

/// What tells two radii of one learner apart.
fn shown_radius(row: &CoverageRow) -> String {
    match row.radius.as_deref() {
        None | Some("likelihood") => String::new(),
        Some(radius) => format!(" {radius}"),
    }
}

/// A number with four significant digits.
struct Significant(f64);

impl std::fmt::Display for Significant {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let decimals = (3.0 - self.0.abs().log10().floor()).clamp(0.0, 9.0) as usize;
        f.write_str(&crate::figure::number_label(self.0, decimals))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(seed: u64, missed: Option<u64>) -> Account {
        Account {
            seed,
            lost: None,
            lost_at_plan: missed,
            missed,
            steps: 500,
            nats: Some(10.0),
            radius: None,
            width: Some(0.5),
            empty: false,
            gap_regret: 1.0,
            guarantee: None,
            kind: Some("likelihood".into()),
            interrupted: false,
        }
    }

    /// One run in a thousand is no luck here: the set that is planned over must contain the
    /// confidence set.
    #[test]
    fn a_loss_at_a_plan_alone_is_an_error() {
        let lr = Contender::parse_all(&["lr".to_string()]).unwrap().remove(0);
        let report = |missed: Option<u64>| {
            let accounts = (0..1000).map(|seed| account(seed, missed.filter(|_| seed == 17))).collect();
            let rows = vec![CoverageRow::of("somewhere", 0.1, &lr, accounts)];
            let mut coverage = Coverage {
                version: "",
                options: CoverageOptions::default(),
                words: Vec::new(),
                sound: is_sound(&rows),
                interrupted: false,
                files: Vec::new(),
                rows,
            };
            coverage.words = coverage.sentences();
            coverage
        };
        let fine = report(None);
        assert!(fine.sound && !fine.words.iter().any(|words| words.contains("error")), "{:?}", fine.words);
        let wrong = report(Some(256));
        assert!(!wrong.sound && wrong.rows[0].missed_at_plan == 1);
        let named = |words: &String| {
            ["error of goalward", "seed 17", "step 256", "1 of 1000"].iter().all(|x| words.contains(x))
        };
        assert!(wrong.words.iter().any(named), "{:?}", wrong.words);
    }
}
