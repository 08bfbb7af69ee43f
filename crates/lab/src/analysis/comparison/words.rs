//! What a comparison says in words. Every sentence is made from what was measured.

use super::paired::{Difference, Verdict};
use super::{Compared, Side, Standing};
use crate::analysis::phrase::{self, counted, listed, range, short, times, verb};
use crate::analysis::view::View;
use crate::figure::number_label;
use crate::group::grouped;
use crate::study::{FigureKind, FigureSpec, MarkSpec};

/// Up to so many others each gets its own ratio; more are told as a range.
const FEW: usize = 6;
/// On more worlds than this a sentence for each would hide the rest.
const FEW_WORLDS: usize = 4;
/// From this exponent on regret grows as if nothing were learnt.
const LINEAR: f64 = 0.9;

pub(super) fn of(compared: &Compared) -> Vec<String> {
    let mut words: Vec<String> = compared.worlds.iter().filter_map(|side| best(compared, side)).collect();
    words.extend(verdict(compared));
    words.extend(twins(compared));
    words.extend(flawless(compared));
    words.extend(linear(compared));
    words.extend(unproved(compared));
    if compared.worlds.len() <= FEW_WORLDS {
        words.extend(compared.worlds.iter().filter_map(|side| promises(compared, side)));
    }
    words.extend(burn_in(compared));
    words.extend(compared.worlds.iter().flat_map(|side| published(compared, side)));
    words
}

impl Compared<'_> {
    /// ` on windy-grid and corridor`; nothing if there is only one world.
    fn places(&self, worlds: &[String]) -> String {
        match self.worlds.len() {
            0 | 1 => String::new(),
            all if worlds.len() == all => " on every world".into(),
            _ => format!(" on {}", listed(worlds)),
        }
    }

    /// `On windy-grid, `; nothing if there is only one world.
    fn place(&self, side: &Side) -> String {
        match self.several() {
            true => format!("On {}, ", phrase::place(&side.about.label)),
            false => String::new(),
        }
    }

    /// What is the same on several worlds is said once: every different text with its worlds, in
    /// the order in which they come up.
    fn gathered(&self, of: impl Fn(&Side) -> Vec<String>) -> Vec<(String, Vec<String>)> {
        let texts = |side| of(side).into_iter().map(move |text| (text, phrase::place(&side.about.label)));
        let groups = grouped(self.worlds.iter().flat_map(texts), |a, b| a.0 == b.0);
        let with_worlds = |group: Vec<(String, String)>| {
            let (texts, worlds): (Vec<String>, Vec<String>) = group.into_iter().unzip();
            (texts.into_iter().next().unwrap_or_default(), worlds)
        };
        groups.into_iter().map(with_worlds).collect()
    }
}

