//! `goalward list`

use crate::exit::Outcome;
use crate::output::{self, wrapped};
use goalward::learners::{LEARNERS, Need};
use goalward::parameters::Parameter;
use goalward::worlds::{COMMON, WORLDS};

const EXAMPLES: &str = "\
EXAMPLES:
    goalward list worlds
    goalward list learners
    goalward list learners --json";

/// Describe the built-in worlds or the learners with all their parameters
///
/// A world's parameters are set with --param key=value, a learner's with --set key=value. A default
/// in parentheses is computed from the problem; a parameter without a default must be given.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// What to describe
    what: What,
    /// Print a JSON array of the registry's entries
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum What {
    Worlds,
    Learners,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    match (args.what, args.json) {
        (What::Worlds, true) => output::json(&WORLDS)?,
        (What::Learners, true) => output::json(&LEARNERS)?,
        (What::Worlds, false) => output::text(&worlds(output::columns()))?,
        (What::Learners, false) => output::text(&learners(output::columns()))?,
    }
    Ok(Outcome::Done)
}

fn worlds(columns: usize) -> String {
    let entries = WORLDS.iter().map(|world| {
        let facts = [("from", world.reference.to_string())];
        entry(world.id, world.title, &facts, "--param", world.parameters, columns)
    });
    let every = entry("every world and file", "what they all take", &[], "--param", COMMON, columns);
    entries.chain([every]).collect::<Vec<_>>().join("\n")
}

fn learners(columns: usize) -> String {
    let entries = LEARNERS.iter().map(|learner| {
        let needs = if learner.needs.is_empty() { "nothing".into() } else { joined(learner.needs) };
        let facts = [
            ("from", learner.reference.to_string()),
            ("setting", learner.setting.to_string()),
            ("needs", needs),
            ("guarantee", learner.guarantee.to_string()),
        ];
        entry(learner.id, learner.title, &facts, "--set", learner.parameters, columns)
    });
    entries.collect::<Vec<_>>().join("\n")
}

fn joined(needs: &[Need]) -> String {
    needs.iter().map(Need::to_string).collect::<Vec<_>>().join("; ")
}

fn entry(
    id: &str,
    title: &str,
    facts: &[(&str, String)],
    flag: &str,
    parameters: &[Parameter],
    columns: usize,
) -> String {
    let mut lines = vec![wrapped("", &format!("{id}: {title}"), 4, columns)];
    let facts = facts.iter().filter(|(_, value)| !value.is_empty());
    lines.extend(facts.map(|(name, value)| wrapped("    ", &format!("{name}: {value}"), 8, columns)));
    let typed = |p: &Parameter| format!("{}={}", p.name, p.default());
    // descriptions stand under one another as long as there is room for them
    let widest = (columns * 9 / 20).saturating_sub(flag.len() + 7);
    let width = parameters.iter().map(|p| typed(p).len()).filter(|width| *width <= widest).max().unwrap_or(0);
    let indent = flag.len() + width + 7;
    for parameter in parameters {
        let must = if parameter.is_required() { "(must be given) " } else { "" };
        let doc = format!("{must}{}", parameter.doc);
        let begin = format!("    {flag} {:<width$}  ", typed(parameter));
        lines.push(match typed(parameter).len() <= width {
            true => wrapped(&begin, &doc, indent, columns),
            // a default that is a sentence of its own
            false => {
                let begin = wrapped(&format!("    {flag} "), &typed(parameter), 8, columns);
                format!("{begin}\n{}", wrapped(&" ".repeat(indent), &doc, indent, columns))
            }
        });
    }
    lines.join("\n") + "\n"
}
