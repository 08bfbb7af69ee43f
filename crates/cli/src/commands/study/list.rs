//! `goalward study list`

use super::named;
use crate::exit::Outcome;
use crate::output;
use goalward_lab::study::{SHIPPED, Study};
use serde_json::json;

/// List the studies that come with goalward
#[derive(clap::Args)]
pub(crate) struct ListStudiesArgs {
    /// A study: prints its file
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Print the list as one JSON value
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: ListStudiesArgs) -> anyhow::Result<Outcome> {
    if let Some(name) = &args.name {
        named::shipped(name, false)?;
        let text = SHIPPED.iter().find(|study| study.name == name).map_or("", |study| study.text);
        output::text(text)?;
        return Ok(Outcome::Done);
    }
    let mut rows = Vec::new();
    let mut text = String::new();
    for shipped in SHIPPED {
        let Study { title, worlds, learners, seeds, .. } = named::shipped(shipped.name, false)?.study;
        let runs = worlds.len() * learners.len() * seeds.len();
        text.push_str(&format!("{:<14}{title} ({runs} runs)\n", shipped.name));
        rows.push(json!({
            "name": shipped.name, "title": title, "runs": runs,
            "worlds": worlds.len(), "learners": learners.len(), "seeds": seeds.len(),
        }));
    }
    text.push_str("\n`goalward study run NAME` runs one, `goalward study list NAME` prints its file.\n");
    if args.json {
        output::json(&rows)?
    } else {
        output::text(&text)?
    }
    Ok(Outcome::Done)
}
