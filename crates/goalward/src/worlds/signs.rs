//! The law that `hard-instance`, `corridor` and `min-lower-bound` share: the actions are
//! sign vectors, and an action's chance to get on is linear in it with unknown coefficients.

use super::MOST_NUMBERS;
use crate::Result;
use crate::parameters::{Key, Reader};
use crate::problem::{Instance, Problem};

pub(super) const DIM: Key<u64> =
    Key::count("dim", 2, 16, "the number of features d, 2 to 16; there are 2^(d-1) actions").or("3");
pub(super) const B_STAR: Key<f64> =
    Key::number("b_star", 1.0, 1e6, "B* = V*(start), the cost of always playing all ones").or("3");
pub(super) const DELTA: Key<f64> = Key::number(
    "delta",
    0.0,
    1.0,
    "the mean chance of progress over all actions; the best one has 1/b_star, so 1/(2 b_star) < delta < \
     1/b_star",
)
.or("5/27");

/// Stages 0..length in a row, then the goal. In every stage the actions are a in {-1,1}^(d-1) and
///
/// P(next stage | a) = delta + <a, vartheta>, P(same stage | a) = 1 - delta - <a, vartheta>,
///
/// with phi(next) = [a, delta], phi(same) = [-a, 1 - delta] and theta* = (vartheta, 1), where every
/// entry of vartheta is Delta/(d-1) times the sign that the best action has there, and Delta =
/// 1/b_star - delta. Every step costs 1/length.
pub(super) struct Signs {
    pub(super) dim: usize,
    pub(super) delta: f64,
    pub(super) gap: f64,
    pub(super) length: usize,
    /// The number of the best action: bit i set means +1 in coordinate i.
    pub(super) best: usize,
}

impl Signs {
    /// Reads [`DIM`], [`B_STAR`] and [`DELTA`] and checks 0 < Delta < delta.
    pub(super) fn read(settings: &Reader, length: usize) -> Result<Signs> {
        let dim = settings.get(&DIM)? as usize;
        let b_star = settings.get(&B_STAR)?;
        let delta = settings.get(&DELTA)?;
        let gap = 1.0 / b_star - delta;
        if !(0.0 < gap && gap < delta) {
            let reason = format!(
                "Delta = 1/b_star - delta is {gap:.6}, but 0 < Delta < delta must hold so that \
                 all ones is the best \
                 action and every action can get on: for b_star={b_star}, delta must lie strictly between \
                 1/(2 b_star) = {:.6} and 1/b_star = {:.6}",
                0.5 / b_star,
                1.0 / b_star
            );
            return Err(settings.refuse(&DELTA, reason));
        }
        let numbers = (length << (dim - 1)).saturating_mul(2 * dim);
        if numbers > MOST_NUMBERS {
            let reason = format!("{length} stages of 2^{} actions are too many to build", dim - 1);
            return Err(settings.refuse(&DIM, reason));
        }
        Ok(Signs { dim, delta, gap, length, best: (1 << (dim - 1)) - 1 })
    }

    /// Builds the problem; `stage` names the stages.
    pub(super) fn build(
        &self,
        name: &str,
        simplex: bool,
        stage: impl Fn(usize) -> String,
    ) -> Result<Instance> {
        let (d, goal, actions) = (self.dim, self.length, 1usize << (self.dim - 1));
        let mut builder = Problem::builder(name, goal + 1, d);
        builder.start(0).goal(goal);
        let sign = |a: usize, i: usize| if a >> i & 1 == 1 { 1.0 } else { -1.0 };
        for s in 0..goal {
            for a in 0..actions {
                let mut on: Vec<f64> = (0..d - 1).map(|i| sign(a, i)).collect();
                let mut stay: Vec<f64> = on.iter().map(|x| -x).collect();
                on.push(self.delta);
                stay.push(1.0 - self.delta);
                builder.action(s, 1.0 / self.length as f64)?;
                builder.feature(s, a, s, &stay)?;
                builder.feature(s, a, s + 1, &on)?;
            }
        }
        let mut absorbed = vec![0.0; d];
        absorbed[d - 1] = 1.0;
        for a in 0..actions {
            builder.action(goal, 0.0)?;
            builder.feature(goal, a, goal, &absorbed)?;
        }
        let word =
            |a: usize| (0..d - 1).map(|i| if sign(a, i) > 0.0 { '+' } else { '-' }).collect::<String>();
        let words: Vec<String> = (0..actions).map(word).collect();
        builder.name_actions((0..=goal).map(|_| &words));
        builder.name_states((0..goal).map(stage).chain(["goal".to_string()]));
        if simplex {
            builder.simplex();
        }
        let mut theta: Vec<f64> =
            (0..d - 1).map(|i| sign(self.best, i) * (self.gap / (d - 1) as f64)).collect();
        theta.push(1.0);
        Instance::new(builder.build()?, &theta)
    }
}
