//! The engine: every job of a grid is run and recorded, on all threads of the current pool. A job
//! depends on what its hash covers alone, and writes files of its own: threads, shards and
//! interruptions change nothing but the time.

use crate::grid::{Grid, Job, Shard};
use crate::measure::{Measure, RunRows, Yardstick, measures};
use crate::results::RunRow;
use crate::store::{Manifest, Saved, StudyFolder, Times};
use crate::table::word;
use crate::{Error, Progress, Queue, Result};
use goalward::confidence::{Guarantee, Holds};
use goalward::episode::{Checkpoint, Ending, Episode, Flow, Observer, Plan, Runner, Step, Stop};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Episodes between two reports of progress.
const REPORT: u64 = 1000;
/// Steps between two looks at the clock.
const LISTEN: u64 = 256;

/// Options of a run.
#[derive(Clone, Copy, Debug)]
pub struct RunOptions {
    /// Which jobs.
    pub shard: Shard,
    /// The time between two checkpoints of a job.
    pub save_every: Duration,
    /// Whether jobs that failed are tried again.
    pub retry: bool,
}

impl Default for RunOptions {
    fn default() -> Self {
        RunOptions { shard: Shard::WHOLE, save_every: Duration::from_secs(10), retry: false }
    }
}

/// The outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ran {
    /// Jobs that were finished before.
    pub before: usize,
    /// Jobs that were finished now.
    pub finished: usize,
    /// Jobs that failed, now or before.
    pub failed: usize,
    /// Whether the user interrupted: the rest can be done later.
    pub interrupted: bool,
}

/// The jobs of a grid by their state.
#[derive(Clone, Debug)]
pub struct Sorted<'a> {
    /// Jobs that are to be run, in their order.
    pub open: Vec<&'a Job>,
    /// Jobs that are finished.
    pub finished: usize,
    /// Jobs that failed, and are not tried again.
    pub failed: usize,
}

/// Sorts the jobs of a grid by the records that are there.
pub fn sorted<'a>(grid: &'a Grid, folder: &StudyFolder, options: &RunOptions) -> Result<Sorted<'a>> {
    let mut sorted = Sorted { open: Vec::new(), finished: 0, failed: 0 };
    for (_, job) in grid.jobs.iter().enumerate().filter(|(n, _)| options.shard.has(*n)) {
        match folder.manifest(&job.hash)? {
            Some(manifest) if manifest.error.is_some() && options.retry => sorted.open.push(job),
            Some(manifest) if manifest.error.is_some() => sorted.failed += 1,
            Some(manifest) if folder.is_whole(&manifest)? => {
                // a process may have died between manifest and checkpoint
                folder.forget(&job.hash);
                sorted.finished += 1;
            }
            _ => {
                folder.disown(&job.hash);
                sorted.open.push(job);
            }
        }
    }
    Ok(sorted)
}

/// Runs the jobs of a grid that are not finished yet.
pub fn run(grid: &Grid, folder: &StudyFolder, options: &RunOptions, progress: &dyn Progress) -> Result<Ran> {
    let Sorted { open, finished, failed } = sorted(grid, folder, options)?;
    let ran = run_jobs(grid, &open, folder, options, progress)?;
    Ok(Ran { before: finished, failed: failed + ran.failed, ..ran })
}

/// Runs these jobs of a grid, whatever is recorded of them.
pub fn run_jobs(
    grid: &Grid,
    jobs: &[&Job],
    folder: &StudyFolder,
    options: &RunOptions,
    progress: &dyn Progress,
) -> Result<Ran> {
    let units = jobs.iter().map(|job| grid.study.worlds[job.world].length.episodes).sum();
    progress.begin(&grid.study.name, units);
    let yardsticks = grid.arenas.iter().map(|_| OnceLock::new()).collect();
    let (finished, failed) = Default::default();
    let worker = Worker { grid, folder, options, progress, yardsticks, finished, failed };
    let queue = Queue::new(jobs.len());
    let done = rayon::broadcast(|_| queue.work(|| progress.cancelled(), |n| worker.one(jobs[n])));
    progress.end();
    done.into_iter().collect::<Result<()>>()?;
    let (finished, failed) = (worker.finished.into_inner(), worker.failed.into_inner());
    let interrupted = progress.cancelled() && finished + failed < jobs.len();
    Ok(Ran { before: 0, finished, failed, interrupted })
}

