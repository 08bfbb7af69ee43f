//! The learners of a study file: every point of every grid, with what is set for all.

use super::LearnerPoint;
use super::file::LearnerEntry;
use super::grids::{Coordinate, axes, product, refuse_unknown, settings, spelled};
use super::spot::{Spot, quoted, with_hint};
use crate::table::word;
use crate::{Contender, Result};
use goalward::did_you_mean;
use goalward::learners::{self, LEARNERS, LearnerEntry as Registered, Need};
use std::collections::BTreeSet;
use toml::Table;

/// Every variant of every learner that does not know the truth, of all families or of one: `all`,
/// `all tabular`.
pub(super) fn survey(entry: &LearnerEntry, spot: &Spot) -> Result<Option<Vec<LearnerPoint>>> {
    let alone = *entry == LearnerEntry { name: entry.name.clone(), ..LearnerEntry::default() };
    let family = match entry.name.strip_prefix("all").filter(|_| alone) {
        Some("") => None,
        Some(family) if family.starts_with(' ') => Some(family.trim()),
        _ => return Ok(None),
    };
    let is_asked = |entry: &&Registered| family.is_none_or(|family| word(entry.family) == family);
    let rivals = LEARNERS.iter().filter(|entry| !entry.wants(Need::Policy)).filter(is_asked);
    let rivals: Vec<&Registered> = rivals.collect();
    if let (true, Some(family)) = (rivals.is_empty(), family) {
        let known: BTreeSet<String> = LEARNERS.iter().map(|entry| word(entry.family)).collect();
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let meant = did_you_mean(family, known.iter().copied());
        let fault = format!("there is no family {family:?}; there are {}{meant}", quoted(&known));
        return Err(spot.fault(fault));
    }
    let variants = rivals.iter().flat_map(|entry| entry.variants.iter().map(|variant| (entry.id, *variant)));
    let point = |(id, variant): (&str, &str)| {
        let at = if variant.is_empty() { "" } else { "@" };
        Ok(LearnerPoint::alone(Contender::parse(&format!("{id}{at}{variant}"))?))
    };
    variants.map(point).collect::<Result<_>>().map(Some)
}

/// The points of an entry; `common` is the grid of all learners.
pub(super) fn learner_points(
    entry: &LearnerEntry,
    spot: &Spot,
    common: Option<&Table>,
) -> Result<Vec<LearnerPoint>> {
    let name = spot.below("name");
    let mut contender = Contender::parse(&entry.name).map_err(|error| name.fault(error.to_string()))?;
    let learner = learners::entry(&contender.learner).map_err(|error| name.fault(with_hint(&error)))?;
    let known: Vec<&str> = learner.parameters.iter().map(|p| p.name).collect();
    let whose = format!("learner {}", learner.id);
    for (key, _) in contender.settings.iter() {
        refuse_unknown(&name, &whose, key, &known)?;
    }
    let set = spot.below("set");
    for (key, value) in settings(entry.set.as_ref(), &set)? {
        refuse_unknown(&set, &whose, &key, &known)?;
        contender.settings = contender.settings.set(&key, &value);
    }
    if let Some(label) = &entry.label {
        contender.label.clone_from(label);
    }
    if entry.width.is_some_and(|width| !(width > 0.0 && width <= 40.0)) {
        let fault = "expected a width in pixels, above 0 and at most 40";
        return Err(spot.below("width").fault(fault));
    }
    let base = entry.base.as_ref().unwrap_or(&contender.label).clone();
    let point = settings(entry.point.as_ref(), &spot.below("point"))?;
    let mut points = vec![LearnerPoint { contender, base, point, look: entry.look() }];
    for (grid, spot) in [(entry.grid.as_ref(), spot.below("grid")), (common, spot.source.at("grid"))] {
        let Some(grid) = grid else { continue };
        let mut axes = axes(grid, &spot)?;
        if Some(grid) == common {
            axes.retain(|(key, _)| known.contains(&key.as_str()));
        }
        axes.iter().try_for_each(|(key, _)| refuse_unknown(&spot, &whose, key, &known))?;
        let rows = product(&spot, points.len(), &axes)?;
        points = points.iter().flat_map(|point| rows.iter().map(|row| moved(point, row))).collect();
    }
    Ok(points)
}

/// A learner at a point of its grid; what it sets itself stays.
fn moved(from: &LearnerPoint, row: &[Coordinate]) -> LearnerPoint {
    let mut to = from.clone();
    for (key, value) in row {
        if to.contender.settings.get(key).is_none() {
            to.contender.settings = to.contender.settings.set(key, value);
            to.point.push((key.clone(), value.clone()));
        }
    }
    to.contender.label = spelled(&to.base, &to.point);
    to
}

/// Gives every learner what it has a parameter for and does not set itself.
pub(super) fn set_all(table: &Table, spot: &Spot, learners: &mut [LearnerPoint]) -> Result<()> {
    for (key, value) in settings(Some(table), spot)? {
        let mut taken = false;
        for learner in learners.iter_mut() {
            taken |= learner.contender.fill(&key, &value)?;
        }
        if !taken {
            let entries = learners.iter().filter_map(|l| learners::entry(&l.contender.learner).ok());
            let mut known: Vec<&str> = entries.flat_map(|entry| entry.parameters).map(|p| p.name).collect();
            known.sort_unstable();
            known.dedup();
            let meant = did_you_mean(&key, known.iter().copied());
            let fault = format!("no learner here has this parameter; they have {}{meant}", known.join(", "));
            return Err(spot.below(&key).fault(fault));
        }
    }
    Ok(())
}
