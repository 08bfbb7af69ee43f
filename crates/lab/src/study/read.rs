//! A study file becomes a [`Study`]: every key is known, every value judged, and what is wrong is
//! named with its line.

use super::figures::{figures, looks};
use super::seeds::{each_once, parse_seeds, so_many};
use super::source::{self, Entries, Node, Source};
use super::{
    Analyses, ComparisonAsk, CoverageAsk, Grows, GrowthAsk, GrowthFamily, LearnerPoint, Length, Record,
    ScaleAsk, Study, Thinning, TuningAsk, WorldPoint,
};
use crate::{Contender, Error, Place, Result};
use goalward::learners::{self, LEARNERS, LearnerEntry, Need};
use goalward::worlds;
use std::collections::BTreeSet;
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
const WORLD_KEYS: &[&str] =
    &["name", "label", "set", "episodes", "steps", "max_steps", "grid", "zip", "base", "point"];
const LEARNER_KEYS: &[&str] = &["name", "label", "set", "colour", "dash", "width", "grid", "base", "point"];
const RECORD_KEYS: &[&str] = &["episodes", "plans", "probes", "sets", "outline"];
const COMPARISON_KEYS: &[&str] = &["against", "beside", "judge", "times"];
const GROWTH_KEYS: &[&str] = &["world", "over", "expect"];
const QUICK_KEYS: &[&str] = &["seeds", "episodes", "steps", "max_steps"];

/// More runs than anybody means.
const MOST_POINTS: usize = 100_000;

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

/// What the library says, with its hint: the error that carries it has a place of its own.
fn with_hint(error: &goalward::Error) -> String {
    error.hint().map_or_else(|| error.to_string(), |hint| format!("{error} ({hint})"))
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
    }
    let mut learners: Vec<(Range<usize>, LearnerPoint)> = Vec::new();
    for node in required(source, &keys, "learners")?.list_or_one()? {
        let points = match everybody(&node)? {
            // those who were named before are there already
            Some(all) => all.into_iter().filter(|new| learners.iter().all(|(_, l)| l != new)).collect(),
            None => learner_points(&node, keys.get("grid"))?,
        };
        learners.extend(points.into_iter().map(|point| (node.span.clone(), point)));
    }
    if let Some(node) = keys.get("set") {
        set_all(node, &mut learners)?;
    }
    for (what, labels) in [
        ("worlds", worlds.iter().map(|(s, w)| (s.clone(), w.label.clone())).collect::<Vec<_>>()),
        ("learners", learners.iter().map(|(s, l)| (s.clone(), l.contender.label.clone())).collect()),
    ] {
        told_apart(source, what, &labels)?;
    }
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
fn told_apart(source: Source, what: &str, labels: &[(Range<usize>, String)]) -> Result<()> {
    let twice =
        labels.iter().enumerate().find(|(i, (_, label))| labels[..*i].iter().any(|(_, l)| l == label));
    match twice {
        Some((_, (span, label))) => {
            let fault = format!("two of them are called {label:?}; give each a `label` of its own");
            Err(source.fault(span.clone(), what, fault))
        }
        None if labels.is_empty() => Err(source.fault(0..0, what, "the list is empty")),
        None => Ok(()),
    }
}

