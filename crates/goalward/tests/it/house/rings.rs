//! No ring among the modules of a folder: whoever reads one of them need not read them all.

use super::tree::{Crate, Place};
use super::{CRATES, crates, only_known};
use std::collections::{BTreeMap, BTreeSet};

/// The rings that there are today. This list must become empty.
const KNOWN_RINGS: &[&str] = &[];

/// Per module of a folder those that it names, with the place where it does.
type Graph = BTreeMap<String, BTreeMap<String, String>>;

fn graph(library: &Crate, folder: &Place) -> Graph {
    let mut graph = Graph::new();
    for (place, module) in &library.modules {
        let Some(own) = place.strip_prefix(&folder[..]).and_then(|rest| rest.first()) else { continue };
        for (named, line) in library.named(place) {
            if let Some(other) = library.sibling(folder, &named)
                && other != *own
            {
                let named = graph.entry(own.clone()).or_default();
                named.entry(other).or_insert_with(|| format!("{}:{line}", module.file));
            }
        }
    }
    graph
}

/// All that can be reached from a module, in one step or more, and the way to each.
fn ways<'a>(graph: &'a Graph, from: &'a str) -> BTreeMap<&'a str, Vec<&'a str>> {
    let mut ways: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut queue = std::collections::VecDeque::from([(from, vec![from])]);
    while let Some((at, way)) = queue.pop_front() {
        for next in graph.get(at).into_iter().flat_map(BTreeMap::keys) {
            if !ways.contains_key(next.as_str()) {
                let way: Vec<&str> = way.iter().copied().chain([next.as_str()]).collect();
                ways.insert(next, way.clone());
                queue.push_back((next, way));
            }
        }
    }
    ways
}

/// The groups of modules that all lead to each other, as `folder: a b c`, each with the shortest
/// ring in it.
fn rings(library: &Crate) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (folder, module) in &library.modules {
        let graph = graph(library, folder);
        let mut seen = BTreeSet::new();
        for start in graph.keys() {
            let onward = ways(&graph, start);
            if !onward.contains_key(start.as_str()) || seen.contains(start.as_str()) {
                continue;
            }
            let group = onward.keys().filter(|other| ways(&graph, other).contains_key(start.as_str()));
            let group: Vec<&str> = group.copied().collect();
            seen.extend(group.clone());
            let circles = group.iter().map(|from| ways(&graph, from)[*from].clone());
            let circle = circles.min_by_key(Vec::len).unwrap_or_default();
            let steps = circle
                .windows(2)
                .map(|step| format!("  {} names {} at {}\n", step[0], step[1], graph[step[0]][step[1]]));
            found.push((format!("{}: {}", module.file, group.join(" ")), steps.collect()));
        }
    }
    found
}

#[test]
fn no_ring_among_the_modules_of_a_folder() {
    let folders: Vec<&str> = CRATES.iter().map(|(folder, _)| *folder).collect();
    let found: Vec<(String, String)> = crates(&folders).iter().flat_map(rings).collect();
    for (ring, steps) in &found {
        println!("{ring}\n{steps}");
    }
    only_known(
        "modules that name each other in a ring",
        found.into_iter().map(|(ring, _)| ring),
        KNOWN_RINGS,
    );
}

#[test]
fn rings_are_found() {
    let ring = |texts: &[(&str, &str)]| -> Vec<String> {
        rings(&Crate::of(texts)).into_iter().map(|(ring, steps)| format!("{ring}\n{steps}")).collect()
    };
    let three = [
        ("", "mod a; mod b; mod c; mod d;"),
        ("a", "use super::b::B;"),
        ("b", "fn f() { crate::c::g() }"),
        ("c", "use crate::{a, d};"),
        ("d", ""),
    ];
    assert_eq!(
        ring(&three),
        [".rs: a b c\n  a names b at a.rs:1\n  b names c at b.rs:1\n  c names a at c.rs:1\n"]
    );
    // through the names that their folder hands on, and from deep within
    let handed_on = [
        ("", "mod top;"),
        ("top", "mod a; mod b; pub use a::A; pub use b::inner::B as Bee;"),
        ("top::a", "use super::Bee;"),
        ("top::b", "pub mod inner;"),
        ("top::b::inner", "struct B; impl B { fn f() -> crate::top::A { loop {} } }"),
    ];
    assert_eq!(ring(&handed_on).len(), 1, "{:?}", ring(&handed_on));
    // two rings that do not meet are two
    let two = [("", "mod a; mod b; mod c; mod d;"), ("a", "use super::b;"), ("b", "use super::a;")];
    let two = [&two[..], &[("c", "use super::d;"), ("d", "use super::c;")]].concat();
    assert_eq!(ring(&two).len(), 2);
}

#[test]
fn what_is_no_ring_is_let_pass() {
    for texts in [
        [("", "mod a; mod b;"), ("a", "use super::b;"), ("b", "#[cfg(test)] mod tests { use crate::a; }")],
        // what a folder's own module defines is no module beside it
        [
            ("", "mod a; mod b; struct S; use a::A;"),
            ("a", "use super::{S, b}; struct A;"),
            ("b", "use super::S;"),
        ],
    ] {
        assert!(rings(&Crate::of(&texts)).is_empty(), "{texts:?}");
    }
}
