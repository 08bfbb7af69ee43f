//! Never more than its size justifies, and never more than there is memory for.

use crate::memory;
use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

/// A packed file may unpack to this multiple of its size (real models: 5 to 30) plus [`FREE`].
const MOST_TIMES: u64 = 200;
/// What any packed file may unpack to, in bytes.
pub(super) const FREE: u64 = 1 << 26;
/// What may come through a pipe, unpacked, in bytes: it does not say its size, and may never end.
pub(super) const PIPE: u64 = 1 << 32;
/// The free memory is checked each time this number of bytes was read.
const LOOK: u64 = 1 << 26;

pub(super) enum Limit {
    File(u64),
    Pipe,
    /// A multiple of what has come, packed; true: through a pipe.
    Packed(Rc<Cell<u64>>, bool),
}

impl Limit {
    pub(super) fn bytes(&self) -> u64 {
        match self {
            Limit::File(size) => *size,
            Limit::Pipe => PIPE,
            Limit::Packed(read, is_pipe) => {
                let times = FREE.saturating_add(read.get().saturating_mul(MOST_TIMES));
                if *is_pipe { times.min(PIPE) } else { times }
            }
        }
    }

    pub(super) fn fault(&self) -> io::Error {
        let most = self.bytes();
        io::Error::other(match self {
            Limit::File(_) => format!("it has grown beyond {most} bytes while it was read"),
            Limit::Packed(_, true) | Limit::Pipe if most == PIPE => format!(
                "more than {most} bytes came through this pipe, and perhaps it never ends: write \
                 it to a file first"
            ),
            _ => format!(
                "it unpacks to more than {most} bytes, {MOST_TIMES} times its size: unpack it \
                 first if that is meant"
            ),
        })
    }
}

/// Ends with an error, not silently, where more comes than may come, or than there is memory for.
pub(super) struct Bounded<R> {
    pub(super) inner: R,
    pub(super) read: u64,
    pub(super) limit: Limit,
    pub(super) free: fn() -> Option<u64>,
}

impl<R> Bounded<R> {
    pub(super) fn new(inner: R, limit: Limit) -> Self {
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
