//! Every kind of figure, on results of every shape.

use super::samples;
use super::*;
use crate::figure::{Colour, Dash, Marker};
use crate::study::{Band, MarkSpec};
use std::path::Path;

/// Those of curves that every learner has.
const CURVES: [FigureKind; 4] =
    [FigureKind::Regret, FigureKind::GapRegret, FigureKind::PerRoot, FigureKind::LogLog];

const KINDS: [FigureKind; 9] = [
    FigureKind::Regret,
    FigureKind::GapRegret,
    FigureKind::PerRoot,
    FigureKind::LogLog,
    FigureKind::Bars,
    FigureKind::Coverage,
    FigureKind::Width,
    FigureKind::Time,
    FigureKind::Set,
];

/// Nothing that a viewer would choke on.
fn sound(picture: &Picture) {
    let svg = &picture.svg;
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
        for kind in KINDS {
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
        let svg = &draw(&results, &samples::spec(kind)).unwrap()[0].svg;
        for (name, stroke) in names.iter().zip(&strokes) {
            assert!(svg.contains(&format!("\n{name}\n")), "{kind:?} {name}");
            assert!(svg.contains(&stroke.colour.hex()), "{kind:?} {name}");
        }
    }
}

/// The support of an ellipse around a point, the narrower the later.
fn support(turn: f64, time: f64) -> f64 {
    let (cos, sin) = ((turn * std::f64::consts::TAU).cos(), (turn * std::f64::consts::TAU).sin());
    0.3 * cos + 0.45 * sin + f64::hypot(cos, 0.4 * sin) / time
}

/// Gives the runs confidence sets that were watched: some lose theta*, all become narrower.
fn watched(results: &mut crate::results::Results) {
    use crate::results::ProbeRow;
    for cell in results.cells.iter_mut().filter(|cell| cell.learner != 4) {
        for (r, run) in cell.runs.iter_mut().enumerate() {
            run.row.beta = Some(1.0);
            run.row.lost = (r * cell.learner % 7 == 3).then_some(17);
            let probe = |i: u32| ProbeRow {
                t: 2u64.pow(i) + r as u64,
                quantity: "width".into(),
                value: Some((1.0 + cell.learner as f64) / (1.0 + cell.learner as f64 + f64::from(i))),
                ..ProbeRow::default()
            };
            run.probes = (0..12).map(probe).collect();
            let outline = |i: u32, k: u32| ProbeRow {
                t: 2u64.pow(i),
                quantity: format!("support[0,1] {k}/16"),
                value: Some(support(f64::from(k) / 16.0, f64::from(1 + i))),
                ..ProbeRow::default()
            };
            run.probes.extend((0..12).flat_map(|i| (0..16).map(move |k| outline(i, k))));
        }
    }
}

#[test]
fn growth_has_a_figure_for_each_family() {
    use crate::study::{Grows, GrowthAsk, GrowthFamily};
    let worlds = ["a K=100", "a K=1000", "a K=10000", "b 1", "b 2"];
    let mut results = samples::results(&["x", "y", "z"], &worlds, 9, 100);
    for (w, world) in results.study.worlds.iter_mut().enumerate() {
        world.base = world.label.split(' ').next().unwrap().into();
        world.length.episodes = 10u64.pow(2 + w as u32 % 3);
    }
    for cell in &mut results.cells {
        let k = results.study.worlds[cell.world].length.episodes as f64;
        for run in &mut cell.runs {
            run.row.gap_regret = [k.sqrt(), k, 0.0][cell.learner] * (1.0 + 0.1 * run.seed as f64);
            run.row.t_star = 3.0 + cell.world as f64;
        }
    }
    let family = |world: &str, over, expect| GrowthFamily { world: world.into(), over, expect };
    results.study.analysis.growth = Some(GrowthAsk {
        families: vec![family("a", Grows::Episodes, Some((0.4, 0.6))), family("b", Grows::TStar, None)],
    });
    let spec = FigureSpec { png: true, ..samples::spec(FigureKind::Growth) };
    let pictures = draw(&results, &spec).unwrap();
    let names: Vec<&str> = pictures.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["growth-a", "growth-b"]);
    pictures.iter().for_each(sound);
    for words in ["x: exponent 0.50 [0.50, 0.50]", "y: exponent 1.00", "slope 0.4", "not on this axis"] {
        assert!(pictures[0].svg.contains(words) || pictures[0].alt.contains(words), "{words}");
    }
    results.study.analysis.growth = None;
    assert!(draw(&results, &spec).unwrap().is_empty());
}

