//! One file for each command: its arguments, its help, and what it calls.

pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod export;
pub(crate) mod learn;
pub(crate) mod list;
pub(crate) mod reproduce;
pub(crate) mod solve;

use crate::exit::{Outcome, note};
use goalward::registry::Settings;
use std::path::PathBuf;

/// A world and its parameters, as every command that works on one takes them.
#[derive(clap::Args)]
pub(crate) struct World {
    /// A built-in world (`goalward list worlds`) or a path to a problem file
    #[arg(value_name = "WORLD")]
    world: String,
    /// Set a parameter of the world; may be repeated
    #[arg(long = "param", value_name = "KEY=VALUE")]
    params: Vec<String>,
}

impl World {
    fn params(&self) -> anyhow::Result<Settings> {
        Ok(Settings::parse(&self.params)?)
    }
}

/// Tells where the results are.
fn wrote(files: &[PathBuf]) {
    let files: Vec<String> = files.iter().map(|path| path.display().to_string()).collect();
    note(format!("wrote {}", files.join(", ")));
}

fn ended(interrupted: bool) -> Outcome {
    if interrupted { Outcome::Interrupted } else { Outcome::Done }
}
