//! The runs of one learner in one world, as analyses ask for them.

use crate::results::{Cell, Results, Run};
use crate::stats::{BurnIn, Mean, log_log_slope};
use crate::study::{LearnerPoint, Study, Thinning, WorldPoint};
use goalward::learners::{self, Family, Need};
use serde::Serialize;

/// What a learner knows of the world before its first step, apart from the costs.
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

impl Knowledge {
    /// What tables call it.
    pub(super) fn word(self) -> &'static str {
        match self {
            Knowledge::Models => "the models",
            Knowledge::Map => "the map",
            Knowledge::Nothing => "nothing",
            Knowledge::Truth => "the truth",
        }
    }
}

/// One cell with what the study says of it.
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

    /// What tables call the learner.
    pub(super) fn label(&self) -> &'a str {
        &self.learner.contender.label
    }

    /// The learner wherever it lies on these axes of its grid: its base label, and where it lies on
    /// the others.
    pub(super) fn name_without(&self, axes: &[&str]) -> String {
        let rest = self.learner.point.iter().filter(|(key, _)| !axes.contains(&key.as_str()));
        let rest: String = rest.map(|(key, value)| format!("@{key}={value}")).collect();
        format!("{}{rest}", self.learner.base)
    }

    /// The runs that there are.
    pub(super) fn runs(&self) -> &'a [Run] {
        &self.cell.runs
    }

    /// Runs that the cap on steps ended before their time.
    pub(super) fn truncated(&self) -> usize {
        self.cell.truncated(self.study)
    }

    /// The mean of a number over the runs.
    pub(super) fn mean_of(&self, number: impl Fn(&Run) -> f64) -> Option<Mean> {
        self.mean_of_known(|run| Some(number(run)))
    }

    /// The mean of a number over the runs that have it.
    pub(super) fn mean_of_known(&self, number: impl Fn(&Run) -> Option<f64>) -> Option<Mean> {
        Mean::of(&self.runs().iter().filter_map(number).collect::<Vec<_>>())
    }

    /// A number of this cell's runs and of another's, seed by seed: both met the same luck.
    pub(super) fn pairs(&self, other: &View, number: impl Fn(&Run) -> f64) -> (Vec<f64>, Vec<f64>) {
        let pair = |mine: &Run| {
            let twin = other.runs().iter().find(|run| run.seed == mine.seed)?;
            Some((number(mine), number(twin)))
        };
        self.runs().iter().filter_map(pair).unzip()
    }

    /// Whether every run that both have is the same: the same rows of episodes, the same end.
    pub(super) fn same_curves(&self, other: &View) -> bool {
        let twins = self.runs().iter().filter_map(|mine| {
            let twin = other.runs().iter().find(|run| run.seed == mine.seed)?;
            let last = |run: &Run| (run.row.episodes, run.row.steps, run.row.regret, run.row.gap_regret);
            Some(mine.episodes == twin.episodes && last(mine) == last(twin))
        });
        let twins: Vec<bool> = twins.collect();
        !twins.is_empty() && twins.iter().all(|same| *same)
    }

    /// The exponent e of the growth K^e of the mean gap regret over the last two doublings of K;
    /// `None` if the cap on steps ended a run, because what is kept of it does not grow, and where
    /// runs are counted in steps, because they have no episodes in common to the end.
    pub(super) fn growth(&self) -> Option<f64> {
        let (first, others) = self.runs().split_first()?;
        if self.truncated() > 0 || self.world.length.by_steps {
            return None;
        }
        let at = |run: &Run, k: u64| {
            let place = run.episodes.binary_search_by_key(&k, |row| row.episode).ok()?;
            Some(run.episodes[place].gap_regret)
        };
        let mean = |k: u64| {
            let sum = others.iter().try_fold(at(first, k)?, |sum, run| Some(sum + at(run, k)?))?;
            Some(sum / self.runs().len() as f64)
        };
        let last = first.episodes.last()?.episode;
        let late = first.episodes.iter().map(|row| row.episode).filter(|k| 4 * k >= last);
        let slope = log_log_slope(late.filter_map(|k| Some((k as f64, mean(k)?))));
        // a slope of -0.00 would only puzzle
        slope.map(|e| if e.abs() < 0.005 { 0.0 } else { e })
    }

    /// The mean Regret/K at the recorded episode K nearest to this one that all runs have, by the
    /// square root of K as the paper's figure has it.
    pub(super) fn ratio_near(&self, episode: f64) -> Option<(u64, Mean)> {
        let off = |k: u64| ((k as f64).sqrt() - episode.sqrt()).abs();
        let ratio = |run: &Run, k: u64| {
            let place = run.episodes.binary_search_by_key(&k, |row| row.episode).ok()?;
            Some(run.episodes[place].regret / k as f64)
        };
        let known = |k: &u64| self.runs().iter().all(|run| ratio(run, *k).is_some());
        let episodes = self.runs().first()?.episodes.iter().map(|row| row.episode).filter(known);
        let nearest = episodes.min_by(|a, b| off(*a).total_cmp(&off(*b)))?;
        Some((nearest, self.mean_of_known(|run| ratio(run, nearest))?))
    }

    /// Which confidence radius was used, if the learner has one.
    pub(super) fn radius(&self) -> Option<&'a str> {
        self.runs().first().and_then(|run| run.row.radius.as_deref())
    }

    /// Whether what is proved of the learner holds with these settings, in this world; `None` for
    /// one of which nothing is proved. All runs have the same conditions, but a run that met a step
    /// that no model allows shows that one fails.
    pub(super) fn guarantee(&self) -> Option<&'a str> {
        let said = || self.runs().iter().filter_map(|run| run.row.guarantee.as_deref());
        said().find(|word| *word == "no").or_else(|| said().next())
    }

    /// Why it does not hold, where it does not.
    pub(super) fn why_not(&self) -> Option<&'a str> {
        self.runs().iter().find_map(|run| run.row.why_not.as_deref())
    }

    /// When its sets first said something; `None` if that is not known of them: a learner without
    /// sets, or a study that recorded none.
    pub(super) fn burn_in(&self) -> Option<BurnIn> {
        let informed: Vec<Option<u64>> = self.runs().iter().map(|run| run.row.informed_episode).collect();
        let asked = self.study.record.probes != Thinning::None && self.radius().is_some();
        let known = !informed.is_empty() && (asked || informed.iter().any(Option::is_some));
        known.then(|| BurnIn::of(&informed))
    }

    /// Whether it is told the truth: nobody's rival.
    pub(super) fn knows_the_truth(&self) -> bool {
        learners::entry(&self.learner.contender.learner).is_ok_and(|entry| entry.wants(Need::Policy))
    }

    /// What it knows beforehand, by its entry and the settings in force; nobody can tell of a learner
    /// that is not of the house.
    pub(super) fn knowledge(&self) -> Option<Knowledge> {
        let entry = learners::entry(&self.learner.contender.learner).ok()?;
        let in_force = self.runs().first().map(|run| &run.parameters);
        let set = |key: &str, word: &str| {
            let given = self.learner.contender.settings.get(key);
            let known = in_force.and_then(|all| all.get(key)).and_then(|value| value.as_str());
            known.or(given) == Some(word)
        };
        match () {
            () if entry.family == Family::Own => None,
            () if entry.wants(Need::Policy) => Some(Knowledge::Truth),
            () if set("support", "known") => Some(Knowledge::Map),
            // a feature for each pair tells nothing of any
            () if entry.uses_models() && !set("features", "one-hot") => Some(Knowledge::Models),
            () => Some(Knowledge::Nothing),
        }
    }

    /// Whether it does not even try to learn.
    pub(super) fn is_baseline(&self) -> bool {
        let entry = learners::entry(&self.learner.contender.learner);
        entry.is_ok_and(|entry| entry.family == Family::Baseline)
    }

    /// Whether it is the policy that knows nothing and learns nothing: uniformly random actions.
    pub(super) fn is_random(&self) -> bool {
        let entry = learners::entry(&self.learner.contender.learner);
        entry.is_ok_and(|entry| entry.family == Family::Baseline && entry.needs.is_empty())
    }
}

/// The views of every world, in the order of the study; worlds without cells have none.
pub(super) fn by_world(results: &Results) -> Vec<(&WorldPoint, Vec<View<'_>>)> {
    let all = View::all(results);
    let of = |w: usize| all.iter().filter(|view| view.cell.world == w).copied().collect();
    results.study.worlds.iter().enumerate().map(|(w, world)| (world, of(w))).collect()
}

/// `≥ 198,355 ± 181` where a run was truncated: it would have paid more.
pub(super) fn at_least(mean: Option<Mean>, truncated: usize) -> String {
    let sign = if truncated > 0 { "≥ " } else { "" };
    mean.map_or("-".into(), |mean| format!("{sign}{mean}"))
}
