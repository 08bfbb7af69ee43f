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
    let endings: Vec<String> = files(&place.path("here"));
    for ending in [".csv", ".svg", ".png"] {
        assert!(endings.iter().any(|name| name.ends_with(ending)), "{ending}: {endings:?}");
    }
    place.run(&format!("{run} --json")).done().json();
    assert!(!files(&place.path("out/compare")).is_empty());
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
    let run = "reproduce --dims 2 --episodes 30 --seeds 0..2 --out here";
    let ran = place.run(run).done();
    assert!(!ran.out.is_empty());
    assert!(!files(&place.path("here")).is_empty());
    place.run(&format!("{run} --json --quiet")).done().json();
}

fn files(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}
