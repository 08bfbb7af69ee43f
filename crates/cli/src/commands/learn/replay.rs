//! The replay of a run: a page that shows it episode by episode.

use crate::outputs::{Files, Output, Takes, only_over};
use goalward::episode::Runner;
use goalward_lab::report::{self, Recorder};
use std::path::Path;

/// Where the page is to be written, judged before the work begins: over another page, and nothing
/// else.
pub(super) fn judge(path: Option<&Path>, files: &mut Files) -> anyhow::Result<Option<Output>> {
    let Some(path) = path else { return Ok(None) };
    let output = files.writes("--replay", path, Takes::Files)?;
    only_over("HTML page", "--replay", path, |first| first.to_lowercase().starts_with("<!doctype html"))?;
    Ok(Some(output))
}

/// What is recorded of a run, and where it goes.
pub(super) struct Replay<'a> {
    pub(super) recorder: Recorder<'a>,
    output: Output,
}

impl<'a> Replay<'a> {
    pub(super) fn new(output: Output, runner: &Runner<'a>) -> Replay<'a> {
        Replay { recorder: Recorder::new(runner), output }
    }

    /// Writes the page of what happened so far.
    pub(super) fn write(self, runner: &Runner) -> anyhow::Result<()> {
        self.output.put(&report::replay(self.recorder, runner)?)
    }
}
