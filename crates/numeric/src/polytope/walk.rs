//! Linear programs max a'y over {y : a_j'y <= s_j}, s_j > 0, from vertex to vertex: the simplex
//! method with an explicit inverse, warm from one objective to the next. The rows that meet in a
//! vertex bound every objective, which settles most questions without a step.

use crate::{dot, norm};
use rayon::prelude::*;

const LANES: usize = 8;
/// Multipliers that count as none; what they leave of the objective is accounted for.
const NONE: f64 = 1e-13;
/// How much of the objective, which has norm one, multipliers may leave.
const LEFT: f64 = 1e-12;
/// How far a row's slack may be exceeded, as a share of it.
const BEYOND: f64 = 1e-12;
/// Slacks grow by up to twice this share, each by its own, so that no vertex is degenerate.
const JITTER: f64 = 1e-10;
/// A row whose angle with the step is less than this does not stop it.
const FLAT: f64 = 1e-8;
/// Cells of the sphere of objectives, at most.
const CELLS: usize = 4096;
/// Exchanges after which the edges are computed afresh.
const AGE: usize = 100;
/// Steps, for each dimension, after which a program is given up.
const STEPS: usize = 50;

/// Rows a_j'y <= s_j, in blocks: one array for each component.
#[derive(Clone, Debug)]
pub(super) struct Slabs {
    k: usize,
    len: usize,
    a: Vec<[f64; LANES]>,
    /// Slacks, larger by the jitter.
    jittered: Vec<[f64; LANES]>,
    slacks: Vec<f64>,
    /// -a_j'y is at most this; infinite while nothing is known.
    far: Vec<f64>,
}

impl Slabs {
    pub(super) fn new(k: usize) -> Self {
        let (a, jittered, slacks, far) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Slabs { k, len: 0, a, jittered, slacks, far }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn push(&mut self, a: &[f64], slack: f64) {
        let lane = self.len % LANES;
        if lane == 0 {
            self.a.resize(self.a.len() + self.k, [0.0; LANES]);
            self.jittered.push([0.0; LANES]);
        }
        let block = self.len / LANES;
        a.iter().zip(&mut self.a[block * self.k..]).for_each(|(x, lanes)| lanes[lane] = *x);
        let share = ((self.len + 1) as f64 * 0.618_033_988_749_894_9).fract();
        self.jittered[block][lane] = slack * (1.0 + JITTER * (1.0 + share));
        self.slacks.push(slack);
        self.far.push(f64::INFINITY);
        self.len += 1;
    }

    pub(super) fn row(&self, row: usize) -> (Vec<f64>, f64) {
        ((0..self.k).map(|j| self.entry(row, j)).collect(), self.slacks[row])
    }

    pub(super) fn without(&self, row: usize) -> Slabs {
        let mut slabs = Slabs::new(self.k);
        for i in (0..self.len).filter(|&i| i != row) {
            let (a, slack) = self.row(i);
            slabs.push(&a, slack);
        }
        slabs
    }

    /// Finds how far every row lets y go the other way.
    pub(super) fn look_back(&mut self) -> u64 {
        let firsts: Vec<usize> = (0..self.len).step_by(64).collect();
        let this = &*self;
        let look = |first: usize| {
            let mut walk = Walk::new(this.k);
            let bound = |row: usize| {
                let minus: Vec<f64> = (0..this.k).map(|j| -this.entry(row, j)).collect();
                walk.bound(this, this.len, &minus, f64::NEG_INFINITY, f64::INFINITY) * (1.0 + 1e-9)
            };
            let far: Vec<f64> = (first..(first + 64).min(this.len)).map(bound).collect();
            (far, walk.work)
        };
        let found: Vec<(Vec<f64>, u64)> = firsts.into_par_iter().map(look).collect();
        let work = found.iter().map(|(_, work)| work).sum();
        self.far = found.into_iter().flat_map(|(far, _)| far).collect();
        work
    }

    fn entry(&self, row: usize, j: usize) -> f64 {
        self.a[row / LANES * self.k + j][row % LANES]
    }

    fn jittered(&self, row: usize) -> f64 {
        self.jittered[row / LANES][row % LANES]
    }

    fn dot(&self, row: usize, y: &[f64]) -> f64 {
        (0..self.k).map(|j| self.entry(row, j) * y[j]).sum()
    }
}

#[derive(Clone, Debug)]
struct Vertex {
    /// The rows that are tight; none for an equality of the start.
    basis: Vec<Option<usize>>,
    /// Edge r is the step along which row r of the basis grows by one and the others stay.
    edges: Vec<f64>,
    y: Vec<f64>,
    /// Exchanges since the edges were computed afresh.
    age: usize,
    /// The number of rows that it satisfies.
    rows: usize,
}

impl Vertex {
    /// y = 0, with equalities y_r = 0 in place of rows: these leave at need and never come back.
    fn start(k: usize) -> Self {
        let mut edges = vec![0.0; k * k];
        (0..k).for_each(|i| edges[i * k + i] = 1.0);
        Vertex { basis: vec![None; k], edges, y: vec![0.0; k], age: 0, rows: usize::MAX }
    }

