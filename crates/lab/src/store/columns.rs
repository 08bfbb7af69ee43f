//! The tables of a study and their columns: the schema of the Parquet files.
//!
//! Every file begins with the same four columns, which say what run its rows belong to. A change of
//! a column's name, kind or meaning is a new [`SCHEMA`].

pub use crate::results::SCHEMA;

use crate::results::{EpisodeRow, PlanRow, ProbeRow, RunRow};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Whole numbers from 0: INT64, unsigned.
    Count,
    /// Numbers: DOUBLE.
    Real,
    /// Text: BYTE_ARRAY in UTF-8.
    Text,
    /// Yes or no: BOOLEAN.
    Flag,
}

/// A column.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// Whether a row may have nothing in it.
    pub optional: bool,
    /// What it says.
    pub about: &'static str,
}

const fn known(name: &'static str, kind: Kind, about: &'static str) -> Column {
    Column { name, kind, optional: false, about }
}

const fn maybe(name: &'static str, kind: Kind, about: &'static str) -> Column {
    Column { name, kind, optional: true, about }
}

/// What run the rows of a file belong to.
pub const IDENTITY: &[Column] = &[
    known("job", Kind::Text, "hash of all that determines the run"),
    known("world", Kind::Text, "the world with its parameters, id@key=value"),
    known("learner", Kind::Text, "the learner with its settings, id@key=value"),
    known("seed", Kind::Count, "the seed"),
];

/// A row of a table.
pub trait Row: Serialize + DeserializeOwned {
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

use Kind::{Count, Flag, Real, Text};

impl Row for RunRow {
    const TABLE: &'static str = "runs";
    const COLUMNS: &'static [Column] = &[
        known("outcome", Text, "finished, or truncated by the cap on steps"),
        known("episodes", Count, "finished episodes"),
        known("steps", Count, "steps"),
        known("total_cost", Real, "what the steps cost"),
        known("optimal_cost", Real, "V*(start)"),
        known("b_star", Real, "B*"),
        known("t_star", Real, "T*"),
        known("c_min", Real, "least cost of a step off the goal"),
        known("dim", Count, "dimension d"),
        known("states", Count, "number of states"),
        known("pairs", Count, "number of state-action pairs"),
        known("regret", Real, "regret"),
        known("gap_regret", Real, "sum of Q*(s,a) - V*(s): the same mean as the regret, far less noise"),
        known("planner_calls", Count, "planning calls"),
        known("violations", Count, "planning calls over an empty set, and steps that no model allows"),
        maybe("radius", Text, "confidence radius: printed, scaled:x, likelihood ..."),
        maybe("guarantee", Text, "whether what is proved holds here: yes, no, unknown"),
        maybe("why_not", Text, "why it does not hold"),
        maybe(
            "level",
            Real,
            "probability with which the confidence sets may lose theta*; without sets, the bound on the regret fail",
        ),
        maybe("delta", Real, "failure probability in force"),
        maybe("late_optimal_share", Real, "optimal actions in the second half of the episodes, as a share"),
        maybe("promised", Real, "optimistic value of the start in the last plan"),
        maybe("informed_step", Count, "step of the first plan looked at whose sets are narrower than B"),
        maybe("informed_episode", Count, "episode of that plan"),
        known("state_bytes", Count, "size of the learner's saved state in bytes"),
        maybe("lost", Count, "first step after which theta* was outside a confidence set"),
        maybe("lost_at_plan", Count, "step of the first plan over a set without theta*"),
        maybe("missed", Count, "the same though the confidence set had theta*: an error of goalward"),
        maybe("nats", Real, "likelihood's threshold above the least loss at the end"),
        maybe("beta", Real, "radius of the regression's ellipsoid at the end"),
        maybe("width", Real, "width of the set at the end as a share of B's, mean over phi_V*(s,a)"),
        maybe("empty", Flag, "whether the set was empty at the end"),
    ];
}

impl Row for EpisodeRow {
    const TABLE: &'static str = "episodes";
    const COLUMNS: &'static [Column] = &[
        known("episode", Count, "number k of the episode, from 1"),
        known("t", Count, "steps of the run up to its end"),
        known("steps", Count, "its own steps"),
        known("cost", Real, "its own cost"),
        known("regret", Real, "regret of the run up to its end"),
        known("gap_regret", Real, "gap regret of the run up to its end"),
    ];
}

impl Row for PlanRow {
    const TABLE: &'static str = "plans";
    const COLUMNS: &'static [Column] = &[
        known("plan", Count, "number j of the plan, from 1"),
        known("t", Count, "step after which it was made"),
        known("episode", Count, "episode under way"),
        known("reason", Text, "what triggered it"),
        known("sweeps", Count, "sweeps over all pairs"),
        maybe("promised", Real, "optimistic value of the start"),
        maybe("beta", Real, "radius of the confidence set"),
        known("empty", Flag, "whether there was no set to plan over"),
    ];
}

impl Row for ProbeRow {
    const TABLE: &'static str = "probes";
    const COLUMNS: &'static [Column] = &[
        known("t", Count, "step"),
        known("episode", Count, "episode under way"),
        known("quantity", Text, "theta[i], width, nats, radius, support[i,j] k/16"),
        maybe("value", Real, "its value"),
        maybe("low", Real, "lower end of its interval"),
        maybe("high", Real, "upper end of its interval"),
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The columns are the fields, in their order, and nothing else.
    fn are_the_fields<R: Row + Default>() {
        // a map in the order of the fields: serde_json's own sorts them
        let text = serde_json::to_string(&R::default()).unwrap();
        let mut at = 0;
        for column in R::COLUMNS {
            let key = format!("\"{}\":", column.name);
            let found = text[at..].find(&key).unwrap_or_else(|| panic!("{}: {key} in {text}", R::TABLE));
            at += found + key.len();
            assert_eq!(text[at..].starts_with("null"), column.optional, "{}: {key}", R::TABLE);
        }
        assert_eq!(text.matches("\":").count(), R::COLUMNS.len(), "{text}");
    }

    #[test]
    fn columns_are_the_fields_of_their_rows() {
        are_the_fields::<RunRow>();
        are_the_fields::<EpisodeRow>();
        are_the_fields::<PlanRow>();
        are_the_fields::<ProbeRow>();
    }
}
