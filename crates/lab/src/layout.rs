//! Grid worlds: where the states lie, so that values, policies and paths can be drawn.

use goalward::Problem;
use goalward::problem::State;
use std::collections::BTreeMap;

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

/// A picture with more cells than this is illegible.
const MOST_CELLS: usize = 10_000;

impl Layout {
    /// From the names of the states, `(row,column)`: `None` unless all states but a few have such a
    /// name, each cell at most one state. The names of the actions that lead from or to a start or goal
    /// with another name say where it lies.
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
        let mut layout = (each_once && most && small).then_some(Layout { rows, columns, places })?;
        for state in [problem.start(), problem.goal()] {
            if layout.places[state].is_none()
                && let Some((row, column)) = layout.beside(problem, state)
            {
                layout.places[state] = Some((row, column));
                (layout.rows, layout.columns) = (layout.rows.max(row + 1), layout.columns.max(column + 1));
            }
        }
        Some(layout)
    }

    /// The free cell that is most often one move away, by the name of the action, from the states that
    /// lead to this one and that it leads to.
    fn beside(&self, problem: &Problem, state: State) -> Option<(usize, usize)> {
        let mut votes: BTreeMap<(usize, usize), f64> = BTreeMap::new();
        let beyond = |from: (usize, usize), down: f64, right: f64| {
            let (row, column) = (from.0 as f64 + down, from.1 as f64 + right);
            let cell = (row >= 0.0 && column >= 0.0).then_some((row as usize, column as usize))?;
            (cell.0 <= self.rows && cell.1 <= self.columns && self.state(cell.0, cell.1).is_none())
                .then_some(cell)
        };
        for s in 0..problem.states() {
            for (a, pair) in problem.pairs_of(s).enumerate() {
                let successors = problem.successors(pair);
                if s != state && !successors.contains(&(state as u32)) {
                    continue;
                }
                let Some((down, right)) = direction(&problem.action_name(s, a)) else { continue };
                let phi = problem.phi(pair);
                for (&next, phi) in successors.iter().zip(phi.chunks_exact(problem.dim())) {
                    let cell = match (s == state, next as State == state) {
                        (true, false) => self.places[next as usize].map(|to| beyond(to, -down, -right)),
                        (false, true) => self.places[s].map(|from| beyond(from, down, right)),
                        _ => None,
                    };
                    if let Some(Some(cell)) = cell {
                        *votes.entry(cell).or_default() += phi.iter().sum::<f64>();
                    }
                }
            }
        }
        let most = votes.values().copied().fold(0.0, f64::max);
        votes.into_iter().find(|&(_, votes)| most > 0.0 && votes >= most).map(|(cell, _)| cell)
    }

    /// The state in a cell.
    pub fn state(&self, row: usize, column: usize) -> Option<usize> {
        self.places.iter().position(|place| *place == Some((row, column)))
    }
}

/// The direction in the name of an action: rows down and columns to the right, or both.
pub fn direction(name: &str) -> Option<(f64, f64)> {
    let of = |word: &str| match word {
        "right" | "east" | "→" => Some((0.0, 1.0)),
        "down" | "south" | "↓" => Some((1.0, 0.0)),
        "left" | "west" | "←" => Some((0.0, -1.0)),
        "up" | "north" | "↑" => Some((-1.0, 0.0)),
        _ => None,
    };
    let name = name.to_lowercase();
    let words = name.split([' ', '-', '_']).map(of).collect::<Option<Vec<_>>>()?;
    let (down, right) = words.iter().fold((0.0, 0.0), |all, one| (all.0 + one.0, all.1 + one.1));
    (down != 0.0 || right != 0.0).then_some((down, right))
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
        let delivery = of("delivery").unwrap();
        assert_eq!((delivery.state(0, 0), delivery.state(4, 4)), (Some(0), Some(24)), "depot and customer");
        let cliff = worlds::build("cliff", &Settings::new()).unwrap().problem;
        let layout = Layout::of(&cliff).unwrap();
        assert_eq!((layout.rows, layout.columns), (4, 12), "the row of the edge");
        assert_eq!((layout.state(3, 0), layout.state(3, 11)), (Some(cliff.start()), Some(cliff.goal())));
        assert!(of("hard-instance").is_none() && of("taxi").is_none() && of("ladder").is_none());
    }
}
