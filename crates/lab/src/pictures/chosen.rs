//! The worlds and learners of a figure, their names, its headline, and what must be said of the runs.

use super::strokes;
use crate::figure::Stroke;
use crate::group::grouped;
use crate::results::{Cell, EpisodeRow, Results};
use crate::study::FigureSpec;
use crate::{Error, Result};
use goalward::learners::{self, Need};

/// The worlds and learners of a figure.
pub(super) struct Chosen<'a> {
    pub(super) results: &'a Results,
    pub(super) spec: &'a FigureSpec,
    pub(super) worlds: Vec<usize>,
    pub(super) learners: Vec<usize>,
    strokes: Vec<Stroke>,
}

/// A line of a figure: a learner, or several that did the same in every run.
pub(super) struct Line {
    pub(super) learners: Vec<usize>,
    pub(super) label: String,
    pub(super) stroke: Stroke,
}

impl<'a> Chosen<'a> {
    /// What a figure asks for: labels or base labels, in their order; all, where it names none.
    pub(super) fn new(results: &'a Results, spec: &'a FigureSpec) -> Result<Chosen<'a>> {
        let study = &results.study;
        let worlds: Vec<(&str, &str)> =
            study.worlds.iter().map(|w| (w.label.as_str(), w.base.as_str())).collect();
        let learners: Vec<(&str, &str)> =
            study.learners.iter().map(|l| (l.contender.label.as_str(), l.base.as_str())).collect();
        Ok(Chosen {
            worlds: named(&spec.worlds, &worlds, spec, "world")?,
            learners: named(&spec.learners, &learners, spec, "learner")?,
            strokes: strokes(study),
            results,
            spec,
        })
    }

    pub(super) fn cell(&self, world: usize, learner: usize) -> &'a Cell {
        self.results.cell(world, learner)
    }

    pub(super) fn stroke(&self, learner: usize) -> Stroke {
        self.strokes[learner]
    }

    pub(super) fn world(&self, world: usize) -> &'a str {
        &self.results.study.worlds[world].label
    }

    pub(super) fn learner(&self, learner: usize) -> &'a str {
        &self.results.study.learners[learner].contender.label
    }

    /// Whether a learner is told the truth, and so is no rival of others.
    pub(super) fn knows_the_truth(&self, learner: usize) -> bool {
        let id = &self.results.study.learners[learner].contender.learner;
        learners::entry(id).is_ok_and(|entry| entry.wants(Need::Policy))
    }

    fn cells(&self, worlds: &[usize], learner: usize) -> Vec<&'a Cell> {
        worlds.iter().map(|&w| self.cell(w, learner)).collect()
    }

    /// A learner's label, and whether it has no guarantee in these worlds.
    pub(super) fn name(&self, worlds: &[usize], learner: usize) -> String {
        let label = self.learner(learner);
        let none = |cell: &&Cell| cell.runs.iter().any(|run| run.row.guarantee.as_deref() == Some("no"));
        let without = self.cells(worlds, learner).into_iter().filter(none).count();
        if without == 0 || label.to_lowercase().contains("no guarantee") {
            return label.into();
        }
        match worlds.len() {
            all if all == without => format!("{label} (no guarantee)"),
            all => format!("{label} (no guarantee in {without} of {all} worlds)"),
        }
    }

    /// What is missing of a learner's runs in these worlds; empty if nothing is.
    pub(super) fn missing(&self, worlds: &[usize], learner: usize) -> String {
        let cells = self.cells(worlds, learner);
        let mut said = Vec::new();
        if cells.iter().any(|c| c.runs.len() < c.planned) {
            let runs = range(cells.iter().map(|c| c.runs.len()));
            said.push(format!("{runs} of {} runs", range(cells.iter().map(|c| c.planned))));
        }
        let failed: usize = cells.iter().map(|c| c.failed.len()).sum();
        if failed > 0 {
            said.push(format!("{failed} failed"));
        }
        let truncated: usize = cells.iter().map(|c| c.truncated(&self.results.study)).sum();
        if truncated > 0 {
            said.push(format!("{truncated} truncated"));
        }
        if said.is_empty() { String::new() } else { format!(" ({})", said.join(", ")) }
    }

    /// The learners that have runs in one of these worlds, as lines. Those with the same curve in every
    /// run are one line; without a value none are.
    pub(super) fn lines(&self, worlds: &[usize], value: Option<fn(&EpisodeRow) -> f64>) -> Vec<Line> {
        let ran = self.learners.iter().copied().filter(|&l| self.has_runs(worlds, l));
        let same = |a: &usize, b: &usize| {
            value
                .is_some_and(|value| worlds.iter().all(|&w| alike(self.cell(w, *a), self.cell(w, *b), value)))
        };
        grouped(ran, same).into_iter().map(|group| self.line(worlds, group)).collect()
    }

    fn line(&self, worlds: &[usize], learners: Vec<usize>) -> Line {
        let names: Vec<String> = learners.iter().map(|&l| self.name(worlds, l)).collect();
        let label = names.join(" = ") + &self.missing(worlds, learners[0]);
        Line { label, stroke: self.stroke(learners[0]), learners }
    }

    fn has_runs(&self, worlds: &[usize], learner: usize) -> bool {
        self.cells(worlds, learner).iter().any(|cell| !cell.runs.is_empty())
    }

    /// How many runs there are in a cell: `mean of 20 runs`.
    pub(super) fn runs(&self, worlds: &[usize]) -> String {
        let cells = worlds.iter().flat_map(|&w| self.learners.iter().map(move |&l| self.cell(w, l)));
        match range(cells.map(|cell| cell.runs.len()).filter(|n| *n > 0)).as_str() {
            "" => "no runs".into(),
            "1" => "1 run".into(),
            some => format!("{some} runs"),
        }
    }

    /// Learners without runs, the meaning of `=`, and the ends of curves.
    pub(super) fn caveats(&self, worlds: &[usize], lines: &[Line]) -> Vec<String> {
        let mut said = Vec::new();
        if lines.iter().any(|line| line.learners.len() > 1) {
            said.push("=: the same in every run".into());
        }
        let truncated =
            |&l: &usize| self.cells(worlds, l).iter().any(|cell| cell.truncated(&self.results.study) > 0);
        if self.learners.iter().any(truncated) {
            said.push(
                "truncated: the cap on steps ended the run. Means are over the runs that got that far; a \
                 curve ends where fewer than half are left"
                    .into(),
            );
        }
        let without: Vec<&str> =
            self.learners.iter().filter(|l| !self.has_runs(worlds, **l)).map(|&l| self.learner(l)).collect();
        if !without.is_empty() {
            said.push(format!("no finished run: {}", listed(&without)));
        }
        said
    }
}

