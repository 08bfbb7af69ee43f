//! An observer that knows the truth and the theory: it shows on a run whether the lemmas hold.
//!
//! It keeps V of the plan in force, so that every quantity is that of the step as it was taken.
//! What it needs of the learner comes through [`Probe`].

mod account;
mod guarded;
mod inequality;
mod likely;
mod moments;
mod report;
mod whole;

pub use account::Decomposition;
pub use inequality::Broken;
pub use moments::{Formula, LevelSums};
pub use report::{AuditReport, Check, Curve, LevelReport, LikelihoodReport, Rests, Verdict};
pub use whole::WholeB;

use super::{Arena, Episode, Flow, Observer, Plan, Runner, Step};
use crate::Result;
use crate::confidence::{ConfidenceSet, LikelihoodKeeper, Net, Observed, Size};
use crate::learners::{Guard, Levels, PlanReport, Probe};
use crate::numeric::Portable;
use crate::problem::Truth;
use account::Ledger;
use guarded::Guarded;
use inequality::Inequality;
use likely::Likely;
use moments::Moments;
use report::Judge;
use std::collections::BTreeMap;
use whole::Whole;

/// Curves have a point for every step or episode, or for each of this factor.
const SPARSE: f64 = 1.03;

/// Watches a run from its first step, and reports what the theory says of it.
///
/// ```
/// use goalward::episode::{Arena, Audit, RunSpec, Runner};
/// use goalward::Settings;
/// let arena = Arena::open("hard-instance", &Settings::new().set("dim", 2))?;
/// let mut runner = Runner::new(&arena, RunSpec::new("lr", 50))?;
/// let mut audit = Audit::new(&arena)?;
/// runner.run(&mut [&mut audit])?;
/// let report = audit.report(&runner);
/// assert_eq!(report.violated().count(), 0);
/// assert!(report.regret_certified.is_some_and(|certified| certified >= report.regret));
/// # Ok::<(), goalward::Error>(())
/// ```
pub struct Audit<'a> {
    arena: &'a Arena,
    truth: &'a Truth,
    account: Ledger<'a>,
    plans: BTreeMap<String, u64>,
    /// Whether plans are over sets of mixtures.
    mixture: bool,
    t_j: Option<u64>,
    t: u64,
    /// The sets of learners that show neither moment levels nor a likelihood.
    sets: Vec<(String, Inequality)>,
    moments: Option<Moments>,
    whole: Whole,
    likely: Option<Likely<'a>>,
    guarded: Option<Guarded>,
    curve: Curve,
    next: (u64, u64),
}

