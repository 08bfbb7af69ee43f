//! `psrl-gridworld`: the 3 x 4 grid on which posterior sampling was tried.
//!
//! The start is the top left cell, the goal the bottom right one: 12 cells, the goal included. The
//! four moves are right, down, left, up. A move succeeds with probability `success`, 0.85; else one
//! of the three other directions is taken, each alike. A move off the grid stays. Every step costs
//! 1.
//!
//! The chance of success is what a learner of linear mixtures does not know. There are two
//! candidate models: `obeys` makes the move, `strays` makes one of the three others. theta* =
//! (success, 1 - success).
//!
//! Known values: with success = 1 it is a shortest path, V*(start) = rows + columns - 2. On one row
//! it is a walk: from column i to i + 1 take h_i steps in the mean, with p = success, q =
//! (1 - success)/3, h_0 = 1/p and h_i = (1 + q h_(i-1))/p.

use super::candidates::{Outcomes, absorb, mixture, names, pair};
use super::grid::{Grid, MOVES};
use super::{SIMPLEX, WorldEntry};
use crate::Result;
use crate::memory;
use crate::parameters::{Key, Reader};
use crate::problem::{Instance, Problem};

pub(super) const ENTRY: WorldEntry = WorldEntry {
    id: "psrl-gridworld",
    title: "a 3 x 4 grid whose moves fail with an unknown chance",
    reference: "Jafarnia-Jahromi, Chen, Jain, Luo (UAI 2023), PSRL-SSP, section 5: GridWorld",
    parameters: &[ROWS.about(), COLUMNS.about(), SUCCESS.about(), SIMPLEX.about()],
    build,
};

const ROWS: Key<u64> = Key::count("rows", 1, 1000, "the number of rows, 1 to 1000").or("3");
const COLUMNS: Key<u64> = Key::count("columns", 2, 1000, "the number of columns, 2 to 1000").or("4");
const SUCCESS: Key<f64> =
    Key::number("success", 0.01, 1.0, "the probability that the chosen move is made").or("0.85");

fn build(settings: &Reader) -> Result<Instance> {
    let grid = Grid { rows: settings.get(&ROWS)? as usize, columns: settings.get(&COLUMNS)? as usize };
    let success = settings.get(&SUCCESS)?;
    let pairs = grid.cells() * MOVES.len();
    memory::require("this grid", Problem::bytes_of(pairs, pairs * 4, 2))?;

    let goal = grid.cells() - 1;
    let mut builder = Problem::builder(ENTRY.id, grid.cells(), 2);
    builder.start(0).goal(goal);
    for s in 0..goal {
        for a in 0..MOVES.len() {
            let others = (0..MOVES.len()).filter(|&way| way != a);
            let strays: Outcomes = others.map(|way| (grid.step(s, way), 1.0 / 3.0)).collect();
            pair(&mut builder, s, 1.0, &[vec![(grid.step(s, a), 1.0)], strays])?;
        }
    }
    absorb(&mut builder, goal, MOVES.len(), 2)?;
    builder.name_states((0..=goal).map(|s| grid.name(s)));
    builder.name_actions((0..=goal).map(|_| MOVES));
    builder.model_names(names(&["obeys", "strays"]));
    mixture(settings, builder, &[success, 1.0 - success])
}

#[cfg(test)]
mod tests {
    use crate::parameters::Settings;
    use crate::worlds::build;
    use crate::worlds::tests::{optimal, settled};

    /// The rules once more, by coordinates.
    #[test]
    fn values_are_those_of_the_rules() {
        let ways = [(0i64, 1i64), (1, 0), (0, -1), (-1, 0)];
        let v = settled(12, 11, |s| {
            let (row, column) = (s as i64 / 4, s as i64 % 4);
            let moved = |(down, right): (i64, i64)| match (row + down, column + right) {
                (r @ 0..=2, c @ 0..=3) => (4 * r + c) as usize,
                _ => s,
            };
            let chance = |way, chosen| if way == chosen { 0.85 } else { 0.05 };
            ways.map(|chosen| (1.0, ways.map(|way| (moved(way), chance(way, chosen))).to_vec())).to_vec()
        });
        let best = optimal(&build("psrl-gridworld", &Settings::new()).unwrap());
        assert!(v.iter().zip(&best.v).all(|(x, y)| (x - y).abs() < 1e-9), "{v:?} {:?}", best.v);
    }

    #[test]
    fn closed_forms() {
        let value = |settings: Settings| optimal(&build("psrl-gridworld", &settings).unwrap()).v[0];
        let sure = Settings::new().set("rows", 5).set("columns", 7).set("success", 1);
        assert!((value(sure) - 10.0).abs() < 1e-12);
        let (p, q) = (0.6, 0.4 / 3.0);
        let (mut step, mut all) = (1.0 / p, 1.0 / p);
        for _ in 1..8 {
            step = (1.0 + q * step) / p;
            all += step;
        }
        let row = Settings::new().set("rows", 1).set("columns", 9).set("success", p);
        assert!((value(row) - all).abs() < 1e-9);
    }

    #[test]
    fn what_cannot_be_is_refused_by_name() {
        for (key, value) in [("rows", "0"), ("columns", "1"), ("success", "0"), ("success", "1.1")] {
            let error = build("psrl-gridworld", &Settings::new().set(key, value)).unwrap_err().to_string();
            assert!(error.contains(key), "{error}");
        }
    }
}
