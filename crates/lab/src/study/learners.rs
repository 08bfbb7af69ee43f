//! The learners of a study file: every point of every grid, with what is set for all.

use super::figures::looks;
use super::grids::{axes, grid_point, product, refuse_unknown, settings, spelled};
use super::source::{self, Node, with_hint};
use super::{LearnerPoint, Look};
use crate::{Contender, Result};
use goalward::learners::{self, LEARNERS, LearnerEntry, Need};
use std::collections::BTreeSet;
use std::ops::Range;

const LEARNER_KEYS: &[&str] = &["name", "label", "set", "colour", "dash", "width", "grid", "base", "point"];

/// Every variant of every learner that does not know the truth, of all families or of one: `all`,
/// `all tabular`.
pub(super) fn everybody(node: &Node) -> Result<Option<Vec<LearnerPoint>>> {
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

pub(super) fn learner_points(node: &Node, common: Option<&Node>) -> Result<Vec<LearnerPoint>> {
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
    let look = keys.as_ref().map_or_else(|| Ok(Look::default()), looks)?;
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
        let rows = product(grid, points.len(), &axes)?;
        points = points.iter().flat_map(|point| rows.iter().map(|row| moved(point, row))).collect();
    }
    Ok(points)
}

fn plain(contender: Contender) -> LearnerPoint {
    LearnerPoint { base: contender.label.clone(), contender, point: Vec::new(), look: Look::default() }
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
pub(super) fn set_all(node: &Node, learners: &mut [(Range<usize>, LearnerPoint)]) -> Result<()> {
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
