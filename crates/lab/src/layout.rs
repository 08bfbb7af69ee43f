//! Grid worlds: where the states lie, so that values, policies and paths can be drawn.

use goalward::Problem;

/// The cells of a grid, and the state in each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub columns: usize,
    /// Row and column of every state; none for a state that lies nowhere.
    pub places: Vec<Option<(usize, usize)>>,
}

/// A picture with more cells than this tells nobody anything.
const MOST_CELLS: usize = 10_000;

impl Layout {
    /// From the names of the states, `(row,column)`: `None` unless all states but a few have such a
    /// name, each cell at most one state.
    pub fn of(problem: &Problem) -> Option<Layout> {
        let places: Vec<Option<(usize, usize)>> =
            (0..problem.states()).map(|s| place(&problem.state_name(s))).collect();
        let known: Vec<(usize, usize)> = places.iter().flatten().copied().collect();
        let rows = known.iter().map(|p| p.0).max()? + 1;
        let columns = known.iter().map(|p| p.1).max()? + 1;
        let mut cells = known.clone();
        cells.sort_unstable();
        cells.dedup();
        let each_once = cells.len() == known.len();
        let most = known.len() >= 4 && places.len() - known.len() <= 1 + known.len() / 4;
        let small = rows.checked_mul(columns).is_some_and(|cells| cells <= MOST_CELLS);
        (each_once && most && small).then_some(Layout { rows, columns, places })
    }

    /// The state in a cell.
    pub fn state(&self, row: usize, column: usize) -> Option<usize> {
        self.places.iter().position(|place| *place == Some((row, column)))
    }
}

/// `(2,3)`, with or without words around it, such as `hole (2,3)`.
fn place(name: &str) -> Option<(usize, usize)> {
    let (inside, _) = name.split_once('(')?.1.split_once(')')?;
    let (row, column) = inside.split_once(',')?;
    Some((row.trim().parse().ok()?, column.trim().parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use goalward::{Settings, worlds};

    #[test]
    fn grids_have_a_layout_and_others_have_none() {
        let of = |world: &str| Layout::of(&worlds::build(world, &Settings::new()).unwrap().problem);
        let grid = of("windy-grid").unwrap();
        assert_eq!(grid.rows * grid.columns, grid.places.len());
        assert_eq!(grid.state(0, 1), Some(1));
        assert!(of("frozen-lake").is_some_and(|lake| lake.places.iter().all(Option::is_some)), "holes too");
        assert!(of("cliff").is_some());
        assert!(of("hard-instance").is_none() && of("taxi").is_none() && of("ladder").is_none());
    }
}
