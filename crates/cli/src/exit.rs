//! How a command ends: its exit code, and its messages on stderr.

use crate::names::legible;
use clap::builder::styling::{AnsiColor, Style};
use goalward::{Error, learners, worlds};
use std::fmt;
use std::io::{ErrorKind, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

/// How a command ended when its input was valid: its exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Done = 0,
    No = 1,
    /// The code that shells give a process that Ctrl-C ended.
    Interrupted = 130,
}

/// Whether `--quiet` was given: set before anything is printed.
static QUIET: AtomicBool = AtomicBool::new(false);

pub(crate) fn hush() {
    QUIET.store(true, Ordering::Relaxed);
}

pub(crate) fn quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// An error of the command line itself, and what to do about it.
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

/// Prints help and version on stdout, wrong usage on stderr; the exit code for it.
pub(crate) fn clap(message: &clap::Error) -> ExitCode {
    let printed = message.print().and_then(|()| std::io::stdout().flush());
    match printed {
        // stderr may be closed
        _ if message.use_stderr() => ExitCode::from(2),
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            report(&Usage::new(format!("standard output: {error}")).into())
        }
        _ => ExitCode::SUCCESS,
    }
}

pub(crate) fn note(text: impl fmt::Display) {
    if !quiet() {
        say("note:", AnsiColor::Yellow, text);
    }
}

pub(crate) fn hint_at(text: impl fmt::Display) {
    if !quiet() {
        say("hint:", AnsiColor::Cyan, text);
    }
}

fn say(label: &str, color: AnsiColor, text: impl fmt::Display) {
    let style = if colorful() { color.on_default().bold() } else { Style::new() };
    // stderr may be closed
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
    let error = match error.downcast_ref::<goalward_lab::Error>() {
        Some(goalward_lab::Error::Goalward(error)) => error,
        Some(error) => return error.hint(),
        None => error.downcast_ref::<Error>()?,
    };
    // what to type follows the name that was meant
    match (error.hint(), typed(error)) {
        (Some(meant), Some(typed)) if error.meant().is_some() => Some(format!("{meant} {typed}")),
        (hint, typed) => hint.map(|hint| with_flags(&hint)).or(typed),
    }
}

/// A hint of the library with the flags of parameters that have one.
pub(crate) fn with_flags(hint: &str) -> String {
    hint.replace("set restart=true", "add --restart")
}

/// What to type, which the library cannot know.
fn typed(error: &Error) -> Option<String> {
    let is_learner = |id: &str| learners::entry(id).is_ok();
    let is_world = |id: &str| worlds::entry(id).is_ok();
    Some(match error {
        Error::MissingSetting { key, .. } if key == "B" => {
            "--set B=3 says that no state costs more than 3 to the goal; --set B=oracle takes the true bound"
                .into()
        }
        Error::MissingSetting { owner, key, .. } => {
            let (flag, list) = if is_learner(owner) { ("--set", "learners") } else { ("--param", "worlds") };
            format!("{flag} {key}=VALUE gives it; goalward list {list} {owner} describes it")
        }
        Error::UnknownSetting { owner, .. } | Error::Setting { owner, .. } => {
            match (is_learner(owner), is_world(owner)) {
                (true, _) => format!("goalward list learners {owner} describes every parameter"),
                (_, true) => format!("goalward list worlds {owner} describes every parameter"),
                _ => "a model file takes --goal, --cost and --start; a problem file says everything itself"
                    .into(),
            }
        }
        Error::UnknownId { kind: "world", id, .. } if is_learner(id) => {
            format!("{id} is a learner: goalward learn WORLD --learner {id}")
        }
        Error::UnknownId { kind: "learner", id, .. } if is_world(id) => {
            format!("{id} is a world: goalward learn {id} --learner ID")
        }
        Error::UnknownId { kind, .. } => format!("goalward list {kind}s describes them"),
        Error::Choose { what: "goal", .. } => {
            "--goal LABEL or --goal STATE says which; goalward check lists what the file has".into()
        }
        Error::Choose { what: "cost", .. } => {
            "--cost NAME says which; --cost 1 charges 1 for every step".into()
        }
        Error::Choose { .. } => "--start STATE says which; --start all draws an initial state first".into(),
        Error::Checkpoint { .. } => "restore the checkpoint or its world from a copy, or begin afresh".into(),
        Error::InFile { source, .. } => return typed(source),
        _ => return None,
    })
}
