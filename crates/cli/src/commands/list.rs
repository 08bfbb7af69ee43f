//! `goalward list`

use crate::exit::Outcome;
use crate::output;
use goalward::learners::LEARNERS;
use goalward::registry::Parameter;
use goalward::worlds::{FEATURES, WORLDS};

const EXAMPLES: &str = "\
EXAMPLES:
    goalward list worlds
    goalward list learners
    goalward list learners --json";

/// Describe the built-in worlds or the learners with all their parameters
///
/// A world's parameters are set with --param key=value, a learner's with --set key=value. A default in parentheses
/// is computed from the problem; a parameter without a default must be given.
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
        (What::Worlds, false) => output::text(&worlds())?,
        (What::Learners, false) => output::text(&learners())?,
    }
    Ok(Outcome::Done)
}

fn worlds() -> String {
    let entries = WORLDS.iter().map(|world| {
        let facts = [("from", world.reference.to_string())];
        entry(world.id, world.title, &facts, "--param", world.parameters)
    });
    let every = entry("every world and file", "what they all take", &[], "--param", &[FEATURES]);
    entries.chain([every]).collect::<Vec<_>>().join("\n")
}

fn learners() -> String {
    let entries = LEARNERS.iter().map(|learner| {
        let needs = if learner.needs.is_empty() { "nothing".into() } else { learner.needs.join("; ") };
        let facts = [
            ("from", learner.reference.to_string()),
            ("setting", learner.setting.to_string()),
            ("needs", needs),
            ("guarantee", learner.guarantee.to_string()),
        ];
        entry(learner.id, learner.title, &facts, "--set", learner.parameters)
    });
    entries.collect::<Vec<_>>().join("\n")
}

fn entry(id: &str, title: &str, facts: &[(&str, String)], flag: &str, parameters: &[Parameter]) -> String {
    let mut out = format!("{id}: {title}\n");
    let facts = facts.iter().filter(|(_, value)| !value.is_empty());
    out.extend(facts.map(|(name, value)| format!("    {name}: {value}\n")));
    let typed = |p: &Parameter| match p.default {
        "" => format!("{}=", p.name),
        default => format!("{}={default}", p.name),
    };
    let width = parameters.iter().map(|p| typed(p).len()).max().unwrap_or(0);
    for parameter in parameters {
        let must = if parameter.default.is_empty() { "(must be given) " } else { "" };
        let line = format!("    {flag} {:<width$}  {must}{}\n", typed(parameter), parameter.doc);
        out.push_str(&line);
    }
    out
}
