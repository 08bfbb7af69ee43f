//! `taxi`: fetch a passenger and take it where it wants to go.
//!
//! ```text
//! +---------+     R red, G green, Y yellow, B blue: where passengers wait and want to go
//! |R: | : :G|     :  nothing in the way
//! | : | : : |     |  a wall
//! | : : : : |
//! | | : | : |
//! |Y| : |B: |
//! +---------+
//! ```
//!
//! A state is the taxi's cell, the passenger's place (one of the four, or in the taxi) and the
//! destination: 500 states, and the goal. An episode starts where the parameters say. The actions
//! are south, north, east, west, pickup, dropoff. A move into a wall stays. Every step costs 1,
//! but a pickup where the passenger is not, and a dropoff that cannot be, cost 10 and change
//! nothing. A dropoff at one of the other three places leaves the passenger there. A dropoff at the
//! destination is the goal.
//!
//! There are two candidate models of the moves: `dry` makes the move; `rainy` makes it with
//! probability 0.8, and with 0.1 each one of the two across it. theta* = (1 - rain, rain), and rain
//! = 0 is Dietterich's.
//!
//! In the dry, V*(start) is the distance to the passenger and from there to the destination, around
//! the walls, and 2 for pickup and dropoff.

use super::candidates::{Outcomes, absorb, mixture, names, pair};
use super::{SIMPLEX, WorldEntry};
use crate::Result;
use crate::parameters::{Choice, Key, Reader};
use crate::problem::{Instance, Problem};

pub(super) const ENTRY: WorldEntry = WorldEntry {
    id: "taxi",
    title: "a taxi on a 5 x 5 map with walls: fetch the passenger, then deliver it; 501 states",
    reference: "Dietterich (2000); numbers and rain as in Gymnasium's Taxi-v3",
    parameters: &[
        ROW.about(),
        COLUMN.about(),
        PASSENGER.about(),
        DESTINATION.about(),
        RAIN.about(),
        SIMPLEX.about(),
    ],
    build,
};

const ROW: Key<u64> = Key::count("row", 0, 4, "the taxi's first row, 0 to 4 from the north").or("2");
const COLUMN: Key<u64> = Key::count("column", 0, 4, "the taxi's first column, 0 to 4 from the west").or("2");
const WORDS: &[Choice] =
    &[Choice::Word("red"), Choice::Word("green"), Choice::Word("yellow"), Choice::Word("blue")];
const PASSENGER: Key<String> = Key::choice("passenger", WORDS, "where the passenger waits").or("red");
const DESTINATION: Key<String> =
    Key::choice("destination", WORDS, "where the passenger wants to go; not where it waits").or("blue");
const RAIN: Key<f64> =
    Key::number("rain", 0.0, 1.0, "the weight of the rainy model: the truth has (1 - rain, rain)").or("0");

const PLACES: [(&str, (usize, usize)); 4] =
    [("red", (0, 0)), ("green", (0, 4)), ("yellow", (4, 0)), ("blue", (4, 3))];
/// The passenger's place when it is in the taxi.
const ABOARD: usize = 4;
const ACTIONS: [&str; 6] = ["south", "north", "east", "west", "pickup", "dropoff"];
/// The moves across each of the four moves.
const ACROSS: [[usize; 2]; 4] = [[2, 3], [2, 3], [0, 1], [0, 1]];
const STATES: usize = 500;
const ILLEGAL: f64 = 10.0;

/// Who is where.
#[derive(Clone, Copy)]
struct Ride {
    row: usize,
    column: usize,
    passenger: usize,
    destination: usize,
}

impl Ride {
    fn of(s: usize) -> Ride {
        Ride { row: s / 100, column: s / 20 % 5, passenger: s / 4 % 5, destination: s % 4 }
    }

    fn state(self) -> usize {
        ((self.row * 5 + self.column) * 5 + self.passenger) * 4 + self.destination
    }

    fn moved(self, toward: usize) -> Ride {
        let Ride { row, column, .. } = self;
        match toward {
            0 if row < 4 => Ride { row: row + 1, ..self },
            1 if row > 0 => Ride { row: row - 1, ..self },
            2 if column < 4 && !wall_east_of(row, column) => Ride { column: column + 1, ..self },
            3 if column > 0 && !wall_east_of(row, column - 1) => Ride { column: column - 1, ..self },
            _ => self,
        }
    }

