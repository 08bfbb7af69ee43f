//! `cargo xtask soak studies [KILLS]`: a study of forty jobs, killed at 100 random moments unless
//! another number is given. Exit code 1 if any Parquet file differs from an uninterrupted run's.

mod kills;

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let given = std::env::args().skip(1).find_map(|arg| arg.parse().ok());
    let outcome = tempfile::tempdir().map_err(|e| e.to_string()).and_then(|dir| {
        kills::kill(Path::new(env!("CARGO_BIN_EXE_goalward")), dir.path(), given.unwrap_or(100), 0)
    });
    match outcome {
        Ok(killed) => {
            println!("{} kills, {} studies came to their end", killed.kills, killed.studies);
            killed.differences.iter().for_each(|line| println!("DIFFERS: {line}"));
            if killed.differences.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
