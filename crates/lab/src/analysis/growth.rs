//! Growth: how the gap regret grows with the number of episodes, the horizon, or the size of a
//! world.

use super::Findings;
use super::phrase::{counted, or_dash, range};
use super::view::{View, by_world};
use crate::Contender;
use crate::figure::number_label;
use crate::results::Results;
use crate::stats::{Exponent, Mean};
use crate::study::{Grows, GrowthFamily, LearnerPoint, WorldPoint};
use crate::table::Table;
use serde::{Serialize, Serializer};
use serde_json::json;
use std::iter::once;

/// The worlds with one base label.
#[derive(Serialize)]
struct WorldFamily<'a> {
    family: &'a str,
    over: Grows,
    /// The exponent by the theory: at least and at most.
    expect: Option<(f64, f64)>,
    /// The worlds with the sizes that grow, which may be known from runs alone.
    #[serde(serialize_with = "points")]
    points: Vec<(Option<f64>, &'a WorldPoint)>,
    exponents: Vec<GrowthRow<'a>>,
}

fn points<S: Serializer>(points: &[(Option<f64>, &WorldPoint)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(points.iter().map(|(x, world)| {
        let (episodes, params) = (world.length.episodes, &world.place.params);
        json!({ "x": x, "episodes": episodes, "world": world.label, "params": params })
    }))
}

/// One contender in one family.
#[derive(Serialize)]
struct GrowthRow<'a> {
    #[serde(flatten)]
    contender: &'a Contender,
    /// The mean gap regret in every world; `None` where a run is missing or truncated.
    gap_regret: Vec<Option<Mean>>,
    /// The same as a share of the random policy's, if that is among the contenders.
    share_of_random: Vec<Option<f64>>,
    exponent: Option<Exponent>,
    /// Whether the exponent agrees with the theory.
    expected: Option<bool>,
    /// Whether it is the random policy itself.
    #[serde(skip)]
    is_random: bool,
}

/// The gap regrets of a cell with all its runs, seed by seed.
fn complete(view: &View) -> Option<Vec<f64>> {
    let complete = view.runs().len() == view.cell.planned && view.truncated() == 0;
    complete.then(|| view.runs().iter().map(|run| run.row.gap_regret).collect())
}

impl<'a> WorldFamily<'a> {
    fn of(results: &'a Results, ask: &'a GrowthFamily) -> WorldFamily<'a> {
        let mut worlds = by_world(results);
        worlds.retain(|(world, _)| world.base == ask.world);
        let point = |(world, views): &(&'a WorldPoint, Vec<View>)| {
            (ask.over.of(world, views.iter().flat_map(View::runs).map(|run| &run.row).next()), *world)
        };
        let points: Vec<(Option<f64>, &WorldPoint)> = worlds.iter().map(point).collect();
        let xs: Option<Vec<f64>> = points.iter().map(|(x, _)| *x).collect();
        let views: Vec<Vec<View>> = worlds.into_iter().map(|(_, views)| views).collect();
        let row = |(learner, point): (usize, &'a LearnerPoint)| {
            GrowthRow::of(&point.contender, learner, &views, xs.as_deref(), ask.expect)
        };
        let exponents = results.study.learners.iter().enumerate().map(row).collect();
        WorldFamily { family: &ask.world, over: ask.over, expect: ask.expect, points, exponents }
    }

    fn cells(&self) -> Table {
        let number = |x: f64| number_label(x, if x < 10.0 && x.fract() != 0.0 { 2 } else { 0 });
        let heading = |(x, world): &(Option<f64>, &WorldPoint)| {
            x.map_or(world.label.clone(), |x| format!("{} = {}", self.over.names()[0], number(x)))
        };
        let last = ["exponent [95 %]", "± line", "share of random's"].map(String::from);
        let headings = once("learner".to_string()).chain(self.points.iter().map(heading)).chain(last);
        let mut table = Table::new(headings);
        for row in &self.exponents {
            let means = row.gap_regret.iter().map(|mean| or_dash(*mean));
            let error = row.exponent.and_then(|e| e.error).map(|e| format!("{e:.2}"));
            let last = [or_dash(row.exponent), or_dash(error), or_dash(row.shares(false))];
            table.row(once(row.contender.label.clone()).chain(means).chain(last).collect());
        }
        table
    }

    fn sentence(&self, row: &GrowthRow) -> Option<String> {
        let exponent = row.exponent?;
        let expected = self.expect.zip(row.expected).map(|((least, most), holds)| {
            let within = match (least.is_finite(), most.is_finite()) {
                (true, true) => format!("within {least} to {most}"),
                (false, _) => format!("at most {most}"),
                (true, false) => format!("at least {least}"),
            };
            format!(", {within}: {}", if holds { "yes" } else { "no" })
        });
        let share = row.shares(true).map(|shares| format!("; it pays {shares} of what random pays"));
        Some(format!(
            "{}, {}: exponent {exponent} in {}{}{}.",
            row.contender.label,
            self.family,
            self.over.names()[0],
            expected.unwrap_or_default(),
            share.unwrap_or_default()
        ))
    }
}

