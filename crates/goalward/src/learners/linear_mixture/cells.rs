//! A certified lower bound on V*, by cells of a confidence set.
//!
//! A plan over a set takes a theta for each pair, which is pessimistic about nothing and optimistic
//! about all pairs at once. The truth has one theta. So the set is split by half-spaces into cells
//! whose union it is. DEVI over a cell, with a theta for each pair *inside the cell*, is a lower
//! bound for every truth in that cell, and the least over the cells is one for the whole set.
//!
//! Why a cell's values are a bound: let W >= 0 be bounded, W(goal) = 0 and W <= L_X W for a cell X
//! that holds theta*, with any discount q in [0, 1). Then W <= c + P W along every proper policy,
//! and iterating, W <= V*. So the discount and the precision cost tightness, never validity.
//!
//! Best first: the cell with the least value of the start is split, across the main axis of what its
//! plan believes (the minimising theta of each pair on the way from the start, weighted by visits),
//! at the mean. That goes on until the value is near that of a single theta of the set, or the
//! effort is spent. Effort is counted, by the rows that support problems look at, never timed.

use super::model::Point;
use super::optimist::Rate;
use crate::numeric::dot;
use crate::numeric::support::{ConvexSet, SupportMin, Warm};
use crate::plan::{Cut, Devi, Halt, Planner, Task, way};

/// Cells at most.
const CELLS: usize = 32;
/// No cell is split once the least value is within this part of that of one theta.
const NEAR: f64 = 0.05;
/// Products in all, where a support problem takes those of a row with k numbers for each row that can
/// bind. A plan that takes more is not looked at again.
const AFFORDED: u64 = 1 << 23;
/// Iterations that find the main axis.
const TURNS: usize = 30;

/// A lower bound on V* for the planned costs.
#[derive(Clone, Debug)]
pub(super) struct Floor {
    /// For each state.
    pub(super) v: Vec<f64>,
    /// The cells that it was made from; none where that would take too long.
    pub(super) cells: usize,
}

struct Cell {
    set: ConvexSet,
    v: Vec<f64>,
}

/// What a cell's plan believes: where the set would have to be split.
struct Belief {
    /// The minimisers at greedy pairs on the way from the start, d numbers each.
    thetas: Vec<f64>,
    /// How often each is met.
    visits: Vec<f64>,
    mean: Vec<f64>,
}

/// The discount and the precision of the bound, in units of the largest cost.
pub(super) const RATE: Rate = Rate { eps: 1e-2, q: 1e-6 };

struct Splitter<'a> {
    task: &'a Task<'a>,
    devi: Devi,
    halt: &'a Halt,
    /// Support problems so far, and those of the last plan.
    spent: u64,
    last: u64,
}

/// Bounds V* from below for all truths in a set. `start` is where planning sets out, such as the
/// values of the plan over the set; `planned` the support problems that this plan took.
pub(super) fn floor(
    task: &Task,
    set: &ConvexSet,
    start: &[f64],
    planned: u64,
    halt: &Halt,
) -> Result<Floor, Cut> {
    let k = set.polytope().free();
    let weight = ((set.binding_rows() + k) * k).max(1) as u64;
    let affordable = AFFORDED / weight;
    if planned > affordable {
        // the plan's own values are a bound
        return Ok(Floor { v: start.to_vec(), cells: 0 });
    }
    let mut splitter = Splitter { task, devi: Devi::new(task.problem), halt, spent: 0, last: 0 };
    let v = splitter.plan(&mut set.clone(), start)?;
    let mut cells = vec![Cell { set: set.clone(), v }];
    let s = task.problem.start();
    let mut single = f64::INFINITY;
    let mut least = 0;
    while cells.len() < CELLS && splitter.spent + 3 * splitter.last <= affordable {
        let Some(belief) = splitter.believe(&mut cells[least])? else { break };
        single = single.min(splitter.plan(&mut Point(belief.mean.clone()), &cells[least].v)?[s]);
        if cells[least].v[s] >= (1.0 - NEAR) * single {
            break;
        }
        let Some(axis) = belief.axis() else { break };
        let Cell { set, v } = cells.swap_remove(least);
        for sign in [1.0, -1.0] {
            let mut half = belief.half(&set, &axis, sign);
            let v = splitter.plan(&mut half, &v)?;
            cells.push(Cell { set: half, v });
        }
        least = (0..cells.len()).min_by(|&i, &j| cells[i].v[s].total_cmp(&cells[j].v[s])).unwrap_or(0);
    }
    let mut v = vec![f64::INFINITY; task.problem.states()];
    for cell in &cells {
        v.iter_mut().zip(&cell.v).for_each(|(v, own)| *v = v.min(*own));
    }
    Ok(Floor { v, cells: cells.len() })
}

