//! What docs/serve.md and the examples show is what happens.

use super::*;
use std::process::Command;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/serve.md");

/// A folder with the example's problem.
fn weather() -> Place {
    let place = Place::new();
    let examples = format!("{ROOT}/examples");
    let line = format!("mix {examples}/sunny.drn {examples}/rainy.drn -o weather.json");
    place.run(&line).done();
    place
}

/// A program that finds goalward, in a folder.
fn program(name: &str, place: &Place) -> Command {
    let mut command = Command::new(name);
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let folders =
        goalward().parent().into_iter().map(Path::to_path_buf).chain(std::env::split_paths(&folders));
    command.env("PATH", std::env::join_paths(folders).unwrap()).current_dir(place.0.path());
    command
}

/// Whether a program is there that a test needs. If not, the test passes, but never silently: it
/// leaves a note, and where `CI` is `true` it fails.
fn is_there(program: &str, test: &str) -> bool {
    let tried = Command::new(program).arg("--version").output();
    if tried.is_ok_and(|tried| tried.status.success()) {
        return true;
    }
    let reason = format!("{test}: there is no {program}");
    assert!(!std::env::var("CI").is_ok_and(|value| value == "true"), "{reason}");
    if let Some(notes) = std::env::var_os("GOALWARD_SKIPPED") {
        std::fs::write(Path::new(&notes).join(test), reason).unwrap();
    }
    false
}

/// The session of the page, with the answers of today; `BLESS=1` writes them down.
#[test]
fn the_session_of_the_page_is_what_happens() {
    let page = std::fs::read_to_string(PAGE).unwrap();
    let (before, rest) = page.split_once("<!-- session: ").unwrap();
    let (line, rest) = rest.split_once(" -->\n```text\n").unwrap();
    let (session, after) = rest.split_once("```\n").unwrap();
    let place = weather();
    let mut client = place.serve(line.strip_prefix("serve ").unwrap());
    let mut now = format!("< {}\n", client.hello);
    for request in session.lines().filter_map(|line| line.strip_prefix("> ")) {
        client.send(format!("{request}\n").as_bytes());
        now += &format!("> {request}\n< {}", client.read_line());
    }
    assert!(client.is_over() && now.lines().count() > 20, "the session ends with quit");
    // the first line was read as a value, whose fields have lost their order
    let first = place.shell(&format!("$G {line} --quiet < /dev/null")).done().out;
    now = format!("< {first}{}", now.split_once('\n').unwrap().1);
    if std::env::var_os("BLESS").is_some() {
        let page = format!("{before}<!-- session: {line} -->\n```text\n{now}```\n{after}");
        std::fs::write(PAGE, page).unwrap();
    } else {
        assert_eq!(session, now, "BLESS=1 writes docs/serve.md");
    }
}

#[test]
fn the_page_names_every_code_and_every_op() {
    let page = std::fs::read_to_string(PAGE).unwrap();
    for name in ["act", "observe", "end_episode", "estimate", "value", "save", "quit"] {
        assert!(page.contains(&format!("| `{{\"op\":\"{name}\"")), "{name}");
    }
    let mut codes: Vec<&str> = faults::WRONG.iter().map(|(_, code, _)| *code).collect();
    codes.extend(["utf-8", "too-long", "misfit", "output", "stopping"]);
    for code in codes {
        assert!(
            page.lines().any(|line| line.starts_with("| `") && line.contains(&format!("`{code}`"))),
            "{code}"
        );
    }
}

/// The client in Python, as it stands on the page.
#[test]
fn the_client_in_python_runs() {
    if !is_there("python3", "the_client_in_python_runs") {
        return;
    }
    let page = std::fs::read_to_string(PAGE).unwrap();
    let (_, rest) = page.split_once("```python\n").unwrap();
    let (text, _) = rest.split_once("```\n").unwrap();
    let place = weather();
    // its luck is its own: a seed makes it the same each time
    place.write("client.py", &text.replace("\nserve =", "\nrandom.seed(1)\nserve ="));
    let ran = Ran::of(program("python3", &place).arg("client.py").output().unwrap()).done();
    let (intervals, ok) = ran.out.trim().rsplit_once(' ').unwrap();
    let intervals: Vec<(f64, f64)> = serde_json::from_str(intervals).unwrap();
    assert_eq!((intervals.len(), ok), (2, "True"), "{}", ran.out);
    // half of the walks fail on the path: a third sunny (0.1), two thirds rainy (0.7)
    assert!(
        intervals[0].0 <= 1.0 / 3.0 && 1.0 / 3.0 <= intervals[0].1 && intervals[0].1 < 1.0,
        "{intervals:?}"
    );
}

/// The client in shell, twice: the second time it goes on.
#[test]
fn the_client_in_shell_runs() {
    if !["jq", "bash"].iter().all(|program| is_there(program, "the_client_in_shell_runs")) {
        return;
    }
    let place = Place::new();
    let mut steps = Vec::new();
    for _ in 0..2 {
        let script = format!("{ROOT}/examples/shell/learn.sh");
        let ran = Ran::of(program("bash", &place).args([&script, "."]).output().unwrap()).done();
        assert!(ran.out.contains("[\"sunny\",") && ran.out.contains("[\"rainy\","), "{}", ran.out);
        let count = ran.out.split_whitespace().nth(1).and_then(|word| word.parse::<u64>().ok());
        steps.push(count.unwrap_or_else(|| panic!("{}", ran.out)));
    }
    assert!(steps[0] >= 20 && steps[1] >= steps[0] + 20, "{steps:?}");
    let ran = Ran::of(program("bash", &place).args(["-c", documents::PIPE]).output().unwrap()).done();
    assert_eq!(ran.out.lines().filter(|line| line.parse::<f64>().is_ok()).count(), 2, "{}", ran.out);
}
