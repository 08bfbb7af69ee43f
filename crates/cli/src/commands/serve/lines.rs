//! Lines of bounded length.

use super::fault::{Code, Fault};
use std::io::{self, BufRead, Read};

const LONGEST: usize = 1_000_000;

/// A line with its number, or why it is not read.
type Numbered<'a> = (u64, Result<&'a [u8], Fault>);

/// Reads lines, and counts them from 1.
pub(super) struct Lines<R> {
    input: R,
    line: Vec<u8>,
    number: u64,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(input: R) -> Lines<R> {
        Lines { input, line: Vec::new(), number: 0 }
    }

    /// The next line, without its end, and its number; none at the end of the input. A line that is
    /// too long is skipped, and none of it is held. The last one may lack its line break.
    pub(super) fn next(&mut self) -> io::Result<Option<Numbered<'_>>> {
        self.line.clear();
        if (&mut self.input).take(LONGEST as u64 + 1).read_until(b'\n', &mut self.line)? == 0 {
            return Ok(None);
        }
        self.number += 1;
        if self.line.ends_with(b"\n") {
            self.line.pop();
        } else if self.line.len() > LONGEST {
            self.input.skip_until(b'\n')?;
            let fault = Fault::new(Code::TooLong, format!("the line is longer than {LONGEST} bytes"));
            return Ok(Some((self.number, Err(fault))));
        }
        Ok(Some((self.number, Ok(&self.line))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    #[test]
    fn lines_are_told_apart_however_they_come() {
        let text = b"one\n\ntwo\r\n three";
        for piece in 1..20 {
            let mut lines = Lines::new(BufReader::with_capacity(piece, &text[..]));
            for (n, line) in [&b"one"[..], b"", b"two\r", b" three"].into_iter().enumerate() {
                assert_eq!(lines.next().unwrap(), Some((n as u64 + 1, Ok(line))), "{piece}");
            }
            assert_eq!(lines.next().unwrap(), None);
        }
    }

    #[test]
    fn a_long_line_is_not_held() {
        let ends = |length: usize| io::repeat(b'x').take(length as u64).chain(&b"\nnext\n"[..]);
        let mut lines = Lines::new(BufReader::new(ends(LONGEST)));
        assert!(matches!(lines.next().unwrap(), Some((1, Ok(line))) if line.len() == LONGEST));
        let mut lines = Lines::new(BufReader::new(ends(50 * LONGEST)));
        assert!(matches!(lines.next().unwrap(), Some((1, Err(_)))));
        assert_eq!(lines.next().unwrap(), Some((2, Ok(&b"next"[..]))));
        assert!(lines.line.capacity() <= 2 * LONGEST);
        assert_eq!(lines.next().unwrap(), None);
    }
}
