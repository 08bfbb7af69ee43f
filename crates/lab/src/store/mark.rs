//! The mark of a study's folder. It lists what goalward writes there: files by name, records by job.
//! All else is foreign: it is neither replaced nor removed, and links are not followed.

use crate::{Error, Result};
use goalward::output::replace_own;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The mark, written before anything else and never removed.
pub(super) const MARK: &str = ".goalward-study";
/// The list in other folders, where figures and tables go beside foreign files.
const LIST: &str = ".goalward-files";
const HEADER: &str = "written by goalward, which replaces these files (version 1):";
/// The link to the newest of several studies below one folder.
const NEWEST: &str = "newest";

/// Reads a file of a study's folder. A pipe would be waited for without an end.
pub(super) fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    match fs::metadata(path)?.is_file() {
        true => fs::read(path),
        false => Err(io::Error::other("it is no regular file, and nothing is read from it")),
    }
}

/// The names in the list of a folder, if it has one.
fn listed(dir: &Path, mark: &str) -> Result<Option<BTreeSet<String>>> {
    let path = dir.join(mark);
    let text = match read_file(&path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        read => String::from_utf8_lossy(&read.map_err(Error::io(&path))?).into_owned(),
    };
    match text.strip_prefix(HEADER) {
        Some(names) => Ok(Some(names.lines().skip(1).map(String::from).collect())),
        None => Err(Error::Output { path, fault: "goalward did not write it".into() }),
    }
}

fn write(dir: &Path, mark: &str, names: &BTreeSet<String>) -> Result<()> {
    let text = names.iter().fold(HEADER.to_string(), |text, name| text + "\n" + name) + "\n";
    Ok(replace_own(&dir.join(mark), text.as_bytes(), true)?)
}

/// Marks a folder, unless it is marked. `names` are the files that every study has.
pub(super) fn mark(dir: &Path, names: &[&str]) -> Result<()> {
    match listed(dir, MARK)? {
        Some(_) => Ok(()),
        None => write(dir, MARK, &names.iter().map(|name| name.to_string()).collect()),
    }
}

/// The jobs whose files are goalward's.
pub(super) fn listed_jobs(dir: &Path) -> Result<BTreeSet<String>> {
    let names = listed(dir, MARK)?.unwrap_or_default();
    let job = |name: &String| name.strip_prefix("*/")?.strip_suffix(".*").map(String::from);
    Ok(names.iter().filter_map(job).collect())
}

/// Lists jobs besides what is listed.
pub(super) fn list_jobs<'a>(dir: &Path, jobs: impl Iterator<Item = &'a str>) -> Result<()> {
    let mut names = listed(dir, MARK)?.unwrap_or_default();
    names.extend(jobs.map(|job| format!("*/{job}.*")));
    write(dir, MARK, &names)
}

/// Writes a file of a study's folder that is no record; an error if a foreign one is there.
pub(super) fn write_listed(dir: &Path, name: &str, content: &[u8]) -> Result<PathBuf> {
    write_in(dir, MARK, name, content)
}

/// Writes a file into a folder that may have foreign files, none of which is replaced.
pub fn write_beside(dir: &Path, name: &str, content: &[u8]) -> Result<PathBuf> {
    write_in(dir, LIST, name, content)
}

fn write_in(dir: &Path, mark: &str, name: &str, content: &[u8]) -> Result<PathBuf> {
    let path = dir.join(name);
    let mut names = listed(dir, mark)?.unwrap_or_default();
    if names.insert(name.into()) {
        if fs::symlink_metadata(&path).is_ok() {
            let what = format!("{name}, which goalward did not write");
            return Err(Error::Foreign { dir: dir.into(), what });
        }
        // first the list: what a killed process wrote is known too
        write(dir, mark, &names)?;
    }
    replace_own(&path, content, true)?;
    Ok(path)
}

/// Refuses a folder with foreign files and without a mark.
pub(super) fn refuse_strangers(dir: &Path) -> Result<()> {
    if fs::symlink_metadata(dir).is_err() {
        return Ok(());
    }
    if !dir.is_dir() {
        return Err(Error::Output { path: dir.into(), fault: "it is not a folder".into() });
    }
    let mut stranger = None;
    for entry in fs::read_dir(dir).map_err(Error::io(dir))? {
        let entry = entry.map_err(Error::io(dir))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        // studies of their own, and the link to the newest of them
        let ours = name.starts_with('.') || name == NEWEST || entry.path().join(MARK).is_file();
        stranger = stranger.or((!ours).then_some(name));
    }
    // read last: a process that begins at the same time makes the mark first
    match (listed(dir, MARK)?, stranger) {
        (None, Some(name)) => {
            Err(Error::Foreign { dir: dir.into(), what: format!("{name}, and is no study's folder") })
        }
        _ => Ok(()),
    }
}

/// A folder that was marked; its records can be read in any case.
pub(super) fn require(dir: &Path) -> Result<()> {
    match listed(dir, MARK)? {
        Some(_) => Ok(()),
        None => {
            let what = format!("a study without its mark, {MARK}: nothing is written there");
            Err(Error::Foreign { dir: dir.into(), what })
        }
    }
}

/// Makes a folder in a study's own. A link to one is refused.
pub(super) fn make_folder(path: &Path) -> Result<()> {
    match fs::create_dir(path) {
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
        made => made.map_err(Error::io(path))?,
    }
    match fs::symlink_metadata(path).map_err(Error::io(path))?.is_dir() {
        true => Ok(()),
        false => {
            let fault = "a study keeps its files here, and it is no folder, or a link to one".into();
            Err(Error::Output { path: path.into(), fault })
        }
    }
}

/// Removes a file of a study's own; one that is not regular is foreign, and stays.
pub(super) fn remove_file(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path)?.is_file() {
        true => fs::remove_file(path),
        false => Ok(()),
    }
}

/// Points the link `newest` beside a study's folder to it, in one step. Whether it was made: some
/// systems have no links, and a foreign file or link of that name stays.
pub fn link_newest(study: &Path) -> bool {
    let (Some(parent), Some(name)) = (study.parent(), study.file_name()) else { return false };
    let link = parent.join(NEWEST);
    let ours = match fs::symlink_metadata(&link) {
        Err(_) => true,
        Ok(_) => fs::read_link(&link)
            .is_ok_and(|to| to.components().count() == 1 && parent.join(to).join(MARK).is_file()),
    };
    ours && symlink(name.as_ref(), &parent.join(goalward::output::temporary_name()), &link).is_ok()
}

#[cfg(unix)]
fn symlink(to: &Path, part: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(to, part)?;
    fs::rename(part, link).inspect_err(|_| drop(fs::remove_file(part)))
}

#[cfg(not(unix))]
fn symlink(_: &Path, _: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