    /// The cost of a pickup or dropoff, and where it leads.
    fn served(self, dropoff: bool) -> (f64, usize) {
        let here = PLACES.iter().position(|(_, place)| *place == (self.row, self.column));
        match (here, dropoff) {
            (Some(place), false) if place == self.passenger => {
                (1.0, Ride { passenger: ABOARD, ..self }.state())
            }
            (Some(place), true) if self.passenger == ABOARD && place == self.destination => (1.0, STATES),
            (Some(place), true) if self.passenger == ABOARD => {
                (1.0, Ride { passenger: place, ..self }.state())
            }
            _ => (ILLEGAL, self.state()),
        }
    }

    fn name(self) -> String {
        let passenger = PLACES.get(self.passenger).map_or("aboard", |(name, _)| name);
        let to = PLACES[self.destination].0;
        format!("taxi ({},{}), passenger {passenger}, to {to}", self.row, self.column)
    }
}

fn wall_east_of(row: usize, column: usize) -> bool {
    match row {
        0 | 1 => column == 1,
        3 | 4 => column == 0 || column == 2,
        _ => false,
    }
}

fn build(settings: &Reader) -> Result<Instance> {
    let place = |key: &Key<String>| -> Result<usize> {
        let name = settings.get(key)?;
        let found = PLACES.iter().position(|(place, _)| *place == name);
        found.ok_or_else(|| settings.refuse(key, "there is no such place".into()))
    };
    let (passenger, destination) = (place(&PASSENGER)?, place(&DESTINATION)?);
    if passenger == destination {
        return Err(settings.refuse(&DESTINATION, "the passenger waits there already".into()));
    }
    let (row, column) = (settings.get(&ROW)? as usize, settings.get(&COLUMN)? as usize);
    let rain = settings.get(&RAIN)?;

    let mut builder = Problem::builder(ENTRY.id, STATES + 1, 2);
    builder.start(Ride { row, column, passenger, destination }.state()).goal(STATES);
    for s in 0..STATES {
        let ride = Ride::of(s);
        for (a, across) in ACROSS.iter().enumerate() {
            let sides = across.iter().map(|&side| (ride.moved(side).state(), 0.1));
            let ahead = ride.moved(a).state();
            let rainy: Outcomes = [(ahead, 0.8)].into_iter().chain(sides).collect();
            pair(&mut builder, s, 1.0, &[vec![(ahead, 1.0)], rainy])?;
        }
        for dropoff in [false, true] {
            let (cost, next) = ride.served(dropoff);
            pair(&mut builder, s, cost, &[vec![(next, 1.0)], vec![(next, 1.0)]])?;
        }
    }
    absorb(&mut builder, STATES, ACTIONS.len(), 2)?;
    let rides = (0..STATES).map(|s| Ride::of(s).name());
    builder.state_names(rides.chain(["delivered".to_string()]).collect());
    builder.action_names(vec![names(&ACTIONS); STATES + 1]);
    builder.model_names(names(&["dry", "rainy"]));
    mixture(settings, builder, &[1.0 - rain, rain])
}

#[cfg(test)]
mod tests {
    use crate::parameters::Settings;
    use crate::worlds::build;
    use crate::worlds::tests::{optimal, settled};

    /// The map as it is printed: what stands between two cells says whether there is a wall.
    const MAP: [&str; 5] = ["|R: | : :G|", "| : | : : |", "| : : : : |", "| | : | : |", "|Y| : |B: |"];
    const NAMES: [(&str, u8); 4] = [("red", b'R'), ("green", b'G'), ("yellow", b'Y'), ("blue", b'B')];

    fn open(row: usize, column: usize) -> bool {
        MAP[row].as_bytes()[2 * column + 2] == b':'
    }

    fn place(letter: u8) -> (usize, usize) {
        let all = (0..25).map(|cell| (cell / 5, cell % 5));
        all.into_iter().find(|&(row, column)| MAP[row].as_bytes()[2 * column + 1] == letter).unwrap()
    }

