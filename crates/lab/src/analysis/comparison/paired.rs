//! Contenders against one of them, seed by seed.

use crate::analysis::view::View;
use crate::stats::{LEVEL, Mean, PairedTest, holm};
use crate::study::WorldPoint;
use serde::Serialize;

/// The outcome of a paired test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Verdict {
    /// The reference pays less.
    Less,
    /// The reference pays more.
    More,
    /// The difference is not significant.
    Open,
}

/// A contender's gap regret less that of a reference with the same seeds.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Difference {
    pub(super) world: String,
    pub(super) label: String,
    /// The mean difference. A truncated run counts with the gap regret of the steps that it made.
    pub(super) difference: Option<Mean>,
    /// Whether a run of the contender was truncated, so that the difference is a lower bound.
    pub(super) at_least: bool,
    pub(super) test: Option<PairedTest>,
    pub(super) p: Option<f64>,
    /// The p-value by Holm's correction over all comparisons with the reference.
    pub(super) adjusted_p: Option<f64>,
    pub(super) verdict: Option<Verdict>,
}

impl Difference {
    /// All contenders of all worlds but the reference against it.
    pub(super) fn all(worlds: &[(&WorldPoint, Vec<View>)], reference: &str) -> Vec<Difference> {
        let mut found: Vec<(Difference, Vec<f64>)> = Vec::new();
        for (world, views) in worlds {
            let Some(theirs) = views.iter().find(|view| view.label() == reference) else { continue };
            for view in views.iter().filter(|view| view.label() != reference) {
                // a truncated reference is not comparable
                let (a, b) = match theirs.truncated() {
                    0 => view.pairs(theirs, |run| run.row.gap_regret),
                    _ => Default::default(),
                };
                let difference = Difference {
                    world: world.label.clone(),
                    label: view.label().into(),
                    difference: Mean::of_differences(&a, &b),
                    at_least: view.truncated() > 0,
                    test: None,
                    p: None,
                    adjusted_p: None,
                    verdict: None,
                };
                found.push((difference, a.iter().zip(&b).map(|(x, y)| x - y).collect()));
            }
        }
        let comparisons = found.iter().filter(|(_, differences)| differences.len() > 1).count();
        for (difference, differences) in &mut found {
            let test = PairedTest::of(differences.len(), comparisons);
            difference.p = test.p(differences);
            difference.test = difference.p.map(|_| test);
        }
        let mut all: Vec<Difference> = found.into_iter().map(|(difference, _)| difference).collect();
        let p: Vec<f64> = all.iter().filter_map(|difference| difference.p).collect();
        let tested = all.iter_mut().filter(|difference| difference.p.is_some());
        for (difference, adjusted) in tested.zip(holm(&p)) {
            difference.adjusted_p = Some(adjusted);
            difference.verdict = difference.judged(adjusted);
        }
        all
    }

    fn judged(&self, adjusted: f64) -> Option<Verdict> {
        let mean = self.difference?.mean;
        Some(match adjusted <= LEVEL {
            true if mean > 0.0 => Verdict::Less,
            // a lower bound below 0 decides nothing
            true if mean < 0.0 && !self.at_least => Verdict::More,
            _ => Verdict::Open,
        })
    }

    /// `≥ 198,100 ± 320`, or a dash.
    pub(super) fn text(&self) -> String {
        let sign = if self.at_least { "≥ " } else { "" };
        self.difference.map_or("-".into(), |m| format!("{sign}{m}"))
    }
}
