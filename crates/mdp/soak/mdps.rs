//! `cargo xtask soak mdps [MODELS]`: random models of two to six states against the exact
//! enumeration of all their stationary policies, for three objectives at the default precision and
//! at 1e-9, and the exact way; with usual costs, then with costs from 5e-324 to 1e100. Exit code 1
//! if an interval is wrong or a certificate refused, or if more than one model in a thousand has no
//! finite bound, which the answer says.

#[path = "mdps/mod.rs"]
mod mdps;

use mdps::{Costs, Counts, try_one};
use rayon::prelude::*;
use std::process::ExitCode;

/// Models if nothing is said.
const MODELS: u64 = 5_000;
/// One model in so many may be left without a finite bound.
const RARELY: u64 = 1_000;

fn main() -> ExitCode {
    // cargo itself passes --bench
    let models = std::env::args().skip(1).find_map(|arg| arg.parse().ok()).unwrap_or(MODELS);
    let all = |costs| (0..models).into_par_iter().map(move |seed| try_one(seed, costs));
    let counts = all(Costs::Usual).chain(all(Costs::Any)).reduce(Counts::default, Counts::add);
    counts.faults.iter().for_each(|fault| eprintln!("{fault}"));
    println!(
        "{} models, {} solutions, {} intervals: {} wrong, {} refused; {} models said to have no finite \
         bound; {} wider than asked for, {:.1e} at most",
        counts.models,
        counts.solutions,
        counts.intervals,
        counts.wrong,
        counts.refused,
        counts.unbounded,
        counts.wide,
        counts.widest
    );
    let often = RARELY * counts.unbounded > counts.models;
    ExitCode::from(u8::from(counts.wrong + counts.refused > 0 || often))
}
