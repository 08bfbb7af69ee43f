//! Tuning: the value of a setting with which a learner pays least over all worlds.
//!
//! The criterion is the mean over the worlds of ln(1 + mean gap regret); the logarithm keeps one world
//! with large costs from deciding alone. Of equal scores the first value wins. A value at an end of its
//! grid is no optimum: one beyond it may score less.

use super::Findings;
use super::phrase::{or_dash, significant};
use super::view::View;
use crate::group::{distinct, grouped};
use crate::results::Results;
use crate::study::TuningAsk;
use crate::table::{Table, fixed};
use goalward::numeric::Portable;
use serde::Serialize;
use serde_json::json;

/// One learner.
#[derive(Debug, Serialize)]
struct TuningRow {
    /// The learner without the setting.
    learner: String,
    best: Option<String>,
    /// Whether that is the first or the last value of its grid.
    edge: bool,
    /// Every value with its score, in the order of the grid; no score if a world has no run.
    tried: Vec<(String, Option<f64>)>,
}

impl TuningRow {
    fn score(&self, value: &str) -> Option<f64> {
        self.tried.iter().find(|(other, _)| other == value).and_then(|(_, score)| *score)
    }
}

/// Adds the best values.
pub(super) fn add(results: &Results, ask: &TuningAsk, findings: &mut Findings) {
    let rows = rows(results, ask);
    let values = distinct(rows.iter().flat_map(|row| &row.tried).map(|(value, _)| value));
    let headings = ["learner".to_string(), format!("best {}", ask.over)];
    let mut table = Table::new(headings.into_iter().chain(values.iter().map(|value| value.to_string())));
    let mut words = Vec::new();
    for row in &rows {
        let edge = if row.edge { " (edge)" } else { "" };
        let best = row.best.as_ref().map(|best| format!("{best}{edge}"));
        let scores = values.iter().map(|value| or_dash(row.score(value).map(|score| fixed(score, 2))));
        table.row([row.learner.clone(), or_dash(best)].into_iter().chain(scores).collect());
        if let Some((best, score)) = row.best.as_ref().and_then(|best| Some((best, row.score(best)?))) {
            let score = significant(score.exp_e() - 1.0, 3);
            let edge = match row.edge {
                true => " That is the edge of what was tried: it is not tuned.",
                false => "",
            };
            words.push(format!(
                "{}: {} = {best}, where it pays {score} on a typical world.{edge}",
                row.learner, ask.over
            ));
        }
    }
    let parts = vec![("table".into(), table.markdown())];
    let table = table.titled(format!("Mean of ln(1 + gap regret), by {}", ask.over));
    let method = format!(
        "The best {}: the least mean over the worlds of ln(1 + mean gap regret). One at an end of its \
         grid is marked: one beyond it may be better.",
        ask.over
    );
    let data = json!({ "over": ask.over, "rows": rows });
    findings.put("tuning", vec![table], parts, data, words, vec![method]);
}

fn rows(results: &Results, ask: &TuningAsk) -> Vec<TuningRow> {
    let mut tried: Vec<(String, (String, Option<f64>))> = Vec::new();
    for (learner, point) in results.study.learners.iter().enumerate() {
        let Some((_, at)) = point.point.iter().find(|(key, _)| *key == ask.over) else { continue };
        let views: Vec<View> = View::all(results).into_iter().filter(|v| v.cell.learner == learner).collect();
        let Some(name) = views.first().map(|view| view.name_without(&[ask.over.as_str()])) else { continue };
        let paid =
            |view: &View| view.mean_of(|run| run.row.gap_regret).map(|mean| mean.mean.max(0.0).log_1p());
        let all: Option<Vec<f64>> = views.iter().map(paid).collect();
        let score = all.map(|all| all.iter().sum::<f64>() / all.len() as f64);
        tried.push((name, (at.clone(), score)));
    }
    let row = |group: Vec<(String, (String, Option<f64>))>| {
        let learner = group[0].0.clone();
        let tried: Vec<(String, Option<f64>)> = group.into_iter().map(|(_, tried)| tried).collect();
        let known = tried.iter().filter_map(|(value, score)| Some((value, (*score)?)));
        let best = known.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(value, _)| value.clone());
        let ends = [tried.first(), tried.last()];
        let edge = ends.into_iter().flatten().any(|(value, _)| Some(value) == best.as_ref());
        TuningRow { learner, best, edge, tried }
    };
    grouped(tried, |a, b| a.0 == b.0).into_iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::analyse;
    use crate::analysis::tests::{results, run, study};

    /// Two worlds and three factors. Means of ln(1 + gap regret): (ln 10 + ln 1000)/2 = ln 100,
    /// (ln 50 + ln 50)/2 = ln 50, (ln 1 + ln 10000)/2 = ln 100.
    fn made(missing: bool) -> Findings {
        let paid = [[9.0, 49.0, 0.0], [999.0, 49.0, 9999.0]];
        let learners = ["levis@scale=1", "levis@scale=0.1", "levis@scale=0.01"];
        let mut study = study(&["corridor", "ladder"], &learners, 2, 3);
        study.analysis.tuning = Some(TuningAsk { over: "scale".into() });
        analyse(&results(study, |world, learner, seed| {
            let gone = missing && learner == 1 && world == 1;
            (!gone).then(|| run(seed, 3, |_| paid[world][learner]))
        }))
    }

    #[test]
    fn the_least_mean_logarithm_wins() {
        let findings = made(false);
        assert_eq!(findings.tables[0].rows()[0], ["levis", "0.1", "4.61", "3.91", "4.61"]);
        assert_eq!(findings.data["tuning"]["rows"][0]["best"], "0.1");
        assert_eq!(findings.data["tuning"]["rows"][0]["edge"], false);
        assert!(
            findings.words[0].contains("scale = 0.1") && findings.words[0].contains("49"),
            "{:?}",
            findings.words
        );
    }

    #[test]
    fn the_best_at_an_end_of_its_grid_is_said_not_to_be_tuned() {
        let learners = ["eb-ssp@scale=1", "eb-ssp@scale=0.1"];
        let mut study = study(&["corridor"], &learners, 1, 3);
        study.analysis.tuning = Some(TuningAsk { over: "scale".into() });
        let falling = results(study, |_, learner, seed| Some(run(seed, 3, |_| [9.0, 4.0][learner])));
        let findings = analyse(&falling);
        assert_eq!(findings.tables[0].rows()[0][..2], ["eb-ssp", "0.1 (edge)"]);
        assert_eq!(findings.data["tuning"]["rows"][0]["edge"], true);
        assert!(findings.words[0].ends_with("it is not tuned."), "{:?}", findings.words);
    }

    #[test]
    fn a_value_without_runs_somewhere_does_not_win_and_the_first_of_equals_does() {
        let findings = made(true);
        assert_eq!(findings.tables[0].rows()[0], ["levis", "1 (edge)", "4.61", "-", "4.61"]);
    }
}
