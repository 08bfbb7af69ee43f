//! The visits at which learners update a pair once a stage (Chen, Jafarnia-Jahromi, Jain, Luo
//! 2021): E_j = e_1 + ... + e_j. There are two schedules of a horizon H:
//!
//! * LCB-ADVANTAGE-SSP's: e_1 = H and e_{j+1} = floor((1 + 1/H) e_j);
//! * SVI-SSP's: e_1 = 1 and e_j = max(1, floor(E_{j-1}/H)).

use crate::numeric::Portable;
use crate::parameters::Value;

/// Which schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// SVI-SSP's: every visit at first.
    Every,
    /// LCB-ADVANTAGE-SSP's: none before the H-th visit.
    Long,
}

impl Value for Schedule {
    fn read(text: &str) -> Option<Schedule> {
        [Schedule::Every, Schedule::Long].into_iter().find(|schedule| schedule.typed() == text)
    }

    fn typed(&self) -> String {
        if *self == Schedule::Every { "every" } else { "long" }.into()
    }
}

pub(super) struct Stages {
    schedule: Schedule,
    horizon: u64,
    /// The length of the last stage that is listed.
    length: u64,
    /// Those before the first of them: every visit ends one, or none does.
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

    pub(super) fn new(schedule: Schedule, horizon: u64) -> Stages {
        // e_j = 1 until E_{j-1} = 2H: that many ends need no list
        let first = if schedule == Schedule::Every { 2 * horizon } else { horizon };
        Stages { schedule, horizon, length: horizon, ends: vec![first] }
    }

    pub(super) fn end(&mut self, n: u64) -> bool {
        if n < self.ends[0] {
            return self.schedule == Schedule::Every;
        }
        loop {
            let last = self.ends[self.ends.len() - 1];
            if last >= n {
                return self.ends.binary_search(&n).is_ok();
            }
            match self.schedule {
                Schedule::Every => self.length = last / self.horizon,
                // floor((1 + 1/H) e), in whole numbers
                Schedule::Long => self.length += self.length / self.horizon,
            }
            self.ends.push(last + self.length);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_grow_as_printed() {
        let mut stages = Stages::new(Schedule::Long, 4);
        let ends: Vec<u64> = (1..80).filter(|&n| stages.end(n)).collect();
        // e = 4, 5, 6, 7, 8, 10, 12, 15
        assert_eq!(ends, [4, 9, 15, 22, 30, 40, 52, 67]);
        assert!(stages.end(22) && !stages.end(23));
    }

    #[test]
    fn every_visit_ends_a_stage_at_first() {
        let mut stages = Stages::new(Schedule::Every, 3);
        let ends: Vec<u64> = (1..30).filter(|&n| stages.end(n)).collect();
        // e_j = 1 up to 6, then floor(6/3), floor(8/3), floor(10/3), 4, 5, 7
        assert_eq!(ends, [1, 2, 3, 4, 5, 6, 8, 10, 13, 17, 22, 29]);
        assert!(stages.end(4) && stages.end(13) && !stages.end(12));
        // no list is made of the visits before
        assert!(Stages::new(Schedule::Every, 1 << 50).end(1 << 40));
    }

    #[test]
    fn the_horizon_is_a_power_of_two() {
        // 4 * 3 ln(2 * 18 * 10 * 100) + 1 = 126.9
        assert_eq!(Stages::horizon(3.0, 1.0, 10.0, 100), 128);
        assert!(Stages::horizon(1e12, 1e-12, 1e9, u64::MAX).is_power_of_two());
    }
}
