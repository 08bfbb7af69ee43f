//! `compare` and `reproduce`, on a small scale.

use super::*;

#[test]
fn a_comparison_prints_a_table_and_writes_its_files() {
    let place = Place::new();
    let run = "compare hard-instance --param dim=2 --learners levis++,levis++@radius=scaled:0.003,random \
               --set B=3 --seeds 0..3 --episodes 20";
    let ran = place.run(&format!("{run} --out here --threads 2")).done();
    for word in ["levis++", "scaled:0.003", "random"] {
        assert!(ran.out.contains(word), "{}", ran.out);
    }
    assert!(ran.err.contains("here"), "{}", ran.err);
    for file in ["study.toml", "summary.md", "report.html", "figures/regret.svg", "figures/regret.png"] {
        assert!(place.path("here").join(file).exists(), "{file}");
    }
    // the file that it wrote is the study that it ran
    let study = place.path("here/study.toml");
    std::fs::copy(study, place.path("compare.toml")).unwrap();
    let again = place.run("study run compare.toml --out here").done();
    assert!(again.err.contains("9 of 9 runs were there already"), "{}", again.err);
    place.run(&format!("{run} --json")).done().json();
}

/// No question is in another's way, and each finds its own results again.
#[test]
fn every_question_has_a_folder_of_its_own() {
    let place = Place::new();
    let folders = |name: &str| {
        let entries = std::fs::read_dir(place.path(name)).unwrap().map(|entry| entry.unwrap().path());
        entries.filter(|path| path.join("plan.json").exists() && !path.is_symlink()).collect::<Vec<_>>()
    };
    let run = "compare hard-instance@dim=2 --learners lr,random --seeds 2 --episodes";
    place.run(&format!("{run} 5")).done();
    let first = folders("out/compare").remove(0);
    let report = std::fs::read(first.join("report.html")).unwrap();
    place.run(&format!("{run} 6")).done();
    assert_eq!(folders("out/compare").len(), 2);
    assert!(
        std::fs::read(first.join("report.html")).unwrap() == report,
        "the other question's report changed"
    );
    let again = place.run(&format!("{run} 5")).done();
    assert!(again.err.contains("4 of 4 runs were there already"), "{}", again.err);
    assert!(again.err.contains(first.file_name().unwrap().to_str().unwrap()), "{}", again.err);
    for name in ["demo", "reproduce"] {
        for episodes in [2, 3] {
            place.run(&format!("{name} --episodes {episodes} --seeds 1 -q")).done();
        }
        assert_eq!(folders(&format!("out/{name}")).len(), 2);
    }
    if cfg!(unix) {
        let newest = std::fs::read_link(place.path("out/compare/newest")).unwrap();
        assert_eq!(Some(newest.as_os_str()), first.file_name());
        assert!(place.run("study status compare").done().out.contains("4 of 4"));
    }
    // a study of that name lies beside them, and neither is in the other's way
    place.write("demo.toml", "episodes = 2\nseeds = 1\nworlds = [\"corridor\"]\nlearners = [\"random\"]\n");
    place.run("study run demo.toml -q").done();
    place.run("demo --episodes 4 --seeds 1 -q").done();
    assert!(place.run("study status demo").done().out.contains("1 of 1"));
    // a folder that is named is one question's
    place.run(&format!("{run} 5 --out mine -q")).done();
    place.run(&format!("{run} 6 --out mine -q")).refused(&[
        "mine",
        "do not belong to this question",
        "--force",
    ]);
}

/// A world that came through a pipe is kept with the question's results.
#[cfg(unix)]
#[test]
fn piped_worlds_are_questions_too() {
    let place = Place::new();
    for dim in [2, 3, 2] {
        let piped = place.run(&format!("export hard-instance@dim={dim}")).done().out;
        let run = "compare - --learners random --seeds 2 --episodes 5";
        let mut command = assert_cmd::Command::new(goalward());
        command.args(run.split(' ')).current_dir(place.0.path()).write_stdin(piped.clone());
        Ran::of(command.output().unwrap()).done();
        let kept = place.read("out/compare/newest/world.json");
        assert_eq!(
            serde_json::from_slice::<Value>(&kept).unwrap()["dim"],
            serde_json::from_str::<Value>(&piped).unwrap()["dim"]
        );
    }
    assert_eq!(std::fs::read_dir(place.path("out/compare")).unwrap().count(), 3);
    // the study that is left opens the world that is kept
    std::fs::copy(place.path("out/compare/newest/study.toml"), place.path("again.toml")).unwrap();
    place.run("study run again.toml --out out/compare/newest").done();
}

#[test]
fn a_setting_that_nobody_has_is_refused() {
    let place = Place::new();
    let run = "compare hard-instance --learners random,optimal --seeds 0..2 --episodes 2 --set B=3";
    place.run(run).refused(&["B=3", "no contender", "hint: "]);
    place.run("compare hard-instance --learners random@ --seeds 0..2").refused(&["random@", "hint: "]);
}

#[test]
fn a_small_reproduction() {
    let place = Place::new();
    let run = "reproduce --episodes 30 --seeds 0..2 --out here";
    let ran = place.run(run).done();
    assert!(!ran.out.is_empty());
    assert!(place.path("here/figures/regret.png").exists());
    place.run(&format!("{run} --json --quiet")).done().json();
}

#[test]
fn a_comparison_against_one() {
    let place = Place::new();
    let run =
        "compare hard-instance --param dim=2 --learners lr,random --seeds 0..3 --episodes 50 --out here";
    let ran = place.run(&format!("{run} --against lr")).done();
    assert!(ran.out.contains("less that of lr"), "{}", ran.out);
    place.run(&format!("{run} --against levis")).refused(&["--against levis", "hint: ", "lr"]);
}

#[test]
fn the_demo_runs() {
    let place = Place::new();
    let ran = place.run("demo --episodes 5 --seeds 0..2 --out here").done();
    assert!(ran.out.contains("scaled:"), "{}", ran.out);
    assert!(place.path("here/figures/regret.png").exists());
    place.run("demo --episodes 5 --seeds 0..2 --json -q --out here").done().json();
}