impl<'a> Audit<'a> {
    /// Before the first step of a run.
    pub fn new(arena: &'a Arena) -> Result<Audit<'a>> {
        let truth = arena.truth()?;
        Ok(Audit {
            arena,
            truth,
            account: Ledger::new(arena, truth),
            plans: BTreeMap::new(),
            mixture: false,
            t_j: None,
            t: 0,
            sets: Vec::new(),
            moments: None,
            whole: Whole::new(arena),
            likely: None,
            guarded: None,
            curve: Curve::default(),
            next: (1, 1),
        })
    }

    /// What it found so far.
    pub fn report(&self, runner: &Runner) -> AuditReport {
        let result = runner.result();
        let regret = self.account.paid() - result.episodes as f64 * result.optimal_cost;
        let decomposition = self.mixture.then(|| self.account.decomposition(regret));
        let guarantee = result.guarantee;
        let mut judge = Judge::new(guarantee.as_ref(), result.radius.as_deref());
        self.judge_all(&mut judge, runner, decomposition.as_ref());
        self.guarded.iter().for_each(|guarded| guarded.judge(&mut judge));
        let formula = self.moments.as_ref().map(|moments| moments.formula);
        let levels = self.levels(&mut judge, result.planner_calls);
        let likelihood = self.likelihood(&mut judge, runner, result.theta_interval.as_deref());
        AuditReport {
            world: result.world,
            learner: result.learner,
            seed: result.seed,
            episodes: result.episodes,
            steps: result.steps,
            cost: self.account.paid(),
            optimal_cost: result.optimal_cost,
            regret,
            regret_certified: result.regret_certified,
            truncated: result.truncated,
            radius: result.radius,
            guarantee,
            planner_calls: result.planner_calls,
            plans: self.plans.clone(),
            checks: judge.checks,
            decomposition,
            most_plans: formula.map(|formula| formula.most_plans()),
            regret_bound: formula.map(|formula| {
                let b_star = self.arena.exact().b_star;
                formula.regret_bound(b_star, self.account.paid(), result.planner_calls)
            }),
            formula,
            levels,
            curve: self.curves(result.episodes, regret, result.guard.as_ref()),
            guard: result.guard,
            whole_b: self.moments.as_ref().and(self.whole.found),
            likelihood,
        }
    }

    fn judge_all(&self, judge: &mut Judge, runner: &Runner, decomposition: Option<&Decomposition>) {
        for (kind, watch) in &self.sets {
            judge.add(format!("theta* is in the set ({kind})"), Rests::Guarantee, watch);
        }
        let raised = runner.learner().raised() > 0.0;
        let values = if raised { "V_j <= V* + rho_j T*" } else { "V_j <= V*" };
        let claims = match runner.learner().paid_less_promised() {
            Some(_) => Rests::Guarantee,
            None => Rests::Nothing,
        };
        // without a claim of optimism and without plans there is no promise to look at
        if claims == Rests::Guarantee || self.account.optimistic.looks > 0 {
            judge.add(values, claims, &self.account.optimistic);
            let free = raised || self.arena.problem().min_cost() == 0.0;
            let certifies = if free { Rests::Nothing } else { claims };
            judge.add("R_K <= R_hat, at the end of every episode", certifies, &self.account.certificate);
        }
        if let Some(decomposition) = decomposition {
            let same = (1e-9 * self.account.paid()).max(decomposition.rounding).max(f64::MIN_POSITIVE);
            for (name, off) in [
                ("I1 + I2 + I3 - 1 = R_hat, up to rounding", decomposition.off),
                ("R = R_hat - sum of (V* - V_j)(s_init), up to rounding", decomposition.regret_off),
            ] {
                judge.add(name, Rests::Arithmetic, &Inequality::once(self.t, off.abs() / same, 1.0));
            }
        }
    }

    fn levels(&self, judge: &mut Judge, plans: u64) -> Vec<LevelReport> {
        let Some(moments) = &self.moments else { return Vec::new() };
        let sums = moments.sums();
        let mut levels = Vec::new();
        for (l, (watch, sums)) in moments.levels.iter().zip(sums).enumerate() {
            let rests = if watch.claimed { Rests::Guarantee } else { Rests::Nothing };
            judge.add(format!("theta* is in the set of level {l}"), rests, &watch.set);
            let rests = if moments.levels.iter().all(|w| w.claimed) { rests } else { Rests::Nothing };
            if watch.variance.looks > 0 {
                judge.add(format!("level {l}: |estimated - true variance| <= E"), rests, &watch.variance);
            }
            let martingale = Inequality::once(self.t, sums.a.abs(), sums.a_bound);
            judge.add(format!("level {l}: |A| <= sqrt(2 zeta S) + zeta"), rests, &martingale);
            let weights = Inequality::once(self.t, sums.r, sums.r_bound);
            judge.add(format!("level {l}: R is at most what Lemma R says"), rests, &weights);
            let margin = watch.set.least;
            levels.push(LevelReport {
                level: l,
                margin: margin.map(|(margin, _)| margin),
                margin_at: margin.map(|(_, t)| t),
                variance_margin: watch.variance.least.map(|(margin, _)| margin),
                sums,
            });
        }
        // the step from T^2/lambda to T/lambda in its proof needs lambda <= 1
        let rests = if moments.formula.lambda <= 1.0 { Rests::Guarantee } else { Rests::Nothing };
        let calls = Inequality::once(self.t, plans as f64, moments.formula.most_plans());
        judge.add("planning calls <= 4 d L log(1 + T/lambda) + 2 log T", rests, &calls);
        levels
    }

    fn likelihood(
        &self,
        judge: &mut Judge,
        runner: &Runner,
        intervals: Option<&[(f64, f64)]>,
    ) -> Option<LikelihoodReport> {
        let likely = self.likely.as_ref()?;
        judge.add("theta* is in the likelihood set", Rests::Guarantee, &likely.wealth);
        let theory = likely.theory();
        let watched = likely.is_watched();
        let eluder = theory.eluder(4.0 * likely.most_g, self.t);
        if watched {
            judge.add("Lemma 1: d^2(theta~_t, theta*) <= G_t", Rests::Guarantee, &likely.distance);
            judge.add("G_t <= 17 Gamma_t", Rests::Guarantee, &likely.between);
            let sum = Inequality::once(self.t, likely.sum_delta, eluder);
            judge.add("Lemma 3: sum of Delta_t(theta~_t) <= E(4G)", Rests::Guarantee, &sum);
        }
        let unit = self.arena.problem().largest_cost();
        let seen = Observed {
            episodes: runner.learner().clock().episodes_begun(),
            steps: self.t,
            plans: runner.learner().clock().j,
            beyond: 0,
        };
        let bound = unit * theory.regret_bound(self.arena.exact().b_star / unit, likely.most_g, &seen);
        let wealth_threshold = -theory.delta.log_e();
        Some(LikelihoodReport {
            directions: theory.m,
            delta: theory.delta,
            log_wealth: likely.wealth.least.map(|(margin, _)| wealth_threshold - margin),
            wealth_threshold,
            threshold: likely.threshold,
            largest_ratio: watched.then_some(likely.at_looks.0),
            largest_ratio_at: watched.then_some(likely.at_looks.1),
            ratio_bound: watched.then_some(likely.over_steps),
            looks: likely.looks,
            gamma: theory.gamma(self.t),
            gamma_hat: theory.gamma_hat,
            sum_delta: watched.then_some(likely.sum_delta),
            eluder: watched.then_some(eluder),
            regret_bound: watched.then_some(bound).filter(|bound| bound.is_finite()),
            widths: intervals.map(|all| all.iter().map(|(low, high)| high - low).collect()),
        })
    }

    fn curves(&self, episodes: u64, regret: f64, guard: Option<&Guard>) -> Curve {
        let mut curve = self.curve.clone();
        let unseen = |guard: &&Guard| curve.guard.last().is_some_and(|(last, ..)| *last < guard.episodes);
        let last = guard.filter(unseen).map(books);
        curve.guard.extend(last);
        if curve.episodes.last().is_some_and(|(last, ..)| *last < episodes) {
            curve.episodes.push((episodes, regret, self.account.certified()));
        }
        curve
    }

    fn sample(&mut self) {
        if self.t < self.next.0 {
            return;
        }
        self.next.0 = sparse(self.t);
        let used = |watch: &Inequality| watch.last;
        let sets = self.sets.iter().map(|(_, watch)| used(watch));
        let levels = self.moments.iter().flat_map(|moments| moments.levels.iter().map(|w| used(&w.set)));
        let likely = self.likely.iter().map(|likely| used(&likely.wealth));
        self.curve.sets.push((self.t, sets.chain(levels).chain(likely).collect()));
        if let Some(likely) = self.likely.as_ref().filter(|likely| likely.is_watched()) {
            self.curve.ratios.push((self.t, likely.at_looks.0, likely.over_steps));
        }
    }
}

/// A point of the curve of a guard.
fn books(guard: &Guard) -> (u64, f64, f64, u64) {
    let most = guard.allowance + guard.kappa * guard.largest_bound;
    (guard.episodes, guard.ledger, most, guard.inner_episodes)
}

fn sparse(n: u64) -> u64 {
    (n + 1).max((n as f64 * SPARSE) as u64)
}

struct AtStep<'s, 'a> {
    audit: &'s mut Audit<'a>,
    pair: usize,
    /// The state, the cost and the next state.
    step: (usize, f64, usize),
    sets: usize,
}

impl Probe for AtStep<'_, '_> {
    fn wants_estimate(&self) -> bool {
        false
    }

