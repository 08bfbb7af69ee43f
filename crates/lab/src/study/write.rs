//! A [`Study`] as a study file: what a short command ran, and what lies beside the results. Reading
//! it gives the same study.

use super::file::{File, LearnerEntry, WorldEntry};
use super::forms::Count;
use super::seeds::spell_seeds;
use super::{LearnerPoint, Study, WorldPoint};
use toml::{Table, Value};

/// The text of a study file.
pub fn write(study: &Study) -> String {
    let asked = study.analysis.clone();
    let file = File {
        title: Some(study.title.clone()),
        about: Some(study.about.clone()).filter(|about| !about.is_empty()),
        seeds: spell_seeds(&study.seeds).into(),
        worlds: study.worlds.iter().map(world).collect(),
        learners: study.learners.iter().map(learner).collect(),
        record: study.record.clone(),
        comparison: asked.comparison,
        coverage: asked.coverage,
        scale: asked.scale,
        growth: asked.growth,
        tuning: asked.tuning,
        truths: asked.truths,
        figures: Some(study.figures.clone()),
        ..File::default()
    };
    // every key is a text and every value has a form in TOML
    toml::to_string(&file).unwrap_or_default()
}

fn world(world: &WorldPoint) -> WorldEntry {
    let WorldPoint { label, base, point, place, length } = world;
    let episodes = Some(Count(length.episodes));
    WorldEntry {
        name: place.world.clone(),
        label: Some(label.clone()),
        set: pairs(place.params.iter()),
        episodes: episodes.filter(|_| !length.by_steps),
        steps: episodes.filter(|_| length.by_steps),
        max_steps: length.max_steps.filter(|_| !length.by_steps).map(Count),
        base: Some(base.clone()).filter(|base| base != label),
        point: pairs(point.iter().map(|(key, value)| (key.as_str(), value.as_str()))),
        ..WorldEntry::default()
    }
}

fn learner(learner: &LearnerPoint) -> LearnerEntry {
    let LearnerPoint { contender, base, point, look } = learner;
    LearnerEntry {
        name: contender.learner.clone(),
        label: Some(contender.label.clone()),
        set: pairs(contender.settings.iter()),
        colour: look.colour,
        dash: look.dash,
        width: look.width,
        base: Some(base.clone()).filter(|base| *base != contender.label),
        point: pairs(point.iter().map(|(key, value)| (key.as_str(), value.as_str()))),
        ..LearnerEntry::default()
    }
}

fn pairs<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)>) -> Option<Table> {
    let table: Table = pairs.map(|(key, value)| (key.into(), Value::from(value))).collect();
    (!table.is_empty()).then_some(table)
}
