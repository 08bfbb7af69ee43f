//! `goalward completions`

use crate::exit::Outcome;
use crate::{Cli, output};
use clap::CommandFactory;

const EXAMPLES: &str = "\
EXAMPLES:
    goalward completions bash > ~/.local/share/bash-completion/completions/goalward
    goalward completions zsh > ~/.zfunc/_goalward
    goalward completions fish > ~/.config/fish/completions/goalward.fish";

/// Print a script that completes goalward's commands and options in your shell
///
/// Write it to where your shell looks for completions and start a new shell.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The shell
    shell: clap_complete::Shell,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let mut script = Vec::new(); // a reader that goes away must not make the generator panic
    clap_complete::generate(args.shell, &mut Cli::command(), "goalward", &mut script);
    output::text(&String::from_utf8_lossy(&script))?;
    Ok(Outcome::Done)
}
