//! Lines of bounded length.

use super::fault::{Code, Fault};
use std::io::{self, BufRead, ErrorKind};

/// The most bytes of a line.
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
        let (mut too_long, mut begun) = (false, false);
        loop {
            let piece = match self.input.fill_buf() {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                piece => piece?,
            };
            if piece.is_empty() && !begun {
                return Ok(None);
            }
            begun = true;
            let end = piece.iter().position(|byte| *byte == b'\n');
            let part = &piece[..end.unwrap_or(piece.len())];
            too_long |= self.line.len() + part.len() > LONGEST;
            if !too_long {
                self.line.extend_from_slice(part);
            }
            let (taken, last) = (part.len() + usize::from(end.is_some()), end.is_some() || piece.is_empty());
            self.input.consume(taken);
            if last {
                break;
            }
        }
        self.number += 1;
        let too_long =
            too_long.then(|| Fault::new(Code::TooLong, format!("the line is longer than {LONGEST} bytes")));
        Ok(Some((self.number, too_long.map_or(Ok(&self.line), Err))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufReader, Read};

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
