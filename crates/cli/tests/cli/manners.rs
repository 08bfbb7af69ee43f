//! Small things as a new user meets them: help, order, signs of zeros, widths, completions, Ctrl-C.

use super::*;
use std::thread::sleep;
use std::time::{Duration, Instant};

#[test]
fn help_is_a_command_too() {
    let place = Place::new();
    assert_eq!(place.run("help").done().out, place.run("--help").done().out);
    let all = place.run("--help").done().out;
    let commands = all.split("Commands:").nth(1).unwrap().split("\n\n").next().unwrap();
    for line in commands.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   ")) {
        let command = line.split_whitespace().next().unwrap();
        if command == "help" {
            continue;
        }
        let asked = place.run(&format!("help {command}")).done().out;
        assert_eq!(asked, place.run(&format!("{command} --help")).done().out, "{command}");
        // what was escaped for Rust must not be seen, and what is offered to shells is no list of
        // all that there is
        assert!(!asked.contains("\\\"") && !asked.contains("[possible values: hard-instance"), "{asked}");
    }
    assert!(place.run("solve --help").out.contains("needs \"theta\""));
    assert_eq!(place.run("help teach").code, Some(2));
}

#[test]
fn policies_are_in_the_order_of_the_states() {
    let place = Place::new();
    // twelve states in a row, without names: "10" comes after "9"
    let states = 12;
    let cost: Vec<Vec<f64>> = (0..states).map(|s| if s == states - 1 { vec![] } else { vec![1.0] }).collect();
    let features: Vec<Value> = (0..states - 1).map(|s| serde_json::json!([s, 0, s + 1, [1.0]])).collect();
    let problem = serde_json::json!({
        "name": "row", "states": states, "start": 0, "goal": states - 1, "dim": 1, "cost": cost,
        "features": features, "theta": [1.0],
    });
    place.write("row.json", &problem.to_string());
    place.run("solve row.json --policy policy.json").done();
    let text = String::from_utf8(place.read("policy.json")).unwrap();
    let keys: Vec<&str> =
        text.lines().filter_map(|line| line.trim().strip_prefix('"')?.split('"').next()).collect();
    assert_eq!(keys, ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"]);
}

#[test]
fn no_zero_is_negative_and_no_number_is_a_row_of_zeros() {
    let place = Place::new();
    for line in [
        "learn windy-grid --param n=3 --episodes 3",
        "learn hard-instance@dim=2 --episodes 3",
        "learn random-mixture@dim=5 --episodes 30",
        "learn windy-grid@n=3@simplex=true --episodes 30",
    ] {
        let text = place.run(line).done().out;
        assert!(!text.contains("-0.000"), "{text}");
        let json = place.run(&format!("{line} --json")).done().out;
        assert!(!json.contains("-0.0,") && !json.contains("-0.0\n"), "{json}");
    }
    let zeros = "0".repeat(30);
    for line in [
        "learn windy-grid --set delta=0",
        "learn windy-grid --learner levis++ --set B=3 --set delta=0",
        "learn windy-grid --learner levis --set B=3 --set delta=-1",
        "learn windy-grid --learner levis --set B=3 --set rho=-1",
    ] {
        let ran = place.run(line).refused(&["between"]);
        assert!(!ran.err.contains(&zeros), "{}", ran.err);
    }
    place
        .run("learn windy-grid --set delta=0")
        .refused(&["delta=0: it must lie between 0 and 1", "at least 1e-300"]);
    let cheap = place.run("export hard-instance@dim=2").done().out;
    let mut cheap: Value = serde_json::from_str(&cheap).unwrap();
    let goal = cheap["goal"].as_u64().unwrap() as usize;
    for (state, costs) in cheap["cost"].as_array_mut().unwrap().iter_mut().enumerate() {
        for cost in costs.as_array_mut().unwrap().iter_mut().filter(|_| state != goal) {
            *cost = 1e-90.into();
        }
    }
    place.write("cheap.json", &cheap.to_string());
    let text = place.run("solve cheap.json").done().out;
    assert!(text.contains("e-90") && !text.contains(&zeros), "{text}");
}

fn script(shell: &str) -> String {
    Place::new().run(&format!("completions {shell}")).done().out
}

/// What bash offers for a line, the last word of which is being typed.
#[cfg(unix)]
fn offered(place: &Place, words: &[&str]) -> Vec<String> {
    place.write("goalward.bash", &script("bash"));
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let ask = format!(
        "source goalward.bash; COMP_WORDS=({}); COMP_CWORD={}; _goalward goalward '{}' '{}'; \
         printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        quoted.join(" "),
        words.len() - 1,
        words[words.len() - 1],
        words[words.len() - 2],
    );
    let ran = assert_cmd::Command::new("bash")
        .args(["--norc", "-c", &ask])
        .current_dir(place.0.path())
        .output()
        .unwrap();
    let ran = Ran::of(ran);
    ran.out.lines().map(String::from).collect()
}

#[cfg(unix)]
#[test]
fn bash_completes_worlds_and_learners() {
    let place = Place::new();
    assert_eq!(offered(&place, &["goalward", "learn", "win"]), ["windy-grid"]);
    assert_eq!(offered(&place, &["goalward", "solve", "--json", "cor"]), ["corridor"]);
    assert_eq!(offered(&place, &["goalward", "mix", "rand"]), ["random-mixture"]);
    let learners = offered(&place, &["goalward", "learn", "windy-grid", "--learner", "lev"]);
    assert_eq!(learners, ["levis++", "levis+", "levis", "levis++lr"]);
    assert_eq!(offered(&place, &["goalward", "compare", "windy-grid", "--learners", "opt"]), ["optimal"]);
    // no id begins like this: bash itself turns to files
    assert!(offered(&place, &["goalward", "learn", "my-mod"]).iter().all(String::is_empty));
    assert!(script("bash").contains("-o default"));
}

#[test]
fn zsh_and_fish_offer_worlds_learners_and_files() {
    let ids: Vec<&str> = goalward::worlds::WORLDS.iter().map(|world| world.id).collect();
    let zsh = script("zsh");
    assert!(zsh.contains(&format!("compadd -- {}", ids.join(" "))) && zsh.contains("_files && ret=0"));
    assert!(zsh.matches(":_goalward_worlds'").count() >= 6, "every WORLD");
    assert!(!zsh.contains("(hard-instance corridor"), "the list alone would hide the files");
    let learners: Vec<&str> = goalward::learners::LEARNERS.iter().map(|learner| learner.id).collect();
    assert!(zsh.contains(&format!("({})", learners.join(" "))));
    assert!(zsh.starts_with("#compdef goalward"));
    let fish = script("fish");
    for command in ["learn", "compare", "solve", "check", "export", "mix"] {
        let line = format!(
            "complete -c goalward -n \"__fish_goalward_using_subcommand {command}\" -a \"{}\"",
            ids.join(" ")
        );
        assert!(fish.contains(&line), "{command}");
    }
    let learner = fish.lines().find(|line| line.contains("-l learner ")).unwrap();
    assert!(learner.contains("-a \"levis++"), "{learner}");
    assert!(!fish.contains("-r -f -a \"hard-instance"), "files are worlds, too");
}

/// Waits for a sign of life, then presses Ctrl-C.
#[cfg(unix)]
fn interrupt(child: std::process::Child, alive: impl Fn() -> bool) -> Ran {
    let began = Instant::now();
    while !alive() && began.elapsed() < Duration::from_secs(15) {
        sleep(Duration::from_millis(5));
    }
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let ran = Ran::of(child.wait_with_output().unwrap());
    assert_eq!(ran.code, Some(130), "{}", ran.err);
    ran
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_says_so_and_what_was_asked_for() {
    let place = Place::new();
    let run = "learn hard-instance@dim=2 --learner random --episodes 1e12 --trace a";
    let running = || std::fs::metadata(place.path("a")).map_or(0, |file| file.len()) > 10_000;
    let json = interrupt(place.start(&format!("{run} --json")), running).json();
    assert_eq!(json["interrupted"], true);
    assert_eq!(json["truncated"], false);
    assert_eq!(json["episodes_asked"], 1_000_000_000_000u64);
    assert!(json["episodes"].as_u64().unwrap() < 1_000_000_000_000);
    std::fs::remove_file(place.path("a")).unwrap();
    let text = interrupt(place.start(run), running).out;
    assert!(text.contains("of 1,000,000,000,000") && text.contains("by Ctrl-C"), "{text}");
}

#[cfg(unix)]
#[test]
fn an_interrupted_comparison_names_its_runs() {
    let place = Place::new();
    let run = "compare hard-instance@dim=2 --learners random,optimal --seeds 1000 --episodes 2e4 \
               --threads 1 --out o --json";
    let began = Instant::now();
    let ran = interrupt(place.start(run), || {
        place.path("o").exists() && began.elapsed() > Duration::from_millis(1500)
    });
    let json = ran.json();
    for row in json["rows"].as_array().unwrap() {
        assert_eq!(row["runs_asked"], 1000);
        assert_eq!(row["seeds"].as_array().unwrap().len() as u64, row["runs"].as_u64().unwrap());
    }
    // figures take seconds, and are drawn when they are asked for
    assert!(!place.path("o/figures").exists() && !place.path("o/report.html").exists());
    assert!(ran.err.contains("goalward study report o draws what is there"), "{}", ran.err);
    place.run("study report o").done();
    let svg = String::from_utf8(place.read("o/figures/regret.svg")).unwrap();
    assert!(svg.contains(" of 1,000 runs") || svg.contains(" of 1000 runs"), "a part is not the whole");
}
