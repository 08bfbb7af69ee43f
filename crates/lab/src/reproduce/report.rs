//! The tables and the words of the reproduction. Every sentence about a result is chosen by what
//! was measured.

use super::{
    B_STAR, DELTA, LEVIS, LEVIS_PLUS_PLUS, OPTIMAL, RANDOM, ReproduceRow, Reproduction, WORLD, published,
};
use crate::compare::guarantee_word;
use crate::curves::Curves;
use crate::stats::Mean;
use crate::table::Table;

pub(super) fn cells(reproduction: &Reproduction) -> Table {
    let mut table = Table::new([
        "d",
        "learner",
        "radius",
        "guarantee",
        "Regret/K",
        "gap regret/K",
        "plans",
        "steps",
        "runs",
        "truncated",
    ]);
    let shown = |mean: &Option<Mean>| mean.map_or("-".into(), |m| m.to_string());
    for row in &reproduction.rows {
        table.row(vec![
            row.dim.to_string(),
            row.contender.label.clone() + if row.unfinished { " (unfinished)" } else { "" },
            row.radius.clone().unwrap_or("-".into()),
            guarantee_word(row.guarantee).into(),
            shown(&row.regret_per_episode),
            shown(&row.gap_regret_per_episode),
            row.planner_calls.map_or("-".into(), |m| format!("{:.0}", m.mean)),
            row.steps.map_or("-".into(), |m| format!("{:.0}", m.mean)),
            if row.unfinished { format!("0 of {}", row.runs) } else { row.runs.to_string() },
            row.truncated.to_string(),
        ]);
    }
    table
}

/// What the numbers say.
pub(super) fn words(reproduction: &Reproduction) -> Vec<String> {
    let mut words: Vec<String> =
        reproduction.interrupted.iter().map(|i| format!("{}.", capital(i))).collect();
    for (dim, curves) in &reproduction.curves {
        let rows: Vec<&ReproduceRow> = reproduction.rows.iter().filter(|r| r.dim == *dim).collect();
        for row in &rows {
            let runs = curves.iter().find(|c| c.contender == row.contender);
            let promised: Vec<f64> =
                runs.iter().flat_map(|c| c.counted()).filter_map(|run| run.promised).collect();
            if let Some(sentence) = reference(row).or_else(|| verdict(row, &promised)) {
                words.push(format!("d = {dim}: {sentence}"));
            }
        }
        for (label, points) in [(LEVIS, published::LEVIS), (LEVIS_PLUS_PLUS, published::LEVIS_PLUS_PLUS)] {
            let ours = curves.iter().find(|c| c.contender.label == label);
            if let Some(sentence) = ours.and_then(|c| against_print(c, points)) {
                words.push(format!("d = {dim}: {sentence}"));
            }
        }
    }
    words
}

/// The two policies that learn nothing, as a check of the scale.
fn reference(row: &ReproduceRow) -> Option<String> {
    let regret = row.regret_per_episode?;
    let expected = match row.contender.label.as_str() {
        RANDOM => 1.0 / DELTA.0 - B_STAR,
        OPTIMAL => 0.0,
        _ => return None,
    };
    let fits = match regret.covers(expected) {
        Some(true) => ", which the interval contains",
        Some(false) => ", which the interval misses",
        None => "",
    };
    Some(format!("{} pays Regret/K = {regret}; its expectation is {expected:.3}{fits}.", row.contender.label))
}

/// What a learner did: its regret, how it compares with random, and what its actions and its last
/// plan show.
fn verdict(row: &ReproduceRow, promised: &[f64]) -> Option<String> {
    let name = &row.contender.label;
    let mut text = format!("{name} pays Regret/K = {}", row.regret_per_episode?);
    if let Some(gap) = row.gap_regret_per_episode {
        text.push_str(&format!(" (gap regret/K = {gap})"));
    }
    text.push('.');
    if row.same_as_random {
        text.push_str(&format!(
            " In each of its {} runs that is exactly the regret of the random policy, at every \
             point of the curve: with \
             all actions tied, both follow the same random numbers.",
            row.runs
        ));
    } else if let Some(difference) = row.minus_random {
        let measured = format!("paired difference in gap regret/K {}", difference.interval());
        text.push_str(&match (difference.low, difference.high) {
            (Some(low), Some(high)) if low <= 0.0 && 0.0 <= high => {
                format!(" It cannot be told from the random policy: {measured} contains 0.")
            }
            (_, Some(high)) if high < 0.0 => format!(" It does better than the random policy: {measured}."),
            (Some(_), Some(_)) => format!(" It does worse than the random policy: {measured}."),
            _ => format!(" One run cannot say how it compares with the random policy ({difference})."),
        });
    }
    if let Some(share) = row.late_optimal_share {
        let actions = 1u64 << (row.dim - 1);
        text.push_str(&format!(
            " In the second half of the episodes {:.1} % of its actions were optimal; a uniform \
             choice among {actions} makes \
             {:.1} %.",
            100.0 * share.mean,
            100.0 / actions as f64
        ));
    }
    if let Some(mean) = row.promised {
        // with no data at all the most optimistic model reaches the goal with probability 2 delta
        let blank = 1.0 / (2.0 * DELTA.0);
        let kept = promised.iter().filter(|value| **value <= blank * (1.0 + 1e-9)).count();
        let conclusion = match (kept, promised.len()) {
            (0, _) => "in every run its confidence set had ruled models out".into(),
            (kept, all) if kept == all => {
                "in no run had its confidence set ruled the most optimistic model out".to_string()
            }
            (kept, all) => {
                format!("in {kept} of {all} runs its confidence set still held the most optimistic model")
            }
        };
        text.push_str(&format!(
            " Its last plan promised {:.3} for an episode; before any data the most optimistic \
             model promises {blank:.3}, and \
             V* = {B_STAR}: {conclusion}.",
            mean.mean
        ));
    }
    if let Some(growth) = row.growth {
        text.push_str(&format!(" Over the second half of the curve its gap regret grew as K^{growth:.2}."));
    }
    Some(text)
}