    fn exchange(&mut self, slabs: &Slabs, r: usize, row: usize) {
        let k = slabs.k;
        let pivot = 1.0 / slabs.dot(row, &self.edges[r * k..(r + 1) * k]);
        self.edges[r * k..(r + 1) * k].iter_mut().for_each(|e| *e *= pivot);
        for q in (0..k).filter(|&q| q != r) {
            let share = slabs.dot(row, &self.edges[q * k..(q + 1) * k]);
            for j in 0..k {
                self.edges[q * k + j] -= share * self.edges[r * k + j];
            }
        }
        self.basis[r] = Some(row);
        self.age += 1;
        self.place(slabs);
    }

    fn place(&mut self, slabs: &Slabs) {
        self.y.fill(0.0);
        for (row, edge) in self.basis.iter().zip(self.edges.chunks_exact(slabs.k)) {
            if let Some(row) = row {
                let slack = slabs.jittered(*row);
                self.y.iter_mut().zip(edge).for_each(|(y, e)| *y += slack * e);
            }
        }
    }

    /// Computes the edges afresh, by elimination; fails if the rows are dependent.
    fn refresh(&mut self, slabs: &Slabs) -> bool {
        let k = slabs.k;
        // [M | I] -> [I | M^-1], M the rows of the basis
        let mut m = vec![0.0; 2 * k * k];
        for r in 0..k {
            for j in 0..k {
                let start = f64::from(u8::from(r == j));
                m[r * 2 * k + j] = self.basis[r].map_or(start, |row| slabs.entry(row, j));
            }
            m[r * 2 * k + k + r] = 1.0;
        }
        for column in 0..k {
            let size = |r: usize| m[r * 2 * k + column].abs();
            let largest = (column..k).fold(column, |best, r| if size(r) > size(best) { r } else { best });
            if size(largest) < 1e-12 {
                return false;
            }
            for j in 0..2 * k {
                m.swap(column * 2 * k + j, largest * 2 * k + j);
            }
            let pivot = 1.0 / m[column * 2 * k + column];
            m[column * 2 * k..(column + 1) * 2 * k].iter_mut().for_each(|x| *x *= pivot);
            for r in (0..k).filter(|&r| r != column) {
                let share = m[r * 2 * k + column];
                for j in 0..2 * k {
                    m[r * 2 * k + j] -= share * m[column * 2 * k + j];
                }
            }
        }
        // edge r is column r of the inverse
        for r in 0..k {
            for j in 0..k {
                self.edges[r * k + j] = m[j * 2 * k + k + r];
            }
        }
        self.age = 0;
        self.place(slabs);
        true
    }
}

/// Walks from vertex to vertex, and remembers the last one for each part of the sphere.
#[derive(Clone, Debug)]
pub(super) struct Walk {
    k: usize,
    at: Vertex,
    cells: Vec<Option<Vertex>>,
    last: usize,
    parts: usize,
    step: Vec<f64>,
    mu: Vec<f64>,
    toward: Vec<f64>,
    pub(super) work: u64,
}

impl Walk {
    pub(super) fn new(k: usize) -> Self {
        let zeros = || vec![0.0; k];
        let cells = |parts: usize| parts.saturating_pow(k as u32 - 1).saturating_mul(2 * k);
        let parts = (2..=16).take_while(|&parts| cells(parts) <= CELLS).last().unwrap_or(1);
        Walk {
            k,
            at: Vertex::start(k),
            cells: vec![None; cells(parts)],
            last: 0,
            parts,
            step: zeros(),
            mu: zeros(),
            toward: zeros(),
            work: 0,
        }
    }

    /// Where the last row was violated.
    pub(super) fn toward(&self) -> &[f64] {
        &self.toward
    }

    /// The cell of an objective: the face of a cube that it points to, and where.
    fn cell(&self, a: &[f64]) -> usize {
        let axis = (0..self.k).fold(0, |best, j| if a[j].abs() > a[best].abs() { j } else { best });
        let scale = self.parts as f64 * 0.5 / a[axis].abs();
        let mut cell = 2 * axis + usize::from(a[axis] > 0.0);
        for j in (0..self.k).filter(|&j| j != axis) {
            let part = (a[j] * scale + 0.5 * self.parts as f64) as usize;
            cell = cell * self.parts + part.min(self.parts - 1);
        }
        cell
    }

    /// Whether multipliers of the first `count` rows imply a'y <= s, |a| = 1. If not,
    /// [`toward`](Walk::toward) most likely violates it.
    pub(super) fn implies(&mut self, slabs: &Slabs, count: usize, a: &[f64], s: f64, noise: f64) -> bool {
        let most = s * (1.0 + BEYOND) + noise;
        self.bound(slabs, count, a, most, s * (1.0 + 1e-7) + noise) <= most
    }

