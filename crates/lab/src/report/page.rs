//! What the template of a report is filled with.

use super::tables::Sortable;
use super::{cells, embed, island, parameters};
use crate::analysis::Findings;
use crate::group::grouped;
use crate::pictures::{self, Picture};
use crate::results::{Cell, Machine, Results, Share};
use crate::table::fixed;
use serde::Serialize;

/// Everything that the template names.
#[derive(Serialize)]
pub(super) struct Page {
    name: String,
    title: String,
    about: Vec<String>,
    facts: Vec<(String, String)>,
    /// How many runs are missing or failed, if any.
    missing: Option<String>,
    failures: Vec<Failure>,
    words: Vec<String>,
    warnings: Vec<String>,
    tables: Vec<Sortable>,
    cells: Sortable,
    legend: Vec<LegendEntry>,
    worlds: Vec<WorldChart>,
    /// Whether the curves begin with a logarithmic y axis.
    log: bool,
    pictures: Vec<Figure>,
    setups: Vec<parameters::Setup>,
    world_table: Sortable,
    seeds: String,
    methods: Vec<String>,
    machines: Vec<String>,
    times: String,
    version: String,
    commit: String,
}

/// Runs of one cell that failed for one reason.
#[derive(Serialize)]
struct Failure {
    world: String,
    learner: String,
    seeds: String,
    reason: String,
}

/// A line of the legend.
#[derive(Serialize)]
struct LegendEntry {
    label: String,
    light: String,
    dark: String,
    width: f64,
    dash: String,
}

/// The place of a world's curves.
#[derive(Serialize)]
struct WorldChart {
    label: String,
    /// What a reader of the curves must know, or nothing.
    notes: Vec<String>,
}

#[derive(Serialize)]
struct Figure {
    title: String,
    alt: String,
    source: String,
    size: (u32, u32),
}

pub(super) fn of(results: &Results, findings: &Findings, pictures: &[Picture]) -> Page {
    let study = &results.study;
    let figure = |p: &Picture| Figure {
        title: p.title.clone(),
        alt: p.alt.clone(),
        source: embed::picture(p),
        size: p.size,
    };
    Page {
        name: study.name.clone(),
        title: if study.title.is_empty() { study.name.clone() } else { study.title.clone() },
        about: study
            .about
            .split("\n\n")
            .map(|p| p.trim().into())
            .filter(|p: &String| !p.is_empty())
            .collect(),
        facts: facts(results),
        missing: missing(results),
        failures: failures(results),
        words: findings.words.clone(),
        warnings: findings.warnings.clone(),
        tables: findings.tables.iter().map(|s| Sortable::new(&s.title, &s.table)).collect(),
        cells: cells::table(results),
        legend: legend(results),
        worlds: (0..study.worlds.len()).map(|w| chart(results, w)).collect(),
        log: island::is_wide(results),
        pictures: pictures.iter().map(figure).collect(),
        setups: parameters::learners(results),
        world_table: parameters::worlds(results),
        seeds: seeds(&study.seeds),
        methods: findings.methods.clone(),
        machines: results.machines.iter().map(machine).collect(),
        times: times(results),
        version: results.build.version.clone(),
        commit: results.build.commit.clone(),
    }
}

/// How large the study is, for the head of the page.
fn facts(results: &Results) -> Vec<(String, String)> {
    let study = &results.study;
    let planned: usize = results.cells.iter().map(|cell| cell.planned).sum();
    let there: usize = results.cells.iter().map(|cell| cell.runs.len()).sum();
    let runs = if there == planned { there.to_string() } else { format!("{there} of {planned}") };
    let lengths: Vec<u64> = study.worlds.iter().map(|world| world.length.episodes).collect();
    let steps = study.worlds.iter().any(|world| world.length.by_steps);
    let mut facts = vec![
        ("worlds".into(), study.worlds.len().to_string()),
        ("learners".into(), study.learners.len().to_string()),
        ("seeds".into(), study.seeds.len().to_string()),
        ("runs".into(), runs),
    ];
    if let (Some(least), Some(most), false) = (lengths.iter().min(), lengths.iter().max(), steps) {
        let label = |n: &u64| crate::figure::number_label(*n as f64, 0);
        let text = if least == most { label(most) } else { format!("{} to {}", label(least), label(most)) };
        facts.push(("episodes".into(), text));
    }
    facts
}

/// How many of how many runs are there, if some are not.
fn missing(results: &Results) -> Option<String> {
    let planned: usize = results.cells.iter().map(|cell| cell.planned).sum();
    let there: usize = results.cells.iter().map(|cell| cell.runs.len()).sum();
    let failed: usize = results.cells.iter().map(|cell| cell.failed.len()).sum();
    if there >= planned && failed == 0 {
        return None;
    }
    let waiting = planned.saturating_sub(there + failed);
    let mut text = format!("{there} of {planned} runs are here.");
    if failed > 0 {
        text.push_str(&format!(" {failed} failed."));
    }
    if waiting > 0 {
        text.push_str(&format!(" {waiting} were not made yet: goalward study run goes on with them."));
    }
    text.push_str(" Every number is that of the runs that are here.");
    Some(text)
}

fn failures(results: &Results) -> Vec<Failure> {
    let of_cell = |cell: &Cell| {
        let (world, learner) = (&results.study.worlds[cell.world], &results.study.learners[cell.learner]);
        let failure = |group: Vec<&(u64, String)>| Failure {
            world: world.label.clone(),
            learner: learner.contender.label.clone(),
            seeds: seeds(&group.iter().map(|(seed, _)| *seed).collect::<Vec<_>>()),
            reason: group[0].1.clone(),
        };
        let mut groups = grouped(&cell.failed, |a, b| a.1 == b.1);
        groups.sort_by_key(|group| &group[0].1);
        groups.into_iter().map(failure).collect::<Vec<_>>()
    };
    results.cells.iter().flat_map(of_cell).collect()
}

fn legend(results: &Results) -> Vec<LegendEntry> {
    let strokes = pictures::strokes(&results.study);
    let entry = |(learner, stroke): (&crate::study::LearnerPoint, &crate::figure::Stroke)| LegendEntry {
        label: learner.contender.label.clone(),
        light: stroke.colour.hex(),
        dark: island::on_dark(stroke.colour).hex(),
        width: island::width(stroke),
        dash: island::dash(stroke).iter().map(f64::to_string).collect::<Vec<_>>().join(" "),
    };
    results.study.learners.iter().zip(&strokes).map(entry).collect()
}

/// What curves cannot show: runs that are missing, and runs that were cut off.
fn chart(results: &Results, world: usize) -> WorldChart {
    let mut notes = Vec::new();
    for learner in 0..results.study.learners.len() {
        let cell = results.cell(world, learner);
        let label = &results.study.learners[learner].contender.label;
        let (there, cut) = (cell.runs.len(), cell.truncated(&results.study));
        if there < cell.planned {
            notes.push(format!("{label}: {there} of {} runs.", cell.planned));
        }
        if cut > 0 {
            let most = cell.runs.iter().map(|run| run.row.episodes).max().unwrap_or(0);
            let curve = match most {
                0 => "no episode was finished, so there is no curve".into(),
                most => format!("its curve ends at episode {most}"),
            };
            let all = if cut == there { String::new() } else { format!("{cut} of {there} runs were ") };
            notes.push(format!("{label}: {all}cut off by the cap on steps; {curve}."));
        }
    }
    WorldChart { label: results.study.worlds[world].label.clone(), notes }
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
    let steps = crate::figure::number_label(steps as f64, 0);
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
