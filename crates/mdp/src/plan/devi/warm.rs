//! The active rows of every pair's last support problem, in one array.

use crate::numeric::support::Warm;

/// Set in a count where it is known that the rows meet in a point of the set.
const KNOWN: u16 = 1 << 15;

/// For each pair a count and room for its active rows, of which numbers below 2^16 are kept.
#[derive(Clone, Debug)]
pub(super) struct WarmStarts {
    pub(super) width: usize,
    pub(super) rows: Vec<u16>,
    /// The set of which something is known.
    set: Option<u64>,
}

impl WarmStarts {
    pub(super) fn new(pairs: usize, free: usize) -> Self {
        WarmStarts { width: free + 1, rows: vec![0; pairs * (free + 1)], set: None }
    }

    pub(super) fn clear(&mut self) {
        self.rows.iter_mut().step_by(self.width).for_each(|count| *count = 0);
    }

    /// Turns to a set: what is known of another is forgotten.
    pub(super) fn turn_to(&mut self, set: Option<u64>) {
        if self.set != set || set.is_none() {
            self.rows.iter_mut().step_by(self.width).for_each(|count| *count &= !KNOWN);
            self.set = set;
        }
    }
}

/// Reads a pair's entry; whether its rows are known to meet in a point of the set.
pub(super) fn read(entry: &[u16], warm: &mut Warm) -> bool {
    warm.clear();
    let count = (entry[0] & !KNOWN) as usize;
    warm.extend(entry[1..=count].iter().map(|&row| u32::from(row)));
    entry[0] & KNOWN != 0
}

/// Writes a pair's entry; rows that do not fit are forgotten.
pub(super) fn write(entry: &mut [u16], warm: &Warm, known: bool) {
    let [count, kept @ ..] = entry else { return };
    *count = 0;
    for (kept, row) in kept.iter_mut().zip(warm.iter().filter_map(|&row| u16::try_from(row).ok())) {
        *kept = row;
        *count += 1;
    }
    if known && usize::from(*count) == warm.len() {
        *count |= KNOWN;
    }
}
