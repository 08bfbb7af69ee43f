//! The racetrack once more, from its rules: another map, other geometry, another solver.

use goalward::Settings;
use goalward::episode::Arena;
use goalward::plan::{Options, solve};
use goalward::worlds;
use std::collections::HashMap;

const BARTO_SMALL: [&str; 12] = [
    "################################GGG",
    "################################...",
    "################################...",
    "################################...",
    "################################...",
    "S..................................",
    "S..................................",
    "S..................................",
    "S..................................",
    "####...............................",
    "########...........................",
    "############.......................",
];
const CORNER: [&str; 4] = ["#####GG", "#####..", "S......", "S......"];

/// Row, column, and the velocity in both directions.
type Car = (i64, i64, i64, i64);

enum End {
    On(Car),
    Crash,
    Finish,
}

fn letter(map: &[&str], row: i64, column: i64) -> u8 {
    let inside = row >= 0 && column >= 0 && row < map.len() as i64 && column < map[0].len() as i64;
    if inside { map[row as usize].as_bytes()[column as usize] } else { b'#' }
}

/// The step with this velocity, along points on the line.
fn step(map: &[&str], (row, column, _, _): Car, (down, right): (i64, i64)) -> End {
    let points = down.abs().max(right.abs());
    for i in 1..=points {
        let part = i as f64 / points as f64;
        let at = |from: i64, way: i64| from + (part * way as f64).round() as i64;
        match letter(map, at(row, down), at(column, right)) {
            b'#' => return End::Crash,
            b'G' => return End::Finish,
            _ => {}
        }
    }
    End::On((row + down, column + right, down, right))
}

/// V* of all squares of the starting line by value iteration, and the number of states.
fn solved(map: &[&str], fails: f64) -> (Vec<f64>, usize) {
    let cells =
        (0..map.len()).flat_map(|row| (0..map[0].len()).map(move |column| (row as i64, column as i64)));
    let line: Vec<Car> =
        cells.filter(|&(r, c)| letter(map, r, c) == b'S').map(|(r, c)| (r, c, 0, 0)).collect();
    let mut cars = line.clone();
    let mut number: HashMap<Car, usize> = line.iter().enumerate().map(|(i, car)| (*car, i)).collect();
    // where every one of nine accelerations leads: a state, or all of the line, or the finish
    let mut leads: Vec<Vec<Option<Option<usize>>>> = Vec::new();
    while leads.len() < cars.len() {
        let car = cars[leads.len()];
        let mut all = Vec::new();
        for (down, right) in (-1..=1).flat_map(|down| (-1..=1).map(move |right| (down, right))) {
            all.push(match step(map, car, (car.2 + down, car.3 + right)) {
                End::Finish => None,
                End::Crash => Some(None),
                End::On(next) => Some(Some(*number.entry(next).or_insert_with(|| {
                    cars.push(next);
                    cars.len() - 1
                }))),
            });
        }
        leads.push(all);
    }
    let mut v = vec![0.0; cars.len()];
    loop {
        let mut change: f64 = 0.0;
        for (s, all) in leads.iter().enumerate() {
            let worth = |lead: Option<Option<usize>>| match lead {
                None => 0.0,
                Some(Some(next)) => v[next],
                Some(None) => v[..line.len()].iter().sum::<f64>() / line.len() as f64,
            };
            // the middle one of the nine is no acceleration
            let failed = worth(all[4]);
            let best = all.iter().map(|lead| worth(*lead)).fold(f64::INFINITY, f64::min);
            let new = 1.0 + (1.0 - fails) * best + fails * failed;
            change = change.max((new - v[s]).abs());
            v[s] = new;
        }
        if change < 1e-12 {
            return (v[..line.len()].to_vec(), cars.len());
        }
    }
}

#[test]
fn both_maps_have_the_values_of_the_rules() {
    for (name, map) in [("corner", &CORNER[..]), ("barto-small", &BARTO_SMALL[..])] {
        // dry, wet, and one half of each: 0.1, 0.4 and 0.25
        for (wet, fails) in [(0.0, 0.1), (1.0, 0.4), (0.5, 0.25)] {
            let (values, states) = solved(map, fails);
            let settings = Settings::new().set("map", name).set("wet", wet);
            let track = worlds::open("racetrack", &settings).unwrap();
            assert_eq!(track.problem.states(), states + 1, "{name}: and the finish");
            let best = solve(&track.problem, track.truth().unwrap(), &Options::default()).unwrap();
            for (s, value) in values.iter().enumerate() {
                assert!((best.v[s] - value).abs() < 1e-6, "{name} {wet} {s}: {} {value}", best.v[s]);
            }
        }
    }
}

/// What the documentation of the world says.
#[test]
fn the_dry_tracks_have_their_known_values() {
    for (map, states, value) in [(&BARTO_SMALL[..], 9312, 13.3217), (&CORNER[..], 133, 4.6008)] {
        let (values, found) = solved(map, 0.1);
        assert_eq!(found, states);
        assert!((values[0] - value).abs() < 5e-5, "{values:?}");
    }
}

#[test]
fn the_start_is_the_square_that_was_asked_for() {
    let (values, _) = solved(&CORNER, 0.1);
    for (square, value) in values.iter().enumerate() {
        let settings = Settings::new().set("map", "corner").set("square", square);
        let arena = Arena::open("racetrack", &settings).unwrap();
        assert!((arena.optimal_cost() - value).abs() < 1e-9);
    }
    let wrong = Settings::new().set("map", "corner").set("square", 2);
    let error = Arena::open("racetrack", &wrong).unwrap_err().to_string();
    assert!(error.contains("square=2") && error.contains("0 to 1"), "{error}");
}

#[test]
fn maps_come_from_files_too() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        Settings::new().set("map", path.display())
    };
    let text = CORNER.join("\n").replace('#', "X").replace('.', " ");
    let ours = worlds::open("racetrack", &Settings::new().set("map", "corner")).unwrap();
    let read = worlds::open("racetrack", &file("corner.track", &text)).unwrap();
    assert_eq!(read.problem.difference(&ours.problem), None);
    for (text, part) in [("", "no start"), ("S  ", "no finish"), ("S?G", "'?'"), ("SXG", "goal")] {
        let error = worlds::open("racetrack", &file("wrong", text)).unwrap_err().to_string();
        assert!(error.contains(part), "{text:?}: {error}");
    }
}
