//! What cargo knows of the dependencies.

use crate::{cargo, root};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Command;

/// The platform that dependencies are listed for: lists are the same wherever they are made.
pub(crate) const PLATFORM: &str = "x86_64-unknown-linux-gnu";

/// The program, and the Python package.
const SHIPPED: &[&str] = &["goalward-cli", "goalward-python"];

/// A package of the workspace or one that it depends on.
#[derive(Clone)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    /// Its licence, as an SPDX expression.
    pub(crate) licence: Option<String>,
    /// The oldest Rust that it declares.
    #[cfg(test)]
    rust: Option<String>,
    /// Where it comes from; nothing for a path.
    pub(crate) source: Option<String>,
    pub(crate) repository: Option<String>,
    pub(crate) authors: Vec<String>,
    pub(crate) folder: PathBuf,
    proc_macro: bool,
    /// What it needs when it runs, by id.
    needs: Vec<String>,
}

/// All packages by their ids.
pub(crate) struct Metadata(BTreeMap<String, Package>);

impl Metadata {
    pub(crate) fn read() -> Result<Metadata> {
        let output = Command::new(cargo())
            .args(["metadata", "--locked", "--format-version", "1", "--filter-platform", PLATFORM])
            .current_dir(root()?)
            .output()
            .context("cannot run cargo metadata")?;
        if !output.status.success() {
            bail!("cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr));
        }
        Metadata::parse(&serde_json::from_slice(&output.stdout)?)
    }

    fn parse(json: &Value) -> Result<Metadata> {
        let list =
            |value: &Value, key: &str| -> Vec<Value> { value[key].as_array().cloned().unwrap_or_default() };
        let text = |value: &Value, key: &str| value[key].as_str().map(String::from);
        let mut needs: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for node in list(&json["resolve"], "nodes") {
            let runs = |dep: &Value| list(dep, "dep_kinds").iter().any(|kind| kind["kind"].is_null());
            let deps = list(&node, "deps");
            let ids = deps.iter().filter(|dep| runs(dep)).filter_map(|dep| text(dep, "pkg"));
            needs.insert(text(&node, "id").context("a node without an id")?, ids.collect());
        }
        let mut packages = BTreeMap::new();
        for package in list(json, "packages") {
            let id = text(&package, "id").context("a package without an id")?;
            let manifest =
                PathBuf::from(text(&package, "manifest_path").context("a package without a manifest")?);
            let kinds: Vec<Value> = list(&package, "targets").iter().flat_map(|t| list(t, "kind")).collect();
            let package = Package {
                name: text(&package, "name").context("a package without a name")?,
                version: text(&package, "version").context("a package without a version")?,
                licence: text(&package, "license"),
                #[cfg(test)]
                rust: text(&package, "rust_version"),
                source: text(&package, "source"),
                repository: text(&package, "repository"),
                authors: list(&package, "authors")
                    .iter()
                    .filter_map(|a| a.as_str().map(String::from))
                    .collect(),
                folder: manifest.parent().context("a manifest lies in a folder")?.into(),
                proc_macro: kinds.iter().any(|kind| kind == "proc-macro"),
                needs: needs.remove(&id).unwrap_or_default(),
            };
            packages.insert(id, package);
        }
        Ok(Metadata(packages))
    }

    /// All packages.
    pub(crate) fn packages(&self) -> impl Iterator<Item = &Package> {
        self.0.values()
    }

    /// What ends up in what is shipped: what the program and the Python package need when they run,
    /// of others' making, by name and version.
    pub(crate) fn linked(&self) -> Vec<&Package> {
        let shipped = |p: &Package| SHIPPED.contains(&p.name.as_str());
        let mut todo: Vec<&String> = self.0.iter().filter(|(_, p)| shipped(p)).map(|(id, _)| id).collect();
        let mut seen = BTreeSet::new();
        while let Some(id) = todo.pop() {
            let Some(package) = self.0.get(id).filter(|p| !p.proc_macro) else { continue };
            if seen.insert(id) {
                todo.extend(&package.needs);
            }
        }
        let mut linked: Vec<&Package> =
            seen.into_iter().filter_map(|id| self.0.get(id)).filter(|p| p.source.is_some()).collect();
        linked.sort_by_key(|p| (&p.name, &p.version));
        linked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `1.89.0` as numbers, what is not said as 0.
    fn version(text: &str) -> [u64; 3] {
        let mut parts = text.split('.').map(|part| part.parse().unwrap());
        [(); 3].map(|()| parts.next().unwrap_or(0))
    }

    #[test]
    fn no_dependency_needs_a_newer_rust_than_we_declare() {
        let metadata = Metadata::read().unwrap();
        let ours = metadata.packages().filter(|p| p.source.is_none());
        let declared: BTreeSet<&str> = ours.map(|p| p.rust.as_deref().expect("rust-version")).collect();
        assert_eq!(declared.len(), 1, "one for the whole workspace: {declared:?}");
        let declared = declared.first().unwrap();
        for package in metadata.packages() {
            if let Some(needs) = &package.rust {
                let (name, at) = (&package.name, &package.version);
                assert!(
                    version(needs) <= version(declared),
                    "{name} {at} needs Rust {needs}, not {declared}"
                );
            }
        }
        assert!(metadata.packages().count() > 50, "the dependencies are listed");
    }

    #[test]
    fn what_is_linked_is_neither_ours_nor_for_tests_alone() {
        let metadata = Metadata::read().unwrap();
        let names: Vec<&str> = metadata.linked().iter().map(|p| p.name.as_str()).collect();
        assert!(names.contains(&"nalgebra") && names.contains(&"clap"), "{names:?}");
        for other in ["goalward", "proptest", "serde_derive", "syn", "assert_cmd"] {
            assert!(!names.contains(&other), "{other}");
        }
    }

    #[test]
    fn nothing_unmaintained_that_was_replaced_comes_back() {
        // RUSTSEC-2026-0192: figures fill their letters themselves
        let metadata = Metadata::read().unwrap();
        let found: Vec<&str> =
            metadata.packages().map(|p| p.name.as_str()).filter(|name| *name == "ttf-parser").collect();
        assert!(found.is_empty(), "{found:?}");
    }
}
