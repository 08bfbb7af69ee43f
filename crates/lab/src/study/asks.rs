//! What a study file wants recorded, and what it asks of the records.

use super::source::{self, Entries, Node};
use super::{
    Analyses, ComparisonAsk, CoverageAsk, Grows, GrowthAsk, GrowthFamily, Record, ScaleAsk, Study, Thinning,
    TuningAsk,
};
use crate::Result;

const RECORD_KEYS: &[&str] = &["episodes", "plans", "probes", "sets", "outline"];

const COMPARISON_KEYS: &[&str] = &["against", "beside", "judge", "times"];

const GROWTH_KEYS: &[&str] = &["world", "over", "expect"];

pub(super) fn record(keys: &Entries) -> Result<Record> {
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

pub(super) fn analyses(keys: &Entries, study: &Study) -> Result<Analyses> {
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
