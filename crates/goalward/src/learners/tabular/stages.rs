//! The visits at which learners update a pair once a stage (Chen, Jafarnia-Jahromi, Jain, Luo
//! 2021): E_j = e_1 + ... + e_j with e_1 = H and e_{i+1} = floor((1 + 1/H) e_i).

use crate::numeric::Portable;

/// The stages of a horizon.
pub(super) struct Stages {
    horizon: u64,
    /// The length of the last stage that is listed.
    length: u64,
    ends: Vec<u64>,
}

impl Stages {
    /// H = the least power of two that is at least 4 (B/c_min) ln(2/beta) + 1, with beta = c_min/(2
    /// B^2 S A K).
    pub(super) fn horizon(b: f64, c_min: f64, sa: f64, episodes: u64) -> u64 {
        let beta = c_min / (2.0 * b * b * sa * episodes.max(1) as f64);
        let least = 4.0 * b / c_min * (2.0 / beta).log_e() + 1.0;
        (least.ceil().clamp(2.0, 2f64.powi(50)) as u64).next_power_of_two()
    }

    pub(super) fn new(horizon: u64) -> Stages {
        Stages { horizon, length: horizon, ends: vec![horizon] }
    }

    /// Whether a stage ends with this visit.
    pub(super) fn end(&mut self, n: u64) -> bool {
        while self.ends[self.ends.len() - 1] < n {
            // floor((1 + 1/H) e), in whole numbers
            self.length += self.length / self.horizon;
            self.ends.push(self.ends[self.ends.len() - 1] + self.length);
        }
        self.ends.binary_search(&n).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_grow_as_printed() {
        let mut stages = Stages::new(4);
        let ends: Vec<u64> = (1..80).filter(|&n| stages.end(n)).collect();
        // e = 4, 5, 6, 7, 8, 10, 12, 15
        assert_eq!(ends, [4, 9, 15, 22, 30, 40, 52, 67]);
        assert!(stages.end(22) && !stages.end(23));
    }

    #[test]
    fn the_horizon_is_a_power_of_two() {
        // 4 * 3 ln(2 * 18 * 10 * 100) + 1 = 126.9
        assert_eq!(Stages::horizon(3.0, 1.0, 10.0, 100), 128);
        assert!(Stages::horizon(1e12, 1e-12, 1e9, u64::MAX).is_power_of_two());
    }
}
