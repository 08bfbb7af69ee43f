//! A study file becomes a [`Study`]: every key is known, every value judged, and what is wrong is
//! named with its line.

use super::asks::{analyses, record};
use super::figures::figures;
use super::grids::check_all;
use super::learners::{everybody, learner_points, set_all};
use super::quick::Quick;
use super::seeds::{each_once, parse_seeds, so_many};
use super::source::{self, Entries, Node, Source, with_hint};
use super::worlds::world_points;
use super::{Analyses, LearnerPoint, Length, Study};
use crate::{Error, Result};
use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

const KEYS: &[&str] = &[
    "title",
    "about",
    "episodes",
    "steps",
    "max_steps",
    "seeds",
    "set",
    "grid",
    "worlds",
    "learners",
    "record",
    "comparison",
    "coverage",
    "scale",
    "growth",
    "tuning",
    "figures",
    "quick",
];

/// A study with the places of its worlds and learners in the file, for what is found out later.
#[derive(Clone, Debug)]
pub struct StudyFile {
    /// The question.
    pub study: Study,
    path: PathBuf,
    text: String,
    worlds: Vec<Range<usize>>,
    learners: Vec<Range<usize>>,
}

impl StudyFile {
    /// A study that stands in no file.
    pub fn without_file(study: Study) -> StudyFile {
        StudyFile { study, path: PathBuf::new(), text: String::new(), worlds: vec![], learners: vec![] }
    }

    /// An error of the library about a world, at its place.
    pub(crate) fn about_world(&self, world: usize, error: goalward::Error) -> Error {
        self.about(self.worlds.get(world), "worlds", error)
    }

    /// An error of the library about a learner, at its place.
    pub(crate) fn about_learner(&self, learner: usize, error: goalward::Error) -> Error {
        self.about(self.learners.get(learner), "learners", error)
    }

    fn about(&self, span: Option<&Range<usize>>, key: &str, error: goalward::Error) -> Error {
        let Some(span) = span else { return error.into() };
        let source = Source { path: &self.path, text: &self.text };
        source.fault(span.clone(), key, with_hint(&error))
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
    let source = Source { path, text };
    let parsed = source::parse(source)?;
    let root = source::root(source, &parsed);
    let keys = root.table(KEYS)?;
    // what stands there is judged whether it is wanted or not
    let shorter = Quick::of(&keys)?;
    let name = path.file_stem().map_or("study".into(), |stem| stem.to_string_lossy().into_owned());
    let mut worlds = Vec::new();
    let length = Length::read(&keys)?;
    for node in required(source, &keys, "worlds")?.list_or_one()? {
        worlds.extend(
            world_points(&node, length, find.then_some(path))?
                .into_iter()
                .map(|point| (node.span.clone(), point)),
        );
        check_all(&node, worlds.len())?;
    }
    let mut learners: Vec<(Range<usize>, LearnerPoint)> = Vec::new();
    for node in required(source, &keys, "learners")?.list_or_one()? {
        let points = match everybody(&node)? {
            // those who were named before are there already
            Some(all) => all.into_iter().filter(|new| learners.iter().all(|(_, l)| l != new)).collect(),
            None => learner_points(&node, keys.get("grid"))?,
        };
        learners.extend(points.into_iter().map(|point| (node.span.clone(), point)));
        check_all(&node, learners.len())?;
    }
    if let Some(node) = keys.get("set") {
        set_all(node, &mut learners)?;
    }
    told_apart(source, "worlds", worlds.iter().map(|(span, world)| (span, &world.label)))?;
    told_apart(source, "learners", learners.iter().map(|(span, one)| (span, &one.contender.label)))?;
    let mut study = Study {
        title: keys.read("title", Node::text)?.unwrap_or_else(|| name.clone()),
        about: keys.read("about", Node::text)?.map_or(String::new(), |about| about.trim().into()),
        name,
        seeds: seeds(required(source, &keys, "seeds")?)?,
        record: record(&keys)?,
        analysis: Analyses::default(),
        figures: Vec::new(),
        worlds: worlds.iter().map(|(_, world)| world.clone()).collect(),
        learners: learners.iter().map(|(_, learner)| learner.clone()).collect(),
    };
    study.analysis = analyses(&keys, &study)?;
    study.figures = figures(&keys, &study)?;
    if quick {
        shorter.shorten(&mut study);
    }
    Ok(StudyFile {
        study,
        path: path.into(),
        text: text.into(),
        worlds: worlds.into_iter().map(|(span, _)| span).collect(),
        learners: learners.into_iter().map(|(span, _)| span).collect(),
    })
}

fn required<'n, 'a>(source: Source<'a>, keys: &'n Entries<'a>, key: &'static str) -> Result<&'n Node<'a>> {
    let example = match key {
        "worlds" => "worlds = [\"windy-grid@n=3\"]",
        "learners" => "learners = [\"lr\", \"random\"]",
        _ => "seeds = 20",
    };
    keys.get(key).ok_or_else(|| source.fault(0..0, key, format!("this key is missing: write {example}")))
}

/// Tables and figures must be able to tell them apart.
fn told_apart<'a>(
    source: Source,
    what: &str,
    mut labels: impl Iterator<Item = (&'a Range<usize>, &'a String)>,
) -> Result<()> {
    let mut known = HashSet::new();
    match labels.find(|(_, label)| !known.insert(*label)) {
        Some((span, label)) => {
            let fault = format!("two of them are called {label:?}; give each a `label` of its own");
            Err(source.fault(span.clone(), what, fault))
        }
        None => Ok(()),
    }
}

impl Length {
    pub(super) fn read(keys: &Entries) -> Result<Option<Length>> {
        let episodes = keys.read("episodes", |node| node.count(1))?;
        let steps = keys.read("steps", |node| node.count(1))?;
        let max_steps = keys.read("max_steps", |node| node.count(1))?;
        if let (Some(node), Some(_)) = (keys.get("steps"), episodes.or(max_steps)) {
            return Err(node.fault("give either `steps`, or `episodes` with or without `max_steps`"));
        }
        Ok(match (episodes, steps) {
            (Some(episodes), _) => Some(Length { episodes, max_steps, by_steps: false }),
            // every episode of a run has a step, or the run has none
            (_, Some(steps)) => Some(Length { episodes: steps, max_steps: Some(steps), by_steps: true }),
            _ => None,
        })
    }
}

/// `20`, `"0..20"`, `"3,5,7"` or `[3, 5, 7]`.
fn seeds(node: &Node) -> Result<Vec<u64>> {
    let seeds = if node.is_text() {
        parse_seeds(&node.text()?)
    } else if node.value.is_array() {
        let seeds = node.list()?.iter().map(|seed| seed.count(0)).collect::<Result<Vec<_>>>()?;
        if seeds.is_empty() { Err("the list is empty".into()) } else { each_once(seeds) }
    } else {
        so_many(node.count(1)?)
    };
    seeds.map_err(|fault| node.fault(fault))
}
