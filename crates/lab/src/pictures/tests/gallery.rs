//! Every kind of picture, with all that can go wrong in the data. To look at them:
//! `PICTURES=1 cargo test -p goalward-lab --lib gallery` puts them below `target/pictures`.

use super::{samples, with_curves_or_rows};
use crate::figure::{Colour, Format, Marker, Marks};
use crate::pictures::draw;
use crate::results::Results;
use crate::study::{Band, FigureKind, FigureSpec};
use std::path::Path;

const NAMES: [&str; 12] = [
    "LEVIS++ and likelihood",
    "LEVIS++ (printed radius)",
    "likelihood alone",
    "LEVIS",
    "no plan at all",
    "UC-SSP",
    "PSRL-SSP",
    "EB-SSP",
    "VISGO",
    "best",
    "UCRL-VTR-SSP",
    "LSVI-UCB-SSP",
];

fn put(name: &str, results: &Results, spec: FigureSpec) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/pictures");
    let kept = std::env::var_os("PICTURES").is_some();
    let spec = FigureSpec { formats: Format::all(), name: name.into(), ..spec };
    let pictures = draw(results, &spec).unwrap();
    assert!(!pictures.is_empty(), "{name}");
    for picture in pictures {
        let png = picture.file(Format::Png);
        assert!(png.starts_with(b"\x89PNG") && png.len() > 1000, "{name}");
        assert!(picture.svg().contains("</svg>"), "{name}");
        if !kept {
            continue;
        }
        std::fs::create_dir_all(&folder).unwrap();
        for (format, bytes) in &picture.files {
            std::fs::write(folder.join(format!("{}.{}", picture.name, format.ending())), bytes).unwrap();
        }
    }
}

/// Twelve learners in one world, with all that can go wrong.
fn twelve() -> Results {
    let mut results = samples::results(&NAMES, &["windy-grid@n=5"], 20, 2000);
    let twin = results.cells[1].runs.clone();
    results.cells[4].runs = twin;
    results.cells[2].runs.iter_mut().for_each(|r| r.row.guarantee = Some("no".into()));
    results.cells[6].runs.truncate(7);
    for run in results.cells[5].runs.iter_mut().take(11) {
        run.row.outcome = "truncated".into();
        run.episodes.truncate(30);
    }
    for run in &mut results.cells[9].runs {
        run.episodes.iter_mut().for_each(|e| (e.regret, e.gap_regret) = (-0.01 * e.regret, 0.0));
    }
    samples::watched(&mut results);
    results
}

#[test]
fn one_world() {
    let results = twelve();
    for kind in with_curves_or_rows() {
        let marks = vec![Marks {
            label: "LEVIS++ published (digitised)".into(),
            colour: Colour::VERMILLION,
            marker: Marker::Circle,
            points: vec![(10.0, 3.0), (30.0, 2.0)],
        }];
        let marks = if kind == FigureKind::PerRoot { marks } else { Vec::new() };
        put(&format!("{kind:?}-one"), &results, FigureSpec { marks, ..samples::spec(kind) });
    }
    put("growth", &samples::growing(), samples::spec(FigureKind::Growth));
}

#[test]
fn eight_worlds() {
    let worlds =
        ["hard-instance", "corridor", "windy-grid", "random-mixture", "ladder", "taxi", "cliff", "lake"];
    let mut results = samples::results(&NAMES[..5], &worlds, 5, 2000);
    samples::watched(&mut results);
    for kind in with_curves_or_rows() {
        put(
            &format!("{kind:?}-eight"),
            &results,
            FigureSpec { band: Band::Quantiles, ..samples::spec(kind) },
        );
    }
}

#[test]
fn values_and_extremes() {
    for (world, params) in
        [("windy-grid", &["n=7"][..]), ("frozen-lake", &["restart=true"]), ("cliff", &[]), ("ladder", &[])]
    {
        let mut results = samples::results(&["x"], &[world], 1, 10);
        results.study.worlds[0].place.world = world.into();
        results.study.worlds[0].place.params = goalward::Settings::parse(params).unwrap();
        put(&format!("values-{world}"), &results, samples::spec(FigureKind::Values));
    }
    let long =
        |i: u32| format!("a learner@radius=scaled:0.00{i}@lambda=1 with a label of eighty characters, yes");
    let long: Vec<String> = (0..23).map(long).collect();
    let long: Vec<&str> = long.iter().map(String::as_str).collect();
    for kind in [FigureKind::GapRegret, FigureKind::Bars] {
        put(&format!("{kind:?}-long"), &samples::results(&long, &["w"], 3, 100), samples::spec(kind));
        put(&format!("{kind:?}-none"), &samples::results(&["a"], &["w"], 0, 100), samples::spec(kind));
        put(&format!("{kind:?}-single"), &samples::results(&["a"], &["w"], 1, 1), samples::spec(kind));
    }
}
