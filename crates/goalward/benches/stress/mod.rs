//! Random and degenerate support problems whose answers are known in part, and an independent
//! oracle for the rest.

#![allow(dead_code, unreachable_pub)]

pub mod families;
pub mod oracle;

pub use families::Family;

use families::{Draft, dot, draft, norm, objective};
use goalward::numeric::support::{ConvexSet, Ellipsoid, Status, SupportMin, Warm};
use goalward::numeric::{Polytope, PolytopeBuilder, Stream};
use std::sync::Arc;
use std::time::Instant;

/// Ellipsoids per polytope.
const SETS: usize = 5;
/// Objectives per set.
const OBJECTIVES: usize = 4;
/// Instances that one call of [`run`] makes.
pub const BATCH: u64 = (SETS * OBJECTIVES) as u64;
/// Seconds after which one solve counts as a hang.
const HANG: f64 = 5.0;

/// What was counted in one family.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    pub instances: u64,
    pub solved: u64,
    /// Called empty, as it was built to be.
    pub empty: u64,
    /// Called empty although a point of it is known.
    pub wrong_empty: u64,
    /// Built empty, but not found so.
    pub missed_empty: u64,
    pub inaccurate: u64,
    pub fallbacks: u64,
    /// Gaps beyond 1e-9.
    pub wide: u64,
    pub worst_gap: f64,
    /// Bounds above the value at a known point: none may be.
    pub wrong_bound: u64,
    /// Minimisers outside the set by more than 1e-7.
    pub outside: u64,
    /// Iteration caps hit, or solves slower than [`HANG`].
    pub hangs: u64,
    /// Compared with the oracle.
    pub compared: u64,
    /// The oracle did not converge.
    pub unsure: u64,
    /// Further than 1e-7 from the oracle, but no further than one rounding of Sigma moves the
    /// answer.
    pub conditioned: u64,
    /// Further from the oracle than that.
    pub different: u64,
    pub worst_difference: f64,
    pub seconds: f64,
}

impl Counts {
    /// Adds another count of the same family.
    pub fn add(&mut self, other: &Counts) {
        self.instances += other.instances;
        self.solved += other.solved;
        self.empty += other.empty;
        self.wrong_empty += other.wrong_empty;
        self.missed_empty += other.missed_empty;
        self.inaccurate += other.inaccurate;
        self.fallbacks += other.fallbacks;
        self.wide += other.wide;
        self.worst_gap = self.worst_gap.max(other.worst_gap);
        self.wrong_bound += other.wrong_bound;
        self.outside += other.outside;
        self.hangs += other.hangs;
        self.compared += other.compared;
        self.unsure += other.unsure;
        self.conditioned += other.conditioned;
        self.different += other.different;
        self.worst_difference = self.worst_difference.max(other.worst_difference);
        self.seconds += other.seconds;
    }

    /// What must not be, by name.
    pub fn failures(&self) -> Vec<String> {
        let none = [
            ("wrong 'empty' answers", self.wrong_empty),
            ("missed 'empty' answers", self.missed_empty),
            ("bounds above a value", self.wrong_bound),
            ("hangs", self.hangs),
            ("differences to Clarabel", self.different),
        ];
        let mut failures: Vec<String> =
            none.iter().filter(|(_, n)| *n > 0).map(|(what, n)| format!("{n} {what}")).collect();
        if self.wide * 1000 > self.solved {
            failures.push(format!("{} of {} gaps beyond 1e-9", self.wide, self.solved));
        }
        failures
    }
}

