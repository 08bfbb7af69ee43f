//! Studies that are killed at random moments, and go on.
//!
//! Whenever a process dies, the next one must find its way: in the end every Parquet file has the
//! very bytes that an uninterrupted run writes, and nothing else is left.

use goalward::numeric::Stream;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Forty jobs, of learners that plan in different ways, long enough to be killed half-way.
const STUDY: &str = r#"
episodes = 300
max_steps = 4000
seeds = 4
worlds = ["windy-grid@n=4", "random-mixture"]
learners = ["lr", "levis++lr", "levis++@radius=scaled:0.001", "psrl-ssp", "random"]
set = { B = "oracle" }
[record]
probes = 4
sets = true
outline = [0, 1]
"#;

/// What became of the kills.
#[derive(Debug, Default)]
pub(crate) struct Killed {
    /// Processes that were killed.
    pub(crate) kills: usize,
    /// Studies that came to their end.
    pub(crate) studies: usize,
    /// What differs from an uninterrupted run.
    pub(crate) differences: Vec<String>,
}

/// Kills processes, at moments drawn with this seed.
pub(crate) fn kill(program: &Path, dir: &Path, kills: usize, seed: u64) -> Result<Killed, String> {
    let file = dir.join("forty.toml");
    std::fs::write(&file, STUDY).map_err(|e| e.to_string())?;
    let start = |out: &Path| {
        let mut command = Command::new(program);
        command.args(["study", "run", "--quiet", "--save-every", "0.01", "--out"]).arg(out).arg(&file);
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        command.spawn().map_err(|e| e.to_string())
    };
    let ended = |child: std::process::Child| -> Result<(), String> {
        let output = child.wait_with_output().map_err(|e| e.to_string())?;
        match output.status.success() {
            true => Ok(()),
            false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        }
    };
    let whole = dir.join("whole");
    let began = std::time::Instant::now();
    ended(start(&whole)?)?;
    let expected = tables(&whole);
    // a process lives for a part of a whole study, so that kills fall everywhere in it
    let longest = began.elapsed().as_secs_f64().clamp(0.2, 10.0) / 3.0;
    let mut luck = Stream::new(seed, &[0x6b69_6c6c]);
    let mut killed = Killed::default();
    while killed.kills < kills || killed.studies == 0 {
        let out = dir.join(format!("killed{}", killed.studies));
        let mut done = false;
        while !done && killed.kills < kills {
            let mut child = start(&out)?;
            std::thread::sleep(Duration::from_secs_f64(longest * luck.uniform()));
            done = child.try_wait().map_err(|e| e.to_string())?.is_some();
            if !done {
                child.kill().map_err(|e| e.to_string())?;
                killed.kills += 1;
            }
            let _ = child.wait();
        }
        ended(start(&out)?)?;
        killed.studies += 1;
        killed.differences.extend(differences(&expected, &out));
    }
    Ok(killed)
}

/// All Parquet files of a study.
pub(crate) fn tables(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    for table in ["runs", "episodes", "plans", "probes"] {
        for entry in std::fs::read_dir(dir.join(table)).into_iter().flatten().flatten() {
            let name = format!("{table}/{}", entry.file_name().to_string_lossy());
            all.insert(name, std::fs::read(entry.path()).unwrap_or_default());
        }
    }
    all
}

fn differences(expected: &BTreeMap<String, Vec<u8>>, out: &Path) -> Vec<String> {
    let found = tables(out);
    let names = expected.keys().chain(found.keys().filter(|name| !expected.contains_key(*name)));
    let mut wrong: Vec<String> = names
        .filter(|name| expected.get(*name) != found.get(*name))
        .map(|name| format!("{}: {name}", out.display()))
        .collect();
    if expected.len() < 40 * 2 {
        wrong.push(format!("{} files are no forty jobs", expected.len()));
    }
    let left = std::fs::read_dir(out.join("work")).map_or(0, Iterator::count);
    if left > 0 {
        wrong.push(format!("{}: {left} files are left in work/", out.display()));
    }
    wrong
}
