//! Confidence sets under watch: whether theta* ever leaves them, and how wide they are.
//!
//! A learner shows its sets ([`Probe::set`]); here they are asked after every step and at every
//! plan.

use crate::{Contender, Error, Progress, Result};
use goalward::confidence::{ConfidenceSet, Guarantee, Memo, Size, interval, theta_norm};
use goalward::episode::{Arena, Ending, Flow, Observer, Plan, RunSpec, Runner, Step, Stop};
use goalward::learners::{Learner, Probe};
use goalward::numeric::support::{ConvexSet, Ellipsoid};
use serde_json::Value;

/// Steps between two questions whether to stop.
const LISTEN: u64 = 256;

/// What one run says of its confidence sets.
#[derive(Clone, Debug)]
pub(crate) struct Account {
    pub(crate) seed: u64,
    /// The first step after which theta* was outside.
    pub(crate) lost: Option<u64>,
    /// The first planning call whose set did not have theta*.
    pub(crate) lost_at_plan: Option<u64>,
    /// The first planning call whose set did not have theta* though the confidence set had had it
    /// after every step: an error of the program, whatever the luck.
    pub(crate) missed: Option<u64>,
    /// Steps watched.
    pub(crate) steps: u64,
    /// The likelihood's threshold above the least loss, after the last step.
    pub(crate) nats: Option<f64>,
    /// The radius of the regression's ellipsoid, after the last step.
    pub(crate) radius: Option<f64>,
    /// The width of the set after the last step, as a share of B's: the mean over the directions
    /// phi_V*(s,a). None if it is empty, and where B has no width.
    pub(crate) width: Option<f64>,
    /// Whether the set was empty after the last step.
    pub(crate) empty: bool,
    /// The gap regret of the run.
    pub(crate) gap_regret: f64,
    /// What is proved of the learner, with its conditions checked against the truth.
    pub(crate) guarantee: Option<Guarantee>,
    /// The radius that results name.
    pub(crate) kind: Option<String>,
    /// Whether the user ended it.
    pub(crate) interrupted: bool,
}

/// What to watch in an arena: directions in which widths are taken, with B's own widths.
pub(crate) struct Yardstick {
    directions: Vec<(Vec<f64>, f64)>,
}

impl Yardstick {
    /// phi_V* of every pair off the goal in which B has a width.
    pub(crate) fn new(arena: &Arena) -> Yardstick {
        let problem = arena.problem();
        let polytope = problem.constraints();
        let d = problem.dim();
        let mut identity = vec![0.0; d * d];
        (0..d).for_each(|i| identity[i * d + i] = 1.0);
        // far larger than B where kernels see it
        let radius = theta_norm(problem).map_or(1e4, |norm| f64::max(1e4, 4.0 * norm));
        let all = Ellipsoid { center: polytope.interior(), shape: &identity, radius };
        let Ok(mut all) = ConvexSet::new(polytope, all) else { return Yardstick { directions: Vec::new() } };
        let goal = problem.pairs_of(problem.goal());
        let directions = (0..problem.pairs()).filter(|p| !goal.contains(p)).filter_map(|p| {
            let mut c = vec![0.0; d];
            problem.phi_v(p, &arena.exact().v, &mut c);
            let (low, high) = interval(&mut all, &c);
            (high - low > 1e-9).then_some((c, high - low))
        });
        Yardstick { directions: directions.collect() }
    }

    /// The mean over the directions of the width of the intersection of a learner's sets, as a
    /// share of B's.
    fn width(&self, learner: &Learner) -> Option<f64> {
        let mut all = vec![(f64::NEG_INFINITY, f64::INFINITY); self.directions.len()];
        each_set(learner, |set| {
            let Some(mut support) = set.support() else { return };
            for ((c, _), (low, high)) in self.directions.iter().zip(&mut all) {
                let (least, most) = interval(&mut *support, c);
                (*low, *high) = (low.max(least), high.min(most));
            }
        });
        let shares = all.iter().zip(&self.directions);
        let share = |((low, high), (_, whole)): (&(f64, f64), &(Vec<f64>, f64))| {
            ((high - low).max(0.0) / whole).min(1.0)
        };
        let n = self.directions.len();
        (n > 0).then(|| shares.map(share).sum::<f64>() / n as f64)
    }
}

