//! The values of a policy of many states that leaves soon: a few sweeps on all cores.
//!
//! Where states lead anywhere, the residual soon falls everywhere by the same factor from sweep to
//! sweep and is extrapolated (Aitken). A handful of sweeps is then enough, in the order of the
//! states. Other chains are left to [`evaluate`](super::evaluate). Sums are made in fixed chunks.

use super::evaluate::{Admissible, Equations};
use super::{Devi, Task};
use crate::numeric::linear::parts;
use crate::problem::State;
use rayon::prelude::*;

/// States per chunk. The chunks never depend on the number of threads.
const CHUNK: usize = 1024;
const SWEEPS: usize = 40;
/// Sweeps between two trials of whether [`SWEEPS`] will be enough, by the least residual so far:
/// extrapolation raises it for a sweep or two.
const TRIAL: usize = 6;
const BETWEEN: usize = 3;
/// A factor above this is not extrapolated.
const STEADY: f64 = 0.95;

#[derive(Clone, Debug, Default)]
pub(super) struct Arcs {
    /// Where the weights of each state's chosen successors begin; one more at the end.
    first: Vec<usize>,
    weight: Vec<f64>,
    leaving: Vec<f64>,
    charge: Vec<f64>,
    x: [Vec<f64>; 2],
}

#[derive(Clone, Copy, Default)]
struct Found {
    left: f64,
    /// The change times the change before, and that times itself.
    along: f64,
    before: f64,
}

#[derive(Default)]
struct Prospect {
    /// The least that was left so far, and at the last trial.
    least: f64,
    mark: f64,
}

impl Prospect {
    /// The prospect after this number of sweeps, which leave this residual.
    fn is_good(&mut self, sweep: usize, left: f64, enough: f64) -> bool {
        self.least = if sweep == 0 { left } else { self.least.min(left) };
        if !sweep.is_multiple_of(TRIAL) {
            return true;
        }
        let trials = ((SWEEPS - sweep) / TRIAL) as i32;
        let in_sight = sweep == 0 || self.least * (self.least / self.mark).powi(trials) <= enough;
        self.mark = self.least;
        in_sight && left.is_finite()
    }
}

impl Devi {
    /// V becomes the values of the choices; false, and V stays, if that would take long.
    pub(super) fn relax(&mut self, task: &Task, admissible: Admissible) -> bool {
        self.equations = Equations::default();
        let mut arcs = std::mem::take(&mut self.arcs);
        self.load(task, admissible.lowered, &mut arcs);
        let solved = self.iterate(task, admissible.residual, &mut arcs);
        if solved {
            self.v.copy_from_slice(&arcs.x[0]);
        }
        self.arcs = arcs;
        solved
    }

    fn load(&self, task: &Task, lowered: f64, arcs: &mut Arcs) {
        let problem = task.problem;
        let n = self.v.len();
        let pair = |s: State| self.chosen.as_ref().and_then(|chosen| chosen.pair[s]);
        arcs.first.clear();
        arcs.first.reserve_exact(n + 1);
        arcs.first.push(0);
        let (mut total, mut most) = (0, 0);
        for s in 0..n {
            total += pair(s).map_or(0, |p| problem.rows(p as usize).len());
            most += problem.pairs_of(s).map(|p| problem.rows(p).len()).max().unwrap_or(0);
            arcs.first.push(total);
        }
        // room for any choices, once: they differ from round to round
        arcs.weight.clear();
        arcs.weight.reserve_exact(most);
        arcs.weight.resize(total, 0.0);
        arcs.leaving.resize(n, 1.0);
        arcs.charge.resize(n, 0.0);
        let first = &arcs.first;
        let ends = (0..n).step_by(CHUNK).map(|start| first[(start + CHUNK).min(n)]);
        let weights = parts::split(&mut arcs.weight, ends);
        let charges = arcs.leaving.par_chunks_mut(CHUNK).zip(arcs.charge.par_chunks_mut(CHUNK));
        weights.into_par_iter().zip(charges).enumerate().for_each(|(k, (weights, (leaving, charge)))| {
            let from = first[k * CHUNK];
            for (s, (leaving, charge)) in (k * CHUNK..).zip(leaving.iter_mut().zip(charge)) {
                let own = &mut weights[first[s] - from..first[s + 1] - from];
                if s == problem.goal() {
                    own.fill(0.0);
                    (*leaving, *charge) = (1.0, 0.0);
                    continue;
                }
                let (outside, paid) = self.row(task, s, own);
                *leaving = outside + own.iter().sum::<f64>();
                *charge = paid - lowered;
            }
        });
    }

    /// Sweeps until no equation lacks more than `enough`; x[0] is then the answer.
    fn iterate(&self, task: &Task, enough: f64, arcs: &mut Arcs) -> bool {
        let [mut x, mut y] = std::mem::take(&mut arcs.x);
        x.clone_from(&self.v);
        x[task.problem.goal()] = 0.0;
        // the change of the sweep before is kept where it will be overwritten: in y
        y.clone_from(&x);
        let (mut solved, mut prospect, mut since) = (false, Prospect::default(), 0);
        for sweep in 0..SWEEPS {
            let found = self.sweep_over(task, arcs, &x, &mut y);
            if found.left <= enough {
                solved = true;
                break;
            }
            if !prospect.is_good(sweep, found.left, enough) {
                break;
            }
            since += 1;
            let rate = found.along / found.before;
            if since >= BETWEEN && (0.0..STEADY).contains(&rate) {
                // x + (y - x)/(1 - rate), where y holds the next values
                let ahead = 1.0 / (1.0 - rate);
                let chunks = y.par_chunks_mut(CHUNK).zip(x.par_chunks(CHUNK));
                chunks.for_each(|(y, x)| y.iter_mut().zip(x).for_each(|(y, x)| *y = x + ahead * (*y - x)));
                since = 0;
            }
            std::mem::swap(&mut x, &mut y);
            if self.halt.asked() {
                break;
            }
        }
        arcs.x = [x, y];
        solved && arcs.x[0].iter().all(|x| x.is_finite())
    }

