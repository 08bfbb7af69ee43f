//! What a study file asks of its records, judged beside what it runs.

use super::file::File;
use super::spot::{Spot, quoted};
use super::{Analyses, ComparisonAsk, GrowthFamily, Study};
use crate::Result;
use goalward::did_you_mean;

pub(super) fn analyses(file: &mut File, root: &Spot, study: &Study) -> Result<Analyses> {
    let mut all = Analyses {
        comparison: file.comparison.take(),
        coverage: file.coverage.take(),
        scale: file.scale.take(),
        growth: std::mem::take(&mut file.growth),
        tuning: file.tuning.take(),
    };
    if let Some(ask) = &all.comparison {
        let spot = root.below("comparison");
        if let Some(label) = &ask.against {
            is_learner(label, &spot.below("against"), study)?;
        }
        let beside = ask.beside.iter().enumerate();
        beside.into_iter().try_for_each(|(i, l)| is_learner(l, &spot.below("beside").item(i), study))?;
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
        let known: Vec<&str> =
            study.learners.iter().flat_map(|l| l.point.iter().map(|(key, _)| key.as_str())).collect();
        if !known.contains(&ask.over.as_str()) {
            let meant = did_you_mean(&ask.over, known);
            let fault = format!("no learner has a grid over {:?}{meant}", ask.over);
            return Err(root.below("tuning").below("over").fault(fault));
        }
    }
    if all == Analyses::default() {
        all.comparison = Some(ComparisonAsk::default());
    }
    Ok(all)
}

fn is_learner(label: &str, spot: &Spot, study: &Study) -> Result<()> {
    let labels: Vec<&str> = study.learners.iter().map(|l| l.contender.label.as_str()).collect();
    if labels.contains(&label) {
        return Ok(());
    }
    let meant = did_you_mean(label, labels.iter().copied());
    Err(spot.fault(format!("{label:?} is none of the learners {}{meant}", quoted(&labels))))
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
