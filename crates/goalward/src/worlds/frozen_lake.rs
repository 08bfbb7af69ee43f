//! `frozen-lake`: across a lake with holes in the ice.
//!
//! The start S is the top left cell, the goal G the bottom right one, H are holes. The four moves
//! are right, down, left, up; a move off the lake stays. Every step costs 1. The maps are those of
//! Gymnasium:
//!
//! ```text
//! 4x4     8x8
//! SFFF    SFFFFFFF
//! FHFH    FFFFFFFF
//! FFFH    FFFHFFFF
//! HFFG    FFFFFHFF
//!         FFFHFFFF
//!         FHHFFFHF
//!         FHFFHFHF
//!         FFFHFFFG
//! ```
//!
//! Nobody leaves a hole. On slippery ice every policy falls in with some probability, so no policy
//! reaches the goal for certain and there is no finite V*. With `restart` a fall leads back to the
//! start at the cost of the step. Then V*(start) = 612/11 on the small lake.
//!
//! There are two candidate models: `firm` makes the move; `slippery` makes it or one of the two
//! across it, a third each. theta* = (1 - slip, slip), and slip = 1 is Gymnasium's.

use super::candidates::{absorb, mixture, names, pair};
use super::grid::{Grid, MOVES};
use super::{SIMPLEX, WorldEntry};
use crate::Result;
use crate::parameters::{Choice, Key, Reader};
use crate::problem::{Instance, Problem};

pub(super) const ENTRY: WorldEntry = WorldEntry {
    id: "frozen-lake",
    title: "cross a lake with holes in slippery ice; it needs restart=true, for a hole is a dead end",
    reference: "Gymnasium (Towers and others, 2024), FrozenLake-v1",
    parameters: &[MAP.about(), SLIP.about(), SIMPLEX.about()],
    build,
};

const MAP: Key<String> =
    Key::choice("map", &[Choice::Word("4x4"), Choice::Word("8x8")], "which lake").or("4x4");
const SLIP: Key<f64> =
    Key::number("slip", 0.0, 1.0, "the weight of the slippery model: the truth has (1 - slip, slip)").or("1");

const SMALL: [&str; 4] = ["SFFF", "FHFH", "FFFH", "HFFG"];
const LARGE: [&str; 8] =
    ["SFFFFFFF", "FFFFFFFF", "FFFHFFFF", "FFFFFHFF", "FFFHFFFF", "FHHFFFHF", "FHFFHFHF", "FFFHFFFG"];

fn build(settings: &Reader) -> Result<Instance> {
    let lake: &[&str] = if settings.get(&MAP)? == "8x8" { &LARGE } else { &SMALL };
    let slip = settings.get(&SLIP)?;
    let grid = Grid { rows: lake.len(), columns: lake.len() };
    let is_hole = |s: usize| lake[s / grid.columns].as_bytes()[s % grid.columns] == b'H';
    let goal = grid.cells() - 1;
    let mut builder = Problem::builder(ENTRY.id, grid.cells(), 2);
    builder.start(0).goal(goal).allow_lost();
    for s in 0..goal {
        for a in 0..MOVES.len() {
            match is_hole(s) {
                true => pair(&mut builder, s, 1.0, &[vec![(s, 1.0)], vec![(s, 1.0)]])?,
                false => pair(&mut builder, s, 1.0, &[vec![(grid.step(s, a), 1.0)], grid.slip(s, a)])?,
            }
        }
    }
    absorb(&mut builder, goal, MOVES.len(), 2)?;
    let name = |s: usize| if is_hole(s) { format!("hole {}", grid.name(s)) } else { grid.name(s) };
    builder.name_states((0..=goal).map(name));
    builder.name_actions((0..=goal).map(|_| MOVES));
    builder.model_names(names(&["firm", "slippery"]));
    mixture(settings, builder, &[1.0 - slip, slip])
}

#[cfg(test)]
mod tests {
    use super::{LARGE, SMALL};
    use crate::parameters::Settings;
    use crate::worlds::tests::{optimal, settled};
    use crate::worlds::{build, open, open_restarting};

    fn value(map: &str, slip: f64) -> f64 {
        let settings = Settings::new().set("map", map).set("slip", slip).set("restart", true);
        optimal(&open("frozen-lake", &settings).unwrap()).v[0]
    }

    #[test]
    fn the_small_lake_has_its_known_value() {
        assert!((value("4x4", 1.0) - 612.0 / 11.0).abs() < 1e-8, "{}", value("4x4", 1.0));
        // on firm ice it is a shortest path
        assert!((value("4x4", 0.0) - 6.0).abs() < 1e-12);
        assert!((value("8x8", 0.0) - 14.0).abs() < 1e-12);
    }

    /// The rules once more, by coordinates: a fall leads to the start.
    #[test]
    fn values_are_those_of_the_rules() {
        let ways = [(0i64, 1i64), (1, 0), (0, -1), (-1, 0)];
        for (map, lake, slip) in
            [("4x4", &SMALL[..], 0.5), ("8x8", &LARGE[..], 1.0), ("8x8", &LARGE[..], 0.3)]
        {
            let n = lake.len() as i64;
            let hole = |s: usize| lake[s / lake.len()].as_bytes()[s % lake.len()] == b'H';
            let v = settled(lake.len() * lake.len(), lake.len() * lake.len() - 1, |s| {
                let (row, column) = (s as i64 / n, s as i64 % n);
                let next = |way: usize| {
                    let (r, c) =
                        ((row + ways[way].0).clamp(0, n - 1), (column + ways[way].1).clamp(0, n - 1));
                    let next = (n * r + c) as usize;
                    if hole(next) { 0 } else { next }
                };
                let turned = |chosen, turn| (next((chosen + turn) % 4), slip / 3.0);
                let own = |chosen| (next(chosen), 1.0 - slip);
                (0..4).map(|a| (1.0, vec![own(a), turned(a, 0), turned(a, 1), turned(a, 3)])).collect()
            });
            assert!(
                (value(map, slip) / v[0] - 1.0).abs() < 1e-8,
                "{map} {slip}: {} {}",
                value(map, slip),
                v[0]
            );
        }
    }

    #[test]
    fn holes_are_dead_ends_that_restart_mends() {
        let lake = build("frozen-lake", &Settings::new()).unwrap();
        let error = lake.problem.require_goal_in_reach().unwrap_err().to_string();
        assert!(error.contains("hole (1,1)"), "{error}");
        let settings = Settings::new().set("restart", true);
        let (mended, lost) = open_restarting("frozen-lake", &settings).unwrap();
        assert_eq!(lost, [5, 7, 11, 12]);
        assert!(mended.problem.require_goal_in_reach().is_ok());
        let (_, lost) = open_restarting("frozen-lake", &settings.set("map", "8x8")).unwrap();
        assert_eq!(lost.len(), 10);
    }

    #[test]
    fn what_cannot_be_is_refused_by_name() {
        for (key, value) in [("map", "5x5"), ("slip", "-0.1")] {
            let error = build("frozen-lake", &Settings::new().set(key, value)).unwrap_err().to_string();
            assert!(error.contains(key), "{error}");
        }
    }
}
