//! `cargo xtask soak bounds [RUNS [EPISODES]]`: how often the lower bound on V*(start) by cells exceeds
//! V*(start), at delta = 0.1, for truths drawn from B and from its border. Exit code 1 if more often than
//! delta allows: if the lower limit of Clopper and Pearson lies above it.

use goalward::episode::{Arena, Episode, Flow, Observer, RunSpec, Runner, Stop};
use goalward::numeric::Portable;
use goalward::{Settings, Stream, worlds};
use rayon::prelude::*;
use std::process::ExitCode;

const WORLDS: [&str; 4] = [
    "delivery@n=4@simplex=true",
    "ladder@rungs=8@dim=3@simplex=true",
    "random-mixture@simplex=true",
    "windy-grid@n=3@simplex=true",
];
const DELTA: f64 = 0.1;
/// A limit is exceeded by chance in so many of all soaks.
const CHANCE: f64 = 0.025;

/// Stops after every episode.
struct Pause;

impl Observer for Pause {
    fn episode(&mut self, _: &Episode) -> Flow {
        Flow::Break(Stop)
    }
}

fn main() -> ExitCode {
    // cargo itself passes --bench
    let mut numbers = std::env::args().skip(1).filter_map(|arg| arg.parse::<u64>().ok());
    let (runs, episodes) = (numbers.next().unwrap_or(1000), numbers.next().unwrap_or(30));
    let mut sound = true;
    for world in WORLDS {
        for border in [false, true] {
            let all: Result<Vec<Option<f64>>, _> =
                (0..runs).into_par_iter().map(|seed| run(world, border, seed, episodes)).collect();
            let found = match all {
                Ok(all) => all,
                Err(error) => {
                    eprintln!("error: {error}");
                    return ExitCode::from(2);
                }
            };
            let above = found.iter().filter(|share| share.is_none()).count() as u64;
            let mean = found.iter().flatten().sum::<f64>() / (runs - above).max(1) as f64;
            let enough = tail(runs, above) >= CHANCE;
            let truths = if border { "at B's border" } else { "drawn from B" };
            println!(
                "{world}, truths {truths}: above V*(start) after some episode in {above} of {runs} runs of \
                 {episodes} episodes; at the end {mean:.3} of V* on average"
            );
            sound &= enough;
        }
    }
    ExitCode::from(u8::from(!sound))
}

/// The bound as a share of V*(start) after the last episode; none if it ever lay above.
fn run(world: &str, border: bool, seed: u64, episodes: u64) -> goalward::Result<Option<f64>> {
    let (name, params) = worlds::named(world)?;
    let drawn = worlds::open(&name, &params.clone().set("truth", format!("drawn:{seed}")))?;
    let mut theta = drawn.truth()?.theta().unwrap_or_default().to_vec();
    if border {
        // one model has no weight
        let lost = Stream::new(seed, &[0x626f_7264]).below(theta.len());
        theta[lost] = 0.0;
        let sum: f64 = theta.iter().sum();
        theta.iter_mut().for_each(|x| *x /= sum);
    }
    let truth = goalward::problem::Truth::new(&drawn.problem, &theta)?;
    let instance = goalward::problem::Instance { truth: Some(truth), ..drawn };
    let arena = Arena::new(&name, &params, instance)?;
    let settings = Settings::new().set("delta", DELTA.to_string());
    let mut runner = Runner::new(&arena, RunSpec::new("guarded", episodes).settings(settings).seed(seed))?;
    let mut share = 0.0;
    for _ in 0..episodes {
        runner.run(&mut [&mut Pause])?;
        let bound = runner.learner().lower_bound(arena.problem().start())?.unwrap_or(0.0);
        share = bound / arena.optimal_cost();
        if share > 1.0 + 1e-9 {
            return Ok(None);
        }
    }
    Ok(Some(share))
}

/// The probability of at least so many of n events of probability delta.
fn tail(n: u64, count: u64) -> f64 {
    let (p, mut log, mut below): (f64, f64, f64) = (DELTA, n as f64 * (1.0 - DELTA).log_e(), 0.0);
    for i in 0..count {
        below += log.exp_e();
        log += ((n - i) as f64 / (i + 1) as f64 * p / (1.0 - p)).log_e();
    }
    1.0 - below
}
