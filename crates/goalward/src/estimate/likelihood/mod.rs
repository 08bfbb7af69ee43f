//! The likelihood of what was seen: counts, maximum likelihood inside B, and predictions made
//! before the fact.

mod distance;
mod frame;
mod gram;
mod newton;
mod nodes;
mod stored;
#[cfg(test)]
mod tests;
mod triples;
mod walk;

use crate::numeric::{Cholesky, Polytope, Portable, dot};
use crate::problem::{Pair, Problem, State};
pub(crate) use distance::Parabola;
use frame::{Frame, prior};
pub(crate) use frame::{largest_norm, ridge};
use gram::add_square;
pub(crate) use gram::gram;
use newton::{PATH, Summands, minimise};
use nodes::{Model, Nodes};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use triples::{ROOM, Stretch, Tally, Triples};

/// A fit of the predicting theta ends when a Newton step promises to gain less than half of this,
/// in nats, over all data: the threshold is tens of nats above the minimum, and any prediction is
/// valid.
const ENOUGH: f64 = 0.2;

/// What became of a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a model violation must be reported"]
pub enum Seen {
    /// It was counted.
    Counted,
    /// No theta in B gives it a positive probability: the model is wrong. It was not counted.
    Impossible,
}

/// A maximum of the likelihood over B.
#[derive(Clone, Debug, PartialEq)]
pub struct Maximum {
    /// theta, in R^d.
    pub theta: Vec<f64>,
    /// Its coordinates in B's affine hull.
    pub z: Vec<f64>,
    /// f(theta) = -log likelihood.
    pub loss: f64,
}

/// A transition, and what it was scored by before it was known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scored {
    /// Where it began.
    pub(crate) pair: Pair,
    /// How often the same triple had been seen before.
    pub(crate) before: u64,
    /// q of what came, and its logarithm.
    pub(crate) q: f64,
    pub(crate) log_q: f64,
}

/// A triple seen.
pub(crate) struct Term<'a> {
    /// Its place among the triples.
    pub(crate) index: usize,
    /// N'phi.
    pub(crate) row: &'a [f64],
    /// Its probability.
    pub(crate) p: f64,
    /// How often it was seen.
    pub(crate) n: f64,
}

/// Some of the triples seen.
pub(crate) struct Part<'a> {
    stretch: Stretch<'a>,
    z: &'a [f64],
}

impl Part<'_> {
    pub(crate) fn terms(&self) -> impl Iterator<Item = Term<'_>> {
        let Part { stretch, z } = self;
        let k = z.len();
        let seen = stretch.counts.iter().enumerate().filter(|(_, n)| **n > 0);
        seen.map(move |(i, &n)| {
            let row = &stretch.rows[i * k..(i + 1) * k];
            Term { index: stretch.start + i, row, p: stretch.constants[i] + dot(row, z), n: n as f64 }
        })
    }
}

/// Counts of the distinct triples k = (s,a,s'), f(theta) = -sum n(k) log <phi_k, theta>, and a
/// sequential prediction.
///
/// The prediction q_i of the i-th next state mixes the kernel of a smoothed maximum-likelihood
/// theta, which lies strictly inside B and was fitted to the past alone, with a share of 1/(i+1)^2
/// of the kernel of a fixed interior point. The share keeps q_i positive and costs at most log 2
/// over all time (1/(i+1), whose logarithms add up to log t, would cost more than the fit itself).
/// Fits are made again when the data have grown by a quarter, from where the last one ended, and
/// end as soon as a step promises less than a tenth of a nat: a prediction need not be the best to
/// be valid.
///
/// All is a function of the transitions counted, in their order: nothing is drawn, and no hash
/// order enters.
///
/// **Time**: O(nnz of the row + k^2) a step (O(k d) more for the first of a pair, and for pairs
/// that come late), whatever the number of triples. A fit now and then, a few Newton steps of
/// O(k^2) per triple seen: with a quarter more data each, all fits up to step t together take O(t
/// k^2).
///
/// **Memory**: per distinct triple seen 20 bytes, and 16 more while a fit lasts; per pair of the
/// problem 4 bytes. Of the pairs visited first all triples are kept with their rows, in 2 MB at
/// most, seen or not: see [`bytes`](Self::bytes).
#[derive(Clone, Debug)]
pub struct Likelihood {
    frame: Arc<Frame>,
    triples: Triples,
    memory: Sums,
    /// Space for one row, and for an update by it.
    row: Vec<f64>,
    scratch: Vec<f64>,
    /// Whether the fit itself predicts, and no points stand for the posterior.
    light: bool,
    /// The last transition counted.
    last: Option<Scored>,
}

