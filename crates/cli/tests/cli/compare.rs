//! `compare` and `reproduce`, on a small scale.

use super::*;

#[test]
fn a_comparison_prints_a_table_and_writes_its_files() {
    let place = Place::new();
    let run = "compare hard-instance --param dim=2 --learners levis++,levis++@radius=scaled:0.003,random \
               --set B=3 --seeds 0..3 --episodes 20";
    let ran = place.run(&format!("{run} --out here --threads 2")).done();
    for word in ["levis++", "scaled:0.003", "random"] {
        assert!(ran.out.contains(word), "{}", ran.out);
    }
    assert!(ran.err.contains("here"), "{}", ran.err);
    for file in ["study.toml", "summary.md", "report.html", "figures/regret.svg", "figures/regret.png"] {
        assert!(place.path("here").join(file).exists(), "{file}");
    }
    // the file that it wrote is the study that it ran
    let study = place.path("here/study.toml");
    std::fs::copy(study, place.path("compare.toml")).unwrap();
    let again = place.run("study run compare.toml --out here").done();
    assert!(again.err.contains("9 of 9 runs were there already"), "{}", again.err);
    place.run(&format!("{run} --json")).done().json();
    assert!(place.path("out/compare/report.html").exists());
}

#[test]
fn a_setting_that_nobody_has_is_refused() {
    let place = Place::new();
    let run = "compare hard-instance --learners random,optimal --seeds 0..2 --episodes 2 --set B=3";
    place.run(run).refused(&["B=3", "no contender", "hint: "]);
    place.run("compare hard-instance --learners random@ --seeds 0..2").refused(&["random@", "hint: "]);
}

#[test]
fn a_small_reproduction() {
    let place = Place::new();
    let run = "reproduce --episodes 30 --seeds 0..2 --out here";
    let ran = place.run(run).done();
    assert!(!ran.out.is_empty());
    assert!(place.path("here/figures/regret.png").exists());
    place.run(&format!("{run} --json --quiet")).done().json();
}

#[test]
fn a_comparison_against_one() {
    let place = Place::new();
    let run =
        "compare hard-instance --param dim=2 --learners lr,random --seeds 0..3 --episodes 50 --out here";
    let ran = place.run(&format!("{run} --against lr")).done();
    assert!(ran.out.contains("less that of lr"), "{}", ran.out);
    place.run(&format!("{run} --against levis")).refused(&["--against levis", "hint: ", "lr"]);
}

#[test]
fn the_demo_runs() {
    let place = Place::new();
    let ran = place.run("demo --episodes 5 --seeds 0..2 --out here").done();
    assert!(ran.out.contains("scaled:"), "{}", ran.out);
    assert!(place.path("here/figures/regret.png").exists());
    place.run("demo --episodes 5 --seeds 0..2 --json -q --out here").done().json();
}
