//! `goalward study report` and `goalward study export`

use super::go::{Printed, show};
use super::named;
use crate::commands::wrote;
use crate::exit::Outcome;
use crate::outputs::folder;
use goalward_lab::present;
use goalward_lab::store::{StudyFolder, export_csv, load};
use std::path::PathBuf;

/// Make figures, summary and report again from the records, without running anything
///
/// Titles, labels, figures and questions are those of the file as it is now.
#[derive(clap::Args)]
pub(crate) struct ReportStudyArgs {
    /// The study as it was given to `study run` (- with --out), or the folder of its results
    #[arg(value_name = "FILE|NAME|DIR")]
    study: String,
    /// The folder of the results [default: out/NAME]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    printed: Printed,
}

pub(super) fn run(args: ReportStudyArgs, quiet: bool) -> anyhow::Result<Outcome> {
    let look = named::look(&args.study)?;
    let results = StudyFolder::open(&named::folder(&args.study, args.out)?)?;
    let presented = present(&results, look.as_ref())?;
    show(&presented, args.printed, quiet)?;
    Ok(if presented.findings.sound { Outcome::Done } else { Outcome::No })
}

/// Write the records of a study as CSV
///
/// Every table of the records becomes one file: runs.csv, episodes.csv, plans.csv, probes.csv. The
/// records themselves are Parquet, which pandas, polars and DuckDB read:
/// pandas.read_parquet("out/demo/episodes").
#[derive(clap::Args)]
pub(crate) struct ExportStudyArgs {
    /// The study as it was given to `study run`, or the folder of its results
    #[arg(value_name = "DIR|FILE|NAME")]
    study: String,
    /// The folder for the CSV files
    #[arg(long, value_name = "DIR", required = true)]
    csv: PathBuf,
}

pub(super) fn export(args: ExportStudyArgs, quiet: bool) -> anyhow::Result<Outcome> {
    let files = export_csv(&load(&named::folder(&args.study, None)?)?, folder("--csv", &args.csv)?)?;
    if !quiet {
        wrote(&files);
    }
    Ok(Outcome::Done)
}
