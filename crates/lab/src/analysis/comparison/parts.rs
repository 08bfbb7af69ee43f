//! Pieces of a comparison that documents quote.

use super::paired::Verdict;
use super::tables::{cells, matrix, per_episode};
use super::{Compared, Side, Standing};
use crate::analysis::phrase::listed;
use crate::figure::number_label;
use crate::table::fixed;

/// The table, what the best policy pays, and numbers of every learner; in several worlds each with
/// its world behind it.
pub(super) fn of(compared: &Compared) -> Vec<(String, String)> {
    let mut parts = Vec::new();
    let table = match (&compared.worlds[..], compared.is_about_the_ratio()) {
        ([], _) => return parts,
        (_, true) => per_episode(compared, "–"),
        ([only], false) => cells(compared, only),
        (_, false) => matrix(compared, true),
    };
    parts.push(("table".to_string(), table.markdown()));
    if compared.several() {
        parts.push(("worlds".into(), matrix(compared, true).transposed("world").markdown()));
    }
    for side in &compared.worlds {
        let behind = match compared.several() {
            true => format!(" @ {}", side.about.label),
            false => String::new(),
        };
        if compared.several() || compared.is_about_the_ratio() {
            parts.push((format!("cells{behind}"), cells(compared, side).markdown()));
        }
        parts.extend(numbers(side).into_iter().map(|(name, text)| (name + &behind, text)));
    }
    if compared.several() && compared.is_about_the_ratio() {
        parts.push(("matrix".into(), matrix(compared, true).markdown()));
    }
    parts.extend(verdict(compared).map(|text| ("verdict".into(), text)));
    if let Some(reference) = compared.ask.against.as_deref() {
        let labels = compared.study.learners.iter().map(|learner| &learner.contender.label);
        let others = labels.filter(|label| *label != reference);
        parts.extend(others.filter_map(|label| Some((format!("beside {label}"), beside(compared, label)?))));
    }
    parts
}

/// The numbers of one world.
fn numbers(side: &Side) -> Vec<(String, String)> {
    let mut parts = Vec::new();
    let episodes = side.about.episodes as f64;
    if let Some(optimum) = side.about.optimal_cost {
        parts.push(("optimum".into(), number_label(optimum * episodes, 0)));
    }
    let most = side.rows.iter().filter_map(|row| Some(row.regret?.mean)).fold(0.0, f64::max);
    for row in &side.rows {
        let label = row.label();
        let mut put = |name: &str, text: Option<String>| {
            parts.extend(text.map(|text| (format!("{name} {label}"), text)));
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

/// How the reference stands to its rivals, in a sentence.
fn verdict(compared: &Compared) -> Option<String> {
    let reference = compared.ask.against.as_deref()?;
    let rivals = compared.rivals().len();
    let count = |verdict| compared.verdicts(verdict);
    let (less, more, open) = (count(Verdict::Less), count(Verdict::More), count(Verdict::Open));
    let by = "By paired tests at 5 % with Holm's correction";
    (rivals > 0).then(|| match (less == rivals, compared.several()) {
        (true, true) => {
            format!("{by} `{reference}` pays less than every rival whose guarantee holds or is unknown on every world.")
        }
        (true, false) => format!("{by} `{reference}` pays less than every rival whose guarantee holds or is unknown."),
        (false, true) => format!(
            "{by} `{reference}` pays less in {less} of {rivals} pairs of a world and a rival whose \
             guarantee holds or is unknown, more in {more}, and cannot be told apart in {open}."
        ),
        (false, false) => format!(
            "{by} `{reference}` pays less than {less} of {rivals} rivals whose guarantee holds or is \
             unknown, more than {more}, and cannot be told apart from {open}."
        ),
    })
}

/// How a learner stands to the reference, world by world.
fn beside(compared: &Compared, label: &str) -> Option<String> {
    let rows: Vec<&Standing> = compared.rows().filter(|row| row.label() == label).collect();
    let said = |verdict: Verdict| {
        let difference =
            |row: &&&Standing| row.difference.as_ref().is_some_and(|d| d.verdict == Some(verdict));
        let told: Vec<&&Standing> = rows.iter().filter(difference).collect();
        let place = |row: &&&Standing| {
            let by = row.difference.as_ref().and_then(|d| d.difference);
            // said without a sign: the words tell the direction
            let by = by.map(|m| if verdict == Verdict::More { m.negated() } else { m });
            let by = by.map_or(String::new(), |m| format!("by {m}"));
            if compared.several() { format!("`{}` ({by})", row.world) } else { by }
        };
        let places: Vec<String> = told.iter().map(place).collect();
        (!places.is_empty()).then(|| {
            let on = if compared.several() { "on " } else { "" };
            format!("{on}{}", listed(&places))
        })
    };
    let more = said(Verdict::Less).map(|places| format!("pays more {places}"));
    let less = said(Verdict::More).map(|places| format!("pays less {places}"));
    let mut all: Vec<String> = more.into_iter().chain(less).collect();
    let open =
        rows.iter().any(|row| row.difference.as_ref().is_some_and(|d| d.verdict == Some(Verdict::Open)));
    if open {
        let rest = match (all.is_empty(), compared.several()) {
            (true, true) => " on any world",
            (false, true) => " elsewhere",
            (_, false) => "",
        };
        all.push(format!("is not told apart{rest}"));
    }
    (!all.is_empty()).then(|| format!("`{label}` {}.", listed(&all)))
}
