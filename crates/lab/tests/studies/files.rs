//! Study files: what comes with goalward, and what is written by it.

use goalward_lab::Error;
use goalward_lab::grid::Grid;
use goalward_lab::pictures::kinds;
use goalward_lab::study::{SHIPPED, STARTER, Thinning, read, write};
use std::path::Path;

#[test]
fn every_study_is_read_and_what_is_written_is_the_same_study() {
    let starter = [("starter", STARTER)];
    for (name, text) in SHIPPED.iter().map(|study| (study.name, study.text)).chain(starter) {
        for quick in [false, true] {
            let study = read(text, Path::new(&format!("{name}.toml")), quick).unwrap().study;
            assert_eq!(study.name, name);
            let written = write(&study);
            let again = read(&written, Path::new(&format!("{name}.toml")), false)
                .unwrap_or_else(|error| panic!("{name}: {error}\n{written}"));
            assert_eq!(again.study, study, "{name}");
        }
    }
}

#[test]
fn every_file_in_studies_comes_with_goalward() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies");
    let mut there: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    there.sort();
    let mut shipped: Vec<&str> = SHIPPED.iter().map(|study| study.name).collect();
    shipped.sort_unstable();
    assert_eq!(there, shipped);
}

#[test]
fn seeds_lengths_and_grids_mean_what_they_say() {
    let text = r#"
seeds = "2..4,9"
learners = ["lr", { name = "levis++@B=3", label = "L", grid = { delta = [0.1, 0.01] } }, "random"]
set = { delta = 0.05 }
[[worlds]]
name = "windy-grid"
label = "grid"
steps = 50
grid = { n = [3, 4] }
[[worlds]]
name = "hard-instance"
episodes = 10
max_steps = 99
zip = { dim = [2, 3], episodes = [10, 1e2] }
[record]
episodes = "all"
plans = 2
"#;
    let study = read(text, Path::new("x.toml"), false).unwrap().study;
    assert_eq!(study.seeds, [2, 3, 9]);
    let worlds: Vec<&str> = study.worlds.iter().map(|w| w.label.as_str()).collect();
    assert_eq!(
        worlds,
        [
            "grid, n = 3",
            "grid, n = 4",
            "hard-instance, dim = 2, episodes = 10",
            "hard-instance, dim = 3, episodes = 1e2"
        ]
    );
    let lengths: Vec<_> =
        study.worlds.iter().map(|w| (w.length.episodes, w.length.max_steps, w.length.by_steps)).collect();
    assert_eq!(
        lengths,
        [(50, Some(50), true), (50, Some(50), true), (10, Some(99), false), (100, Some(99), false)]
    );
    let learners: Vec<_> = study
        .learners
        .iter()
        .map(|l| (l.contender.label.as_str(), l.contender.settings.get("delta")))
        .collect();
    assert_eq!(
        learners,
        [
            ("lr", Some("0.05")),
            ("L, delta = 0.1", Some("0.1")),
            ("L, delta = 0.01", Some("0.01")),
            ("random", None)
        ]
    );
    assert_eq!(study.learners[1].base, "L");
    assert_eq!((study.record.episodes, study.record.plans), (Thinning::All, Thinning::PerDoubling(2)));
}

/// Points are counted before any is made: these files are small, and what they ask for is not.
#[test]
fn too_many_points_are_refused_before_they_are_made() {
    let values = |n: usize| format!("{:?}", (0..n).collect::<Vec<_>>());
    let axes = |names: &[&str]| {
        names.iter().map(|name| format!("{name} = {}", values(900))).collect::<Vec<_>>().join(", ")
    };
    let world =
        |grids: &str| format!("worlds = [{{ name = \"windy-grid\", {grids} }}]\nlearners = [\"lr\"]\n");
    let seven = axes(&["a", "b", "c", "d", "e", "f", "g"]);
    let many = format!("{{ name = \"windy-grid\", grid = {{ n = {} }} }}, ", values(60_000));
    let files = [
        (world(&format!("grid = {{ {} }}", axes(&["n", "wind", "restart"]))), "729000000 points are more"),
        (world(&format!("grid = {{ {seven} }}")), "the points are more"),
        (world(&format!("zip = {{ {} }}, grid = {{ {} }}", axes(&["n"]), axes(&["wind"]))), "810000 points"),
        (format!("worlds = [{many}{many}]\nlearners = [\"lr\"]\n"), "120000 points"),
        (
            format!(
                "worlds = [\"windy-grid\"]\nlearners = [{{ name = \"levis++\", grid = {{ {} }} }}]\n",
                axes(&["B", "delta", "lambda"])
            ),
            "729000000 points",
        ),
        (
            format!(
                "grid = {{ {} }}\nworlds = [\"windy-grid\"]\nlearners = [\"levis++\"]\n",
                axes(&["B", "delta", "lambda"])
            ),
            "729000000 points",
        ),
    ];
    for (text, fault) in files {
        let text = format!("seeds = 1\nepisodes = 1\n{text}");
        let error = read(&text, Path::new("x.toml"), false).unwrap_err();
        assert!(matches!(error, Error::Study { .. }) && error.to_string().contains(fault), "{error}");
    }
    let text = "seeds = 1000000\nepisodes = 1\nworlds = [\"windy-grid\"]\nlearners = [\"lr\", \"random\"]\n";
    let error = Grid::open(&read(text, Path::new("x.toml"), false).unwrap()).unwrap_err();
    assert!(error.to_string().contains("2 learners and 1000000 seeds are more") && error.hint().is_some());
}

#[test]
fn every_kind_of_figure_can_be_asked_for() {
    for kind in kinds() {
        let name = serde_json::to_value(kind).unwrap();
        let text = format!(
            "seeds = 1\nepisodes = 1\nworlds = [\"windy-grid\"]\nlearners = [\"lr\"]\n[[figures]]\nkind = {name}\n"
        );
        let study = read(&text, Path::new("x.toml"), false).unwrap().study;
        assert_eq!(study.figures[0].kind, kind);
        assert_eq!(study.figures[0].name, name);
    }
}

#[test]
fn everybody_is_everybody() {
    let of = |learners: &str| {
        let text = format!("seeds = 1\nepisodes = 1\nworlds = [\"windy-grid\"]\nlearners = {learners}\n");
        let study = read(&text, Path::new("x.toml"), false).unwrap().study;
        study.learners.into_iter().map(|l| l.contender.label).collect::<Vec<_>>()
    };
    let all = of("\"all\"");
    assert!(all.len() > 20 && all.contains(&"levis++@radius=determinant".to_string()));
    assert!(!all.contains(&"optimal".to_string()), "it knows the truth");
    let lead = of("[\"lr\", \"all linear-mixture\"]");
    assert_eq!(lead[0], "lr");
    assert_eq!(lead.iter().filter(|label| *label == "lr").count(), 1);
    assert!(!lead.contains(&"eb-ssp".to_string()));
}
