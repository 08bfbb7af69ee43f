//! `goalward study new`

use crate::commands::wrote;
use crate::exit::{Outcome, Usage};
use crate::output;
use crate::outputs::is_stdout;
use goalward_lab::study::STARTER;
use std::path::PathBuf;

/// Write a commented study file to begin with
#[derive(clap::Args)]
pub(crate) struct NewStudyArgs {
    /// The file; - is standard output [default: -]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
}

pub(super) fn run(args: NewStudyArgs, quiet: bool) -> anyhow::Result<Outcome> {
    let path = match args.file {
        Some(path) if !is_stdout(&path) => path,
        _ => {
            output::text(STARTER)?;
            return Ok(Outcome::Done);
        }
    };
    if path.symlink_metadata().is_ok() {
        let reason = format!("{}: there is such a file already", path.display());
        return Err(Usage::new(reason).hint("name another one, or remove it").into());
    }
    goalward::output::replace(&path, STARTER.as_bytes())?;
    if !quiet {
        wrote(std::slice::from_ref(&path));
    }
    Ok(Outcome::Done)
}
