//! Sparse elimination of a chain's equations, leaving(i) x(i) - sum of w(i,j) x(j) = b(i).
//!
//! The diagonal is the *sum* of the weights that leave (Grassmann, Taksar and Heyman): for b >= 0
//! nothing is subtracted, and every x has a small relative error. Nodes are taken by Markowitz's
//! price against fill-in. Cost: linear on lines and trees, n^1.5 on grids, n^3/3 at worst.

use super::dense::Dense;
use crate::halt::Halt;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Once the rest is this small and mostly filled in, it becomes a dense matrix.
const DENSE: usize = 2500;
/// While the rest is larger, the elimination fails if the cheapest node costs more than this.
const DEAREST: usize = 250 * 250;
const CHEAP: usize = 64;

struct Step {
    node: u32,
    leaving: f64,
    from_end: usize,
    to_end: usize,
}

/// Nodes by price. Prices may be out of date: a node that is taken is looked at again.
#[derive(Default)]
struct Waiting {
    buckets: Vec<Vec<u32>>,
    lowest: usize,
    heap: BinaryHeap<Reverse<(usize, u32)>>,
}

impl Waiting {
    fn reset(&mut self) {
        self.buckets.resize_with(CHEAP, Vec::new);
        self.buckets.iter_mut().for_each(Vec::clear);
        self.heap.clear();
        self.lowest = CHEAP;
    }

    fn push(&mut self, price: usize, node: u32) {
        match self.buckets.get_mut(price) {
            Some(bucket) => {
                bucket.push(node);
                self.lowest = self.lowest.min(price);
            }
            None => self.heap.push(Reverse((price, node))),
        }
    }

    fn pop(&mut self) -> Option<(usize, u32)> {
        while self.lowest < CHEAP {
            if let Some(node) = self.buckets[self.lowest].pop() {
                return Some((self.lowest, node));
            }
            self.lowest += 1;
        }
        self.heap.pop().map(|Reverse(entry)| entry)
    }
}

/// A chain, some nodes of which have been eliminated.
#[derive(Default)]
pub struct Elimination {
    rows: Vec<Vec<(u32, f64)>>,
    out: Vec<f64>,
    into: Vec<Vec<u32>>,
    steps: Vec<Step>,
    from: Vec<(u32, f64)>,
    to: Vec<(u32, f64)>,
    rest: Vec<u32>,
    live: Vec<bool>,
    waiting: Waiting,
    /// Per node, its place in the row at hand plus one; all zero between uses.
    place: Vec<u32>,
    dense: Dense,
    halt: Halt,
}

impl Elimination {
    /// From now on eliminations fail when asked to stop.
    pub fn heed(&mut self, halt: &Halt) {
        self.halt = halt.clone();
    }

    /// Eliminates all nodes of a chain in about `work` multiplications at most; whether it could.
    /// `row` writes a node's arcs, none to itself, and returns the weight that leaves the system.
    pub fn eliminate(
        &mut self,
        nodes: usize,
        work: f64,
        mut row: impl FnMut(usize, &mut Vec<(u32, f64)>) -> f64,
    ) -> bool {
        self.reset(nodes);
        for node in 0..nodes {
            let arcs = &mut self.rows[node];
            self.out[node] = row(node, arcs);
            let mut kept = 0;
            for at in 0..arcs.len() {
                let (j, w) = arcs[at];
                match self.place[j as usize] {
                    0 => {
                        arcs[kept] = (j, w);
                        kept += 1;
                        self.place[j as usize] = kept as u32;
                        self.into[j as usize].push(node as u32);
                    }
                    place => arcs[place as usize - 1].1 += w,
                }
            }
            arcs.truncate(kept);
            arcs.iter().for_each(|e| self.place[e.0 as usize] = 0);
        }
        self.run(work) && self.finish(work)
    }

    fn reset(&mut self, nodes: usize) {
        self.rows.iter_mut().take(nodes).for_each(Vec::clear);
        self.rows.resize_with(nodes.max(self.rows.len()), Vec::new);
        self.into.iter_mut().take(nodes).for_each(Vec::clear);
        self.into.resize_with(nodes.max(self.into.len()), Vec::new);
        self.out.clear();
        self.out.resize(nodes, 0.0);
        self.steps.clear();
        self.from.clear();
        self.to.clear();
        self.waiting.reset();
        self.live.clear();
        self.live.resize(nodes, true);
        self.place.clear();
        self.place.resize(nodes, 0);
    }