    fn neighbours((row, column): (usize, usize)) -> Vec<(usize, usize)> {
        let mut all = Vec::new();
        if row < 4 {
            all.push((row + 1, column));
        }
        if row > 0 {
            all.push((row - 1, column));
        }
        if column < 4 && open(row, column) {
            all.push((row, column + 1));
        }
        if column > 0 && open(row, column - 1) {
            all.push((row, column - 1));
        }
        all
    }

    fn distance(from: (usize, usize), to: (usize, usize)) -> usize {
        let (mut ring, mut steps) = (vec![from], 0);
        while !ring.contains(&to) {
            ring = ring.into_iter().flat_map(|cell| neighbours(cell).into_iter().chain([cell])).collect();
            ring.sort();
            ring.dedup();
            steps += 1;
        }
        steps
    }

    #[test]
    fn in_the_dry_values_are_distances() {
        for (from, letter) in NAMES {
            for (to, goal) in NAMES.into_iter().filter(|(to, _)| *to != from) {
                let settings = Settings::new().set("passenger", from).set("destination", to);
                let instance = build("taxi", &settings.set("row", 3).set("column", 1)).unwrap();
                let v = optimal(&instance).v[instance.problem.start()];
                let way = distance((3, 1), place(letter)) + distance(place(letter), place(goal)) + 2;
                assert!((v - way as f64).abs() < 1e-12, "{from} {to}: {v} {way}");
            }
        }
    }

    /// Rain once more, for one destination: 25 cells, the passenger at red or aboard. Nobody puts
    /// the passenger down on the way, since that only costs time.
    #[test]
    fn in_the_rain_values_are_those_of_the_rules() {
        let (red, blue) = (place(b'R'), place(b'B'));
        let v = settled(51, 50, |s| {
            let (cell, aboard) = ((s % 25 / 5, s % 25 % 5), s >= 25);
            let at = |(row, column): (usize, usize)| 5 * row + column + if aboard { 25 } else { 0 };
            let toward = |down: i64, right: i64| {
                let next = (cell.0 as i64 + down, cell.1 as i64 + right);
                let next = neighbours(cell).into_iter().find(|n| (n.0 as i64, n.1 as i64) == next);
                at(next.unwrap_or(cell))
            };
            let ways = [(1, 0), (-1, 0), (0, 1), (0, -1)];
            let moved = |(down, right): (i64, i64)| {
                let sides = [toward(right, down), toward(-right, -down)];
                (1.0, vec![(toward(down, right), 0.8), (sides[0], 0.1), (sides[1], 0.1)])
            };
            let mut all: Vec<_> = ways.map(moved).to_vec();
            match aboard {
                false if cell == red => all.push((1.0, vec![(25, 1.0)])),
                true if cell == blue => all.push((1.0, vec![(50, 1.0)])),
                _ => {}
            }
            all
        });
        let instance = build("taxi", &Settings::new().set("rain", 1)).unwrap();
        let best = optimal(&instance).v[instance.problem.start()];
        assert!((best - v[12]).abs() < 1e-9, "{best} {}", v[12]);
    }

    #[test]
    fn illegal_acts_cost_ten_and_change_nothing() {
        let taxi = build("taxi", &Settings::new()).unwrap().problem;
        assert_eq!((taxi.states(), taxi.pairs()), (501, 501 * 6));
        let start = taxi.start();
        assert_eq!(taxi.state_name(start), "taxi (2,2), passenger red, to blue");
        for a in [4, 5] {
            let p = taxi.pair(start, a);
            assert_eq!((taxi.cost(p), taxi.successors(p)), (10.0, &[start as u32][..]));
        }
        // aboard at green, to blue: a dropoff leaves the passenger at green
        let aboard =
            (0..500).find(|&s| taxi.state_name(s) == "taxi (0,4), passenger aboard, to blue").unwrap();
        let p = taxi.pair(aboard, 5);
        let next = taxi.state_name(taxi.successors(p)[0] as usize);
        assert_eq!((taxi.cost(p), &*next), (1.0, "taxi (0,4), passenger green, to blue"));
    }

    #[test]
    fn what_cannot_be_is_refused_by_name() {
        for (key, value) in
            [("row", "5"), ("column", "-1"), ("passenger", "pink"), ("destination", "red"), ("rain", "2")]
        {
            let error = build("taxi", &Settings::new().set(key, value)).unwrap_err().to_string();
            assert!(error.contains(key), "{error}");
        }
    }
}
