//! Outputs never destroy: not what is read, not each other, not what is no file, and nothing if the
//! new one cannot be written.

use super::*;
use std::fs;

/// A folder with p.json and q.json, two worlds, and names that lead to p.json by links.
fn worlds() -> Place {
    let place = Place::new();
    place.run("export hard-instance --param dim=2 -o p.json").done();
    place.run("export hard-instance --param dim=2 -o q.json").done();
    fs::hard_link(place.path("p.json"), place.path("hard")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("p.json", place.path("soft")).unwrap();
    fs::create_dir(place.path("folder")).unwrap();
    place
}

/// Everything in a folder, by name.
fn all(place: &Place) -> Vec<(String, Option<Vec<u8>>)> {
    let entries = fs::read_dir(place.path(".")).unwrap().map(|entry| entry.unwrap());
    let mut files: Vec<_> = entries
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path()).ok()))
        .collect();
    files.sort();
    files
}

/// Every command that names a file, without that file.
const COMMANDS: [(&str, &str); 7] = [
    ("learn p.json --learner random --episodes 2 --replay", "--replay"),
    ("learn p.json --learner random --episodes 2 --trace", "--trace"),
    ("learn p.json --learner random --episodes 2 --checkpoint", "--checkpoint"),
    ("solve p.json --policy", "--policy"),
    ("export p.json -o", "--output"),
    ("mix p.json q.json -o", "--output"),
    ("mix q.json p.json --weights 1/2,1/2 -o", "--output"),
];

#[test]
fn an_input_is_never_an_output() {
    let place = worlds();
    let before = all(&place);
    for (command, flag) in COMMANDS {
        let mut names = vec!["p.json", "./p.json", "folder/../p.json", "hard"];
        if cfg!(unix) {
            names.push("soft");
        }
        for name in names {
            let words = [flag, name, "would be overwritten", "hint: "];
            place.run(&format!("{command} {name}")).refused(&words);
        }
        assert!(all(&place) == before, "{command}");
    }
}

