//! Studies by their names: a file, one that comes with goalward, or a folder of results.

use crate::exit::Usage;
use crate::outputs::{self, is_stdin};
use goalward_lab::study::{self, Study, StudyFile, default_folder};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The most bytes of a study that comes through standard input.
const LONGEST: u64 = 10_000_000;

/// Reads a study file, a study from standard input (`-`), or one that comes with goalward.
pub(super) fn read(name: &str, quick: bool) -> anyhow::Result<StudyFile> {
    match is_stdin(name) {
        true => typed(quick),
        false => Ok(study::read_named(name, quick)?),
    }
}

/// The study as its file is now; none if a folder of results was named.
pub(super) fn look(name: &str) -> anyhow::Result<Option<Study>> {
    match Path::new(name).is_dir() {
        true => Ok(None),
        false => Ok(Some(read(name, false)?.study)),
    }
}

fn typed(quick: bool) -> anyhow::Result<StudyFile> {
    let mut bytes = Vec::new();
    let read = io::stdin().lock().take(LONGEST + 1).read_to_end(&mut bytes);
    read.map_err(|error| Usage::new(format!("standard input: {error}")))?;
    if bytes.len() as u64 > LONGEST {
        let reason = format!("standard input: a study has at most {LONGEST} bytes");
        return Err(Usage::new(reason).into());
    }
    let text = String::from_utf8(bytes).map_err(|error| Usage::new(format!("standard input: {error}")))?;
    let mut file = study::read(&text, Path::new("<standard input>"), quick)?;
    file.study.name = "study".into();
    Ok(file)
}

/// Where the results of a study are: in the folder that was given, otherwise in that of its name.
pub(super) fn folder(name: &str, out: Option<PathBuf>) -> Result<PathBuf, Usage> {
    if let Some(out) = out {
        outputs::folder("--out", &out)?;
        return Ok(out);
    }
    if is_stdin(name) {
        let reason = format!("{name}: standard input does not say where the results are");
        return Err(Usage::new(reason).hint("give the folder of the results"));
    }
    let path = Path::new(name);
    if path.is_dir() {
        return Ok(path.into());
    }
    let folder = default_folder(&path.file_stem().unwrap_or_default().to_string_lossy(), false);
    // where short commands put their results
    let newest = folder.join("newest");
    Ok(if !folder.join("plan.json").exists() && newest.is_dir() { newest } else { folder })
}
