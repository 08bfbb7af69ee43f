//! The tables of a study: every row is declared once, as a type and as the columns of the Parquet
//! files. Every file begins with the four columns of [`IDENTITY`].

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The version of the tables: the names, kinds and meanings of their columns.
pub const SCHEMA: u32 = 1;

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Non-negative integers: INT64, unsigned.
    Count,
    /// DOUBLE.
    Real,
    /// BYTE_ARRAY in UTF-8.
    Text,
    /// BOOLEAN.
    Flag,
}

/// A column.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub kind: Kind,
    /// Whether it may be null.
    pub optional: bool,
    /// Its meaning.
    pub about: &'static str,
}

impl Column {
    const fn of<T: InColumn>(name: &'static str, about: &'static str) -> Column {
        Column { name, kind: T::KIND, optional: T::OPTIONAL, about }
    }
}

/// A type that a column can have.
trait InColumn {
    const KIND: Kind;
    const OPTIONAL: bool = false;
}

impl InColumn for u64 {
    const KIND: Kind = Kind::Count;
}

impl InColumn for f64 {
    const KIND: Kind = Kind::Real;
}

impl InColumn for String {
    const KIND: Kind = Kind::Text;
}

impl InColumn for bool {
    const KIND: Kind = Kind::Flag;
}

impl<T: InColumn> InColumn for Option<T> {
    const KIND: Kind = T::KIND;
    const OPTIONAL: bool = true;
}

/// The columns that identify the run of a row.
pub const IDENTITY: &[Column] = &[
    Column::of::<String>("job", "hash of all that determines the run"),
    Column::of::<String>("world", "the world with its parameters, id@key=value"),
    Column::of::<String>("learner", "the learner with its settings, id@key=value"),
    Column::of::<u64>("seed", "the seed"),
];

/// A row of a table.
pub trait TableRow: Serialize + DeserializeOwned {
    /// The folder of its files.
    const TABLE: &'static str;
    /// Its columns, after the four of [`IDENTITY`].
    const COLUMNS: &'static [Column];
}

/// Every table with its columns.
pub const TABLES: &[(&str, &[Column])] = &[
    (RunRow::TABLE, RunRow::COLUMNS),
    (EpisodeRow::TABLE, EpisodeRow::COLUMNS),
    (PlanRow::TABLE, PlanRow::COLUMNS),
    (ProbeRow::TABLE, ProbeRow::COLUMNS),
];

/// Declares a row: the name, the type and the meaning of every column.
macro_rules! table {
    ($(#[$about:meta])* $row:ident in $table:literal {
        $($(#[$more:meta])* $field:ident: $type:ty = $says:literal,)*
    }) => {
        $(#[$about])*
        // what a column says is plain text
        #[allow(rustdoc::broken_intra_doc_links)]
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        pub struct $row {
            $(#[doc = concat!($says, ".")] #[doc = ""] $(#[$more])* pub $field: $type,)*
        }

        impl TableRow for $row {
            const TABLE: &'static str = $table;
            const COLUMNS: &'static [Column] = &[$(Column::of::<$type>(stringify!($field), $says)),*];
        }
    };
}

table! {
    /// A run: one row of `runs/`.
    RunRow in "runs" {
        outcome: String = "finished, or truncated by the cap on steps",
        episodes: u64 = "finished episodes",
        steps: u64 = "steps",
        total_cost: f64 = "what the steps cost",
        optimal_cost: f64 = "V*(start)",
        b_star: f64 = "B*",
        t_star: f64 = "T*",
        c_min: f64 = "least cost of a step off the goal",
        dim: u64 = "dimension d",
        states: u64 = "number of states",
        pairs: u64 = "number of state-action pairs",
        regret: f64 = "regret",
        gap_regret: f64 = "sum of Q*(s,a) - V*(s): the same mean as the regret, far less noise",
        planner_calls: u64 = "planning calls",
        violations: u64 = "planning calls over an empty set, and steps that no model allows",
        radius: Option<String> = "confidence radius: printed, scaled:x, likelihood ...",
        /// None if nothing is proved of the learner.
        guarantee: Option<String> = "whether what is proved holds here: yes, no, unknown",
        /// The guarantee's own summary, where the word is "no".
        why_not: Option<String> = "why it does not hold",
        level: Option<f64> =
            "probability with which the confidence sets may lose theta*; without sets, the bound on the regret fail",
        delta: Option<f64> = "failure probability in force",
        late_optimal_share: Option<f64> =
            "optimal actions in the second half of the episodes, as a share",
        inner_episodes: Option<u64> = "episodes that the inner learner of a guard began",
        handovers: Option<u64> = "episodes that were taken from the inner learner of a guard",
        promised: Option<f64> = "optimistic value of the start in the last plan",
        /// Looked at are 8 plans to each doubling, and the end of the run. Before it the learner knew
        /// nothing. None if there was none, or the learner has no set.
        informed_step: Option<u64> =
            "step of the first plan looked at whose sets are narrower than B",
        informed_episode: Option<u64> = "episode of that plan",
        state_bytes: u64 = "size of the learner's saved state in bytes",
        lost: Option<u64> = "first step after which theta* was outside a confidence set",
        lost_at_plan: Option<u64> = "step of the first plan over a set without theta*",
        missed: Option<u64> = "the same though the confidence set had theta*: an error of goalward",
        nats: Option<f64> = "likelihood's threshold above the least loss at the end",
        beta: Option<f64> = "radius of the regression's ellipsoid at the end",
        width: Option<f64> = "width of the set at the end as a share of B's, mean over phi_V*(s,a)",
        empty: Option<bool> = "whether the set was empty at the end",
    }
}

table! {
    /// An episode: one row of `episodes/`.
    EpisodeRow in "episodes" {
        episode: u64 = "number k of the episode, from 1",
        t: u64 = "steps of the run up to its end",
        steps: u64 = "its own steps",
        cost: f64 = "its own cost",
        regret: f64 = "regret of the run up to its end",
        gap_regret: f64 = "gap regret of the run up to its end",
    }
}

table! {
    /// A planning call: one row of `plans/`.
    PlanRow in "plans" {
        plan: u64 = "number j of the plan, from 1",
        t: u64 = "step after which it was made",
        episode: u64 = "episode under way",
        reason: String = "what triggered it",
        sweeps: u64 = "sweeps over all pairs",
        promised: Option<f64> = "optimistic value of the start",
        beta: Option<f64> = "radius of the confidence set",
        empty: bool = "whether there was no set to plan over",
    }
}

table! {
    /// A number that a learner was asked for at a planning call: one row of `probes/`.
    ///
    /// `theta[i]`: the estimate with its interval. `width`: of the sets, as a share of B's. `nats`,
    /// `radius`: the size of a set. `support[i,j] k/16`: the most of `cos(a) theta_i + sin(a) theta_j`
    /// over the set at the angle a = 2 pi k/16.
    ProbeRow in "probes" {
        t: u64 = "step",
        episode: u64 = "episode under way",
        quantity: String = "theta[i], width, nats, radius, support[i,j] k/16",
        value: Option<f64> = "its value",
        low: Option<f64> = "lower end of its interval",
        high: Option<f64> = "upper end of its interval",
    }
}
