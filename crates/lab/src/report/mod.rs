//! What people are shown: the HTML report of a study, and the replay of a run. Each is one file
//! that needs nothing else.
//!
//! A page is a template (`assets/report/`) that is filled by values of plain text. All text is
//! escaped where it is filled in, so that a label can say what it likes. A policy inside the page
//! forbids every request, and every script but its own.

mod cells;
mod curves;
mod embed;
mod island;
mod page;
mod parameters;
mod tables;

use crate::analysis::Findings;
use crate::pictures::Picture;
use crate::results::Results;
use crate::{Error, Result};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior};
use serde::Serialize;

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
    let island = embed::json(&island::of(results));
    let page = page::of(results, findings, pictures);
    fill(TEMPLATE, page, &island, &SCRIPTS, &STYLES)
}

/// What every page has: its own values, the data for its script, the scripts and the styles.
#[derive(Serialize)]
struct Filled<'a, P: Serialize> {
    #[serde(flatten)]
    page: P,
    /// By this mark the browser knows the page's own scripts. It depends on what the page says, so
    /// that no text in it can know it beforehand, and the same page has the same bytes.
    nonce: String,
    island: &'a str,
    script: String,
    style: String,
}

fn fill<P: Serialize>(
    template: &str,
    page: P,
    island: &str,
    scripts: &[&str],
    styles: &[&str],
) -> Result<String> {
    let failed = |error: minijinja::Error| Error::Report { reason: format!("{error:#}") };
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment
        .set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build().map_err(failed)?);
    let nonce = blake3::hash(island.as_bytes()).to_hex()[..32].to_string();
    let filled = Filled { page, nonce, island, script: scripts.join("\n"), style: styles.join("\n") };
    environment.render_named_str("page.html", template, Serde(filled)).map_err(failed)
}

#[cfg(test)]
mod tests;
