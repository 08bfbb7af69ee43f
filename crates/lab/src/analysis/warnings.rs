//! What a reader of the numbers must not overlook.

use super::phrase::{counted, listed, place};
use super::view::{View, by_world};
use crate::results::Results;

/// So many failed jobs are named; the others are counted.
const NAMED: usize = 5;

/// What was changed since the runs, and runs that are missing, failed or were cut off.
pub(super) fn of(results: &Results) -> Vec<String> {
    let mut warnings = results.changes.clone();
    warnings.extend(missing(results));
    warnings.extend(failed(results));
    let several = results.study.worlds.len() > 1;
    for (world, views) in by_world(results) {
        let on = if several { format!(" on {}", place(&world.label)) } else { String::new() };
        let cut: Vec<&View> = views.iter().filter(|view| view.truncated() > 0).collect();
        let who = match cut[..] {
            [] => continue,
            [one] => {
                let runs = counted(one.runs().len(), "run");
                format!("{}{on}: {} of {runs} met", one.label(), one.truncated())
            }
            _ => {
                let who = |v: &&View| format!("{} ({} of {})", v.label(), v.truncated(), v.runs().len());
                format!("runs of {}{on} met", listed(&cut.iter().map(who).collect::<Vec<_>>()))
            }
        };
        warnings.push(format!(
            "{who} the cap on steps and are truncated; their regret is that of fewer episodes, the one \
             cut off counted up to where it stood"
        ));
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
            format!("{} on {} with seed {seed} ({why})", view.label(), place(&view.world.label))
        })
        .collect();
    match all.len() {
        0 => None,
        n if n <= NAMED => Some(format!("{} failed: {}", counted(n, "run"), listed(&all))),
        n => Some(format!("{n} runs failed; the first {NAMED}: {}", listed(&all[..NAMED]))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::tests::{results, run, study, with};

    #[test]
    fn what_was_cut_off_is_told_world_by_world() {
        let study = study(&["corridor", "ladder@dim=2"], &["lr", "levis", "random"], 4, 2);
        let cut = |world: usize, learner: usize, seed: u64| match (world, learner) {
            (0, 1) => seed < 3,
            (1, 0 | 2) => true,
            _ => false,
        };
        let made = results(study, |world, learner, seed| {
            let outcome = if cut(world, learner, seed) { "truncated" } else { "finished" };
            Some(with(run(seed, 2, |_| 1.0), |row| row.outcome = outcome.into()))
        });
        let warnings = of(&made);
        assert_eq!(warnings.len(), 2);
        assert!(warnings[0].starts_with("levis on corridor: 3 of 4 runs met the cap on steps and are"));
        let second = "runs of lr (4 of 4) and random (4 of 4) on ladder (dim = 2) met the cap on steps";
        assert!(warnings[1].starts_with(second), "{warnings:?}");
    }

    #[test]
    fn many_failures_are_counted() {
        let mut made = results(study(&["corridor"], &["lr"], 9, 2), |_, _, _| None);
        made.cells[0].failed = (0..9).map(|seed| (seed, "it broke".to_string())).collect();
        let warnings = of(&made);
        assert!(warnings[0].starts_with("0 of 9 runs are there"), "{warnings:?}");
        assert!(
            warnings[1].starts_with("9 runs failed; the first 5: lr on corridor with seed 0 (it broke),")
        );
        assert!(warnings[1].ends_with("and lr on corridor with seed 4 (it broke)"), "{warnings:?}");
    }
}
