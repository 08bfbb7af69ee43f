//! What learners pay on average over the truths of every world, against a reference truth by truth.

use super::phrase::{counted, listed, or_dash, percent, significant};
use super::view::View;
use super::{Findings, value};
use crate::group::{distinct, grouped};
use crate::results::Results;
use crate::stats::{bca_interval_90, median};
use crate::study::TruthsAsk;
use crate::table::Table;
use goalward::numeric::Portable;
use serde::Serialize;
use serde_json::json;

/// A world where the reference pays no more than this has no ratio: it is rounding.
const NOTHING: f64 = 1e-9;
/// A learner pays more than the reference on a world if the interval of the ratio lies above this.
const ABOVE: f64 = 1.05;

/// A learner in a world, over its truths.
#[derive(Debug, Serialize)]
struct Row<'a> {
    world: String,
    learner: &'a str,
    /// The number of truths with runs.
    truths: usize,
    /// Those of them with a run that the cap on steps ended: there is no ratio.
    cut: usize,
    mean: f64,
    median: f64,
    largest: f64,
    /// Its mean by the reference's, over the truths that both have.
    ratio: Option<f64>,
    /// The 90 % interval of the ratio.
    interval: Option<(f64, f64)>,
    /// Under a guard: the share of the episodes that the inner learner began.
    inner: Option<f64>,
    /// The episodes of all runs that were taken from it.
    handovers: Option<u64>,
}

/// A learner over all worlds.
#[derive(Debug, Serialize)]
struct Total<'a> {
    learner: &'a str,
    /// The geometric mean of the ratios.
    ratio: Option<f64>,
    /// The number of worlds with a ratio.
    worlds: usize,
    /// The worlds whose interval lies above 1.05.
    above: Vec<&'a str>,
    /// The worlds that are left out, because a run was cut.
    cut: Vec<&'a str>,
}

/// What a learner paid by the truth, in runs of one world.
fn paid<'a>(views: &[View<'a>]) -> Vec<(&'a str, f64)> {
    let mean = |view: &View| view.mean_of(|run| run.row.gap_regret).map(|mean| mean.mean);
    views.iter().filter_map(|view| Some((view.world.truth()?.1, mean(view)?))).collect()
}

impl<'a> Row<'a> {
    /// From what was paid by the truth, and the runs of it.
    fn of(
        (world, learner): (&str, &'a str),
        paid: &[(&str, f64)],
        views: &[View],
        reference: &dyn Fn(&str) -> Option<f64>,
    ) -> Option<Row<'a>> {
        let all: Vec<f64> = paid.iter().map(|(_, paid)| *paid).collect();
        let pair = |(truth, mine): &(&str, f64)| Some((*mine, reference(truth)?));
        let pairs: Vec<(f64, f64)> = paid.iter().filter_map(pair).collect();
        let ratio = |chosen: &[usize]| {
            let sum = |of: fn(&(f64, f64)) -> f64| chosen.iter().map(|&i| of(&pairs[i])).sum::<f64>();
            let (mine, theirs) = (sum(|pair| pair.0), sum(|pair| pair.1));
            (theirs > NOTHING * chosen.len() as f64).then(|| mine / theirs)
        };
        let cut = views.iter().filter(|view| view.truncated() > 0).count();
        let every: Vec<usize> = (0..pairs.len()).collect();
        let value = ratio(&every).filter(|_| cut == 0);
        let runs = || views.iter().flat_map(|view| view.runs()).map(|run| &run.row);
        let begun = runs().map(|row| row.inner_episodes).sum::<Option<u64>>().filter(|_| !views.is_empty());
        let episodes = runs().map(|row| row.episodes).sum::<u64>().max(1);
        Some(Row {
            world: world.into(),
            learner,
            truths: all.len(),
            cut,
            mean: all.iter().sum::<f64>() / all.len() as f64,
            median: median(&all)?,
            largest: all.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            ratio: value,
            interval: value.and_then(|_| bca_interval_90(pairs.len(), ratio)),
            inner: begun.map(|begun| begun as f64 / episodes as f64),
            handovers: runs().map(|row| row.handovers).sum(),
        })
    }

    fn is_above(&self) -> bool {
        self.interval.is_some_and(|(low, _)| low > ABOVE)
    }

