//! The time of each test of a test program. The stable harness does not print it, but names each
//! test at its end, and then begins the next one in the order of its list.

use crate::artifacts::TestProgram;
use crate::skipped;
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Instant;

/// Runs all tests of a program; whether they passed, and the seconds of each. All output is shown
/// if one fails, otherwise the summary.
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
    let order: Vec<_> =
        listed.lines().filter_map(|line| line.strip_suffix(": test")).map(String::from).collect();
    let threads = thread::available_parallelism().map_or(1, |n| n.get());
    let began = Instant::now();
    let mut child = start()
        .arg(format!("--test-threads={threads}"))
        .stdout(Stdio::piped())
        .spawn()
        .with_context(cannot)?;
    let (mut said, mut ends) = (Vec::new(), Vec::new());
    for line in child.stdout.take().into_iter().flat_map(|out| BufReader::new(out).lines()) {
        let line = line?;
        ends.extend(ended(&line).map(|name| (name.to_string(), began.elapsed().as_secs_f64())));
        said.push(line);
    }
    let passed = child.wait()?.success();
    let shown = said.iter().filter(|line| !passed || line.starts_with("test result"));
    shown.for_each(|line| eprintln!("{line}"));
    Ok((passed, durations(&order, threads, ends)))
}

/// The test whose end a line reports.
fn ended(line: &str) -> Option<&str> {
    let (name, end) = line.strip_prefix("test ")?.rsplit_once(" ... ")?;
    (end.starts_with("ok") || end.starts_with("FAILED")).then(|| name.trim_end_matches(" - should panic"))
}

/// The seconds of each test, from the order of the tests and the times of their ends.
fn durations(order: &[String], threads: usize, ends: Vec<(String, f64)>) -> BTreeMap<String, f64> {
    let mut begun: BTreeMap<&str, f64> =
        order.iter().take(threads).map(|name| (name.as_str(), 0.0)).collect();
    let mut waiting = order.iter().skip(threads);
    let mut seconds = BTreeMap::new();
    for (name, end) in ends {
        if let Some(next) = waiting.next() {
            begun.insert(next, end);
        }
        if let Some(since) = begun.get(name.as_str()) {
            seconds.insert(name, end - since);
        }
    }
    seconds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_begins_when_one_before_it_ends() {
        let named = |times: [(&str, f64); 4]| times.map(|(name, seconds)| (name.to_string(), seconds));
        let order = ["a", "b", "c", "d"].map(String::from);
        let ends = named([("b", 1.0), ("c", 4.0), ("a", 5.0), ("d", 6.5)]);
        let expected = named([("a", 5.0), ("b", 1.0), ("c", 3.0), ("d", 2.5)]);
        assert_eq!(durations(&order, 2, ends.into()), expected.into());
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