    fn wants_sets(&self) -> bool {
        self.audit.moments.is_none() && self.audit.likely.is_none()
    }

    fn levels(&mut self, shown: &Levels) {
        let Audit { moments, account, arena, truth, t, t_j, .. } = &mut *self.audit;
        // a truth that is no mixture has no theta* that could be in a set
        let Some(theta) = truth.theta() else { return };
        let place = (&**arena.problem(), *truth);
        let moments = moments.get_or_insert_with(|| Moments::new(theta));
        moments.step(shown, account, place, (self.pair, self.step.2), (*t, *t_j));
    }

    fn likelihood(&mut self, keeper: &LikelihoodKeeper) {
        let Audit { likely, account, arena, truth, .. } = &mut *self.audit;
        let Some(theta) = truth.theta() else { return };
        let likely = likely.get_or_insert_with(|| Likely::new(arena.problem(), truth, theta));
        likely.step(keeper, &account.v, self.pair, self.step.2);
    }

    fn guard(&mut self, guard: &Guard) {
        let ((state, cost, next), audit) = (self.step, &mut *self.audit);
        let ends = next == audit.arena.problem().goal();
        let guarded = audit.guarded.get_or_insert_default();
        guarded.step(guard, audit.arena, (audit.t, state, cost), ends);
        let taken = guard.handovers.last().is_some_and(|taken| taken.episode == guard.episodes);
        if ends && (taken || guard.episodes >= audit.next.1) {
            audit.curve.guard.push(books(guard));
        }
    }

