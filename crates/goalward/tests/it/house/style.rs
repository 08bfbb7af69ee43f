//! One style of modules: a module with modules of its own is `name/mod.rs`, never `name.rs` beside
//! `name/`.

use super::{CRATES, files_below, only_known, workspace};
use std::path::Path;

/// The files that have a folder of their name beside them today. This list must become empty.
const KNOWN_BESIDE: &[&str] = &[];

/// The files below a folder that have a folder of their name beside them.
fn beside_their_folder(folder: &Path) -> Vec<String> {
    let files = files_below(folder).into_iter().filter(|file| file.with_extension("").is_dir());
    files.filter_map(|file| Some(file.strip_prefix(folder).ok()?.display().to_string())).collect()
}

#[test]
fn modules_have_one_style() {
    let mut found = Vec::new();
    for (folder, part) in CRATES.iter().flat_map(|(folder, _)| [(folder, "src"), (folder, "tests")]) {
        let beside = beside_their_folder(&workspace().join(folder).join(part));
        found.extend(beside.into_iter().map(|file| format!("{folder}/{part}/{file}")));
    }
    only_known("a file beside a folder of its name; make it the folder's mod.rs", found, KNOWN_BESIDE);
}

#[test]
fn a_file_beside_its_folder_is_found() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("a/b")).unwrap();
    for file in ["a/mod.rs", "a/b/c.rs", "a/b.rs", "d.rs", "a.txt"] {
        std::fs::write(folder.path().join(file), "").unwrap();
    }
    assert_eq!(beside_their_folder(folder.path()), ["a/b.rs"]);
}
