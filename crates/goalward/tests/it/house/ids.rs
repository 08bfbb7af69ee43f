//! A learner's id stands in its own file and in the registry, and nowhere else in the code.

use super::tree::{Crate, Module, Place};
use super::{crates, only_known};
use goalward::learners::LEARNERS;

/// Modules of the lab that ask a question of certain learners; these questions will be study files.
const QUESTIONS: &[&str] = &["survey", "coverage", "compare", "growth", "scale", "reproduce", "demo", "sets"];
/// Where else ids stand today. This list must become empty.
const KNOWN_IDS: &[&str] = &[];

/// Texts that are a learner's id, but for those in the file that defines it.
fn ids_out_of_place(library: &Crate, ids: &[&str], excepted: impl Fn(&Place) -> bool) -> Vec<String> {
    let of = |module: &Module| -> Vec<String> {
        let defined = |text: &String| module.names.ids.contains(text);
        let texts = module.names.texts.iter().map(|(text, _)| text);
        let found = texts.filter(|text| ids.contains(&text.as_str()) && !defined(text));
        found.map(|text| format!("{}: {text}", module.file)).collect()
    };
    let modules = library.modules.iter().filter(|(place, _)| !excepted(place));
    modules.flat_map(|(_, module)| of(module)).collect()
}

#[test]
fn ids_stand_in_one_place() {
    let ids: Vec<&str> = LEARNERS.iter().map(|entry| entry.id).collect();
    let mut found = Vec::new();
    for library in crates(&["crates/goalward", "crates/cli", "python"]) {
        found.extend(ids_out_of_place(&library, &ids, |_| false));
    }
    for lab in crates(&["crates/lab"]) {
        let question = |place: &Place| place.first().is_some_and(|part| QUESTIONS.contains(&part.as_str()));
        found.extend(ids_out_of_place(&lab, &ids, question));
    }
    only_known("a learner's id out of its place", found, KNOWN_IDS);
    // and each is defined once
    let library = &crates(&["crates/goalward"])[0];
    for id in ids {
        let defining = |(place, module): &(&Place, &Module)| {
            place.first().is_some_and(|part| part == "learners")
                && module.names.ids.iter().any(|other| other == id)
        };
        assert_eq!(library.modules.iter().filter(defining).count(), 1, "{id}");
    }
}

#[test]
fn ids_out_of_place_are_found() {
    let found = |text: &str| ids_out_of_place(&Crate::of(&[("", "mod a;"), ("a", text)]), &["lr"], |_| false);
    for text in [
        "fn f() { g(\"lr\") }",
        "const BEST: &str = \"lr\";",
        "fn f() { format!(\"{}\", \"lr\"); }",
        "fn f(id: &str) { match id { \"lr\" => {} _ => {} } }",
        "fn f(id: &str) { matches!(id, r\"lr\"); }",
    ] {
        assert_eq!(found(text), ["a.rs: lr"], "{text}");
    }
    for text in [
        "static E: Entry = Entry { id: \"lr\" }; fn f() { g(\"lr\") }",
        "const E: LearnerEntry = LearnerEntry::new(\"lr\", \"title\", build).optimistic();",
        "/// lr\nfn f() { g(\"lr2\") }",
        "#[cfg(test)] mod tests { fn f() { g(\"lr\") } }",
        "#[doc = \"lr\"] fn lr() {}",
    ] {
        assert_eq!(found(text), [""; 0], "{text}");
    }
}
