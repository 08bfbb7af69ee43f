//! Foreign files under the names of a study's records: those of jobs that the mark does not list, or
//! whose bytes are not of the kind.

use crate::{Error, Result};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// The bytes at the beginning and the end of a file that are looked at.
const TELLING: u64 = 100;

/// The files with the names of these jobs, each with its job.
pub(super) fn files_of(
    dir: &Path,
    folders: &[&str],
    jobs: &BTreeSet<&str>,
) -> Result<Vec<(String, PathBuf)>> {
    let mut all = Vec::new();
    for folder in folders.iter().map(|name| dir.join(name)) {
        for entry in fs::read_dir(&folder).map_err(Error::io(&folder))? {
            let path = entry.map_err(Error::io(&folder))?.path();
            let job = path.file_stem().and_then(|stem| stem.to_str()).filter(|stem| jobs.contains(stem));
            all.extend(job.map(String::from).map(|job| (job, path)));
        }
    }
    Ok(all)
}

/// An error if one of these files is of a job that is not known, or foreign.
pub(super) fn refuse_others(dir: &Path, files: &[(String, PathBuf)], known: &BTreeSet<String>) -> Result<()> {
    files.iter().try_for_each(|(job, path)| match known.contains(job) {
        true => spare(dir, path),
        false => Err(foreign(dir, path)),
    })
}

/// An error if goalward did not write a file, whole, damaged or cut off.
pub(super) fn spare(dir: &Path, path: &Path) -> Result<()> {
    match fs::symlink_metadata(path).is_ok_and(|there| there.is_file()) && !is_ours(path)? {
        true => Err(foreign(dir, path)),
        false => Ok(()),
    }
}

pub(super) fn foreign(dir: &Path, path: &Path) -> Error {
    let name = path.strip_prefix(dir).unwrap_or(path).display();
    Error::Foreign { dir: dir.into(), what: format!("{name}, which goalward did not write") }
}

/// Whether a file begins or ends as those of its kind do. After a power cut it may be empty or zero.
fn is_ours(path: &Path) -> Result<bool> {
    let (begins, ends) = ends_of(path).map_err(Error::io(path))?;
    if begins.iter().all(|byte| *byte == 0) {
        return Ok(true);
    }
    Ok(match path.extension().and_then(|end| end.to_str()) {
        Some("parquet") => begins.starts_with(b"PAR1") || ends.ends_with(b"PAR1"),
        Some("json") => contains(&begins, b"\"schema\"") || contains(&ends, b"\"checksum\""),
        Some("checkpoint") => begins.starts_with(b"{\"run\":") || is_seal(&ends),
        _ => false,
    })
}

fn ends_of(path: &Path) -> io::Result<(Vec<u8>, Vec<u8>)> {
    let mut file = File::open(path)?;
    let (mut begins, mut ends) = (Vec::new(), Vec::new());
    file.by_ref().take(TELLING).read_to_end(&mut begins)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TELLING)))?;
    file.take(TELLING).read_to_end(&mut ends)?;
    Ok((begins, ends))
}

fn contains(bytes: &[u8], word: &[u8]) -> bool {
    bytes.windows(word.len()).any(|window| window == word)
}

/// A checkpoint ends with the hash of what is before.
fn is_seal(ends: &[u8]) -> bool {
    ends.last_chunk::<64>().is_some_and(|seal| seal.iter().all(u8::is_ascii_hexdigit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goalward_writes_is_known_damaged_too() {
        let dir = tempfile::tempdir().unwrap();
        let is_ours = |name: &str, bytes: &[u8]| {
            let path = dir.path().join(name);
            fs::write(&path, bytes).unwrap();
            is_ours(&path).unwrap()
        };
        for (name, bytes) in [
            ("a.parquet", &b"PAR1 and what was cut of"[..]),
            ("a.parquet", b"QAR1 with one wrong bit PAR1"),
            ("a.parquet", b""),
            ("a.json", &[0; 4096]),
            ("a.json", b"{\n  \"schema\": 9,"),
            ("a.json", b"{\n  \"schemb\": 9,\n\"checksum\":\"00\"}\n"),
            ("a.checkpoint", b"{\"run\":{"),
            ("a.checkpoint", &[b"x {}".as_slice(), &[b'a'; 64]].concat()),
        ] {
            assert!(is_ours(name, bytes), "{name} {bytes:?}");
        }
        for name in ["a.parquet", "a.json", "a.checkpoint", "a.txt"] {
            assert!(!is_ours(name, b"mine\n"), "{name}");
            assert!(!is_ours(name, b"{\"mine\": 1}"), "{name}");
        }
    }
}
