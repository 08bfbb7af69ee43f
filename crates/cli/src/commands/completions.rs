//! `goalward completions`

use crate::exit::Outcome;
use crate::{Cli, names, output};
use clap::{Arg, CommandFactory};
use clap_complete::Shell;

pub(crate) const EXAMPLES: &str = "\
EXAMPLES:
    goalward completions bash > ~/.local/share/bash-completion/completions/goalward
    goalward completions zsh > ~/.zfunc/_goalward
    goalward completions fish > ~/.config/fish/completions/goalward.fish";

pub(crate) fn run(shell: Shell) -> anyhow::Result<Outcome> {
    let mut script = Vec::new(); // not stdout: the generator panics where the reader closes it
    clap_complete::generate(shell, &mut Cli::command(), "goalward", &mut script);
    let script = String::from_utf8_lossy(&script);
    output::text(&match shell {
        Shell::Zsh => zsh(&script),
        Shell::Fish => fish(&script),
        // bash offers files by itself where no id fits
        _ => script.into_owned(),
    })?;
    Ok(Outcome::Done)
}

/// The script of zsh, which would offer the ids of worlds and no files.
fn zsh(script: &str) -> String {
    const BEGIN: &str = "_goalward() {";
    let ids = names::worlds().join(" ");
    let both = format!(
        "_goalward_worlds() {{\n    local ret=1\n    compadd -- {ids} && ret=0\n    _files && \
         ret=0\n    return ret\n}}\n\n"
    );
    let script = script.replace(&format!("({ids})"), "_goalward_worlds");
    script.replacen(BEGIN, &(both + BEGIN), 1)
}

/// The script of fish, which would offer no files after an option, and no ids for WORLD.
fn fish(script: &str) -> String {
    let first = names::worlds().into_iter().next().unwrap_or_default();
    let mut script = script.replace(&format!(" -r -f -a \"{first}"), &format!(" -r -F -a \"{first}"));
    let ids = names::worlds().join(" ");
    for command in Cli::command().get_subcommands() {
        let takes_world = |arg: &Arg| ["world", "models"].contains(&arg.get_id().as_str());
        if command.get_positionals().any(takes_world) {
            let name = command.get_name();
            script.push_str(&format!(
                "complete -c goalward -n \"__fish_goalward_using_subcommand {name}\" -a \"{ids}\" \
                 -d 'World'\n"
            ));
        }
    }
    script
}
