//! Which node is eliminated next, and how the entries of a row are kept.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Nodes below this price wait in buckets.
pub(crate) const CHEAP: usize = 64;

/// Nodes by price, and rows. Prices may be out of date: whoever takes a node looks again.
pub trait Discipline: Default {
    /// Ready for so many nodes.
    fn reset(&mut self, nodes: usize);
    /// A node waits at a price.
    fn push(&mut self, price: usize, node: u32);
    /// A node of the least price.
    fn pop(&mut self) -> Option<(usize, u32)>;
    /// Takes a node's entry out of a row that has it.
    fn take(row: &mut Vec<(u32, f64)>, node: u32) -> f64;
    /// row += factor * other, without an entry for the row's own node; says which entries are new.
    fn merge(
        &mut self,
        row: &mut Vec<(u32, f64)>,
        other: &[(u32, f64)],
        factor: f64,
        own: u32,
        new: impl FnMut(u32),
    );
}

/// Among equal prices the lowest number first; rows in ascending order.
#[derive(Default)]
pub struct ByNumber {
    heap: BinaryHeap<Reverse<(usize, u32)>>,
    merged: Vec<(u32, f64)>,
}

impl Discipline for ByNumber {
    fn reset(&mut self, _: usize) {
        self.heap.clear();
    }

    fn push(&mut self, price: usize, node: u32) {
        self.heap.push(Reverse((price, node)));
    }

    fn pop(&mut self) -> Option<(usize, u32)> {
        self.heap.pop().map(|Reverse(entry)| entry)
    }

    fn take(row: &mut Vec<(u32, f64)>, node: u32) -> f64 {
        let at = row.binary_search_by_key(&node, |e| e.0).expect("the two lists agree");
        row.remove(at).1
    }

    #[inline]
    fn merge(
        &mut self,
        row: &mut Vec<(u32, f64)>,
        other: &[(u32, f64)],
        factor: f64,
        own: u32,
        mut new: impl FnMut(u32),
    ) {
        let merged = &mut self.merged;
        merged.clear();
        let mut kept = row.iter().copied().peekable();
        for &(j, w) in other.iter().filter(|&&(j, _)| j != own) {
            while let Some(entry) = kept.next_if(|e| e.0 < j) {
                merged.push(entry);
            }
            match kept.next_if(|e| e.0 == j) {
                Some((_, old)) => merged.push((j, old + factor * w)),
                None => {
                    merged.push((j, factor * w));
                    new(j);
                }
            }
        }
        merged.extend(kept);
        std::mem::swap(row, merged);
    }
}

/// Among equal low prices the last that was put there first, which takes no comparison; rows as
/// they come, which takes no order. For many small systems.
#[derive(Default)]
pub struct LastFirst {
    buckets: Vec<Vec<u32>>,
    lowest: usize,
    heap: BinaryHeap<Reverse<(usize, u32)>>,
    /// Per node, its place in the row at hand plus one; all zero between uses.
    place: Vec<u32>,
}

impl LastFirst {
    pub(super) fn place(&mut self) -> &mut [u32] {
        &mut self.place
    }
}

impl Discipline for LastFirst {
    fn reset(&mut self, nodes: usize) {
        self.buckets.resize_with(CHEAP, Vec::new);
        self.buckets.iter_mut().for_each(Vec::clear);
        self.heap.clear();
        self.lowest = CHEAP;
        self.place.clear();
        self.place.resize(nodes, 0);
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

    #[inline]
    fn take(row: &mut Vec<(u32, f64)>, node: u32) -> f64 {
        let at = row.iter().position(|e| e.0 == node).expect("the two lists agree");
        row.swap_remove(at).1
    }

    #[inline]
    fn merge(
        &mut self,
        row: &mut Vec<(u32, f64)>,
        other: &[(u32, f64)],
        factor: f64,
        own: u32,
        mut new: impl FnMut(u32),
    ) {
        if let [(j, w)] = *other {
            // by far the most common case
            if j != own {
                match row.iter_mut().find(|e| e.0 == j) {
                    Some(entry) => entry.1 += factor * w,
                    None => {
                        row.push((j, factor * w));
                        new(j);
                    }
                }
            }
            return;
        }
        row.iter().enumerate().for_each(|(i, e)| self.place[e.0 as usize] = i as u32 + 1);
        for &(j, w) in other.iter().filter(|e| e.0 != own) {
            match self.place[j as usize] {
                0 => {
                    row.push((j, factor * w));
                    new(j);
                }
                at => row[at as usize - 1].1 += factor * w,
            }
        }
        row.iter().for_each(|e| self.place[e.0 as usize] = 0);
    }
}
