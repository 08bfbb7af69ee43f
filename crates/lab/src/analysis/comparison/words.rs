//! A comparison in sentences. Every sentence is made from measurements.

use super::paired::Verdict;
use super::{Comparison, ContenderRow, WorldRows};
use crate::analysis::phrase::{self, counted, listed, range, short, times, verb};
use crate::analysis::view::View;
use crate::figure::{Marks, number_label};
use crate::group::grouped;
use crate::stats::BurnIn;
use crate::study::{FigureKind, FigureSpec};

/// Up to this many contenders are named with their numbers; more are summed up as a range.
const FEW: usize = 6;
/// On more worlds than this a sentence for each would hide the rest.
const FEW_WORLDS: usize = 4;
/// From this exponent on regret grows as without learning.
const LINEAR: f64 = 0.9;

pub(super) fn of(comparison: &Comparison) -> Vec<String> {
    let worlds = || comparison.worlds.iter();
    let few = worlds().filter(|_| comparison.worlds.len() <= FEW_WORLDS);
    let mut words: Vec<String> = worlds().filter_map(|world| best(comparison, world)).collect();
    words.extend(verdict(comparison));
    words.extend(comparison.gathered(twins));
    words.extend(comparison.gathered(flawless));
    words.extend(worlds().filter_map(|world| linear(comparison, world)));
    words.extend(comparison.gathered(|world| unproved(comparison, world)));
    words.extend(few.filter_map(|world| promises(comparison, world)));
    words.extend(comparison.gathered(|world| burn_in(comparison, world)));
    words.extend(worlds().flat_map(|world| published(comparison, world)));
    words
}

impl Comparison<'_> {
    /// `On windy-grid, `; empty with a single world.
    fn place(&self, world: &WorldRows) -> String {
        match self.several() {
            true => format!("On {}, ", phrase::place(&world.point.label)),
            false => String::new(),
        }
    }

    /// ` on windy-grid`; empty with a single world.
    fn on(&self, world: &str) -> String {
        if self.several() { format!(" on {}", phrase::place(world)) } else { String::new() }
    }

    /// Sentences about the worlds, equal ones once: `{}` in them becomes the worlds that they hold for,
    /// as ` on windy-grid and corridor`.
    fn gathered(&self, of: impl Fn(&WorldRows) -> Vec<String>) -> Vec<String> {
        let all = self.worlds.iter();
        let texts = |world: &WorldRows| {
            let place = phrase::place(&world.point.label);
            of(world).into_iter().map(move |text| (text, place.clone()))
        };
        let sentence = |group: Vec<(String, String)>| {
            let (texts, worlds): (Vec<String>, Vec<String>) = group.into_iter().unzip();
            let on = match self.worlds.len() {
                0 | 1 => String::new(),
                all if worlds.len() == all => " on every world".into(),
                _ => format!(" on {}", listed(&worlds)),
            };
            texts[0].replace("{}", &on)
        };
        grouped(all.flat_map(texts), |a, b| a.0 == b.0).into_iter().map(sentence).collect()
    }
}

