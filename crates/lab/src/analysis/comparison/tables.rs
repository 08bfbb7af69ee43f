//! Tables of a comparison.

use super::paired::Verdict;
use super::{Compared, Side, Standing};
use crate::analysis::Section;
use crate::analysis::phrase::{counted, p_value, readable, short};
use crate::analysis::view::at_least;
use crate::figure::number_label;
use crate::stats::Mean;
use crate::study::FigureKind;
use crate::table::Table;

pub(super) fn of(compared: &Compared) -> Vec<Section> {
    let mut sections = Vec::new();
    if compared.is_about_the_ratio() {
        sections.push(Section { title: "Regret/K".into(), table: per_episode(compared, "-") });
    }
    if compared.several() {
        sections.push(Section { title: "Gap regret".into(), table: matrix(compared, false) });
    }
    let one = |side: &Side| Section { title: headline(compared, side), table: cells(compared, side) };
    sections.extend(compared.worlds.iter().map(one));
    sections.extend(against(compared));
    sections
}

impl Compared<'_> {
    /// Rows in blocks of learners that know the same, where that differs.
    fn in_blocks<'r>(&self, mut rows: Vec<&'r Standing>) -> Vec<&'r Standing> {
        if self.mixes_knowledge() {
            rows.sort_by_key(|row| (row.knows.is_none(), row.knows));
        }
        rows
    }

    /// Whether a figure of the study shows Regret/K.
    pub(super) fn is_about_the_ratio(&self) -> bool {
        self.study.figures.iter().any(|figure| figure.kind == FigureKind::PerRoot)
    }
}

/// The world, and what its runs are.
fn headline(compared: &Compared, side: &Side) -> String {
    let Some(length) = side.views.first().map(|view| view.world.length) else {
        return readable(&side.about.label);
    };
    let number = |n: u64| number_label(n as f64, 0);
    let long = match (length.by_steps, length.max_steps) {
        (true, Some(steps)) => format!("{} steps", number(steps)),
        (_, Some(steps)) => {
            format!("{} episodes, at most {} steps", number(length.episodes), number(steps))
        }
        (_, None) => format!("{} episodes", number(length.episodes)),
    };
    let seeds = counted(compared.study.seeds.len(), "seed");
    let optimum = side.about.optimal_cost.map_or(String::new(), |v| format!(", V* = {}", short(v)));
    format!("{}: {long}, {seeds}{optimum}", readable(&side.about.label))
}

fn shown(mean: &Option<Mean>) -> String {
    mean.map_or("-".into(), |m| m.to_string())
}

/// The table of one world.
pub(super) fn cells(compared: &Compared, side: &Side) -> Table {
    let burn_in = compared.rows().any(|row| row.burn_in.is_some());
    let times = compared.ask.times;
    let knows = compared.mixes_knowledge();
    let mut headings = vec![
        "learner",
        "radius",
        "guarantee",
        "runs",
        "truncated",
        "regret",
        "gap regret",
        "behind best",
        "growth",
        "plans",
    ];
    if knows {
        headings.insert(1, "knows");
    }
    headings.extend(burn_in.then_some("burn-in"));
    headings.extend(times.then_some(["steps/s", "memory"]).into_iter().flatten());
    let mut table = Table::new(headings);
    for row in compared.in_blocks(side.rows.iter().collect()) {
        let is_best = side.about.best.as_deref() == Some(row.label());
        let mut cells = vec![
            row.contender.label.clone(),
            row.radius.clone().unwrap_or("-".into()),
            row.guarantee.clone().unwrap_or("-".into()),
            runs(row),
            row.truncated.to_string(),
            shown(&row.regret),
            at_least(row.gap_regret, row.truncated),
            if is_best { "0 (best)".into() } else { shown(&row.behind_best) },
            row.growth.map_or("-".into(), |e| format!("{e:.2}").replace('-', "−")),
            row.planner_calls.map_or("-".into(), |m| number_label(m.mean, 0)),
        ];
        if knows {
            cells.insert(1, known(row));
        }
        cells.extend(burn_in.then(|| row.burn_in.map_or("-".into(), |b| b.to_string())));
        if times {
            cells.push(row.steps_per_second.map_or("-".into(), |x| number_label(x, 0)));
            cells.push(if row.runs > 0 { bytes(row.state_bytes) } else { "-".into() });
        }
        table.row(cells);
    }
    table
}

fn known(row: &Standing) -> String {
    row.knows.map_or("-".into(), |knows| knows.word().into())
}

