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
