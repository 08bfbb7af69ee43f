//! `goalward list`

use crate::exit::Outcome;
use crate::output::{self, Printed, wrapped};
use goalward::learners::{self, Family, LEARNERS, LearnerEntry};
use goalward::parameters::{Choice, Kind, Parameter};
use goalward::worlds::{self, COMMON, WORLDS, WorldEntry};
use goalward::{Settings, problem::Problem};
use serde_json::json;
use std::io::{IsTerminal, stdout};

const EXAMPLES: &str = "\
EXAMPLES:
    goalward list worlds
    goalward list worlds windy-grid
    goalward list learners
    goalward list learners levis++
    goalward list learners --json";

/// Describe the built-in worlds or the learners, or one of them with all its parameters
///
/// A world's parameters are set with --param key=value, a learner's with --set key=value. A default
/// in parentheses is computed from the problem; a parameter without a default must be given. --json
/// prints the registry's entries, or one. --markdown prints a table of all learners.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ListArgs {
    /// What to describe
    what: What,
    /// The one to describe in full, with its parameters
    id: Option<String>,
    #[command(flatten)]
    printed: Printed,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum What {
    Worlds,
    Learners,
}

pub(crate) fn run(args: ListArgs) -> anyhow::Result<Outcome> {
    if args.printed.markdown {
        let all = matches!((args.what, &args.id), (What::Learners, None));
        anyhow::ensure!(all, "there is a table in Markdown of all learners only");
        output::text(&markdown())?;
        return Ok(Outcome::Done);
    }
    let columns = columns();
    match (args.what, args.id.as_deref(), args.printed.json.json) {
        (What::Worlds, None, true) => output::json(&WORLDS)?,
        (What::Learners, None, true) => output::json(&LEARNERS)?,
        (What::Worlds, Some(id), true) => output::json(worlds::entry(id)?)?,
        (What::Learners, Some(id), true) => output::json(&learners::entry(id)?)?,
        (What::Worlds, None, false) => output::text(&all_worlds(columns))?,
        (What::Learners, None, false) => output::text(&all_learners(columns))?,
        (What::Worlds, Some(id), false) => output::text(&world(worlds::entry(id)?, columns)?)?,
        (What::Learners, Some(id), false) => {
            output::text(&learner_page(&learners::entry(id)?, columns))?;
        }
    }
    Ok(Outcome::Done)
}

/// The columns that the user asks for, or the terminal's; 100 in a pipe.
fn columns() -> usize {
    let said = std::env::var("COLUMNS").ok().and_then(|text| text.parse::<usize>().ok());
    match said {
        Some(columns) => columns.clamp(40, 200),
        None if stdout().is_terminal() => output::terminal_columns(),
        None => 100,
    }
}

/// Every world in short, then what all of them take.
fn all_worlds(columns: usize) -> String {
    let mut text = String::new();
    for world in WORLDS {
        let names: Vec<&str> = world.parameters.iter().map(|p| p.name).collect();
        let all = [("from", world.reference.to_string()), ("parameters", names.join(", "))];
        text += &(facts(world.id, world.title, &all, columns) + "\n");
    }
    text += &facts("every world and file", "what they all take", &[], columns);
    text += &parameters("--param", COMMON, columns);
    text + "\n" + &wrapped("", "goalward list worlds ID shows all of one of them.", 0, columns) + "\n"
}

fn world(entry: &WorldEntry, columns: usize) -> anyhow::Result<String> {
    let built = worlds::build(entry.id, &Settings::new())?;
    let size = size(&built.problem);
    let all = [("from", entry.reference.to_string()), ("by default", size)];
    let text = facts(entry.id, entry.title, &all, columns);
    Ok(text + &parameters("--param", &[entry.parameters, COMMON].concat(), columns))
}

fn size(problem: &Problem) -> String {
    let (states, pairs, d) = (problem.states(), problem.pairs(), problem.dim());
    format!("{states} states with {pairs} actions in all, and d = {d}")
}

/// Every learner in short, by family.
fn all_learners(columns: usize) -> String {
    let mut text = String::new();
    for family in LEARNERS.chunk_by(|a, b| heading(a.family) == heading(b.family)) {
        let heading = heading(family[0].family);
        text += &format!("{heading}\n{}\n\n", "-".repeat(heading.chars().count()));
        family.iter().for_each(|entry| text += &(learner(entry, columns) + "\n"));
    }
    let more = "goalward list learners ID shows all of one of them, with its parameters.";
    text + &wrapped("", more, 0, columns) + "\n"
}

/// The table of a document: every learner with its setting, what it must know and where it is from.
fn markdown() -> String {
    let cell = |text: &str| text.replace('|', "\\|").replace('*', "\\*");
    let mut text = String::from(
        "<!-- table -->\n| id | what it is | setting | must know | from |\n|---|---|---|---|---|\n",
    );
    for entry in LEARNERS {
        let needs = needs(entry);
        let cells = [entry.title, entry.setting, &needs, entry.reference].map(cell);
        text += &format!("| `{}` | {} |\n", entry.id, cells.join(" | "));
    }
    text
}