/// The contender with the least gap regret, and the multiples that the others pay.
fn best(comparison: &Comparison, world: &WorldRows) -> Option<String> {
    let label = world.best?;
    let row = world.rows.iter().find(|row| row.label() == label)?;
    let mean = row.gap_regret?;
    if world.rows.iter().filter(|row| row.runs > 0).count() < 2 {
        return None;
    }
    let cut = if row.truncated > 0 { "at least " } else { "" };
    let first = format!("{}{label} has the least gap regret, {cut}{mean}.", comparison.place(world));
    let ratio = |row: &ContenderRow| {
        let rival = row.label() != label && !row.view.knows_the_truth();
        let ratio = row.gap_regret?.mean / mean.mean;
        (rival && mean.mean > 0.0 && ratio.is_finite())
            .then(|| (row.label().to_string(), ratio, row.truncated > 0))
    };
    let ratios: Vec<(String, f64, bool)> = world.rows.iter().filter_map(ratio).collect();
    // truncated runs would have paid more
    let or_more = if ratios.iter().any(|(_, _, cut)| *cut) { ", or more" } else { "" };
    let others = match &ratios[..] {
        [] => return Some(first),
        [(label, ratio, _)] => format!("{label} pays {} times as much", times(*ratio)),
        [(label, ratio, _), rest @ ..] if rest.len() < FEW && !comparison.several() => {
            let rest = rest.iter().map(|(label, ratio, _)| format!("{label} {} times", times(*ratio)));
            let rest: Vec<String> = rest.collect();
            format!("{label} pays {} times as much, {}", times(*ratio), listed(&rest))
        }
        many => {
            let range = range(many.iter().map(|(_, ratio, _)| *ratio), times).unwrap_or_default();
            format!("The others pay {range} times as much")
        }
    };
    Some(format!("{first} {others}{or_more}."))
}

/// The reference against its rivals, and against those shown beside it.
fn verdict(comparison: &Comparison) -> Vec<String> {
    let Some(reference) = comparison.ask.against.as_deref() else { return Vec::new() };
    let rivals = comparison.rivals();
    let mut words = Vec::new();
    if !rivals.is_empty() {
        let count = |verdict| comparison.verdicts(Some(verdict));
        let (less, more, open) = (count(Verdict::Less), count(Verdict::More), count(Verdict::Open));
        let pairs = match comparison.several() {
            true => counted(rivals.len(), "pair") + " of a world and a rival",
            false => counted(rivals.len(), "rival"),
        };
        words.push(format!(
            "Of {pairs} whose guarantee holds or is unknown, {reference} pays less in {less}, more in {more}, \
             and cannot be told apart in {open}, by paired tests at 5 % with Holm's correction."
        ));
        let unknown = comparison.verdicts(None);
        if unknown > 0 {
            words.push(format!(
                "{} could not be compared: fewer than two common seeds, or a truncated {reference}.",
                counted(unknown, "pair")
            ));
        }
    }
    for (row, d) in rivals.iter().filter(|(_, d)| d.verdict == Some(Verdict::More)) {
        // without its sign: the words give the direction
        let by = d.difference.map_or("-".into(), |m| m.negated().to_string());
        let (label, on) = (row.label(), comparison.on(row.world));
        words.push(format!("{reference} pays more than {label}{on}, by {by}."));
    }
    for row in comparison.rows().filter(|row| comparison.ask.beside.contains(&row.contender.label)) {
        let Some(d) = row.difference.as_ref().filter(|d| d.difference.is_some()) else { continue };
        let says = if d.verdict == Some(Verdict::Open) { ", which tells nothing" } else { "" };
        let (label, on) = (row.label(), comparison.on(row.world));
        words.push(format!("Beside it, not judged: {label}{on} differs by {}{says}.", d.text()));
    }
    words
}

/// Contenders with identical runs.
fn twins(world: &WorldRows) -> Vec<String> {
    let ran = world.rows.iter().map(|row| row.view).filter(|view| !view.runs().is_empty());
    let groups = grouped(ran, |a, b| a.same_curves(b)).into_iter().filter(|group| group.len() > 1);
    let sentence = |group: Vec<View>| {
        let labels: Vec<&str> = group.iter().map(View::label).collect();
        let tied = group.iter().any(View::is_random);
        let learns = group.iter().any(|view| !view.is_baseline());
        let why = if tied && learns { ": all actions tie, and ties are broken at random" } else { "" };
        format!("{} have exactly the same curve with every seed{{}}{why}.", listed(&labels))
    };
    groups.map(sentence).collect()
}

