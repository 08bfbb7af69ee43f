//! `cargo xtask soak checkpoints [N [M]]`: N corrupted checkpoints of every learner as they are,
//! and N with the checksum made anew, through the library; M of each (a tenth) through the command
//! line, in a folder in which nothing else may change.

mod corrupt;
mod processes;

use corrupt::sweep::{Found, arena, as_they_are, cases, forged};
use std::process::ExitCode;

fn main() -> ExitCode {
    // cargo adds --bench
    let numbers: Vec<u64> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    let n = numbers.first().copied().unwrap_or(10_000);
    let m = numbers.get(1).copied().unwrap_or(n / 10);
    let (arena, mut sound) = (arena(), true);
    let cases = cases(&arena);
    let mut show = |what: &str, found: &Found, must_refuse: bool| {
        println!(
            "{what}: {} tried, {} refused, {} taken, {} panics, slowest {:.2} s",
            found.tried,
            found.refused,
            found.tried - found.refused - found.panics.len() as u64,
            found.panics.len(),
            found.slowest.as_secs_f64()
        );
        for line in found.panics.iter().chain(&found.taken) {
            println!("  {line}");
        }
        sound &= found.panics.is_empty()
            && found.taken.is_empty()
            && (!must_refuse || found.refused == found.tried);
    };
    show("as they are, library", &as_they_are(&cases, 0..n), true);
    show("checksum made anew, library", &forged(&arena, &cases, 0..n), false);
    let goalward = std::path::Path::new(env!("CARGO_BIN_EXE_goalward"));
    show("as they are, processes", &processes::as_they_are(goalward, 0..m), true);
    show("checksum made anew, processes", &processes::forged(goalward, 0..m), false);
    if sound { ExitCode::SUCCESS } else { ExitCode::from(1) }
}
