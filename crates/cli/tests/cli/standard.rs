//! `-` is standard input or output wherever a file is read or written piece by piece; where it cannot
//! be, that is said, and no file is ever called `-`.
#![cfg(target_os = "linux")]

use super::*;

/// A folder with two models, a problem, a study and a table of one model.
fn place() -> Place {
    let place = Place::new();
    for name in ["sunny.drn", "rainy.drn"] {
        let example = format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"));
        std::fs::copy(example, place.path(name)).unwrap();
    }
    place.run("mix sunny.drn rainy.drn --weights 0.3,0.7 -o weather.json").done();
    place.write(
        "mine.toml",
        "episodes = 5\nseeds = 2\nworlds = [\"weather.json\"]\nlearners = [\"random\"]\n",
    );
    place
}

/// Every input: what it gives as a file and as standard input is the same.
#[test]
fn inputs_are_taken_from_standard_input() {
    let place = place();
    for stdin in ["-", "/dev/stdin"] {
        for (line, file) in [
            ("solve FILE --policy -", "weather.json"),
            ("solve FILE --values -", "weather.json"),
            ("export FILE -o -", "weather.json"),
            ("learn FILE --episodes 3 --trace -", "weather.json"),
            ("mix FILE rainy.drn --weights 1/2,1/2 -o -", "sunny.drn"),
            ("mix rainy.drn FILE --weights 1/2,1/2 -o -", "sunny.drn"),
        ] {
            let of_file = place.run(&line.replace("FILE", file)).done().out;
            let typed = place.shell(&format!("$G {} < {file}", line.replace("FILE", stdin))).done().out;
            assert!(!of_file.is_empty(), "{line}");
            let alike = |text: &str| text.replace(&format!("\"{stdin}\""), &format!("\"{file}\""));
            if line.starts_with("mix") {
                // models are called by what was typed, where their files have no names
                let states = |text: &str| serde_json::from_str::<Value>(text).unwrap()["states"].clone();
                assert_eq!(states(&typed), states(&of_file), "{line}");
            } else {
                assert_eq!(alike(&typed), of_file, "{line} {stdin}");
            }
        }
        let report = place.shell(&format!("$G check {stdin} --json < weather.json")).done().json();
        assert_eq!(report["states"], 3);
        let compare = "--learners random --seeds 2 --episodes 3 --out";
        place.shell(&format!("cat weather.json | $G compare {stdin} {compare} a --force")).done();
        place.shell(&format!("$G study run {stdin} --out b --force < mine.toml")).done();
        place.shell(&format!("$G study report {stdin} --out b < mine.toml")).done();
        place.run("study run mine.toml --out c --force").done();
        assert!(studies::parquet(&place.path("b")) == studies::parquet(&place.path("c")));
    }
    place.shell("$G study run - < mine.toml").done();
    assert!(place.path("out/study/summary.md").exists());
    place.shell("$G study run - < mine.toml").done();
    place.shell("printf 'episodes = 0' | $G study run -").refused(&["<standard input>:1", "episodes"]);
    place.shell("printf 'a\\377' | $G study run -").refused(&["standard input", "utf-8"]);
    place.shell("yes | head -c 10000001 | $G study run -").refused(&["standard input", "at most"]);
    nothing_is_called_so(&place);
}

#[test]
fn outputs_go_to_standard_output() {
    let place = place();
    for stdout in ["-", "/dev/stdout"] {
        let policy = place.run(&format!("solve weather.json --policy {stdout}")).done();
        assert_eq!(policy.json().as_object().map(|states| states.len()), Some(2), "{}", policy.out);
        place.run("solve weather.json --policy policy.json").done();
        assert_eq!(policy.out.as_bytes(), place.read("policy.json"));
        let trace = place.run(&format!("learn weather.json --episodes 4 --trace {stdout}")).done().out;
        place.run("learn weather.json --episodes 4 --trace trace").done();
        assert_eq!(trace.as_bytes(), place.read("trace"));
        assert_eq!(place.run(&format!("export weather.json -o {stdout}")).done().json()["states"], 3);
        let starter = place.run(&format!("study new {stdout}")).done().out;
        assert_eq!(starter, place.run("study new").done().out);
    }
    // a picture and a page go to their files beside what is printed
    let trace =
        place.run("learn weather.json --episodes 4 --trace - --show p.svg --replay p.html").done().out;
    assert!(trace.lines().all(|line| line.starts_with('{')), "{trace}");
    assert!(place.path("p.svg").exists() && place.path("p.html").exists());
    nothing_is_called_so(&place);
}

