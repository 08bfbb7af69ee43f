//! Whether a restored state has the shape of a fresh one.

use crate::numeric::stored::{Flaw, Within, ensure};
use serde::Serialize;
use serde_json::Value;

/// Whether a stored value has the shape of a fresh one, which was made from the problem and the
/// settings: arrays have the same lengths, at every depth. What a fresh value leaves open (`null`)
/// may be anything.
pub(in crate::learners) fn same_shape(stored: &impl Serialize, fresh: &impl Serialize) -> Result<(), Flaw> {
    // states are plain data: neither fails
    let [stored, fresh] =
        [serde_json::to_value(stored), serde_json::to_value(fresh)].map(Result::unwrap_or_default);
    compare(&stored, &fresh)
}

fn compare(stored: &Value, fresh: &Value) -> Result<(), Flaw> {
    match stored {
        Value::Array(entries) => {
            let own = fresh.as_array().map_or(entries.len(), Vec::len);
            ensure(entries.len() == own, "", || format!("{} values, but {own} are expected", entries.len()))?;
            let mut each = entries.iter().enumerate();
            each.try_for_each(|(i, entry)| compare(entry, &fresh[i]).within(&i.to_string()))
        }
        Value::Object(entries) => {
            entries.iter().try_for_each(|(key, entry)| compare(entry, &fresh[key]).within(key))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_shape_is_that_of_every_array() {
        let fresh = json!({"a": [[0.0, 0.0], [0.0, 0.0]], "open": null, "count": 0});
        let flaw = |stored: Value| same_shape(&stored, &fresh).map_err(|flaw| flaw.to_string());
        let good = json!({"a": [[1.0, -2.0], [3.5, 1e100]], "open": [1, 2, 3], "count": 7});
        assert_eq!(flaw(good), Ok(()));
        let short = flaw(json!({"a": [[1.0, 2.0], [3.0]], "open": null, "count": 7}));
        assert_eq!(short, Err("a.1: 1 values, but 2 are expected".into()));
        let long = flaw(json!({"a": [], "open": null, "count": 7}));
        assert_eq!(long, Err("a: 0 values, but 2 are expected".into()));
    }
}
