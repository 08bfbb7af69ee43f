//! `windy-grid`: cross an n x n grid while it is unknown which wind blows.
//!
//! The start is the top left cell, the goal the bottom right one; cell (row, column) is state row
//! n + column. The four moves are right, down, left, up, in this order; a move off the grid stays.
//! There are five candidate models:
//!
//! * model 0, `calm`, obeys: the move is made;
//! * models 1, 2, 3, 4 have a wind to the `right`, `down`, `left`, `up`: with probability `wind` it
//!   replaces the chosen move, else the move is made.
//!
//! The truth mixes them with the weights `theta`. With probability `reversed` it does something
//! else that no model has: the opposite move is made. No step is impossible, since the wind that
//! way leads there too, but no mixture explains them all. Every step costs `cost`. The default
//! weights blow left and up, away from the goal, more than towards it; V*(start) = 2.83 at n = 3.

use super::candidates::{PairOf, absorb, mixture, names, weights};
use super::grid::{Grid, MOVES};
use super::{SIMPLEX, WorldEntry};
use crate::Result;
use crate::memory;
use crate::parameters::{Key, Reader};
use crate::problem::{Entry, Instance, Problem, State, Truth};

pub(super) const ENTRY: WorldEntry = WorldEntry {
    id: "windy-grid",
    title: "an n x n grid in an unknown mixture of winds: five candidate models",
    reference: "goalward; after the windy gridworlds of Sutton and Barto (2018), section 6.5",
    parameters: &[N.about(), WIND.about(), COST.about(), THETA.about(), REVERSED.about(), SIMPLEX.about()],
    build,
};

const N: Key<u64> = Key::count("n", 2, 1000, "the side of the grid, 2 to 1000").or("5");
const WIND: Key<f64> =
    Key::number("wind", 0.0, 1.0, "the probability that a windy model's wind replaces the chosen move")
        .or("0.8");
const COST: Key<f64> = Key::number("cost", 1e-6, 1e6, "the cost of a step").or("0.2");
const THETA: Key<Vec<f64>> = Key::numbers(
    "theta",
    "the true weights of calm and of the winds to the right, down, left, up; they sum to 1",
)
.or("0.3,0.05,0.05,0.3,0.3");
const REVERSED: Key<f64> = Key::number(
    "reversed",
    0.0,
    1.0,
    "the probability that the opposite move is made, which no model has: the models are wrong",
)
.or("0");

const MODELS: usize = 5;

fn build(settings: &Reader) -> Result<Instance> {
    let n = settings.get(&N)? as usize;
    let (wind, cost) = (settings.get(&WIND)?, settings.get(&COST)?);
    let theta = weights(settings, &THETA, MODELS)?;
    let reversed = settings.get(&REVERSED)?;
    if reversed > 0.0 && wind == 0.0 {
        let reason = "without wind no model leads to where the opposite move does, and such a step would be \
                      impossible";
        return Err(settings.refuse(&REVERSED, reason.into()));
    }

    let pairs = n * n * MOVES.len();
    memory::require("this grid", Problem::bytes_of(pairs, pairs * MODELS, MODELS))?;

    let grid = Grid { rows: n, columns: n };
    let goal = n * n - 1;
    let mut builder = Problem::builder(ENTRY.id, n * n, MODELS);
    builder.heed(settings.halt()).start(0).goal(goal);
    let mut pair = PairOf::new(MODELS);
    for s in 0..goal {
        for a in 0..MOVES.len() {
            let obeyed = grid.step(s, a);
            pair.leads(obeyed, 0, 1.0);
            for toward in 0..MOVES.len() {
                pair.leads(obeyed, 1 + toward, 1.0 - wind);
                pair.leads(grid.step(s, toward), 1 + toward, wind);
            }
            pair.put(&mut builder, s, cost)?;
        }
    }
    absorb(&mut builder, goal, MOVES.len(), MODELS)?;
    builder.name_states((0..n * n).map(|s| grid.name(s)));
    builder.name_actions((0..n * n).map(|_| MOVES));
    builder.model_names(names(&[&["calm"], &MOVES[..]].concat()));
    let mixture = mixture(settings, builder, &theta)?;
    if reversed == 0.0 {
        return Ok(mixture);
    }
    let truth = reverse(&grid, &mixture, reversed)?;
    Ok(Instance { truth: Some(truth), ..mixture })
}

