//! The tables, figures and words of the growth study.

use super::{Family, FamilyGrowth, Growth, GrowthRow};
use crate::figure::{Axis, BandPoint, Colour, CurveFigure, Dash, Marker, Marks, Panel, Series, Stroke};
use crate::table::Table;

pub(super) fn tables(growth: &Growth) -> Vec<(String, Table)> {
    growth.families.iter().map(|family| (headline(growth, family.family), cells(family))).collect()
}

fn headline(growth: &Growth, family: Family) -> String {
    let o = &growth.options;
    let seeds = o.seeds.end - o.seeds.start;
    match family {
        Family::Tuned => format!(
            "Gap of the lower bound, Δ = {}(d−1)√(δ/(K B*)): hard-instance, d = {}, B* = {}, {seeds} seeds",
            if o.gap_factor == 1.0 { String::new() } else { format!("{} ", o.gap_factor) },
            o.dim,
            o.b_star
        ),
        Family::Fixed => {
            format!("Fixed gap, Δ = 0.8 δ: hard-instance, d = {}, B* = {}, {seeds} seeds", o.dim, o.b_star)
        }
        Family::Horizon => format!(
            "Growing horizon, B* = {} fixed: corridor, d = {}, {} episodes, {seeds} seeds",
            o.b_star, o.dim, o.horizon_episodes
        ),
    }
}

fn x_name(family: Family) -> &'static str {
    if family == Family::Horizon { "T*" } else { "K" }
}

fn cells(family: &FamilyGrowth) -> Table {
    let number = |x: f64| crate::figure::number_label(x, 0);
    let headings = family.points.iter().map(|p| format!("{} = {}", x_name(family.family), number(p.x)));
    let mut table = Table::new(
        std::iter::once("learner".to_string())
            .chain(headings)
            .chain(["exponent [95 %]", "± line", "share of random's"].map(String::from)),
    );
    for row in &family.exponents {
        let means = row.gap_regret.iter().map(|m| m.map_or("-".into(), |m| m.to_string()));
        let share = match row.contender.learner.as_str() {
            "random" => "-".into(),
            _ => range(&row.share_of_random).unwrap_or("-".into()),
        };
        let error = row.exponent.and_then(|e| e.error).map_or("-".into(), |e| format!("{e:.2}"));
        table.row(
            std::iter::once(row.contender.label.clone())
                .chain(means)
                .chain([row.exponent.map_or("-".into(), |e| e.to_string()), error, share])
                .collect(),
        );
    }
    table
}

fn range(shares: &[Option<f64>]) -> Option<String> {
    let known: Vec<f64> = shares.iter().copied().collect::<Option<_>>()?;
    let (low, high) =
        known.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &x| (l.min(x), h.max(x)));
    let digits = if high < 0.01 { 4 } else { 2 };
    Some(format!("{low:.digits$} to {high:.digits$}"))
}

/// Every sentence is made from what was measured.
pub(super) fn words(growth: &Growth) -> Vec<String> {
    let mut words = Vec::new();
    if growth.interrupted {
        words.push("Interrupted: only what has all its runs is fitted.".into());
    }
    for family in &growth.families {
        let learners = family.exponents.iter().filter(|r| r.contender.learner != "random");
        words.extend(learners.filter_map(|row| sentence(family.family, row)));
    }
    words
}

fn sentence(family: Family, row: &GrowthRow) -> Option<String> {
    let exponent = row.exponent?;
    let (label, e) = (&row.contender.label, exponent.exponent);
    let yes = |holds: bool| if holds { "yes" } else { "no" };
    let shares: Option<Vec<f64>> = row.share_of_random.iter().copied().collect();
    Some(match family {
        Family::Tuned => {
            let most = shares.map(|s| s.into_iter().fold(0.0, f64::max));
            let share = most.map_or(String::new(), |most| {
                format!("; at most half of what random pays: {} (at most {most:.2})", yes(most <= 0.5))
            });
            format!(
                "{label}, tuned gap: exponent {exponent}, within 0.5 ± 0.1: {}{share}.",
                yes((e - 0.5).abs() <= 0.1)
            )
        }
        Family::Fixed => {
            format!("{label}, fixed gap: exponent {exponent}, at most 0.25: {}.", yes(e <= 0.25))
        }
        Family::Horizon => {
            format!("{label}, growing horizon: exponent {exponent} in T*, at most 0.15: {}.", yes(e <= 0.15))
        }
    })
}

