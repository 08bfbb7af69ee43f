//! Files, pipes and what is neither.

use super::bounded::PIPE;
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
    let mut lines = Lines::new(open(file.path(), &Halt::never()).unwrap().all);
    let mut seen = Vec::new();
    while let Some(line) = lines.next().unwrap() {
        seen.push(String::from_utf8(line.to_vec()).unwrap());
    }
    assert_eq!((seen, lines.number), (["one", "two", "", "four"].map(String::from).to_vec(), 4));
}

#[test]
fn a_bomb_is_refused() {
    let file = packed(&vec![b'\n'; FREE as usize * 2]);
    let mut lines = Lines::new(open(file.path(), &Halt::never()).unwrap().all);
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
    let limit = Limit::Packed(read.clone(), true);
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
        let error = open(Path::new(device), &Halt::never()).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(device) && error.contains("a device"), "{error}");
    }
}
