//! Burn-in: when confidence sets first exclude something.

use super::median;
use serde::Serialize;
use std::fmt;

/// The first informed episode, over the runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BurnIn {
    /// The median over all runs; `None` if half or more of them stay uninformed.
    pub median: Option<f64>,
    /// Runs that left the burn-in.
    pub left: usize,
    /// Runs that never left it.
    pub never: usize,
}

impl BurnIn {
    /// From the first informed episode of each run.
    pub fn of(episodes: &[Option<u64>]) -> BurnIn {
        let left = episodes.iter().flatten().count();
        let late: Vec<f64> = episodes.iter().map(|e| e.map_or(f64::INFINITY, |e| e as f64)).collect();
        BurnIn { median: median(&late).filter(|m| m.is_finite()), left, never: episodes.len() - left }
    }
}

/// `12`, `12 (3 of 20 never)`, `never`, or a dash without runs.
impl fmt::Display for BurnIn {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let all = self.left + self.never;
        match (self.median, self.left, self.never) {
            (_, 0, 0) => f.write_str("-"),
            (_, 0, _) => f.write_str("never"),
            (Some(median), _, 0) => write!(f, "{}", median.round()),
            (Some(median), _, never) => write!(f, "{} ({never} of {all} never)", median.round()),
            (None, _, never) => write!(f, "never in {never} of {all}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uninformed_runs_count_as_late() {
        let of = |episodes: &[Option<u64>]| BurnIn::of(episodes).to_string();
        assert_eq!(of(&[Some(3), Some(1), Some(8)]), "3");
        assert_eq!(of(&[Some(3), None, Some(8)]), "8 (1 of 3 never)");
        assert_eq!(of(&[Some(3), None, None]), "never in 2 of 3");
        assert_eq!(of(&[Some(3), None]), "never in 1 of 2");
        assert_eq!((of(&[None, None]), of(&[])), ("never".into(), "-".into()));
        assert_eq!(BurnIn::of(&[Some(1), Some(2)]).median, Some(1.5));
    }
}
