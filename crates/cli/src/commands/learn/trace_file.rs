//! The trace of a run as a file that a checkpoint can point into.

use crate::exit::Usage;
use goalward::Error;
use goalward::episode::{Trace, TraceMark};
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom};
use std::path::PathBuf;

pub(super) struct TraceFile {
    path: PathBuf,
    /// A second handle, for what the writer inside the trace cannot be asked to do.
    file: File,
    pub(super) trace: Trace<BufWriter<File>>,
}

impl TraceFile {
    /// A new trace; an old file of that name is overwritten.
    pub(super) fn create(path: PathBuf) -> anyhow::Result<TraceFile> {
        let open = || {
            let file = File::create(&path)?;
            Ok((file.try_clone()?, file))
        };
        let (file, out) = open().map_err(|source| Error::Io { path: path.clone(), source })?;
        Ok(TraceFile { path, file, trace: Trace::new(BufWriter::new(out)) })
    }

    /// The trace of a checkpoint, without what was written after it.
    pub(super) fn reopen(mark: TraceMark) -> anyhow::Result<TraceFile> {
        let TraceMark { path, bytes } = mark;
        let io = |source| Error::Io { path: path.clone(), source };
        let mut file = match OpenOptions::new().write(true).open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let reason = format!("the checkpoint's trace {} is missing", path.display());
                return Err(Usage::new(reason)
                    .hint("put it back, or begin afresh: a trace must be whole")
                    .into());
            }
            opened => opened.map_err(io)?,
        };
        let length = file.metadata().map_err(io)?.len();
        if length < bytes {
            let reason = format!(
                "the checkpoint's trace {} has {length} bytes, but {bytes} belong to the checkpoint",
                path.display()
            );
            return Err(Usage::new(reason).hint("it was cut or overwritten since: begin afresh").into());
        }
        let prepare = |file: &mut File| {
            file.set_len(bytes)?;
            file.seek(SeekFrom::End(0))?;
            file.try_clone()
        };
        let out = prepare(&mut file).map_err(io)?;
        Ok(TraceFile { path, file, trace: Trace::resume(BufWriter::new(out), bytes) })
    }

    /// Hands everything to the system; the error that paused the run, if there was one.
    pub(super) fn flush(&mut self) -> anyhow::Result<()> {
        Ok(self.trace.flush().map_err(|source| Error::Io { path: self.path.clone(), source })?)
    }

    /// Makes sure that it survives a power cut, as the checkpoint that points into it will.
    pub(super) fn sync(&self) -> anyhow::Result<()> {
        Ok(self.file.sync_data().map_err(|source| Error::Io { path: self.path.clone(), source })?)
    }

    /// What a checkpoint has to know of it.
    pub(super) fn mark(&self) -> TraceMark {
        TraceMark { path: self.path.clone(), bytes: self.trace.bytes() }
    }
}
