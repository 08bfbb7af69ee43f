//! `demo`, `survey`, `coverage`, `scale` and `growth`, on a small scale.

use super::*;

#[test]
fn coverage_counts_and_writes() {
    let place = Place::new();
    let run = "coverage --worlds hard-instance@dim=2 --learners lr,levis++ --deltas 0.1 --seeds \
               0..4 --steps 50 --out here";
    let ran = place.run(run).done();
    for word in ["theta* lost", "at most", "width", "levis++ printed", "lr loses theta* in"] {
        assert!(ran.out.contains(word), "{word}: {}", ran.out);
    }
    assert!(ran.err.contains("runs.csv"), "{}", ran.err);
    let json = place.run(&format!("{run} --json --threads 2")).done().json();
    assert_eq!(json["rows"][1]["lost"]["n"], 4);
    assert_eq!(json["rows"][1]["width"]["mean"], 1.0);
    assert_eq!(json["sound"], true);
}

#[test]
fn scale_reports_a_factor_and_the_next() {
    let place = Place::new();
    let run = "scale --worlds hard-instance@dim=2 --learners levis --per-decade 1 --delta 0.5 \
               --seeds 0..5 --steps 100";
    let ran = place.run(run).done();
    assert!(ran.out.contains("smallest factor") && ran.out.contains("next factor"), "{}", ran.out);
    assert!(place.path("out/scale/scale.csv").exists());
    let json = place.run(&format!("{run} --json -q")).done().json();
    assert_eq!(json["tried"].as_array().unwrap().len(), 6);
}

#[test]
fn survey_exits_with_no_where_the_answer_is_no() {
    let place = Place::new();
    let run = "survey --worlds hard-instance@dim=2 --learners lr,levis,random --episodes 100 \
               --seeds 0..4 --out here";
    let ran = place.run(&format!("{run} --against lr")).done();
    assert!(ran.out.contains("less that of lr"), "{}", ran.out);
    let ran = place.run(&format!("{run} --force --against levis --beside nobody"));
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.out.contains("pays more than lr"), "{}", ran.out);
    let capped = place.run(&format!("{run} --force --against lr --max-steps 450 --json"));
    assert_eq!(capped.json()["rows"][2]["truncated"], 4);
}

#[test]
fn growth_fits_and_draws() {
    let place = Place::new();
    let run =
        "growth --families fixed --dim 2 --learners lr,random --episodes 50,200,800 --seeds 0..3 --out here";
    let ran = place.run(run).done();
    assert!(ran.out.contains("exponent") && ran.out.contains("lr, fixed gap"), "{}", ran.out);
    assert!(place.path("here/growth-fixed.png").exists());
    let json = place.run(&format!("{run} --json --quiet")).done().json();
    let random = json["families"][0]["exponents"][1]["exponent"]["exponent"].as_f64().unwrap();
    assert!((random - 1.0).abs() < 0.2, "{random}");
}

#[test]
fn the_demo_runs() {
    let place = Place::new();
    let ran = place.run("demo --world windy-grid@n=2 --episodes 5 --seeds 0..2 --out here").done();
    let scaled: Vec<&str> = ran.out.lines().filter(|line| line.contains("scaled:")).collect();
    assert!(!scaled.is_empty(), "{}", ran.out);
    assert!(scaled.iter().all(|line| line.contains("no guarantee")), "{}", ran.out);
    assert!(place.path("here/regret.png").exists());
    place.run("demo --world windy-grid@n=2 --episodes 5 --seeds 0..2 --json -q").done().json();
}

#[test]
fn a_comparison_against_one() {
    let place = Place::new();
    let run =
        "compare hard-instance --param dim=2 --learners lr,random --seeds 0..3 --episodes 50 --out here";
    let ran = place.run(&format!("{run} --against lr")).done();
    assert!(ran.out.contains("gap regret less that of lr"), "{}", ran.out);
    place.run(&format!("{run} --against levis")).refused(&["--against levis", "hint: ", "lr"]);
}

#[test]
fn wrong_input_is_named() {
    let place = Place::new();
    for (line, words) in [
        ("coverage --worlds nowhere", &["nowhere"][..]),
        ("coverage --worlds windy-grid@n=1", &["n", "between"]),
        ("coverage --worlds windy-grid@", &["windy-grid@", "hint: "]),
        ("coverage --learners random", &["random", "no confidence set"]),
        ("coverage --learners levis@radius=wide", &["radius"]),
        ("coverage --deltas 0", &["delta"]),
        ("coverage --deltas 1.5", &["delta"]),
        ("coverage --seeds 5..5", &["--seeds"]),
        ("scale --least 0", &["factors"]),
        ("scale --least 2", &["factors"]),
        ("scale --least 1e-320", &["factors", "1e-320", "1e-30"]),
        ("scale --least 1e-31", &["factors"]),
        ("scale --most 1e308 --least 1e307", &["factors", "1e30"]),
        ("scale --most inf", &["factors"]),
        ("scale --least nan", &["factors"]),
        ("scale --least 1e-30 --most 1e30 --per-decade 100", &["per-decade", "6001", "1000"]),
        ("scale --per-decade 4294967295", &["per-decade"]),
        ("scale --delta 1", &["delta"]),
        ("scale --per-decade 0", &["per-decade"]),
        ("scale --learners lr", &["radius"]),
        ("scale --learners levis@radius=printed", &["radius"]),
        ("survey --against nobody", &["nobody"]),
        ("survey --learners levis++lr,optimal", &["optimal"]),
        ("growth --episodes 100", &["episodes"]),
        ("growth --episodes 2,3", &["gap"]),
        ("growth --dim 1", &["dim"]),
        ("growth --dim 40", &["dim"]),
        ("growth --b-star 0.5", &["b-star"]),
        ("growth --gap-factor -1", &["gap-factor"]),
        ("growth --lengths 5,4", &["lengths"]),
        ("demo --world nowhere", &["nowhere"]),
        ("demo --scale -1", &["scaled:-1"]),
    ] {
        place.run(line).refused(words);
    }
}
