//! Many runs at once: every contender with every seed, on all threads of the current pool.
//!
//! A run depends on its contender and seed alone and results are put together in the order of the contenders and seeds, so
//! the number of threads changes nothing but the time.

use crate::stats::{Mean, log_log_slope};
use crate::{Contender, Error, Progress, Result};
use goalward::episode::{
    Arena, Ending, Episode, Flow, Observer, Plan, RunResult, RunSpec, Runner, Step, Stop,
};
use goalward::learners::{PlanReport, Probe};
use serde::Serialize;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Points of a curve, about.
const POINTS: u64 = 256;
/// Episodes between two reports of progress.
const REPORT: u64 = 1000;
/// Steps between two questions whether to stop.
const LISTEN: u64 = 1024;

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
    /// Cumulative regret at these points; a truncated run keeps its last value to the end.
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
    /// The episodes at which the curves are known: equally spaced in their square root, from 1 to K.
    pub episodes: Vec<u64>,
    /// The seeds that were planned.
    pub planned: usize,
    /// The runs that were begun, by the order of the seeds.
    pub runs: Vec<Run>,
}

impl Curves {
    /// The runs that count: those that were not interrupted, or all if every one was.
    pub fn counted(&self) -> Vec<&Run> {
        let ended: Vec<&Run> = self.runs.iter().filter(|r| r.outcome != Outcome::Interrupted).collect();
        if ended.is_empty() { self.runs.iter().collect() } else { ended }
    }

    /// Regret and gap regret over the counted runs, with the episode. The curve ends where the last run ended: truncated
    /// runs keep their last value as long as others go on, but a curve of such values alone would look like learning.
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

    /// The exponent e of the growth K^e of the mean gap regret over the second half of the curve; `None` if the cap on
    /// steps ended a run, because what is kept of it does not grow.
    pub fn growth(&self) -> Option<f64> {
        let means = self.means();
        let late = means[means.len() / 2..].iter().map(|(k, _, gap)| (*k as f64, gap.mean));
        // a slope of -0.00 would only puzzle
        log_log_slope(late).filter(|_| self.truncated() == 0).map(|e| if e.abs() < 0.005 { 0.0 } else { e })
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

    /// Whether what is proved of the learner holds with the settings used; `None` for one of which nothing is proved.
    pub fn guarantee(&self) -> Option<bool> {
        let said = self.runs.first().and_then(|r| r.result.parameters.get("guarantee")?.as_bool());
        said.or_else(|| self.radius().map(|radius| !radius.starts_with("scaled")))
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

/// Runs every contender with every seed.
///
/// All learners are built once before anything runs, so that a wrong setting costs no time. When `progress` says so the
/// runs stop, and what was done so far is given back; [`Interrupted::of`] tells.
pub fn run_grid(
    arena: &Arena,
    contenders: &[Contender],
    seeds: &[u64],
    episodes: u64,
    max_steps: Option<u64>,
    progress: &dyn Progress,
) -> Result<Vec<Curves>> {
    check(contenders, seeds, episodes)?;
    let spec = |contender: &Contender, seed: u64| RunSpec {
        learner: contender.learner.clone(),
        settings: contender.settings.clone(),
        seed,
        episodes,
        max_steps,
    };
    for contender in contenders {
        Runner::new(arena, spec(contender, seeds[0]))?;
    }
    let grid = grid(episodes);
    // by seed and then by contender: an interruption leaves the same first seeds of everybody
    let jobs: Vec<(u64, usize)> =
        seeds.iter().flat_map(|&seed| (0..contenders.len()).map(move |c| (seed, c))).collect();
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    progress.begin(&arena.world, jobs.len() as u64 * episodes);
    let worker = |_: rayon::BroadcastContext| {
        let mut done = Vec::new();
        while !progress.cancelled() && !failed.load(Ordering::Relaxed) {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(&(seed, contender)) = jobs.get(index) else { break };
            let run = one(arena, spec(&contenders[contender], seed), &grid, progress);
            failed.fetch_or(run.is_err(), Ordering::Relaxed);
            done.push((index, run));
        }
        done
    };
    let mut done: Vec<(usize, Result<Run>)> = rayon::broadcast(worker).into_iter().flatten().collect();
    progress.end();
    done.sort_by_key(|(index, _)| *index);

    let curves = |contender: &Contender| Curves {
        contender: contender.clone(),
        episodes: grid.clone(),
        planned: seeds.len(),
        runs: Vec::with_capacity(seeds.len()),
    };
    let mut all: Vec<Curves> = contenders.iter().map(curves).collect();
    for (index, run) in done {
        all[jobs[index].1].runs.push(run?);
    }
    Ok(all)
}

fn check(contenders: &[Contender], seeds: &[u64], episodes: u64) -> Result<()> {
    let missing =
        [(contenders.is_empty(), "contenders"), (seeds.is_empty(), "seeds"), (episodes == 0, "episodes")];
    if let Some((_, what)) = missing.into_iter().find(|(missing, _)| *missing) {
        return Err(Error::Nothing { what });
    }
    let mut labels = BTreeSet::new();
    match contenders.iter().find(|c| !labels.insert(&c.label)) {
        Some(twice) => Err(Error::SameLabel { label: twice.label.clone() }),
        None => Ok(()),
    }
}

fn one(arena: &Arena, spec: RunSpec, grid: &[u64], progress: &dyn Progress) -> Result<Run> {
    let (seed, episodes) = (spec.seed, spec.episodes);
    let mut runner = Runner::new(arena, spec)?;
    let mut watch = Watch {
        grid,
        start: arena.problem().start(),
        half: episodes / 2,
        progress,
        reported: 0,
        regret: Vec::with_capacity(grid.len()),
        gap_regret: Vec::with_capacity(grid.len()),
        late_steps: 0,
        late_optimal: 0,
        promised: None,
    };
    let outcome = match runner.run(&mut [&mut watch])? {
        Ending::Finished => Outcome::Finished,
        Ending::Truncated => Outcome::Truncated,
        Ending::Paused => Outcome::Interrupted,
    };
    let result = runner.result();
    let reached = watch.regret.len();
    if outcome == Outcome::Truncated {
        watch.regret.resize(grid.len(), result.regret);
        watch.gap_regret.resize(grid.len(), result.gap_regret);
    }
    if outcome != Outcome::Interrupted {
        progress.advance(episodes - watch.reported);
    }
    Ok(Run {
        seed,
        outcome,
        reached,
        regret: watch.regret,
        gap_regret: watch.gap_regret,
        late_optimal_share: (watch.late_steps > 0)
            .then(|| watch.late_optimal as f64 / watch.late_steps as f64),
        promised: watch.promised,
        result,
    })
}

/// Takes the curves down, tells how far the run is and listens for the user.
struct Watch<'a> {
    grid: &'a [u64],
    start: usize,
    half: u64,
    progress: &'a dyn Progress,
    reported: u64,
    regret: Vec<f64>,
    gap_regret: Vec<f64>,
    late_steps: u64,
    late_optimal: u64,
    promised: Option<f64>,
}

impl Watch<'_> {
    fn listen(&self) -> Flow {
        if self.progress.cancelled() { Flow::Break(Stop) } else { Flow::Continue(()) }
    }
}

impl Observer for Watch<'_> {
    fn step(&mut self, step: &Step) -> Flow {
        if step.episode > self.half {
            self.late_steps += 1;
            self.late_optimal += u64::from(step.gap <= 1e-9 * step.cost.max(1.0));
        }
        // an episode may be endless, so that its end is no place to listen
        if step.t % LISTEN == 0 { self.listen() } else { Flow::Continue(()) }
    }