#[test]
fn what_is_no_file_is_refused() {
    let place = worlds();
    let before = all(&place);
    for (command, flag) in COMMANDS {
        for (name, word) in [
            ("folder", "it is a folder"),
            ("nowhere/x", "the folder nowhere does not exist"),
            ("p.json/x", "p.json"),
            ("..", "it names no file"),
        ] {
            place.run(&format!("{command} {name}")).refused(&[flag, name, word]);
        }
        #[cfg(unix)]
        for name in ["/dev/full", "/dev/tty", "/dev/stderr", "/dev/fd/1"] {
            place.run(&format!("{command} {name}")).refused(&[flag, name]);
        }
        assert!(all(&place) == before, "{command}");
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_a_protected_file_and_a_protected_folder_are_refused() {
    use std::os::unix::fs::PermissionsExt;
    let place = worlds();
    assert!(std::process::Command::new("mkfifo").arg(place.path("pipe")).status().unwrap().success());
    place.write("mine", "{\"version\":");
    fs::set_permissions(place.path("mine"), fs::Permissions::from_mode(0o444)).unwrap();
    for (command, flag) in COMMANDS {
        place.run(&format!("{command} pipe")).refused(&[flag, "pipe", "not a file"]);
        place.run(&format!("{command} mine")).refused(&[flag, "mine", "write-protected"]);
    }
    // root may write everywhere
    fs::set_permissions(place.path("folder"), fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(place.path("folder/x"), "").is_err() {
        for (command, flag) in COMMANDS {
            place.run(&format!("{command} folder/x")).refused(&[flag, "folder/x", "cannot be written"]);
        }
    }
    fs::set_permissions(place.path("folder"), fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn standard_output_and_the_void() {
    let place = worlds();
    let text = String::from_utf8(place.read("p.json")).unwrap();
    assert_eq!(place.run("export p.json -o -").done().out, text);
    assert!(!place.path("-").exists());
    if cfg!(unix) {
        assert_eq!(place.run("export p.json -o /dev/stdout").done().out, text);
        place.run("export p.json -o /dev/null").done();
        place.run("solve p.json --policy /dev/null").done();
        place.run("learn p.json --episodes 2 --trace /dev/null").done();
        place.run("learn p.json --episodes 2 --checkpoint /dev/null").refused(&["--checkpoint", "device"]);
        place
            .run("learn p.json --episodes 2 --trace /dev/null --checkpoint c")
            .refused(&["--trace /dev/null"]);
    }
}

#[test]
fn two_outputs_are_two_files() {
    let place = worlds();
    let run = "learn hard-instance --param dim=2 --learner random --episodes 2";
    for (trace, checkpoint) in [("x", "x"), ("x", "./x"), ("folder/x", "folder/../folder/x")] {
        place
            .run(&format!("{run} --trace {trace} --checkpoint {checkpoint}"))
            .refused(&["same file", "hint: "]);
    }
    place.run(&format!("{run} --trace t --checkpoint c")).done();
    fs::hard_link(place.path("t"), place.path("t2")).unwrap();
    place.run(&format!("{run} --trace t --checkpoint t2")).refused(&["same file"]);
    let before = all(&place);
    place.run("learn --resume c --trace c").refused(&["--trace c"]);
    assert!(all(&place) == before);
}

/// A trace or a checkpoint takes the place of another one, and of nothing else.
#[test]
fn other_files_are_not_overwritten_by_a_run() {
    let place = worlds();
    let run = "learn hard-instance --param dim=2 --learner random --episodes 2";
    place.write("notes", "mine\n");
    place.write("data", "{\"kind\":\"start\"}\n");
    for flag in ["--trace", "--checkpoint"] {
        for name in ["notes", "q.json", "data"] {
            place.run(&format!("{run} {flag} {name}")).refused(&[
                flag,
                name,
                "there is such a file",
                "hint: ",
            ]);
        }
    }
    place.run(&format!("{run} --trace t --checkpoint c")).done();
    let before = place.read("t");
    place.run(&format!("{run} --trace c")).refused(&["--trace c", "no trace"]);
    place.run(&format!("{run} --checkpoint t")).refused(&["--checkpoint t", "no checkpoint"]);
    place.write("empty", "");
    place.run(&format!("{run} --trace empty")).done();
    place.run(&format!("{run} --trace t --checkpoint c")).done();
    assert!(place.read("t") == before && place.read("empty") == before);
    assert_eq!(place.read("notes"), b"mine\n");
}

/// What a link leads to is replaced, not the link; permissions stay.
#[cfg(unix)]
#[test]
fn links_are_followed_and_permissions_kept() {
    use std::os::unix::fs::PermissionsExt;
    let place = worlds();
    place.write("folder/old", "old");
    fs::set_permissions(place.path("folder/old"), fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink("folder/old", place.path("link")).unwrap();
    std::os::unix::fs::symlink("folder/new", place.path("dangling")).unwrap();
    std::os::unix::fs::symlink("circle", place.path("circle")).unwrap();
    place.run("export p.json -o link").done();
    place.run("export p.json -o dangling").done();
    for name in ["link", "dangling"] {
        assert!(fs::symlink_metadata(place.path(name)).unwrap().is_symlink());
        assert_eq!(place.read(name), place.read("p.json"));
    }
    assert_eq!(fs::metadata(place.path("folder/old")).unwrap().permissions().mode() & 0o777, 0o640);
    place.run("export p.json -o circle").refused(&["circle"]);
    // the other name of a hard link keeps what it had
    place.write("one", "old");
    fs::hard_link(place.path("one"), place.path("two")).unwrap();
    place.run("export p.json -o one").done();
    assert_eq!((place.read("one"), place.read("two")), (place.read("p.json"), b"old".to_vec()));
}

/// A disk that is full, by a limit on the size of files.
#[cfg(unix)]
#[test]
fn what_was_there_stays_if_the_new_one_cannot_be_written() {
    let place = worlds();
    place.run("export windy-grid --param n=9 -o grid.json").done();
    assert!(place.read("grid.json").len() > 20_000);
    place.write("old", "old");
    let names = || all(&place).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    let before = names();
    for command in
        ["export grid.json -o old", "solve grid.json --policy old", "mix grid.json grid.json -o old"]
    {
        let limited = format!("trap '' XFSZ; ulimit -f 1; exec {} {command} --quiet", goalward().display());
        let ran =
            std::process::Command::new("sh").args(["-c", &limited]).current_dir(place.path(".")).output();
        let ran = Ran::of(ran.unwrap());
        if command.starts_with("solve") && ran.code == Some(0) {
            continue; // its policy is small enough
        }
        ran.refused(&["old", "large"]);
        assert_eq!((place.read("old"), names()), (b"old".to_vec(), before.clone()), "{command}");
    }
}

/// Studies with their folders, each quick, and the same with something else asked.
const STUDIES: [(&str, &str); 4] = [
    ("compare hard-instance --param dim=2 --learners random --seeds 0..2 --episodes 5", "--max-steps 90000"),
    ("demo --seeds 0..2", "--episodes 4"),
    ("reproduce --seeds 0..2", "--episodes 9"),
    ("study run shortcut --quick --seeds 0..2", "--seeds 3..4"),
];

#[test]
fn a_folder_holds_the_results_of_one_question() {
    let place = Place::new();
    for (run, more) in STUDIES {
        let name = run.split(' ').next().unwrap();
        let short = if more.contains("--episodes") { " --episodes 3" } else { "" };
        let other = match more.contains("--seeds") {
            true => run.replace("--seeds 0..2", more),
            false => run.to_string() + " " + more,
        };
        let run = run.to_string() + short;
        let done = |ran: Ran| assert!(matches!(ran.code, Some(0 | 1)), "{name}: {}", ran.err);
        done(place.run(&format!("{run} --out {name}")));
        let results = || fs::read(place.path(name).join("study.toml")).unwrap();
        let first = results();
        let records = studies::parquet(&place.path(name));
        place.run(&format!("{other} --out {name}")).refused(&[
            name,
            "do not belong to this question",
            "--force",
        ]);
        assert!(results() == first && studies::parquet(&place.path(name)) == records, "{name}");
        done(place.run(&format!("{run} --out {name}")));
        assert!(studies::parquet(&place.path(name)) == records, "{name}");
        done(place.run(&format!("{other} --out {name} --force")));
        place.run(&format!("{run} --out {name}")).refused(&[name, "do not belong to this question"]);
        // a user's own file by the name of a result
        let own = format!("{name}-own");
        fs::create_dir(place.path(&own)).unwrap();
        place.write(&format!("{own}/summary.md"), "mine");
        place.run(&format!("{run} --out {own}")).refused(&[&own, "summary.md", "--force"]);
        assert_eq!(place.read(&format!("{own}/summary.md")), b"mine");
        // no folder at all
        place.run(&format!("{run} --out {own}/summary.md")).refused(&["not a folder"]);
    }
    place.run(&format!("{} --out demo", STUDIES[0].0)).refused(&["results of the study \"demo\""]);
}

#[test]
fn a_study_spares_the_world_it_reads() {
    let place = Place::new();
    fs::create_dir(place.path("here")).unwrap();
    place.run("export hard-instance --param dim=2 -o here/summary.md").done();
    let before = place.read("here/summary.md");
    let run = "compare here/summary.md --learners random --seeds 0..2 --episodes 5";
    place.run(&format!("{run} --out here --force")).refused(&["here/summary.md", "would be overwritten"]);
    assert!(place.read("here/summary.md") == before);
}

/// A disk that is full, or a limit on the size of files: what is there stays whole, and the same
/// command goes on once there is room.
#[cfg(unix)]
#[test]
fn a_study_survives_a_full_disk() {
    let place = Place::new();
    let run = "compare hard-instance@dim=2 --learners lr,random --seeds 3 --episodes 200 --out o -q";
    let goalward = assert_cmd::cargo::cargo_bin("goalward");
    // one block of 512 bytes: the small files fit, the tables do not
    let limited = format!("trap '' XFSZ; ulimit -f 4; exec {} {run}", goalward.display());
    let ran = std::process::Command::new("sh").args(["-c", &limited]).current_dir(place.path(".")).output();
    let ran = Ran::of(ran.unwrap());
    ran.refused(&["o/", "large"]);
    let parts = || {
        let names = fs::read_dir(place.path("o/episodes")).unwrap().map(|e| e.unwrap().file_name());
        names.filter(|name| name.to_string_lossy().contains(".part")).count()
    };
    place.run(run).done();
    assert_eq!(parts(), 0, "what was half written is gone");
    place.run(&run.replace("--out o", "--out p")).done();
    assert!(studies::parquet(&place.path("o")) == studies::parquet(&place.path("p")));
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let place = Place::new();
    fs::write(place.path("file"), "").unwrap();
    place.run("demo --out file/inside").refused(&["file/inside"]);
    place.run("demo --out /proc/nothing").refused(&["/proc/nothing"]);
}
