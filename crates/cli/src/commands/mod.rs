//! One file for each command: its arguments, its help, and what it calls.

pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod export;
pub(crate) mod learn;
pub(crate) mod list;
pub(crate) mod reproduce;
pub(crate) mod solve;

use goalward::registry::Settings;

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
