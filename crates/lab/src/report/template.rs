//! Fills a template.

use crate::{Error, Result};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior};
use serde::Serialize;

/// A page: its own values, the data for its script, the scripts and the styles.
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

/// Fills a template; all text is escaped, but for data, scripts and styles.
pub(super) fn fill<P: Serialize>(
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
