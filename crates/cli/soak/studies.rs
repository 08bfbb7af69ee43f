//! `cargo xtask soak studies [KILLS [PAIRS]]`: a study of forty jobs, killed at 100 random moments,
//! and 60 pairs of shards that are started together in one folder, by processes of the same number.
//! Exit code 1 if any Parquet file differs from an uninterrupted run's, or if anything is left.

mod kills;
mod pairs;

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let given: Vec<usize> = std::env::args().skip(1).filter_map(|arg| arg.parse().ok()).collect();
    let given = |n: usize, usual: usize| given.get(n).copied().unwrap_or(usual);
    match tempfile::tempdir().map_err(|e| e.to_string()).and_then(|dir| both(dir.path(), given)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Whether nothing was found.
fn both(dir: &Path, given: impl Fn(usize, usize) -> usize) -> Result<bool, String> {
    let program = Path::new(env!("CARGO_BIN_EXE_goalward"));
    let killed = kills::kill(program, dir, given(0, 100), 0)?;
    println!("{} kills, {} studies came to their end", killed.kills, killed.studies);
    killed.differences.iter().for_each(|line| println!("DIFFERS: {line}"));
    let pairs = pairs::pairs(program, dir, given(1, 60))?;
    let numbers = if pairs.alike { "the same number" } else { "their own numbers: unshare is not allowed" };
    println!("{} pairs of processes with {numbers}, {} faults", pairs.pairs, pairs.faults.len());
    pairs.faults.iter().for_each(|line| println!("FAULT: {line}"));
    Ok(killed.differences.is_empty() && pairs.faults.is_empty())
}