/// The state of a [`Likelihood`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    triples: Tally,
    sums: Sums,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sums {
    total: u64,
    /// -sum log q_i.
    prediction_loss: f64,
    /// The coordinates of the theta that predicts.
    plug_in: Vec<f64>,
    /// Points that stand for the posterior, and their mean, whose kernel predicts.
    nodes: Nodes,
    mean: Vec<f64>,
    /// How many transitions the fit knows.
    fitted: u64,
    /// sum n(k) u u'/p^2 + rho I at the predicting theta: the Fisher information, and the ridge.
    information: Cholesky,
}

impl Likelihood {
    /// No data.
    pub fn new(problem: &Arc<Problem>) -> Self {
        Self::within(problem, problem.constraints())
    }

    /// No data; `constraints` is the problem's B, perhaps [with another
    /// choice](Polytope::with_rows) among its rows.
    pub fn within(problem: &Arc<Problem>, constraints: &Arc<Polytope>) -> Self {
        Self::with_room(problem, constraints, ROOM)
    }

    /// No data, and a plainer prediction: the fit itself, without points that stand for the
    /// posterior. It loses some nats more, and takes less time.
    pub(crate) fn light(problem: &Arc<Problem>) -> Self {
        Self::of(problem, problem.constraints(), ROOM, true)
    }

    /// Keeps at most `room` numbers of the first triples' rows.
    fn with_room(problem: &Arc<Problem>, constraints: &Arc<Polytope>, room: usize) -> Self {
        Self::of(problem, constraints, room, false)
    }

    fn of(problem: &Arc<Problem>, constraints: &Arc<Polytope>, room: usize, light: bool) -> Self {
        let frame = Arc::new(Frame::new(problem, constraints));
        let k = frame.inside.len();
        let nodes = if light { Nodes::default() } else { Nodes::new(&frame) };
        let mut mean = frame.inside.clone();
        nodes.mean(&mut mean);
        let memory = Sums {
            total: 0,
            prediction_loss: 0.0,
            plug_in: frame.inside.clone(),
            mean,
            nodes,
            fitted: 0,
            information: Cholesky::scaled_identity(k, prior(frame.extent)),
        };
        let triples = Triples::new(problem.pairs(), room);
        let (row, scratch) = (vec![0.0; k], vec![0.0; k]);
        Likelihood { triples, frame, memory, row, scratch, light, last: None }
    }

    /// Adds a transition; the prediction that it is scored by does not depend on it.
    pub fn observe(&mut self, p: Pair, next: State) -> Seen {
        let Some(place) = self.frame.problem.successors(p).iter().position(|&n| n as usize == next) else {
            return Seen::Impossible;
        };
        self.triples.visit(&self.frame, p);
        let (constant, possible) = self.triples.row(&self.frame, p, place, &mut self.row);
        if !possible {
            return Seen::Impossible;
        }
        let predicted = self.predicted(constant, &self.row);
        let memory = &mut self.memory;
        let probability = constant + dot(&self.row, &memory.plug_in);
        let log_q = predicted.log_e();
        let before = self.triples.count(p, place);
        self.last = Some(Scored { pair: p, before, q: predicted, log_q });
        memory.prediction_loss -= log_q;
        memory.total += 1;
        memory.nodes.learn(constant, &self.row);
        memory.nodes.mean(&mut memory.mean);
        let more = memory.total - memory.fitted;
        if more > memory.fitted / 4 || more > memory.fitted / 16 && memory.nodes.is_depleted() {
            self.fit();
        } else {
            memory.information.update(&self.row, probability.powi(-2), &mut self.scratch);
        }
        Seen::Counted
    }

