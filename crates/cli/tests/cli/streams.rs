//! stdout and stderr that are full or gone: no panic, and the exit code says what matters.

use super::*;
use std::fs::OpenOptions;
use std::process::{Command, Stdio};

/// A device that has room for nothing.
fn full() -> Stdio {
    OpenOptions::new().write(true).open("/dev/full").unwrap().into()
}

fn spare(place: &Place, line: &str, out: Stdio, err: Stdio) -> Option<i32> {
    let mut command = Command::new(goalward());
    command.args(line.split_whitespace()).current_dir(place.0.path()).stdout(out).stderr(err);
    command.status().unwrap().code()
}

/// Commands that print notes, errors, usage, results and help, with the exit code that they have
/// anyway.
const LINES: &[(&str, i32)] = &[
    ("learn windy-grid@n=3 --episodes 3", 0),
    ("learn windy-grid@n=3 --episodes 30 --max-steps 20", 0),
    ("learn windy-grid@n=3 --episodes 3 --json", 0),
    ("learn no-such-world", 2),
    ("learn windy-grid --set delta=0", 2),
    ("compare hard-instance@dim=2 --learners random,optimal --seeds 2 --episodes 5 --out here", 0),
    ("solve windy-grid@n=3", 0),
    ("solve leap.json", 1),
    ("solve leap.json --restart", 0),
    ("check leap.json", 1),
    ("export hard-instance@dim=2", 0),
    ("export hard-instance@dim=2 -o file.json", 0),
    ("mix leap.json leap.json --restart", 0),
    ("list learners", 0),
    ("list worlds --json", 0),
    ("completions fish", 0),
    ("no-such-command", 2),
    ("", 2),
    ("--help", 0),
    ("--version", 0),
    ("help", 0),
    ("help learn", 0),
    ("learn --help", 0),
    ("learn -h", 0),
];

#[cfg(target_os = "linux")]
#[test]
fn a_full_or_closed_stderr_changes_nothing() {
    let place = Place::new();
    place.write("leap.json", super::solve::LEAP);
    for (line, code) in LINES {
        assert_eq!(spare(&place, line, Stdio::null(), full()), Some(*code), "{line}");
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        assert_eq!(spare(&place, line, Stdio::null(), writer.into()), Some(*code), "{line}, closed");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_stdout_is_code_2_and_said() {
    let place = Place::new();
    place.write("leap.json", super::solve::LEAP);
    for (line, code) in LINES {
        let silent = place.run(line).out.is_empty();
        let expected = if silent { *code } else { 2 };
        assert_eq!(spare(&place, line, full(), Stdio::null()), Some(expected), "{line}");
        assert_eq!(spare(&place, line, full(), full()), Some(expected), "{line}, both");
    }
    let ran = Command::new(goalward()).arg("--help").stdout(full()).output().unwrap();
    assert!(String::from_utf8(ran.stderr).unwrap().starts_with("error: standard output: "));
}

/// A reader may close the help.
#[cfg(unix)]
#[test]
fn a_reader_of_help_that_goes_away_is_no_error() {
    let place = Place::new();
    for line in ["--help", "help learn", "--version", "solve -h"] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        assert_eq!(spare(&place, line, writer.into(), Stdio::null()), Some(0), "{line}");
    }
}