impl Splitter<'_> {
    fn plan(&mut self, set: &mut (impl SupportMin + Clone), start: &[f64]) -> Result<Vec<f64>, Cut> {
        let done = self.devi.plan_unless(self.task, set, Planner::Fast, start, self.halt)?;
        self.last = done.sweeps * self.task.problem.pairs() as u64;
        self.spent += self.last;
        Ok(self.devi.v.clone())
    }

    /// What the plan over a cell believes on its way from the start; none if it meets nothing.
    fn believe(&mut self, cell: &mut Cell) -> Result<Option<Belief>, Cut> {
        let problem = self.task.problem;
        let d = problem.dim();
        let way = way(self.task, &mut cell.set, &cell.v, self.halt)?;
        let (mut thetas, mut visits, mut mean) = (Vec::new(), Vec::new(), vec![0.0; d]);
        let (mut phi, mut theta) = (vec![0.0; d], vec![0.0; d]);
        for met in way.met.iter().filter(|met| met.visits > 0.0) {
            let best = (0..met.q.len()).min_by(|&a, &b| met.q[a].total_cmp(&met.q[b]));
            let Some(best) = best else { continue };
            problem.phi_v(problem.pairs_of(met.state).start + best, &cell.v, &mut phi);
            cell.set.min(&phi, &mut Warm::default());
            cell.set.minimiser(&mut theta);
            mean.iter_mut().zip(&theta).for_each(|(m, x)| *m += met.visits * x);
            thetas.extend_from_slice(&theta);
            visits.push(met.visits);
            self.spent += met.q.len() as u64 + 1;
        }
        let total: f64 = visits.iter().sum();
        mean.iter_mut().for_each(|m| *m /= total);
        Ok((total > 0.0).then_some(Belief { thetas, visits, mean }))
    }
}

impl Belief {
    /// The axis along which the minimisers differ most; none if they do not differ.
    fn axis(&self) -> Option<Vec<f64>> {
        let d = self.mean.len();
        let off = |theta: &[f64]| -> Vec<f64> { theta.iter().zip(&self.mean).map(|(x, m)| x - m).collect() };
        let mut square = vec![0.0; d * d];
        for (theta, visits) in self.thetas.chunks_exact(d).zip(&self.visits) {
            let off = off(theta);
            for i in 0..d {
                (0..d).for_each(|j| square[i * d + j] += visits * off[i] * off[j]);
            }
        }
        let widest = (0..d).max_by(|&i, &j| square[i * d + i].total_cmp(&square[j * d + j]))?;
        let mut axis = square[widest * d..(widest + 1) * d].to_vec();
        for _ in 0..TURNS {
            let size = dot(&axis, &axis).sqrt();
            if size.is_nan() || size <= 0.0 {
                return None;
            }
            axis.iter_mut().for_each(|x| *x /= size);
            axis = (0..d).map(|i| dot(&square[i * d..(i + 1) * d], &axis)).collect();
        }
        let size = dot(&axis, &axis).sqrt();
        axis.iter_mut().for_each(|x| *x /= size);
        let most = self.thetas.chunks_exact(d).map(|theta| dot(&axis, &off(theta)).abs()).fold(0.0, f64::max);
        (most > 1e-9).then_some(axis)
    }

    /// The half of a set on one side of the mean along the axis.
    fn half(&self, set: &ConvexSet, axis: &[f64], sign: f64) -> ConvexSet {
        let d = axis.len();
        let mut half = set.clone();
        let polytope = half.polytope();
        let (origin, k) = (polytope.origin().to_vec(), polytope.free());
        let mut row = vec![0.0; k];
        half.reduced(axis, &mut row);
        let at = dot(axis, &self.mean) - dot(axis, &origin);
        row.iter_mut().for_each(|x| *x *= sign);
        // the halves overlap by more than rounding
        half.cut(&row, sign * at + 1e-12 * (1.0 + at.abs()));
        // a minimiser on this side lies in it
        let along = |theta: &[f64]| sign * dot(axis, theta);
        let furthest = self.thetas.chunks_exact(d).min_by(|x, y| along(x).total_cmp(&along(y)));
        if let Some(theta) = furthest {
            half.witness(&half.polytope().coordinates(theta));
        }
        half
    }
}