/// Contenders that never chose a wrong action.
fn flawless(world: &WorldRows) -> Vec<String> {
    let clean = |row: &&ContenderRow| row.view.runs().iter().all(|run| run.row.gap_regret == 0.0);
    let clean = world.rows.iter().filter(|row| row.runs > 0).filter(clean);
    let labels: Vec<&str> = clean.map(ContenderRow::label).collect();
    let sentence = || {
        let labels = listed(&labels);
        format!("The gap regret of {labels} is 0 in every run{{}}: what regret there is, is luck.")
    };
    (!labels.is_empty()).then(sentence).into_iter().collect()
}

/// Learners that pay as much for the last episodes as for those before; some of them learn later.
fn linear(comparison: &Comparison, world: &WorldRows) -> Option<String> {
    let learners = world.rows.iter().filter(|row| !row.view.is_baseline());
    let linear = learners.filter_map(|row| Some((row.label(), row.growth.filter(|e| *e >= LINEAR)?)));
    let (labels, exponents): (Vec<&str>, Vec<f64>) = linear.unzip();
    let n = labels.len();
    let exponents = range(exponents, |e| format!("K^{e:.2}"))?;
    let (place, labels, has) = (comparison.place(world), listed(&labels), verb(n, "has", "have"));
    let (last, its) = (number_label(world.point.length.episodes as f64, 0), verb(n, "its", "their"));
    Some(format!(
        "{place}{labels} {has} not learnt by episode {last}: over the last two doublings of K {its} gap \
         regret grows as {exponents}."
    ))
}

/// Contenders whose guarantee does not hold, by the reason.
fn unproved(comparison: &Comparison, world: &WorldRows) -> Vec<String> {
    let without = world.rows.iter().filter(|row| row.guarantee == Some("no"));
    let why = |row: &ContenderRow| match row.why_not {
        Some(why) => reason(why, comparison.several()),
        None => "A condition of the proof is not met".into(),
    };
    let sentence = |group: Vec<(&str, String)>| {
        let labels: Vec<&str> = group.iter().map(|(label, _)| *label).collect();
        let (of, fail) = match labels.len() {
            1 => ("The guarantee of", "fails"),
            _ => ("The guarantees of", "fail"),
        };
        format!("{of} {} {fail}{{}}. {}.", listed(&labels), group[0].1)
    };
    let reasons = grouped(without.map(|row| (row.label(), why(row))), |a, b| a.1 == b.1);
    reasons.into_iter().map(sentence).collect()
}

/// A guarantee's summary as a sentence; over several worlds without the numbers, which differ from one
/// to the next.
fn reason(why: &str, several: bool) -> String {
    let Some(conditions) = why.strip_prefix("does not hold; not met: ") else {
        return format!("It is {why}");
    };
    let plain = |condition: &str| match condition.rsplit_once(" (") {
        Some((name, rest)) if several && rest.ends_with(')') => name.to_string(),
        _ => condition.into(),
    };
    let conditions: Vec<String> = conditions.split("; ").map(plain).collect();
    format!("Not met: {}", conditions.join("; "))
}

/// The values of the last plans, and the true optimum.
fn promises(comparison: &Comparison, world: &WorldRows) -> Option<String> {
    let optimum = short(world.optimal_cost?);
    let rows = world.rows.iter();
    let promised: Vec<(&str, f64)> = rows.filter_map(|row| Some((row.label(), row.promised?.mean))).collect();
    let told = match &promised[..] {
        [] => return None,
        few if few.len() <= FEW => {
            let each = few.iter().map(|(label, value)| format!("{} ({label})", short(*value)));
            listed(&each.collect::<Vec<_>>())
        }
        many => range(many.iter().map(|(_, value)| *value), short)?,
    };
    let place = comparison.place(world);
    let an = if place.is_empty() { "An" } else { "an" };
    Some(format!("{place}{an} episode costs {optimum} at best. The last plans promised {told}."))
}

