//! One cycle: relaxation, a correction from the next level, relaxation. Inner levels take up to two
//! cycles, combined for the least residual (Notay and Vassilevski, Recursive Krylov-based multigrid
//! cycles, 2008).

use super::level::{ALONE, Level};
use crate::linear::dense::Dense;
use crate::linear::parts::{dot, each, subtract};

/// A second cycle is left out where the first leaves less than this part of the residual.
const ENOUGH: f64 = 0.25;

/// Improves on x = 0 in the first of some levels, for its b: an approximate solution.
pub(super) fn cycle(levels: &mut [Level], last: &Dense) {
    let Some((fine, coarser)) = levels.split_first_mut() else { return };
    if coarser.is_empty() {
        fine.x = last.solve(fine.b.clone());
        return;
    }
    let (b, mut x) = (std::mem::take(&mut fine.b), std::mem::take(&mut fine.x));
    let mut r = std::mem::take(&mut fine.work[0]);
    fine.relax_from_zero(&b, &mut x);
    fine.residual(&b, &x, &mut r);
    each(&mut coarser[0].b, |begin, target| {
        for (g, target) in (begin..).zip(target) {
            let members = fine.members.of(g).iter().map(|&i| i as usize);
            *target = members.map(|i| fine.share[i] * r[i]).sum();
        }
    });
    correct(coarser, last);
    each(&mut x, |begin, x| {
        for (x, &group) in x.iter_mut().zip(&fine.group[begin..]) {
            if group != ALONE {
                *x += coarser[0].x[group as usize];
            }
        }
    });
    fine.relax_back(&b, &mut x, &mut r);
    (fine.b, fine.x, fine.work[0]) = (b, x, r);
}

fn correct(levels: &mut [Level], last: &Dense) {
    if levels.len() == 1 {
        return cycle(levels, last);
    }
    let before = dot(&levels[0].b, &levels[0].b);
    cycle(levels, last);
    let level = &mut levels[0];
    let [_, v, first, _] = &mut level.work;
    let (mut v, mut first) = (std::mem::take(v), std::mem::take(first));
    level.apply(&level.x, &mut v);
    let length = dot(&v, &v);
    let alpha = if length > 0.0 { dot(&v, &level.b) / length } else { 0.0 };
    std::mem::swap(&mut level.x, &mut first);
    subtract(&mut level.b, alpha, &v);
    if dot(&level.b, &level.b) <= ENOUGH * ENOUGH * before || length == 0.0 {
        level.x.iter_mut().zip(&first).for_each(|(x, z)| *x = alpha * z);
        [level.work[1], level.work[2]] = [v, first];
        return;
    }
    [level.work[1], level.work[2]] = [v, first];
    cycle(levels, last);
    let level = &mut levels[0];
    let mut u = std::mem::take(&mut level.work[3]);
    level.apply(&level.x, &mut u);
    let Level { x, b, work: [_, v, first, _], .. } = level;
    let along = dot(v, &u) / length;
    subtract(&mut u, along, v);
    let rest = dot(&u, &u);
    let beta = if rest > 0.0 { dot(&u, b) / rest } else { 0.0 };
    x.iter_mut().zip(first).for_each(|(x, z)| *x = (alpha - beta * along) * *z + beta * *x);
    level.work[3] = u;
}
