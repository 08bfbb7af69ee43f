//! What the learner knows of theta as time goes on: its estimate with intervals, the size and the
//! width of its confidence sets, and when they first say anything.

use super::sets::{Yardstick, mean};
use super::{Measure, Now, RunRows, saved};
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
/// A set says something if it is narrower than B by more than this share, in some direction.
const SAYS: f64 = 0.01;
/// At which plans it is asked whether they say something, until they do.
const LOOKS: Thinning = Thinning::PerDoubling(8);

/// Asks the learner at the plans that are kept.
pub(super) struct Probing {
    kept: Thinning,
    outline: Option<[usize; 2]>,
    dim: usize,
    yardstick: Arc<Yardstick>,
    plans: u64,
    /// Step and episode of the first plan whose sets say something.
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

    fn ask(&self, learner: &Learner, (t, episode): (u64, u64), rows: &mut Vec<ProbeRow>) {
        let known = |x: f64| Some(x).filter(|x| x.is_finite());
        let row = |quantity: String, value, low, high| ProbeRow { t, episode, quantity, value, low, high };
        let mut theta = Theta::default();
        learner.probe(&mut theta);
        let ends =
            |i: usize| theta.intervals.get(i).map_or((None, None), |&(low, high)| (known(low), known(high)));
        for i in 0..self.dim.min(theta.estimate.len().max(theta.intervals.len())) {
            let (low, high) = ends(i);
            let value = theta.estimate.get(i).copied().and_then(known);
            rows.push(row(format!("theta[{i}]"), value, low, high));
        }
        each_set(learner, Which::Now, |set| {
            let (name, size) = match set.size() {
                Size::Nats(nats) => ("nats", nats),
                Size::Radius(radius) => ("radius", radius),
            };
            rows.push(row(name.into(), known(size), None, None));
        });
        if let Some([i, j]) = self.outline {
            for (k, most) in around(learner, self.dim, i, j).into_iter().enumerate() {
                rows.push(row(format!("support[{i},{j}] {k}/{AROUND}"), most, None, None));
            }
        }
    }
}

/// The most of cos(a) theta_i + sin(a) theta_j over the intersection of the sets, for every angle.
fn around(learner: &Learner, dim: usize, i: usize, j: usize) -> Vec<Option<f64>> {
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

impl Probing {
    /// Whether the sets say something by now, and how wide they are.
    fn look(&mut self, learner: &Learner, at: (u64, u64)) -> Option<f64> {
        let shares = self.yardstick.shares(learner)?;
        if self.informed.is_none() && shares.iter().any(|share| *share < 1.0 - SAYS) {
            self.informed = Some(at);
        }
        mean(&shares)
    }
}

impl Measure for Probing {
    fn plan(&mut self, plan: &Plan, now: Now, rows: &mut RunRows) {
        self.plans += 1;
        let (kept, at) = (self.kept.keeps(self.plans), (plan.t, now.episode));
        if kept {
            self.ask(plan.learner, at, &mut rows.probes);
        }
        // when sets begin to say something is of interest wherever nothing else is recorded
        let due = self.informed.is_none() && LOOKS.keeps(self.plans);
        let width = if kept || due { self.look(plan.learner, at) } else { None };
        if let (true, Some(width)) = (kept, width) {
            rows.probes.push(ProbeRow {
                t: plan.t,
                episode: now.episode,
                quantity: "width".into(),
                value: Some(width),
                low: None,
                high: None,
            });
        }
    }

    fn finish(&mut self, runner: &Runner, row: &mut RunRow, _: &mut RunRows) {
        if self.informed.is_none() {
            let now = runner.progress();
            self.look(runner.learner(), (now.steps, now.episodes));
        }
        row.informed_step = self.informed.map(|(t, _)| t);
        row.informed_episode = self.informed.map(|(_, episode)| episode);
    }

    saved!(plans, informed);
}
