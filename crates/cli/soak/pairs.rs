//! Two shards of a study, and two runs with checkpoints, that are started together in one folder by
//! processes of the same number, as containers have them.

use super::kills::tables;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Jobs that are over soon: the processes write at the same time all the time.
const STUDY: &str = r#"
episodes = 60
max_steps = 1000
seeds = 3
worlds = ["windy-grid@n=3", "random-mixture"]
learners = ["lr", "levis++lr", "random"]
set = { B = "oracle" }
"#;

/// What became of the pairs.
#[derive(Debug, Default)]
pub(crate) struct Pairs {
    /// Pairs that were started.
    pub(crate) pairs: usize,
    /// Whether the processes of a pair had the same number.
    pub(crate) alike: bool,
    /// What went wrong.
    pub(crate) faults: Vec<String>,
}

/// Starts pairs of processes.
pub(crate) fn pairs(program: &Path, dir: &Path, pairs: usize) -> Result<Pairs, String> {
    let file = dir.join("pairs.toml");
    std::fs::write(&file, STUDY).map_err(|e| e.to_string())?;
    let alone = alone();
    let mut found = Pairs { pairs, alike: !alone.is_empty(), faults: Vec::new() };
    let start = |words: &[&str], paths: &[&Path]| {
        let mut command = match alone.split_first() {
            Some((first, rest)) => {
                let mut command = Command::new(first);
                command.args(rest).arg(program);
                command
            }
            None => Command::new(program),
        };
        command.args(words).args(paths).stdout(Stdio::null()).stderr(Stdio::piped());
        command.spawn().map_err(|e| e.to_string())
    };
    let mut ended = |what: &str, child: Child| -> Result<(), String> {
        let output = child.wait_with_output().map_err(|e| e.to_string())?;
        if !output.status.success() {
            found.faults.push(format!("{what}: {}", String::from_utf8_lossy(&output.stderr)));
        }
        Ok(())
    };
    let run = |shard: &str, out: &Path| {
        start(&["study", "run", "--quiet", "--save-every", "0.001", "--shard", shard, "--out"], &[out, &file])
    };
    let learn = |checkpoint: &Path, seed: &str| {
        let words = "learn windy-grid@n=3 --learner random --episodes 100 --quiet --checkpoint-every 200";
        let words: Vec<&str> = words.split(' ').chain(["--seed", seed, "--checkpoint"]).collect();
        start(&words, &[checkpoint])
    };
    let whole = dir.join("alone");
    ended("one process", run("1/1", &whole)?)?;
    let lone = [dir.join("lone0"), dir.join("lone1")];
    for (n, checkpoint) in lone.iter().enumerate() {
        ended("one run", learn(checkpoint, &n.to_string())?)?;
    }
    let mut folders: Vec<PathBuf> = Vec::new();
    for pair in 0..pairs {
        let out = dir.join(format!("pair{pair}"));
        let both = [run("1/2", &out)?, run("2/2", &out)?];
        both.into_iter().try_for_each(|child| ended(&format!("pair {pair}"), child))?;
        // the parts are one study, and the last process shows it
        ended(&format!("the whole of pair {pair}"), run("1/1", &out)?)?;
        let runs = out.join("learn");
        std::fs::create_dir_all(&runs).map_err(|e| e.to_string())?;
        let both = ["0", "1"].map(|seed| learn(&runs.join(seed), seed));
        for child in both {
            ended(&format!("runs {pair}"), child?)?;
        }
        folders.push(out);
    }
    folders.iter().for_each(|out| found.faults.extend(differences(out, &whole, &lone)));
    Ok(found)
}

/// What a pair's folder has that one process would not have written.
fn differences(out: &Path, whole: &Path, lone: &[PathBuf]) -> Vec<String> {
    let content = |path: &Path| std::fs::read(path).unwrap_or_default();
    let mut runs = lone.iter().enumerate();
    let runs = runs.all(|(n, lone)| content(&out.join(format!("learn/{n}"))) == content(lone));
    let mut faults = left(out);
    if tables(out) != tables(whole) || !runs {
        faults.push(format!("{}: other bytes than of one process", out.display()));
    }
    faults
}

/// Temporary files that are left.
fn left(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path());
    let left = |path: PathBuf| match path.is_dir() {
        true => left(&path),
        false if path.extension().is_some_and(|end| end == "part") => {
            vec![format!("left: {}", path.display())]
        }
        false => Vec::new(),
    };
    entries.flat_map(left).collect()
}

/// The command that gives a process a world of its own to be numbered in, where that is allowed.
fn alone() -> Vec<&'static str> {
    let ways = [vec!["unshare", "--pid", "--fork"], vec!["unshare", "--user", "--pid", "--fork"]];
    let works = |way: &Vec<&str>| {
        let tried = Command::new(way[0]).args(&way[1..]).arg("true").stderr(Stdio::null()).status();
        tried.is_ok_and(|status| status.success())
    };
    ways.into_iter().find(works).unwrap_or_default()
}
