//! Scale: the smallest factor on a printed radius that still kept theta*.
//!
//! The factor changes the plans, weights and actions of a run. So every factor has runs of its own, and
//! is a point of the learner's grid.

use super::Findings;
use super::coverage::lost;
use super::phrase::{counted, hits_and_limit, or_dash, range, significant};
use super::view::View;
use crate::group::{distinct, grouped};
use crate::results::Results;
use crate::stats::Proportion;
use crate::study::ScaleAsk;
use crate::table::{Table, fixed};
use serde::Serialize;
use serde_json::json;

/// One world and learner.
#[derive(Debug, Serialize)]
struct ScaleRow<'a> {
    world: &'a str,
    /// The learner without the factor.
    learner: &'a str,
    /// The smallest factor that kept theta*, as all larger ones did.
    kept: Option<&'a FactorTried>,
    /// The next smaller factor, which did not.
    failed: Option<&'a FactorTried>,
}

/// One factor of one world and learner.
#[derive(Clone, Debug, Serialize)]
struct FactorTried {
    world: String,
    learner: String,
    factor: f64,
    /// Runs in which theta* left the ellipsoid after some step.
    lost: Option<Proportion>,
    /// Whether the upper limit on the share of such runs is at most delta.
    kept: bool,
    width: Option<f64>,
    gap_regret: Option<f64>,
}

impl FactorTried {
    /// `None` for a learner whose radius is not scaled.
    fn of(view: &View, delta: f64) -> Option<FactorTried> {
        let radius = view.learner.contender.settings.get("radius")?;
        let lost = lost(view, |run| run.row.lost);
        Some(FactorTried {
            world: view.world.label.clone(),
            learner: view.name_without(&["radius"]),
            factor: radius.strip_prefix("scaled:")?.parse().ok()?,
            kept: lost.is_some_and(|lost| lost.limit <= delta),
            lost,
            width: view.mean_of_known(|run| run.row.width).map(|m| m.mean),
            gap_regret: view.mean_of(|run| run.row.gap_regret).map(|m| m.mean),
        })
    }
}

impl<'a> ScaleRow<'a> {
    /// From descending factors. One counts only if all larger ones kept theta*.
    fn of(tried: &'a [FactorTried]) -> Option<ScaleRow<'a>> {
        let first = tried.first()?;
        let kept = tried.iter().take_while(|t| t.kept).count();
        Some(ScaleRow {
            world: &first.world,
            learner: &first.learner,
            kept: tried[..kept].last(),
            failed: tried.get(kept).filter(|t| t.lost.is_some()),
        })
    }
}

/// Every factor, by world and learner, in descending order.
fn tried(results: &Results, delta: f64) -> Vec<Vec<FactorTried>> {
    let tried = View::all(results).into_iter().filter_map(|view| FactorTried::of(&view, delta));
    let mut groups = grouped(tried, |a, b| a.world == b.world && a.learner == b.learner);
    groups.iter_mut().for_each(|group| group.sort_by(|a, b| b.factor.total_cmp(&a.factor)));
    groups
}

fn cells(rows: &[ScaleRow]) -> Table {
    let kept = ["world", "learner", "smallest factor", "lost", "at most", "width", "gap regret"];
    let mut table = Table::new(kept.into_iter().chain(["next factor", "lost", "at most"]));
    for ScaleRow { world, learner, kept, failed } in rows {
        let factor = |tried: Option<&FactorTried>| {
            let [lost, limit] = hits_and_limit(tried.and_then(|t| t.lost));
            [or_dash(tried.map(|t| t.factor)), lost, limit]
        };
        let names = [world.to_string(), learner.to_string()];
        let width = or_dash(kept.and_then(|t| t.width).map(|w| fixed(w, 4)));
        let regret = or_dash(kept.and_then(|t| t.gap_regret).map(|r| fixed(r, 1)));
        let cells = names.into_iter().chain(factor(*kept)).chain([width, regret]).chain(factor(*failed));
        table.row(cells.collect());
    }
    table
}

/// By how much a learner's radius could be divided on these worlds: two digits, because the factors are
/// no finer.
fn smaller(rows: &[ScaleRow], learner: &str) -> Option<String> {
    let kept = rows.iter().filter(|row| row.learner == learner).filter_map(|row| row.kept);
    range(kept.map(|t| 1.0 / t.factor), |x| if x < 10.0 { fixed(x, 0) } else { significant(x, 2) })
}

fn learners<'a>(rows: &[ScaleRow<'a>]) -> Vec<&'a str> {
    distinct(rows.iter().map(|row| row.learner))
}

fn sentences(rows: &[ScaleRow]) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for learner in learners(rows) {
        let mine = || rows.iter().filter(|row| row.learner == learner);
        if let Some(times) = smaller(rows, learner) {
            let (these, that) = match mine().all(|row| row.kept.is_some()) {
                true => ("these", ""),
                false => ("those of these", " where a factor kept theta*"),
            };
            words.push(format!(
                "On {these} worlds{that} the printed radius of {learner} could be {times} times smaller."
            ));
        }
        for row in mine().filter(|row| row.kept.is_none()) {
            if let Some((factor, lost)) = row.failed.and_then(|t| Some((t.factor, t.lost?))) {
                let (world, hits, runs) = (row.world, lost.hits, counted(lost.n as usize, "run"));
                words.push(format!(
                    "On {world} no factor kept theta* for {learner}: {factor} lost it in {hits} of {runs}."
                ));
            }
        }
    }
    let caveat = "What held on these runs is no guarantee: longer runs and other worlds have other factors.";
    words.extend((!words.is_empty()).then(|| caveat.into()));
    words
}

