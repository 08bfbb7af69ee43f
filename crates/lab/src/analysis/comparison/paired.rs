//! Contenders against one of them, seed by seed.

use crate::analysis::view::View;
use crate::stats::{LEVEL, Mean, PairedTest, holm};
use serde::Serialize;

/// What the test of a paired difference says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Verdict {
    /// The reference pays less.
    Less,
    /// The reference pays more.
    More,
    /// The runs do not tell them apart.
    Open,
}

/// A contender's gap regret less that of a reference with the same seeds, which met the same luck.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Difference {
    /// The world.
    pub(super) world: String,
    /// Who it is.
    pub(super) label: String,
    /// The mean difference with its 95 % interval. A run that the cap on steps ended counts with
    /// the gap regret of the steps that it made.
    pub(super) difference: Option<Mean>,
    /// Whether the cap ended a run of the contender: it would have paid more, the difference is a
    /// lower bound.
    pub(super) at_least: bool,
    /// Which test was made.
    pub(super) test: Option<PairedTest>,
    /// Its p-value, by itself.
    pub(super) p: Option<f64>,
    /// Its p-value by Holm's correction over all comparisons with the reference.
    pub(super) adjusted_p: Option<f64>,
    /// What that says; `None` without one.
    pub(super) verdict: Option<Verdict>,
}

impl Difference {
    /// All contenders of all worlds but the reference against it.
    pub(super) fn all(worlds: &[(&str, Vec<View>)], reference: &str) -> Vec<Difference> {
        let mut found: Vec<(Difference, Vec<f64>)> = Vec::new();
        for (world, views) in worlds {
            let Some(theirs) = views.iter().find(|view| view.label() == reference) else { continue };
            for view in views.iter().filter(|view| view.label() != reference) {
                // a reference that was cut short would make differences of unlike things
                let (a, b) = match theirs.truncated() {
                    0 => view.pairs(theirs, |run| run.row.gap_regret),
                    _ => Default::default(),
                };
                let difference = Difference {
                    world: world.to_string(),
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
        Difference::test(&mut found);
        found.into_iter().map(|(difference, _)| difference).collect()
    }

    /// Tests every difference, and corrects for their number.
    fn test(found: &mut [(Difference, Vec<f64>)]) {
        let comparisons = found.iter().filter(|(_, differences)| differences.len() > 1).count();
        let mut tested: Vec<(&mut Difference, f64)> = Vec::new();
        for (difference, differences) in found {
            let test = PairedTest::of(differences.len(), comparisons);
            if let Some(p) = test.p(differences) {
                (difference.test, difference.p) = (Some(test), Some(p));
                tested.push((difference, p));
            }
        }
        let adjusted = holm(&tested.iter().map(|(_, p)| *p).collect::<Vec<_>>());
        for ((difference, _), adjusted) in tested.into_iter().zip(adjusted) {
            difference.adjusted_p = Some(adjusted);
            difference.verdict = difference.judged(adjusted);
        }
    }

    fn judged(&self, adjusted: f64) -> Option<Verdict> {
        let mean = self.difference?.mean;
        Some(match adjusted <= LEVEL {
            true if mean > 0.0 => Verdict::Less,
            // a lower bound below 0 says nothing
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
