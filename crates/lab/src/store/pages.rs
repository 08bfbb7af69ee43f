//! The sizes that page headers of a Parquet file state. The library reserves them before it reads the
//! page: a forged header would reserve two gigabytes for a few bytes.
//!
//! Headers are structs in Thrift's compact protocol. Their fields 2 and 3 are the sizes of the page as it
//! was and as it stands in the file.

use std::ops::Range;

/// More than any page of a record: a page is closed after a megabyte, looked at every 1,024 rows.
const LARGEST: u64 = 1 << 27;
/// Structs within structs that a header may have.
const DEEPEST: u32 = 8;

/// Checks the headers of a column's pages, which stand at these bytes of a file.
pub(super) fn check(file: &[u8], column: Range<u64>) -> Result<(), String> {
    let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
    let pages = file.get(place(column.start)..place(column.end));
    let mut rest = Bytes(pages.ok_or("its header contradicts itself: a column is not in the file")?);
    while !rest.0.is_empty() {
        let Some((was, stands)) = rest.page() else {
            return Err("the header of a page cannot be read".into());
        };
        if was > LARGEST {
            return Err(format!("a page of {stands} bytes promises {was} bytes: it was changed"));
        }
        rest.take(place(stands)).ok_or("a page is longer than its column")?;
    }
    Ok(())
}

/// What is still to be read.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(n)?;
        self.0 = rest;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|byte| byte[0])
    }

    fn varint(&mut self) -> Option<u64> {
        let mut n = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            n |= u64::from(byte & 127) << shift;
            if byte < 128 {
                return Some(n);
            }
        }
        None
    }

    /// A signed number that must not be negative.
    fn size(&mut self) -> Option<u64> {
        let n = self.varint()?;
        (n & 1 == 0).then_some(n >> 1)
    }

    /// The number of the next field after `last`, and its kind; nothing at the end of a struct.
    fn field(&mut self, last: u64) -> Option<Option<(u64, u8)>> {
        let byte = self.byte()?;
        Some(match (byte >> 4, byte & 15) {
            (_, 0) => None,
            (0, kind) => Some((self.size()?, kind)),
            (step, kind) => Some((last.checked_add(u64::from(step))?, kind)),
        })
    }

    /// The two sizes that the header of a page states.
    fn page(&mut self) -> Option<(u64, u64)> {
        let (mut last, mut was, mut stands) = (0, None, None);
        while let Some((number, kind)) = self.field(last)? {
            match (number, kind) {
                (2, 5) => was = Some(self.size()?),
                (3, 5) => stands = Some(self.size()?),
                (_, kind) => self.skip(kind, DEEPEST)?,
            }
            last = number;
        }
        was.zip(stands)
    }

    fn skip(&mut self, kind: u8, deep: u32) -> Option<()> {
        let deep = deep.checked_sub(1)?;
        match kind {
            1 | 2 => {}
            3 => _ = self.byte()?,
            4..=6 => _ = self.varint()?,
            7 => _ = self.take(8)?,
            8 => {
                let length = usize::try_from(self.varint()?).ok()?;
                self.take(length)?;
            }
            9 | 10 => {
                let head = self.byte()?;
                let length = if head >> 4 == 15 { self.varint()? } else { u64::from(head >> 4) };
                for _ in 0..length {
                    // a flag is a byte in a list
                    self.skip(if head & 15 < 3 { 3 } else { head & 15 }, deep)?;
                }
            }
            12 => {
                let mut last = 0;
                while let Some((number, kind)) = self.field(last)? {
                    self.skip(kind, deep)?;
                    last = number;
                }
            }
            // a header of a page has no map
            _ => return None,
        }
        Some(())
    }
}
