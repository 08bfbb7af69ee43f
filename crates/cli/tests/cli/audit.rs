//! `audit`: its table, its JSON, its exit codes and figures.

use super::*;

#[test]
fn the_table_says_what_holds() {
    let place = Place::new();
    let ran = place.run("audit windy-grid@n=3 --learner lr --episodes 50 --seed 3").done().out;
    for line in [
        "regret certified at most ",
        "R_hat ",
        "log-wealth",
        "G_t/Gamma_t",
        "sum of Delta_t",
        "planning calls",
    ] {
        assert!(ran.contains(line), "{line} is not in\n{ran}");
    }
    assert!(!ran.contains("VIOLATED"), "{ran}");
    let paper = "audit hard-instance@dim=2 --learner levis++@norms=computed --set B=3 --episodes 50";
    let ran = place.run(paper).done().out;
    for line in
        ["by Lemma J", "the set", "is all of B to the end", "the paper's bound", "level 0: |estimated"]
    {
        assert!(ran.contains(line), "{line} is not in\n{ran}");
    }
}

#[test]
fn json_is_one_value_with_every_check() {
    let place = Place::new();
    let found = place.run("audit windy-grid@n=3 --learner lr@delta=1e-6 --episodes 20 --json").done().json();
    assert_eq!((found["violated"].as_u64(), found["interrupted"].as_bool()), (Some(0), Some(false)));
    let run = &found["runs"][0];
    assert_eq!(run["episodes"], 20);
    let checks = run["checks"].as_array().unwrap();
    assert!(checks.iter().all(|check| check["verdict"] == "holds"), "{checks:#?}");
    assert!(run["likelihood"]["ratio_bound"].as_f64().unwrap() <= 17.0);
    assert!(run["regret_certified"].as_f64().unwrap() >= run["regret"].as_f64().unwrap());
}

#[test]
fn a_lemma_that_fails_is_named_with_its_step_and_exit_code_one() {
    let place = Place::new();
    let scaled = "audit hard-instance@dim=2 --learner levis++@radius=scaled:0.0001 --set B=3 --episodes 300";
    let ran = place.run(scaled);
    assert_eq!(ran.code, Some(1), "{}", ran.out);
    assert!(ran.out.contains("VIOLATED") && ran.out.contains("first at step "), "{}", ran.out);
    let several = place.run(&format!("{scaled} --seeds 3"));
    assert_eq!(several.code, Some(1));
    assert!(several.out.contains("3 runs") && several.out.contains("(seed "), "{}", several.out);
}

#[test]
fn figures_are_drawn_into_a_folder() {
    let place = Place::new();
    place.run("audit windy-grid@n=3 --learner lr@delta=1e-6 --episodes 20 --figures seen --quiet").done();
    for name in ["regret", "sets", "distances"] {
        let svg = std::fs::read_to_string(place.path(&format!("seen/{name}.svg"))).unwrap();
        assert!(svg.starts_with("<svg"), "{name}");
        assert!(std::fs::metadata(place.path(&format!("seen/{name}.png"))).unwrap().len() > 1_000);
    }
    place
        .run("audit windy-grid@n=3 --learner guarded@inner=random --episodes 20 --figures held --quiet")
        .done();
    let svg = std::fs::read_to_string(place.path("held/guard.svg")).unwrap();
    for words in ["The inner learner began", "begun by random", "ledger L", "handed over"] {
        assert!(svg.contains(words), "{words}");
    }
    std::fs::write(place.path("file"), "here").unwrap();
    place.run("audit windy-grid@n=3 --learner lr --figures file").refused(&["--figures file", "folder"]);
}

#[test]
fn what_cannot_be_audited_is_refused() {
    let place = Place::new();
    place.run("audit windy-grid --learner nobody").refused(&["nobody"]);
    place.run("audit windy-grid --learner lr --seed 1 --seeds 3").refused(&["--seed"]);
    place.run("audit windy-grid --learner levis++").refused(&["B"]);
}

/// docs/theory.md shows what is printed: every block that begins with a command has its output.
#[test]
fn the_page_shows_what_happens() {
    const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/theory.md");
    const BEGIN: &str = "```text\n$ goalward ";
    let place = Place::new();
    let page = std::fs::read_to_string(PAGE).unwrap();
    let mut now = String::new();
    let mut blocks = page.split(BEGIN);
    now += blocks.next().unwrap();
    for block in blocks {
        let (command, rest) = block.split_once('\n').unwrap();
        let (_, after) = rest.split_once("```").unwrap();
        now += &format!("{BEGIN}{command}\n{}```{after}", place.run(command).done().out);
    }
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(PAGE, &now).unwrap();
    }
    assert!(page == now || std::env::var_os("BLESS").is_some(), "BLESS=1 writes docs/theory.md");
    assert!(now.matches(BEGIN).count() >= 2);
}