    /// `0.31 [0.24, 0.40]`.
    fn ratio_text(&self) -> String {
        let ends = self.interval.map(|(low, high)| format!(" [{}, {}]", two(low), two(high)));
        or_dash(self.ratio.map(|ratio| two(ratio) + &ends.unwrap_or_default()))
    }

    /// The mean; a run that was cut would have paid more.
    fn mean_text(&self) -> String {
        format!("{}{}", if self.cut > 0 { "≥ " } else { "" }, three(self.mean))
    }
}

/// Three digits of what is paid.
fn three(x: f64) -> String {
    significant(x, 3)
}

/// Two digits of a ratio.
fn two(x: f64) -> String {
    significant(x, 2)
}

/// One row for each world and learner with runs, and for earlier records before them.
fn rows<'a>(results: &'a Results, ask: &'a TruthsAsk) -> Vec<Row<'a>> {
    let views = View::all(results).into_iter().filter_map(|view| Some((view.world.truth()?.0, view)));
    let mut rows = Vec::new();
    for group in grouped(views, |a, b| a.0 == b.0) {
        let world = group[0].0.as_str();
        let of = |label: &str| group.iter().map(|(_, v)| *v).filter(|v| v.label() == label).collect();
        let against: Vec<View> = of(&ask.against);
        let earlier: Option<Vec<_>> = ask.paid.get(world).map(|paid| {
            let truths = distinct(group.iter().filter_map(|(_, view)| Some(view.world.truth()?.1)));
            truths.into_iter().filter_map(|truth| Some((truth, *paid.get(truth)?))).collect()
        });
        // runs of another length, and runs that were cut, are no measure
        let usable = match ask.is_earlier() {
            true => group.iter().all(|(_, view)| ask.episodes == Some(view.world.length.episodes)),
            false => against.iter().all(|view| view.truncated() == 0),
        };
        if let Some(paid) = &earlier {
            rows.extend(Row::of((world, &ask.against), paid, &[], &|_| None));
        }
        let theirs = earlier.unwrap_or_else(|| paid(&against));
        let reference =
            |truth: &str| theirs.iter().find(|(of, _)| usable && *of == truth).map(|(_, paid)| *paid);
        for label in distinct(group.iter().map(|(_, view)| view.label())) {
            let mine: Vec<View> = of(label);
            rows.extend(Row::of((world, label), &paid(&mine), &mine, &reference));
        }
    }
    rows
}

