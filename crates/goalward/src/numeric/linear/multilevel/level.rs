//! One level: a chain, and how its nodes form the groups that are the nodes of the next level.

use super::parts::each;

/// A node that is in no group: it leaves so surely that relaxation settles it. As a slot: an arc to
/// such a node.
pub(super) const ALONE: u32 = u32::MAX;
/// A slot of an arc within a group.
pub(super) const WITHIN: u32 = u32::MAX - 1;

/// A chain: leaving(i) x(i) - sum of w(i,j) x(j) = b(i).
#[derive(Clone, Debug, Default)]
pub(super) struct Level {
    /// Where the arcs of each node begin; one more at the end.
    pub(super) first: Vec<u32>,
    pub(super) next: Vec<u32>,
    pub(super) weight: Vec<f64>,
    /// What leaves the system, per node.
    pub(super) out: Vec<f64>,
    /// What leaves the node.
    pub(super) leaving: Vec<f64>,
    /// How much each equation counts in the sum that makes an equation of its group.
    pub(super) share: Vec<f64>,
    /// The chain that shares are found for stops at this rate and begins at that one.
    pub(super) stop: Vec<f64>,
    pub(super) begin: Vec<f64>,
    /// The group of each node, and where each arc ends up among those of the next level.
    pub(super) group: Vec<u32>,
    pub(super) slot: Vec<u32>,
    /// Right-hand side and solution.
    pub(super) b: Vec<f64>,
    pub(super) x: Vec<f64>,
    pub(super) work: [Vec<f64>; 4],
}

impl Level {
    pub(super) fn nodes(&self) -> usize {
        self.leaving.len()
    }

    pub(super) fn arcs(&self, i: usize) -> std::ops::Range<usize> {
        self.first[i] as usize..self.first[i + 1] as usize
    }

    /// The sum of w x over a node's arcs.
    #[inline]
    pub(super) fn inflow(&self, i: usize, x: &[f64]) -> f64 {
        let arcs = self.arcs(i);
        let arcs = self.next[arcs.clone()].iter().zip(&self.weight[arcs]);
        arcs.map(|(&j, w)| w * x[j as usize]).sum()
    }

    /// Room for the vectors of a cycle.
    pub(super) fn reserve(&mut self) {
        let n = self.nodes();
        for vector in [&mut self.b, &mut self.x].into_iter().chain(&mut self.work) {
            vector.clear();
            vector.resize(n, 0.0);
        }
    }

    /// The sum of w x over the arcs of a node to a part of the nodes, which x holds.
    #[inline]
    fn inflow_within(&self, i: usize, begin: usize, x: &[f64]) -> f64 {
        let arcs = self.arcs(i);
        let arcs = self.next[arcs.clone()].iter().zip(&self.weight[arcs]);
        arcs.map(|(&j, w)| x.get((j as usize).wrapping_sub(begin)).map_or(0.0, |x| w * x)).sum()
    }

    /// The same over all arcs: `old` holds the nodes of other parts.
    #[inline]
    fn inflow_across(&self, i: usize, begin: usize, x: &[f64], old: &[f64]) -> f64 {
        let arcs = self.arcs(i);
        let arcs = self.next[arcs.clone()].iter().zip(&self.weight[arcs]);
        arcs.map(|(&j, w)| w * x.get((j as usize).wrapping_sub(begin)).unwrap_or(&old[j as usize])).sum()
    }

    /// The first relaxation, in the order of the nodes from x = 0.
    pub(super) fn relax_from_zero(&self, b: &[f64], x: &mut [f64]) {
        each(x, |begin, x| {
            x.fill(0.0);
            for i in 0..x.len() {
                let s = begin + i;
                x[i] = (b[s] + self.inflow_within(s, begin, x)) / self.leaving[s];
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
                x[i] = (b[s] + self.inflow_across(s, begin, x, old)) / self.leaving[s];
            }
        });
    }

    /// y = A x.
    pub(super) fn apply(&self, x: &[f64], y: &mut [f64]) {
        each(y, |begin, y| {
            for (i, y) in (begin..).zip(y) {
                *y = self.leaving[i] * x[i] - self.inflow(i, x);
            }
        });
    }

    /// r = b - A x.
    pub(super) fn residual(&self, b: &[f64], x: &[f64], r: &mut [f64]) {
        each(r, |begin, r| {
            for (i, r) in (begin..).zip(r) {
                *r = b[i] - (self.leaving[i] * x[i] - self.inflow(i, x));
            }
        });
    }

    /// The rows of the next level from shares that have changed. Its diagonal is summed up from
    /// what leaves, so that nothing is subtracted (as Grassmann, Taksar and Heyman do).
    pub(super) fn project(&self, coarse: &mut Level) {
        coarse.weight.fill(0.0);
        coarse.out.fill(0.0);
        coarse.stop.fill(0.0);
        coarse.begin.fill(0.0);
        coarse.share.fill(1.0);
        for i in 0..self.nodes() {
            if self.group[i] == ALONE {
                continue;
            }
            let (g, share) = (self.group[i] as usize, self.share[i]);
            coarse.stop[g] += share * self.stop[i];
            coarse.begin[g] += self.begin[i];
            let mut out = self.out[i];
            let arcs = self.arcs(i);
            for (&slot, w) in self.slot[arcs.clone()].iter().zip(&self.weight[arcs]) {
                match slot {
                    WITHIN => {}
                    ALONE => out += w,
                    slot => coarse.weight[slot as usize] += share * w,
                }
            }
            coarse.out[g] += share * out;
        }
        for g in 0..coarse.nodes() {
            coarse.leaving[g] = coarse.out[g] + coarse.weight[coarse.arcs(g)].iter().sum::<f64>();
        }
    }
}
