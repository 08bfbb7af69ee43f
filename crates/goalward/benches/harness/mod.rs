//! What the benchmarks share: a clock, a median, and a table for people or, with `--json`, for
//! programs.

#![allow(dead_code, unreachable_pub)]

pub(crate) mod venv;

use std::time::Instant;

/// Microseconds of one call, over so many repetitions.
pub(crate) fn micros(repeat: usize, mut work: impl FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..repeat {
        work();
    }
    start.elapsed().as_secs_f64() * 1e6 / repeat as f64
}

/// The median.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// A line of /proc/self/status, in bytes; not a number where there is no such file.
pub(crate) fn status(key: &str) -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(key));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<f64>().ok());
    kilobytes.map_or(f64::NAN, |kb| 1024.0 * kb)
}

/// Starts the peak of resident memory afresh.
pub(crate) fn reset_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// Rows of numbers under named columns.
pub(crate) struct Table {
    bench: &'static str,
    columns: Vec<&'static str>,
    rows: Vec<(String, Vec<f64>)>,
}

impl Table {
    pub(crate) fn new(bench: &'static str, columns: &[&'static str]) -> Self {
        Table { bench, columns: columns.to_vec(), rows: Vec::new() }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, case: &str, values: &[f64]) {
        eprintln!("{case} done");
        self.rows.push((case.into(), values.to_vec()));
    }

    /// Prints it: JSON if the program was called with `--json`.
    pub(crate) fn print(&self) {
        if std::env::args().any(|a| a == "--json") {
            let rows: Vec<serde_json::Value> = self
                .rows
                .iter()
                .map(|(case, values)| {
                    let mut row = serde_json::Map::new();
                    row.insert("case".into(), case.as_str().into());
                    for (column, value) in self.columns.iter().zip(values) {
                        row.insert((*column).into(), (*value).into());
                    }
                    row.into()
                })
                .collect();
            println!("{}", serde_json::json!({ "bench": self.bench, "rows": rows }));
            return;
        }
        let width = self.rows.iter().map(|r| r.0.len()).max().unwrap_or(0).max(4);
        print!("{:width$}", "case");
        self.columns.iter().for_each(|c| print!("  {c:>12}"));
        println!();
        for (case, values) in &self.rows {
            print!("{case:width$}");
            self.columns.iter().zip(values).for_each(|(c, v)| {
                let w = c.len().max(12);
                match v.abs() {
                    // not measured
                    x if x.is_nan() => print!("  {:>w$}", "–"),
                    x if x != 0.0 && x < 1e-3 => print!("  {v:>w$.2e}"),
                    x if x < 100.0 => print!("  {v:>w$.3}"),
                    _ => print!("  {v:>w$.0}"),
                }
            });
            println!();
        }
    }
}
