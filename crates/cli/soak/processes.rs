//! Corrupted checkpoints through the command line: exit codes, and a look at every file of the
//! folder.

use crate::corrupt::corrupt;
use crate::corrupt::sweep::{Found, VICTIM};
use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A forged number of steps may be any: a run that is still at it after so long is stopped, and did
/// not panic.
const PATIENCE: Duration = Duration::from_millis(1500);
/// What is refused needs no time; a machine that has much else to do does.
const MUCH_PATIENCE: Duration = Duration::from_secs(60);

const RUNS: [&str; 7] = [
    "lr",
    "levis --set B=oracle",
    "levis++ --set B=oracle",
    "rho-levis++ --set B=oracle --set t_star=oracle",
    "levis++lr --set B=oracle --set radius=determinant",
    "random",
    "optimal",
];

/// A folder with a run that was stopped, and others' files.
struct Place {
    dir: tempfile::TempDir,
    /// All files before anything was done, by name.
    before: BTreeMap<String, Vec<u8>>,
}

impl Place {
    fn new(goalward: &Path, run: &str) -> Place {
        let dir = tempfile::tempdir().expect("a folder");
        let line = format!(
            "learn windy-grid --param n=3 --learner {run} --episodes 60 --max-steps 90 --trace a \
             --checkpoint c --quiet"
        );
        let done = Command::new(goalward)
            .args(line.split_whitespace())
            .current_dir(dir.path())
            .stdout(Stdio::null())
            .status()
            .expect("goalward runs");
        assert!(done.success(), "{line}");
        fs::write(dir.path().join(VICTIM.0), VICTIM.1).expect("a file");
        let before = files(dir.path());
        Place { dir, before }
    }

    fn put_back(&self) {
        for entry in fs::read_dir(self.dir.path()).expect("a folder").flatten() {
            fs::remove_file(entry.path()).expect("a file");
        }
        for (name, content) in &self.before {
            fs::write(self.dir.path().join(name), content).expect("a file");
        }
    }

    /// Takes the run up; the exit code, or none for one that was still at it, and what it said.
    fn resume(&self, goalward: &Path, patience: Duration) -> (Option<i32>, String) {
        let errors = fs::File::create(self.dir.path().join("errors")).expect("a file");
        let mut child = Command::new(goalward)
            .args(["learn", "--resume", "c", "--quiet"])
            .current_dir(self.dir.path())
            .stdout(Stdio::null())
            .stderr(errors)
            .spawn()
            .expect("goalward runs");
        let began = Instant::now();
        let code = loop {
            match child.try_wait().expect("a child") {
                Some(status) => break Some(status.code().unwrap_or(-1)),
                None if began.elapsed() > patience => {
                    let _ = child.kill();
                    let _ = child.wait();
                    break None;
                }
                None => sleep(Duration::from_millis(2)),
            }
        };
        let path = self.dir.path().join("errors");
        let said = fs::read_to_string(&path).unwrap_or_default();
        let _ = fs::remove_file(path);
        (code, said)
    }

    /// A file that changed, but for the run's own.
    fn harmed(&self, own: &[&str]) -> Option<String> {
        let after = files(self.dir.path());
        let spared = |name: &str| !own.contains(&name) && !name.starts_with('.');
        let changed = self.before.iter().find(|(name, old)| spared(name) && after.get(*name) != Some(old));
        let new = after.keys().find(|name| spared(name) && !self.before.contains_key(*name));
        changed.map(|(name, _)| name.clone()).or(new.cloned())
    }
}

fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(dir).expect("a folder").flatten();
    entries
        .map(|entry| {
            (entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path()).unwrap_or_default())
        })
        .collect()
}

/// Exit code 2, and no file changed.
pub(crate) fn as_they_are(goalward: &Path, numbers: Range<u64>) -> Found {
    sweep(goalward, numbers, false)
}

/// No panic, and no file changed but the run's own.
pub(crate) fn forged(goalward: &Path, numbers: Range<u64>) -> Found {
    sweep(goalward, numbers, true)
}

fn sweep(goalward: &Path, numbers: Range<u64>, forged: bool) -> Found {
    // a process waits for the disk most of the time: every run in a thread of its own
    let runs = RUNS.len() as u64;
    let each = |run: u64| {
        let place = Place::new(goalward, RUNS[run as usize]);
        let mut found = Found::default();
        numbers
            .clone()
            .filter(|n| n % runs == run)
            .for_each(|n| one(goalward, &place, n, forged, &mut found));
        found
    };
    let mut all = Found::default();
    std::thread::scope(|scope| {
        let each = &each;
        let threads: Vec<_> = (0..runs).map(|run| scope.spawn(move || each(run))).collect();
        for thread in threads {
            let found = thread.join().expect("a sweep");
            all.tried += found.tried;
            all.refused += found.refused;
            all.panics.extend(found.panics);
            all.taken.extend(found.taken);
            all.slowest = all.slowest.max(found.slowest);
        }
    });
    all
}

fn one(goalward: &Path, place: &Place, n: u64, forged: bool, found: &mut Found) {
    let run = RUNS[(n % RUNS.len() as u64) as usize];
    let corrupted = corrupt(&place.before["c"], n, VICTIM);
    let Some(bytes) = (if forged { corrupted.forged } else { Some(corrupted.bytes) }) else { return };
    place.put_back();
    let file = place.dir.path().join("c");
    fs::write(&file, &bytes).expect("a file");
    let began = Instant::now();
    let (code, said) = place.resume(goalward, if forged { PATIENCE } else { MUCH_PATIENCE });
    found.slowest = found.slowest.max(began.elapsed());
    found.tried += 1;
    let label = format!("{n}: {run}: {}: exit code {code:?}: {said}", corrupted.what);
    let refused = code == Some(2);
    found.refused += u64::from(refused);
    let own: &[&str] = if refused { &["c"] } else { &["c", "a"] };
    if !refused && (!forged || !matches!(code, None | Some(0 | 1))) {
        found.panics.push(label);
    } else if let Some(name) = place.harmed(own) {
        found.taken.push(format!("{label}: {name} was harmed"));
    } else if refused && fs::read(file).ok() != Some(bytes) {
        found.taken.push(format!("{label}: the checkpoint was changed"));
    }
}
