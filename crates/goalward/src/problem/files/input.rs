//! A file, a pipe or standard input as a stream of bytes: read once, unpacked on the way if it is gzip, and never more than
//! its size justifies.

use super::STDIN;
use crate::problem::memory;
use crate::{Error, Result};
use flate2::bufread::MultiGzDecoder;
use std::cell::Cell;
use std::fs::{File, Metadata};
use std::io::{self, BufRead, BufReader, Cursor, ErrorKind, IsTerminal, Read};
use std::path::Path;
use std::rc::Rc;

/// How much is read at once; what is known of a file's format is read off the first such piece.
const PIECE: usize = 1 << 16;
/// A packed file may unpack to so many times its size (real models: 5 to 30), and in any case to [`FREE`].
const MOST_TIMES: u64 = 200;
/// What any packed file may unpack to, in bytes.
const FREE: u64 = 1 << 26;
/// What may come through a pipe, unpacked, in bytes: it does not say its size, and may never end.
const PIPE: u64 = 1 << 32;
/// Every so many bytes the memory that is left is looked at.
const LOOK: u64 = 1 << 26;
/// The longest line of a text, in bytes.
const LONGEST_LINE: u64 = 1 << 24;

/// What a path names, as far as reading from it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A file, which says its size and can be opened again.
    File,
    /// A pipe: what comes is read once, and there may be a wait for it.
    Pipe,
    /// A terminal: somebody may type.
    Terminal,
}

/// What a path names; an error for what no model can be read from, and for what does not exist. `-` is standard input.
pub fn kind(path: &Path) -> Result<Kind> {
    let io = |source| Error::Io { path: path.into(), source };
    if path == Path::new("-") {
        let file = standard_input().map_err(io)?;
        return kind_of(&file.metadata().map_err(io)?, || Ok(file.is_terminal())).map_err(io);
    }
    // a pipe is not opened to be looked at: that would wait for its other end, and take what it holds
    let metadata = path.metadata().map_err(io)?;
    kind_of(&metadata, || Ok(File::open(path)?.is_terminal())).map_err(io)
}

/// Whether opening a path once more gives the same again: not so for pipes and for what is another thing in every process.
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

/// An open file: how it begins, and all of it.
pub(super) struct Input {
    /// The first bytes, unpacked, as many as are read at once or as there are.
    pub(super) begin: Vec<u8>,
    /// All bytes, unpacked.
    pub(super) all: Box<dyn BufRead>,
    /// Whether it can be opened again.
    pub(super) is_file: bool,
}

/// Opens a file, a pipe or, as `-`, standard input; gzip is told by the first bytes, not by the name.
pub(super) fn open(path: &Path) -> Result<Input> {
    let shown = if path == Path::new("-") { Path::new(STDIN) } else { path };
    let io = |source| Error::Io { path: shown.into(), source };
    let is_file = kind(path)? == Kind::File;
    let file = if path == Path::new("-") { standard_input() } else { File::open(path) }.map_err(io)?;
    let size = if is_file { file.metadata().map_err(io)?.len() } else { 0 };
    let read = Rc::new(Cell::new(0));
    let mut packed = Tally { inner: file, read: read.clone() };
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
            Box::new(Bounded::new(
                unpacked,
                if is_file { Limit::Times(size) } else { Limit::TimesRead(read) },
            ))
        }
    };
    let begin = piece(&mut unpacked).map_err(io)?;
    let all = Cursor::new(begin.clone()).chain(unpacked);
    Ok(Input { begin, all: Box::new(BufReader::with_capacity(PIECE, all)), is_file })
}

/// The first piece, whole: a pipe may hand it over in small parts.
fn piece(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut piece = Vec::new();
    from.take(PIECE as u64).read_to_end(&mut piece)?;
    Ok(piece)
}

/// Counts what is read.
struct Tally<R> {
    inner: R,
    read: Rc<Cell<u64>>,
}

