//! The learner's estimate of theta with intervals, the size and the width of its confidence sets, and
//! when these first exclude something.

use super::sets::{Yardstick, mean};
use super::{Measure, RunRows, saved};
use crate::results::{ProbeRow, RunRow};
use crate::sets::{Which, each_set};
use crate::study::{Record, Thinning};
use goalward::confidence::Size;
use goalward::episode::{Arena, Plan, Runner};
use goalward::learners::{Learner, Probe};
use goalward::numeric::Portable;
use goalward::numeric::support::Warm;
use std::f64::consts::TAU;
use std::sync::Arc;

/// Directions around the outline of a set.
const AROUND: usize = 16;
/// Sets are informed once they are narrower than B by more than this share, in some direction.
const NARROWER: f64 = 0.01;
/// The plans at which they are checked for it, until they are.
const SOUGHT: Thinning = Thinning::PerDoubling(8);

/// Probes the learner at the kept plans.
pub(super) struct Probing {
    kept: Thinning,
    outline: Option<[usize; 2]>,
    dim: usize,
    yardstick: Arc<Yardstick>,
    plans: u64,
    /// Step and episode of the first plan with informed sets.
    informed: Option<(u64, u64)>,
}

impl Probing {
    pub(super) fn new(record: &Record, arena: &Arena, yardstick: Arc<Yardstick>) -> Probing {
        Probing {
            kept: record.probes,
            outline: record.outline.filter(|pair| pair.iter().all(|i| *i < arena.problem().dim())),
            dim: arena.problem().dim(),
            yardstick,
            plans: 0,
            informed: None,
        }
    }

    /// The estimate with its intervals, the sizes of the sets, and the outline of their intersection.
    fn probe(&self, learner: &Learner, mut add: impl FnMut(String, Option<f64>, Option<(f64, f64)>)) {
        let mut theta = Theta::default();
        learner.probe(&mut theta);
        for i in 0..self.dim.min(theta.estimate.len().max(theta.intervals.len())) {
            add(format!("theta[{i}]"), theta.estimate.get(i).copied(), theta.intervals.get(i).copied());
        }
        each_set(learner, Which::Now, |set| {
            let (name, size) = match set.size() {
                Size::Nats(nats) => ("nats", nats),
                Size::Radius(radius) => ("radius", radius),
            };
            add(name.into(), Some(size), None);
        });
        if let Some([i, j]) = self.outline {
            for (k, most) in support_around(learner, self.dim, i, j).into_iter().enumerate() {
                add(format!("support[{i},{j}] {k}/{AROUND}"), most, None);
            }
        }
    }

    /// The mean width of the sets; notes when they are first narrower than B.
    fn width(&mut self, learner: &Learner, at: (u64, u64)) -> Option<f64> {
        let shares = self.yardstick.shares(learner)?;
        if self.informed.is_none() && shares.iter().any(|share| *share < 1.0 - NARROWER) {
            self.informed = Some(at);
        }
        mean(&shares)
    }
}

/// The maximum of cos(a) theta_i + sin(a) theta_j over the intersection of the sets, for every angle.
fn support_around(learner: &Learner, dim: usize, i: usize, j: usize) -> Vec<Option<f64>> {
    let mut all: Vec<Option<f64>> = Vec::new();
    each_set(learner, Which::Now, |set| {
        let Some(mut support) = set.support() else { return };
        all.resize(AROUND, None);
        for (k, most) in all.iter_mut().enumerate() {
            let angle = TAU * k as f64 / AROUND as f64;
            let mut c = vec![0.0; dim];
            (c[i], c[j]) = (-angle.cosine(), -angle.sine());
            let here = -support.min(&c, &mut Warm::default()).bound;
            *most = Some(most.map_or(here, |m: f64| m.min(here))).filter(|x| x.is_finite());
        }
    });
    all
}

#[derive(Default)]
struct Theta {
    estimate: Vec<f64>,
    intervals: Vec<(f64, f64)>,
}

impl Probe for Theta {
    fn estimate(&mut self, theta_hat: &[f64]) {
        self.estimate = theta_hat.to_vec();
    }
    fn intervals(&mut self, theta: &[(f64, f64)]) {
        self.intervals = theta.to_vec();
    }
}

impl Measure for Probing {
    fn plan(&mut self, plan: &Plan, episode: u64, rows: &mut RunRows) {
        self.plans += 1;
        let kept = self.kept.keeps(self.plans);
        let mut add = |quantity: String, value: Option<f64>, ends: Option<(f64, f64)>| {
            let (low, high) = ends.unzip();
            let [value, low, high] = [value, low, high].map(|x| x.filter(|x| x.is_finite()));
            rows.probes.push(ProbeRow { t: plan.t, episode, quantity, value, low, high });
        };
        if kept {
            self.probe(plan.learner, &mut add);
        }
        // the end of the burn-in is sought at more plans than are kept
        if kept || (self.informed.is_none() && SOUGHT.keeps(self.plans)) {
            let width = self.width(plan.learner, (plan.t, episode));
            if kept && width.is_some() {
                add("width".into(), width, None);
            }
        }
    }

    fn finish(&mut self, runner: &Runner, row: &mut RunRow, _: &mut RunRows) {
        if self.informed.is_none() {
            let now = runner.progress();
            self.width(runner.learner(), (now.steps, now.episodes));
        }
        row.informed_step = self.informed.map(|(t, _)| t);
        row.informed_episode = self.informed.map(|(_, episode)| episode);
    }

    saved!(plans, informed);
}
