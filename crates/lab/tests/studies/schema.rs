//! docs/tables/records.md says what the tables are: it is written from their columns. `BLESS=1`
//! writes it.

use goalward_lab::results::{Column, IDENTITY, Kind, SCHEMA, TABLES};
use std::path::Path;

const ABOUT: &str = "\
# Columns of the records

[Studies](../lab.md#records) says what the tables are. A test writes this page from the columns.
";

fn page() -> String {
    let kind = |column: &Column| match column.kind {
        Kind::Count => "whole number (INT64, unsigned)",
        Kind::Real => "number (DOUBLE)",
        Kind::Text => "text (UTF-8)",
        Kind::Flag => "yes or no (BOOLEAN)",
    };
    let rows = |columns: &[Column]| -> String {
        let row = |c: &Column| {
            let about = c.about.replace('*', "\\*").replace('|', "\\|");
            format!(
                "| `{}` | {}{} | {about} |\n",
                c.name,
                kind(c),
                if c.optional { ", may be null" } else { "" }
            )
        };
        columns.iter().map(row).collect()
    };
    let head = "| column | holds | meaning |\n|---|---|---|\n";
    let mut page =
        format!("{ABOUT}\nThe version of the tables is {SCHEMA}.\n\n## Columns of every table\n\n{head}");
    page.push_str(&rows(IDENTITY));
    for (name, columns) in TABLES {
        page.push_str(&format!("\n## `{name}`\n\n{head}{}", rows(columns)));
    }
    page
}

#[test]
fn the_page_of_the_records_is_that_of_the_columns() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tables/records.md");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, page()).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == page(), "docs/tables/records.md differs from the columns: BLESS=1 writes it");
}