fn needs(entry: &LearnerEntry) -> String {
    let needs: Vec<String> = entry.needs.iter().map(|need| need.to_string()).collect();
    if needs.is_empty() { "nothing".into() } else { needs.join(", ") }
}

fn heading(family: Family) -> &'static str {
    match family {
        Family::LinearMixture => "Linear mixtures: what is learnt is theta",
        Family::Tabular => "Tabular: every state and action is learnt by itself",
        Family::LinearMdp => "Linear MDPs: values are linear in features",
        Family::Reduction => "Reductions: another kind of learner inside",
        Family::Baseline => "Baselines: nothing is learnt",
        _ => "Others",
    }
}

fn learner_page(entry: &LearnerEntry, columns: usize) -> String {
    let mut text = learner(entry, columns);
    for (name, said) in [("cost per step", entry.cost), ("memory", entry.keeps)] {
        text += &(wrapped("    ", &format!("{name}: {said}"), 8, columns) + "\n");
    }
    text + &parameters("--set", entry.parameters, columns)
}

fn learner(entry: &LearnerEntry, columns: usize) -> String {
    let all = [
        ("setting", entry.setting.to_string()),
        ("needs", needs(entry)),
        ("guarantee", entry.guarantee.to_string()),
        ("from", entry.reference.to_string()),
    ];
    facts(entry.id, entry.title, &all, columns)
}

fn facts(id: &str, title: &str, facts: &[(&str, String)], columns: usize) -> String {
    let mut text = wrapped("", &format!("{id}: {title}"), 4, columns) + "\n";
    for (name, value) in facts.iter().filter(|(_, value)| !value.is_empty()) {
        text += &(wrapped("    ", &format!("{name}: {value}"), 8, columns) + "\n");
    }
    text
}

/// Parameters with defaults, meaning and what they take.
fn parameters(flag: &str, parameters: &[Parameter], columns: usize) -> String {
    let typed = |p: &Parameter| format!("{}={}", p.name, p.default());
    // descriptions stand under one another as long as there is room for them
    let widest = (columns * 9 / 20).saturating_sub(flag.len() + 7);
    let width = parameters.iter().map(|p| typed(p).len()).filter(|width| *width <= widest).max().unwrap_or(0);
    let indent = flag.len() + width + 7;
    let mut text = String::new();
    for parameter in parameters {
        let must = if parameter.is_required() { "(must be given) " } else { "" };
        let doc = format!("{must}{} [{}]", parameter.doc, takes(parameter.kind));
        let begin = format!("    {flag} {:<width$}  ", typed(parameter));
        text += &match typed(parameter).len() <= width {
            true => wrapped(&begin, &doc, indent, columns),
            // a default that is a sentence of its own
            false => {
                let begin = wrapped(&format!("    {flag} "), &typed(parameter), 8, columns);
                format!("{begin}\n{}", wrapped(&" ".repeat(indent), &doc, indent, columns))
            }
        };
        text.push('\n');
    }
    text
}

/// What values a parameter takes.
fn takes(kind: Kind) -> String {
    match kind {
        Kind::Number { least, most } => format!("number, {} to {}", number(least), number(most)),
        Kind::Probability => "number, 1e-300 to 1".into(),
        Kind::Count { least, most } => format!("whole number, {least} to {most}"),
        Kind::Flag => "true | false".into(),
        Kind::Choice(choices) => choices.iter().map(form).collect::<Vec<_>>().join(" | "),
        Kind::NumberOrOracle => "number | oracle".into(),
        Kind::NumberOracleOrDoubling => "number | oracle | doubling".into(),
        Kind::Numbers => "numbers, with commas".into(),
        _ => "text".into(),
    }
}

fn form(choice: &Choice) -> String {
    match choice {
        Choice::Word(word) => word.to_string(),
        Choice::WithNumber(word, ..) => format!("{word}:X"),
        Choice::WithCount(word, _) => format!("{word}:N"),
        _ => String::new(),
    }
}

/// A bound as JSON has it: 1e100 has no hundred zeros.
fn number(bound: f64) -> String {
    json!(bound).to_string().trim_end_matches(".0").into()
}

#[cfg(test)]
mod tests {
    use super::{Choice, Kind, takes};

    #[test]
    fn kinds_are_put_into_words() {
        const WORDS: &[Choice] =
            &[Choice::Word("a"), Choice::WithNumber("at", 0.0, 1.0), Choice::WithCount("nearest", 1)];
        for (kind, words) in [
            (Kind::Number { least: 0.0, most: 1e6 }, "number, 0 to 1000000"),
            (Kind::Number { least: -1.5, most: 1e100 }, "number, -1.5 to 1e+100"),
            (Kind::Count { least: 2, most: 16 }, "whole number, 2 to 16"),
            (Kind::Flag, "true | false"),
            (Kind::Choice(WORDS), "a | at:X | nearest:N"),
            (Kind::NumberOrOracle, "number | oracle"),
        ] {
            assert_eq!(takes(kind), words);
        }
    }
}