/// Who has the least gap regret, and how many times that the others pay.
fn best(compared: &Compared, side: &Side) -> Option<String> {
    let label = side.about.best.as_deref()?;
    let row = side.rows.iter().find(|row| row.label() == label)?;
    let mean = row.gap_regret?;
    let ran = side.rows.iter().filter(|row| row.runs > 0).count();
    if ran < 2 {
        return None;
    }
    let place = compared.place(side);
    let cut = if row.truncated > 0 { "at least " } else { "" };
    let first = format!("{place}{label} has the least gap regret, {cut}{mean}.");
    let ratio = |(row, view): (&Standing, &View)| {
        let rival = row.label() != label && !view.knows_the_truth();
        let ratio = row.gap_regret?.mean / mean.mean;
        (rival && mean.mean > 0.0 && ratio.is_finite())
            .then(|| (row.label().to_string(), ratio, row.truncated > 0))
    };
    let ratios: Vec<(String, f64, bool)> = side.rows.iter().zip(&side.views).filter_map(ratio).collect();
    // who was cut off would have paid more
    let or_more = if ratios.iter().any(|(_, _, cut)| *cut) { ", or more" } else { "" };
    let others = match &ratios[..] {
        [] => return Some(first),
        [(label, ratio, _)] => format!("{label} pays {} times as much", times(*ratio)),
        [(label, ratio, _), rest @ ..] if rest.len() < FEW && !compared.several() => {
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

/// How the reference stands to its rivals, and to those shown beside it.
fn verdict(compared: &Compared) -> Vec<String> {
    let Some(reference) = compared.ask.against.as_deref() else { return Vec::new() };
    let rivals = compared.rivals();
    let mut words = Vec::new();
    if !rivals.is_empty() {
        let count = |verdict| compared.verdicts(verdict);
        let what = match compared.several() {
            true => {
                counted(rivals.len(), "pair") + " of a world and a rival whose guarantee holds or is unknown"
            }
            false => counted(rivals.len(), "rival") + " whose guarantee holds or is unknown",
        };
        words.push(format!(
            "Of {what}, {reference} pays less in {}, more in {}, and cannot be told apart in {}, by \
             paired tests at 5 % with Holm's correction.",
            count(Verdict::Less),
            count(Verdict::More),
            count(Verdict::Open)
        ));
        let unknown = rivals.iter().filter(|(_, d)| d.verdict.is_none()).count();
        if unknown > 0 {
            words.push(format!(
                "{} could not be compared: fewer than two common seeds, or a truncated {reference}.",
                counted(unknown, "pair")
            ));
        }
    }
    let on = |world: &str| match compared.several() {
        true => format!(" on {}", phrase::place(world)),
        false => String::new(),
    };
    for (row, d) in rivals.iter().filter(|(_, d)| d.verdict == Some(Verdict::More)) {
        let by = opposite(d);
        words.push(format!("{reference} pays more than {}{}, by {by}.", row.label(), on(&row.world)));
    }
    let beside = compared.rows().filter(|row| compared.ask.beside.contains(&row.contender.label));
    for row in beside {
        let Some(d) = row.difference.as_ref().filter(|d| d.difference.is_some()) else { continue };
        let says = if d.verdict == Some(Verdict::Open) { ", which tells nothing" } else { "" };
        let (label, on) = (row.label(), on(&row.world));
        words.push(format!("Beside it, not judged: {label}{on} differs by {}{says}.", d.text()));
    }
    words
}

/// A difference without its sign, where the words tell the direction.
fn opposite(d: &Difference) -> String {
    d.difference.map_or("-".into(), |m| m.negated().to_string())
}

/// Who did exactly what somebody else did.
fn twins(compared: &Compared) -> Vec<String> {
    let groups = |side: &Side| {
        let ran = side.views.iter().filter(|view| !view.runs().is_empty());
        let groups = grouped(ran, |a, b| a.same_curves(b));
        let sentence = |group: Vec<&View>| {
            let labels: Vec<&str> = group.iter().map(|view| view.label()).collect();
            let tied = group.iter().any(|view| view.is_random());
            let learns = group.iter().any(|view| !view.is_baseline());
            let why = if tied && learns { ": all actions tie, and ties are broken at random" } else { "" };
            format!("{} have exactly the same curve with every seed{{}}{why}.", listed(&labels))
        };
        groups.into_iter().filter(|group| group.len() > 1).map(sentence).collect()
    };
    let place = |(text, worlds): (String, Vec<String>)| text.replace("{}", &compared.places(&worlds));
    compared.gathered(groups).into_iter().map(place).collect()
}

/// Who never chose a wrong action.
fn flawless(compared: &Compared) -> Vec<String> {
    let flawless = |side: &Side| {
        let clean =
            |view: &&View| !view.runs().is_empty() && view.runs().iter().all(|run| run.row.gap_regret == 0.0);
        let labels: Vec<&str> = side.views.iter().filter(clean).map(|view| view.label()).collect();
        if labels.is_empty() { Vec::new() } else { vec![listed(&labels)] }
    };
    let sentence = |(labels, worlds): (String, Vec<String>)| {
        let place = compared.places(&worlds);
        format!("The gap regret of {labels} is 0 in every run{place}: what regret there is, is luck.")
    };
    compared.gathered(flawless).into_iter().map(sentence).collect()
}

/// Who pays as much for the last episodes as for those before: some of them learn later.
fn linear(compared: &Compared) -> Vec<String> {
    let sentence = |side: &Side| {
        let rows = side.rows.iter().zip(&side.views);
        let linear: Vec<(&str, f64)> = rows
            .filter(|(_, view)| !view.is_baseline())
            .filter_map(|(row, _)| Some((row.label(), row.growth.filter(|e| *e >= LINEAR)?)))
            .collect();
        let labels: Vec<&str> = linear.iter().map(|(label, _)| *label).collect();
        let exponents = range(linear.iter().map(|(_, e)| *e), |e| format!("K^{e:.2}"))?;
        let (n, place) = (labels.len(), compared.place(side));
        Some(format!(
            "{place}{} {} not learnt by episode {}: over the last two doublings of K {} gap regret grows as \
             {exponents}.",
            listed(&labels),
            verb(n, "has", "have"),
            number_label(side.about.episodes as f64, 0),
            verb(n, "its", "their")
        ))
    };
    compared.worlds.iter().filter_map(sentence).collect()
}

/// Whose guarantee does not hold, and why not.
fn unproved(compared: &Compared) -> Vec<String> {
    let reasons = |side: &Side| {
        let without = side.rows.iter().filter(|row| row.guarantee.as_deref() == Some("no"));
        let why = |row: &Standing| match &row.why_not {
            Some(why) => reason(why, compared.several()),
            None => "a condition of the proof is not met".into(),
        };
        let sentence = |group: Vec<(&str, String)>| {
            let labels: Vec<&str> = group.iter().map(|(label, _)| *label).collect();
            let has = verb(labels.len(), "has", "have");
            format!("{} {has} no guarantee{{}}: {}.", listed(&labels), group[0].1)
        };
        let reasons = grouped(without.map(|row| (row.label(), why(row))), |a, b| a.1 == b.1);
        reasons.into_iter().map(sentence).collect()
    };
    let place = |(text, worlds): (String, Vec<String>)| text.replace("{}", &compared.places(&worlds));
    compared.gathered(reasons).into_iter().map(place).collect()
}

/// A guarantee's summary as the end of a sentence; over several worlds without the numbers, which
/// differ from one to the next.
fn reason(why: &str, several: bool) -> String {
    let Some(conditions) = why.strip_prefix("does not hold; not met: ") else { return why.into() };
    let plain = |condition: &str| match condition.rsplit_once(" (") {
        Some((name, rest)) if several && rest.ends_with(')') => name.to_string(),
        _ => condition.into(),
    };
    let conditions: Vec<String> = conditions.split("; ").map(plain).collect();
    format!("{} {} not met", listed(&conditions), verb(conditions.len(), "is", "are"))
}

/// What the last plans promised, beside what the best policy pays.
fn promises(compared: &Compared, side: &Side) -> Option<String> {
    let optimum = side.about.optimal_cost?;
    let promised: Vec<(&str, f64)> =
        side.rows.iter().filter_map(|row| Some((row.label(), row.promised?.mean))).collect();
    let number = short;
    let told = match &promised[..] {
        [] => return None,
        few if few.len() <= FEW => {
            let each = few.iter().map(|(label, value)| format!("{} ({label})", number(*value)));
            listed(&each.collect::<Vec<_>>())
        }
        many => range(many.iter().map(|(_, value)| *value), number)?,
    };
    let place = compared.place(side);
    let best = if place.is_empty() { "An" } else { "an" };
    Some(format!("{place}{best} episode costs {} at best. The last plans promised {told}.", number(optimum)))
}

/// When sets begin to say something.
fn burn_in(compared: &Compared) -> Vec<String> {
    let told = |side: &Side| -> Vec<String> {
        let known: Vec<(&str, crate::stats::BurnIn)> =
            side.rows.iter().filter_map(|row| Some((row.label(), row.burn_in?))).collect();
        let never: Vec<&str> = known.iter().filter(|(_, b)| b.left == 0).map(|(label, _)| *label).collect();
        let mut words = Vec::new();
        let left: Vec<String> = known
            .iter()
            .filter(|(_, b)| b.left > 0)
            .map(|(label, b)| match (b.median, b.never) {
                (Some(median), 0) => format!("{} ({label})", number_label(median, 0)),
                (Some(median), n) => {
                    format!("{} ({label}; never in {})", number_label(median, 0), counted(n, "run"))
                }
                (None, n) => format!("never in {} of {} runs ({label})", n, n + b.left),
            })
            .collect();
        if !left.is_empty() && left.len() <= FEW && compared.worlds.len() <= FEW_WORLDS {
            words.push(format!(
                "Sets rule something out{{}} from this episode on, by the median run: {}.",
                listed(&left)
            ));
        }
        if !never.is_empty() {
            let sets = verb(never.len(), "The set of", "The sets of");
            let rule = verb(never.len(), "rules", "rule");
            words.push(format!("{sets} {} {rule} nothing out to the end of any run{{}}.", listed(&never)));
        }
        words
    };
    let place = |(text, worlds): (String, Vec<String>)| text.replace("{}", &compared.places(&worlds));
    compared.gathered(told).into_iter().map(place).collect()
}

/// Curves of Regret/K beside what others published, at the last published point that was reached.
/// Marks in the colour of a learner's curve are taken for points of that learner, as a reader of
/// the figure takes them.
fn published(compared: &Compared, side: &Side) -> Vec<String> {
    let figures = compared.study.figures.iter().filter(|figure| figure.kind == FigureKind::PerRoot);
    let shown = |figure: &&FigureSpec| {
        let world = side.views.first().map(|view| view.world);
        figure.worlds.is_empty()
            || world.is_some_and(|w| figure.worlds.contains(&w.label) || figure.worlds.contains(&w.base))
    };
    let mut words: Vec<String> = Vec::new();
    for mark in figures.filter(shown).flat_map(|figure| &figure.marks) {
        let drawn = |view: &&View| view.learner.look.colour == Some(mark.colour);
        let mut drawn = side.views.iter().filter(drawn);
        if let (Some(view), None) = (drawn.next(), drawn.next()) {
            words.extend(beside_print(compared, side, view, mark).filter(|text| !words.contains(text)));
        }
    }
    words
}

fn beside_print(compared: &Compared, side: &Side, view: &View, mark: &MarkSpec) -> Option<String> {
    let reached = view.runs().iter().filter_map(|run| run.episodes.last()).map(|row| row.episode).min()?;
    let points = mark.points.iter().filter(|(root, _)| root * root <= reached as f64);
    let &(root, value) = points.max_by(|a, b| a.0.total_cmp(&b.0))?;
    let (k, ours) = view.ratio_near(root * root)?;
    let relation = match ours.covers(value) {
        Some(true) => "agrees with",
        _ if ours.mean > value => "lies above",
        _ => "lies below",
    };
    Some(format!(
        "{}{} has Regret/K = {ours} at √K = {}, which {relation} {value} at {root} ({}).",
        compared.place(side),
        view.label(),
        number_label((k as f64).sqrt(), 1),
        mark.label
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_read_well() {
        let why = "does not hold; not met: |phi_V| <= 1 for V in [0, 1] (2.3 and 1)";
        assert_eq!(reason(why, false), "|phi_V| <= 1 for V in [0, 1] (2.3 and 1) is not met");
        assert_eq!(reason(why, true), "|phi_V| <= 1 for V in [0, 1] is not met");
        let two = "does not hold; not met: B >= B* (1 and 2.5); the radius is proved";
        assert_eq!(reason(two, true), "B >= B* and the radius is proved are not met");
        assert_eq!(reason("vacuous: it may fail", true), "vacuous: it may fail");
    }
}
