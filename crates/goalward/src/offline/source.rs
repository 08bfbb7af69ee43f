//! A log as a stream of bytes: a file, a pipe or standard input, packed with gzip or not.

use crate::files::{Kind, kind};
use crate::{Error, Result};
use flate2::bufread::MultiGzDecoder;
use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::rc::Rc;

const PIECE: usize = 1 << 16;

/// An open log. However long it is, a line at a time is held.
pub struct Source {
    /// What it holds, unpacked.
    pub bytes: Box<dyn BufRead>,
    /// Its size, if it is a file: packed, if it is.
    pub size: Option<u64>,
    /// How much of that was read.
    pub read: Rc<Cell<u64>>,
}

/// Opens a log; `-` is standard input.
pub fn open(path: &Path) -> Result<Source> {
    let io = |source| Error::Io { path: path.into(), source };
    let read = Rc::new(Cell::new(0));
    let (from, size): (Box<dyn Read>, _) = match path == Path::new("-") {
        true => (Box::new(io::stdin()), None),
        false => {
            let is_file = kind(path)? == Kind::File;
            let file = File::open(path).map_err(io)?;
            let size = is_file.then(|| file.metadata().map(|about| about.len())).transpose().map_err(io)?;
            (Box::new(file), size)
        }
    };
    let mut packed = BufReader::with_capacity(PIECE, Tally { from, read: read.clone() });
    let is_packed = packed.fill_buf().map_err(io)?.starts_with(&[0x1f, 0x8b]);
    let bytes: Box<dyn BufRead> = match is_packed {
        true => Box::new(BufReader::with_capacity(PIECE, MultiGzDecoder::new(packed))),
        false => Box::new(packed),
    };
    Ok(Source { bytes, size, read })
}

struct Tally {
    from: Box<dyn Read>,
    read: Rc<Cell<u64>>,
}

impl Read for Tally {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.from.read(buffer)?;
        self.read.set(self.read.get() + n as u64);
        Ok(n)
    }
}
