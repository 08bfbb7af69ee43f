//! A proper policy, evaluated to about 30 digits.

use super::model::{Choice, Model};
use super::number::Number;
use super::policy::Evaluation;
use super::sense::Sense;
use crate::numeric::linear::double::Double;
use crate::numeric::linear::system::System;

/// An improvement counts if it exceeds this part of the value: above the noise of a 30-digit
/// evaluation over long times, far below all that a certificate in f64 can show.
const NOISE: f64 = 1e-22;

/// A proper policy and its values.
pub(super) struct Evaluated {
    /// The choice of each node.
    pub(super) policy: Vec<Choice>,
    /// Its equations.
    pub(super) system: System,
    /// Its values, the goal's 0 at the end.
    pub(super) x: Vec<Double>,
    /// The relative size of the last correction: the order of the error of `x`.
    pub(super) accuracy: f64,
}

impl Evaluated {
    /// Solves in f64, then refines: the residual in 30 digits, its correction in f64.
    pub(super) fn new(model: &Model, policy: Vec<Choice>) -> Evaluated {
        let system = System::new(model.rows(&policy));
        let mut x = vec![Double::ZERO; model.nodes + 1];
        let (mut accuracy, mut rounds) = (f64::INFINITY, 0);
        loop {
            let residual = (0..model.nodes).map(|s| Double::slack(model, s, policy[s], &x).value.nearest());
            let correction = system.solve(residual.collect());
            let relative = |(d, x): (&f64, &Double)| match x.nearest() {
                0.0 if *d == 0.0 => 0.0,
                x => (d / x).abs(),
            };
            let size = correction.iter().zip(&x).map(relative).fold(0.0, f64::max);
            // the first correction is the f64 solution itself, infinite relative to x = 0
            if rounds > 1 && (size.is_nan() || size > 0.5 * accuracy) {
                break;
            }
            x.iter_mut().zip(&correction).for_each(|(x, &d)| *x = *x + d.into());
            (accuracy, rounds) = (size, rounds + 1);
            if accuracy < 1e-29 || rounds == 12 {
                break;
            }
        }
        Evaluated { policy, system, x, accuracy }
    }
}

impl Evaluation<'_> for Evaluated {
    const ROUNDS: usize = 300;

    fn of(model: &Model, policy: Vec<Choice>) -> Option<Evaluated> {
        model.is_proper(&policy).then(|| Evaluated::new(model, policy))
    }

    fn policy(&self) -> &[Choice] {
        &self.policy
    }

    fn better(&self, model: &Model, sense: Sense, node: usize) -> Option<Choice> {
        let noise = NOISE.max(100.0 * self.accuracy);
        let (mut best, mut better) = (-noise * self.x[node].nearest(), None);
        for choice in model.choices(node) {
            let slack = Double::slack(model, node, choice, &self.x).value.nearest();
            let gain = sense.sigma() * slack / model.leaving[choice];
            if gain < best {
                (best, better) = (gain, Some(choice));
            }
        }
        better
    }
}