/// The first few of a list.
pub(super) fn listed(names: &[&str]) -> String {
    const SHOWN: usize = 6;
    match names.len() {
        n if n > SHOWN => format!("{} and {} more", names[..SHOWN].join(", "), n - SHOWN),
        _ => names.join(", "),
    }
}

/// `7`, or `7–12`; empty without numbers.
fn range(numbers: impl Iterator<Item = usize>) -> String {
    let numbers: Vec<usize> = numbers.collect();
    match (numbers.iter().min(), numbers.iter().max()) {
        (Some(least), Some(most)) if least < most => format!("{least}–{most}"),
        (Some(least), _) => least.to_string(),
        _ => String::new(),
    }
}

/// Whether two cells have the same curves: run by run, row by row.
fn alike(one: &Cell, other: &Cell, value: impl Fn(&EpisodeRow) -> f64) -> bool {
    let rows = |a: &[EpisodeRow], b: &[EpisodeRow]| {
        let same = |(a, b): (&EpisodeRow, &EpisodeRow)| a.episode == b.episode && value(a) == value(b);
        a.len() == b.len() && a.iter().zip(b).all(same)
    };
    let runs = one.runs.iter().zip(&other.runs);
    one.runs.len() == other.runs.len()
        && one.failed.len() == other.failed.len()
        && runs.into_iter().all(|(a, b)| a.seed == b.seed && rows(&a.episodes, &b.episodes))
}

/// The numbers of what is named, by label or base label.
fn named(names: &[String], known: &[(&str, &str)], spec: &FigureSpec, what: &str) -> Result<Vec<usize>> {
    if names.is_empty() {
        return Ok((0..known.len()).collect());
    }
    let mut chosen = Vec::new();
    for name in names {
        let exact = known.iter().position(|(label, _)| label == name);
        let found: Vec<usize> = match exact {
            Some(one) => vec![one],
            None => (0..known.len()).filter(|&i| known[i].1 == name).collect(),
        };
        if found.is_empty() {
            let reason = format!("figure {:?} names the {what} {name:?}, and the study has none", spec.name);
            return Err(Error::Unmade { what: "figure", reason });
        }
        chosen.extend(found.into_iter().filter(|i| !chosen.contains(i)).collect::<Vec<_>>());
    }
    Ok(chosen)
}

