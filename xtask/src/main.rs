//! Project tasks; `cargo xtask help` lists them.

mod artifacts;
mod bench;
mod browser;
mod checks;
mod docs;
mod dummy;
mod laws;
mod licences;
mod metadata;
mod process;
mod python;
mod skipped;
mod soak;
mod tree;

use anyhow::{Context, Result};
use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask test                    format, lints, all tests, documentation; stops at the first failure
       cargo xtask docs [--check] [NAME]   write the tables, numbers and figures of the \
       documents, or compare them
       cargo xtask licences [--check]      write the notices of what is linked in, or compare them
       cargo xtask bench NAME              run a benchmark; without a name, list them
       cargo xtask browser REPORT.html     open reports and replays in Chromium and use them; \
       more pages are replays
       cargo xtask dummy                   add a learner to a copy: it takes one file and one line
       cargo xtask wheel                   build the Python wheel for release, and try it
       cargo xtask soak NAME               run a long sweep; without a name, list them";

fn main() -> Result<ExitCode> {
    let args: Vec<String> = env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["test"] => checks::run(),
        ["docs", ref rest @ ..] => docs::run(rest),
        ["licences" | "licenses", ref rest @ ..] => licences::run(rest),
        ["bench", ref rest @ ..] => bench::run(rest),
        ["browser", ref rest @ ..] => browser::run(rest),
        ["dummy"] => dummy::run(),
        ["soak", ref rest @ ..] => soak::run(rest),
        ["wheel"] => python::wheel(),
        ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            Ok(ExitCode::SUCCESS)
        }
        _ => {
            eprintln!("{USAGE}");
            Ok(ExitCode::from(2))
        }
    }
}

/// The cargo of the running toolchain.
fn cargo() -> OsString {
    env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

fn root() -> Result<&'static Path> {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask lies in the workspace")
}
