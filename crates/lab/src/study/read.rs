//! Study files as [`Study`] values. Every key is known and every value checked, and an error names
//! its line.

use super::figures::figures;
use super::file::File;
use super::forms::whole;
use super::grids::check_points;
use super::learners::{learner_points, set_all, survey};
use super::seeds::{each_once, parse_seeds, so_many};
use super::spot::{Spot, StudyText, is_learner, with_hint};
use super::worlds::{length, world_points};
use super::{Analyses, ComparisonAsk, GrowthFamily, Study};
use crate::{Error, Result};
use goalward::did_you_mean;
use serde_json::Value;
use std::collections::HashSet;
use std::path::Path;

/// A study with the places of its worlds and learners in the file, for later errors.
#[derive(Clone, Debug)]
pub struct StudyFile {
    /// The question.
    pub study: Study,
    source: StudyText,
    /// Which entry of the file each world and each learner comes from.
    worlds: Vec<usize>,
    learners: Vec<usize>,
}

impl StudyFile {
    /// A study without a file.
    pub fn without_file(study: Study) -> StudyFile {
        StudyFile { study, source: StudyText::default(), worlds: vec![], learners: vec![] }
    }

    /// An error of the library about the n-th of the `worlds` or `learners`, at its place.
    pub(crate) fn about(&self, list: &str, n: usize, error: goalward::Error) -> Error {
        let entries = if list == "worlds" { &self.worlds } else { &self.learners };
        match entries.get(n) {
            Some(&i) => self.source.at(list).item(i).fault(with_hint(&error)),
            None => error.into(),
        }
    }
}

/// Reads a study file; worlds that are files are looked for beside it. With `quick`, the small
/// version that the file describes.
pub fn read_file(path: &Path, quick: bool) -> Result<StudyFile> {
    let text = std::fs::read_to_string(path).map_err(Error::io(path))?;
    read(&text, path, quick)
}

/// Reads the text of a study file; `path` is what errors call it, and where its files are looked
/// for.
pub fn read(text: &str, path: &Path, quick: bool) -> Result<StudyFile> {
    read_with(text, path, quick, true)
}

/// Reads the study that lies beside its results. The worlds need not be there any more.
pub(crate) fn reread(text: &str, path: &Path) -> Result<Study> {
    read_with(text, path, false, false).map(|file| file.study)
}

fn read_with(text: &str, path: &Path, quick: bool, find: bool) -> Result<StudyFile> {
    let (source, mut file) = StudyText::read::<File>(path, text)?;
    let root = source.at("");
    let name = path.file_stem().map_or("study".into(), |stem| stem.to_string_lossy().into_owned());
    let common = length(&root, file.episodes, file.steps, file.max_steps)?;
    let (mut worlds, mut learners) = (Vec::new(), Vec::new());
    let (mut world_of, mut learner_of) = (Vec::new(), Vec::new());
    for (key, none) in [("worlds", file.worlds.is_empty()), ("learners", file.learners.is_empty())] {
        if none {
            return Err(source.at(key).fault("the list is empty: give at least one"));
        }
    }
    for (i, entry) in file.worlds.iter().enumerate() {
        let spot = source.at("worlds").item(i);
        worlds.extend(world_points(entry, &spot, common, find.then_some(path))?);
        world_of.resize(worlds.len(), i);
        check_points(&spot, [worlds.len()])?;
    }
    for (i, entry) in file.learners.iter().enumerate() {
        let spot = source.at("learners").item(i);
        match survey(entry, &spot)? {
            Some(all) => {
                let new = all.into_iter().filter(|l| !learners.contains(l));
                learners.extend(new.collect::<Vec<_>>());
            }
            None => learners.extend(learner_points(entry, &spot, file.grid.as_ref())?),
        }
        learner_of.resize(learners.len(), i);
        check_points(&spot, [learners.len()])?;
    }
    if let Some(set) = &file.set {
        set_all(set, &source.at("set"), &mut learners)?;
    }
    distinct(&source.at("worlds"), worlds.iter().map(|world| &world.label).zip(&world_of))?;
    distinct(&source.at("learners"), learners.iter().map(|l| &l.contender.label).zip(&learner_of))?;
    let mut study = Study {
        title: file.title.take().unwrap_or_else(|| name.clone()),
        about: file.about.as_deref().unwrap_or("").trim().into(),
        name,
        seeds: seeds(&file.seeds).map_err(|fault| source.at("seeds").fault(fault))?,
        record: file.record.clone(),
        analysis: Analyses::default(),
        figures: Vec::new(),
        worlds,
        learners,
    };
    if study.record.outline.is_some_and(|[a, b]| a == b) {
        return Err(source.at("record.outline").fault("expected two different coordinates"));
    }
    study.analysis = analyses(&mut file, &root, &study)?;
    study.figures = figures(file.figures.take(), &source.at("figures"), &study)?;
    if quick {
        file.quick.unwrap_or_default().shorten(&mut study);
    }
    Ok(StudyFile { study, source, worlds: world_of, learners: learner_of })
}

