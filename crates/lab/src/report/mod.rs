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
mod replay;
mod tables;
mod template;

pub use replay::{Recorder, replay};

use crate::Result;
use crate::analysis::Findings;
use crate::pictures::Picture;
use crate::results::Results;

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
    template::fill(TEMPLATE, page, &island, &SCRIPTS, &STYLES)
}

#[cfg(test)]
mod tests;
