//! The trace of a run as a file that a checkpoint can point into.

use crate::exit::Usage;
use crate::lock::{Lock, lock_itself};
use crate::outputs::{Output, only_over, standard_output};
use goalward::Error;
use goalward::episode::{Runner, Trace, TraceMark};
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Seek, SeekFrom};
use std::path::{Path, PathBuf};

pub(super) struct TraceFile {
    path: PathBuf,
    /// A second handle, for syncing.
    file: File,
    pub(super) trace: Trace<BufWriter<File>>,
    /// None if the trace is printed or discarded.
    _lock: Option<Lock>,
}

impl TraceFile {
    /// A new trace; an old trace of that name is overwritten, and nothing else.
    pub(super) fn create(output: &Output, runner: &Runner) -> anyhow::Result<TraceFile> {
        let (path, lock) = match output {
            Output::File(path) => (path.clone(), Some(Lock::on("--trace", path)?)),
            Output::Stdout => ("standard output".into(), None),
            Output::Nowhere => ("/dev/null".into(), None),
        };
        let io = |source| Error::Io { path: path.clone(), source };
        if lock.is_some() {
            check(&path)?;
        }
        let file = match output {
            Output::Stdout => standard_output(),
            _ => OpenOptions::new().write(true).create(true).truncate(false).open(&path),
        }
        .map_err(io)?;
        if lock.is_some() {
            lock_itself("--trace", &path, &file)?;
            file.set_len(0).map_err(io)?;
        }
        let mut trace = Trace::new(BufWriter::new(file.try_clone().map_err(io)?));
        trace.start(runner);
        Ok(TraceFile { path, file, trace, _lock: lock })
    }

    /// The trace of a checkpoint, cut back to it, if the file is this run's own trace.
    pub(super) fn reopen(mark: TraceMark, runner: &Runner) -> anyhow::Result<TraceFile> {
        let path = mark.path.clone();
        let io = |source| Error::Io { path: path.clone(), source };
        if !path.is_file() {
            let fault = if path.exists() { "not a file" } else { "missing" };
            let reason = format!("the checkpoint's trace {} is {fault}", path.display());
            let hint = "put it back, or say where it is with --trace: a trace must be whole";
            return Err(Usage::new(reason).hint(hint).into());
        }
        let mut file = OpenOptions::new().read(true).write(true).open(&path).map_err(io)?;
        lock_itself("trace", &path, &file)?;
        let written = mark.verify(runner, &file).map_err(|error| match error {
            Error::Checkpoint { reason } => anyhow::Error::from(
                Usage::new(reason).hint("put it back, or begin afresh: a trace must be whole"),
            ),
            other => other.into(),
        })?;
        let lock = Lock::on("trace", &path)?;
        file.set_len(mark.bytes).and_then(|()| file.seek(SeekFrom::End(0))).map_err(io)?;
        let out = BufWriter::new(file.try_clone().map_err(io)?);
        Ok(TraceFile { path, file, trace: Trace::resume(out, written), _lock: Some(lock) })
    }

    /// Hands everything to the system; the error that paused the run, if there was one.
    pub(super) fn flush(&mut self) -> anyhow::Result<()> {
        Ok(self.trace.flush().map_err(|source| Error::Io { path: self.path.clone(), source })?)
    }

    /// Makes sure that it survives a power cut, as the checkpoint that points into it will.
    pub(super) fn sync(&self) -> anyhow::Result<()> {
        Ok(self.file.sync_data().map_err(|source| Error::Io { path: self.path.clone(), source })?)
    }

    pub(super) fn mark(&self) -> TraceMark {
        self.trace.written().mark(&self.path)
    }
}

/// Refuses to begin a trace over a file that is something else.
pub(super) fn check(path: &Path) -> Result<(), Usage> {
    only_over("trace", "--trace", path, is_first_line)
}

fn is_first_line(line: &str) -> bool {
    let line: Result<serde_json::Value, _> = serde_json::from_str(line);
    line.is_ok_and(|line| line["kind"] == "start" && line["learner"].is_string())
}
