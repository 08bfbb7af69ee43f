//! Contenders against one of them, seed by seed.

use crate::curves::Curves;
use crate::stats::Mean;
use crate::{Error, Result};
use serde::Serialize;

/// What the interval of a paired difference says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The reference has less: the whole interval is above 0.
    Less,
    /// The reference has more: the whole interval is below 0.
    More,
    /// The interval has 0: the runs do not tell them apart.
    Open,
}

/// A contender's gap regret less that of a reference with the same seeds, which met the same luck.
#[derive(Clone, Debug, Serialize)]
pub struct Difference {
    /// Who it is.
    pub label: String,
    /// The mean difference with its 95 % interval ([`Mean::of_differences`]). A run that the cap on
    /// steps ended counts with the gap regret of the steps that it made.
    pub difference: Option<Mean>,
    /// Whether the cap ended a run of the contender: it would have paid more, the difference is a
    /// lower bound.
    pub at_least: bool,
    /// What the interval says; `None` without one.
    pub verdict: Option<Verdict>,
}

impl Difference {
    /// All contenders but the reference against it.
    pub fn all(curves: &[Curves], reference: &str) -> Result<Vec<Difference>> {
        let theirs = curves.iter().find(|c| c.contender.label == reference).ok_or_else(|| {
            let known: Vec<&str> = curves.iter().map(|c| c.contender.label.as_str()).collect();
            let fault = format!("{reference:?} is none of the contenders: {}", known.join(", "));
            Error::Option { option: "against", fault }
        })?;
        let rivals = curves.iter().filter(|c| c.contender.label != reference);
        Ok(rivals.map(|c| Difference::of(c, theirs)).collect())
    }

    fn of(curves: &Curves, reference: &Curves) -> Difference {
        // a reference that was cut short, or whole rows of broken runs, would make differences of
        // unlike things
        let comparable = reference.truncated() == 0 && !curves.unfinished() && !reference.unfinished();
        let difference =
            Some(()).filter(|()| comparable).and_then(|()| curves.minus(reference, |r| r.result.gap_regret));
        let verdict = |mean: &Mean| {
            let (low, high) = mean.low.zip(mean.high)?;
            Some(if low > 0.0 {
                Verdict::Less
            } else if high < 0.0 {
                Verdict::More
            } else {
                Verdict::Open
            })
        };
        Difference {
            label: curves.contender.label.clone(),
            verdict: difference.as_ref().and_then(verdict),
            difference,
            at_least: curves.truncated() > 0,
        }
    }

    /// `≥ 198,100 ± 320`, or a dash.
    pub fn text(&self) -> String {
        let sign = if self.at_least { "≥ " } else { "" };
        self.difference.map_or("-".into(), |m| format!("{sign}{m}"))
    }
}
