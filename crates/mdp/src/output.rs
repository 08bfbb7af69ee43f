//! Files that are replaced in one step: each is at all times the old one or the new one.

use crate::{Error, Result};
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A chain of links longer than this is taken for a circle, as systems do.
const LINKS: usize = 40;
/// How names of temporary files begin and end.
const PART: [&str; 2] = [".goalward-", ".part"];

/// The end of a path's links, which need not exist yet; its folder must.
pub fn resolve(path: &Path) -> Result<PathBuf> {
    let refuse = |fault: &str| Error::Output { path: path.into(), fault: fault.into() };
    let mut end = path.to_path_buf();
    for _ in 0..LINKS {
        let Some(name) = end.file_name().map(ToOwned::to_owned) else {
            return Err(refuse("it names no file"));
        };
        let folder = match end.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        let folder = fs::canonicalize(folder).map_err(|e| match e.kind() {
            io::ErrorKind::NotFound => refuse(&format!("the folder {} does not exist", folder.display())),
            _ => refuse(&format!("the folder {}: {e}", folder.display())),
        })?;
        if !folder.is_dir() {
            return Err(refuse(&format!("{} is not a folder", folder.display())));
        }
        end = folder.join(name);
        match fs::read_link(&end) {
            Ok(target) => end = folder.join(target),
            Err(_) => return Ok(end),
        }
    }
    Err(refuse("its links lead in a circle"))
}

/// Whether two paths lead to one file: by their names, or by hard links.
pub fn same_file(a: &Path, b: &Path) -> bool {
    let (Ok(a), Ok(b)) = (resolve(a), resolve(b)) else { return false };
    a == b || fs::metadata(a).is_ok_and(|a| fs::metadata(b).is_ok_and(|b| same_inode(&a, &b)))
}

#[cfg(unix)]
fn same_inode(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

#[cfg(not(unix))]
fn same_inode(_: &Metadata, _: &Metadata) -> bool {
    false // the standard library cannot tell there
}

/// The metadata of an existing file; an error if it must not be replaced.
fn standing(path: &Path, target: &Path) -> Result<Option<Metadata>> {
    let refuse = |fault: &str| Err(Error::Output { path: path.into(), fault: fault.into() });
    match fs::metadata(target) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(Error::Io { path: path.into(), source }),
        Ok(old) if old.is_dir() => refuse("it is a folder"),
        Ok(old) if !old.is_file() => refuse("it is a device or a pipe, not a file"),
        Ok(old) if old.permissions().readonly() => refuse("it is write-protected"),
        Ok(old) => Ok(Some(old)),
    }
}

/// Whether a file could be replaced now: what a command asks before it begins to work.
pub fn replaceable(path: &Path) -> Result<PathBuf> {
    let target = resolve(path)?;
    standing(path, &target)?;
    Part::beside(&target, path)?;
    Ok(target)
}

/// Replaces or creates a file by way of a temporary one in the same folder, once all of it is on
/// the disk. Links are followed; permissions are kept.
pub fn replace(path: &Path, content: &[u8]) -> Result<()> {
    replace_with(path, |file| file.write_all(content))
}

/// The same, with what is written piece by piece: a large file need not stand in memory.
pub fn replace_with(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    put(path, &resolve(path)?, true, write)
}

/// The same in a folder of the program's own, where links are refused. Only what is `durable` must
/// outlast a power cut.
pub fn replace_own(path: &Path, content: &[u8], durable: bool) -> Result<()> {
    if fs::symlink_metadata(path).is_ok_and(|there| there.is_symlink()) {
        let fault = "it is a link, which is not followed here".into();
        return Err(Error::Output { path: path.into(), fault });
    }
    put(path, path, durable, |file| file.write_all(content))
}

fn put(
    path: &Path,
    target: &Path,
    durable: bool,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<()> {
    let old = standing(path, target)?;
    let mut part = Part::beside(target, path)?;
    let io = |source| Error::Io { path: path.into(), source };
    write(&mut part.file).map_err(io)?;
    if let Some(old) = old {
        part.inherit(&old).map_err(io)?;
    }
    if durable {
        part.file.sync_all().map_err(io)?;
    }
    fs::rename(&part.path, target).map_err(io)?;
    part.done = true;
    if !durable {
        return Ok(());
    }
    // the new name should survive a power cut too; systems that cannot do this with a folder do it
    // by themselves
    if let Some(folder) = target.parent() {
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
    }
    Ok(())
}

/// A unique name: 128 random bits. Containers share process numbers, and machines a folder.
pub fn temporary_name() -> String {
    let [begin, end] = PART;
    let bits = || RandomState::new().hash_one(());
    format!("{begin}{:016x}{:016x}{end}", bits(), bits())
}

/// Removes the temporary files of killed processes; files that are locked, being written, stay.
pub fn clear_up(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let named = entry.file_name().to_str().is_some_and(is_temporary);
        // a link or a pipe is none of ours
        if !named || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        if let Ok(file) = OpenOptions::new().write(true).open(entry.path())
            && file.try_lock().is_ok()
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn is_temporary(name: &str) -> bool {
    let bits = name.strip_prefix(PART[0]).and_then(|name| name.strip_suffix(PART[1]));
    bits.is_some_and(|bits| bits.len() == 32 && bits.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// A temporary file, locked while it is written and removed unless it replaces another.
struct Part {
    path: PathBuf,
    file: File,
    done: bool,
}

impl Part {
    fn beside(target: &Path, path: &Path) -> Result<Part> {
        loop {
            let part = target.with_file_name(temporary_name());
            let file = match OpenOptions::new().write(true).create_new(true).open(&part) {
                Ok(file) => file,
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(e) => {
                    let folder = target.parent().unwrap_or(Path::new("."));
                    let fault = format!("the folder {} cannot be written to: {e}", folder.display());
                    return Err(Error::Output { path: path.into(), fault });
                }
            };
            // a clean-up may have found it before it was locked: then it goes, or is gone
            let taken = matches!(file.try_lock(), Err(TryLockError::WouldBlock));
            if !taken && fs::symlink_metadata(&part).is_ok() {
                return Ok(Part { path: part, file, done: false });
            }
        }
    }

    fn inherit(&self, old: &Metadata) -> io::Result<()> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt, fchown};
            // only the owner's own files can be given away; the permissions below hold in any case
            let _ = fchown(&self.file, Some(old.uid()), Some(old.gid()));
        }
        self.file.set_permissions(old.permissions())
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if !self.done {
            let _ = fs::remove_file(&self.path);
        }
    }
}
