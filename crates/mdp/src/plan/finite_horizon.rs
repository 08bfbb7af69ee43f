//! Backward induction over a horizon, for learners whose backup is a formula of their own.

use crate::numeric::halt::{Cut, Halt};
use crate::numeric::stored::{Flaw, ensure, length};
use serde::{Deserialize, Serialize};

/// One step of backward induction: from the carried values of step h + 1 to Q_h and those of h.
pub trait Backup {
    /// What is carried from step to step: V_h, and whatever else the learner needs of it.
    fn terminal(&self) -> Vec<f64>;
    /// Fills in Q_h per pair, and what is carried of step h.
    fn back(&mut self, next: &[f64], q: &mut [f64], now: &mut [f64]);
}

/// Q_h of a horizon, kept by the remaining steps. A backup depends on the layer behind it alone, so
/// once two layers are equal, or alternate, all earlier ones are known: a long horizon costs what
/// the way to the goal does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Layers {
    horizon: u64,
    /// How many of the last layers kept stand for all earlier ones, in turn: 1 or 2.
    period: u64,
    q: Vec<Vec<f64>>,
    /// What is carried; the first is behind the last step.
    carried: Vec<Vec<f64>>,
}

impl Layers {
    /// Backward induction over a horizon of at least one step.
    pub fn induce(backup: &mut impl Backup, pairs: usize, horizon: u64, halt: &Halt) -> Result<Self, Cut> {
        let mut layers = Layers { horizon, period: 1, q: Vec::new(), carried: vec![backup.terminal()] };
        for _ in 0..horizon {
            halt.check()?;
            let next = &layers.carried[layers.carried.len() - 1];
            let (mut q, mut now) = (vec![0.0; pairs], vec![0.0; next.len()]);
            backup.back(next, &mut q, &mut now);
            let kept = layers.q.len();
            let repeats = |back: &usize| {
                *back <= kept && now == layers.carried[kept + 1 - back] && q == layers.q[kept - back]
            };
            if let Some(back) = [1, 2].into_iter().find(repeats) {
                layers.period = back as u64;
                break;
            }
            layers.q.push(q);
            layers.carried.push(now);
        }
        Ok(layers)
    }

    fn place(&self, left: u64) -> usize {
        let kept = self.q.len() as u64;
        let place =
            if left <= kept { left } else { kept + 1 - self.period + (left - kept - 1) % self.period };
        place as usize
    }

    /// Layers that are kept.
    pub fn kept(&self) -> usize {
        self.q.len()
    }

    /// Q with this number of steps to go, the present one included.
    pub fn q(&self, left: u64) -> &[f64] {
        &self.q[self.place(left.max(1)) - 1]
    }

    /// The carried values with this number of steps to go; 0 is behind the last step.
    pub fn carried(&self, left: u64) -> &[f64] {
        &self.carried[self.place(left)]
    }

    /// Whether stored layers fit these numbers of pairs and values and this horizon.
    pub fn check(&self, pairs: usize, carried: usize, horizon: u64) -> Result<(), Flaw> {
        ensure(self.horizon == horizon, "horizon", || format!("{}, not {horizon}", self.horizon))?;
        let count = self.q.len();
        ensure(count >= 1 && count as u64 <= horizon, "q", || format!("{count} layers"))?;
        let in_turn = (1..=2).contains(&self.period) && self.period <= count as u64;
        ensure(in_turn, "period", || format!("{} of {count} layers", self.period))?;
        ensure(self.carried.len() == count + 1, "carried", || format!("{} layers", self.carried.len()))?;
        self.q.iter().try_for_each(|q| length("q", q, pairs))?;
        self.carried.iter().try_for_each(|v| length("carried", v, carried))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One state that is left with probability 1/2 at cost 1, and 8 to pay if it was not.
    struct Half;

    impl Backup for Half {
        fn terminal(&self) -> Vec<f64> {
            vec![8.0]
        }
        fn back(&mut self, next: &[f64], q: &mut [f64], now: &mut [f64]) {
            q[0] = 1.0 + 0.5 * next[0];
            now[0] = q[0];
        }
    }

    #[test]
    fn a_fixed_point_stands_for_all_earlier_layers() {
        let direct = |left: i32| 2.0 + 6.0 * 0.5f64.powi(left);
        let layers = Layers::induce(&mut Half, 1, 1_000_000, &Halt::never()).unwrap();
        assert!(layers.kept() < 70);
        for left in [0, 1, 2, 10, 60] {
            assert_eq!(layers.carried(left)[0], direct(left as i32));
        }
        assert_eq!((layers.q(1)[0], layers.q(900_000)[0], layers.carried(1_000_000)[0]), (5.0, 2.0, 2.0));
        assert!(layers.check(1, 1, 1_000_000).is_ok() && layers.check(2, 1, 1_000_000).is_err());
        let short = Layers::induce(&mut Half, 1, 3, &Halt::never()).unwrap();
        assert_eq!((short.kept(), short.q(3)[0]), (3, direct(3)));
    }

    /// Two states that swap their values at no cost, from 8 and 3 on.
    struct Swap;

    impl Backup for Swap {
        fn terminal(&self) -> Vec<f64> {
            vec![8.0, 3.0]
        }
        fn back(&mut self, next: &[f64], q: &mut [f64], now: &mut [f64]) {
            now.copy_from_slice(&[next[1], next[0]]);
            q.copy_from_slice(now);
        }
    }

    #[test]
    fn layers_that_alternate_stand_for_all_earlier_ones() {
        let layers = Layers::induce(&mut Swap, 2, 1_000_001, &Halt::never()).unwrap();
        assert_eq!(layers.kept(), 2);
        for left in [1, 2, 3, 4, 5, 999_999, 1_000_000, 1_000_001] {
            let expected = if left % 2 == 1 { [3.0, 8.0] } else { [8.0, 3.0] };
            assert_eq!((layers.q(left), layers.carried(left)), (&expected[..], &expected[..]), "{left}");
        }
        assert!(layers.check(2, 2, 1_000_001).is_ok());
        for period in [0, 3] {
            assert!(Layers { period, ..layers.clone() }.check(2, 2, 1_000_001).is_err());
        }
    }
}
