//! Many runs at once: every contender with every seed, on all threads of the current pool.
//!
//! A run depends on its contender and seed alone and results are put together in the order of the
//! contenders and seeds, so the number of threads changes nothing but the time.

use crate::curves::{Curves, Outcome, Run};
use crate::{Contender, Error, Progress, Result};
use goalward::episode::{Arena, Ending, Episode, Flow, Observer, Plan, RunSpec, Runner, Step, Stop};
use goalward::learners::{PlanReport, Probe};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Points of a curve, about.
const POINTS: u64 = 256;
/// Episodes between two reports of progress.
const REPORT: u64 = 1000;
/// Steps between two questions whether to stop.
const LISTEN: u64 = 1024;

/// Runs every contender with every seed.
///
/// All learners are built once before anything runs, so that a wrong setting costs no time. When
/// `progress` says so the runs stop, and what was done so far is given back;
/// [`Interrupted::of`](crate::Interrupted::of) tells.
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
    progress.begin(&arena.world, jobs.len() as u64 * episodes);
    let done = in_order(&jobs, progress, |&(seed, contender)| {
        one(arena, spec(&contenders[contender], seed), &grid, progress)
    });
    progress.end();

    let curves = |contender: &Contender| Curves {
        contender: contender.clone(),
        episodes: grid.clone(),
        planned: seeds.len(),
        runs: Vec::with_capacity(seeds.len()),
    };
    let mut all: Vec<Curves> = contenders.iter().map(curves).collect();
    for (run, (_, contender)) in done?.into_iter().zip(&jobs) {
        all[*contender].runs.push(run);
    }
    Ok(all)
}

/// Does the jobs on all threads of the current pool, in their order; so are the results. The first
/// error ends it, and so does `progress`: then the last jobs have no result.
pub(crate) fn in_order<J: Sync, T: Send>(
    jobs: &[J],
    progress: &dyn Progress,
    work: impl Fn(&J) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let worker = |_: rayon::BroadcastContext| {
        let mut done = Vec::new();
        while !progress.cancelled() && !failed.load(Ordering::Relaxed) {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(index) else { break };
            let result = work(job);
            failed.fetch_or(result.is_err(), Ordering::Relaxed);
            done.push((index, result));
        }
        done
    };
    let mut done: Vec<(usize, Result<T>)> = rayon::broadcast(worker).into_iter().flatten().collect();
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
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
    runner.heed(&progress.halt());
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
        if step.t.is_multiple_of(LISTEN) { self.listen() } else { Flow::Continue(()) }
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
        // a planning call may have taken long
        self.listen()
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
    use goalward::Settings;
    use goalward::plan::Halt;

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

    /// Whoever asks need not wait for a planning call: the first one is made after the first step,
    /// and is cut off.
    #[test]
    fn planning_calls_are_cut_off() {
        struct Asked(Halt);
        impl Progress for Asked {
            fn halt(&self) -> Halt {
                self.0.clone()
            }
            fn cancelled(&self) -> bool {
                false
            }
        }
        let asked = Asked(Halt::new());
        asked.0.ask();
        let arena = Arena::open("hard-instance", &Settings::new().set("dim", 2)).unwrap();
        let lr = Contender::parse("lr").unwrap();
        let curves = run_grid(&arena, &[lr], &[0], 5, None, &asked).unwrap();
        let run = &curves[0].runs[0];
        assert_eq!((run.outcome, run.result.steps), (Outcome::Interrupted, 0));
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
