//! Files that are made to take memory: what is read from them stays in proportion to their size.
#![cfg(target_os = "linux")]

use super::*;

/// Runs a command with so much address space; beyond it the process would be ended by the system.
fn within(place: &Place, megabytes: usize, line: &str) -> Ran {
    let script = format!("ulimit -v {}; exec \"$G\" --threads 1 {line}", megabytes * 1024);
    let mut shell = std::process::Command::new("sh");
    let output = shell.args(["-c", &script]).env("G", goalward()).current_dir(place.0.path()).output();
    Ran::of(output.unwrap())
}

fn problem(key: &str, value: &str) -> String {
    let parts = [
        ("states", "2"),
        ("start", "0"),
        ("goal", "1"),
        ("dim", "1"),
        ("cost", "[[1.0],[]]"),
        ("features", "[[0,0,1,[1.0]]]"),
    ];
    let parts =
        parts.iter().filter(|(name, _)| *name != key).map(|(name, value)| format!("\"{name}\":{value}"));
    format!("{{{},\"{key}\":{value}}}", parts.collect::<Vec<_>>().join(","))
}

fn many(entry: &str, bytes: usize) -> String {
    format!("[{}]", vec![entry; bytes / (entry.len() + 1)].join(","))
}

/// Every section of a problem file, filled with the smallest entries that there are.
#[test]
fn faults_and_tables_of_problem_files_are_bounded() {
    const BYTES: usize = 20_000_000;
    let place = Place::new();
    for (key, entry) in [
        ("extra", "[]"),
        ("features", "[0,0,1,[1]]"),
        ("features", "[9,0,1,[]]"),
        ("cost", "[-1]"),
        ("cost", "[]"),
        ("state_names", "\"\""),
        ("model_names", "\"\""),
        ("action_names", "[\"\"]"),
    ] {
        place.write("large.json", &problem(key, &many(entry, BYTES)));
        let ran = within(&place, 650, "check large.json");
        assert_eq!(ran.code, Some(1), "{key}: {}{}", ran.out, ran.err);
        assert!(ran.out.contains("large.json:1: "), "{key}: {}", ran.out);
        let lines = ran.out.lines().count();
        assert!(lines < 300, "{lines} lines");
        within(&place, 650, "solve large.json").refused(&["large.json:1: "]);
    }
    // all are counted
    place.write("large.json", &problem("extra", &many("[]", BYTES)));
    let report = within(&place, 650, "check large.json --json").json();
    assert_eq!(report["errors"].as_u64().unwrap() as usize, BYTES / 3);
}

/// What is quoted from a file is cut: a key of megabytes is no message.
#[test]
fn messages_are_short() {
    let place = Place::new();
    let long = "k".repeat(5_000_000);
    for text in [
        format!("{{\"{long}\": 1}}"),
        problem("dim", &format!("\"{long}\"")),
        format!("{{\"columns\": [\"{long}\"], \"transitions\": []}}"),
        format!("{{\"0\": {{\"{long}\": []}}}}"),
        format!("@type: {long}\n@model\n"),
        format!("@type: MDP\n@reward_models\n{long} {long}\n@model\nstate 0\n"),
    ] {
        place.write("long.json", &text);
        let ran = place.run("solve long.json");
        assert_eq!(ran.code, Some(2));
        assert!(ran.err.len() < 2000, "{} bytes: {}", ran.err.len(), &ran.err[..200]);
    }
}

/// A line of a million reward models is refused in no time, and so are labels without number.
#[test]
fn names_of_models_are_bounded() {
    let place = Place::new();
    let names: Vec<String> = (0..1_000_000).map(|i| format!("n{i}")).collect();
    place.write(
        "names.drn",
        &format!("@type: MDP\n@reward_models\n{}\n@model\nstate 0 init\n", names.join(" ")),
    );
    place.run("solve names.drn").refused(&["names.drn:3:", "1000000 reward models"]);
    place.write("names.drn", &format!("@type: MDP\n@model\nstate 0 init {}\n", names.join(" ")));
    within(&place, 400, "solve names.drn").refused(&["names.drn:3:", "different labels"]);
}