impl<'a> GrowthRow<'a> {
    fn of(
        contender: &'a Contender,
        learner: usize,
        views: &[Vec<View>],
        xs: Option<&[f64]>,
        expect: Option<(f64, f64)>,
    ) -> GrowthRow<'a> {
        let mine = |world: &Vec<View>| complete(world.iter().find(|v| v.cell.learner == learner)?);
        let values: Vec<Option<Vec<f64>>> = views.iter().map(mine).collect();
        let mean = |values: &Option<Vec<f64>>| values.as_ref().and_then(|values| Mean::of(values));
        let share = |(world, values): (&Vec<View>, &Option<Vec<f64>>)| {
            let random = mean(&complete(world.iter().find(|v| v.is_random())?))?;
            Some(mean(values)?.mean / random.mean).filter(|share| share.is_finite())
        };
        let columns: Option<Vec<Vec<f64>>> = values.iter().cloned().collect();
        let exponent = columns.zip(xs).and_then(|(ys, xs)| Exponent::fit(xs, &ys));
        let expected =
            |(least, most): (f64, f64)| exponent.map(|e| least <= e.exponent && e.exponent <= most);
        GrowthRow {
            contender,
            gap_regret: values.iter().map(mean).collect(),
            share_of_random: views.iter().zip(&values).map(share).collect(),
            expected: expect.and_then(expected),
            exponent,
            is_random: views.iter().flatten().any(|v| v.cell.learner == learner && v.is_random()),
        }
    }

    /// The range of its shares of the random policy's regret; `None` for that itself, and unless all
    /// are known.
    fn shares(&self, each_as_it_is: bool) -> Option<String> {
        let known: Vec<f64> = self.share_of_random.iter().copied().collect::<Option<_>>()?;
        let most = known.iter().copied().fold(0.0, f64::max);
        let digits = move |x: f64| {
            let small = if each_as_it_is { x > 0.0 && x < 0.01 } else { most < 0.01 };
            if small { format!("{x:.4}") } else { format!("{x:.2}") }
        };
        if self.is_random { None } else { range(known, digits) }
    }
}

/// A table for each family, and for every learner in it `exponent` and `share` of the random policy's
/// regret.
fn parts(families: &[WorldFamily]) -> Vec<(String, String)> {
    let mut parts = Vec::new();
    for family in families {
        let name = family.family;
        let table = family.cells().markdown().replace("T*", "T\\*").replace("B*", "B\\*");
        parts.push((format!("table {name}"), table));
        for row in &family.exponents {
            let label = &row.contender.label;
            parts.extend(row.exponent.map(|e| (format!("exponent {name} {label}"), e.to_string())));
            parts.extend(row.shares(true).map(|shares| (format!("share {name} {label}"), shares)));
        }
    }
    parts
}

const METHODS: [&str; 3] = [
    "Means have 95 % intervals of Student's t over the runs.",
    "Exponent: the least-squares slope of the logarithm of the mean gap regret, over worlds that \
     have all their runs. Its 95 % interval is that of a BCa bootstrap (Efron 1987, 2,000 \
     resamples): seeds are drawn anew, for all worlds at once, and the slope is fitted again. \
     ± line: the standard error from the residuals of the straight line.",
    "Share of random's: the mean as a share of the random policy's, the least and the most over \
     the worlds.",
];

