//! Pieces of a coverage study that documents quote.

use super::{CoverageRow, cells};
use crate::analysis::phrase::{percent, range, readable};
use crate::figure::number_label;
use crate::group::distinct;
use crate::table::Table;
use goalward::{Settings, learners};

/// The table; `matrix D` with one column for each world at the failure probability D; and of every
/// learner, with D, `lost`, `limit` (in per cent) over all worlds, and with a world `lost` and
/// `width` there.
pub(super) fn of(all: &[CoverageRow]) -> Vec<(String, String)> {
    let table = cells(all).markdown().replace("theta*", "θ\\*").replacen("| delta |", "| δ |", 1);
    let mut parts = vec![("table".to_string(), table)];
    let mut put = |name: String, text: Option<String>| parts.extend(text.map(|text| (name, text)));
    for delta in distinct(all.iter().filter_map(|row| row.delta)) {
        let here = || all.iter().filter(move |row| row.delta == Some(delta));
        put(format!("matrix {delta}"), Some(matrix(all, delta).markdown()));
        for name in distinct(here().map(|row| row.name.as_str())) {
            let rows = || here().filter(|row| row.name == name);
            let lost = || rows().filter_map(|row| row.lost);
            put(format!("lost {name} {delta}"), range(lost().map(|p| p.share), percent));
            let most = lost().map(|p| p.limit).fold(f64::NEG_INFINITY, f64::max);
            put(format!("limit {name} {delta}"), (most >= 0.0).then(|| percent(most)));
            for row in rows() {
                let of = |what: &str| format!("{what} {name} {delta} {}", row.world);
                put(of("lost"), row.lost.map(|p| percent(p.share)));
                put(of("width"), row.width.map(|m| format!("{:.3}", m.mean)));
            }
        }
    }
    put("determinant/likelihood".into(), determinant(all));
    parts
}

/// The widths of the sets with `determinant` radii as multiples of the likelihood set's.
fn determinant(all: &[CoverageRow]) -> Option<String> {
    let alone = learners::recommended(&Settings::new()).id;
    let likelihood = |row: &CoverageRow| {
        let twin = |other: &&CoverageRow| {
            other.contender.learner == alone && other.world == row.world && other.delta == row.delta
        };
        Some(all.iter().find(twin)?.width?.mean)
    };
    let determinant = all.iter().filter(|row| row.radius == Some("determinant"));
    let ratios = determinant.filter_map(|row| Some(row.width?.mean / likelihood(row)?));
    range(ratios, |x| number_label(x, if x < 10.0 { 1 } else { 0 }))
}

/// Losses and widths with one column for each world.
fn matrix(all: &[CoverageRow], delta: f64) -> Table {
    let here = || all.iter().filter(move |row| row.delta == Some(delta));
    let worlds = distinct(all.iter().map(|row| row.world));
    let headings = std::iter::once("set".into()).chain(worlds.iter().map(|world| readable(world)));
    let mut table = Table::new(headings);
    for name in distinct(here().map(|row| row.name.as_str())) {
        let of = |world: &str| here().find(|row| row.name == name && row.world == world);
        let cell = |world: &str| {
            let row = of(world)?;
            Some(format!("{} lost, width {:.2}", row.lost?.hits, row.width?.mean))
        };
        let fails = |world: &&str| of(world).is_some_and(|row| row.guarantee == Some("no"));
        let none = if worlds.iter().all(fails) { " (no guarantee)" } else { "" };
        let cells = worlds.iter().map(|world| cell(world).unwrap_or("-".into()));
        table.row(std::iter::once(format!("`{name}`{none}")).chain(cells).collect());
    }
    table
}
