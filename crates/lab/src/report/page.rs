//! The values of a report's template.

use super::{embed, island, tables};
use crate::analysis::Findings;
use crate::figure::number_label;
use crate::group::grouped;
use crate::pictures::Picture;
use crate::results::{Cell, Machine, Results, Share};
use crate::table::fixed;
use serde_json::{Value, json};

pub(super) fn of(results: &Results, findings: &Findings, pictures: &[Picture]) -> Value {
    let study = &results.study;
    let picture = |p: &Picture| {
        let source = embed::picture(p);
        json!({ "title": p.title, "alt": p.alt, "source": source, "size": p.size })
    };
    let about = study.about.split("\n\n").map(str::trim).filter(|paragraph| !paragraph.is_empty());
    json!({
        "name": study.name,
        "title": if study.title.is_empty() { &study.name } else { &study.title },
        "about": about.collect::<Vec<_>>(),
        "facts": facts(results),
        "missing": missing(results),
        "failures": failures(results),
        "words": findings.words,
        "warnings": findings.warnings,
        "tables": findings.tables.iter().map(tables::of).collect::<Vec<_>>(),
        "cells": tables::cells(results),
        "legend": legend(results),
        "worlds": (0..study.worlds.len()).map(|w| chart(results, w)).collect::<Vec<_>>(),
        "log": island::is_wide(results),
        "pictures": pictures.iter().map(picture).collect::<Vec<_>>(),
        "setups": tables::setups(results),
        "world_table": tables::worlds(results),
        "seeds": seeds(&study.seeds),
        "methods": findings.methods,
        "machines": results.machines.iter().map(machine).collect::<Vec<_>>(),
        "times": times(results),
        "version": results.build.version,
        "commit": results.build.commit,
    })
}

/// The size of the study, for the head of the page.
fn facts(results: &Results) -> Vec<(&'static str, String)> {
    let study = &results.study;
    let (done, planned, _) = results.counts();
    let lengths: Vec<u64> = study.worlds.iter().map(|world| world.length.episodes).collect();
    let by_steps = study.worlds.iter().any(|world| world.length.by_steps);
    let mut facts = vec![
        ("worlds", study.worlds.len().to_string()),
        ("learners", study.learners.len().to_string()),
        ("seeds", study.seeds.len().to_string()),
        ("runs", if done == planned { done.to_string() } else { format!("{done} of {planned}") }),
    ];
    if let (Some(least), Some(most), false) = (lengths.iter().min(), lengths.iter().max(), by_steps) {
        let label = |n: &u64| number_label(*n as f64, 0);
        let text = if least == most { label(most) } else { format!("{} to {}", label(least), label(most)) };
        facts.push(("episodes", text));
    }
    facts
}

/// How many runs are missing or failed, if any.
fn missing(results: &Results) -> Option<String> {
    let (done, planned, failed) = results.counts();
    if done >= planned && failed == 0 {
        return None;
    }
    let waiting = planned.saturating_sub(done + failed);
    let said = [
        Some(format!("{done} of {planned} runs are here.")),
        (failed > 0).then(|| format!("{failed} failed.")),
        (waiting > 0).then(|| format!("{waiting} were not made yet: goalward study run goes on with them.")),
        Some("Every number is that of the runs that are here.".into()),
    ];
    Some(said.into_iter().flatten().collect::<Vec<_>>().join(" "))
}

/// The failed runs of each cell, one entry for each reason.
fn failures(results: &Results) -> Vec<Value> {
    let of_cell = |cell: &Cell| {
        let mut groups = grouped(&cell.failed, |a, b| a.1 == b.1);
        groups.sort_by_key(|group| &group[0].1);
        let failure = |group: Vec<&(u64, String)>| {
            json!({
                "world": results.study.worlds[cell.world].label,
                "learner": results.study.learners[cell.learner].contender.label,
                "seeds": seeds(&group.iter().map(|(seed, _)| *seed).collect::<Vec<_>>()),
                "reason": group[0].1,
            })
        };
        groups.into_iter().map(failure).collect::<Vec<_>>()
    };
    results.cells.iter().flat_map(of_cell).collect()
}

/// How each learner's curve looks, with the dashes as SVG writes them.
fn legend(results: &Results) -> Vec<Value> {
    let mut looks = island::looks(&results.study);
    for look in &mut looks {
        let dash = look["dash"].as_array().into_iter().flatten().filter_map(Value::as_f64);
        look["dash"] = dash.map(|x| x.to_string()).collect::<Vec<_>>().join(" ").into();
    }
    looks
}

/// A world's curves with notes on what they cannot show: missing and truncated runs.
fn chart(results: &Results, world: usize) -> Value {
    let mut notes = Vec::new();
    for learner in 0..results.study.learners.len() {
        let cell = results.cell(world, learner);
        let label = &results.study.learners[learner].contender.label;
        let (done, cut) = (cell.runs.len(), cell.truncated(&results.study));
        if done < cell.planned {
            notes.push(format!("{label}: {done} of {} runs.", cell.planned));
        }
        if cut > 0 {
            let most = cell.runs.iter().map(|run| run.row.episodes).max().unwrap_or(0);
            let curve = match most {
                0 => "no episode was finished, so there is no curve".into(),
                most => format!("its curve ends at episode {most}"),
            };
            let all = if cut == done { String::new() } else { format!("{cut} of {done} runs were ") };
            notes.push(format!("{label}: {all}cut off by the cap on steps; {curve}."));
        }
    }
    json!({ "label": results.study.worlds[world].label, "notes": notes })
}

fn machine(share: &Share) -> String {
    let Machine { host, system, cores } = &share.machine;
    let unit = if *cores == 1 { "core" } else { "cores" };
    let time = duration(share.seconds);
    format!("{host} ({system}, {cores} {unit}): {} runs in {time} of run time", share.runs)
}

/// Run times of the whole study.
fn times(results: &Results) -> String {
    let runs = || results.cells.iter().flat_map(|cell| &cell.runs);
    let wall: f64 = runs().map(|run| run.seconds).sum();
    let cpu: f64 = runs().map(|run| run.cpu_seconds).sum();
    let steps: u64 = runs().map(|run| run.row.steps).sum();
    let steps = number_label(steps as f64, 0);
    format!("{steps} steps; all runs together took {} ({} of CPU time)", duration(wall), duration(cpu))
}

/// `7.3 s`, `4 min 12 s`, `3 h 5 min`.
fn duration(seconds: f64) -> String {
    let whole = seconds.max(0.0).round() as u64;
    match whole {
        0..60 => format!("{} s", fixed(seconds, 1)),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

/// `0 to 4, 7`.
fn seeds(seeds: &[u64]) -> String {
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for &seed in seeds {
        match ranges.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(seed) => *last = seed,
            _ => ranges.push((seed, seed)),
        }
    }
    let text = |&(first, last): &(u64, u64)| match last - first {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first} to {last}"),
    };
    ranges.iter().map(text).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_and_times_are_short() {
        assert_eq!(seeds(&[0, 1, 2, 3, 7, 9, 10]), "0 to 3, 7, 9, 10");
        assert_eq!(seeds(&[]), "");
        assert_eq!(seeds(&[u64::MAX, 0]), "18446744073709551615, 0");
        let known = [(7.26, "7.3 s"), (252.2, "4 min 12 s"), (11100.0, "3 h 5 min")];
        assert!(known.iter().all(|(seconds, text)| duration(*seconds) == *text));
    }
}