    /// A certified bound on a'y, |a| = 1: the least, or one not above `low`. Infinite if none was
    /// found, or if a'y exceeds `high` somewhere.
    fn bound(&mut self, slabs: &Slabs, count: usize, a: &[f64], low: f64, high: f64) -> f64 {
        let k = self.k;
        let cell = self.cell(a);
        // a walk in an empty cell starts where the last one ended
        let start = self.cells[cell].take().or_else(|| self.cells[self.last].clone());
        self.at = start.unwrap_or_else(|| Vertex::start(k));
        let known = self.at.rows.min(count);
        self.work += (k * (count - known)) as u64;
        if !(known..count).all(|row| slabs.dot(row, &self.at.y) <= slabs.jittered(row)) {
            self.at = Vertex::start(k);
        }
        let bound = self.descend(slabs, count, a, low, high);
        self.at.rows = count;
        self.cells[cell] = Some(std::mem::replace(&mut self.at, Vertex::start(0)));
        self.last = cell;
        bound
    }

    fn descend(&mut self, slabs: &Slabs, count: usize, a: &[f64], low: f64, high: f64) -> f64 {
        let k = self.k;
        for _ in 0..STEPS * (k + 1) {
            if self.at.age > AGE && !self.at.refresh(slabs) {
                self.at = Vertex::start(k);
            }
            self.work += (2 * k * k) as u64;
            let (leaves, bound) = self.look(slabs, a);
            if bound <= low || leaves.is_none() {
                if self.left(slabs, a) <= LEFT {
                    self.toward.copy_from_slice(&self.at.y);
                    return bound;
                }
                if leaves.is_none() {
                    if self.at.age == 0 {
                        break;
                    }
                    self.at.age = AGE + 1;
                    continue;
                }
            }
            if dot(a, &self.at.y) > high {
                self.toward.copy_from_slice(&self.at.y);
                return f64::INFINITY;
            }
            let Some(r) = leaves else { break };
            let edge = &self.at.edges[r * k..(r + 1) * k];
            let scale = self.mu[r].signum() / dot(edge, edge).sqrt();
            self.step.iter_mut().zip(edge).for_each(|(step, e)| *step = scale * e);
            match self.stopped_by(slabs, count) {
                Some(row) => self.at.exchange(slabs, r, row),
                None => {
                    self.toward.copy_from_slice(&self.step);
                    return f64::INFINITY;
                }
            }
            self.work += (3 * k * k) as u64;
        }
        self.toward.copy_from_slice(&self.at.y);
        self.at = Vertex::start(k);
        f64::INFINITY
    }

    /// The steepest edge on which a'y rises, if one does, and the bound that this vertex gives.
    #[inline(always)]
    fn look(&mut self, slabs: &Slabs, a: &[f64]) -> (Option<usize>, f64) {
        let k = self.k;
        let (mut leaves, mut steepest, mut bound) = (None, 0.0, 0.0);
        for r in 0..k {
            let edge = &self.at.edges[r * k..(r + 1) * k];
            let mu = dot(a, edge);
            self.mu[r] = mu;
            let gain = match self.at.basis[r] {
                Some(row) => {
                    bound += if mu > 0.0 { mu * slabs.slacks[row] } else { 0.0 };
                    bound -= if mu < -NONE { mu * slabs.far[row] } else { 0.0 };
                    -mu
                }
                None => {
                    bound = if mu.abs() > NONE { f64::INFINITY } else { bound };
                    mu.abs()
                }
            };
            if gain > NONE {
                let slope = gain * gain / dot(edge, edge);
                if slope > steepest {
                    (steepest, leaves) = (slope, Some(r));
                }
            }
        }
        (leaves, bound)
    }

    fn stopped_by(&mut self, slabs: &Slabs, count: usize) -> Option<usize> {
        let k = self.k;
        let blocks = count.div_ceil(LANES);
        self.work += (2 * LANES * blocks * k) as u64;
        let (mut first, mut nearest) = (None, f64::INFINITY);
        for (block, (a, slacks)) in slabs.a.chunks_exact(k).zip(&slabs.jittered).take(blocks).enumerate() {
            let (mut rates, mut slack) = ([0.0; LANES], *slacks);
            for ((a, step), y) in a.iter().zip(&self.step).zip(&self.at.y) {
                for lane in 0..LANES {
                    rates[lane] += a[lane] * step;
                    slack[lane] -= a[lane] * y;
                }
            }
            for lane in 0..LANES {
                if rates[lane] > FLAT && slack[lane] < nearest * rates[lane] {
                    let row = LANES * block + lane;
                    if row < count && !self.at.basis.contains(&Some(row)) {
                        nearest = slack[lane].max(0.0) / rates[lane];
                        first = Some(row);
                    }
                }
            }
        }
        first
    }

    fn left(&mut self, slabs: &Slabs, a: &[f64]) -> f64 {
        self.step.copy_from_slice(a);
        for (row, mu) in self.at.basis.iter().zip(&self.mu) {
            if let Some(row) = *row
                && (*mu > 0.0 || *mu < -NONE)
            {
                for (j, left) in self.step.iter_mut().enumerate() {
                    *left -= mu * slabs.entry(row, j);
                }
            }
        }
        self.work += (self.k * self.k) as u64;
        norm(&self.step)
    }
}
