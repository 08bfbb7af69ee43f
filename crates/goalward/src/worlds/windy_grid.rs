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
//! The truth mixes them with the weights `theta`. Every step costs `cost`. The default weights blow
//! left and up, away from the goal, more than towards it; V*(start) = 2.83 at n = 3.

use super::{SIMPLEX, WorldEntry};
use crate::error::shown;
use crate::memory;
use crate::parameters::{Key, Reader};
use crate::problem::{Instance, Problem};
use crate::{Error, Result};

pub(super) const ENTRY: WorldEntry = WorldEntry {
    id: "windy-grid",
    title: "an n x n grid in an unknown mixture of winds: five candidate models",
    reference: "goalward; after the windy gridworlds of Sutton and Barto (2018), section 6.5",
    parameters: &[N.about(), WIND.about(), COST.about(), THETA.about(), SIMPLEX.about()],
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

const MODELS: usize = 5;
const MOVES: [&str; 4] = ["right", "down", "left", "up"];

/// Where a move leads.
fn target(n: usize, cell: usize, toward: usize) -> usize {
    let (row, column) = (cell / n, cell % n);
    match toward {
        0 if column + 1 < n => cell + 1,
        1 if row + 1 < n => cell + n,
        2 if column > 0 => cell - 1,
        3 if row > 0 => cell - n,
        _ => cell,
    }
}

fn build(settings: &Reader) -> Result<Instance> {
    let n = settings.get(&N)? as usize;
    let (wind, cost) = (settings.get(&WIND)?, settings.get(&COST)?);
    let theta = mixture(settings)?;

    let pairs = n * n * MOVES.len();
    memory::require("this grid", Problem::bytes_of(pairs, pairs * MODELS, MODELS))?;

    let goal = n * n - 1;
    let mut builder = Problem::builder(ENTRY.id, n * n, MODELS);
    builder.start(0).goal(goal);
    for s in 0..goal {
        for a in 0..MOVES.len() {
            builder.action(s, cost)?;
            let mut rows: Vec<(usize, [f64; MODELS])> = Vec::with_capacity(MODELS);
            let mut add = |next: usize, model: usize, probability: f64| match rows
                .iter_mut()
                .find(|(other, _)| *other == next)
            {
                Some((_, phi)) => phi[model] += probability,
                None => {
                    let mut phi = [0.0; MODELS];
                    phi[model] = probability;
                    rows.push((next, phi));
                }
            };
            let obeyed = target(n, s, a);
            add(obeyed, 0, 1.0);
            for toward in 0..MOVES.len() {
                add(obeyed, toward + 1, 1.0 - wind);
                add(target(n, s, toward), toward + 1, wind);
            }
            for (next, phi) in rows {
                builder.feature(s, a, next, &phi)?;
            }
        }
    }
    for a in 0..MOVES.len() {
        builder.action(goal, 0.0)?;
        builder.feature(goal, a, goal, &[1.0; MODELS])?;
    }
    builder.state_names((0..n * n).map(|s| format!("({},{})", s / n, s % n)).collect());
    builder.action_names(vec![MOVES.map(String::from).to_vec(); n * n]);
    builder.model_names([&["calm"], &MOVES[..]].concat().into_iter().map(String::from).collect());
    if settings.get(&SIMPLEX)? {
        builder.simplex();
    }
    Instance::new(builder.build()?, &theta)
}

/// The weights, checked here so that the error is about the parameter and not about a row of the
/// kernel.
fn mixture(settings: &Reader) -> Result<Vec<f64>> {
    let theta = settings.get(&THETA)?;
    let refuse = |reason: String| -> Result<Vec<f64>, Error> { Err(settings.refuse(&THETA, reason)) };
    let sum: f64 = theta.iter().sum();
    if theta.len() != MODELS {
        refuse(format!("{} weights for {MODELS} models", theta.len()))
    } else if theta.iter().any(|x| *x < 0.0) {
        refuse("the weights of a mixture are not negative".into())
    } else if (sum - 1.0).abs() > 1e-9 {
        refuse(format!("the weights sum to {}, not to 1", shown(sum)))
    } else {
        Ok(theta)
    }
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
