//! The HTML report of a study, and the replay of a run: each one file that opens offline, from a
//! template (`assets/report/`). All text is escaped. A policy inside the page forbids every request, and
//! every script but its own.

mod curves;
mod embed;
mod island;
mod page;
mod replay;
mod tables;

pub use replay::{Recorder, replay};

use crate::analysis::Findings;
use crate::pictures::Picture;
use crate::results::Results;
use crate::{Error, Result};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior};
use serde_json::Value;

const TEMPLATE: &str = include_str!("../../assets/report/report.html");
const SCRIPTS: [&str; 3] = [
    include_str!("../../assets/uplot/uPlot.iife.min.js"),
    include_str!("../../assets/report/page.js"),
    include_str!("../../assets/report/report.js"),
];
const STYLES: [&str; 3] = [
    include_str!("../../assets/uplot/uPlot.min.css"),
    include_str!("../../assets/report/page.css"),
    include_str!("../../assets/report/report.css"),
];

/// The report of a study as one HTML file that opens offline.
pub fn html(results: &Results, findings: &Findings, pictures: &[Picture]) -> Result<String> {
    let page = page::of(results, findings, pictures);
    fill(TEMPLATE, page, &island::of(results), &SCRIPTS, &STYLES)
}

/// A template filled with the values of a page, the data for its scripts, the scripts and the
/// styles. All text is escaped except for the last three.
fn fill(
    template: &str,
    mut page: Value,
    island: &Value,
    scripts: &[&str],
    styles: &[&str],
) -> Result<String> {
    let failed = |error: minijinja::Error| Error::Unmade { what: "report", reason: format!("{error:#}") };
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment
        .set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build().map_err(failed)?);
    let island = embed::json(island);
    // the nonce admits the page's own scripts. It depends on the content, so that no text in the page
    // can contain it, and equal pages have equal bytes
    page["nonce"] = blake3::hash(island.as_bytes()).to_hex()[..32].into();
    page["island"] = island.into();
    page["script"] = scripts.join("\n").into();
    page["style"] = styles.join("\n").into();
    environment.render_named_str("page.html", template, Serde(page)).map_err(failed)
}

#[cfg(test)]
mod tests;
