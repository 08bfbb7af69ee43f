//! A file as a stream of bytes: unpacked on the way if it is gzip, and never more than its size justifies.

use crate::problem::memory;
use crate::{Error, Result};
use flate2::bufread::MultiGzDecoder;
use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::Path;

/// How much is read at once; what is known of a file's format is read off the first such piece.
const PIECE: usize = 1 << 16;
/// A packed file may unpack to so many times its size (real models: 5 to 30), and in any case to [`FREE`].
const MOST_TIMES: u64 = 200;
/// What any packed file may unpack to, in bytes.
const FREE: u64 = 1 << 26;
/// Every so many bytes the memory that is left is looked at.
const LOOK: u64 = 1 << 26;
/// The longest line of a text, in bytes.
const LONGEST_LINE: u64 = 1 << 24;

/// Opens a file; gzip is told by the first bytes, not by the name.
pub(super) fn open(path: &Path) -> Result<Box<dyn BufRead>> {
    let io = |source| Error::Io { path: path.into(), source };
    let file = File::open(path).map_err(io)?;
    let size = file.metadata().map_err(io)?.len();
    let mut packed = BufReader::with_capacity(PIECE, file);
    if !packed.fill_buf().map_err(io)?.starts_with(&[0x1f, 0x8b]) {
        // what is made of a text takes about as much as the text
        memory::require(&format!("{}, by its size,", path.display()), size)?;
        return Ok(Box::new(packed));
    }
    let most = FREE.saturating_add(size.saturating_mul(MOST_TIMES));
    let unpacked = Bounded { inner: MultiGzDecoder::new(packed), left: most, most, free: memory::available };
    Ok(Box::new(BufReader::with_capacity(PIECE, unpacked)))
}

/// Ends with an error, not silently, where more comes than may come, or than there is memory for.
struct Bounded<R> {
    inner: R,
    left: u64,
    most: u64,
    free: fn() -> Option<u64>,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        let before = self.most - self.left;
        if (before + n as u64) / LOOK > before / LOOK {
            // an array that grows is copied: as much again must be there
            let free = (self.free)().unwrap_or(u64::MAX);
            if free < before {
                let [read, free] = [before, free].map(|bytes| bytes as f64 / 1e9);
                return Err(io::Error::other(format!(
                    "after {read:.2} GB of it {free:.2} GB of memory are free: the model does not fit"
                )));
            }
        }
        self.left = self.left.checked_sub(n as u64).ok_or_else(|| {
            let most = self.most;
            io::Error::other(format!(
                "it unpacks to more than {most} bytes, {MOST_TIMES} times its size: unpack it first if that is meant"
            ))
        })?;
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
        let mut lines = Lines::new(open(file.path()).unwrap());
        let mut seen = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            seen.push(String::from_utf8(line.to_vec()).unwrap());
        }
        assert_eq!((seen, lines.number), (["one", "two", "", "four"].map(String::from).to_vec(), 4));
    }

    #[test]
    fn a_bomb_is_refused() {
        let file = packed(&vec![b'\n'; FREE as usize * 2]);
        let mut lines = Lines::new(open(file.path()).unwrap());
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
        let mut endless =
            Bounded { inner: io::repeat(b'\n'), left: 1 << 40, most: 1 << 40, free: || Some(1 << 27) };
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
}