fn totals<'a>(rows: &'a [Row<'a>]) -> Vec<Total<'a>> {
    let total = |learner| {
        let mine = || rows.iter().filter(move |row| row.learner == learner);
        let named =
            |is: fn(&Row) -> bool| mine().filter(|row| is(row)).map(|row| row.world.as_str()).collect();
        let logs: Vec<f64> = mine().filter_map(|row| row.ratio).map(|ratio| ratio.log_e()).collect();
        let mean = logs.iter().sum::<f64>() / logs.len() as f64;
        Total {
            learner,
            ratio: (!logs.is_empty()).then(|| mean.exp_e()),
            worlds: logs.len(),
            above: named(|row| row.is_above()),
            cut: named(|row| row.cut > 0),
        }
    };
    distinct(rows.iter().map(|row| row.learner)).into_iter().map(total).collect()
}

/// One row for each learner.
fn summary(totals: &[Total], ask: &TruthsAsk) -> Table {
    let ratio = format!("by {}", ask.against);
    let mut table = Table::new(["learner", ratio.as_str(), "worlds", "above 1.05", "cut"]);
    for total in totals.iter().filter(|total| total.learner != ask.against) {
        table.row(vec![
            total.learner.into(),
            or_dash(total.ratio.map(two)),
            total.worlds.to_string(),
            total.above.len().to_string(),
            total.cut.len().to_string(),
        ]);
    }
    table
}

/// The mean of every learner, one row for each world.
fn matrix(rows: &[Row], totals: &[Total]) -> Table {
    let labels = || totals.iter().map(|total| total.learner);
    let mut table = Table::new(std::iter::once("world").chain(labels()));
    for world in distinct(rows.iter().map(|row| &row.world)) {
        let of = |label| rows.iter().find(|row| row.world == *world && row.learner == label);
        let cells = labels().map(|label| or_dash(of(label).map(Row::mean_text)));
        table.row(std::iter::once(world.clone()).chain(cells).collect());
    }
    table
}

/// One row for each world and learner.
fn every(rows: &[Row]) -> Table {
    let names = ["world", "learner", "truths", "cut", "mean", "median", "largest", "ratio"];
    let mut table = Table::new(names.into_iter().chain(["inner learner", "hand-overs"]));
    for row in rows {
        table.row(vec![
            row.world.clone(),
            row.learner.into(),
            row.truths.to_string(),
            row.cut.to_string(),
            row.mean_text(),
            three(row.median),
            three(row.largest),
            row.ratio_text(),
            or_dash(row.inner.map(|share| format!("{} %", percent(share)))),
            or_dash(row.handovers.filter(|_| row.inner.is_some())),
        ]);
    }
    table
}

fn sentences(totals: &[Total], ask: &TruthsAsk) -> Vec<String> {
    let against = &ask.against;
    let mut words = Vec::new();
    for Total { learner, ratio, worlds, above, cut } in totals.iter().filter(|t| t.learner != against) {
        if let Some(ratio) = ratio {
            let more = if above.is_empty() { "none".into() } else { listed(above) };
            let (ratio, worlds) = (two(*ratio), counted(*worlds, "world"));
            words.push(format!(
                "{learner} pays {ratio} times what {against} pays, the geometric mean over {worlds}; the 90 % \
                 interval lies above {ABOVE} on {more}."
            ));
        }
        if !cut.is_empty() {
            let cut = listed(cut);
            words.push(format!("The cap on steps ended runs of {learner}: it has no ratio on {cut}."));
        }
    }
    words
}

/// Adds what learners pay over truths to the findings.
pub(super) fn add(results: &Results, ask: &TruthsAsk, findings: &mut Findings) {
    let rows = rows(results, ask);
    let totals = totals(&rows);
    let mut words = sentences(&totals, ask);
    let lengths = || results.study.worlds.iter().map(|world| Some(world.length.episodes));
    if ask.is_earlier() && lengths().any(|episodes| episodes != ask.episodes) {
        let (against, episodes) = (&ask.against, ask.episodes.unwrap_or_default());
        words.push(format!(
            "The records of {against} are of {episodes} episodes: other lengths have no ratio."
        ));
    }
    let (summary, matrix, every) = (summary(&totals, ask), matrix(&rows, &totals), every(&rows));
    let mut parts = vec![
        ("table".to_string(), summary.markdown()),
        ("worlds".to_string(), matrix.markdown()),
        ("rows".to_string(), every.markdown()),
        ("words".to_string(), words.iter().map(|line| format!("* {line}\n")).collect()),
    ];
    let known = totals.iter().filter_map(|total| Some((total.learner, total.ratio?)));
    parts.extend(known.map(|(learner, ratio)| (format!("ratio {learner}"), two(ratio))));
    let tables = vec![
        summary.titled(format!("Gap regret as a share of that of {}", ask.against)),
        matrix.titled("Mean gap regret over truths"),
        every.titled("Gap regret over truths"),
    ];
    let method = format!(
        "Ratios: the mean gap regret over the truths of a world by that of {}, with a 90 % BCa bootstrap \
         interval over truths (Efron 1987), of which both have a run. A learner's ratio is the geometric mean \
         over the worlds where {} pays more than nothing and no run of the learner was cut.",
        ask.against, ask.against
    );
    let data = json!({ "against": ask.against, "learners": totals, "rows": value(&rows), "words": words });
    findings.put("truths", tables, parts, data, words, vec![method]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::analyse;
    use crate::analysis::tests::{results, run, study, with};
    use std::collections::BTreeMap;

    const WORLDS: [&str; 6] = [
        "corridor@truth=drawn:1",
        "corridor@truth=drawn:2",
        "ladder@truth=drawn:1",
        "ladder@truth=drawn:2",
        "river-swim@truth=drawn:1",
        "river-swim@truth=drawn:2",
    ];

    /// The reference pays 10 and 30 on the corridor, 4 and 4 on the ladder, nothing on the river.
    fn made(paid: impl Fn(usize, usize) -> f64, ask: TruthsAsk) -> Findings {
        let mut study = study(&WORLDS, &["guarded", "random"], 1, 5);
        study.analysis.truths = Some(ask);
        study.worlds.iter_mut().for_each(|world| world.length.max_steps = Some(99));
        analyse(&results(study, |world, learner, seed| {
            Some(with(run(seed, 5, |_| paid(world, learner)), |row| {
                row.inner_episodes = (learner == 0).then_some(4);
                row.handovers = (learner == 0).then_some(world as u64);
                if (world, learner) == (1, 1) {
                    row.outcome = "truncated".into();
                }
            }))
        }))
    }

    fn earlier(episodes: u64) -> TruthsAsk {
        let paid = [("corridor", [10.0, 30.0]), ("ladder", [4.0, 4.0]), ("river-swim", [0.0, 0.0])];
        let by_truth =
            |all: [f64; 2]| BTreeMap::from([("drawn:1".into(), all[0]), ("drawn:2".into(), all[1])]);
        let paid = paid.into_iter().map(|(world, all)| (world.into(), by_truth(all))).collect();
        TruthsAsk { against: "lr before".into(), episodes: Some(episodes), paid }
    }

    const PAID: [[f64; 2]; 6] = [[5.0, 7.0], [15.0, 7.0], [8.0, 16.0], [8.0, 16.0], [1.0, 2.0], [2.0, 2.0]];

    #[test]
    fn ratios_are_those_of_the_means() {
        let findings = made(|world, learner| PAID[world][learner], earlier(5));
        // corridor: 10/20, exactly half on every truth; ladder: 8/4; together sqrt(1/2 2)
        let rows = findings.tables[0].rows();
        assert_eq!(rows[0], ["guarded", "1.0", "2", "1", "0"]);
        // without the corridor, where a run was cut: 16/4
        assert_eq!(rows[1], ["random", "4.0", "1", "1", "1"]);
        let rows = findings.tables[1].rows();
        assert_eq!(rows[0], ["corridor", "20.0", "10.0", "≥ 7.00"]);
        assert_eq!(rows[2], ["river-swim", "0", "1.50", "2.00"]);
        let rows = findings.tables[2].rows();
        let first = ["corridor", "lr before", "2", "0", "20.0", "20.0", "30.0", "-", "-", "-"];
        assert_eq!(rows[0][..], first);
        let first =
            ["corridor", "guarded", "2", "0", "10.0", "10.0", "15.0", "0.50 [0.50, 0.50]", "80.0 %", "1"];
        assert_eq!(rows[1][..], first);
        assert_eq!(rows[2][3..8], ["1", "≥ 7.00", "7.00", "7.00", "-"]);
        assert_eq!(rows[4][7..], ["2.0 [2.0, 2.0]", "80.0 %", "5"]);
        assert_eq!(rows[7][7], "-", "there is nothing to compare with on the river");
        let said = &findings.words;
        assert!(
            said[0].starts_with("guarded pays 1.0 times what lr before pays")
                && said[0].ends_with("on ladder.")
        );
        assert!(said[2].contains("ended runs of random") && said[2].ends_with("on corridor."), "{said:?}");
    }

    #[test]
    fn an_interval_is_over_truths() {
        let paid = [[1.0, 0.0], [60.0, 0.0], [3.0, 0.0], [5.0, 0.0], [0.0, 0.0], [0.0, 0.0]];
        let findings = made(|world, learner| paid[world][learner], earlier(5));
        let row = &findings.data["truths"]["rows"][1];
        // 61/40, between 1/10 and 60/30
        assert_eq!(row["ratio"], 1.525);
        let end = |i: usize| row["interval"][i].as_f64().unwrap();
        assert!((end(0) - 0.1).abs() < 1e-12 && (end(1) - 2.0).abs() < 1e-12, "{row}");
    }

    #[test]
    fn records_of_another_length_are_no_measure() {
        let findings = made(|_, _| 1.0, earlier(300));
        assert_eq!(findings.tables[0].rows()[0], ["guarded", "-", "0", "0", "0"]);
        let said = findings.words.last().unwrap();
        assert!(said.contains("of 300 episodes: other lengths have no ratio"), "{said}");
    }

    #[test]
    fn a_learner_of_the_study_can_be_the_reference() {
        let ask = TruthsAsk { against: "guarded".into(), episodes: None, paid: BTreeMap::new() };
        let findings = made(|world, learner| PAID[world][learner], ask);
        // ladder: 16/8; river: 4/3; the corridor has a run that was cut
        let expected = ["random", "1.6", "2", "1", "1"];
        assert_eq!(findings.tables[0].rows(), [expected]);
    }
}
