//! What a learner knows of theta, model by model.

use crate::names::in_line;
use crate::numbers::{real, vector};
use goalward::episode::RunResult;
use goalward::numeric::Portable;
use goalward_lab::fixed;

/// The most models with a line of their own.
const LINES: usize = 12;

/// The estimate: `calm 0.298 [0.00, 0.61]` for each model, or without intervals all in one line.
pub(super) fn lines(r: &RunResult) -> Vec<String> {
    let Some(theta) = &r.theta_hat else { return vec!["none".into()] };
    let shown = theta.len().min(LINES);
    let names: Vec<String> = (0..shown).map(|i| name(r, i)).collect();
    let more = (theta.len() > shown).then(|| format!("... and {} more: --json has all", theta.len() - shown));
    let Some(intervals) = &r.theta_interval else {
        let named = names.iter().zip(theta).map(|(name, x)| format!("{name} {}", real(*x)));
        return vec![match &r.model_names {
            Some(_) => named.chain(more).collect::<Vec<_>>().join(", "),
            None => vector(theta),
        }];
    };
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let known = theta.iter().zip(intervals).map(|(x, interval)| known(*x, *interval));
    let lines = names.iter().zip(known).map(|(name, known)| format!("{name:<width$} {known}"));
    lines.chain(more).collect()
}

/// What a model is called: its name, or which entry of theta it is.
pub(super) fn name(r: &RunResult, i: usize) -> String {
    match r.model_names.as_ref().and_then(|names| names.get(i)) {
        Some(name) => plain(name),
        None => format!("theta[{i}]"),
    }
}

/// A name for one line of a terminal: not too long, and what would move the cursor is spelled out.
pub(in crate::commands) fn plain(name: &str) -> String {
    const SHOWN: usize = 40;
    let mut text = in_line(&name.chars().take(SHOWN).collect::<String>());
    if name.chars().nth(SHOWN).is_some() {
        text.push_str("...");
    }
    text
}

/// An estimate and its interval, whose ends are rounded outwards to decimals that differ.
pub(in crate::commands) fn known(x: f64, (low, high): (f64, f64)) -> String {
    let decimals = match high - low {
        width if width.is_finite() && width > 0.0 => (1.0 - width.log_10().floor()).clamp(2.0, 6.0) as usize,
        _ => 2,
    };
    let scale = 10f64.powi(decimals as i32);
    // rounding of 1e-9 is none that a reader should see
    let down = fixed((low * scale + 1e-6).floor() / scale, decimals);
    let up = fixed((high * scale - 1e-6).ceil() / scale, decimals);
    let within = match (low.is_finite(), high.is_finite()) {
        (true, true) => format!("[{down}, {up}]"),
        (true, false) => format!("({down} or more)"),
        (false, true) => format!("({up} or less)"),
        (false, false) => "(anything)".into(),
    };
    format!("{} {within}", fixed(x, decimals + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_rounded_outwards() {
        const NO: f64 = f64::INFINITY;
        for (x, ends, text) in [
            (0.298, (0.0, 0.6064), "0.298 [0.00, 0.61]"),
            (0.298, (-3e-16, 1.0 + 1e-15), "0.298 [0.00, 1.00]"),
            (0.7, (0.3236, 1.0), "0.700 [0.32, 1.00]"),
            (0.29812, (0.27123, 0.31999), "0.2981 [0.271, 0.320]"),
            (0.298123, (0.297123, 0.299999), "0.29812 [0.2971, 0.3000]"),
            (-0.25, (-0.301, NO), "-0.250 (-0.31 or more)"),
            (0.25, (-NO, 0.301), "0.250 (0.31 or less)"),
            (0.2, (-NO, NO), "0.200 (anything)"),
            (1.0, (1.0, 1.0), "1.000 [1.00, 1.00]"),
            (-1e-9, (-1e-12, 0.5), "0.000 [0.00, 0.50]"),
        ] {
            assert_eq!(known(x, ends), text);
        }
    }

    #[test]
    fn names_stay_in_their_line() {
        assert_eq!(plain("calm"), "calm");
        assert_eq!(plain("a\nb\u{1b}[2J"), "a\\nb\\u{1b}[2J");
        assert_eq!(plain(&"é".repeat(50)), "é".repeat(40) + "...");
    }
}
