//! Sparse elimination: of the nodes without a decision, and of all nodes of a policy.
//!
//! A node with a single choice has x = (b + sum of w x')/leaving, whatever the policy: it is put
//! into the rows of all choices that lead to it, once. What is left are the nodes with a decision,
//! over rows that skip the others. A policy's equations are the same thing with one choice per
//! node.
//!
//! The diagonal is always the *sum* of the weights that leave, never a difference (Grassmann,
//! Taksar and Heyman). For b >= 0 no two numbers are ever subtracted, so every x has a small
//! relative error, however long a policy takes and however widely values differ. Nodes are taken by
//! Markowitz's price against fill-in. Cost: linear on lines and trees, n^1.5 on grids, n^3/3 at
//! worst.
//!
//! In which order equal prices are taken, and the entries of a row kept, is a [`Discipline`]. It
//! changes no more than roundings, but those are part of a result.

mod discipline;

use super::dense::{Dense, Fault};
use crate::numeric::halt::Halt;
pub(crate) use discipline::{ByNumber, Discipline, LastFirst};
use std::ops::Range;

/// Where an elimination stops.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Nodes of this price and beyond stay.
    pub(crate) price: usize,
    /// Once the rest is this small and mostly filled in, it is left to a dense matrix.
    pub(crate) dense: usize,
    /// While the rest is larger, a cheapest node that is dearer is too much.
    pub(crate) dearest: usize,
    /// More multiplications are too much.
    pub(crate) work: f64,
}

/// How an elimination ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    /// The equations can be solved.
    Done,
    /// From some nodes nothing leaves.
    Improper,
    /// It would take too long.
    TooMuch,
    /// It was asked to stop.
    Cut,
}

/// One eliminated node.
struct Step {
    node: u32,
    choice: u32,
    leaving: f64,
    from_end: usize,
    to_end: usize,
}

/// Choices over nodes, some of which have been eliminated.
#[derive(Default)]
pub(crate) struct Elimination<D> {
    nodes: usize,
    /// Per node, its first choice; one more at the end.
    first: Vec<u32>,
    /// Per choice, its node.
    home: Vec<u32>,
    /// Per choice, the weights to other live nodes.
    rows: Vec<Vec<(u32, f64)>>,
    /// Per choice, the weight that leaves the system.
    out: Vec<f64>,
    /// Per node, the choices that lead to it.
    into: Vec<Vec<u32>>,
    steps: Vec<Step>,
    from: Vec<(u32, f64)>,
    to: Vec<(u32, f64)>,
    /// The nodes that are left.
    rest: Vec<u32>,
    live: Vec<bool>,
    discipline: D,
    dense: Dense,
    halt: Halt,
}

impl<D: Discipline> Elimination<D> {
    /// Eliminations of all nodes from now on end early when asked to.
    pub(crate) fn heed(&mut self, halt: &Halt) {
        self.halt = halt.clone();
    }

    fn reset(&mut self, nodes: usize, choices: usize) {
        self.nodes = nodes;
        let grow = |lists: &mut Vec<Vec<(u32, f64)>>, n: usize| {
            lists.iter_mut().take(n).for_each(Vec::clear);
            lists.resize_with(n.max(lists.len()), Vec::new);
        };
        grow(&mut self.rows, choices);
        self.into.iter_mut().take(nodes).for_each(Vec::clear);
        self.into.resize_with(nodes.max(self.into.len()), Vec::new);
        self.out.clear();
        self.out.resize(choices, 0.0);
        self.first.clear();
        self.home.clear();
        self.steps.clear();
        self.from.clear();
        self.to.clear();
        self.rest.clear();
        self.discipline.reset(nodes);
        self.live.clear();
        self.live.resize(nodes, true);
    }

    /// Takes one row per node: its weights to other nodes, in ascending order, and what leaves.
    pub(crate) fn load_rows(&mut self, rows: Vec<Vec<(u32, f64)>>, out: Vec<f64>) {
        let n = rows.len();
        self.reset(n, 0);
        (self.rows, self.out) = (rows, out);
        self.first.extend(0..=n as u32);
        self.home.extend(0..n as u32);
        for (node, row) in self.rows.iter().enumerate() {
            row.iter().for_each(|&(next, _)| self.into[next as usize].push(node as u32));
        }
    }

