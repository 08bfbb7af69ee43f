//! What a reader of the numbers must not overlook.

use super::phrase::{counted, listed, readable};
use super::view::{View, by_world};
use crate::results::Results;

/// So many failed jobs are named; the others are counted.
const NAMED: usize = 5;

/// Runs that are missing, failed or were cut off.
pub(super) fn of(results: &Results) -> Vec<String> {
    let mut warnings = Vec::new();
    warnings.extend(missing(results));
    warnings.extend(failed(results));
    let several = results.study.worlds.len() > 1;
    for (world, views) in by_world(results) {
        let place = if several { format!(" on {}", readable(&world.label)) } else { String::new() };
        for view in views.iter().filter(|view| view.truncated() > 0) {
            warnings.push(format!(
                "{}{place}: {} of {} met the cap on steps and are truncated; their regret is that of \
                 fewer episodes, the one cut off counted up to where it stood",
                view.label(),
                view.truncated(),
                counted(view.runs().len(), "run")
            ));
        }
    }
    warnings
}

/// How many runs each learner has, where some are missing.
fn missing(results: &Results) -> Option<String> {
    if results.complete() {
        return None;
    }
    let views = View::all(results);
    let done: usize = views.iter().map(|view| view.runs().len()).sum();
    let planned: usize = views.iter().map(|view| view.cell.planned).sum();
    let share = |label: &str| {
        let mine = || views.iter().filter(|view| view.label() == label);
        (mine().map(|v| v.runs().len()).sum::<usize>(), mine().map(|v| v.cell.planned).sum::<usize>())
    };
    let labels: Vec<&str> = results.study.learners.iter().map(|l| l.contender.label.as_str()).collect();
    let shares: Vec<(usize, usize)> = labels.iter().map(|label| share(label)).collect();
    let whole = format!("{done} of {planned} runs are there, and the numbers are those of these");
    Some(match shares.windows(2).all(|pair| pair[0] == pair[1]) {
        true => {
            let (n, of) = shares.first().copied().unwrap_or_default();
            format!("{whole}: {n} of {of} of every learner")
        }
        false => {
            let who = labels.iter().zip(&shares).map(|(label, (n, of))| format!("{label} {n} of {of}"));
            format!("{whole}, not equally many of every learner: {}", who.collect::<Vec<_>>().join(", "))
        }
    })
}

/// Jobs that failed, the first few with their reasons.
fn failed(results: &Results) -> Option<String> {
    let views = View::all(results);
    let all = views.iter().flat_map(|view| view.cell.failed.iter().map(move |(seed, why)| (view, seed, why)));
    let all: Vec<String> = all
        .map(|(view, seed, why)| {
            format!("{} on {} with seed {seed} ({why})", view.label(), readable(&view.world.label))
        })
        .collect();
    match all.len() {
        0 => None,
        n if n <= NAMED => Some(format!("{} failed: {}", counted(n, "run"), listed(&all))),
        n => Some(format!("{n} runs failed; the first {NAMED}: {}", listed(&all[..NAMED]))),
    }
}
