//! The forms that numbers of a study file may have.

use super::Thinning;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A whole number of at least 1: 1000, 1_000 and 1e3 are the same.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Value")]
pub(super) struct Count(pub(super) u64);

impl TryFrom<Value> for Count {
    type Error = &'static str;

    fn try_from(value: Value) -> Result<Count, &'static str> {
        let n = whole(&value).filter(|n| *n > 0);
        n.map(Count).ok_or("expected a whole number of at least 1")
    }
}

/// A non-negative whole number, with or without a point or an exponent.
pub(super) fn whole(value: &Value) -> Option<u64> {
    let whole = |x: &f64| x.fract() == 0.0 && (0.0..1.8e19).contains(x);
    value.as_u64().or_else(|| value.as_f64().filter(whole).map(|x| x as u64))
}

/// As a study file says it, which is not how manifests and hashes do.
impl TryFrom<Value> for Thinning {
    type Error = &'static str;

    fn try_from(kept: Value) -> Result<Thinning, &'static str> {
        match (kept.as_str(), whole(&kept)) {
            (Some("none"), _) => Ok(Thinning::None),
            (Some("all"), _) => Ok(Thinning::All),
            (_, Some(n @ 1..)) => Ok(Thinning::PerDoubling(n.min(1 << 20) as u32)),
            _ => Err("expected \"none\", \"all\", or how many of each doubling"),
        }
    }
}

impl Thinning {
    /// Whether the n-th event, from 1, is kept.
    ///
    /// With p per doubling: from 2^e up to 2^(e+1) every (2^e/p)-th one, all if that is below 1. Powers
    /// of two and of ten are always kept. The rule does not depend on the total number, so a longer run
    /// has the rows of a shorter one.
    pub fn keeps(self, n: u64) -> bool {
        match self {
            Thinning::None => false,
            Thinning::All => true,
            Thinning::PerDoubling(_) if n == 0 => false,
            Thinning::PerDoubling(p) => {
                let octave = 1u64 << n.ilog2();
                let stride = (octave / u64::from(p.max(1))).max(1);
                (n - octave).is_multiple_of(stride) || 10u64.checked_pow(n.ilog10()) == Some(n)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_kept_and_rows_grow_with_the_logarithm() {
        let kept =
            |p: u32, n: u64| (1..=n).filter(|k| Thinning::PerDoubling(p).keeps(*k)).collect::<Vec<_>>();
        assert_eq!(kept(4, 20), [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20]);
        for p in [1, 4, 32] {
            let rows = kept(p, 1 << 20);
            assert!((0..=20).all(|e| rows.contains(&(1 << e))) && rows.contains(&100_000));
            // p for each of 20 doublings, six powers of ten, and the last power of two
            assert!(rows.len() <= p as usize * 20 + 7, "{p}: {}", rows.len());
        }
        assert_eq!(kept(32, 64).len(), 64, "all of the first 64");
        assert!(Thinning::PerDoubling(8).keeps(1 << 63) && !Thinning::PerDoubling(8).keeps(u64::MAX));
        assert!(Thinning::All.keeps(7) && !Thinning::None.keeps(8));
    }
}
