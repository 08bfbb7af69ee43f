//! Every file that a command writes is checked here before the work begins: it is no other file of
//! the command, no device and no folder. `-` and `/dev/stdout` are standard output where a command
//! offers that, and `/dev/null` discards. A file is replaced in one step ([`goalward::output`]).

use crate::exit::Usage;
use crate::output;
use goalward::output::{replace_with, replaceable, same_file};
use goalward::worlds::{Place, locate};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

/// What a command reads and writes.
#[derive(Default)]
pub(crate) struct Files {
    read: Vec<(String, PathBuf)>,
    written: Vec<(String, PathBuf)>,
    /// What has standard output for itself.
    printed: Option<String>,
}

/// Where something is to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Output {
    Stdout,
    Nowhere,
    /// By the path that was given.
    File(PathBuf),
}

impl Files {
    /// The command reads this world, which may be a file; a wrong name is reported on opening it.
    pub(crate) fn reads_world(&mut self, world: &str) {
        if let Ok(Place::File(path)) = locate(world) {
            self.reads("world", path);
        }
    }

    pub(crate) fn reads(&mut self, what: &str, path: &Path) {
        self.read.push((what.into(), path.into()));
    }

    /// The command is to write this file, or to standard output or nowhere; `what` is its flag.
    pub(crate) fn writes(&mut self, what: &str, path: &Path) -> anyhow::Result<Output> {
        if is_stdout(path) {
            self.prints(&format!("{what} {}", path.display()))?;
            return Ok(Output::Stdout);
        }
        if path == Path::new("/dev/null") {
            return Ok(Output::Nowhere);
        }
        self.replaces(what, path)?;
        Ok(Output::File(path.into()))
    }

    /// The command is to write this file, and cannot write elsewhere.
    pub(crate) fn replaces(&mut self, what: &str, path: &Path) -> anyhow::Result<()> {
        let shown = path.display();
        if is_stdout(path) {
            let reason = format!("{what} {shown}: this goes to a file, never to standard output");
            return Err(Usage::new(reason).hint("name a file; one that is called - is ./-").into());
        }
        // an open file of another process cannot be replaced by its name
        if ["/dev/fd", "/dev/stderr", "/dev/stdin", "/proc"].iter().any(|held| path.starts_with(held)) {
            let reason = format!("{what} {shown}: it is a device or a pipe, not a file");
            return Err(Usage::new(reason).hint("name a file").into());
        }
        self.has_not(what, path)?;
        replaceable(path).map_err(|error| Usage::new(format!("{what} {error}")).hint("name another file"))?;
        self.written.push((what.into(), path.into()));
        Ok(())
    }

    /// The command is to have standard output for this, and for nothing else.
    pub(crate) fn prints(&mut self, what: &str) -> Result<(), Usage> {
        match self.printed.replace(what.into()) {
            Some(other) => Err(Usage::new(format!("{other} and {what} both print on standard output"))
                .hint("name a file for one of them, or leave one out")),
            None => Ok(()),
        }
    }

    pub(crate) fn appends(&mut self, what: &str, path: &Path) -> Result<(), Usage> {
        self.has_not(what, path)?;
        self.written.push((what.into(), path.into()));
        Ok(())
    }

    /// Requires that it is none of the others.
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
    pub(crate) fn put(&self, text: &str) -> anyhow::Result<()> {
        self.put_with(|out| out.write_all(text.as_bytes()))
    }

    /// Writes piece by piece, so that not all of it is in memory.
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

pub(crate) fn is_stdout(path: &Path) -> bool {
    ["-", "/dev/stdout"].iter().any(|name| path == Path::new(name))
}

pub(crate) fn is_stdin(name: impl AsRef<Path>) -> bool {
    ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].iter().any(|stdin| name.as_ref() == Path::new(stdin))
}

/// Requires a folder, or nothing yet; `what` is the flag or the argument that names it.
pub(crate) fn folder<'a>(what: &str, path: &'a Path) -> Result<&'a Path, Usage> {
    if is_stdin(path) || is_stdout(path) {
        let reason = format!("{what} {}: this is a folder, never standard input or output", path.display());
        return Err(Usage::new(reason).hint("name a folder; one that is called - is ./-"));
    }
    if path.exists() && !path.is_dir() {
        let reason = format!("{what} {}: it is not a folder", path.display());
        return Err(Usage::new(reason).hint("name a folder"));
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

/// Refuses to overwrite a file whose first line shows that it is not a `kind`; an empty one may be.
pub(crate) fn only_over(kind: &str, what: &str, path: &Path, is_one: fn(&str) -> bool) -> Result<(), Usage> {
    let Ok(file) = File::open(path) else { return Ok(()) };
    let mut beginning = Vec::new();
    let read = BufReader::new(file).take(1 << 16).read_until(b'\n', &mut beginning);
    if read.is_ok() && (beginning.is_empty() || std::str::from_utf8(&beginning).is_ok_and(is_one)) {
        return Ok(());
    }
    let reason = format!("{what} {}: there is such a file, and it is no {kind}", path.display());
    Err(Usage::new(reason).hint("name another file, or remove this one"))
}