/// Adds the exponents to the findings.
pub(super) fn add(results: &Results, asked: &[GrowthFamily], findings: &mut Findings) {
    let families: Vec<WorldFamily> = asked.iter().map(|family| WorldFamily::of(results, family)).collect();
    let sentences = |family: &WorldFamily| {
        let learners = family.exponents.iter().filter(|row| !row.is_random);
        learners.filter_map(|row| family.sentence(row)).collect::<Vec<_>>()
    };
    let words: Vec<String> = families.iter().flat_map(sentences).collect();
    let seeds = counted(results.study.seeds.len(), "seed");
    let table = |family: &WorldFamily| {
        let title = format!("{}: gap regret over {}, {seeds}", family.family, family.over.names()[0]);
        family.cells().titled(title)
    };
    let tables = families.iter().map(table).collect();
    let data = json!({ "families": families, "words": words });
    findings.put("growth", tables, parts(&families), data, words, METHODS.map(String::from).to_vec());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::analyse;
    use crate::analysis::tests::{results, run, study, with};

    /// Worlds with K = 10, 100 and 1,000: lr pays 2 sqrt(K) but for luck, random pays K.
    fn made(over: Grows, expect: Option<(f64, f64)>, change: impl Fn(&mut Results)) -> Findings {
        let worlds = ["corridor@length=1", "corridor@length=2", "corridor@length=3", "ladder"];
        let mut study = study(&worlds, &["lr", "random"], 6, 1);
        for (world, episodes) in study.worlds.iter_mut().zip([10, 100, 1000, 7]) {
            world.length.episodes = episodes;
        }
        let family = GrowthFamily { world: "corridor".into(), over, expect };
        study.analysis.growth = vec![family];
        let mut made = results(study, |world, learner, seed| {
            let k = [10.0f64, 100.0, 1000.0, 7.0][world];
            let luck = 1.0 + 0.1 * (seed as f64 - 2.5);
            let paid = [2.0 * k.sqrt() * luck, k][learner];
            Some(with(run(seed, 1, |_| paid), |row| row.t_star = 2.0 * k))
        });
        change(&mut made);
        analyse(&made)
    }

    fn part<'a>(findings: &'a Findings, name: &str) -> Option<&'a str> {
        findings.parts.iter().find(|(known, _)| known == name).map(|(_, text)| text.as_str())
    }

    #[test]
    fn a_power_law_has_its_exponent() {
        let findings = made(Grows::Episodes, Some((0.4, 0.6)), |_| {});
        let family = &findings.data["growth"]["families"][0];
        let row = &family["exponents"][0];
        assert!((row["exponent"]["exponent"].as_f64().unwrap() - 0.5).abs() < 1e-12);
        assert!((row["gap_regret"][1]["mean"].as_f64().unwrap() - 20.0).abs() < 1e-9);
        assert!((row["share_of_random"][0].as_f64().unwrap() - 2.0 / 10f64.sqrt()).abs() < 1e-12);
        assert_eq!(
            (row["expected"].as_bool(), family["points"][2]["x"].as_f64()),
            (Some(true), Some(1000.0))
        );
        let said = "lr, corridor: exponent 0.50 [0.50, 0.50] in K, within 0.4 to 0.6: yes; it pays 0.06 to \
                    0.63 of what random pays.";
        assert_eq!(findings.words, [said]);
        assert_eq!(part(&findings, "exponent corridor lr"), Some("0.50 [0.50, 0.50]"));
        assert_eq!(part(&findings, "share corridor lr"), Some("0.06 to 0.63"));
        assert_eq!(part(&findings, "share corridor random"), None);
        let table = part(&findings, "table corridor").unwrap();
        assert!(table.starts_with("| learner | K = 10 | K = 100 | K = 1,000 | exponent [95 %] |"), "{table}");
        assert_eq!(findings.tables[0].title(), "corridor: gap regret over K, 6 seeds");
    }

    #[test]
    fn other_sizes_grow_and_other_ranges_are_expected() {
        let findings = made(Grows::TStar, Some((f64::NEG_INFINITY, 0.25)), |_| {});
        assert!(findings.words[0].contains("in T*, at most 0.25: no"), "{:?}", findings.words);
        assert!(part(&findings, "table corridor").unwrap().contains("| T\\* = 2,000 |"));
        let findings = made(Grows::TStar, Some((0.1, f64::INFINITY)), |_| {});
        assert!(findings.words[0].contains("at least 0.1: yes"), "{:?}", findings.words);
        // all worlds have the same dimension: no line
        let findings = made(Grows::Dim, None, |_| {});
        assert!(findings.words.is_empty(), "{:?}", findings.words);
    }

    #[test]
    fn what_is_missing_or_cut_off_is_not_fitted() {
        let missing = made(Grows::Episodes, None, |results| drop(results.cells[2].runs.pop()));
        let family = &missing.data["growth"]["families"][0];
        assert!(family["exponents"][0]["gap_regret"][1].is_null());
        assert!(family["exponents"][0]["exponent"].is_null());
        assert!(!family["exponents"][1]["exponent"].is_null(), "random has all its runs");
        let cut = made(Grows::Episodes, None, |results| {
            results.cells[0].runs[0].row.outcome = "truncated".into();
        });
        assert!(cut.data["growth"]["families"][0]["exponents"][0]["exponent"].is_null());
        let none = made(Grows::TStar, None, |results| results.cells.iter_mut().for_each(|c| c.runs.clear()));
        assert!(none.words.is_empty());
        assert!(part(&none, "table corridor").unwrap().contains("| corridor@length=1 |"));
    }
}