impl<R: Read> Read for Tally<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.read.set(self.read.get() + n as u64);
        Ok(n)
    }
}

/// How much may come.
enum Limit {
    /// As much as a file said when it was opened.
    File(u64),
    /// What a pipe may bring.
    Pipe,
    /// A multiple of a packed file's size.
    Times(u64),
    /// A multiple of what has come, packed, through a pipe.
    TimesRead(Rc<Cell<u64>>),
}

impl Limit {
    fn bytes(&self) -> u64 {
        let times = |size: u64| FREE.saturating_add(size.saturating_mul(MOST_TIMES));
        match self {
            Limit::File(size) => *size,
            Limit::Pipe => PIPE,
            Limit::Times(size) => times(*size),
            Limit::TimesRead(read) => times(read.get()).min(PIPE),
        }
    }

    fn fault(&self) -> io::Error {
        let most = self.bytes();
        io::Error::other(match self {
            Limit::File(_) => format!("it has grown beyond {most} bytes while it was read"),
            Limit::TimesRead(_) | Limit::Pipe if most == PIPE => format!(
                "more than {most} bytes came through this pipe, and perhaps it never ends: write it to a file first"
            ),
            _ => format!(
                "it unpacks to more than {most} bytes, {MOST_TIMES} times its size: unpack it first if that is meant"
            ),
        })
    }
}

/// Ends with an error, not silently, where more comes than may come, or than there is memory for.
struct Bounded<R> {
    inner: R,
    read: u64,
    limit: Limit,
    free: fn() -> Option<u64>,
}

impl<R> Bounded<R> {
    fn new(inner: R, limit: Limit) -> Self {
        Bounded { inner, read: 0, limit, free: memory::available }
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        let before = self.read;
        self.read += n as u64;
        if self.read / LOOK > before / LOOK {
            // an array that grows is copied: as much again must be there
            let free = (self.free)().unwrap_or(u64::MAX);
            if free < before {
                let [read, free] = [before, free].map(|bytes| bytes as f64 / 1e9);
                return Err(io::Error::other(format!(
                    "after {read:.2} GB of it {free:.2} GB of memory are free: the model does not fit"
                )));
            }
        }
        if self.read > self.limit.bytes() {
            return Err(self.limit.fault());
        }
        Ok(n)
    }
}

/// Lines with their numbers, in one buffer.
pub(super) struct Lines<R> {
    input: R,
    buffer: Vec<u8>,
    /// The number of the line that was read last, from 1.
    pub(super) number: usize,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(input: R) -> Self {
        Lines { input, buffer: Vec::new(), number: 0 }
    }

    /// The next line without its end; `None` at the end of the file.
    pub(super) fn next(&mut self) -> io::Result<Option<&[u8]>> {
        self.buffer.clear();
        let n = (&mut self.input).take(LONGEST_LINE).read_until(b'\n', &mut self.buffer)?;
        if n == 0 {
            return Ok(None);
        }
        self.number += 1;
        if n as u64 == LONGEST_LINE {
            let fault = format!("this line is longer than {LONGEST_LINE} bytes: not a model");
            return Err(io::Error::new(ErrorKind::InvalidData, fault));
        }
        Ok(Some(self.buffer.trim_ascii_end()))
    }
}

/// Counts the lines that pass, for a parser that does not say where it is.
pub(super) struct Counted<'a, R> {
    inner: R,
    line: &'a Cell<usize>,
    /// The last byte was a line break: what comes next stands on a new line.
    broken: bool,
}

impl<'a, R> Counted<'a, R> {
    /// `line` is set to the line, from 1, of the byte that was read last.
    pub(super) fn new(inner: R, line: &'a Cell<usize>) -> Self {
        line.set(1);
        Counted { inner, line, broken: false }
    }
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        for &byte in &buffer[..n] {
            self.line.set(self.line.get() + usize::from(self.broken));
            self.broken = byte == b'\n';
        }
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write;

