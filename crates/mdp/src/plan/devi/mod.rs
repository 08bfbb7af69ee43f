//! DEVI, discounted extended value iteration over a confidence set: Algorithm 2 of the paper, as
//! printed and fast. Both find V with 0 <= V <= the fixed point of
//!
//! (L V)(s) = min(B, min_a c(s,a) + (1 - q) min over theta in C ∩ B of <theta, phi_V(s,a)>),
//!
//! with (L V)(goal) = 0, and |V - L V| <= eps. The clamp at B (reading A14) is in every sweep: L
//! stays a monotone contraction and, as V* <= B, optimistic. V comes from certified lower bounds,
//! Q, from which actions are chosen, from primal values: a bound may be off by rounding, which
//! would break ties.
//!
//! `sweep` applies L to all states in chunks (`backup`: lines 5 and 6) from the starts in `warm`.
//! `newton` is policy iteration, `certificate` makes its V a lower bound; `evaluate` (`relax` for a
//! rapidly absorbing policy) and `improve` are its two steps.

mod backup;
mod certificate;
mod evaluate;
mod improve;
mod newton;
mod planner;
mod relax;
mod sweep;
mod warm;
mod way;

use crate::numeric::halt::{Cut, Halt};
use crate::numeric::support::SupportMin;
use crate::problem::Problem;
use backup::{Bounds, Chosen};
use evaluate::Equations;
pub use planner::Planner;
use relax::Arcs;
use warm::WarmStarts;
pub use way::{Met, Walk, way};

/// The number of support problems after which `auto` turns to policy iteration.
const FAITHFUL_WORK: usize = 1 << 16;

/// What is planned: the costs per pair, the bound B on values, and the paper's eps and q.
#[derive(Clone, Copy, Debug)]
pub struct Task<'a> {
    /// The problem.
    pub problem: &'a Problem,
    /// Costs per pair, as the learner sees them.
    pub costs: &'a [f64],
    /// The bound B.
    pub b: f64,
    /// The residual to reach.
    pub eps: f64,
    /// The transition bonus.
    pub q: f64,
}

/// How a planning call went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Convergence {
    /// Sweeps made.
    pub sweeps: u64,
    /// A bound on |V - L V|: the last change (faithful), or what the certificate says (fast).
    pub residual: f64,
    /// [`Planner::Faithful`] or [`Planner::Fast`], whichever finished.
    pub planner: Planner,
    /// Support problems solved by the conic solver.
    pub fallbacks: u64,
    /// The set was larger than asked for ([`SupportMin::is_relaxed`]); V is still optimistic.
    pub relaxed: bool,
}

/// From this number of pairs on a plan reports how far it is.
const SHOWN: usize = 1 << 16;

impl Convergence {
    fn new(planner: Planner, sweeps: u64, residual: f64) -> Convergence {
        Convergence { sweeps, residual, planner, fallbacks: 0, relaxed: false }
    }
}

/// The optimistic planner, with the tables of its last call.
///
/// Readings of the print of Algorithm 2:
/// * D1: the loop tests |V^(i) - V^(i-1)|, with V^(-1) infinite, so there is at least one sweep;
/// * D2, D3: it returns the last Q computed, and V its minimum.
///
/// **Cost**: sweeps x pairs support problems. Large problems are swept in parallel over fixed
/// chunks of states; the result does not depend on the number of threads.
#[derive(Clone, Debug)]
pub struct Devi {
    /// Q per pair, from primal values.
    pub q: Vec<f64>,
    /// V per state, from certified bounds, in [0, B].
    pub v: Vec<f64>,
    before: Vec<f64>,
    warm: WarmStarts,
    /// The minimising action and theta of each state; only policy iteration fills it.
    chosen: Option<Chosen>,
    equations: Equations,
    bounds: Bounds,
    /// For large problems the states from the goal outwards, and the place of each.
    ranks: Option<(Vec<u32>, Vec<u32>)>,
    arcs: Arcs,
    halt: Halt,
}

