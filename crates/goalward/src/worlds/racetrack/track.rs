//! Maps of racetracks, and where a car gets on them.

use std::fs::File;
use std::io::Read;

/// A position with a velocity, in cells and cells per step; rows count downwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Car {
    pub(super) row: i32,
    pub(super) column: i32,
    pub(super) down: i32,
    pub(super) right: i32,
}

impl Car {
    pub(super) fn at((row, column): (i32, i32)) -> Car {
        Car { row, column, down: 0, right: 0 }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    On(Car),
    Crashed,
    Finished,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cell {
    Wall,
    Road,
    Start,
    Finish,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Track {
    rows: Vec<Vec<Cell>>,
}

pub(super) const NAMES: [&str; 2] = ["barto-small", "corner"];
const MOST_BYTES: u64 = 1_000_000;

/// Barto's small track: how many rows are alike, and of each row the cells of wall, start, finish
/// and road, from the left.
const BARTO_SMALL: [[usize; 5]; 6] = [
    [1, 32, 0, 3, 0],
    [4, 32, 0, 0, 3],
    [4, 0, 1, 0, 34],
    [1, 4, 0, 0, 31],
    [1, 8, 0, 0, 27],
    [1, 12, 0, 0, 23],
];
const CORNER: &str = "XXXXXGG\nXXXXX  \nS      \nS      ";

impl Track {
    /// A built-in map by its name, or else a map from a file; what is wrong, if it cannot be.
    pub(super) fn open(name: &str) -> Result<Track, String> {
        match name {
            "barto-small" => Ok(barto_small()),
            "corner" => Track::parse(CORNER),
            path => Track::parse(&read(path)?),
        }
    }

    /// Reads rows of `X` (wall), `S` (start), `G` (finish) and blanks (road). Lines of digits
    /// alone, which say the size, are passed over. What a short row lacks is wall.
    fn parse(text: &str) -> Result<Track, String> {
        let is_size = |line: &str| !line.is_empty() && line.bytes().all(|b| b.is_ascii_digit());
        let lines = text.lines().map(|line| line.trim_end_matches('\r')).filter(|line| !is_size(line));
        let mut rows = Vec::new();
        for (row, line) in lines.enumerate() {
            let cell = |(column, letter)| match letter {
                'X' => Ok(Cell::Wall),
                ' ' => Ok(Cell::Road),
                'S' => Ok(Cell::Start),
                'G' => Ok(Cell::Finish),
                other => Err(format!("row {row}, column {column} is {other:?}: expected X, S, G or a blank")),
            };
            rows.push(line.chars().enumerate().map(cell).collect::<Result<Vec<Cell>, String>>()?);
        }
        let track = Track { rows };
        let has = |cell| track.rows.iter().flatten().any(|c| *c == cell);
        match (has(Cell::Start), has(Cell::Finish)) {
            (false, _) => Err("the map has no start: no cell is S".into()),
            (_, false) => Err("the map has no finish: no cell is G".into()),
            _ => Ok(track),
        }
    }

    /// The cells of the starting line, row after row.
    pub(super) fn starts(&self) -> Vec<(i32, i32)> {
        let mut all = Vec::new();
        for (r, row) in self.rows.iter().enumerate() {
            let starts = row.iter().enumerate().filter(|(_, cell)| **cell == Cell::Start);
            all.extend(starts.map(|(c, _)| (r as i32, c as i32)));
        }
        all
    }

    fn cell(&self, row: i32, column: i32) -> Cell {
        let row = usize::try_from(row).ok().and_then(|row| self.rows.get(row));
        let cell = usize::try_from(column).ok().and_then(|column| row?.get(column));
        cell.copied().unwrap_or(Cell::Wall)
    }

    /// A step with this acceleration: along the straight line, the first wall is a crash and the
    /// first cell of the finish ends the race.
    pub(super) fn drive(&self, car: Car, (down, right): (i32, i32)) -> Outcome {
        let (down, right) = (car.down + down, car.right + right);
        let n = down.abs().max(right.abs());
        for i in 1..=n {
            match self.cell(car.row + share(i, down, n), car.column + share(i, right, n)) {
                Cell::Wall => return Outcome::Crashed,
                Cell::Finish => return Outcome::Finished,
                Cell::Road | Cell::Start => {}
            }
        }
        Outcome::On(Car { row: car.row + down, column: car.column + right, down, right })
    }
}

/// i/n of a way, to the nearest cell; halves are rounded away from zero.
fn share(i: i32, way: i32, n: i32) -> i32 {
    way.signum() * ((2 * i * way.abs() + n) / (2 * n))
}

fn barto_small() -> Track {
    let kinds = [Cell::Wall, Cell::Start, Cell::Finish, Cell::Road];
    let row = |cells: &[usize]| {
        kinds.iter().zip(cells).flat_map(|(kind, &n)| std::iter::repeat_n(*kind, n)).collect::<Vec<_>>()
    };
    let rows = BARTO_SMALL.iter().flat_map(|[alike, cells @ ..]| vec![row(cells); *alike]).collect();
    Track { rows }
}

fn read(path: &str) -> Result<String, String> {
    let maps = NAMES.join(", ");
    let file = File::open(path).map_err(|error| format!("it is no map ({maps}), and no file: {error}"))?;
    let mut text = String::new();
    let read = file.take(MOST_BYTES + 1).read_to_string(&mut text);
    read.map_err(|error| format!("the file cannot be read: {error}"))?;
    if text.len() as u64 > MOST_BYTES {
        return Err(format!("the file has more than {MOST_BYTES} bytes"));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cars_drive_along_straight_lines() {
        let track = Track::open("corner").unwrap();
        let car = Car::at((2, 0));
        let Outcome::On(on) = track.drive(car, (0, 1)) else { panic!() };
        assert_eq!(on, Car { row: 2, column: 1, down: 0, right: 1 });
        assert_eq!(track.drive(car, (-1, 0)), Outcome::Crashed);
        assert_eq!(track.drive(car, (0, -1)), Outcome::Crashed);
        let fast = Car { row: 2, column: 5, down: -3, right: 0 };
        assert_eq!(track.drive(fast, (0, 0)), Outcome::Finished, "the finish comes before the edge");
        // (1,4) is wall on the straight way from (2,3) to (0,5)
        assert_eq!(track.drive(Car { row: 2, column: 3, down: -2, right: 2 }, (0, 0)), Outcome::Crashed);
        assert_eq!(track.drive(car, (0, 0)), Outcome::On(car));
        assert_eq!((share(1, -3, 2), share(1, 1, 3), share(2, 1, 3), share(3, 5, 3)), (-2, 0, 1, 5));
    }

    #[test]
    fn maps_are_read_as_they_are_drawn() {
        let track = Track::open("barto-small").unwrap();
        assert_eq!((track.rows.len(), track.rows[0].len()), (12, 35));
        assert!(track.rows.iter().all(|row| row.len() == 35));
        assert_eq!(track.starts(), [(5, 0), (6, 0), (7, 0), (8, 0)]);
        assert_eq!(Track::parse("7\n4\nXXXXXGG\r\nXXXXX  \nS      \nS      \n"), Track::open("corner"));
        assert!(Track::parse("SxG").unwrap_err().contains("row 0, column 1 is 'x'"));
        assert!(Track::parse("G").unwrap_err().contains("no start"));
        assert!(Track::parse("S").unwrap_err().contains("no finish"));
        assert!(Track::open("no-such-map").unwrap_err().contains("barto-small"));
    }
}
