//! Every file that a command writes goes through here, and is judged before the work begins:
//! nothing that the command reads, nothing that it writes already, no device, no folder.
//!
//! `-` and `/dev/stdout` are standard output where a command offers that, and `/dev/null` throws
//! away what can be thrown away. All else must be a file: it is replaced in one step
//! ([`goalward::output`]), so that what was there stays until all of the new one is.

use crate::exit::Usage;
use crate::output;
use goalward::output::{replace, replace_with, replaceable, same_file};
use goalward::worlds::{Place, locate, named};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

/// What a command reads and writes.
#[derive(Default)]
pub(crate) struct Files {
    read: Vec<(String, PathBuf)>,
    written: Vec<(String, PathBuf)>,
    /// Who has standard output for itself.
    printed: Option<String>,
}

/// Where something is to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Output {
    /// To standard output.
    Stdout,
    /// Nowhere: it is thrown away.
    Nowhere,
    /// To a file, by the path that was given.
    File(PathBuf),
}

/// What a flag takes besides files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    /// Nothing else.
    Files,
    /// `/dev/null`, `-` and `/dev/stdout`.
    Stdout,
}

impl Files {
    /// The command reads this world, which may be a file.
    pub(crate) fn reads_world(&mut self, world: &str) {
        // a name that is wrong is another's business
        let name = named(world).map_or(world.into(), |(name, _)| name);
        if let Ok(Place::File(path)) = locate(&name) {
            self.reads("world", path);
        }
    }

    /// The command reads this file.
    pub(crate) fn reads(&mut self, what: &str, path: &Path) {
        self.read.push((what.into(), path.into()));
    }

    /// The command is to write this file; `what` is the flag that names it.
    pub(crate) fn writes(&mut self, what: &str, path: &Path, takes: Takes) -> anyhow::Result<Output> {
        let shown = path.display();
        if is_stdout(path) && takes == Takes::Stdout {
            self.prints(&format!("{what} {shown}"))?;
            return Ok(Output::Stdout);
        }
        if is_stdout(path) {
            let reason = format!("{what} {shown}: this goes to a file, never to standard output");
            return Err(Usage::new(reason).hint("name a file; one that is called - is ./-").into());
        }
        if path == Path::new("/dev/null") && takes != Takes::Files {
            return Ok(Output::Nowhere);
        }
        // what others hold open cannot be replaced by a name
        if ["/dev/fd", "/dev/stderr", "/dev/stdin", "/proc"].iter().any(|held| path.starts_with(held)) {
            let reason = format!("{what} {shown}: it is a device or a pipe, not a file");
            return Err(Usage::new(reason).hint("name a file").into());
        }
        self.has_not(what, path)?;
        replaceable(path).map_err(|error| Usage::new(format!("{what} {error}")).hint("name another file"))?;
        self.written.push((what.into(), path.into()));
        Ok(Output::File(path.into()))
    }

    /// The command is to have standard output for this, and for nothing else.
    pub(crate) fn prints(&mut self, what: &str) -> Result<(), Usage> {
        match self.printed.replace(what.into()) {
            Some(other) => Err(Usage::new(format!("{other} and {what} both print on standard output"))
                .hint("name a file for one of them, or leave one out")),
            None => Ok(()),
        }
    }

    /// The command is to write on in this file, which has proved to be the right one; nothing is
    /// touched yet.
    pub(crate) fn writes_on(&mut self, what: &str, path: &Path) -> Result<(), Usage> {
        self.has_not(what, path)?;
        self.written.push((what.into(), path.into()));
        Ok(())
    }

    /// It is none of the others.
    fn has_not(&self, what: &str, path: &Path) -> Result<(), Usage> {
        let same = |(_, other): &&(String, PathBuf)| same_file(other, path);
        let shown = path.display();
        let reason = if let Some((other, _)) = self.read.iter().find(same) {
            format!("{what} {shown} is the {other} that this command reads: it would be overwritten")
        } else if let Some((other, _)) = self.written.iter().find(same) {
            format!("{what} and {other} name the same file, {shown}")
        } else {
            return Ok(());
        };
        Err(Usage::new(reason).hint("name another file"))
    }
}

impl Output {
    /// Writes all of it.
    pub(crate) fn put(&self, text: &str) -> anyhow::Result<()> {
        self.put_bytes(text.as_bytes())
    }

    /// Writes all of it, text or not.
    pub(crate) fn put_bytes(&self, bytes: &[u8]) -> anyhow::Result<()> {
        match self {
            Output::Stdout => Ok(output::bytes(bytes)?),
            Output::Nowhere => Ok(()),
            Output::File(path) => Ok(replace(path, bytes)?),
        }
    }

    /// Writes what comes piece by piece: what is large need not stand in memory.
    pub(crate) fn put_with(
        &self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> anyhow::Result<()> {
        match self {
            Output::Stdout => Ok(output::pieces(write)?),
            Output::Nowhere => Ok(()),
            Output::File(path) => Ok(replace_with(path, write)?),
        }
    }
}

/// Whether a path names standard output.
pub(crate) fn is_stdout(path: &Path) -> bool {
    ["-", "/dev/stdout"].iter().any(|name| path == Path::new(name))
}

/// Whether a name is that of standard input.
pub(crate) fn is_stdin(name: impl AsRef<Path>) -> bool {
    ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].iter().any(|stdin| name.as_ref() == Path::new(stdin))
}

/// A folder that is written to or read from; `what` is the flag or the argument that names it.
pub(crate) fn folder<'a>(what: &str, path: &'a Path) -> Result<&'a Path, Usage> {
    if is_stdin(path) || is_stdout(path) {
        let reason = format!("{what} {}: this is a folder, never standard input or output", path.display());
        return Err(Usage::new(reason).hint("name a folder; one that is called - is ./-"));
    }
    Ok(path)
}

/// Standard output as a file, for what is written piece by piece.
pub(crate) fn standard_output() -> std::io::Result<File> {
    #[cfg(unix)]
    let held = std::os::fd::AsFd::as_fd(&std::io::stdout()).try_clone_to_owned();
    #[cfg(windows)]
    let held = std::os::windows::io::AsHandle::as_handle(&std::io::stdout()).try_clone_to_owned();
    Ok(File::from(held?))
}

/// Refuses to overwrite a file that is not empty and whose beginning says that it is something else
/// than `kind`.
pub(crate) fn only_over(kind: &str, what: &str, path: &Path, is_one: fn(&str) -> bool) -> Result<(), Usage> {
    let Ok(file) = File::open(path) else { return Ok(()) }; // there is none
    let mut beginning = Vec::new();
    // a first line is some hundred bytes long
    let read = BufReader::new(file).take(1 << 16).read_until(b'\n', &mut beginning);
    if read.is_ok() && (beginning.is_empty() || std::str::from_utf8(&beginning).is_ok_and(is_one)) {
        return Ok(());
    }
    let reason = format!("{what} {}: there is such a file, and it is no {kind}", path.display());
    Err(Usage::new(reason).hint("name another file, or remove this one"))
}
