//! `goalward study status`

use super::named;
use crate::exit::Outcome;
use crate::{numbers, output};
use goalward_lab::store::status;
use std::path::PathBuf;

/// Tell how far a study is: finished and failed runs, the rate, and the time that is left
#[derive(clap::Args)]
pub(crate) struct StatusOfStudyArgs {
    /// The folder of the results, or the study as it was given to `study run`
    #[arg(value_name = "DIR|FILE|NAME")]
    study: String,
    /// The folder of the results [default: out/NAME]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print the status as one JSON value
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: StatusOfStudyArgs) -> anyhow::Result<Outcome> {
    // what a short command ran has no file
    let look = named::look(&args.study).ok().flatten();
    let now = status(&named::folder(&args.study, args.out)?, look.as_ref())?;
    if args.json {
        output::json(&now)?;
        return Ok(Outcome::Done);
    }
    let count = |n: usize| numbers::count(n as u64);
    let mut text = format!("{}: {} of {} runs finished", now.study, count(now.finished), count(now.jobs));
    if now.failed > 0 {
        text.push_str(&format!(", {} failed", count(now.failed)));
    }
    if now.under_way > 0 {
        text.push_str(&format!(", {} saved half-way", count(now.under_way)));
    }
    text.push_str(&format!("\nCPU time so far: {}\n", spell(now.cpu_seconds)));
    let open = now.finished + now.failed < now.jobs;
    if let (true, Some(rate), Some(eta)) = (open, now.rate, now.eta) {
        text.push_str(&format!("{} runs an hour: {} left\n", numbers::count(rate as u64), spell(eta)));
    }
    if let (true, Some(last)) = (open, now.last) {
        text.push_str(&format!("the last run was finished {} ago\n", spell(last as f64)));
    }
    text.extend(now.changes.iter().map(|change| format!("warning: {change}\n")));
    output::text(&text)?;
    Ok(Outcome::Done)
}

/// A time for people.
fn spell(seconds: f64) -> String {
    match seconds {
        s if s < 100.0 => format!("{s:.0} s"),
        s if s < 6000.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}
