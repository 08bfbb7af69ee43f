//! Survey: every learner on several worlds, and one of them against all others.

use crate::curves::{Curves, Interrupted};
use crate::jobs::run_grid;
use crate::paired::{Difference, Verdict};
use crate::records::{Group, runs_csv};
use crate::stats::Mean;
use crate::table::Table;
use crate::{Contender, Error, Folder, Place, Progress, Result};
use goalward::Settings;
use goalward::confidence::Holds;
use goalward::episode::Arena;
use goalward::learners::{self, Family, LEARNERS, LearnerEntry, Need};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::path::PathBuf;

/// What to run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SurveyOptions {
    /// Where the results are written.
    pub out: PathBuf,
    /// Whether results of another question may be overwritten.
    #[serde(skip)]
    pub force: bool,
    /// The worlds, `id@key=value`.
    pub worlds: Vec<String>,
    /// The contenders, `id@key=value`; B and T* are the true ones unless given.
    pub learners: Vec<String>,
    /// The contender that all others are measured against, as given.
    pub against: String,
    /// Contenders that are shown and not judged: of `lr` no regret theorem is claimed.
    pub beside: Vec<String>,
    /// The number of episodes K of each run.
    pub episodes: u64,
    /// The seeds.
    pub seeds: Range<u64>,
    /// The cap on steps of each run.
    pub max_steps: u64,
}

/// The worlds of a survey unless others are named: mixtures of models, of a size that thousands of
/// episodes for twenty seeds take minutes on.
const SURVEYED: [&str; 5] = ["hard-instance", "corridor", "windy-grid", "random-mixture", "ladder"];

/// What goalward recommends to those who know a bound on B*, and to those who do not.
fn recommended() -> [&'static str; 2] {
    let known = Settings::new().set("B", "oracle");
    [known, Settings::new()].map(|settings| learners::recommended(&settings).id)
}

/// Every variant of every learner that does not know the truth; those that are recommended first.
fn variants(of: impl Fn(&LearnerEntry) -> bool) -> Vec<String> {
    let rivals = LEARNERS.iter().filter(|learner| !learner.wants(Need::Policy) && of(learner));
    let mut all: Vec<(usize, String)> = Vec::new();
    for learner in rivals {
        let place = recommended().iter().position(|id| *id == learner.id).unwrap_or(usize::MAX);
        for variant in learner.variants {
            let settings = if variant.is_empty() { String::new() } else { format!("@{variant}") };
            all.push((place, learner.id.to_string() + &settings));
        }
    }
    all.sort_by_key(|(place, _)| *place);
    all.into_iter().map(|(_, label)| label).collect()
}

impl SurveyOptions {
    /// Every learner that does not know the truth, of all families.
    pub fn everyone() -> Vec<String> {
        variants(|_| true)
    }
}

/// Learners of mixtures, on worlds that are mixtures.
impl Default for SurveyOptions {
    fn default() -> Self {
        let [with_b, without] = recommended();
        SurveyOptions {
            out: "out/survey".into(),
            force: false,
            worlds: SURVEYED.iter().map(|id| id.to_string()).collect(),
            learners: variants(|entry| matches!(entry.family, Family::LinearMixture | Family::Baseline)),
            against: with_b.into(),
            beside: vec![without.into()],
            episodes: 10_000,
            seeds: 0..20,
            max_steps: 1_000_000,
        }
    }
}

/// What it came to.
#[derive(Clone, Debug, Serialize)]
pub struct Survey {
    /// The version of goalward.
    pub version: &'static str,
    /// What was asked for.
    #[serde(flatten)]
    pub options: SurveyOptions,
    /// One row for each world and contender.
    pub rows: Vec<SurveyRow>,
    /// What the numbers say, in words.
    pub words: Vec<String>,
    /// Whether the reference is nowhere above a rival with a guarantee by more than the paired
    /// interval.
    pub nowhere_worse: bool,
    /// What is missing, if the user broke off.
    pub interrupted: bool,
    /// The files that were written.
    pub files: Vec<PathBuf>,
    #[serde(skip)]
    curves: Vec<(Place, Vec<Curves>)>,
}

