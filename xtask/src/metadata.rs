//! The dependencies, from `cargo metadata`.

use crate::{cargo, root};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::collections::BTreeMap;
use std::process::Command;

/// The platform that dependencies are listed for, so that lists are the same everywhere.
pub(crate) const PLATFORM: &str = "x86_64-unknown-linux-gnu";

/// The program, and the Python package.
const SHIPPED: [&str; 2] = ["goalward-cli", "goalward-python"];

pub(crate) fn read() -> Result<Value> {
    let output = Command::new(cargo())
        .args(["metadata", "--locked", "--format-version", "1", "--filter-platform", PLATFORM])
        .current_dir(root()?)
        .output()
        .context("cannot run cargo metadata")?;
    if !output.status.success() {
        bail!("cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

pub(crate) fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

pub(crate) fn text<'a>(package: &'a Value, field: &str) -> Option<&'a str> {
    package[field].as_str()
}

/// The packages linked into the program and the Python package, without the workspace.
pub(crate) fn linked(metadata: &Value) -> Vec<&Value> {
    let packages = by_id(&metadata["packages"]);
    let nodes = by_id(&metadata["resolve"]["nodes"]);
    let is_macro = |package: &Value| {
        list(&package["targets"]).flat_map(|target| list(&target["kind"])).any(|kind| kind == "proc-macro")
    };
    let is_shipped = |package: &Value| text(package, "name").is_some_and(|name| SHIPPED.contains(&name));
    let mut todo: Vec<&str> =
        packages.iter().filter(|(_, package)| is_shipped(package)).map(|(id, _)| *id).collect();
    let mut seen = BTreeMap::new();
    while let Some(id) = todo.pop() {
        let Some(package) = packages.get(id).filter(|package| !is_macro(package)) else { continue };
        if seen.insert(id, *package).is_none() {
            // neither for tests nor for building
            let runs = |dep: &&Value| list(&dep["dep_kinds"]).any(|kind| kind["kind"].is_null());
            let deps = nodes.get(id).into_iter().flat_map(|node| list(&node["deps"])).filter(runs);
            todo.extend(deps.filter_map(|dep| text(dep, "pkg")));
        }
    }
    let mut linked: Vec<&Value> = seen.into_values().filter(|p| !p["source"].is_null()).collect();
    linked.sort_by_key(|package| (text(package, "name"), text(package, "version")));
    linked
}

fn by_id(values: &Value) -> BTreeMap<&str, &Value> {
    list(values).filter_map(|value| Some((text(value, "id")?, value))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn names(packages: Vec<&Value>) -> Vec<&str> {
        packages.into_iter().filter_map(|package| text(package, "name")).collect()
    }

    /// `1.89.0` as numbers, missing ones as 0.
    fn version(text: &str) -> [u64; 3] {
        let mut parts = text.split('.').map(|part| part.parse().unwrap());
        [(); 3].map(|()| parts.next().unwrap_or(0))
    }

    #[test]
    fn no_dependency_needs_a_newer_rust_than_we_declare() {
        let metadata = read().unwrap();
        let packages = || list(&metadata["packages"]);
        let ours = packages().filter(|p| p["source"].is_null());
        let declared: BTreeSet<&str> = ours.map(|p| text(p, "rust_version").expect("rust-version")).collect();
        assert_eq!(declared.len(), 1, "one for the whole workspace: {declared:?}");
        let declared = declared.first().unwrap();
        for package in packages() {
            if let Some(needs) = text(package, "rust_version") {
                let (name, at) = (&package["name"], &package["version"]);
                assert!(
                    version(needs) <= version(declared),
                    "{name} {at} needs Rust {needs}, not {declared}"
                );
            }
        }
        assert!(packages().count() > 50, "the dependencies are listed");
    }

    #[test]
    fn what_is_linked_is_neither_ours_nor_for_tests_alone() {
        let metadata = read().unwrap();
        let names = names(linked(&metadata));
        assert!(names.contains(&"nalgebra") && names.contains(&"clap"), "{names:?}");
        for other in ["goalward", "proptest", "serde_derive", "syn", "assert_cmd"] {
            assert!(!names.contains(&other), "{other}");
        }
    }

    #[test]
    fn nothing_unmaintained_that_was_replaced_comes_back() {
        // RUSTSEC-2026-0192: figures fill their letters themselves
        let metadata = read().unwrap();
        assert!(!names(list(&metadata["packages"]).collect()).contains(&"ttf-parser"));
    }
}