    /// The distribution q over the pair's successors that its next transition will be scored by.
    pub fn prediction(&self, p: Pair) -> Vec<f64> {
        let mut row = vec![0.0; self.row.len()];
        let places = 0..self.frame.problem.successors(p).len();
        let mut of = |place| {
            let (constant, possible) = self.triples.row(&self.frame, p, place, &mut row);
            if possible { self.predicted(constant, &row) } else { 0.0 }
        };
        places.map(&mut of).collect()
    }

    /// The last transition counted, since this was built or restored.
    pub(crate) fn last(&self) -> Option<Scored> {
        self.last
    }

    /// Of every successor of a pair how often it came, and its probability at a point of B.
    pub(crate) fn outcomes(&self, p: Pair, z: &[f64]) -> Vec<(State, u64, f64)> {
        let mut row = vec![0.0; self.row.len()];
        let successors = self.frame.problem.successors(p).iter().enumerate();
        let of = |(place, &next): (usize, &u32)| {
            let (constant, possible) = self.triples.row(&self.frame, p, place, &mut row);
            let probability = if possible { constant + dot(&row, z) } else { 0.0 };
            (next as State, self.triples.seen(p, place), probability)
        };
        successors.map(of).collect()
    }

    pub(crate) fn problem(&self) -> &Arc<Problem> {
        &self.frame.problem
    }

    fn predicted(&self, constant: f64, row: &[f64]) -> f64 {
        let share = 0.05 * ((self.memory.total + 2) as f64).powi(-2);
        let fitted = constant + dot(row, &self.memory.mean);
        let fixed = constant + dot(row, &self.frame.inside);
        // only rounding could make it vanish
        ((1.0 - share) * fitted + share * fixed).max(f64::MIN_POSITIVE)
    }

    /// Fits the predicting theta to the data so far. Every row of the pairs that came while there
    /// was room for their rows gets a share of (k + 1)/2 pseudo-counts, which keeps the fit off the
    /// boundary as the estimator of Krichevsky and Trofimov does. Where rows are more than that, a
    /// share does less than the barrier of B's rows.
    pub(crate) fn fit(&mut self) {
        self.fit_with(1.0);
    }

    /// The same with a part of the prior's weight: the less, the nearer to the maximum.
    pub(crate) fn fit_with(&mut self, part: f64) {
        let possible = self.triples.possible().iter().filter(|p| **p).count();
        let k = self.frame.inside.len();
        let share = part * (0.5 * (k as f64 + 1.0) / possible as f64).min(0.5);
        let shares = self.triples.possible().iter().map(|&p| if p { share } else { 0.0 });
        let terms = Weighted { likelihood: self, shares: shares.collect() };
        let mut z = self.memory.plug_in.clone();
        minimise(self.frame.polytope(), &self.frame.room, &terms, &[1e-2], ENOUGH, &mut z);
        self.memory.plug_in = z;
        self.memory.fitted = self.memory.total;
        let (gradient, information) = self.derivatives();
        if let Some(factor) = Cholesky::factor(&information, k) {
            self.memory.information = factor;
        }
        self.renew(&gradient, &information);
    }

