//! The active rows of every pair's last support problem, in one array.

use crate::numeric::support::Warm;

/// For each pair a count and room for as many rows as can be active at once.
#[derive(Clone, Debug)]
pub(super) struct WarmStarts {
    pub(super) width: usize,
    pub(super) rows: Vec<u32>,
}

impl WarmStarts {
    pub(super) fn new(pairs: usize, free: usize) -> Self {
        WarmStarts { width: free + 1, rows: vec![0; pairs * (free + 1)] }
    }

    /// Nothing is known of any pair.
    pub(super) fn clear(&mut self) {
        self.rows.iter_mut().step_by(self.width).for_each(|count| *count = 0);
    }
}

/// Reads a pair's entry.
pub(super) fn read(entry: &[u32], warm: &mut Warm) {
    warm.rows.clear();
    warm.rows.extend_from_slice(&entry[1..=entry[0] as usize]);
}

/// Writes a pair's entry; rows that do not fit are forgotten.
pub(super) fn write(entry: &mut [u32], warm: &Warm) {
    let count = warm.rows.len().min(entry.len() - 1);
    entry[0] = count as u32;
    entry[1..=count].copy_from_slice(&warm.rows[..count]);
}