/// One polytope of a family under several ellipsoids and objectives; every `sample`-th answer meets
/// the oracle.
pub fn run(family: Family, seed: u64, sample: u64) -> Counts {
    let start = Instant::now();
    let mut counts = Counts::default();
    let mut random = Stream::new(seed, &[family as u64]);
    let mut drafted = draft(family, &mut random);
    let polytope = match family.shared(&drafted, build) {
        Some(polytope) => polytope,
        None => {
            counts.instances = BATCH;
            *(if drafted.contradictory { &mut counts.empty } else { &mut counts.wrong_empty }) = BATCH;
            counts.seconds = start.elapsed().as_secs_f64();
            return counts;
        }
    };
    if drafted.contradictory {
        counts.instances = BATCH;
        counts.missed_empty = BATCH;
        return counts;
    }
    for place in 0..SETS {
        drafted.place(family, &mut random);
        counts.instances += OBJECTIVES as u64;
        let ellipsoid = Ellipsoid { center: &drafted.center, shape: &drafted.shape, radius: drafted.radius };
        let mut set = match ConvexSet::new(&polytope, ellipsoid) {
            Ok(_) if drafted.empty => {
                counts.missed_empty += OBJECTIVES as u64;
                continue;
            }
            Ok(set) => set,
            Err(how) => {
                if !drafted.empty && std::env::var_os("STRESS_VERBOSE").is_some() {
                    let excess = drafted.excess(&drafted.known);
                    let (d, radius) = (drafted.dim, drafted.radius);
                    eprintln!(
                        "{family:?} {seed}: d {d} radius {radius:.1e}, called empty ({how:?}), \
                         known point off by {excess:.1e}"
                    );
                }
                *(if drafted.empty { &mut counts.empty } else { &mut counts.wrong_empty }) +=
                    OBJECTIVES as u64;
                continue;
            }
        };
        let mut warm = Warm::default();
        for turn in 0..OBJECTIVES {
            let c = objective(family, &drafted, &mut random);
            if random.below(2) == 0 {
                warm.clear();
            }
            let number = (seed * BATCH) + (place * OBJECTIVES + turn) as u64;
            let sampled = number.is_multiple_of(sample);
            judge(family, &drafted, &mut set, &c, &mut warm, sampled, &mut counts);
        }
        counts.fallbacks += set.fallbacks();
        counts.hangs += set.stalls();
    }
    counts.seconds = start.elapsed().as_secs_f64();
    counts
}

fn build(draft: &Draft) -> Option<Arc<Polytope>> {
    let mut builder = PolytopeBuilder::new(draft.dim);
    for (a, b) in &draft.equalities {
        builder.equality(a, *b).ok()?;
    }
    draft.rows.iter().for_each(|(a, b)| builder.halfspace(a, *b));
    builder.finish().ok().map(Arc::new)
}

fn judge(
    family: Family,
    draft: &Draft,
    set: &mut ConvexSet,
    c: &[f64],
    warm: &mut Warm,
    sampled: bool,
    counts: &mut Counts,
) {
    let start = Instant::now();
    let found = set.min(c, warm);
    counts.hangs += u64::from(start.elapsed().as_secs_f64() > HANG);
    counts.solved += 1;
    counts.inaccurate += u64::from(found.status == Status::Inaccurate);
    let theta = set.theta();
    // c'theta is a sum of terms of size |c| |theta|, and the centre is given to rounding: no method
    // can be better than rounding relative to these. One keeps the measure from asking for digits
    // of an answer near zero.
    let size = norm(&theta).max(norm(&draft.known)).max(norm(&draft.center));
    let scale = 1f64.max(found.value.abs()).max(norm(c) * size);
    let gap = (found.value - found.bound) / scale;
    counts.wide += u64::from(gap.is_nan() || gap > 1e-9);
    counts.worst_gap = counts.worst_gap.max(gap);
    let honest = found.bound <= found.value && found.bound <= dot(c, &draft.known) + 1e-9 * scale;
    counts.wrong_bound += u64::from(!honest);
    counts.outside += u64::from(draft.excess(&theta) > 1e-7 * (1.0 + size));
    if !sampled {
        return;
    }
    let Some(reference) = oracle::solve(draft, c, 1e-8 * scale) else {
        counts.unsure += 1;
        return;
    };
    counts.compared += 1;
    let difference = match family {
        Family::Facing => (found.value - reference).max(0.0) / scale,
        _ => (found.value - reference).abs() / scale,
    };
    // d value = kappa / 2 (theta - center)' dSigma (theta - center), with kappa radius^2 =
    // |c'(theta - center)| at most
    let off: Vec<f64> = theta.iter().zip(&draft.center).map(|(t, c)| t - c).collect();
    let trace: f64 = draft.shape.iter().step_by(draft.dim + 1).sum();
    let spread = f64::EPSILON * trace * dot(&off, &off) / (draft.radius * draft.radius);
    let conditioning = 0.5 * spread.min(1.0) * norm(c) * norm(&off) / scale;
    if difference <= 1e-7 {
        counts.worst_difference = counts.worst_difference.max(difference);
    } else if difference <= 1e-7 + 8.0 * conditioning {
        counts.conditioned += 1;
    } else {
        counts.worst_difference = counts.worst_difference.max(difference);
        counts.different += 1;
        if std::env::var_os("STRESS_VERBOSE").is_some() {
            eprintln!(
                "d {} radius {:.1e} {found:?} oracle {reference} scale {scale:.3e} conditioning \
                 {conditioning:.1e}",
                draft.dim, draft.radius
            );
        }
    }
}