    fn plan(&mut self, plan: &Plan) -> Flow {
        struct Promise(usize, Option<f64>);
        impl Probe for Promise {
            fn plan(&mut self, plan: &PlanReport) {
                self.1 = plan.v.get(self.0).copied();
            }
        }
        let mut promise = Promise(self.start, None);
        plan.learner.probe(&mut promise);
        self.promised = promise.1.or(self.promised);
        Flow::Continue(())
    }

    fn episode(&mut self, ended: &Episode) -> Flow {
        if self.grid.get(self.regret.len()) == Some(&ended.episode) {
            self.regret.push(ended.regret);
            self.gap_regret.push(ended.gap_regret);
        }
        if ended.episode - self.reported == REPORT {
            self.progress.advance(REPORT);
            self.reported = ended.episode;
            return self.listen();
        }
        Flow::Continue(())
    }
}

/// The episodes at which curves are taken down: 1, ..., K, equally spaced in their square root.
fn grid(episodes: u64) -> Vec<u64> {
    let root = (episodes as f64).sqrt();
    let at = |i: u64| (root * i as f64 / POINTS as f64).powi(2).round() as u64;
    let points: BTreeSet<u64> =
        (1..POINTS).map(at).chain([1, episodes]).filter(|k| (1..=episodes).contains(k)).collect();
    points.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_has_both_ends_and_even_roots() {
        assert_eq!(grid(1), [1]);
        assert_eq!(grid(5), [1, 2, 3, 4, 5]);
        let points = grid(80_000);
        assert_eq!((points[0], points[points.len() - 1]), (1, 80_000));
        assert!((200..=300).contains(&points.len()), "{}", points.len());
        let roots: Vec<f64> = points.iter().map(|&k| (k as f64).sqrt()).collect();
        assert!(roots.windows(2).skip(20).all(|w| w[1] - w[0] < 1.3), "equally spaced");
    }

    #[test]
    fn nothing_to_run_is_an_error() {
        let one = Contender::parse("random").unwrap();
        let refused =
            |contenders: &[Contender], seeds: &[u64], episodes| check(contenders, seeds, episodes).is_err();
        assert!(refused(&[], &[0], 1));
        assert!(refused(std::slice::from_ref(&one), &[], 1));
        assert!(refused(std::slice::from_ref(&one), &[0], 0));
        assert!(matches!(check(&[one.clone(), one], &[0], 1), Err(Error::SameLabel { .. })));
    }
}
