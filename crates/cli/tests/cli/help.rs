//! Help, lists, completions.

use super::*;
use std::io::Read;
use std::process::{Command, Stdio};

const COMMANDS: &[&str] = &[
    "demo",
    "reproduce",
    "learn",
    "compare",
    "study",
    "audit",
    "serve",
    "solve",
    "fit",
    "check",
    "mix",
    "export",
    "list",
    "completions",
    "licences",
];

#[test]
fn every_command_has_help_with_examples() {
    let place = Place::new();
    let all = place.run("--help").done();
    for command in COMMANDS {
        assert!(all.out.contains(command), "{command}");
        for flag in ["--help", "-h"] {
            let ran = place.run(&format!("{command} {flag}")).done();
            assert!(ran.out.contains("EXAMPLES:"), "{command} {flag}");
            assert!(ran.out.contains("--quiet"), "{command} {flag}");
        }
    }
    assert!(place.run("learn --help").out.contains("[default: levis++lr if B"));
    assert!(place.run("reproduce --help").out.contains("study run reproduce"));
    assert!(place.run("solve --help").out.contains("[default: 1e-6]"));
    let serve = place.run("help serve").done().out;
    for word in ["A SESSION", "end_episode", "\"steps\"", "143"] {
        assert!(serve.contains(word), "{word}");
    }
}

#[test]
fn wrong_usage_is_code_2() {
    let place = Place::new();
    for line in [
        "",
        "teach",
        "learn",
        "learn hard-instance --episodes",
        "list",
        "list nothing",
        "--threads 0 list worlds",
    ] {
        let ran = place.run(line);
        assert_eq!(ran.code, Some(2), "{line}");
        assert!(ran.out.is_empty(), "{line}");
    }
    place.run("compare hard-instance --learners random --seeds 4..2").refused(&["--seeds", "empty"]);
    place.run("reproduce --seeds 2,2").refused(&["--seeds", "twice"]);
    place.run("study run demo --shard 0/2").refused(&["--shard", "I/N"]);
    place.run("solve hard-instance --precision 0").refused(&["--precision"]);
}

#[test]
fn lists_show_every_entry_with_its_parameters() {
    let place = Place::new();
    for what in ["worlds", "learners"] {
        let json = place.run(&format!("list {what} --json")).done().json();
        let shown = |line: &str| {
            let text = place.run(line).done().out;
            for line in text.lines() {
                // only a word that is longer than a line may be longer than a line
                let alone = line.split_whitespace().count() == 1;
                assert!(alone || line.chars().count() <= 100, "{line}");
            }
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let all = shown(&format!("list {what}"));
        let entries = json.as_array().unwrap();
        assert!(!entries.is_empty());
        for entry in entries {
            let id = entry["id"].as_str().unwrap();
            let text = shown(&format!("list {what} {id}"));
            for key in ["id", "title", "reference", "setting", "guarantee"] {
                let words = entry[key].as_str().unwrap_or_default();
                assert!(all.contains(words) && text.contains(words), "{entry}");
            }
            assert_eq!(place.run(&format!("list {what} {id} --json")).done().json(), *entry);
            for parameter in entry["parameters"].as_array().unwrap() {
                for key in ["name", "default", "doc"] {
                    assert!(text.contains(parameter[key].as_str().unwrap()), "{parameter}");
                }
            }
        }
    }
    let all = place.run("list learners").done().out;
    for heading in ["Linear mixtures: ", "Baselines: "] {
        assert_eq!(all.lines().filter(|line| line.starts_with(heading)).count(), 1, "{heading}");
    }
    place.run("list learners lewis").refused(&["lewis", "levis", "hint: "]);
    place.run("list worlds windygrid").refused(&["windygrid", "windy-grid", "hint: "]);
    let learners = place.run("list learners --json").json();
    for key in ["id", "title", "reference", "setting", "needs", "guarantee", "parameters"] {
        assert!(learners[0].get(key).is_some(), "{key}");
    }
}

#[test]
fn completions_for_every_shell() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = place.run(&format!("completions {shell}")).done().out;
        assert!(script.contains("checkpoint-every") && script.contains("serve"), "{shell}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    for args in [
        &["list", "learners"][..],
        &["completions", "bash"],
        &["export", "hard-instance", "--param", "dim=8"],
    ] {
        let mut child = Command::new(goalward())
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let mut err = String::new();
        child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        assert_eq!((child.wait().unwrap().code(), err.as_str()), (Some(0), ""), "{args:?}");
    }
}
