//! The same seed gives the same bytes on every machine.
//!
//! glibc has several versions of `log`, `exp`, `sin` and `pow`, and picks by the processor. It can be
//! told to pick as on an older one, whose versions round some results the other way. Nothing that
//! goalward computes may show that.

use super::*;
use std::fmt::Write;
use std::process::Command;

/// An old processor: no fused multiplications and no AVX2.
const OLDER: (&str, &str) = ("GLIBC_TUNABLES", "glibc.cpu.hwcaps=-FMA,-AVX2_Usable,-FMA4,-AVX2");

/// Each world meets every learner in one of the runs below; a run is one learner in one world.
const WORLDS: [&str; 8] = [
    "windy-grid@n=4",
    "hard-instance",
    "river-swim",
    "delivery",
    "random-mixture@states=8",
    "ladder@rungs=6",
    "psrl-gridworld",
    "shortcut",
];
const LEARNERS: [&str; 20] = [
    "lr",
    "levis++lr@B=oracle",
    "levis++@B=oracle@radius=scaled:0.003",
    "levis@B=oracle@radius=determinant",
    "psrl-mixture",
    "lr@set=exact",
    "certainty-equivalence",
    "rho-levis++@B=oracle@t_star=oracle@radius=determinant",
    "levis+@B=oracle",
    "ucrl-ave-ssp@B=oracle",
    "eb-ssp@B=oracle@support=known",
    "bernstein-ssp",
    "psrl-ssp@support=known",
    "lr@set=outer",
    "hoeffding-ssp@B=oracle",
    "svi-ssp@B=oracle",
    "ulcvi@B=oracle@t_star=oracle",
    "mvp+@B=oracle@t_star=oracle",
    "lsvi-ucb-ssp@B=oracle@t_star=oracle",
    "q-learning",
];

/// What a test binary prints of the platform's own functions: one that follows the tunable prints
/// something else.
#[test]
#[ignore = "run by the tests below, in a process of its own"]
#[allow(clippy::disallowed_methods)]
fn bits() {
    let numbers = (1..20_000).map(|i| f64::from(i) * 0.0137);
    let sum = numbers.fold(0u64, |sum, x| {
        let all = [x.ln(), (-x).exp(), x.sin(), x.powf(1.3)];
        all.iter().fold(sum, |sum, y| sum.rotate_left(7) ^ y.to_bits())
    });
    println!("bits: {sum:x}");
}

/// Whether the platform's functions depend on the tunable. If not there is nothing to see; that is
/// said aloud.
fn shows() -> bool {
    let bits = |older: bool| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "machines::bits", "--ignored", "--nocapture"]);
        command.envs(older.then_some(OLDER));
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let (newer, older) = (bits(false), bits(true));
    let line = |out: &str| out.lines().find(|line| line.contains("bits: ")).map(String::from);
    assert!(line(&newer).is_some(), "{newer}");
    let differ = line(&newer) != line(&older);
    if !differ {
        eprintln!("skipped: logarithms do not depend on GLIBC_TUNABLES here");
    }
    differ
}

/// All that a command leaves but how long it took: what it prints, and its files.
fn leaves(lines: &[String], files: &[&str], older: bool) -> String {
    let place = Place::new();
    place.write(
        "model.json",
        r#"{"name":"two","states":3,"start":0,"goal":2,"dim":2,
        "cost":[[1,0.7],[0.3],[]],"features":[[0,0,1,[0.7,0.1]],[0,0,0,[0.2,0.5]],[0,0,2,[0.1,0.4]],
        [0,1,1,[0.5,0.3]],[0,1,0,[0.5,0.7]],[1,0,2,[0.3,0.9]],[1,0,1,[0.7,0.1]]],"theta":[0.3,0.7]}"#,
    );
    place.write("log.csv", "state,action,next\n0,0,1\n1,0,2\n0,1,0\n0,0,0\n0,0,2\n0,1,1\n1,0,1\n1,0,2\n");
    place.write(
        "study.toml",
        "seeds = 2\nepisodes = 30\nworlds = [\"windy-grid@n=3\"]\nlearners = [\"lr\", \
        \"levis++@B=3@radius=scaled:0.003\"]\n[comparison]\n",
    );
    let mut left = String::new();
    for line in lines {
        let mut command = Command::new(goalward());
        command.args(line.split_whitespace()).current_dir(place.0.path()).envs(older.then_some(OLDER));
        let ran = Ran::of(command.output().unwrap()).done();
        let timed = |line: &&str| !line.contains("seconds\"") && !line.contains("elapsed");
        ran.out.lines().filter(timed).for_each(|line| writeln!(left, "{line}").unwrap());
    }
    let mut found = tables(&place.path("out"));
    found.sort();
    for file in files.iter().map(|file| place.path(file)).chain(found) {
        let name = file.strip_prefix(place.0.path()).unwrap().display().to_string();
        writeln!(left, "{name} {:?}", std::fs::read(&file).unwrap()).unwrap();
    }
    left
}

/// The records below a folder.
fn tables(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let below = |path: PathBuf| match path.is_dir() {
        true => tables(&path),
        false => vec![path],
    };
    let all = entries.flat_map(|entry| below(entry.unwrap().path()));
    all.filter(|path| path.extension().is_some_and(|ending| ending == "parquet")).collect()
}

fn compare(lines: &[String], files: &[&str]) {
    let (newer, older) = (leaves(lines, files, false), leaves(lines, files, true));
    let first = newer.lines().zip(older.lines()).find(|(a, b)| a != b);
    assert!(newer == older, "{lines:?}: {first:?}");
}

fn run(n: usize) -> String {
    let (learner, world) = (LEARNERS[n % LEARNERS.len()], WORLDS[(n + n / LEARNERS.len()) % WORLDS.len()]);
    format!("learn {world} --learner {learner} --episodes 60 --max-steps 3000 --seed {n} --json --trace t{n}")
}

#[test]
fn forty_runs_are_the_same_bytes_on_an_older_processor() {
    if !shows() {
        return;
    }
    let runs: Vec<String> = (0..40).map(run).collect();
    let traces: Vec<String> = (0..40).map(|n| format!("t{n}")).collect();
    compare(&runs, &traces.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn so_are_solutions_fits_and_records() {
    if !shows() {
        return;
    }
    let lines = [
        "solve windy-grid@n=5 --json",
        "solve ladder --json",
        "solve delivery --policy p.json --json",
        "solve model.json --json",
        "fit model.json log.csv --json",
        "audit windy-grid@n=3 --learner lr --episodes 40 --seed 1 --json",
        "study run study.toml --out out --json",
    ];
    compare(&lines.map(String::from), &["p.json"]);
}
