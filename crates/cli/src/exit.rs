//! How a command ends: its exit code, and what the user is told when it went wrong.

use crate::names::legible;
use clap::builder::styling::{AnsiColor, Style};
use std::fmt;
use std::io::{ErrorKind, IsTerminal, Write};
use std::process::ExitCode;

/// How a command ended when nothing was wrong with what it was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Exit code 0.
    Done,
    /// Exit code 1.
    No,
    /// Exit code 130, as shells know it from Ctrl-C.
    Interrupted,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> ExitCode {
        match outcome {
            Outcome::Done => ExitCode::SUCCESS,
            Outcome::No => ExitCode::from(1),
            Outcome::Interrupted => ExitCode::from(130),
        }
    }
}

/// Something that the command line itself found wrong, and what to do about it.
#[derive(Debug)]
pub(crate) struct Usage {
    reason: String,
    hint: Option<String>,
}

impl Usage {
    pub(crate) fn new(reason: impl Into<String>) -> Usage {
        Usage { reason: reason.into(), hint: None }
    }

    pub(crate) fn hint(self, hint: impl Into<String>) -> Usage {
        Usage { hint: Some(hint.into()), ..self }
    }
}

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for Usage {}

/// Prints an error with its hint; the exit code for it.
pub(crate) fn report(error: &anyhow::Error) -> ExitCode {
    say("error:", AnsiColor::Red, error);
    if let Some(hint) = hint(error) {
        say("hint:", AnsiColor::Cyan, hint);
    }
    ExitCode::from(2)
}

/// Prints what clap has to say: help and the version on stdout, wrong usage on stderr; the exit
/// code for it.
pub(crate) fn told(said: &clap::Error) -> ExitCode {
    let printed = said.print().and_then(|()| std::io::stdout().flush());
    match printed {
        // nobody is left to tell if stderr is gone
        _ if said.use_stderr() => ExitCode::from(2),
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            report(&Usage::new(format!("standard output: {error}")).into())
        }
        _ => ExitCode::SUCCESS,
    }
}

/// Tells the user something on stderr that is no error.
pub(crate) fn note(text: impl fmt::Display) {
    say("note:", AnsiColor::Yellow, text);
}

/// Tells the user what to do about a note.
pub(crate) fn hint_at(text: impl fmt::Display) {
    say("hint:", AnsiColor::Cyan, text);
}

fn say(label: &str, color: AnsiColor, text: impl fmt::Display) {
    let style = if colorful() { color.on_default().bold() } else { Style::new() };
    // nobody is left to tell if stderr is gone
    let _ = writeln!(std::io::stderr(), "{style}{label}{style:#} {}", legible(&text.to_string()));
}

fn colorful() -> bool {
    let asked_not_to = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    !asked_not_to && !dumb && std::io::stderr().is_terminal()
}

fn hint(error: &anyhow::Error) -> Option<String> {
    if let Some(usage) = error.downcast_ref::<Usage>() {
        return usage.hint.clone();
    }
    // what to type comes after what was meant
    let library = |error: &goalward::Error| match (error.hint(), typed(error)) {
        (Some(meant), Some(typed)) if error.meant().is_some() => Some(format!("{meant} {typed}")),
        (hint, typed) => hint.map(|hint| with_flags(&hint)).or(typed),
    };
    if let Some(error) = error.downcast_ref::<goalward::Error>() {
        return library(error);
    }
    match error.downcast_ref::<goalward_lab::Error>()? {
        goalward_lab::Error::Goalward(error) => library(error),
        error => error.hint(),
    }
}

/// The library speaks of parameters; some have a flag here.
pub(crate) fn with_flags(hint: &str) -> String {
    hint.replace("set restart=true", "add --restart")
}

/// What to type, which the library cannot know.
fn typed(error: &goalward::Error) -> Option<String> {
    match error {
        goalward::Error::MissingSetting { owner, key, .. } => {
            let (flag, list) = settings_of(owner);
            Some(match key.as_str() {
                "B" => "--set B=3 says that no state costs more than 3 to the goal; --set \
                        B=oracle takes the true \
                        bound"
                    .into(),
                _ => format!("{flag} {key}=VALUE gives it; goalward list {list} {owner} describes it"),
            })
        }
        goalward::Error::UnknownSetting { owner, .. } | goalward::Error::Setting { owner, .. }
            if goalward::learners::entry(owner).is_err() && goalward::worlds::entry(owner).is_err() =>
        {
            Some(
                "a model file takes --goal, --cost and --start; a problem file says everything itself".into(),
            )
        }
        goalward::Error::UnknownSetting { owner, .. } | goalward::Error::Setting { owner, .. } => {
            Some(format!("goalward list {} {owner} describes every parameter", settings_of(owner).1))
        }
        // the name of the other kind of thing
        goalward::Error::UnknownId { kind: "world", id, .. } if goalward::learners::entry(id).is_ok() => {
            Some(format!("{id} is a learner: goalward learn WORLD --learner {id}"))
        }
        goalward::Error::UnknownId { kind: "learner", id, .. } if goalward::worlds::entry(id).is_ok() => {
            Some(format!("{id} is a world: goalward learn {id} --learner ID"))
        }
        goalward::Error::UnknownId { kind, .. } => Some(format!("goalward list {kind}s describes them")),
        goalward::Error::Choose { what, .. } => Some(match *what {
            "goal" => {
                "--goal LABEL or --goal STATE says which; goalward check lists what the file has".into()
            }
            "cost" => "--cost NAME says which; --cost 1 charges 1 for every step".into(),
            _ => "--start STATE says which; --start all draws an initial state first".into(),
        }),
        goalward::Error::Checkpoint { .. } => Some(
            "put a copy of the checkpoint or of its world back that is as it was, or begin afresh".into(),
        ),
        goalward::Error::InFile { source, .. } => typed(source),
        _ => None,
    }
}

/// The flag that sets parameters of a learner or world, and the list that describes them.
fn settings_of(owner: &str) -> (&'static str, &'static str) {
    match goalward::learners::entry(owner) {
        Ok(_) => ("--set", "learners"),
        Err(_) => ("--param", "worlds"),
    }
}
