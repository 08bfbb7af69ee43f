//! docs/tables/records.md says what the tables are: it is written from their columns. `BLESS=1` writes it.

use goalward_lab::results::{Column, IDENTITY, Kind, SCHEMA, TABLES};
use std::path::Path;

const ABOUT: &str = "\
# Columns of the records

<<<<<<< HEAD
[Studies](../lab.md#records) says what the tables are. A test writes this page from the columns.
=======
The folder of a study holds its records as Parquet, one small file for each run and table. The same
run gives the same bytes, on any number of threads and machines, and through any number of
interruptions. Times stand in the manifests alone. `goalward study run demo` writes this one:

```text
out/demo/
  .goalward-study       the mark of such a folder, which lists goalward's files and jobs
  study.toml            the question, as it was understood: a study file
  plan.json             every run with its hash; version and commit of goalward
  runs/JOB.parquet      one row for each run
  episodes/JOB.parquet  regret over the episodes
  plans/JOB.parquet     planning calls
  probes/JOB.parquet    what the learner knew of theta
  manifests/JOB.json    finished or failed; settings in force, guarantee, machine, times
  work/                 runs under way
  figures/  summary.md  report.html
```

A folder of files is one table to those who read Parquet:

```python
import pandas
pandas.read_parquet(\"out/demo/episodes\")

import polars
polars.read_parquet(\"out/demo/episodes/*.parquet\")

import duckdb
duckdb.sql(\"select learner, avg(gap_regret) from 'out/demo/runs/*.parquet' group by learner\")
```

`goalward study export out/demo --csv DIR` writes the tables as CSV.

**Thinning.** Of episodes, plans and probes so many are kept to each doubling of their number: with
p to a doubling, between 2^e and 2^(e+1) every (2^e/p)-th one from 2^e on. Powers of two and of ten
are always kept, and so is the last. The rule does not depend on the length of the run.

**A job's hash** covers all that determines its result: version and commit of goalward, the world
with its parameters or the content of its file, the learner with its settings, the seed, the length,
and what is recorded. A job is finished when its manifest is there. The manifest is written last and
has the hashes of the job's tables.
>>>>>>> heads/crates
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
