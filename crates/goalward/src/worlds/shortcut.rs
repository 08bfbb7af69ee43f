//! `shortcut`: a shortcut that may be closed, and a road that always works. Who never tries the
//! shortcut never learns.
//!
//! One state and the goal. `road` arrives with probability 1/2, whatever the model, so that it
//! costs 2 in the mean and tells nothing. `shortcut` arrives with probability 0.9 if it is open and
//! with 0.05 if it is closed. Every step costs 1, and the truth mixes both models: with the weight
//! `open` of the first the shortcut arrives with probability p = 0.05 + 0.85 open.
//!
//! * V* = 1/max(p, 1/2); to take the road always costs 2 - V* more in every episode.
//! * Halfway between the models p is 0.475, less than the road's 1/2. A learner that believes its
//!   estimate and begins there takes the road for good: its regret is linear. One that is optimistic
//!   tries the shortcut, and finds out in some ten steps.

use super::candidates::{absorb, mixture, names, pair};
use super::{SIMPLEX, WorldEntry};
use crate::Result;
use crate::parameters::{Key, Reader};
use crate::problem::{Instance, Problem};

pub(super) const ENTRY: WorldEntry = WorldEntry {
    id: "shortcut",
    title: "a shortcut that may be closed, which only a trial tells",
    reference: "goalward; the usual example against certainty equivalence, as a mixture of two models",
    parameters: &[OPEN.about(), SIMPLEX.about()],
    build,
};

const OPEN: Key<f64> = Key::number("open", 0.0, 1.0, "the true weight of the model `open`").or("0.9");

/// How likely the shortcut is to arrive, open and closed; and the road.
const SHORTCUT: [f64; 2] = [0.9, 0.05];
const ROAD: f64 = 0.5;

fn build(settings: &Reader) -> Result<Instance> {
    let open = settings.get(&OPEN)?;
    let way = |p: f64| vec![(0, 1.0 - p), (1, p)];
    let mut builder = Problem::builder(ENTRY.id, 2, 2);
    builder.start(0).goal(1);
    pair(&mut builder, 0, 1.0, &[way(ROAD), way(ROAD)])?;
    pair(&mut builder, 0, 1.0, &SHORTCUT.map(way))?;
    absorb(&mut builder, 1, 2, 2)?;
    builder.state_names(names(&["here", "there"]));
    builder.action_names(vec![names(&["road", "shortcut"]); 2]);
    builder.model_names(names(&["open", "closed"]));
    mixture(settings, builder, &[open, 1.0 - open])
}

#[cfg(test)]
mod tests {
    use crate::parameters::Settings;
    use crate::worlds::build;
    use crate::worlds::tests::optimal;

    #[test]
    fn the_better_way_decides() {
        for (open, value, policy) in
            [(0.9, 1.0 / 0.815, 1), (1.0, 1.0 / 0.9, 1), (0.5, 2.0, 0), (0.0, 2.0, 0)]
        {
            let best = optimal(&build("shortcut", &Settings::new().set("open", open)).unwrap());
            assert!((best.v[0] - value).abs() < 1e-12, "{open}: {}", best.v[0]);
            assert_eq!(best.policy[0], policy);
        }
        assert!(build("shortcut", &Settings::new().set("open", 1.1)).is_err());
    }
}