fn runs(row: &Standing) -> String {
    match row.runs == row.runs_asked {
        true => row.runs.to_string(),
        false => format!("{} of {}", row.runs, row.runs_asked),
    }
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

/// What others call code is set as code where documents quote it.
fn named(label: &str, code: bool) -> String {
    if code && !label.contains(' ') { format!("`{label}`") } else { label.into() }
}

/// Gap regret with one column for each world.
pub(super) fn matrix(compared: &Compared, code: bool) -> Table {
    let knows = compared.mixes_knowledge();
    let headings = std::iter::once("learner").chain(knows.then_some("knows")).map(String::from);
    let worlds = compared.worlds.iter().map(|side| side.about.label.clone());
    let mut table = Table::new(headings.chain(worlds));
    let mut labels: Vec<&str> = Vec::new();
    let first = compared.rows().filter(|row| {
        let new = !labels.contains(&row.label());
        labels.extend(new.then_some(row.label()));
        new
    });
    for row in compared.in_blocks(first.collect()) {
        let of = |side: &Side| {
            let row = side.rows.iter().find(|other| other.label() == row.label());
            row.map_or("-".into(), |row| at_least(row.gap_regret, row.truncated))
        };
        let names = std::iter::once(named(row.label(), code)).chain(knows.then(|| known(row)));
        table.row(names.chain(compared.worlds.iter().map(of)).collect());
    }
    table
}

/// Regret/K with one column for each world, and what each learner goes by.
pub(super) fn per_episode(compared: &Compared, none: &str) -> Table {
    let headings = ["learner", "radius", "guarantee holds"].map(String::from).into_iter();
    let worlds = compared.worlds.iter().map(|side| format!("Regret/K, {}", compared.short_name(side)));
    let mut table = Table::new(headings.chain(worlds));
    for learner in &compared.study.learners {
        let label = &learner.contender.label;
        let row = |side: &&Side| -> Option<usize> { side.rows.iter().position(|row| row.label() == label) };
        let rows: Vec<&Standing> =
            compared.worlds.iter().filter_map(|side| row(&side).map(|at| &side.rows[at])).collect();
        // with different words in different worlds the reader gets both
        let same = |of: &dyn Fn(&Standing) -> Option<String>| {
            let mut words: Vec<String> = rows.iter().map(|row| of(row).unwrap_or(none.into())).collect();
            words.dedup();
            if words.is_empty() { none.to_string() } else { words.join(", ") }
        };
        let mut cells =
            vec![label.clone(), same(&|row| row.radius.clone()), same(&|row| row.guarantee.clone())];
        cells.extend(compared.worlds.iter().map(|side| {
            let mean = row(&side).and_then(|at| side.rows[at].regret_per_episode);
            mean.map_or(none.to_string(), |m| m.to_string())
        }));
        table.row(cells);
    }
    table
}

impl Compared<'_> {
    /// What tells a world from the others: its place in the grid, if all are of one.
    fn short_name(&self, side: &Side) -> String {
        let worlds = &self.study.worlds;
        let one_grid = worlds.windows(2).all(|pair| pair[0].base == pair[1].base);
        let point = side.views.first().map(|view| &view.world.point).filter(|point| !point.is_empty());
        match point.filter(|_| one_grid) {
            Some(point) => point.iter().map(|(k, v)| format!("{k} = {v}")).collect::<Vec<_>>().join(", "),
            None => readable(&side.about.label),
        }
    }
}

/// Everybody against the reference.
fn against(compared: &Compared) -> Option<Section> {
    let reference = compared.ask.against.as_deref()?;
    let several = compared.several();
    let less = format!("gap regret less that of {reference}");
    let mut headings = vec!["learner", less.as_str(), "p", "p (Holm)", "says"];
    if several {
        headings.insert(0, "world");
    }
    let mut table = Table::new(headings);
    for d in &compared.differences {
        let says = match d.verdict {
            None => "-".into(),
            Some(Verdict::Less) => format!("{reference} pays less"),
            Some(Verdict::More) => format!("{reference} pays more"),
            Some(Verdict::Open) => "cannot be told apart".into(),
        };
        let p = |p: Option<f64>| p.map_or("-".into(), p_value);
        let mut cells = vec![d.label.clone(), d.text(), p(d.p), p(d.adjusted_p), says];
        if several {
            cells.insert(0, d.world.clone());
        }
        table.row(cells);
    }
    Some(Section { title: format!("Against {reference}, seed by seed"), table })
}
