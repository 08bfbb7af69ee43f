//! A study file becomes a [`Study`]: every key is known, every value judged, and what is wrong is
//! named with its line.

use super::asks::analyses;
use super::figures::figures;
use super::file::File;
use super::forms::whole;
use super::grids::check_points;
use super::learners::{everybody, learner_points, set_all};
use super::seeds::{each_once, parse_seeds, so_many};
use super::spot::{Spot, StudyText, with_hint};
use super::worlds::{length, world_points};
use super::{Analyses, Study};
use crate::{Error, Result};
use serde_json::Value;
use std::collections::HashSet;
use std::path::Path;

/// A study with the places of its worlds and learners in the file, for what is found out later.
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
    /// A study that stands in no file.
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
        match everybody(entry, &spot)? {
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
    told_apart(&source.at("worlds"), worlds.iter().map(|world| &world.label).zip(&world_of))?;
    told_apart(&source.at("learners"), learners.iter().map(|l| &l.contender.label).zip(&learner_of))?;
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

/// Tables and figures must be able to tell them apart.
fn told_apart<'a>(list: &Spot, mut labels: impl Iterator<Item = (&'a String, &'a usize)>) -> Result<()> {
    let mut known = HashSet::new();
    match labels.find(|(label, _)| !known.insert(*label)) {
        Some((label, &entry)) => {
            let fault = format!("two of them are called {label:?}; give each a `label` of its own");
            Err(list.item(entry).fault(fault))
        }
        None => Ok(()),
    }
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
