//! Texts by their lines.

use std::cell::Cell;
use std::io::{self, BufRead, ErrorKind, Read};

const LONGEST_LINE: u64 = 1 << 24;

pub(in crate::files) struct Lines<R> {
    input: R,
    buffer: Vec<u8>,
    /// The number of the line that was read last, from 1.
    pub(in crate::files) number: usize,
}

impl<R: BufRead> Lines<R> {
    pub(in crate::files) fn new(input: R) -> Self {
        Lines { input, buffer: Vec::new(), number: 0 }
    }

    /// The next line without its end; `None` at the end of the file.
    pub(in crate::files) fn next(&mut self) -> io::Result<Option<&[u8]>> {
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
pub(in crate::files) struct Counted<'a, R> {
    inner: R,
    line: &'a Cell<usize>,
    /// The last byte was a line break: what comes next stands on a new line.
    broken: bool,
}

impl<'a, R> Counted<'a, R> {
    /// `line` is set to the line, from 1, of the byte that was read last.
    pub(in crate::files) fn new(inner: R, line: &'a Cell<usize>) -> Self {
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
