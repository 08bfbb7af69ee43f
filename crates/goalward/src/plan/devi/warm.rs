//! The active rows of every pair's last support problem, in one array.

use crate::numeric::support::Warm;

/// For each pair a count and room for as many rows as can be active at once. Only rows with numbers
/// below 2^16 are kept: two bytes each for what is a hint.
#[derive(Clone, Debug)]
pub(super) struct WarmStarts {
    pub(super) width: usize,
    pub(super) rows: Vec<u16>,
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
pub(super) fn read(entry: &[u16], warm: &mut Warm) {
    warm.rows.clear();
    warm.rows.extend(entry[1..=entry[0] as usize].iter().map(|&row| u32::from(row)));
}

/// Writes a pair's entry; rows that do not fit are forgotten.
pub(super) fn write(entry: &mut [u16], warm: &Warm) {
    let [count, kept @ ..] = entry else { return };
    *count = 0;
    for (kept, row) in kept.iter_mut().zip(warm.rows.iter().filter_map(|&row| u16::try_from(row).ok())) {
        *kept = row;
        *count += 1;
    }
}
