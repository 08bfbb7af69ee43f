//! One process at a time writes a file.
//!
//! The system's lock is taken on a small file beside it, because a checkpoint is replaced at every
//! save and a lock on itself would go with the old one. The lock ends with its process; a killed
//! one leaves an unlocked file, which the next one takes.

use crate::exit::Usage;
use goalward::output::{clear_up, resolve};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// A file that no other process writes as long as this lives.
#[derive(Debug)]
pub(crate) struct Lock {
    /// The file, by the path that was given.
    pub(crate) path: PathBuf,
    beside: PathBuf,
    _file: File,
}

impl Lock {
    /// Takes the lock on a file, whether or not that exists; links are followed.
    pub(crate) fn on(what: &str, path: &Path) -> anyhow::Result<Lock> {
        let beside = beside(path)?;
        let failed = |e: io::Error| {
            Usage::new(format!("{what} {}: the lock {}: {e}", path.display(), beside.display()))
        };
        loop {
            if fs::symlink_metadata(&beside).is_ok_and(|other| !other.is_file()) {
                return Err(failed(io::Error::other("it is not a regular file")).into());
            }
            let mut file = OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .open(&beside)
                .map_err(failed)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(taken(what, path).into()),
                // a file system without locks
                Err(TryLockError::Error(e)) if e.kind() == io::ErrorKind::Unsupported => {}
                Err(TryLockError::Error(e)) => return Err(failed(e).into()),
            }
            // its last owner may have removed it since it was opened
            if !is_still(&file, &beside) {
                continue;
            }
            // only a killed process leaves its lock file
            if file.metadata().is_ok_and(|left| left.len() > 0) {
                clear_up(beside.parent().unwrap_or(Path::new(".")));
            }
            let signed = file
                .set_len(0)
                .and_then(|()| file.rewind())
                .and_then(|()| write!(file, "{}", std::process::id()));
            signed.and_then(|()| file.flush()).map_err(failed)?;
            return Ok(Lock { path: path.into(), beside, _file: file });
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // while it is locked: it is no other process's
        let _ = fs::remove_file(&self.beside);
    }
}

/// Takes the system's lock on the file itself: hard links have different names.
pub(crate) fn lock_itself(what: &str, path: &Path, file: &File) -> Result<(), Usage> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(taken(what, path)),
        _ => Ok(()),
    }
}

fn beside(path: &Path) -> anyhow::Result<PathBuf> {
    let target = resolve(path)?;
    let name = target.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(target.with_file_name(format!(".{name}.goalward-lock")))
}

fn taken(what: &str, path: &Path) -> Usage {
    let mut process = String::new();
    if let Ok(file) = beside(path).and_then(|beside| Ok(File::open(beside)?)) {
        let _ = file.take(20).read_to_string(&mut process);
    }
    let process = if process.is_empty() { String::new() } else { format!(", process {process}") };
    let reason = format!("{what} {}: another goalward is writing it{process}", path.display());
    Usage::new(reason).hint("wait for it or stop it, or name another file")
}

#[cfg(unix)]
fn is_still(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let place = |data: fs::Metadata| (data.dev(), data.ino());
    file.metadata().ok().map(place) == fs::metadata(path).ok().map(place)
}

#[cfg(not(unix))]
fn is_still(_: &File, _: &Path) -> bool {
    true // a file that is open cannot be removed there
}