impl Length {
    fn read(keys: &Entries) -> Result<Option<Length>> {
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

fn world_points(node: &Node, length: Option<Length>, file: Option<&Path>) -> Result<Vec<WorldPoint>> {
    let keys = match node.is_text() {
        true => None,
        false => Some(node.table(WORLD_KEYS)?),
    };
    let name = match &keys {
        None => node.clone(),
        Some(keys) => keys
            .get("name")
            .cloned()
            .ok_or_else(|| node.fault("a world needs a `name`, such as \"windy-grid@n=3\""))?,
    };
    let text = name.text()?;
    let mut place = place(&name, &text, file)?;
    if let Some(set) = keys.as_ref().and_then(|keys| keys.get("set")) {
        for (key, value) in &settings(set)? {
            known_parameter(set, &place.world, key)?;
            place.params = place.params.set(key, value);
        }
    }
    let label = keys.as_ref().map_or(Ok(None), |keys| keys.read("label", Node::text))?.unwrap_or(text);
    let length = match &keys {
        Some(keys) => Length::read(keys)?.or(length),
        None => length,
    };
    let (base, point) = grid_point(keys.as_ref(), &label)?;
    let mut points = vec![(point, place, length)];
    if let Some(keys) = &keys {
        for (kind, node) in [("zip", keys.get("zip")), ("grid", keys.get("grid"))] {
            if let Some(node) = node {
                points = world_grid(kind, node, points)?;
            }
        }
    }
    let point = |(point, mut place, length): (Vec<(String, String)>, Place, Option<Length>)| {
        let length = length.ok_or_else(|| {
            node.source.fault(0..0, "episodes", "how long is a run? write episodes = 1000, or steps = 1000")
        })?;
        let full = if base == label { spelled(&label, &point) } else { label.clone() };
        place.label.clone_from(&full);
        Ok(WorldPoint { label: full, base: base.clone(), point, place, length })
    };
    points.into_iter().map(point).collect()
}

/// What a study that was written by the program says of the grid that a point was made from: the
/// label without it, and the coordinates.
fn grid_point(keys: Option<&Entries>, label: &str) -> Result<(String, Vec<(String, String)>)> {
    let Some(keys) = keys else { return Ok((label.into(), Vec::new())) };
    let base = keys.read("base", Node::text)?.unwrap_or_else(|| label.into());
    Ok((base, keys.read("point", settings)?.unwrap_or_default()))
}

/// Keys and values, as they would stand behind an @.
fn settings(node: &Node) -> Result<Vec<(String, String)>> {
    node.entries()?.entries.iter().map(|(key, _, value)| Ok((key.clone(), value.setting()?))).collect()
}

/// A label with the coordinates of a grid behind it.
fn spelled(label: &str, point: &[(String, String)]) -> String {
    let at: String = point.iter().map(|(key, value)| format!(", {key} = {value}")).collect();
    format!("{label}{at}")
}

type Points = Vec<(Vec<(String, String)>, Place, Option<Length>)>;

/// Every point with every value of a grid, or with the values of a zip that stand side by side.
fn world_grid(kind: &str, node: &Node, points: Points) -> Result<Points> {
    let axes = axes(node)?;
    let rows: Vec<Vec<(&str, &str)>> = match kind {
        "zip" => {
            let n = axes.first().map_or(0, |(_, values)| values.len());
            if let Some((key, values)) = axes.iter().find(|(_, values)| values.len() != n) {
                let fault = format!(
                    "the lists of a zip are walked side by side: {key} has {} values, {} has {n}",
                    values.len(),
                    axes[0].0
                );
                return Err(node.fault(fault));
            }
            (0..n)
                .map(|i| axes.iter().map(|(key, values)| (key.as_str(), values[i].as_str())).collect())
                .collect()
        }
        _ => product(&axes),
    };
    check_points(node, points.len() * rows.len())?;
    let mut all = Vec::new();
    for (point, place, length) in &points {
        for row in &rows {
            let (mut point, mut place, mut length) = (point.clone(), place.clone(), *length);
            for &(key, value) in row {
                point.push((key.into(), value.into()));
                if key == "episodes" {
                    let episodes = goalward::parameters::parse_count(value).ok().filter(|k| *k > 0);
                    let episodes = episodes.ok_or_else(|| {
                        node.fault(format!("episodes: expected whole numbers of at least 1, found {value}"))
                    })?;
                    let max_steps = length.and_then(|l| l.max_steps);
                    length = Some(Length { episodes, max_steps, by_steps: false });
                } else {
                    known_parameter(node, &place.world, key)?;
                    place.params = place.params.set(key, value);
                }
            }
            all.push((point, place, length));
        }
    }
    Ok(all)
}

fn check_points(node: &Node, n: usize) -> Result<()> {
    match n {
        0 => Err(node.fault("a grid without values")),
        n if n > MOST_POINTS => Err(node.fault(format!("{n} points are more than {MOST_POINTS}"))),
        _ => Ok(()),
    }
}

fn axes(node: &Node) -> Result<Vec<(String, Vec<String>)>> {
    let axis = |(key, _, values): &(String, Range<usize>, Node)| {
        let values = values.list_or_one()?.iter().map(Node::setting).collect::<Result<Vec<_>>>()?;
        Ok((key.clone(), values))
    };
    node.entries()?.entries.iter().map(axis).collect()
}

/// All combinations, the last axis fastest.
fn product(axes: &[(String, Vec<String>)]) -> Vec<Vec<(&str, &str)>> {
    let mut rows: Vec<Vec<(&str, &str)>> = vec![Vec::new()];
    for (key, values) in axes {
        let with = |row: &[(_, _)], value| row.iter().copied().chain([(key.as_str(), value)]).collect();
        rows = rows.iter().flat_map(|row| values.iter().map(|value| with(row, value.as_str()))).collect();
    }
    rows
}

fn place(node: &Node, text: &str, file: Option<&Path>) -> Result<Place> {
    let mut place = Place::parse(text).map_err(|error| node.fault(error.to_string()))?;
    match worlds::locate(&place.world).map_err(|error| node.fault(with_hint(&error)))? {
        worlds::Place::Built(entry) => {
            for (key, _) in place.params.iter() {
                known_parameter(node, entry.id, key)?;
            }
        }
        worlds::Place::File(_) if place.world == "-" => {
            return Err(node.fault("a study cannot read standard input: it may have to read it again"));
        }
        worlds::Place::File(world) => {
            let Some(file) = file else { return Ok(place) };
            let beside = file.parent().unwrap_or(Path::new("")).join(world);
            let found = std::fs::canonicalize(&beside)
                .map_err(|e| node.fault(format!("{}: {e}", beside.display())))?;
            place.world = found.to_string_lossy().into_owned();
        }
    }
    Ok(place)
}

/// Refuses a parameter that a built-in world does not have; what a file takes, its reader knows.
fn known_parameter(node: &Node, world: &str, key: &str) -> Result<()> {
    let Ok(worlds::Place::Built(entry)) = worlds::locate(world) else { return Ok(()) };
    let known: Vec<&str> =
        entry.parameters.iter().map(|p| p.name).chain(worlds::COMMON.iter().map(|p| p.name)).collect();
    refuse_unknown(node, &format!("world {world}"), key, &known)
}

fn refuse_unknown(node: &Node, whose: &str, key: &str, known: &[&str]) -> Result<()> {
    if known.contains(&key) {
        return Ok(());
    }
    let list = if known.is_empty() { "none".into() } else { known.join(", ") };
    let meant = source::meant(key, known);
    Err(node.fault(format!("{whose} has no parameter {key:?}; its parameters are {list}{meant}")))
}

/// Every variant of every learner that does not know the truth, of all families or of one: `all`,
/// `all tabular`.
fn everybody(node: &Node) -> Result<Option<Vec<LearnerPoint>>> {
    let Some(words) = node.value.as_str() else { return Ok(None) };
    let family = match words.strip_prefix("all") {
        Some("") => None,
        Some(family) if family.starts_with(' ') => Some(family.trim()),
        _ => return Ok(None),
    };
    let name = |entry: &LearnerEntry| {
        serde_json::to_value(entry.family).ok().and_then(|name| Some(name.as_str()?.to_string()))
    };
    let rivals: Vec<&LearnerEntry> = LEARNERS
        .iter()
        .filter(|entry| !entry.wants(Need::Policy))
        .filter(|entry| family.is_none_or(|family| name(entry).as_deref() == Some(family)))
        .collect();
    if let (true, Some(family)) = (rivals.is_empty(), family) {
        let known: BTreeSet<String> = LEARNERS.iter().filter_map(name).collect();
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let meant = source::meant(family, &known);
        return Err(
            node.fault(format!("there is no family {family:?}; there are {}{meant}", source::quoted(&known)))
        );
    }
    let variants = rivals.iter().flat_map(|entry| entry.variants.iter().map(|variant| (entry.id, *variant)));
    let spelled = variants.map(|(id, variant)| match variant {
        "" => id.to_string(),
        variant => format!("{id}@{variant}"),
    });
    spelled.map(|name| Ok(plain(Contender::parse(&name)?))).collect::<Result<_>>().map(Some)
}

fn learner_points(node: &Node, common: Option<&Node>) -> Result<Vec<LearnerPoint>> {
    let keys = if node.is_text() { None } else { Some(node.table(LEARNER_KEYS)?) };
    let name = match &keys {
        None => node.clone(),
        Some(keys) => keys
            .get("name")
            .cloned()
            .ok_or_else(|| node.fault("a learner needs a `name`, such as \"levis++@B=3\""))?,
    };
    let mut contender = Contender::parse(&name.text()?).map_err(|error| name.fault(error.to_string()))?;
    let entry = learners::entry(&contender.learner).map_err(|error| name.fault(with_hint(&error)))?;
    let known: Vec<&str> = entry.parameters.iter().map(|p| p.name).collect();
    let whose = format!("learner {}", entry.id);
    for (key, _) in contender.settings.iter() {
        refuse_unknown(&name, &whose, key, &known)?;
    }
    if let Some(set) = keys.as_ref().and_then(|keys| keys.get("set")) {
        for (key, value) in &settings(set)? {
            refuse_unknown(set, &whose, key, &known)?;
            contender.settings = std::mem::take(&mut contender.settings).set(key, value);
        }
    }
    if let Some(label) = keys.as_ref().map_or(Ok(None), |keys| keys.read("label", Node::text))? {
        contender.label = label;
    }
    let look = keys.as_ref().map_or_else(|| Ok(super::Look::default()), looks)?;
    let (base, point) = grid_point(keys.as_ref(), &contender.label)?;
    let mut points = vec![LearnerPoint { contender, base, point, look }];
    for (grid, shared) in [(keys.as_ref().and_then(|keys| keys.get("grid")), false), (common, true)] {
        let Some(grid) = grid else { continue };
        let mut axes = axes(grid)?;
        if shared {
            axes.retain(|(key, _)| known.contains(&key.as_str()));
        } else {
            axes.iter().try_for_each(|(key, _)| refuse_unknown(grid, &whose, key, &known))?;
        }
        let rows = product(&axes);
        check_points(grid, points.len() * rows.len())?;
        points = points.iter().flat_map(|point| rows.iter().map(|row| moved(point, row))).collect();
    }
    Ok(points)
}

fn plain(contender: Contender) -> LearnerPoint {
    LearnerPoint { base: contender.label.clone(), contender, point: Vec::new(), look: super::Look::default() }
}

/// A learner at a point of its grid; what it sets itself stays.
fn moved(from: &LearnerPoint, row: &[(&str, &str)]) -> LearnerPoint {
    let mut to = from.clone();
    for (key, value) in row {
        if to.contender.settings.get(key).is_none() {
            to.contender.settings = std::mem::take(&mut to.contender.settings).set(key, value);
            to.point.push((key.to_string(), value.to_string()));
        }
    }
    to.contender.label = spelled(&to.base, &to.point);
    to
}

/// Gives every learner what it has a parameter for and does not set itself.
fn set_all(node: &Node, learners: &mut [(Range<usize>, LearnerPoint)]) -> Result<()> {
    for (key, span, value) in &node.entries()?.entries {
        let value = value.setting()?;
        let mut taken = false;
        for (_, learner) in learners.iter_mut() {
            taken |= learner.contender.fill(key, &value)?;
        }
        if !taken {
            let entries = learners.iter().filter_map(|(_, l)| learners::entry(&l.contender.learner).ok());
            let mut known: Vec<&str> = entries.flat_map(|entry| entry.parameters).map(|p| p.name).collect();
            known.sort_unstable();
            known.dedup();
            let meant = source::meant(key, &known);
            let fault = format!("no learner here has this parameter; they have {}{meant}", known.join(", "));
            return Err(node.source.fault(span.clone(), &format!("set.{key}"), fault));
        }
    }
    Ok(())
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

fn record(keys: &Entries) -> Result<Record> {
    let mut record = Record::default();
    let Some(node) = keys.get("record") else { return Ok(record) };
    let keys = node.table(RECORD_KEYS)?;
    let thinning = |node: &Node| match node.is_text() {
        true => node.one_of(&[("none", Thinning::None), ("all", Thinning::All)]),
        false => Ok(Thinning::PerDoubling(node.count(1)?.min(1 << 20) as u32)),
    };
    record.episodes = keys.read("episodes", thinning)?.unwrap_or(record.episodes);
    record.plans = keys.read("plans", thinning)?.unwrap_or(record.plans);
    record.probes = keys.read("probes", thinning)?.unwrap_or(record.probes);
    record.sets = keys.read("sets", Node::flag)?.unwrap_or(record.sets);
    record.outline = keys.read("outline", |node| {
        let (a, b) = node.pair(|c| c.count(0))?;
        if a == b {
            Err(node.fault("expected two different coordinates"))
        } else {
            Ok([a as usize, b as usize])
        }
    })?;
    Ok(record)
}

fn analyses(keys: &Entries, study: &Study) -> Result<Analyses> {
    let is_learner = |node: &Node| {
        let label = node.text()?;
        let labels: Vec<&str> = study.learners.iter().map(|l| l.contender.label.as_str()).collect();
        match labels.contains(&label.as_str()) {
            true => Ok(label),
            false => Err(node.fault(format!(
                "{label:?} is none of the learners {}{}",
                source::quoted(&labels),
                source::meant(&label, &labels)
            ))),
        }
    };
    let comparison = keys.read("comparison", |node| {
        let keys = node.table(COMPARISON_KEYS)?;
        Ok(ComparisonAsk {
            against: keys.read("against", is_learner)?,
            beside: keys.read("beside", |n| n.list()?.iter().map(is_learner).collect())?.unwrap_or_default(),
            judge: keys.read("judge", Node::flag)?.unwrap_or(false),
            times: keys.read("times", Node::flag)?.unwrap_or(false),
        })
    })?;
    let coverage = keys.read("coverage", |node| node.table(&[]).map(|_| CoverageAsk {}))?;
    let scale = keys.read("scale", |node| {
        let delta = node.table(&["delta"])?.read("delta", |n| match n.real()? {
            delta if delta > 0.0 && delta < 1.0 => Ok(delta),
            _ => Err(n.fault("expected a probability between 0 and 1, such as 0.1")),
        })?;
        Ok(ScaleAsk { delta: delta.unwrap_or(0.1) })
    })?;
    if let (Some(node), false) = (keys.get("coverage").or(keys.get("scale")), study.record.sets) {
        return Err(node.fault("this asks for the confidence sets: write sets = true under [record]"));
    }
    let growth = keys.read("growth", |node| {
        let families = node.list()?.iter().map(|node| family(node, study)).collect::<Result<_>>()?;
        Ok(GrowthAsk { families })
    })?;
    let tuning = keys.read("tuning", |node| tuning(node, study))?;
    let mut all = Analyses { comparison, coverage, scale, growth, tuning };
    if all == Analyses::default() {
        all.comparison = Some(ComparisonAsk::default());
    }
    Ok(all)
}

fn tuning(node: &Node, study: &Study) -> Result<TuningAsk> {
    let keys = node.table(&["over"])?;
    let over =
        keys.get("over").ok_or_else(|| node.fault("`over` is missing here: a key of the learners' grid"))?;
    let key = over.text()?;
    let known: Vec<&str> =
        study.learners.iter().flat_map(|l| l.point.iter().map(|(key, _)| key.as_str())).collect();
    match known.contains(&key.as_str()) {
        true => Ok(TuningAsk { over: key }),
        false => {
            Err(over.fault(format!("no learner has a grid over {key:?}{}", source::meant(&key, &known))))
        }
    }
}

fn family(node: &Node, study: &Study) -> Result<GrowthFamily> {
    const OVER: &[(&str, Grows)] = &[
        ("episodes", Grows::Episodes),
        ("t_star", Grows::TStar),
        ("b_star", Grows::BStar),
        ("dim", Grows::Dim),
        ("states", Grows::States),
    ];
    let keys = node.table(GROWTH_KEYS)?;
    let missing = |key: &str| node.fault(format!("`{key}` is missing here"));
    let world = keys.get("world").ok_or_else(|| missing("world"))?;
    let label = world.text()?;
    let bases: Vec<&str> = study.worlds.iter().map(|w| w.base.as_str()).collect();
    if bases.iter().filter(|base| **base == label).count() < 2 {
        let fault = format!(
            "expected the label of a world with a grid or zip of two points or more, found {label:?}"
        );
        return Err(world.fault(format!("{fault}{}", source::meant(&label, &bases))));
    }
    Ok(GrowthFamily {
        world: label,
        over: keys.get("over").ok_or_else(|| missing("over"))?.one_of(OVER)?,
        expect: keys.read("expect", |node| {
            let (low, high) = node.pair(Node::real)?;
            if low <= high { Ok((low, high)) } else { Err(node.fault("expected [least, most]")) }
        })?,
    })
}

/// The small version of a study: fewer seeds and shorter runs, the same question.
struct Quick {
    seeds: u64,
    episodes: u64,
    steps: u64,
    max_steps: Option<u64>,
}

impl Quick {
    fn of(keys: &Entries) -> Result<Quick> {
        let mut quick = Quick { seeds: 2, episodes: 20, steps: 100, max_steps: None };
        if let Some(node) = keys.get("quick") {
            let keys = node.table(QUICK_KEYS)?;
            quick.seeds = keys.read("seeds", |n| n.count(1))?.unwrap_or(quick.seeds);
            quick.episodes = keys.read("episodes", |n| n.count(1))?.unwrap_or(quick.episodes);
            quick.steps = keys.read("steps", |n| n.count(1))?.unwrap_or(quick.steps);
            quick.max_steps = keys.read("max_steps", |n| n.count(1))?;
        }
        Ok(quick)
    }

    fn shorten(&self, study: &mut Study) {
        study.seeds.truncate(self.seeds.min(1 << 20) as usize);
        for world in &mut study.worlds {
            let length = &mut world.length;
            let most = if length.by_steps { self.steps } else { self.episodes };
            length.episodes = length.episodes.min(most);
            length.max_steps = match (length.by_steps, length.max_steps, self.max_steps) {
                (true, ..) => Some(length.episodes),
                (_, Some(own), Some(quick)) => Some(own.min(quick)),
                (_, own, quick) => own.or(quick),
            };
        }
    }
}