struct Worker<'a> {
    grid: &'a Grid,
    folder: &'a StudyFolder,
    options: &'a RunOptions,
    progress: &'a dyn Progress,
    yardsticks: Vec<OnceLock<Arc<Yardstick>>>,
    finished: AtomicUsize,
    failed: AtomicUsize,
}

impl Worker<'_> {
    /// One job. A fault of the folder is an error, and a fault of the run is recorded.
    fn one(&self, job: &Job) -> Result<()> {
        let tried = catch_unwind(AssertUnwindSafe(|| self.try_one(job)));
        let reason = match tried {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(Error::Goalward(error @ goalward::Error::Io { .. }))) => return Err(error.into()),
            Ok(Err(Error::Goalward(error))) => error.to_string(),
            Ok(Err(error)) => return Err(error),
            Err(panic) => {
                let said = panic.downcast_ref::<String>().cloned();
                let said = said.or_else(|| panic.downcast_ref::<&str>().map(|said| said.to_string()));
                format!("an error of goalward, please report it: {}", said.unwrap_or_default())
            }
        };
        let mut manifest = Manifest::new(self.grid, job);
        manifest.error = Some(reason);
        self.folder.write_manifest(&manifest)?;
        self.folder.forget(&job.hash);
        self.progress.advance(self.grid.study.worlds[job.world].length.episodes);
        self.failed.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    fn try_one(&self, job: &Job) -> Result<()> {
        let arena = &self.grid.arenas[job.world];
        let spec = self.grid.spec(job.world, job.learner, job.seed);
        let saved = self.folder.saved(&job.hash);
        let (mut runner, mut times) = match &saved {
            Some(saved) => (Runner::resume(arena, &saved.run)?, saved.times),
            None => (Runner::new(arena, spec)?, Times::default()),
        };
        runner.heed(&self.progress.halt());
        let known = &self.yardsticks[job.world];
        let yardstick = || known.get_or_init(|| Arc::new(Yardstick::new(arena))).clone();
        let mut measures = measures(&self.grid.study.record, arena, &runner, yardstick);
        measures.sort_by_key(|measure| !measure.wants_steps());
        let mut watch = Watch {
            steppers: measures.iter().filter(|measure| measure.wants_steps()).count(),
            measures,
            rows: RunRows::default(),
            t: runner.progress().steps,
            episode: runner.progress().episodes,
            progress: self.progress,
            reported: 0,
            due: Instant::now() + self.options.save_every,
        };
        if let Some(saved) = saved {
            watch.rows = saved.rows;
            let own = watch.measures.iter_mut().zip(&saved.measures).all(|(m, s)| m.restore(s).is_some());
            if !own {
                // the checkpoint of other measures: from the beginning
                self.folder.forget(&job.hash);
                return self.try_one(job);
            }
        }
        watch.report();
        let began = now();
        loop {
            let ending = runner.run(&mut [&mut watch])?;
            if ending != Ending::Paused {
                times = times.since(began);
                return self.finish(job, &runner, watch, times);
            }
            let saved = Saved {
                run: Checkpoint::of(&runner),
                rows: watch.rows.clone(),
                measures: watch.measures.iter().map(|m| m.save()).collect(),
                times: Times { pauses: times.pauses + 1, ..times.since(began) },
            };
            self.folder.save(&job.hash, &saved)?;
            if self.progress.cancelled() {
                return Ok(());
            }
            watch.due = Instant::now() + self.options.save_every;
        }
    }

    fn finish(&self, job: &Job, runner: &Runner, mut watch: Watch, times: Times) -> Result<()> {
        let mut row = run_row(runner);
        for measure in &mut watch.measures {
            measure.finish(runner, &mut row, &mut watch.rows);
        }
        let mut manifest = Manifest::new(self.grid, job);
        manifest.parameters = runner.learner().in_force().clone();
        manifest.guarantee = runner.guarantee().and_then(|g| serde_json::to_value(g).ok());
        manifest.times = times;
        self.folder.keep(manifest, &row, &watch.rows)?;
        let length = self.grid.study.worlds[job.world].length;
        self.progress.advance(length.episodes.saturating_sub(watch.reported));
        self.finished.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

/// The columns of a run that no measure fills.
fn run_row(runner: &Runner) -> RunRow {
    let (arena, result) = (runner.arena(), runner.result());
    let (problem, exact) = (arena.problem(), arena.exact());
    let goal = problem.pairs_of(problem.goal());
    let costs = (0..problem.pairs()).filter(|p| !goal.contains(p)).map(|p| problem.cost(p));
    let state = serde_json::to_vec(&runner.learner().snapshot()).map_or(0, |bytes| bytes.len());
    RunRow {
        outcome: if result.truncated { "truncated" } else { "finished" }.into(),
        episodes: result.episodes,
        steps: result.steps,
        total_cost: result.total_cost,
        optimal_cost: result.optimal_cost,
        b_star: exact.b_star,
        t_star: exact.t_star,
        c_min: costs.fold(f64::INFINITY, f64::min).min(f64::MAX),
        dim: problem.dim() as u64,
        states: problem.states() as u64,
        pairs: problem.pairs() as u64,
        regret: result.regret,
        gap_regret: result.gap_regret,
        planner_calls: result.planner_calls,
        violations: result.violations,
        radius: result.radius,
        guarantee: result.guarantee.as_ref().map(|g| word(g.holds)),
        why_not: result.guarantee.as_ref().filter(|g| g.holds == Holds::No).map(Guarantee::summary),
        level: result.guarantee.as_ref().and_then(|g| g.level()),
        delta: result.parameters.get("delta").and_then(serde_json::Value::as_f64),
        state_bytes: state as u64,
        ..RunRow::default()
    }
}

/// The time, and the CPU time of this thread in seconds, where the system tells.
fn now() -> (Instant, Option<f64>) {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds: Option<u64> = text.split(' ').next().and_then(|n| n.parse().ok());
    (Instant::now(), nanoseconds.map(|n| n as f64 * 1e-9))
}

impl Times {
    fn since(self, (wall, cpu): (Instant, Option<f64>)) -> Times {
        let now = now();
        let cpu = cpu.zip(now.1).map_or(0.0, |(then, now)| now - then);
        Times { wall: self.wall + (now.0 - wall).as_secs_f64(), cpu: self.cpu + cpu, ..self }
    }
}

/// Shows a run to its measures, reports progress, and asks for a pause when it should be saved or
/// the user wants to stop.
struct Watch<'a> {
    /// Those that see every step come first.
    measures: Vec<Box<dyn Measure>>,
    steppers: usize,
    rows: RunRows,
    t: u64,
    episode: u64,
    progress: &'a dyn Progress,
    reported: u64,
    due: Instant,
}