pub(super) fn figure(growth: &Growth, family: &FamilyGrowth) -> CurveFigure {
    let x_title = match family.family {
        Family::Horizon => "T*, the expected steps of the best policy",
        _ => "Episodes K",
    };
    let curve = |(n, row): (usize, &GrowthRow)| {
        let points = family.points.iter().zip(&row.gap_regret).filter_map(|(p, mean)| {
            let mean = (*mean)?;
            Some(BandPoint { x: p.x, mean: mean.mean, band: mean.low.zip(mean.high) })
        });
        let exponent = row.exponent.map_or(String::new(), |e| format!(": exponent {e}"));
        Series {
            label: format!("{}{exponent}", row.contender.label),
            stroke: stroke(&row.contender.learner, n),
            points: points.collect(),
        }
    };
    let mut series: Vec<Series> = family.exponents.iter().enumerate().map(curve).collect();
    let dots = series.iter().map(|s| Marks {
        label: s.label.clone(),
        colour: s.stroke.colour,
        marker: Marker::Circle,
        points: s.points.iter().map(|p| (p.x, p.mean)).collect(),
    });
    let marks = dots.collect();
    series.extend(guide(family, &series));
    let means = || series.iter().flat_map(|s| s.points.iter().map(|p| p.mean)).filter(|y| *y > 0.0);
    let (low, high) = (means().fold(f64::INFINITY, f64::min), means().fold(0.0, f64::max));
    let range = (low <= high).then_some((low / 1.25, high * 1.25));
    let xs = || family.points.iter().map(|p| p.x);
    let (first, last) = (xs().fold(f64::INFINITY, f64::min), xs().fold(0.0, f64::max));
    let title = match family.family {
        Family::Tuned => "Regret over K on the instances of the lower bound",
        Family::Fixed => "Regret over K at a fixed gap",
        Family::Horizon => "Regret over the horizon T* at a fixed B*",
    };
    CurveFigure {
        title: title.into(),
        note: format!("{} · mean, band: 95 % interval", headline(growth, family.family)),
        size: (1600, 1000),
        panels: vec![Panel {
            title: String::new(),
            x: Axis { title: x_title.into(), range: Some((first * 0.9, last * 1.1)), log: true },
            y: Axis { title: "Cumulative gap regret".into(), range, log: true },
            series,
            marks,
        }],
    }
}

/// Later ones lie upon earlier ones and are narrower or broken.
fn stroke(learner: &str, n: usize) -> Stroke {
    match learner {
        "random" => Stroke::new(Colour::GREY, 7.0, Dash::Solid),
        "levis++lr" => Stroke::new(Colour::PURPLE, 5.5, Dash::Solid),
        "lr" => Stroke::new(Colour::ORANGE, 3.5, Dash::Dashed),
        _ => Stroke::nth(n),
    }
}

/// A line of slope 1/2 through the first curve's first point, where that is what the theory says.
fn guide(family: &FamilyGrowth, series: &[Series]) -> Option<Series> {
    let from = series.first()?.points.first().copied()?;
    let to = series.first()?.points.last().copied()?;
    (family.family == Family::Tuned).then(|| Series {
        label: "slope 1/2".into(),
        stroke: Stroke::new(Colour::INK, 2.4, Dash::Dotted),
        points: [from.x, to.x]
            .map(|x| BandPoint { x, mean: from.mean * 0.7 * (x / from.x).sqrt(), band: None })
            .to_vec(),
    })
}

/// The result as Markdown.
pub(super) fn summary(growth: &Growth) -> String {
    let tables: String = tables(growth)
        .iter()
        .map(|(title, table)| format!("## {}\n\n{}\n", title.replace('*', "\\*"), table.markdown()))
        .collect();
    let words: String = growth.words.iter().map(|w| format!("* {}\n", w.replace('*', "\\*"))).collect();
    format!(
        "# Growth\n\ngoalward {}. Gap regret: means with 95 % Student-t intervals.\n\n{words}\n{tables}\
         *Exponent*: the least-squares slope of log mean gap regret over log x. Its interval is a \
         bootstrap's, \
         bias-corrected and accelerated: seeds are drawn anew, for all x at once, and the slope \
         is fitted again. *± line*: the standard error from the residuals of the \
         straight line. *Share of random's*: the mean as a share of the random policy's, the \
         least and the most over x.\n",
        growth.version,
    )
}
