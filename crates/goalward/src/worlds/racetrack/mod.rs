//! `racetrack`: a car on a track, which steers by its acceleration.
//!
//! A state is the car's cell and its velocity, in cells per step. An action is an acceleration of
//! -1, 0 or 1 in each direction: up left, up, up right, left, coast, right, down left, down, down
//! right. The velocity changes by it, and then the car moves along the straight line:
//!
//! * if it meets the finish, the race is over;
//! * if it meets a wall or the edge of the map before, it is put back on the starting line, on a
//!   square at random, and stands still;
//! * with some probability the acceleration fails and is zero instead.
//!
//! Every step costs 1. An episode begins on one square of the line, `square`, counted from the top.
//! (In the original it is drawn; a crash draws it here too.) A line of n cells in its longer
//! direction is looked at in n points, each rounded to a cell with halves away from zero; the
//! original does not say how. Only states that can be reached from the line are listed.
//!
//! There are two candidate models: on a `dry` track the acceleration fails with probability 0.1, as
//! in the original, and on a `wet` one with 0.4. theta* = (1 - wet, wet), dry by default.
//!
//! Maps: `barto-small` is the small track of the original, 12 x 35; `corner` is made for a first
//! look; anything else is the path of a text file with X for walls, S for the starting line, G for
//! the finish and blanks for the road. The tests solve both maps once more, from the rules and not
//! from the problem: V*(start) = 13.3217 on `barto-small`, with 9,312 states before the finish, and
//! 4.6008 on `corner`, with 133.

mod track;

use self::track::{Car, Outcome, Track};
use super::candidates::{Outcomes, absorb, mixture, names, pair};
use super::{SIMPLEX, WorldEntry};
use crate::Result;
use crate::memory;
use crate::parameters::{Key, Reader};
use crate::problem::{Instance, Problem, State};
use std::collections::HashMap;

pub(super) const ENTRY: WorldEntry = WorldEntry {
    id: "racetrack",
    title: "drive a car around a corner by accelerations that may fail; thousands of states",
    reference: "Barto, Bradtke, Singh (1995); the small track as drawn in mdp-lib (Luis Pineda)",
    parameters: &[MAP.about(), SQUARE.about(), WET.about(), SIMPLEX.about()],
    build,
};

const MAP: Key<String> =
    Key::text("map", "barto-small, corner, or the path of a file with a map").or("barto-small");
const SQUARE: Key<u64> =
    Key::count("square", 0, 1_000_000, "the square of the starting line where episodes begin, from 0")
        .or("0");
const WET: Key<f64> =
    Key::number("wet", 0.0, 1.0, "the weight of the wet model: the truth has (1 - wet, wet)").or("0");

/// With which probability an acceleration fails, dry and wet.
const FAILS: [f64; 2] = [0.1, 0.4];
const ACTIONS: [&str; 9] =
    ["up left", "up", "up right", "left", "coast", "right", "down left", "down", "down right"];
const COAST: (i32, i32) = (0, 0);
const MOST_STATES: usize = 1_000_000;

/// The acceleration of an action, down and right.
fn acceleration(a: usize) -> (i32, i32) {
    (a as i32 / 3 - 1, a as i32 % 3 - 1)
}

/// All that can be reached from the starting line, in the order in which it is found.
fn reached(track: &Track) -> Option<(Vec<Car>, HashMap<Car, State>)> {
    let mut cars: Vec<Car> = track.starts().into_iter().map(Car::at).collect();
    let mut numbers: HashMap<Car, State> = cars.iter().enumerate().map(|(s, car)| (*car, s)).collect();
    let mut done = 0;
    while done < cars.len() {
        for a in 0..ACTIONS.len() {
            if let Outcome::On(next) = track.drive(cars[done], acceleration(a)) {
                let new = cars.len();
                if *numbers.entry(next).or_insert(new) == new {
                    cars.push(next);
                }
            }
        }
        if cars.len() > MOST_STATES {
            return None;
        }
        done += 1;
    }
    Some((cars, numbers))
}

fn build(settings: &Reader) -> Result<Instance> {
    let name = settings.get(&MAP)?;
    let track = Track::open(&name).map_err(|reason| settings.refuse(&MAP, reason))?;
    let lines = track.starts().len();
    let (square, wet) = (settings.get(&SQUARE)? as usize, settings.get(&WET)?);
    if square >= lines {
        let reason = format!("the starting line of this map has squares 0 to {}", lines - 1);
        return Err(settings.refuse(&SQUARE, reason));
    }
    let too_large = || settings.refuse(&MAP, format!("it has more than {MOST_STATES} states"));
    let (cars, numbers) = reached(&track).ok_or_else(too_large)?;
    let (goal, pairs) = (cars.len(), cars.len() * ACTIONS.len());
    memory::require("this track", Problem::bytes_of(pairs, pairs * (1 + lines), 2))?;

    let mut builder = Problem::builder(ENTRY.id, goal + 1, 2);
    builder.start(square).goal(goal);
    for (s, car) in cars.iter().enumerate() {
        let lead = |acceleration, chance: f64| -> Outcomes {
            match track.drive(*car, acceleration) {
                Outcome::On(next) => vec![(numbers[&next], chance)],
                Outcome::Finished => vec![(goal, chance)],
                Outcome::Crashed => (0..lines).map(|start| (start, chance / lines as f64)).collect(),
            }
        };
        for a in 0..ACTIONS.len() {
            let model = |fails: f64| [lead(acceleration(a), 1.0 - fails), lead(COAST, fails)].concat();
            pair(&mut builder, s, 1.0, &FAILS.map(model))?;
        }
    }
    absorb(&mut builder, goal, ACTIONS.len(), 2)?;
    let car = |car: &Car| format!("({},{}) going ({:+},{:+})", car.row, car.column, car.down, car.right);
    builder.name_states(cars.iter().map(car).chain(["finish".to_string()]));
    builder.name_actions((0..=goal).map(|_| ACTIONS));
    builder.model_names(names(&["dry", "wet"]));
    mixture(settings, builder, &[1.0 - wet, wet])
}