impl Watch<'_> {
    fn listen(&self) -> Flow {
        let pause = self.progress.cancelled() || Instant::now() >= self.due;
        if pause { Flow::Break(Stop) } else { Flow::Continue(()) }
    }

    fn report(&mut self) {
        self.progress.advance(self.episode - self.reported);
        self.reported = self.episode;
    }
}

impl Observer for Watch<'_> {
    fn step(&mut self, step: &Step) -> Flow {
        self.t = step.t;
        for measure in self.measures.iter_mut().take(self.steppers) {
            measure.step(step);
        }
        // an episode may be endless, so that its end is no place to listen
        if step.t.is_multiple_of(LISTEN) { self.listen() } else { Flow::Continue(()) }
    }

    fn plan(&mut self, plan: &Plan) -> Flow {
        let episode = self.episode + 1;
        self.measures.iter_mut().for_each(|measure| measure.plan(plan, episode, &mut self.rows));
        // a planning call may have taken long
        self.listen()
    }

    fn episode(&mut self, ended: &Episode) -> Flow {
        self.episode = ended.episode;
        self.measures.iter_mut().for_each(|measure| measure.episode(ended, self.t, &mut self.rows));
        if ended.episode - self.reported >= REPORT {
            self.report();
        }
        Flow::Continue(())
    }
}
