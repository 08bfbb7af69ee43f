//! Policy iteration on the rest of a reduced block.

use super::rest::Rest;
use super::{Evaluation, FINEST, Failed, ROUNDS, Solver};

/// What Krylov's method leaves of the equations while choices still change.
const COARSEST: f64 = 1e-4;
/// Sweeps in one improvement of a policy.
const IMPROVING: usize = 6;
/// An improvement counts if it exceeds this part of the value.
const NOISE: f64 = 1e-14;
/// The same where the values come from Krylov's method.
const KRYLOV_NOISE: f64 = 1e-12;

/// What an improvement did.
struct Improved {
    /// How often a node took another choice.
    changed: usize,
    /// The largest relative gain.
    largest: f64,
}

impl Solver<'_> {
    /// Policy iteration from a policy that leaves, and its rough values.
    pub(super) fn iterate(
        &mut self,
        rest: &Rest,
        policy: &mut Vec<u32>,
        x: &mut [f64],
    ) -> Result<(), Failed> {
        // by Krylov's method no more accurate than what is left to gain calls for
        self.tolerance = COARSEST;
        let found = self.improve_policies(rest, policy, x);
        self.tolerance = FINEST;
        found
    }

    fn improve_policies(&mut self, rest: &Rest, policy: &mut Vec<u32>, x: &mut [f64]) -> Result<(), Failed> {
        let (mut kept, mut coarse) = (policy.clone(), 1.0);
        let mut values = Vec::new();
        for round in 0..ROUNDS {
            if self.evaluate(rest.b, policy, x).is_err() {
                // rounding made a policy that never leaves look better
                policy.clone_from(&kept);
                coarse *= 100.0;
                if round == 0 || coarse > 1e8 {
                    return Err(Failed);
                }
                self.evaluate(rest.b, policy, x)?;
            }
            kept.clone_from(policy);
            values.clear();
            values.extend(rest.order.iter().map(|&s| x[s as usize]));
            let krylov = self.evaluation == Evaluation::Krylov;
            let noise = coarse * if krylov { KRYLOV_NOISE.max(0.01 * self.tolerance) } else { NOISE };
            let Improved { changed, largest } = self.improve_rest(rest, policy, x, noise);
            let settled = changed == 0 || *policy == kept;
            if krylov && self.tolerance > FINEST {
                let next = if settled { 1e-5 * self.tolerance } else { 1e-2 * largest };
                self.tolerance = next.min(self.tolerance).max(FINEST);
                continue;
            }
            if settled {
                rest.order.iter().zip(&values).for_each(|(&s, &value)| x[s as usize] = value);
                return Ok(());
            }
        }
        policy.clone_from(&kept);
        self.tolerance = FINEST;
        self.evaluate(rest.b, policy, x)
    }

    /// A few Gauss-Seidel sweeps in which nodes turn to choices that gain more than noise.
    fn improve_rest(&self, rest: &Rest, policy: &mut [u32], x: &mut [f64], noise: f64) -> Improved {
        let (mut changed, mut largest) = (0, 0.0f64);
        for _ in 0..IMPROVING {
            let mut moved = false;
            for &s in rest.order {
                let s = s as usize;
                for choice in self.first.choices(s) {
                    let gain = self.gain(s, choice, rest, x);
                    if self.sense.sigma() * gain < -noise * x[s].abs() {
                        largest = largest.max(gain.abs() / x[s].abs());
                        x[s] += gain;
                        moved = true;
                        changed += usize::from(policy[s] != choice as u32);
                        policy[s] = choice as u32;
                    }
                }
            }
            if !moved {
                break;
            }
        }
        Improved { changed, largest }
    }
}
