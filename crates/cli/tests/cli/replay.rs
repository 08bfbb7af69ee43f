//! `learn --replay`: one page for a run.

use super::*;

fn text(place: &Place, name: &str) -> String {
    String::from_utf8(place.read(name)).unwrap()
}

#[test]
fn a_replay_changes_nothing_of_the_run() {
    let place = Place::new();
    let run = "learn windy-grid@n=3 --learner lr --episodes 50 --json";
    let (plain, shown) = (place.run(run).done(), place.run(&format!("{run} --replay run.html")).done());
    let without_time = |ran: &Ran| {
        let mut json = ran.json();
        json.as_object_mut().unwrap().remove("seconds");
        json
    };
    assert_eq!(without_time(&plain), without_time(&shown));
    let page = text(&place, "run.html");
    assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"));
    assert!(page.contains("id=\"slider\"") && page.contains("max=\"49\""));
    // the same run, the same bytes; and a page may be replaced by a page
    place.run(&format!("{run} --replay run.html")).done();
    assert_eq!(page, text(&place, "run.html"));
}

#[test]
fn a_replay_of_a_run_that_is_taken_up_says_so() {
    let place = Place::new();
    let run = "learn windy-grid@n=3 --learner lr --episodes 10 --checkpoint run.ckpt";
    place.run(run).done();
    place.run("learn --resume run.ckpt --episodes 25 --replay run.html").done();
    let page = text(&place, "run.html");
    assert!(page.contains("The run was taken up after episode 10"));
    assert!(page.contains("max=\"14\""));
}

#[test]
fn a_page_is_never_written_over_something_else() {
    let place = Place::new();
    place.write("notes.txt", "my thesis\n");
    let run = "learn windy-grid@n=3 --learner lr --episodes 5";
    place.run(&format!("{run} --replay notes.txt")).refused(&["--replay", "no HTML page", "hint"]);
    assert_eq!(text(&place, "notes.txt"), "my thesis\n");
    place.run(&format!("{run} --trace a --replay a")).refused(&["--replay and --trace"]);
    place.run(&format!("{run} --checkpoint c --replay c")).refused(&["--replay and --checkpoint"]);
    place.run(&format!("{run} --replay missing/run.html")).refused(&["--replay", "missing"]);
    place.run(&format!("{run} --checkpoint run.ckpt")).done();
    place.run("learn --resume run.ckpt --episodes 9 --replay run.ckpt").refused(&["--replay"]);
}
