//! The runs of one learner in one world, as analyses ask for them.

use crate::results::{Cell, EpisodeRow, Results, Run};
use crate::stats::{BurnIn, Mean, log_log_slope};
use crate::study::{LearnerPoint, Study, Thinning, WorldPoint};
use goalward::learners::{self, Family, LearnerEntry, Need};
use serde::Serialize;

/// A learner's prior knowledge of the world, apart from the costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Knowledge {
    /// The candidate models, and so every pair's successors.
    Models,
    /// Every pair's successors.
    Map,
    /// Its states and actions alone.
    Nothing,
    /// The truth itself.
    Truth,
}

/// One cell with its world and learner.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) study: &'a Study,
    pub(super) world: &'a WorldPoint,
    pub(super) learner: &'a LearnerPoint,
    pub(super) cell: &'a Cell,
}

impl<'a> View<'a> {
    /// Every cell, in the order of the results.
    pub(super) fn all(results: &'a Results) -> Vec<View<'a>> {
        let study = &results.study;
        let view = |cell: &'a Cell| {
            let (world, learner) = (study.worlds.get(cell.world)?, study.learners.get(cell.learner)?);
            Some(View { study, world, learner, cell })
        };
        results.cells.iter().filter_map(view).collect()
    }

    pub(super) fn label(&self) -> &'a str {
        &self.learner.contender.label
    }

    /// The learner without these axes of its grid: its base label, and its values on the others.
    pub(super) fn name_without(&self, axes: &[&str]) -> String {
        let rest = self.learner.point.iter().filter(|(key, _)| !axes.contains(&key.as_str()));
        let rest: String = rest.map(|(key, value)| format!("@{key}={value}")).collect();
        format!("{}{rest}", self.learner.base)
    }

    pub(super) fn runs(&self) -> &'a [Run] {
        &self.cell.runs
    }

    /// The number of runs that the cap on steps ended early.
    pub(super) fn truncated(&self) -> usize {
        self.cell.truncated(self.study)
    }

    pub(super) fn mean_of(&self, number: impl Fn(&Run) -> f64) -> Option<Mean> {
        self.mean_of_known(|run| Some(number(run)))
    }

    /// The mean of a number over the runs that have it.
    pub(super) fn mean_of_known(&self, number: impl Fn(&Run) -> Option<f64>) -> Option<Mean> {
        Mean::of(&self.runs().iter().filter_map(number).collect::<Vec<_>>())
    }

    /// The runs of this cell and of another, seed by seed.
    fn twins<'b>(&'b self, other: &'b View) -> impl Iterator<Item = (&'b Run, &'b Run)> {
        let twin = |mine: &'b Run| Some((mine, other.runs().iter().find(|run| run.seed == mine.seed)?));
        self.runs().iter().filter_map(twin)
    }

    /// A number of this cell's runs and of another's, seed by seed: both met the same luck.
    pub(super) fn pairs(&self, other: &View, number: impl Fn(&Run) -> f64) -> (Vec<f64>, Vec<f64>) {
        self.twins(other).map(|(mine, twin)| (number(mine), number(twin))).unzip()
    }

    /// Whether all common runs are the same: the same rows of episodes, the same end.
    pub(super) fn same_curves(&self, other: &View) -> bool {
        let last = |run: &Run| (run.row.episodes, run.row.steps, run.row.regret, run.row.gap_regret);
        let same = |(a, b): (&Run, &Run)| a.episodes == b.episodes && last(a) == last(b);
        self.twins(other).next().is_some() && self.twins(other).all(same)
    }

    /// The exponent e of the growth K^e of the mean gap regret over the last two doublings of K; `None`
    /// if a run was truncated, or has a length in steps.
    pub(super) fn growth(&self) -> Option<f64> {
        let (first, others) = self.runs().split_first()?;
        if self.truncated() > 0 || self.world.length.by_steps {
            return None;
        }
        let at = |run: &Run, k: u64| Some(recorded(run, k)?.gap_regret);
        let mean = |k: u64| {
            let sum = others.iter().try_fold(at(first, k)?, |sum, run| Some(sum + at(run, k)?))?;
            Some(sum / self.runs().len() as f64)
        };
        let last = first.episodes.last()?.episode;
        let late = first.episodes.iter().map(|row| row.episode).filter(|k| 4 * k >= last);
        let slope = log_log_slope(late.filter_map(|k| Some((k as f64, mean(k)?))));
        // never -0.00
        slope.map(|e| if e.abs() < 0.005 { 0.0 } else { e })
    }

    /// The mean Regret/K at the common recorded episode K nearest to this one by the root of K.
    pub(super) fn ratio_near(&self, episode: f64) -> Option<(u64, Mean)> {
        let off = |k: u64| ((k as f64).sqrt() - episode.sqrt()).abs();
        let ratio = |run: &Run, k: u64| Some(recorded(run, k)?.regret / k as f64);
        let known = |k: &u64| self.runs().iter().all(|run| ratio(run, *k).is_some());
        let episodes = self.runs().first()?.episodes.iter().map(|row| row.episode).filter(known);
        let nearest = episodes.min_by(|a, b| off(*a).total_cmp(&off(*b)))?;
        Some((nearest, self.mean_of_known(|run| ratio(run, nearest))?))
    }

    /// The kind of the confidence radius, if the learner has one.
    pub(super) fn radius(&self) -> Option<&'a str> {
        self.runs().first().and_then(|run| run.row.radius.as_deref())
    }

    /// Whether the guarantee holds; `None` if nothing is proved. An impossible step in any run shows that
    /// it does not.
    pub(super) fn guarantee(&self) -> Option<&'a str> {
        let said = || self.runs().iter().filter_map(|run| run.row.guarantee.as_deref());
        said().find(|word| *word == "no").or_else(|| said().next())
    }

    /// Why it does not hold, where it does not.
    pub(super) fn why_not(&self) -> Option<&'a str> {
        self.runs().iter().find_map(|run| run.row.why_not.as_deref())
    }

    /// When its sets first excluded something; `None` for a learner without sets, or in a study that
    /// recorded none.
    pub(super) fn burn_in(&self) -> Option<BurnIn> {
        let informed: Vec<Option<u64>> = self.runs().iter().map(|run| run.row.informed_episode).collect();
        let asked = self.study.record.probes != Thinning::None && self.radius().is_some();
        let known = !informed.is_empty() && (asked || informed.iter().any(Option::is_some));
        known.then(|| BurnIn::of(&informed))
    }

    fn entry(&self) -> Option<LearnerEntry> {
        learners::entry(&self.learner.contender.learner).ok()
    }

    /// Whether it is told the truth, and so is no rival of others.
    pub(super) fn knows_the_truth(&self) -> bool {
        self.entry().is_some_and(|entry| entry.wants(Need::Policy))
    }

    /// Its prior knowledge, by its entry and the settings in force; unknown of a user's own learner.
    pub(super) fn knowledge(&self) -> Option<Knowledge> {
        let entry = self.entry().filter(|entry| entry.family != Family::Own)?;
        let in_force = self.runs().first().map(|run| &run.parameters);
        let set = |key: &str, word: &str| {
            let given = self.learner.contender.settings.get(key);
            let known = in_force.and_then(|all| all.get(key)).and_then(|value| value.as_str());
            known.or(given) == Some(word)
        };
        Some(match () {
            () if entry.wants(Need::Policy) => Knowledge::Truth,
            () if set("support", "known") => Knowledge::Map,
            // one-hot features carry no information
            () if entry.uses_models() && !set("features", "one-hot") => Knowledge::Models,
            () => Knowledge::Nothing,
        })
    }

    /// Whether it does not learn.
    pub(super) fn is_baseline(&self) -> bool {
        self.entry().is_some_and(|entry| entry.family == Family::Baseline)
    }

    /// Whether it is the policy of uniformly random actions.
    pub(super) fn is_random(&self) -> bool {
        self.is_baseline() && self.entry().is_some_and(|entry| entry.needs.is_empty())
    }
}

/// The row of an episode, if it was recorded.
fn recorded(run: &Run, k: u64) -> Option<&EpisodeRow> {
    run.episodes.binary_search_by_key(&k, |row| row.episode).ok().map(|place| &run.episodes[place])
}

/// The views of every world, in the order of the study.
pub(super) fn by_world(results: &Results) -> Vec<(&WorldPoint, Vec<View<'_>>)> {
    let all = View::all(results);
    let of = |w: usize| all.iter().filter(|view| view.cell.world == w).copied().collect();
    results.study.worlds.iter().enumerate().map(|(w, world)| (world, of(w))).collect()
}

/// `≥ 198,355 ± 181` where a run was truncated.
pub(super) fn at_least(mean: Option<Mean>, truncated: usize) -> String {
    let sign = if truncated > 0 { "≥ " } else { "" };
    mean.map_or("-".into(), |mean| format!("{sign}{mean}"))
}
