//! The same active-set method where rows are few and objectives many: the numbers of a working set
//! are found once and kept.
//!
//! On a working set W the stationary point is linear in w but for one length: p = P w and u = C w,
//! with P = M^-1 G_W and C the projection off W's rows ([`Working`]). A step takes two small
//! products and a look at the rows. A sweep over a million pairs meets a few hundred working sets.
//!
//! The numbers of W are computed from its rows in their order, so that an answer depends on the
//! objective and its start alone. Whatever is out of the ordinary is left to the method that
//! updates its factors.

use super::active_set::{ActiveSet, first_to_vanish};
use super::lanes::{Lanes, inner, width};
use super::whiten::Whitened;
use super::working::Working;

/// Working sets are named by the bits of a word.
const MOST_ROWS: usize = 64;
/// In more dimensions the products are no longer small.
const MOST_FREE: usize = 16;
const SLOTS: usize = 2048;
/// No working set: it would have all rows.
const NONE: u64 = u64::MAX;
/// |u|^2 and s^2 below this have lost digits.
const FAINT: f64 = 1e-4;
const LANES: usize = MOST_FREE / 4;

#[derive(Clone, Debug)]
pub(super) struct Faces {
    free: usize,
    width: usize,
    /// The working set of each slot, and whether its rows are independent.
    names: Vec<u64>,
    /// Where its numbers are: slots get room when they are first filled.
    places: Vec<u32>,
    sound: Vec<bool>,
    /// s^2 = 1 - |y_W|^2.
    rest: Vec<f64>,
    /// Per slot y_W, q, and P and C by columns.
    numbers: Vec<Lanes>,
    working: Working,
}

impl Faces {
    pub(super) fn of(set: &Whitened) -> Option<Faces> {
        let (k, rows) = (set.free, set.limits.len());
        let fits = !set.point && (1..=MOST_FREE).contains(&k) && (1..MOST_ROWS).contains(&rows);
        fits.then(|| Faces {
            free: k,
            width: width(k),
            names: vec![NONE; SLOTS],
            places: vec![0; SLOTS],
            sound: vec![false; SLOTS],
            rest: vec![0.0; SLOTS],
            numbers: Vec::new(),
            working: Working::new(k),
        })
    }

    /// Solves for |w| = 1 from the rows named and leaves the solution in `answer`; false if it
    /// cannot. `known`: the rows meet in a point of the set.
    pub(super) fn solve(
        &mut self,
        set: &Whitened,
        w: &[Lanes],
        start: &[u32],
        known: bool,
        answer: &mut ActiveSet,
    ) -> bool {
        let k = self.free;
        let named = start.iter().filter(|&&row| (row as usize) < set.limits.len()).take(k);
        let mut name = named.fold(0, |name, row| name | 1u64 << row);
        // by the rows' numbers
        let mut lambda = [0.0; MOST_ROWS];
        let begun = name;
        for _ in 0..50 + 5 * k {
            let slot = self.slot(set, name);
            if !self.sound[slot] {
                return false;
            }
            let n = name.count_ones() as usize;
            let Some((target, y)) = self.aim(slot, n, w) else { return false };
            if let Some(row) = step(name, &mut lambda, target.as_flattened()) {
                name &= !(1 << row);
                continue;
            }
            let y = &y[..self.width];
            let inside = known && n == k && name == begun;
            let violated = if inside {
                None
            } else {
                answer.working.rows.clear();
                answer.working.rows.extend(rows(name));
                set.most_violated(y, 0.0, &answer.working.rows)
            };
            let Some((row, _)) = violated else {
                answer.adopt(rows(name), rows(name).map(|row| lambda[row]), y, n < k);
                return true;
            };
            if n == k {
                let Some(leaves) = self.trade(set, slot, row, name, &mut lambda) else { return false };
                name &= !(1 << leaves);
            }
            name |= 1 << row;
        }
        false
    }

    /// Where the multipliers of a working set should go, and its point; none where digits are lost.
    #[inline]
    fn aim(&self, slot: usize, n: usize, w: &[Lanes]) -> Option<([Lanes; LANES], [Lanes; LANES])> {
        let (k, b) = (self.free, self.width);
        let numbers = &self.numbers[self.places[slot] as usize..][..stride(k)];
        let (nearest, numbers) = numbers.split_at(b);
        let (q, numbers) = numbers.split_at(b);
        let (p, c) = numbers.split_at(k * b);
        let rest = self.rest[slot];
        if rest < FAINT {
            return None;
        }
        let (mut target, mut y) = ([[0.0; 4]; LANES], [[0.0; 4]; LANES]);
        products(b, p, w, &mut target);
        let mut mu = 0.0;
        y[..b].copy_from_slice(nearest);
        if n < k {
            let mut u = [[0.0; 4]; LANES];
            products(b, c, w, &mut u);
            let square = inner(&u[..b], &u[..b]);
            if square < FAINT {
                return None;
            }
            let length = (rest / square).sqrt();
            mu = 1.0 / length;
            for (y, u) in y[..b].iter_mut().zip(&u) {
                for lane in 0..4 {
                    y[lane] -= length * u[lane];
                }
            }
        }
        for (target, q) in target[..b].iter_mut().zip(q) {
            for lane in 0..4 {
                target[lane] = -(target[lane] + mu * q[lane]);
            }
        }
        Some((target, y))
    }