/// The ends of the burn-ins.
fn burn_in(comparison: &Comparison, world: &WorldRows) -> Vec<String> {
    let known = world.rows.iter().filter_map(|row| Some((row.label(), row.burn_in?)));
    let (never, left): (Vec<_>, Vec<_>) = known.partition(|(_, burn_in)| burn_in.left == 0);
    let never: Vec<&str> = never.into_iter().map(|(label, _)| label).collect();
    let end = |(label, burn_in): (&str, BurnIn)| match (burn_in.median, burn_in.never) {
        (Some(median), 0) => format!("{} ({label})", number_label(median, 0)),
        (Some(median), n) => format!("{} ({label}; never in {})", number_label(median, 0), counted(n, "run")),
        (None, n) => format!("never in {n} of {} runs ({label})", n + burn_in.left),
    };
    let left: Vec<String> = left.into_iter().map(end).collect();
    let mut words = Vec::new();
    if !left.is_empty() && left.len() <= FEW && comparison.worlds.len() <= FEW_WORLDS {
        let left = listed(&left);
        words.push(format!("In the median run, sets begin to rule something out{{}} in episode {left}."));
    }
    if !never.is_empty() {
        let sets = verb(never.len(), "The set of", "The sets of");
        let rule = verb(never.len(), "rules", "rule");
        words.push(format!("{sets} {} {rule} nothing out{{}} in any run.", listed(&never)));
    }
    words
}

/// Curves of Regret/K beside published points, at the last of them that was reached. As in the figure,
/// marks in the colour of a learner's curve belong to that learner.
fn published(comparison: &Comparison, world: &WorldRows) -> Vec<String> {
    let point = world.point;
    let figures = comparison.study.figures.iter().filter(|figure| figure.kind == FigureKind::PerRoot);
    let shown = |figure: &&FigureSpec| {
        let names = &figure.worlds;
        names.is_empty() || names.contains(&point.label) || names.contains(&point.base)
    };
    let mut words: Vec<String> = Vec::new();
    for mark in figures.filter(shown).flat_map(|figure| &figure.marks) {
        let drawn = |row: &&ContenderRow| row.view.learner.look.colour == Some(mark.colour);
        let mut drawn = world.rows.iter().filter(drawn);
        if let (Some(row), None) = (drawn.next(), drawn.next()) {
            let text = beside_print(comparison, world, row.view, mark);
            words.extend(text.filter(|text| !words.contains(text)));
        }
    }
    words
}

fn beside_print(comparison: &Comparison, world: &WorldRows, view: View, mark: &Marks) -> Option<String> {
    let reached = view.runs().iter().filter_map(|run| run.episodes.last()).map(|row| row.episode).min()?;
    let points = mark.points.iter().filter(|(root, _)| root * root <= reached as f64);
    let &(root, value) = points.max_by(|a, b| a.0.total_cmp(&b.0))?;
    let (k, ours) = view.ratio_near(root * root)?;
    let relation = match ours.covers(value) {
        Some(true) => "agrees with",
        _ if ours.mean > value => "lies above",
        _ => "lies below",
    };
    let (place, label, at) = (comparison.place(world), view.label(), number_label((k as f64).sqrt(), 1));
    let published = format!("{value} at {root} ({})", mark.label);
    Some(format!("{place}{label} has Regret/K = {ours} at √K = {at}, which {relation} {published}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_read_well() {
        let why = "does not hold; not met: |phi_V| <= 1 for V in [0, 1] (2.3 and 1)";
        assert_eq!(reason(why, false), "Not met: |phi_V| <= 1 for V in [0, 1] (2.3 and 1)");
        assert_eq!(reason(why, true), "Not met: |phi_V| <= 1 for V in [0, 1]");
        let two = "does not hold; not met: B >= B* (1 and 2.5); the radius is proved";
        assert_eq!(reason(two, true), "Not met: B >= B*; the radius is proved");
        assert_eq!(reason("vacuous: it may fail", true), "It is vacuous: it may fail");
    }
}