/// Our curve beside the published one, at the last published point that was reached.
fn against_print(curves: &Curves, points: &[(f64, f64)]) -> Option<String> {
    let means = curves.means();
    let last = means.last()?.0 as f64;
    let &(root, published) = points.iter().rev().find(|p| p.0 * p.0 <= last)?;
    let (k, regret, _) = means.iter().min_by(|a, b| {
        let off = |k: u64| ((k as f64).sqrt() - root).abs();
        off(a.0).total_cmp(&off(b.0))
    })?;
    let ours = regret.scaled(1.0 / *k as f64);
    let relation = match ours.covers(published) {
        Some(true) => "agrees with",
        _ if ours.mean > published => "lies above",
        _ => "lies below",
    };
    Some(format!(
        "{} measures Regret/K = {ours} at √K = {root}, which {relation} the published {published} \
         (digitised; the paper \
         states neither d nor δ).",
        curves.contender.label
    ))
}

pub(super) fn summary(reproduction: &Reproduction) -> String {
    let broken = reproduction.interrupted.map_or(String::new(), |i| format!("**{}.**\n\n", capital(&i)));
    format!(
        "# Reproduction: summary\n\n{broken}{}\nMeans over the runs with 95 % Student-t \
         intervals. Gap regret sums Q*(s,a) − \
         V*(s) over the steps: the same expectation as the regret, far less noise. \"Guarantee\" \
         says whether what is proved \
         of the learner holds with the radius used.\n",
        cells(reproduction).markdown()
    )
}

pub(super) fn readme(reproduction: &Reproduction) -> String {
    let options = &reproduction.options;
    let broken = reproduction.interrupted.map_or(String::new(), |i| {
        format!("**{}. All below is of the runs that were complete.**\n\n", capital(&i))
    });
    let first =
        if options.dims.len() > 1 { "regret".into() } else { format!("regret-dim{}", options.dims[0]) };
    let said: String = reproduction.words.iter().map(|w| format!("* {w}\n")).collect();
    let mut learners = String::new();
    let dim = options.dims[0];
    for row in reproduction.rows.iter().filter(|r| r.dim == dim) {
        let parameters: Vec<String> = row.parameters.iter().map(|(k, v)| format!("`{k}={v}`")).collect();
        let parameters = if parameters.is_empty() { "no parameters".into() } else { parameters.join(" ") };
        learners
            .push_str(&format!("* {} (`{}`): {parameters}\n", row.contender.label, row.contender.learner));
    }
    let dims: Vec<String> = options.dims.iter().map(usize::to_string).collect();
    format!(
        "# The experiment of the LEVIS++ paper\n\n{broken}![Regret per episode]({first}.svg)\n\n\
         ## What was run\n\ngoalward {version}, world `{WORLD}` with `b_star={B_STAR}`, \
         `delta={delta}`, d = {dims}; {episodes} \
         episodes a run; seeds {start} to {last}. All learners of a seed meet the same luck. The \
         paper states B and the failure \
         probability; δ is inferred from the published plateau of the random policy, and d is not \
         stated, so several are \
         shown.\n\nParameters in force (d = {dim}):\n\n{learners}\n\
         ## Result\n\n{table}\n## What the numbers say\n\n{said}\n\
         ## How to read it\n\n\
         * The figures have the paper's axes: √K and Regret/K, K the number of episodes. A \
         learner's curve must go to 0; the \
         random policy's stays. Lines are means over the seeds, bands their 95 % Student-t \
         intervals, open marks the published \
         figure, digitised.\n\
         * *printed*: the radius of the confidence set with exactly the paper's constants. \
         *scaled:x*: that radius times x; \
         the theorem does not cover it, so it has no guarantee.\n\
         * *guarantee*: whether the conditions of what is proved of the learner hold on this \
         instance; no theorem holds with \
         the printed norms, which the paper's own instance exceeds.\n* *gap regret* sums Q*(s,a) \
         − V*(s) over the steps: the same expectation as the regret, far less noise.\n\n\
         `curves.csv` has the mean curves with their intervals, `runs.csv` one row for each run, \
         `summary.md` the table.\n",
        version = reproduction.version,
        delta = DELTA.1,
        dims = dims.join(", "),
        episodes = options.episodes,
        start = options.seeds.start,
        last = options.seeds.end.saturating_sub(1),
        table = cells(reproduction).markdown(),
    )
}

fn capital(text: &impl ToString) -> String {
    let text = text.to_string();
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
