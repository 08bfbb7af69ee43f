//! How often 95 % intervals of a mean cover it: Student's t, plain percentiles of a bootstrap, and
//! the corrected bootstrap that goalward uses (BCa); and of the slope of a power law. Exit code 1
//! if the corrected one falls short of what is said of it in docs/tables/studies.md.
//!
//! `cargo xtask soak bootstrap [SAMPLES]`, 2,000 samples for each row unless given.

use goalward::numeric::{Portable, Stream};
use goalward_lab::stats::{Exponent, Mean, bca_interval};
use rayon::prelude::*;
use std::process::ExitCode;

/// What the values are drawn from, with its mean.
#[derive(Clone, Copy)]
enum Law {
    Normal,
    Exponential,
    Lognormal,
}

impl Law {
    fn draw(self, stream: &mut Stream) -> f64 {
        // Box and Muller
        let normal = |stream: &mut Stream| {
            let radius = (2.0 * stream.exponential()).sqrt();
            radius * (std::f64::consts::TAU * stream.uniform()).cosine()
        };
        match self {
            Law::Normal => normal(stream),
            Law::Exponential => stream.exponential(),
            Law::Lognormal => normal(stream).exp_e(),
        }
    }

    fn mean(self) -> f64 {
        match self {
            Law::Normal => 0.0,
            Law::Exponential => 1.0,
            Law::Lognormal => 0.5f64.exp_e(),
        }
    }
}

/// The plain percentiles of 2,000 resampled means.
fn percentiles(values: &[f64], stream: &mut Stream) -> (f64, f64) {
    let n = values.len();
    let mut drawn: Vec<f64> =
        (0..2000).map(|_| (0..n).map(|_| values[stream.below(n)]).sum::<f64>() / n as f64).collect();
    drawn.sort_by(f64::total_cmp);
    (drawn[50], drawn[1949])
}

fn inside(interval: Option<(f64, f64)>, value: f64) -> u64 {
    interval.is_some_and(|(low, high)| low <= value && value <= high).into()
}

/// Student's t, percentiles, BCa.
fn of_means(law: Law, n: usize, seed: u64) -> [u64; 3] {
    let mut stream = Stream::new(seed, &[law as u64, n as u64]);
    let values: Vec<f64> = (0..n).map(|_| law.draw(&mut stream)).collect();
    let student = Mean::of(&values).and_then(|m| m.low.zip(m.high));
    let mean = |runs: &[usize]| Some(runs.iter().map(|&r| values[r]).sum::<f64>() / runs.len() as f64);
    let plain = percentiles(&values, &mut stream);
    [student, Some(plain), bca_interval(n, mean)].map(|interval| inside(interval, law.mean()))
}

/// The exponent 1/2 of lognormal runs at five points, whose luck is shared in part as in the growth
/// study.
fn of_slopes(n: usize, seed: u64) -> u64 {
    let mut stream = Stream::new(seed, &[9, n as u64]);
    let xs = [1e3, 3e3, 1e4, 3e4, 1e5];
    let shared: Vec<f64> = (0..n).map(|_| Law::Exponential.draw(&mut stream)).collect();
    let mut column = |x: &f64| {
        let own = |luck: &f64| x.sqrt() * (0.5 * luck + Law::Exponential.draw(&mut stream));
        shared.iter().map(own).collect::<Vec<f64>>()
    };
    let ys: Vec<Vec<f64>> = xs.iter().map(&mut column).collect();
    inside(Exponent::fit(&xs, &ys).and_then(|e| e.low.zip(e.high)), 0.5)
}

fn main() -> ExitCode {
    let samples: u64 = std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(2000);
    let share = |hits: u64| 100.0 * hits as f64 / samples as f64;
    let mut short = Vec::new();
    println!("<!-- means -->\n| values | n | Student's t | percentiles | BCa |\n|---|---:|---:|---:|---:|");
    // what BCa must reach, in per cent: means of skewed values are hard for everybody
    let rows = [
        ("normal", Law::Normal, 92.0),
        ("exponential", Law::Exponential, 90.0),
        ("lognormal", Law::Lognormal, 84.0),
    ];
    for (name, law, least) in rows {
        for n in [10, 20, 50] {
            let add = |a: [u64; 3], b: [u64; 3]| [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
            let hits = (0..samples).into_par_iter().map(|seed| of_means(law, n, seed)).reduce(|| [0; 3], add);
            let [student, plain, corrected] = hits.map(share);
            println!("| {name} | {n} | {student:.1} % | {plain:.1} % | {corrected:.1} % |");
            if corrected < least || corrected < plain {
                short.push(format!("{name}, n = {n}: {corrected:.1} %"));
            }
        }
    }
    println!("\n<!-- slopes -->\n| slope of five means | n | BCa |\n|---|---:|---:|");
    for n in [10, 20, 50] {
        let corrected = share((0..samples).into_par_iter().map(|seed| of_slopes(n, seed)).sum());
        println!("| exponential, luck shared in part | {n} | {corrected:.1} % |");
        if corrected < 92.0 {
            short.push(format!("slope, n = {n}: {corrected:.1} %"));
        }
    }
    println!(
        "\n<!-- error -->\n{samples} samples for each row; the standard error of a share of 95 % is {:.1} %.",
        100.0 * (0.95 * 0.05 / samples as f64).sqrt()
    );
    for fault in &short {
        eprintln!("falls short: {fault}");
    }
    ExitCode::from(u8::from(!short.is_empty()))
}