/// The truth that makes the opposite move with a probability.
fn reverse(grid: &Grid, mixture: &Instance, reversed: f64) -> Result<Truth> {
    let (problem, truth) = (&mixture.problem, mixture.truth()?);
    let mut entries: Vec<Entry> = Vec::new();
    for s in (0..grid.cells()).filter(|&s| s != problem.goal()) {
        for (a, pair) in problem.pairs_of(s).enumerate() {
            let back = grid.step(s, (a + 2) % MOVES.len());
            for (&next, p) in problem.successors(pair).iter().zip(truth.row(problem, pair)) {
                let more = if next as State == back { reversed } else { 0.0 };
                entries.push((s, a, next as State, (1.0 - reversed) * p + more));
            }
        }
    }
    Truth::from_kernel(problem, &entries)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::Settings;
    use crate::worlds::build;
    use crate::worlds::tests::optimal;

    #[test]
    fn the_small_grid_has_its_known_value() {
        let instance = build("windy-grid", &Settings::new().set("n", 3)).unwrap();
        let v = optimal(&instance).v[0];
        assert!((v - 2.83).abs() < 0.005, "{v}");
    }

    #[test]
    fn winds_have_names() {
        let grid = build("windy-grid", &Settings::new()).unwrap().problem;
        let names: Vec<_> = (0..MODELS).map(|i| grid.model_name(i)).collect();
        assert_eq!(names, ["calm", "right", "down", "left", "up"]);
    }

    #[test]
    fn a_calm_grid_is_a_shortest_path() {
        let settings = Settings::new().set("n", 4).set("theta", "1,0,0,0,0");
        let best = optimal(&build("windy-grid", &settings).unwrap());
        assert!((best.v[0] - 6.0 * 0.2).abs() < 1e-12 && (best.steps[0] - 6.0).abs() < 1e-12);
    }

    #[test]
    fn rows_follow_the_law() {
        let instance = build("windy-grid", &Settings::new().set("n", 3).set("wind", 0.75)).unwrap();
        let problem = &instance.problem;
        // the middle cell 4, move right: calm leads to 5, the winds to 5, 7, 3, 1
        let p = problem.pair(4, 0);
        assert_eq!(problem.successors(p), [1, 3, 5, 7]);
        let phi = problem.phi(p);
        let phi: Vec<&[f64]> = phi.chunks_exact(MODELS).collect();
        assert_eq!(phi[0], [0.0, 0.0, 0.0, 0.0, 0.75]);
        assert_eq!(phi[1], [0.0, 0.0, 0.0, 0.75, 0.0]);
        assert_eq!(phi[2], [1.0, 1.0, 0.25, 0.25, 0.25]);
        assert_eq!(phi[3], [0.0, 0.0, 0.75, 0.0, 0.0]);
        // the top left cell, move up: stays, as do the winds to the left and up
        assert_eq!(problem.successors(problem.pair(0, 3)), [0, 1, 3]);
    }

    #[test]
    fn reversed_moves_are_in_no_mixture() {
        let settings = Settings::new().set("n", 3);
        let plain = build("windy-grid", &settings).unwrap();
        let wrong = build("windy-grid", &settings.clone().set("reversed", 0.3)).unwrap();
        assert_eq!(wrong.truth().unwrap().theta(), None);
        // the middle cell 4, move right: up, left, right, down
        let (problem, p) = (&plain.problem, plain.problem.pair(4, 0));
        let (before, after) = (plain.truth().unwrap(), wrong.truth().unwrap());
        let more = [0.0, 0.3, 0.0, 0.0];
        for ((x, y), more) in before.row(problem, p).iter().zip(after.row(problem, p)).zip(more) {
            assert!((0.7 * x + more - y).abs() < 1e-15);
        }
        // no step is impossible
        for p in 0..problem.pairs() {
            let steps = problem.successors(p).iter().zip(after.row(problem, p));
            assert!(steps.into_iter().all(|(&next, _)| problem.allows(p, next as usize)));
        }
        let still = build("windy-grid", &settings.set("reversed", 0.3).set("wind", 0)).unwrap_err();
        assert!(still.to_string().contains("reversed"), "{still}");
    }

    #[test]
    fn weights_that_are_no_mixture_are_refused() {
        for (theta, part) in [
            ("1,0,0", "3 weights"),
            ("0.5,0.5,0.5,-0.5,0", "not negative"),
            ("0.2,0.2,0.2,0.2,0.1", "sum to 0.9"),
        ] {
            let error = build("windy-grid", &Settings::new().set("theta", theta)).unwrap_err().to_string();
            assert!(error.contains(part) && error.contains("theta"), "{error}");
        }
    }
}
