//! What the lab costs: a job with its records, checkpoint and manifest against the bare run, on
//! windy-grid n = 5 with 2,000 episodes; and whether its memory grows with the episodes.
//!
//! Both are timed in turn on one thread, and the ratio is that of the medians.

#[path = "../../goalward/benches/harness/mod.rs"]
mod harness;

use goalward::episode::{RunSpec, Runner};
use goalward_lab::Silent;
use goalward_lab::engine::{RunOptions, run};
use goalward_lab::grid::{Grid, Shard};
use goalward_lab::store::StudyFolder;
use goalward_lab::study::read;
use harness::{Table, median, reset_peak, status};
use std::error::Error as StdError;
use std::path::Path;
use std::time::Instant;

type Failure = Box<dyn StdError + Send + Sync>;

/// Pairs of a bare run and a job.
const ROUNDS: usize = 9;

fn main() -> Result<(), Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    pool.install(|| {
        let mut table = Table::new("lab", &["bare ms", "job ms", "ratio", "peak MB"]);
        for (learner, episodes) in
            [("lr", 2000), ("levis++lr@B=oracle", 2000), ("random", 2000), ("lr", 20_000)]
        {
            let (bare, job, peak) = compare(learner, episodes)?;
            let case = format!("{learner}, {episodes} episodes");
            table.row(&case, &[1e3 * bare, 1e3 * job, job / bare, peak / 1e6]);
        }
        table.print();
        Ok(())
    })
}

/// Seconds of the bare run and of the job, and the most memory that the job had.
fn compare(learner: &str, episodes: u64) -> Result<(f64, f64, f64), Failure> {
    let text = format!(
        "worlds = [\"windy-grid@n=5\"]\nlearners = [{learner:?}]\nepisodes = {episodes}\nseeds = 1\n"
    );
    let grid = Grid::open(&read(&text, Path::new("bench.toml"), false)?)?;
    let contender = &grid.study.learners[0].contender;
    let (mut bare, mut job, mut peak) = (Vec::new(), Vec::new(), 0.0);
    for _ in 0..ROUNDS {
        let clock = Instant::now();
        let spec = RunSpec::new(&contender.learner, episodes).settings(contender.settings.clone());
        Runner::new(&grid.arenas[0], spec)?.run(&mut [])?;
        bare.push(clock.elapsed().as_secs_f64());
        let dir = tempfile::tempdir()?;
        let folder = StudyFolder::claim(dir.path(), &grid, Shard::WHOLE, false)?;
        reset_peak();
        let clock = Instant::now();
        run(&grid, &folder, &RunOptions::default(), &Silent)?;
        job.push(clock.elapsed().as_secs_f64());
        peak = f64::max(peak, status("VmHWM:"));
    }
    Ok((median(bare), median(job), peak))
}
