//! `cargo xtask soak serve [STEPS [KILLS [LINES]]]`: a session of a million steps through a pipe,
//! with its memory on the way; a session that is killed a hundred times and taken up; 100,000 lines
//! that are nearly requests. Exit code 1 if the memory grew, an action differs, or a line was not
//! answered.

mod client;
mod mutations;

use client::{Client, Walk};
use goalward::problem::Instance;
use goalward::{Settings, Stream, worlds};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

/// A session may have so much more memory at its end than after a tenth of its steps, in kB: what
/// an allocator keeps.
const SLACK: u64 = 1_000;

fn main() -> ExitCode {
    // cargo adds --bench
    let numbers: Vec<u64> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    let number = |n: usize, or: u64| numbers.get(n).copied().unwrap_or(or);
    let place = tempfile::tempdir().expect("a folder");
    let world = worlds::open("windy-grid", &Settings::new().set("n", 3)).expect("a world");
    let sound = [
        steps(place.path(), &world, number(0, 1_000_000)),
        kills(place.path(), &world, number(1, 100)),
        lines(place.path(), number(2, 100_000)),
    ];
    if sound.into_iter().all(|sound| sound) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn start(folder: &Path, line: &str) -> Client {
    let words: Vec<&str> = line.split_whitespace().collect();
    Client::start(Path::new(env!("CARGO_BIN_EXE_goalward")), folder, &words)
}

/// The memory at ten moments.
fn steps(folder: &Path, world: &Instance, steps: u64) -> bool {
    let mut client = start(folder, "windy-grid@n=3 --seed 1 --checkpoint long");
    let mut walk = Walk::new(world, 1);
    let (began, mut sizes) = (Instant::now(), Vec::new());
    for part in 1..=10 {
        while walk.steps() < steps * part / 10 {
            walk.step(&mut client);
            walk.events.clear();
        }
        sizes.push(client.memory());
    }
    let seconds = began.elapsed().as_secs_f64();
    let requests = 2 * steps + walk.episodes();
    println!(
        "{steps} steps, {requests} requests in {seconds:.1} s: {:.0} a second",
        requests as f64 / seconds
    );
    println!("memory in kB after every tenth: {sizes:?}");
    let (first, last) = (sizes[0], sizes[9]);
    if last > first + SLACK {
        println!("GROWN: {first} kB to {last} kB");
    }
    last <= first + SLACK
}

/// Kills at random moments; every action is asked for again from the last checkpoint on.
fn kills(folder: &Path, world: &Instance, kills: u64) -> bool {
    let line = "windy-grid@n=3 --learner psrl-ssp --seed 2 --episodes 1000";
    let mut whole = start(folder, line);
    let mut reference = Walk::new(world, 2);
    let line = format!("{line} --checkpoint killed --checkpoint-every 50");
    let mut client = start(folder, &line);
    let mut walk = Walk::new(world, 2);
    let mut luck = Stream::new(2, &[0x6b69_6c6c]);
    let (mut again, mut differ) = (0, 0);
    for kill in 0..kills {
        for _ in 0..1 + (luck.uniform() * 200.0) as u64 {
            reference.step(&mut whole);
            walk.step(&mut client);
        }
        if kill % 2 == 1 {
            // between a question and what comes of it
            walk.ask(&mut client);
        }
        client.kill();
        client = start(folder, &line);
        again += walk.events.len() as u64 - client.seen();
        if let Some(difference) = walk.catch_up(&mut client) {
            println!("DIFFERS: kill {kill}: {difference}");
            differ += 1;
        }
    }
    if walk.events != reference.events {
        println!("DIFFERS: the session that was killed is not the one that was not");
        differ += 1;
    }
    println!(
        "{kills} kills in {} steps, {again} of what was told was told again, {differ} differences",
        walk.steps()
    );
    differ == 0
}

/// One answer for each line.
fn lines(folder: &Path, lines: u64) -> bool {
    let mut client = start(folder, "windy-grid@n=3");
    let (mut faults, mut wrong) = (0, 0);
    let before = client.memory();
    for n in 0..lines {
        let mut line = mutations::line(n);
        line.push(b'\n');
        client.send(&line);
        let answer = client.read();
        match answer.get("error") {
            Some(error) if error["code"].is_string() && error["line"] == n + 1 => faults += 1,
            Some(_) => {
                println!("WRONG: {}: {answer}", String::from_utf8_lossy(&line));
                wrong += 1;
            }
            None => {}
        }
    }
    let after = client.memory();
    let ended = client.end().0.success();
    println!("{lines} lines, {faults} faults, the others answered; {before} kB, then {after} kB");
    wrong == 0 && ended
}