    /// What a policy makes of the rest of another elimination: one choice per node.
    pub(crate) fn load_policy(&mut self, other: &Self, policy: &[u32]) {
        let n = other.rest.len();
        self.reset(n, n);
        let mut local = vec![0u32; other.nodes];
        other.rest.iter().enumerate().for_each(|(i, &node)| local[node as usize] = i as u32);
        for (i, &node) in other.rest.iter().enumerate() {
            let choice = policy[node as usize] as usize;
            self.first.push(i as u32);
            self.home.push(i as u32);
            self.out[i] = other.out[choice];
            self.rows[i].extend(other.rows[choice].iter().map(|&(j, w)| (local[j as usize], w)));
            other.rows[choice].iter().for_each(|e| self.into[local[e.0 as usize] as usize].push(i as u32));
        }
        self.first.push(n as u32);
    }

    /// The choices of a node.
    pub(crate) fn choices(&self, node: usize) -> Range<usize> {
        self.first[node] as usize..self.first[node + 1] as usize
    }

    /// The weights of a choice to other live nodes.
    pub(crate) fn row(&self, choice: usize) -> &[(u32, f64)] {
        &self.rows[choice]
    }

    /// The weight of a choice that leaves the system.
    pub(crate) fn out(&self, choice: usize) -> f64 {
        self.out[choice]
    }

    /// The nodes that are left.
    pub(crate) fn rest(&self) -> &[u32] {
        &self.rest
    }

    /// The choices of live nodes that lead to a node, with their nodes.
    pub(crate) fn leading_to(&self, node: usize) -> impl Iterator<Item = (u32, usize)> + '_ {
        self.into[node].iter().map(|&choice| (choice, self.home[choice as usize] as usize))
    }

    /// The weight that leaves a choice's node.
    pub(crate) fn leaving(&self, choice: usize) -> f64 {
        self.out[choice] + self.rows[choice].iter().map(|e| e.1).sum::<f64>()
    }

    fn price(&self, node: usize) -> usize {
        self.into[node].len() * self.rows[self.first[node] as usize].len()
    }

    /// Eliminates the nodes that have one choice and cost less than a price.
    pub(crate) fn eliminate_forced(&mut self, price: usize) -> Outcome {
        let outcome = self.eliminate(Limits { price, dense: 0, dearest: usize::MAX, work: f64::INFINITY });
        self.rest = (0..self.nodes as u32).filter(|&k| self.live[k as usize]).collect();
        outcome
    }

    /// Eliminates all nodes, each of which has one choice; a filled-in rest as a dense matrix.
    pub(crate) fn eliminate_all(&mut self, limits: Limits) -> Outcome {
        match self.eliminate(limits) {
            Outcome::Done => {}
            other => return other,
        }
        self.rest = (0..self.nodes as u32).filter(|&k| self.live[k as usize]).collect();
        if (self.rest.len() as f64).powi(3) / 3.0 > limits.work {
            return Outcome::TooMuch;
        }
        let mut dense = std::mem::take(&mut self.dense);
        let choice = |k: u32| self.first[k as usize] as usize;
        let out = self.rest.iter().map(|&k| self.out[choice(k)]).collect();
        let row = |k| self.rows[choice(k)].iter().copied();
        let factored = dense.factor_unless(self.nodes, &self.rest, out, row, &self.halt);
        self.dense = dense;
        match factored {
            Ok(()) => Outcome::Done,
            Err(Fault::Stuck) => Outcome::Improper,
            Err(Fault::Cut) => Outcome::Cut,
        }
    }

    fn eliminate(&mut self, limits: Limits) -> Outcome {
        for k in 0..self.nodes {
            if self.choices(k).len() == 1 {
                let price = self.price(k);
                self.discipline.push(price, k as u32);
            }
        }
        let (mut left, mut spent) = (self.nodes, 0.0);
        while let Some((at_price, k)) = self.discipline.pop() {
            let node = k as usize;
            if !self.live[node] || self.price(node) != at_price {
                continue;
            }
            if at_price >= limits.price || (left <= limits.dense && 4 * at_price > left * left) {
                break;
            }
            // merging costs the rows of those that lead here too, which fill in like this one
            spent += 3.0 * at_price as f64;
            if spent > limits.work || (at_price > limits.dearest && left > limits.dense) {
                return Outcome::TooMuch;
            }
            if self.halt.asked() {
                return Outcome::Cut;
            }
            if self.eliminate_node(node).is_err() {
                return Outcome::Improper;
            }
            left -= 1;
        }
        Outcome::Done
    }

    fn eliminate_node(&mut self, node: usize) -> Result<(), Fault> {
        let choice = self.first[node] as usize;
        let leaving = self.leaving(choice);
        if leaving.is_nan() || leaving <= 0.0 {
            return Err(Fault::Stuck);
        }
        self.live[node] = false;
        let own = std::mem::take(&mut self.rows[choice]);
        let out = self.out[choice];
        for &(j, _) in &own {
            let into = &mut self.into[j as usize];
            let at = into.iter().position(|&c| c as usize == choice).expect("the two lists agree");
            into.swap_remove(at);
        }
        let into = std::mem::take(&mut self.into[node]);
        for &c in &into {
            let (row, home) = (&mut self.rows[c as usize], self.home[c as usize]);
            let factor = D::take(row, node as u32) / leaving;
            self.out[c as usize] += factor * out;
            self.from.push((c, factor));
            let lists = &mut self.into;
            self.discipline.merge(row, &own, factor, home, |j| lists[j as usize].push(c));
        }
        for j in own.iter().map(|e| e.0).chain(into.iter().map(|&c| self.home[c as usize])) {
            if self.choices(j as usize).len() == 1 {
                let price = self.price(j as usize);
                self.discipline.push(price, j);
            }
        }
        self.to.extend_from_slice(&own);
        let (from_end, to_end) = (self.from.len(), self.to.len());
        self.steps.push(Step { node: node as u32, choice: choice as u32, leaving, from_end, to_end });
        // the lists keep their memory for the next system
        let (mut own, mut into) = (own, into);
        own.clear();
        into.clear();
        (self.rows[choice], self.into[node]) = (own, into);
        Ok(())
    }

    /// Right-hand sides, one per choice, as the elimination changes them.
    pub(crate) fn forward(&self, b: &mut [f64]) {
        let mut at = 0;
        for step in &self.steps {
            let own = b[step.choice as usize];
            if own != 0.0 {
                self.from[at..step.from_end].iter().for_each(|&(c, f)| b[c as usize] += f * own);
            }
            at = step.from_end;
        }
    }

    /// The eliminated nodes' values from those of the rest.
    pub(crate) fn backward(&self, b: &[f64], x: &mut [f64]) {
        let mut end = self.to.len();
        for (i, step) in self.steps.iter().enumerate().rev() {
            let start = if i == 0 { 0 } else { self.steps[i - 1].to_end };
            let inflow: f64 = self.to[start..end].iter().map(|&(j, w)| w * x[j as usize]).sum();
            x[step.node as usize] = (b[step.choice as usize] + inflow) / step.leaving;
            end = start;
        }
    }

    /// The solution of a policy's equations; `b` is spent. Only after [`Self::eliminate_all`].
    pub(crate) fn solve(&self, b: &mut [f64], x: &mut [f64]) {
        self.forward(b);
        let y = self.dense.solve(self.rest.iter().map(|&k| b[k as usize]).collect());
        self.rest.iter().zip(&y).for_each(|(&k, &y)| x[k as usize] = y);
        self.backward(b, x);
    }
}

