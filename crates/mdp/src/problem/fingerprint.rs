//! A hash of all that a problem says.

use super::{Problem, Truth};

/// A hash that is fed with values.
#[derive(Default)]
pub struct Fingerprint(blake3::Hasher);

impl Fingerprint {
    /// Costs, features, facts and names of a problem, but not the names of models.
    pub fn problem(&mut self, problem: &Problem) -> &mut Self {
        self.count(problem.dim()).count(problem.states()).count(problem.start()).count(problem.goal());
        for s in 0..problem.states() {
            self.text(&problem.state_name(s)).count(problem.actions(s));
            for (a, p) in problem.pairs_of(s).enumerate() {
                self.text(&problem.action_name(s, a)).number(problem.cost(p));
                self.count(problem.successors(p).len());
                for &next in problem.successors(p) {
                    self.count(next as usize);
                }
                problem.phi(p).iter().for_each(|&x| self.number(x));
            }
        }
        for fact in problem.extra() {
            fact.a.iter().for_each(|&x| self.number(x));
            self.number(fact.b);
        }
        self
    }

    /// The probabilities of a truth that is given by them.
    pub fn kernel(&mut self, truth: &Truth) -> &mut Self {
        self.text("kernel");
        truth.probabilities.all().iter().for_each(|&x| self.number(x));
        self
    }

    pub(crate) fn count(&mut self, count: usize) -> &mut Self {
        self.0.update(&(count as u64).to_le_bytes());
        self
    }

    /// With its length before it, so that two texts are not one.
    pub fn text(&mut self, text: &str) -> &mut Self {
        self.count(text.len()).0.update(text.as_bytes());
        self
    }

    /// Its bits.
    pub fn number(&mut self, x: f64) {
        self.0.update(&x.to_bits().to_le_bytes());
    }

    /// In hexadecimal digits.
    pub fn finish(&self) -> String {
        self.0.finalize().to_hex().to_string()
    }
}