/// A headline that names the learner with the least of something in the mean of the runs, among
/// those that are not told the truth. It names none where runs are missing or rivals are lacking.
pub(super) fn least(
    chosen: &Chosen,
    worlds: &[usize],
    what: &str,
    verb: &str,
    value: impl Fn(&Cell) -> Option<f64>,
) -> String {
    let place = match worlds {
        [one] => format!("on {}", chosen.world(*one)),
        several => format!("in {} worlds", several.len()),
    };
    let neutral = format!("{what} {place}");
    let rivals: Vec<usize> =
        chosen.learners.iter().copied().filter(|&l| !chosen.knows_the_truth(l)).collect();
    let whole = |cell: &Cell| cell.planned > 0 && cell.runs.len() == cell.planned;
    if rivals.len() < 2 || !worlds.iter().all(|&w| rivals.iter().all(|&l| whole(chosen.cell(w, l)))) {
        return neutral;
    }
    // a learner that has nothing of the kind is left out; equal ones share the first place
    let best = |&world: &usize| -> Vec<usize> {
        let all: Vec<(usize, f64)> =
            rivals.iter().filter_map(|&l| Some((l, value(chosen.cell(world, l))?))).collect();
        let least = all.iter().map(|(_, v)| *v).fold(f64::INFINITY, f64::min);
        all.iter().filter(|(_, v)| *v <= least).map(|(l, _)| *l).collect()
    };
    let winners: Vec<Vec<usize>> = worlds.iter().map(best).collect();
    let count = |l: usize| winners.iter().filter(|w| w.contains(&l)).count();
    let most = rivals.iter().map(|&l| count(l)).max().unwrap_or(0);
    let first: Vec<usize> = rivals.iter().copied().filter(|&l| count(l) == most).collect();
    match (first.as_slice(), worlds.len()) {
        ([one], 1) => format!("{neutral}: {} {verb}", chosen.learner(*one)),
        ([one], _) => format!("{neutral}: {} {verb} in {most}", chosen.learner(*one)),
        _ => neutral,
    }
}

#[cfg(test)]
mod tests {
    use crate::pictures::tests::samples;
    use crate::study::FigureKind;

    #[test]
    fn curves_that_are_the_same_are_one_line() {
        let mut results = samples::results(&["a", "b", "c"], &["one", "two"], 3, 10);
        let twin = results.cell(0, 0).clone();
        results.cells[1].runs = twin.runs;
        let spec = samples::spec(FigureKind::GapRegret);
        let chosen = super::Chosen::new(&results, &spec).unwrap();
        let labels = |worlds: &[usize]| {
            chosen.lines(worlds, Some(|e| e.gap_regret)).iter().map(|l| l.label.clone()).collect::<Vec<_>>()
        };
        assert_eq!(labels(&[0]), ["a = b", "c"]);
        assert_eq!(labels(&[0, 1]), ["a", "b", "c"], "not in the other world");
    }

    #[test]
    fn names_say_what_is_missing() {
        let mut results = samples::results(&["a", "b (no guarantee)", "c"], &["one", "two"], 3, 10);
        results.cells[0].runs.pop();
        results.cells[0].failed.push((2, "no memory".into()));
        results.cells[1].runs.iter_mut().for_each(|r| r.row.guarantee = Some("no".into()));
        results.cells[2].runs.iter_mut().for_each(|r| r.row.guarantee = Some("no".into()));
        results.cells[2].runs[0].row.outcome = "truncated".into();
        let spec = samples::spec(FigureKind::GapRegret);
        let chosen = super::Chosen::new(&results, &spec).unwrap();
        let labels = |worlds: &[usize]| {
            chosen.lines(worlds, Some(|e| e.gap_regret)).iter().map(|l| l.label.clone()).collect::<Vec<_>>()
        };
        assert_eq!(
            labels(&[0]),
            ["a (2 of 3 runs, 1 failed)", "b (no guarantee)", "c (no guarantee) (1 truncated)"]
        );
        assert_eq!(
            labels(&[0, 1]),
            [
                "a (2–3 of 3 runs, 1 failed)",
                "b (no guarantee)",
                "c (no guarantee in 1 of 2 worlds) (1 truncated)"
            ]
        );
        let mut spec = samples::spec(FigureKind::GapRegret);
        spec.learners = vec!["nobody".into()];
        let why = super::Chosen::new(&results, &spec).err().unwrap().to_string();
        assert!(why.contains("\"nobody\""), "{why}");
    }
}
