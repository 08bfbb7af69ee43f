//! What learners share that count transitions: their data, sizes, the support, the floor under
//! costs, claims.

use super::core::{Brief, Snapshot, Standing, Table, misuse};
use super::shared::{B, B_OR_DOUBLING, DELTA, SCALE, T_STAR};
use crate::Result;
use crate::confidence::{Assumption, Claim, Condition, Kind};
use crate::estimate::{TakenVisits, Visits};
use crate::numeric::stored::{Flaw, Within, ensure};
use crate::parameters::{Bound, Choice, Key, Value};
use crate::problem::{Action, Pair, Problem};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// What a learner keeps of the data: the part of its state that no setting determines.
pub(in crate::learners) trait Data:
    Clone + Serialize + DeserializeOwned + Send + Sync
{
    /// Whether restored data have an entry for every state or pair, and name none that does not
    /// exist.
    fn check(&self, problem: &Problem) -> Result<(), Flaw>;
}

impl Data for Visits {
    fn check(&self, problem: &Problem) -> Result<(), Flaw> {
        self.check(problem)
    }
}

/// A number for every pair.
impl Data for Vec<u64> {
    fn check(&self, problem: &Problem) -> Result<(), Flaw> {
        each_pair("visits", self, problem)
    }
}

impl Data for TakenVisits {
    fn check(&self, problem: &Problem) -> Result<(), Flaw> {
        self.check(problem)
    }
}

/// The state of a learner with a table.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored<D> {
    standing: Standing,
    data: D,
}

pub(in crate::learners) fn stored(table: &Table, data: impl Serialize) -> Snapshot {
    Snapshot::of(&Stored { standing: table.standing.clone(), data })
}

/// That state again, if the standing is one of this table. The data's lengths are yet to be checked.
pub(in crate::learners) fn restored<D: DeserializeOwned>(
    state: &Snapshot,
    table: &Table,
) -> Result<(Standing, D)> {
    let Stored { standing, data } = state.to()?;
    table.check(&standing).within("standing").within("learner.algorithm")?;
    Ok((standing, data))
}

pub(in crate::learners) fn each_pair<T>(place: &str, list: &[T], problem: &Problem) -> Result<(), Flaw> {
    let (found, pairs) = (list.len(), problem.pairs());
    ensure(found == pairs, place, || format!("{found} entries for {pairs} pairs"))
}

pub(in crate::learners) fn each_state(policy: &[Action], problem: &Problem) -> Result<(), Flaw> {
    ensure(misuse::is_policy(problem, policy), "policy", || "no action of some state".into())
}

/// Whether the learner knows where pairs may lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// It knows the successors that the problem lists, not their probabilities.
    Known,
    /// Every pair may lead to every state.
    Unknown,
}

pub(in crate::learners) const SUPPORT: Key<Support> = Key::choice(
    "support",
    &[Choice::Word("unknown"), Choice::Word("known")],
    "unknown: every pair may lead to every state, as the paper has it; known: the problem's successors are \
     known, not their probabilities, so that no pair is worth less than its best successor",
)
.or("unknown");

/// The factor on all bonuses.
pub(in crate::learners) const BONUS: Key<f64> =
    SCALE.doc("multiplies every bonus and radius; any value but 1 has no guarantee");

/// When value iteration stops that a paper takes to be exact.
pub(in crate::learners) const PRECISION: Key<f64> = Key::number(
    "precision",
    0.0,
    1.0,
    "value iteration stops when no value changes by more, in units of the largest cost",
)
.or("1e-8");

/// H of learners that update a pair once a stage.
pub(in crate::learners) const STAGE: Key<u64> = Key::count(
    "stage",
    2,
    1 << 50,
    "H: the first stage of a pair has so many visits, and each next one 1 + 1/H as many",
)
.computed("the least power of two of at least 4 (B/c_min) ln(4 B^2 S A K/c_min) + 1");

/// The least cost that a learner reckons with, in the user's units.
pub(in crate::learners) const FLOOR: Key<f64> =
    Key::number("floor", 0.0, 1e300, "costs off the goal are raised to this, for the learner alone");

impl Value for Support {
    fn read(text: &str) -> Option<Support> {
        [Support::Known, Support::Unknown].into_iter().find(|support| support.typed() == text)
    }

    fn typed(&self) -> String {
        if *self == Support::Known { "known" } else { "unknown" }.into()
    }
}

impl Support {
    /// What a pair costs at least, whatever its probabilities: nothing, as the papers have it, or
    /// its cost and the value of its best successor.
    pub(in crate::learners) fn floor(self, problem: &Problem, p: Pair, cost: f64, v: &[f64]) -> f64 {
        match self {
            Support::Unknown => 0.0,
            Support::Known => cost + self.least(problem, p, v),
        }
    }

    /// The least value that a pair may lead to; the goal's is 0.
    pub(in crate::learners) fn least(self, problem: &Problem, p: Pair, v: &[f64]) -> f64 {
        match self {
            Support::Unknown => 0.0,
            Support::Known => {
                problem.successors(p).iter().map(|&s| v[s as usize]).fold(f64::INFINITY, f64::min)
            }
        }
    }

    /// To how many states a pair may lead.
    pub(in crate::learners) fn size(self, problem: &Problem, p: Pair) -> f64 {
        match self {
            Support::Unknown => problem.states() as f64,
            Support::Known => problem.successors(p).len() as f64,
        }
    }
}