    fn price(&self, node: usize) -> usize {
        self.into[node].len() * self.rows[node].len()
    }

    /// Eliminates nodes until the rest is left to a dense matrix.
    fn run(&mut self, work: f64) -> bool {
        let nodes = self.out.len();
        for k in 0..nodes {
            self.waiting.push(self.price(k), k as u32);
        }
        let (mut left, mut spent) = (nodes, 0.0);
        while let Some((at_price, k)) = self.waiting.pop() {
            let node = k as usize;
            if !self.live[node] || self.price(node) != at_price {
                continue;
            }
            if left <= DENSE && 4 * at_price > left * left {
                break;
            }
            // merging costs the rows of those that lead here too, which fill in like this one
            spent += 3.0 * at_price as f64;
            let dear = at_price > DEAREST && left > DENSE && work.is_finite();
            if spent > work || dear || self.halt.asked() || !self.eliminate_node(node) {
                return false;
            }
            left -= 1;
        }
        true
    }

    fn finish(&mut self, work: f64) -> bool {
        self.rest.clear();
        self.rest.extend((0..self.out.len() as u32).filter(|&k| self.live[k as usize]));
        if (self.rest.len() as f64).powi(3) / 3.0 > work {
            return false;
        }
        let out = self.rest.iter().map(|&k| self.out[k as usize]).collect();
        let row = |k: u32| self.rows[k as usize].iter().copied();
        self.dense.factor(self.out.len(), &self.rest, out, row, &self.halt)
    }

    fn eliminate_node(&mut self, node: usize) -> bool {
        let leaving = self.out[node] + self.rows[node].iter().map(|e| e.1).sum::<f64>();
        if leaving.is_nan() || leaving <= 0.0 {
            return false;
        }
        self.live[node] = false;
        let mut own = std::mem::take(&mut self.rows[node]);
        let out = self.out[node];
        for &(j, _) in &own {
            let into = &mut self.into[j as usize];
            let at = into.iter().position(|&from| from as usize == node).expect("the two lists agree");
            into.swap_remove(at);
        }
        let mut into = std::mem::take(&mut self.into[node]);
        for &from in &into {
            let row = &mut self.rows[from as usize];
            let at = row.iter().position(|e| e.0 as usize == node).expect("the two lists agree");
            let factor = row.swap_remove(at).1 / leaving;
            self.out[from as usize] += factor * out;
            self.from.push((from, factor));
            self.merge(from, &own, factor);
        }
        for j in own.iter().map(|e| e.0).chain(into.iter().copied()) {
            self.waiting.push(self.price(j as usize), j);
        }
        self.to.extend_from_slice(&own);
        let (from_end, to_end) = (self.from.len(), self.to.len());
        self.steps.push(Step { node: node as u32, leaving, from_end, to_end });
        // the lists keep their memory for the next system
        own.clear();
        into.clear();
        (self.rows[node], self.into[node]) = (own, into);
        true
    }

    /// A node's row += factor * other, without an entry for the node itself.
    #[inline]
    fn merge(&mut self, node: u32, other: &[(u32, f64)], factor: f64) {
        let (row, into, place) = (&mut self.rows[node as usize], &mut self.into, &mut self.place);
        let mut add = |row: &mut Vec<(u32, f64)>, j: u32, w: f64| {
            row.push((j, factor * w));
            into[j as usize].push(node);
        };
        if let [(j, w)] = *other {
            // by far the most common case
            match row.iter_mut().find(|e| e.0 == j) {
                _ if j == node => {}
                Some(entry) => entry.1 += factor * w,
                None => add(row, j, w),
            }
            return;
        }
        row.iter().enumerate().for_each(|(i, e)| place[e.0 as usize] = i as u32 + 1);
        for &(j, w) in other.iter().filter(|e| e.0 != node) {
            match place[j as usize] {
                0 => add(row, j, w),
                at => row[at as usize - 1].1 += factor * w,
            }
        }
        row.iter().for_each(|e| place[e.0 as usize] = 0);
    }

