//! `lr` as an algorithm: what it keeps, when it plans, and how.

use super::cells::{self, Floor};
use super::cuts;
use super::lr_claim::Standpoint;
use super::lr_settings::{FAST, LEVEL, NET, SET, Shape};
use super::optimist::{Heading, Optimist, Rate, Standing};
use crate::Result;
use crate::confidence::{
    Claim, Kept, LikelihoodKeeper, Look, Net, Region, SHARE_OF_SETS, SharpSet, hidden_coordinates,
};
use crate::estimate::Likelihood;
use crate::learners::{Algorithm, Brief, Call, Clock, Emptiness, Probe, Reason, Seen, Snapshot, Transition};
use crate::numeric::stored::{Within, length};
use crate::numeric::support::{ConvexSet, SupportMin, Warm};
use crate::plan::{Cut, Halt};
use crate::problem::seen::require_clear;
use crate::problem::{Action, Pair, State, all_rows};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::sync::OnceLock;

/// The estimate, its intervals and the sets, for a probe that wants them.
pub(super) fn show(keeper: &LikelihoodKeeper, sink: &mut dyn Probe) {
    if sink.wants_estimate() {
        sink.estimate(&keeper.likelihood().maximum().theta);
        if let Some(intervals) = keeper.set().intervals(keeper.likelihood()) {
            sink.intervals(&intervals);
            sink.hidden(&hidden_coordinates(keeper.likelihood()));
        }
    }
    sink.likelihood(keeper);
    if sink.wants_sets() {
        sink.set(&keeper.now());
        sink.planned_set(&keeper.planned());
    }
}

/// Builds it; one that `certifies` bounds V* from below by cells as soon as it has planned.
pub(super) fn likely(brief: &Brief, certifies: bool) -> Result<Likely> {
    let settings = &brief.settings;
    let unit = brief.problem.largest_cost();
    let costs = brief.problem.costs().iter().map(|c| c / unit).collect();
    let delta = settings.get(&LEVEL)?;
    require_clear(brief.problem)?;
    let shape = settings.get(&SET)?;
    if shape == Shape::Exact && brief.problem.constraints().has_features() {
        let reason = "this problem has more than 65,536 different rows, too many for a conic solver: \
                      set=outer is made for it";
        return Err(settings.refuse(&SET, reason.into()));
    }
    let optimist = Optimist::new(brief, costs, 1.0, unit, &FAST)?;
    let perturbed = brief.problem.min_cost() / unit == 0.0;
    let known = optimist.constraints.free() == 0;
    settings.note(&FAST, &optimist.planner);
    settings.note_as("radius", json!("likelihood"));
    settings.note_as("cost_unit", json!(unit));
    let perturbation = match (perturbed, known) {
        (true, false) => "1/k_j",
        (true, true) => "1e-6",
        (false, _) => "none",
    };
    settings.note_as("perturbation", json!(perturbation));
    let keeper = LikelihoodKeeper::within(brief.problem, &optimist.constraints, SHARE_OF_SETS * delta);
    let (d, k) = (brief.problem.dim(), optimist.constraints.free());
    let room = Room { phi: vec![0.0; d], z: vec![0.0; k], warm: Warm::default() };
    Ok(Likely {
        certifies,
        delta,
        writable: Region::fits(all_rows(brief.problem), k) && !brief.problem.constraints().has_features(),
        factor: settings.get(&NET)?,
        net: Net::default(),
        believed: Vec::new(),
        planned: None,
        floor: OnceLock::new(),
        due: None,
        keeper,
        optimist,
        shape,
        perturbed,
        known,
        room,
    })
}

/// A plan is due when the data have so many nats against what the last one believes here.
const NATS: f64 = 1.0;
/// The same where the last plan took more than `QUICK` support problems: there are a third of the plans.
const NATS_WHERE_SLOW: f64 = 4.0;
const QUICK: u64 = 1 << 15;
/// And when the determinant of the information has grown by this factor.
const FACTOR: f64 = 4.0;
/// As long as its logarithm has grown by no more than this, no direction can have gained so much.
const LITTLE: f64 = 0.1;

/// The net has a plan made over the likelihood set itself where that is quick: up to so many products
/// of pairs, distinct triples, and what a triple takes.
const AFFORDED: usize = 1 << 22;

/// What the look at a pair needs.
struct Room {
    phi: Vec<f64>,
    z: Vec<f64>,
    warm: Warm,
}

