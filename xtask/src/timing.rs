//! How long each test of a test program takes. The stable test harness does not tell; but it names
//! each test at its end, and then begins the next one in the order of its list.

use crate::artifacts::TestProgram;
use crate::skipped;
use anyhow::{Context, Result};
use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Instant;

/// Runs all tests of a program; whether they passed, and the seconds of each. Its output is shown if one
/// fails; otherwise the summary alone.
pub(crate) fn run(test: &TestProgram, notes: &Path) -> Result<(bool, BTreeMap<String, f64>)> {
    let start = || {
        let mut command = Command::new(&test.program);
        command.current_dir(&test.folder).env("CARGO_MANIFEST_DIR", &test.folder);
        command.env(skipped::VARIABLE, notes);
        command
    };
    let cannot = || format!("cannot run {}", test.name);
    let listed = start().arg("--list").output().with_context(cannot)?;
    let listed = String::from_utf8_lossy(&listed.stdout);
    let order = listed.lines().filter_map(|line| line.strip_suffix(": test")).map(String::from).collect();
    let threads = thread::available_parallelism().map_or(1, |n| n.get());
    let mut clock = Clock::new(order, threads);
    let began = Instant::now();
    let threads = format!("--test-threads={threads}");
    let mut child = start().arg(threads).stdout(Stdio::piped()).spawn().with_context(cannot)?;
    let mut said = Vec::new();
    for line in child.stdout.take().into_iter().flat_map(|out| BufReader::new(out).lines()) {
        let line = line?;
        if let Some(name) = ended(&line) {
            clock.end(name, began.elapsed().as_secs_f64());
        }
        said.push(line);
    }
    let passed = child.wait()?.success();
    let shown = said.iter().filter(|line| !passed || line.starts_with("test result"));
    shown.for_each(|line| eprintln!("{line}"));
    Ok((passed, clock.seconds))
}

/// The test whose end a line reports.
fn ended(line: &str) -> Option<&str> {
    let (name, end) = line.strip_prefix("test ")?.rsplit_once(" ... ")?;
    (end.starts_with("ok") || end.starts_with("FAILED")).then(|| name.trim_end_matches(" - should panic"))
}

/// The running tests with their starting times.
struct Clock {
    waiting: VecDeque<String>,
    running: BTreeMap<String, f64>,
    seconds: BTreeMap<String, f64>,
}

impl Clock {
    fn new(order: VecDeque<String>, threads: usize) -> Clock {
        let mut clock = Clock { waiting: order, running: BTreeMap::new(), seconds: BTreeMap::new() };
        (0..threads).for_each(|_| clock.begin(0.0));
        clock
    }

    fn begin(&mut self, now: f64) {
        if let Some(next) = self.waiting.pop_front() {
            self.running.insert(next, now);
        }
    }

    fn end(&mut self, name: &str, now: f64) {
        if let Some(since) = self.running.remove(name) {
            self.seconds.insert(name.into(), now - since);
        }
        self.begin(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_begins_when_one_before_it_ends() {
        let mut clock = Clock::new(["a", "b", "c", "d"].map(String::from).into(), 2);
        for (name, now) in [("b", 1.0), ("c", 4.0), ("a", 5.0), ("d", 6.5)] {
            clock.end(name, now);
        }
        let expected = [("a", 5.0), ("b", 1.0), ("c", 3.0), ("d", 2.5)];
        assert_eq!(clock.seconds, expected.map(|(name, s)| (name.to_string(), s)).into());
    }

    #[test]
    fn lines_of_the_harness_are_read() {
        assert_eq!(ended("test stats::mean ... ok"), Some("stats::mean"));
        assert_eq!(ended("test a::b - should panic ... ok"), Some("a::b"));
        assert_eq!(ended("test x ... FAILED"), Some("x"));
        assert_eq!(ended("test x has been running for over 60 seconds"), None);
        assert_eq!(ended("test result: ok. 3 passed"), None);
    }
}
