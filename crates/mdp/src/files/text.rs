//! What readers say of the files they read: names, places, quotations.

use crate::Error;
use std::path::Path;

/// What errors call standard input, whose path is `-`.
pub(super) const STDIN: &str = "<standard input>";

/// The endings of model files, which `gz` may follow.
pub const ENDINGS: [&str; 2] = ["drn", "json"];

pub(super) fn fault_at(text: &[u8], at: usize, path: &Path, fault: String) -> Error {
    let before = &text[..at.min(text.len())];
    let line = 1 + before.iter().filter(|&&b| b == b'\n').count();
    let column = 1 + before.iter().rev().take_while(|&&b| b != b'\n').count();
    Error::File { path: path.into(), line, column, fault }
}

/// The error of a parser of JSON, which says its place itself.
pub(super) fn json_fault(error: &serde_json::Error, path: &Path) -> Error {
    let place = format!(" at line {} column {}", error.line(), error.column());
    let fault = error.to_string();
    let fault = clipped(fault.strip_suffix(&place).unwrap_or(&fault).to_string());
    Error::File { path: path.into(), line: error.line().max(1), column: error.column().max(1), fault }
}

/// A message that quotes what was found, and not all of it where that is long.
pub(super) fn clipped(mut text: String) -> String {
    const SHOWN: usize = 400;
    if let Some((end, _)) = text.char_indices().nth(SHOWN) {
        text.truncate(end);
        text.push_str(" ...");
        text.shrink_to_fit();
    }
    text
}

pub(super) fn stem(path: &Path) -> String {
    let name = path.file_name().map_or("model".into(), |name| name.to_string_lossy());
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    let stem = ENDINGS.iter().find_map(|end| name.strip_suffix(end)?.strip_suffix('.'));
    match stem.unwrap_or(name) {
        "" | STDIN => "model".into(),
        stem => stem.into(),
    }
}