/// The table; `smaller` for every learner; for every world `width`, that of the narrowest kept set.
fn parts(rows: &[ScaleRow]) -> Vec<(String, String)> {
    let mut parts = vec![("table".to_string(), cells(rows).markdown())];
    for learner in learners(rows) {
        parts.extend(smaller(rows, learner).map(|times| (format!("smaller {learner}"), times)));
    }
    let widths = rows.iter().filter_map(|row| Some((row.world, row.kept?.width?)));
    for group in grouped(widths, |a, b| a.0 == b.0) {
        let least = group.iter().map(|(_, width)| *width).fold(f64::INFINITY, f64::min);
        parts.push((format!("width {}", group[0].0), format!("{least:.3}")));
    }
    parts
}

/// Adds the smallest factors to the findings.
pub(super) fn add(results: &Results, ask: &ScaleAsk, findings: &mut Findings) {
    let tried = tried(results, ask.delta);
    let rows: Vec<ScaleRow> = tried.iter().filter_map(|group| ScaleRow::of(group)).collect();
    let words = sentences(&rows);
    let title = format!("The smallest factor on the printed radius that kept theta*, delta = {}", ask.delta);
    let all: Vec<&FactorTried> = tried.iter().flatten().collect();
    let data = json!({ "delta": ask.delta, "rows": rows, "tried": all, "words": words });
    let method = format!(
        "A factor kept theta* if so few runs lost it, at any step, that the one-sided 95 % upper limit \
         of Clopper and Pearson on their share is at most delta = {}. The table has the smallest \
         factor that is kept together with all larger ones tried.",
        ask.delta
    );
    findings.put("scale", vec![cells(&rows).titled(title)], parts(&rows), data, words, vec![method]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::analyse;
    use crate::analysis::tests::{results, run, study, with};

    fn made(factor: f64, kept: bool, known: bool) -> FactorTried {
        FactorTried {
            world: "w".into(),
            learner: "l".into(),
            factor,
            lost: Proportion::of(0, 1).filter(|_| known),
            kept,
            width: None,
            gap_regret: None,
        }
    }

    #[test]
    fn a_larger_factor_that_failed_is_not_skipped() {
        let tried = [made(1.0, true, true), made(0.1, false, true), made(0.01, true, true)];
        let row = ScaleRow::of(&tried).unwrap();
        assert_eq!((row.kept.unwrap().factor, row.failed.unwrap().factor), (1.0, 0.1));
        let none = [made(1.0, false, true)];
        let none = ScaleRow::of(&none).unwrap();
        assert!(none.kept.is_none() && none.failed.is_some());
        let missing = [made(1.0, true, true), made(0.1, false, false)];
        let missing = ScaleRow::of(&missing).unwrap();
        assert!(missing.kept.is_some() && missing.failed.is_none(), "what has not run has not failed");
        assert!(ScaleRow::of(&[]).is_none());
    }

    /// Factors 1, 0.1 and 0.01 in 40 runs: the last loses theta* in five of them.
    fn three(runs: impl Fn(usize) -> u64) -> Findings {
        let factors = ["levis@radius=scaled:0.1", "levis@radius=scaled:1", "levis@radius=scaled:0.01"];
        let mut study = study(&["corridor"], &factors, 40, 5);
        study.analysis.scale = Some(ScaleAsk { delta: 0.1 });
        analyse(&results(study, |_, learner, seed| {
            let made = with(run(seed, 5, |_| 3.0), |row| {
                row.width = Some([0.4, 0.8, 0.2][learner]);
                row.lost = (learner == 2 && seed < 5).then_some(3);
            });
            (seed < runs(learner)).then_some(made)
        }))
    }

    #[test]
    fn the_smallest_factor_that_kept_theta_is_found() {
        let findings = three(|_| 40);
        // 0 of 40: 1 - 0.05^(1/40) = 7.2 %; 5 of 40: 24.5 %, by bisection of the exact sum
        let expected =
            ["corridor", "levis", "0.1", "0/40", "7.2 %", "0.4000", "3.0", "0.01", "5/40", "24.5 %"];
        assert_eq!(findings.tables[0].rows()[0], expected);
        let part = |name: &str| findings.parts.iter().find(|(n, _)| n == name).map(|(_, text)| text.as_str());
        assert_eq!((part("smaller levis"), part("width corridor")), (Some("10"), Some("0.400")));
        let first = "On these worlds the printed radius of levis could be 10 times smaller.";
        assert_eq!(findings.words[0], first);
        assert_eq!(findings.data["scale"]["tried"][2]["factor"], 0.01);
        assert_eq!(findings.data["scale"]["rows"][0]["failed"]["lost"]["hits"], 5);
        assert!(findings.sound);
    }

    #[test]
    fn little_is_not_taken_for_much() {
        // 20 runs without a loss: at most 13.9 %, which is above delta
        let few = three(|_| 20);
        assert!(few.data["scale"]["rows"][0]["kept"].is_null());
        assert!(
            few.words[0].starts_with("On corridor no factor kept theta* for levis: 1 lost it in 0 of 20")
        );
        let none = three(|_| 0);
        assert!(none.words.is_empty() && none.tables[0].rows()[0][2] == "-");
        let some = three(|learner| if learner == 1 { 40 } else { 0 });
        assert_eq!(some.data["scale"]["rows"][0]["kept"]["factor"], 1.0);
        assert!(some.data["scale"]["rows"][0]["failed"].is_null());
    }
}
