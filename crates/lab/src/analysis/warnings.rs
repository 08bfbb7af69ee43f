//! Warnings: changed questions, and missing, failed and truncated runs.

use super::phrase::{counted, listed, place};
use super::view::{View, by_world};
use crate::results::Results;

/// The most failed jobs that are named.
const NAMED: usize = 5;

pub(super) fn of(results: &Results) -> Vec<String> {
    let mut warnings = results.changes.clone();
    warnings.extend(missing(results));
    warnings.extend(failed(results));
    let several = results.study.worlds.len() > 1;
    for (world, views) in by_world(results) {
        let on = if several { format!(" on {}", place(&world.label)) } else { String::new() };
        let cut: Vec<&View> = views.iter().filter(|view| view.truncated() > 0).collect();
        let runs = match cut[..] {
            [] => continue,
            [one] => {
                let runs = counted(one.runs().len(), "run");
                format!("{}{on}: {} of {runs} met", one.label(), one.truncated())
            }
            _ => {
                let share = |v: &&View| format!("{} ({} of {})", v.label(), v.truncated(), v.runs().len());
                format!("runs of {}{on} met", listed(&cut.iter().map(share).collect::<Vec<_>>()))
            }
        };
        warnings.push(format!(
            "{runs} the cap on steps and are truncated; their regret is that of fewer episodes, the one \
             cut off counted up to where it stood"
        ));
    }
    warnings
}

/// The number of runs of each learner, where some are missing.
fn missing(results: &Results) -> Option<String> {
    if results.complete() {
        return None;
    }
    let (done, planned, _) = results.counts();
    let learners = &results.study.learners;
    let share = |learner: usize| {
        let mine = results.cells.iter().filter(|cell| cell.learner == learner);
        mine.fold((0, 0), |(done, planned), cell| (done + cell.runs.len(), planned + cell.planned))
    };
    let shares: Vec<(usize, usize)> = (0..learners.len()).map(share).collect();
    let whole = format!("{done} of {planned} runs are there, and the numbers are those of these");
    Some(match shares.windows(2).all(|pair| pair[0] == pair[1]) {
        true => {
            let (n, of) = shares.first().copied().unwrap_or_default();
            format!("{whole}: {n} of {of} of every learner")
        }
        false => {
            let shares = learners.iter().zip(&shares);
            let each = shares.map(|(l, (n, of))| format!("{} {n} of {of}", l.contender.label));
            format!("{whole}, not equally many of every learner: {}", each.collect::<Vec<_>>().join(", "))
        }
    })
}

/// Jobs that failed, the first few with their reasons.
fn failed(results: &Results) -> Option<String> {
    let views = View::all(results);
    let of = |view: &View| {
        let on = format!("{} on {}", view.label(), place(&view.world.label));
        view.cell
            .failed
            .iter()
            .map(|(seed, why)| format!("{on} with seed {seed} ({why})"))
            .collect::<Vec<_>>()
    };
    let all: Vec<String> = views.iter().flat_map(of).collect();
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