pub(super) struct Likely {
    /// The failure probability of all that is claimed.
    delta: f64,
    optimist: Optimist,
    keeper: LikelihoodKeeper,
    /// Some cost off the goal is zero, in units of the largest.
    perturbed: bool,
    /// B is a point: there is nothing to learn.
    known: bool,
    shape: Shape,
    /// The set that the last plan was made over.
    planned: Option<ConvexSet>,
    /// What the last plan's set says of V*, made when it is asked for.
    floor: OnceLock<Floor>,
    /// It is made with every plan.
    certifies: bool,
    /// Why the step just taken in calls for a plan.
    due: Option<Reason>,
    room: Room,
    net: Net,
    /// What the theorem's threshold is multiplied by.
    factor: f64,
    /// What the last plan believes in every state, k numbers each, if it was made over the likelihood
    /// set itself and lasts until the net looks.
    believed: Vec<f64>,
    /// Whether the likelihood set can be written out, whatever will be seen.
    writable: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Memory {
    standing: Standing,
    kept: Kept,
    net: Net,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    believed: Vec<f64>,
}

impl Likely {
    /// Whether the data since the last plan speak against what it believes about acting in a state.
    fn refuted(&mut self, s: State) -> bool {
        let Optimist { problem, standing, .. } = &self.optimist;
        let Some(set) = self.planned.as_mut().filter(|_| self.keeper.growth() > LITTLE) else { return false };
        let Room { phi, z, warm } = &mut self.room;
        let most = if self.optimist.work() <= QUICK { NATS } else { NATS_WHERE_SLOW };
        // it acts by any of these
        self.optimist.tied(s).any(|p| {
            problem.phi_v(p, &standing.v, phi);
            // an answer must not depend on what was asked before: a run that is resumed was not asked
            warm.clear();
            set.min(phi, warm);
            set.coordinates(z);
            self.keeper.gained(z) > most
        })
    }

    fn rate(&self, t: u64) -> Rate {
        if self.known { Rate::least() } else { Rate::small(t) }
    }

    /// What is added to every cost, in units of the largest, once so many episodes have begun.
    fn rho(&self, episodes: u64) -> f64 {
        match (self.perturbed, self.known) {
            (false, _) => 0.0,
            (true, false) => 1.0 / episodes as f64,
            (true, true) => 1e-6,
        }
    }

    /// A plan that the net demanded is looked at. Should it be refuted as well, or leave no room for
    /// more of its kind, the next one is over the likelihood set itself.
    fn plan_now(&mut self, call: &Call) -> Result<(), Cut> {
        let exact = self.net.demands_exact(&self.keeper);
        self.plan_once(call, exact)?;
        if exact || call.reason != Reason::Distance || self.settles() {
            return Ok(());
        }
        self.net.demand_exact(&self.keeper);
        self.plan_once(call, true)
    }

    /// Whether the plan just made holds, as one of those that the theorem leaves room for.
    fn settles(&mut self) -> bool {
        let settles = self.net.within_budget(&self.keeper) && self.look() == Some(Look::Holds);
        if settles {
            self.net.spend();
        }
        settles
    }

    /// Whether a plan over the likelihood set itself is quick, or wanted in any case.
    fn affords_exact(&self) -> bool {
        let k = self.keeper.likelihood().polytope().free();
        let triples = self.keeper.likelihood().triples();
        let products = self.optimist.problem.pairs().saturating_mul(triples).saturating_mul(k * k + 8);
        self.shape == Shape::Exact || products <= AFFORDED
    }

