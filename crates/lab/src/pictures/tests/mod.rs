//! Every kind of figure, on results of every shape.

mod gallery;
pub(crate) mod samples;

use super::*;
use crate::figure::{Colour, Dash};
use crate::study::Band;

/// Those of curves that every learner has.
const CURVES: [FigureKind; 4] =
    [FigureKind::Regret, FigureKind::GapRegret, FigureKind::PerRoot, FigureKind::LogLog];

/// Those that need neither a world that can be opened nor a family of worlds.
fn with_curves_or_rows() -> impl Iterator<Item = FigureKind> {
    kinds().filter(|kind| !matches!(kind, FigureKind::Values | FigureKind::Growth))
}

/// Nothing that a viewer would choke on.
fn sound(picture: &Picture) {
    let svg = picture.svg();
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    for bad in ["NaN", "inf", "-2147483648", "2147483647"] {
        assert!(!svg.contains(bad), "{}: {bad}", picture.name);
    }
    assert!(!picture.title.is_empty() && picture.alt.len() > picture.title.len());
}

#[test]
fn extreme_results_are_drawn() {
    let many: Vec<String> = (0..23).map(|i| format!("{} learner {i}", "long name ".repeat(7))).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let worlds = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let mut shapes = vec![
        ("plain", samples::results(&["x", "y"], &["w"], 5, 100)),
        ("no runs", samples::results(&["x", "y"], &["w"], 0, 100)),
        ("one run", samples::results(&["x"], &["w"], 1, 100)),
        ("one episode", samples::results(&["x", "y"], &["w", "v"], 3, 1)),
        ("many", samples::results(&many, &worlds[..1], 2, 40)),
        ("many worlds", samples::results(&many[..3], &worlds, 2, 40)),
        ("more worlds", samples::results(&["x"], &["w"; 20], 2, 40)),
    ];
    for (name, factor) in [("zero", 0.0), ("negative", -1.0), ("huge", 1e290), ("tiny", 1e-290)] {
        let mut results = samples::results(&["x", "y"], &["w"], 3, 100);
        for run in results.cells.iter_mut().flat_map(|cell| &mut cell.runs) {
            run.row.gap_regret *= factor;
            run.row.regret *= factor;
            for row in &mut run.episodes {
                (row.regret, row.gap_regret) = (row.regret * factor, row.gap_regret * factor);
            }
        }
        shapes.push((name, results));
    }
    for (name, results) in &shapes {
        for kind in with_curves_or_rows() {
            for band in [Band::Student, Band::Quantiles, Band::Simultaneous, Band::None] {
                let spec = FigureSpec { band, ..samples::spec(kind) };
                let pictures = draw(results, &spec).unwrap_or_else(|e| panic!("{name} {kind:?}: {e}"));
                assert!(!pictures.is_empty(), "{name} {kind:?}");
                pictures.iter().for_each(sound);
            }
        }
    }
}

#[test]
fn every_learner_is_named_with_its_own_stroke() {
    let names: Vec<String> = (0..23).map(|i| format!("learner{i}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut results = samples::results(&names, &["w", "v"], 2, 30);
    results.study.learners[3].look.colour = Some(Colour::BLUE);
    results.study.learners[4].look.dash = Some(Dash::Dotted);
    let strokes = strokes(&results.study);
    assert_eq!((strokes[3].colour, strokes[4].dash), (Colour::BLUE, Dash::Dotted));
    for (n, one) in strokes.iter().enumerate() {
        assert!(strokes[..n].iter().all(|s| (s.colour, s.dash) != (one.colour, one.dash)), "{n}");
    }
    for kind in CURVES.into_iter().chain([FigureKind::Bars, FigureKind::Time]) {
        let pictures = draw(&results, &samples::spec(kind)).unwrap();
        let svg = pictures[0].svg();
        for (name, stroke) in names.iter().zip(&strokes) {
            assert!(svg.contains(&format!("\n{name}\n")), "{kind:?} {name}");
            assert!(svg.contains(&stroke.colour.hex()), "{kind:?} {name}");
        }
    }
}

#[test]
fn growth_has_a_figure_for_each_family() {
    let mut results = samples::growing();
    let spec = samples::spec(FigureKind::Growth);
    let pictures = draw(&results, &spec).unwrap();
    let names: Vec<&str> = pictures.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["growth-a", "growth-b"]);
    pictures.iter().for_each(sound);
    for words in ["x: exponent 0.50 [0.50, 0.50]", "y: exponent 1.00", "slope 0.4", "not on this axis"] {
        assert!(pictures[0].svg().contains(words) || pictures[0].alt.contains(words), "{words}");
    }
    results.study.analysis.growth.clear();
    assert!(draw(&results, &spec).unwrap().is_empty());
}
