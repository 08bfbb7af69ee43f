//! Tables of a comparison.

use super::paired::Verdict;
use super::{Comparison, ContenderRow, WorldRows};
use crate::analysis::phrase::{counted, or_dash, p_value, readable, short};
use crate::analysis::view::{Knowledge, at_least};
use crate::figure::number_label;
use crate::study::FigureKind;
use crate::table::{Table, word};

pub(super) fn of(comparison: &Comparison) -> Vec<Table> {
    let mut tables = Vec::new();
    if comparison.is_about_the_ratio() {
        tables.push(per_episode(comparison, "-").titled("Regret/K"));
    }
    if comparison.several() {
        tables.push(matrix(comparison, false).titled("Gap regret"));
    }
    let of_world = |world| cells(comparison, world).titled(headline(comparison, world));
    tables.extend(comparison.worlds.iter().map(of_world));
    tables.extend(against(comparison));
    tables
}

impl Comparison<'_> {
    /// Rows in blocks of learners with the same knowledge, where that differs.
    fn in_blocks<'r, 'a>(&self, mut rows: Vec<&'r ContenderRow<'a>>) -> Vec<&'r ContenderRow<'a>> {
        if self.mixes_knowledge() {
            rows.sort_by_key(|row| (row.knows.is_none(), row.knows));
        }
        rows
    }

    /// Whether a figure of the study shows Regret/K.
    pub(super) fn is_about_the_ratio(&self) -> bool {
        self.study.figures.iter().any(|figure| figure.kind == FigureKind::PerRoot)
    }

    /// What distinguishes a world: its point of the grid, if all are of one grid.
    fn short_name(&self, world: &WorldRows) -> String {
        let one_grid = self.study.worlds.windows(2).all(|pair| pair[0].base == pair[1].base);
        match &world.point.point[..] {
            point @ [_, ..] if one_grid => {
                point.iter().map(|(k, v)| format!("{k} = {v}")).collect::<Vec<_>>().join(", ")
            }
            _ => readable(&world.point.label),
        }
    }
}

/// The world, and the length of its runs.
fn headline(comparison: &Comparison, world: &WorldRows) -> String {
    let length = world.point.length;
    let number = |n: u64| number_label(n as f64, 0);
    let long = match (length.by_steps, length.max_steps) {
        (true, Some(steps)) => format!("{} steps", number(steps)),
        (_, Some(steps)) => {
            format!("{} episodes, at most {} steps", number(length.episodes), number(steps))
        }
        (_, None) => format!("{} episodes", number(length.episodes)),
    };
    let seeds = counted(comparison.study.seeds.len(), "seed");
    let optimum = world.optimal_cost.map_or(String::new(), |v| format!(", V* = {}", short(v)));
    format!("{}: {long}, {seeds}{optimum}", readable(&world.point.label))
}

/// The table of one world.
pub(super) fn cells(comparison: &Comparison, world: &WorldRows) -> Table {
    let burn_in = comparison.rows().any(|row| row.burn_in.is_some());
    let times = comparison.ask.times;
    let knows = comparison.mixes_knowledge();
    let mut headings = vec!["learner"];
    headings.extend(knows.then_some("knows"));
    headings.extend(["radius", "guarantee", "runs", "truncated"]);
    headings.extend(["regret", "gap regret", "behind best", "growth", "plans"]);
    headings.extend(burn_in.then_some("burn-in"));
    headings.extend(times.then_some(["steps/s", "memory"]).into_iter().flatten());
    let mut table = Table::new(headings);
    for row in comparison.in_blocks(world.rows.iter().collect()) {
        let is_best = world.best == Some(row.label());
        let mut cells = vec![row.label().to_string()];
        cells.extend(knows.then(|| knowledge(row)));
        cells.extend([
            or_dash(row.radius),
            or_dash(row.guarantee),
            match row.runs == row.runs_asked {
                true => row.runs.to_string(),
                false => format!("{} of {}", row.runs, row.runs_asked),
            },
            row.truncated.to_string(),
            or_dash(row.regret),
            at_least(row.gap_regret, row.truncated),
            if is_best { "0 (best)".into() } else { or_dash(row.behind_best) },
            or_dash(row.growth.map(|e| format!("{e:.2}").replace('-', "−"))),
            or_dash(row.planner_calls.map(|m| number_label(m.mean, 0))),
        ]);
        cells.extend(burn_in.then(|| or_dash(row.burn_in)));
        if times {
            cells.push(or_dash(row.steps_per_second.map(|x| number_label(x, 0))));
            cells.push(if row.runs > 0 { bytes(row.state_bytes) } else { "-".into() });
        }
        table.row(cells);
    }
    table
}