/// Runs a contender for so many steps and watches its sets.
pub(crate) fn watch(
    arena: &Arena,
    yardstick: &Yardstick,
    contender: &Contender,
    seed: u64,
    steps: u64,
    progress: &dyn Progress,
) -> Result<Account> {
    // every episode of a run has a step, or the run has none
    let spec = RunSpec { settings: contender.settings.clone(), ..RunSpec::new(&contender.learner, steps) };
    let mut runner = Runner::new(arena, spec.seed(seed).max_steps(steps))?;
    runner.heed(&progress.halt());
    let mut sets = 0;
    each_set(runner.learner(), |_| sets += 1);
    if sets == 0 {
        let fault = format!("{:?} has no confidence set to watch", contender.learner);
        return Err(Error::Option { option: "learners", fault });
    }
    let mut watcher = Watcher {
        theta: arena.instance().truth()?.theta().to_vec(),
        memos: vec![Memo::default(); sets],
        outside: vec![false; sets],
        lost: None,
        lost_at_plan: None,
        missed: None,
        progress,
    };
    let ending = runner.run(&mut [&mut watcher])?;
    let kind = runner.learner().in_force().get("radius").and_then(Value::as_str).map(String::from);
    let mut account = Account {
        seed,
        lost: watcher.lost,
        lost_at_plan: watcher.lost_at_plan,
        missed: watcher.missed,
        steps: runner.progress().steps,
        nats: None,
        radius: None,
        width: None,
        empty: false,
        gap_regret: runner.progress().gap_regret,
        guarantee: runner.guarantee(),
        kind,
        interrupted: ending == Ending::Paused,
    };
    each_set(runner.learner(), |set| {
        match set.size() {
            Size::Nats(nats) => account.nats = Some(nats),
            Size::Radius(radius) => account.radius = Some(radius),
        }
        account.empty |= set.support().is_none();
    });
    if !account.empty {
        account.width = yardstick.width(runner.learner());
    }
    Ok(account)
}

/// Shows every set of all data so far.
fn each_set(learner: &Learner, show: impl FnMut(&dyn ConfidenceSet)) {
    learner.probe(&mut Now(show));
}

struct Now<F>(F);

impl<F: FnMut(&dyn ConfidenceSet)> Probe for Now<F> {
    fn wants_estimate(&self) -> bool {
        false
    }
    fn wants_sets(&self) -> bool {
        true
    }
    fn set(&mut self, now: &dyn ConfidenceSet) {
        (self.0)(now);
    }
}

struct Planned<F>(F);

impl<F: FnMut(&dyn ConfidenceSet)> Probe for Planned<F> {
    fn wants_estimate(&self) -> bool {
        false
    }
    fn wants_sets(&self) -> bool {
        true
    }
    fn planned_set(&mut self, planned: &dyn ConfidenceSet) {
        (self.0)(planned);
    }
}

struct Watcher<'a> {
    theta: Vec<f64>,
    memos: Vec<Memo>,
    /// Which of the sets have ever lost theta*.
    outside: Vec<bool>,
    lost: Option<u64>,
    lost_at_plan: Option<u64>,
    missed: Option<u64>,
    progress: &'a dyn Progress,
}

impl Watcher<'_> {
    /// Asks every set after step t.
    fn ask(&mut self, learner: &Learner, t: u64) {
        let mut all = self.memos.iter_mut().zip(&mut self.outside);
        each_set(learner, |set| {
            let Some((memo, outside)) = all.next() else { return };
            if !*outside && !set.still_contains(&self.theta, memo) {
                *outside = true;
                self.lost = self.lost.or(Some(t));
            }
        });
    }
}

impl Observer for Watcher<'_> {
    fn step(&mut self, step: &Step) -> Flow {
        self.ask(step.learner, step.t);
        let stop = step.t.is_multiple_of(LISTEN) && self.progress.cancelled();
        if stop { Flow::Break(Stop) } else { Flow::Continue(()) }
    }

    fn plan(&mut self, plan: &Plan) -> Flow {
        let mut outside = self.outside.iter();
        plan.learner.probe(&mut Planned(|set: &dyn ConfidenceSet| {
            let outside = outside.next().copied().unwrap_or(false);
            if !set.contains(&self.theta) {
                self.lost_at_plan = self.lost_at_plan.or(Some(plan.t));
                if !outside {
                    self.missed = self.missed.or(Some(plan.t));
                }
            }
        }));
        Flow::Continue(())
    }
}
