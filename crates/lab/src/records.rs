//! Curves and runs as CSV: one row per point of a curve, one row per run.

use crate::curves::{Curves, Run};
use crate::table::Table;

/// The runs of several contenders with what they have in common, such as a dimension: its value
/// leads each row.
pub(crate) struct Group<'a> {
    pub(crate) lead: String,
    pub(crate) curves: &'a [Curves],
}

const CURVE: [&str; 11] = [
    "learner",
    "label",
    "radius",
    "episode",
    "runs",
    "mean_regret_per_episode",
    "low",
    "high",
    "mean_gap_regret_per_episode",
    "gap_low",
    "gap_high",
];

const RUN: [&str; 18] = [
    "learner",
    "label",
    "radius",
    "seed",
    "outcome",
    "truncated",
    "episodes",
    "steps",
    "total_cost",
    "optimal_cost",
    "regret",
    "gap_regret",
    "regret_per_episode",
    "gap_regret_per_episode",
    "planner_calls",
    "violations",
    "late_optimal_share",
    "promised",
];

/// Mean curves with their 95 % intervals; `lead` names the first column.
pub(crate) fn curves_csv(lead: &str, groups: &[Group]) -> String {
    let mut table = Table::new(std::iter::once(lead).chain(CURVE));
    for group in groups {
        for curves in group.curves {
            for (episode, regret, gap) in curves.means() {
                let [regret, gap] = [regret, gap].map(|mean| mean.scaled(1.0 / episode as f64));
                let mut row = whose(&group.lead, curves);
                row.extend([episode.to_string(), regret.n.to_string()]);
                for mean in [regret, gap] {
                    row.extend([mean.mean.to_string(), known(mean.low), known(mean.high)]);
                }
                table.row(row);
            }
        }
    }
    table.csv()
}

/// Every run's final values; `lead` names the first column.
pub(crate) fn runs_csv(lead: &str, groups: &[Group]) -> String {
    let mut table = Table::new(std::iter::once(lead).chain(RUN));
    for group in groups {
        for curves in group.curves {
            for run in &curves.runs {
                let mut row = whose(&group.lead, curves);
                row.extend(final_values(run));
                table.row(row);
            }
        }
    }
    table.csv()
}

fn whose(lead: &str, curves: &Curves) -> Vec<String> {
    let contender = &curves.contender;
    let radius = curves.radius().unwrap_or_default();
    vec![lead.into(), contender.learner.clone(), contender.label.clone(), radius.into()]
}

fn final_values(run: &Run) -> [String; 15] {
    let result = &run.result;
    [
        run.seed.to_string(),
        run.outcome.name().into(),
        result.truncated.to_string(),
        result.episodes.to_string(),
        result.steps.to_string(),
        result.total_cost.to_string(),
        result.optimal_cost.to_string(),
        result.regret.to_string(),
        result.gap_regret.to_string(),
        run.regret_per_episode().to_string(),
        run.gap_regret_per_episode().to_string(),
        result.planner_calls.to_string(),
        result.violations.to_string(),
        known(run.late_optimal_share),
        known(run.promised),
    ]
}

fn known(value: Option<f64>) -> String {
    value.map(|x| x.to_string()).unwrap_or_default()
}
