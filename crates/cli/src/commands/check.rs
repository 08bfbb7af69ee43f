//! `goalward check`

use super::World;
use crate::exit::{Outcome, with_flags};
use crate::numbers::{count, real};
use crate::output::{Json, Sheet};
use crate::progress::{Busy, waiting};
use goalward::check::{self, Level, Report};

const EXAMPLES: &str = "\
EXAMPLES:
    goalward check model.drn.gz
    goalward check model.drn --goal done --cost time
    goalward check FrozenLake.json --restart --json
    goalward check problem.json && goalward learn problem.json";

/// Report all faults of a world or file at once, and what is worth knowing of it
///
/// Errors: rows whose sum is off by more than 1e-5, probabilities that are negative or no number,
/// negative costs, successors that do not exist, and states from which no policy reaches the goal
/// with probability one. In problem files also a theta under which some row is no distribution, and
/// rows that no theta can satisfy. Each comes with its line or place, the value, and a hint.
///
/// Warnings: states that are never reached, cycles without a cost, parts of theta that no transition
/// can show, and rows of models that were rescaled because their sum is off by more than 1e-9. Also
/// shown: rewards, labels, reward models, sizes, costs, the dimension of B, memory.
///
/// The exit code is 1 if there are errors, 0 if there are warnings at most.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    world: World,
    #[command(flatten)]
    printed: Json,
}

pub(crate) fn run(args: CheckArgs) -> anyhow::Result<Outcome> {
    let busy = Busy::new(format!("checking {}", args.world.world));
    let (world, params) = args.world.named()?;
    let waiting = waiting(&world);
    let report = check::check_heeding(&world, &params, busy.halt())?;
    drop((waiting, busy));
    args.printed.put(&report, || text(&report))?;
    Ok(if report.ok { Outcome::Done } else { Outcome::No })
}

fn text(report: &Report) -> String {
    let mut sheet = Sheet::default();
    sheet.row("world", format!("{} ({})", report.world, report.format));
    if let Some(states) = report.states {
        let rest = [(report.choices, "choices"), (report.transitions, "transitions")];
        let rest = rest.iter().filter_map(|(n, what)| n.map(|n| format!(", {} {what}", count(n as u64))));
        sheet.row("states", format!("{}{}", count(states as u64), rest.collect::<String>()));
    }
    if !report.labels.is_empty() {
        const SHOWN: usize = 12;
        let say = |(label, n): (&String, &usize)| format!("{label} ({})", count(*n as u64));
        let labels: Vec<String> = report.labels.iter().take(SHOWN).map(say).collect();
        let more = if report.labels.len() > SHOWN { ", ..." } else { "" };
        sheet.row("labels", format!("{}{more}", labels.join(", ")));
    }
    let rewards = report.reward_models.join(", ");
    sheet.rows("rewards", (!rewards.is_empty()).then_some(rewards));
    sheet.rows("start", &report.start);
    sheet.rows("goal", &report.goal);
    sheet.rows("cost", &report.cost_from);
    let costs = report.smallest_cost.zip(report.largest_cost);
    sheet.rows("costs", costs.map(|(least, most)| format!("{} to {}", real(least), real(most))));
    unknowns(report, &mut sheet);
    sheet.rows("memory", report.bytes.map(memory));
    sheet.render() + "\n" + &findings(report)
}

/// theta, and the set B it lies in.
fn unknowns(report: &Report, sheet: &mut Sheet) {
    if let (Some(dim), Some(free)) = (report.dim, report.free) {
        let known = if free == 0 { ": the model is known" } else { "" };
        let seen = match (report.identifiable, free) {
            (_, 0) | (None, _) => String::new(),
            (Some(true), 1) => ", which transitions can show".into(),
            (Some(true), _) => ", all of which transitions can show".into(),
            (Some(false), _) => format!(", {} of which transitions can show", report.rank.unwrap_or(0)),
        };
        let plural = |n| if n == 1 { "" } else { "s" };
        let entries = if dim == 1 { "entry" } else { "entries" };
        sheet.row("theta", format!("{dim} {entries}; B has {free} dimension{}{seen}{known}", plural(free)));
    }
    if let (Some(rows), Some(kept), Some(facets)) = (report.rows, report.rows_kept, report.rows_are_facets)
        && report.free.is_some_and(|free| free > 0)
    {
        let (rows, kept) = (count(rows as u64), count(kept as u64));
        let text = match facets {
            true => format!("{kept} facets of {rows} rows"),
            false => format!("{kept} of {rows} rows; too many are facets to drop more"),
        };
        sheet.row("B", text);
    }
}

fn findings(report: &Report) -> String {
    let mut text = String::new();
    for finding in &report.findings {
        let level = match finding.level {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Note => "note",
        };
        text.push_str(&format!("{level}: {}\n", finding.note.message));
        if let Some(hint) = &finding.note.hint {
            text.push_str(&format!("  hint: {}\n", with_flags(hint)));
        }
    }
    for (kind, more) in &report.omitted {
        text.push_str(&format!("... and {} more of the kind {kind}\n", count(*more as u64)));
    }
    let plural =
        |n: usize, what: &str| format!("{} {what}{}", count(n as u64), if n == 1 { "" } else { "s" });
    let verdict = if report.ok { "fine" } else { "wrong" };
    let counts = [plural(report.errors, "error"), plural(report.warnings, "warning")].join(", ");
    text.push_str(&format!("{verdict}: {counts}\n"));
    text
}

fn memory(bytes: usize) -> String {
    let bytes = bytes as f64;
    match bytes {
        b if b < 1e3 => format!("{b} bytes"),
        b if b < 1e6 => format!("{:.1} kB", b / 1e3),
        b if b < 1e9 => format!("{:.1} MB", b / 1e6),
        b => format!("{:.2} GB", b / 1e9),
    }
}