/// Draws what people look at. Run it, open the files, and mend what is ugly:
/// `cargo test -p goalward-lab --lib look_at -- --ignored`.
#[test]
#[ignore = "draws pictures for people to look at"]
fn look_at_the_pictures() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/pictures");
    std::fs::create_dir_all(&folder).unwrap();
    let put = |name: &str, results: &crate::results::Results, spec: FigureSpec| {
        let spec = FigureSpec { png: true, name: name.into(), ..spec };
        for picture in draw(results, &spec).unwrap() {
            std::fs::write(folder.join(format!("{}.png", picture.name)), &picture.png).unwrap();
            std::fs::write(folder.join(format!("{}.svg", picture.name)), &picture.svg).unwrap();
        }
    };
    let names = [
        "levis++lr",
        "levis++ (printed radius)",
        "lr",
        "levis",
        "random",
        "uc-ssp",
        "psrl-ssp",
        "eb-ssp",
        "visgo",
        "optimal",
        "ucrl-vtr-ssp",
        "lsvi-ucb-ssp",
    ];
    let mut ten = samples::results(&names, &["windy-grid@n=5"], 20, 2000);
    let twin = ten.cells[1].runs.clone();
    ten.cells[4].runs = twin;
    ten.cells[2].runs.iter_mut().for_each(|r| r.row.guarantee = Some("no".into()));
    ten.cells[6].runs.truncate(7);
    for run in ten.cells[5].runs.iter_mut().take(11) {
        run.row.outcome = "truncated".into();
        run.episodes.truncate(30);
    }
    for run in &mut ten.cells[9].runs {
        run.episodes.iter_mut().for_each(|e| (e.regret, e.gap_regret) = (-0.01 * e.regret, 0.0));
    }
    watched(&mut ten);
    for kind in KINDS {
        let marks = vec![MarkSpec {
            label: "LEVIS++ published (digitised)".into(),
            colour: Colour::VERMILLION,
            marker: Marker::Circle,
            points: vec![(10.0, 3.0), (30.0, 2.0)],
        }];
        let marks = if kind == FigureKind::PerRoot { marks } else { Vec::new() };
        put(&format!("{kind:?}-ten"), &ten, FigureSpec { marks, ..samples::spec(kind) });
    }
    let worlds =
        ["hard-instance", "corridor", "windy-grid", "random-mixture", "ladder", "taxi", "cliff", "lake"];
    let mut eight = samples::results(&names[..5], &worlds, 5, 2000);
    watched(&mut eight);
    for kind in [FigureKind::Bars, FigureKind::Coverage, FigureKind::Width, FigureKind::Time, FigureKind::Set]
    {
        put(&format!("{kind:?}-eight"), &eight, samples::spec(kind));
    }
    put("GapRegret-eight", &eight, samples::spec(FigureKind::GapRegret));
    put("LogLog-eight", &eight, FigureSpec { band: Band::Quantiles, ..samples::spec(FigureKind::LogLog) });
    for (world, params) in
        [("windy-grid", &["n=7"][..]), ("frozen-lake", &["restart=true"]), ("cliff", &[]), ("ladder", &[])]
    {
        let mut results = samples::results(&["x"], &[world], 1, 10);
        results.study.worlds[0].place.world = world.into();
        results.study.worlds[0].place.params = goalward::Settings::parse(params).unwrap();
        put(&format!("values-{world}"), &results, samples::spec(FigureKind::Values));
    }
    let long: Vec<String> = (0..23)
        .map(|i| {
            format!("levis++@radius=scaled:0.00{i}@lambda=1 with a label of eighty characters, and then")
        })
        .collect();
    let long: Vec<&str> = long.iter().map(String::as_str).collect();
    put("GapRegret-long", &samples::results(&long, &["w"], 3, 100), samples::spec(FigureKind::GapRegret));
    put("GapRegret-none", &samples::results(&["a"], &["w"], 0, 100), samples::spec(FigureKind::GapRegret));
    put("GapRegret-one", &samples::results(&["a"], &["w"], 1, 1), samples::spec(FigureKind::GapRegret));
}
