//! What a binary must carry, and what documents quote.

use super::*;

#[test]
fn licences_of_all_that_is_linked_in_are_printed() {
    let place = Place::new();
    let said = place.run("licences").done();
    assert!(said.err.is_empty(), "{}", said.err);
    for name in ["nalgebra", "clarabel", "amd", "clap", "plotters", "Inter, the typeface"] {
        assert!(said.out.contains(name), "{name}");
    }
    // a text of each kind of licence that is in use
    for phrase in [
        "Permission is hereby granted, free of charge",
        "TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION",
        "Redistribution and use in source and binary forms",
        "SIL OPEN FONT LICENSE",
    ] {
        assert!(said.out.contains(phrase), "{phrase}");
    }
    assert_eq!(place.run("licenses").done().out, said.out, "the other spelling");
}

#[test]
fn results_are_printed_as_named_parts_of_a_document() {
    let place = Place::new();
    let line = "compare hard-instance --param dim=2 --learners lr,random --seeds 0..3 --episodes 20 --quiet";
    let said = place.run(&format!("{line} --markdown")).done().out;
    for part in ["<!-- table -->\n| learner |", "<!-- regret/K lr -->\n", "<!-- gap regret random -->\n"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(place.run(&format!("{line} --markdown")).done().out, said, "the same bytes");
    place.run(&format!("{line} --markdown --json")).refused(&["--json", "--markdown"]);

    let parts = |name: &str, study: &str, parts: &[&str]| {
        place.write(&format!("{name}.toml"), study);
        let said = place.run(&format!("study run {name}.toml --quiet --markdown"));
        assert!(matches!(said.code, Some(0 | 1)), "{}", said.err);
        for part in parts {
            assert!(said.out.contains(part), "{part}: {}", said.out);
        }
    };
    parts(
        "grow",
        "seeds = 3\nlearners = [\"lr\", \"random\"]\n[[worlds]]\nname = \"hard-instance@dim=2\"\nlabel = \"fixed\"\n\
         grid = { episodes = [20, 40] }\n[[growth]]\nworld = \"fixed\"\nover = \"episodes\"\n",
        &["<!-- table fixed -->\n| learner |", "<!-- exponent fixed lr -->\n", "<!-- share fixed lr -->\n"],
    );
    parts(
        "survey",
        "episodes = 30\nseeds = 3\nworlds = [\"hard-instance@dim=2\", \"corridor\"]\nset = { B = \"oracle\" }\n\
         learners = [\"levis++lr\", \"lr\", \"levis\", \"random\"]\n\
         [comparison]\nagainst = \"levis++lr\"\nbeside = [\"lr\"]\n",
        &[
            "<!-- table -->\n| learner | hard-instance@dim=2 | corridor |",
            "<!-- verdict -->\n",
            "<!-- beside lr -->\n`lr` ",
        ],
    );
    parts(
        "cover",
        "steps = 50\nseeds = 3\nworlds = [\"hard-instance@dim=2\"]\nlearners = [\"lr\", \"levis\"]\n\
         set = { B = \"oracle\", delta = 0.1 }\n[record]\nsets = true\n[coverage]\n",
        &[
            "<!-- matrix 0.1 -->\n| set | hard-instance, dim = 2 |",
            "<!-- limit lr 0.1 -->\n",
            "<!-- table -->\n",
        ],
    );
}
