//! Cells in rows and columns, and the four moves between them.

/// The moves, in the order of their numbers: each is a quarter turn from the one before.
pub(super) const MOVES: [&str; 4] = ["right", "down", "left", "up"];

/// Cell (row, column) has number row x columns + column.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    pub(super) rows: usize,
    pub(super) columns: usize,
}

impl Grid {
    pub(super) fn cells(self) -> usize {
        self.rows * self.columns
    }

    /// Where a move leads; a move off the grid stays.
    pub(super) fn step(self, cell: usize, toward: usize) -> usize {
        let (row, column) = (cell / self.columns, cell % self.columns);
        match toward {
            0 if column + 1 < self.columns => cell + 1,
            1 if row + 1 < self.rows => cell + self.columns,
            2 if column > 0 => cell - 1,
            3 if row > 0 => cell - self.columns,
            _ => cell,
        }
    }

    /// A move and the two across it, a third each: how one slips on ice.
    pub(super) fn slip(self, cell: usize, toward: usize) -> Vec<(usize, f64)> {
        [toward, (toward + 1) % 4, (toward + 3) % 4].map(|way| (self.step(cell, way), 1.0 / 3.0)).to_vec()
    }

    pub(super) fn name(self, cell: usize) -> String {
        format!("({},{})", cell / self.columns, cell % self.columns)
    }
}
