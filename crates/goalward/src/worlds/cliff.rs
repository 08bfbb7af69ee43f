//! `cliff`: along the edge of a cliff, or a longer way round.
//!
//! A grid of `rows` x `columns`; the start is the bottom left cell, the goal the bottom right one,
//! and between them lies the cliff. The four moves are right, down, left, up; a move off the grid
//! stays. Every step costs 1. A step over the edge costs `fall` in all and leads back to the start.
//!
//! A learner knows what an action costs, and an action near the edge may or may not end in the
//! cliff. So the fall is a state of its own, `cliff`, entered at the cost of the step. Its only
//! action `climb` leads to the start and costs the rest, fall - 1.
//!
//! There are two candidate models: `firm` makes the move; `slippery` makes it or one of the two
//! across it, a third each. theta* = (1 - slip, slip). By default slip = 0, as in the book, and
//! V*(start) = columns + 1: up, along the edge, down. With slip the best way keeps away from the
//! edge.

use super::candidates::{Outcomes, absorb, mixture, names, pair};
use super::grid::{Grid, MOVES};
use super::{SIMPLEX, WorldEntry};
use crate::Result;
use crate::memory;
use crate::parameters::{Key, Reader};
use crate::problem::{Instance, Problem};

pub(super) const ENTRY: WorldEntry = WorldEntry {
    id: "cliff",
    title: "the short way along a cliff or the long way round, on ground that may be slippery",
    reference: "Sutton and Barto (2018), example 6.6; the slippery ground is Gymnasium's",
    parameters: &[ROWS.about(), COLUMNS.about(), FALL.about(), SLIP.about(), SIMPLEX.about()],
    build,
};

const ROWS: Key<u64> = Key::count("rows", 2, 1000, "the number of rows, 2 to 1000").or("4");
const COLUMNS: Key<u64> = Key::count("columns", 3, 1000, "the number of columns, 3 to 1000").or("12");
const FALL: Key<f64> = Key::number("fall", 2.0, 1e6, "what a step over the edge costs in all").or("100");
const SLIP: Key<f64> =
    Key::number("slip", 0.0, 1.0, "the weight of the slippery model: the truth has (1 - slip, slip)").or("0");

fn build(settings: &Reader) -> Result<Instance> {
    let grid = Grid { rows: settings.get(&ROWS)? as usize, columns: settings.get(&COLUMNS)? as usize };
    let (fall, slip) = (settings.get(&FALL)?, settings.get(&SLIP)?);
    let pairs = grid.cells() * MOVES.len();
    memory::require("this grid", Problem::bytes_of(pairs, pairs * 3, 2))?;

    // the cells above the last row keep their numbers; then start, cliff and goal
    let start = grid.cells() - grid.columns;
    let (cliff, goal) = (start + 1, start + 2);
    let state = |cell: usize| match cell {
        cell if cell <= start => cell,
        cell if cell == grid.cells() - 1 => goal,
        _ => cliff,
    };
    let mut builder = Problem::builder(ENTRY.id, goal + 1, 2);
    builder.start(start).goal(goal);
    for s in 0..=start {
        for a in 0..MOVES.len() {
            let slippery: Outcomes = grid.slip(s, a).into_iter().map(|(cell, p)| (state(cell), p)).collect();
            pair(&mut builder, s, 1.0, &[vec![(state(grid.step(s, a)), 1.0)], slippery])?;
        }
    }
    pair(&mut builder, cliff, fall - 1.0, &[vec![(start, 1.0)], vec![(start, 1.0)]])?;
    absorb(&mut builder, goal, MOVES.len(), 2)?;
    let cells = (0..start).map(|s| grid.name(s));
    builder.state_names(cells.chain(["start", "cliff", "goal"].map(String::from)).collect());
    let mut actions = vec![names(&MOVES); goal + 1];
    actions[cliff] = names(&["climb"]);
    builder.action_names(actions);
    builder.model_names(names(&["firm", "slippery"]));
    mixture(settings, builder, &[1.0 - slip, slip])
}

#[cfg(test)]
mod tests {
    use crate::parameters::Settings;
    use crate::worlds::build;
    use crate::worlds::tests::{optimal, settled};

    #[test]
    fn on_firm_ground_the_edge_is_the_way() {
        for (rows, columns) in [(4, 12), (2, 3), (7, 5)] {
            let settings = Settings::new().set("rows", rows).set("columns", columns);
            let instance = build("cliff", &settings).unwrap();
            let v = optimal(&instance).v[instance.problem.start()];
            assert!((v - f64::from(columns + 1)).abs() < 1e-12, "{rows} x {columns}: {v}");
        }
    }

    /// The rules once more, by coordinates: a fall is part of the step, as in the book.
    #[test]
    fn on_slippery_ground_values_are_those_of_the_rules() {
        let ways = [(0i64, 1i64), (1, 0), (0, -1), (-1, 0)];
        for slip in [0.1, 0.5, 1.0] {
            let v = settled(48, 47, |s| {
                let (row, column) = (s as i64 / 12, s as i64 % 12);
                let outcome = |way: usize| {
                    let (r, c) = ((row + ways[way].0).clamp(0, 3), (column + ways[way].1).clamp(0, 11));
                    if r == 3 && (1..11).contains(&c) { (36, 100.0) } else { ((12 * r + c) as usize, 1.0) }
                };
                let pair = |chosen: usize| {
                    let chances = [(chosen, 1.0 - slip + slip / 3.0), ((chosen + 1) % 4, slip / 3.0)];
                    let all = chances.into_iter().chain([((chosen + 3) % 4, slip / 3.0)]);
                    let rows: Vec<_> = all.map(|(way, chance)| (outcome(way), chance)).collect();
                    let cost = rows.iter().map(|((_, cost), chance)| cost * chance).sum();
                    (cost, rows.into_iter().map(|((next, _), chance)| (next, chance)).collect())
                };
                (0..4).map(pair).collect()
            });
            let instance = build("cliff", &Settings::new().set("slip", slip)).unwrap();
            let best = optimal(&instance).v;
            assert!((0..=36).all(|s| (v[s] - best[s]).abs() < 1e-8), "{slip}: {} {}", v[36], best[36]);
        }
    }

    #[test]
    fn what_cannot_be_is_refused_by_name() {
        for (key, value) in [("rows", "1"), ("columns", "2"), ("fall", "1"), ("slip", "1.01")] {
            let error = build("cliff", &Settings::new().set(key, value)).unwrap_err().to_string();
            assert!(error.contains(key), "{error}");
        }
    }
}
