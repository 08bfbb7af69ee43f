//! A sample of `cargo xtask soak checkpoints`, and what is told of a checkpoint that is not taken.

use super::*;
use crate::corrupt::sweep;

#[test]
fn corrupted_checkpoints_are_refused_as_they_are() {
    let arena = sweep::arena();
    let found = sweep::as_they_are(&sweep::cases(&arena), 0..1000);
    assert_eq!((found.tried, found.refused), (1000, 1000), "{found:?}");
    let found = processes::as_they_are(goalward(), 0..70);
    assert!(found.panics.is_empty() && found.taken.is_empty(), "{found:?}");
    assert_eq!((found.tried, found.refused), (70, 70));
}

#[test]
fn forged_checkpoints_do_no_harm() {
    let arena = sweep::arena();
    let found = sweep::forged(&arena, &sweep::cases(&arena), 0..400);
    assert!(found.tried > 350 && found.panics.is_empty(), "{found:?}");
    let found = processes::forged(goalward(), 0..40);
    assert!(found.panics.is_empty() && found.taken.is_empty(), "{found:?}");
}

const RUN: &str = "learn p.json --learner levis --set B=3 --episodes 300 --trace a --checkpoint c";

/// A run that was stopped: p.json, a and c.
fn stopped() -> Place {
    let place = Place::new();
    place.run("export hard-instance --param dim=2 -o p.json").done();
    place.run(&format!("{RUN} --max-steps 50")).done();
    place
}

/// Changes the checkpoint and makes its checksum anew.
fn forge(place: &Place, change: impl FnOnce(&mut Value)) {
    let mut value: Value = serde_json::from_slice(&place.read("c")).unwrap();
    value.as_object_mut().unwrap().remove("checksum");
    change(&mut value);
    let object = value.to_string();
    let object = &object[..object.len() - 1];
    let hash = blake3::hash(object.as_bytes()).to_hex();
    place.write("c", &format!("{object},\"checksum\":\"{hash}\"}}\n"));
}

#[test]
fn a_table_that_is_too_short_is_named() {
    let place = stopped();
    forge(&place, |c| {
        drop(c["learner"]["algorithm"]["data"]["ridge"]["sigma"].as_array_mut().unwrap().pop())
    });
    place.run("learn --resume c").refused(&["ridge.sigma", "values"]);
}

#[test]
fn an_edited_checkpoint_an_old_one_and_a_cut_one_are_refused() {
    let place = stopped();
    let text = String::from_utf8(place.read("c")).unwrap();
    place.write("c", &text.replacen("\"seed\":0", "\"seed\":1", 1));
    place.run("learn --resume c").refused(&["c: ", "checksum is not that of its content"]);
    place.write("c", &text[..text.len() / 2]);
    place.run("learn --resume c").refused(&["c: ", "does not end with its checksum"]);
    let old = text.replacen("\"version\":4", "\"version\":1", 1);
    place.write("c", &format!("{}}}\n", &old[..old.find(",\"checksum\"").unwrap()]));
    place.run("learn --resume c").refused(&["version 1, which has no checksum"]);
}

/// Another theta is another world.
#[test]
fn a_truth_that_changed_is_refused() {
    let place = stopped();
    let mut problem: Value = serde_json::from_slice(&place.read("p.json")).unwrap();
    problem["theta"][0] = (-problem["theta"][0].as_f64().unwrap()).into();
    place.write("p.json", &problem.to_string());
    place.run("check p.json").done();
    place.run("learn --resume c").refused(&["checkpoint", "p.json", "theta"]);
}

/// A forged path overwrote another file.
#[test]
fn a_trace_is_taken_up_only_if_it_is_the_runs_own() {
    let place = stopped();
    let (trace, checkpoint) = (place.read("a"), String::from_utf8(place.read("c")).unwrap());
    place.run(&RUN.replace("--trace a --checkpoint c", "--seed 1 --trace other --max-steps 60")).done();
    place.write("victim", &"precious\n".repeat(1000));
    let kept = ["victim", "other", "p.json", "a"].map(|name| (name, place.read(name)));
    for (name, content) in &kept[..3] {
        forge(&place, |c| {
            c["trace"]["path"] = (*name).into();
            c["trace"]["bytes"] = content.len().into();
            c["trace"]["hash"] = blake3::hash(content).to_hex().to_string().into();
        });
        place.run("learn --resume c").refused(&[name]);
        place.write("c", &checkpoint);
        place.run(&format!("learn --resume c --trace {name}")).refused(&[name]);
    }
    for (name, content) in &kept {
        assert!(place.read(name) == *content, "{name} was touched");
    }
    // one byte of it is another
    let mut changed = trace.clone();
    let middle = changed.len() / 2;
    changed[middle] ^= 1;
    std::fs::write(place.path("a"), &changed).unwrap();
    place.run("learn --resume c").refused(&["trace a", "changed"]);
    assert!(place.read("a") == changed);
}

#[test]
fn a_trace_that_was_moved_is_named_and_goes_on() {
    let whole = Place::new();
    whole.run("export hard-instance --param dim=2 -o p.json").done();
    whole.run(RUN).done();
    let place = stopped();
    std::fs::create_dir(place.path("deep")).unwrap();
    std::fs::rename(place.path("a"), place.path("deep/b")).unwrap();
    place.run("learn --resume c").refused(&["trace a", "missing", "--trace"]);
    place.run("learn --resume c --trace deep/b --max-steps 70").done();
    place.run("learn --resume c --max-steps none").done();
    assert!(place.read("deep/b") == whole.read("a"));
}

/// Two processes cannot write one checkpoint or one trace; a lock goes with its process.
#[cfg(unix)]
#[test]
fn one_run_at_a_time() {
    let place = Place::new();
    let endless = "learn hard-instance --param dim=2 --learner random --episodes 1000000000";
    let mut child = place.start(&format!("{endless} --trace a --checkpoint c"));
    while !place.path("c").exists() {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    std::os::unix::fs::symlink("c", place.path("link")).unwrap();
    std::fs::hard_link(place.path("a"), place.path("hard")).unwrap();
    let process = format!("process {}", child.id());
    for (line, words) in [
        ("learn --resume c", ["--resume c", &process]),
        ("learn --resume link", ["--resume link", &process]),
        ("learn --resume c --checkpoint d", ["trace a", &process]),
        ("learn hard-instance --learner random --episodes 1 --checkpoint c", ["--checkpoint c", &process]),
        ("learn hard-instance --learner random --episodes 1 --trace a", ["--trace a", &process]),
        (
            "learn hard-instance --learner random --episodes 1 --trace hard",
            ["--trace hard", "another goalward"],
        ),
    ] {
        let ran = place.run(line).refused(&words);
        assert!(ran.err.contains("hint: "), "{}", ran.err);
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let steps =
        serde_json::from_slice::<Value>(&place.read("c")).unwrap()["progress"]["steps"].as_u64().unwrap();
    place.run(&format!("learn --resume c --max-steps {}", steps + 5)).done();
    let left: Vec<String> = std::fs::read_dir(place.path("."))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name.contains("goalward"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}
