//! Which part of the library may name which.

use super::crates;
use super::tree::Crate;

/// Every part of a crate with the parts of it that it may name, besides itself and those that
/// [`ALL_MAY_NAME`] lists. That crates name each other one way only is the compiler's to see.
const MAY_NAME: &[(&str, &[&str])] = &[
    ("closest", &[]),
    ("error", &[]),
    ("parameters", &["plan"]),
    ("output", &[]),
    ("memory", &[]),
    ("problem", &["memory"]),
    ("files", &["problem", "memory"]),
    ("plan", &["problem"]),
    ("estimate", &[]),
    ("confidence", &["estimate"]),
    ("learners", &["estimate", "confidence"]),
    ("worlds", &[]),
    ("check", &["worlds"]),
    ("offline", &["estimate", "confidence"]),
    ("episode", &["confidence", "learners", "worlds"]),
];
/// What every part may name; these may not name each other but as [`MAY_NAME`] says.
const ALL_MAY_NAME: &[&str] = &["error", "closest", "parameters"];
/// What may name every part.
const MAY_NAME_ALL: &[&str] = &["conformance"];
/// The parts that see no truth.
const BLIND: &[&str] = &["learners", "estimate", "confidence"];
/// The types of a truth.
const TRUTHS: &[&str] = &["Truth", "Instance"];

/// What names a part that it may not.
fn wrong_layers(library: &Crate) -> Vec<String> {
    let mut wrong = Vec::new();
    for (place, module) in &library.modules {
        let Some(part) = place.first().filter(|part| !MAY_NAME_ALL.contains(&part.as_str())) else {
            continue;
        };
        let Some((_, allowed)) = MAY_NAME.iter().find(|(other, _)| other == part) else {
            wrong.push(format!("{}: {part} is no part that the layers know", module.file));
            continue;
        };
        let low = ["memory", "output"].contains(&part.as_str());
        let common: &[&str] = match part.as_str() {
            "closest" => &[],
            "error" => &["closest"],
            "parameters" => &["error", "closest"],
            _ if low => &["error"],
            _ => ALL_MAY_NAME,
        };
        for (named, line) in library.named(place) {
            if let Some(other) = library.sibling(&[], &named)
                && other != *part
                && !allowed.contains(&other.as_str())
                && !common.contains(&other.as_str())
            {
                wrong.push(format!("{}:{line}: names {other}, which {part} may not", module.file));
            }
        }
    }
    wrong.dedup();
    wrong
}

/// What names a truth and may not.
fn seen_truths(library: &Crate) -> Vec<String> {
    let mut seen = Vec::new();
    for (place, module) in &library.modules {
        if !place.first().is_some_and(|part| BLIND.contains(&part.as_str())) {
            continue;
        }
        let truths = module.names.idents.iter().filter(|(name, _)| TRUTHS.contains(&name.as_str()));
        seen.extend(truths.map(|(name, line)| format!("{}:{line}: names {name}", module.file)));
    }
    seen
}

#[test]
fn dependencies_run_one_way() {
    for library in crates(&["crates/mdp", "crates/goalward"]) {
        assert_eq!(wrong_layers(&library), [""; 0]);
    }
}

#[test]
fn no_learner_names_a_truth() {
    assert_eq!(seen_truths(&crates(&["crates/goalward"])[0]), [""; 0]);
}

/// A library with a planner of this text.
fn with_planner(text: &str) -> Crate {
    let root = "mod error; mod problem; mod plan; mod worlds; pub use error::Error; pub use worlds::build;";
    Crate::of(&[("", root), ("error", ""), ("problem", ""), ("worlds", ""), ("plan", text)])
}

#[test]
fn a_wrong_layer_is_found_wherever_it_is_named() {
    for text in [
        "use crate::worlds;",
        "use crate::{problem, worlds};",
        "use crate::{problem, worlds::{self, build}};",
        "use crate::worlds as places;",
        "use crate::build;",
        "#[cfg(test)] mod tests { use crate::worlds; } use crate::worlds;",
        "#[cfg(test)] use crate::worlds; use crate::problem; use crate::worlds;",
        "fn f() { crate::worlds::build() }",
        "fn f() -> super::worlds::World { loop {} }",
        "fn f() { assert!(crate::worlds::build().is_ok()) }",
        "use super::*; fn f() { worlds::build() }",
        "mod inner { fn f() { super::super::worlds::build() } }",
        "use crate as here; fn f() { here::worlds::build() }",
    ] {
        let wrong = wrong_layers(&with_planner(text));
        assert_eq!(wrong.len(), 1, "{text}: {wrong:?}");
        assert!(wrong[0].ends_with("names worlds, which plan may not"), "{text}: {wrong:?}");
    }
}

#[test]
fn what_a_layer_may_name_is_let_pass() {
    for text in [
        "use crate::{Error, problem};",
        "#[cfg(test)] mod tests { use crate::worlds; }",
        "#[cfg(test)] use crate::worlds;",
        "#[test] fn f() { crate::worlds::build() }",
        "struct A; impl A { #[cfg(test)] fn f() { crate::worlds::build() } }",
        "/// See [crate::worlds].\n// crate::worlds\nfn f() { let text = \"crate::worlds\"; }",
        "pub(in crate::plan) fn f() { worlds(); let worlds = 1; }",
    ] {
        assert_eq!(wrong_layers(&with_planner(text)), [""; 0], "{text}");
    }
    let unknown = Crate::of(&[("", "mod drawer;"), ("drawer", "")]);
    assert_eq!(wrong_layers(&unknown), ["drawer.rs: drawer is no part that the layers know"]);
}

#[test]
fn a_truth_is_found_by_its_name() {
    let with = |text: &str| {
        let root = "mod problem; mod learners;";
        seen_truths(&Crate::of(&[("", root), ("problem", ""), ("learners", text)]))
    };
    for text in [
        "use crate::problem::Truth;",
        "use crate::problem::{Problem, Truth as Secret};",
        "fn f(instance: &crate::problem::Instance) {}",
        "fn f() { vec![Truth::new()]; }",
    ] {
        assert!(!with(text).is_empty(), "{text}");
    }
    for text in
        ["struct Truthful; enum Set { Exactly }", "fn f() { let exact = 1; }", "/// A Truth.\nfn f() {}"]
    {
        assert_eq!(with(text), [""; 0], "{text}");
    }
}
