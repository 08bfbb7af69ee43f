//! What is short enough to be read.

use super::tree::Crate;
use super::{CRATES, crates, files_below, only_known, workspace};
use std::fs;

/// The most lines of a file, its tests included.
const FILE: usize = 500;
/// The most lines of a function, from `fn` to the closing brace.
const FUNCTION: usize = 60;
/// The functions that are longer today. This list must become empty.
const KNOWN_LONG: &[&str] = &[];

/// The functions with more lines than that, each with the file.
fn long_functions(library: &Crate, most: usize) -> Vec<(String, usize)> {
    let of = |module: &super::tree::Module| -> Vec<(String, usize)> {
        let long = module.names.functions.iter().filter(|function| function.lines > most);
        long.map(|function| (format!("{}: {}", module.file, function.name), function.lines)).collect()
    };
    library.modules.values().flat_map(of).collect()
}

#[test]
fn functions_stay_short() {
    let all = crates(&["crates/goalward", "crates/lab", "crates/cli", "python"]);
    let found: Vec<_> = all.iter().flat_map(|library| long_functions(library, FUNCTION)).collect();
    for (function, lines) in &found {
        println!("{function} has {lines} lines");
    }
    let rule = format!("functions of more than {FUNCTION} lines");
    only_known(&rule, found.into_iter().map(|(function, _)| function), KNOWN_LONG);
}

#[test]
fn files_stay_short() {
    let mut files = 0;
    for (folder, _) in CRATES {
        for path in files_below(&workspace().join(folder)) {
            let lines = fs::read_to_string(&path).unwrap().lines().count();
            assert!(lines <= FILE, "{} has {lines} lines", path.display());
            files += 1;
        }
    }
    assert!(files > 100, "{files} files");
}

/// A page for people; the longest has some hundred lines.
#[test]
fn documents_are_for_people() {
    let pages = fs::read_dir(workspace().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let pages = pages.filter(|path| path.extension().is_some_and(|end| end == "md"));
    let mut count = 0;
    for path in pages {
        let lines = fs::read_to_string(&path).unwrap().lines().count();
        assert!((10..=1500).contains(&lines), "{} has {lines} lines", path.display());
        count += 1;
    }
    assert!(count > 8, "{count} pages");
}

#[test]
fn long_functions_are_found() {
    let text = "/// Not\n/// counted.\n#[inline]\nfn four(\n) {\n  one();\n}\n\
                struct S;\nimpl S {\n  fn three() {\n    fn one() {}\n  }\n}\n\
                trait T {\n  fn none();\n  fn two() {\n}\n}\n\
                #[cfg(test)]\nmod tests {\n  fn four() {\n\n\n  }\n}\n#[test]\nfn f() {\n\n\n}\n";
    let library = Crate::of(&[("", "mod a;"), ("a", text)]);
    let mut found = long_functions(&library, 0);
    found.sort_by_key(|(_, lines)| *lines);
    let expected = [("a.rs: one", 1), ("a.rs: two", 2), ("a.rs: three", 3), ("a.rs: four", 4)];
    assert_eq!(found, expected.map(|(name, lines)| (name.to_string(), lines)));
    assert_eq!(long_functions(&library, 3).len(), 1);
}