/// One contender in one world.
#[derive(Clone, Debug, Serialize)]
pub struct SurveyRow {
    /// The world, as given.
    pub world: String,
    /// Who it is.
    #[serde(flatten)]
    pub contender: Contender,
    /// Which confidence radius was used, if the learner has one.
    pub radius: Option<String>,
    /// Whether what is proved of the learner holds here.
    pub guarantee: Option<Holds>,
    /// Runs that the numbers are taken over.
    pub runs: usize,
    /// Runs that the cap on steps ended: they count with what they had paid.
    pub truncated: usize,
    /// Gap regret.
    pub gap_regret: Option<Mean>,
    /// Regret.
    pub regret: Option<Mean>,
    /// Against the reference; nothing for the reference itself.
    pub difference: Option<Difference>,
}

/// Runs everything and writes runs.csv and summary.md into `options.out`.
pub fn survey(options: &SurveyOptions, progress: &dyn Progress) -> Result<Survey> {
    let mut contenders = Contender::parse_all(&options.learners)?;
    for contender in &mut contenders {
        for key in ["B", "t_star"] {
            contender.fill(key, "oracle")?;
        }
    }
    if let Some(c) =
        contenders.iter().find(|c| learners::entry(&c.learner).is_ok_and(|e| e.wants(Need::Policy)))
    {
        let fault = format!("{:?} knows the truth: it is nobody's rival", c.label);
        return Err(Error::Option { option: "learners", fault });
    }
    if contenders.iter().all(|c| c.label != options.against) {
        let fault = format!("{:?} is none of the learners", options.against);
        return Err(Error::Option { option: "against", fault });
    }
    let opened = Place::open_all(&options.worlds)?;
    let seeds: Vec<u64> = options.seeds.clone().collect();
    let arenas: Vec<&Arena> = opened.iter().map(|(_, arena)| arena).collect();
    let names = ["runs.csv", "summary.md"].map(String::from).to_vec();
    let folder = Folder::claim(&options.out, "survey", options, &arenas, names, options.force)?;
    let mut curves = Vec::new();
    for (place, arena) in opened {
        let done =
            run_grid(&arena, &contenders, &seeds, options.episodes, Some(options.max_steps), progress)?;
        curves.push((place, done));
    }
    let mut survey = Survey {
        version: env!("CARGO_PKG_VERSION"),
        options: options.clone(),
        rows: Vec::new(),
        words: Vec::new(),
        nowhere_worse: true,
        interrupted: curves.iter().any(|(_, c)| Interrupted::of(c, options.episodes).is_some()),
        files: Vec::new(),
        curves,
    };
    for (place, curves) in &survey.curves {
        let differences = Difference::all(curves, &options.against)?;
        for c in curves {
            let difference = differences.iter().find(|d| d.label == c.contender.label).cloned();
            survey.rows.push(SurveyRow {
                world: place.label.clone(),
                contender: c.contender.clone(),
                radius: c.radius().map(String::from),
                guarantee: c.guarantee(),
                runs: c.counted().len(),
                truncated: c.truncated(),
                gap_regret: c.mean_of(|r| r.result.gap_regret).filter(|_| !c.unfinished()),
                regret: c.mean_of(|r| r.result.regret).filter(|_| !c.unfinished()),
                difference,
            });
        }
    }
    survey.judge();
    survey.write(&folder)?;
    Ok(survey)
}

impl SurveyRow {
    pub(crate) fn verdict(&self) -> Option<Verdict> {
        self.difference.as_ref().and_then(|d| d.verdict)
    }
}

