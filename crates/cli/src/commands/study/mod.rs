//! `goalward study`: questions in files.

mod go;
mod list;
mod merge;
mod named;
mod new;
mod report;
mod run;
mod short;
mod status;

pub(crate) use go::{COPY, Kept, go};
pub(crate) use short::{Short, short};

use crate::exit::Outcome;

const EXAMPLES: &str = "\
EXAMPLES:
    goalward study list                          # the studies that come with goalward
    goalward study new mine.toml                 # a commented file to begin with
    goalward study run mine.toml --quick         # tries it out
    goalward study run mine.toml                 # stop it at any time; the same command goes on
    goalward study status mine.toml
    goalward study report mine.toml              # draws again after a change of figures or labels";

/// Run many learners on many worlds from a file, and get statistics, figures and a report
///
/// A study file says which learners run on which worlds with which seeds, what is recorded, and what
/// is asked. Every run is one job, whose records are kept as soon as it is done. A study that was
/// stopped or killed goes on where it was, and its records are the same bytes as if nothing had
/// happened, on any number of threads and machines.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES, subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct StudyArgs {
    #[command(subcommand)]
    command: StudyCommand,
}

#[derive(clap::Subcommand)]
enum StudyCommand {
    List(list::ListStudiesArgs),
    New(new::NewStudyArgs),
    Run(run::RunStudyArgs),
    Status(status::StatusOfStudyArgs),
    Report(report::ReportStudyArgs),
    Merge(merge::MergeStudyArgs),
    Export(report::ExportStudyArgs),
}

pub(crate) fn run(args: StudyArgs, quiet: bool) -> anyhow::Result<Outcome> {
    match args.command {
        StudyCommand::List(args) => list::run(args),
        StudyCommand::New(args) => new::run(args, quiet),
        StudyCommand::Run(args) => run::run(args, quiet),
        StudyCommand::Status(args) => status::run(args),
        StudyCommand::Report(args) => report::run(args, quiet),
        StudyCommand::Merge(args) => merge::run(args, quiet),
        StudyCommand::Export(args) => report::export(args, quiet),
    }
}