    fn plan_once(&mut self, call: &Call, demanded: bool) -> Result<(), Cut> {
        if demanded && let Some(near) = self.planned.as_mut().and_then(|set| self.keeper.near_enough(set)) {
            self.keeper = near;
        }
        let mut known = self.keeper.update();
        let heading = Heading {
            beta: self.keeper.set().radius().unwrap_or(0.0),
            theta: vec![known.maximum.theta.clone()],
            log_det: vec![self.keeper.likelihood().log_information()],
        };
        let exact = (demanded || self.shape == Shape::Exact) && self.affords_exact();
        let region = (exact || self.shape == Shape::Cuts).then(|| self.keeper.region(&known)).flatten();
        let rate = self.rate(call.clock.t);
        let rho = self.rho(call.clock.episodes_begun());
        let optimist = &mut self.optimist;
        let (problem, unit) = (&optimist.problem, optimist.unit);
        optimist.costs.clear();
        optimist.costs.extend(problem.costs().iter().map(|c| c / unit + rho));
        // no fixed point exceeds c_max/q, whatever the set
        optimist.b = optimist.costs.iter().copied().fold(1.0, f64::max) / rate.q;
        let mut none = Emptiness::Contradiction;
        let mut set = known.set.as_mut().map_err(|_| &mut none);
        let mut sharp = None;
        match (region, &mut set) {
            (Some(region), Ok(within)) if exact => {
                let set = sharp.insert(SharpSet::new(region, within.clone()));
                optimist.plan_over(call, heading, Ok(set), rate)
            }
            (Some(region), Ok(within)) => {
                let way = optimist.way(call, within, rate)?;
                cuts::sharpen(&region, within, &optimist.problem, &optimist.standing.v, &way);
                optimist.plan_over(call, heading, set, rate)
            }
            _ => optimist.plan_over(call, heading, set, rate),
        }?;
        if let Ok(set) = &known.set {
            self.keeper.keep_cuts(set);
            self.look_up_planned();
            self.take_note(call.reason, demanded, sharp);
        }
        Ok(())
    }

    /// Tells the net of a plan, which may have been made over the likelihood set itself.
    fn take_note(&mut self, reason: Reason, demanded: bool, sharp: Option<SharpSet>) {
        let Likely { net, keeper, .. } = self;
        if demanded && sharp.is_none() {
            net.record_failure();
        }
        if reason == Reason::Information {
            net.spend();
        }
        match &mut self.planned {
            Some(planned) if sharp.is_some() => net.planned_exactly(keeper, planned, self.factor),
            _ => net.planned(keeper),
        }
        let t = keeper.likelihood().total();
        let lasts = net.next_look() < 2 * t;
        self.believed = sharp
            .filter(|_| lasts)
            .map_or(Vec::new(), |mut set| believe(&self.optimist, self.keeper.likelihood(), &mut set));
    }

    /// Whether the net says that what the plan believes is refuted, if it is time to look.
    fn slips(&mut self) -> bool {
        // nothing is gained where the set itself can never be had
        let due = self.writable && self.net.is_due(&self.keeper, self.factor);
        let slips = due && self.look() == Some(Look::Refuted);
        if slips {
            self.net.fire();
        }
        slips
    }

    fn look(&mut self) -> Option<Look> {
        let Likely { net, keeper, planned, believed, factor, optimist, .. } = self;
        let look =
            net.look(keeper, planned.as_mut()?, *factor, |keeper, planned| match believed.is_empty() {
                true => believe(optimist, keeper.likelihood(), planned),
                false => believed.clone(),
            });
        Some(look)
    }

    /// The directions of B that kernels see.
    pub(super) fn directions(&self) -> usize {
        self.keeper.likelihood().seen_directions()
    }

    pub(super) fn cells_made(&self) -> usize {
        self.floor.get().map_or(0, |floor| floor.cells)
    }

    /// What is proved of it as the outer learner of a guard.
    pub(super) fn guarding(&self) -> Claim {
        Standpoint { guards: true, ..self.standpoint() }.claim()
    }

    fn standpoint(&self) -> Standpoint {
        Standpoint {
            delta: self.delta,
            known: self.known,
            perturbed: self.perturbed,
            relaxed: self.optimist.relaxed(),
            writable: self.writable,
            missed: self.net.missed(),
            factor: self.factor,
            guards: false,
        }
    }

    /// A lower bound on V* for the planned costs, as tight as cells of the planned set make it.
    fn cells(&self, halt: &Halt) -> Result<Option<&Floor>, Cut> {
        let Some(set) = self.planned.as_ref().filter(|_| !self.known) else { return Ok(None) };
        if self.floor.get().is_none() {
            let optimist = &self.optimist;
            let task = optimist.task(cells::RATE);
            let made = cells::floor(&task, set, &optimist.standing.v, optimist.work(), halt)?;
            return Ok(Some(self.floor.get_or_init(|| made)));
        }
        Ok(self.floor.get())
    }