/// Two things are not printed into each other.
#[test]
fn standard_output_has_one_thing() {
    let place = place();
    for line in [
        "solve weather.json --policy - --values -",
        "solve weather.json --policy - --values /dev/stdout",
        "solve weather.json --policy - --json",
        "solve weather.json --policy - --show",
        "solve weather.json --values - --show",
        "learn weather.json --episodes 2 --trace - --json",
        "learn weather.json --episodes 2 --trace - --show",
    ] {
        place.run(line).refused(&["both print on standard output", "hint: "]);
    }
    nothing_is_called_so(&place);
}

#[test]
fn where_it_makes_no_sense_that_is_said() {
    let place = place();
    place.run("study run mine.toml --out done").done();
    for name in ["-", "/dev/stdout"] {
        for line in [
            "learn weather.json --episodes 2 --checkpoint FILE",
            "learn weather.json --episodes 2 --replay FILE",
            "serve weather.json --checkpoint FILE",
        ] {
            let words = ["never to standard output", "./-"];
            place.run(&line.replace("FILE", name)).refused(&words);
        }
        place.run(&format!("learn weather.json --trace {name} --checkpoint c")).refused(&["must be a file"]);
        place.run(&format!("learn weather.json --show {name}")).refused(&[".png or .svg"]);
        for line in [
            "compare weather.json --learners random --seeds 2 --episodes 2 --out FILE",
            "demo --out FILE",
            "reproduce --out FILE",
            "study run mine.toml --out FILE",
            "study merge done --out FILE",
            "study merge FILE --out whole",
            "study report mine.toml --out FILE",
            "study status mine.toml --out FILE",
            "study export done --csv FILE",
        ] {
            place.run(&line.replace("FILE", name)).refused(&["this is a folder", "./-"]);
        }
    }
    for name in ["-", "/dev/stdin"] {
        place.run(&format!("learn --resume {name}")).refused(&["--resume", "never standard input"]);
        place.run(&format!("serve {name}")).refused(&["requests come through standard input"]);
        for command in ["status", "export --csv x", "report"] {
            let line = format!("$G study {command} {name} < mine.toml");
            place.shell(&line).refused(&["does not say where the results are", "hint: "]);
        }
        for other in ["-", "/dev/stdin", "/dev/fd/0"] {
            let line = format!("$G mix {name} {other} < sunny.drn");
            place.shell(&line).refused(&["standard input is given twice", "hint: "]);
        }
    }
    nothing_is_called_so(&place);
}

/// A file may be called so: ./- is one.
#[test]
fn a_file_that_is_called_so_is_reached() {
    let place = place();
    place.run("export weather.json -o ./-").done();
    assert_eq!(place.run("check ./- --json").done().json()["states"], 3);
}

/// A reader may close the trace after its beginning.
#[test]
fn a_reader_of_a_trace_may_go_away() {
    let place = place();
    let line = "$G learn weather.json --episodes 1e6 --trace - --quiet; echo code $? >&2";
    let ran = place.shell(&format!("({line}) | head -n 1"));
    assert!(ran.out.contains("\"start\"") && ran.out.lines().count() == 1, "{}", ran.out);
    assert_eq!(ran.err, "code 0\n");
    let ran = place.shell("$G learn weather.json --episodes 3 --trace - --quiet > /dev/full");
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("standard output"), "{}", ran.err);
}

/// A problem with one model has nothing to teach; learners that ignore the model learn all the same.
#[test]
fn a_known_model_is_nothing_to_learn() {
    let place = place();
    for (line, word) in [
        (
            "learn sunny.drn --episodes 3",
            "this problem has one model, which is known: there is nothing to learn\n",
        ),
        ("learn sunny.drn --episodes 3 --learner random", "there is nothing to learn\n"),
        ("learn sunny.drn --episodes 3 --learner eb-ssp --set B=oracle", "eb-ssp makes no use of that"),
    ] {
        let ran = place.run(line).done();
        assert!(
            ran.err.contains(word) && ran.err.contains("hint: goalward solve sunny.drn"),
            "{line}: {}",
            ran.err
        );
        assert!(!place.run(&format!("{line} --quiet")).done().err.contains("nothing to learn"));
    }
    // two models, whose weights are known
    let coin =
        input::coin("[0.3, 0.7]").replace("\"theta\"", "\"extra\": [[1, 0, 0.3], [-1, 0, -0.3]], \"theta\"");
    place.write("coin.json", &coin);
    let ran = place.run("learn coin.json --episodes 3").done();
    assert!(ran.err.contains("only one mixture of the models is possible"), "{}", ran.err);
    let ran = place.shell("$G serve sunny.drn < /dev/null").done();
    assert!(ran.err.contains("there is nothing to learn"), "{}", ran.err);
    let ran = place.run("learn weather.json --episodes 3").done();
    assert!(!ran.err.contains("nothing to learn"), "{}", ran.err);
}

#[track_caller]
fn nothing_is_called_so(place: &Place) {
    assert!(!place.path("-").exists() && !place.path("out/-").exists());
}
