//! `cargo xtask licences`: the notices that a binary must carry, from the licence files of
//! everything linked into it.

use crate::metadata::{PLATFORM, linked, list, read, text};
use crate::root;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

/// Where the notices are; `goalward licences` prints them.
const FILE: &str = "THIRD-PARTY-LICENSES.txt";
/// Embedded works that are no packages: the licence, and the name.
const EMBEDDED: &[(&str, &str)] = &[
    ("crates/lab/assets/Inter-LICENSE.txt", "Inter, the typeface of figures (https://rsms.me/inter)"),
    (
        "crates/lab/assets/uplot/LICENSE.txt",
        "uPlot 1.6.32, the curves of HTML reports (https://github.com/leeoniya/uPlot)",
    ),
];

const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// The licences of dependencies that are allowed, the preferred first, each with a phrase of its
/// text.
const ALLOWED: &[(&str, &str)] = &[
    ("MIT", "Permission is hereby granted, free of charge"),
    ("Zlib", "provided 'as-is', without any express or implied warranty"),
    ("BSD-3-Clause", "Redistribution and use in source and binary forms"),
    ("BSD-2-Clause", "Redistribution and use in source and binary forms"),
    ("Unicode-3.0", "UNICODE LICENSE V3"),
    ("CC0-1.0", "CC0 1.0 Universal"),
    ("Apache-2.0", "TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION"),
];

pub(crate) fn run(args: &[&str]) -> Result<ExitCode> {
    let (path, text) = (root()?.join(FILE), notices()?);
    match args {
        [] => {
            fs::write(&path, text)?;
            eprintln!("wrote {FILE}");
            Ok(ExitCode::SUCCESS)
        }
        ["--check"] if fs::read_to_string(&path).unwrap_or_default() == text => Ok(ExitCode::SUCCESS),
        ["--check"] => {
            eprintln!("{FILE} is not what the dependencies say: run `cargo xtask licences`");
            Ok(ExitCode::FAILURE)
        }
        _ => {
            eprintln!("usage: cargo xtask licences [--check]");
            Ok(ExitCode::from(2))
        }
    }
}

/// The licences of an SPDX expression: of each part that must hold, the most preferred alternative.
fn chosen(expression: &str) -> Option<Vec<&'static str>> {
    // an exception only permits more
    let expression = expression.replace(" WITH LLVM-exception", "").replace('/', " OR ");
    let best = |part: &str| {
        let alternatives = part.trim_matches(['(', ')']).split(" OR ").map(str::trim);
        let ranks = alternatives.filter_map(|one| ALLOWED.iter().position(|(name, _)| *name == one));
        ranks.min().map(|rank| ALLOWED[rank].0)
    };
    expression.split(" AND ").map(best).collect()
}

fn name_and_version(package: &Value) -> String {
    let field = |field| text(package, field).unwrap_or_default();
    format!("{} {}", field("name"), field("version"))
}

/// The licences that a package is used under; an error if none of them is allowed.
fn licences(package: &Value) -> Result<Vec<&'static str>> {
    let at = name_and_version(package);
    let expression = text(package, "license").with_context(|| format!("{at} declares no licence"))?;
    chosen(expression).with_context(|| format!("{at}: {expression:?} is not allowed"))
}

/// An error for a dependency whose licence is not allowed, or from an unknown source.
fn check(package: &Value) -> Result<()> {
    if let Some(source) = text(package, "source").filter(|source| *source != CRATES_IO) {
        bail!("{} comes from {source}", name_and_version(package));
    }
    licences(package).map(drop)
}

/// Licence and notice files of a package, in the order of their names.
fn files(folder: &Path) -> Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().to_uppercase();
        let kept = ["LICENSE", "LICENCE", "COPYING", "NOTICE"].iter().any(|start| name.starts_with(start));
        if kept && entry.file_type()?.is_file() {
            found.push((name, fs::read_to_string(entry.path())?));
        }
    }
    found.sort();
    Ok(found)
}

/// The texts that a package is used under, and its notice if it has one.
fn texts(package: &Value) -> Result<Vec<String>> {
    let manifest = Path::new(text(package, "manifest_path").context("a package without a manifest")?);
    let files = files(manifest.parent().context("a manifest lies in a folder")?)?;
    let authors: Vec<&str> = list(&package["authors"]).filter_map(Value::as_str).collect();
    let mut texts = Vec::new();
    for licence in licences(package)? {
        let phrase = ALLOWED.iter().find(|(name, _)| *name == licence).map_or("", |(_, phrase)| *phrase);
        let has = |text: &str| squeezed(text).contains(&squeezed(phrase));
        let exceptional = |name: &str| name.contains("EXCEPTION");
        // a file of one licence before one that holds several
        let fitting = files.iter().filter(|(name, text)| has(text) && !exceptional(name));
        match fitting.min_by_key(|(_, text)| text.len()) {
            Some((_, text)) => texts.push(text.clone()),
            // some packages carry a link to a file that was left out
            None if licence == "MIT" && !authors.is_empty() => texts.push(mit(&authors.join(", "))?),
            None => bail!("{}: no file has the text of {licence}", name_and_version(package)),
        }
    }
    texts.extend(files.iter().filter(|(name, _)| name.starts_with("NOTICE")).map(|(_, text)| text.clone()));
    Ok(texts)
}

