//! `delivery`: a robot takes a parcel through a city whose traffic has been forecast in three ways.
//!
//! The city has n x n crossings. The depot is the top left one, the customer waits at the bottom
//! right one. The four moves are right, down, left, up, each along a street to the next crossing; a
//! move off the map stays. Each try costs 1 minute, and gets through with a probability that
//! depends on the street and on the day; otherwise the robot waits where it is.
//!
//! | street | `calm` | `rush hour` | `market day` |
//! |---|---|---|---|
//! | main streets: the top row and the last column | 0.95 | 0.30 | 0.80 |
//! | the old town: all streets inside | 0.85 | 0.80 | 0.25 |
//! | back lanes: the first column and the bottom row | 0.60 | 0.60 | 0.60 |
//!
//! The truth mixes the three forecasts with the weights `theta`. The best way depends on them: the
//! main streets when it is calm, through the old town in the rush hour, and the back lanes when
//! both of the others are likely to be blocked.
//!
//! A street that lets a try through with probability p takes 1/p tries in the mean, whatever was
//! tried before. So V* is the length of a shortest path along streets of length 1/p, which the test
//! computes on the map.

use super::candidates::{absorb, mixture, names, pair, weights};
use super::grid::{Grid, MOVES};
use super::{SIMPLEX, WorldEntry};
use crate::Result;
use crate::memory;
use crate::parameters::{Key, Reader};
use crate::problem::{Instance, Problem};

pub(super) const ENTRY: WorldEntry = WorldEntry {
    id: "delivery",
    title: "a delivery robot in a city, with three traffic forecasts as candidate models",
    reference: "goalward",
    parameters: &[N.about(), THETA.about(), SIMPLEX.about()],
    build,
};

const N: Key<u64> = Key::count("n", 3, 1000, "the number of crossings on a side, 3 to 1000").or("5");
const THETA: Key<Vec<f64>> =
    Key::numbers("theta", "the true weights of calm, rush hour and market day; they sum to 1")
        .or("0.2,0.6,0.2");

const FORECASTS: [&str; 3] = ["calm", "rush hour", "market day"];
const MAIN: [f64; 3] = [0.95, 0.3, 0.8];
const OLD_TOWN: [f64; 3] = [0.85, 0.8, 0.25];
const LANE: [f64; 3] = [0.6, 0.6, 0.6];

/// The chances to get from a crossing to the next along their street, under each forecast.
fn chances(n: usize, from: usize, to: usize) -> [f64; 3] {
    let (rows, columns) = ([from / n, to / n], [from % n, to % n]);
    if rows == [0, 0] || columns == [n - 1, n - 1] {
        MAIN
    } else if columns == [0, 0] || rows == [n - 1, n - 1] {
        LANE
    } else {
        OLD_TOWN
    }
}

fn build(settings: &Reader) -> Result<Instance> {
    let n = settings.get(&N)? as usize;
    let theta = weights(settings, &THETA, FORECASTS.len())?;
    let pairs = n * n * MOVES.len();
    memory::require("this city", Problem::bytes_of(pairs, 2 * pairs, FORECASTS.len()))?;

    let grid = Grid { rows: n, columns: n };
    let goal = n * n - 1;
    let mut builder = Problem::builder(ENTRY.id, n * n, FORECASTS.len());
    builder.heed(settings.halt()).start(0).goal(goal);
    for s in 0..goal {
        for a in 0..MOVES.len() {
            let next = grid.step(s, a);
            let through = |chance: f64| match next == s {
                true => vec![(s, 1.0)],
                false => vec![(next, chance), (s, 1.0 - chance)],
            };
            pair(&mut builder, s, 1.0, &chances(n, s, next).map(through))?;
        }
    }
    absorb(&mut builder, goal, MOVES.len(), FORECASTS.len())?;
    let crossing = |s: usize| match s {
        0 => "depot".into(),
        s if s == goal => "customer".into(),
        s => format!("crossing {}", grid.name(s)),
    };
    builder.name_states((0..=goal).map(crossing));
    builder.name_actions((0..=goal).map(|_| MOVES));
    builder.model_names(names(&FORECASTS));
    mixture(settings, builder, &theta)
}