/// Refuses a label that is given twice: tables and figures need different ones.
fn distinct<'a>(list: &Spot, mut labels: impl Iterator<Item = (&'a String, &'a usize)>) -> Result<()> {
    let mut known = HashSet::new();
    let Some((label, &entry)) = labels.find(|(label, _)| !known.insert(*label)) else { return Ok(()) };
    let fault = format!("two of them are called {label:?}; give each a `label` of its own");
    Err(list.item(entry).fault(fault))
}

fn seeds(seeds: &Value) -> Result<Vec<u64>, String> {
    match (seeds, whole(seeds)) {
        (_, Some(n @ 1..)) => so_many(n),
        (Value::String(text), _) => parse_seeds(text),
        (Value::Array(list), _) if list.is_empty() => Err("the list is empty".into()),
        (Value::Array(list), _) => {
            let whole = list.iter().map(|seed| whole(seed).ok_or("expected whole numbers"));
            each_once(whole.collect::<Result<_, _>>()?)
        }
        _ => Err("expected a whole number of at least 1, \"3..7\", or a list such as [3, 5, 7]".into()),
    }
}

/// The questions, checked against what the study runs.
fn analyses(file: &mut File, root: &Spot, study: &Study) -> Result<Analyses> {
    let mut all = Analyses {
        comparison: file.comparison.take(),
        coverage: file.coverage.take(),
        scale: file.scale.take(),
        growth: std::mem::take(&mut file.growth),
        tuning: file.tuning.take(),
        truths: file.truths.take(),
    };
    if let Some(ask) = &all.comparison {
        let spot = root.below("comparison");
        let beside = ask.beside.iter().enumerate().map(|(i, label)| (label, spot.below("beside").item(i)));
        let mut named = ask.against.iter().map(|label| (label, spot.below("against"))).chain(beside);
        named.try_for_each(|(label, spot)| is_learner(label, &spot, study))?;
    }
    for (asked, key) in [(all.coverage.is_some(), "coverage"), (all.scale.is_some(), "scale")] {
        if asked && !study.record.sets {
            let fault = "this asks for the confidence sets: write sets = true under [record]";
            return Err(root.below(key).fault(fault));
        }
    }
    if all.scale.as_ref().is_some_and(|ask| !(ask.delta > 0.0 && ask.delta < 1.0)) {
        let fault = "expected a probability between 0 and 1, such as 0.1";
        return Err(root.below("scale").below("delta").fault(fault));
    }
    for (i, family) in all.growth.iter().enumerate() {
        check_family(family, &root.below("growth").item(i), study)?;
    }
    if let Some(ask) = &all.tuning {
        let points = study.learners.iter().flat_map(|learner| &learner.point);
        let known: Vec<&str> = points.map(|(key, _)| key.as_str()).collect();
        if !known.contains(&ask.over.as_str()) {
            let meant = did_you_mean(&ask.over, known);
            let fault = format!("no learner has a grid over {:?}{meant}", ask.over);
            return Err(root.below("tuning").below("over").fault(fault));
        }
    }
    if let Some(ask) = &all.truths {
        ask.check(&root.below("truths"), study)?;
    }
    if all == Analyses::default() {
        all.comparison = Some(ComparisonAsk::default());
    }
    Ok(all)
}

fn check_family(family: &GrowthFamily, spot: &Spot, study: &Study) -> Result<()> {
    let GrowthFamily { world, expect, .. } = family;
    if study.worlds.iter().filter(|w| w.base == *world).count() < 2 {
        let meant = did_you_mean(world, study.worlds.iter().map(|w| w.base.as_str()));
        let fault = format!(
            "expected the label of a world with a grid or zip of two points or more, found {world:?}{meant}"
        );
        return Err(spot.below("world").fault(fault));
    }
    match expect {
        Some((low, high)) if !(low <= high && low.is_finite() && high.is_finite()) => {
            Err(spot.below("expect").fault("expected [least, most]"))
        }
        _ => Ok(()),
    }
}
