//! Value iteration in place: the one kernel of all sweeps. Long blocks are swept on all cores.

use super::{Block, ChoiceRows, Last};
use crate::numeric::linear::parts;

#[derive(Clone, Copy, Debug)]
pub(in crate::plan::solve) struct Pass {
    pub(in crate::plan::solve) back: bool,
    /// The choices taken last alone are looked at.
    pub(in crate::plan::solve) taken: bool,
    /// Nodes whose equations lacked no more than this last time are left out.
    pub(in crate::plan::solve) cut: f64,
}

impl Pass {
    /// All nodes and all choices.
    pub(in crate::plan::solve) const ALL: Pass = Pass { back: false, taken: false, cut: f64::NEG_INFINITY };
}

#[derive(Clone, Copy, Debug, Default)]
pub(in crate::plan::solve) struct Progress {
    /// What the equation that lacked most lacked.
    pub(in crate::plan::solve) gap: f64,
    pub(in crate::plan::solve) changed: usize,
    /// Sums of products of these changes with the last, and of the squares of either.
    pub(in crate::plan::solve) along: f64,
    pub(in crate::plan::solve) before: f64,
    pub(in crate::plan::solve) now: f64,
}

/// Changes are the same if the square of the cosine between them exceeds this.
const SAME: f64 = 0.999;
/// A factor above this is not extrapolated.
const STEADY: f64 = 0.995;

impl Progress {
    fn plus(self, other: Progress) -> Progress {
        Progress {
            gap: self.gap.max(other.gap),
            changed: self.changed + other.changed,
            along: self.along + other.along,
            before: self.before + other.before,
            now: self.now + other.now,
        }
    }

    /// How many times the last change is still to come, if all goes on in the same way.
    pub(in crate::plan::solve) fn ahead(self) -> Option<f64> {
        let rate = self.along / self.before;
        let same = self.along * self.along > SAME * self.before * self.now;
        (same && (0.0..STEADY).contains(&rate)).then(|| rate / (1.0 - rate))
    }
}

impl Block {
    pub(in crate::plan::solve) fn pass(&mut self, pass: Pass) -> Progress {
        let Block { rows, sigma, noise, x, old, last, .. } = self;
        let (rows, sigma, noise) = (&*rows, *sigma, *noise);
        if parts::is_long(x.len()) {
            old.resize(x.len(), 0.0);
            parts::each(old, |begin, old| old.copy_from_slice(&x[begin..][..old.len()]));
        }
        let old = &*old;
        let parts = parts::both(x, last, |begin, x, last| {
            let (n, mut swept) = (x.len(), Progress::default());
            let mut relax = |i: usize| {
                // what is not a number is looked at again
                if f64::from(last[i].lacked) <= pass.cut {
                    return;
                }
                let value =
                    |j: u32| *x.get((j as usize).wrapping_sub(begin)).unwrap_or_else(|| &old[j as usize]);
                let (own, before) = (x[i], last[i]);
                let (to, best) = best(rows, (sigma, noise), begin + i, before.taken, pass.taken, own, value);
                let new = (own + sigma * best).max(0.0);
                let (gain, lacked) = (new - own, rows.lacks(to as usize, best, new));
                x[i] = new;
                last[i] = Last { taken: to, gain: gain as f32, lacked: lacked as f32 };
                swept = swept.plus(Progress {
                    gap: lacked,
                    changed: usize::from(to != before.taken),
                    along: f64::from(before.gain) * gain,
                    before: f64::from(before.gain) * f64::from(before.gain),
                    now: gain * gain,
                });
            };
            match pass.back {
                true => (0..n).rev().for_each(&mut relax),
                false => (0..n).for_each(&mut relax),
            }
            swept
        });
        parts.into_iter().fold(Progress::default(), Progress::plus)
    }

    /// Goes on by this multiple of the last change.
    pub(in crate::plan::solve) fn extrapolate(&mut self, ahead: f64) {
        let last = self.last.iter();
        self.x.iter_mut().zip(last).for_each(|(x, last)| *x = (*x + ahead * f64::from(last.gain)).max(0.0));
    }
}

#[inline(always)]
fn best(
    rows: &ChoiceRows,
    (sigma, noise): (f64, f64),
    node: usize,
    before: u32,
    taken: bool,
    own: f64,
    value: impl Fn(u32) -> f64,
) -> (u32, f64) {
    let kept = sigma * rows.gain(before as usize, own, &value);
    if taken {
        return (before, kept);
    }
    let (mut to, mut best) = (before, f64::INFINITY);
    for choice in rows.choices(node).filter(|&choice| choice != before as usize) {
        let gain = sigma * rows.gain(choice, own, &value);
        if gain < best {
            (to, best) = (choice as u32, gain);
        }
    }
    if best < kept - noise * own.abs() { (to, best) } else { (before, kept) }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{slacks, with_block};
    use super::*;

    /// A sweep is value iteration in place; its gap is what the last equation lacked.
    #[test]
    fn a_pass_is_value_iteration() {
        with_block(|model, block, v| {
            let mut v = v.to_vec();
            let found = block.pass(Pass::ALL).gap;
            let mut gap = 0.0f64;
            for &s in block.nodes() {
                let s = s as usize;
                let gains = slacks(model, s, &v);
                let gains = model.choices(s).zip(gains).map(|(c, slack)| (slack, model.leaving[c]));
                let best = gains.min_by(|a, b| (a.0 / a.1).total_cmp(&(b.0 / b.1))).unwrap();
                v[s] = (v[s] + best.0 / best.1).max(0.0);
                gap = gap.max(best.0.abs());
            }
            assert!((found - gap).abs() < 1e-9 * gap, "{found} {gap}");
            for (&s, x) in block.nodes().iter().zip(&block.x) {
                assert!((x - v[s as usize]).abs() < 1e-12 * (1.0 + x.abs()));
            }
        });
    }
}