#[cfg(test)]
mod tests {
    use crate::parameters::Settings;
    use crate::worlds::build;
    use crate::worlds::tests::optimal;

    /// Shortest paths on the map, by relaxing every street until nothing changes.
    fn shortest(n: usize, [main, town, lane]: [f64; 3]) -> f64 {
        let at = |row: usize, column: usize| row * n + column;
        let mut streets = Vec::new();
        for i in 0..n {
            for k in 0..n - 1 {
                // along row i from column k on, and along column i from row k on
                let across = if i == 0 {
                    main
                } else if i == n - 1 {
                    lane
                } else {
                    town
                };
                let along = if i == 0 {
                    lane
                } else if i == n - 1 {
                    main
                } else {
                    town
                };
                streets.push((at(i, k), at(i, k + 1), 1.0 / across));
                streets.push((at(k, i), at(k + 1, i), 1.0 / along));
            }
        }
        let mut left = vec![f64::INFINITY; n * n];
        left[n * n - 1] = 0.0;
        for _ in 0..n * n {
            for &(a, b, length) in &streets {
                left[a] = left[a].min(left[b] + length);
                left[b] = left[b].min(left[a] + length);
            }
        }
        left[0]
    }

    #[test]
    fn values_are_shortest_paths() {
        for n in [3, 5, 8] {
            for theta in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.2, 0.6, 0.2], [0.1, 0.5, 0.4]]
            {
                let mixed = |day: [f64; 3]| day.iter().zip(theta).map(|(p, weight)| p * weight).sum::<f64>();
                let streets = [[0.95, 0.3, 0.8], [0.85, 0.8, 0.25], [0.6; 3]].map(mixed);
                let text = theta.map(|x| x.to_string()).join(",");
                let instance = build("delivery", &Settings::new().set("n", n).set("theta", text)).unwrap();
                let v = optimal(&instance).v[0];
                assert!((v - shortest(n, streets)).abs() < 1e-9, "{n} {theta:?}: {v}");
            }
        }
    }

    /// The forecasts matter: each of these days has a way of its own.
    #[test]
    fn the_best_way_depends_on_the_day() {
        let way = |theta: &str| {
            let instance = build("delivery", &Settings::new().set("theta", theta)).unwrap();
            let policy = optimal(&instance).policy;
            let (problem, mut s, mut way) = (&instance.problem, 0, Vec::new());
            while s != problem.goal() {
                let next = problem.successors(problem.pair(s, policy[s])).iter().find(|&&t| t as usize != s);
                s = *next.unwrap() as usize;
                way.push(s);
            }
            way
        };
        // along the top, then down the last column
        assert_eq!(way("1,0,0"), [1, 2, 3, 4, 9, 14, 19, 24]);
        assert_eq!(way("0,0,1"), way("1,0,0"));
        // the first and the last street are a lane, all others the old town's
        let inside = |s: &&usize| (1..4).contains(&(**s / 5)) && (1..4).contains(&(**s % 5));
        let rush = way("0,1,0");
        assert_eq!((rush.len(), rush.iter().filter(inside).count()), (8, 5), "{rush:?}");
        assert_eq!((rush[0], rush[6]), (5, 23), "{rush:?}");
        // down the first column, then along the bottom
        assert_eq!(way("0,0.6,0.4"), [5, 10, 15, 20, 21, 22, 23, 24]);
        let model = build("delivery", &Settings::new()).unwrap().problem.model_name(1).into_owned();
        assert_eq!(model, "rush hour");
    }

    #[test]
    fn what_cannot_be_is_refused_by_name() {
        for (key, value) in [("n", "2"), ("theta", "1,0"), ("theta", "0.5,0.6,-0.1")] {
            let error = build("delivery", &Settings::new().set(key, value)).unwrap_err().to_string();
            assert!(error.contains(key), "{error}");
        }
    }
}