impl Survey {
    fn judge(&mut self) {
        let reference = &self.options.against;
        let beside = |r: &&SurveyRow| self.options.beside.contains(&r.contender.label);
        let judged = |r: &&SurveyRow| r.guarantee == Some(Holds::Yes) && r.difference.is_some() && !beside(r);
        let rivals = || self.rows.iter().filter(judged);
        let more: Vec<&SurveyRow> = rivals().filter(|r| r.verdict() == Some(Verdict::More)).collect();
        let less = rivals().filter(|r| r.verdict() == Some(Verdict::Less)).count();
        let open = rivals().filter(|r| r.verdict() == Some(Verdict::Open)).count();
        let unknown = rivals().filter(|r| r.verdict().is_none()).count();
        let mut words = Vec::new();
        if self.interrupted {
            words.push("Interrupted: the numbers are those of the runs that were complete.".into());
        }
        words.push(format!(
            "Of {} pairs of a world and a rival with a guarantee, {reference} pays less in \
             {less}, more in {}, and cannot be \
             told apart in {open}, by paired 95 % intervals.",
            rivals().count(),
            more.len()
        ));
        if unknown > 0 {
            words.push(format!(
                "{unknown} pairs could not be compared: no complete run, or a truncated {reference}."
            ));
        }
        for row in &more {
            let by = row.difference.as_ref().map_or("-".into(), Difference::text);
            words.push(format!("On {} it pays more than {}, by {by}.", row.world, row.contender.label));
        }
        for row in self.rows.iter().filter(beside) {
            let Some(by) = row.difference.as_ref().filter(|d| d.difference.is_some()) else { continue };
            let by = by.text();
            let says = match row.verdict() {
                Some(Verdict::Open) => ", which tells nothing",
                _ => "",
            };
            words.push(format!(
                "Beside it, not judged: {} on {} differs by {by}{says}.",
                row.contender.label, row.world
            ));
        }
        self.nowhere_worse = more.is_empty() && unknown == 0;
        self.words = words;
    }

    /// The result as aligned text.
    pub fn table(&self) -> String {
        self.cells().text()
    }

    pub(crate) fn cells(&self) -> Table {
        let less = format!("less that of {}", self.options.against);
        let mut table =
            Table::new(["world", "learner", "radius", "guarantee", "truncated", "gap regret", less.as_str()]);
        for row in &self.rows {
            let paid = row.gap_regret.map_or("-".into(), |m| m.to_string());
            table.row(vec![
                row.world.clone(),
                row.contender.label.clone(),
                row.radius.clone().unwrap_or("-".into()),
                crate::compare::guarantee_word(row.guarantee).into(),
                row.truncated.to_string(),
                if row.truncated > 0 { format!("≥ {paid}") } else { paid },
                match &row.difference {
                    None => "0".into(),
                    Some(difference) => difference.text(),
                },
            ]);
        }
        table
    }

    /// Gap regret with one column for each world.
    pub(crate) fn matrix(&self) -> Table {
        let worlds: Vec<&str> = self.curves.iter().map(|(place, _)| place.label.as_str()).collect();
        let mut table = Table::new(std::iter::once("learner").chain(worlds.iter().copied()));
        let labels = self.curves.first().map_or(&[][..], |(_, curves)| curves);
        for label in labels.iter().map(|c| &c.contender.label) {
            let of = |world: &&str| {
                let row = self.rows.iter().find(|r| r.world == *world && r.contender.label == *label);
                row.and_then(|r| {
                    let sign = if r.truncated > 0 { "≥ " } else { "" };
                    r.gap_regret.map(|m| format!("{sign}{m}"))
                })
            };
            let cells = worlds.iter().map(|w| of(w).unwrap_or("-".into()));
            table.row(std::iter::once(format!("`{label}`")).chain(cells).collect());
        }
        table
    }

    /// The result as Markdown.
    pub fn summary(&self) -> String {
        let words: String = self.words.iter().map(|w| format!("* {w}\n")).collect();
        format!(
            "# Survey\n\nGap regret after {} episodes, {} seeds, at most {} steps a run; goalward \
             {}.\n\n{}\n{words}\n{}\n\
             Means with 95 % Student-t intervals; the last column is the mean of the differences \
             seed by seed, which met the \
             same luck, with BCa bootstrap intervals (Student's with fewer than eight seeds). A \
             run that the cap on steps ended counts with the gap regret of the steps that it made, \
             a lower bound (≥).\n",
            self.options.episodes,
            self.options.seeds.end - self.options.seeds.start,
            self.options.max_steps,
            self.version,
            self.matrix().markdown(),
            self.cells().markdown(),
        )
    }

    fn write(&mut self, folder: &Folder) -> Result<()> {
        let groups: Vec<Group> =
            self.curves.iter().map(|(place, curves)| Group { lead: place.label.clone(), curves }).collect();
        self.files = vec![
            folder.write("runs.csv", runs_csv("world", &groups))?,
            folder.write("summary.md", self.summary())?,
        ];
        Ok(())
    }
}