fn knowledge(row: &ContenderRow) -> String {
    or_dash(row.knows.map(|knows| match knows {
        Knowledge::Nothing => "nothing".into(),
        knows => format!("the {}", word(knows)),
    }))
}

/// `812 B`, `3.4 kB`, `12 MB`.
pub(super) fn bytes(bytes: u64) -> String {
    let (mut size, mut units) = (bytes as f64, ["B", "kB", "MB", "GB", "TB"].into_iter());
    let mut unit = units.next().unwrap_or_default();
    while size >= 999.5 {
        let Some(next) = units.next() else { break };
        (size, unit) = (size / 1000.0, next);
    }
    let decimals = usize::from(size < 9.95 && unit != "B");
    format!("{} {unit}", number_label(size, decimals))
}

/// Gap regret with one column for each world; documents set labels as code.
pub(super) fn matrix(comparison: &Comparison, code: bool) -> Table {
    let knows = comparison.mixes_knowledge();
    let headings = std::iter::once("learner").chain(knows.then_some("knows"));
    let worlds = comparison.worlds.iter().map(|world| world.point.label.as_str());
    let mut table = Table::new(headings.chain(worlds));
    let mut labels: Vec<&str> = Vec::new();
    let first = comparison.rows().filter(|row| {
        let new = !labels.contains(&row.label());
        labels.extend(new.then_some(row.label()));
        new
    });
    for row in comparison.in_blocks(first.collect()) {
        let label = row.label();
        let of = |world: &WorldRows| {
            let row = world.rows.iter().find(|other| other.label() == label);
            or_dash(row.map(|row| at_least(row.gap_regret, row.truncated)))
        };
        let name = if code && !label.contains(' ') { format!("`{label}`") } else { label.into() };
        let names = std::iter::once(name).chain(knows.then(|| knowledge(row)));
        table.row(names.chain(comparison.worlds.iter().map(of)).collect());
    }
    table
}

/// Regret/K with one column for each world, and each learner's radius and guarantee.
pub(super) fn per_episode(comparison: &Comparison, none: &str) -> Table {
    let headings = ["learner", "radius", "guarantee holds"].map(String::from).into_iter();
    let worlds = comparison.worlds.iter();
    let ratios = worlds.clone().map(|world| format!("Regret/K, {}", comparison.short_name(world)));
    let mut table = Table::new(headings.chain(ratios));
    for learner in &comparison.study.learners {
        let label = &learner.contender.label;
        let rows = worlds.clone().map(|world| world.rows.iter().find(|row| row.label() == label));
        let rows: Vec<Option<&ContenderRow>> = rows.collect();
        // different words in different worlds are all shown
        let same = |of: fn(&ContenderRow) -> Option<String>| {
            let known = rows.iter().flatten();
            let mut words: Vec<String> = known.map(|row| of(row).unwrap_or(none.into())).collect();
            words.dedup();
            if words.is_empty() { none.to_string() } else { words.join(", ") }
        };
        let words = [label.clone(), same(|row| row.radius.map(String::from))];
        let words = words.into_iter().chain([same(|row| row.guarantee.map(String::from))]);
        let ratio = |row: &Option<&ContenderRow>| {
            row.and_then(|row| row.regret_per_episode).map_or(none.to_string(), |m| m.to_string())
        };
        table.row(words.chain(rows.iter().map(ratio)).collect());
    }
    table
}

/// All contenders against the reference.
fn against(comparison: &Comparison) -> Option<Table> {
    let reference = comparison.ask.against.as_deref()?;
    let several = comparison.several();
    let less = format!("gap regret less that of {reference}");
    let world = several.then_some("world").into_iter();
    let mut table = Table::new(world.chain(["learner", less.as_str(), "p", "p (Holm)", "says"]));
    for d in &comparison.differences {
        let says = match d.verdict {
            None => "-".into(),
            Some(Verdict::Less) => format!("{reference} pays less"),
            Some(Verdict::More) => format!("{reference} pays more"),
            Some(Verdict::Open) => "cannot be told apart".into(),
        };
        let p = |p: Option<f64>| or_dash(p.map(p_value));
        let cells = [d.label.clone(), d.text(), p(d.p), p(d.adjusted_p), says];
        table.row(several.then(|| d.world.clone()).into_iter().chain(cells).collect());
    }
    Some(table.titled(format!("Against {reference}, seed by seed")))
}
