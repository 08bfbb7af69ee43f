//! What the runs of a contender came to: curves over the episodes, and final values.

use crate::Contender;
use crate::stats::{Mean, log_log_slope};
use goalward::confidence::Holds;
use goalward::episode::RunResult;
use serde::Serialize;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// All episodes are done.
    Finished,
    /// The cap on steps ended it: its numbers are those of fewer episodes.
    Truncated,
    /// The user ended it: its numbers are those of fewer episodes.
    Interrupted,
}

impl Outcome {
    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Finished => "finished",
            Outcome::Truncated => "truncated",
            Outcome::Interrupted => "interrupted",
        }
    }
}

/// One run: a contender with one seed.
#[derive(Clone, Debug, Serialize)]
pub struct Run {
    /// The seed.
    pub seed: u64,
    /// How it ended.
    pub outcome: Outcome,
    /// How many points of [`Curves::episodes`] were reached.
    pub reached: usize,
    /// Cumulative regret at these points; a truncated run keeps its last value to the end, which
    /// counts the episode that was cut off up to where it stood ([`RunResult::regret`]).
    pub regret: Vec<f64>,
    /// Cumulative gap regret there.
    pub gap_regret: Vec<f64>,
    /// The share of optimal actions among the steps of the second half of the planned episodes.
    pub late_optimal_share: Option<f64>,
    /// The optimistic value of the start in the last plan.
    pub promised: Option<f64>,
    /// What the run came to.
    pub result: RunResult,
}

impl Run {
    /// The regret over the number of finished episodes.
    pub fn regret_per_episode(&self) -> f64 {
        self.result.regret / self.result.episodes.max(1) as f64
    }

    /// The gap regret over the number of finished episodes.
    pub fn gap_regret_per_episode(&self) -> f64 {
        self.result.gap_regret / self.result.episodes.max(1) as f64
    }
}

/// The runs of one contender.
#[derive(Clone, Debug, Serialize)]
pub struct Curves {
    /// Who ran.
    pub contender: Contender,
    /// The episodes at which the curves are known: equally spaced in their square root, from 1 to
    /// K.
    pub episodes: Vec<u64>,
    /// The seeds that were planned.
    pub planned: usize,
    /// The runs that were begun, by the order of the seeds.
    pub runs: Vec<Run>,
}

impl Curves {
    /// Whether every run was interrupted: what there is are numbers of fewer episodes, which
    /// nothing can be compared with.
    pub fn unfinished(&self) -> bool {
        !self.runs.is_empty() && self.runs.iter().all(|r| r.outcome == Outcome::Interrupted)
    }

    /// The runs that count: those that were not interrupted, or all if every one was
    /// ([`unfinished`](Self::unfinished)).
    pub fn counted(&self) -> Vec<&Run> {
        let ended: Vec<&Run> = self.runs.iter().filter(|r| r.outcome != Outcome::Interrupted).collect();
        if ended.is_empty() { self.runs.iter().collect() } else { ended }
    }

    /// How many runs came to their end.
    pub fn complete(&self) -> usize {
        self.runs.iter().filter(|r| r.outcome != Outcome::Interrupted).count()
    }

    /// Regret and gap regret over the counted runs, with the episode. The curve ends where the last
    /// run ended: truncated runs keep their last value as long as others go on, but a curve of such
    /// values alone would look like learning.
    pub fn means(&self) -> Vec<(u64, Mean, Mean)> {
        let runs = self.counted();
        let known = runs.iter().map(|r| r.regret.len()).min().unwrap_or(0);
        let reached = runs.iter().map(|r| r.reached).max().unwrap_or(0).min(known);
        let mean = |i: usize, curve: fn(&Run) -> &Vec<f64>| {
            Mean::of(&runs.iter().map(|r| curve(r)[i]).collect::<Vec<_>>())
        };
        (0..reached)
            .filter_map(|i| Some((self.episodes[i], mean(i, |r| &r.regret)?, mean(i, |r| &r.gap_regret)?)))
            .collect()
    }

    /// The mean of a number over the counted runs.
    pub fn mean_of(&self, number: impl Fn(&Run) -> f64) -> Option<Mean> {
        Mean::of(&self.counted().into_iter().map(number).collect::<Vec<_>>())
    }

    /// The mean of a number over the counted runs that have it.
    pub fn mean_of_known(&self, number: impl Fn(&Run) -> Option<f64>) -> Option<Mean> {
        Mean::of(&self.counted().into_iter().filter_map(number).collect::<Vec<_>>())
    }

    /// The difference to another contender, run by run with the same seed: both met the same luck.
    pub fn minus(&self, other: &Curves, number: impl Fn(&Run) -> f64) -> Option<Mean> {
        let theirs = other.counted();
        let pairs = self.counted().into_iter().filter_map(|mine| {
            let twin = theirs.iter().find(|r| r.seed == mine.seed)?;
            Some((number(mine), number(twin)))
        });
        let (a, b): (Vec<f64>, Vec<f64>) = pairs.unzip();
        Mean::of_differences(&a, &b)
    }

    /// The exponent e of the growth K^e of the mean gap regret over the second half of the curve;
    /// `None` if the cap on steps ended a run, because what is kept of it does not grow, or if no
    /// run came to its end.
    pub fn growth(&self) -> Option<f64> {
        let means = self.means();
        let late = means[means.len() / 2..].iter().map(|(k, _, gap)| (*k as f64, gap.mean));
        let whole = self.truncated() == 0 && !self.unfinished();
        // a slope of -0.00 would only puzzle
        log_log_slope(late).filter(|_| whole).map(|e| if e.abs() < 0.005 { 0.0 } else { e })
    }

    /// How many runs the cap on steps ended.
    pub fn truncated(&self) -> usize {
        self.runs.iter().filter(|r| r.outcome == Outcome::Truncated).count()
    }

    /// Whether a run is missing or was ended by the user.
    pub fn interrupted(&self) -> bool {
        self.runs.len() < self.planned || self.runs.iter().any(|r| r.outcome == Outcome::Interrupted)
    }

    /// Which confidence radius was used, if the learner has one.
    pub fn radius(&self) -> Option<&str> {
        self.runs.first().and_then(|r| r.result.radius.as_deref())
    }

    /// Whether what is proved of the learner holds with the settings used, in this world; `None`
    /// for one of which nothing is proved. All runs have the same conditions, but a run that met a
    /// step that no model allows shows that one fails.
    pub fn guarantee(&self) -> Option<Holds> {
        let said = || self.runs.iter().filter_map(|r| r.result.guarantee.as_ref().map(|g| g.holds));
        said().find(|holds| *holds == Holds::No).or_else(|| said().next())
    }
}

/// What the user broke off, in episodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Interrupted {
    /// Episodes that were run.
    pub done: u64,
    /// Episodes that were asked for.
    pub planned: u64,
}

impl Interrupted {
    /// What is missing from these runs of so many episodes each; `None` if nothing is.
    pub fn of(curves: &[Curves], episodes: u64) -> Option<Interrupted> {
        let done = curves.iter().flat_map(|c| &c.runs).map(|r| r.result.episodes).sum();
        let planned = curves.iter().map(|c| c.planned as u64 * episodes).sum();
        curves.iter().any(Curves::interrupted).then_some(Interrupted { done, planned })
    }
}

impl std::fmt::Display for Interrupted {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "interrupted after {} of {} episodes", self.done, self.planned)
    }
}
