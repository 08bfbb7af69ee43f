//! Pieces of a comparison that documents quote.

use super::paired::Verdict;
use super::tables::{cells, matrix, per_episode};
use super::{Comparison, WorldRows};
use crate::analysis::phrase::listed;
use crate::figure::number_label;
use crate::table::fixed;

/// Tables, sentences and numbers; with several worlds, the name of a number ends with the world.
pub(super) fn of(comparison: &Comparison) -> Vec<(String, String)> {
    let (several, ratio) = (comparison.several(), comparison.is_about_the_ratio());
    let mut parts = Vec::new();
    let table = match &comparison.worlds[..] {
        [] => return parts,
        _ if ratio => per_episode(comparison, "–"),
        [only] => cells(comparison, only),
        _ => matrix(comparison, true),
    };
    parts.push(("table".to_string(), table.markdown()));
    if several {
        parts.push(("worlds".into(), matrix(comparison, true).transposed("world").markdown()));
    }
    for world in &comparison.worlds {
        let suffix = if several { format!(" @ {}", world.point.label) } else { String::new() };
        if several || ratio {
            parts.push((format!("cells{suffix}"), cells(comparison, world).markdown()));
        }
        parts.extend(numbers(world).into_iter().map(|(name, text)| (name + &suffix, text)));
    }
    if several && ratio {
        parts.push(("matrix".into(), matrix(comparison, true).markdown()));
    }
    parts.extend(verdict(comparison).map(|text| ("verdict".into(), text)));
    if let Some(reference) = comparison.ask.against.as_deref() {
        let labels = comparison.study.learners.iter().map(|learner| &learner.contender.label);
        let others = labels.filter(|label| *label != reference);
        parts
            .extend(others.filter_map(|label| Some((format!("beside {label}"), beside(comparison, label)?))));
    }
    parts
}

/// The numbers of one world.
fn numbers(world: &WorldRows) -> Vec<(String, String)> {
    let mut parts = Vec::new();
    if let Some(optimum) = world.optimal_cost {
        let episodes = world.point.length.episodes as f64;
        parts.push(("optimum".into(), number_label(optimum * episodes, 0)));
    }
    let most = world.rows.iter().filter_map(|row| Some(row.regret?.mean)).fold(0.0, f64::max);
    for row in &world.rows {
        let mut put = |name: &str, text: Option<String>| {
            parts.extend(text.map(|text| (format!("{name} {}", row.label()), text)));
        };
        let plain = |mean: f64| number_label(mean, if mean.abs() < 100.0 { 1 } else { 0 });
        put("regret", row.regret.map(|m| m.to_string()));
        put("mean regret", row.regret.map(|m| plain(m.mean)));
        put("regret/K", row.regret_per_episode.map(|m| m.to_string()));
        put("gap regret", row.gap_regret.map(|m| m.to_string()));
        put("share", row.regret.filter(|_| most > 0.0).map(|m| fixed(m.mean / most, 4)));
        put("growth", row.growth.map(|e| fixed(e, 2)));
        put("burn-in", row.burn_in.map(|b| b.to_string()));
    }
    parts
}

/// The reference against its rivals, in a sentence.
fn verdict(comparison: &Comparison) -> Option<String> {
    let reference = comparison.ask.against.as_deref()?;
    let rivals = comparison.rivals().len();
    let count = |verdict| comparison.verdicts(Some(verdict));
    let (less, more, open) = (count(Verdict::Less), count(Verdict::More), count(Verdict::Open));
    let holds = "whose guarantee holds or is unknown";
    let says = match (less == rivals, comparison.several()) {
        (true, true) => format!("less than every rival {holds} on every world."),
        (true, false) => format!("less than every rival {holds}."),
        (false, true) => format!(
            "less in {less} of {rivals} pairs of a world and a rival {holds}, more in {more}, and cannot \
             be told apart in {open}."
        ),
        (false, false) => format!(
            "less than {less} of {rivals} rivals {holds}, more than {more}, and cannot be told apart from \
             {open}."
        ),
    };
    (rivals > 0).then(|| format!("By paired tests at 5 % with Holm's correction `{reference}` pays {says}"))
}

/// A learner against the reference, world by world.
fn beside(comparison: &Comparison, label: &str) -> Option<String> {
    let several = comparison.several();
    let differences: Vec<_> = comparison.differences.iter().filter(|d| d.label == label).collect();
    let said = |verdict: Verdict| {
        let places = differences.iter().filter(|d| d.verdict == Some(verdict)).map(|d| {
            // without a sign: the words give the direction
            let by = d.difference.map(|m| if verdict == Verdict::More { m.negated() } else { m });
            let by = by.map_or(String::new(), |m| format!("by {m}"));
            if several { format!("`{}` ({by})", d.world) } else { by }
        });
        let places: Vec<String> = places.collect();
        let on = if several { "on " } else { "" };
        (!places.is_empty()).then(|| format!("{on}{}", listed(&places)))
    };
    let more = said(Verdict::Less).map(|places| format!("pays more {places}"));
    let less = said(Verdict::More).map(|places| format!("pays less {places}"));
    let mut all: Vec<String> = more.into_iter().chain(less).collect();
    if differences.iter().any(|d| d.verdict == Some(Verdict::Open)) {
        let rest = match (all.is_empty(), several) {
            (true, true) => " on any world",
            (false, true) => " elsewhere",
            (_, false) => "",
        };
        all.push(format!("is not told apart{rest}"));
    }
    (!all.is_empty()).then(|| format!("`{label}` {}.", listed(&all)))
}
