//! `river-swim`: swim up a river to the goal, while it is unknown how strong the current is.
//!
//! Places 0 (the left bank) to `length` - 1, then the goal on the right. Swimming `left` always
//! works and is cheap, `left_cost`; on the left bank it stays there. Swimming `right` costs 1. It
//! leads one place on, leaves the swimmer where it is, or one place back (on the left bank: where
//! it is), with probabilities that the current decides:
//!
//! | model | on | same | back |
//! |---|---|---|---|
//! | `still` | 0.90 | 0.10 | 0 |
//! | `river` | 0.35 | 0.60 | 0.05 |
//! | `flood` | 0.10 | 0.50 | 0.40 |
//!
//! The truth mixes them with the weights `theta`. By default it is `river`, whose numbers are those
//! of the original. There an episode has no end and the right bank pays a reward; here it is the
//! goal. The left bank stays the temptation that it was: what is cheap there leads nowhere.
//!
//! To swim right is best everywhere, so with on = p and back = q the mean way from place i to i + 1
//! takes h_0 = 1/p, h_i = (1 + q h_(i-1))/p steps, and V*(start) = h_0 + ... + h_(length-1).

use super::candidates::{absorb, mixture, names, pair, weights};
use super::{SIMPLEX, WorldEntry};
use crate::Result;
use crate::memory;
use crate::parameters::{Key, Reader};
use crate::problem::{Instance, Problem};

pub(super) const ENTRY: WorldEntry = WorldEntry {
    id: "river-swim",
    title: "swim against a current of unknown strength; giving way is cheap and leads nowhere",
    reference: "goalward; after RiverSwim, Strehl and Littman (2008), with the right bank as the goal",
    parameters: &[LENGTH.about(), LEFT_COST.about(), THETA.about(), SIMPLEX.about()],
    build,
};

const LENGTH: Key<u64> = Key::count("length", 1, 1_000_000, "the number of places before the goal").or("6");
const LEFT_COST: Key<f64> =
    Key::number("left_cost", 1e-6, 1.0, "the cost of swimming left; to the right it is 1").or("0.1");
const THETA: Key<Vec<f64>> =
    Key::numbers("theta", "the true weights of still, river and flood; they sum to 1").or("0,1,0");

/// On, same, back.
const CURRENTS: [[f64; 3]; 3] = [[0.9, 0.1, 0.0], [0.35, 0.6, 0.05], [0.1, 0.5, 0.4]];

fn build(settings: &Reader) -> Result<Instance> {
    let (length, left_cost) = (settings.get(&LENGTH)? as usize, settings.get(&LEFT_COST)?);
    let theta = weights(settings, &THETA, CURRENTS.len())?;
    memory::require("this river", Problem::bytes_of(2 * length, 4 * length, CURRENTS.len()))?;

    let mut builder = Problem::builder(ENTRY.id, length + 1, CURRENTS.len());
    builder.heed(settings.halt()).start(0).goal(length);
    for s in 0..length {
        let back = s.saturating_sub(1);
        let right = CURRENTS.map(|[on, same, drift]| vec![(s + 1, on), (s, same), (back, drift)]);
        pair(&mut builder, s, left_cost, &vec![vec![(back, 1.0)]; CURRENTS.len()])?;
        pair(&mut builder, s, 1.0, &right)?;
    }
    absorb(&mut builder, length, 2, CURRENTS.len())?;
    let place = |s: usize| if s == 0 { "left bank".into() } else { format!("place {s}") };
    builder.name_states((0..length).map(place).chain(["right bank".to_string()]));
    builder.name_actions((0..=length).map(|_| ["left", "right"]));
    builder.model_names(names(&["still", "river", "flood"]));
    mixture(settings, builder, &theta)
}

#[cfg(test)]
mod tests {
    use crate::parameters::Settings;
    use crate::worlds::build;
    use crate::worlds::tests::optimal;

    #[test]
    fn values_have_their_closed_form() {
        for (length, theta, on, back) in
            [(6, "0,1,0", 0.35, 0.05), (1, "1,0,0", 0.9, 0.0), (4, "0.25,0.25,0.5", 0.3625, 0.2125)]
        {
            let settings = Settings::new().set("length", length).set("theta", theta);
            let best = optimal(&build("river-swim", &settings).unwrap());
            let (mut step, mut all) = (1.0 / on, 1.0 / on);
            for _ in 1..length {
                step = (1.0 + back * step) / on;
                all += step;
            }
            assert!((best.v[0] - all).abs() < 1e-8, "{length}: {} {all}", best.v[0]);
            assert!(best.policy[..length].iter().all(|a| *a == 1), "{:?}", best.policy);
        }
    }

    #[test]
    fn what_cannot_be_is_refused_by_name() {
        for (key, value) in
            [("length", "0"), ("left_cost", "0"), ("theta", "1,0"), ("theta", "2,-1,0"), ("theta", "1,1,1")]
        {
            let error = build("river-swim", &Settings::new().set(key, value)).unwrap_err().to_string();
            assert!(error.contains(key), "{error}");
        }
    }
}
