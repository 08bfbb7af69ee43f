//! A file, a pipe or standard input (gzip or not) as a bounded stream of bytes that is read once.

mod bounded;
mod lines;
#[cfg(test)]
mod tests;

pub(super) use lines::{Counted, Lines};

use super::text::STDIN;
use crate::numeric::halt::Halt;
use crate::{Error, Result, memory};
use bounded::{Bounded, FREE, Limit};
use flate2::bufread::MultiGzDecoder;
use std::cell::Cell;
use std::fs::{File, Metadata};
use std::io::{self, BufRead, BufReader, Cursor, ErrorKind, IsTerminal, Read};
use std::path::Path;
use std::rc::Rc;

/// How much is read at once; what is known of a file's format is read off the first such piece.
pub(super) const PIECE: usize = 1 << 16;

/// What a path names, as far as reading from it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A file, which says its size and can be opened again.
    File,
    /// A pipe: what comes is read once, and there may be a wait for it.
    Pipe,
    /// A terminal: text may be typed.
    Terminal,
}

/// What a path names (`-`: standard input); an error if no model can be read from it.
pub fn kind(path: &Path) -> Result<Kind> {
    let io = |source| Error::Io { path: path.into(), source };
    if path == Path::new("-") {
        let file = standard_input().map_err(io)?;
        return kind_of(&file.metadata().map_err(io)?, || Ok(file.is_terminal())).map_err(io);
    }
    // a pipe is not opened to be looked at: that would wait for its other end, and take what it
    // holds
    let metadata = path.metadata().map_err(io)?;
    kind_of(&metadata, || Ok(File::open(path)?.is_terminal())).map_err(io)
}

/// Whether opening a path again gives the same: not for pipes and files below /dev or /proc.
pub fn can_be_reopened(path: &Path) -> bool {
    let fleeting = ["/dev", "/proc"].iter().any(|folder| path.starts_with(folder));
    path != Path::new("-") && !fleeting && !matches!(kind(path), Ok(Kind::Pipe | Kind::Terminal))
}

#[cfg(unix)]
fn standard_input() -> io::Result<File> {
    use std::os::fd::AsFd;
    Ok(File::from(io::stdin().as_fd().try_clone_to_owned()?))
}

#[cfg(not(unix))]
fn standard_input() -> io::Result<File> {
    File::open("CONIN$")
}

fn kind_of(metadata: &Metadata, is_terminal: impl Fn() -> io::Result<bool>) -> io::Result<Kind> {
    let refuse = |what: &str| {
        let fault = format!("this is {what}: a model is read from a file or a pipe");
        Err(io::Error::new(ErrorKind::InvalidInput, fault))
    };
    let kind = metadata.file_type();
    if kind.is_file() {
        return Ok(Kind::File);
    }
    if kind.is_dir() {
        return refuse("a folder");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return Ok(Kind::Pipe);
        }
        if kind.is_socket() {
            return refuse("a socket");
        }
        if kind.is_block_device() || kind.is_char_device() && !is_terminal()? {
            return refuse("a device");
        }
    }
    if is_terminal()? { Ok(Kind::Terminal) } else { refuse("no file") }
}

pub(super) struct Input {
    /// The first bytes, unpacked, as many as are read at once or as there are.
    pub(super) begin: Vec<u8>,
    pub(super) all: Box<dyn BufRead>,
    pub(super) is_file: bool,
}

/// Opens a file, a pipe or, as `-`, standard input. The first bytes tell gzip.
pub(super) fn open(path: &Path, halt: &Halt) -> Result<Input> {
    let shown = if path == Path::new("-") { Path::new(STDIN) } else { path };
    let io = |source| Error::Io { path: shown.into(), source };
    let is_file = kind(path)? == Kind::File;
    let file = if path == Path::new("-") { standard_input() } else { File::open(path) }.map_err(io)?;
    let size = if is_file { file.metadata().map_err(io)?.len() } else { 0 };
    let read = Rc::new(Cell::new(0));
    let mut packed = Tally { inner: file, read: read.clone(), halt: halt.clone() };
    let first = piece(&mut packed).map_err(io)?;
    let is_packed = first.starts_with(&[0x1f, 0x8b]);
    let all = Cursor::new(first).chain(packed);
    let mut unpacked: Box<dyn Read> = match (is_packed, is_file) {
        (false, true) => {
            // what is made of a text takes about as much as the text
            memory::require(&format!("{}, by its size,", path.display()), size)?;
            Box::new(Bounded::new(all, Limit::File(size.max(FREE))))
        }
        (false, false) => Box::new(Bounded::new(all, Limit::Pipe)),
        (true, is_file) => {
            let unpacked = MultiGzDecoder::new(BufReader::with_capacity(PIECE, all));
            Box::new(Bounded::new(unpacked, Limit::Packed(read, !is_file)))
        }
    };
    let begin = piece(&mut unpacked).map_err(io)?;
    let all = Cursor::new(begin.clone()).chain(unpacked);
    Ok(Input { begin, all: Box::new(BufReader::with_capacity(PIECE, all)), is_file })
}

fn piece(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut piece = Vec::new();
    from.take(PIECE as u64).read_to_end(&mut piece)?;
    Ok(piece)
}

struct Tally<R> {
    inner: R,
    read: Rc<Cell<u64>>,
    halt: Halt,
}

impl<R: Read> Read for Tally<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.read.set(self.read.get() + n as u64);
        self.halt.read(n as u64);
        Ok(n)
    }
}
