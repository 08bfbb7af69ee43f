//! `goalward study merge`

use super::go::{Printed, show};
use crate::exit::{Outcome, note};
use crate::outputs::folder;
use goalward_lab::present;
use goalward_lab::store::{StudyFolder, merge};
use std::path::PathBuf;

/// Put the parts of a study together that several machines have run
#[derive(clap::Args)]
pub(crate) struct MergeStudyArgs {
    /// The folders of the parts
    #[arg(value_name = "DIR", required = true)]
    parts: Vec<PathBuf>,
    /// The folder of the whole study
    #[arg(long, value_name = "DIR", required = true)]
    out: PathBuf,
    #[command(flatten)]
    printed: Printed,
}

pub(super) fn run(args: MergeStudyArgs, quiet: bool) -> anyhow::Result<Outcome> {
    args.parts.iter().try_for_each(|part| folder("DIR", part).map(drop))?;
    folder("--out", &args.out)?;
    let copied = merge(&args.parts, &args.out)?;
    if !quiet {
        note(format!("{copied} runs came from {} parts", args.parts.len()));
    }
    let presented = present(&StudyFolder::open(&args.out)?, None)?;
    show(&presented, args.printed, quiet)?;
    Ok(if presented.findings.sound { Outcome::Done } else { Outcome::No })
}