impl Elimination<LastFirst> {
    /// Takes the choices of some nodes of a larger system, by the numbers that they have there. Two
    /// arcs may lead to the same node; those to nodes that are not taken leave.
    pub(crate) fn load<'a>(
        &mut self,
        nodes: Range<usize>,
        choices: impl Fn(usize) -> Range<usize>,
        arcs: impl Fn(usize) -> &'a [(u32, f64)],
    ) {
        let first = choices(nodes.start).start;
        self.reset(nodes.len(), choices(nodes.end - 1).end - first);
        for node in nodes.clone() {
            let choices = choices(node);
            self.first.push((choices.start - first) as u32);
            for choice in choices {
                self.home.push((node - nodes.start) as u32);
                let (c, row) = (choice - first, &mut self.rows[choice - first]);
                let place = self.discipline.place();
                for &(next, w) in arcs(choice) {
                    let j = (next as usize).wrapping_sub(nodes.start);
                    if j >= nodes.len() {
                        self.out[c] += w;
                    } else if place[j] > 0 {
                        row[place[j] as usize - 1].1 += w;
                    } else {
                        row.push((j as u32, w));
                        place[j] = row.len() as u32;
                        self.into[j].push(c as u32);
                    }
                }
                row.iter().for_each(|e| place[e.0 as usize] = 0);
            }
        }
        self.first.push(self.home.len() as u32);
    }
}
