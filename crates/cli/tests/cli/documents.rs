//! Every command that the README and the pages for users show runs as it stands.

use super::*;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// What this test cannot run itself, as it stands in the documents: each is run elsewhere.
const ELSEWHERE: &[&str] = &[
    "cargo run --release -- reproduce", // the main job: minutes
    "cargo xtask test",
    "cargo xtask wheel",                              // builds for release: minutes
    "cargo install --path crates/cli",                // builds what this test runs
    "cargo add goalward --path PATH/crates/goalward", // changes a crate of the reader's
    PIPE,                                             // needs jq: serve/shown.rs
];

/// A session through a pipe, of docs/serve.md.
pub(crate) const PIPE: &str = r#"printf '{"op":"value","state":%d}\n' 0 1 | goalward serve weather.json --quiet | jq -c '.value // empty'"#;

/// The lines of all shell blocks of a document, without their comments.
fn commands(document: &str) -> Vec<String> {
    let text = std::fs::read_to_string(Path::new(ROOT).join(document)).unwrap();
    let mut found = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        match line.trim() {
            "```sh" => inside = true,
            "```" => inside = false,
            line if inside => {
                let command = line.split(" #").next().unwrap_or_default().trim();
                found.extend((!command.is_empty()).then(|| command.to_string()));
            }
            _ => {}
        }
    }
    found
}

fn run_all(document: &str) -> usize {
    let place = Place::new();
    for name in ["sunny.drn", "rainy.drn", "pond.json"] {
        std::fs::copy(Path::new(ROOT).join("examples").join(name), place.path(name)).unwrap();
    }
    let all = commands(document);
    for command in &all {
        match command.split_once(' ') {
            Some(("goalward", rest)) => {
                let ran = place.run(rest);
                assert_eq!(ran.code, Some(0), "{document}: {command}\n{}{}", ran.out, ran.err);
            }
            Some(("cd", folder)) => assert!(Path::new(ROOT).join(folder).is_dir(), "{document}: {command}"),
            _ => assert!(ELSEWHERE.contains(&command.as_str()), "{document}: {command} is never run"),
        }
    }
    all.len()
}

#[test]
fn every_command_of_the_readme_runs() {
    assert!(run_all("README.md") >= 12);
}

#[test]
fn every_command_of_the_pages_for_users_runs() {
    assert!(run_all("docs/quick-start.md") >= 8);
    assert!(run_all("docs/models.md") >= 10);
    assert!(run_all("docs/learners.md") >= 1);
    assert!(run_all("docs/serve.md") >= 6);
    assert!(run_all("docs/theory.md") >= 2);
}
