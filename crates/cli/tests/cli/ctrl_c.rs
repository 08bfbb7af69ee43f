//! Ctrl-C while something long is under way: a planning call, or a world that is being opened.

use super::*;
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A world whose planning calls take seconds, and whose runs have some of them.
const SLOW: &str = "random-mixture --param states=120 --param dim=10 --param successors=10 \
                    --param goal_prob=0.0005";
const RUN: &str = "--max-steps 4 --trace a --checkpoint c";
/// A process that takes this many seconds to stop waits for its work.
const HANG: f64 = 60.0;

fn interrupt(child: &Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

/// Waits until a file has a number of lines.
fn until(place: &Place, child: &mut Child, file: &str, lines: usize) {
    while std::fs::read(place.path(file)).map_or(0, |text| text.iter().filter(|b| **b == b'\n').count())
        < lines
    {
        assert!(child.try_wait().unwrap().is_none(), "it ended too soon");
        sleep(Duration::from_millis(1));
    }
}

/// Sends Ctrl-C and says what was left; a machine may be busy, but does not hang.
fn stopped_soon(child: Child) -> Ran {
    interrupt(&child);
    let began = Instant::now();
    let ran = Ran::of(child.wait_with_output().unwrap());
    let seconds = began.elapsed().as_secs_f64();
    assert_eq!(ran.code, Some(130), "{}", ran.err);
    assert!(seconds < HANG, "{seconds} s after Ctrl-C");
    ran
}

/// The plan that is cut off is made when the run goes on, which then writes what it would have
/// written.
#[test]
fn a_planning_call_is_cut_off_and_made_later() {
    let place = Place::new();
    let began = Instant::now();
    let whole = place.run(&format!("learn {SLOW} --max-steps 4 --trace whole --json")).done().json();
    let all = began.elapsed();
    let mut line = format!("learn {SLOW} {RUN}");
    let mut cut = 0;
    // the steps are made in no time: whenever it is, a plan is under way
    for part in [0.1, 0.2, 0.3] {
        let mut child = place.start(&line);
        until(&place, &mut child, "a", 1);
        while !place.path("c").exists() {
            sleep(Duration::from_millis(1));
        }
        sleep(all.mul_f64(part));
        if child.try_wait().unwrap().is_some() {
            break;
        }
        let ran = stopped_soon(child);
        assert!(ran.out.contains("results so far"), "{}", ran.out);
        assert!(ran.err.contains("--resume c"), "{}", ran.err);
        let checkpoint: Value = serde_json::from_slice(&place.read("c")).unwrap();
        cut += u32::from(!checkpoint["learner"]["owed"].is_null());
        line = "learn --resume c".into();
    }
    assert!(cut > 0, "no plan was cut off");
    let resumed = place.run("learn --resume c --json").done().json();
    assert_eq!(String::from_utf8(place.read("a")), String::from_utf8(place.read("whole")));
    assert_eq!(resumed["gap_regret"], whole["gap_regret"]);
}

/// Jobs of many runs are not waited for either, and report what they have.
#[test]
fn a_comparison_is_stopped_within_a_plan() {
    let place = Place::new();
    let run =
        format!("compare {SLOW} --learners lr,random --seeds 0..4 --episodes 1000000 --max-steps 4000000");
    let mut child = place.start(&run);
    // it makes its directory when the world is open and the runs begin
    while !place.path("out/compare/newest/plan.json").exists() {
        assert!(child.try_wait().unwrap().is_none());
        sleep(Duration::from_millis(1));
    }
    sleep(Duration::from_millis(300));
    stopped_soon(child);
}

/// A world that is being opened for a study has nothing to keep.
#[test]
fn opening_a_world_is_stopped_at_once() {
    let place = Place::new();
    let world = "windy-grid@n=300";
    for command in [
        format!("compare {world} --learners lr --seeds 0..2"),
        "learn windy-grid --param n=300 --checkpoint c".to_string(),
    ] {
        let child = place.start(&command);
        sleep(Duration::from_millis(500));
        interrupt(&child);
        let ended = child.wait_with_output().unwrap().status;
        use std::os::unix::process::ExitStatusExt;
        assert!(ended.code() == Some(130) || ended.signal() == Some(2), "{ended:?}");
        // nothing had begun
        assert!(!place.path("c").exists() && !place.path("out").exists(), "{command}");
    }
}
