//! How time and memory grow with a problem: `cargo xtask bench sizes` measures building, planning,
//! stepping and `solve` from 1e3 to 1e7 state-action pairs, and writes docs/tables/sizes.md.
//!
//! Worlds are `random-mixture` with 4 actions and 10 successors, with `simplex=true` (a mixture, as
//! `goalward mix` makes it) and without (models in general position). Each case runs in a process
//! of its own. What was measured is kept under `target/sizes`, so a run that was stopped goes on
//! where it was.
//!
//! `--pairs N`, `--dim D` and `--kind simplex|general` choose cases, `--fresh` measures them again,
//! `--limit SECONDS` says when a part of a case is given up (300), `--page` measures nothing.

mod case;
#[path = "../harness/mod.rs"]
mod harness;
mod measure;
mod page;

use case::{Case, Kind, Outcome};
use std::path::{Path, PathBuf};
use std::time::Duration;

const PAIRS: [usize; 5] = [1_000, 10_000, 100_000, 1_000_000, 10_000_000];
const DIMS: [usize; 3] = [4, 10, 32];

/// What the command line asks for.
struct Asked {
    pairs: Option<usize>,
    dim: Option<usize>,
    kind: Option<Kind>,
    fresh: bool,
    measures: bool,
    limit: Duration,
}

fn asked(args: &[String]) -> Result<Asked, String> {
    let mut asked = Asked {
        pairs: None,
        dim: None,
        kind: None,
        fresh: false,
        measures: true,
        limit: Duration::from_secs(300),
    };
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut number = || args.next().and_then(|text| text.parse::<f64>().ok()).ok_or(format!("{arg} N"));
        match arg.as_str() {
            "--pairs" => asked.pairs = Some(number()? as usize),
            "--dim" => asked.dim = Some(number()? as usize),
            "--limit" => asked.limit = Duration::from_secs_f64(number()?.clamp(1.0, 1e6)),
            "--kind" => {
                let kind = args.next().and_then(|text| Kind::named(text));
                asked.kind = Some(kind.ok_or("--kind simplex|general")?);
            }
            "--fresh" => asked.fresh = true,
            "--page" => asked.measures = false,
            "--bench" => {}
            other => {
                return Err(format!("{other}: expected --pairs, --dim, --kind, --fresh, --limit, --page"));
            }
        }
    }
    Ok(asked)
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All cases, the small ones first.
fn cases() -> Vec<Case> {
    let of = |pairs| DIMS.map(|dim| Kind::ALL.map(|kind| Case { kind, pairs, dim })).concat();
    PAIRS.into_iter().flat_map(of).collect()
}

fn main() -> Result<(), String> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [child, kind, pairs, dim] = &args[..]
        && child == "--child"
    {
        let parse = |text: &String| text.parse().map_err(|_| format!("{text} is no number"));
        let kind = Kind::named(kind).ok_or("--child KIND PAIRS DIM")?;
        measure::all(&Case { kind, pairs: parse(pairs)?, dim: parse(dim)? });
        return Ok(());
    }
    let asked = asked(&args)?;
    let folder = root().join("target/sizes");
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let chosen = |case: &&Case| {
        asked.pairs.is_none_or(|pairs| pairs == case.pairs)
            && asked.dim.is_none_or(|dim| dim == case.dim)
            && asked.kind.is_none_or(|kind| kind == case.kind)
    };
    for case in cases().iter().filter(chosen).filter(|_| asked.measures) {
        if case.is_measured(&folder) && !asked.fresh {
            continue;
        }
        match case.run(&folder, asked.limit)? {
            Outcome::Measured => eprintln!("{case}: measured"),
            Outcome::Failed => eprintln!("{case}: failed"),
            Outcome::TooLarge { free } => {
                eprintln!("{case}: needs {:.1} GB, and {:.1} GB are free", 1e-9 * case.needs(), 1e-9 * free)
            }
        }
        page::write(&root(), &folder, &cases())?;
    }
    page::write(&root(), &folder, &cases())
}
