//! Figures with a row for each learner and a panel for each world.

use super::chosen::Chosen;
use super::{Picture, pictures};
use crate::Result;
use crate::figure::{Axis, Entry, Head, RowPanel, Rows};

/// The most rows under one another in a picture, over all panels.
const MOST_ROWS: usize = 50;
/// Where the largest number is this many times the least, the axis is logarithmic.
const FAR_APART: f64 = 40.0;

/// What a figure of rows is about.
pub(super) struct About<'a> {
    /// What its axis measures.
    pub(super) measure: &'a str,
    /// What a reader must know.
    pub(super) notes: Vec<String>,
    /// Dots, and never bars.
    pub(super) dots: bool,
    /// Whether the axis may be logarithmic.
    pub(super) log: bool,
}

/// Draws the entries of these learners in all worlds of a figure.
pub(super) fn draw(
    chosen: &Chosen,
    learners: &[usize],
    about: &About,
    headline: impl Fn(&[usize]) -> String,
    entry: impl Fn(usize, usize) -> Entry,
) -> Result<Vec<Picture>> {
    let spec = chosen.spec;
    let columns = chosen.worlds.len().clamp(1, 3);
    let stacked = (MOST_ROWS / learners.len().max(1)).clamp(1, 4);
    pictures(spec, chosen.worlds.chunks(columns * stacked), |worlds| {
        let panel = |&w: &usize| RowPanel {
            title: if worlds.len() > 1 { chosen.world(w).into() } else { String::new() },
            x: Axis { title: about.measure.into(), ..Axis::default() },
            entries: learners.iter().map(|&l| entry(w, l)).collect(),
        };
        let mut panels: Vec<RowPanel> = worlds.iter().map(panel).collect();
        for panel in &mut panels {
            settle(panel, chosen, about);
        }
        let label =
            |&l: &usize| (chosen.name(worlds, l) + &chosen.missing(worlds, l), chosen.stroke(l).colour);
        let title = spec.headline(|| headline(worlds));
        let mut notes = about.notes.clone();
        if let ([world], Some(first)) = (worlds, notes.first_mut()) {
            let world = chosen.world(*world);
            if !title.contains(world) {
                *first = format!("{world} · {first}");
            }
        }
        let rows = Rows {
            head: Head { title: title.clone(), notes },
            labels: learners.iter().map(label).collect(),
            panels,
            columns,
            size: spec.size,
            dots: about.dots,
        };
        (alt(&title, &rows), rows.draw())
    })
}

/// The axis of a panel: what the file says of either axis, and otherwise by the numbers.
fn settle(panel: &mut RowPanel, chosen: &Chosen, about: &About) {
    let (x, y) = (&chosen.spec.x, &chosen.spec.y);
    let values = || panel.entries.iter().filter_map(|e| e.value).filter(|v| *v > 0.0);
    let (least, most) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
    let wide = about.log && least.is_finite() && most > FAR_APART * least;
    panel.x.log = y.log.or(x.log).unwrap_or(wide);
    panel.x.range = y.range.or(x.range);
    if let Some(title) = y.title.as_ref().or(x.title.as_ref()) {
        panel.x.title = title.clone();
    } else if panel.x.log {
        panel.x.title.push_str(" (logarithmic)");
    }
    if panel.x.log {
        for entry in panel.entries.iter_mut().filter(|e| e.value.is_some_and(|v| v <= 0.0)) {
            entry.text.push_str(" (not on this axis)");
        }
    }
}

/// All numbers, in words.
fn alt(title: &str, rows: &Rows) -> String {
    let mut text = format!("{title}.");
    for panel in &rows.panels {
        let entries = panel.entries.iter().zip(&rows.labels);
        let said: Vec<String> = entries.map(|(e, (label, _))| format!("{label}: {}", e.text)).collect();
        let name = if panel.title.is_empty() { String::new() } else { format!(" {},", panel.title) };
        text.push_str(&format!("{name} {}: {}.", panel.x.title, said.join("; ")));
    }
    text
}