impl Devi {
    /// Buffers for a problem.
    pub fn new(problem: &Problem) -> Self {
        let (states, pairs) = (problem.states(), problem.pairs());
        Devi {
            q: vec![0.0; pairs],
            v: vec![0.0; states],
            before: vec![0.0; states],
            warm: WarmStarts::new(pairs, problem.constraints().free()),
            chosen: None,
            equations: Equations::default(),
            bounds: Bounds::default(),
            ranks: None,
            arcs: Arcs::default(),
            halt: Halt::never(),
        }
    }

    /// Plans over a non-empty set. Policy iteration begins at `start`, value iteration at zero.
    pub fn plan(
        &mut self,
        task: &Task,
        set: &mut (impl SupportMin + Clone),
        planner: Planner,
        start: &[f64],
    ) -> Convergence {
        loop {
            // nothing can cut it off: the first round is the last
            if let Ok(done) = self.plan_unless(task, set, planner, start, &Halt::never()) {
                return done;
            }
        }
    }

    /// The same until asked to stop, within a fraction of a second on a million pairs. [`Devi::q`]
    /// and [`Devi::v`] are then invalid, and the next call does not depend on them.
    pub fn plan_unless(
        &mut self,
        task: &Task,
        set: &mut (impl SupportMin + Clone),
        planner: Planner,
        start: &[f64],
        halt: &Halt,
    ) -> Result<Convergence, Cut> {
        self.begin(halt); // lines 1 and 2
        if task.problem.pairs() >= SHOWN {
            halt.lacks(f64::INFINITY, 1.0);
        }
        let fallbacks = set.fallbacks();
        // line 3: a set is never empty
        let done = self.iterate_values(task, set, self.patience(planner)).and_then(|(sweeps, residual)| {
            if residual < task.eps {
                return Ok(Convergence::new(Planner::Faithful, sweeps, residual));
            }
            self.v.copy_from_slice(start);
            self.iterate_policies(task, set, sweeps)
        });
        halt.settled();
        // lines 9 and 11: `q` holds the last Q
        Ok(Convergence { fallbacks: set.fallbacks() - fallbacks, relaxed: set.is_relaxed(), ..done? })
    }

    /// Lines 1 and 2: Q^(0) = 0, V^(0) = 0.
    fn begin(&mut self, halt: &Halt) {
        self.halt = halt.clone();
        self.q.fill(0.0);
        self.v.fill(0.0);
        // a planning call must depend on its set alone, not on calls before it: a resumed run has
        // not made those
        self.warm.clear();
    }

    /// The sweeps after which value iteration gives way to policy iteration.
    fn patience(&self, planner: Planner) -> u64 {
        match planner {
            Planner::Faithful => u64::MAX,
            Planner::Auto => (FAITHFUL_WORK / self.q.len().max(1)) as u64,
            Planner::Fast => 0,
        }
    }

    /// Lines 4 to 8: value iteration from zero, in at most `most` sweeps. i, and the last change.
    fn iterate_values(
        &mut self,
        task: &Task,
        set: &mut (impl SupportMin + Clone),
        most: u64,
    ) -> Result<(u64, f64), Cut> {
        let (mut i, mut change) = (0, f64::INFINITY); // V^(-1) is infinite
        // line 4
        while change >= task.eps && i < most {
            change = self.step(task, set)?; // lines 5 and 6
            i += 1; // line 7
        }
        Ok((i, change))
    }

    /// One sweep over the values given, from the active rows of the last one; the change.
    pub fn apply(&mut self, task: &Task, set: &mut (impl SupportMin + Clone), values: &[f64]) -> f64 {
        self.v.copy_from_slice(values);
        self.halt = Halt::never();
        self.step(task, set).unwrap_or(f64::INFINITY) // never cut off
    }

    /// V <- L V; the change.
    fn step(&mut self, task: &Task, set: &mut (impl SupportMin + Clone)) -> Result<f64, Cut> {
        std::mem::swap(&mut self.v, &mut self.before);
        self.sweep(task, set, false)?;
        let changes = self.v.iter().zip(&self.before).map(|(x, y)| (x - y).abs());
        Ok(changes.fold(0.0, f64::max))
    }
}
