//! Worlds that come through pipes or standard input, and things that no world can be read from.
#![cfg(target_os = "linux")]

use super::*;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const TABLE: &str =
    r#"{"0": {"0": [[0.5, 1, -1.0, true], [0.5, 0, -1.0, false]]}, "1": {"0": [[1.0, 1, 0.0, true]]}}"#;

impl Place {
    /// Runs a line of the shell, in which $G is goalward.
    pub(crate) fn shell(&self, line: &str) -> Ran {
        let mut shell = Command::new("sh");
        let output =
            shell.args(["-c", line]).env("G", goalward()).current_dir(self.0.path()).output().unwrap();
        Ran::of(output)
    }

    fn gzip(&self, name: &str) {
        let line = format!("gzip -k {name}");
        assert_eq!(self.shell(&line).code, Some(0));
    }
}

#[test]
fn a_pipe_is_read_once_and_gives_what_the_file_gives() {
    let place = Place::new();
    place.write("table.json", TABLE);
    place.write("coin.drn", &models::drn(0.5));
    place.run("export windy-grid --param n=2 -o problem.json").done();
    for (file, options) in [("table.json", "--start 0"), ("coin.drn", "--goal done"), ("problem.json", "")] {
        place.gzip(file);
        let of_file = place.run(&format!("solve {file} --json {options}")).done().json();
        for line in [
            format!("cat {file} | $G solve - --json {options}"),
            format!("cat {file} | $G solve /dev/stdin --json {options}"),
            format!("$G solve - --json {options} < {file}"),
            format!("cat {file}.gz | $G solve - --json {options}"),
            format!("rm -f p; mkfifo p; cat {file} > p & sleep 0.2; $G solve p --json {options}"),
            // in two parts, the first too short to tell the format
            format!("(head -c 3 {file}; sleep 0.3; tail -c +4 {file}) | $G solve - --json {options}"),
        ] {
            let ran = place.shell(&line).done();
            for key in ["value", "lower", "upper", "states", "choices"] {
                assert_eq!(ran.json()[key], of_file[key], "{line}");
            }
        }
    }
    let ran = place.shell("cat problem.json | $G learn - --episodes 3 --json").done();
    assert_eq!(ran.json()["episodes"], 3);
}

/// Errors name the line although the pipe cannot be read again.
#[test]
fn faults_in_a_pipe_have_their_lines() {
    let place = Place::new();
    let good = place.run("export hard-instance --param dim=2").done().out;
    place.write("bad.json", &good.replacen("\"goal\": ", "\"goal\": 99", 1));
    let (file, pipe) = (place.run("solve bad.json"), place.shell("cat bad.json | $G solve -"));
    assert_eq!(pipe.err, file.err.replace("bad.json", "<standard input>"));
    pipe.refused(&["<standard input>:5: goal: state 99"]);
}

#[test]
fn what_no_world_can_be_read_from_is_refused_at_once() {
    let place = Place::new();
    std::fs::create_dir(place.path("folder")).unwrap();
    for command in ["check", "solve", "learn", "export"] {
        place.run(&format!("{command} folder")).refused(&["folder", "this is a folder"]);
        place.run(&format!("{command} /dev/zero")).refused(&["/dev/zero", "this is a device"]);
        place.run(&format!("{command} /dev/null")).refused(&["/dev/null", "this is a device"]);
    }
    place.shell("$G solve - < /dev/zero").refused(&["this is a device"]);
    place.shell("cat /dev/zero | $G solve -").refused(&["<standard input>:1:1", "byte 0x00"]);
    place.shell("cat /dev/urandom | $G solve -").refused(&["<standard input>:", "byte 0x"]);
    place.shell("yes | $G solve -").refused(&["<standard input>:1:1"]);
    place.shell("$G solve - < /dev/null").refused(&["a device"]);
    place.shell(": | $G solve -").refused(&["<standard input>:1:1", "empty"]);
    place.shell("cat /dev/null | $G mix - - --weights 0.5,0.5").refused(&["standard input", "twice"]);
    let socket = std::os::unix::net::UnixListener::bind(place.path("socket")).unwrap();
    place.run("solve socket").refused(&["socket", "this is a socket"]);
    drop(socket);
}

/// Nothing comes through the pipe: a note says so, and Ctrl-C ends it at once.
#[test]
fn a_pipe_without_a_writer_is_said_to_be_waited_for() {
    let place = Place::new();
    assert_eq!(place.shell("mkfifo p").code, Some(0));
    for command in ["check p", "solve p", "learn p", "export p", "mix p p"] {
        let mut child = Command::new(goalward())
            .args(command.split(' '))
            .current_dir(place.0.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let pressed = Instant::now();
        let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success();
        let ended = loop {
            match child.try_wait().unwrap() {
                None if pressed.elapsed() < Duration::from_secs(10) => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                None => {
                    child.kill().unwrap();
                    child.wait().unwrap();
                    break None;
                }
                status => break status,
            }
        };
        assert!(line.contains("waiting for what comes through the pipe p"), "{command}: {line}");
        assert!(sent && ended.is_some_and(|status| !status.success()), "{command}: {ended:?}");
    }
}

/// A saved run must open its world again.
#[test]
fn a_world_from_a_pipe_is_not_for_checkpoints() {
    let place = Place::new();
    place.run("export windy-grid --param n=2 -o problem.json").done();
    for line in [
        "cat problem.json | $G learn - --checkpoint run.ckpt",
        "$G learn - --checkpoint run.ckpt < problem.json",
        "cat problem.json | $G learn /dev/stdin --checkpoint run.ckpt",
        "mkfifo q; $G learn q --checkpoint run.ckpt",
    ] {
        place.shell(line).refused(&["--checkpoint", "read once", "hint: "]);
        assert!(!place.path("run.ckpt").exists());
    }
    place.run("learn problem.json --episodes 2 --checkpoint run.ckpt").done();
}