/// The text of the MIT licence with the copyright of these authors.
fn mit(authors: &str) -> Result<String> {
    let ours = fs::read_to_string(root()?.join("LICENSE-MIT"))?;
    let permission = ours.find("Permission is hereby granted").context("LICENSE-MIT has no permission")?;
    Ok(format!("MIT License\n\nCopyright (c) {authors}\n\n{}", &ours[permission..]))
}

/// A text without the differences of line breaks, spaces and quotation marks.
fn squeezed(text: &str) -> String {
    text.replace(['‘', '’'], "'").split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Everything, each text once with the packages that have it.
fn notices() -> Result<String> {
    let metadata = read()?;
    list(&metadata["packages"]).try_for_each(check)?;
    let mut order: Vec<(String, Vec<String>)> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let linked = linked(&metadata);
    for package in &linked {
        let url = text(package, "repository").map_or(String::new(), |url| format!(" ({url})"));
        let line = name_and_version(package) + &url;
        for text in texts(package)? {
            let place = *places.entry(squeezed(&text)).or_insert_with(|| {
                order.push((text, Vec::new()));
                order.len() - 1
            });
            order[place].1.push(line.clone());
        }
    }
    for (licence, name) in EMBEDDED {
        order.push((fs::read_to_string(root()?.join(licence))?, vec![(*name).into()]));
    }
    let mut out = format!(
        "Third-party software in goalward\n\nThe program and the Python package contain what \
         is listed here, under the licences that follow. \
         Made by `cargo xtask licences`\nfor {PLATFORM}; other platforms link other packages to \
         the system.\n\n"
    );
    for package in &linked {
        let licence = text(package, "license").unwrap_or_default();
        out.push_str(&format!("{}: {licence}\n", name_and_version(package)));
    }
    for (text, packages) in order {
        out.push_str(&format!("\n{}\n", "=".repeat(80)));
        packages.iter().for_each(|line| out.push_str(&format!("{line}\n")));
        out.push_str(&format!("{}\n\n", "-".repeat(80)));
        text.trim().lines().for_each(|line| out.push_str(&format!("{}\n", line.trim_end())));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_licence_or_source_is_an_error() {
        let metadata = read().unwrap();
        list(&metadata["packages"]).try_for_each(check).unwrap();
        let mut package = linked(&metadata)[0].clone();
        let fault = |package: &Value| check(package).unwrap_err().to_string();
        package["license"] = "GPL-3.0".into();
        assert!(fault(&package).contains("GPL-3.0"));
        package["license"] = Value::Null;
        assert!(fault(&package).contains("no licence"));
        package["license"] = "MIT".into();
        package["source"] = "git+https://example.org/fork".into();
        assert!(fault(&package).contains("example.org"));
    }

    #[test]
    fn the_notices_are_those_of_the_dependencies() {
        let said = fs::read_to_string(root().unwrap().join(FILE)).unwrap();
        assert!(said == notices().unwrap(), "run `cargo xtask licences`");
        for package in linked(&read().unwrap()) {
            let line = format!("{}: {}\n", name_and_version(package), text(package, "license").unwrap());
            assert!(said.contains(&line), "{line}");
        }
        assert!(EMBEDDED.iter().all(|(_, name)| said.contains(name)));
    }

    #[test]
    fn expressions_are_read_as_spdx_means_them() {
        let of = |text: &str| chosen(text).map(|licences| licences.join("+"));
        let known = [
            ("Apache-2.0 OR MIT", Some("MIT")),
            ("MIT/Apache-2.0", Some("MIT")),
            ("Apache-2.0 / MIT", Some("MIT")),
            ("Apache-2.0", Some("Apache-2.0")),
            ("0BSD OR MIT OR Apache-2.0", Some("MIT")),
            ("Unlicense OR MIT", Some("MIT")),
            ("Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT", Some("MIT")),
            ("(MIT OR Apache-2.0) AND Unicode-3.0", Some("MIT+Unicode-3.0")),
            ("MIT AND BSD-3-Clause", Some("MIT+BSD-3-Clause")),
            ("MIT AND GPL-3.0", None),
            ("(MIT OR Apache-2.0) AND GPL-3.0", None),
            ("GPL-3.0", None),
            ("", None),
        ];
        for (text, expected) in known {
            assert_eq!(of(text).as_deref(), expected, "{text}");
        }
    }
}