    /// Points for the posterior of all that was seen, and their mean.
    fn renew(&mut self, gradient: &[f64], information: &[f64]) {
        let Sums { plug_in, information: factor, total, .. } = &self.memory;
        let model = Model { at: plug_in, gradient, hessian: information, factor };
        let mut nodes = self.memory.nodes.clone();
        nodes.renew(&self.frame, &model, *total);
        let mut losses = vec![0.0; nodes.points().count()];
        self.triples.each(&self.frame, |stretch| {
            let terms = stretch.rows.chunks_exact(plug_in.len().max(1)).zip(stretch.constants);
            for ((row, constant), &n) in terms.zip(stretch.counts).filter(|(_, n)| **n > 0) {
                for (loss, z) in losses.iter_mut().zip(nodes.points()) {
                    *loss -= n as f64 * (constant + dot(row, z)).max(f64::MIN_POSITIVE).log_e();
                }
            }
        });
        nodes.weigh(&model, &losses);
        let mut mean = plug_in.clone();
        nodes.mean(&mut mean);
        (self.memory.nodes, self.memory.mean) = (nodes, mean);
    }

    /// The gradient of f at the fit, and sum n(k) u u'/p^2 + rho I there, k x k.
    fn derivatives(&self) -> (Vec<f64>, Vec<f64>) {
        let k = self.frame.inside.len();
        let (mut gradient, mut information) = (vec![0.0; k], vec![0.0; k * k]);
        self.each_seen(&self.memory.plug_in, |seen| {
            let terms = seen.terms().map(|Term { row, p, n, .. }| (row, -n / p, n / (p * p)));
            gram(terms, &mut gradient, &mut information);
        });
        (0..k).for_each(|i| information[i * k + i] += prior(self.frame.extent));
        (gradient, information)
    }

    /// Whether the predicting theta has seen all data, or all but a 64th: too little to look again.
    pub(crate) fn is_fitted(&self) -> bool {
        self.memory.total - self.memory.fitted <= self.memory.fitted / 64
    }

    /// log det(sum n(k) u u'/p^2 + rho I), at the predicting theta and in the coordinates of B's
    /// hull.
    pub fn log_information(&self) -> f64 {
        self.memory.information.log_det()
    }

    /// The maximum of the likelihood over B, to 1e-7 per active row of B.
    pub fn maximum(&self) -> Maximum {
        let mut z = self.memory.plug_in.clone();
        let terms = Weighted { likelihood: self, shares: vec![0.0; self.triples.early()] };
        minimise(self.frame.polytope(), &self.frame.room, &terms, PATH, 1e-12, &mut z);
        Maximum { theta: self.lift(&z), loss: self.loss_at(&z), z }
    }

    /// The coordinates of the fit.
    pub(crate) fn fitted(&self) -> &[f64] {
        &self.memory.plug_in
    }

    /// The factor of sum n(k) u u'/p^2 + rho I, at the fit.
    pub(crate) fn information(&self) -> &Cholesky {
        &self.memory.information
    }

    /// The fit, with its loss.
    pub(crate) fn predicting(&self) -> Maximum {
        let z = self.memory.plug_in.clone();
        Maximum { theta: self.lift(&z), loss: self.loss_at(&z), z }
    }

    /// Shows the triples seen, with their probabilities at z, a stretch at a time.
    pub(crate) fn each_seen(&self, z: &[f64], mut show: impl FnMut(Part)) {
        self.triples.each(&self.frame, |stretch| show(Part { stretch, z }));
    }

    pub(crate) fn loss_at(&self, z: &[f64]) -> f64 {
        let mut loss = 0.0;
        self.each_seen(z, |seen| {
            seen.terms()
                .for_each(|Term { p, n, .. }| loss += if p > 0.0 { -n * p.log_e() } else { f64::INFINITY });
        });
        loss
    }

    /// theta = origin + basis z.
    pub(crate) fn lift(&self, z: &[f64]) -> Vec<f64> {
        let polytope = self.polytope();
        let k = z.len();
        (0..polytope.dim())
            .map(|i| polytope.origin()[i] + dot(&polytope.basis()[i * k..(i + 1) * k], z))
            .collect()
    }

    pub(crate) fn polytope(&self) -> &Arc<Polytope> {
        self.frame.polytope()
    }