    /// The planned set as the keeper has it: a run that is resumed knows no other.
    fn look_up_planned(&mut self) {
        self.floor = OnceLock::new();
        self.planned = self.keeper.set().last(self.keeper.likelihood());
    }
}

/// The minimisers of <theta, phi_V(s,a)> at all greedy pairs: what a plan over a set believes.
fn believe<S: SupportMin>(optimist: &Optimist, likelihood: &Likelihood, set: &mut S) -> Vec<f64> {
    let Optimist { problem, standing, .. } = optimist;
    let (mut phi, mut theta) = (vec![0.0; problem.dim()], vec![0.0; problem.dim()]);
    let mut believed = Vec::new();
    for p in (0..problem.states()).flat_map(|s| optimist.tied(s)) {
        problem.phi_v(p, &standing.v, &mut phi);
        set.min(&phi, &mut Warm::default());
        set.minimiser(&mut theta);
        believed.extend(likelihood.polytope().coordinates(&theta));
    }
    believed
}

impl Algorithm for Likely {
    fn act(&mut self, s: State) -> Action {
        self.optimist.act(s)
    }

    fn observe(&mut self, step: &Transition, pair: Pair, _: &Clock) -> Seen {
        let seen = self.keeper.observe(pair, step.next);
        let problem = &self.optimist.problem;
        let next = if step.next == problem.goal() { problem.start() } else { step.next };
        if seen == Seen::Counted && !self.known {
            let informed = self.keeper.informed(FACTOR) || self.refuted(next);
            let further = (informed && self.net.within_budget(&self.keeper)).then_some(Reason::Information);
            self.due = self.slips().then_some(Reason::Distance).or(further);
        }
        seen
    }

    fn due(&mut self, now: &Clock) -> Option<Reason> {
        let due = self.due.take();
        if self.known {
            return None;
        }
        let more = self.perturbed && now.episodes_doubled();
        due.or(Optimist::due(false, now)).or(more.then_some(Reason::Episodes))
    }

    fn plans_first(&self) -> bool {
        true
    }

    fn plan(&mut self, call: &Call) -> Result<(), Cut> {
        let whole = |own: &Likely| {
            (own.keeper.clone(), own.net.clone(), own.optimist.standing.clone(), own.believed.clone())
        };
        let before = call.keep(|| whole(self));
        let planned = self.plan_now(call).and_then(|()| match self.certifies {
            true => self.cells(call.halt).map(drop),
            false => Ok(()),
        });
        if let (Err(_), Some(before)) = (planned, before) {
            (self.keeper, self.net, self.optimist.standing, self.believed) = before;
            self.look_up_planned();
        }
        planned
    }

    fn value(&self, s: State) -> Option<f64> {
        Some(self.optimist.value(s))
    }

    fn q(&self, p: Pair) -> Option<f64> {
        Some(self.optimist.q(p))
    }

    fn floor(&self, s: State, halt: &Halt) -> Result<Option<f64>, Cut> {
        Ok(self.cells(halt)?.map(|floor| floor.v[s] * self.optimist.unit))
    }

    fn raised(&self, now: &Clock) -> f64 {
        self.rho(now.ended_j + 1) * self.optimist.unit
    }

    fn probe(&self, sink: &mut dyn Probe, _: &Clock) {
        show(&self.keeper, sink);
        self.optimist.probe(sink);
        sink.net(&self.net);
    }

    fn violations(&self) -> u64 {
        self.optimist.violations()
    }

    fn claim(&self) -> Option<Claim> {
        Some(self.standpoint().claim())
    }

    /// Rows that were left out, and a set that could not be had, leave a weaker statement.
    fn claim_now(&self, _: Claim, _: &Clock) -> Claim {
        self.standpoint().claim()
    }

    fn likelihood(&self) -> Option<&Likelihood> {
        Some(self.keeper.likelihood())
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot::of(&Memory {
            standing: self.optimist.standing.clone(),
            kept: self.keeper.kept(),
            net: self.net.clone(),
            believed: self.believed.clone(),
        })
    }

    fn restore(&mut self, state: &Snapshot, _: &Clock) -> Result<()> {
        let Memory { standing, kept, net, believed } = state.to()?;
        self.optimist.check(&standing).within("standing").within("learner.algorithm")?;
        let keeper = self.keeper.restored(kept).within("kept").within("learner.algorithm")?;
        let k = keeper.likelihood().polytope().free();
        let points = believed.len().checked_div(k).unwrap_or(0);
        length("believed", &believed, k * points).within("learner.algorithm")?;
        (self.optimist.standing, self.keeper) = (standing, keeper);
        (self.net, self.believed) = (net, believed);
        self.look_up_planned();
        Ok(())
    }
}
