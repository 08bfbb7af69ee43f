//! A million random and degenerate support problems: `cargo bench --bench support_stress [--
//! --instances N]`.
//!
//! Prints what was counted per family and ends with code 1 if a requirement fails: value within
//! 1e-7 of Clarabel on a sample of ten thousand, certified bound at most the value, gap at most
//! 1e-9 on 99.9 %, no wrong "empty", no hang.

mod stress;

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use stress::{BATCH, Counts, Family};

fn argument(name: &str) -> Option<u64> {
    let mut arguments = std::env::args().skip_while(|a| a != name);
    arguments.nth(1)?.parse().ok()
}

fn main() {
    let instances = argument("--instances").unwrap_or(1_000_000);
    // somewhat more than ten thousand, as empty sets have nothing to compare
    let sample = (instances / 12_500).max(1);
    // one family alone, by its place in the table
    let only = argument("--family").map(|f| f as usize);
    let families = Family::ALL.len() as u64;
    let batches = instances.div_ceil(BATCH).max(families);
    let next = AtomicU64::new(0);
    let totals = Mutex::new(vec![Counts::default(); Family::ALL.len()]);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let batch = next.fetch_add(1, Ordering::Relaxed);
                    if batch >= batches {
                        break;
                    }
                    let family = (batch % families) as usize;
                    if only.is_some_and(|only| only != family) {
                        continue;
                    }
                    let counts = stress::run(Family::ALL[family], batch / families, sample);
                    totals.lock().unwrap()[family].add(&counts);
                }
            });
        }
    });
    let totals = totals.into_inner().unwrap();
    let mut all = Counts::default();
    header();
    for (family, counts) in Family::ALL.iter().zip(&totals) {
        row(&format!("{family:?}"), counts);
        all.add(counts);
    }
    row("total", &all);
    let failures = all.failures();
    if failures.is_empty() {
        println!("all requirements hold");
        return;
    }
    failures.iter().for_each(|f| println!("FAILED: {f}"));
    std::process::exit(1);
}

fn header() {
    println!(
        "{:12} {:>9} {:>9} {:>8} {:>7} {:>7} {:>7} {:>9} {:>6} {:>9} {:>7} {:>7} {:>6} {:>8} \
         {:>7} {:>7} {:>7} {:>9} {:>8}",
        "family",
        "instances",
        "solved",
        "empty",
        "wrong_e",
        "missed",
        "inacc",
        "fallbacks",
        "wide",
        "worst_gap",
        "bad_bnd",
        "outside",
        "hangs",
        "compared",
        "unsure",
        "cond",
        "differ",
        "worst_dif",
        "seconds"
    );
}

fn row(name: &str, c: &Counts) {
    println!(
        "{:12} {:>9} {:>9} {:>8} {:>7} {:>7} {:>7} {:>9} {:>6} {:>9.1e} {:>7} {:>7} {:>6} {:>8} \
         {:>7} {:>7} {:>7} {:>9.1e} {:>8.1}",
        name,
        c.instances,
        c.solved,
        c.empty,
        c.wrong_empty,
        c.missed_empty,
        c.inaccurate,
        c.fallbacks,
        c.wide,
        c.worst_gap,
        c.wrong_bound,
        c.outside,
        c.hangs,
        c.compared,
        c.unsure,
        c.conditioned,
        c.different,
        c.worst_difference,
        c.seconds
    );
}