/// The sizes that bonuses are made of.
#[derive(Clone, Copy, Debug)]
pub(in crate::learners) struct Sizes {
    /// States off the goal: S.
    pub(in crate::learners) s: f64,
    /// The most actions of a state: A.
    pub(in crate::learners) a: f64,
    /// Pairs off the goal: S A, where every state has as many.
    pub(in crate::learners) sa: f64,
}

impl Sizes {
    pub(in crate::learners) fn of(problem: &Problem) -> Sizes {
        let goal = problem.goal();
        let actions = (0..problem.states()).filter(|&s| s != goal).map(|s| problem.actions(s));
        Sizes {
            s: (problem.states() - 1).max(1) as f64,
            a: actions.max().unwrap_or(1).max(1) as f64,
            sa: (problem.pairs() - problem.actions(goal)).max(1) as f64,
        }
    }
}

/// What learners that count transitions are told.
pub(in crate::learners) struct Terms {
    pub(in crate::learners) delta: f64,
    pub(in crate::learners) scale: f64,
    pub(in crate::learners) support: Support,
    pub(in crate::learners) sizes: Sizes,
    /// The user's units per unit of the learner's costs.
    pub(in crate::learners) unit: f64,
}

impl Terms {
    /// Reads them, and notes which radius results are to name.
    pub(in crate::learners) fn read(brief: &Brief) -> Result<Terms> {
        let scale = brief.settings.get(&BONUS)?;
        note_radius(brief, scale);
        Ok(Terms {
            delta: brief.settings.get(&DELTA)?,
            scale,
            support: brief.settings.get(&SUPPORT)?,
            sizes: Sizes::of(brief.problem),
            unit: brief.problem.largest_cost(),
        })
    }

    /// The paper's theorem; `read` says whether its constants were read in the paper itself.
    pub(in crate::learners) fn theorem(&self, statement: &'static str, read: bool) -> Theorem {
        Theorem { statement, level: self.delta, scale: self.scale, support: self.support, read }
    }

    /// That the bound bounds B*; not met where none is given.
    pub(in crate::learners) fn bounds(&self, table: &Table, b: Option<f64>) -> Assumption {
        match b {
            Some(b) => Assumption::BoundsValues { b: b * self.unit, rho: table.floor * self.unit },
            None => Assumption::settled("a bound on B* is given", false),
        }
    }
}

/// That no cost off the goal is zero.
pub(in crate::learners) fn positive(table: &Table) -> Assumption {
    Assumption::settled("every cost off the goal is positive", table.least_cost() > 0.0)
}

/// Says in the result whether bonuses are the paper's.
pub(in crate::learners) fn note_radius(brief: &Brief, scale: f64) {
    let radius = if scale == 1.0 { "printed".to_string() } else { format!("scaled:{scale}") };
    brief.settings.note_as("radius", radius.into());
}

/// The floor under costs: the user's; or 0 if all costs off the goal are positive; or else what the
/// paper takes, in units of the largest cost.
pub(in crate::learners) fn floor(
    brief: &Brief,
    key: &Key<f64>,
    otherwise: impl FnOnce() -> f64,
) -> Result<f64> {
    let unit = brief.problem.largest_cost();
    let free = brief.problem.min_cost() <= 0.0;
    let floor = brief.settings.get_or(key, || if free { otherwise() * unit } else { 0.0 })?;
    Ok(brief.settings.within(key, floor, 0.0, unit)? / unit)
}

/// A bound on B*, in units of the largest cost; the theory wants at least 1.
pub(in crate::learners) fn b(brief: &Brief, key: &Key<Bound>) -> Result<f64> {
    let unit = brief.problem.largest_cost();
    // a bound of zero is one, too: all that is lost is at most the floor under it
    let b = brief.bound(key, brief.told.b_star, 0.0, 1e12 * unit)?;
    brief.settings.note_as(B.name(), b.into());
    Ok((b / unit).max(1.0))
}

/// The same, or none where it doubles.
pub(in crate::learners) fn b_or_doubling(brief: &Brief) -> Result<Option<f64>> {
    match brief.settings.get(&B_OR_DOUBLING)? {
        Bound::Doubling => Ok(None),
        _ => b(brief, &B_OR_DOUBLING).map(Some),
    }
}

pub(in crate::learners) fn t_star(brief: &Brief, key: &Key<Bound>) -> Result<f64> {
    let t = brief.bound(key, brief.told.t_star, 0.0, 1e12)?;
    brief.settings.note_as(T_STAR.name(), t.into());
    Ok(t.max(1.0))
}

/// What a paper proves of a learner with its printed bonuses.
pub(in crate::learners) struct Theorem {
    pub(in crate::learners) statement: &'static str,
    /// The probability with which it may fail.
    pub(in crate::learners) level: f64,
    pub(in crate::learners) scale: f64,
    /// With known successors the truth must have no others.
    pub(in crate::learners) support: Support,
    /// Whether its constants were read in the paper itself.
    pub(in crate::learners) read: bool,
}

impl Theorem {
    /// The claim, with further assumptions.
    pub(in crate::learners) fn claim(self, further: Vec<Assumption>) -> Claim {
        let mut assumptions = further;
        assumptions.push(Assumption::settled("scale = 1: the bonuses are the paper's", self.scale == 1.0));
        if self.support == Support::Known {
            assumptions.push(Assumption::Support);
        }
        if !self.read {
            let words = "the constants, which were not read in the paper itself, are the theorem's";
            assumptions.push(Assumption::Settled(Condition::plain(words, None)));
        }
        Claim::under(assumptions).states(Kind::Regret, self.statement, self.level)
    }
}
