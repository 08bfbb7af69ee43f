//! Which nodes form a group.

use super::level::{ALONE, Level, WITHIN};

/// Nodes in a group: further ones join only where they would stay alone.
const SIZE: usize = 4;
const MOST: u8 = 8;
/// A node that leaves the system with a third of all that leaves it needs no group.
const SURELY: f64 = 1.5;
/// Nodes group if their mutual arcs have this part of what leaves the first one for others.
const STRONG: f64 = 0.1;
/// Reverse arcs are searched for in lists up to this length.
const SHORT: usize = 32;

const FREE: u32 = u32::MAX - 2;

impl Level {
    /// Groups nodes by the strength of their arcs; the next level, if it is much smaller.
    pub(super) fn coarsen(&mut self) -> Option<Level> {
        let groups = self.form_groups();
        (groups > 0 && groups as f64 <= 0.7 * self.nodes() as f64).then(|| self.coarse(groups))
    }

    /// How strongly two nodes hang together, seen from an arc of the first.
    fn strength(&self, i: usize, arc: usize) -> f64 {
        let j = self.next[arc] as usize;
        let back = self.arcs(j);
        let there = self.share[i] * self.weight[arc];
        if back.len() > SHORT {
            return there;
        }
        let back = back.filter(|&e| self.next[e] as usize == i).map(|e| self.weight[e]).sum::<f64>();
        there + self.share[j] * back
    }

    /// Greedily, in the order of the nodes; the number of groups.
    fn form_groups(&mut self) -> usize {
        let n = self.nodes();
        let mut group = std::mem::take(&mut self.group);
        group.clear();
        group.resize(n, FREE);
        let mut sizes: Vec<u8> = Vec::new();
        let mut near: Vec<(u32, f64)> = Vec::new();
        for i in 0..n {
            if group[i] != FREE {
                continue;
            }
            let inside = self.leaving[i] - self.out[i];
            if inside * SURELY < self.leaving[i] {
                group[i] = ALONE;
                continue;
            }
            let own = sizes.len() as u32;
            let least = STRONG * self.share[i] * inside;
            near.clear();
            let (mut last, mut size) = (i, 1);
            group[i] = own;
            while size < SIZE {
                for e in self.arcs(last) {
                    let j = self.next[e];
                    if group[j as usize] == FREE {
                        let strength = self.strength(last, e);
                        match near.iter_mut().find(|n| n.0 == j) {
                            Some(known) => known.1 += strength,
                            None => near.push((j, strength)),
                        }
                    }
                }
                let strongest =
                    |a: (usize, f64), (k, n): (usize, &(u32, f64))| if n.1 > a.1 { (k, n.1) } else { a };
                let (at, strength) = near.iter().enumerate().fold((usize::MAX, 0.0), strongest);
                if at == usize::MAX || strength < least {
                    break;
                }
                last = near.swap_remove(at).0 as usize;
                group[last] = own;
                size += 1;
            }
            if size == 1
                && let Some(host) = self.host(i, &group, &sizes)
            {
                group[i] = host;
                sizes[host as usize] += 1;
            } else {
                sizes.push(size as u8);
            }
        }
        self.group = group;
        sizes.len()
    }

    /// The group that a node without free neighbours leads to most, if it has room.
    fn host(&self, i: usize, group: &[u32], sizes: &[u8]) -> Option<u32> {
        let mut best = (0.0, None);
        for e in self.arcs(i) {
            let there = group[self.next[e] as usize];
            if (there as usize) < sizes.len() && sizes[there as usize] < MOST && self.weight[e] > best.0 {
                best = (self.weight[e], Some(there));
            }
        }
        best.1
    }

    fn coarse(&mut self, groups: usize) -> Level {
        let group = std::mem::take(&mut self.group);
        let grouped = || (0..).zip(&group).filter(|(_, g)| **g != ALONE).map(|(i, &g)| (g as usize, i));
        self.members.sort(groups, grouped);
        let mut coarse = Level { first: vec![0], ..Level::default() };
        self.slot.clear();
        self.slot.resize(self.next.len(), ALONE);
        let mut place = vec![u32::MAX; groups];
        for g in 0..groups {
            let begin = coarse.next.len() as u32;
            for &i in self.members.of(g) {
                for e in self.arcs(i as usize) {
                    self.slot[e] = match group[self.next[e] as usize] {
                        ALONE => ALONE,
                        to if to as usize == g => WITHIN,
                        to => {
                            let at = &mut place[to as usize];
                            if *at == u32::MAX || *at < begin {
                                *at = coarse.next.len() as u32;
                                coarse.next.push(to);
                            }
                            *at
                        }
                    };
                }
            }
            coarse.first.push(coarse.next.len() as u32);
        }
        self.group = group;
        coarse.weight.resize(coarse.next.len(), 0.0);
        for list in [&mut coarse.out, &mut coarse.leaving, &mut coarse.stop, &mut coarse.begin] {
            list.resize(groups, 0.0);
        }
        coarse.share.resize(groups, 1.0);
        self.project(&mut coarse);
        coarse
    }
}