    /// f(theta) = -sum n(k) log <phi_k, theta>; infinite where a triple seen has no probability.
    pub fn loss(&self, theta: &[f64]) -> f64 {
        let mut loss = 0.0;
        self.each_probability(theta, |_, n, p| loss += if p > 0.0 { -n * p.log_e() } else { f64::INFINITY });
        loss
    }

    /// Shows every triple seen: its place among the triples, how often it was seen, and its
    /// probability.
    pub(crate) fn each_probability(&self, theta: &[f64], mut show: impl FnMut(usize, f64, f64)) {
        self.triples.each_phi(&self.frame, |i, phi, n| show(i, n, dot(phi, theta)));
    }

    /// How often each triple was seen, by its place among the triples.
    pub(crate) fn seen_counts(&self) -> &[u64] {
        self.triples.counts()
    }

    /// The gradient of f, in R^d.
    pub fn gradient(&self, theta: &[f64]) -> Vec<f64> {
        self.gradient_with(theta, |_, n| n)
    }

    /// The same with other weights in the place of counts.
    pub(crate) fn gradient_with(&self, theta: &[f64], weight: impl Fn(usize, f64) -> f64) -> Vec<f64> {
        let mut gradient = vec![0.0; theta.len()];
        self.triples.each_phi(&self.frame, |i, phi, n| {
            let scale = -weight(i, n) / dot(phi, theta);
            gradient.iter_mut().zip(phi).for_each(|(g, x)| *g += scale * x);
        });
        gradient
    }

    /// The Hessian of f, d x d.
    pub fn hessian(&self, theta: &[f64]) -> Vec<f64> {
        let mut hessian = vec![0.0; theta.len() * theta.len()];
        self.triples.each_phi(&self.frame, |_, phi, n| {
            add_square(phi, n / dot(phi, theta).powi(2), &mut hessian);
        });
        hessian
    }

    /// The number of triples kept: those seen, and all others of the pairs visited first.
    pub(crate) fn triples(&self) -> usize {
        self.triples.len()
    }

    /// What is kept of the data, in bytes, with what is reserved; the problem belongs to others.
    pub fn bytes(&self) -> usize {
        self.triples.bytes()
    }

    /// How many transitions were counted.
    pub fn total(&self) -> u64 {
        self.memory.total
    }

    /// -sum log q_i(s_{i+1}).
    pub fn prediction_loss(&self) -> f64 {
        self.memory.prediction_loss
    }

    /// m, the number of directions of B that some kernel sees.
    pub fn seen_directions(&self) -> usize {
        self.frame.seen.len()
    }

    /// The part of a difference of two points that some kernel sees.
    pub(crate) fn seen_part(&self, z: &[f64]) -> Vec<f64> {
        let mut part = vec![0.0; z.len()];
        for e in &self.frame.seen {
            let t = dot(e, z);
            part.iter_mut().zip(e).for_each(|(p, e)| *p += t * e);
        }
        part
    }

    /// D: every theta in B has the kernels of one whose coordinates are no further than D from
    /// those of any given one.
    pub(crate) fn extent(&self) -> f64 {
        self.frame.extent
    }

    /// What rounding may do to a probability over B, where that is long.
    pub(crate) fn blur(&self) -> f64 {
        self.frame.blur
    }
}

/// The triples with their counts for weights, and shares besides for the first of them.
struct Weighted<'a> {
    likelihood: &'a Likelihood,
    shares: Vec<f64>,
}

impl Summands for Weighted<'_> {
    fn len(&self) -> usize {
        self.likelihood.triples.len()
    }

    fn weight(&self, i: usize) -> f64 {
        let counts = self.likelihood.triples.counts();
        self.shares.get(i).map_or(counts[i] as f64, |share| counts[i] as f64 + share)
    }

    fn each(&self, mut show: impl FnMut(usize, &[f64], &[f64])) {
        let Likelihood { triples, frame, .. } = self.likelihood;
        triples.each(frame, |stretch| show(stretch.start, stretch.rows, stretch.constants));
    }
}
