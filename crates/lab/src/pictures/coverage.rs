//! The share of runs that lost theta*, with intervals, and what is promised.

use super::Picture;
use super::chosen::{Chosen, listed};
use super::rowed::{self, About};
use crate::Result;
use crate::figure::Entry;
use crate::results::{Cell, Results, RunRow};
use crate::stats::Proportion;
use crate::study::FigureSpec;

pub(super) fn draw(results: &Results, spec: &FigureSpec) -> Result<Vec<Picture>> {
    let chosen = Chosen::new(results, spec)?;
    let watched = |l: &usize| chosen.worlds.iter().any(|&w| has_set(chosen.cell(w, *l)));
    let learners: Vec<usize> = chosen.learners.iter().copied().filter(watched).collect();
    let mut notes = vec![format!(
        "after some step θ* was outside a confidence set · {} · whiskers: 95 % interval (Clopper and \
         Pearson) · black tick: the promised level",
        chosen.runs(&chosen.worlds)
    )];
    if learners.is_empty() {
        notes.push("no learner here showed a confidence set that was watched".into());
    }
    let about = About { measure: "Share of runs that lost θ*", notes, dots: true, log: false };
    let entry = |w: usize, l: usize| entry(chosen.cell(w, l));
    rowed::draw(&chosen, &learners, &about, |worlds| title(&chosen, worlds, &learners), entry)
}

/// Whether a learner showed a confidence set there.
fn has_set(cell: &Cell) -> bool {
    let shown =
        |row: &RunRow| row.nats.is_some() || row.beta.is_some() || row.empty.is_some() || row.lost.is_some();
    cell.runs.iter().any(|run| shown(&run.row))
}

fn share(cell: &Cell) -> Option<Proportion> {
    let lost = cell.runs.iter().filter(|run| run.row.lost.is_some()).count();
    Proportion::of(lost as u64, cell.runs.len() as u64).filter(|_| has_set(cell))
}

/// The probability with which it may fail, where something is proved.
fn level(cell: &Cell) -> Option<f64> {
    cell.runs.first().and_then(|run| run.row.level).filter(|level| level.is_finite())
}

fn entry(cell: &Cell) -> Entry {
    let Some(share) = share(cell) else {
        let why = if cell.runs.is_empty() { "no finished run" } else { "no confidence set" };
        return Entry { text: why.into(), ..Entry::default() };
    };
    Entry {
        value: Some(share.share),
        interval: Some((share.low, share.high)),
        tick: level(cell),
        text: format!("{} of {}", share.hits, share.n),
    }
}

/// The learners that lost it more often than promised, and whether chance explains it.
fn title(chosen: &Chosen, worlds: &[usize], learners: &[usize]) -> String {
    let any = |l: usize, fault: fn(&Proportion, f64) -> bool| {
        worlds.iter().any(|&w| {
            let cell = chosen.cell(w, l);
            share(cell).zip(level(cell)).is_some_and(|(share, level)| fault(&share, level))
        })
    };
    let surely: Vec<&str> = learners
        .iter()
        .filter(|l| any(**l, |share, level| share.low > level))
        .map(|&l| chosen.learner(l))
        .collect();
    if !surely.is_empty() {
        return format!("θ* was lost more often than promised by {}", listed(&surely));
    }
    match (learners.iter().any(|&l| any(l, |_, _| true)), learners.iter().any(|&l| any(l, above))) {
        (false, _) => "How often θ* left the confidence sets".into(),
        (true, true) => "How often θ* left the confidence sets: no more than chance explains".into(),
        (true, false) => "θ* left no confidence set more often than promised".into(),
    }
}

fn above(share: &Proportion, level: f64) -> bool {
    share.share > level
}
