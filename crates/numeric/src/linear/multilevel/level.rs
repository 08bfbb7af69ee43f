//! One level: a chain, and how its nodes form the groups that are the nodes of the next level.

use crate::Grouped;
use crate::linear::parts::{self, each, split};
use std::ops::Range;

/// A node in no group: relaxation settles it. As a slot: an arc to such a node.
pub(super) const ALONE: u32 = u32::MAX;
/// A slot of an arc within a group.
pub(super) const WITHIN: u32 = u32::MAX - 1;

/// The rate at which the chain of the shares stops, relative to what leaves a node.
const STOP: f64 = 1e-5;

/// A chain: leaving(i) x(i) - sum of w(i,j) x(j) = b(i).
#[derive(Clone, Debug, Default)]
pub(super) struct Level {
    /// Where the arcs of each node begin; one more at the end.
    pub(super) first: Vec<u32>,
    pub(super) next: Vec<u32>,
    pub(super) weight: Vec<f64>,
    pub(super) out: Vec<f64>,
    pub(super) leaving: Vec<f64>,
    /// How much each equation counts in the sum that makes an equation of its group.
    pub(super) share: Vec<f64>,
    /// The chain that shares are found for stops at this rate and begins at that one.
    pub(super) stop: Vec<f64>,
    pub(super) begin: Vec<f64>,
    /// The group of each node, and where each arc ends up among those of the next level.
    pub(super) group: Vec<u32>,
    pub(super) slot: Vec<u32>,
    pub(super) members: Grouped<u32>,
    pub(super) b: Vec<f64>,
    pub(super) x: Vec<f64>,
    pub(super) work: [Vec<f64>; 4],
}

impl Level {
    pub(super) fn nodes(&self) -> usize {
        self.leaving.len()
    }

    pub(super) fn arcs(&self, i: usize) -> Range<usize> {
        self.first[i] as usize..self.first[i + 1] as usize
    }

    /// Some nodes of a chain: `row` writes the arcs of one and says what leaves the system.
    pub(super) fn of(range: Range<usize>, row: impl Fn(usize, &mut Vec<(u32, f64)>) -> f64) -> Level {
        let (mut part, mut arcs) = (Level::default(), Vec::new());
        for i in range {
            arcs.clear();
            let out = row(i, &mut arcs);
            part.next.extend(arcs.iter().map(|arc| arc.0));
            part.weight.extend(arcs.iter().map(|arc| arc.1));
            part.first.push(part.next.len() as u32);
            part.out.push(out);
            part.leaving.push(out + arcs.iter().map(|arc| arc.1).sum::<f64>());
        }
        part
    }

    pub(super) fn append(&mut self, part: Level) {
        let begin = self.next.len() as u32;
        self.first.extend(part.first.iter().map(|end| begin + end));
        self.next.extend(part.next);
        self.weight.extend(part.weight);
        self.out.extend(part.out);
        self.stop.extend(part.leaving.iter().map(|leaving| STOP * leaving));
        self.begin.extend(part.leaving.iter().map(|leaving| STOP * leaving));
        self.leaving.extend(part.leaving);
    }

    /// The sum of w x over a node's arcs.
    #[inline]
    fn inflow<'a>(&self, i: usize, x: impl Fn(u32) -> &'a f64) -> f64 {
        let arcs = self.arcs(i);
        self.next[arcs.clone()].iter().zip(&self.weight[arcs]).map(|(&j, w)| w * x(j)).sum()
    }

    pub(super) fn reserve(&mut self) {
        let n = self.nodes();
        for vector in [&mut self.b, &mut self.x].into_iter().chain(&mut self.work) {
            vector.clear();
            vector.resize(n, 0.0);
        }
    }

    /// The first relaxation, in the order of the nodes from x = 0.
    pub(super) fn relax_from_zero(&self, b: &[f64], x: &mut [f64]) {
        each(x, |begin, x| {
            x.fill(0.0);
            for i in 0..x.len() {
                let s = begin + i;
                let known = |j: u32| x.get((j as usize).wrapping_sub(begin)).unwrap_or(&0.0);
                x[i] = (b[s] + self.inflow(s, known)) / self.leaving[s];
            }
        });
    }

    /// A relaxation against the order of the nodes; `old` is overwritten.
    pub(super) fn relax_back(&self, b: &[f64], x: &mut [f64], old: &mut [f64]) {
        old.copy_from_slice(x);
        let old = &*old;
        each(x, |begin, x| {
            for i in (0..x.len()).rev() {
                let s = begin + i;
                let known = |j: u32| x.get((j as usize).wrapping_sub(begin)).unwrap_or(&old[j as usize]);
                x[i] = (b[s] + self.inflow(s, known)) / self.leaving[s];
            }
        });
    }

    pub(super) fn apply(&self, x: &[f64], y: &mut [f64]) {
        each(y, |begin, y| {
            for (i, y) in (begin..).zip(y) {
                *y = self.leaving[i] * x[i] - self.inflow(i, |j| &x[j as usize]);
            }
        });
    }

    pub(super) fn residual(&self, b: &[f64], x: &[f64], r: &mut [f64]) {
        each(r, |begin, r| {
            for (i, r) in (begin..).zip(r) {
                *r = b[i] - (self.leaving[i] * x[i] - self.inflow(i, |j| &x[j as usize]));
            }
        });
    }

    /// Recomputes the next level's rows for new shares; nothing is subtracted.
    pub(super) fn project(&self, coarse: &mut Level) {
        let Level { first, weight, out, leaving, stop, begin, share, .. } = coarse;
        share.fill(1.0);
        let ranges = parts::ranges(leaving.len());
        let ends = || ranges.iter().map(|range| range.end);
        let weights = split(weight, ends().map(|end| first[end] as usize));
        let sums = split(out, ends()).into_iter().zip(split(leaving, ends()));
        let rates = split(stop, ends()).into_iter().zip(split(begin, ends()));
        let all = ranges.iter().zip(weights).zip(sums.zip(rates)).collect();
        parts::map(all, |((range, weight), ((out, leaving), (stop, begin)))| {
            let from = first[range.start] as usize;
            weight.fill(0.0);
            for (k, g) in range.clone().enumerate() {
                [out[k], stop[k], begin[k]] = self.project_group(g, from, weight);
                let arcs = &weight[first[g] as usize - from..first[g + 1] as usize - from];
                leaving[k] = out[k] + arcs.iter().sum::<f64>();
            }
        });
    }

    /// Adds up the arcs of a group, in a list that begins with arc `from`. Returns what leaves the
    /// system, and the rates at which the chain of the shares stops and begins.
    fn project_group(&self, g: usize, from: usize, weight: &mut [f64]) -> [f64; 3] {
        let [mut outside, mut stop, mut begin] = [0.0; 3];
        for &i in self.members.of(g) {
            let (i, share) = (i as usize, self.share[i as usize]);
            stop += share * self.stop[i];
            begin += self.begin[i];
            let mut out = self.out[i];
            let arcs = self.arcs(i);
            for (&slot, w) in self.slot[arcs.clone()].iter().zip(&self.weight[arcs]) {
                match slot {
                    WITHIN => {}
                    ALONE => out += w,
                    slot => weight[slot as usize - from] += share * w,
                }
            }
            outside += share * out;
        }
        [outside, stop, begin]
    }
}