    /// The solution for a right-hand side, which is overwritten. Only after a successful elimination.
    pub fn solve(&self, b: &mut [f64], x: &mut [f64]) {
        let mut at = 0;
        for step in &self.steps {
            let own = b[step.node as usize];
            if own != 0.0 {
                self.from[at..step.from_end].iter().for_each(|&(i, f)| b[i as usize] += f * own);
            }
            at = step.from_end;
        }
        let y = self.dense.solve(self.rest.iter().map(|&k| b[k as usize]).collect());
        self.rest.iter().zip(&y).for_each(|(&k, &y)| x[k as usize] = y);
        let mut end = self.to.len();
        for (i, step) in self.steps.iter().enumerate().rev() {
            let start = if i == 0 { 0 } else { self.steps[i - 1].to_end };
            let inflow: f64 = self.to[start..end].iter().map(|&(j, w)| w * x[j as usize]).sum();
            x[step.node as usize] = (b[step.node as usize] + inflow) / step.leaving;
            end = start;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stream;
    use nalgebra::{DMatrix, DVector};
    use proptest::prelude::*;

    type Rows = Vec<Vec<(u32, f64)>>;
    /// As much as it takes.
    const ANY: f64 = f64::INFINITY;

    fn eliminated(to: &Rows, out: &[f64], work: f64) -> (bool, Elimination) {
        let mut elimination = Elimination::default();
        let done = elimination.eliminate(out.len(), work, |node, row| {
            row.extend(to[node].iter().copied().filter(|e| e.0 as usize != node));
            out[node]
        });
        (done, elimination)
    }

    fn solved(to: &Rows, out: &[f64], b: &[f64]) -> Vec<f64> {
        let (done, elimination) = eliminated(to, out, ANY);
        assert!(done);
        let mut x = vec![0.0; b.len()];
        elimination.solve(&mut b.to_vec(), &mut x);
        x
    }

    fn by_lu(to: &Rows, out: &[f64], b: &[f64]) -> Vec<f64> {
        let n = b.len();
        let mut a = DMatrix::from_diagonal(&DVector::from_column_slice(out));
        for s in 0..n {
            for &(j, w) in to[s].iter().filter(|e| e.0 as usize != s) {
                a[(s, s)] += w;
                a[(s, j as usize)] -= w;
            }
        }
        a.lu().solve(&DVector::from_column_slice(b)).unwrap().as_slice().to_vec()
    }

    proptest! {
        /// Sparse and dense rests (rows of up to 3 and up to 30 entries, some to the same node), for
        /// right-hand sides of either sign.
        #[test]
        fn it_solves_what_lu_solves(
            to in prop_oneof![
                prop::collection::vec(prop::collection::vec((0u32..30, 0.01f64..1.0), 0..4), 30),
                prop::collection::vec(prop::collection::vec((0u32..30, 0.01f64..1.0), 0..30), 30),
            ],
            out in prop::collection::vec(0.01f64..1.0, 30),
            b in prop::collection::vec(-1f64..1.0, 30),
        ) {
            let expected = by_lu(&to, &out, &b);
            let scale = expected.iter().fold(0.0f64, |m, x| m.max(x.abs()));
            let x = solved(&to, &out, &b);
            (0..30).for_each(|s| assert!((x[s] - expected[s]).abs() <= 1e-12 * scale));
        }
    }

    /// A line of thousands is cheap. Random rows fill in: as few of them are not, and it is found out
    /// without their elimination.
    #[test]
    fn what_fills_in_is_not_cheap() {
        let work = 4e6;
        let line: Rows = (1..5000).map(|k| vec![(k, 1.0)]).chain([vec![]]).collect();
        assert!(eliminated(&line, &[0.5; 5000], work).0);
        let mut draw = Stream::new(1, &[]);
        let mut random = |n: usize| -> Rows {
            (0..n).map(|_| (0..5).map(|_| (draw.below(n) as u32, 0.1)).collect()).collect()
        };
        assert!(eliminated(&random(100), &[0.5; 100], work).0);
        assert!(!eliminated(&random(2000), &[0.5; 2000], work).0);
    }

    #[test]
    fn an_improper_policy_is_refused() {
        assert!(!eliminated(&vec![vec![(1, 1.0)], vec![(0, 1.0)]], &[0.0, 0.0], ANY).0);
    }

    /// Escape with probability e from either of two states: x = 1/e to the last digits, where I - P
    /// has lost them.
    #[test]
    fn nearly_closed_classes_are_accurate() {
        for e in [1e-4, 1e-12, 1e-100] {
            let x = solved(&vec![vec![(1, 1.0)], vec![(0, 1.0)]], &[e, e], &[1.0, 1.0]);
            assert!(x.iter().all(|x| (x * e - 1.0).abs() < 1e-15), "{x:?}");
        }
    }
}