    fn set(&mut self, now: &dyn ConfidenceSet) {
        if !self.wants_sets() {
            return;
        }
        let Some(theta) = self.audit.truth.theta() else { return };
        let all = &mut self.audit.sets;
        if all.len() <= self.sets {
            all.push((now.kind(), Inequality::default()));
        }
        let (Size::Radius(size) | Size::Nats(size)) = now.size();
        let margin = now.margin(theta);
        all[self.sets].1.see(self.audit.t, size - margin, size);
        self.sets += 1;
    }
}

struct AtPlan<'s, 'a> {
    audit: &'s mut Audit<'a>,
    raised: f64,
    exact: bool,
    keeper: Option<LikelihoodKeeper>,
}

impl Probe for AtPlan<'_, '_> {
    fn wants_estimate(&self) -> bool {
        false
    }

    fn plan(&mut self, plan: &PlanReport) {
        let audit = &mut *self.audit;
        audit.mixture |= plan.mixture().is_some();
        let reason = serde_json::to_value(plan.reason).unwrap_or_default();
        *audit.plans.entry(reason.as_str().unwrap_or("other").into()).or_default() += 1;
        audit.account.plan(plan.t, &plan.v, self.raised);
        audit.t_j = Some(plan.t);
    }

    fn levels(&mut self, shown: &Levels) {
        self.audit.whole.plan(self.audit.t, shown);
    }

    fn likelihood(&mut self, keeper: &LikelihoodKeeper) {
        self.keeper = Some(keeper.clone());
    }

    fn net(&mut self, net: &Net) {
        if let (Some(likely), Some(keeper)) = (&mut self.audit.likely, &self.keeper) {
            likely.plan(keeper, self.exact || net.missed() == 0 && net.demands_exact(keeper));
        }
    }
}

impl Observer for Audit<'_> {
    fn step(&mut self, step: &Step) -> Flow {
        self.t = step.t;
        let pair = self.arena.problem().pair(step.state, step.action);
        let taken = (step.state, step.cost, step.next);
        step.learner.probe(&mut AtStep { audit: self, pair, step: taken, sets: 0 });
        self.account.step(step, pair);
        self.sample();
        Flow::Continue(())
    }

    fn plan(&mut self, plan: &Plan) -> Flow {
        let exact = plan.learner.in_force().get("set").is_some_and(|set| set == "exact");
        let raised = plan.learner.raised();
        plan.learner.probe(&mut AtPlan { audit: self, raised, exact, keeper: None });
        Flow::Continue(())
    }

    fn episode(&mut self, ended: &Episode) -> Flow {
        self.account.episode(self.t, ended.regret);
        if let Some(guarded) = &mut self.guarded {
            guarded.episode(self.t, ended.regret);
        }
        if ended.episode >= self.next.1 {
            self.next.1 = sparse(ended.episode);
            self.curve.episodes.push((ended.episode, ended.regret, self.account.certified()));
        }
        Flow::Continue(())
    }
}
