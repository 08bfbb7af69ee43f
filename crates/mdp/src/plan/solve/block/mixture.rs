//! Mixtures of choices, and the equations of a policy or mixture.

use super::{Block, step};
use crate::numeric::Portable;
use crate::numeric::linear::parts;

const RAREST: f64 = 0.01;

impl Block {
    /// Mixes the choices of nodes: losing `soft` more, in costs of a step, makes a choice rarer by
    /// e. A mixture that loses no more than `lazy` is kept. Returns the number of new ones.
    pub(in crate::plan::solve) fn mix(&mut self, soft: f64, lazy: f64) -> usize {
        self.mix.resize(self.rows.b.len(), 0.0);
        let Block { rows, sigma, unit, least, x, mix, .. } = self;
        let (rows, x, sigma, unit) = (&*rows, &*x, *sigma, (*unit, *least));
        let ranges = parts::ranges(x.len());
        let mixes = parts::split(mix, ranges.iter().map(|range| rows.choices[range.end] as usize));
        let new = parts::map(ranges.into_iter().zip(mixes).collect(), |(range, mix)| {
            let from = rows.choices[range.start] as usize;
            let mut losses = Vec::new();
            let mut mix_node = |i: usize| {
                let choices = rows.choices(i);
                let mix = &mut mix[choices.start - from..choices.end - from];
                let loss = |c| sigma * rows.gain(c, x[i], |j| x[j as usize]) / step(rows, unit, c);
                losses.clear();
                losses.extend(choices.map(loss));
                usize::from(blend(mix, &mut losses, soft, lazy))
            };
            range.map(&mut mix_node).sum::<usize>()
        });
        new.into_iter().sum()
    }

    /// Adds a node's arcs, in costs of a step; returns the weight that leaves the block.
    pub(in crate::plan::solve) fn row(&self, i: usize, arcs: &mut Vec<(u32, f64)>) -> f64 {
        if self.mix.is_empty() {
            arcs.extend(self.arcs_of(i));
            return self.outside(i);
        }
        let mut out = 0.0;
        for (choice, share) in self.shares(i) {
            out += share * self.rows.out[choice];
            for (j, w) in self.rows.arcs(choice) {
                match arcs.iter_mut().find(|arc| arc.0 == j) {
                    Some(arc) => arc.1 += share * w,
                    None => arcs.push((j, share * w)),
                }
            }
        }
        out
    }

    pub(in crate::plan::solve) fn right(&self) -> Vec<f64> {
        let mut b = vec![0.0; self.x.len()];
        parts::each(&mut b, |begin, b| {
            for (i, b) in (begin..).zip(b) {
                *b = match self.mix.is_empty() {
                    true => self.share(i) * self.rows.b[self.last[i].taken as usize],
                    false => self.shares(i).map(|(choice, share)| share * self.rows.b[choice]).sum(),
                };
            }
        });
        b
    }

    /// The choices of a node that it takes at times, and how often, by what their steps cost.
    fn shares(&self, i: usize) -> impl Iterator<Item = (usize, f64)> {
        let choices = self.rows.choices(i);
        let total: f64 = self.mix[choices.clone()].iter().map(|&share| f64::from(share)).sum();
        let shares = choices.map(move |choice| (choice, f64::from(self.mix[choice]) / total));
        shares.filter(|share| share.1 > 0.0).map(|(c, share)| (c, share / self.step(c)))
    }
}

/// Mixes choices by their losses, unless their mixture loses little; whether it did.
fn blend(mix: &mut [f32], losses: &mut [f64], soft: f64, lazy: f64) -> bool {
    let least = losses.iter().copied().fold(f64::INFINITY, f64::min);
    losses.iter_mut().for_each(|loss| *loss -= least);
    let total: f64 = mix.iter().map(|&share| f64::from(share)).sum();
    let lost: f64 = mix.iter().zip(&*losses).map(|(&share, loss)| f64::from(share) * loss).sum();
    if total > 0.0 && lost <= lazy * total {
        return false;
    }
    for (share, loss) in mix.iter_mut().zip(losses) {
        let weight = (-*loss / soft).exp_e();
        *share = if weight < RAREST { 0.0 } else { weight as f32 };
    }
    true
}

#[cfg(test)]
mod tests {
    use super::super::tests::{slacks, with_block};
    use super::*;

    /// A mixture's equation is the sum of those of its choices, each times its share.
    #[test]
    fn mixtures_are_by_what_choices_lose() {
        with_block(|model, block, v| {
            assert_eq!(block.mix(0.7, 0.0), block.x.len());
            let b = block.right();
            for (at, &s) in block.nodes().iter().enumerate() {
                let slacks = slacks(model, s as usize, v);
                let least = slacks.iter().copied().fold(f64::INFINITY, f64::min);
                let weights: Vec<f64> = slacks.iter().map(|slack| ((least - slack) / 0.7).exp_e()).collect();
                let kept = || weights.iter().zip(&slacks).filter(|share| *share.0 >= RAREST);
                let total: f64 = kept().map(|share| share.0).sum();
                let direct = kept().map(|(weight, slack)| weight * slack).sum::<f64>() / total;
                let mut arcs = Vec::new();
                let out = block.row(at, &mut arcs);
                let own = block.x[at];
                let fall: f64 = arcs.iter().map(|&(j, w)| w * (own - block.x[j as usize])).sum();
                let found = b[at] - out * own - fall;
                assert!((found - direct).abs() < 1e-5 * (1.0 + direct.abs()), "{found} {direct}");
            }
        });
    }

    /// What loses little stays, what loses much does not.
    #[test]
    fn mixtures_that_lose_little_are_kept() {
        with_block(|_, block, _| {
            let n = block.x.len();
            assert_eq!(block.mix(0.7, 0.0), n);
            let before = block.mix.clone();
            assert_eq!(block.mix(0.001, 1e9), 0);
            assert_eq!(block.mix, before);
            let new = block.mix(0.001, 0.2);
            assert!(0 < new && new < n, "{new} of {n}");
            assert_eq!(block.mix(0.001, 0.2), 0);
        });
    }
}