    /// Makes room for a row where W has as many as there are dimensions: which one leaves.
    fn trade(
        &self,
        set: &Whitened,
        slot: usize,
        row: usize,
        name: u64,
        lambda: &mut [f64; MOST_ROWS],
    ) -> Option<usize> {
        let (k, b) = (self.free, self.width);
        let mut g = [[0.0; 4]; LANES];
        set.copy_row(row, &mut g[..b]);
        let p = &self.numbers[self.places[slot] as usize + 2 * b..][..k * b];
        let mut share = [[0.0; 4]; LANES];
        products(b, p, &g, &mut share);
        let share = &share.as_flattened()[..k];
        let mut now = [0.0; MOST_FREE];
        now.iter_mut().zip(rows(name)).for_each(|(now, row)| *now = lambda[row]);
        let (place, step) = first_to_vanish(&now[..k], share)?;
        for (other, share) in rows(name).zip(share) {
            lambda[other] = (lambda[other] - step * share).max(0.0);
        }
        lambda[row] = step;
        rows(name).nth(place)
    }

    /// The slot of a working set, which it fills where another has it.
    #[inline]
    fn slot(&mut self, set: &Whitened, name: u64) -> usize {
        let slot = (name.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize % SLOTS;
        if self.names[slot] != name {
            self.fill(set, name, slot);
        }
        slot
    }

    #[cold]
    fn fill(&mut self, set: &Whitened, name: u64, slot: usize) {
        let (k, b) = (self.free, self.width);
        if self.names[slot] == NONE {
            self.places[slot] = self.numbers.len() as u32;
            self.numbers.resize(self.numbers.len() + stride(k), [0.0; 4]);
        }
        self.names[slot] = name;
        let working = &mut self.working;
        working.start(&[[0.0; 4]; LANES][..b]);
        self.sound[slot] = rows(name).count() <= k
            && rows(name).all(|row| {
                set.copy_row(row, &mut working.candidate);
                working.push(row, set.limits[row])
            });
        if !self.sound[slot] {
            return;
        }
        self.rest[slot] = 1.0 - working.nearest_sq();
        let numbers = &mut self.numbers[self.places[slot] as usize..][..stride(k)];
        numbers.fill([0.0; 4]);
        let (nearest, numbers) = numbers.split_at_mut(b);
        let (q, numbers) = numbers.split_at_mut(b);
        let (p, c) = numbers.split_at_mut(k * b);
        nearest.copy_from_slice(&working.nearest);
        working.q(q.as_flattened_mut());
        for j in 0..k {
            let mut unit = [[0.0; 4]; LANES];
            unit[j / 4][j % 4] = 1.0;
            let column = j * b..(j + 1) * b;
            working.share(&unit[..b], p[column.clone()].as_flattened_mut());
            c[column.clone()].copy_from_slice(&unit[..b]);
            working.leave(&mut c[column]);
        }
    }
}

fn stride(k: usize) -> usize {
    2 * width(k) * (k + 1)
}

fn rows(name: u64) -> impl Iterator<Item = usize> {
    let mut left = name;
    std::iter::from_fn(move || {
        let row = left.trailing_zeros() as usize;
        left &= left.wrapping_sub(1);
        (row < MOST_ROWS).then_some(row)
    })
}

/// out = columns x; the compiler knows the lanes' number.
#[inline]
fn products(b: usize, columns: &[Lanes], x: &[Lanes], out: &mut [Lanes; LANES]) {
    match b {
        1 => products_of::<1>(columns, x, out),
        2 => products_of::<2>(columns, x, out),
        3 => products_of::<3>(columns, x, out),
        _ => products_of::<4>(columns, x, out),
    }
}

#[inline(always)]
fn products_of<const B: usize>(columns: &[Lanes], x: &[Lanes], out: &mut [Lanes; LANES]) {
    let mut sums = [[0.0; 4]; B];
    for (column, x) in columns.as_chunks::<B>().0.iter().zip(x.as_flattened()) {
        for place in 0..B {
            for lane in 0..4 {
                sums[place][lane] += column[place][lane] * x;
            }
        }
    }
    out[..B].copy_from_slice(&sums);
}

/// Moves the multipliers of W towards the target, or to the first zero, whose row it returns.
#[inline]
fn step(name: u64, lambda: &mut [f64; MOST_ROWS], target: &[f64]) -> Option<usize> {
    let (low, high) = target.iter().fold((0.0, 0.0), |(low, high), &t| (f64::min(low, t), f64::max(high, t)));
    let rounding = 1e-14 * f64::max(high, -low);
    if low >= -rounding {
        rows(name).zip(target).for_each(|(row, t)| lambda[row] = t.max(0.0));
        return None;
    }
    let mut first = (0, f64::INFINITY, 0.0);
    for (row, &to) in rows(name).zip(target).filter(|(_, to)| **to < -rounding) {
        let length = lambda[row] / (lambda[row] - to);
        // of several at once, the one that the target wants least
        if length < first.1 || length == first.1 && to < first.2 {
            first = (row, length, to);
        }
    }
    for (row, to) in rows(name).zip(target) {
        lambda[row] = (lambda[row] + first.1 * (to - lambda[row])).max(0.0);
    }
    lambda[first.0] = 0.0;
    Some(first.0)
}
