//! The command line as its users meet it: what it prints, where, and with which exit code.

mod audit;
mod bounded;
mod check;
mod claims;
mod compare;
#[path = "../../soak/corrupt/mod.rs"]
mod corrupt;
mod corrupted;
#[cfg(unix)]
mod ctrl_c;
mod documents;
mod examples;
mod fit;
#[cfg(unix)]
mod foreign;
mod help;
mod identifiable;
mod input;
mod killed;
#[path = "../../../goalward/tests/it/known_models.rs"]
mod known_models;
mod learn;
mod licences;
mod machines;
mod manners;
mod model_names;
mod models;
mod names;
mod outputs;
mod pipes;
#[path = "../../soak/processes.rs"]
mod processes;
mod replay;
mod restart;
mod resume;
#[cfg(target_os = "linux")]
mod serve;
mod show;
mod solve;
mod standard;
mod streams;
mod studies;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Output;
use tempfile::TempDir;

/// A directory of one's own to run goalward in.
struct Place(TempDir);

/// What a command left.
struct Ran {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Place {
    fn new() -> Place {
        Place(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    /// Runs goalward with words that are separated by spaces.
    fn run(&self, line: &str) -> Ran {
        self.run_args(&line.split_whitespace().collect::<Vec<_>>())
    }

    /// Runs goalward with words that may have spaces in them.
    fn run_args(&self, words: &[&str]) -> Ran {
        let output =
            assert_cmd::Command::new(goalward()).args(words).current_dir(self.0.path()).output().unwrap();
        Ran::of(output)
    }

    /// Starts goalward and does not wait for it.
    fn start(&self, line: &str) -> std::process::Child {
        std::process::Command::new(goalward())
            .args(line.split_whitespace())
            .current_dir(self.0.path())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap()
    }
}

fn goalward() -> &'static Path {
    // what runs in the background has Ctrl-C switched off and hands that on; a handler stays here
    let _ = ctrlc::set_handler(|| std::process::exit(130));
    Path::new(env!("CARGO_BIN_EXE_goalward"))
}

impl Ran {
    fn of(output: Output) -> Ran {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Ran { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }

    #[track_caller]
    fn done(self) -> Ran {
        assert_eq!(self.code, Some(0), "{}", self.err);
        self
    }

    /// Exit code 2, nothing on stdout, and an error on stderr that says all of these.
    #[track_caller]
    fn refused(self, words: &[&str]) -> Ran {
        assert_eq!(self.code, Some(2), "{}{}", self.out, self.err);
        assert!(self.out.is_empty(), "{}", self.out);
        assert!(self.err.starts_with("error: "), "{}", self.err);
        for word in words {
            assert!(self.err.contains(word), "{word:?} is not in: {}", self.err);
        }
        self
    }

    /// stdout as exactly one JSON value.
    #[track_caller]
    fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {}", self.out))
    }
}