    /// One sweep from x; y holds the values before x, and takes those after.
    fn sweep_over(&self, task: &Task, arcs: &Arcs, x: &[f64], y: &mut [f64]) -> Found {
        let problem = task.problem;
        let found: Vec<Found> = (y.par_chunks_mut(CHUNK).enumerate())
            .map(|(k, y)| {
                let mut found = Found::default();
                for (s, y) in (k * CHUNK..).zip(y) {
                    let weights = &arcs.weight[arcs.first[s]..arcs.first[s + 1]];
                    let chosen = self.chosen.as_ref().and_then(|chosen| chosen.pair[s]);
                    let next = chosen.map_or(&[][..], |p| problem.successors(p as usize));
                    let mut sum = arcs.charge[s];
                    for (w, &next) in weights.iter().zip(next) {
                        sum += w * x[next as usize];
                    }
                    let lacks = sum - arcs.leaving[s] * x[s];
                    let (change, before) = (lacks / arcs.leaving[s], x[s] - *y);
                    // what is not a number is not small either
                    found.left = if lacks.abs() <= found.left { found.left } else { lacks.abs() };
                    found.along += change * before;
                    found.before += before * before;
                    *y = x[s] + change;
                }
                found
            })
            .collect();
        found.into_iter().fold(Found::default(), |all, part| Found {
            left: if part.left <= all.left { all.left } else { part.left },
            along: all.along + part.along,
            before: all.before + part.before,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::support::{ConvexSet, Ellipsoid};
    use crate::plan::Planner;
    use crate::problem::tests::{grid, mixture};

    /// After how many sweeps it is given up, if what is left is this.
    fn given_up(left: impl Iterator<Item = f64>, enough: f64) -> Option<usize> {
        let mut prospect = Prospect::default();
        left.take(SWEEPS).enumerate().find(|&(k, left)| !prospect.is_good(k, left, enough)).map(|(k, _)| k)
    }

    #[test]
    fn it_is_given_up_if_it_will_not_do_and_not_for_an_extrapolation() {
        // less is left only now and then
        let jumps = (0..).map(|k| 0.5f64.powi(k) * [1.0, 2.0, 4.0, 5.0][(k % 4) as usize]);
        assert_eq!(given_up(jumps, 1e-6), None);
        // as measured in the first plan of a mixture of a million pairs: enough after thirteen sweeps,
        // and once given up after twelve
        let mixture = [
            0.67162, 0.265, 0.12919, 1.2154, 0.4003, 0.12603, 0.029193, 0.016695, 0.010645, 0.064971,
            0.028851, 0.012938, 0.015049, 0.007637,
        ];
        assert_eq!(given_up(mixture.into_iter(), 1e-2), None);
        // 40 sweeps take off so much, or do not
        let steady = |rate: f64| (0..).map(move |k| rate.powi(k));
        assert_eq!(given_up(steady(0.7), 1e-5), None);
        assert_eq!(given_up(steady(0.7), 1e-8), Some(TRIAL));
        assert_eq!(given_up(steady(0.99), 1e-2), Some(TRIAL));
        // it begins well and stalls
        assert_eq!(given_up((0..).map(|k| 0.1f64.powi(k).max(1e-3)), 1e-6), Some(2 * TRIAL));
        assert_eq!(given_up(std::iter::repeat(f64::NAN), 1.0), Some(0));
        assert_eq!(given_up((0..).map(|k| 1e200f64.powi(k)), 1.0), Some(TRIAL));
    }

    /// Where states lead anywhere sweeps are enough; from neighbour to neighbour they are not.
    #[test]
    fn mixtures_are_swept_and_grids_are_not() {
        for (instance, swept) in [(mixture(5_000, 2, 10, 6), true), (grid(70), false)] {
            let problem = &*instance.problem;
            let d = problem.dim();
            let shape: Vec<f64> = (0..d * d).map(|k| f64::from(u8::from(k % (d + 1) == 0))).collect();
            for q in [1e-2, 1e-3, 1e-4] {
                let task = Task { problem, costs: problem.costs(), b: 1e4, eps: q, q };
                let mut devi = Devi::new(problem);
                let center = instance.truth().unwrap().theta().unwrap();
                let ellipsoid = Ellipsoid { center, shape: &shape, radius: 100.0 };
                let mut set = ConvexSet::new(problem.constraints(), ellipsoid).unwrap();
                devi.plan(&task, &mut set, Planner::Fast, &vec![0.0; problem.states()]);
                // only the other method needs an order of states
                assert_eq!(devi.ranks.is_none(), swept, "swept: {swept}, q = {q}");
            }
        }
    }
}