    fn packed(text: &[u8]) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut encoder = GzEncoder::new(file.reopen().unwrap(), Compression::best());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap();
        file
    }

    #[test]
    fn gzip_is_told_by_its_bytes() {
        let file = packed(b"one\r\ntwo\n\nfour");
        let mut lines = Lines::new(open(file.path()).unwrap().all);
        let mut seen = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            seen.push(String::from_utf8(line.to_vec()).unwrap());
        }
        assert_eq!((seen, lines.number), (["one", "two", "", "four"].map(String::from).to_vec(), 4));
    }

    #[test]
    fn a_bomb_is_refused() {
        let file = packed(&vec![b'\n'; FREE as usize * 2]);
        let mut lines = Lines::new(open(file.path()).unwrap().all);
        let fault = loop {
            match lines.next() {
                Ok(Some(_)) => {}
                Ok(None) => panic!("all of it was read"),
                Err(fault) => break fault,
            }
        };
        assert!(fault.to_string().contains("200 times its size"), "{fault}");
        assert!(lines.number as u64 <= FREE + 200 * file.path().metadata().unwrap().len());
    }

    #[test]
    fn what_does_not_fit_into_memory_is_refused_on_the_way() {
        let limit = Limit::File(1 << 40);
        let mut endless = Bounded { inner: io::repeat(b'\n'), read: 0, limit, free: || Some(1 << 27) };
        let (mut buffer, mut read) = (vec![0; 1 << 20], 0);
        let fault = loop {
            match endless.read(&mut buffer) {
                Ok(n) => read += n,
                Err(fault) => break fault,
            }
        };
        assert!(fault.to_string().contains("0.13 GB of memory are free"), "{fault}");
        assert!((1 << 27..1 << 28).contains(&read), "{read}");
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let mut lines = Lines::new(BufReader::new(io::repeat(b'x').take(1 << 30)));
        assert!(lines.next().unwrap_err().to_string().contains("longer"));
    }

    #[test]
    fn lines_are_counted_where_bytes_stand() {
        let line = Cell::new(0);
        let mut counted = Counted::new(&b"a\nb\n\nc"[..], &line);
        let mut byte = [0];
        let mut seen = Vec::new();
        while counted.read(&mut byte).unwrap() == 1 {
            seen.push((byte[0], line.get()));
        }
        assert_eq!(seen, [(b'a', 1), (b'\n', 1), (b'b', 2), (b'\n', 2), (b'\n', 3), (b'c', 4)]);
    }

    /// A reader that hands over a byte at a time, as a pipe may.
    struct Slow<'a>(&'a [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let n = self.0.len().min(buffer.len()).min(1);
            buffer[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }

    #[test]
    fn the_first_piece_is_whole_however_it_comes() {
        let text = vec![b'x'; PIECE + 10];
        assert_eq!(piece(&mut Slow(&text)).unwrap().len(), PIECE);
        assert_eq!(piece(&mut Slow(b"abc")).unwrap(), b"abc");
    }

    #[test]
    fn what_comes_packed_through_a_pipe_is_bounded_by_what_came() {
        let read = Rc::new(Cell::new(1000));
        let limit = Limit::TimesRead(read.clone());
        assert_eq!(limit.bytes(), FREE + 200_000);
        assert!(limit.fault().to_string().contains("200 times its size"));
        read.set(1 << 40);
        assert_eq!(limit.bytes(), PIPE);
        assert!(limit.fault().to_string().contains("through this pipe"));
    }

    #[test]
    fn folders_and_devices_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let error = kind(folder.path()).unwrap_err().to_string();
        assert!(error.contains("a folder"), "{error}");
        #[cfg(target_os = "linux")]
        for device in ["/dev/zero", "/dev/null", "/dev/urandom"] {
            let error = open(Path::new(device)).map(|_| ()).unwrap_err().to_string();
            assert!(error.contains(device) && error.contains("a device"), "{error}");
        }
    }
}
